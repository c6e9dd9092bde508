#!/usr/bin/env python3
"""Lines two recordings of the same step up and prints how they differ.

usage: tools/gpu/compare_steps.py REAL OTHER [--json FILE] [--all]

Operations are lined up by name and overload, in order. Operations that match are compared by the
layouts of their tensors, by their further arguments, by place (pass, module, autograd's node), and
by the storages that are born and freed before the next operation. The device that holds most bytes
of a recording counts as the same one in both. Prints a row for each kind of difference, with how
often it comes and the reason where one is known; --all prints every difference. Exit status 1 if
there are differences without a known reason.
"""
from __future__ import annotations

import argparse
import collections
import dataclasses
import difflib
import gzip
import json
import re
import sys
from typing import Any, Iterable, Iterator

# Program, regular expression of a row's kind or text, and why recordings of equal steps differ so.
_SCRIPTED = ("torch.jit.script makes one kernel of these operations on a GPU, which the dispatcher "
             "does not see")
REASONS: list[tuple[str, str, str]] = [
    ("accumulation", r"args: aten\._foreach_add_", "a schedule's learning rate depends on how many "
     "steps ran before"),
    ("dlrm", r"_embedding_bag|storage before|peak of bytes", "the lengths of bags are random; on "
     "`meta` each bag has the average length"),
    ("hf_deberta_v2", r"only other: .*\[256, 256\].*\(forward deberta\.encoder\)", _SCRIPTED),
    ("hf_deberta_v2", r"freed after: aten\.(_to_copy|div\.Tensor)|storage before: .*262144 B input",
     _SCRIPTED),
]


@dataclasses.dataclass
class Op:
    """An operation as both recordings can say it."""

    name: str
    layouts: str
    args: str
    place: str
    born: list[str] = dataclasses.field(default_factory=list)
    freed: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Step:
    first: dict[str, Any]
    ops: list[Op]
    before: collections.Counter
    peak: int


def lines_of(path: str) -> Iterator[dict[str, Any]]:
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def main_device(path: str) -> str:
    """The device that holds most bytes."""
    held: collections.Counter = collections.Counter()
    for line in lines_of(path):
        if "storage" in line and next(iter(line)) == "storage":
            held[line["device"]] += line["bytes"]
    return held.most_common(1)[0][0] if held else "cpu"


def layout_of(line: dict[str, Any]) -> str:
    """Type, extents, and strides that are not row-major; the stride of an extent 1 says nothing."""
    shape = line["shape"]
    text = f"{line['layout']}{shape}"
    if "strides" not in line or 0 in shape:
        return text
    told = [(extent, stride) for extent, stride in zip(shape, line["strides"]) if extent > 1]
    step = 1
    for extent, stride in reversed(told):
        if stride != step:
            return f"{text} by {[stride for _, stride in told]}"
        step *= extent
    return text


def read(path: str) -> Step:
    device = main_device(path)
    layouts: list[str] = []
    tensors: list[str] = []
    modules: dict[int, str] = {}
    sizes: dict[int, tuple[int, str]] = {}
    ops: list[Op] = []
    before: collections.Counter = collections.Counter()
    born: list[str] = []
    place = ""
    held = peak = 0
    first: dict[str, Any] = {}

    def named(tensor: Any) -> str:
        if tensor is None:
            return "-"
        if isinstance(tensor, list):
            return "[" + ", ".join(map(named, tensor)) + "]"
        if isinstance(tensor, dict):
            return str(tensor["number"])
        return tensors[tensor]

    for line in lines_of(path):
        kind = next(iter(line))
        if kind == "rooflab_recording":
            first = line
        elif kind == "layout":
            layouts.append(layout_of(line))
        elif kind == "tensor":
            tensors.append(layouts[line["layout"]] + (
                f" at {line['offset']}" if line.get("offset") else ""))
        elif kind == "module":
            modules[line["module"]] = line["name"] or line["class"]
        elif kind == "storage":
            where = "" if line["device"] == device else f" on {line['device']}"
            if line["storage"] not in sizes:
                text = f"{line['bytes']} B{where}"
                if line.get("before"):
                    before[f"{text} {line.get('role', '')} {line.get('name') or ''}".strip()] += 1
                else:
                    born.append(text)
            if not where:
                held += line["bytes"] - sizes.get(line["storage"], (0, ""))[0]
                peak = max(peak, held)
            sizes[line["storage"]] = (line["bytes"], where)
        elif kind == "at":
            place = " ".join(str(part) for part in (
                line["at"], modules.get(line.get("module"), ""), line.get("node", ""),
                line.get("autocast", ""), "again" if line.get("recomputed") else "") if part)
        elif kind == "free":
            freed = []
            for number in line["free"]:
                size, where = sizes[number]
                freed.append(f"{size} B{where}")
                if not where:
                    held -= size
            if ops:
                ops[-1].freed.extend(freed)
        elif kind == "op":
            name = line["op"] + ("." + line["overload"] if "overload" in line else "")
            layout = f"{named(line['in'])} -> {named(line['out'])}"
            args = json.dumps({key: len(value) if key == "scalars" else value
                               for key, value in line.get("args", {}).items()})
            args = args.replace(f'"{device}"', '"device"').replace('"cuda"', '"device"')
            ops.append(Op(name, layout, args, place, born))
            born = []
    return Step(first, ops, before, peak)


def pairs(real: list[Op], other: list[Op]) -> Iterator[tuple[Any, Any]]:
    """Operations lined up; None where one recording has no such operation."""
    for by in (lambda op: (op.name, op.layouts), lambda op: op.name):
        matcher = difflib.SequenceMatcher(None, [by(op) for op in real], [by(op) for op in other],
                                          autojunk=False)
        blocks = matcher.get_opcodes()
        if all(tag == "equal" for tag, *_ in blocks):
            break
    for tag, i1, i2, j1, j2 in blocks:
        if tag == "equal":
            yield from zip(real[i1:i2], other[j1:j2])
        else:
            yield from ((op, None) for op in real[i1:i2])
            yield from ((None, op) for op in other[j1:j2])


def differences(real: Step, other: Step) -> Iterator[tuple[str, str]]:
    """Kind and text of each difference."""
    if real.first.get("batch") != other.first.get("batch"):
        yield "batch", f"{real.first.get('batch')} | {other.first.get('batch')}"
    if real.first.get("tf32") != other.first.get("tf32"):
        yield "tf32", f"{real.first.get('tf32')} | {other.first.get('tf32')}"
    for mine, own in pairs(real.ops, other.ops):
        if own is None:
            yield f"only real: {mine.name}", f"{mine.layouts} {mine.args} ({mine.place})"
        elif mine is None:
            yield f"only other: {own.name}", f"{own.layouts} {own.args} ({own.place})"
        else:
            for what in ("layouts", "args", "place"):
                if getattr(mine, what) != getattr(own, what):
                    yield (f"{what}: {mine.name}",
                           f"{getattr(mine, what)} | {getattr(own, what)} ({mine.place})")
            if sorted(mine.born) != sorted(own.born):
                yield f"born: {mine.name}", f"{mine.born} | {own.born} {mine.layouts}"
            if sorted(mine.freed) != sorted(own.freed):
                yield f"freed after: {mine.name}", f"{mine.freed} | {own.freed} {mine.layouts}"
    for text, count in (real.before - other.before).items():
        yield "only real: storage before", f"{count} x {text}"
    for text, count in (other.before - real.before).items():
        yield "only other: storage before", f"{count} x {text}"
    if real.peak != other.peak:
        yield "peak of bytes held", f"{real.peak} | {other.peak} ({other.peak / real.peak - 1:+.2%})"


def reason_of(program: Any, kind: str, text: str) -> str:
    return next((reason for name, part, reason in REASONS
                 if name == program and re.search(part, f"{kind}: {text}")), "")


def compare(real: str, other: str) -> dict[str, Any]:
    """Numbers of operations, and the kinds of differences with counts, reasons and an example."""
    first, second = read(real), read(other)
    found: dict[tuple[str, str], list[str]] = {}
    for kind, text in differences(first, second):
        found.setdefault((kind, reason_of(first.first.get("name"), kind, text)), []).append(text)
    return {"ops": [len(first.ops), len(second.ops)], "peak_bytes": [first.peak, second.peak],
            "differences": [{"kind": kind, "count": len(texts), "reason": reason,
                             "example": texts[0], "all": texts}
                            for (kind, reason), texts in found.items()]}


def table(rows: Iterable[dict[str, Any]], every: bool) -> str:
    lines = []
    for row in rows:
        lines.append(f"{row['count']:6} {row['kind']}" + (
            f"  [{row['reason']}]" if row["reason"] else ""))
        lines += [f"         {text}" for text in (row["all"] if every else row["all"][:1])]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("real")
    parser.add_argument("other")
    parser.add_argument("--json")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    found = compare(options.real, options.other)
    print(f"ops: {found['ops'][0]} | {found['ops'][1]}")
    print(table(found["differences"], options.all) or "no differences")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(found, file, indent=1)
    return 1 if any(not row["reason"] for row in found["differences"]) else 0


if __name__ == "__main__":
    sys.exit(main())
