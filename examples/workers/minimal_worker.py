#!/usr/bin/env python3
"""A worker in plain Python: the least that docs/formats/worker.md asks for. It runs one network, a ReLU.

    rooflab measure --layer relu --input 8x1000 --device cpu --worker examples/workers/minimal_worker.py
"""

import json
import os
import random
import re
import signal
import sys
import time

BUILD = {"worker": "minimal-worker", "version": "1.0", "protocol_version": 1}
CPU = {"kind": "cpu", "index": 0, "name": "a CPU", "uuid": ""}


class Unsupported(Exception):
    """What this worker cannot run: an outcome of the case, which its record says."""


def step_of(case):
    """The step of the case's network, ready to be called."""
    identity = case["identity"]
    lines = [line for line in identity["graph"].splitlines() if line and line[0] != "#"]
    input_line, nodes = lines[1], lines[2:-1]
    shape = re.search(r"f32\[([0-9x]*)\]", input_line)
    if len(nodes) != 1 or " = unary function=relu " not in nodes[0] or not shape:
        raise Unsupported("this worker runs one ReLU of fp32 and nothing else")
    if identity["phase"] != "inference" or identity["precision"] != "fp32":
        raise Unsupported(f"this worker cannot run {identity['phase']} in {identity['precision']}")
    size = 1
    for extent in shape[1].split("x"):
        size *= int(extent or 1)
    generator = random.Random(case["settings"]["seed"])
    values = [generator.uniform(-1, 1) for _ in range(size)]
    return lambda: [value if value > 0 else 0.0 for value in values]


def timed(step):
    begin = time.perf_counter()
    step()
    return time.perf_counter() - begin


def timing_of(case, began):
    """What a record says of the times of a case's steps."""
    settings, step = case["settings"], step_of(case)
    setup_s = time.perf_counter() - began
    first_call_s = timed(step)
    steps_s, passed_s, said_s = [], 0.0, 0.0
    while len(steps_s) < settings["iterations"] or passed_s < settings["min_time_s"]:
        steps_s.append(timed(step))
        passed_s += steps_s[-1]
        if passed_s > settings["max_time_s"]:
            break
        if time.perf_counter() - said_s > 0.2:  # a line for each step would take longer than the step
            said_s = time.perf_counter()
            share = min(1.0, passed_s / max(settings["min_time_s"], 1e-9))
            print(json.dumps({"activity": "measure", "done_share": share, "left_s": 0}), flush=True)
    return {"setup_s": setup_s, "first_call_s": first_call_s, "warmup_steps": 0, "stable": True,
            "clock": "steady clock", "steps_s": steps_s}  # fmt: skip


def run(case_file, record_file):
    began = time.perf_counter()
    print(json.dumps(BUILD), flush=True)  # before everything else
    with open(case_file) as file:
        case = json.load(file)
    record = {"schema_version": case["schema_version"], "kind": "record", "identity": case["identity"],
              "status": "ok", "environment": {"device_properties": CPU}}  # fmt: skip
    try:
        record["timing"] = timing_of(case, began)
    except Unsupported as error:
        record.update(status="unsupported", message=str(error))
    with open(record_file + ".part", "w") as file:
        json.dump(record, file)
    os.replace(record_file + ".part", record_file)  # a reader sees no part of it


def main():
    for number in (signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, signal.SIG_IGN)
    if sys.argv[1:] == ["describe"]:
        print(json.dumps({**BUILD, "devices": [CPU]}))
    elif sys.argv[1:2] == ["run"]:
        run(*sys.argv[2:])
    else:
        sys.exit(f"{BUILD['worker']} has describe and run, not {' '.join(sys.argv[1:])}")


if __name__ == "__main__":
    main()
