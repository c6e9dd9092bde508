"""Forecasts: a GRU reads the past, a GRU cell writes the future from its own answers."""
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from .place import Place
from .program import Program

SIZES = {
    "small": {"batch": 4, "past": 16, "future": 4, "channels": 3, "width": 16},
    "real": {"batch": 512, "past": 512, "future": 24, "channels": 32, "width": 512},
}


class Forecaster(nn.Module):
    """(batch, past, channels) to (batch, future, channels)."""

    def __init__(self, channels: int, width: int, future: int) -> None:
        super().__init__()
        self.future = future
        self.encoder = nn.GRU(channels, width, num_layers=2, batch_first=True, dropout=0.1)
        self.cell = nn.GRUCell(channels, width)
        self.query = nn.Linear(width, width)
        self.out = nn.Linear(2 * width, channels)

    def forward(self, past: torch.Tensor) -> torch.Tensor:
        memory, hidden = self.encoder(past)
        state, now, answers = hidden[-1], past[:, -1], []
        for _ in range(self.future):
            state = self.cell(now, state)
            scores = torch.bmm(memory, self.query(state).unsqueeze(2)).softmax(dim=1)
            read = (memory * scores).sum(dim=1)
            now = now + self.out(torch.cat([state, read], dim=-1))
            answers.append(now)
        return torch.stack(answers, dim=1)


def build(device: str = "cpu", dtype: torch.dtype | None = None, batch: int | None = None,
          scale: str = "small") -> Program:
    size = SIZES[scale]
    batch = batch or size["batch"]
    place = Place(device, dtype)
    model = place.module(Forecaster(size["channels"], size["width"], size["future"]))
    series = place.normal(batch, size["past"] + size["future"], size["channels"]).cumsum(dim=1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, amsgrad=True)

    def step() -> torch.Tensor:
        past, future = series.split([size["past"], size["future"]], dim=1)
        centre = past.mean(dim=1, keepdim=True)
        spread = past.std(dim=1, keepdim=True, unbiased=False) + 1e-5
        optimizer.zero_grad()
        answer = model((past - centre) / spread)
        loss = F.huber_loss(answer, (future - centre) / spread)
        loss.backward()
        torch.nn.utils.clip_grad_value_(model.parameters(), 1.0)
        optimizer.step()
        return loss.detach()

    return Program("gru", step, batch, {"model": model}, (optimizer,), (series,))
