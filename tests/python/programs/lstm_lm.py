"""A language model of two LSTM layers; the state goes from one piece of text to the next."""
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from .place import Place
from .program import Program

SIZES = {
    "small": {"batch": 4, "length": 12, "width": 32, "words": 200},
    "real": {"batch": 128, "length": 70, "width": 1500, "words": 33278},
}


class LanguageModel(nn.Module):
    """Tokens (length, batch) to logits (length * batch, words)."""

    def __init__(self, words: int, width: int, tied: bool, dropout: float = 0.5) -> None:
        super().__init__()
        self.drop = nn.Dropout(dropout)
        self.encoder = nn.Embedding(words, width)
        self.rnn = nn.LSTM(width, width, num_layers=2, dropout=dropout)
        self.decoder = nn.Linear(width, words)
        nn.init.uniform_(self.encoder.weight, -0.1, 0.1)
        nn.init.zeros_(self.decoder.bias)
        if tied:
            self.decoder.weight = self.encoder.weight

    def forward(self, tokens: torch.Tensor, state: tuple[torch.Tensor, torch.Tensor]
                ) -> tuple[torch.Tensor, tuple[torch.Tensor, torch.Tensor]]:
        output, state = self.rnn(self.drop(self.encoder(tokens)), state)
        logits = self.decoder(self.drop(output))
        return logits.view(-1, logits.shape[-1]), state


def build(device: str = "cpu", dtype: torch.dtype | None = None, batch: int | None = None,
          scale: str = "small", tied: bool = True) -> Program:
    size = SIZES[scale]
    batch = batch or size["batch"]
    place = Place(device, dtype)
    model = place.module(LanguageModel(size["words"], size["width"], tied))
    text = place.integers(size["words"], size["length"] + 1, batch)
    state = (torch.zeros(2, batch, size["width"], device=device, dtype=place.dtype),
             torch.zeros(2, batch, size["width"], device=device, dtype=place.dtype))
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)

    def step() -> torch.Tensor:
        nonlocal state
        state = (state[0].detach(), state[1].detach())
        optimizer.zero_grad()
        logits, state = model(text[:-1], state)
        loss = F.nll_loss(F.log_softmax(logits, dim=1), text[1:].reshape(-1))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        optimizer.step()
        return loss.detach()

    return Program("lstm_lm", step, batch, {"model": model}, (optimizer,), (text,))
