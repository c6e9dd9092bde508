"""Dropout, softmax, one-hot vectors, bags of embeddings and activations as on CUDA.

Sources: aten/src/ATen/native/Dropout.cpp, SoftMax.cpp, Onehot.cpp, Activation.cpp, cuda/Dropout.cu,
cuda/EmbeddingBag.cu.
"""
from __future__ import annotations

from typing import Any, Callable, Iterator

import torch

from .. import _torch
from .._interception import Function, overload


_BAG_OF_LARGEST = 2  # PyTorch's number of the mode "max"


class Layers:
    """`concerns(tensor)`: whether a tensor stands for one on CUDA."""

    def __init__(self, concerns: Callable[[torch.Tensor], bool]) -> None:
        self._concerns = concerns

    def functions(self) -> Iterator[tuple[str, Function]]:
        yield "aten.dropout", self._dropout
        yield "aten.one_hot", self._one_hot
        for name in ("softmax", "log_softmax"):
            yield f"aten.{name}.int", self._softmax(name)

    def _dropout(self, plain: Any, value: Any, share: float, train: bool) -> Any:
        if not self._concerns(value) or not train or not 0 < share < 1 or not value.numel():
            return plain(value, share, train)
        return overload("aten.native_dropout")(value, share, train)[0]

    def _one_hot(self, plain: Any, value: Any, classes: int = -1) -> Any:
        if not self._concerns(value) or not value.numel():
            return plain(value, classes)
        if classes == -1:
            classes = int(value.max().item()) + 1
        result = overload("aten.zeros")([*value.shape, classes], dtype=value.dtype,
                                        layout=torch.strided, device=value.device)
        return result.scatter_(-1, value.unsqueeze(-1), 1)

    def _softmax(self, name: str) -> Function:
        run = overload(f"aten._{name}")

        def around(plain: Any, value: Any, dim: int, dtype: Any = None) -> Any:
            if (self._concerns(value) and value.dtype is torch.float16
                    and dtype is torch.float32):
                return run(value, dim, True)
            return plain(value, dim, dtype)

        return around


# What the operators give for tensors that are not on CUDA.


def _native_dropout(value: Any, share: float, train: Any) -> Any:
    if _torch.has_values(value):
        return NotImplemented
    return torch.empty_like(value), torch.empty_like(value, dtype=torch.bool)


def _native_dropout_backward(grad: Any, mask: Any, scale: float) -> Any:
    return NotImplemented if _torch.has_values(grad) else torch.empty_like(grad)


def _softmax_of(function: Any) -> Any:
    def run(value: Any, dim: int, half_to_float: bool) -> Any:
        if not _torch.has_values(value):
            return value.new_empty(value.shape,
                                   dtype=torch.float32 if half_to_float else value.dtype)
        return function(value.float(), dim) if half_to_float else NotImplemented

    return run


def _softmax_backward(name: str) -> Any:
    def run(grad: Any, output: Any, dim: int, dtype: Any) -> Any:
        if not _torch.has_values(grad):
            return grad.new_empty(grad.shape, dtype=dtype)
        if grad.dtype is dtype:
            return NotImplemented
        return overload(name)(grad, output, dim, grad.dtype).to(dtype)

    return run


def _embedding_bag(name: str) -> Any:
    run = overload(name)

    def bags(weight: Any, indices: Any, offsets: Any, scale: bool = False, mode: int = 0,
             sparse: bool = False, weights: Any = None, has_end: bool = False,
             padding: int = -1) -> Any:
        if not _torch.has_values(weight) or mode == _BAG_OF_LARGEST or not indices.numel():
            return NotImplemented
        out, _, sizes, _ = run(weight, indices, offsets, scale, mode, sparse, weights, has_end,
                               padding)
        begins = offsets[:-1] if has_end else offsets
        places = torch.arange(len(indices), dtype=offsets.dtype)
        bag = torch.searchsorted(begins, places, right=True).to(indices.dtype) - 1
        return out, bag, sizes, indices.new_empty(0)

    return bags


def _like_both(grad: Any, value: Any, *_: Any) -> Any:
    """PyTorch's function for `meta` lays the result out as `value`; CUDA looks at `grad` first."""
    return NotImplemented if _torch.has_values(grad) else torch.add(grad, value)


RESULTS = {
    "aten._embedding_bag": _embedding_bag("aten._embedding_bag"),
    "aten._embedding_bag_forward_only": _embedding_bag("aten._embedding_bag_forward_only"),
    "aten.hardswish_backward": _like_both,
    "aten.hardsigmoid_backward": _like_both,
    "aten.hardtanh_backward": _like_both,
    "aten.native_dropout": _native_dropout,
    "aten.native_dropout_backward": _native_dropout_backward,
    "aten._softmax": _softmax_of(torch.softmax),
    "aten._log_softmax": _softmax_of(torch.log_softmax),
    "aten._softmax_backward_data": _softmax_backward("aten._softmax_backward_data"),
    "aten._log_softmax_backward_data": _softmax_backward("aten._log_softmax_backward_data"),
}
