"""Runs scenes, recordings and exports as a user would: run_test.py PATH_TO_UPTACK"""

import base64
import csv
import json
import os
import resource
import signal
import struct
import subprocess
import time
import unittest
import xml.etree.ElementTree as xml

import h5py
import numpy

from recordings import SCENE, contents
from uptack_case import UPTACK, UptackCase, run, strict_json

class Runs(UptackCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "boxes.json").write_text(SCENE)
        made = run("run", "boxes.json", "-o", "boxes.h5", folder=cls.folder)
        assert made.returncode == 0, made.stderr
        cls.summary = made.stdout


class Running(Runs):
    def test_people_get_a_summary(self):
        for words in ("Scene ", "Steps        120", "x real time", "Step time", "Tolerance", "Worst error", "Penetration",
                      "Joint drift", "Energy", "Recording    boxes.h5 (31 frames"):
            self.assertIn(words, self.summary)

    def test_help_has_an_example(self):
        for verb in ("run", "scenes", "export"):
            self.assertIn(f"Example:\n  uptack {verb}", self.ok(verb, "--help"))

    def test_json_is_one_document(self):
        document = self.document("run", "boxes.json", "--duration", 0.1)
        self.assertEqual((document["status"], document["steps"], document["bodies"]), ("finished", 24, 6))
        self.assertAlmostEqual(document["time_s"], 0.1)
        self.assertIsNone(document["output"])
        for key in ("mean", "p95", "max", "collision", "assembly", "solve"):
            self.assertGreaterEqual(document["step_ms"][key], 0.0)
        self.assertLessEqual(document["step_ms"]["mean"], document["step_ms"]["max"])
        for key in ("relative_error", "energy_error_J", "what", "time_s"):
            self.assertIn(key, document["worst"])

    def test_settings_reach_the_run_and_its_recording(self):
        words = ("run", "boxes.json", "--step", "1/120", "--duration", 0.2, "--tolerance", "1e-7J", "--solver",
                 "psor:omega=1.2,symmetric=true", "--set", "count=2", "--threads", 1, "-o", "set.h5")
        document = self.document(*words)
        self.assertEqual((document["steps"], document["bodies"], document["solver"]), (24, 4, "psor"))
        self.assertEqual((document["tolerance"], document["tolerance_unit"]), (1e-7, "J"))
        self.assertEqual(document["settings"], {"omega": "1.2", "symmetric": "true"})
        info = self.document("info", "set.h5")
        for key in ("steps", "bodies", "solver", "tolerance", "tolerance_unit", "step_s", "duration_s"):
            self.assertEqual(info[key], document[key], key)

    def test_threads_do_not_change_the_run(self):
        for count in (1, 2):
            self.ok("run", "boxes.json", "--duration", 0.2, "--threads", count, "-o", f"threads{count}.h5")
        self.assertEqual(contents(self.folder / "threads1.h5"), contents(self.folder / "threads2.h5"))

    def test_scenes_are_listed_and_run_by_name(self):
        scenes = self.document("scenes")["scenes"]
        self.assertIn("pendulum", {scene["scene"] for scene in scenes})
        self.assertIn("pendulum", self.ok("scenes"))
        document = self.document("run", "pendulum", "--duration", 0.05)
        self.assertEqual((document["scene"], document["status"]), ("pendulum", "finished"))
        self.assertGreater(self.document("info", "pendulum")["bodies"], 0)

    def test_a_dumped_step_is_a_problem(self):
        self.ok("run", "boxes.json", "--duration", 0.3, "--dump-step", "60:step.h5")
        info = self.document("info", "step.h5")
        self.assertGreater(info["rows"], 0)
        self.assertEqual(info["problem"], "boxes step 60")
        solved = self.document("solve", "step.h5", "--solver", "newton", "--tolerance", 1e-6)
        self.assertTrue(any("hinge" in worst["description"] or "box" in worst["description"] for worst in solved["worst"]))

    def test_compare_takes_scenes(self):
        compared = self.document("compare", "boxes.json", "--at-step", 50, "--solvers", "newton", "--seconds", 0.2)
        self.assertEqual(compared["problems"][0]["problem"], "boxes step 50")
        self.assertEqual(len(compared["runs"]), 1)

    def test_info_and_validate(self):
        info = self.document("info", "boxes.h5")
        self.assertEqual((info["file_kind"], info["frames"], info["steps"], info["finished"]), ("recording", 31, 120, True))
        self.assertEqual(info["title"], "Boxes and a pendulum")
        self.assertIn("finished", self.ok("info", "boxes.h5"))
        self.assertEqual(self.document("info", "boxes.json")["parameters"][0]["name"], "count")
        self.assertEqual(self.document("validate", "boxes.h5")["frames"], 31)
        self.assertTrue(self.document("validate", "boxes.json")["valid"])


class WrongUse(Runs):
    def test_usage(self):
        self.fails(2, "run")
        self.fails(2, "run", "boxes.json", "--resume", "boxes.h5")
        self.fails(2, "run", "--resume", "boxes.h5", "--step", 0.1)
        self.assertIn("psor", self.fails(2, "run", "boxes.json", "--solver", "nope"))
        self.fails(2, "run", "boxes.json", "--tolerance", "small")
        self.fails(2, "run", "boxes.json", "--step", "a lot")
        self.fails(2, "run", "boxes.json", "--step", b"\xff".decode(errors="surrogateescape"))  # not UTF-8
        self.fails(2, "run", "boxes.json", "--set", "count")
        self.fails(2, "run", "boxes.json", "--dump-step", "x.h5")
        self.fails(2, "export", "boxes.h5")

    def test_bad_input(self):
        self.assertIn("uptack scenes", self.fails(3, "run", "nowhere"))
        (self.folder / "bad.json").write_text('{"uptack": 1, "bodies": [{"shape": {"sphere": -1}}]}')
        self.assertIn("/bodies/0", self.fails(3, "run", "bad.json"))
        self.assertIn("bad.json", self.fails(3, "validate", "bad.json"))
        self.assertIn("missing.h5", self.fails(3, "run", "--resume", "missing.h5"))
        self.fails(3, "run", "--resume", "boxes.json")
        self.fails(3, "run", "boxes.json", "-o", "no/such/folder/run.h5")
        self.fails(3, "export", "boxes.json", "--csv", "x")
        whole = (self.folder / "boxes.h5").read_bytes()
        (self.folder / "cut.h5").write_bytes(whole[: len(whole) // 2])
        self.fails(3, "info", "cut.h5")
        self.fails(3, "validate", "cut.h5")
        self.fails(3, "run", "--resume", "cut.h5")

    def test_require(self):
        words = ("run", "boxes.json", "--duration", 0.5, "--solver", "jacobi", "--tolerance", 1e-14, "--budget-ms", 0.01)
        self.assertIn("tolerance not met", self.fails(4, *words, "--require"))
        document = self.document(*words)
        self.assertFalse(document["tolerance_met"])
        self.assertGreater(document["steps_over_tolerance"], 0)
        self.assertNotEqual(document["worst"]["what"], "")

    def test_an_unfinished_file_is_not_overwritten(self):
        (self.folder / "old.h5.part").write_bytes(b"precious")
        self.assertIn("old.h5.part", self.fails(3, "run", "boxes.json", "-o", "old.h5"))
        self.assertEqual((self.folder / "old.h5.part").read_bytes(), b"precious")

    def test_no_other_verb_touches_an_unfinished_file(self):
        self.ok("run", "boxes.json", "--duration", 0.1, "-o", "crash.h5")
        crash = (self.folder / "crash.h5").read_bytes()
        self.ok("generate", "b3", "--size", 3, "-o", "in.h5")
        part = self.folder / "out.h5.part"
        part.write_bytes(crash)
        for words in (["generate", "b3", "--size", 3, "-o", "out.h5"], ["convert", "in.h5", "out.h5"],
                      ["solve", "in.h5", "--save-solution", "out.h5"], ["solve", "in.h5", "--history", "out.h5"],
                      ["run", "boxes.json", "--duration", 0.1, "--dump-step", "3:out.h5"]):
            with self.subTest(words):
                self.ok(*words)
                self.assertEqual(part.read_bytes(), crash)
        self.assertIn(".part", self.fails(3, "run", "boxes.json", "--dump-step", "3:out.h5.part"))
        self.assertEqual(part.read_bytes(), crash)

    def test_outputs_that_are_inputs_or_one_another_are_refused(self):
        self.ok("run", "boxes.json", "--duration", 0.1, "-o", "kept.h5")
        self.ok("generate", "b3", "--size", 3, "-o", "problem.h5")
        self.ok("solve", "problem.h5", "--save-solution", "warm.h5")
        os.symlink("kept.h5", self.folder / "link.h5")
        os.link(self.folder / "problem.h5", self.folder / "hard.h5")
        kept = {name: (self.folder / name).read_bytes() for name in ("boxes.json", "kept.h5", "problem.h5", "warm.h5")}
        inputs = (["run", "boxes.json", "-o", "boxes.json"], ["run", "boxes.json", "--dump-step", "3:./boxes.json"],
                  ["run", "--resume", "kept.h5", "--duration", 0.2, "--dump-step", "30:kept.h5"],
                  ["report", "kept.h5", "-o", "kept.h5"], ["report", "link.h5", "-o", "kept.h5"],
                  ["report", "kept.h5", "-o", "a.html", "--png", "kept.h5"],
                  ["solve", "problem.h5", "--save-solution", "problem.h5"],
                  ["solve", "problem.h5", "--warm", "warm.h5", "--history", "warm.h5"],
                  ["compare", "problem.h5", "-o", "problem.h5"], ["compare", "boxes.json", "-o", "boxes.json"],
                  ["convert", "problem.h5", "problem.h5"], ["convert", "problem.h5", "hard.h5"])
        twice = (["run", "boxes.json", "-o", "x", "--dump-step", "3:x"],
                 ["run", "boxes.json", "--dump-step", "3:d", "--dump-step", "4:d"],
                 ["solve", "problem.h5", "--save-solution", "x", "--history", "./x"],
                 ["report", "kept.h5", "-o", "x", "--png", "x"])
        for words, message in [(words, "is an input too") for words in inputs] + [(words, "two outputs") for words in twice]:
            with self.subTest(words):
                self.assertIn(message, self.fails(2, *words))
        for name, content in kept.items():
            self.assertEqual((self.folder / name).read_bytes(), content, name)
        self.assertEqual(list(self.folder.glob("*.tmp*")), [])
        self.assertFalse((self.folder / "x").exists() or (self.folder / "d").exists())

    def test_dumped_steps_must_be_made(self):
        self.assertRegex(self.fails(3, "run", "boxes.json", "--duration", 0.1, "--dump-step", "100000:d.h5"),
                         r"--dump-step 100000:d.h5: this run makes steps 1 to \d+; take one of them")
        self.ok("run", "boxes.json", "--duration", 0.1, "-o", "over.h5")
        self.assertIn("longer --duration", self.fails(3, "run", "--resume", "over.h5", "--dump-step", "3:d.h5"))
        self.assertRegex(self.fails(3, "run", "--resume", "over.h5", "--duration", 0.2, "--dump-step", "3:d.h5"),
                         "makes steps [1-9]\\d+ to")
        self.assertFalse((self.folder / "d.h5").exists())

    def test_empty_names_are_a_wrong_command_line(self):
        for words in (["run", "boxes.json", "-o", ""], ["run", ""], ["run", "--resume", ""],
                      ["generate", "b3", "-o", ""], ["convert", "in.h5", ""], ["solve", "in.h5", "--history", ""],
                      ["compare", "in.h5", "-o", ""], ["export", "in.h5", "--csv", ""], ["report", "in.h5", "--png", ""]):
            with self.subTest(words):
                self.assertIn("is empty; give it a value", self.fails(2, *words))

    def test_scenes_that_are_no_files_are_refused(self):
        os.mkfifo(self.folder / "scene.pipe")
        for verb in ("run", "validate", "info"):
            self.assertIn("scene.pipe: is not a regular file", self.fails(3, verb, "scene.pipe"))
        (self.folder / "nul.json").write_bytes((self.folder / "boxes.json").read_bytes() + b"\0 and more")
        self.assertRegex(self.fails(3, "run", "nul.json"), r"nul.json:\d+:\d+: not JSON: a NUL byte")

    def test_outputs_that_are_no_files_are_refused_before_the_work(self):
        os.mkfifo(self.folder / "pipe")
        self.ok("run", "boxes.json", "--duration", 0.1, "-o", "short.h5")
        for words in (["run", "boxes.json", "--duration", 1e4, "-o", "pipe"],
                      ["run", "boxes.json", "--duration", 1e4, "--dump-step", "3:pipe"],
                      ["generate", "b3", "-o", "pipe"], ["export", "short.h5", "--csv", "piped"]):
            with self.subTest(words):
                if "piped" in words:
                    os.mkfifo(self.folder / "piped_bodies.csv")
                self.assertRegex(self.fails(3, *words), "is not a regular file; name a file")
        self.assertTrue((self.folder / "pipe").is_fifo())
        self.assertTrue((self.folder / "piped_bodies.csv").is_fifo())
        self.assertEqual(list(self.folder.glob("*.tmp*")), [])


class FullDisk(Runs):
    """A limit on the size of files stands in for the disk."""

    def fails_with_room(self, room, *words):
        limit = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)), "restore_signals": False}
        line = self.fails(3, *words, **limit)
        self.assertRegex(line, r"\Auptack: \S+: cannot be written \(File too large\); choose a folder that exists and has room\n\Z")

    def test_the_line_says_file_reason_and_remedy_wherever_the_room_ends(self):
        whole = (self.folder / "boxes.h5").stat().st_size
        for room in (1000, whole // 2, whole, 2 * whole):
            with self.subTest(room):
                self.fails_with_room(room, "run", "boxes.json", "--duration", 20, "-o", f"{room}.h5")
                (self.folder / f"{room}_again.h5").write_bytes((self.folder / "boxes.h5").read_bytes())
                self.fails_with_room(room, "run", "--resume", f"{room}_again.h5", "--duration", 20)
        self.fails_with_room(1000, "run", "boxes.json", "--dump-step", "60:step.h5")


class HostileNames(Runs):
    """Escape sequences in names would move the cursor, colour the text or worse."""

    NAME = "b\x1b[31mo\x7f\x9bx"
    SHOWN = r"b\x1b[31mo\x7f\x9bx"

    def test_control_characters_are_shown_and_do_not_reach_the_terminal(self):
        ball = {"name": self.NAME, "shape": {"sphere": 0.1}, "position": [0, 0, 0.09]}
        scene = {"uptack": 1, "title": self.NAME, "settings": {"duration": 0.1}, "ground": True, "bodies": [ball]}
        name = f"{self.NAME}.json"
        (self.folder / name).write_text(json.dumps(scene))
        for words in (["run", name, "-o", f"{self.NAME}.h5"], ["info", name], ["info", f"{self.NAME}.h5"],
                      ["validate", name], ["export", f"{self.NAME}.h5", "--csv", self.NAME]):
            with self.subTest(words):
                text = self.ok(*words)
                self.assertNotRegex(text, r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
                self.assertIn(self.SHOWN, text)
        self.assertIn(self.SHOWN, self.fails(3, "run", f"{self.NAME}.none"))
        self.assertEqual(self.document("info", name)["title"], self.NAME)  # programs get what is there

    def test_other_characters_stay_as_they_are(self):
        name = "Kugel \u00e4\u00df\u2083\U0001f310.json"
        (self.folder / name).write_text('{"uptack": 1}')
        self.assertIn(name, self.ok("info", name))
        stray = b"stray \x9b.json".decode(errors="surrogateescape")
        self.assertIn(r"stray \x9b.json: ", self.fails(3, "info", stray))


class Unreadable(Runs):
    def test_a_file_that_may_not_be_read_is_not_called_damaged(self):
        locked = self.folder / "locked.h5"
        locked.write_bytes((self.folder / "boxes.h5").read_bytes())
        locked.chmod(0)
        self.folder.chmod(0o755)
        # Root may read everything.
        nobody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        if nobody and not self.runs_as(nobody):
            self.skipTest("the program is in a folder that others may not enter")
        for words in (["info", "locked.h5"], ["validate", "locked.h5"], ["report", "locked.h5"],
                      ["export", "locked.h5", "--csv", "x"], ["run", "--resume", "locked.h5"],
                      ["solve", "locked.h5"]):
            with self.subTest(words):
                self.assertIn("locked.h5: cannot be opened (Permission denied); check the path and the permissions",
                              self.fails(3, *words, **nobody))

    def runs_as(self, user):
        try:
            return run("--version", folder=self.folder, **user).returncode == 0
        except PermissionError:
            return False


class NotFinite(Runs):
    """A force, a motor and a motion that cease to be numbers after a while."""

    CASES = {
        "force": ('"forces": [{"name": "wind", "body": "ball", "force": ["sqrt(0.3 - t)", 0, 0]}]',
                  "force 'wind' on body 'ball': its force along x is", "ball"),
        "motor": ('"joints": [{"name": "axle", "kind": "revolute", "b": "ball", "position": [0, 0, 1],'
                  ' "axis": [0, 1, 0], "motor": {"velocity": "log(0.3 - t)"}}]',
                  "motor of joint 'axle' (angle): its target is", "ball"),
        "motion": ('"bodies": [{"name": "lift", "kind": "kinematic", "shape": {"box": [1, 1, 0.1]},'
                   ' "motion": {"offset": [0, 0, "sqrt(0.3 - t)"]}}]',
                   "motion of body 'lift': its offset along z is", "lift"),
    }

    def test_energies_that_overflow_are_not_finite(self):
        self.CASES["energy"] = ('"forces": [{"name": "gale", "body": "ball", "force": ["t > 0.3 ? 1e160 : 0", 0, 0]}]', "", "")
        try:
            scene = self.scene("energy")
        finally:
            del self.CASES["energy"]
        self.assertRegex(self.fails(5, "run", scene), "step 7[3-5] is not finite.*body 'ball'.*energy")

    def scene(self, name):
        entries, _, _ = self.CASES[name]
        ball = '{"name": "ball", "shape": {"sphere": 0.1}, "position": [0, 0, 1]}'
        other = '{"name": "other", "shape": {"sphere": 0.1}, "position": [3, 0, 1]}'
        bodies = f'"bodies": [{ball}, {other}]'
        if '"bodies": [' in entries:
            bodies = entries.replace('"bodies": [', f'"bodies": [{ball}, {other}, ')
            entries = '"watch": []'
        text = f'{{"uptack": 1, "settings": {{"duration": 1, "step": "1/240"}}, "ground": true, {bodies}, {entries}}}'
        (self.folder / f"{name}.json").write_text(text)
        return f"{name}.json"

    def test_the_run_stops_before_the_step_and_names_the_culprit(self):
        for name, (_, words, _) in self.CASES.items():
            with self.subTest(name):
                scene = self.scene(name)
                self.assertIn(words, self.fails(5, "run", scene, "-o", f"{name}.h5"))
                self.assertFalse((self.folder / f"{name}.h5.part").exists())
                info = self.document("info", f"{name}.h5")
                self.assertFalse(info["finished"])
                self.assertTrue(self.document("validate", f"{name}.h5")["resumable"])
                self.assertTrue(self.document("info", f"{name}.h5")["resumable"])
                with h5py.File(self.folder / f"{name}.h5", "r") as file:
                    steps = file["steps/step"][()]
                    last = file["frames/step"][-1]
                    self.assertEqual(file["steps/status"][-1], 4)
                    for table in ("position", "velocity", "orientation"):
                        self.assertTrue(numpy.isfinite(file[f"frames/{table}"][()]).all())
                # The last frame is that of the last good step, and the checkpoint is too.
                self.assertEqual(last, steps[-1] - 1)
                self.assertIn(words, self.fails(5, "run", "--resume", f"{name}.h5"))
                document = strict_json(run("run", scene, "--json", folder=self.folder).stdout)
                self.assertEqual(document["status"], "not_finite")
                self.assertIn(words, document["reason"])
                # What was undone is not counted.
                self.assertEqual(document["steps"], steps[-1] - 1)
                self.assertAlmostEqual(document["time_s"], (steps[-1] - 1) / 240)
                self.assertTrue(document["tolerance_met"])
                self.assertEqual(document["steps_over_tolerance"], 0)
                self.assertEqual((info["steps"], info["time_s"]), (document["steps"], document["time_s"]))

    def test_freeze_goes_on_and_says_since_when(self):
        for name, (_, words, body) in self.CASES.items():
            with self.subTest(name):
                scene = self.scene(name)
                document = self.document("run", scene, "--freeze", "-o", f"{name}_frozen.h5")
                self.assertEqual((document["status"], document["steps"], document["frozen_bodies"]), ("finished", 240, 1))
                (froze,) = document["froze"]
                self.assertIn(words, froze["what"])
                self.assertTrue(froze["what"].startswith(body + " ("))
                self.assertAlmostEqual(froze["time_s"], 0.3, delta=0.01)
                self.assertRegex(self.ok("run", scene, "--freeze"), rf"Frozen +since 0\.3\d* s: {body} \({words[:12]}")
                # A run that stopped can be gone on with, and comes to the same end.
                self.fails(5, "run", scene, "-o", f"{name}_late.h5")
                self.ok("run", "--resume", f"{name}_late.h5", "--freeze")
                early, late = (contents(self.folder / f"{name}_{kind}.h5") for kind in ("frozen", "late"))
                for table in early:
                    if table not in ("scene", "model"):
                        self.assertEqual(early[table], late[table], table)

    def test_limits(self):
        self.assertRegex(self.fails(6, "run", "boxes.json", "--duration", "1e9"), "steps.*limit.*duration")
        self.assertRegex(self.fails(6, "compare", "boxes.json", "--at-step", 10**11), "steps.*limit.*earlier")
        (self.folder / "deep.json").write_text('{"uptack": 1, "title": ' + "[" * 100 + "]" * 100 + "}")
        self.assertRegex(self.fails(6, "validate", "deep.json"), "nested deeper than the limit of 64; flatten")
        (self.folder / "long.json").write_text('{"uptack": 1, "title": "' + "a" * 70000 + '"}')
        self.assertRegex(self.fails(6, "run", "long.json"), "70000 bytes; the limit is 65536, shorten")
        with open(self.folder / "big.json", "w") as file:
            file.write('{"uptack": 1}')
            file.truncate(65 << 20)
        self.assertRegex(self.fails(6, "run", "big.json"), "limit of 64 MB")
        many = ", ".join(['"part.json"'] * 33)
        (self.folder / "part.json").write_text('{"uptack": 1}')
        (self.folder / "many.json").write_text(f'{{"uptack": 1, "include": [{many}]}}')
        self.assertRegex(self.fails(6, "run", "many.json"), "includes than the limit of 32")
        (self.folder / "out.json").write_text('{"uptack": 1, "include": "../../etc/passwd"}')
        self.assertIn("inside the scene's folder", self.fails(3, "run", "out.json"))


class Interruption(Runs):
    def started(self, *words):
        return subprocess.Popen([UPTACK, *map(str, words)], cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def test_two_runs_do_not_write_one_recording(self):
        process = self.started("run", "boxes.json", "--duration", 10000, "-o", "one.h5")
        part = self.folder / "one.h5.part"
        while not part.exists() and process.poll() is None:
            time.sleep(0.01)
        time.sleep(0.3)
        for name in ("one.h5", "one.h5.part"):
            self.assertIn("another run is writing it", self.fails(3, "run", "--resume", name))
        self.assertIn("still goes on", self.fails(3, "run", "boxes.json", "-o", "one.h5"))
        self.assertIsNone(process.poll())
        process.kill()
        process.communicate(timeout=60)
        # The system has dropped the lock.
        self.document("run", "--resume", "one.h5", "--duration", 1)
        self.assertFalse(part.exists())

    def test_ctrl_c_stops_after_the_step_and_says_so(self):
        process = self.started("run", "boxes.json", "--duration", 10000, "-o", "stopped.h5")
        part = self.folder / "stopped.h5.part"
        while not part.exists() and process.poll() is None:
            time.sleep(0.01)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("Stopped", output)
        self.assertIn("--resume stopped.h5", output)
        self.assertFalse(part.exists())
        info = self.document("info", "stopped.h5")
        self.assertFalse(info["finished"])
        more = self.document("run", "--resume", "stopped.h5", "--duration", info["time_s"] + 0.1)
        self.assertEqual(more["steps"], info["steps"] + 24)
        self.assertEqual(more["resumed_from_step"], info["steps"])


class Exports(Runs):
    def rows(self, name):
        with open(self.folder / name, newline="") as file:
            return list(csv.DictReader(file))

    def test_csv_says_what_the_recording_holds(self):
        self.ok("export", "boxes.h5", "--csv", "out")
        bodies, joints, steps = (self.rows(f"out_{name}.csv") for name in ("bodies", "joints", "steps"))
        with h5py.File(self.folder / "boxes.h5", "r") as file:
            position = file["frames/position"][()]
            force = file["joints/force"][()]
            kinetic = file["steps/kinetic_J"][()]
            self.assertEqual(file.attrs["format"], b"uptack recording")
            self.assertIn("boxes and a pendulum", file["scene"][()].tobytes().decode().lower())
            names = [body["name"] for body in json.loads(file["model"][()].tobytes())["bodies"]]
        self.assertEqual(len(bodies), position.shape[0] * position.shape[1])
        self.assertEqual([row["body"] for row in bodies[: len(names)]], names)
        for k in (0, 7, len(bodies) - 1):
            frame, body = divmod(k, position.shape[1])
            self.assertEqual([float(bodies[k][axis]) for axis in ("x_m", "y_m", "z_m")], list(position[frame, body]))
        self.assertEqual([float(row["fz_N"]) for row in joints], list(force[:, 0, 2]))
        self.assertEqual([float(row["kinetic_J"]) for row in steps], list(kinetic))

    def values(self, element, kind):
        data = base64.b64decode(element.text)
        (size,) = struct.unpack("<Q", data[:8])
        self.assertEqual(size, len(data) - 8)
        return numpy.frombuffer(data[8:], kind)

    def arrays(self, piece):
        kinds = {"Float32": "<f4", "Int64": "<i8", "Int32": "<i4"}
        return {array.get("Name"): self.values(array, kinds[array.get("type")]) for array in piece.iter("DataArray")}

    def test_vtk_files_are_xml_with_the_right_counts(self):
        self.ok("export", "boxes.h5", "--vtk", "scene")
        sets = list(xml.parse(self.folder / "scene.pvd").getroot().iter("DataSet"))
        self.assertEqual(len(sets), 2 * 31)
        with h5py.File(self.folder / "boxes.h5", "r") as file:
            starts = file["frames/contact_start"][()]
            force = file["contacts/force"][()]
            position = file["frames/position"][()]
            times = file["frames/time"][()]
            names = [body["name"] for body in json.loads(file["model"][()].tobytes())["bodies"]]
        self.assertGreater(starts[-1], 0)
        for k in (0, 15, 30):
            surface, contacts = sets[2 * k], sets[2 * k + 1]
            self.assertEqual(float(surface.get("timestep")), times[k])
            piece = next(xml.parse(self.folder / surface.get("file")).getroot().iter("Piece"))
            arrays = self.arrays(piece)
            points = arrays["points"].reshape(-1, 3)
            self.assertEqual(len(points), int(piece.get("NumberOfPoints")))
            self.assertEqual(len(arrays["offsets"]), int(piece.get("NumberOfPolys")))
            self.assertEqual(arrays["offsets"][-1], len(arrays["connectivity"]))
            self.assertLess(arrays["connectivity"].max(), len(points))
            # The corners of a box lie around its centre of mass.
            body = names.index("rod")
            faces = numpy.split(arrays["connectivity"], arrays["offsets"][:-1])
            corners = sorted({point for face, owner in zip(faces, arrays["body"]) if owner == body for point in face})
            self.assertEqual(len(corners), 8)
            numpy.testing.assert_allclose(points[corners].mean(axis=0), position[k, body], atol=1e-6)
            piece = next(xml.parse(self.folder / contacts.get("file")).getroot().iter("Piece"))
            arrays = self.arrays(piece)
            self.assertEqual(int(piece.get("NumberOfPoints")), starts[k + 1] - starts[k])
            numpy.testing.assert_array_equal(arrays["force_N"].reshape(-1, 3), force[starts[k]:starts[k + 1]])

    def test_resting_boxes_weigh_what_they_weigh(self):
        self.ok("run", "boxes.json", "--duration", 3, "--tolerance", 1e-8, "-o", "rest.h5")
        with h5py.File(self.folder / "rest.h5", "r") as file:
            model = json.loads(file["model"][()].tobytes())
            starts = file["frames/contact_start"][-2:]
            bodies = file["contacts/body"][starts[0]:starts[1]]
            force = file["contacts/force"][starts[0]:starts[1]].astype(float)
        names = [body["name"] for body in model["bodies"]]
        ground = next(k for k, body in enumerate(model["bodies"]) if body["kind"] == "fixed")
        weight = 9.81 * sum(body["mass_kg"] for body in model["bodies"] if body["name"].startswith("box"))
        on_ground = sum((-1 if a == ground else 1) * f[2] for (a, b), f in zip(bodies, force) if ground in (a, b))
        self.assertAlmostEqual(on_ground / weight, 1.0, places=3, msg=str(names))


if __name__ == "__main__":
    unittest.main()
