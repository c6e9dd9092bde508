"""Inference and generation with Hugging Face's published models; needs transformers 5.

    generator = Generator("llama-3.2-1b", device="cuda")
    generator.program("prefill", batch=4, tokens=512).step()
    generator.program("decode", batch=16, context=2048, cache="static").step()

`prefill` fills a fresh cache with `tokens` for each sequence, `decode` adds one token behind
`context` of them, `inference` is one call of a model without a cache. The next token is the most
likely one.

A step of `decode` goes on behind the last one, as generation does: the cache grows by a token (a
static one has room for 64). `reset` of the program puts it back to `context`.
"""
from __future__ import annotations

import inspect
from typing import Any, Callable

import torch

from . import hf_caches, hf_published
from .hf_inputs import INPUTS
from .place import Place
from .program import Program

PHASES = ("prefill", "decode", "inference")
# What a model without a cache gets (hf_inputs.py), and sizes of its image.
_INPUTS = {"bert": "masked", "vit": "pictured", "clip": "paired"}
_WHISPER_PREFIX = 4  # tokens of language and task that begin a transcript
_SMALL_TOKENS = 24


class Generator:
    """A model that programs are made of. It is built once, at full size or small."""

    def __init__(self, model: str, device: str = "cpu", dtype: torch.dtype | None = None,
                 scale: str = "real", layers: int | None = None) -> None:
        self.name = model
        self.place = Place(device, dtype)
        self.model = hf_published.made(model, self.place, scale, layers)
        self.config = self.model.config
        self._takes = inspect.signature(type(self.model).forward).parameters

    def phases(self) -> tuple[str, ...]:
        """The phases that the model has."""
        has_cache = self.config.model_type not in _INPUTS
        return PHASES[:2] if has_cache else PHASES[2:]

    def program(self, phase: str, batch: int, tokens: int = _SMALL_TOKENS,
                context: int = _SMALL_TOKENS, cache: str = "dynamic") -> Program:
        """A step. For an encoder with a decoder `tokens` are those of the encoder.

        `cache` is "dynamic" or "static"; a decoder behind an encoder has a dynamic one.
        """
        if phase not in self.phases():
            raise ValueError(f"{self.name} has no phase '{phase}'; it has "
                             + ", ".join(self.phases()))
        if phase == "inference":
            return self._inference(batch, tokens)
        if self.config.is_encoder_decoder:
            paired = self._prefill_pair if phase == "prefill" else self._decode_pair
            return paired(batch, tokens, context)
        if phase == "prefill":
            return self._prefill(batch, tokens, cache)
        return self._decode(batch, context, cache)

    def _named(self, phase: str, step: Callable[[], Any], batch: int, *inputs: torch.Tensor,
               **more: Any) -> Program:
        return Program(f"{self.name}.{phase}", step, batch, {"model": self.model}, (), inputs,
                       **more)

    def _words(self, batch: int, length: int) -> torch.Tensor:
        return self.place.integers(self.config.vocab_size - 10, batch, length) + 10

    def _last_only(self) -> dict[str, int]:
        """Only the last token's logits are computed, where the model can do that."""
        return {"logits_to_keep": 1} if "logits_to_keep" in self._takes else {}

    def _prefill(self, batch: int, tokens: int, kind: str) -> Program:
        words, held = self._words(batch, tokens), []

        @torch.no_grad()
        def step() -> torch.Tensor:
            held.clear()  # what the step before made: generation begins without it
            held.append(hf_caches.empty(self.config, kind, tokens + hf_caches.ROOM))
            logits = self.model(input_ids=words, past_key_values=held[0], use_cache=True,
                                **self._positions(0, tokens), **self._last_only()).logits
            return logits[:, -1].float().argmax(dim=-1, keepdim=True)

        return self._named("prefill", step, batch, words,
                           cache=lambda: list(hf_caches.tensors_of(held[0])) if held else [])

    def _positions(self, begin: int, count: int) -> dict[str, torch.Tensor]:
        """Where the tokens stand, for versions of transformers in which a cache does not know."""
        if "cache_position" not in self._takes:
            return {}
        return {"cache_position": torch.arange(begin, begin + count, device=self.place.device)}

    def _decode(self, batch: int, context: int, kind: str) -> Program:
        held: list[Any] = []
        token = self._words(batch, 1)
        position = self._positions(context, 1) if kind == "static" else {}

        def reset() -> None:
            if held and kind == "static":
                hf_caches.rewind(held[0], context)
                return
            held.clear()
            held.append(hf_caches.filled(self.config, self.place, batch, context, kind))

        @torch.no_grad()
        def step() -> torch.Tensor:
            logits = self.model(input_ids=token, past_key_values=held[0], use_cache=True,
                                **position, **self._last_only()).logits
            return token.copy_(logits[:, -1].float().argmax(dim=-1, keepdim=True))

        reset()
        return self._named("decode", step, batch, token, reset=reset,
                           cache=lambda: list(hf_caches.tensors_of(held[0])))

    # An encoder with a decoder: T5, Whisper.

    def _source(self, batch: int, tokens: int) -> dict[str, torch.Tensor]:
        if self.config.model_type == "whisper":
            frames = 2 * self.config.max_source_positions
            return {"input_features": self.place.normal(batch, self.config.num_mel_bins, frames)}
        return {"input_ids": self._words(batch, tokens)}

    def _prefill_pair(self, batch: int, tokens: int, context: int) -> Program:
        source, held = self._source(batch, tokens), []
        begins = _WHISPER_PREFIX if self.config.model_type == "whisper" else 1
        words = self._words(batch, begins)

        @torch.no_grad()
        def step() -> torch.Tensor:
            held.clear()
            held.append(hf_caches.empty_pair(self.config))
            logits = self.model(**source, decoder_input_ids=words, past_key_values=held[0],
                                use_cache=True).logits
            return logits[:, -1].float().argmax(dim=-1, keepdim=True)

        return self._named("prefill", step, batch, *source.values(),
                           cache=lambda: list(hf_caches.tensors_of(held[0])) if held else [])

    def _decode_pair(self, batch: int, tokens: int, context: int) -> Program:
        from transformers.modeling_outputs import BaseModelOutput
        held: list[Any] = []
        length = (self.config.max_source_positions if self.config.model_type == "whisper"
                  else tokens)
        encoded = BaseModelOutput(last_hidden_state=self.place.normal(
            batch, length, self.config.d_model))
        token = self._words(batch, 1)

        def reset() -> None:
            held.clear()
            held.append(hf_caches.filled_pair(self.config, self.place, batch, context, length))

        @torch.no_grad()
        def step() -> torch.Tensor:
            logits = self.model(encoder_outputs=encoded, decoder_input_ids=token,
                                past_key_values=held[0], use_cache=True).logits
            return token.copy_(logits[:, -1].float().argmax(dim=-1, keepdim=True))

        reset()
        return self._named("decode", step, batch, token, reset=reset,
                           cache=lambda: list(hf_caches.tensors_of(held[0])))

    # A model without a cache.

    def _inference(self, batch: int, tokens: int) -> Program:
        kind = _INPUTS[self.config.model_type]
        vision = getattr(self.config, "vision_config", self.config)
        size = tokens if kind == "masked" else vision.image_size
        inputs = INPUTS[kind](self.place, self.config, batch, size)
        inputs = {key: value for key, value in inputs.items() if torch.is_tensor(value)
                  and key != "labels"}

        @torch.no_grad()
        def step() -> torch.Tensor:
            outputs = self.model(**inputs)
            return outputs.logits if hasattr(outputs, "logits") else outputs.logits_per_image

        return self._named("inference", step, batch, *inputs.values())
