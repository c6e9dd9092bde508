#!/usr/bin/env python3
"""Measures and records one program in this process, which should be a fresh one.

  measured_program.py NAME ROW RECORDING [--device cuda] [--scale real] [--batch B]

The row goes to ROW as JSON, and again each time more of it is known, so that a program which is
stopped leaves what was measured. Its keys (null: not known, or nothing to measure on a CPU):

  name, batch            the program and the samples of a step
  device                 the GPU's name, or "cpu"
  warm_up_steps, steps   steps before the timed ones, and timed steps
  time_s                 median time of a step between two CUDA events; the host may run ahead
  time_low_s, time_high_s          the shortest and the longest of these times
  kernels_s              sum of the times of all kernels, copies and fills of one further step, from
                         PyTorch's profiler; a step with other work in parallel takes less than that
  allocated_peak_bytes   torch.cuda.max_memory_allocated() over one further step
  reserved_peak_bytes    torch.cuda.max_memory_reserved() over the same step
  process_peak_bytes     memory in use on the device after that step, less what was in use before
                         this process touched CUDA: the driver's figures (NVML). The caching
                         allocator has given nothing back by then, so this is the peak, with context
                         and libraries. Null without NVML; other processes would falsify it.
  parameters             elements of all parameters
  recording_bytes        size of the compressed recording
  recorded_ops           operations in it
  error                  what failed, in one line
"""
from __future__ import annotations

import argparse
import gzip
import json
import os
import statistics
import time
import traceback
from typing import Any, Callable

import torch

from programs import KINDS, all_programs

KEYS = """name batch device warm_up_steps steps time_s time_low_s time_high_s kernels_s
allocated_peak_bytes reserved_peak_bytes process_peak_bytes parameters recording_bytes recorded_ops
error""".split()
WARM_UP_STEPS, STEPS = 3, 10  # at the least
WARM_UP_S, TIMED_S, MOST_STEPS = 0.5, 1.0, 200


class DeviceMemory:
    """What the driver says is in use on the first device; None without NVML."""

    def __init__(self, wanted: bool) -> None:
        self.handle = None
        if wanted:
            try:
                import pynvml
                pynvml.nvmlInit()
                self.nvml, self.handle = pynvml, pynvml.nvmlDeviceGetHandleByIndex(0)
            except Exception as error:  # no library, or no driver
                print(f"no figures of the driver: {error}")
        self.before = self.used()

    def used(self) -> int | None:
        if self.handle is None:
            return None
        return int(self.nvml.nvmlDeviceGetMemoryInfo(self.handle).used)

    def grown(self) -> int | None:
        """Bytes in use more than at the beginning."""
        return None if self.handle is None else self.used() - self.before


def warm_up(step: Callable[[], Any]) -> int:
    """Repeats a step until clocks and caches have settled; gives the number of steps."""
    begin, count = time.perf_counter(), 0
    while count < WARM_UP_STEPS or time.perf_counter() - begin < WARM_UP_S:
        step()
        torch.cuda.synchronize()
        count += 1
    return count


def timed(step: Callable[[], Any], steps: int | None = None) -> dict[str, Any]:
    """Times of steps that follow each other without waiting for the device.

    Without `steps` their number is at least STEPS, and as many as fill TIMED_S.
    """
    events = [torch.cuda.Event(enable_timing=True)]
    torch.cuda.synchronize()
    begin = time.perf_counter()
    events[0].record()
    while len(events) <= (steps or STEPS) or (
            steps is None and len(events) <= MOST_STEPS and time.perf_counter() - begin < TIMED_S):
        step()
        events.append(torch.cuda.Event(enable_timing=True))
        events[-1].record()
    torch.cuda.synchronize()
    times = [first.elapsed_time(second) / 1e3 for first, second in zip(events, events[1:])]
    return {"steps": len(times), "time_s": statistics.median(times), "time_low_s": min(times),
            "time_high_s": max(times)}


def kernels_of(step: Callable[[], Any]) -> dict[str, Any]:
    """Time of all work on the device in one step."""
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        step()
        torch.cuda.synchronize()
    return {"kernels_s": sum(event.time_range.elapsed_us() for event in profiler.events()
                             if event.device_type == torch.autograd.DeviceType.CUDA) / 1e6}


def memory_of(step: Callable[[], Any], driver: DeviceMemory) -> dict[str, Any]:
    """Peaks of one step that others came before."""
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    step()
    torch.cuda.synchronize()
    return {"allocated_peak_bytes": torch.cuda.max_memory_allocated(),
            "reserved_peak_bytes": torch.cuda.max_memory_reserved(),
            "process_peak_bytes": driver.grown()}


def recorded(program: Any, path: str) -> dict[str, Any]:
    """Writes the recording of one step; gives its size and its number of operations."""
    import rooflab
    rooflab.record(program.step, to=path, name=program.name, batch=program.batch, warmup=0,
                   cache=program.cache, context=program.context)
    last = ""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for last in lines:
            pass
    return {"recording_bytes": os.path.getsize(path), "recorded_ops": json.loads(last)["ops"]}


def in_a_line(stage: str, error: Exception) -> str:
    """What a row says of an error."""
    return f"{stage}: {type(error).__name__}: {' '.join(str(error).split())[:300]}"


def measure(name: str, row_file: str, recording: str, device: str = "cuda", scale: str = "real",
            batch: int | None = None) -> None:
    """Does all of it, in a process that has not used CUDA. An error is written to the row."""
    row: dict[str, Any] = {**dict.fromkeys(KEYS), "name": name}

    def note(more: dict[str, Any]) -> None:
        row.update(more)
        with open(row_file + ".new", "w", encoding="utf-8") as file:
            json.dump(row, file)
        os.replace(row_file + ".new", row_file)

    cuda = device != "cpu"
    driver = DeviceMemory(wanted=cuda)
    stage = "build"
    try:
        program = all_programs(*KINDS)[name](device=device, scale=scale, batch=batch)
        note({"batch": program.batch, "parameters": sum(each.numel() for _, each
                                                        in program.parameters()),
              "device": torch.cuda.get_device_name() if cuda else "cpu"})
        stage = "warm-up"
        if cuda:
            note({"warm_up_steps": warm_up(program.step)})
            stage = "timed steps"
            note(timed(program.step))
            stage = "profiled step"
            note(kernels_of(program.step))
            stage = "memory"
            note(memory_of(program.step, driver))
        else:
            for _ in range(WARM_UP_STEPS):
                program.step()
            note({"warm_up_steps": WARM_UP_STEPS})
        stage = "recording"
        note(recorded(program, recording))
    except Exception as error:
        traceback.print_exc()
        note({"error": in_a_line(stage, error)})


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("row_file", metavar="row")
    parser.add_argument("recording")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--scale", default="real")
    parser.add_argument("--batch", type=int)
    measure(**vars(parser.parse_args()))


if __name__ == "__main__":
    main()
