"""A file of figures that results must not leave: FLOPs, bytes, memory, times, by name."""
from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Union

from rooflab._whole_file import WholeFile
from rooflab.errors import Error

DEFAULT_NAME = "rooflab_baseline.json"


def differences(before: Mapping[str, float], now: Mapping[str, float],
                tolerance: float = 0.0) -> list[str]:
    """A line for each figure of `before` that changed by more than a share of it."""
    lines = []
    for figure, old in before.items():
        new = now.get(figure)
        if new is None and old is not None:
            lines.append(f"{figure}: before {old:,}, now not known")
        elif old is not None and abs(new - old) > tolerance * abs(old):
            change = f"{(new - old) / old:+.2%}" if old else "from 0"
            lines.append(f"{figure}: before {old:,}, now {new:,} ({change})")
    return lines


class BaselineFile:
    """`{"name": {"flops": 3628146688, ...}, ...}`, sorted, as JSON."""

    def __init__(self, path: Union[str, os.PathLike]):
        self.path = Path(path)

    def read(self) -> dict[str, dict[str, float]]:
        """All entries, none before the first update. Raises Error for a damaged file."""
        try:
            entries = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except ValueError as error:
            raise Error(f"{self.path}: not JSON: {error}",
                        "remove it and write it again: pytest --rooflab-update") from error
        if not (isinstance(entries, dict) and all(isinstance(x, dict) for x in entries.values())):
            raise Error(f"{self.path}: not a baseline: figures by name are expected",
                        "remove it and write it again: pytest --rooflab-update")
        return entries

    def update(self, name: str, figures: Mapping[str, float]) -> None:
        """Writes one entry and keeps the others."""
        entries = {**self.read(), name: dict(figures)}
        with WholeFile(self.path) as file:
            file.write((json.dumps(entries, indent=2, sort_keys=True) + "\n").encode("utf-8"))
