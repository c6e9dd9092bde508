"""Steps of generation with a model of transformers: prefill and decode, with a cache.

`prefill` fills a fresh cache with the tokens of each sequence, `decode` adds one token behind
`context` of them. The next token is the most likely one. Of an encoder with a decoder, `tokens` are
those of the encoder.
"""
from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any

from rooflab import _generation_caches as caches
from rooflab._caches import tensors_of

PHASES = ("prefill", "decode")
_FIRST_TOKENS = {"whisper": 4}  # tokens of language and task that begin a transcript; else one


@dataclasses.dataclass
class GenerationStep:
    """`run` is one step. A step of decode goes on behind the last one, as generation does: the
    cache grows by a token (a static one has room for 64). `reset` puts it back to where the first
    step began, `cache` gives its tensors now."""

    run: Callable[[], Any]
    inputs: tuple[Any, ...]
    cache: Callable[[], list[Any]]
    reset: Callable[[], None] = lambda: None


class Generation:
    """Makes steps of one model. `tensors` makes random numbers (_random_tensors.py)."""

    def __init__(self, model: Any, tensors: Any) -> None:
        self.model = model
        self.config = model.config
        self.tensors = tensors
        self._takes = inspect.signature(type(model).forward).parameters
        # Newer versions of transformers have another name for the argument, and warn of the older.
        self._cache = "cache" if "cache" in self._takes else "past_key_values"

    def step(self, phase: str, batch: int, tokens: int, context: int, cache: str) -> GenerationStep:
        """`cache` is "dynamic" or "static"; a decoder behind an encoder has a dynamic one."""
        if self.config.is_encoder_decoder:
            if phase == "prefill":
                return self._prefill_pair(batch, tokens)
            return self._decode_pair(batch, tokens, context)
        if phase == "prefill":
            return self._prefill(batch, tokens, cache)
        return self._decode(batch, context, cache)

    def words(self, batch: int, length: int) -> Any:
        """Tokens, none of which is among the first ten: those often mean something special."""
        return self.tensors.integers(text_config(self.config).vocab_size - 10, batch, length) + 10

    def source(self, batch: int, tokens: int) -> dict[str, Any]:
        """What an encoder gets: words, or the sound of a fixed length."""
        if self.model.main_input_name == "input_features":
            return {"input_features": self.tensors.normal(
                batch, self.config.num_mel_bins, 2 * self.config.max_source_positions)}
        return {"input_ids": self.words(batch, tokens)}

    def encoded_length(self, tokens: int) -> int:
        """How many results of the encoder the decoder looks at."""
        fixed = self.model.main_input_name == "input_features"
        return self.config.max_source_positions if fixed else tokens

    def _last_only(self) -> dict[str, int]:
        """Only the last token's logits are computed, where the model can do that."""
        return {"logits_to_keep": 1} if "logits_to_keep" in self._takes else {}

    def _positions(self, begin: int, count: int) -> dict[str, Any]:
        """Where the tokens stand, for versions of transformers in which a cache does not know."""
        import torch

        if "cache_position" not in self._takes:
            return {}
        return {"cache_position": torch.arange(begin, begin + count, device=self.tensors.device)}

    def _filled(self, batch: int, tokens: int, kind: str) -> Any:
        """A cache with tokens. On `meta` the model fills it, so that any kind of model may come."""
        import torch
        from rooflab._cuda.patches import autocast_on_meta

        if self.tensors.device.type != "meta":
            return caches.filled(self.config, self.tensors, batch, tokens, kind)
        cache = caches.empty(self.config, kind, tokens + caches.ROOM)
        try:
            with torch.no_grad(), autocast_on_meta():
                self.model(input_ids=self.words(batch, tokens), use_cache=True,
                           **{self._cache: cache}, **self._positions(0, tokens),
                           **self._last_only())
        except RuntimeError:  # it asks for values: of the step the recorder says which
            return caches.filled(self.config, self.tensors, batch, tokens, kind)
        return cache

    def _prefill(self, batch: int, tokens: int, kind: str) -> GenerationStep:
        import torch

        words, held = self.words(batch, tokens), []

        @torch.no_grad()
        def run() -> Any:
            held.clear()  # what the step before made: generation begins without it
            held.append(caches.empty(self.config, kind, tokens + caches.ROOM))
            logits = self.model(input_ids=words, use_cache=True, **{self._cache: held[0]},
                                **self._positions(0, tokens), **self._last_only()).logits
            return logits[:, -1].float().argmax(dim=-1, keepdim=True)

        return GenerationStep(run, (words,), _tensors_of(held))

    def _decode(self, batch: int, context: int, kind: str) -> GenerationStep:
        import torch

        held: list[Any] = []
        token = self.words(batch, 1)
        position = self._positions(context, 1) if kind == "static" else {}

        def reset() -> None:
            if held and kind == "static":
                caches.rewind(held[0], context)
                return
            held.clear()
            held.append(self._filled(batch, context, kind))

        @torch.no_grad()
        def run() -> Any:
            logits = self.model(input_ids=token, use_cache=True, **{self._cache: held[0]},
                                **position, **self._last_only()).logits
            return token.copy_(logits[:, -1].float().argmax(dim=-1, keepdim=True))

        reset()
        return GenerationStep(run, (token,), _tensors_of(held), reset)

    # An encoder with a decoder: T5, Whisper.

    def _prefill_pair(self, batch: int, tokens: int) -> GenerationStep:
        import torch

        source, held = self.source(batch, tokens), []
        words = self.words(batch, _FIRST_TOKENS.get(self.config.model_type, 1))

        @torch.no_grad()
        def run() -> Any:
            held.clear()
            held.append(caches.empty_pair(self.config))
            logits = self.model(**source, decoder_input_ids=words, use_cache=True,
                                **{self._cache: held[0]}).logits
            return logits[:, -1].float().argmax(dim=-1, keepdim=True)

        return GenerationStep(run, tuple(source.values()), _tensors_of(held))

    def _decode_pair(self, batch: int, tokens: int, context: int) -> GenerationStep:
        import torch
        from transformers.modeling_outputs import BaseModelOutput

        held: list[Any] = []
        length = self.encoded_length(tokens)
        encoded = BaseModelOutput(last_hidden_state=self.tensors.normal(
            batch, length, self.config.d_model))
        token = self.words(batch, 1)

        def reset() -> None:
            held.clear()
            held.append(caches.filled_pair(self.config, self.tensors, batch, context, length))

        @torch.no_grad()
        def run() -> Any:
            logits = self.model(encoder_outputs=encoded, decoder_input_ids=token,
                                use_cache=True, **{self._cache: held[0]}).logits
            return token.copy_(logits[:, -1].float().argmax(dim=-1, keepdim=True))

        reset()
        return GenerationStep(run, (token,), _tensors_of(held), reset)


def _tensors_of(held: list[Any]) -> Callable[[], list[Any]]:
    """The tensors of the cache that is held when they are asked for."""
    return lambda: [tensor for cache in held for tensor, _ in tensors_of(cache)]


def text_config(config: Any) -> Any:
    """The part of a configuration that is about text; of most models all of it."""
    find = getattr(config, "get_text_config", None)
    return config if find is None else find()
