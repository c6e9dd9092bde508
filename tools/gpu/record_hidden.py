#!/usr/bin/env python3
"""Records training programs without a GPU and compares them with recordings of a real one.

usage: record_hidden.py OUT REAL [--kind own,timm,hf] [--only NAME,...] [--scale real]
                        [--device meta] [--timeout S] [--jobs N]

PYTHONPATH has to have the folders python and tests/python. REAL has NAME.rec.jsonl.gz for each
program. Each program runs in a fork of this process, `--jobs` at a time, on `--device`; where that
fails, once more on the CPU. OUT gets

  hidden.tar          NAME.rec.jsonl.gz for each program
  differences.md      a table of the programs, and one of the differences
  differences.json    the same, with an example of each difference
  errors.txt          what the programs that failed printed
  environment.json    versions of what ran

The forks must see no GPU: set CUDA_VISIBLE_DEVICES to nothing.
"""
from __future__ import annotations

import argparse
import importlib
import itertools
import json
import math
import multiprocessing
import os
import pathlib
import re
import sys
import tarfile
import tempfile
import time
import traceback
from typing import Any, Callable, Iterator

from compare_steps import compare, read
from programs import KINDS, all_programs
from record_programs import append, environment, import_once, print_to

WARM_UP_STEPS = 2


def answer(place: str) -> int:
    """Values that programs ask for on `meta`: does a causal mask hide no padding, for example."""
    return 1 if "causal" in place or place.startswith("contrastive.py") else 0


def chosen_shares(real: str) -> Iterator[float]:
    """Without an end: the shares of elements that each `nonzero` of a real recording chose."""
    shares = []
    for op in read(real).ops if os.path.exists(real) else []:
        if op.name == "aten.nonzero":
            of, found = (json.loads(text) for text in re.findall(r"(?:bool|i64)(\[[\d, ]+\])",
                                                                 op.layouts)[:2])
            shares.append(found[0] / math.prod(of))
    return itertools.cycle(shares or [0.125])  # a token goes to one of eight experts at each place


def shares_of(real: str) -> Callable[[str], float]:
    """Shares of elements that a mask selects, by place in a program."""
    chosen = chosen_shares(real)

    def share(place: str) -> float:
        if "wav2vec2" not in real:
            return next(chosen)
        # All labels of a sound's text count; 3 spans of 10 in 499 steps of each sound are hidden.
        return 1.0 if "wav2vec2" in place else 30 / 499

    return share


def assumed(real: str) -> dict[str, Any]:
    return {"item": answer, "equal": True, "nonzero_share": shares_of(real), "unique_share": 0.5}


def record(name: str, folder: str, device: str, scale: str, reals: str) -> None:
    """Records a program and compares it; the row goes to a file."""
    import torch

    import rooflab
    torch.set_num_threads(2)
    row: dict[str, Any] = {"name": name, "device": device, "error": None}
    try:
        begin = time.perf_counter()
        program = all_programs(*KINDS)[name](device=device, scale=scale)
        target = f"{folder}/{name}.rec.jsonl.gz"
        real = f"{reals}/{name}.rec.jsonl.gz"
        recording = rooflab.record(program.step, to=target, name=program.name, batch=program.batch,
                                   warmup=WARM_UP_STEPS, assume=assumed(real))
        row["seconds"] = round(time.perf_counter() - begin, 1)
        row["assumptions"] = recording.assumptions
        row["gaps"] = recording.gaps
        if os.path.exists(real):
            row.update(compare(real, target))
            for difference in row["differences"]:
                difference["example"] = difference["example"][:1000]
                del difference["all"]
    except Exception as error:
        traceback.print_exc()
        row["error"] = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
    with open(f"{folder}/{name}.json", "w", encoding="utf-8") as file:
        json.dump(row, file)


def in_fork(printed: str, *words: str) -> None:
    print_to(printed)
    record(*words)


class Job:
    """One program that runs in a fork."""

    def __init__(self, name: str, folder: str, device: str, options: argparse.Namespace) -> None:
        self.name, self.device, self.folder = name, device, folder
        self.begin = time.monotonic()
        self.printed = f"{folder}/{name}.{device}.txt"
        self.process = multiprocessing.get_context("fork").Process(
            target=in_fork,
            args=(self.printed, name, folder, device, options.scale, str(options.real)))
        self.process.start()

    def ended(self, limit: float) -> dict[str, Any] | None:
        """The row, once there is one."""
        late = time.monotonic() - self.begin > limit
        if self.process.is_alive() and not late:
            return None
        self.process.kill()
        self.process.join()
        row: dict[str, Any] = {"name": self.name, "device": self.device,
                               "error": f"stopped after {limit:.0f} s" if late else
                               f"exit status {self.process.exitcode}"}
        path = pathlib.Path(f"{self.folder}/{self.name}.json")
        if path.exists():
            row = json.loads(path.read_text())
            path.unlink()
        return row


def run_all(names: list[str], folder: str, options: argparse.Namespace) -> list[dict[str, Any]]:
    waiting = [(name, options.device, None) for name in reversed(names)]
    running: list[tuple[Job, Any]] = []
    rows: dict[str, dict[str, Any]] = {}
    errors = options.out / "errors.txt"
    errors.write_text("")
    while waiting or running:
        while waiting and len(running) < options.jobs:
            name, device, first = waiting.pop()
            running.append((Job(name, folder, device, options), first))
        time.sleep(0.1)
        for job, first in list(running):
            row = job.ended(options.timeout)
            if row is None:
                continue
            running.remove((job, first))
            if first is not None:
                row["first_error"] = first
            if row["error"]:
                text = pathlib.Path(job.printed).read_text(encoding="utf-8", errors="replace")
                append(errors, f"==== {job.name} on {job.device}: {row['error']}\n{text[-4000:]}\n")
                if job.device != "cpu":
                    waiting.append((job.name, "cpu", row["error"]))
                    continue
            rows[job.name] = row
            print(f"{len(rows)}/{len(names)} {line_of(row)}", flush=True)
            write(options.out, folder, [rows[name] for name in names if name in rows])
    return [rows[name] for name in names]


def line_of(row: dict[str, Any]) -> str:
    if row["error"]:
        return f"{row['name']} on {row['device']}: {row['error']}"
    kinds = row.get("differences", [])
    open_ = [one for one in kinds if not one["reason"]]
    return (f"{row['name']} on {row['device']} ({row['seconds']} s): ops {row.get('ops')}, "
            f"{len(kinds)} kinds of differences, {len(open_)} without a reason")


def write(out: pathlib.Path, folder: str, rows: list[dict[str, Any]]) -> None:
    """All files, complete after each program."""
    (out / "differences.json").write_text(json.dumps(rows, indent=1) + "\n")
    text = ["# Recorded without a GPU, compared with a real one", "",
            "| program | on | ops real | ops | peak | kinds of differences | without a reason |",
            "| --- | --- | --- | --- | --- | --- | --- |"]
    for row in rows:
        if row["error"] or "ops" not in row:
            text.append(f"| {row['name']} | {row['device']} | | | | {row['error']} | |")
            continue
        ops, peaks, kinds = row["ops"], row["peak_bytes"], row["differences"]
        text.append(f"| {row['name']} | {row['device']} | {ops[0]} | {ops[1]} | "
                    f"{peaks[1] / peaks[0] - 1:+.2%} | {len(kinds)} | "
                    f"{sum(1 for one in kinds if not one['reason'])} |")
    text += ["", "| count | difference | programs | reason |", "| --- | --- | --- | --- |"]
    found: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for row in rows:
        for one in row.get("differences", []):
            found.setdefault((one["kind"], one["reason"]), []).append((row["name"], one["count"]))
    for (kind, reason), places in sorted(found.items(), key=lambda item: -len(item[1])):
        names = ", ".join(name for name, _ in places[:4]) + (" ..." if len(places) > 4 else "")
        text.append(f"| {sum(count for _, count in places)} | `{kind}` | {len(places)}: {names} | "
                    f"{reason} |")
    (out / "differences.md").write_text("\n".join(text) + "\n")
    with tarfile.open(out / "hidden.tar", "w") as archive:
        for row in rows:
            path = pathlib.Path(f"{folder}/{row['name']}.rec.jsonl.gz")
            if path.exists():
                archive.add(path, arcname=path.name)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("real", type=pathlib.Path)
    parser.add_argument("--kind", default=",".join(KINDS))
    parser.add_argument("--only", default="")
    parser.add_argument("--scale", default="real")
    parser.add_argument("--device", default="meta")
    parser.add_argument("--timeout", type=float, default=120.0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    seen = {**environment("opt_einsum"), "cores": os.cpu_count()}
    (options.out / "environment.json").write_text(json.dumps(seen, indent=2) + "\n")
    known = all_programs(*KINDS)
    names = [name for name in options.only.split(",") if name] or list(
        all_programs(*options.kind.split(",")))
    unknown = [name for name in names if name not in known]
    if unknown:
        parser.error(f"no program is called {', '.join(unknown)}")
    import_once(names)
    importlib.import_module("rooflab.recorder")
    with tempfile.TemporaryDirectory() as folder:
        rows = run_all(names, folder, options)
    failed = [row["name"] for row in rows if row["error"]]
    print(f"{len(rows) - len(failed)} programs recorded, {len(failed)} failed"
          + (f": {', '.join(failed)}" if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
