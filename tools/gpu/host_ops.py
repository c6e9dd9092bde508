#!/usr/bin/env python3
"""Where PyTorch's host spends a step: by op, compared with the costs that a calibration knows.

    host_ops.py OUT.json --cases CASES.csv [--networks NAME,...]

Needs PyTorch 2.x with CUDA and torchvision. CASES.csv is as measure_beside_pytorch.py takes it. For
each case OUT.json has the seconds that the host takes to issue a step to an idle device (the
median and the first decile of steps), the device's busy seconds (the sum of its kernels), every
outermost op of the host with its number and its seconds, the seconds between them (Python), and the
kernels that take longest. The profiler adds about a microsecond to each op. Each case is a separate
process and begins with the host's costs, measured for two seconds.
"""

import argparse
import collections
import json
import pathlib
import statistics
import time

import torch

import measure_beside_pytorch as beside
from measure_beside_pytorch import pytorch_host

STEPS = 15
PROFILED = 3


def profiled(step, activities):
    with torch.profiler.profile(activities=activities, acc_events=True) as profile:
        for _ in range(PROFILED):
            step()
            torch.cuda.synchronize()
    return profile.events()


def host_events(events):
    """Outermost ops of each thread: name to [number, seconds], a step; seconds between them."""
    ops = collections.defaultdict(lambda: [0.0, 0.0])
    between = 0.0
    last = {}
    cpu = [e for e in events if e.device_type == torch.autograd.DeviceType.CPU and e.cpu_parent is None]
    for event in sorted(cpu, key=lambda e: e.time_range.start):
        if event.name.startswith(("cuda", "Activity", "Lazy")):
            last.pop(event.thread, None)
            continue
        begin, end = event.time_range.start, event.time_range.end
        entry = ops[event.name]
        entry[0] += 1 / PROFILED
        entry[1] += (end - begin) * 1e-6 / PROFILED
        if event.thread in last and begin - last[event.thread] < 300:
            between += (begin - last[event.thread]) * 1e-6 / PROFILED
        last[event.thread] = end
    return {name: [round(n, 2), float(f"{s:.4g}")] for name, (n, s) in
            sorted(ops.items(), key=lambda item: -item[1][1])}, between


def row_of(case):
    host = pytorch_host.host_costs("cuda:0", 2.0)
    step = beside.step_of(case)
    for _ in range(5):
        step()
    torch.cuda.synchronize()
    issued = []
    for _ in range(STEPS):
        begin = time.perf_counter()
        step()
        issued.append(time.perf_counter() - begin)
        torch.cuda.synchronize()
    cpu = torch.profiler.ProfilerActivity.CPU
    ops, between = host_events(profiled(step, [cpu]))
    kernels = collections.defaultdict(lambda: [0.0, 0.0])
    for event in profiled(step, [cpu, torch.profiler.ProfilerActivity.CUDA]):
        if event.device_type == torch.autograd.DeviceType.CUDA:
            kernels[event.name[:90]][0] += 1 / PROFILED
            kernels[event.name[:90]][1] += event.time_range.elapsed_us() * 1e-6 / PROFILED
    longest = sorted(kernels.items(), key=lambda item: -item[1][1])
    return {"issue_s": statistics.median(issued), "issue_decile_s": statistics.quantiles(issued, n=10)[0],
            "device_s": sum(seconds for _, (_, seconds) in longest), "between_s": between, "ops": ops,
            "kernels": {name: value for name, value in longest[:25]}, "host": host}


def main():
    parser = argparse.ArgumentParser(description="Where PyTorch's host spends a step.")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--cases", type=pathlib.Path, required=True)
    parser.add_argument("--networks", default="", help="only these")
    arguments = parser.parse_args()
    only = set(filter(None, arguments.networks.split(",")))
    rows = []
    for case in beside.cases_in(arguments.cases):
        if only and case.network not in only:
            continue
        begin = time.perf_counter()
        row = beside.in_process(row_of, case)
        rows.append({**vars(case), **row})
        arguments.out.write_text(json.dumps(rows))
        print(*vars(case).values(), row.get("error", ""), f"{time.perf_counter() - begin:.1f} s", flush=True)


if __name__ == "__main__":
    main()
