"""A strict reader of recordings for tests: every rule of docs/formats/recording.md."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Iterator, Optional

from rooflab.recording import KINDS, Recording

PASSES = ("forward", "backward", "optimizer", "other")
ROLES = (None, "parameter", "buffer", "input", "gradient", "optimizer", "cache")
TYPES = re.compile(r"f64|f32|f16|bf16|f8|i64|i32|i16|i8|u64|u32|u16|u8|bool|c128|c64|c32")


class Op:
    """An operation with its place."""

    def __init__(self, line: dict[str, Any], place: dict[str, Any], module: Optional[str]) -> None:
        self.name: str = line["op"]
        self.overload: str = line.get("overload", "default")
        self.inputs: list[Any] = line["in"]
        self.outputs: list[Any] = line["out"]
        self.args: dict[str, Any] = line.get("args", {})
        self.writes: list[int] = line.get("writes", [])
        self.ranks: Optional[int] = line.get("ranks")
        self.wrapped: int = line.get("wrapped", 0)
        self.place = place
        self.module = module  # qualified name

    @property
    def kind(self) -> str:
        return self.name.split(".", 1)[1]


class Checked:
    """What a recording says, after all its lines were found to be in order."""

    def __init__(self, recording: Recording) -> None:
        self.first: dict[str, Any] = {}
        self.modules: list[dict[str, Any]] = []
        self.layouts: list[dict[str, Any]] = []
        self.storages: list[dict[str, Any]] = []
        self.tensors: list[dict[str, Any]] = []
        self.ops: list[Op] = []
        self.freed: dict[int, int] = {}  # storage: number of operations before the free
        self.born: dict[int, int] = {}  # storage: number of the operation that made it
        self.role: dict[int, Optional[str]] = {}
        self.names: dict[int, Optional[str]] = {}
        self.optimizers: list[dict[str, Any]] = []
        self.gaps: list[dict[str, Any]] = []
        self.assumed: list[dict[str, Any]] = []
        self.output: list[int] = []
        self.end: dict[str, Any] = {}
        self.peak = 0  # bytes that were alive at once
        self._live: dict[int, int] = {}
        self._new: set[int] = set()  # storages that the next operation makes
        self._place: Optional[dict[str, Any]] = None
        self._lines = {"storage": 0, "free": 0, "op": 0}
        for line in recording.open():
            kind = next(iter(line))
            assert not self.end, "a line after the last"
            if kind in self._lines:
                self._lines[kind] += 1
            getattr(self, "_" + kind)(line)
        assert self.end, "no last line"
        assert recording.ops == len(self.ops)
        assert recording.gaps == self.gaps and recording.assumptions == self.assumed

    def __iter__(self) -> Iterator[Op]:
        return iter(self.ops)

    def find(self, name: str, **place: Any) -> list[Op]:
        """Operations of this name whose place has these values."""
        return [op for op in self.ops if op.kind == name
                and all(op.place.get(key) == value for key, value in place.items())]

    def storage_of(self, tensor: int) -> int:
        return self.tensors[tensor]["storage"]

    def shape_of(self, tensor: int) -> list[int]:
        return self.layouts[self.tensors[tensor]["layout"]]["shape"]

    def type_of(self, tensor: int) -> str:
        return self.layouts[self.tensors[tensor]["layout"]]["layout"]

    # One method for each kind of line.

    def _rooflab_recording(self, line: dict[str, Any]) -> None:
        _keys(line, "rooflab_recording", "writer", "framework", "python", "name", "batch", "context",
              "grad", "values", "tf32", "device_name",
              *(["imitates"] if "imitates" in line else []))
        assert line["rooflab_recording"] == 1
        assert type(line["grad"]) is bool and type(line["values"]) is bool
        assert line["batch"] is None or type(line["batch"]) is int
        assert line["context"] is None or type(line["context"]) is int
        assert set(line["tf32"]) == {"matmul", "cudnn"}
        self.first = line

    def _module(self, line: dict[str, Any]) -> None:
        _keys(line, "module", "name", "class", "root", "training")
        assert line["module"] == len(self.modules)
        assert line["root"] <= line["module"]
        if line["root"] == line["module"]:
            assert line["name"] == ""
        else:
            root = self.modules[line["root"]]
            assert root["root"] == root["module"] and line["name"]
        self.modules.append(line)

    def _layout(self, line: dict[str, Any]) -> None:
        _keys(line, "layout", "shape", optional=("strides",))
        assert TYPES.fullmatch(line["layout"]), line
        assert "strides" not in line or len(line["strides"]) == len(line["shape"])
        self.layouts.append(line)

    def _storage(self, line: dict[str, Any]) -> None:
        _keys(line, "storage", "bytes", "device", optional=("role", "name", "before", "layout"))
        number = line["storage"]
        assert line["bytes"] >= 0 and line.get("role") in ROLES
        if number < len(self.storages):  # resized
            assert number in self._live and "before" not in line
            self.storages[number]["bytes"] = line["bytes"]
        else:
            assert number == len(self.storages)
            self.storages.append(line)
            self.role[number], self.names[number] = line.get("role"), line.get("name")
            if line.get("before"):
                assert line["before"] is True
                self.born[number] = -1
            else:
                self._new.add(number)
        self._live[number] = line["bytes"]
        self.peak = max(self.peak, sum(self._live.values()))

    def _tensor(self, line: dict[str, Any]) -> None:
        _keys(line, "tensor", "layout", "storage", optional=("offset",))
        assert line["tensor"] == len(self.tensors)
        layout = self.layouts[line["layout"]]
        assert line["storage"] in self._live, "a tensor of a storage that is not alive"
        shape = layout["shape"]
        strides = layout.get("strides") or _dense(shape)
        if all(shape) and "layout" not in self.storages[line["storage"]]:
            bits = re.findall(r"\d+", layout["layout"])
            last = line.get("offset", 0) + sum(
                (extent - 1) * stride for extent, stride in zip(shape, strides))
            size = int(bits[0]) // 8 if bits else 1
            stored = self._live[line["storage"]]
            assert (last + 1) * size <= stored, line
        self.tensors.append(line)

    def _at(self, line: dict[str, Any]) -> None:
        _keys(line, "at", optional=("module", "node", "recomputed", "autocast", "stream"))
        assert line["at"] in PASSES
        assert "module" not in line or line["module"] < len(self.modules)
        assert line.get("recomputed", True) is True
        assert line != self._place, "the same place twice"
        self._place = line

    def _op(self, line: dict[str, Any]) -> None:
        _keys(line, "op", "in", "out", optional=("args", "writes", "overload", "ranks", "wrapped"))
        assert self._place is not None
        for tensor in _numbers(line["in"]) + _numbers(line["out"]):
            assert self.storages[self.storage_of(tensor)]["storage"] in self._live, line
        made = {self.storage_of(tensor) for tensor in _numbers(line["in"] + line["out"])}
        assert self._new <= made, f"{self._new} are not of {line}"
        for storage in self._new:
            self.born[storage] = len(self.ops)
        self._new.clear()
        for place in line.get("writes", []):
            assert line["in"][place] is not None
        module = self._place.get("module")
        name = None if module is None else self.modules[module]["name"]
        self.ops.append(Op(line, self._place, name))

    def _free(self, line: dict[str, Any]) -> None:
        _keys(line, "free")
        assert line["free"]
        for number in line["free"]:
            del self._live[number]
            self.freed[number] = len(self.ops)

    def _role(self, line: dict[str, Any]) -> None:
        _keys(line, "role", "storages")
        assert line["role"] in ROLES and line["storages"]
        for number, name in line["storages"]:
            assert number in self._live
            self.role[number], self.names[number] = line["role"], name

    def _optimizer(self, line: dict[str, Any]) -> None:
        _keys(line, "optimizer", "options", "parameters")
        self.optimizers.append(line)

    def _output(self, line: dict[str, Any]) -> None:
        _keys(line, "output")
        assert line["output"] and all(one < len(self.tensors) for one in line["output"])
        self.output = line["output"]

    def _gap(self, line: dict[str, Any]) -> None:
        _keys(line, "gap", "name", "where", "count")
        self.gaps.append(line)

    def _assumed(self, line: dict[str, Any]) -> None:
        _keys(line, "assumed", "value", "where", "count")
        self.assumed.append(line)

    def _end(self, line: dict[str, Any]) -> None:
        _keys(line, "end", "ops", "storages", "frees")
        assert not self._new
        assert line["ops"] == len(self.ops) == self._lines["op"]
        assert line["storages"] == self._lines["storage"]
        assert line["frees"] == self._lines["free"]
        self.end = line


def check(recording: Recording) -> Checked:
    """Checks a recording's file, which is also read anew."""
    text = Path(recording.path).read_bytes()
    assert text
    again = Recording.load(recording.path)
    assert (again.name, again.batch, again.ops) == (
        recording.name, recording.batch, recording.ops)
    return Checked(recording)


def _keys(line: dict[str, Any], first: str, *required: str, optional: tuple = ()) -> None:
    assert first in KINDS
    assert next(iter(line)) == first
    assert set(required) <= set(line), f"a key is missing: {line}"
    assert set(line) <= {first, *required, *optional}, f"a key too many: {line}"


def _numbers(value: Any) -> list[int]:
    if isinstance(value, list):
        return [number for item in value for number in _numbers(item)]
    if value is None or isinstance(value, dict):
        assert value is None or set(value) == {"number"}
        return []
    assert type(value) is int
    return [value]


def _dense(shape: list[int]) -> list[int]:
    strides, step = [], 1
    for extent in reversed(shape):
        strides.insert(0, step)
        step *= max(extent, 1)
    return strides
