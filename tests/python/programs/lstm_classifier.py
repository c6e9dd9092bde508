"""Texts of different lengths to classes: a packed bidirectional LSTM, pooled by maximum."""
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from .place import Place
from .program import Program

SIZES = {
    "small": {"batch": 4, "length": 12, "width": 16, "words": 100, "classes": 4},
    "real": {"batch": 256, "length": 256, "width": 512, "words": 30000, "classes": 20},
}


class Classifier(nn.Module):
    """Tokens (batch, length) and their lengths (on the CPU) to logits."""

    def __init__(self, words: int, width: int, classes: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(words, width, padding_idx=0)
        self.rnn = nn.LSTM(width, width, batch_first=True, bidirectional=True)
        self.drop = nn.Dropout(0.3)
        self.out = nn.Linear(4 * width, classes)

    def forward(self, tokens: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        packed = pack_padded_sequence(self.embed(tokens), lengths, batch_first=True,
                                      enforce_sorted=False)
        output, (hidden, _) = self.rnn(packed)
        output, _ = pad_packed_sequence(output, batch_first=True, padding_value=-1e4)
        last = torch.cat([hidden[0], hidden[1]], dim=-1)
        return self.out(self.drop(torch.cat([output.max(dim=1).values, last], dim=-1)))


def build(device: str = "cpu", dtype: torch.dtype | None = None, batch: int | None = None,
          scale: str = "small") -> Program:
    size = SIZES[scale]
    batch, length = batch or size["batch"], size["length"]
    place = Place(device, dtype)
    model = place.module(Classifier(size["words"], size["width"], size["classes"]))
    lengths = torch.randint(length // 2, length + 1, (batch,))
    lengths[0] = length
    padding = (torch.arange(length) >= lengths[:, None]).to(device)
    tokens = place.integers(size["words"], batch, length).clamp_(min=1).masked_fill_(padding, 0)
    labels = place.integers(size["classes"], batch)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)

    def step() -> torch.Tensor:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(tokens, lengths), labels)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return Program("lstm_classifier", step, batch, {"model": model}, (optimizer,),
                   (tokens, lengths, labels))
