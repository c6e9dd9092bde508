"""Low-rank adapters: a decoder with frozen weights; only the small matrices that are added train."""
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import nn

from .place import Place
from .program import Program
from .versions import attention

SIZES = {
    "small": {"batch": 2, "length": 16, "width": 64, "heads": 4, "layers": 2, "words": 128,
              "rank": 4, "dtype": torch.float32},
    "real": {"batch": 4, "length": 1024, "width": 2048, "heads": 16, "layers": 12, "words": 32000,
             "rank": 16, "dtype": torch.bfloat16},
}


class Adapted(nn.Module):
    """A frozen linear layer with a trained product of two thin matrices added to it."""

    def __init__(self, inputs: int, outputs: int, rank: int) -> None:
        super().__init__()
        self.base = nn.Linear(inputs, outputs, bias=False)
        self.base.weight.requires_grad_(False)
        self.dropout = nn.Dropout(0.05)
        self.lora_a = nn.Parameter(torch.empty(rank, inputs))
        self.lora_b = nn.Parameter(torch.zeros(outputs, rank))
        self.scale = 2.0
        nn.init.kaiming_uniform_(self.lora_a, a=math.sqrt(5))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        beside = F.linear(F.linear(self.dropout(x), self.lora_a), self.lora_b)
        return self.base(x) + beside * self.scale


class Block(nn.Module):
    """Causal attention and a perceptron, each with a norm before it."""

    def __init__(self, width: int, heads: int, rank: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.q, self.v = Adapted(width, width, rank), Adapted(width, width, rank)
        self.k, self.out = nn.Linear(width, width), nn.Linear(width, width)
        self.rise, self.fall = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def split(self, x: torch.Tensor) -> torch.Tensor:
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.norm1(x)
        mixed = attention(self.split(self.q(h)), self.split(self.k(h)), self.split(self.v(h)),
                          causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(x.shape))
        return x + self.fall(F.gelu(self.rise(self.norm2(x))))


class Decoder(nn.Module):
    """Tokens (batch, length) to logits (batch, length, words)."""

    def __init__(self, words: int, length: int, width: int, heads: int, layers: int, rank: int
                 ) -> None:
        super().__init__()
        self.tokens, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, heads, rank) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, words, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.tokens(tokens) + self.places(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def build(device: str = "cpu", dtype: torch.dtype | None = None, batch: int | None = None,
          scale: str = "small") -> Program:
    size = SIZES[scale]
    batch = batch or size["batch"]
    place = Place(device, dtype or size["dtype"])
    model = place.module(Decoder(size["words"], size["length"], size["width"], size["heads"],
                                 size["layers"], size["rank"]))
    for name, parameter in model.named_parameters():
        parameter.requires_grad_("lora_" in name)
    trained = [each for each in model.parameters() if each.requires_grad]
    tokens = place.integers(size["words"], batch, size["length"])
    optimizer = torch.optim.AdamW(trained, lr=2e-4)

    def step() -> torch.Tensor:
        logits = model(tokens)[:, :-1].float()
        loss = F.cross_entropy(logits.reshape(-1, logits.shape[-1]), tokens[:, 1:].reshape(-1))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss.detach()

    return Program("lora", step, batch, {"model": model}, (optimizer,), (tokens,))
