"""Runs that are killed at random moments: kill_test.py PATH_TO_UPTACK

Fifty times a run is ended by SIGKILL: while it starts, writes, resumes or finishes.  Each time what is on disk must
open, hold whole steps and frames only, and these must be the first ones of a run that nobody disturbed, bit by bit.
Then it is resumed, maybe killed again, and in the end it is the undisturbed run, bit by bit but for the wall clock.
"""

import random
import signal
import subprocess
import time
import unittest

import h5py
import numpy

from recordings import SCENE, WALL_CLOCK, committed, contents
from uptack_case import UPTACK, UptackCase, run

KILLS = 50
FINISHED = 5  # runs that are brought to their end: none is killed more than KILLS / FINISHED times
ROWS = {"frames": "frames", "joints": "frames", "contacts": "contacts", "steps": "steps"}
OFTEN = ("--checkpoint-every", 0.002)  # a flush and a checkpoint nearly every step


def committed_rows(path, **how):
    """The rows that count, of every dataset that grows and is not of the wall clock."""
    with h5py.File(path, "r", **how) as file:
        numbers = committed(file)
        rows = {}
        for group, count in ROWS.items():
            for name, table in file[group].items():
                if name in WALL_CLOCK:
                    continue
                wanted = numbers[count] + (1 if name == "contact_start" else 0)
                rows[f"{group}/{name}"] = table[:wanted]
                assert len(rows[f"{group}/{name}"]) == wanted, f"{path}: {group}/{name} is shorter than committed"
        ends = file["strings/end"][: numbers["strings"]]
        rows["strings/end"] = ends
        rows["strings/text"] = file["strings/text"][: numbers["string_bytes"]]
    return numbers, rows


class Killed(UptackCase):
    WORDS = ("run", "boxes.json", "--set", "count=5", "--duration", 4, *OFTEN)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "boxes.json").write_text(SCENE)
        begin = time.monotonic()
        made = run(*cls.WORDS, "-o", "whole.h5", folder=cls.folder)
        cls.seconds = time.monotonic() - begin
        assert made.returncode == 0, made.stderr
        cls.whole = contents(cls.folder / "whole.h5")
        _, cls.rows = committed_rows(cls.folder / "whole.h5")

    def killed_after(self, seconds, words):
        """Whether the kill came before the end; none comes after None."""
        process = subprocess.Popen([UPTACK, *map(str, words)], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        _, errors = process.communicate()
        self.assertIn(process.returncode, (0, -signal.SIGKILL), errors)
        return process.returncode != 0

    def check_part(self, part):
        numbers, rows = committed_rows(part, libver="latest", swmr=True)
        for name, values in rows.items():
            self.assertEqual(values.tobytes(), self.rows[name][: len(values)].tobytes(), f"{name} of {part.name}")
        # Steps and frames belong together: no frame of a step that is not there, and no step of its own.
        steps = rows["steps/step"]
        numpy.testing.assert_array_equal(steps, numpy.arange(1, len(steps) + 1))
        if numbers["frames"] > 0:
            self.assertLessEqual(rows["frames/step"][-1], steps[-1] if len(steps) else 0)
            self.assertEqual(rows["frames/contact_start"][-1], numbers["contacts"])
        info = self.document("info", part.name)
        self.assertEqual((info["frames"], info["steps"], info["finished"]),
                         (numbers["frames"], numbers["steps"], bool(numbers["finished"])))
        return numbers["steps"]

    def test_fifty_kills_lose_nothing_that_was_committed(self):
        moments = random.Random(7)
        kills = finished = 0
        steps_found = set()
        # What an undisturbed run takes.  Machines become slower, and then kills find nothing new: they came too soon.
        # Or quicker, and then whole runs end before they are killed, and say what they take now.
        seconds = self.seconds
        for attempt in range(10 * KILLS):
            if kills >= KILLS:
                break
            kills_before = kills
            name = f"run{attempt}.h5"
            part = self.folder / (name + ".part")
            words = (*self.WORDS, "-o", name)
            while not (self.folder / name).exists():
                # What remains to be done gets shorter with every resume, and so do the runs.  But a machine that
                # has become slower since they were timed might not let one end in time.
                patience = moments.uniform(0.0, 0.9) * seconds
                whole = kills == kills_before
                begin = time.monotonic()
                if not self.killed_after(None if kills - kills_before >= KILLS // FINISHED else patience, words):
                    if whole:
                        seconds = time.monotonic() - begin
                    break
                kills += 1
                found_before = len(steps_found)
                if part.exists():
                    steps_found.add(self.check_part(part))
                if len(steps_found) == found_before:
                    seconds *= 1.1
                if part.exists():
                    words = ("run", "--resume", part.name, *OFTEN)
            self.assertTrue((self.folder / name).exists())
            self.assertFalse(part.exists())
            self.assertEqual(contents(self.folder / name), self.whole, name)
            (self.folder / name).unlink()
            finished += 1
        self.assertGreaterEqual(kills, KILLS)
        self.assertGreaterEqual(finished, FINISHED)
        self.assertGreaterEqual(len(steps_found), 10, "the kills should fall at different moments")


if __name__ == "__main__":
    unittest.main()
