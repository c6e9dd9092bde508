"""What a trace has, read from its JSON as a whole:  trace_truth.py FILE...

The figures are counts and sums over events; nothing here knows what they mean for a reader.
"""

import gzip
import json
import sys
from decimal import Decimal

OPS = ("cpu_op", "operator")


def events_of(path):
    """The events of a trace, with its other members; numbers stay decimal."""
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    trace = json.loads(data, parse_float=Decimal)
    if isinstance(trace, list):
        return [{"cat": "cpu_op", **event} for event in trace], {}
    return trace["traceEvents"], {
        key: value for key, value in trace.items() if key != "traceEvents"
    }


def is_op(event, has_categories):
    """An op; a trace of JAX has no categories, but names the operation of a compiled program."""
    kind = str(event.get("cat", "")).lower()
    return kind in OPS if has_categories else "hlo_op" in event.get("args", {})


def figures(path):
    """Names and values, in the order of the table."""
    events, members = events_of(path)
    ranges = [event for event in events if event.get("ph") == "X"]
    has_categories = any("cat" in event for event in ranges)
    steps = [event for event in ranges if str(event.get("name", "")).startswith("ProfilerStep#")]
    ops = [event for event in ranges if is_op(event, has_categories) and event not in steps]
    lengths = [int(Decimal(event["dur"]) * 1000) for event in ops]
    memory = [event for event in events if event.get("name") == "[memory]"]
    yield "ops", len(ops)
    yield "ops_ns", sum(lengths)
    yield "longest_op_ns", max(lengths)
    yield "lost", 0
    yield "kernels", sum(event.get("cat") == "kernel" for event in ranges)
    if steps:
        mean = sum(Decimal(event["dur"]) for event in steps) / len(steps)
        yield "mean_marked_step_ns", int(mean * 1000)
    if memory:
        yield "memory_changes", len(memory)
        yield "memory_peak_bytes", max(event["args"]["Total Allocated"] for event in memory)
    functions = sum(event.get("cat") == "python_function" for event in ranges)
    if functions:
        yield "python_functions", functions
    if "distributedInfo" in members:
        yield "rank", members["distributedInfo"]["rank"]


if __name__ == "__main__":
    from pathlib import Path

    for name in sys.argv[1:]:
        for key, value in figures(Path(name)):
            print(f"{name}\t{key}\t{value}")
