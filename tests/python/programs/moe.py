"""A mixture of experts: each token goes to its two best of some experts, by indices or densely."""
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from .place import Place
from .program import Program
from .versions import attention

SIZES = {
    "small": {"batch": 2, "length": 16, "width": 32, "heads": 2, "layers": 2, "experts": 4,
              "words": 100},
    "real": {"batch": 8, "length": 512, "width": 1024, "heads": 16, "layers": 4, "experts": 8,
             "words": 32000},
}
CHOSEN = 2


class Expert(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.gate, self.rise = nn.Linear(width, 3 * width), nn.Linear(width, 3 * width)
        self.fall = nn.Linear(3 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fall(F.silu(self.gate(x)) * self.rise(x))


class Experts(nn.Module):
    """Tokens (count, width) to the same, and a loss that keeps the experts equally busy.

    `dense`: every expert computes every token, and results that were not chosen get weight 0. Else
    an expert computes the tokens that chose it; their number depends on the data.
    """

    def __init__(self, width: int, experts: int, dense: bool) -> None:
        super().__init__()
        self.router = nn.Linear(width, experts, bias=False)
        self.experts = nn.ModuleList(Expert(width) for _ in range(experts))
        self.dense = dense

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        shares = self.router(x).float().softmax(dim=-1)
        best, chosen = torch.topk(shares, CHOSEN, dim=-1)
        best = (best / best.sum(dim=-1, keepdim=True)).to(x.dtype)
        picked = F.one_hot(chosen, len(self.experts))
        busy = picked.sum(dim=1).float().mean(dim=0)
        balance = len(self.experts) * (busy * shares.mean(dim=0)).sum() / CHOSEN
        result = torch.zeros_like(x)
        if self.dense:
            weights = torch.zeros_like(shares, dtype=x.dtype).scatter(1, chosen, best)
            for index, expert in enumerate(self.experts):
                result = result + weights[:, index, None] * expert(x)
        else:
            for index, expert in enumerate(self.experts):
                token, place = torch.where(chosen == index)
                if token.numel() == 0:
                    continue
                result.index_add_(0, token, expert(x[token]) * best[token, place, None])
        return result, balance


class Block(nn.Module):
    def __init__(self, width: int, heads: int, experts: int, dense: bool) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.experts = Experts(width, experts, dense)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        q, k, v = (each.unflatten(-1, (self.heads, -1)).transpose(1, 2)
                   for each in self.qkv(self.norm1(x)).chunk(3, dim=-1))
        x = x + self.out(attention(q, k, v, causal=True).transpose(1, 2).flatten(2))
        mixed, balance = self.experts(self.norm2(x).flatten(0, 1))
        return x + mixed.view_as(x), balance


class Decoder(nn.Module):
    """Tokens (batch, length) to logits and the sum of the balancing losses."""

    def __init__(self, words: int, length: int, width: int, heads: int, layers: int, experts: int,
                 dense: bool) -> None:
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.places = nn.Parameter(torch.randn(length, width) * 0.02)
        self.blocks = nn.ModuleList(Block(width, heads, experts, dense) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, words, bias=False)

    def forward(self, tokens: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x = self.embed(tokens) + self.places
        balances = []
        for block in self.blocks:
            x, balance = block(x)
            balances.append(balance)
        return self.head(self.norm(x)), torch.stack(balances).sum()


def build(device: str = "cpu", dtype: torch.dtype | None = None, batch: int | None = None,
          scale: str = "small", dense: bool = False) -> Program:
    size = SIZES[scale]
    batch = batch or size["batch"]
    place = Place(device, dtype)
    model = place.module(Decoder(size["words"], size["length"], size["width"], size["heads"],
                                 size["layers"], size["experts"], dense))
    tokens = place.integers(size["words"], batch, size["length"])
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)

    def step() -> torch.Tensor:
        optimizer.zero_grad()
        logits, balance = model(tokens)
        loss = F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())
        (loss + 0.01 * balance).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.detach()

    return Program("moe_dense" if dense else "moe", step, batch, {"model": model}, (optimizer,),
                   (tokens,))
