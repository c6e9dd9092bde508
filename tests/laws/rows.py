"""What measured rows show of a step from one size to the next: the files of data/calibrations, read here
once more."""

import tomllib
from functools import cache
from math import prod
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
_VECTOR_BYTES = 16  # what a kernel loads at once
_TILE = 64
_WIDTHS = {"fp64": 8, "f64": 8, "i64": 8, "bf16": 2, "fp16": 2, "f16": 2, "bool": 1, "u8": 1, "i8": 1,
           "int8": 1, "fp8": 1}  # fmt: skip
_NEAR = 1.35  # sizes within this factor are compared
_ABOVE_SHORTEST = 4


@cache
def _tables(device):
    """{kind: [(sizes, seconds)]} of a device."""
    path = ROOT / "data/calibrations" / f"{device}.toml"
    if not path.exists():
        return {}
    tables = tomllib.loads(path.read_text())["ops"]
    return {kind: [_row(line, len(table["columns"])) for line in table["rows"].split("\n") if line]
            for kind, table in tables.items()}  # fmt: skip


def _row(line, columns):
    cells = line.split()  # sizes, seconds, workspace
    return tuple(map(float, cells[:columns])), float(cells[columns])


def _width(kind):
    return next((_WIDTHS[part] for part in kind.split(".") if part in _WIDTHS), 4)


def _is_off(one, other, whole):
    """A size of `other` does not fill vectors or tiles, and that of `one` does."""
    return any(mine % step == 0 and its % step != 0 for mine, its in zip(one, other) for step in (whole, _TILE))


@cache
def slowed(device, kind):
    """How many times longer an op of the kind takes that does not fill its vectors or tiles than one of
    nearly the same sizes that does, by the work of each: what at least two pairs of measured rows show; 1
    without them. Rows of small ops, which take their time whatever the work, say nothing."""
    rows = _tables(device).get(kind, [])
    if not rows:
        return 1
    least = _ABOVE_SHORTEST * min(time_s for _, time_s in rows)
    rows = [row for row in rows if row[1] >= least]
    whole = max(1, _VECTOR_BYTES // _width(kind))
    found = [
        its_s / time_s * prod(sizes) / prod(beside)
        for sizes, time_s in rows
        for beside, its_s in rows
        if all(mine / _NEAR <= its <= mine * _NEAR for mine, its in zip(sizes, beside))
        and _is_off(sizes, beside, whole)
    ]
    return max(1, sorted(found)[-2]) if len(found) > 1 else 1
