"""Peaks of a device by its datasheet, and how much of them a step reaches."""
from __future__ import annotations

import dataclasses
import json
from typing import Any

from rooflab._program import run
from rooflab.errors import Error


@dataclasses.dataclass(frozen=True)
class Peak:
    """Datasheet figures of a device, dense: FLOP/s, B/s and bytes."""

    device: str
    """Its id in `rooflab devices`."""
    path: str
    """Arithmetic path of matrix work in the precision (docs/formats/device.md)."""
    flops_per_s: float
    """Peak of that path."""
    by_path: dict[str, float]
    """Peaks of all paths."""
    bandwidth: float | None
    """Of the device's memory, in B/s."""
    memory: float | None
    """In bytes."""

    def __float__(self) -> float:
        return self.flops_per_s


def product_cases(devices: str, precision: str) -> list[dict[str, Any]]:
    """The program's view of a small matrix product: for each device its id, the arithmetic path,
    and what the precision means there (`amp` is `amp-fp16` on a device without bf16)."""
    answer = run(["predict", "--layer", "linear(16,16)", "--input", "16x16", "--device", devices,
                  "--precision", precision, "--format", "json"])
    return json.loads(answer)["cases"]


def device_here() -> str:
    """PyTorch's name of the GPU that it uses now, which the program understands.

    Raises Error without CUDA.
    """
    import torch

    if not torch.cuda.is_available():
        raise Error("PyTorch sees no CUDA GPU on this machine",
                    "name a device: device='h200' (rooflab devices lists them)")
    return torch.cuda.get_device_name(torch.cuda.current_device())


def peak(device: str, precision: str = "fp32") -> Peak:
    """Peaks and bandwidth of a device: `peak("h200", "bf16").flops_per_s`.

    `device` is a name of `rooflab devices`, `precision` one of the program's (fp64, fp32, tf32,
    fp16, bf16, amp, amp-fp16, amp-bf16). Raises Error for an unknown one.
    """
    cases = product_cases(device, precision)
    if len(cases) != 1:
        raise Error(f"'{device}' names {len(cases)} devices", "name one of them: rooflab devices")
    case = cases[0]
    path = case["arithmetic_path"]
    figures = json.loads(run(["devices", case["device"], "--format", "json"]))["devices"][0]
    by_path = {name: float(figure["value"]) for name, figure in figures["peaks_flop_per_s"].items()
               if figure is not None}
    if path not in by_path:
        raise Error(f"the datasheet of {case['device']} has no peak for {precision}",
                    f"it has {', '.join(by_path)}")
    return Peak(case["device"], path, by_path[path], by_path,
                _value(figures["bandwidth_bytes_per_s"]), _value(figures["memory_bytes"]))


def _value(figure: dict[str, Any] | None) -> float | None:
    return None if figure is None else float(figure["value"])


def mfu(work: Any, time_s: float, device: str | None = None, precision: str | None = None) -> float:
    """Model FLOPs utilisation: FLOP/s of a step over the device's dense peak, from 0 to 1.

    `work`: FLOPs of the step, or a Summary or Prediction, of which the FLOPs of matrix work count
    (work that checkpointing repeats is among them). `time_s`: seconds that the step took. `device`:
    a name of `rooflab devices`; None is the prediction's, else the GPU that PyTorch uses here.
    `precision`: whose path's peak is meant; None is the result's, and must be given with a number.
    """
    if time_s <= 0:
        raise Error(f"a step cannot take {time_s} s", "give its time in seconds")
    flops = getattr(work, "matrix_flops", work)
    device = device or getattr(work, "device", None) or device_here()
    wanted = precision or getattr(work, "precision", None)
    path = getattr(work, "arithmetic_path", None) if precision is None else None
    if wanted is None and path is None:
        raise Error("mfu() of a number needs the precision of the matrix work",
                    "add precision='bf16', for example")
    peaks = peak(device, wanted or "fp32")
    known = peaks.by_path.get(path) if getattr(work, "device", None) == peaks.device else None
    return flops / time_s / (known or peaks.flops_per_s)
