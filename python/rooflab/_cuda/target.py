"""The CUDA device whose choices a step without CUDA follows."""
from __future__ import annotations

import dataclasses
import functools
import json
import re
from collections.abc import Sequence
from typing import Any, Optional, Union

from ..errors import Error

@dataclasses.dataclass(frozen=True)
class Target:
    """`capability`: compute capability. `multiprocessors`: of the device."""

    capability: tuple[int, int] = (9, 0)
    multiprocessors: int = 132
    device: Optional[str] = None
    """Its id in `rooflab devices`, where it was named."""

    def as_dict(self) -> dict[str, Any]:
        """What the first line of a recording says."""
        found: dict[str, Any] = {"capability": f"{self.capability[0]}.{self.capability[1]}"}
        if self.device is not None:
            found["device"] = self.device
        return found


TargetLike = Union[Target, str, tuple[int, int], None]

_CAPABILITY = re.compile(r"(\d+)\.(\d+)")
# Multiprocessors of the largest device of each capability; the size of cuDNN's state of dropout
# depends on them, and nothing else.
_MULTIPROCESSORS = {(7, 0): 80, (7, 5): 72, (8, 0): 108, (8, 6): 84, (8, 9): 142, (9, 0): 132,
                    (10, 0): 148, (10, 3): 148, (12, 0): 170}


def target_of(value: TargetLike) -> Target:
    """A device of `rooflab devices`, a capability such as "8.0" or (8, 0); None is 9.0.

    Raises Error for anything else.
    """
    if isinstance(value, Target):
        return value
    if value is None:
        return Target()
    if isinstance(value, (tuple, list)):
        if len(value) == 2 and all(type(part) is int and part >= 0 for part in value):
            return _with_capability((value[0], value[1]))
        raise Error(f"imitate={value!r} is not a compute capability", "two numbers, such as (8, 0)")
    if not isinstance(value, str):
        raise Error(f"imitate={value!r} names no device", "'h200', or a capability such as '8.0'")
    found = _CAPABILITY.fullmatch(value)
    if found:
        return _with_capability((int(found[1]), int(found[2])))
    return _named(value)


def _with_capability(capability: tuple[int, int]) -> Target:
    return Target(capability, _MULTIPROCESSORS.get(capability, 132))


def targets_of(devices: Sequence[str]) -> list[Target]:
    """A target for each device that CUDA knows."""
    found = []
    for device in devices:
        try:
            found.append(_named(device))
        except Error:  # of another vendor; or a prediction for it says what is wrong
            continue
    return found


@functools.lru_cache(maxsize=None)
def _named(name: str) -> Target:
    from .._program import run

    [device] = json.loads(run(["devices", name, "--format", "json"]))["devices"]
    capability = device["compute_capability"]
    found = _CAPABILITY.fullmatch(str((capability or {}).get("value", "")))
    if not found:
        raise Error(f"imitate='{name}' has no compute capability of CUDA",
                    "name a device of NVIDIA, or a capability such as '8.0'")
    known = device.get("multiprocessors")
    return Target((int(found[1]), int(found[2])), int(known["value"]) if known else 132,
                  device["id"])
