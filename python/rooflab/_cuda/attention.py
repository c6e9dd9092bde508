"""F.scaled_dot_product_attention as on CUDA: how each kernel is called, and what it gives.

Sources: PyTorch's aten/src/ATen/native/transformers/attention.cpp (the calls), cuda/attention.cu
and attention_backward.cu (the results).
"""
from __future__ import annotations

import math
from typing import Any, Optional

import torch

from .. import _torch
from .attention_choice import Call, choice
from .target import Target
from .values import attention_backward, attention_forward, new_seed
from .._interception import overload


class Attention:
    """Calls the kernel that CUDA would take."""

    def __init__(self, target: Target, release: tuple[int, int], concerns: Any) -> None:
        self._target = target
        self._release = release
        self._concerns = concerns

    def functions(self) -> Any:
        yield "aten.scaled_dot_product_attention", self._attend

    def _attend(self, plain: Any, query: Any, key: Any, value: Any, attn_mask: Any = None,
                dropout_p: float = 0.0, is_causal: bool = False, *, scale: Any = None,
                enable_gqa: bool = False) -> Any:
        further = {"enable_gqa": enable_gqa} if enable_gqa else {}
        if not self._concerns(query):
            return plain(query, key, value, attn_mask, dropout_p, is_causal, scale=scale, **further)
        grad = torch.is_grad_enabled() and any(
            one.requires_grad for one in (query, key, value))
        call = Call(query, key, value, attn_mask, dropout_p, is_causal, enable_gqa, grad)
        name = choice(call, self._target, self._release)
        mask = _additive(attn_mask, query.dtype, name)
        if name == "math":
            math_ = overload("aten._scaled_dot_product_attention_math")
            return math_(query, key, value, mask, dropout_p, is_causal, None, scale=scale,
                         **further)[0]
        if name == "cudnn":
            return overload("aten._scaled_dot_product_cudnn_attention")(
                query, key, value, mask, grad, dropout_p, is_causal, False, scale=scale)[0]
        if name == "flash":
            return self._flash(query, key, value, dropout_p, is_causal, scale)
        if mask is not None:
            mask = _padded(mask, query, key)
        return overload("aten._scaled_dot_product_efficient_attention")(
            query, key, value, mask, grad, dropout_p, is_causal, scale=scale)[0]

    def _flash(self, query: Any, key: Any, value: Any, dropout: float, causal: bool,
               scale: Any) -> Any:
        width = query.shape[-1]
        further = -width % 8
        if further:
            query, key, value = (torch.nn.functional.pad(one, (0, further))
                                 for one in (query, key, value))
        if self._release >= (2, 2):
            scale = 1.0 / math.sqrt(width) if scale is None else scale
        result = overload("aten._scaled_dot_product_flash_attention")(
            query, key, value, dropout, causal, False, scale=scale)[0]
        return result[..., :width] if further else result


def _additive(mask: Any, kind: torch.dtype, kernel: str) -> Any:
    """A mask of truth values as numbers to add."""
    if mask is None or mask.dtype is not torch.bool:
        return mask
    if _torch.RELEASE < (2, 5):
        return torch.zeros_like(mask, dtype=kind).masked_fill_(mask.logical_not(), -math.inf)
    number = overload("aten.scalar_tensor")
    hidden = -65504.0 if kernel == "cudnn" else -math.inf
    low = number(hidden, dtype=kind, device=mask.device)
    zero = number(0.0, dtype=kind, layout=torch.strided, device=mask.device)
    return torch.where(mask, zero, low)


def _padded(mask: torch.Tensor, query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    """The mask in rows of a multiple of 8 elements, for each head of each sample."""
    aligned = mask.stride(-1) == 1 and all(
        mask.stride(place) % 8 == 0 for place in range(mask.dim() - 1))
    if not aligned:
        width = mask.shape[-1]
        mask = torch.nn.functional.pad(mask, (0, 8 - width % 8))
        mask = torch.ops.aten.slice.Tensor(mask, -1, 0, width)
    return mask.expand(query.shape[0], query.shape[1], query.shape[2], key.shape[2])


# What the kernels give, for tensors that are not on CUDA. Each gets the operator's arguments.


def _like(tensor: torch.Tensor, width: Optional[int] = None) -> torch.Tensor:
    """A dense tensor whose dimensions lie in memory in the order of the given one's."""
    if width is None or width == tensor.shape[-1]:
        return torch.empty_like(tensor)
    order = sorted(range(tensor.dim()), key=lambda place: tensor.stride(place), reverse=True)
    shape = [*tensor.shape[:-1], width]
    made = tensor.new_empty([shape[place] for place in order])
    return made.permute([order.index(place) for place in range(len(order))])


def _by_rows(tensor: torch.Tensor, width: Optional[int] = None) -> torch.Tensor:
    """An empty tensor that has all heads of a row together in memory."""
    batch, heads, rows, own = tensor.shape
    return tensor.new_empty((batch, rows, heads, own if width is None else width)).transpose(1, 2)


def _cudnn_forward(query: Any, key: Any, value: Any, bias: Any, wants_sums: bool,
                   dropout: float = 0.0, causal: bool = False, debug: bool = False, *,
                   scale: Any = None) -> Any:
    batch, heads, rows, _ = query.shape
    out = _like(query, value.shape[-1])
    sums = query.new_empty((batch, heads, rows, 1), dtype=torch.float32) if wants_sums else None
    seed, offset = new_seed(2, query.device)
    attention_forward(out, query, key, value, bias, causal, dropout, scale, seed)
    return out, sums, None, None, rows, key.shape[2], seed, offset, None


def _cudnn_backward(grad: Any, query: Any, key: Any, value: Any, out: Any, sums: Any, seed: Any,
                    offset: Any, bias: Any, cum_q: Any, cum_k: Any, rows: int, columns: int,
                    dropout: float, causal: bool, *, scale: Any = None) -> Any:
    grads = [torch.empty_like(one) for one in (query, key, value)]
    attention_backward(grads, grad, query, key, value, bias, causal, dropout, scale, seed)
    return tuple(grads)


def _efficient_forward(query: Any, key: Any, value: Any, bias: Any, wants_sums: bool,
                       dropout: float = 0.0, causal: bool = False, *, scale: Any = None) -> Any:
    batch, heads, rows, _ = query.shape
    out = _by_rows(query, value.shape[-1])
    padded = -(-rows // 32) * 32 if wants_sums else 0
    sums = query.new_empty((batch, heads, padded), dtype=torch.float32)
    seed, offset = new_seed(2, "cpu")
    attention_forward(out, query, key, value, bias, causal, dropout, scale, seed)
    return out, sums, seed, offset


def _efficient_backward(grad: Any, query: Any, key: Any, value: Any, bias: Any, out: Any, sums: Any,
                        seed: Any, offset: Any, dropout: float, wanted: Any,
                        causal: bool = False, *, scale: Any = None) -> Any:
    grads = [_by_rows(one) for one in (query, key, value)]
    of_bias = None
    if bias is not None and wanted[3]:
        width = bias.shape[-1]
        padded = width if width % 16 == 0 else width + 16 - width % 16
        shape = (query.shape[0], query.shape[1], query.shape[2], padded)
        of_bias = query.new_empty(shape).narrow(-1, 0, width)
    attention_backward([*grads, of_bias], grad, query, key, value, bias, causal, dropout, scale,
                       seed)
    return (*grads, of_bias)


def _flash_forward(query: Any, key: Any, value: Any, dropout: float = 0.0, causal: bool = False,
                   debug: bool = False, *, scale: Any = None) -> Any:
    batch, heads, rows, _ = query.shape
    out = torch.empty_like(query)
    sums = query.new_empty((batch, heads, rows), dtype=torch.float32)
    if _torch.RELEASE >= (2, 7):
        state = torch.zeros(2, dtype=torch.uint64, device=query.device)
        unused = torch.empty((), dtype=torch.uint64, device=query.device)
    else:
        state, unused = new_seed(2, query.device)
    attention_forward(out, query, key, value, None, causal, dropout, scale, state)
    return out, sums, None, None, rows, key.shape[2], state, unused, query.new_empty((0,))


def _flash_backward(grad: Any, query: Any, key: Any, value: Any, out: Any, sums: Any, cum_q: Any,
                    cum_k: Any, rows: int, columns: int, dropout: float, causal: bool, seed: Any,
                    offset: Any, *, scale: Any = None) -> Any:
    grads = [torch.empty_like(one) for one in (query, key, value)]
    attention_backward(grads, grad, query, key, value, None, causal, dropout, scale, seed)
    return tuple(grads)


RESULTS = {
    "aten._scaled_dot_product_cudnn_attention": _cudnn_forward,
    "aten._scaled_dot_product_cudnn_attention_backward": _cudnn_backward,
    "aten._scaled_dot_product_efficient_attention": _efficient_forward,
    "aten._scaled_dot_product_efficient_attention_backward": _efficient_backward,
    "aten._scaled_dot_product_flash_attention": _flash_forward,
    "aten._scaled_dot_product_flash_attention_backward": _flash_backward,
}
