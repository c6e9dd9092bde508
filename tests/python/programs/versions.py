"""Calls that differ between versions of PyTorch, chosen by what is there, not by a version."""
from __future__ import annotations

import contextlib
import math
from typing import Any

import torch
import torch.nn.functional as F
from torch.nn import utils
from torch.nn.utils import parametrizations

# A weight as a direction and a length: as a parametrization where there is one.
weight_norm = getattr(parametrizations, "weight_norm", None) or utils.weight_norm


def attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor,
              causal: bool = False, dropout: float = 0.0) -> torch.Tensor:
    """Attention over (batch, heads, length, width): the fused operator where PyTorch has one.

    `key` and `value` have as many heads as `query`. Causal attention needs equal lengths.
    """
    if hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(query, key, value, dropout_p=dropout,
                                              is_causal=causal)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if causal:
        length = query.shape[-2]
        hidden = torch.ones(length, length, dtype=torch.bool, device=query.device).triu(1)
        scores = scores.masked_fill(hidden, -math.inf)
    return F.dropout(scores.softmax(dim=-1), dropout, dropout > 0) @ value


def as_on_cuda(device: torch.device) -> bool:
    """Whether the program does what it does on CUDA: on `meta` too, where CUDA is imitated."""
    return device.type in ("cuda", "meta")


def grad_scaler(device: torch.device) -> Any:
    """A gradient scaler for float16 as on CUDA; one that does nothing elsewhere."""
    enabled = as_on_cuda(device)
    if hasattr(torch.amp, "GradScaler"):
        return torch.amp.GradScaler(device.type, enabled=enabled)
    return torch.cuda.amp.GradScaler(enabled=enabled)


def autocast(device: torch.device, kind: torch.dtype | None = None, enabled: bool = True) -> Any:
    """Autocast to a type (default: float16 as on CUDA, bfloat16 on a CPU), if it is enabled."""
    if not enabled:
        return contextlib.nullcontext()
    usual = torch.float16 if as_on_cuda(device) else torch.bfloat16
    return torch.autocast("cuda" if as_on_cuda(device) else device.type, dtype=kind or usual)
