"""How a step stores and multiplies numbers: the program's --precision, in PyTorch's terms."""
from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

from rooflab.errors import Error
from rooflab.device_peak import product_cases


@dataclasses.dataclass(frozen=True)
class Precision:
    """`weights`: type of parameters and inputs, None to leave them. `autocast`: type that autocast
    casts to, or None. `tf32`: matrix products and convolutions of float32 in TF32, None to leave
    the process's setting."""

    weights: str | None = None
    autocast: str | None = None
    tf32: bool | None = None


PRECISIONS = {
    "fp64": Precision(weights="float64"),
    "fp32": Precision(weights="float32", tf32=False),
    "tf32": Precision(weights="float32", tf32=True),
    "bf16": Precision(weights="bfloat16"),
    "fp16": Precision(weights="float16"),
    "amp-bf16": Precision(autocast="bfloat16"),
    "amp-fp16": Precision(autocast="float16"),
}


def precision_named(name: str | None, devices: Sequence[str] = ()) -> Precision:
    """The precision of a name; None leaves model and process as they are.

    `amp` is bf16, and fp16 where one of the devices does not compute bf16, as in the program.
    """
    if name is None:
        return Precision()
    if name == "amp":
        cases = product_cases(",".join(devices), "amp") if devices else []
        fp16 = any(case["precision"] == "amp-fp16" for case in cases)
        name = "amp-fp16" if fp16 else "amp-bf16"
    if name not in PRECISIONS:
        raise Error(f"unknown precision '{name}'", f"one of {', '.join([*PRECISIONS, 'amp'])}")
    return PRECISIONS[name]


@contextlib.contextmanager
def tf32_set(tf32: bool | None) -> Iterator[None]:
    """Sets whether PyTorch uses TF32, and restores it. None changes nothing."""
    if tf32 is None:
        yield
        return
    from rooflab import _torch

    before = _torch.tf32()
    try:
        _torch.set_tf32({name: tf32 for name in before})
        yield
    finally:
        _torch.set_tf32(before)


def autocast_type(precision: Precision, device_type: str) -> str | None:
    """The type that autocast casts to while the step runs here; None without autocast.

    On the CPU and on `meta` it casts as on CUDA (_imitation.py). Raises Error where PyTorch cannot
    autocast.
    """
    import torch

    from rooflab import _torch

    wanted = precision.autocast
    if wanted is None or _torch.can_autocast(device_type, wanted):
        return wanted
    kind = {"bfloat16": "bf16", "float16": "fp16"}[wanted]
    raise Error(f"PyTorch {torch.__version__} does not autocast to {kind} on {device_type} tensors",
                f"give a model and inputs on the CPU, or precision='{kind}', with weights of that "
                "type")


def autocast_to(name: str | None, device_type: str) -> Any:
    """A context manager for the forward pass."""
    import torch

    if name is None:
        return contextlib.nullcontext()
    return torch.autocast(device_type, dtype=getattr(torch, name))
