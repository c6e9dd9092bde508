"""Tensors within tuples, lists, dictionaries and dataclasses, as modules take and give them."""
from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any


def is_shape(value: Any) -> bool:
    """A tuple of whole numbers, such as (1, 3, 224, 224) or a torch.Size."""
    return (isinstance(value, tuple) and len(value) > 0
            and all(isinstance(extent, int) and not isinstance(extent, bool) for extent in value))


def tensors_of(value: Any) -> Iterator[Any]:
    """Every tensor in a value, in its order."""
    import torch

    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from tensors_of(item)
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from tensors_of(item)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from tensors_of(getattr(value, field.name))


def map_tensors(value: Any, change: Callable[[Any], Any]) -> Any:
    """The value with `change(tensor)` for every tensor in its tuples, lists and dictionaries.

    A dictionary or a list of another class becomes a plain one only where copying its class fails.
    """
    import torch

    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, Mapping):
        changed = {key: map_tensors(item, change) for key, item in value.items()}
        return _as_class(value, changed)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(map_tensors(item, change) for item in value))
    if isinstance(value, (tuple, list)):
        return _as_class(value, type(value)(map_tensors(item, change) for item in value))
    return value


def _as_class(value: Any, changed: Any) -> Any:
    try:
        return type(value)(changed)
    except TypeError:
        return changed
