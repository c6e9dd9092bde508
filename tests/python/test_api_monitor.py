"""monitor() and profile() on the build's fake drivers."""
import multiprocessing
import os
import subprocess
import sys
import time
import unittest
from unittest import mock

import rooflab
from surroundings import CHECKOUT, Environment


def fake(name):
    """The path of a fake that the build made and ctest names."""
    path = os.environ.get(name)
    if not path:
        raise unittest.SkipTest(f"{name} is not set: ctest sets it where the build has this fake")
    return path


class Monitoring(Environment):
    """The fake's two GPUs draw 598.765 W at 87 %, with 12 GB in use (tests/fakes/nvml.cpp)."""

    def setUp(self):
        super().setUp()
        os.environ["ROOFLAB_NVML"] = fake("FAKE_NVML")

    def test_a_block_is_recorded(self):
        with rooflab.monitor(period=0.02) as monitor:
            time.sleep(0.3)
        result = monitor.result
        self.assertEqual([gpu.name for gpu in result.gpus], ["NVIDIA H200", "NVIDIA Fancy 9000"])
        self.assertGreaterEqual(len(result.samples()), 5)
        self.assertAlmostEqual(result.power_w(), 598.765)
        self.assertAlmostEqual(result.utilisation(1), 0.87)
        self.assertEqual(result.memory_bytes(), 12_000_000_000)
        self.assertGreater(result.energy_j(), 0)
        self.assertIn("NVIDIA H200", str(result))
        self.assertNotIn("cat", str(result))
        self.assertEqual({row["device"] for row in result.rows()}, {"cuda:0", "cuda:1"})

    def test_one_gpu(self):
        with rooflab.monitor(device=1) as monitor:
            pass
        self.assertEqual([gpu.name for gpu in monitor.result.gpus], ["NVIDIA Fancy 9000"])

    def test_an_error_in_the_block_is_the_user_s(self):
        with self.assertRaisesRegex(ValueError, "mine"), rooflab.monitor() as monitor:
            raise ValueError("mine")
        self.assertEqual(len(monitor.result.gpus), 2)

    def test_a_child_that_keeps_the_pipe_open(self):
        context = multiprocessing.get_context("fork")
        with rooflab.monitor() as monitor:
            child = context.Process(target=time.sleep, args=(60,))
            child.start()
        child.kill()
        child.join()
        self.assertEqual(len(monitor.result.gpus), 2)

    def test_it_ends_with_this_process(self):
        script = ("import rooflab, os, sys, signal\n"
                  "monitor = rooflab.monitor()\n"
                  "monitor.__enter__()\n"
                  "print(monitor._process.pid, flush=True)\n"
                  "os.kill(os.getpid(), signal.SIGKILL)\n")
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False,
                              env={**os.environ, "PYTHONPATH": str(CHECKOUT / "python")})
        pid = int(done.stdout)
        for _ in range(200):
            if not os.path.exists(f"/proc/{pid}/exe"):
                return
            time.sleep(0.05)
        self.fail("rooflab monitor goes on without its Python")

    def test_without_a_driver(self):
        os.environ["ROOFLAB_NVML"] = str(self.folder / "nothing.so")
        with self.assertRaises(rooflab.Error) as caught, rooflab.monitor():
            self.fail("entered")
        self.assertEqual(caught.exception.exit_code, 3)


class Profiling(Environment):
    """With the injected library, which a build without CUDA's headers leaves out, and so its fakes."""

    def setUp(self):
        super().setUp()
        self.program = fake("FAKE_CUDA_PROGRAM")

    def test_a_program(self):
        """tests/cli/profile.test has the work of the fake's step: 5 kernels, 174,944 FLOP."""
        result = rooflab.profile(self.program, "3000")
        self.assertEqual((result.exit_code, result.totals.flop), (0, 174_944))
        self.assertEqual(len(result.kernels), 5)
        self.assertEqual(len(result.records), 1)
        self.assertIn("conv_gemm", str(result))
        self.assertEqual(len(result.rows()), 5)

    def test_flags(self):
        """100 steps of 46 us lie in the window; a trace counts nothing."""
        result = rooflab.profile(self.program, "300", "profiled", window="profiler", mode="trace")
        self.assertEqual(result.totals.launches, 500)
        self.assertAlmostEqual(result.totals.time_s, 100 * 46e-6)
        self.assertIsNone(result.totals.flop)

    def test_a_record_for_each_process(self):
        result = rooflab.profile(self.program, "3000", "fork")
        self.assertEqual([record.totals.flop for record in result.records], [174_944] * 2)
        self.assertEqual(len(result.kernels), 10)

    def test_a_script_runs_in_this_python(self):
        script = self.folder / "script.py"
        seen = self.folder / "seen"
        script.write_text("import sys\n"
                          f"open({str(seen)!r}, 'w').write(sys.executable + sys.argv[1])\n")
        with self.assertRaisesRegex(rooflab.Error, "code 0 and left no record"):
            rooflab.profile(script, "-x")
        self.assertEqual(seen.read_text(), sys.executable + "-x")

    def test_nothing_to_start(self):
        with self.assertRaises(rooflab.Error) as caught:
            rooflab.profile(str(self.folder / "nothing"))
        self.assertEqual(caught.exception.exit_code, 127)


class Windows(unittest.TestCase):
    def torch(self, available):
        calls = []
        torch = mock.MagicMock()
        torch.cuda.is_available.return_value = available
        torch.cuda.synchronize.side_effect = lambda: calls.append("wait")
        torch.cuda.profiler.start.side_effect = lambda: calls.append("start")
        torch.cuda.profiler.stop.side_effect = lambda: calls.append("stop")
        return torch, calls

    def test_profiler(self):
        torch, calls = self.torch(True)
        with mock.patch.dict(sys.modules, torch=torch), rooflab.profile.window():
            calls.append("work")
        self.assertEqual(calls, ["wait", "start", "work", "wait", "stop"])

    def test_named(self):
        torch, calls = self.torch(True)
        with mock.patch.dict(sys.modules, torch=torch), rooflab.window("step"):
            pass
        torch.cuda.nvtx.range.assert_called_once_with("step")
        self.assertEqual(calls, [])

    def test_without_cuda_it_does_nothing(self):
        torch, calls = self.torch(False)
        with mock.patch.dict(sys.modules, torch=torch), rooflab.window():
            calls.append("work")
        self.assertEqual(calls, ["work"])


if __name__ == "__main__":
    unittest.main()
