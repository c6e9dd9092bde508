"""A recording: a file with what one step of a PyTorch program ran."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import weakref
import zlib
from pathlib import Path
from typing import Any, Iterator, Optional, Union

from ._temporary_folder import TemporaryFolder
from ._version import version
from ._whole_file import WholeFile
from .errors import RecordingError

FORMAT_VERSION = 1

# First keys of a line.
KINDS = frozenset((
    "rooflab_recording", "module", "layout", "storage", "tensor", "at", "op", "free", "role",
    "optimizer", "output", "gap", "assumed", "end"))

_GZIP = b"\x1f\x8b"


def writer_name() -> str:
    """What writes recordings: `rooflab 0.1.0`."""
    return f"rooflab {version()}"


class Recording:
    """A finished recording.

    `path` is its file, `name` and `batch` those of the step, `ops` the number of operations,
    `context` the tokens in the cache before the step (of a prefill its own), where that was said.
    `gaps` and `assumptions` hold the lines of work that was not seen and of answers made up.
    A temporary file is removed with the object, which owns its `folder`.
    """

    def __init__(self, path: Path, *, name: Optional[str], batch: Optional[int], ops: int,
                 gaps: list[dict[str, Any]], assumptions: list[dict[str, Any]],
                 context: Optional[int] = None,
                 folder: Optional[TemporaryFolder] = None) -> None:
        self.path = path
        self.name = name
        self.batch = batch
        self.context = context
        self.ops = ops
        self.gaps = gaps
        self.assumptions = assumptions
        self._folder: Optional[TemporaryFolder] = None
        if folder is not None:
            self.own(folder)

    def own(self, folder: TemporaryFolder) -> None:
        """The folder goes with this object."""
        self._folder = folder
        weakref.finalize(self, folder.close)  # whoever else may hold it

    @property
    def temporary(self) -> bool:
        """Whether the file goes with this object."""
        return self._folder is not None

    def __repr__(self) -> str:
        place = "" if self.temporary else f" in {self.path}"
        return f"<Recording {self.name or '(no name)'}: {self.ops} ops{place}>"

    def save(self, path: Union[str, os.PathLike]) -> Recording:
        """Copies the recording, compressed if the name ends in .gz; returns the copy."""
        target = Path(path)
        with _open(self.path) as source, WholeFile(target) as file:
            if target.suffix == ".gz":
                with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as out:
                    shutil.copyfileobj(source, out)
            else:
                shutil.copyfileobj(source, file)
        return Recording(target, name=self.name, batch=self.batch, ops=self.ops, gaps=self.gaps,
                         assumptions=self.assumptions, context=self.context)

    @property
    def imitates(self) -> Optional[dict[str, Any]]:
        """The CUDA device as on which the step chose its operations, by `capability` and `device`.

        None where nothing was imitated: the step ran on CUDA, or `imitate=False`.
        """
        return next(self.open()).get("imitates")

    def open(self) -> Iterator[dict[str, Any]]:
        """The lines in order. Raises RecordingError for a damaged file."""
        yield from _lines(self.path)  # a temporary file stays until the last line

    @classmethod
    def load(cls, path: Union[str, os.PathLike]) -> Recording:
        """The recording in a file. Raises RecordingError for a damaged file."""
        file = Path(path)
        first: dict[str, Any] = {}
        gaps, assumptions, ops = [], [], 0
        for line in _lines(file):
            kind = next(iter(line))
            if kind == "rooflab_recording":
                first = line
            elif kind == "gap":
                gaps.append(line)
            elif kind == "assumed":
                assumptions.append(line)
            elif kind == "end":
                ops = line["ops"]
        return cls(file, name=first.get("name"), batch=first.get("batch"), ops=ops, gaps=gaps,
                   assumptions=assumptions, context=first.get("context"))


def _open(path: Path) -> Any:
    with open(path, "rb") as file:
        compressed = file.read(2) == _GZIP
    return gzip.open(path, "rb") if compressed else open(path, "rb")


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    number = 0
    kind = ""
    ops = 0
    try:
        with _open(path) as file:
            for number, text in enumerate(file, 1):
                if kind == "end":
                    raise RecordingError(f"{path}:{number}: there is more after the last line")
                try:
                    line = json.loads(text)
                except ValueError as error:
                    raise RecordingError(
                        f"{path}:{number}: the recording is damaged: {error}") from error
                if not isinstance(line, dict) or not line:
                    raise RecordingError(f"{path}:{number}: this is not a JSON object")
                kind = next(iter(line))
                if kind not in KINDS:
                    raise RecordingError(f"{path}:{number}: '{kind}' is an unknown kind of line")
                if (kind == "rooflab_recording") != (number == 1):
                    raise RecordingError(f"{path}:{number}: this is not a recording of Rooflab")
                if number == 1 and line[kind] != FORMAT_VERSION:
                    raise RecordingError(
                        f"{path}: the recording has version {line[kind]} of the format, this "
                        f"package reads version {FORMAT_VERSION}", "update the package")
                ops += kind == "op"
                if kind == "end" and line.get("ops") != ops:
                    raise RecordingError(
                        f"{path}:{number}: the last line counts {line.get('ops')} operations, "
                        f"the file has {ops}", "record the step again")
                yield line
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise RecordingError(
            f"{path}: the recording is damaged after line {number}: {error}") from error
    if kind != "end":
        raise RecordingError(f"{path}: the recording ended early, after line {number}",
                             "record the step again")
