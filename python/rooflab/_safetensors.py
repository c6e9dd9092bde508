"""What a folder's files of weights hold: the headers of safetensors files, and their index.

A file begins with the length of its header (8 bytes, little-endian) and the header, a JSON object
of tensors: type, shape, and where its bytes begin and end behind the header. Only headers are read.
https://github.com/huggingface/safetensors#format
"""
from __future__ import annotations

import json
import math
import os
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from rooflab.errors import Error

INDEX = "model.safetensors.index.json"
MOST_HEADER_BYTES = 100_000_000  # as the format's own reader
MOST_INDEX_BYTES = 200_000_000
_LENGTH = struct.Struct("<Q")

# Bits of an element. A type that is not here is an error: its bytes cannot be checked.
BITS: dict[str, int] = {
    "F64": 64, "F32": 32, "F16": 16, "BF16": 16, "I64": 64, "I32": 32, "I16": 16, "I8": 8,
    "U64": 64, "U32": 32, "U16": 16, "U8": 8, "BOOL": 8, "C64": 64,
    "F8_E4M3": 8, "F8_E5M2": 8, "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8, "F8_E8M0": 8,
    "F6_E2M3": 6, "F6_E3M2": 6, "F4": 4,
}


class Stored(NamedTuple):
    """A tensor of a file."""

    name: str
    type: str
    shape: tuple[int, ...]
    bytes: int

    @property
    def elements(self) -> int:
        return math.prod(self.shape)


def _wrong(path: Path, offset: int, what: str, hint: str | None = None) -> NoReturn:
    raise Error(f"{path}: byte {offset}: {what}",
                hint or "is the file complete? compare its size with that of the original", 2)


def read_header(path: Path) -> list[Stored]:
    """The tensors of a file, in the order of its header. Raises Error with the place in the file."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            start = file.read(_LENGTH.size)
            if start.startswith(b"version "):
                _wrong(path, 0, "this is a pointer of Git LFS, not the file itself",
                       "git lfs pull gets the file; or take the weights away and keep config.json")
            if len(start) < _LENGTH.size:
                _wrong(path, 0, f"the file has {size} bytes, the length of its header takes 8")
            length, = _LENGTH.unpack(start)
            if length > MOST_HEADER_BYTES:
                _wrong(path, 0, f"the header shall have {length} bytes, more than "
                                f"{MOST_HEADER_BYTES}", "is this a safetensors file?")
            if length > size - _LENGTH.size:
                _wrong(path, 0, f"the header shall have {length} bytes, the file ends after "
                                f"{size - _LENGTH.size} of them")
            text = file.read(length)
    except OSError as error:
        raise Error(f"{path}: {error.strerror}", None, 2) from error
    try:
        header = json.loads(text)
    except (UnicodeDecodeError, RecursionError) as error:
        _wrong(path, _LENGTH.size, f"the header is not JSON: {error}")
    except ValueError as error:
        _wrong(path, _LENGTH.size + getattr(error, "pos", 0), f"the header is not JSON: {error}")
    if not isinstance(header, dict):
        _wrong(path, _LENGTH.size, "the header is not a JSON object")
    data = size - _LENGTH.size - length
    found = [_stored(path, name, entry, data) for name, entry in header.items()
             if name != "__metadata__"]
    end = 0
    for begin, its_end, tensor in sorted((*place, tensor) for tensor, place in found):
        if begin < end and its_end > begin:
            _wrong(path, _LENGTH.size, f"tensor '{tensor.name}' begins at byte {begin} of the data, "
                                       f"inside of another one")
        end = max(end, its_end)
    return [tensor for tensor, _ in found]


def _stored(path: Path, name: str, entry: Any, data: int) -> tuple[Stored, tuple[int, int]]:
    def wrong(what: str) -> NoReturn:
        _wrong(path, _LENGTH.size, f"tensor '{name}': {what}")

    def counts(key: str) -> list[int]:
        value = entry.get(key)
        if not isinstance(value, list) or not all(
                isinstance(one, int) and not isinstance(one, bool) and one >= 0 for one in value):
            wrong(f"'{key}' is not a list of whole numbers")
        return value

    if not isinstance(entry, dict):
        wrong("its entry is not an object")
    kind = entry.get("dtype")
    if not isinstance(kind, str) or kind not in BITS:
        wrong(f"unknown type {kind!r}; known: {', '.join(BITS)}")
    shape, offsets = counts("shape"), counts("data_offsets")
    if len(offsets) != 2 or not offsets[0] <= offsets[1] <= data:
        wrong(f"'data_offsets' {offsets} do not lie in the file, which has {data} bytes of data")
    stored = Stored(name, kind, tuple(shape), offsets[1] - offsets[0])
    wanted = (stored.elements * BITS[kind] + 7) // 8
    if stored.bytes != wanted:
        wrong(f"it has {stored.bytes} bytes, {kind} of shape {shape} takes {wanted}")
    return stored, (offsets[0], offsets[1])


class Files(NamedTuple):
    """`missing`: files that the index names and the folder lacks. `index_bytes`: bytes of all
    tensors as the index says, None without it."""

    paths: list[Path]
    missing: list[str]
    index_bytes: int | None


def files_of(folder: Path) -> Files | None:
    """A model's files of weights: those that its index names, else all; None without any."""
    index = folder / INDEX
    if not index.is_file():
        found = sorted(path for path in folder.glob("*.safetensors") if path.is_file())
        own = [path for path in found if path.name == "model.safetensors"]
        return Files(own or found, [], None) if found else None
    if index.stat().st_size > MOST_INDEX_BYTES:
        raise Error(f"{index} has {index.stat().st_size} bytes, more than {MOST_INDEX_BYTES}",
                    None, 2)
    try:
        content = json.loads(index.read_bytes())
    except (ValueError, RecursionError) as error:
        raise Error(f"{index} is not JSON: {error}", None, 2) from error
    places = content.get("weight_map") if isinstance(content, dict) else None
    if not isinstance(places, dict) or not places:
        raise Error(f"{index} has no 'weight_map'", "is it complete?", 2)
    names = sorted({str(name) for name in places.values()})
    for name in names:
        if Path(name).name != name or name in (".", ".."):
            raise Error(f"{index} names '{name}', which does not lie in its folder", None, 2)
    metadata = content.get("metadata")
    total = metadata.get("total_size") if isinstance(metadata, Mapping) else None
    there = [folder / name for name in names if (folder / name).is_file()]
    missing = [name for name in names if not (folder / name).is_file()]
    known = isinstance(total, (int, float)) and math.isfinite(total)
    return Files(there, missing, int(total) if known else None)


def tensors_in(files: Files) -> Iterator[Stored]:
    """The tensors of all files that are there."""
    for path in files.paths:
        yield from read_header(path)
