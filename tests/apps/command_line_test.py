"""Runs the command line as a user would: command_line_test.py PATH_TO_UPTACK"""

import csv
import math
import os
import pathlib
import re
import subprocess
import unittest

import h5py

from uptack_case import UPTACK, UptackCase, run, strict_json

SOLVE_KEYS = {
    "solver", "status", "iterations", "seconds", "energy_error_J", "relative_error", "natural_residual",
    "fischer_burmeister", "reference_energy_J", "rows", "bodies", "contacts", "worst", "tolerance_met",
}


class CommandLine(UptackCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for words in (["chain", "--size", 8, "--mass-ratio", 10], ["random", "--size", 6], ["b3", "--size", 4]):
            made = run("generate", *words, "-o", f"{words[0]}.h5", folder=cls.folder)
            assert made.returncode == 0, made.stderr

    def fails(self, code, *arguments, **more):
        """The exit code, one line on stderr, and nothing half written left; returns that line."""
        line = super().fails(code, *arguments, **more)
        self.assertEqual(list(self.folder.rglob("*.tmp*")), [])
        return line


class EveryVerb(CommandLine):
    def test_help_has_an_example(self):
        for verb in ("generate", "info", "validate", "convert", "solvers", "solve", "compare"):
            self.assertIn(f"Example:\n  uptack {verb}", self.ok(verb, "--help"))
        self.assertIn("Exit codes", self.ok("--help"))
        self.assertRegex(self.ok("--version"), r"\Auptack \d+\.\d+\.\d+\n\Z")

    def test_generate_says_what_it_made(self):
        made = self.document("generate", "chain", "--size", 5, "-o", "five.h5")
        self.assertEqual((made["problem"], made["bodies"], made["rows"]), ("chain", 5, 15))
        self.assertTrue((self.folder / "five.h5").is_file())

    def test_same_seed_gives_same_bytes(self):
        for name, seed in (("one.h5", 7), ("two.h5", 7), ("other.h5", 8)):
            self.ok("generate", "random", "--size", 6, "--seed", seed, "-o", name)
        one, two, other = ((self.folder / name).read_bytes() for name in ("one.h5", "two.h5", "other.h5"))
        self.assertEqual(one, two)
        self.assertNotEqual(one, other)

    def test_info_counts_and_measures(self):
        info = self.document("info", "b3.h5")
        self.assertEqual((info["form"], info["file_kind"], info["bodies"]), ("bodies", "uptack", 4))
        self.assertEqual(info["rows"], 3 * info["contacts"])
        self.assertEqual(sum(info["law_counts"].values()), info["blocks"])
        self.assertTrue(info["symmetric"])
        self.assertGreater(info["reference_energy_J"], 0.0)
        low, high = info["mass_range_kg"]
        self.assertTrue(0.0 < low < high)
        self.assertTrue(0.0 < info["density"] <= 1.0)
        self.assertIn("reference energy", self.ok("info", "b3.h5"))

    def test_exact_cones_are_said(self):
        self.ok("generate", "b3", "--size", 2, "--exact", "--mu", 0.25, "-o", "exact.h5")
        info = self.document("info", "exact.h5")
        self.assertEqual(info["friction_models"]["convex"], 0)
        self.assertEqual(info["mu_range"], [0.25, 0.25])

    def test_validate(self):
        self.assertIn("valid", self.ok("validate", "random.h5"))
        self.assertIs(self.document("validate", "random.h5")["valid"], True)

    def test_convert_keeps_the_problem(self):
        self.ok("convert", "chain.h5", "copy.h5")
        self.ok("convert", "b3.h5", "b3.hdf5", "--to", "fclib")
        self.assertEqual(self.document("info", "copy.h5")["rows"], self.document("info", "chain.h5")["rows"])
        fclib = self.document("info", "b3.hdf5")
        self.assertEqual((fclib["form"], fclib["file_kind"]), ("assembled", "fclib_local"))
        self.assertEqual(fclib["friction_models"]["convex"], 0)
        # The same physics: with the model put back, the error of doing nothing is the same.
        ours = self.document("solve", "b3.h5", "--solver", "psor", "--iterations", 1)
        theirs = self.document("solve", "b3.hdf5", "--law", "convex", "--solver", "psor", "--iterations", 1)
        self.assertAlmostEqual(theirs["reference_energy_J"] / ours["reference_energy_J"], 1.0, places=9)

    def test_solvers_are_listed(self):
        listed = self.document("solvers")["solvers"]
        self.assertLessEqual({"psor", "jacobi", "spg", "apgd", "nncg", "cg"}, {solver["solver"] for solver in listed})
        self.assertIn("omega", self.ok("solvers"))


class Solving(CommandLine):
    def test_json_has_every_key(self):
        document = self.document("solve", "chain.h5", "--solver", "cg")
        self.assertLessEqual(SOLVE_KEYS, document.keys())
        self.assertEqual(document["status"], "converged")
        self.assertTrue(document["tolerance_met"])
        self.assertLessEqual(document["relative_error"], 1e-6)
        self.assertIn("description", document["worst"][0])

    def test_people_get_a_summary(self):
        text = self.ok("solve", "chain.h5", "--solver", "cg")
        for words in ("Problem ", "Solver ", "converged; the certificate confirms", "energy error", "Worst blocks"):
            self.assertIn(words, text)

    def test_every_solver_lowers_the_error_and_says_so(self):
        for solver in self.document("solvers")["solvers"]:
            document = self.document("solve", "chain.h5", "--solver", solver["solver"], "--iterations", 200)
            self.assertLess(document["relative_error"], 1.0, solver["solver"])
            self.assertEqual(document["tolerance_met"], document["relative_error"] <= 1e-6)

    def test_the_solver_is_auto_unless_said_otherwise(self):
        document = self.document("solve", "chain.h5", "--tolerance", 1e-6)
        self.assertEqual(document["solver"], "auto")
        self.assertLessEqual(document["relative_error"], 1e-6)

    def test_tolerance_in_joules(self):
        document = self.document("solve", "chain.h5", "--solver", "cg", "--tolerance-J", 1e-12)
        self.assertEqual(document["tolerance_unit"], "J")
        self.assertLessEqual(document["energy_error_J"], 1e-12)

    def test_estimate_says_what_the_residual_hides(self):
        flattering = self.document("solve", "chain.h5", "--solver", "psor", "--iterations", 3, "--estimate")
        self.assertGreater(flattering["missing_energy_estimate_J"], 0.0)
        solved = self.document("solve", "chain.h5", "--solver", "newton", "--tolerance", "1e-12", "--estimate")
        self.assertLess(solved["missing_energy_estimate_J"], 1e-12 * flattering["missing_energy_estimate_J"])
        self.assertNotIn("missing_energy_estimate_J", self.document("solve", "chain.h5", "--solver", "psor"))

    def test_warm_start_needs_fewer_iterations(self):
        words = ("solve", "b3.h5", "--solver", "apgd", "--tolerance", 1e-5)
        cold = self.document(*words, "--save-solution", "b3.solution.h5")
        self.assertEqual(cold["status"], "converged")
        warm = self.document(*words, "--warm", "b3.solution.h5")
        self.assertEqual(warm["status"], "converged")
        self.assertLess(warm["iterations"], cold["iterations"] / 2)

    def test_history_is_a_table_of_a_falling_error(self):
        document = self.document("solve", "chain.h5", "--solver", "cg", "--history", "history.csv")
        with open(self.folder / "history.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0]), ["iteration", "seconds", "energy_error_J", "relative_error"])
        for key in ("iteration", "seconds"):
            values = [float(row[key]) for row in rows]
            self.assertEqual(values, sorted(values))
        errors = [float(row["relative_error"]) for row in rows]
        self.assertLess(min(errors), 1e-3 * errors[0])
        self.assertLessEqual(document["relative_error"], 1.001 * min(errors))

    def test_budget_is_kept(self):
        document = self.document("solve", "b3.h5", "--solver", "psor", "--tolerance", 0, "--budget-ms", 50,
                                 "--iterations", 10**12)
        self.assertIn(document["status"], ("budget_spent", "stalled"))
        self.assertLess(document["seconds"], 0.5)

    def test_settings_and_law_and_threads_are_taken(self):
        words = ("solve", "b3.h5", "--solver", "psor", "--iterations", 50, "--threads", 1)
        default = self.document(*words)
        slow = self.document(*words, "--set", "omega=0.5", "--set", "symmetric=true")
        self.assertNotEqual(default["energy_error_J"], slow["energy_error_J"])
        exact = self.document(*words, "--law", "exact")
        self.assertIn("exact friction cone", exact["law_counts"])

    def test_threads_do_not_change_the_result(self):
        words = ("solve", "b3.h5", "--solver", "apgd", "--iterations", 100)
        one, two = (self.document(*words, "--threads", count) for count in (1, 2))
        self.assertEqual(one["energy_error_J"], two["energy_error_J"])


class WrongUse(CommandLine):
    def test_unknown_words(self):
        self.assertIn("psor", self.fails(2, "solve", "chain.h5", "--solver", "nope"))
        self.assertIn("omega", self.fails(2, "solve", "chain.h5", "--solver", "psor", "--set", "speed=1"))
        self.assertIn("b2-friction", self.fails(2, "generate", "nope", "-o", "nope.h5"))
        self.fails(2)
        self.fails(2, "nope")
        self.fails(2, "solve")
        self.fails(2, "solve", "chain.h5", "--solver", "psor", "--nope")
        self.fails(2, "compare", "chain.h5", "--solvers", "psor,nope")
        self.fails(2, "compare", "chain.h5", "--solvers", "psor:omega")
        self.assertFalse((self.folder / "nope.h5").exists())

    def test_bad_values(self):
        for words in (["--tolerance", "nan"], ["--tolerance", "inf"], ["--tolerance", "-1"], ["--tolerance", "fast"],
                      ["--tolerance-J", "nan"], ["--tolerance", "1e-3", "--tolerance-J", "1"], ["--budget-ms", "-1"],
                      ["--budget-ms", "0"], ["--iterations", "0"], ["--iterations", "1.5"], ["--threads", "0"],
                      ["--law", "magic"], ["--set", "omega"], ["--set", "omega=x"], ["--set", "omega=7"],
                      ["--set", "omega=nan"]):
            with self.subTest(words):
                self.fails(2, "solve", "chain.h5", "--solver", "psor", *words)
        for words in (["--size", "-3"], ["--seed", "-1"], ["--mu", "-0.1"], ["--mass-ratio", "nan"]):
            with self.subTest(words):
                self.fails(2, "generate", "b3", "-o", "bad.h5", *words)
        for words in (["--seconds", "0"], ["--seconds", "nan"], ["--tolerance", "nan"]):
            with self.subTest(words):
                self.fails(2, "compare", "chain.h5", *words)

    def test_with_json_an_error_is_a_document_too(self):
        for code, *words in ((2,), (2, "nope"), (2, "solve"), (2, "solve", "chain.h5", "--nope"),
                             (2, "solve", "chain.h5", "--tolerance", "nan"), (2, "solve", "chain.h5", "--warm="),
                             (2, "solve", "chain.h5", "--solver", "nope"), (3, "info", "none.h5"),
                             (3, "info", "no\x1bne.h5"), (6, "generate", "chain", "--size", 10**15, "-o", "huge.h5")):
            with self.subTest(words):
                line = self.fails(code, *words, "--json")
                (error,) = strict_json(run(*words, "--json", folder=self.folder).stdout).values()
                self.assertEqual(error["exit_code"], code)
                self.assertEqual(error["message"].replace("\x1b", "\\x1b"), line.removeprefix("uptack: ").rstrip("\n"))
        self.assertEqual(run("info", "--", "--json", folder=self.folder).stdout, "")  # the name of a file

    def test_an_empty_value_is_not_the_word_after_it(self):
        for words in (["--tolerance=", "--budget-ms", "1"], ["--solver=", "psor"], ["--json="], ["--warm="]):
            with self.subTest(words):
                option = words[0].rstrip("=")
                self.assertIn(f"{option}: is empty; give it a value", self.fails(2, "solve", "chain.h5", *words))
        self.assertIn("no such file", self.fails(3, "info", "--", "--warm="))  # the name of a file

    def test_size_beyond_the_limit(self):
        self.fails(6, "generate", "chain", "--size", 10**15, "-o", "huge.h5")
        self.assertFalse((self.folder / "huge.h5").exists())

    def test_unsuitable_solver_says_why(self):
        self.assertIn("bilateral", self.fails(3, "solve", "b3.h5", "--solver", "cg"))
        done = run("solve", "b3.h5", "--solver", "cg", "--json", folder=self.folder)
        self.assertEqual(strict_json(done.stdout)["status"], "unsuitable")

    def test_required_tolerance_not_met(self):
        words = ("solve", "b3.h5", "--solver", "jacobi", "--iterations", 2, "--json")
        self.fails(4, *words, "--require")
        self.assertEqual(run(*words, folder=self.folder).returncode, 0)


class BadInput(CommandLine):
    def test_missing_file(self):
        for words in (["info", "none.h5"], ["validate", "none.h5"], ["convert", "none.h5", "out.h5"],
                      ["solve", "none.h5", "--solver", "psor"], ["compare", "chain.h5", "none.h5", "-o", "out.html"],
                      ["solve", "chain.h5", "--solver", "psor", "--warm", "none.h5"]):
            with self.subTest(words):
                self.assertIn("none.h5", self.fails(3, *words))
        self.assertFalse((self.folder / "out.h5").exists() or (self.folder / "out.html").exists())

    def test_truncated_and_foreign_files(self):
        whole = (self.folder / "random.h5").read_bytes()
        foreign = {"half.h5": whole[: len(whole) // 2], "short.h5": whole[:100], "empty.h5": b"",
                   "text.h5": b"hello\n", "noise.h5": bytes(range(256)) * 8, "nan.dat": b"1\n0 1 1 1 1\nnan\n-1\n"}
        for name, content in foreign.items():
            with self.subTest(name):
                (self.folder / name).write_bytes(content)
                self.assertIn(name, self.fails(3, "info", name))
                done = run("validate", name, "--json", folder=self.folder)
                self.assertEqual(done.returncode, 3)
                self.assertIs(strict_json(done.stdout)["valid"], False)

    def test_energies_that_overflow_are_named(self):
        (self.folder / "far.dat").write_text("2\n0\n2 2\n2 2\n2 1\n1 2\n-1e300 -1e300\n")
        solvers = [entry["solver"] for entry in self.document("solvers")["solvers"]]
        for solver in ("auto", "psor", "newton", "simplex"):
            self.assertIn("energy of zero impulses is not finite", self.fails(5, "solve", "far.dat", "--solver", solver))
        done = run("compare", "far.dat", "--seconds", 0.05, "--json", folder=self.folder)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("far.dat: the energy of zero impulses is not finite", done.stderr)
        self.assertEqual([one["solver"] for one in strict_json(done.stdout)["runs"]], solvers)

    def test_warm_start_of_another_problem(self):
        self.ok("solve", "chain.h5", "--solver", "psor", "--iterations", 1, "--save-solution", "chain.solution.h5")
        self.assertIn("rows", self.fails(3, "solve", "b3.h5", "--solver", "psor", "--warm", "chain.solution.h5"))

    def test_a_warm_start_that_is_not_finite_names_its_row(self):
        for value, word in ((math.nan, "nan"), (math.inf, "inf")):
            self.ok("solve", "chain.h5", "--save-solution", "odd.h5")
            with h5py.File(self.folder / "odd.h5", "r+") as file:
                file["uptack_solution/impulse"][4] = value
            self.assertIn(f"odd.h5:/uptack_solution/impulse: row 4 is {word}",
                          self.fails(3, "solve", "chain.h5", "--warm", "odd.h5"))

    def test_unwritable_output_is_found_before_the_work(self):
        (self.folder / "folder.out").mkdir(exist_ok=True)
        os.mkfifo(self.folder / "pipe.out")
        for place in ("nowhere/out", "folder.out", "pipe.out"):
            for words in (["generate", "chain", "-o", place], ["convert", "chain.h5", place],
                          ["solve", "b3.h5", "--solver", "psor", "--iterations", 10**9, "--history", place],
                          ["solve", "b3.h5", "--solver", "psor", "--iterations", 10**9, "--save-solution", place],
                          ["compare", "b3.h5", "--seconds", 1000, "-o", place]):
                with self.subTest(words):
                    self.assertIn(place, self.fails(3, *words))
        self.assertEqual(list((self.folder / "folder.out").iterdir()), [])
        self.assertTrue((self.folder / "pipe.out").is_fifo())

    def test_a_full_disk_is_not_success(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full here")
        with open("/dev/full", "w") as full:
            done = subprocess.run([UPTACK, "solvers", "--json"], stdout=full, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(done.returncode, 3)


class Comparing(CommandLine):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        done = run("compare", "chain.h5", "random.h5", "b3.h5", "--seconds", 0.1, "--solvers",
                   "psor,apgd,cg,psor:omega=0.8", "-o", "report.html", "--json", folder=cls.folder)
        assert done.returncode == 0, done.stderr
        cls.report = strict_json(done.stdout)
        cls.page = (cls.folder / "report.html").read_text(encoding="ascii")

    def test_every_solver_met_every_problem(self):
        self.assertEqual([problem["name"] for problem in self.report["problems"]], ["chain", "random", "b3"])
        self.assertEqual(self.report["solvers"], ["psor", "apgd", "cg", "psor:omega=0.8"])
        pairs = [(run["problem"], run["solver"]) for run in self.report["runs"]]
        self.assertEqual(pairs, [(k, solver) for k in range(3) for solver in self.report["solvers"]])

    def test_runs_are_certified_and_drawn(self):
        for run_ in self.report["runs"]:
            if run_["status"] == "unsuitable":
                self.assertEqual((run_["solver"], bool(run_["reason"])), ("cg", True))
                continue
            self.assertLess(run_["relative_error"], 1.0)
            self.assertLess(run_["seconds"], 1.0)
            errors = run_["history"]["relative_error"]
            self.assertEqual(errors, sorted(errors, reverse=True))
            self.assertEqual(len(errors), len(run_["history"]["seconds"]))
            for level, seconds in zip(self.report["accuracy_levels"], run_["seconds_to_level"]):
                if seconds is not None:
                    self.assertLessEqual(run_["relative_error"], 1.01 * level)

    def test_the_page_holds_the_data_and_needs_no_other_file(self):
        text = re.search(r'<script type="application/json" id="document">(.*?)</script>', self.page, re.S).group(1)
        held = strict_json(text)
        self.assertEqual(held["kind"], "comparison")
        self.assertEqual(held["runs"], self.report["runs"])
        self.assertEqual(held["problems"], self.report["problems"])
        self.assertIn("uptack compare chain.h5 random.h5 b3.h5 --solvers psor,apgd,cg,psor:omega=0.8", held["command"])
        self.assertNotRegex(self.page, r"<(script|link|img|iframe|object|embed)\b[^>]*\b(src|href|data)\s*=\s*[\"'](?!data:)")
        self.assertNotRegex(self.page, r"@import|url\(\s*[\"']?(?!data:|#)https?:")
        self.assertRegex(self.page, r"Content-Security-Policy[^>]*default-src 'none'")  # the browser holds it to that
        self.assertNotIn("UPTACK_DATA", self.page)

    def test_table_for_people(self):
        text = self.ok("compare", "b3.h5", "--seconds", 0.02)
        for words in ("b3:", "psor", "apgd", "unsuitable", "1e-8", "rel. error"):
            self.assertIn(words, text)

    def test_names_cannot_break_the_page(self):
        hostile = self.folder / "<script>alert(1)</script>".replace("/", "_")
        hostile.write_bytes((self.folder / "chain.h5").read_bytes())
        self.ok("compare", hostile.name, "chain.h5", "--seconds", 0.01, "--solvers", "cg", "-o", "hostile.html")
        self.assertNotIn("<script>alert", (self.folder / "hostile.html").read_text())


if __name__ == "__main__":
    del CommandLine  # holds no tests of its own
    unittest.main()
