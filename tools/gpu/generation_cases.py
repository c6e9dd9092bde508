"""The cases that generation.py measures: models, phases and sizes, as data.

The models are those of tests/python/programs/configs. Each kind of weights of a model is a group,
which is built once.
"""
from __future__ import annotations

import dataclasses
from typing import Iterator

_BF16, _FP16, _FP32 = "bfloat16", "float16", "float32"


@dataclasses.dataclass(frozen=True)
class Case:
    """`tokens` belong to prefill, to an encoder and to inference, `context` and `cache` to decode
    (`cache` also to prefill); the others are None."""

    model: str
    dtype: str
    layers: int | None
    phase: str
    batch: int
    tokens: int | None = None
    context: int | None = None
    cache: str | None = None

    @property
    def group(self) -> tuple[str, str, int | None]:
        """What has the same weights."""
        return self.model, self.dtype, self.layers

    @property
    def name(self) -> str:
        """Tells all of it, in a form that can be the name of a file."""
        parts = [self.model, {_BF16: "bf16", _FP16: "fp16", _FP32: "fp32"}[self.dtype], self.phase,
                 self.cache, f"b{self.batch}", self.tokens and f"t{self.tokens}",
                 self.context and f"c{self.context}"]
        return "-".join(part for part in parts if part)


# Pairs of batch and tokens of each sequence (prefill), or batch and context (decode).
_Pairs = tuple[tuple[int, int], ...]


def _causal(model: str, dtype: str, layers: int | None, prefill: _Pairs, dynamic: _Pairs,
            static: _Pairs, static_prefill: _Pairs = ()) -> Iterator[Case]:
    for kind, pairs in (("dynamic", prefill), ("static", static_prefill)):
        for batch, tokens in pairs:
            yield Case(model, dtype, layers, "prefill", batch, tokens=tokens, cache=kind)
    for kind, pairs in (("dynamic", dynamic), ("static", static)):
        for batch, context in pairs:
            yield Case(model, dtype, layers, "decode", batch, context=context, cache=kind)


def _paired(model: str, dtype: str, prefill: tuple[tuple[int, int | None], ...],
            decode: tuple[tuple[int, int | None, int], ...]) -> Iterator[Case]:
    """An encoder with a decoder; `decode` has batch, tokens of the encoder, and context.

    The tokens are None where the model has its own length."""
    for batch, tokens in prefill:
        yield Case(model, dtype, None, "prefill", batch, tokens=tokens, cache="dynamic")
    for batch, tokens, context in decode:
        yield Case(model, dtype, None, "decode", batch, tokens=tokens, context=context,
                   cache="dynamic")


def _plain(model: str, dtype: str, pairs: tuple[tuple[int, int | None], ...]) -> Iterator[Case]:
    for batch, tokens in pairs:
        yield Case(model, dtype, None, "inference", batch, tokens=tokens)


CASES: tuple[Case, ...] = (
    *_causal("llama-3.2-1b", _BF16, None,
             prefill=((1, 128), (1, 512), (1, 2048), (1, 8192), (4, 512), (4, 2048), (8, 128),
                      (8, 2048)),
             dynamic=((1, 512), (8, 512), (64, 512), (1, 2048), (16, 2048), (1, 4096), (64, 4096),
                      (1, 16384), (16, 16384), (64, 16384)),
             static=((1, 512), (8, 512), (64, 512), (1, 2048), (16, 2048), (64, 4096), (1, 16384),
                     (16, 16384)),
             static_prefill=((1, 512), (4, 2048))),
    *_causal("llama-3.1-8b", _BF16, None,
             prefill=((1, 128), (1, 512), (1, 2048), (1, 8192), (4, 2048), (8, 512)),
             dynamic=((1, 512), (16, 512), (64, 512), (8, 2048), (1, 4096), (16, 4096), (1, 16384),
                      (8, 16384)),
             static=((1, 512), (16, 512), (1, 2048), (16, 2048), (8, 4096), (1, 16384))),
    *_causal("qwen2.5-1.5b", _BF16, None,
             prefill=((1, 512), (1, 2048), (4, 2048)),
             dynamic=((1, 512), (16, 2048), (8, 4096), (4, 16384)),
             static=((1, 512), (16, 4096))),
    *_causal("mixtral-8x7b", _BF16, 2,
             prefill=((1, 128), (1, 2048), (4, 512), (4, 2048)),
             dynamic=((1, 512), (16, 512), (64, 2048), (8, 4096)),
             static=((1, 512), (16, 2048))),
    *_causal("gpt2", _BF16, None,
             prefill=((1, 128), (8, 512), (4, 896)),
             dynamic=((1, 512), (16, 512), (64, 512), (8, 896)),
             static=((1, 512), (64, 512))),
    *_causal("gpt2", _FP32, None, prefill=((8, 512),), dynamic=((1, 512),), static=()),
    *_paired("t5-base", _BF16, prefill=((1, 512), (8, 512)),
             decode=((1, 512, 64), (16, 512, 64))),
    *_paired("whisper-small", _FP16, prefill=((1, None), (8, None)),
             decode=((1, None, 64), (16, None, 200))),
    *_plain("bert-base", _BF16, ((1, 128), (8, 512), (32, 128))),
    *_plain("bert-base", _FP16, ((32, 384),)),
    *_plain("vit-base-patch16-224", _BF16, ((1, None), (64, None))),
    *_plain("vit-base-patch16-224", _FP32, ((64, None),)),
    *_plain("clip-vit-base-patch32", _FP16, ((1, None), (64, None))),
)
