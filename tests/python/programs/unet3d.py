"""Segmentation of volumes: a 3-d U-Net with dice and cross-entropy at two resolutions."""
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from .place import Place
from .program import Program

SIZES = {
    "small": {"batch": 1, "side": 16, "widths": (8, 16, 32), "classes": 3},
    "real": {"batch": 2, "side": 128, "widths": (32, 64, 128, 256, 320), "classes": 3},
}


def convolutions(inputs: int, outputs: int, stride: int = 1) -> nn.Sequential:
    layers: list[nn.Module] = []
    for index in range(2):
        layers += [nn.Conv3d(outputs if index else inputs, outputs, 3,
                             stride=1 if index else stride, padding=1, bias=False),
                   nn.InstanceNorm3d(outputs, affine=True), nn.LeakyReLU(0.01, inplace=True)]
    return nn.Sequential(*layers)


class UNet3d(nn.Module):
    """(batch, 1, side, side, side) to logits at full and at half resolution."""

    def __init__(self, widths: tuple[int, ...], classes: int) -> None:
        super().__init__()
        self.down = nn.ModuleList([convolutions(1, widths[0])])
        self.lift, self.up = nn.ModuleList(), nn.ModuleList()
        for above, below in zip(widths, widths[1:]):
            self.down.append(convolutions(above, below, stride=2))
        for above, below in reversed(list(zip(widths, widths[1:]))):
            self.lift.append(nn.ConvTranspose3d(below, above, 2, stride=2))
            self.up.append(convolutions(2 * above, above))
        self.heads = nn.ModuleList(nn.Conv3d(width, classes, 1) for width in widths[1::-1])

    def forward(self, x: torch.Tensor) -> list[torch.Tensor]:
        skips, wide = [], []
        for block in self.down:
            x = block(x)
            skips.append(x)
        x = skips.pop()
        for lift, block in zip(self.lift, self.up):
            x = block(torch.cat([lift(x), skips.pop()], dim=1))
            wide.append(x)
        return [head(each) for head, each in zip(self.heads, wide[-2:])]


def dice_loss(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """1 - dice, the mean over classes except the background (class 0)."""
    share = logits.softmax(dim=1)
    truth = F.one_hot(target, logits.shape[1]).movedim(-1, 1).to(share.dtype)
    axes = (0, 2, 3, 4)
    common = (share * truth).sum(axes)
    dice = (2 * common + 1) / (share.sum(axes) + truth.sum(axes) + 1).clamp(min=1e-5)
    return 1 - dice[1:].mean()


def build(device: str = "cpu", dtype: torch.dtype | None = None, batch: int | None = None,
          scale: str = "small") -> Program:
    size = SIZES[scale]
    batch, side = batch or size["batch"], size["side"]
    place = Place(device, dtype)
    model = place.module(UNet3d(size["widths"], size["classes"]))
    volumes = place.normal(batch, 1, side, side, side)
    labels = place.integers(size["classes"], batch, side, side, side)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.99, nesterov=True,
                                weight_decay=3e-5)

    def step() -> torch.Tensor:
        optimizer.zero_grad()
        loss = torch.zeros((), device=device)
        for weight, logits in zip((1 / 3, 2 / 3), model(volumes)):
            coarse = F.interpolate(labels[:, None].float(), size=logits.shape[2:], mode="nearest")
            target = coarse[:, 0].long()
            loss = loss + weight * (dice_loss(logits, target) + F.cross_entropy(logits, target))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 12)
        optimizer.step()
        return loss.detach()

    return Program("unet3d", step, batch, {"model": model}, (optimizer,), (volumes, labels))
