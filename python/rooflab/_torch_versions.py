"""Places where versions of PyTorch differ, told apart by what a version can do."""
from __future__ import annotations

import warnings
from typing import Any


def _tf32_switches() -> dict[str, Any]:
    import torch

    return {"matmul": torch.backends.cuda.matmul, "cudnn": torch.backends.cudnn}


def tf32_flags() -> dict[str, bool]:
    """Whether products (matmul) and convolutions (cudnn) of float32 may use TF32."""
    flags = {}
    for name, switch in _tf32_switches().items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                flags[name] = bool(switch.allow_tf32)
        except RuntimeError:  # the user has set it by the newer switch, fp32_precision
            flags[name] = getattr(switch, "fp32_precision", "ieee") == "tf32"
    return flags


def set_tf32_flags(flags: dict[str, bool]) -> None:
    """Sets what tf32_flags gives back."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, switch in _tf32_switches().items():
            switch.allow_tf32 = flags[name]


def autocasts(device_type: str) -> bool:
    """Whether autocast is on for tensors of this device."""
    import torch

    try:
        return torch.is_autocast_enabled(device_type)
    except TypeError:  # an older one, with a function for each kind of device
        on_cpu = device_type == "cpu"
        return torch.is_autocast_cpu_enabled() if on_cpu else torch.is_autocast_enabled()


def can_autocast(device_type: str, dtype: str) -> bool:
    """Whether autocast acts on tensors of this device and casts to this type."""
    import torch

    if device_type == "meta":  # no autocast key: it would be ignored without a word
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with torch.autocast(device_type, dtype=getattr(torch, dtype)):
                return autocasts(device_type)
        except (RuntimeError, ValueError):
            return False


def grad_scaler(device_type: str) -> Any | None:
    """A scaler for losses in fp16 on this device, or None where this PyTorch has none."""
    import torch

    general = getattr(torch.amp, "GradScaler", None)
    if general is not None and device_type in ("cuda", "cpu"):
        return general(device_type)
    if device_type == "cuda":
        return torch.cuda.amp.GradScaler()
    return None


def without_compiler(model: Any) -> Any:
    """The module that torch.compile wraps, or the module itself."""
    return getattr(model, "_orig_mod", model)
