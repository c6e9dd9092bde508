"""What a recording says of an operator: its tensors, its further arguments, what it overwrites."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Callable, Iterable, Optional

import torch

from ._torch import COLLECTIVE_NAMESPACES, bits_of, is_composite

_NAMES = {torch.bool: "bool", torch.bfloat16: "bf16"}


def type_name(dtype: torch.dtype) -> str:
    """The format's name of an element type: f32, bf16, i64, u8, bool ...

    A type whose elements are packed (`float4_e2m1fn_x2`, `quint4x2`, `uint4`), or that has no name
    there (`bcomplex32`), keeps PyTorch's: whoever reads it does not take it for another type.
    """
    name = _NAMES.get(dtype)
    if name is None:
        text = str(dtype).rsplit(".", 1)[-1]
        bits = re.search(r"\d+", text)
        if text.startswith("bcomplex") or (bits is not None and int(bits[0]) != bits_of(dtype)):
            name = _NAMES[dtype] = text
        elif dtype.is_complex:
            name = _NAMES[dtype] = f"c{bits_of(dtype)}"
        else:
            letter = "u" if "uint" in text or "bits" in text else "i"
            letter = "f" if dtype.is_floating_point else letter
            name = _NAMES[dtype] = f"{letter}{bits_of(dtype)}"
    return name


def plain(value: Any) -> Any:
    """An argument as JSON can hold it: types by the format's names, all else as text."""
    if isinstance(value, torch.dtype):
        return type_name(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, (bool, int, str)) or value is None:
        return value
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (torch.layout, torch.memory_format)):
        return str(value).rsplit(".", 1)[-1]
    if isinstance(value, torch.device):
        return str(value)
    if isinstance(value, torch.Generator):
        return "generator"
    if isinstance(value, getattr(torch, "SymInt", ())):
        return int(value)
    if isinstance(value, getattr(torch, "SymFloat", ())):
        return float(value)
    # Others by their kind alone: the text of a storage would read all of its bytes.
    return str(value) if isinstance(value, complex) else type(value).__name__


_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False, default=plain).encode


def json_text(value: Any) -> str:
    """JSON without white space. Infinities and NaN become the texts inf, -inf and nan."""
    try:
        return _encode(value)
    except ValueError:
        return _encode(plain(value))


class Argument:
    """An argument of an operator's schema."""

    __slots__ = ("name", "is_tensor", "is_written", "default")

    def __init__(self, argument: Any) -> None:
        self.name: str = argument.name
        self.is_tensor: bool = "Tensor" in str(argument.type)
        alias = argument.alias_info
        self.is_written: bool = alias is not None and alias.is_write
        # An argument without a default differs from every value.
        self.default: Any = argument.default_value if argument.has_default_value() else plain


class Operator:
    """An overload of an operator: the parts of its lines that are always the same."""

    __slots__ = ("name", "head", "arguments", "results", "writes", "tail", "namespace",
                 "is_composite", "makes_raw_memory", "writes_unsaid", "reads", "is_collective")

    def __init__(self, overload: Any) -> None:
        schema = getattr(overload, "_schema", None)
        if schema is None:  # a higher-order operator: all that is known are its arguments
            self.namespace = "higher_order"
            self.name = "higher_order." + getattr(overload, "__name__", str(overload))
            self.arguments: Optional[list[Argument]] = None
            self.results: list[bool] = []
            self.writes: list[int] = []
            self.tail = "}"
            is_view = False
        else:
            self.namespace, name = schema.name.split("::", 1)
            self.name = f"{self.namespace}.{name}"
            self.arguments = [Argument(argument) for argument in schema.arguments]
            self.results = ["Tensor" in str(result.type) for result in schema.returns]
            tensors = [argument for argument in self.arguments if argument.is_tensor]
            self.writes = [place for place, one in enumerate(tensors) if one.is_written]
            self.tail = f',"writes":{json_text(self.writes)}' if self.writes else ""
            is_view = not self.writes and any(
                result.alias_info is not None for result in schema.returns)
            variant = schema.overload_name
            self.tail += f',"overload":{json.dumps(variant)}}}' if variant else "}"
        self.is_composite = schema is not None and is_composite(overload)
        # Memory as the allocator gives it: some later operation must write it.
        self.makes_raw_memory = self.name.startswith(("aten.empty", "aten.new_empty"))
        # Schemas outside of PyTorch's own operators often do not tell what is written.
        self.writes_unsaid = self.namespace not in ("aten", "prims")
        # Views and operators like zeros_like look at a tensor's description only.
        self.reads = not (is_view or self.makes_raw_memory or self.name.endswith("_like")
                          or self.name.startswith("aten.new_"))
        self.is_collective = self.namespace in COLLECTIVE_NAMESPACES
        self.head = f'{{"op":{json.dumps(self.name)},"in":['

    def split(self, args: tuple, kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The tensor arguments in the order of the schema, and all others without defaults."""
        if self.arguments is None:
            return list(tensors_in((args, kwargs))), {}
        operands: list[Any] = []
        others: dict[str, Any] = {}
        given = len(args)
        for place, argument in enumerate(self.arguments):
            if place < given:
                value = args[place]
            elif argument.name in kwargs:
                value = kwargs[argument.name]
            else:
                if argument.is_tensor:
                    operands.append(None)
                continue
            if argument.is_tensor:
                operands.append(value)
            elif argument.default is plain or not _equal(value, argument.default):
                others[argument.name] = value
        return operands, others

    def tensors_of(self, result: Any) -> Iterable[Any]:
        """The results that are tensors, in the order of the schema."""
        if self.arguments is None:
            return tensors_in(result)
        if len(self.results) == 1:
            return (result,) if self.results[0] else ()
        if not self.results:
            return ()
        return [one for one, is_tensor in zip(result, self.results) if is_tensor]


def _equal(value: Any, default: Any) -> bool:
    if isinstance(default, list):
        return isinstance(value, (list, tuple)) and list(value) == default
    return value is default or (type(value) is type(default) and value == default)


def tensors_in(value: Any, depth: int = 6) -> Iterable[torch.Tensor]:
    """The tensors within lists, tuples, dictionaries and plain objects, in order."""
    if isinstance(value, torch.Tensor):
        yield value
    elif depth == 0 or value is None or isinstance(value, (str, bytes, int, float, type)):
        return
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_in(item, depth - 1)
    elif isinstance(value, dict):
        for item in value.values():
            yield from tensors_in(item, depth - 1)
    elif hasattr(value, "__dataclass_fields__"):
        yield from tensors_in(vars(value), depth - 1)


def text_of(values: Iterable[Any], number: Callable[[torch.Tensor], int]) -> str:
    """Operands or results as the format writes them, without the outer brackets."""
    parts = []
    for value in values:
        if value is None:
            parts.append("null")
        elif isinstance(value, torch.Tensor):
            parts.append(str(number(value)))
        elif isinstance(value, (list, tuple)):
            parts.append("[" + text_of(value, number) + "]")
        elif isinstance(value, dict):
            parts.append("[" + text_of(value.values(), number) + "]")
        else:
            parts.append('{"number":' + json_text(value) + "}")
    return ",".join(parts)
