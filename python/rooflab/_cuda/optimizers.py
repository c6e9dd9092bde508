"""Operations on lists of tensors: what optimizers, gradient clipping and GradScaler take on CUDA.

Sources: torch/optim/optimizer.py (`_default_to_fused_or_foreach`), torch/utils/_foreach_utils.py,
torch/amp/grad_scaler.py.
"""
from __future__ import annotations

import sys
import weakref
from typing import Any, Callable, Iterator

import torch

from .. import _torch

# Functions that name the devices with operations on lists, in modules that keep a copy of them.
_LISTS = ("_get_foreach_kernels_supported_devices", "_get_fused_kernels_supported_devices")


def patches(devices: Callable[[], tuple[str, ...]]) -> Iterator[tuple[Any, str, Callable[..., Any]]]:
    """Owners, names and replacements, by which tensors on `devices()` count as on CUDA."""
    _torch.complete_foreach()
    for module in list(sys.modules.values()):
        name = getattr(module, "__name__", "")
        if not name.startswith(("torch.optim", "torch.utils._foreach", "torch.nn.utils")):
            continue
        for function in _LISTS:
            plain = vars(module).get(function)
            if plain is not None:
                yield module, function, _with(plain, devices)


def _with(plain: Callable[[], list[str]],
          devices: Callable[[], tuple[str, ...]]) -> Callable[[], list[str]]:
    def names() -> list[str]:
        found = list(plain())
        return found + [one for one in devices() if one not in found]

    return names


class FoundInf:
    """Tensors in which a scaler notes whether a gradient was infinite: on `meta` none was."""

    def __init__(self) -> None:
        self._noted: dict[int, Any] = {}

    def note(self, tensor: torch.Tensor) -> None:
        self._noted[_address(tensor)] = weakref.ref(tensor)

    def __contains__(self, tensor: torch.Tensor) -> bool:
        noted = self._noted.get(_address(tensor))
        return noted is not None and noted() is not None

    def forget(self) -> None:
        self._noted.clear()


def _address(tensor: torch.Tensor) -> int:
    return int(_torch.storage_of(tensor)._cdata)
