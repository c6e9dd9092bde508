"""ViT-B/16, with the shapes and module names of torchvision's."""
from __future__ import annotations

from collections import OrderedDict

import torch
import torch.nn.functional as F
from torch import nn

from .place import Place
from .program import Program

SIZES = {"small": {"batch": 1, "image": 48}, "real": {"batch": 64, "image": 224}}
CLASSES, PATCH, WIDTH, LAYERS, HEADS = 1000, 16, 768, 12, 12


class EncoderBlock(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.ln_1 = nn.LayerNorm(WIDTH, eps=1e-6)
        self.self_attention = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
        self.dropout = nn.Dropout(0.0)
        self.ln_2 = nn.LayerNorm(WIDTH, eps=1e-6)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Dropout(0.0),
                                 nn.Linear(4 * WIDTH, WIDTH), nn.Dropout(0.0))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.ln_1(x)
        h, _ = self.self_attention(h, h, h, need_weights=False)
        x = x + self.dropout(h)
        return x + self.mlp(self.ln_2(x))


class Encoder(nn.Module):
    def __init__(self, tokens: int) -> None:
        super().__init__()
        self.pos_embedding = nn.Parameter(torch.randn(1, tokens, WIDTH) * 0.02)
        self.dropout = nn.Dropout(0.0)
        self.layers = nn.Sequential(OrderedDict(
            (f"encoder_layer_{index}", EncoderBlock()) for index in range(LAYERS)))
        self.ln = nn.LayerNorm(WIDTH, eps=1e-6)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.ln(self.layers(self.dropout(x + self.pos_embedding)))


class VisionTransformer(nn.Module):
    """Images (batch, 3, image, image) to logits."""

    def __init__(self, image: int) -> None:
        super().__init__()
        self.conv_proj = nn.Conv2d(3, WIDTH, PATCH, stride=PATCH)
        self.class_token = nn.Parameter(torch.zeros(1, 1, WIDTH))
        self.encoder = Encoder((image // PATCH) ** 2 + 1)
        self.heads = nn.Sequential(OrderedDict(head=nn.Linear(WIDTH, CLASSES)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.conv_proj(x).flatten(2).permute(0, 2, 1)
        x = torch.cat([self.class_token.expand(x.shape[0], -1, -1), x], dim=1)
        return self.heads(self.encoder(x)[:, 0])


def build(device: str = "cpu", dtype: torch.dtype | None = None, batch: int | None = None,
          scale: str = "small", image: int | None = None) -> Program:
    size = SIZES[scale]
    batch, image = batch or size["batch"], image or size["image"]
    place = Place(device, dtype)
    model = place.module(VisionTransformer(image))
    images = place.normal(batch, 3, image, image)
    labels = place.integers(CLASSES, batch)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, weight_decay=0.05)

    def step() -> torch.Tensor:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images), labels, label_smoothing=0.1)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return Program("vit_b_16", step, batch, {"model": model}, (optimizer,), (images, labels))
