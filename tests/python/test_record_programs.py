"""The tools that record, measure and count programs on a GPU, as far as a CPU can show it."""
from __future__ import annotations

import gzip
import importlib.util
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOOLS = HERE.parents[1] / "tools" / "gpu"
PACKAGE = HERE.parents[1] / "python"


def can_record():
    return (importlib.util.find_spec("torch") is not None
            and (PACKAGE / "rooflab" / "recorder.py").exists())


@unittest.skipUnless(can_record(), f"{sys.executable} has no torch, or the package no recorder")
class Recording(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name) / "out"

    def start(self, *options, programs=HERE):
        paths = os.pathsep.join([str(PACKAGE), str(programs)])
        return subprocess.run(
            [sys.executable, str(TOOLS / "record_programs.py"), str(self.out), "--device", "cpu",
             "--scale", "small", *options],
            text=True, capture_output=True, env={**os.environ, "PYTHONPATH": paths})

    def rows(self):
        return [json.loads(line) for line in (self.out / "measured.jsonl").open()]

    def test_rows_and_recordings_belong_together(self):
        for start in ("fork", "fresh"):
            with self.subTest(start):
                ended = self.start("--only", "dlrm,decode", "--start", start)
                self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
                rows = {row["name"]: row for row in self.rows()}
                self.assertEqual(set(rows), {"dlrm", "decode"})
                with tarfile.open(self.out / "recordings.tar") as archive:
                    for name, row in rows.items():
                        data = archive.extractfile(f"{name}.rec.jsonl.gz").read()
                        lines = [json.loads(line) for line in gzip.decompress(data).splitlines()]
                        self.assertEqual(len(data), row["recording_bytes"])
                        self.assertEqual(sum("op" in line for line in lines), row["recorded_ops"])
                        self.assertEqual(lines[0]["batch"], row["batch"])
                        self.assertEqual((row["device"], row["time_s"], row["error"]),
                                         ("cpu", None, None))

    def test_what_is_done_is_not_done_again(self):
        self.start("--only", "dlrm")
        ended = self.start("--kind", "own", "--seconds", "1")
        self.assertIn("21 programs to run, 1 are in", ended.stdout)
        self.assertIn("The time is over; 21 programs are left.", ended.stdout)
        self.assertEqual(len(self.rows()), 1)

    def test_a_slow_program_is_stopped_and_stops_no_other(self):
        package = self.out.parent / "programs"
        package.mkdir()
        (package / "__init__.py").write_text(TWO_PROGRAMS)
        ended = self.start("--timeout", "15", programs=self.out.parent)
        self.assertEqual(ended.returncode, 1, ended.stdout + ended.stderr)
        slow, quick = self.rows()
        self.assertEqual((slow["name"], slow["error"]), ("slow", "stopped after 15 s"))
        self.assertEqual((quick["name"], quick["error"]), ("quick", None))
        self.assertIn("==== slow: stopped", (self.out / "errors.txt").read_text())


# A package in the place of `programs`: one program that does not end, and one that ends at once.
TWO_PROGRAMS = """
import time
import types
import torch

KINDS = ("own",)

def program(name, step):
    def build(**options):
        return types.SimpleNamespace(name=name, step=step, batch=1, modules={}, optimizers=(),
                                     inputs=(), parameters=lambda: (), cache=list, context=None)
    return build

def all_programs(*kinds):
    return {"slow": program("slow", lambda: time.sleep(600)),
            "quick": program("quick", lambda: torch.zeros(2) + 1)}
"""


class Counting(unittest.TestCase):
    def setUp(self):
        spec = importlib.util.spec_from_file_location("count_programs", TOOLS / "count_programs.py")
        self.tool = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.tool)

    def record(self, step):
        return {"counting": {"step": step, "steps_s": [0.3, 0.1, 0.2], "launches_per_step": 7},
                "warnings": ["w"]}

    def test_tensor_operations_of_all_types_are_added(self):
        counters = {"tensor_tf32_flop": 5, "tensor_bf16_flop": 7, "tensor_fp64_flop": None,
                    "tensor_int8": 11, "tensor_pipe_instructions": 13, "dram_read_bytes": 17}
        found = self.tool.figures(self.record({"raw_counters": counters}))
        self.assertEqual(found, {"counters": counters, "tensor_flop": 12, "launches_per_step": 7,
                                 "step_s": 0.2, "warnings": ["w"]})

    def test_a_step_that_was_not_counted_is_an_error(self):
        with self.assertRaisesRegex(ValueError, r"no step was counted: \['w'\]"):
            self.tool.figures(self.record(None))


if __name__ == "__main__":
    unittest.main()
