"""Weights of recurrent modules as views of one piece of memory, as on CUDA.

Sources: torch/nn/modules/rnn.py (`flatten_parameters`), aten/src/ATen/native/cudnn/RNN.cpp
(`copy_weights_to_flat_buf_views`).
"""
from __future__ import annotations

from typing import Callable, Sequence

import torch

from .. import _torch
from .._interception import overload


def takes_cudnn(tensor: torch.Tensor) -> bool:
    """cudnn_is_acceptable of a tensor on CUDA."""
    return (torch.backends.cudnn.enabled and tensor.numel() > 0
            and tensor.dtype in (torch.float64, torch.float32, torch.float16))


def flat_order(count: int, biases: int) -> list[int]:
    """Places of the weights in cuDNN's order: products of all layers first, then biases.

    `count`: weights. `biases`: of each layer and direction, the last among its weights.
    """
    each = 2 + biases
    layers = range(0, count, each)
    return [layer + place for layer in layers for place in range(2)] + [
        layer + place for layer in layers for place in range(2, each)]


def halves_of(weights: Sequence[torch.Tensor],
              each: int) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """Copies in float16 that lie together, which autograd notes; and all of them as one tensor.

    `each`: weights of a layer and direction.
    """
    first = weights[0]
    kind = {"dtype": torch.float16, "layout": first.layout, "device": first.device}
    flat = overload("aten.zeros")([sum(one.numel() for one in weights)], **kind)
    offsets = {}
    begin = 0
    for place in flat_order(len(weights), each - 2):
        offsets[place] = begin
        begin += weights[place].numel()
    parts = []
    for place, weight in enumerate(weights):
        part = overload("aten.empty.memory_format")([0], **kind)
        parts.append(part.set_(_torch.set_source(flat), offsets[place], weight.shape,
                               _row_major(weight.shape)))
    for part, weight in zip(parts, weights):
        part.copy_(weight.view_as(part))
    return flat, parts


def _row_major(shape: Sequence[int]) -> list[int]:
    strides = [1]
    for extent in reversed(shape[1:]):
        strides.insert(0, strides[0] * extent)
    return strides


class FlatWeights:
    """Lays a recurrent module's weights out as `flatten_parameters` does on CUDA, and back."""

    def __init__(self) -> None:
        self._before: list[tuple[torch.nn.Parameter, torch.Tensor]] = []

    def lay_out(self, module: torch.nn.Module,
                concerns: Callable[[torch.Tensor], bool]) -> None:
        for one in module.modules():
            if isinstance(one, torch.nn.RNNBase):
                self._lay_out(one, concerns)

    def _lay_out(self, module: Any, concerns: Callable[[torch.Tensor], bool]) -> None:
        weights = [one for one in module._flat_weights if isinstance(one, torch.nn.Parameter)]
        if len(weights) != len(module._flat_weights_names) or module.proj_size:
            return
        first = weights[0]
        addresses = {_torch.storage_of(one)._cdata for one in weights}
        if (not concerns(first) or not takes_cudnn(first) or len(addresses) != len(weights)
                or any(one.dtype is not first.dtype for one in weights)):
            return  # they lie together already, or share memory
        with torch.no_grad():
            flat = first.data.new_empty(sum(one.numel() for one in weights))
            begin = 0
            for place in flat_order(len(weights), 2 if module.bias else 0):
                weight = weights[place]
                part = flat[begin:begin + weight.numel()].view(weight.shape)
                begin += weight.numel()
                part.copy_(weight.data)
                self._before.append((weight, weight.data))
                weight.data = part

    def undo(self) -> None:
        """Each weight gets its own memory again, with what it holds now."""
        with torch.no_grad():
            while self._before:
                weight, data = self._before.pop()
                data.copy_(weight.data)
                weight.data = data
