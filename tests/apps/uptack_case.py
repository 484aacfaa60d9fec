"""What tests of the command line share: run the program as a user would, in a folder of its own."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

if len(sys.argv) < 2:
    sys.exit(f"usage: {sys.argv[0]} PATH_TO_UPTACK")
UPTACK = os.path.abspath(sys.argv.pop(1))


def run(*arguments, folder, **more):
    return subprocess.run([UPTACK, *map(str, arguments)], cwd=folder, capture_output=True, text=True, timeout=120, **more)


def strict_json(text):
    """One document; NaN and Infinity, which Python would accept, are refused."""

    def refuse(name):
        raise ValueError(f"{name} is not JSON")

    return json.loads(text, parse_constant=refuse)


class UptackCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.holder.name)

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def ok(self, *arguments):
        done = run(*arguments, folder=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        return done.stdout

    def document(self, *arguments):
        return strict_json(self.ok(*arguments, "--json"))

    def fails(self, code, *arguments, **more):
        """The exit code and one line on stderr without control characters, which is returned."""
        done = run(*arguments, folder=self.folder, **more)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertRegex(done.stderr, r"\Auptack: [^\x00-\x1f\x7f-\x9f]+\n\Z")
        return done.stderr
