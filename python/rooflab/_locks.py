"""Locks of flock(2), which tell what is in use from what a killed process left.

The rules are those of the program (src/system/file_lock.hpp, machine_tag.cpp), so that each of the two
removes what the other left.
"""
from __future__ import annotations

import fcntl
import functools
import os
import random
from pathlib import Path
from typing import Union


@functools.lru_cache(maxsize=None)
def machine_tag() -> str:
    """Eight hex digits that are the same for all processes of one running kernel."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_bytes()
    except OSError:
        return f"{random.SystemRandom().getrandbits(32):08x}"
    value = 0xcbf29ce484222325  # FNV-1a, 64 bits
    for byte in boot:
        value = (value ^ byte) * 0x100000001b3 % 2**64
    return f"{value % 2**32:08x}"


def lock_now(file: int) -> bool:
    """Locks an open file without waiting. False: another has it, or the file system has no locks."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def is_name_of(path: Union[str, os.PathLike], file: int) -> bool:
    """Whether the path still leads to the open file: another may have removed it in between."""
    try:
        return os.path.samestat(os.lstat(path), os.fstat(file))
    except OSError:
        return False
