"""Caches of keys and values (generation), found by what objects look like.

A cache is an object of a class whose name, or a base class's name, ends in `Cache`, as those of
transformers do: with a list of layers that hold keys and values, with lists of both (older
versions), with two caches (an encoder's and a decoder's), or a module with two buffers. A tuple of
keys and values is one where an argument or a result has the name that transformers gives it.
"""

from __future__ import annotations

from typing import Any, Iterable, Iterator, Mapping, Optional

import torch

from ._schema import tensors_in

# What holds tensors: in a cache, and in one of its layers.
_OF_CACHE = ("key_cache", "value_cache", "k_cache", "v_cache", "conv_states", "ssm_states",
             "recurrent_states")
_OF_LAYER = ("keys", "values", "conv_states", "recurrent_states", "indexer_keys",
             "_quantized_keys", "_quantized_values")
_PARTS = ("self_attention_cache", "cross_attention_cache")  # caches in a cache
_ARGUMENTS = ("past_key_values", "past_key_value", "layer_past")
_RESULT, _NEWER_RESULT = "past_key_values", "cache"  # the second from transformers 5.24 on

_is_cache_class: dict[type, bool] = {}


def is_cache(value: Any) -> bool:
    """Whether the object is a cache, by its class and by what it has."""
    kind = type(value)
    known = _is_cache_class.get(kind)
    if known is None:
        known = _is_cache_class[kind] = any(
            one.__name__.endswith("Cache") for one in kind.__mro__)
    return known and any(hasattr(value, name) for name in (*_OF_CACHE, *_PARTS, "layers"))


def tensors_of(cache: Any, name: str = "") -> Iterator[tuple[torch.Tensor, str]]:
    """The tensors of a cache, each with its place in it, such as `layers.3.keys`."""
    for part in _PARTS:
        inner = getattr(cache, part, None)
        if inner is not None:
            yield from tensors_of(inner, f"{name}{part}.")
    for held in _OF_CACHE:
        yield from _named(getattr(cache, held, None), name + held)
    layers = getattr(cache, "layers", None)
    for place, layer in enumerate(layers if isinstance(layers, (list, tuple)) else ()):
        for held in _OF_LAYER:
            yield from _named(getattr(layer, held, None), f"{name}layers.{place}.{held}")


def _named(value: Any, name: str) -> Iterator[tuple[torch.Tensor, str]]:
    if isinstance(value, torch.Tensor):
        if value.numel():  # a layer without tokens has an empty tensor
            yield value, name
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _named(item, f"{name}.{key}")
    elif isinstance(value, (list, tuple)):
        for place, item in enumerate(value):
            yield from _named(item, f"{name}.{place}")


def caches_among(args: Iterable[Any], kwargs: Mapping[str, Any]) -> list[Any]:
    """The arguments of a module that are caches."""
    found = [value for value in (*args, *kwargs.values()) if is_cache(value)]
    return found + [kwargs[name] for name in _ARGUMENTS
                    if isinstance(kwargs.get(name), (list, tuple))]


def caches_of_result(result: Any) -> list[Any]:
    """The caches that a module gave back, by their name in its result."""
    newer = getattr(result, _NEWER_RESULT, None)
    if is_cache(newer):
        return [newer]
    if hasattr(result, _NEWER_RESULT):
        return []  # a question for the older name would be answered with a warning
    value = result.get(_RESULT) if isinstance(result, Mapping) else getattr(result, _RESULT, None)
    return [value] if isinstance(value, (list, tuple)) or is_cache(value) else []


def pairs_of(value: Any) -> list[tuple[torch.Tensor, Optional[str]]]:
    """The tensors of a cache, or within lists and dictionaries, with their places where known."""
    if is_cache(value):
        return list(tensors_of(value))
    if isinstance(value, (list, tuple)):
        if any(is_cache(one) for one in value):
            return [pair for one in value for pair in pairs_of(one)]
        return list(_named(value, "past"))
    return [(tensor, None) for tensor in tensors_in(value)]
