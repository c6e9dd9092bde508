"""The pytest plugin, in a separate pytest."""
import importlib.util
import json
import os
import subprocess
import sys
import unittest

from rooflab import Error
from rooflab.baseline import BaselineFile, differences
from surroundings import CHECKOUT, Environment

HAS_PYTEST = importlib.util.find_spec("pytest") is not None

TESTS = """
def test_counts(rooflab):
    result = rooflab.summary("resnet18")
    assert result.matrix_flops == 3_628_146_688
    assert result.peak_memory_bytes < 2**30
    rooflab.check_baseline(result, "resnet18")

def test_fits(rooflab):
    assert rooflab.predict("resnet18", device="t4", batch=8).fits
"""


@unittest.skipUnless(HAS_PYTEST, "this Python has no pytest (apt-get install python3-pytest)")
class Plugin(Environment):
    def setUp(self):
        super().setUp()
        (self.folder / "test_cost.py").write_text(TESTS)
        self.baseline = self.folder / "rooflab_baseline.json"

    def run_tests(self, *flags):
        """Exit code and output of a separate pytest."""
        done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
                               "-p", "rooflab.pytest_plugin", "--rootdir", str(self.folder), *flags,
                               str(self.folder)],
                              capture_output=True, encoding="utf-8", check=False,
                              env={**os.environ, "PYTHONPATH": str(CHECKOUT / "python")})
        return done.returncode, done.stdout

    def test_a_baseline_is_written_and_compared(self):
        code, output = self.run_tests()
        self.assertEqual(code, 1)
        self.assertIn("1 failed, 1 passed", output)
        self.assertIn("has no 'resnet18': pytest --rooflab-update writes it", output)
        code, output = self.run_tests("--rooflab-update")
        self.assertEqual(code, 0, output)
        self.assertIn("2 passed", output)
        written = json.loads(self.baseline.read_text())
        self.assertEqual(written["resnet18"]["parameters"], 11_689_512)
        self.assertEqual(self.run_tests()[0], 0)

    def test_what_changed_is_said(self):
        self.run_tests("--rooflab-update")
        entries = json.loads(self.baseline.read_text())
        entries["resnet18"]["parameters"] = 10_000_000
        self.baseline.write_text(json.dumps(entries))
        code, output = self.run_tests()
        self.assertEqual(code, 1)
        self.assertIn("parameters: before 10,000,000, now 11,689,512 (+16.90%)", output)
        self.assertNotIn("macs:", output)

    def test_another_file(self):
        other = self.folder / "other.json"
        self.run_tests("--rooflab-update", "--rooflab-baseline", str(other))
        self.assertTrue(other.is_file() and not self.baseline.exists())


class Baselines(Environment):
    def test_differences(self):
        before = {"flops": 100, "bytes": 50, "gone": 3, "unknown": None}
        self.assertEqual(differences(before, {"flops": 100, "bytes": 50, "gone": 3, "new": 1}), [])
        self.assertEqual(differences(before, {"flops": 104, "bytes": 49}, 0.03),
                         ["flops: before 100, now 104 (+4.00%)", "gone: before 3, now not known"])
        self.assertEqual(differences({"a": 0}, {"a": 5}), ["a: before 0, now 5 (from 0)"])

    def test_other_entries_stay(self):
        file = BaselineFile(self.folder / "x.json")
        file.update("a", {"flops": 1})
        file.update("b", {"flops": 2})
        file.update("a", {"flops": 3})
        self.assertEqual(file.read(), {"a": {"flops": 3}, "b": {"flops": 2}})
        self.assertEqual([path.name for path in self.folder.iterdir()], ["x.json"])

    def test_damaged_files(self):
        path = self.folder / "x.json"
        for text, words in (("{", "not JSON"), ("[1]", "not a base"), ('{"a": 1}', "not a base")):
            path.write_text(text)
            with self.subTest(text), self.assertRaisesRegex(Error, words):
                BaselineFile(path).read()


if __name__ == "__main__":
    unittest.main()
