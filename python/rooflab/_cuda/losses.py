"""Losses as on CUDA.

Sources: aten/src/ATen/native/Loss.cpp, LossCTC.cpp (the questions before the loss).
"""
from __future__ import annotations

from typing import Any, Callable, Iterator

import torch

from .. import _torch
from .._interception import Function, overload


class Losses:
    """`concerns(tensor)`: whether a tensor stands for one on CUDA."""

    def __init__(self, concerns: Callable[[torch.Tensor], bool]) -> None:
        self._concerns = concerns
        self._copies_targets = False

    def functions(self) -> Iterator[tuple[str, Function]]:
        yield "aten.ctc_loss.Tensor", self._ctc_loss

    def _ctc_loss(self, plain: Any, value: Any, targets: Any, value_lengths: Any,
                  target_lengths: Any, blank: int = 0, *further: Any) -> Any:
        """Two forms of the loss ask other libraries whether they can compute it."""
        given = (value, targets, value_lengths, target_lengths, blank)
        if not self._concerns(value):
            return plain(*given, *further)
        self._ask(*given)
        on_host = self._ask(*given)
        result = plain(*given, *further)
        del on_host  # not earlier
        return result

    def _ask(self, value: Any, targets: Any, *rest: Any) -> Any:
        """The targets on the host, where a library asks for them."""
        cudnn, miopen = (overload(f"aten._use_{name}_ctc_loss.Tensor")
                         for name in ("cudnn", "miopen"))
        if cudnn is None or cudnn(value, targets, *rest) or miopen is None:
            return None
        self._copies_targets = True  # MIOpen asks for them on the host, on NVIDIA too
        try:
            targets = overload("aten._to_copy")(targets, dtype=torch.int32, device="cpu")
        finally:
            self._copies_targets = False
        miopen(value, targets, *rest)
        return targets

    def results(self) -> dict[str, Callable[..., Any]]:
        return {**_RESULTS, "aten._to_copy": self._copy}

    def _copy(self, value: Any, **kwargs: Any) -> Any:
        if not self._copies_targets or _torch.has_values(value):
            return NotImplemented
        return torch.empty(value.shape, **kwargs)  # nobody reads it


# What the operators give for tensors that are not on CUDA.


def _never(*_: Any) -> bool:
    """cuDNN takes targets and lengths of 32 bits only, MIOpen nothing on CUDA."""
    return False


def _loss_in_place(value: Any, target: Any, reduction: int = 1, *_: Any, **__: Any) -> Any:
    """A mean or a sum of losses has the memory in which all of them were."""
    if _torch.has_values(value) or reduction == 0:
        return NotImplemented
    shape = torch.broadcast_shapes(value.shape, target.shape)
    return value.new_empty(shape).resize_(())


def _ctc_loss(value: Any, targets: Any, value_lengths: Any, target_lengths: Any, *_: Any,
              **__: Any) -> Any:
    """On `meta` all texts of a batch are as long as they are on average."""
    if _torch.has_values(value):
        return NotImplemented
    steps, batch = value.shape[:2]
    longest = targets.shape[1] if targets.dim() == 2 else -(-targets.shape[0] // batch)
    return value.new_empty((batch,)), value.new_empty((batch, steps, 2 * longest + 1))


def _ctc_loss_backward(grad: Any, value: Any, *_: Any, **__: Any) -> Any:
    return NotImplemented if _torch.has_values(value) else value.new_empty(value.shape)


_RESULTS: dict[str, Callable[..., Any]] = {
    "aten._use_cudnn_ctc_loss": _never,
    "aten._use_miopen_ctc_loss": _never,
    "aten._ctc_loss": _ctc_loss,
    "aten._ctc_loss_backward": _ctc_loss_backward,
    "aten.mse_loss": _loss_in_place,
    "aten.smooth_l1_loss": _loss_in_place,
}
