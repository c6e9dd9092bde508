#!/usr/bin/env python3
"""Runs the tests of one file.

    run.py FILE          exit 77: all of them were skipped, with the reasons
"""
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "python")]

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        file = Path(sys.argv[1]).resolve()
        sys.path.insert(0, str(file.parent))
        tests = unittest.defaultTestLoader.loadTestsFromName(file.stem)
    except unittest.SkipTest as reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    result = unittest.TextTestRunner(verbosity=2).run(tests)
    if not result.wasSuccessful() or result.testsRun + len(result.skipped) == 0:
        sys.exit(1)
    whole = [test for test, _ in result.skipped if not hasattr(test, "test_case")]  # not a subtest
    if len(whole) >= result.testsRun:
        for reason in sorted({reason for _, reason in result.skipped}):
            print(f"skipped: {reason}")
        sys.exit(77)
