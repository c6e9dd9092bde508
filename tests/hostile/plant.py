"""Writes files whose names of models, layers, kernels, operators, devices, notes, and what a study calls its
parts, are those of names.json.

    plant.py FOLDER PREDICT_JSON MEASURE_JSON

The two results are of `rooflab predict` and `rooflab measure --per-layer`: each name gets a copy of their
first case in which it replaces all texts but keywords.
"""
from __future__ import annotations

import copy
import csv
import gzip
import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
DATA = HERE.parent / "data"
LIST = json.loads((HERE / "names.json").read_text(encoding="utf-8"))
NAMES = [each["name"] for each in LIST]

# Members of results whose texts are keywords: of a fixed list, or read as a structure.
KEYWORDS = frozenset((
    "arithmetic_path", "bound", "code", "command", "data", "date", "device", "graph", "kind", "op", "op_class",
    "evidence", "optimizer", "part", "phase", "precision", "prediction_model", "relation", "rewrite", "source", "status",
    "variant", "verdict"))


def planted(value: Any, name: str, key: str = "") -> Any:
    """The value with `name` in the place of all texts but keywords."""
    if isinstance(value, dict):
        return {each: planted(inner, name, each) for each, inner in value.items()}
    if isinstance(value, list):
        return [planted(inner, name, key) for inner in value]
    return name if isinstance(value, str) and value and key not in KEYWORDS else value


def results(source: Path) -> dict[str, Any]:
    whole = json.loads(source.read_text(encoding="utf-8"))
    first = whole["cases"][0]
    first["layers"] = first["layers"][:2]
    whole["cases"] = [planted(copy.deepcopy(first), name) for name in NAMES]
    return whole


def recording(lines: list[dict[str, Any]], name: str) -> str:
    """A recording of a network called `name`, as are its modules and their weights."""
    for line in lines:
        if "name" in line and line["name"] != "":
            line = line | {"name": line["name"].replace("conv", name) if "storage" in line else name}
        yield json.dumps(line | ({"class": name} if "class" in line else {})) + "\n"


def field(number: int, content: bytes | str | int) -> bytes:
    """A field of protobuf's wire format."""
    def varint(value: int) -> bytes:
        return bytes([value]) if value < 128 else bytes([value % 128 + 128]) + varint(value // 128)
    if isinstance(content, int):
        return varint(number * 8) + varint(content)
    data = content.encode() if isinstance(content, str) else content
    return varint(number * 8 + 2) + varint(len(data)) + data


def onnx() -> bytes:
    """A chain of ReLUs with the names, which are the names of their outputs, too."""
    shape = b"".join(field(1, field(1, extent)) for extent in (1, 8))
    tensor = field(2, field(1, field(1, 1) + field(2, shape)))
    nodes, before = b"", "x"
    for number, name in enumerate(NAMES):
        after = f"{number}{name}"
        nodes += field(1, field(1, before) + field(2, after) + field(3, name) + field(4, "Relu"))
        before = after
    graph = nodes + field(2, NAMES[0]) + field(11, field(1, "x") + tensor) + field(12, field(1, before))
    return field(1, 8) + field(2, NAMES[0]) + field(7, graph) + field(8, field(1, "") + field(2, 17))


def trace() -> dict[str, Any]:
    """A trace of the PyTorch profiler: an operator and a kernel of each name in one step."""
    events = [{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 0.0,
               "dur": 100.0 * len(NAMES)}]
    for number, name in enumerate(NAMES):
        at = 100.0 * number
        events += [
            {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": at + 1, "dur": 50.0,
             "args": {"External id": number + 1, "Input Dims": [[1, 2]], "Input type": [name]}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": at + 5,
             "dur": 2.0, "args": {"External id": number + 1, "correlation": number + 1}},
            {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": at + 10, "dur": 20.0 + number,
             "args": {"External id": number + 1, "device": 0, "stream": 7, "correlation": number + 1,
                      "grid": [1, 1, 1], "block": [32, 1, 1]}}]
    return {"schemaVersion": 1, "traceName": NAMES[0], "traceEvents": events,
            "deviceProperties": [{"id": 0, "name": NAMES[0], "numSms": 40, "totalGlobalMem": 16000000000}]}


def ncu(file: Any) -> None:
    """A log of Nsight Compute with a kernel of each name."""
    metrics = {"gpu__time_duration.sum": "ns", "dram__bytes_read.sum": "byte", "dram__bytes_write.sum": "byte",
               "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum": "inst"}
    head = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size",
            "Grid Size", "Device", "CC", "device__attribute_display_name", *metrics]
    table = csv.writer(file, quoting=csv.QUOTE_ALL)
    table.writerow(head)
    table.writerow([""] * 12 + list(metrics.values()))
    for number, name in enumerate(NAMES):
        name = name.replace("\0", "")
        table.writerow([number, 1, name, name, name, 1, 7, "(32, 1, 1)", "(1, 1, 1)", 0, "7.5", name,
                        2000 + number, 64, 64, 100])


def nvprof(file: Any) -> None:
    """A summary of nvprof with a kernel and a call of each name."""
    table = csv.writer(file, quoting=csv.QUOTE_ALL)
    table.writerow(["Type", "Time(%)", "Time", "Calls", "Avg", "Min", "Max", "Name"])
    table.writerow(["", "%", "us", "", "us", "us", "us", ""])
    for number, name in enumerate(NAMES):
        name = name.replace("\0", "")
        for kind in ("GPU activities", "API calls"):
            table.writerow([kind, 1, 2000 + number, 2, 1000, 900, 1100, name])


def device(number: int, name: str) -> str:
    """A device file: its id is plain by rule, all its other texts are the name."""
    text = (DATA.parent.parent / "data/devices/t4.toml").read_text(encoding="utf-8")
    quoted = toml_text(name)
    for key, old in (("id", '"t4"'), ("name", '"Tesla T4"'), ("chip", '"TU104"'), ("architecture", '"Turing"')):
        new = f'"hostile-{number}"' if key == "id" else quoted
        text = text.replace(f"{key} = {old}", f"{key} = {new}", 1)
    return "\n".join(f"note = {quoted}" if line.startswith("note = ") else line for line in text.splitlines())


def toml_text(text: str) -> str:
    """A string of TOML, which has no place for a NUL."""
    return json.dumps(text.replace("\0", "")).replace("\x7f", "\\u007f")


def study() -> str:
    """A study whose cases, titles, statements and published sources have the names; charts of those that aim at
    what draws or prints them."""
    parts = [f"title = {toml_text(NAMES[0])}\nquestion = {toml_text(NAMES[1])}\n"]
    for each in LIST:
        name = toml_text(each["name"])
        file = toml_text(f"models/{file_name(each['name'])}.onnx")
        parts.append(f'[[cases]]\nname = {name}\nmode = "predict"\nfile = {file}\ndevice = "t4"\n')
        parts.append(f'[[hypotheses]]\ntext = {name}\ncheck = "time(t4) > 0"\n')
        parts.append(f'[[published]]\nsource = {name}\nwhere = {{ device = "t4" }}\nvalues = {{ time = 1.0 }}\n'
                     f"remark = {name}\n")
        parts.append(f'[[tables]]\ntitle = {name}\nvalues = ["time", "memory"]\n')
        if each["aims_at"] in ("gnuplot", "latex"):
            parts.append(f'[[charts]]\nkind = "bars"\ntitle = {name}\ny = "time"\n')
    return "\n".join(parts)


def file_name(name: str) -> str:
    """The name without what a file's name cannot have, and without the commas between models."""
    return name.replace("/", "\u2215").replace("\0", "").replace(",", "\u201a")


def main() -> None:
    folder = Path(sys.argv[1])
    for each in ("devices", "recordings", "models"):
        (folder / each).mkdir(parents=True)
    with gzip.open(DATA / "recordings/small-b4-inference.rec.jsonl.gz", "rt") as file:
        lines = [json.loads(line) for line in file]
    for number, name in enumerate(NAMES):
        (folder / f"recordings/{number:02}.rec.jsonl").write_text("".join(recording(lines, name)))
        (folder / f"devices/{number:02}.toml").write_text(device(number, name), encoding="utf-8")
        (folder / f"models/{file_name(name)}.onnx").write_bytes((DATA / "cli/hostile_names.onnx").read_bytes())
    (folder / "layers.onnx").write_bytes(onnx())
    (folder / "study.toml").write_text(study(), encoding="utf-8")
    (folder / "trace.json").write_text(json.dumps(trace()))
    with open(folder / "kernels.csv", "w", encoding="utf-8", newline="") as file:
        ncu(file)
    with open(folder / "summary.csv", "w", encoding="utf-8", newline="") as file:
        nvprof(file)
    for name, source in (("predict", sys.argv[2]), ("measure", sys.argv[3])):
        (folder / f"{name}.json").write_text(json.dumps(results(Path(source))))


if __name__ == "__main__":
    main()
