"""A file that is there as a whole or not at all, whatever ends its writer."""
from __future__ import annotations

import contextlib
import os
import random
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ._locks import is_name_of, lock_now, machine_tag

_TRIES = 100
_MOST_LETTERS = 200  # a name has room for 255 bytes


@contextlib.contextmanager
def _errors_name(target: Path) -> Iterator[None]:
    """Errors of the system name the target: that of write() names no file, others a neighbour."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, os.strerror(error.errno), os.fspath(target)) from error


class WholeFile:
    """A new file next to its target, which takes the target's name when it is finished.

    Its own name is the same for each writer of this machine, so that a writer finds and removes what
    one before it left when it was killed. A lock tells that from a file of a writer at work;
    in that case the new name is random.
    """

    def __init__(self, target: Path) -> None:
        self.target = target
        self._open = True
        # A process that the step forks has a copy of this object: it must neither write nor remove.
        self._process = os.getpid()
        with _errors_name(target):
            self._path, file = self._made(target)
            self._lock = os.dup(file)  # until the file has its name
        # Nothing is buffered, so nothing is written on deletion in such a process.
        self._file = os.fdopen(file, "wb", buffering=0)

    @staticmethod
    def _made(target: Path) -> tuple[Path, int]:
        for number in range(_TRIES):
            tag = machine_tag() if number < 2 else f"{random.SystemRandom().getrandbits(32):08x}"
            name = os.fsencode(target.name)[:_MOST_LETTERS]
            path = target.with_name(f"{os.fsdecode(name)}.{tag}.part")
            try:
                file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
            except FileExistsError:
                if number == 0:
                    _remove_abandoned(path)
                continue
            lock_now(file)
            if is_name_of(path, file):
                return path, file
            os.close(file)  # another writer took it for abandoned just now
        raise FileExistsError(f"No free name for a new file next to '{target}'.")

    def write(self, data: bytes) -> None:
        """Appends `data`."""
        if os.getpid() != self._process:
            return
        view = memoryview(data)
        with _errors_name(self.target):
            while view:
                view = view[self._file.write(view):]

    def finish(self) -> None:
        """Closes the file and gives it its name; where that fails, it is removed."""
        try:
            with _errors_name(self.target):
                self._file.close()
                os.replace(self._path, self.target)
                self._end()
        finally:
            self.drop()

    def drop(self) -> None:
        """Closes and removes the file, unless it is finished."""
        if not self._open or os.getpid() != self._process:
            return
        with contextlib.suppress(OSError):
            self._file.close()
        with contextlib.suppress(OSError):
            os.unlink(self._path)
        self._end()

    def _end(self) -> None:
        self._open = False
        os.close(self._lock)

    def __enter__(self) -> WholeFile:
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None:
            self.finish()
        else:
            self.drop()


def _remove_abandoned(path: Path) -> None:
    """Removes what a killed writer left; only a plain file that nobody uses goes."""
    with contextlib.suppress(OSError):
        file = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            if stat.S_ISREG(os.fstat(file).st_mode) and lock_now(file) and is_name_of(path, file):
                os.unlink(path)
        finally:
            os.close(file)
