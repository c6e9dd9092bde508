"""Custom autograd functions in a VQ-VAE: a swish and a straight-through codebook."""
from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from .place import Place
from .program import Program

SIZES = {
    "small": {"batch": 2, "image": 32, "width": 16, "codes": 32},
    "real": {"batch": 32, "image": 256, "width": 128, "codes": 8192},
}


class SwishFunction(torch.autograd.Function):
    """x * sigmoid(x); the sigmoid is computed again in the backward pass."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x * torch.sigmoid(x)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        x, = ctx.saved_tensors
        gate = torch.sigmoid(x)
        return gradient * (gate * (1 + x * (1 - gate)))


class NearestCode(torch.autograd.Function):
    """Replaces each row of `x` (rows, width) with the nearest row of `codes`.

    Gives the rows and their indices. The gradient of the rows goes to `x` as it is.
    """

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, codes: torch.Tensor
                ) -> tuple[torch.Tensor, torch.Tensor]:
        distance = torch.addmm(codes.pow(2).sum(1), x, codes.t(), alpha=-2.0)
        index = distance.argmin(dim=1)
        ctx.mark_non_differentiable(index)
        return codes[index], index

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor, _: Any) -> tuple[torch.Tensor, None]:
        return gradient.clone(), None


class Swish(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return SwishFunction.apply(x)


class Autoencoder(nn.Module):
    """Images to images, over a grid of codes that is 8 times coarser."""

    def __init__(self, width: int, codes: int) -> None:
        super().__init__()
        def lower(inputs: int) -> list[nn.Module]:
            return [nn.Conv2d(inputs, width, 4, stride=2, padding=1), Swish()]

        def raised(outputs: int) -> list[nn.Module]:
            return [Swish(), nn.ConvTranspose2d(width, outputs, 4, stride=2, padding=1)]

        self.encoder = nn.Sequential(*lower(3), *lower(width), *lower(width),
                                     nn.Conv2d(width, width, 3, padding=1))
        self.decoder = nn.Sequential(nn.Conv2d(width, width, 3, padding=1), *raised(width),
                                     *raised(width), *raised(3))
        self.codes = nn.Embedding(codes, width)

    def forward(self, images: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        latent = self.encoder(images).permute(0, 2, 3, 1).contiguous()
        rows = latent.flatten(0, 2)
        quantised, index = NearestCode.apply(rows, self.codes.weight)
        nearest = self.codes(index)
        penalty = F.mse_loss(nearest, rows.detach()) + 0.25 * F.mse_loss(rows, nearest.detach())
        return self.decoder(quantised.view(latent.shape).permute(0, 3, 1, 2)), penalty


def build(device: str = "cpu", dtype: torch.dtype | None = None, batch: int | None = None,
          scale: str = "small") -> Program:
    size = SIZES[scale]
    batch = batch or size["batch"]
    place = Place(device, dtype)
    model = place.module(Autoencoder(size["width"], size["codes"]))
    images = place.normal(batch, 3, size["image"], size["image"])
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-4)

    def step() -> torch.Tensor:
        optimizer.zero_grad()
        copied, penalty = model(images)
        loss = F.l1_loss(copied, images) + penalty
        loss.backward()
        optimizer.step()
        return loss.detach()

    return Program("custom_function", step, batch, {"model": model}, (optimizer,), (images,))
