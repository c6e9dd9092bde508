"""Which kernel F.scaled_dot_product_attention takes on CUDA, and what the kernels give.

Sources: PyTorch's aten/src/ATen/native/transformers/cuda/sdp_utils.cpp, sdp_utils_cpp.h (the
rules), attention.cpp (how each kernel is called), cuda/attention.cu and attention_backward.cu (the
results).
"""
from __future__ import annotations

import dataclasses
import math
from typing import Any, Optional

import torch

from . import _torch
from ._cuda_target import Target
from ._cuda_values import attention_backward, attention_forward, new_seed
from ._interception import overload

_HALVES = (torch.float16, torch.bfloat16)


@dataclasses.dataclass(frozen=True)
class Call:
    """What the rules look at. Shapes are (batch, heads, length, width)."""

    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    mask: Optional[torch.Tensor]
    dropout: float
    causal: bool
    grouped: bool
    grad: bool


@dataclasses.dataclass(frozen=True)
class Version:
    """What changed between versions of PyTorch, each from the version on that is named here."""

    kernels: bool  # 2.0: flash and efficient attention
    masks: bool  # 2.1: efficient attention takes a mask
    wide: bool  # 2.2: flash attention pads widths to multiples of 8; seeds are on the device
    cudnn: bool  # 2.5: cuDNN's attention
    cudnn_first: bool  # 2.10: on Hopper and Blackwell before flash attention
    grouped_efficient: bool  # 2.12: efficient attention takes fewer heads of keys than of queries
    multiples: bool  # 2.12: the share of dropout must be a multiple of 1/16 for cuDNN


def version_of(release: tuple[int, int]) -> Version:
    return Version(kernels=release >= (2, 0), masks=release >= (2, 1), wide=release >= (2, 2),
                   cudnn=release >= (2, 5), cudnn_first=release >= (2, 10),
                   grouped_efficient=release >= (2, 12), multiples=release >= (2, 12))


def choice(call: Call, target: Target, release: tuple[int, int]) -> str:
    """"cudnn", "flash", "efficient" or "math"."""
    version = version_of(release)
    order = ["flash", "efficient"]
    if version.cudnn:
        prefers = version.cudnn_first and target.capability[0] in (9, 10)
        order.insert(0 if prefers else 2, "cudnn")
    if not version.kernels or not _is_dense(call):
        return "math"
    for name in order:
        if _torch.sdp_enabled(name) and _RULES[name](call, target, version):
            return name
        if name == "efficient" and "cudnn" in order[2:]:
            return "math"  # which comes before cuDNN's then, and takes everything
    return "math"


def _is_dense(call: Call) -> bool:
    parts = (call.query, call.key, call.value)
    return all(one.dim() == 4 and not one.is_nested and one.numel() for one in parts)


def _flash(call: Call, target: Target, version: Version) -> bool:
    query, key, value = call.query, call.key, call.value
    width = query.shape[-1]
    if call.mask is not None or not (width == key.shape[-1] == value.shape[-1] <= 256):
        return False
    if not version.wide and (width > 128 or width % 8):
        return False
    if target.capability < (8, 0) or not _same_type(call, _halves(target)):
        return False
    # Its backward pass needs more shared memory than these have.
    small = (8, 6) <= target.capability <= (8, 9) or target.capability[0] == 12
    if call.grad and small and width > 192 and (call.dropout > 0 or width <= 224):
        return False
    if call.causal and version.wide and query.shape[-2] != key.shape[-2]:
        return False
    return _same_heads(call, grouped=True) and _last_is_dense(call, ignore_single=True)


def _efficient(call: Call, target: Target, version: Version) -> bool:
    query, key, value, mask = call.query, call.key, call.value, call.mask
    if mask is not None and not version.masks:
        return False
    types = (torch.float32, *_halves(target))
    if not _same_type(call, types):
        return False
    multiple = _alignment(query.dtype, target)
    widths = (query.shape[-1], value.shape[-1])
    if query.shape[-1] != key.shape[-1] or any(width % multiple for width in widths):
        return False
    return (_same_heads(call, grouped=version.grouped_efficient)
            and _last_is_dense(call, ignore_single=False))


def _cudnn(call: Call, target: Target, version: Version) -> bool:
    query, key, value, mask = call.query, call.key, call.value, call.mask
    if target.capability < (8, 0) or not _same_type(call, _halves(target)):
        return False
    if mask is not None and not _mask_fits(call, mask):
        return False
    if call.dropout and call.dropout * 16 != math.floor(call.dropout * 16) and version.multiples:
        return False
    most = 256 if target.capability in ((9, 0), (10, 0), (10, 3)) else 128
    for width in (query.shape[-1], value.shape[-1]):
        if width > most or width % 8:
            return False
    if key.shape[-2] == 1 or (call.dropout and query.shape[-2] == 1):
        return False
    if torch.are_deterministic_algorithms_enabled():
        return False
    return _same_heads(call, grouped=True) and _last_is_dense(call, ignore_single=True)


_RULES = {"flash": _flash, "efficient": _efficient, "cudnn": _cudnn}


def _halves(target: Target) -> tuple[torch.dtype, ...]:
    return _HALVES if target.capability >= (8, 0) else _HALVES[:1]


def _same_type(call: Call, allowed: tuple[torch.dtype, ...]) -> bool:
    kind = call.query.dtype
    return kind in allowed and call.key.dtype is kind and call.value.dtype is kind


def _same_heads(call: Call, grouped: bool) -> bool:
    query, key, value = call.query.shape, call.key.shape, call.value.shape
    if not query[0] == key[0] == value[0]:
        return False
    if query[1] == key[1] == value[1]:
        return True
    return (grouped and call.grouped and key[1] == value[1] and query[1] % key[1] == 0)


def _last_is_dense(call: Call, ignore_single: bool) -> bool:
    parts = [call.query, call.key, call.value]
    if call.mask is not None:
        parts.append(call.mask)
    return all(one.stride(-1) == 1 or (ignore_single and one.shape[-1] == 1) for one in parts)


def _mask_fits(call: Call, mask: torch.Tensor) -> bool:
    batch, heads, rows, _ = call.query.shape
    if mask.requires_grad:
        return False
    if mask.shape[-2] not in (1, rows) or mask.shape[-1] not in (1, call.key.shape[-2]):
        return False
    return mask.dim() == 2 or (mask.dim() == 4 and mask.shape[0] in (1, batch)
                               and mask.shape[1] in (1, heads))


def _alignment(kind: torch.dtype, target: Target) -> int:
    """Elements to a multiple of which the width must be."""
    half = kind in _HALVES
    multiple = 4 if target.capability[0] >= 8 else 1
    if target.capability[0] >= 8 or (target.capability[0] >= 7 and half):
        multiple = max(multiple, 8 if half else 4)
    return multiple


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
