"""Functions of PyTorch and of its users that are told of CUDA in place of the CPU or `meta`.

Sources: torch/amp/autocast_mode.py, torch/utils/checkpoint.py, torch/csrc/utils/tensor_new.cpp,
transformers/utils/generic.py (`maybe_autocast`).
"""
from __future__ import annotations

import contextlib
import functools
import sys
from typing import Any, Callable, Iterator

import torch
import torch.utils.checkpoint

from .turned_off import marked

Devices = Callable[[], tuple]
"""Names of those that stand for CUDA now."""


def patches(devices: Devices) -> Iterator[tuple[Any, str, Any]]:
    """Owners, names and replacements."""
    yield torch.autocast, "__init__", _autocast_on_cuda(marked(torch.autocast.__init__), devices)
    for name in ("is_autocast_enabled", "get_autocast_dtype"):
        if hasattr(torch, name):
            yield torch, name, _of_cuda(getattr(torch, name), devices)
    yield torch.Tensor, "__setitem__", _setitem(torch.Tensor.__setitem__)
    yield torch, "tensor", _tensor(torch.tensor)
    checkpoint = torch.utils.checkpoint
    if hasattr(checkpoint, "_infer_device_type"):
        yield checkpoint, "_infer_device_type", _as_cuda(checkpoint._infer_device_type, devices)
    yield from _meta_autocast_of_transformers()


def _autocast_on_cuda(plain: Any, devices: Devices) -> Any:
    """torch.autocast of the CPU or of `meta` is that of CUDA."""
    @functools.wraps(plain)
    def init(self: Any, device_type: str, *args: Any, **kwargs: Any) -> None:
        plain(self, _device_of_autocast(device_type, sys._getframe(1), devices()), *args, **kwargs)

    return init


@contextlib.contextmanager
def autocast_on_meta() -> Iterator[None]:
    """Autocast of `meta` is CUDA's where no imitation runs: PyTorch refused it for years, also to
    turn it off."""
    plain = torch.autocast.__init__
    torch.autocast.__init__ = _autocast_on_cuda(plain, lambda: ("meta",))  # type: ignore
    try:
        yield
    finally:
        torch.autocast.__init__ = plain  # type: ignore


def _meta_autocast_of_transformers() -> Iterator[tuple[Any, str, Any]]:
    """Its models do without autocast on `meta`; by this they ask as on CUDA."""
    home = sys.modules.get("transformers.utils.generic")
    plain = getattr(home, "maybe_autocast", None)
    if plain is None:
        return

    @functools.wraps(plain)
    def maybe_autocast(device_type: str, *args: Any, **kwargs: Any) -> Any:
        return plain("cuda" if device_type == "meta" else device_type, *args, **kwargs)

    for name, module in list(sys.modules.items()):
        if name.startswith("transformers.") and vars(module).get("maybe_autocast") is plain:
            yield module, "maybe_autocast", maybe_autocast


def _of_cuda(plain: Any, devices: Devices) -> Any:
    """A question about autocast on the CPU or on `meta` is one about CUDA."""
    def ask(*args: Any) -> Any:
        if args and isinstance(args[0], str):
            args = (_device_of_autocast(args[0], sys._getframe(1), devices()), *args[1:])
        return plain(*args)

    return ask


def _device_of_autocast(name: str, caller: Any, devices: tuple) -> str:
    # Checkpointing notes and brings back the autocast of each device.
    callers = [caller, caller.f_back]  # torch.cpu.amp.autocast lies between
    apart = any(one is not None and one.f_globals.get("__name__") == "torch.utils.checkpoint"
                for one in callers)
    return "cuda" if name in devices and not (name == "cpu" and apart) else name


def _as_cuda(infer: Any, devices: Devices) -> Any:
    def device_type(*args: Any) -> str:
        found = infer(*args)
        return "cuda" if found in devices() else found

    return device_type


def _setitem(plain: Any) -> Any:
    """A number that is written to part of a tensor comes from the host."""
    def setitem(tensor: Any, index: Any, value: Any) -> None:
        if tensor.device.type == "meta" and type(value) in (bool, int, float):
            value = torch.tensor(value, dtype=tensor.dtype)
        plain(tensor, index, value)

    return setitem


def _tensor(plain: Any) -> Any:
    """A tensor of the program's numbers, which PyTorch does not tell of on `meta`."""
    @functools.wraps(plain)
    def tensor(data: Any, *args: Any, **kwargs: Any) -> Any:
        made = plain(data, *args, **kwargs)
        is_array = isinstance(data, torch.Tensor) or hasattr(data, "__array_interface__")
        if made.device.type == "meta" and not made.requires_grad and not is_array:
            made = torch.ops.aten.lift_fresh.default(made)
        return made

    return tensor
