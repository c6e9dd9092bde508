"""A generator against a discriminator with spectral norm: two optimizers in one step."""
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.parametrizations import spectral_norm

from .place import Place
from .program import Program

SIZES = {
    "small": {"batch": 4, "width": 8, "doublings": 3},
    "real": {"batch": 1024, "width": 64, "doublings": 4},
}
LATENT = 100


def generator(width: int, doublings: int) -> nn.Sequential:
    """(batch, LATENT, 1, 1) to images of side 4 * 2^doublings."""
    now = width << (doublings - 1)
    layers: list[nn.Module] = [nn.ConvTranspose2d(LATENT, now, 4, bias=False), nn.BatchNorm2d(now),
                               nn.ReLU(True)]
    for _ in range(doublings - 1):
        layers += [nn.ConvTranspose2d(now, now // 2, 4, stride=2, padding=1, bias=False),
                   nn.BatchNorm2d(now // 2), nn.ReLU(True)]
        now //= 2
    return nn.Sequential(*layers, nn.ConvTranspose2d(now, 3, 4, stride=2, padding=1), nn.Tanh())


def discriminator(width: int, doublings: int) -> nn.Sequential:
    """Images to one logit each."""
    layers: list[nn.Module] = [spectral_norm(nn.Conv2d(3, width, 4, stride=2, padding=1)),
                               nn.LeakyReLU(0.2, inplace=True)]
    now = width
    for _ in range(doublings - 1):
        layers += [spectral_norm(nn.Conv2d(now, 2 * now, 4, stride=2, padding=1, bias=False)),
                   nn.BatchNorm2d(2 * now), nn.LeakyReLU(0.2, inplace=True)]
        now *= 2
    return nn.Sequential(*layers, spectral_norm(nn.Conv2d(now, 1, 4)), nn.Flatten(0))


def start(module: nn.Module) -> None:
    if isinstance(module, nn.ConvTranspose2d):
        nn.init.normal_(module.weight, 0.0, 0.02)
    elif isinstance(module, nn.BatchNorm2d):
        nn.init.normal_(module.weight, 1.0, 0.02)
        nn.init.zeros_(module.bias)


def build(device: str = "cpu", dtype: torch.dtype | None = None, batch: int | None = None,
          scale: str = "small") -> Program:
    size = SIZES[scale]
    batch = batch or size["batch"]
    place = Place(device, dtype)
    makes = place.module(generator(size["width"], size["doublings"]).apply(start))
    judges = place.module(discriminator(size["width"], size["doublings"]).apply(start))
    side = 4 << size["doublings"]
    images = place.normal(batch, 3, side, side).clamp_(-1, 1)
    options = {"lr": 2e-4, "betas": (0.5, 0.999)}
    made_by = torch.optim.Adam(makes.parameters(), **options)
    judged_by = torch.optim.Adam(judges.parameters(), **options)
    loss_of = F.binary_cross_entropy_with_logits

    def step() -> torch.Tensor:
        # The discriminator: real images first, then made ones that pass no gradient on.
        judges.zero_grad()
        logits = judges(images)
        on_real = loss_of(logits, torch.full_like(logits, 0.9))
        on_real.backward()
        latent = torch.randn(batch, LATENT, 1, 1, device=device, dtype=place.dtype)
        made = makes(latent)
        logits = judges(made.detach())
        on_made = loss_of(logits, torch.zeros_like(logits))
        on_made.backward()
        judged_by.step()
        # The generator: the new discriminator shall take its images for real ones.
        makes.zero_grad()
        logits = judges(made)
        loss = loss_of(logits, torch.ones_like(logits))
        loss.backward()
        made_by.step()
        return (on_real + on_made + loss).detach()

    return Program("gan", step, batch, {"generator": makes, "discriminator": judges},
                   (made_by, judged_by), (images,))
