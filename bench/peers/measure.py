#!/usr/bin/env python3
"""One peer on all cases, as JSON: figures, seconds, memory, lines.

    measure.py PEER OUT REPETITIONS [CASE...]

The process imports the peer, counts a small module to warm up, and forks for each case a child that makes the
case and forks again for each of the repetitions. So a call finds the imports warm, and what an earlier case
patched, cached or broke is not there. A time is that of the call with its printing. The peak is what the call adds to
the resident memory of its process (files of libraries that it touches again among it), and what a program that it
runs needs.
"""

import contextlib
import importlib
import io
import json
import os
import pathlib
import resource
import statistics
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "python")]

import case  # noqa: E402


class Subject:
    """What is counted: `module` with `inputs`, or `path`."""

    def __init__(self, described):
        import torch

        torch.manual_seed(0)  # which experts are called is the same for each peer
        self.case, self.path, self.module, self.inputs = described, None, None, ()
        made = described.make()
        if isinstance(made, str):
            self.path = made
        else:
            self.module, self.inputs = made

    def call(self):
        return self.module(**self.inputs) if isinstance(self.inputs, dict) else self.module(*self.inputs)

    def by_name(self):
        import inspect

        return dict(zip(inspect.signature(self.module.forward).parameters, self.inputs))

    def positional(self):
        """A module that takes the inputs by place: the names of a dict are those of a wrapper's."""
        if not isinstance(self.inputs, dict):
            return self.module, self.inputs
        import torch

        names = list(self.inputs)

        class ByPlace(torch.nn.Module):
            def __init__(self, inner):
                super().__init__()
                self.inner = inner

            def forward(self, *values):
                out = self.inner(**dict(zip(names, values)), return_dict=False)
                return tuple(each for each in out if isinstance(each, torch.Tensor))

        return ByPlace(self.module).eval(), tuple(self.inputs.values())

    def _onnx_inputs(self):
        import onnx

        graph = onnx.load(self.path, load_external_data=False).graph
        weights = {each.name for each in graph.initializer}
        return {each.name: each.type.tensor_type for each in graph.input if each.name not in weights}

    def open_dimensions(self):
        return list(dict.fromkeys(
            each.dim_param for kind in self._onnx_inputs().values() for each in kind.shape.dim if each.dim_param))

    def dynamic_inputs(self):
        """Zeros for the inputs of a file with open dimensions, which are 1; None without any."""
        if not self.open_dimensions():
            return None
        import numpy
        import onnx

        return {name: numpy.zeros([each.dim_value or 1 for each in kind.shape.dim],
                                  onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type))
                for name, kind in self._onnx_inputs().items()}


def status_bytes(key):
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024
    raise OSError(f"/proc/self/status has no {key}")


def in_child(function, *arguments):
    """The JSON that a function gives in a forked process; its error as {"error": ...}."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            answer = function(*arguments)
        except BaseException as error:  # the child reports whatever ended the call
            words = str(error).strip().splitlines() or [""]
            cause = error.__cause__ or error.__context__
            answer = {"error": f"{type(error).__name__}: {words[0]}",
                      "cause": f"{type(cause).__name__}: {str(cause).strip().splitlines()[:1]}" if cause else None}
        with os.fdopen(writing, "w") as stream:
            json.dump(answer, stream)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as stream:
        text = stream.read()
    _, code = os.waitpid(child, 0)
    return json.loads(text) if text else {"error": f"the process ended with status {code}"}


def cpu_seconds():
    """Processor time of this process and of the programs that it ran."""
    programs = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + programs.ru_utime + programs.ru_stime


def once(adapter, subject):
    pathlib.Path("/proc/self/clear_refs").write_text("5")  # VmHWM starts again
    before, out = status_bytes("VmRSS"), io.StringIO()
    start, start_cpu = time.perf_counter(), cpu_seconds()
    with contextlib.redirect_stdout(out):
        figures = adapter.count(subject)
    seconds, cpu = time.perf_counter() - start, cpu_seconds() - start_cpu
    return {**figures, "seconds": seconds, "cpu_seconds": cpu, "lines": out.getvalue().count("\n"),
            "peak_bytes_of_call": max(0, status_bytes("VmHWM") - before)}


def program_peak(adapter, subject):
    """Bytes that the program needs which the peer runs, seen in a call that is not timed."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        peak = pathlib.Path(folder) / "peak"
        os.environ.update(PEERS_PROGRAM=os.environ["ROOFLAB"], PEERS_PEAK=str(peak), ROOFLAB=str(HERE / "peak_of.py"))
        adapter.count(subject)
        return int(peak.read_text())


def measured(adapter, described, repetitions):
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    with contextlib.redirect_stdout(io.StringIO()):
        subject = Subject(described)
    runs = [in_child(once, adapter, subject) for _ in range(repetitions)]
    row = next((each for each in runs if "error" in each), runs[0])
    if "error" in row:
        return row
    for key in ("seconds", "cpu_seconds", "peak_bytes_of_call"):
        row[key] = statistics.median(each[key] for each in runs)
    if adapter.PACKAGE == "rooflab":
        row["peak_bytes_of_call"] += in_child(program_peak, adapter, subject)
    return row


def takes(name, described):
    """Whether a peer takes a kind of case at all."""
    if name == "rooflab_program":
        return described.onnx or described.program is not None
    return described.onnx == (name == "onnx_tool")


def main(name, out, repetitions, *wanted):
    seconds = {}
    start = time.perf_counter()
    import torch  # noqa: F401

    seconds["torch"] = time.perf_counter() - start
    start = time.perf_counter()
    adapter = importlib.import_module(f"adapters.with_{name}")
    seconds["peer"] = time.perf_counter() - start
    torch.set_num_threads(1)
    cases = case.all_cases()
    if name not in ("onnx_tool", "rooflab_program"):
        case.import_makers(cases)
        with contextlib.redirect_stdout(io.StringIO()):
            adapter.count(Subject(cases["MLP"]))
    rows = {each.name: in_child(measured, adapter, each, int(repetitions)) for each in cases.values()
            if takes(name, each) and (not wanted or each.name in wanted)}
    pathlib.Path(out).write_text(json.dumps({"import_s": seconds, "rows": rows}, indent=1))


if __name__ == "__main__":
    main(*sys.argv[1:])
