"""Attention, experts of channels and a token mixer, all written with torch.einsum."""
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from .place import Place
from .program import Program

SIZES = {
    "small": {"batch": 2, "image": 32, "patch": 8, "width": 32, "heads": 4, "layers": 2},
    "real": {"batch": 64, "image": 256, "patch": 16, "width": 512, "heads": 8, "layers": 8},
}
CLASSES = 100


def weight(*shape: int) -> nn.Parameter:
    return nn.Parameter(torch.randn(shape) * 0.02)


class Mixer(nn.Module):
    """Tokens (b, t, d) to the same; odd blocks mix tokens by a matrix, even ones by attention."""

    def __init__(self, tokens: int, width: int, heads: int, attends: bool) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        each = width // heads
        self.attends = attends
        if attends:
            self.qkv, self.out = weight(3, width, heads, each), weight(heads, each, width)
            self.bias = weight(heads, tokens, tokens)
        else:
            self.mix_rise, self.mix_fall = weight(heads, tokens, 2 * tokens), weight(
                heads, 2 * tokens, tokens)
        self.heads = heads
        self.rise, self.gate = weight(heads, each, 4 * each), weight(heads, each, 4 * each)
        self.fall = weight(heads, 4 * each, width)

    def attend(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = torch.einsum("btd,sdhe->sbhte", x, self.qkv)
        scores = torch.einsum("bhie,bhje->bhij", q, k) * q.shape[-1] ** -0.5
        shares = (scores + self.bias).softmax(dim=-1)
        return torch.einsum("bhij,bhje,hed->bid", shares, v, self.out)

    def mix(self, x: torch.Tensor) -> torch.Tensor:
        grouped = x.unflatten(-1, (self.heads, -1))
        rows = F.gelu(torch.einsum("bthe,htm->bhem", grouped, self.mix_rise))
        return torch.einsum("bhem,hmt->bthe", rows, self.mix_fall).flatten(2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.norm1(x)
        x = x + (self.attend(h) if self.attends else self.mix(h))
        h = self.norm2(x).unflatten(-1, (self.heads, -1))
        gated = F.silu(torch.einsum("bthe,hef->bthf", h, self.gate))
        gated = gated * torch.einsum("bthe,hef->bthf", h, self.rise)
        return x + torch.einsum("bthf,hfd->btd", gated, self.fall)


class Network(nn.Module):
    """Images to logits."""

    def __init__(self, image: int, patch: int, width: int, heads: int, layers: int) -> None:
        super().__init__()
        tokens = (image // patch) ** 2
        self.patch = patch
        self.embed = weight(3, patch, patch, width)
        self.place = weight(tokens, width)
        self.blocks = nn.ModuleList(Mixer(tokens, width, heads, attends=index % 2 == 0)
                                    for index in range(layers))
        self.pool, self.head = weight(width), weight(width, CLASSES)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        pieces = images.unfold(2, self.patch, self.patch).unfold(3, self.patch, self.patch)
        x = torch.einsum("bcyxij,cijd->byxd", pieces, self.embed).flatten(1, 2) + self.place
        for block in self.blocks:
            x = block(x)
        shares = torch.einsum("btd,d->bt", x, self.pool).softmax(dim=-1)
        return torch.einsum("bt,btd,dc->bc", shares, x, self.head)


def build(device: str = "cpu", dtype: torch.dtype | None = None, batch: int | None = None,
          scale: str = "small") -> Program:
    size = SIZES[scale]
    batch = batch or size["batch"]
    place = Place(device, dtype)
    model = place.module(Network(size["image"], size["patch"], size["width"], size["heads"],
                                 size["layers"]))
    images = place.normal(batch, 3, size["image"], size["image"])
    labels = place.integers(CLASSES, batch)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    def step() -> torch.Tensor:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return Program("einsum_mixer", step, batch, {"model": model}, (optimizer,), (images, labels))
