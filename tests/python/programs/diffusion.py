"""A diffusion model: a U-Net learns to find the noise in images; its weights are averaged."""
from __future__ import annotations

import copy
import math

import torch
import torch.nn.functional as F
from torch import nn

from .place import Place
from .program import Program

SIZES = {
    "small": {"batch": 2, "image": 16, "width": 16, "multiples": (1, 2), "heads": 2},
    "real": {"batch": 32, "image": 64, "width": 128, "multiples": (1, 2, 3, 4), "heads": 4},
}
TIMES = 1000


class ResBlock(nn.Module):
    """Two convolutions; the time scales and shifts what is between them."""

    def __init__(self, inputs: int, outputs: int, time_width: int) -> None:
        super().__init__()
        self.norm1 = nn.GroupNorm(8, inputs)
        self.conv1 = nn.Conv2d(inputs, outputs, 3, padding=1)
        self.time = nn.Linear(time_width, 2 * outputs)
        self.norm2 = nn.GroupNorm(8, outputs)
        self.dropout = nn.Dropout(0.1)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1)
        self.skip = nn.Conv2d(inputs, outputs, 1) if inputs != outputs else nn.Identity()

    def forward(self, x: torch.Tensor, time: torch.Tensor) -> torch.Tensor:
        h = self.conv1(F.silu(self.norm1(x)))
        scale, shift = self.time(F.silu(time))[:, :, None, None].chunk(2, dim=1)
        h = self.norm2(h) * (1 + scale) + shift
        return self.skip(x) + self.conv2(self.dropout(F.silu(h)))


class Attention(nn.Module):
    """Self-attention over the pixels of an image."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm = nn.GroupNorm(8, width)
        self.qkv = nn.Conv1d(width, 3 * width, 1)
        self.out = nn.Conv1d(width, width, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, width, height, columns = x.shape
        flat = x.reshape(batch, width, -1)
        q, k, v = self.qkv(self.norm(flat)).reshape(batch * self.heads, -1,
                                                    flat.shape[-1]).chunk(3, dim=1)
        weights = torch.bmm(q.transpose(1, 2) * q.shape[1] ** -0.5, k).softmax(dim=-1)
        mixed = torch.bmm(v, weights.transpose(1, 2)).reshape(batch, width, -1)
        return (flat + self.out(mixed)).reshape(batch, width, height, columns)


class UNet(nn.Module):
    """Two blocks on the way down, three on the way up; attention at the two lowest resolutions."""

    def __init__(self, width: int, multiples: tuple[int, ...], heads: int) -> None:
        super().__init__()
        self.width = width
        time = 4 * width
        self.time = nn.Sequential(nn.Linear(width, time), nn.SiLU(), nn.Linear(time, time))
        self.head = nn.Conv2d(3, width, 3, padding=1)
        self.down, self.up = nn.ModuleList(), nn.ModuleList()
        skips, now = [width], width
        for level, multiple in enumerate(multiples):
            attends = level >= len(multiples) - 2 and level > 0
            for _ in range(2):
                block = nn.ModuleList([ResBlock(now, width * multiple, time)])
                now = width * multiple
                if attends:
                    block.append(Attention(now, heads))
                self.down.append(block)
                skips.append(now)
            if level + 1 < len(multiples):
                self.down.append(nn.ModuleList([nn.Conv2d(now, now, 3, stride=2, padding=1)]))
                skips.append(now)
        self.middle = nn.ModuleList([ResBlock(now, now, time), Attention(now, heads),
                                     ResBlock(now, now, time)])
        for level, multiple in reversed(list(enumerate(multiples))):
            for index in range(3):
                block = nn.ModuleList([ResBlock(now + skips.pop(), width * multiple, time)])
                now = width * multiple
                if level >= len(multiples) - 2 and level > 0:
                    block.append(Attention(now, heads))
                if index == 2 and level > 0:
                    block.append(nn.Conv2d(now, now, 3, padding=1))
                self.up.append(block)
        self.norm = nn.GroupNorm(8, now)
        self.out = nn.Conv2d(now, 3, 3, padding=1)

    def embed(self, time: torch.Tensor) -> torch.Tensor:
        half = self.width // 2
        rates = torch.exp(-math.log(10000) * torch.arange(half, device=time.device) / half)
        angles = time[:, None].float() * rates[None]
        embedded = torch.cat([angles.cos(), angles.sin()], dim=-1)
        return self.time(embedded.to(self.head.weight.dtype))

    def run(self, block: nn.ModuleList, x: torch.Tensor, time: torch.Tensor,
            upwards: bool = False) -> torch.Tensor:
        for layer in block:
            if upwards and isinstance(layer, nn.Conv2d):
                x = F.interpolate(x, scale_factor=2.0, mode="nearest")
            x = layer(x, time) if isinstance(layer, ResBlock) else layer(x)
        return x

    def forward(self, x: torch.Tensor, time: torch.Tensor) -> torch.Tensor:
        time = self.embed(time)
        x = self.head(x)
        skips = [x]
        for block in self.down:
            x = self.run(block, x, time)
            skips.append(x)
        x = self.run(self.middle, x, time)
        for block in self.up:
            x = self.run(block, torch.cat([x, skips.pop()], dim=1), time, upwards=True)
        return self.out(F.silu(self.norm(x)))


def build(device: str = "cpu", dtype: torch.dtype | None = None, batch: int | None = None,
          scale: str = "small") -> Program:
    size = SIZES[scale]
    batch = batch or size["batch"]
    place = Place(device, dtype)
    model = place.module(UNet(size["width"], size["multiples"], size["heads"]))
    average = copy.deepcopy(model).requires_grad_(False)
    images = place.normal(batch, 3, size["image"], size["image"])
    kept = torch.cumprod(1 - torch.linspace(1e-4, 0.02, TIMES, device=device), dim=0)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, weight_decay=0.01)

    def step() -> torch.Tensor:
        optimizer.zero_grad()
        time = torch.randint(0, TIMES, (batch,), device=device)
        noise = torch.randn_like(images)
        signal = kept[time].view(-1, 1, 1, 1).to(images.dtype)
        noisy = signal.sqrt() * images + (1 - signal).sqrt() * noise
        predicted = model(noisy, time)
        ratio = signal / (1 - signal)
        weight = torch.where(ratio > 5, 5 / ratio, torch.ones_like(ratio)).flatten()
        loss = (F.mse_loss(predicted, noise, reduction="none").mean(dim=(1, 2, 3)) * weight).mean()
        spectrum = torch.fft.rfft2((predicted - noise).float(), norm="ortho")
        loss = loss + 0.01 * torch.log1p(spectrum.abs()).mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        with torch.no_grad():
            for slow, fast in zip(average.parameters(), model.parameters()):
                slow.lerp_(fast, 0.001)
        return loss.detach()

    return Program("diffusion", step, batch, {"model": model, "average": average}, (optimizer,),
                   (images,))
