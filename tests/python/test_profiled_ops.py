"""A program under `python -m rooflab profile`: FLOPs and bytes of its operations by their shapes.

The device is fake (tests/fakes): a kernel lasts 1 us for each block. A step is two addmm of 10
blocks, a relu and its backward of 5: 30 us. By hand, in fp32, for a batch of 16:

    addmm 32 -> 64   2 x 16 x 32 x 64 + 16 x 64 (bias) FLOP
    relu             16 x 64 FLOP, 2 x 16 x 64 x 4 B
"""
from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

PYTHON = Path(__file__).resolve().parents[2] / "python"
PROGRAM = Path(__file__).resolve().parent / "programs" / "on_fake_device.py"
FAKES = os.environ.get("FAKE_CUDA_PROGRAM", "")

if not FAKES:
    raise unittest.SkipTest("no fake CUDA driver: CUPTI's headers are missing")
try:
    import torch  # noqa: F401
except ImportError as error:
    raise unittest.SkipTest("PyTorch is not installed") from error
if "/libcupti.so.13" in Path("/proc/self/maps").read_text(encoding="utf-8"):
    raise unittest.SkipTest("this PyTorch has loaded its own libcupti.so.13, which the fake driver "
                            "does not answer")


class ProfiledOps(unittest.TestCase):
    def profile(self, *flags: str, what: str = "plain", seconds: float = 2.0, package: bool = True,
                **variables: str) -> tuple[dict[str, Any], str]:
        """The JSON of a profile of the program, and what was printed for people."""
        environment = {**os.environ, "PYTHONPATH": str(PYTHON), **variables}
        rooflab = [sys.executable, "-m", "rooflab"] if package else [os.environ["ROOFLAB"]]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "profile.json"
            done = subprocess.run(
                [*rooflab, "profile", "--notes", *flags, "-o", str(file), "--", sys.executable,
                 str(PROGRAM), str(Path(FAKES).parent), str(seconds), what],
                env=environment, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout, "training\ntrained\n")
            return json.loads(file.read_text(encoding="utf-8")), done.stderr

    def check_ops(self, data: dict[str, Any]) -> dict[str, Any]:
        modelled = data["modelled_ops"]
        ops = {(row["op"], row["pass"]): row for row in modelled["ops"]}
        addmm = ops["aten.addmm", "forward"]
        self.assertEqual((addmm["calls"], addmm["launches"], addmm["modules"]), (2, 2, "Linear"))
        products = 2 * 16 * (32 * 64 + 64 * 8)
        self.assertEqual(addmm["modelled_flop"], products + 16 * (64 + 8))
        self.assertAlmostEqual(addmm["time_s"], 20e-6)
        self.assertAlmostEqual(addmm["modelled_flop_per_s"], addmm["modelled_flop"] / 20e-6)
        relu = ops["aten.relu", "forward"]
        self.assertEqual((relu["modelled_flop"], relu["modelled_bytes"]), (1024, 8192))
        self.assertEqual(ops["aten.threshold_backward", "backward"]["launches"], 1)
        return modelled

    def test_without_counters(self) -> None:
        data, text = self.profile("--no-counters")
        modelled = self.check_ops(data)
        self.assertAlmostEqual(modelled["op_share"], 1.0)
        self.assertAlmostEqual(modelled["modelled_share"], 1.0)
        self.assertIsNone(data["totals"]["flop"])  # nothing modelled is among counted figures
        self.assertNotIn("counted_over_modelled_flop", modelled)
        self.assertEqual(data["counting"]["sets"], [])
        self.assertIn("counters_not_wanted", [note["code"] for note in data["warnings"]])
        self.assertIn("FLOPs and bytes modelled from shapes, not counted", text)
        self.assertIn("100.0 % of the kernels' time is in kernels of a known op", text)

    def test_beside_counters(self) -> None:
        data, _ = self.profile()
        modelled = self.check_ops(data)
        # 4096 tensor operations for each of 20 blocks; 150 bytes for each block.
        addmm = modelled["ops"][0]
        self.assertEqual((addmm["counted_flop"], addmm["counted_bytes"]), (81920, 3000))
        relu = next(row for row in modelled["ops"] if row["op"] == "aten.relu")
        self.assertEqual(relu["counted_flop"], 17 * 5 * 64)
        flop = sum(row["modelled_flop"] for row in modelled["ops"])
        self.assertAlmostEqual(modelled["counted_over_modelled_flop"],
                               (81920 + 2 * 17 * 5 * 64) / flop)

    def test_counters_are_refused(self) -> None:
        data, text = self.profile(FAKE_CUPTI_ERROR="cuptiRangeProfilerEnable=35")
        self.check_ops(data)
        self.assertIn("profiler_warned", [note["code"] for note in data["warnings"]])
        self.assertIsNone(data["totals"]["flop"])

    def test_a_kernel_without_an_op_is_not_known(self) -> None:
        data, _ = self.profile("--no-counters", what="own")
        modelled = self.check_ops(data)
        self.assertAlmostEqual(modelled["op_share"], 30 / 33)
        self.assertEqual(modelled["launches"], 5)

    def test_a_program_that_imports_the_package(self) -> None:
        data, _ = self.profile("--no-counters", what="import", package=False)
        self.check_ops(data)

    def test_without_the_package(self) -> None:
        data, _ = self.profile("--no-counters", package=False)
        self.assertNotIn("modelled_ops", data)
        self.assertEqual(data["counting"]["launches_per_step"], 4)

    def test_a_recording_that_fails_does_not_reach_the_program(self) -> None:
        data, text = self.profile(what="broken")
        self.assertNotIn("modelled_ops", data)
        self.assertIn("ValueError: no such operation", text)
        self.assertIsNotNone(data["totals"]["flop"])  # counted all the same


if __name__ == "__main__":
    unittest.main()
