"""Inference: the decoder of llama.py writes one more token per sequence, with a cache of keys."""
from __future__ import annotations

import torch

from .llama import Llama, LlamaShape, SHAPES, llama_shape
from .place import Place
from .program import Program

SIZES = {
    "small": {"batch": 2, "context": 24, "shape": llama_shape(2, 64, 4, 2, 160, 200),
              "dtype": torch.float32},
    "real": {"batch": 16, "context": 2048, "shape": SHAPES["1b"], "dtype": torch.bfloat16},
}
ROOM = 64


def build(device: str = "cpu", dtype: torch.dtype | None = None, batch: int | None = None,
          scale: str = "small", shape: LlamaShape | str | None = None, context: int | None = None
          ) -> Program:
    """One decoding step behind `context` tokens; every step decodes at the same position."""
    size = SIZES[scale]
    batch, context = batch or size["batch"], context or size["context"]
    shape = SHAPES[shape] if isinstance(shape, str) else shape or size["shape"]
    place = Place(device, dtype or size["dtype"])
    model = Llama(shape, device=place.device, dtype=place.dtype).eval()
    caches = [place.normal(2, batch, shape.kv_heads, context + ROOM, model.head_width)
              for _ in range(shape.layers)]
    token = place.integers(shape.vocab, batch, 1)

    @torch.no_grad()
    def step() -> torch.Tensor:
        nonlocal token
        logits = model(token, caches, start=context)[:, -1]
        best, words = torch.topk(logits.float() / 0.8, k=8, dim=-1)
        order = best.softmax(dim=-1).cumsum(dim=-1)
        order[:, 0] = 0.0
        best = best.masked_fill(order > 0.95, -1e9)
        token = words.gather(-1, torch.multinomial(best.softmax(dim=-1), 1))
        return token

    return Program("decode", step, batch, {"model": model}, (), (token,), cache=lambda: caches,
                   context=context)
