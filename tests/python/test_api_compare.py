"""Predicted and measured. Without a GPU PyTorch's CUDA functions are replaced."""
import unittest
from unittest import mock

import rooflab
from surroundings import StandIn, torch_or_skip

torch = torch_or_skip()


class FakeCuda:
    """A device of which every call of `step` takes the next of the given times."""

    def __init__(self, times):
        self.times, self.clock, self.calls, self.reset = list(times), 0.0, 0, 0
        cuda = self

        class Event:
            def __init__(self, enable_timing):
                assert enable_timing

            def record(self):
                self.at = cuda.clock

            def elapsed_time(self, other):
                return (other.at - self.at) * 1e3

        self.names = {"is_available": lambda: True, "current_device": lambda: 1,
                      "get_device_name": {1: "Tesla T4"}.__getitem__, "synchronize": lambda: None,
                      "reset_peak_memory_stats": self.forget, "Event": Event,
                      "max_memory_allocated": lambda: 400_000_000,
                      "max_memory_reserved": lambda: 500_000_000}

    def forget(self):
        self.reset = self.calls

    def step(self):
        self.calls += 1
        self.clock += self.times[(self.calls - 1) % len(self.times)]


class Compare(StandIn):
    def test_without_cuda(self):
        with mock.patch.object(torch.cuda, "is_available", return_value=False), \
                self.assertRaisesRegex(rooflab.Error, "sees no CUDA GPU"):
            rooflab.compare(lambda: None)

    def compare(self, cuda, *arguments, **settings):
        with mock.patch.multiple(torch.cuda, **cuda.names):
            return rooflab.compare(*arguments, **settings)

    def test_figures(self):
        cuda = FakeCuda([0.03, 0.03, 0.03, 0.03, 0.03, 0.010, 0.020, 0.040])
        result = self.compare(cuda, cuda.step, steps=3)
        self.assertEqual(cuda.calls, 1 + 1 + 3 + 3)  # before, recorded, warm-up, measured
        self.assertEqual(cuda.reset, 5)
        self.assertEqual([round(time, 9) for time in result.measured.times], [0.01, 0.02, 0.04])
        self.assertEqual(round(result.measured.time, 9), 0.02)
        self.assertEqual(result.predicted.device, "t4")  # by the GPU's name
        self.assertAlmostEqual(result.time_ratio, result.predicted.time / 0.02)
        self.assertFalse(result.within)  # predicted is 24 to 42 ms
        text = str(result)
        self.assertIn("20 ms", text)
        self.assertIn("400 MB", text)
        self.assertIn("20 ms", result._repr_html_())
        rows = {row["figure"]: row for row in result.rows()}
        self.assertEqual(rows["reserved"]["measured"], 500_000_000)
        self.assertEqual(result.to_dict()["predicted"]["device"], "t4")
        self.assertEqual(result.figures()["measured_allocated"], 400_000_000)

    def test_within_the_interval(self):
        cuda = FakeCuda([0.03])
        result = self.compare(cuda, cuda.step, steps=2)
        self.assertTrue(result.within)

    def test_another_device_than_the_name_says(self):
        cuda = FakeCuda([0.03])
        self.assertEqual(self.compare(cuda, cuda.step, device="v100-pcie-16gb", steps=1)
                         .predicted.device, "v100-pcie-16gb")

    def test_a_module_runs_within_its_settings(self):
        model, seen = torch.nn.Linear(4, 2), []
        model.register_forward_hook(lambda *_: seen.append(torch.is_grad_enabled()))
        cuda = FakeCuda([0.03])
        self.compare(cuda, model, (3, 4), steps=2)
        self.assertEqual(seen, [False] * (1 + 3 + 2))

    def test_what_is_wrong(self):
        cuda = FakeCuda([0.03])
        for arguments, settings, words in (
                (("resnet18",), {}, "compare\\(\\) runs a step"),
                ((cuda.step,), {"phase": "training"}, "go with a module only"),
                ((cuda.step,), {"steps": 0}, "nothing to measure")):
            with self.subTest(words), self.assertRaises(rooflab.Error) as caught:
                self.compare(cuda, *arguments, **settings)
            self.assertRegex(str(caught.exception), words)
        self.assertEqual(cuda.calls, 0)


if __name__ == "__main__":
    unittest.main()
