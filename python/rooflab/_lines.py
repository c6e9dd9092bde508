"""Writing a recording's lines to a file beside the target, which gets its name at the end."""

from __future__ import annotations

import os
import tempfile
import zlib
from pathlib import Path
from typing import Any, Optional

from ._schema import json_text

_LINES_AT_ONCE = 2048


class Lines:
    """A recording that is being written.

    The first line holds what is known only later (the first module's name). Until `begin` all
    lines stay in memory.
    """

    def __init__(self, to: Optional[Path], compress: bool) -> None:
        self.target = to
        self.compress = compress
        self._begun = False
        self._finished = False
        self._waiting: list[str] = []
        folder = None if to is None else to.parent
        if folder is not None and not folder.is_dir():
            raise FileNotFoundError(f"The folder of the recording '{to}' does not exist.")
        if to is not None and to.is_dir():
            raise IsADirectoryError(f"'{to}' is a folder: name a file for the recording.")
        ending = ".rec.jsonl.gz" if compress else ".rec.jsonl"
        handle, path = tempfile.mkstemp(prefix=".rooflab_" if to else "rooflab_", suffix=ending,
                                        dir=folder)
        self.path = Path(path)
        # A process that the step forks (a worker that loads data) has a copy of this object. It
        # must write nothing, so nothing is buffered below this object or written on deletion.
        self._process = os.getpid()
        self._file = os.fdopen(handle, "wb", buffering=0)
        # A gzip stream without a name and a time: equal recordings are equal files.
        self._packer = zlib.compressobj(9, zlib.DEFLATED, 31) if compress else None

    def begin(self, first: dict[str, Any]) -> None:
        """Writes the first line, once."""
        if not self._begun:
            self._begun = True
            self._waiting.insert(0, json_text(first))

    @property
    def begun(self) -> bool:
        return self._begun

    def write(self, line: str) -> None:
        """Adds a line, which is without its end."""
        self._waiting.append(line)
        if self._begun and len(self._waiting) >= _LINES_AT_ONCE:
            self._flush()

    def _flush(self, last: bool = False) -> None:
        lines, self._waiting = self._waiting, []
        if os.getpid() != self._process:
            return
        data = ("\n".join(lines) + "\n").encode("utf-8")
        if self._packer is not None:
            data = self._packer.compress(data) + (self._packer.flush() if last else b"")
        view = memoryview(data)
        while view:
            view = view[self._file.write(view):]

    def finish(self) -> Path:
        """Closes the file and gives it its name, which it returns."""
        self._flush(last=True)
        self._file.close()
        if self.target is None:
            self._finished = True
            return self.path
        # mkstemp's files are for their owner only; the recording gets the usual permissions.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(self.path, 0o666 & ~mask)
        os.replace(self.path, self.target)
        self._finished = True
        return self.target

    def drop(self) -> None:
        """Closes and removes the file, unless it is finished."""
        if self._finished:
            return
        self._waiting.clear()
        self._file.close()
        if self.path.exists():
            self.path.unlink()
