"""uptack report as a user runs it: what a page holds against its recording, limits, bad input, pictures."""

import json
import os
import re
import shutil
import struct
import unittest

import h5py
import numpy as np

from report_page import Page
from uptack_case import UptackCase, run

HOSTILE = "</script><script>alert('x')</script> & <!-- \u2028"


def angle_between(q, p):
    """Of unit quaternions [rad]; through the chord, since arccos knows small angles badly."""
    chord = np.minimum(np.linalg.norm(q - p, axis=-1), np.linalg.norm(q + p, axis=-1))
    return 4 * np.arcsin(np.minimum(1, chord / 2))


def png_size(path):
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", data[16:24])


class ReportCase(UptackCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        done = run("run", "wall", "--set", "rows=4", "--set", "columns=5", "--duration", 0.7, "-o", "wall.h5", folder=cls.folder)
        assert done.returncode == 0, done.stderr

    def recording(self):
        return h5py.File(self.folder / "wall.h5", "r")

    def left(self, *names):
        """Files that should not be there."""
        return [name for name in names if list(self.folder.glob(name))]


class PageTest(ReportCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        done = run("report", "wall.h5", "--json", folder=cls.folder)
        assert done.returncode == 0, done.stderr
        cls.facts = json.loads(done.stdout)
        cls.page = Page(cls.folder / "wall.html")

    def test_bodies_are_where_they_were(self):
        with self.recording() as file:
            away = abs(self.page.position - file["frames/position"][()]).max()
            turned = angle_between(self.page.quaternion, file["frames/orientation"][()]).max()
            np.testing.assert_array_equal(self.page.times, file["frames/time"][()])
        self.assertLessEqual(away, 0.5 * self.page.frames["quantum_m"] * (1 + 1e-9))
        self.assertLessEqual(turned, self.facts["rotation_precision_rad"])
        self.assertGreater(turned, 0)

    def test_contacts_push_the_same_bodies_at_the_same_points(self):
        scale = self.page.frames["contacts"]["force_N"]
        step = (scale["upper"] / scale["lower"]) ** (1 / 254)
        with self.recording() as file:
            start = file["frames/contact_start"][()]
            body, point, force = (file[f"contacts/{name}"][()] for name in ("body", "point", "force"))
        for f, contacts in enumerate(self.page.contacts):
            rows = slice(start[f], start[f + 1])
            np.testing.assert_array_equal(np.stack([contacts["a"], contacts["b"]], axis=1), body[rows])
            self.assertLessEqual(abs(contacts["point"] - point[rows]).max(initial=0), 0.5 * self.page.frames["quantum_m"] + 1e-9)
            size = np.linalg.norm(force[rows].astype(float), axis=1)
            seen = size > scale["lower"]
            self.assertTrue((abs(np.log(contacts["size"][seen] / size[seen])) <= 0.5 * np.log(step) + 1e-6).all())
            self.assertTrue((contacts["size"][~seen] <= scale["lower"] * 1.0001).all())
            away = np.linalg.norm(contacts["force"][seen] / contacts["size"][seen][:, None] - force[rows][seen] / size[seen][:, None], axis=1)
            self.assertLess(away.max(initial=0), 0.017)  # a degree

    def test_loads_and_errors_are_sums_over_contacts(self):
        with self.recording() as file:
            start, body = file["frames/contact_start"][()], file["contacts/body"][()]
            values = np.linalg.norm(file["contacts/force"][()].astype(float), axis=1), file["contacts/energy_error_J"][()]
        for value, got, scale in zip(values, (self.page.load, self.page.error), (self.page.frames["load_N"], self.page.frames["error_J"])):
            step = (scale["upper"] / scale["lower"]) ** (0.5 / 254)
            for f in (0, 10, len(start) - 2):
                rows = slice(start[f], start[f + 1])
                exact = np.zeros(self.page.bodies)
                for side in (0, 1):
                    np.add.at(exact, body[rows, side], value[rows])
                seen = exact > scale["lower"]
                self.assertTrue((abs(np.log(got[f][seen] / exact[seen])) <= np.log(step) + 1e-5).all())

    def test_steps_worst_constraints_and_joints_are_the_recordings(self):
        steps = self.page.steps()
        with self.recording() as file:
            end = file["strings/end"][()]
            text = file["strings/text"][()].tobytes()
            strings = [text[(end[k - 1] if k else 0):end[k]].decode() for k in range(len(end))]
            for name in self.page.document["steps"]["columns"]:
                exact = file[f"steps/{name}"][()]
                np.testing.assert_array_equal(steps[name], exact if name == "time" else exact.astype("f4"))
            self.assertEqual(steps["worst"], [strings[k] for k in file["steps/worst"][()]])
            worst, start = file["frames/worst"][()], file["frames/contact_start"][()]
            for f, row in enumerate(self.page.worst()):
                contact, joint = worst[f]
                self.assertEqual(row["joint"], joint)
                bodies = list(file["contacts/body"][start[f] + contact]) if contact >= 0 else [-2, -2]
                self.assertEqual([row["a"], row["b"]], bodies)
            for joint in self.page.document["joints"]:
                exact = np.concatenate([file["joints/force_joint"][:, joint].T, file["joints/torque_joint"][:, joint].T])
                np.testing.assert_array_equal(self.page.joint(joint), exact.astype("f4"))

    def test_document_says_what_the_run_was(self):
        document = self.page.document
        self.assertEqual(document["kind"], "run")
        self.assertTrue(document["finished"])
        self.assertEqual(document["recording"], "wall.h5")
        self.assertEqual(document["command"], "uptack report wall.h5")
        self.assertIsNone(document["model"]["budget_s"])
        labels = {line["label"]: line["value"] for line in document["summary"]}
        self.assertIn("x real time", labels["Steps"])
        self.assertTrue({"Step time", "Tolerance", "Worst error", "Penetration", "Joint drift"} <= set(labels))
        self.assertEqual(self.facts["bytes"], (self.folder / "wall.html").stat().st_size)
        self.assertEqual(self.facts["contacts_kept"], self.facts["contacts_found"])

    def test_page_asks_nobody_for_anything(self):
        outside = re.findall(r"""(?:src|href|action)\s*=\s*["']?(?!data:)[^"'>\s]{1,80}""", re.sub(r"<script.*?</script>", "", self.page.text, flags=re.S))
        self.assertEqual(outside, [])
        self.assertEqual(re.findall(r"@import|url\(\s*['\"]?(?!data:|#)[a-z]+:", self.page.text), [])
        self.assertEqual(re.findall(r"<script[^>]+src", self.page.text), [])

    def test_same_recording_gives_the_same_bytes(self):
        self.ok("report", "wall.h5", "-o", "again.html")
        again = (self.folder / "again.html").read_text().replace(" -o again.html", "")
        self.assertEqual(again, self.page.text)


class LimitsTest(ReportCase):
    def test_every_takes_one_of_so_many_frames(self):
        facts = self.document("report", "wall.h5", "-o", "thin.html", "--every", 3)
        page = Page(self.folder / "thin.html")
        with self.recording() as file:
            np.testing.assert_array_equal(page.times, file["frames/time"][::3])
        self.assertEqual((facts["every"], facts["frames"]), (3, len(page.times)))

    def test_weak_contacts_go_first_then_frames(self):
        whole = self.document("report", "wall.h5", "-o", "whole.html")
        page = Page(self.folder / "whole.html")
        contacts = sum(len(self.blob_text(page, name)) for name in page.blobs if name.startswith("contacts-"))
        motion = sum(len(self.blob_text(page, name)) for name in page.blobs if name.startswith("frames-"))
        fixed = whole["bytes"] - contacts - motion

        limit = fixed + motion + contacts // 2
        fewer = self.document("report", "wall.h5", "-o", "fewer.html", "--max-mb", limit / 1e6)
        self.assertEqual(fewer["frames"], whole["frames"])
        self.assertLess(fewer["contacts_kept"], fewer["contacts_found"])
        self.assertGreater(fewer["contacts_kept"], 0)
        self.assertLessEqual((self.folder / "fewer.html").stat().st_size, limit)
        self.check_strongest(page, Page(self.folder / "fewer.html"))
        said = self.ok("report", "wall.h5", "-o", "fewer.html", "--max-mb", limit / 1e6)
        self.assertRegex(said, r"strongest \d+ of \d+")

        limit = fixed + motion // 2
        thin = self.document("report", "wall.h5", "-o", "thin.html", "--max-mb", limit / 1e6)
        self.assertGreater(thin["every"], 1)
        self.assertLess(thin["frames"], whole["frames"])
        self.assertLessEqual((self.folder / "thin.html").stat().st_size, limit)
        self.assertEqual(Page(self.folder / "thin.html").frames["every"], thin["every"])

    def blob_text(self, page, name):
        return re.search(f'<script[^>]*id="blob-{name}">[^<]*</script>\n', page.text).group(0)

    def check_strongest(self, whole, fewer):
        self.assertEqual(fewer.frames["contacts"]["kept"], sum(len(c["a"]) for c in fewer.contacts))
        worst = fewer.worst()
        for f, (before, after) in enumerate(zip(whole.contacts, fewer.contacts)):
            strongest = np.sort(before["size"])[::-1][: len(after["size"])]
            # All but the worst constraint, which is always there.
            self.assertGreaterEqual(np.sort(after["size"])[::-1][:-1].sum() + 1e-9, strongest[:-1].sum() * 0.999)
            if worst[f]["a"] >= 0:
                self.assertTrue(((after["a"] == worst[f]["a"]) & (after["b"] == worst[f]["b"])).any())

    def test_what_cannot_fit_is_refused_and_the_old_page_stays(self):
        (self.folder / "old.html").write_text("old")
        self.assertIn("allow more", self.fails(6, "report", "wall.h5", "-o", "old.html", "--max-mb", 0.01))
        self.assertEqual((self.folder / "old.html").read_text(), "old")
        self.assertEqual(self.left("old.html.tmp*"), [])


class BadInputTest(ReportCase):
    def refused(self, name, pattern):
        self.assertRegex(self.fails(3, "report", name, "-o", "bad.html"), pattern)
        self.assertEqual(self.left("bad.html", "bad.html.tmp*"), [])

    def test_truncated_recordings(self):
        data = (self.folder / "wall.h5").read_bytes()
        for part in (0, 100, len(data) // 2, len(data) - 1000):
            (self.folder / "cut.h5").write_bytes(data[:part])
            self.refused("cut.h5", "cut.h5")

    def test_a_recording_damaged_inside_leaves_no_page(self):
        shutil.copy(self.folder / "wall.h5", self.folder / "hurt.h5")
        with h5py.File(self.folder / "hurt.h5", "r+") as file:
            file["contacts/body"][-1] = [0, 12345]
        self.refused("hurt.h5", "body that is not there")

    def test_recording_of_another_version(self):
        shutil.copy(self.folder / "wall.h5", self.folder / "new.h5")
        with h5py.File(self.folder / "new.h5", "r+") as file:
            file.attrs.modify("version", 99)
        self.refused("new.h5", "version 99.*newer")

    def test_other_files_name_their_verb(self):
        (self.folder / "scene.json").write_text('{"uptack": 1, "bodies": []}')
        self.refused("scene.json", "is a scene.*uptack run")
        self.refused("pendulum", "is a scene.*uptack run")
        self.ok("generate", "b3", "-o", "b3.h5")
        self.refused("b3.h5", "is a problem.*uptack compare")
        self.refused("missing.h5", "missing.h5")
        (self.folder / "text.txt").write_text("hello")
        self.refused("text.txt", "text.txt")

    def test_output_that_cannot_be_written_is_found_first(self):
        self.fails(3, "report", "wall.h5", "-o", "no/such/folder.html")
        os.mkfifo(self.folder / "pipe")
        self.fails(3, "report", "wall.h5", "-o", "pipe")
        self.fails(3, "report", "wall.h5", "-o", "other.html", "--png", "pipe")
        self.assertTrue((self.folder / "pipe").is_fifo())
        self.fails(2, "report", "wall.h5", "--at", "end")
        self.fails(2, "report", "wall.h5", "--every", 0)

    def test_a_run_that_goes_on_has_a_page(self):
        shutil.copy(self.folder / "wall.h5", self.folder / "going.h5.part")
        facts = self.document("report", "going.h5")
        self.assertEqual(facts["output"], "going.html")
        self.assertEqual(Page(self.folder / "going.html").document["recording"], "going.h5.part")

    def test_names_cannot_end_the_script(self):
        scene = {"uptack": 1, "title": HOSTILE, "ground": True,
                 "bodies": [{"name": HOSTILE, "shape": {"sphere": 0.1}, "position": [0, 0, 1]}]}
        (self.folder / "hostile.json").write_text(json.dumps(scene))
        self.ok("run", "hostile.json", "--duration", 0.1, "-o", "hostile.h5")
        self.ok("report", "hostile.h5")
        page = Page(self.folder / "hostile.html")
        self.assertEqual(page.title, HOSTILE)
        self.assertIn(HOSTILE, [body["name"] for body in page.document["model"]["bodies"]])
        self.assertNotIn("<script>alert", page.text)


class PictureTest(ReportCase):
    def test_without_chromium_it_says_what_to_install(self):
        done = run("report", "wall.h5", "--png", "x.png", folder=self.folder, env={**os.environ, "PATH": "/nowhere", "UPTACK_CHROMIUM": ""})
        self.assertEqual(done.returncode, 3)
        self.assertIn("apt install chromium", done.stderr)
        done = run("report", "wall.h5", "--png", "x.png", folder=self.folder, env={**os.environ, "UPTACK_CHROMIUM": "/nowhere/chromium"})
        self.assertIn("UPTACK_CHROMIUM", done.stderr)
        done = run("report", "wall.h5", "--png", "x.png", folder=self.folder, env={**os.environ, "UPTACK_CHROMIUM": "/bin/true"})
        self.assertEqual(done.returncode, 3)
        self.assertIn("Chromium ended", done.stderr)
        self.assertEqual(self.left("x.png", "x.png.tmp*", "wall.html"), [])

    @unittest.skipUnless(any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), "no Chromium here")
    def test_picture_shows_the_scene(self):
        said = self.document("report", "wall.h5", "--png", "scene.png", "--at", "end", "--show", "scene", "--size", "640x400", "--theme", "dark")
        self.assertEqual((said["picture"], said["output"]), ("scene.png", None))
        self.assertEqual(png_size(self.folder / "scene.png"), (640, 400))
        # A picture of one colour has a few hundred bytes.
        self.assertGreater((self.folder / "scene.png").stat().st_size, 15_000)


if __name__ == "__main__":
    unittest.main()
