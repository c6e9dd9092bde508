"""Work that bypasses PyTorch's dispatcher, and so is in a recording only as a count."""

from __future__ import annotations

import functools
import sys
from typing import Any, Callable

from ._places import user_place
from ._schema import json_text


class Counts:
    """Lines of one kind that differ only in how often they came, written at the end."""

    def __init__(self, first: str, second: str) -> None:
        self._keys = (first, second, "where")
        self._counts: dict[tuple, int] = {}

    def add(self, first: str, second: Any) -> None:
        key = (first, second, user_place())
        self._counts[key] = self._counts.get(key, 0) + 1

    def as_dicts(self) -> list[dict[str, Any]]:
        return [dict(zip(self._keys, key), count=count) for key, count in self._counts.items()]

    def lines(self) -> list[str]:
        return [json_text(line) for line in self.as_dicts()]


# Modules that launch Triton's kernels, the class there, and how to get the kernel's function.
_LAUNCHERS = (
    ("triton.runtime.jit", "JITFunction"),
    ("torch._inductor.runtime.triton_heuristics", "CachingAutotuner"),
    ("torch._inductor.triton_heuristics", "CachingAutotuner"),
)


class TritonLaunches:
    """Calls `seen(name)` at each launch of a Triton kernel.

    Triton is looked for among the modules that are loaded; `look` may be called again.
    """

    def __init__(self, seen: Callable[[str], None]) -> None:
        self._seen = seen
        self._wrapped: list[tuple[type, Any]] = []

    def look(self) -> None:
        for module, name in _LAUNCHERS:
            launcher = getattr(sys.modules.get(module), name, None)
            if launcher is None or any(launcher is one for one, _ in self._wrapped):
                continue
            run = launcher.run
            self._wrapped.append((launcher, run))
            launcher.run = self._counted(run)

    def _counted(self, run: Any) -> Any:
        seen = self._seen

        @functools.wraps(run)
        def counted(launcher: Any, *args: Any, **kwargs: Any) -> Any:
            # warmup=True compiles and does not launch.
            if not kwargs.get("warmup"):
                seen(getattr(getattr(launcher, "fn", launcher), "__name__", "kernel"))
            return run(launcher, *args, **kwargs)

        return counted

    def undo(self) -> None:
        while self._wrapped:
            launcher, run = self._wrapped.pop()
            launcher.run = run
