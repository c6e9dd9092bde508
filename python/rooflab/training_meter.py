"""What the callbacks of trainers share: verdict at the first step, then MFU every N steps."""
from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rooflab.errors import Error
from rooflab._cuda.target import targets_of
from rooflab._source import source_of
from rooflab.device_peak import device_here, mfu
from rooflab.predictions import Prediction, predict_source
from rooflab.summaries import Summary, summary


class TrainingMeter:
    """Records one step of a training loop, says whether it fits and how long it should take, and
    measures how much of the device's peak the following steps reach.

    A trainer calls `step_begins` and `step_ends` around every step. Nothing here ends a training:
    what goes wrong is shown once.

    `device`: a name of `rooflab devices`; None is the GPU that PyTorch uses. `every`: steps between
    figures. `record_step`: which step is recorded, counted from 0 (in the first the optimizer makes
    its state). `show`: takes each line that a person should read.
    """

    def __init__(self, *, device: str | None = None, every: int = 50, record_step: int = 0,
                 show: Callable[[str], None] = print):
        if every < 1:
            raise Error(f"every={every}: nothing would be measured", "every must be 1 or more")
        self._device = device
        self._every = every
        self._left = record_step
        self._show = show
        self._recorder: Any = None
        self._done = False
        self._steps = 0
        self._since = 0.0
        self._mfu_of_1_s: float | None = None
        self.prediction: Prediction | None = None
        """Of the recorded step; None before it, and without a device."""
        self.summary: Summary | None = None
        """Of the recorded step, where no device is known."""
        self.figures: dict[str, float] = {}
        """The last figures: `rooflab/mfu`, `rooflab/step_time_s`, `rooflab/samples_per_s`."""

    def step_begins(self, batch: int | None = None) -> None:
        """`batch`: samples of the step, where the first input of the model does not say."""
        if self._done:
            return
        if self._left > 0:
            self._left -= 1
            return
        self._done = True
        try:
            from rooflab.recorder import Recorder

            # A training must not be changed, unless the figures are to be those of another device.
            targets = targets_of([self._device] if self._device else [])
            recorder = Recorder(batch=batch, imitate=targets[0] if targets else False)
            recorder.__enter__()
            self._recorder = recorder
        except Exception as error:  # noqa: BLE001
            self._show(f"rooflab: the step is not recorded: {error}")

    def step_ends(self) -> dict[str, float]:
        """The figures of the last `every` steps once they have passed; else an empty dictionary."""
        if self._recorder is not None:
            self._recorded()
            return {}
        work = self.prediction or self.summary
        if work is None:
            return {}
        self._steps += 1
        if self._steps < self._every:
            return {}
        now = _now()
        taken = (now - self._since) / self._steps
        self._steps, self._since = 0, now
        self.figures = {"rooflab/step_time_s": taken}
        if work.batch:
            self.figures["rooflab/samples_per_s"] = work.batch / taken
        if self._mfu_of_1_s is not None:
            self.figures["rooflab/mfu"] = self._mfu_of_1_s / taken
        return self.figures

    def broken_off(self, error: BaseException | None = None) -> None:
        """The training ends within a step: a recorder that is still at work is taken out."""
        recorder, self._recorder = self._recorder, None
        if recorder is not None:
            recorder.__exit__(type(error) if error else None, error,
                              error.__traceback__ if error else None)

    def _recorded(self) -> None:
        recorder, self._recorder = self._recorder, None
        try:
            recorder.__exit__(None, None, None)
            self._judge(recorder.recording)
        except Exception as error:  # noqa: BLE001
            self._show(f"rooflab: {error}")
        self._steps, self._since = 0, _now()

    def _judge(self, recording: Any) -> None:
        try:
            device = self._device or device_here()
        except Error as error:
            self.summary = summary(recording)
            self._show(f"rooflab: a step has {self.summary.flops / 1e12:.4g} TFLOP; "
                       f"{error.message}; {error.hint}")
            return
        self.prediction = predict_source(source_of(recording), [device])
        self._show(f"rooflab: {verdict_line(self.prediction)}")
        self._mfu_of_1_s = mfu(self.prediction, 1.0)


def _now() -> float:
    """Seconds, once the GPU has done what it was given."""
    import torch

    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter()


def verdict_line(prediction: Prediction) -> str:
    """One line: does it fit, how long will a step take."""
    words = [f"a step on {prediction.device}: {prediction.verdict or 'no verdict'}"]
    held = prediction.memory.total_bytes
    if prediction.device_memory_bytes:
        words.append(f"{held / 1e9:.4g} of {prediction.device_memory_bytes / 1e9:.4g} GB")
    if prediction.time is not None:
        words.append(f"expected {prediction.time * 1e3:.4g} ms")
    if prediction.low is not None and prediction.high is not None:
        words.append(f"between {prediction.low * 1e3:.4g} and {prediction.high * 1e3:.4g} ms")
    if prediction.limit is not None:
        words.append(f"limit {prediction.limit * 1e3:.4g} ms")
    if prediction.coverage is not None and prediction.coverage < 1:
        words.append(f"{prediction.coverage:.1%} of the operations counted")
    return ", ".join(words)
