"""Which kernel F.scaled_dot_product_attention takes on CUDA.

Source: PyTorch's aten/src/ATen/native/transformers/cuda/sdp_utils.cpp and sdp_utils_cpp.h.
"""
from __future__ import annotations

import dataclasses
import math
from typing import Optional

import torch

from .. import _torch
from .target import Target

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
