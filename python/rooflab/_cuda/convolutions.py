"""How cuDNN lays the results of convolutions out in memory.

Source: aten/src/ATen/native/ConvUtils.h (`cudnn_conv_suggest_memory_format`), Convolution.cpp,
c10/core/MemoryFormat.h (which strides suggest channels last).
"""
from __future__ import annotations

from typing import Any, Sequence

import torch

from .. import _torch
from .values import run_anyhow

_LAST = {4: torch.channels_last, 5: torch.channels_last_3d}


def suggests_channels_last(tensor: torch.Tensor) -> bool:
    """Whether the strides say that the channels lie together; where they do not tell, no."""
    dims = tensor.dim()
    if dims not in _LAST:
        return False
    shape, strides = tensor.shape, tensor.stride()
    least = 0
    if strides[1] == 0:
        return False
    for dim in (1, *range(dims - 1, 1, -1), 0):
        if shape[dim] == 0 or strides[dim] < least:
            return False
        if dim == 0 and least == strides[1]:
            return False  # both orders have such strides
        least = strides[dim]
        if shape[dim] > 1:
            least *= shape[dim]
    return True


def suggested_format(tensor: torch.Tensor) -> torch.memory_format:
    """The memory format that operations on the tensor keep."""
    last = suggests_channels_last(tensor)
    return _LAST[tensor.dim()] if last else torch.contiguous_format


def memory_format(value: torch.Tensor, weight: torch.Tensor) -> torch.memory_format:
    """The memory format of a convolution and of its gradients."""
    if value.dtype is not torch.float64 and (
            suggests_channels_last(value) or suggests_channels_last(weight)):
        return _LAST.get(weight.dim(), torch.contiguous_format)
    return torch.contiguous_format


def output_shape(value: Sequence[int], weight: Sequence[int], stride: Sequence[int],
                 padding: Sequence[int], dilation: Sequence[int], transposed: bool,
                 output_padding: Sequence[int], groups: int) -> list[int]:
    dims = len(value) - 2

    def at(values: Sequence[int], place: int) -> int:
        return values[place] if len(values) > 1 else values[0]

    shape = [value[0], weight[1] * groups if transposed else weight[0]]
    for place in range(dims):
        reach = at(dilation, place) * (weight[place + 2] - 1)
        if transposed:
            shape.append((value[place + 2] - 1) * at(stride, place) - 2 * at(padding, place)
                         + reach + at(output_padding, place) + 1)
        else:
            shape.append((value[place + 2] + 2 * at(padding, place) - reach - 1)
                         // at(stride, place) + 1)
    return shape


def _forward(value: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any,
             transposed: bool, output_padding: Any, groups: int) -> Any:
    kind = memory_format(value, weight)
    if _torch.has_values(value):
        found = run_anyhow(torch.ops.aten.convolution.default, value, weight, bias, stride,
                           padding, dilation, transposed, output_padding, groups)
        return found.contiguous(memory_format=kind)
    shape = output_shape(value.shape, weight.shape, stride, padding, dilation, transposed,
                         output_padding, groups)
    return torch.empty(shape, dtype=value.dtype, device=value.device, memory_format=kind)

def _backward(grad: Any, value: Any, weight: Any, bias_sizes: Any, stride: Any,
              padding: Any, dilation: Any, transposed: bool, output_padding: Any, groups: int,
              wanted: Any) -> Any:
    kind = memory_format(value, weight)
    if _torch.has_values(value):
        found = run_anyhow(
            torch.ops.aten.convolution_backward.default, grad, value, weight, bias_sizes,
            stride, padding, dilation, transposed, output_padding, groups, wanted)
        return tuple(None if one is None else one if one.dim() == 1 else
                     one.contiguous(memory_format=kind) for one in found)
    results = [torch.empty(one.shape, dtype=one.dtype, device=one.device, memory_format=kind)
               if needed else None for one, needed in zip((value, weight), wanted)]
    bias = grad.new_empty((grad.shape[1],)) if wanted[2] else None
    return (*results, bias)


RESULTS = {"aten.convolution": _forward, "aten.convolution_backward": _backward}
