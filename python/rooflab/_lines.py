"""Writing a recording's lines to a file that is there at the end, or not at all."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any, Optional

from ._schema import json_text
from ._temporary_folder import TemporaryFolder
from ._whole_file import WholeFile

_LINES_AT_ONCE = 2048


class Lines:
    """A recording that is being written.

    The first line holds what is known only later (the first module's name). Until `begin` all
    lines stay in memory.
    """

    def __init__(self, to: Optional[Path], compress: bool) -> None:
        folder = None if to is None else to.parent
        if folder is not None and not folder.is_dir():
            raise FileNotFoundError(f"The folder of the recording '{to}' does not exist.")
        if to is not None and to.is_dir():
            raise IsADirectoryError(f"'{to}' is a folder: name a file for the recording.")
        self.folder: Optional[TemporaryFolder] = None
        """The folder of a temporary recording, which lives as long as this object."""
        if to is None:
            self.folder = TemporaryFolder("recording")
            to = self.folder.path / ("step.rec.jsonl.gz" if compress else "step.rec.jsonl")
        self._begun = False
        self._waiting: list[str] = []
        self._file = WholeFile(to)
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
        data = ("\n".join(lines) + "\n").encode("utf-8")
        if self._packer is not None:
            data = self._packer.compress(data) + (self._packer.flush() if last else b"")
        self._file.write(data)

    def finish(self) -> Path:
        """Closes the file and gives it its name, which it returns."""
        self._flush(last=True)
        self._file.finish()
        return self._file.target

    def drop(self) -> None:
        """Closes and removes the file, unless it is finished."""
        self._waiting.clear()
        self._file.drop()
