"""Further operations that PyTorch chooses by device: normalisation, dropout, softmax of halves.

Sources: aten/src/ATen/native/Normalization.cpp (`_select_batch_norm_backend`), Dropout.cpp,
SoftMax.cpp, Onehot.cpp, Loss.cpp, cudnn/BatchNorm.cpp, cuda/Dropout.cu.
"""
from __future__ import annotations

from typing import Any, Callable, Iterator

import torch

from . import _torch
from ._cuda_convolutions import suggested_format
from ._interception import Function, overload

_MOST_ELEMENTS = 2 ** 31 - 1
_LEAST_EPSILON = 1e-5  # CUDNN_BN_MIN_EPSILON before cuDNN 7.5; 0 since then


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


class Layers:
    """`concerns(tensor)`: whether a tensor stands for one on CUDA."""

    def __init__(self, concerns: Callable[[torch.Tensor], bool]) -> None:
        self._concerns = concerns

    def functions(self) -> Iterator[tuple[str, Function]]:
        yield "aten.batch_norm", self._batch_norm
        yield "aten._batch_norm_impl_index", self._batch_norm_index
        yield "aten.dropout", self._dropout
        yield "aten.one_hot", self._one_hot
        for name in ("softmax", "log_softmax"):
            yield f"aten.{name}.int", self._softmax(name)

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

    def _dropout(self, plain: Any, value: Any, share: float, train: bool) -> Any:
        if not self._concerns(value) or not train or not 0 < share < 1 or not value.numel():
            return plain(value, share, train)
        return overload("aten.native_dropout")(value, share, train)[0]

    def _one_hot(self, plain: Any, value: Any, classes: int = -1) -> Any:
        if not self._concerns(value) or _torch.has_values(value) or not value.numel():
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


def _cudnn_batch_norm(value: Any, weight: Any, bias: Any, mean: Any, variance: Any, training: bool,
                      momentum: float, eps: float) -> Any:
    output = torch.empty_like(value)
    kept = (value.shape[1],) if training else (0,)
    save_mean = weight.new_empty(kept)
    save_variance = weight.new_empty(kept)
    reserve = torch.empty((_reserved(value, training),), dtype=torch.uint8, device=value.device)
    if _torch.has_values(value):
        found = torch.native_batch_norm(value, weight, bias, mean, variance, training, momentum,
                                        eps)
        output.copy_(found[0])
        if training:
            save_mean.copy_(found[1])
            save_variance.copy_(found[2])
    return output, save_mean, save_variance, reserve


def _reserved(value: torch.Tensor, training: bool) -> int:
    """Bytes that cuDNN keeps between the passes: none for images in row-major order."""
    return 0


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


def _loss_in_place(value: Any, target: Any, reduction: int = 1, *_: Any, **__: Any) -> Any:
    """A mean or a sum of losses has the memory in which all of them were."""
    if _torch.has_values(value) or reduction == 0:
        return NotImplemented
    shape = torch.broadcast_shapes(value.shape, target.shape)
    return value.new_empty(shape).resize_(())


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


RESULTS = {
    "aten.native_layer_norm": _layer_norm,
    "aten.native_layer_norm_backward": _layer_norm_backward,
    "aten._ctc_loss": _ctc_loss,
    "aten._ctc_loss_backward": _ctc_loss_backward,
    "aten.mse_loss": _loss_in_place,
    "aten.smooth_l1_loss": _loss_in_place,
    "aten.cudnn_batch_norm": _cudnn_batch_norm,
    "aten.cudnn_batch_norm_backward": _cudnn_batch_norm_backward,
    "aten.native_dropout": _native_dropout,
    "aten.native_dropout_backward": _native_dropout_backward,
    "aten._softmax": _softmax_of(torch.softmax),
    "aten._log_softmax": _softmax_of(torch.log_softmax),
    "aten._softmax_backward_data": _softmax_backward("aten._softmax_backward_data"),
    "aten._log_softmax_backward_data": _softmax_backward("aten._log_softmax_backward_data"),
}
