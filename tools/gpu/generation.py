#!/usr/bin/env python3
"""Measures and records inference and generation: prefill, and decode eager and as a CUDA graph.

  generation.py OUT [--only PREFIX,...] [--seconds N] [--timeout S] [--device cuda] [--scale real]
                [--again] [--list]

PYTHONPATH has to have the folders python and tests/python; transformers 5 is needed. The cases are
those of generation_cases.py. A process builds a model once and runs all its cases. OUT gets

  measured.jsonl      a row for each case, and a further one, NAME-graph, for the replay of a CUDA
                      graph of the same step (decode with a static cache)
  recordings.tar      NAME.rec.jsonl.gz for each case: one step, not as a graph
  errors.txt          what the cases that failed printed
  environment.json    versions of what ran

The rows have the keys of measured_program.py and

  model, dtype, layers, phase, batch, tokens, context, cache   the case; layers null: all of them
  issued_by              "pytorch" (one operation after the other), or "graph"
  kv_cache_bytes         bytes of all keys and values after the recorded step
  recording              the name of the recording of this step

Memory of a "graph" is that of the capture. All files are complete after each case. A case that has
a row is not run again, unless it failed and --again is given. --timeout is the time for a case.
"""
from __future__ import annotations

import argparse
import dataclasses
import gc
import importlib
import itertools
import json
import multiprocessing
import os
import pathlib
import sys
import tempfile
import time
import traceback
from typing import Any, Callable

from generation_cases import CASES, Case
from record_programs import (
    LEAST_SECONDS, append, environment, import_once, keep, print_to, rows_of, sentence)

SECONDS_OF_STEPS = 1.5  # slow steps are repeated less often
SMALL = {"batch": 2, "tokens": 24, "context": 24}  # the sizes at scale "small"


def row_of(case: Case, **more: Any) -> dict[str, Any]:
    from measured_program import KEYS
    return {**dict.fromkeys(KEYS), "name": case.name, **dataclasses.asdict(case),
            "issued_by": "pytorch", "kv_cache_bytes": None, "recording": case.name, **more}


def bytes_of(tensors: list[Any]) -> int:
    return sum(each.numel() * each.element_size() for each in tensors)


def replayed(step: Callable[[], Any], steps: int) -> dict[str, Any]:
    """Times of replays of the step as a CUDA graph, and the memory of its capture."""
    import torch
    from measured_program import WARM_UP_STEPS, timed
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        for _ in range(WARM_UP_STEPS):
            step()
    torch.cuda.current_stream().wait_stream(aside)
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    memory = {"allocated_peak_bytes": torch.cuda.max_memory_allocated(),
              "reserved_peak_bytes": torch.cuda.max_memory_reserved()}
    for _ in range(WARM_UP_STEPS):
        graph.replay()
    return {**timed(graph.replay, steps), **memory, "warm_up_steps": WARM_UP_STEPS}


class Bench:
    """Measures the cases of a group in this process, and sends their rows."""

    def __init__(self, send: Callable[[Any], None], folder: str, options: argparse.Namespace
                 ) -> None:
        import measured_program
        self.tools = measured_program
        self.send = send
        self.folder = folder
        self.device, self.scale = options.device, options.scale
        self.on_gpu = self.device == "cuda"
        self.driver = measured_program.DeviceMemory(wanted=self.on_gpu)
        self.generator: Any = None

    def program(self, case: Case) -> Any:
        """The program of a case, whose model is built for the first one."""
        if self.generator is None:
            import torch
            from programs.hf_generation import Generator
            self.generator = Generator(case.model, self.device, getattr(torch, case.dtype),
                                       self.scale, case.layers)
        sizes = {key: value for key in ("batch", "tokens", "context", "cache")
                 if (value := getattr(case, key)) is not None}
        if self.scale == "small":
            sizes.update((key, value) for key, value in SMALL.items() if key in sizes)
        return self.generator.program(case.phase, **sizes)

    def clear(self) -> None:
        """Gives all memory back that nothing uses."""
        gc.collect()
        if self.on_gpu:
            import torch
            torch.cuda.synchronize()
            torch.cuda.empty_cache()

    def run(self, case: Case) -> None:
        self.send(("begin", case.name))
        row = row_of(case)
        stage = ["build"]
        try:
            self.clear()
            program = self.program(case)
            self.measure(program, row, stage)
        except Exception as error:
            traceback.print_exc()
            row["error"] = self.tools.in_a_line(stage[0], error)
        self.send(("row", row))
        if row["error"] is None and self.on_gpu and (case.phase, case.cache) == ("decode",
                                                                                  "static"):
            self.send(("begin", case.name + "-graph"))
            self.send(("row", self.graph_row(case, program, row)))

    def measure(self, program: Any, row: dict[str, Any], stage: list[str]) -> None:
        """Fills the row; `stage` has what is being done."""
        import torch
        row.update(batch=program.batch,
                   parameters=sum(each.numel() for _, each in program.parameters()),
                   device=torch.cuda.get_device_name() if self.on_gpu else self.device)
        stage[0] = "warm-up"
        for _ in range(self.tools.WARM_UP_STEPS):
            begin = time.perf_counter()
            program.step()
            if self.on_gpu:
                torch.cuda.synchronize()
            took = time.perf_counter() - begin
        row["warm_up_steps"] = self.tools.WARM_UP_STEPS
        if self.on_gpu:
            stage[0] = "timed steps"
            steps = max(3, min(self.tools.STEPS, int(SECONDS_OF_STEPS / took)))
            row.update(self.tools.timed(program.step, steps))
            stage[0] = "memory"
            program.reset()
            self.clear()
            for _ in range(self.tools.WARM_UP_STEPS):
                program.step()
            row.update(self.tools.memory_of(program.step, self.driver))
        stage[0] = "recording"
        program.reset()
        row.update(self.tools.recorded(program, f"{self.folder}/{row['name']}.rec.jsonl.gz"))
        row["kv_cache_bytes"] = bytes_of(program.cache()) or None

    def graph_row(self, case: Case, program: Any, eager: dict[str, Any]) -> dict[str, Any]:
        row = row_of(case, name=case.name + "-graph", issued_by="graph", batch=program.batch)
        row.update((key, eager[key]) for key in (
            "device", "parameters", "kv_cache_bytes", "recording_bytes", "recorded_ops"))
        try:
            program.reset()
            self.clear()
            row.update(replayed(program.step, eager["steps"]))
        except Exception as error:
            traceback.print_exc()
            row["error"] = self.tools.in_a_line("graph", error)
        return row

    def is_sane(self) -> bool:
        """Whether the GPU still computes: some errors end all work of a process."""
        if not self.on_gpu:
            return True
        import torch
        try:
            torch.ones(1, device="cuda").item()
        except Exception:
            traceback.print_exc()
            return False
        return True


def run_group(cases: list[Case], pipe: Any, folder: str, options: argparse.Namespace) -> None:
    """What a fork does."""
    print_to(f"{folder}/text")
    bench = Bench(pipe.send, folder, options)
    for case in cases:
        bench.run(case)
        if not bench.is_sane():
            break
    pipe.send(("end", None))


class Records:
    """The files in OUT."""

    def __init__(self, out: pathlib.Path) -> None:
        self.out = out
        self.measured = out / "measured.jsonl"

    def add(self, row: dict[str, Any], folder: str) -> None:
        keep(self.out, row, f"{folder}/{row['name']}.rec.jsonl.gz", f"{folder}/text")
        append(self.measured, json.dumps(row) + "\n")
        print(f"{row['name']}: {sentence(row)}", flush=True)


def watch(cases: list[Case], records: Records, end: float, options: argparse.Namespace
          ) -> set[str]:
    """Runs cases of a group in a fork, until it ends or takes too long. Names of those with rows.

    A case that the end of the time for all of them stopped has no row.
    """
    by_name = {case.name: case for case in cases}
    done: set[str] = set()
    current = None
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = multiprocessing.Pipe(duplex=False)
        process = multiprocessing.get_context("fork").Process(
            target=run_group, args=(cases, theirs, folder, options))
        sys.stdout.flush()
        process.start()
        theirs.close()
        error = None
        while error is None:
            limit = min(options.timeout, end - time.monotonic())
            try:
                if not ours.poll(max(limit, 0)):
                    error = f"stopped after {limit:.0f} s"
                    break
                kind, value = ours.recv()
            except EOFError:
                process.join(10)
                error = f"exit status {process.exitcode}"
                break
            if kind == "end":
                break
            if kind == "begin":
                current = value
                continue
            done.add(value["name"])
            current = None
            records.add(value, folder)
        if process.is_alive():
            process.join(5 if error is None else 0)
            process.kill()
            process.join()
        if error and time.monotonic() < end:
            name = current or next(case.name for case in cases if case.name not in done)
            case = by_name[name.removesuffix("-graph")]
            records.add(row_of(case, name=name, error=error), folder)
            done.add(name)
    return done


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--only", default="", help="cases whose names begin with one of these")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--timeout", type=float, default=60.0)
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--scale", default="real", choices=("real", "small"))
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--list", action="store_true", help="prints the names of the cases")
    options = parser.parse_args()
    begins = tuple(options.only.split(","))
    cases = [case for case in CASES if case.name.startswith(begins)]
    if not cases:
        parser.error(f"no case's name begins with {options.only} (--list prints all names)")
    if options.list:
        print("\n".join(case.name for case in cases))
        return 0
    end = time.monotonic() + options.seconds
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "environment.json").write_text(json.dumps(environment(), indent=2) + "\n")
    records = Records(options.out)
    rows = rows_of(records.measured)
    failed = {row["recording"] for row in rows.values() if options.again and row["error"]}
    left = [case for case in cases if case.name not in rows or case.name in failed]
    print(f"{len(left)} cases to run, {len(cases) - len(left)} are in {records.measured}",
          flush=True)
    import_once([])
    importlib.import_module("transformers")
    for _, group in itertools.groupby(left, key=lambda case: case.group):
        waiting = list(group)
        while waiting and end - time.monotonic() >= LEAST_SECONDS:
            done = watch(waiting, records, end, options)
            if not done:
                break
            waiting = [case for case in waiting if case.name not in done]
    rows = rows_of(records.measured)
    failed = [name for name, row in rows.items() if row["error"]]
    missing = [case.name for case in cases if case.name not in rows]
    if missing:
        print(f"The time is over; {len(missing)} cases are left.")
    print(f"{len(rows) - len(failed)} rows, {len(failed)} failed"
          + (f": {', '.join(failed)}" if failed else ""))
    return 1 if failed or missing else 0


if __name__ == "__main__":
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    sys.exit(main())
