#!/usr/bin/env python3
"""groups_beside_ncu.py ROOFLAB FOLDER KIND...: the table of what groups_beside_ncu.sh left in FOLDER.

For each program the launches that ncu counted are added up, and the same launches with the figures of their
group by `rooflab profile`.
"""
from __future__ import annotations

import collections
import json
import pathlib
import re
import subprocess
import sys
from typing import Any

CORES = {"fadd": 1, "fmul": 1, "ffma": 2, "dadd": 1, "dmul": 1, "dfma": 2}


def imported(rooflab: str, path: pathlib.Path) -> list[dict[str, Any]]:
    text = subprocess.run([rooflab, "import", path, "--format", "json"], check=True, capture_output=True,
                          text=True).stdout
    return json.loads(text)["kernels"]


def figures(counters: dict[str, float], types: set[str]) -> dict[str, float | None]:
    """FLOPs of CUDA cores but those in half precision, of tensor cores by `types`, DRAM bytes; None: not all are
    known."""
    def total(parts: dict[str, float]) -> float | None:
        values = [counters.get(name) for name in parts]
        return None if None in values else sum(v * w for v, w in zip(values, parts.values()))
    return {"cores": total(CORES), "tensor": total(dict.fromkeys(types, 1)) if types else None,
            "bytes": total({"dram_read_bytes": 1, "dram_write_bytes": 1})}


def key(kernel: dict[str, Any]) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    """ncu writes template arguments with their types: `(int)4`, and leaves out those of the function's own."""
    name = re.sub(r"\((int|bool|unsigned int|long|unsigned long|char|short)\)|\s", "", kernel["name"])
    name = name.removeprefix("void").split(">(")[0].replace("false", "0").replace("true", "1")
    return name, tuple(kernel["grid"]), tuple(kernel["block"])


def tensor_types(kernels: list[dict[str, Any]]) -> set[str]:
    return {name for kernel in kernels for name in kernel["raw_counters"] if name.startswith("tensor_")
            and not name.startswith(("tensor_int", "tensor_pipe"))}


def means(record: dict[str, Any], types: set[str]) -> dict[Any, dict[str, list[float]]]:
    found: dict[Any, dict[str, list[float]]] = collections.defaultdict(lambda: collections.defaultdict(list))
    groups = record.get("counted_groups")
    if groups:
        for row, launches in zip(groups["group_totals"], groups["launch_groups"]):
            for name, value in figures(row["raw_counters"], types).items():
                if value is not None:
                    found[key(row)][name].append(value / launches["launches"])
    else:
        for row in record["kernels"]:
            for name, value in figures(row["raw_counters"], types).items():
                if value is not None:
                    found[key(row)][name].append(value)
    return found


def main() -> None:
    rooflab, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    print(f"{'program':12} {'figure':8} {'launches':>9} {'in both':>8} {'rooflab':>16} {'ncu':>16} {'ratio':>8}")
    for kind in sys.argv[3:]:
        record = json.loads((folder / f"{kind}.json").read_text())
        record = record[0] if isinstance(record, list) else record
        try:
            theirs = imported(rooflab, folder / f"{kind}.ncu.csv")
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"{kind:12} {error}")
            continue
        types = tensor_types(theirs)
        ours = means(record, types)
        for name in ("cores", "tensor", "bytes"):
            mine = other = 0.0
            both = 0
            for kernel in theirs:
                value = figures(kernel["raw_counters"], types)[name]
                like = ours.get(key(kernel), {}).get(name)
                if value is None or not like:
                    continue
                both += 1
                mine += sum(like) / len(like)
                other += value
            ratio = f"{mine / other:.5f}" if other else "-"
            print(f"{kind:12} {name:8} {len(theirs):9} {both:8} {mine:16,.0f} {other:16,.0f} {ratio:>8}")


if __name__ == "__main__":
    main()
