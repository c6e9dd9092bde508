"""bench/compare.py on results that are made up: verdicts, exit codes, the baseline, and the document."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import compare  # noqa: E402
from figures_page import END, START  # noqa: E402
from process_results import CASES, measured, read  # noqa: E402

LIMIT = 1.15
DESCRIBED = read(CASES)
CASE = {"reference": "other", "floor": "least", "what": "a case"}
SMALL = {"cases": {"one": CASE, "two": CASE}, "references": {"other": {"what": "a program"}}, "floors": {"least": {}}}


def results(times_ms, cpu="CPU A", peak=100.0, errors=None, cpu_ms=None):
    """Google Benchmark's JSON: processes for each name, and an aggregate, which must not count."""
    entries = []
    for name, times in times_ms.items():
        for time in times:
            entries.append({"run_name": f"{name}/iterations:1", "run_type": "iteration", "real_time": time,
                            "cpu_s": (cpu_ms or {}).get(name, time) / 1e3, "peak_MB": peak})
        entries.append({"run_name": f"{name}/iterations:1", "run_type": "aggregate", "real_time": 1e9})
    for name, message in (errors or {}).items():
        entries.append({"run_name": f"{name}/iterations:1", "run_type": "iteration", "error_occurred": True,
                        "error_message": message, "real_time": 0.0})
    return {"context": {"cpu": cpu, "num_cpus": 2, "date": "2030-01-02T03:04:05"}, "benchmarks": entries}


def small(case_ms, reference_ms=(100, 100, 100), **options):
    times = {"case/one": case_ms, "reference/other": reference_ms}
    if reference_ms is None:
        del times["reference/other"]
    return measured(results(times, **options), SMALL)


def verdict(now, then):
    (row,) = compare.compare(now, then, LIMIT)
    return row[-1]


class Figures(unittest.TestCase):
    def test_median_spread_and_ratio(self):
        row = small([8, 10, 9, 11, 100], [200, 200, 200])["cases"]["one"]
        self.assertAlmostEqual(row["time_s"], 0.010)
        self.assertAlmostEqual(row["spread"], 0.1)  # quartiles 9 and 11
        self.assertAlmostEqual(row["ratio"], 0.05)
        self.assertEqual(row["processes"], 5)


class Verdicts(unittest.TestCase):
    then = small([10, 10, 10])

    def test_equal(self):
        self.assertEqual(verdict(small([10, 10, 10]), self.then), "same")

    def test_slower(self):
        self.assertEqual(verdict(small([12, 12, 12]), self.then), "slower")

    def test_below_the_limit(self):
        self.assertEqual(verdict(small([11.4, 11.4, 11.4]), self.then), "same")

    def test_faster(self):
        self.assertEqual(verdict(small([8, 8, 8]), self.then), "faster")

    def test_slower_within_the_spread(self):
        # The median is 12; quartiles 9 and 15 are a spread of 25 %.
        self.assertEqual(verdict(small([6, 9, 12, 15, 18]), self.then), "same")
        self.assertEqual(verdict(small([12, 12, 12]), small([4, 7, 10, 13, 16])), "same")

    def test_spread_of_the_reference_counts(self):
        # Processor times grew by 20 % in both, without a spread in one of them.
        for steady in ({"case/one": 12, "reference/other": 100}, None):
            now = small([12, 12, 12], [60, 80, 100, 120, 140], cpu="CPU B", cpu_ms=steady)
            self.assertEqual(verdict(now, self.then), "same")

    def test_slower_machine(self):
        now = small([20, 20, 20], [200, 200, 200], cpu="CPU B")
        self.assertEqual(verdict(now, self.then), "same")

    def test_slower_on_another_machine(self):
        now = small([10, 10, 10], [50, 50, 50], cpu="CPU B")
        self.assertEqual(verdict(now, self.then), "slower")

    def test_same_machine_and_a_faster_reference(self):
        self.assertEqual(verdict(small([10, 10, 10], [50, 50, 50]), self.then), "same")

    def test_same_machine_that_was_disturbed(self):
        self.assertEqual(verdict(small([20, 20, 20], [200, 200, 200]), self.then), "same")

    def test_neighbours_that_disturbed_the_case_only(self):
        elsewhere = small([20, 20, 20], cpu="CPU B", cpu_ms={"case/one": 10})
        self.assertEqual(verdict(elsewhere, self.then), "same")
        self.assertEqual(verdict(small([20, 20, 20], cpu_ms={"case/one": 10}), self.then), "same")

    def test_more_memory(self):
        self.assertEqual(verdict(small([10, 10, 10], peak=120.0), self.then), "more memory")
        self.assertEqual(verdict(small([10, 10, 10], peak=114.0), self.then), "same")

    def test_new_case(self):
        now = measured(results({"case/one": [10], "case/two": [10], "reference/other": [10]}), SMALL)
        self.assertEqual([row[-1] for row in compare.compare(now, self.then, LIMIT)], ["same", "new"])

    def test_missing_case(self):
        now = measured(results({"reference/other": [100]}), SMALL)
        self.assertTrue(verdict(now, self.then).startswith("missing"))

    def test_failed_case(self):
        now = measured(results({"reference/other": [100]}, errors={"case/one": "died"}), SMALL)
        self.assertEqual(verdict(now, self.then), "failed: died")

    def test_reference_that_is_not_there(self):
        errors = {"reference/other": "did not run; it needs python3-other"}
        elsewhere = small([90, 90, 90], None, cpu="CPU B", errors=errors)
        self.assertEqual(verdict(elsewhere, self.then), "not compared: other did not run; it needs python3-other")
        self.assertEqual(verdict(small([12, 12, 12], None, errors=errors), self.then), "slower")

    def test_another_reference(self):
        then = json.loads(json.dumps(self.then))
        then["cases"]["one"]["reference"] = "former"
        self.assertEqual(verdict(small([90, 90, 90], cpu="CPU B"), then),
                         "not compared: the baseline is compared with former")


class Files(unittest.TestCase):
    """The program from its arguments to its exit code, with all cases of bench/cases.json."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.baseline, self.page = self.folder / "baseline.json", self.folder / "page.md"
        self.page.write_text(f"# Head\n\n{START}\n{END}\n\nEnd.\n", encoding="utf-8")

    def write(self, name, slow=()):
        times = {f"{kind}/{each}": [20 if each in slow else 10] * 3
                 for kind in ("case", "reference", "floor") for each in DESCRIBED[kind + "s"]}
        path = self.folder / name
        path.write_text(json.dumps(results(times)), encoding="utf-8")
        return path

    def run_quietly(self, function, *paths):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = function(*map(str, paths))
        return status, out.getvalue()

    def test_update_then_compare(self):
        self.run_quietly(compare.update, self.baseline, self.write("then"), self.page)
        compare.check_page(self.baseline, self.page)
        status, table = self.run_quietly(compare.print_comparison, self.baseline, self.write("now"))
        self.assertEqual(status, 0)
        for name in DESCRIBED["cases"]:
            self.assertRegex(table, rf"(?m)^{name} .* same$")
        status, table = self.run_quietly(compare.print_comparison, self.baseline, self.write("slow", slow=["onnx"]))
        self.assertEqual(status, 1)
        self.assertRegex(table, r"(?m)^onnx .* 2\.00x +slower$")

    def test_exit_code_of_what_was_not_measured(self):
        self.run_quietly(compare.update, self.baseline, self.write("then"))
        part = json.loads(self.write("part").read_text(encoding="utf-8"))
        part["benchmarks"] = [each for each in part["benchmarks"] if not each["run_name"].startswith("case/onnx/")]
        (self.folder / "part").write_text(json.dumps(part), encoding="utf-8")
        status, table = self.run_quietly(compare.print_comparison, self.baseline, self.folder / "part")
        self.assertEqual(status, 1)
        self.assertRegex(table, r"(?m)^onnx .* missing: it was not measured$")

    def test_page_with_other_figures(self):
        self.run_quietly(compare.update, self.baseline, self.write("then"), self.page)
        self.page.write_text(self.page.read_text(encoding="utf-8").replace("10 ms", "9 ms", 1), encoding="utf-8")
        with self.assertRaises(SystemExit):
            compare.check_page(self.baseline, self.page)

    def test_no_baseline_of_a_part(self):
        path = self.folder / "part"
        path.write_text(json.dumps(results({"case/start": [10]})), encoding="utf-8")
        with self.assertRaises(SystemExit):
            compare.update(self.baseline, path)
        self.assertFalse(self.baseline.exists())


class Kept(unittest.TestCase):
    def test_every_case_is_in_the_baseline(self):
        baseline = read(ROOT / "bench/baseline.json")
        self.assertEqual(list(baseline["cases"]), list(DESCRIBED["cases"]))
        for name, row in baseline["cases"].items():
            self.assertIn("ratio", row, name)
            self.assertIn("cpu_ratio", row, name)
            self.assertEqual(row["reference"], DESCRIBED["cases"][name]["reference"])

    def test_document(self):
        compare.check_page(ROOT / "bench/baseline.json", ROOT / "docs/benchmarks.md")


if __name__ == "__main__":
    unittest.main()
