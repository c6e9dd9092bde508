"""A folder for temporary files, in which nothing of a killed process stays for long.

Its name and its lock are those of the program's (src/system/temporary_folder.cpp): the first folder that a
process of either makes removes those whose processes were killed.
"""
from __future__ import annotations

import contextlib
import functools
import os
import random
import re
import shutil
import stat
import string
import tempfile
import weakref
from pathlib import Path
from typing import Any

from ._locks import is_name_of, lock_now, machine_tag
from .errors import Error

_RANDOM_LETTERS = 6
_OUR_NAME = re.compile(f"rooflab-.*-[^-]{{{_RANDOM_LETTERS}}}")
_TRIES = 100


def _place() -> Path:
    """As the program finds it. tempfile would take another where this one cannot be written."""
    if tempfile.tempdir is not None:
        return Path(tempfile.tempdir)
    for name in ("TMPDIR", "TMP", "TEMP", "TEMPDIR"):
        place = os.environ.get(name)
        if place:
            if _is_folder(place):
                return Path(place)
            raise Error(f"{name} is '{place}', which is not a folder",
                        f"set {name} to a folder for temporary files, or unset it", 3)
    return Path("/tmp")


def _is_folder(place: str) -> bool:
    """Raises OSError where the system cannot tell."""
    try:
        return stat.S_ISDIR(os.stat(place).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def _lock_name() -> str:
    return f".in-use-{machine_tag()}"


class TemporaryFolder:
    """A separate folder, which goes with the object or with close(). `path` is its path.

    `purpose` is part of its name.
    """

    def __init__(self, purpose: str) -> None:
        place = _place()
        _remove_abandoned(place)
        self.path, lock = _made(place, purpose)
        self.close = weakref.finalize(self, _close, self.path, lock, os.getpid())

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: Any) -> None:
        self.close()


def _made(place: Path, purpose: str) -> tuple[Path, int]:
    """A new folder and its lock, which is open."""
    letters = string.ascii_letters + string.digits
    for _ in range(_TRIES):
        name = "".join(random.SystemRandom().choices(letters, k=_RANDOM_LETTERS))
        folder = place / f"rooflab-{purpose}-{name}"
        try:
            os.mkdir(folder, 0o700)
            return folder, _locked(folder)
        except (FileExistsError, FileNotFoundError):  # another process took it for abandoned just now
            if not place.is_dir():
                raise
    raise FileExistsError(f"No free name for a folder in '{place}'.")


def _locked(folder: Path) -> int:
    lock = folder / _lock_name()
    try:
        file = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileNotFoundError:
        raise
    except OSError:
        os.rmdir(folder)
        raise
    lock_now(file)
    if not is_name_of(lock, file):
        os.close(file)
        raise FileNotFoundError(lock)
    return file


def _close(path: Path, lock: int, process: int) -> None:
    if os.getpid() == process:  # not when a forked process ends
        _remove(path)
        os.close(lock)


def _remove(folder: Path) -> None:
    """Removes the folder, its lock last: by it the next run removes what could not be removed now."""
    with contextlib.suppress(OSError):
        for entry in folder.iterdir():
            if entry.name != _lock_name():
                if entry.is_dir() and not entry.is_symlink():
                    shutil.rmtree(entry)
                else:
                    entry.unlink()
        (folder / _lock_name()).unlink()
        folder.rmdir()


@functools.lru_cache(maxsize=None)
def _remove_abandoned(place: Path) -> None:
    """Removes this user's folders that no living process holds, once in a process."""
    with contextlib.suppress(OSError):
        for entry in os.scandir(place):
            if _OUR_NAME.fullmatch(entry.name):
                with contextlib.suppress(OSError):
                    _remove_if_abandoned(Path(entry.path))


def _remove_if_abandoned(folder: Path) -> None:
    status = os.lstat(folder)
    if status.st_uid != os.geteuid() or not folder.is_dir() or folder.is_symlink():
        return
    lock = folder / _lock_name()
    try:
        file = os.open(lock, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        folder.rmdir()  # its process had not come further
        return
    try:
        if lock_now(file) and is_name_of(lock, file):
            _remove(folder)
    finally:
        os.close(file)
