"""`rooflab.compare`: a step predicted and measured on the GPU of this machine."""
from __future__ import annotations

import contextlib
import dataclasses
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rooflab._batch import check_batch_of_inputs
from rooflab.errors import Error
from rooflab.device_peak import device_here
from rooflab.predictions import Prediction, predict_source
from rooflab._result import Result
from rooflab._source import is_module, recorded
from rooflab._steps import Step


@dataclasses.dataclass(frozen=True)
class Measured:
    """Times of steps in seconds, and what PyTorch's allocator held at most, in bytes."""

    times: list[float]
    allocated_peak_bytes: int
    reserved_peak_bytes: int

    @property
    def time(self) -> float:
        """Median."""
        return statistics.median(self.times)

    @property
    def low(self) -> float:
        return min(self.times)

    @property
    def high(self) -> float:
        return max(self.times)


def measure(step: Callable[[], Any], steps: int, warmup: int = 3) -> Measured:
    """Runs a step between CUDA events, after a warm-up, on the current device."""
    import torch

    torch.cuda.empty_cache()  # what earlier steps left is not this step's
    for _ in range(warmup):
        step()
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    marks = [torch.cuda.Event(enable_timing=True) for _ in range(steps + 1)]
    marks[0].record()
    for mark in marks[1:]:
        step()
        mark.record()
    torch.cuda.synchronize()
    times = [before.elapsed_time(after) / 1e3 for before, after in zip(marks, marks[1:])]
    return Measured(times, torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved())


class Comparison(Result):
    """Predicted and measured: `print(comparison)`, `.predicted`, `.measured`, `.time_ratio`."""

    def __init__(self, predicted: Prediction, measured: Measured):
        self.predicted = predicted
        self.measured = measured
        super().__init__({"predicted": predicted.to_dict(),
                          "measured": dataclasses.asdict(measured)}, "")

    @property
    def time_ratio(self) -> float | None:
        """Predicted time over the measured median; None without a predicted time."""
        return None if self.predicted.time is None else self.predicted.time / self.measured.time

    @property
    def within(self) -> bool | None:
        """The measured median lies in the predicted interval; None without one."""
        if self.predicted.low is None or self.predicted.high is None:
            return None
        return self.predicted.low <= self.measured.time <= self.predicted.high

    def rows(self) -> list[Mapping[str, Any]]:
        memory = self.predicted.memory
        return [
            _row("step", "s", self.predicted.time, self.measured.time),
            _row("low", "s", self.predicted.low, self.measured.low),
            _row("high", "s", self.predicted.high, self.measured.high),
            _row("allocated", "B", memory.allocated_peak_bytes, self.measured.allocated_peak_bytes),
            _row("reserved", "B", memory.reserved_peak_bytes, self.measured.reserved_peak_bytes),
        ]

    def figures(self) -> dict[str, float]:
        return {f"{side}_{row['figure']}": row[side]
                for row in self.rows() for side in ("predicted", "measured")}

    def __str__(self) -> str:
        lines = [f"{self.predicted.model} on {self.predicted.device}, "
                 f"{len(self.measured.times)} steps",
                 f"{'figure':<12}{'predicted':>16}{'measured':>16}{'ratio':>8}"]
        for row in self.rows():
            ratio = "-" if row["ratio"] is None else f"{row['ratio']:.3f}"
            lines.append(f"{row['figure']:<12}{_shown(row['predicted'], row['unit']):>16}"
                         f"{_shown(row['measured'], row['unit']):>16}{ratio:>8}")
        lines.append("low, high: predicted, nine in ten steps; measured, the extremes")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<rooflab.Comparison: measured {self.measured.time:.4g} s, {self.predicted!r}>"


def _row(figure: str, unit: str, predicted: float | None, measured: float) -> dict[str, Any]:
    ratio = predicted / measured if predicted is not None and measured else None
    return {"figure": figure, "unit": unit, "predicted": predicted, "measured": measured,
            "ratio": ratio}


def _shown(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    return f"{value * 1e3:,.4g} ms" if unit == "s" else f"{value / 1e6:,.5g} MB"


def compare(model: Any, *inputs: Any, device: str | None = None, steps: int = 20,
            phase: str | None = None, optimizer: Any = None, precision: str | None = None,
            loss: Any = None, batch: int | None = None, options: Sequence[str] = (),
            **kwargs: Any) -> Comparison:
    """Predicts a step for the GPU that PyTorch uses here, runs it `steps` times, and compares.

    `model`: a function without arguments that runs a step on that GPU, or a torch.nn.Module with
    its inputs; the other arguments are those of `predict`. `device`: which device of `rooflab
    devices` this GPU is (default: found by its name). Raises rooflab.Error without CUDA.
    """
    here = device_here()
    settings: Any = contextlib.nullcontext()
    step, notes, name, warmup = model, [], None, 1
    if is_module(model):
        check_batch_of_inputs(batch, [*inputs, *kwargs.values()])
        built = Step(model, inputs, kwargs, phase=phase, optimizer=optimizer, precision=precision,
                     loss=loss, devices=[device or here])
        step, notes, name, warmup, settings = (built, built.notes, built.name, built.warmup,
                                               built.settings())
    elif not callable(model) or inputs or kwargs or phase or optimizer or precision or loss:
        raise Error("compare() runs a step: a function without arguments, or a module with inputs",
                    "phase, optimizer, precision and loss go with a module only")
    if steps < 1:
        raise Error(f"steps={steps}: nothing to measure", "steps must be 1 or more")
    with settings:
        source = recorded(step, name=name, batch=batch, warmup=warmup, notes=notes)
        predicted = predict_source(source, [device or here], options=options)
        return Comparison(predicted, measure(step, steps))
