"""Answers to questions for values, which tensors on `meta` do not have."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Optional

import torch

from . import _torch
from ._places import user_place
from .errors import RecordingError

# What may be assumed, and the type of the answer.
KINDS: dict[str, str] = {
    "item": "a number: what .item(), bool(), int(), float() and copies to the host give",
    "equal": "true or false: what torch.equal and torch.allclose give",
    "nonzero_share": "share from 0 to 1 of the elements that a mask selects",
    "unique_share": "share from 0 to 1 of the elements that differ from all before them",
}

_EQUAL = ("aten.equal", "aten.allclose")
_NONZERO = ("aten.nonzero", "aten.masked_select")
_UNIQUE = ("aten._unique2", "aten._unique", "aten.unique_dim", "aten.unique_consecutive",
           "aten.unique_dim_consecutive")
_INDEXED = ("aten.index", "aten.index_put", "aten.index_put_", "aten._index_put_impl_",
            "aten._unsafe_index", "aten._unsafe_index_put")
ASKS_FOR_VALUES = frozenset(
    ("aten._local_scalar_dense", "aten.is_nonzero", "aten.bincount",
     "aten._to_copy", "aten.copy_") + _EQUAL + _NONZERO + _UNIQUE + _INDEXED)


def _has_no_values(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and not _torch.has_values(value)


class Assumptions:
    """The answers that the user allows: values, or functions of the place, as in a recording."""

    def __init__(self, allowed: Optional[Mapping[str, Any]],
                 note: Callable[[str, Any], None]) -> None:
        self._allowed = dict(allowed or {})
        self._note = note
        for kind, value in self._allowed.items():
            if kind not in KINDS:
                raise ValueError(f"assume: unknown key '{kind}'. Known: {', '.join(KINDS)}")
            if callable(value):
                continue
            number = isinstance(value, (int, float))
            if not number or (kind.endswith("share") and not 0 <= value <= 1):
                raise ValueError(f"assume: '{kind}' must be {KINDS[kind]}, not {value!r}")

    def _value(self, kind: str, asked: str) -> Any:
        if kind not in self._allowed:
            raise RecordingError(
                f"{user_place()}: {asked} needs the values of a tensor on 'meta', which has none",
                f"allow an assumption, assume={{{kind!r}: ...}} ({KINDS[kind]}), or record on a "
                "device that computes")
        value = self._allowed[kind]
        if callable(value):
            value = value(user_place())
        self._note(kind, value)
        return value

    def answer(self, name: str, func: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        """The result of an operator for tensors on `meta`; NotImplemented if PyTorch can tell."""
        if name in ("aten._to_copy", "aten.copy_"):
            return self._copied(name, args, kwargs)
        if not args or not _has_no_values(args[0]):
            return NotImplemented
        first = args[0]
        if name in ("aten._local_scalar_dense", "aten.is_nonzero"):
            value = self._value("item", "bool()" if name == "aten.is_nonzero" else ".item()")
            return _as_scalar(value, torch.bool if name == "aten.is_nonzero" else first.dtype)
        if name in _EQUAL:
            return bool(self._value("equal", "torch." + name.split(".")[1]))
        if name == "aten.bincount":
            return self._bincount(first, *args[1:], **kwargs)
        if name == "aten.nonzero":
            count = self._count("nonzero_share", "nonzero", first.numel())
            return torch.empty((first.dim(), count), dtype=torch.int64, device=first.device).t()
        if name == "aten.masked_select":
            shape = torch.broadcast_shapes(first.shape, args[1].shape)
            count = self._count("nonzero_share", "masked_select", shape.numel())
            return torch.empty((count,), dtype=first.dtype, device=first.device)
        if name in _UNIQUE:
            return self._unique(name, first, args, kwargs)
        return self._indexed(func, first, args, kwargs)

    def _count(self, kind: str, asked: str, elements: int) -> int:
        return round(self._value(kind, asked) * elements)

    def _copied(self, name: str, args: tuple, kwargs: dict[str, Any]) -> Any:
        """A copy that leaves `meta`."""
        made = args[0] if name == "aten.copy_" else None
        source = args[1] if name == "aten.copy_" else args[0]
        device = made.device if made is not None else torch.device(
            kwargs.get("device") or source.device)
        if not _has_no_values(source) or device.type == "meta" or (
                made is not None and not _torch.has_values(made)):
            return NotImplemented
        value = self._value("item", f"a copy to '{device}'")
        if made is None:
            made = torch.empty(source.shape, dtype=kwargs.get("dtype") or source.dtype,
                               device=device)
        return made.fill_(_as_scalar(value, made.dtype))

    def _bincount(self, first: torch.Tensor, weights: Any = None, minlength: int = 0) -> Any:
        """A count for each number up to the largest one; no fewer than the program asks for."""
        if minlength <= 0:
            minlength = int(self._value("item", "bincount")) + 1
        dtype = torch.int64 if weights is None else torch.float64
        if weights is not None and weights.dtype is torch.float32:
            dtype = torch.float32
        return torch.empty((minlength,), dtype=dtype, device=first.device)

    def _unique(self, name: str, first: torch.Tensor, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Values, the place of each element among them, and how often each comes."""
        shape = list(first.shape)
        if "dim" in name:
            dim = args[1] if len(args) > 1 else kwargs["dim"]
            elements = shape[dim]
            places = [elements]
            shape[dim] = count = self._count("unique_share", "unique", elements)
        else:
            places = shape
            count = self._count("unique_share", "unique", first.numel())
            shape = [count]
        values = torch.empty(shape, dtype=first.dtype, device=first.device)
        inverse = torch.empty(places, dtype=torch.int64, device=first.device)
        if name == "aten._unique":
            return values, inverse
        return values, inverse, torch.empty((count,), dtype=torch.int64, device=first.device)

    def _indexed(self, func: Any, first: torch.Tensor, args: tuple,
                 kwargs: dict[str, Any]) -> Any:
        """A mask among the indices stands for the positions that it selects, on each dimension."""
        indices = []
        masks = False
        for index in args[1]:
            if _has_no_values(index) and index.dtype in (torch.bool, torch.uint8):
                masks = True
                count = self._count("nonzero_share", "a mask as index", index.numel())
                indices += [torch.empty((count,), dtype=torch.int64, device=first.device)
                            for _ in range(index.dim())]
            else:
                indices.append(index)
        if not masks:
            return NotImplemented
        return func(first, indices, *args[2:], **kwargs)


class Answering(_torch.DispatchMode):
    """Answers within a step that is not recorded: that of the warm-up."""

    def __init__(self, assume: Optional[Mapping[str, Any]]) -> None:
        super().__init__()
        self._assumptions = Assumptions(assume, lambda kind, value: None)

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (),
                           kwargs: Optional[dict[str, Any]] = None) -> Any:
        name = str(getattr(func, "_schema", func)).split("(")[0].split(".")[0].replace("::", ".")
        if name in ASKS_FOR_VALUES:
            result = self._assumptions.answer(name, func, args, kwargs or {})
            if result is not NotImplemented:
                return result
        return func(*args, **(kwargs or {}))


def _as_scalar(value: Any, dtype: torch.dtype) -> Any:
    if dtype is torch.bool:
        return bool(value)
    if dtype.is_complex:
        return complex(value)
    return float(value) if dtype.is_floating_point else int(value)
