"""`rooflab.profile`: runs a CUDA program under `rooflab profile`; `window` marks a part of it."""
from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Union

from rooflab._program import find, run, told_environment
from rooflab._temporary_folder import TemporaryFolder
from rooflab.errors import Error
from rooflab._fields import Fields, wrap
from rooflab._result import Result


class Profile(Result):
    """Kernels of a program: a record, or several for several processes (docs/formats/record.md)."""

    def __init__(self, data: dict[str, Any], text: str, exit_code: int):
        super().__init__(data, text)
        self.exit_code = exit_code
        """Of the program that was profiled."""

    @property
    def records(self) -> list[Fields]:
        """One record for each process that used CUDA."""
        return wrap(self._data["imports"] if "imports" in self._data else [self._data])

    @property
    def totals(self) -> Fields:
        """Figures of a step of the first process: `time_s`, `flop`, `dram_bytes`, ..."""
        return self.records[0].totals

    @property
    def kernels(self) -> list[Fields]:
        """The kernels of a step, of all processes."""
        return [kernel for record in self.records for kernel in record["kernels"]]

    def rows(self) -> list[Mapping[str, Any]]:
        return list(self.kernels)

    def __repr__(self) -> str:
        return f"<rooflab.Profile of {len(self.records)} processes, exit code {self.exit_code}>"


def profile(program: Union[str, os.PathLike], *arguments: str, mode: str | None = None,
            window: str | None = None, step: str | None = None,
            options: Sequence[str] = ()) -> Profile:
    """Runs a program under `rooflab profile` and gives back its kernels: times, FLOPs and bytes.

    A Python program tells its operations of PyTorch, so that FLOPs and bytes are modelled from their
    shapes, too.

    `program`: a Python script (`.py`), which this Python runs, or any command. It is started in a
    separate process, because the driver loads the profiler when a process begins; so a function
    of this process cannot be profiled. It has this process's standard streams.
    `mode`: "trace", "totals" or "kernels" (default). `window`: "step", "forward", "backward",
    "profiler" (what `rooflab.profile.window()` marks), "nvtx:NAME" (what `window("NAME")` marks).
    `step`: where steps begin. `options`: further flags of `rooflab profile`.

    Raises rooflab.Error where the program was not started or left no record.
    """
    words = [os.fspath(program), *arguments]
    if words[0].endswith(".py"):
        words.insert(0, sys.executable)
    flags = [text for flag, value in (("--mode", mode), ("--window", window), ("--step", step))
             if value is not None for text in (flag, value)]
    with TemporaryFolder("profile") as folder:
        file = folder / "profile.json"
        command = [find(), "profile", "--quiet", "-o", str(file), *flags, *options, "--", *words]
        sys.stdout.flush()
        exit_code = subprocess.run(command, check=False, env=told_environment()).returncode
        if not file.is_file():
            raise Error(f"rooflab profile ended with code {exit_code} and left no record",
                        "code 2: wrong input, 3: something is missing here, as stderr says; else "
                        "that of the program, of which no process used CUDA", exit_code)
        data = json.loads(file.read_text(encoding="utf-8"))
        return Profile(data, run(["report", str(file)]), exit_code)


@contextlib.contextmanager
def window(name: str | None = None) -> Iterator[None]:
    """Marks a part of a program that runs under `rooflab profile`.

    Without a name it is the window "profiler" (cudaProfilerStart and cudaProfilerStop), with one
    the window "nvtx:NAME". Does nothing where PyTorch has no CUDA.
    """
    import torch

    if not torch.cuda.is_available():
        yield
        return
    if name is not None:
        with torch.cuda.nvtx.range(name):
            yield
        return
    torch.cuda.synchronize()
    torch.cuda.profiler.start()
    try:
        yield
        torch.cuda.synchronize()
    finally:
        torch.cuda.profiler.stop()


profile.window = window  # type: ignore[attr-defined]
