"""Callbacks of trainers, on trainers that call the hooks as the libraries document it."""
import importlib
import sys
import time
import types
import unittest
from unittest import mock

import rooflab
from rooflab.training_meter import TrainingMeter
from surroundings import StandIn, torch_or_skip

torch = torch_or_skip()


class Callback:
    """Lightning's base class: every hook exists and does nothing."""

    def on_train_batch_start(self, trainer, pl_module, batch, batch_idx): ...
    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx): ...
    def on_exception(self, trainer, pl_module, exception): ...
    def on_train_end(self, trainer, pl_module): ...


class TrainerCallback:
    """That of transformers."""

    def on_step_begin(self, args, state, control, **kwargs): ...
    def on_step_end(self, args, state, control, **kwargs): ...
    def on_log(self, args, state, control, **kwargs): ...
    def on_train_end(self, args, state, control, **kwargs): ...


class FakeLightning:
    """The loop of Lightning's Trainer around one callback."""

    def __init__(self, callback, rank=0):
        self.callback, self.is_global_zero = callback, rank == 0
        self.module = mock.Mock()

    def fit(self, steps, step=lambda: None):
        try:
            for number in range(steps):
                self.callback.on_train_batch_start(self, self.module, "batch", number)
                step()
                self.callback.on_train_batch_end(self, self.module, "loss", "batch", number)
        except Exception as error:
            self.callback.on_exception(self, self.module, error)
            raise
        self.callback.on_train_end(self, self.module)

    def logged(self):
        return [call.args[0] for call in self.module.log_dict.call_args_list]


class FakeTrainer:
    """The loop of transformers' Trainer around one callback; it logs every second step."""

    def __init__(self, callback, rank=0):
        self.callback = callback
        self.args = types.SimpleNamespace(train_batch_size=4, gradient_accumulation_steps=2)
        self.state = types.SimpleNamespace(is_world_process_zero=rank == 0, log_history=[])
        self.logs = []

    def train(self, steps):
        control, more = object(), {"model": torch.nn.Linear(1, 1), "optimizer": None}
        for number in range(1, steps + 1):
            self.callback.on_step_begin(self.args, self.state, control, **more)
            self.callback.on_step_end(self.args, self.state, control, **more)
            if number % 2 == 0:
                logs = {"loss": 1.0}
                self.state.log_history.append({**logs, "step": number})
                self.callback.on_log(self.args, self.state, control, logs=logs, **more)
                self.logs.append(logs)
        self.callback.on_train_end(self.args, self.state, control, **more)


class Clock:
    """Every look at the clock is 0.1 s after the last one."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 0.1
        return self.now


class WithClock(StandIn):
    def setUp(self):
        super().setUp()
        self.lines = []
        self.enter(mock.patch.object(time, "perf_counter", Clock()))


class Meters(WithClock):
    def meter(self, **settings):
        return TrainingMeter(**{"device": "t4", "every": 2, "show": self.lines.append, **settings})

    def run_steps(self, meter, steps):
        figures = []
        for _ in range(steps):
            meter.step_begins()
            figures.append(meter.step_ends())
        return figures

    def test_the_verdict_comes_with_the_first_step(self):
        meter = self.meter()
        self.run_steps(meter, 1)
        self.assertEqual(len(self.recorded), 1)
        [line] = self.lines
        self.assertRegex(line, "rooflab: a step on t4: fits, .* of 16 GB, expected 30.96 ms")
        self.assertTrue(meter.prediction.fits)

    def test_figures_every_n_steps(self):
        meter = self.meter()
        figures = self.run_steps(meter, 5)
        self.assertEqual([bool(item) for item in figures], [False, False, True, False, True])
        # Two steps in 0.1 s, 8 samples each; the stand-in is ResNet-18's training step on a T4.
        self.assertAlmostEqual(figures[2]["rooflab/step_time_s"], 0.05)
        self.assertAlmostEqual(figures[2]["rooflab/samples_per_s"], 160)
        self.assertAlmostEqual(figures[2]["rooflab/mfu"], 85_187_297_280 / 0.05 / 8.1e12)
        self.assertEqual(len(self.recorded), 1)
        self.assertEqual(meter.figures, figures[4])

    def test_a_later_step_can_be_recorded(self):
        meter = self.meter(record_step=2)
        self.run_steps(meter, 2)
        self.assertEqual(self.recorded, [])
        self.run_steps(meter, 1)
        self.assertEqual(len(self.recorded), 1)

    def test_without_a_device_only_the_work_is_known(self):
        meter = self.meter(device=None)
        with mock.patch.object(torch.cuda, "is_available", return_value=False):
            figures = self.run_steps(meter, 3)
        self.assertIn("0.08564 TFLOP; PyTorch sees no CUDA GPU", self.lines[0])
        self.assertEqual(set(figures[2]), {"rooflab/step_time_s", "rooflab/samples_per_s"})

    def test_a_wrong_device_does_not_end_the_training(self):
        figures = self.run_steps(self.meter(device="t9"), 5)
        self.assertEqual(figures, [{}] * 5)
        self.assertEqual(len(self.lines), 1)
        self.assertIn("unknown device 't9'", self.lines[0])

    def test_a_recorder_that_fails_does_not_end_the_training(self):
        with mock.patch.object(sys.modules["rooflab.recorder"], "Recorder",
                               side_effect=RuntimeError("no recorder")):
            self.run_steps(self.meter(), 4)
        self.assertEqual(self.lines, ["rooflab: the step is not recorded: no recorder"])

    def test_every_is_checked(self):
        with self.assertRaisesRegex(rooflab.Error, "every=0"):
            TrainingMeter(every=0)


class Lightning(WithClock):
    def callback(self, *libraries, **settings):
        modules = {"lightning": None, "lightning.pytorch": None, "pytorch_lightning": None}
        for name in libraries:
            modules[name] = types.ModuleType(name)
            modules[name].Callback = type("Callback", (Callback,), {"library": name})
        if "lightning.pytorch" in libraries:
            modules["lightning"] = types.ModuleType("lightning")
        with mock.patch.dict(sys.modules, modules):
            sys.modules.pop("rooflab.lightning", None)
            try:
                module = importlib.import_module("rooflab.lightning")
            finally:
                sys.modules.pop("rooflab.lightning", None)
        return module.RooflabCallback(**{"device": "t4", "every": 2, "show": self.lines.append,
                                         **settings})

    def test_both_libraries(self):
        self.assertEqual(self.callback("lightning.pytorch").library, "lightning.pytorch")
        self.assertEqual(self.callback("pytorch_lightning").library, "pytorch_lightning")
        with self.assertRaisesRegex(rooflab.Error, "Lightning is not installed"):
            self.callback()

    def test_a_training(self):
        trainer = FakeLightning(self.callback("lightning.pytorch"))
        trainer.fit(5)
        self.assertEqual(len(self.recorded), 1)
        self.assertIn("fits", self.lines[0])
        self.assertEqual(len(trainer.logged()), 2)
        self.assertIn("rooflab/mfu", trainer.logged()[0])

    def test_one_rank_records(self):
        trainer = FakeLightning(self.callback("lightning.pytorch"), rank=1)
        trainer.fit(5)
        self.assertEqual((self.recorded, trainer.logged(), self.lines), ([], [], []))

    def test_an_error_in_the_recorded_step_takes_the_recorder_out(self):
        def step():
            raise ValueError("of the user")

        with self.assertRaisesRegex(ValueError, "of the user"):
            FakeLightning(self.callback("lightning.pytorch")).fit(1, step)
        self.assertIs(self.recorded[0]["exit"], ValueError)


class HuggingFace(WithClock):
    def callback(self, **settings):
        transformers = types.ModuleType("transformers")
        transformers.TrainerCallback = TrainerCallback
        with mock.patch.dict(sys.modules, transformers=transformers):
            sys.modules.pop("rooflab.huggingface", None)
            module = importlib.import_module("rooflab.huggingface")
            sys.modules.pop("rooflab.huggingface")
        return module.RooflabCallback(**{"device": "t4", "every": 2, "show": self.lines.append,
                                         **settings})

    def test_a_training(self):
        trainer = FakeTrainer(self.callback())
        trainer.train(6)
        self.assertEqual([seen["batch"] for seen in self.recorded], [8])  # of both micro-batches
        self.assertIn("fits", self.lines[0])
        self.assertEqual(list(trainer.logs[0]), ["loss"])  # after step 2 nothing is measured yet
        for log in (trainer.logs[1], trainer.state.log_history[1]):
            self.assertIn("rooflab/mfu", log)

    def test_one_rank_records(self):
        trainer = FakeTrainer(self.callback(), rank=1)
        trainer.train(6)
        self.assertEqual((self.recorded, self.lines), ([], []))
        self.assertEqual(trainer.logs, [{"loss": 1.0}] * 3)

    def test_without_the_library(self):
        with mock.patch.dict(sys.modules, transformers=None), \
                self.assertRaisesRegex(rooflab.Error, "transformers is not installed"):
            importlib.import_module("rooflab.huggingface")


if __name__ == "__main__":
    unittest.main()
