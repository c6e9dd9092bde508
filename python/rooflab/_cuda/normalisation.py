"""Normalisation as on CUDA: when a batch's is cuDNN's, and what the operations give.

Sources: aten/src/ATen/native/Normalization.cpp (`_select_batch_norm_backend`), cudnn/BatchNorm.cpp,
cuda/layer_norm_kernel.cu. What cuDNN keeps between the passes (`reserve`) was empty in all stored
recordings of an H200, in both orders of memory; float16 with the channels last was not among them.
"""
from __future__ import annotations

from typing import Any, Callable, Iterator

import torch

from .. import _torch
from .convolutions import suggested_format
from .._interception import Function, overload

_MOST_ELEMENTS = 2 ** 31 - 1


def batch_norm_takes_cudnn(value: torch.Tensor, weight: Any, bias: Any, mean: Any, variance: Any,
                           training: bool, enabled: bool) -> bool:
    """Whether batch normalisation is cuDNN's, on CUDA."""
    if weight is None or bias is None or value.dtype is torch.bfloat16:
        return False
    if weight.dtype is torch.bfloat16 or (
            value.dtype is torch.float16 and weight.dtype is not torch.float32):
        return False
    if (mean is None) != (variance is None) or (mean is None and not training):
        return False
    most = 880801 if training else 65535
    return (enabled and value.dim() >= 3 and value.shape[0] <= most
            and value.numel() < _MOST_ELEMENTS)


class Normalisation:
    """`concerns(tensor)`: whether a tensor stands for one on CUDA."""

    def __init__(self, concerns: Callable[[torch.Tensor], bool]) -> None:
        self._concerns = concerns

    def functions(self) -> Iterator[tuple[str, Function]]:
        yield "aten.batch_norm", self._batch_norm
        yield "aten._batch_norm_impl_index", self._batch_norm_index

    def _batch_norm(self, plain: Any, value: Any, weight: Any, bias: Any, mean: Any, variance: Any,
                    training: bool, momentum: float, eps: float, enabled: bool) -> Any:
        if not self._concerns(value):
            return plain(value, weight, bias, mean, variance, training, momentum, eps, enabled)
        return overload("aten._batch_norm_impl_index")(
            value, weight, bias, mean, variance, training, momentum, eps, enabled)[0]

    def _batch_norm_index(self, plain: Any, value: Any, weight: Any, bias: Any, mean: Any,
                          variance: Any, training: bool, momentum: float, eps: float,
                          enabled: bool) -> Any:
        if not self._concerns(value) or not batch_norm_takes_cudnn(
                value, weight, bias, mean, variance, training, enabled):
            return plain(value, weight, bias, mean, variance, training, momentum, eps, enabled)
        value = value.contiguous(memory_format=suggested_format(value))
        results = overload("aten.cudnn_batch_norm")(
            value, weight.contiguous(), bias.contiguous(),
            *(None if one is None else one.contiguous() for one in (mean, variance)),
            training, momentum, eps)
        return (*results, 1)


# What the operators give for tensors that are not on CUDA.


def _cudnn_batch_norm(value: Any, weight: Any, bias: Any, mean: Any, variance: Any, training: bool,
                      momentum: float, eps: float) -> Any:
    output = torch.empty_like(value)
    kept = (value.shape[1],) if training else (0,)
    save_mean = weight.new_empty(kept)
    save_variance = weight.new_empty(kept)
    reserve = torch.empty((0,), dtype=torch.uint8, device=value.device)  # as recorded on an H200
    if _torch.has_values(value):
        found = torch.native_batch_norm(value, weight, bias, mean, variance, training, momentum,
                                        eps)
        output.copy_(found[0])
        if training:
            save_mean.copy_(found[1])
            save_variance.copy_(found[2])
    return output, save_mean, save_variance, reserve


def _cudnn_batch_norm_backward(value: Any, grad: Any, weight: Any, mean: Any, variance: Any,
                               save_mean: Any, save_variance: Any, eps: float,
                               reserve: Any) -> Any:
    results = torch.empty_like(value), torch.empty_like(weight), torch.empty_like(weight)
    if _torch.has_values(value):
        found = overload("aten.native_batch_norm_backward")(
            grad, value, weight, mean, variance, save_mean, save_variance, True, eps,
            [True, True, True])
        for result, number in zip(results, found):
            result.copy_(number)
    return results


def _layer_norm(value: Any, shape: Any, weight: Any, bias: Any, eps: float) -> Any:
    if _torch.has_values(value):
        return NotImplemented
    kept = [*value.shape[:value.dim() - len(shape)], *(1 for _ in shape)]
    wide = torch.float32 if value.dtype in (torch.float16, torch.bfloat16) else value.dtype
    return (value.new_empty(value.shape), *(value.new_empty(kept, dtype=wide) for _ in range(2)))


def _layer_norm_backward(grad: Any, value: Any, shape: Any, mean: Any, rstd: Any, weight: Any,
                         bias: Any, wanted: Any) -> Any:
    if _torch.has_values(value):
        return NotImplemented
    return (value.new_empty(value.shape) if wanted[0] else None,
            torch.empty_like(weight) if wanted[1] else None,
            torch.empty_like(bias) if wanted[2] else None)


RESULTS = {
    "aten.cudnn_batch_norm": _cudnn_batch_norm,
    "aten.cudnn_batch_norm_backward": _cudnn_batch_norm_backward,
    "aten.native_layer_norm": _layer_norm,
    "aten.native_layer_norm_backward": _layer_norm_backward,
}
