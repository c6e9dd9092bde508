"""tools/gpu/generation.py: its table of cases, and that it goes on where it was stopped."""
import contextlib
import importlib
import io
import itertools
import json
import os
import sys
import tarfile
import time
import types
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from surroundings import CHECKOUT, torch_or_skip

torch = torch_or_skip()

HERE = Path(__file__).resolve().parent
CONFIGS = HERE / "programs" / "configs"


def tool(name):
    with mock.patch.object(sys, "path", [str(CHECKOUT / "tools" / "gpu"), *sys.path]):
        return importlib.import_module(name)


class Cases(unittest.TestCase):
    def setUp(self):
        self.cases = tool("generation_cases").CASES

    def test_names_are_names_of_files_and_differ(self):
        names = [case.name for case in self.cases]
        self.assertEqual(len(set(names)), len(names))
        for name in names:
            self.assertRegex(name, r"^[a-z0-9.-]+$")
            self.assertFalse(name.endswith("-graph"))  # the name of a separate row

    def test_a_model_is_built_once(self):
        groups = [group for group, _ in itertools.groupby(case.group for case in self.cases)]
        self.assertEqual(len(set(groups)), len(groups))

    def test_sizes_belong_to_the_phase(self):
        for case in self.cases:
            with self.subTest(case.name):
                config = json.loads((CONFIGS / f"{case.model}.json").read_text())
                paired = config["model_type"] in ("t5", "whisper")
                self.assertIn(case.phase, ("prefill", "decode", "inference"))
                self.assertEqual(case.context is not None, case.phase == "decode")
                self.assertEqual(case.cache is not None, case.phase != "inference")
                if case.phase == "prefill" and not paired:
                    self.assertIsNotNone(case.tokens)
                most = config.get("n_positions") or config.get("max_position_embeddings")
                if most and config["model_type"] != "t5":
                    self.assertLess((case.context or 0) + 64, most + 1)  # with a cache's room
                    self.assertLessEqual(case.tokens or 0, most)

    def test_the_cases_span_what_is_asked_for(self):
        def spans(phase, size):
            chosen = [case for case in self.cases if case.phase == phase
                      and getattr(case, size) is not None]
            return [(min(getattr(case, each) for case in chosen),
                     max(getattr(case, each) for case in chosen)) for each in (size, "batch")]

        self.assertEqual(spans("prefill", "tokens"), [(128, 8192), (1, 8)])
        (least, most), batches = spans("decode", "context")
        self.assertEqual((least <= 512, most, batches), (True, 16384, (1, 64)))
        self.assertEqual({case.cache for case in self.cases if case.phase == "decode"},
                         {"dynamic", "static"})


class Runs(unittest.TestCase):
    """Three cases of two groups, whose program is our own `dlrm`, on the CPU."""

    def setUp(self):
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name) / "out"
        self.tool = tool("generation")
        case = self.tool.Case
        self.cases = tuple(case("gpt2", dtype, None, "decode", batch, context=24, cache="dynamic")
                           for dtype, batch in (("bfloat16", 1), ("bfloat16", 2), ("float32", 1)))
        self.broken = self.slow = None
        for owner, name, value in ((self.tool, "CASES", self.cases),
                                   (self.tool.Bench, "program", lambda _, case: self.program(case))):
            patch = mock.patch.object(owner, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        if "transformers" not in sys.modules:
            sys.modules["transformers"] = types.ModuleType("transformers")
            self.addCleanup(sys.modules.pop, "transformers")

    def program(self, case):
        from programs import all_programs
        if case.name == self.broken:
            raise ValueError("broken")
        if case.name == self.slow:
            time.sleep(60)
        return all_programs()["dlrm"](batch=2)

    def run_tool(self, *options):
        words = ["generation.py", str(self.out), "--device", "cpu", "--scale", "small", *options]
        printed = io.StringIO()
        paths = [str(CHECKOUT / "tools" / "gpu"), *sys.path]
        with mock.patch.object(sys, "argv", words), mock.patch.object(sys, "path", paths), \
                contextlib.redirect_stdout(printed), mock.patch.dict(os.environ):
            code = self.tool.main()
        return code, printed.getvalue()

    def rows(self):
        return [json.loads(line) for line in (self.out / "measured.jsonl").open()]

    def test_a_row_and_a_recording_for_each_case(self):
        code, printed = self.run_tool()
        names = [case.name for case in self.cases]
        self.assertEqual((code, [row["name"] for row in self.rows()]), (0, names), printed)
        for row, case in zip(self.rows(), self.cases):
            self.assertEqual((row["error"], row["model"], row["dtype"], row["phase"],
                              row["context"], row["issued_by"], row["recording"]),
                             (None, "gpt2", case.dtype, "decode", 24, "pytorch", case.name))
            self.assertGreater(row["recorded_ops"], 10)
        with tarfile.open(self.out / "recordings.tar") as archive:
            self.assertEqual(archive.getnames(), [f"{name}.rec.jsonl.gz" for name in names])

    def test_what_is_done_is_not_done_again(self):
        first, second, third = (case.name for case in self.cases)
        self.run_tool("--only", second)
        code, printed = self.run_tool()
        self.assertIn("2 cases to run, 1 are in", printed)
        self.assertEqual((code, [row["name"] for row in self.rows()]), (0, [second, first, third]))

    def test_a_case_that_fails_stops_no_other(self):
        self.broken = self.cases[0].name
        code, _ = self.run_tool()
        self.assertEqual((code, [row["error"] for row in self.rows()]),
                         (1, ["build: ValueError: broken", None, None]))
        self.assertIn(f"==== {self.broken}: build", (self.out / "errors.txt").read_text())
        self.broken = None
        self.assertIn("0 cases to run", self.run_tool()[1])  # not by itself
        code, printed = self.run_tool("--again")
        self.assertIn("1 cases to run, 2 are in", printed)
        self.assertEqual((code, len(self.rows()), self.rows()[-1]["error"]), (0, 4, None))

    def test_a_case_that_takes_too_long_is_stopped(self):
        self.slow = self.cases[0].name
        code, printed = self.run_tool("--timeout", "30")
        self.assertEqual((code, [row["error"] for row in self.rows()]),
                         (1, ["stopped after 30 s", None, None]), printed)

    def test_the_end_of_the_time_leaves_the_rest(self):
        code, printed = self.run_tool("--seconds", "1")
        self.assertIn("The time is over; 3 cases are left.", printed)
        self.assertEqual((code, (self.out / "measured.jsonl").exists()), (1, False))
        self.assertEqual(self.run_tool()[0], 0)


if __name__ == "__main__":
    unittest.main()
