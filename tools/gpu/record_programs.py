#!/usr/bin/env python3
"""Measures and records training programs, each in a separate process.

  record_programs.py OUT [--kind own,timm,hf] [--only NAME,...] [--seconds N] [--timeout S]
                     [--device cuda] [--scale real] [--again] [--start fork|fresh]

PYTHONPATH has to have the folders python and tests/python. OUT gets

  measured.jsonl      a row for each program (measured_program.py says what is in it)
  recordings.tar      NAME.rec.jsonl.gz for each program that could be recorded
  errors.txt          what the programs that failed printed
  environment.json    versions of what ran

All files are complete after each program. A program that has a row is not run again, unless it is
named by --only, or failed and --again is given; of two rows the later one counts.

--start fork: PyTorch, timm and transformers are imported once, and each program gets a fork of this
process, which never touches CUDA; a context is made in each fork. fresh: a new interpreter for each
program, which takes some seconds more. Where CUDA does not work in a fork, fresh is used.
"""
from __future__ import annotations

import argparse
import importlib
import json
import multiprocessing
import os
import pathlib
import platform
import sys
import tarfile
import tempfile
import time
from importlib import metadata
from typing import Any

from programs import KINDS, all_programs

NEEDS = {"own": (), "timm": ("timm",), "hf": ("transformers",)}
LEAST_SECONDS = 15  # a program is not begun with less


def rows_of(path: pathlib.Path) -> dict[str, dict[str, Any]]:
    """The last row of each program."""
    if not path.exists():
        return {}
    with path.open(encoding="utf-8") as lines:
        return {row["name"]: row for row in map(json.loads, lines)}


def environment(*further: str) -> dict[str, Any]:
    """What runs; `further`: packages whose versions matter, too."""
    versions = {}
    for name in ("torch", "timm", "transformers", "torchvision", *further):
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = None
    return {"python": platform.python_version(), "machine": platform.platform(),
            "versions": versions}


def append(path: pathlib.Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def keep(out: pathlib.Path, row: dict[str, Any], recording: str, printed: str) -> None:
    """The recording of a program goes to the archive, or what it printed to the errors."""
    if row["error"]:
        text = pathlib.Path(printed).read_text(encoding="utf-8", errors="replace")
        append(out / "errors.txt", f"==== {row['name']}: {row['error']}\n{text[-6000:]}\n")
    elif os.path.exists(recording):
        with tarfile.open(out / "recordings.tar", "a") as archive:
            archive.add(recording, arcname=os.path.basename(recording))


def print_to(path: str) -> None:
    """From here on this process prints to a file."""
    with open(path, "w", encoding="utf-8") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)


def import_once(names: list[str]) -> None:
    """Imports what the programs of these names need, so that forks have it."""
    # Asking whether there is a GPU must not start CUDA: forks could not use it then.
    os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"
    importlib.import_module("measured_program")
    for kind in KINDS:
        if any(name in all_programs(kind) for name in names):
            for module in NEEDS[kind]:
                try:
                    importlib.import_module(module)
                except Exception as error:  # each program that needs it reports it, too
                    print(f"{module} cannot be imported: {error}", flush=True)


def in_fork(printed: str, words: list[str]) -> None:
    """What a fork does: measures one program, and prints to a file."""
    print_to(printed)
    importlib.import_module("measured_program").measure(*words)


def in_interpreter(printed: str, words: list[str]) -> None:
    """The same in a new interpreter."""
    name, row, recording, device, scale = words
    command = [sys.executable, str(pathlib.Path(__file__).with_name("measured_program.py")), name,
               row, recording, "--device", device, "--scale", scale]
    print_to(printed)
    os.execv(sys.executable, command)


def run(name: str, out: pathlib.Path, limit: float, options: argparse.Namespace
        ) -> dict[str, Any] | None:
    """The row of one program; None where the time for all of them ended first."""
    with tempfile.TemporaryDirectory() as folder:
        row_file, recording = f"{folder}/row.json", f"{folder}/{name}.rec.jsonl.gz"
        printed = f"{folder}/text"
        process = multiprocessing.get_context("fork").Process(
            target=in_fork if options.start == "fork" else in_interpreter,
            args=(printed, [name, row_file, recording, options.device, options.scale]))
        sys.stdout.flush()
        process.start()
        process.join(limit)
        stopped = process.is_alive()
        if stopped:
            process.kill()
            process.join()
        if stopped and limit < options.timeout:
            return None
        row: dict[str, Any] = {"name": name, "error": None}
        if os.path.exists(row_file):
            with open(row_file, encoding="utf-8") as file:
                row = json.load(file)
        if stopped:
            row["error"] = f"stopped after {limit:.0f} s"
        elif process.exitcode and not row["error"]:
            row["error"] = f"exit status {process.exitcode}"
        keep(out, row, recording, printed)
        return row


def no_cuda_in_forks(row: dict[str, Any]) -> bool:
    """Whether this is the error of a process whose parent has started CUDA."""
    text = str(row["error"]).lower()
    return "forked" in text or "initialization error" in text


def sentence(row: dict[str, Any]) -> str:
    """The row in short, for a person who waits."""
    parts = []
    if row.get("time_s"):
        parts.append(f"{row['time_s'] * 1e3:.2f} ms")
    if row.get("allocated_peak_bytes"):
        parts.append(f"{row['allocated_peak_bytes'] / 1e9:.2f} GB")
    if row.get("recorded_ops"):
        parts.append(f"{row['recorded_ops']} ops in {row['recording_bytes'] / 1e3:.0f} kB")
    if row["error"]:
        parts.append(f"error: {row['error']}")
    return ", ".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--kind", default=",".join(KINDS))
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--timeout", type=float, default=60.0)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--scale", default="real")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--start", choices=("fork", "fresh"), default="fork")
    options = parser.parse_args()
    begin = time.monotonic()
    options.out.mkdir(parents=True, exist_ok=True)
    measured = options.out / "measured.jsonl"
    (options.out / "environment.json").write_text(json.dumps(environment(), indent=2) + "\n")

    only = [name for name in options.only.split(",") if name]
    known = all_programs(*KINDS)
    unknown = [name for name in only if name not in known]
    if unknown:
        parser.error(f"no program is called {', '.join(unknown)}"
                     " (`python3 -m programs list` prints all names)")
    done = rows_of(measured)
    names = only or [name for name in all_programs(*options.kind.split(","))
                     if name not in done or (options.again and done[name]["error"])]
    print(f"{len(names)} programs to run, {len(done)} are in {measured}", flush=True)
    if options.start == "fork":
        import_once(names)
    for index, name in enumerate(names):
        left = options.seconds - (time.monotonic() - begin)
        row = None
        if left >= LEAST_SECONDS:
            started = time.monotonic()
            row = run(name, options.out, min(options.timeout, left), options)
            if row and options.start == "fork" and no_cuda_in_forks(row):
                print("CUDA does not work in a fork: a new interpreter for each from now on")
                options.start = "fresh"
                left = options.seconds - (time.monotonic() - begin)
                row = run(name, options.out, min(options.timeout, left), options)
        if row is None:
            print(f"The time is over; {len(names) - index} programs are left.", flush=True)
            break
        append(measured, json.dumps(row) + "\n")
        print(f"{index + 1}/{len(names)} {name} ({time.monotonic() - started:.0f} s):"
              f" {sentence(row)}", flush=True)
    rows = rows_of(measured)
    failed = [name for name, row in rows.items() if row["error"]]
    print(f"{len(rows) - len(failed)} programs recorded, {len(failed)} failed"
          + (f": {', '.join(failed)}" if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
