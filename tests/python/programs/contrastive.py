"""Images and texts in one space: two encoders, a learned temperature, cross-entropy both ways."""
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import nn

from .place import Place
from .program import Program

SIZES = {
    "small": {"batch": 4, "image": 32, "patch": 16, "length": 8, "width": 32, "heads": 2,
              "layers": 2, "words": 100},
    "real": {"batch": 128, "image": 224, "patch": 16, "length": 77, "width": 512, "heads": 8,
             "layers": 8, "words": 49408},
}


def transformer(width: int, heads: int, layers: int) -> nn.TransformerEncoder:
    layer = nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0.1, activation="gelu",
                                       batch_first=True, norm_first=True)
    return nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)


class ImageEncoder(nn.Module):
    """Images to vectors (batch, width)."""

    def __init__(self, image: int, patch: int, width: int, heads: int, layers: int) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, stride=patch, bias=False)
        self.first = nn.Parameter(torch.randn(width) * width ** -0.5)
        self.places = nn.Parameter(torch.randn((image // patch) ** 2 + 1, width) * 0.02)
        self.encoder = transformer(width, heads, layers)
        self.norm = nn.LayerNorm(width)
        self.project = nn.Parameter(torch.randn(width, width) * width ** -0.5)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        x = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat([self.first.expand(x.shape[0], 1, -1), x], dim=1) + self.places
        return self.norm(self.encoder(x)[:, 0]) @ self.project


class TextEncoder(nn.Module):
    """Tokens (batch, length) to vectors (batch, width); the highest token ends the text."""

    def __init__(self, words: int, length: int, width: int, heads: int, layers: int) -> None:
        super().__init__()
        self.tokens = nn.Embedding(words, width)
        self.places = nn.Parameter(torch.randn(length, width) * 0.01)
        self.encoder = transformer(width, heads, layers)
        self.norm = nn.LayerNorm(width)
        self.project = nn.Parameter(torch.randn(width, width) * width ** -0.5)
        self.register_buffer("mask", torch.full((length, length), -math.inf).triu_(1))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.encoder(self.tokens(tokens) + self.places, mask=self.mask)
        x = self.norm(x)
        ends = x[torch.arange(x.shape[0], device=x.device), tokens.argmax(dim=-1)]
        return ends @ self.project


class Clip(nn.Module):
    """The logits (batch, batch) of images against texts."""

    def __init__(self, images: ImageEncoder, texts: TextEncoder) -> None:
        super().__init__()
        self.images, self.texts = images, texts
        self.logit_scale = nn.Parameter(torch.tensor(math.log(1 / 0.07)))

    def forward(self, images: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
        seen = F.normalize(self.images(images), dim=-1)
        read = F.normalize(self.texts(tokens), dim=-1)
        return self.logit_scale.exp() * seen @ read.t()


def build(device: str = "cpu", dtype: torch.dtype | None = None, batch: int | None = None,
          scale: str = "small") -> Program:
    size = SIZES[scale]
    batch = batch or size["batch"]
    place = Place(device, dtype)
    inner = (size["width"], size["heads"], size["layers"])
    model = place.module(Clip(ImageEncoder(size["image"], size["patch"], *inner),
                              TextEncoder(size["words"], size["length"], *inner)))
    images = place.normal(batch, 3, size["image"], size["image"])
    tokens = place.integers(size["words"], batch, size["length"])
    plain = [each for each in model.parameters() if each.ndim < 2]
    decayed = [each for each in model.parameters() if each.ndim >= 2]
    optimizer = torch.optim.AdamW([{"params": plain, "weight_decay": 0.0},
                                   {"params": decayed, "weight_decay": 0.2}], lr=5e-4,
                                  betas=(0.9, 0.98), eps=1e-6)

    def step() -> torch.Tensor:
        optimizer.zero_grad()
        logits = model(images, tokens)
        labels = torch.arange(batch, device=device)
        loss = (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels)) / 2
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            model.logit_scale.clamp_(0, math.log(100))
        return loss.detach()

    return Program("contrastive", step, batch, {"model": model}, (optimizer,), (images, tokens))
