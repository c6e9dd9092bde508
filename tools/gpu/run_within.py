#!/usr/bin/env python3
"""Runs programs with as little memory as `rooflab predict` says is enough.

usage: run_within.py LIMITS OUT [--seconds N]

LIMITS is JSON: by the program's name, the bytes that PyTorch's allocator may reserve
(compare_recordings.py --limits writes it: the smallest device on which the verdict is `fits`,
without the driver's context). Each program runs four steps in a separate process. OUT gets a line
of JSON for each: name, limit_bytes, ran (or null), error. PYTHONPATH has to have python and
tests/python.
"""
from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
from typing import Any


def run(name: str, limit: int, answer: Any) -> None:
    import torch
    from programs import KINDS, all_programs
    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction(min(limit / total, 1.0))
    try:
        program = all_programs(*KINDS)[name](device="cuda", scale="real")
        for _ in range(4):
            program.step()
        torch.cuda.synchronize()
        answer.put({"ran": True, "error": None,
                    "reserved_peak_bytes": torch.cuda.max_memory_reserved()})
    except torch.OutOfMemoryError as error:
        answer.put({"ran": False, "error": str(error)[:200]})
    except Exception as error:
        answer.put({"ran": None, "error": f"{type(error).__name__}: {str(error)[:200]}"})


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("limits")
    parser.add_argument("out")
    parser.add_argument("--seconds", type=float, default=400.0)
    options = parser.parse_args()
    os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"
    for module in ("torch", "timm", "transformers"):
        try:
            __import__(module)
        except ImportError as error:
            print(error)
    end = time.monotonic() + options.seconds
    context = multiprocessing.get_context("fork")
    with open(options.limits, encoding="utf-8") as file:
        limits = json.load(file)
    with open(options.out, "w", encoding="utf-8") as out:
        for name, limit in limits.items():
            if time.monotonic() > end:
                print("the time is up before", name)
                break
            answer = context.Queue()
            process = context.Process(target=run, args=(name, limit, answer))
            process.start()
            try:
                found = answer.get(timeout=40)
            except Exception:  # no answer in time
                found = {"ran": None, "error": "no answer in 40 s"}
            process.join(5)
            process.kill()
            row = {"name": name, "limit_bytes": limit, **found}
            out.write(json.dumps(row) + "\n")
            out.flush()
            print(json.dumps(row), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
