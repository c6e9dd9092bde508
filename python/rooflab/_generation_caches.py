"""Key-value caches of Hugging Face's models, in the state behind some tokens.

A dynamic cache has as many places as tokens; each step concatenates it with the new token's keys
and values, so a step copies the whole cache. A static one has all places from the beginning, and a
step writes into them.
"""
from __future__ import annotations

import dataclasses
from typing import Any

from rooflab.errors import Error

KINDS = ("dynamic", "static")
ROOM = 64  # places of a static cache behind the tokens that it holds


@dataclasses.dataclass(frozen=True)
class CacheShape:
    """Sizes of the keys and values of one layer; all layers are alike."""

    layers: int
    heads: int
    width: int


def shape_of(config: Any) -> CacheShape:
    """The cache of a decoder with this configuration."""
    heads = config.num_attention_heads
    return CacheShape(
        getattr(config, "num_decoder_layers", None) or getattr(config, "decoder_layers", None)
        or config.num_hidden_layers,
        getattr(config, "num_key_value_heads", None) or heads,
        getattr(config, "head_dim", None) or getattr(config, "d_kv", None)
        or config.hidden_size // heads)


def empty(config: Any, kind: str, places: int) -> Any:
    """A cache without tokens; a static one has `places`."""
    import transformers

    try:
        if kind == "static":
            return transformers.StaticCache(config=config, max_cache_len=places)
        return transformers.DynamicCache(config=config)
    except TypeError as error:  # older ones take other arguments
        raise Error(f"transformers {transformers.__version__} makes caches in another way: {error}",
                    "take transformers 4.56 or newer", 3) from error


def empty_pair(config: Any) -> Any:
    """The same for a decoder that looks at an encoder's results."""
    import transformers

    return transformers.EncoderDecoderCache(empty(config, "dynamic", 0),
                                            empty(config, "dynamic", 0))


def filled(config: Any, tensors: Any, batch: int, tokens: int, kind: str = "dynamic") -> Any:
    """A cache that holds random keys and values of `tokens` tokens, made by `tensors`."""
    shape = shape_of(config)
    cache = empty(config, kind, tokens + ROOM)
    for layer in range(shape.layers):
        keys, values = (tensors.normal(batch, shape.heads, tokens, shape.width) for _ in range(2))
        cache.update(keys, values, layer)
    return cache


def filled_pair(config: Any, tensors: Any, batch: int, tokens: int, source: int) -> Any:
    """The same for a decoder that looks at `source` results of an encoder."""
    import transformers

    return transformers.EncoderDecoderCache(filled(config, tensors, batch, tokens),
                                            filled(config, tensors, batch, source))


def rewind(cache: Any, tokens: int) -> None:
    """Sets a static cache back to `tokens` tokens.

    A version of transformers that gives the model the position has nothing to put back.
    """
    import torch

    for layer in cache.layers:
        length = getattr(layer, "cumulative_length", None)
        if torch.is_tensor(length):
            length.fill_(tokens)
