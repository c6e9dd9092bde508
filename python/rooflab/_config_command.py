"""`python -m rooflab COMMAND config.json ...`: the command gets the recording of a step.

The flags of the step are taken from the command line; all others are the program's.
"""
from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rooflab._config_file import is_config
from rooflab._program import find
from rooflab.errors import Error

# Flags of the step, and the type of their values: arguments of ConfiguredModel.record.
FLAGS: dict[str, type] = {"--phase": str, "--batch": int, "--tokens": int, "--context": int,
                          "--precision": str, "--cache": str, "--optimizer": str}


def names_config(words: Sequence[str]) -> bool:
    """Whether a command line of the program names a configuration of transformers."""
    return any(is_config(Path(word)) for word in words[1:] if not word.startswith("-"))


def split(words: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """The arguments of the step, and the other words. Raises Error for a value of a wrong type."""
    step: dict[str, Any] = {}
    others: list[str] = []
    left = list(words)
    while left:
        word = left.pop(0)
        flag, equals, value = word.partition("=")
        if flag not in FLAGS:
            others.append(word)
            continue
        if not equals:
            if not left:
                raise Error(f"{flag} needs a value", None, 2)
            value = left.pop(0)
        try:
            step[flag[2:]] = FLAGS[flag](value)
        except ValueError:
            raise Error(f"{flag} {value}: not a whole number",
                        "a configuration is recorded in one size at a time", 2) from None
    return step, others


def run(words: Sequence[str]) -> int:
    """Records the step and runs the command on it; its exit code. Notes go to stderr."""
    from rooflab.configured import from_config

    step, others = split(words)
    place = next(place for place, word in enumerate(others) if place and is_config(Path(word)))
    model = from_config(others[place])
    recording = model.record(**step)
    for note in model.notes:
        print(f"rooflab: note: {note}", file=sys.stderr)
    return subprocess.call(
        [find(), *others[:place], str(recording.path), *others[place + 1:]])
