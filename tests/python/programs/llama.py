"""A decoder in the shape of Llama: RMSNorm, rotary positions, grouped heads, SwiGLU."""
from __future__ import annotations

import dataclasses
from typing import Any, Callable

import torch
import torch.nn.functional as F
from torch import nn

from .place import Place
from .program import Program
from .versions import attention


@dataclasses.dataclass(frozen=True)
class LlamaShape:
    """Sizes of a decoder; `heads` share `kv_heads` keys and values."""

    layers: int
    width: int
    heads: int
    kv_heads: int
    ffn: int
    vocab: int


def llama_shape(layers: int, width: int, heads: int, kv_heads: int, ffn: int, vocab: int
                ) -> LlamaShape:
    """A shape of one's own; SHAPES has the usual ones."""
    return LlamaShape(layers, width, heads, kv_heads, ffn, vocab)


SHAPES = {
    "1b": llama_shape(16, 2048, 32, 8, 8192, 128256),
    "8b": llama_shape(32, 4096, 32, 8, 14336, 128256),
    "70b": llama_shape(80, 8192, 64, 8, 28672, 128256),
}
SIZES = {
    "small": {"batch": 2, "length": 16, "shape": llama_shape(2, 64, 4, 2, 160, 200),
              "dtype": torch.float32},
    "real": {"batch": 2, "length": 2048, "shape": llama_shape(8, 2048, 16, 4, 5632, 32000),
             "dtype": torch.bfloat16},
}


class RMSNorm(nn.Module):
    """Root-mean-square norm over the last extent, computed in float32."""

    def __init__(self, width: int, **options: Any) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width, **options))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        wide = x.float()
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5)
        return self.weight * wide.to(x.dtype)


def rotary(positions: torch.Tensor, width: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Cosines and sines (length, width) of rotary positions."""
    rates = 1.0 / 500000 ** (torch.arange(0, width, 2, device=positions.device) / width)
    angles = torch.outer(positions.float(), rates)
    angles = torch.cat([angles, angles], dim=-1)
    return angles.cos(), angles.sin()


def rotate(x: torch.Tensor, turn: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
    first, second = x.chunk(2, dim=-1)
    cosines, sines = (each.to(x.dtype) for each in turn)
    return x * cosines + torch.cat([-second, first], dim=-1) * sines


class Attention(nn.Module):
    """Causal attention; it writes to and reads a cache (2, batch, kv_heads, room, width)."""

    def __init__(self, shape: LlamaShape, **options: Any) -> None:
        super().__init__()
        self.each = shape.width // shape.heads
        self.groups = shape.heads // shape.kv_heads
        narrow = self.each * shape.kv_heads
        self.q_proj = nn.Linear(shape.width, shape.width, bias=False, **options)
        self.k_proj = nn.Linear(shape.width, narrow, bias=False, **options)
        self.v_proj = nn.Linear(shape.width, narrow, bias=False, **options)
        self.o_proj = nn.Linear(shape.width, shape.width, bias=False, **options)

    def forward(self, x: torch.Tensor, turn: tuple[torch.Tensor, torch.Tensor],
                cache: torch.Tensor | None, start: int) -> torch.Tensor:
        q, k, v = (project(x).unflatten(-1, (-1, self.each)).transpose(1, 2)
                   for project in (self.q_proj, self.k_proj, self.v_proj))
        q, k = rotate(q, turn), rotate(k, turn)
        if cache is not None:
            end = start + x.shape[1]
            cache[0, :, :, start:end] = k
            cache[1, :, :, start:end] = v
            k, v = cache[:, :, :, :end].unbind(0)
        k, v = (each[:, :, None].expand(-1, -1, self.groups, -1, -1).flatten(1, 2)
                for each in (k, v))
        mixed = attention(q, k, v, causal=cache is None)
        return self.o_proj(mixed.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, shape: LlamaShape, **options: Any) -> None:
        super().__init__()
        self.input_norm = RMSNorm(shape.width, **options)
        self.attention = Attention(shape, **options)
        self.ffn_norm = RMSNorm(shape.width, **options)
        self.gate_proj = nn.Linear(shape.width, shape.ffn, bias=False, **options)
        self.up_proj = nn.Linear(shape.width, shape.ffn, bias=False, **options)
        self.down_proj = nn.Linear(shape.ffn, shape.width, bias=False, **options)

    def forward(self, x: torch.Tensor, turn: tuple[torch.Tensor, torch.Tensor],
                cache: torch.Tensor | None, start: int) -> torch.Tensor:
        x = x + self.attention(self.input_norm(x), turn, cache, start)
        h = self.ffn_norm(x)
        return x + self.down_proj(F.silu(self.gate_proj(h)) * self.up_proj(h))


class Llama(nn.Module):
    """Tokens (batch, length) to logits (batch, length, vocab)."""

    def __init__(self, shape: LlamaShape, **options: Any) -> None:
        super().__init__()
        self.head_width = shape.width // shape.heads
        self.embed = nn.Embedding(shape.vocab, shape.width, **options)
        self.layers = nn.ModuleList(Block(shape, **options) for _ in range(shape.layers))
        self.norm = RMSNorm(shape.width, **options)
        self.head = nn.Linear(shape.width, shape.vocab, bias=False, **options)

    def forward(self, tokens: torch.Tensor, caches: list[torch.Tensor] | None = None,
                start: int = 0) -> torch.Tensor:
        x = self.embed(tokens)
        positions = torch.arange(start, start + tokens.shape[1], device=tokens.device)
        turn = rotary(positions, self.head_width)
        for index, layer in enumerate(self.layers):
            x = layer(x, turn, caches[index] if caches else None, start)
        return self.head(self.norm(x))


def training_step(model: nn.Module, tokens: torch.Tensor, rule: torch.optim.Optimizer
                  ) -> Callable[[], torch.Tensor]:
    """Learns to tell each token from those before it."""
    def step() -> torch.Tensor:
        rule.zero_grad()
        logits = model(tokens)[:, :-1].float()
        loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
        loss.backward()
        rule.step()
        return loss.detach()

    return step


def build(device: str = "cpu", dtype: torch.dtype | None = None, batch: int | None = None,
          scale: str = "small", shape: LlamaShape | str | None = None, length: int | None = None,
          optimizer: str = "AdamW") -> Program:
    """A training step; `shape` may be a name in SHAPES, `optimizer` is a class of torch.optim."""
    size = SIZES[scale]
    batch, length = batch or size["batch"], length or size["length"]
    shape = SHAPES[shape] if isinstance(shape, str) else shape or size["shape"]
    place = Place(device, dtype or size["dtype"])
    model = Llama(shape, device=place.device, dtype=place.dtype)
    tokens = place.integers(shape.vocab, batch, length)
    rule = getattr(torch.optim, optimizer)(model.parameters(), lr=1e-3)
    return Program("llama", training_step(model, tokens, rule), batch, {"model": model}, (rule,),
                   (tokens,))
