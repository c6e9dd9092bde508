#!/usr/bin/env python3
"""Counts the work of training programs with `rooflab profile`, to compare it with recordings.

  count_programs.py OUT ROOFLAB [--only NAME,...] [--seconds S] [--mode totals|kernels]

PYTHONPATH has to have the folder tests/python. Each program runs at scale "real" for S seconds; the
profiler finds its steps. OUT gets

  counted.jsonl    a row for each program: the counters of a step in `counters` (tensor operations
                   by type, DRAM bytes), their sum `tensor_flop`, `launches_per_step`, `step_s` (the
                   median of steps that were not counted), `warnings` and `error`
  profiles.tar     the records that rooflab wrote, NAME.json
"""
from __future__ import annotations

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tarfile
import tempfile
from typing import Any

# Programs of different kinds, in fp32 with TF32 convolutions, in fp16 and in bf16.
PROGRAMS = """resnet18 vit_b_16 diffusion unet3d lstm_lm lora checkpointing distillation
einsum_mixer llama""".split()


def figures(record: dict[str, Any]) -> dict[str, Any]:
    """What a record says of a step; a ValueError where no step was counted."""
    counting = record.get("counting")
    if not counting or not counting.get("step"):
        raise ValueError(f"no step was counted: {record.get('warnings')}")
    counters = counting["step"]["raw_counters"]
    tensor = [value for key, value in counters.items()
              if key.startswith("tensor_") and key.endswith("_flop") and value is not None]
    times = counting["steps_s"]
    return {"counters": counters, "tensor_flop": sum(tensor) if tensor else None,
            "launches_per_step": counting["launches_per_step"],
            "step_s": statistics.median(times) if times else None,
            "warnings": record["warnings"]}


def counted(name: str, folder: str, options: argparse.Namespace) -> dict[str, Any]:
    """The row of one program; its record is in the folder then."""
    path = os.path.join(folder, f"{name}.json")
    said = ""
    command = [str(options.rooflab), "profile", "--mode", options.mode, "-o", path, "--", sys.executable, "-m", "programs", name, "--scale", "real",
               "--device", "cuda", "--seconds", str(options.seconds)]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, errors="replace",
                               timeout=options.seconds * 3 + 60)
        said = " ".join(ended.stderr.split())[-600:]
        with open(path, encoding="utf-8") as file:
            record = json.load(file)
        row = figures(record[0] if isinstance(record, list) else record)
        return {"name": name, **row,
                "error": f"exit status {ended.returncode}" if ended.returncode else None}
    except subprocess.TimeoutExpired:
        return {"name": name, "error": "took too long"}
    except (OSError, ValueError, KeyError, TypeError) as error:
        return {"name": name, "error": f"{type(error).__name__}: {error}; it said: {said}"}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("rooflab", type=pathlib.Path)
    parser.add_argument("--only", default=",".join(PROGRAMS))
    parser.add_argument("--seconds", type=float, default=12.0)
    parser.add_argument("--mode", choices=("totals", "kernels"), default="totals")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name in options.only.split(","):
        with tempfile.TemporaryDirectory() as folder:
            row = counted(name, folder, options)
            with open(options.out / "counted.jsonl", "a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            with tarfile.open(options.out / "profiles.tar", "a") as archive:
                for record in os.listdir(folder):
                    archive.add(os.path.join(folder, record), arcname=record)
        flop = row.get("tensor_flop")
        print(f"{name}: " + (f"{flop / 1e9:,.3f} GFLOP of tensor cores" if flop is not None
                             else "no tensor FLOPs") + (f", error: {row['error']}"
                                                        if row["error"] else ""), flush=True)
        failed += bool(row["error"])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
