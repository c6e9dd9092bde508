"""A masked language model that repeats its blocks in the backward pass instead of keeping them."""
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

from .place import Place
from .program import Program
from .versions import attention, autocast

SIZES = {
    "small": {"batch": 2, "length": 16, "width": 32, "heads": 2, "layers": 4, "words": 128,
              "autocast": False},
    "real": {"batch": 32, "length": 512, "width": 1024, "heads": 16, "layers": 24, "words": 30522,
             "autocast": True},
}


class Block(nn.Module):
    """Attention and a perceptron, each with a norm behind it and with dropout."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.rise, self.fall = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = self.qkv(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4).unbind(0)
        mixed = attention(q, k, v, dropout=0.1).transpose(1, 2).flatten(2)
        x = self.norm1(x + self.dropout(self.out(mixed)))
        return self.norm2(x + self.dropout(self.fall(F.gelu(self.rise(x)))))


class Encoder(nn.Module):
    """Tokens (batch, length) to logits (batch, length, words).

    The blocks take `forms` in turn: True and False are checkpoint's use_reentrant, None keeps what
    the block computed.
    """

    def __init__(self, words: int, length: int, width: int, heads: int, layers: int,
                 forms: tuple[bool | None, ...]) -> None:
        super().__init__()
        self.tokens, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        self.norm = nn.LayerNorm(width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.forms = forms
        self.head = nn.Linear(width, words)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.norm(self.tokens(tokens) + self.places.weight[: tokens.shape[1]])
        for index, block in enumerate(self.blocks):
            form = self.forms[index % len(self.forms)]
            x = block(x) if form is None else checkpoint(block, x, use_reentrant=form)
        return self.head(x)


def build(device: str = "cpu", dtype: torch.dtype | None = None, batch: int | None = None,
          scale: str = "small", forms: tuple[bool | None, ...] = (True, False)) -> Program:
    size = SIZES[scale]
    batch = batch or size["batch"]
    place = Place(device, dtype)
    model = place.module(Encoder(size["words"], size["length"], size["width"], size["heads"],
                                 size["layers"], forms))
    tokens = place.integers(size["words"], batch, size["length"])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, weight_decay=0.01)
    mask_word = 3

    def step() -> torch.Tensor:
        optimizer.zero_grad()
        masked = torch.rand(tokens.shape, device=device) < 0.15
        masked[:, 0] = True
        labels = tokens.masked_fill(~masked, -100)
        with autocast(place.device, torch.bfloat16, enabled=size["autocast"]):
            logits = model(tokens.masked_fill(masked, mask_word))
            loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten())
        loss.backward()
        optimizer.step()
        return loss.detach()

    return Program("checkpointing", step, batch, {"model": model}, (optimizer,), (tokens,))
