"""The weights in a model's files: how many, of which types, how many bytes."""
from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rooflab._safetensors import BITS, Files, Stored, files_of, tensors_in

# What quantised weights have in addition to the model's parameters: ends of names.
_BESIDE = (
    ".scales", ".qzeros", ".g_idx",  # GPTQ, AWQ
    ".weight_scale", ".weight_scale_inv", ".weight_scale_2", ".input_scale", ".output_scale",
    ".k_scale", ".v_scale", ".weight_zero_point", ".input_zero_point", ".weight_shape",
    ".weight_g_idx",  # FP8, compressed-tensors
    "_scales",  # MXFP4
    ".absmax", ".nested_absmax", ".quant_map", ".nested_quant_map", ".SCB", ".weight_format",
    ".quant_state.bitsandbytes__nf4", ".quant_state.bitsandbytes__fp4")  # bitsandbytes
_PACKED = (".qweight", ".weight_packed", "_blocks")  # an element holds several weights
_QUANTISED = ("F8_", "F6_", "F4", "I8", "U8")  # types of weights that are not plain numbers


@dataclasses.dataclass(frozen=True)
class Kind:
    """The tensors of one type."""

    type: str
    tensors: int
    elements: int
    bytes: int


@dataclasses.dataclass(frozen=True)
class Weights:
    """What the files hold. `parameters` are the values of the model, packed ones each by itself;
    `bytes` all of the files' tensors; `beside_bytes` those of scales and the like."""

    files: int
    tensors: int
    parameters: int
    bytes: int
    beside_bytes: int
    kinds: tuple[Kind, ...]
    notes: tuple[str, ...] = ()
    complete: bool = True

    @property
    def quantised(self) -> bool:
        """Some weights are not plain floating-point numbers."""
        return any(kind.type.startswith(_QUANTISED) for kind in self.kinds) or any(
            note.startswith("packed") for note in self.notes)

    def main_type(self) -> str | None:
        """The floating-point type of most bytes: F32, F16 or BF16; None without any."""
        plain = [kind for kind in self.kinds if kind.type in ("F64", "F32", "F16", "BF16")]
        return max(plain, key=lambda kind: kind.bytes).type if plain else None

    def __str__(self) -> str:
        lines = [f"weights in {_of(self.files, 'file')}: {self.parameters:,} parameters, "
                 f"{_size(self.bytes)}"
                 + (f" (scales and the like {_size(self.beside_bytes)})" if self.beside_bytes
                    else "")]
        width = max((len(kind.type) for kind in self.kinds), default=0)
        lines += [f"  {kind.type:<{width}}  {_of(kind.tensors, 'tensor'):>14}  "
                  f"{kind.elements:>18,} elements  {_size(kind.bytes):>9}" for kind in self.kinds]
        return "\n".join(lines)


def _of(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def _size(count: int) -> str:
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= size:
            return f"{count / size:.4g} {unit}"
    return f"{count} B"


def weights_in(folder: Path, quantisation: Mapping[str, Any] | None = None) -> Weights | None:
    """The weights in the safetensors files of a folder, of which only headers are read.

    `quantisation` is the configuration's entry, which says the bits of packed weights. None
    without such files. Raises Error for damaged ones.
    """
    files = files_of(folder)
    return None if files is None else _counted(files, list(tensors_in(files)), quantisation or {})


def _counted(files: Files, tensors: list[Stored], quantisation: Mapping[str, Any]) -> Weights:
    kinds: dict[str, list[int]] = {}
    for one in tensors:
        kind = kinds.setdefault(one.type, [0, 0, 0])
        kind[0] += 1
        kind[1] += one.elements
        kind[2] += one.bytes
    beside = [one for one in tensors if one.name.endswith(_BESIDE)]
    own = [one for one in tensors if not one.name.endswith(_BESIDE)]
    names = {one.name for one in tensors}
    parameters, notes = _parameters(own, names, quantisation)
    complete = not files.missing
    if not complete:
        notes.append(f"{len(files.missing)} of {len(files.missing) + len(files.paths)} files that "
                     f"the index names are not here: {files.missing[0]}"
                     + (", ..." if len(files.missing) > 1 else ""))
    total = sum(one.bytes for one in tensors)
    if not complete and files.index_bytes is not None:
        total = files.index_bytes
        notes.append("the bytes of the weights are those that the index says")
    return Weights(
        len(files.paths) + len(files.missing), len(tensors), parameters, total,
        sum(one.bytes for one in beside),
        tuple(Kind(name, *counts) for name, counts
              in sorted(kinds.items(), key=lambda item: -item[1][2])), tuple(notes), complete)


def _parameters(own: Iterable[Stored], names: set[str], quantisation: Mapping[str, Any]
                ) -> tuple[int, list[str]]:
    """Values of the model. An element of a packed weight holds several."""
    count, notes, packed = 0, [], set()
    for one in own:
        each = 1
        if one.name.endswith(_PACKED):
            bits = _bits(quantisation)
            if one.name.endswith("_blocks"):
                bits = 4  # MXFP4
            each = BITS[one.type] // bits
            packed.add((one.type, bits))
        elif one.type == "U8" and f"{one.name}.absmax" in names:  # bitsandbytes, four bits
            each = 2
            packed.add((one.type, 4))
        count += one.elements * each
    notes += [f"packed: an element of {kind} holds {BITS[kind] // bits} weights of {bits} bits"
              for kind, bits in sorted(packed)]
    return count, notes


def _bits(quantisation: Mapping[str, Any]) -> int:
    """Bits of a packed weight as the configuration says; 4 where it does not."""
    groups = quantisation.get("config_groups")
    places = [quantisation, *(groups.values() if isinstance(groups, Mapping) else ())]
    places += [place.get("weights") for place in places if isinstance(place, Mapping)]
    for place in places:
        for key in ("bits", "num_bits", "w_bit"):
            value = place.get(key) if isinstance(place, Mapping) else None
            if isinstance(value, int) and value in (1, 2, 4, 8):
                return value
    return 4
