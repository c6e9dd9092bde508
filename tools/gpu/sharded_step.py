#!/usr/bin/env python3
"""Measures and records steps of a decoder on several devices: data parallel, sharded, divided.

  sharded_step.py OUT [--kinds one,ddp,fsdp,tp] [--ranks 2] [--backend nccl] [--shape 1b]
                  [--batch 2] [--length 2048] [--timeout 60]
  sharded_step.py OUT --table PREDICTIONS.json

PYTHONPATH has to have the folders python and tests/python. The first form runs each kind
(tests/python/programs/sharded.py; `one` is the step of one device) in separate processes, one a
device, and adds a row to OUT/measured.jsonl and OUT/KIND.rec.jsonl.gz of rank 0. A row has

  name, ranks, batch, length, device, torch     name: the kind; batch: samples that a rank sees, of
                         `tp` those of all ranks together, because they share them
  time_s                 median time of a step between two events, of the slowest rank
  times_s                of each rank; host_s: median of the host's clock, when it ran ahead or not
  allocated_peak_bytes, reserved_peak_bytes     of rank 0 over one step
  kernels                of one traced step of rank 0: seconds in which a kernel of the
                         communication library ran (`communication_s`), in which another kernel ran
                         (`other_s`), in which both did (`both_s`); and by name of the library's
                         kernels their number and seconds
  recorded_ops, error    error: what failed, in one line

The second form prints a table of measured and predicted steps. PREDICTIONS.json is what `rooflab
predict KIND.rec.jsonl.gz... --format json` wrote.
"""
from __future__ import annotations

import argparse
import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import time
from typing import Any

WARM_UP_STEPS, STEPS = 5, 15
KINDS = ("one", "ddp", "fsdp", "tp")


def union(spans: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Spans that do not overlap, in order."""
    joined: list[tuple[float, float]] = []
    for begin, end in sorted(spans):
        if joined and begin <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((begin, end))
    return joined


def length_of(spans: list[tuple[float, float]]) -> float:
    return sum(end - begin for begin, end in union(spans))


def kernels_of_step(step: Any) -> dict[str, Any] | None:
    """What ran on the device in one step."""
    import torch
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CUDA]) as trace:
        step()
        torch.cuda.synchronize()
    ours: list[tuple[float, float]] = []
    others: list[tuple[float, float]] = []
    names: dict[str, list[float]] = {}
    for event in trace.events():
        is_kernel = str(event.device_type).rsplit(".", 1)[-1] == "CUDA"
        if not is_kernel or getattr(event, "is_user_annotation", False):
            continue
        span = (event.time_range.start * 1e-6, event.time_range.end * 1e-6)
        if event.name.startswith(("ncclDev", "ncclKernel")):
            ours.append(span)
            names.setdefault(event.name.split("(")[0], []).append(span[1] - span[0])
        else:
            others.append(span)
    communication, other = length_of(ours), length_of(others)
    return {"communication_s": communication, "other_s": other,
            "both_s": communication + other - length_of(ours + others),
            "by_name": {name: [len(times), sum(times)] for name, times in names.items()}}


def timed_steps(program: Any, on_gpu: bool) -> tuple[float, float]:
    """Medians of a step between events and by the host's clock."""
    import torch

    marks, clocks = [], [time.perf_counter()]
    for _ in range(STEPS):
        if on_gpu:
            first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            first.record()
        program.step()
        if on_gpu:
            last.record()
            marks.append((first, last))
        clocks.append(time.perf_counter())
    if not on_gpu:
        host = statistics.median(b - a for a, b in zip(clocks, clocks[1:]))
        return host, host
    torch.cuda.synchronize()
    whole = (time.perf_counter() - clocks[0]) / STEPS
    return statistics.median(a.elapsed_time(b) * 1e-3 for a, b in marks), whole


def rank_main(arguments: argparse.Namespace) -> None:
    """One rank of one kind; rank 0 writes the row."""
    import torch
    import torch.distributed as dist
    import rooflab
    from programs import llama, sharded

    rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    out, kind = pathlib.Path(arguments.out), arguments.kinds
    on_gpu = arguments.backend == "nccl"
    device = f"cuda:{rank}" if on_gpu else "cpu"
    if on_gpu:
        torch.cuda.set_device(rank)
    # Tensor parallel ranks share their samples: as many as the others have together.
    batch = arguments.batch * (ranks if kind == "tp" else 1)
    row: dict[str, Any] = {
        "name": kind, "ranks": ranks, "batch": batch, "length": arguments.length,
        "device": torch.cuda.get_device_name(rank) if on_gpu else "cpu",
        "torch": torch.__version__}
    options = {"device": device, "batch": batch, "length": arguments.length,
               "dtype": torch.bfloat16 if on_gpu else torch.float32,
               "shape": None if arguments.shape == "small" else arguments.shape}

    def tell() -> None:
        if rank == 0:
            (out / f"{kind}.row").write_text(json.dumps(row), encoding="utf-8")

    if ranks > 1:
        sharded.start(arguments.backend, rank, ranks)
        program = sharded.build(kind, **options)
    else:
        program = llama.build(**options)
    for _ in range(WARM_UP_STEPS):
        program.step()
    if on_gpu:
        torch.cuda.synchronize()
    if ranks > 1:
        dist.barrier()
    own, host = timed_steps(program, on_gpu)
    times = [own]
    if ranks > 1:
        times = [None] * ranks
        dist.all_gather_object(times, own)
    row.update(time_s=max(times), times_s=times, host_s=host)
    tell()
    if on_gpu:
        torch.cuda.reset_peak_memory_stats()
    program.step()
    if on_gpu:
        torch.cuda.synchronize()
        row.update(allocated_peak_bytes=torch.cuda.max_memory_allocated(),
                   reserved_peak_bytes=torch.cuda.max_memory_reserved())
        tell()
    if rank == 0:
        recording = rooflab.record(program.step, to=out / f"{kind}.rec.jsonl.gz", name=program.name,
                                   warmup=1)
        row.update(recorded_ops=recording.ops, gaps=recording.gaps)
        tell()
    else:
        program.step()
        program.step()
    if on_gpu:
        try:
            traced = kernels_of_step(program.step) if rank == 0 else program.step()
            row.update(kernels=traced if rank == 0 else None)
        except Exception as error:  # a trace is only for whoever looks for a difference
            row.update(kernels={"error": str(error).strip()[:200]})
        torch.cuda.synchronize()
    row["error"] = None
    tell()
    sys.stdout.flush()
    os._exit(0)  # the tear-down of a communicator may wait for the other ranks


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run_kind(kind: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """The row of one kind; its processes are killed when the time is over."""
    ranks = 1 if kind == "one" else arguments.ranks
    file = pathlib.Path(arguments.out) / f"{kind}.row"
    file.unlink(missing_ok=True)
    surroundings = dict(os.environ, MASTER_ADDR="127.0.0.1", MASTER_PORT=str(free_port()),
                        WORLD_SIZE=str(ranks), OMP_NUM_THREADS="1", USE_LIBUV="0")
    command = [sys.executable, __file__, arguments.out, "--rank", "--kinds", kind]
    for name in ("backend", "shape", "batch", "length"):
        command += [f"--{name}", str(getattr(arguments, name))]
    logs = [open(pathlib.Path(arguments.out) / f"{kind}.{rank}.err", "w+b")
            for rank in range(ranks)]
    running = [subprocess.Popen(command, stdout=log, stderr=log,
                                env=dict(surroundings, RANK=str(rank), LOCAL_RANK=str(rank)))
               for rank, log in enumerate(logs)]
    until = time.monotonic() + arguments.timeout
    while time.monotonic() < until and any(each.poll() is None for each in running):
        if any(each.poll() not in (None, 0) for each in running):
            until = min(until, time.monotonic() + 3)  # a rank failed: the others wait for it
        time.sleep(0.1)
    for each in running:
        each.kill()
        each.wait()
    row = {"name": kind, "error": "it did not end in time"}
    if file.exists():
        row.update(json.loads(file.read_text(encoding="utf-8")))
        file.unlink()
    for log in logs:
        log.seek(0)
        text = log.read().decode(errors="replace").strip()
        log.close()
        pathlib.Path(log.name).unlink()
        if row["error"] is not None and text:
            row["error"] = text.splitlines()[-1][:300]
            print(f"---- {kind}\n{text[-3000:]}", file=sys.stderr)
    return row


def predicted_cases(path: str) -> dict[str, dict[str, Any]]:
    """The cases of a prediction by kind, which is in the name of the recording."""
    with open(path, encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    return {case["model"].rsplit("_", 1)[-1] if "_" in case["model"] else "one": case
            for case in cases}


def table(out: pathlib.Path, predictions: str) -> None:
    rows = [json.loads(line) for line in (out / "measured.jsonl").read_text().splitlines()]
    predicted = predicted_cases(predictions)
    print("| step | devices | measured | predicted | off by | interval | messages seen | hidden |"
          " allocated peak | predicted |")
    print("| --- | --: | --: | --: | --: | --- | --: | --: | --: | --: |")

    def ms(value: float | None) -> str:
        return "" if value is None else f"{value * 1e3:.2f} ms"

    def gb(value: float | None) -> str:
        return "" if value is None else f"{value / 1e9:.3f} GB"

    for row in rows:
        case = predicted.get(row["name"], {})
        measured, expected = row.get("time_s"), case.get("predicted_s")
        off = f"{100 * (expected / measured - 1):+.1f} %" if measured and expected else ""
        low, high = case.get("predicted_low_s"), case.get("predicted_high_s")
        span = f"{ms(low)} to {ms(high)}" if low and high else ""
        kernels = row.get("kernels") or {}
        seen = kernels.get("communication_s")
        hidden = f"{100 * kernels['both_s'] / seen:.0f} %" if seen else ""
        print(f"| {row['name']} | {row.get('ranks', '')} | {ms(measured)} | {ms(expected)} | {off} |"
              f" {span} | {ms(seen)} | {hidden} | {gb(row.get('allocated_peak_bytes'))} |"
              f" {gb(case.get('memory', {}).get('allocated_peak_bytes'))} |")
        if row.get("error"):
            print(f"\n{row['name']}: {row['error']}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--backend", default="nccl", choices=("nccl", "gloo"))
    parser.add_argument("--shape", default="1b")
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--length", type=int, default=2048)
    parser.add_argument("--timeout", type=float, default=60.0)
    parser.add_argument("--table", metavar="PREDICTIONS.json")
    parser.add_argument("--rank", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.rank:
        return rank_main(arguments)
    out = pathlib.Path(arguments.out)
    if arguments.table:
        return table(out, arguments.table)
    for kind in arguments.kinds.split(","):
        row = run_kind(kind, arguments)
        with (out / "measured.jsonl").open("a", encoding="utf-8") as rows:
            rows.write(json.dumps(row) + "\n")
        print(f"{kind}: {row.get('time_s')} s, {row['error'] or 'ok'}", flush=True)


if __name__ == "__main__":
    main()
