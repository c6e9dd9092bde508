"""Gradient accumulation: a ConvNeXt-like classifier adds the gradients of micro-batches."""
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from .place import Place
from .program import Program

SIZES = {
    "small": {"batch": 8, "image": 32, "widths": (8, 16), "depths": (1, 1), "classes": 10},
    "real": {"batch": 128, "image": 224, "widths": (96, 192, 384, 768), "depths": (3, 3, 9, 3),
             "classes": 1000},
}


class Block(nn.Module):
    """A depthwise convolution, then a perceptron over channels that are last."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.depthwise = nn.Conv2d(width, width, 7, padding=3, groups=width)
        self.norm = nn.LayerNorm(width, eps=1e-6)
        self.rise, self.fall = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.gamma = nn.Parameter(torch.full((width,), 1e-2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.norm(self.depthwise(x).permute(0, 2, 3, 1))
        h = self.gamma * self.fall(F.gelu(self.rise(h)))
        return x + h.permute(0, 3, 1, 2)


class ChannelNorm(nn.LayerNorm):
    """Layer norm over the channels of (batch, channels, rows, columns)."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class ConvNet(nn.Module):
    """Images to logits."""

    def __init__(self, widths: tuple[int, ...], depths: tuple[int, ...], classes: int) -> None:
        super().__init__()
        stages: list[nn.Module] = []
        for index, (width, depth) in enumerate(zip(widths, depths)):
            if index == 0:
                stages += [nn.Conv2d(3, width, 4, stride=4), ChannelNorm(width)]
            else:
                stages += [ChannelNorm(widths[index - 1]),
                           nn.Conv2d(widths[index - 1], width, 2, stride=2)]
            stages += [Block(width) for _ in range(depth)]
        self.stages = nn.Sequential(*stages)
        self.norm = nn.LayerNorm(widths[-1])
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.norm(self.stages(x).mean([-2, -1])))


def build(device: str = "cpu", dtype: torch.dtype | None = None, batch: int | None = None,
          scale: str = "small", micro_batches: int = 4) -> Program:
    size = SIZES[scale]
    batch = batch or size["batch"]
    place = Place(device, dtype)
    model = place.module(ConvNet(size["widths"], size["depths"], size["classes"]))
    images = place.normal(batch, 3, size["image"], size["image"])
    labels = place.integers(size["classes"], batch)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=1000)

    def step() -> torch.Tensor:
        optimizer.zero_grad()
        total = torch.zeros((), device=device)
        for image, label in zip(images.chunk(micro_batches), labels.chunk(micro_batches)):
            loss = F.cross_entropy(model(image), label, label_smoothing=0.1) / micro_batches
            loss.backward()
            total += loss.detach()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        return total

    return Program("accumulation", step, batch, {"model": model}, (optimizer,), (images, labels))
