"""Noise is taken out of sound: a 1-d U-Net of dilated convolutions, with a loss on spectrograms."""
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from .place import Place
from .program import Program
from .versions import weight_norm

SIZES = {
    "small": {"batch": 2, "samples": 1024, "widths": (8, 16), "windows": (64, 128)},
    "real": {"batch": 16, "samples": 65536, "widths": (64, 128, 256, 512),
             "windows": (512, 1024, 2048)},
}


class Residual(nn.Module):
    def __init__(self, width: int, dilation: int) -> None:
        super().__init__()
        self.wide = weight_norm(nn.Conv1d(width, 2 * width, 3, padding=dilation, dilation=dilation))
        self.narrow = weight_norm(nn.Conv1d(width, width, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.narrow(F.glu(self.wide(F.elu(x)), dim=1))


class Denoiser(nn.Module):
    """Sound (batch, 1, samples) to the same."""

    def __init__(self, widths: tuple[int, ...]) -> None:
        super().__init__()
        self.first = nn.Conv1d(1, widths[0], 7, padding=3, padding_mode="reflect")
        self.down, self.up = nn.ModuleList(), nn.ModuleList()
        for above, below in zip(widths, widths[1:]):
            self.down.append(nn.Sequential(Residual(above, 1), Residual(above, 3), nn.ELU(),
                                           nn.Conv1d(above, below, 8, stride=4, padding=2)))
            self.up.insert(0, nn.Sequential(
                nn.ELU(), nn.ConvTranspose1d(below, above, 8, stride=4, padding=2),
                Residual(above, 1), Residual(above, 3)))
        self.last = nn.Conv1d(widths[0], 1, 7, padding=3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.first(x)
        skips = []
        for block in self.down:
            skips.append(x)
            x = block(x)
        for block in self.up:
            x = block(x) + skips.pop()
        return torch.tanh(self.last(x))


def spectral_loss(made: torch.Tensor, true: torch.Tensor, window: torch.Tensor) -> torch.Tensor:
    """Differences of the magnitudes of two spectrograms, and of their logarithms."""
    length = window.shape[0]
    made, true = (torch.stft(each.float(), length, length // 4, window=window, return_complex=True
                             ).abs().clamp(min=1e-5) for each in (made, true))
    return torch.norm(true - made) / torch.norm(true) + F.l1_loss(made.log(), true.log())


def build(device: str = "cpu", dtype: torch.dtype | None = None, batch: int | None = None,
          scale: str = "small") -> Program:
    size = SIZES[scale]
    batch = batch or size["batch"]
    place = Place(device, dtype)
    model = place.module(Denoiser(size["widths"]))
    sound = place.normal(batch, 1, size["samples"]).cumsum(dim=-1)
    sound /= sound.abs().amax(dim=-1, keepdim=True)
    windows = [torch.hann_window(length, device=device) for length in size["windows"]]
    optimizer = torch.optim.NAdam(model.parameters(), lr=3e-4)

    def step() -> torch.Tensor:
        optimizer.zero_grad()
        clean = model(sound + 0.1 * torch.randn_like(sound))
        loss = F.l1_loss(clean, sound)
        for window in windows:
            loss = loss + 0.1 * spectral_loss(clean.squeeze(1), sound.squeeze(1), window)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return Program("conv1d", step, batch, {"model": model}, (optimizer,), (sound,))
