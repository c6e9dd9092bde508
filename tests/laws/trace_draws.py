"""Draws traces of PyTorch's profiler and logs of ncu and nsys whose figures are known."""

import csv
import json
import sqlite3
from contextlib import closing
from typing import NamedTuple

_STEP_US = (100, 250, 1000, 4000)


class Kernel(NamedTuple):
    """A kernel and its launch, in us since the trace's start."""

    name: str
    launched: int
    start: int
    time: int
    stream: int
    correlation: int


class Rank(NamedTuple):
    """A process with one device: (start, time) of its steps, and its kernels."""

    process: int
    device: int
    steps: list
    kernels: list


def _rank(random, number, steps, step_us, streams):
    """Every step has a kernel on each stream that fills half to all of it."""
    offset, correlation = random.randint(0, step_us), 0
    parts = [random.randint(step_us // 2, step_us - step_us // 20) for _ in range(streams)]
    marks, kernels = [], []
    for step in range(steps):
        start = offset + step * step_us
        marks.append((start, step_us))
        for stream, busy in enumerate(parts):
            correlation += 1
            at = start + 2 * stream
            kernels.append(Kernel(f"kernel_{stream}", at, at + 3, busy - 10, 7 + stream, correlation))
    return Rank(1000 + number, number, marks, kernels)


def _event(category, name, process, thread, start, time, **arguments):
    return {"ph": "X", "cat": category, "name": name, "pid": process, "tid": thread,
            "ts": start, "dur": time, "args": arguments}  # fmt: skip


def _kineto(random, path, ranks, occupied):
    """A trace of PyTorch's profiler; merged ranks count their launches through."""
    events, before = [], 0
    for process, device, steps, kernels in ranks:
        events += [_event("user_annotation", f"ProfilerStep#{i}", process, process, start, time)
                   for i, (start, time) in enumerate(steps)]  # fmt: skip
        for kernel in kernels:
            number = before + kernel.correlation
            events.append(_event("cuda_runtime", "cudaLaunchKernel", process, process, kernel.launched, 1,
                                 correlation=number))  # fmt: skip
            shape = {"grid": [132 * 4, 1, 1], "block": [256, 1, 1]} if occupied else {}
            if occupied:
                shape["est. achieved occupancy %"] = occupied[kernel.stream % len(occupied)]
            events.append(_event("kernel", kernel.name, device, kernel.stream, kernel.start, kernel.time,
                                 device=device, stream=kernel.stream, correlation=number, **shape))  # fmt: skip
        before += len(kernels)
    if random.random() < 0.3:
        random.shuffle(events)
    devices = [{"id": rank.device, "name": "NVIDIA H200", "totalGlobalMem": 150000000000, "numSms": 132,
                "computeMajor": 9, "computeMinor": 0} for rank in ranks]  # fmt: skip
    path.write_text(json.dumps({"schemaVersion": 1, "deviceProperties": devices, "traceEvents": events}))


_TABLES = """
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER,
  correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER,
  correlationId INTEGER, nameId INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, textId INTEGER,
  globalTid INTEGER);
CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000');
"""


def _nsys_export(path, ranks):
    """An export of Nsight Systems: each process counts its launches from 1."""
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as database:
        database.executescript(_TABLES)
        names = sorted({kernel.name for rank in ranks for kernel in rank.kernels})
        database.executemany("INSERT INTO StringIds VALUES (?, ?)", list(enumerate(names, 2)))
        for process, device, steps, kernels in ranks:
            whole, thread = process << 24, (process << 24) + process
            database.execute("INSERT INTO PROCESSES VALUES (?, ?, 'python3')", (whole, process))
            database.executemany(
                "INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, ?, NULL, ?)",
                [(1000 * start, 1000 * (start + time), f"step {i}", thread)
                 for i, (start, time) in enumerate(steps)])  # fmt: skip
            for each in kernels:
                end = 1000 * (each.start + each.time)
                name = names.index(each.name) + 2
                database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                                 (1000 * each.start, end, device, each.stream, each.correlation, whole, name, name))  # fmt: skip
                database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, ?, ?, 1)",
                                 (1000 * each.launched, 1000 * each.launched + 1000, thread, each.correlation))  # fmt: skip
        database.commit()


def trace(random, path):
    """One trace of one or several processes; the words of a Case."""
    steps, step_us = random.randint(3, 8), random.choice(_STEP_US)
    streams = random.choice((1, 1, 2, 4))
    ranks = [_rank(random, i, steps, step_us, streams) for i in range(random.choice((1, 1, 2, 4)))]
    occupied = ()
    if random.random() < 0.3:
        path = path.with_suffix(".sqlite")
        _nsys_export(path, ranks)
    else:
        path, occupied = path.with_suffix(".pt.trace.json"), random.choice(((), (50,), (0, 40)))
        _kineto(random, path, ranks, occupied)
    known = {each / 100 for i, each in enumerate(occupied) if each
             and any(stream % len(occupied) == i for stream in range(7, 7 + streams))}  # fmt: skip
    return (str(path),), {}, {"step_s": step_us / 1e6, "ranks": len(ranks), "occupancies": sorted(known)}


_NCU_HEAD = ("ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream",
             "Block Size", "Grid Size", "Device", "CC", "Section Name", "Metric Name",
             "Metric Unit", "Metric Value")  # fmt: skip
_NSYS_HEAD = ("Start (ns)", "Duration (ns)", "CorrId", "GrdX", "GrdY", "GrdZ", "BlkX", "BlkY", "BlkZ",
              "Reg/Trd", "StcSMem (MB)", "DymSMem (MB)", "Bytes (MB)", "Throughput (MB/s)", "SrcMemKd",
              "DstMemKd", "Device", "Ctx", "GreenCtx", "Strm", "Name")  # fmt: skip


def _grouped(number, mark):
    return f"{number:,}".replace(",", mark)


def _ncu(random, path):
    """A log with times and bytes in base units, groups of one locale or none."""
    mark = random.choice((",", ".", "", " "))
    rows, time_ns, read = [], 0, 0
    for launch in range(random.randint(2, 6)):
        time, count = random.randint(2000, 3_000_000), random.randint(4096, 10**9)
        time_ns, read = time_ns + time, read + count
        figures = (("dram__bytes_read.sum", "byte", count), ("dram__bytes_write.sum", "byte", 1024),
                   ("gpu__time_duration.sum", "ns", time))  # fmt: skip
        for name, unit, figure in figures:
            rows.append((launch, 77, "program", "127.0.0.1", f"kernel_{launch}", 1, 7, "(256, 1, 1)",
                         "(1024, 1, 1)", 0, "9.0", "Command line profiler metrics", name, unit,
                         _grouped(figure, mark)))  # fmt: skip
        read += 1024
    with open(path, "w", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([_NCU_HEAD, *rows])
    return {"time_s": time_ns / 1e9, "dram_bytes": read}


def _nsys(random, path):
    """The kernels of a CSV report; some tables stand there twice."""
    rows, time_ns, start = [], 0, 1000
    for launch in range(random.randint(2, 8)):
        time = random.randint(1000, 900_000)
        rows.append((start, time, launch + 1, 128, 1, 1, 256, 1, 1, 32, 0, 0, "", "", "", "",
                     "NVIDIA H200 (0)", 1, "", 7, f"kernel_{launch % 3}"))  # fmt: skip
        start, time_ns = start + time + 500, time_ns + time
    with open(path, "w", newline="") as file:
        for _ in range(random.choice((1, 1, 2))):
            csv.writer(file).writerows([_NSYS_HEAD, *rows])
            file.write("\n")
    return {"time_s": time_ns / 1e9}


def log(random, path):
    """A log of ncu or a report of nsys; the words of a Case."""
    path = path.with_suffix(".csv")
    return (str(path),), {}, random.choice((_ncu, _ncu, _nsys))(random, path)
