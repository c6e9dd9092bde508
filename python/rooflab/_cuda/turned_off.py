"""Autocast and scalers that PyTorch turned off on a machine without a GPU.

`torch.autocast("cuda")` and `GradScaler()` are off, with a warning, where they are made without a
GPU. Those that are made within an imitation stay on. Those that were made before it are turned on
while it runs, and the recording says so.

Sources: torch/amp/autocast_mode.py, torch/amp/grad_scaler.py.
"""
from __future__ import annotations

import functools
import sys
from typing import Any, Callable, Iterator

import torch

from .. import _torch

_WARNING = "CUDA is not available"  # a part of both
_MARK = "rooflab_made_while_imitating"


class TurnedOff:
    """`note(what, "on")` is called where something that was turned on comes to use."""

    def __init__(self) -> None:
        self.note: Callable[[str, str], None] = lambda what, value: None
        self._turned_on: list[Any] = []

    def patches(self) -> Iterator[tuple[Any, str, Any]]:
        """Owners, names and replacements."""
        if torch.cuda.is_available():
            return
        yield torch.cuda.amp.common, "amp_definitely_not_available", lambda: False
        if not _pytorch_warned():
            return
        scaler = _torch.GradScaler
        yield torch.autocast, "__enter__", self._before(torch.autocast.__enter__, self._autocast)
        if scaler is not torch.cuda.amp.GradScaler:  # the older one takes tensors on CUDA only
            yield scaler, "__init__", marked(scaler.__init__)
            yield scaler, "scale", self._before(scaler.scale, self._scaler)

    def undo(self) -> None:
        """Turns off again what was turned on."""
        while self._turned_on:
            self._turned_on.pop()._enabled = False

    def _before(self, plain: Any, look: Callable[[Any], None]) -> Any:
        @functools.wraps(plain)
        def call(self: Any, *args: Any) -> Any:
            look(self)
            return plain(self, *args)

        return call

    def _autocast(self, one: Any) -> None:
        if one.device == "cuda" and self._is_to_be_on(one):
            self.note("autocast", "on")

    def _scaler(self, one: Any) -> None:
        known = len(self._turned_on)
        if one._device != "cuda" or not self._is_to_be_on(one):
            return
        if len(self._turned_on) > known and not hasattr(one, "_init_scale"):
            _torch.GradScaler.__init__(one)  # one that is off has no scale
        self.note("scaler", "on")

    def _is_to_be_on(self, one: Any) -> bool:
        if any(known is one for known in self._turned_on):
            return True
        if one._enabled or hasattr(one, _MARK):
            return False
        one._enabled = True
        self._turned_on.append(one)
        return True


def marked(init: Any) -> Any:
    """Notes in an object that the program made it while the imitation ran."""
    @functools.wraps(init)
    def init_and_mark(self: Any, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        setattr(self, _MARK, True)

    return init_and_mark


def _pytorch_warned() -> bool:
    """Whether PyTorch turned anything off in this process; not known where warnings are ignored."""
    for module in list(sys.modules.values()):
        told = getattr(module, "__dict__", {}).get("__warningregistry__") or {}
        if any(isinstance(key, tuple) and _WARNING in str(key[0]) for key in told):
            return True
    return False
