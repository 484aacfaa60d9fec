"""Executes the documentation: commands_test.py PATH_TO_UPTACK

Every line of every ```sh block in README.md and docs/**/*.md is run, file by file (README.md first, then by name) and
from top to bottom, in one temporary folder per file with the folder of PATH_TO_UPTACK first on PATH.  A line must end
with exit code 0, or with the code its comment promises:

    uptack solve b3.h5 --solver psor --require   # exit 4
    ./dev test                                   # not run by tests

A line that ends in a backslash goes on in the next one.  Beside the commands, links to files of the repository must
lead somewhere, and C++ shown in README.md must stand in an example word for word.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
UPTACK = pathlib.Path()  # set from the first argument
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
SKIP = "# not run by tests"


def fenced(text, language):
    """(line number, content) of each block fenced with ```language."""
    for match in re.finditer(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield text.count("\n", 0, match.start()) + 2, match.group(1)


def commands(page):
    """(line number, command, promised exit code) of every command that is to be run."""
    for first_line, block in fenced(page.read_text(), "sh"):
        parts, start = [], first_line
        for number, line in enumerate(block.splitlines(), first_line):
            if not parts:
                start = number
            if line.endswith("\\"):
                parts.append(line[:-1])
                continue
            command, parts = "".join(parts) + line, []
            if not command.strip() or command.lstrip().startswith("#") or command.rstrip().endswith(SKIP):
                continue
            promise = re.search(r"# exit (\d+)\s*$", command)
            yield start, command, int(promise.group(1)) if promise else 0


class Documentation(unittest.TestCase):
    def test_every_command_ends_as_promised(self):
        environment = dict(os.environ, PATH=f"{UPTACK.parent}{os.pathsep}{os.environ['PATH']}")
        count = 0
        for page in PAGES:
            with tempfile.TemporaryDirectory() as folder:
                for line, command, promised in commands(page):
                    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env=environment,
                                          capture_output=True, text=True, timeout=60)
                    with self.subTest(page=page.name, line=line, command=command):
                        self.assertEqual(done.returncode, promised, done.stdout + done.stderr)
                    count += 1
        self.assertGreater(count, 10, "the documentation has lost its commands")

    def test_links_lead_somewhere(self):
        for page in [*PAGES, *sorted(ROOT.glob("src/*/README.md")), *sorted(ROOT.glob("apps/*/README.md"))]:
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text()):
                if "://" in target:
                    continue
                with self.subTest(page=page.name, target=target):
                    self.assertTrue((page.parent / target).exists(), "no such file")

    def test_code_in_the_readme_is_an_examples_own(self):
        examples = [file.read_text() for file in (ROOT / "examples").glob("*.cpp")]
        for line, code in fenced((ROOT / "README.md").read_text(), "cpp"):
            with self.subTest(line=line):
                self.assertTrue(any(code in example for example in examples), "differs from every file in examples/")


if __name__ == "__main__":
    UPTACK = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
