"""A recommendation model: bags of embeddings, two perceptrons and the products of all pairs."""
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from .place import Place
from .program import Program

SIZES = {
    "small": {"batch": 32, "dense": 13, "width": 16, "bottom": (32,), "top": (64, 32),
              "tables": (100, 50, 10, 200)},
    "real": {"batch": 8192, "dense": 13, "width": 64, "bottom": (512, 256),
             "top": (1024, 1024, 512, 256),
             "tables": (1000000,) * 6 + (200000,) * 8 + (5000,) * 12},
}
LONGEST_BAG = 8


def perceptron(widths: list[int], last_is_linear: bool) -> nn.Sequential:
    layers: list[nn.Module] = []
    for inputs, outputs in zip(widths, widths[1:]):
        layers += [nn.Linear(inputs, outputs), nn.ReLU(inplace=True)]
    return nn.Sequential(*(layers[:-1] if last_is_linear else layers))


class DLRM(nn.Module):
    """Dense features (batch, n) and a bag of indices per table and sample to one logit each."""

    def __init__(self, dense: int, width: int, bottom: tuple[int, ...], top: tuple[int, ...],
                 tables: tuple[int, ...]) -> None:
        super().__init__()
        self.tables = nn.ModuleList(nn.EmbeddingBag(rows, width, mode="sum") for rows in tables)
        self.bottom = perceptron([dense, *bottom, width], last_is_linear=False)
        vectors = len(tables) + 1
        pairs = vectors * (vectors - 1) // 2
        self.top = perceptron([width + pairs, *top, 1], last_is_linear=True)
        rows, columns = torch.tril_indices(vectors, vectors, offset=-1)
        self.register_buffer("rows", rows)
        self.register_buffer("columns", columns)

    def forward(self, dense: torch.Tensor, indices: list[torch.Tensor], lengths: torch.Tensor
                ) -> torch.Tensor:
        bottom = self.bottom(dense)
        ends = lengths.cumsum(dim=1)
        offsets = ends - lengths
        vectors = [bottom] + [table(index, offset) for table, index, offset
                              in zip(self.tables, indices, offsets)]
        stacked = torch.stack(vectors, dim=1)
        products = torch.bmm(stacked, stacked.transpose(1, 2))[:, self.rows, self.columns]
        return self.top(torch.cat([bottom, products], dim=1)).squeeze(1)


def build(device: str = "cpu", dtype: torch.dtype | None = None, batch: int | None = None,
          scale: str = "small") -> Program:
    size = SIZES[scale]
    batch = batch or size["batch"]
    place = Place(device, dtype)
    tables = size["tables"]
    model = place.module(DLRM(size["dense"], size["width"], size["bottom"], size["top"], tables))
    dense = place.normal(batch, size["dense"])
    lengths = place.integers(LONGEST_BAG, len(tables), batch) + 1
    if place.device.type == "meta":  # no length is known: as many as there are on average
        totals = [batch * (LONGEST_BAG + 1) // 2] * len(tables)
    else:
        totals = lengths.sum(dim=1).tolist()
    indices = [place.integers(rows, total) for rows, total in zip(tables, totals)]
    clicked = place.integers(2, batch).to(place.dtype)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step() -> torch.Tensor:
        logits = model(torch.log1p(dense.abs()), indices, lengths)
        loss = F.binary_cross_entropy_with_logits(logits, clicked)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return Program("dlrm", step, batch, {"model": model}, (optimizer,),
                   (dense, lengths, *indices, clicked))
