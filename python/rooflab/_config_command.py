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
from rooflab._temporary_folder import TemporaryFolder
from rooflab.errors import Error

# Flags of the step, arguments of ConfiguredModel.record, and those that are numbers.
FLAGS = ("--phase", "--batch", "--tokens", "--context", "--precision", "--cache", "--optimizer")
SIZES = ("batch", "tokens", "context")


def names_config(words: Sequence[str]) -> bool:
    """Whether a command line of the program names a configuration of transformers."""
    return any(is_config(Path(word)) for word in words[1:] if not word.startswith("-"))


def split(words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """The flags of the step, and the other words."""
    step: dict[str, str] = {}
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
        if flag[2:] in step:
            raise Error(f"{flag} is given twice", None, 2)
        step[flag[2:]] = value
    return step, others


def value_of(words: Sequence[str], flag: str) -> str:
    """The value of a flag of the program; empty without it."""
    for place, word in enumerate(words):
        if word == flag and place + 1 < len(words):
            return words[place + 1]
        if word.startswith(f"{flag}="):
            return word[len(flag) + 1:]
    return ""


def check_alone(words: Sequence[str], place: int) -> None:
    """Raises Error for a configuration together with another model: the flags of the step are taken away
    from the program, so that the other would be asked about another step than the one meant."""
    def is_value(at: int) -> bool:
        before = words[at - 1]
        return before.startswith("-") and "=" not in before

    if is_value(place):
        return
    for at, word in enumerate(words):
        if at in (0, place) or word.startswith("-") or is_value(at):
            continue
        raise Error(f"'{word}' in addition to the configuration {words[place]}",
                    "give a configuration alone: each model in a separate command", 2)


def _number(flag: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise Error(f"--{flag} {text}: not a whole number",
                    "several sizes are numbers with commas between them", 2) from None


def run(words: Sequence[str]) -> int:
    """Records the step and runs the command on it; its exit code. Notes go to stderr.

    `fit`, and several batches or contexts, get recordings in several sizes, by which the program
    finds all others.
    """
    from rooflab.configured import from_config

    step, others = split(words)
    place = next(place for place, word in enumerate(others) if place and is_config(Path(word)))
    check_alone(others, place)
    model = from_config(others[place])
    sizes = {name: [_number(name, one) for one in step.pop(name).split(",")]
             for name in SIZES if name in step}
    several = others[0] == "fit" or any(len(values) > 1 for values in sizes.values())
    with TemporaryFolder("config") as folder:
        if several:
            named = _several(model, step, sizes, others, folder)
        else:
            file = folder / "step.rec.jsonl.gz"
            model.record(file, **step, **{name: value for name, [value] in sizes.items()})
            named = [str(file)]
        for note in model.notes:
            print(f"rooflab: note: {note}", file=sys.stderr)
        return subprocess.call([find(), *others[:place], *named, *others[place + 1:]])


def _several(model: Any, step: dict[str, str], sizes: dict[str, list[int]], others: Sequence[str],
             folder: Path) -> list[str]:
    """The words in the place of the configuration: recordings, and the sizes that are asked for."""
    phase = step.get("phase") or model.default_phase
    size = "context" if phase == "decode" else "tokens"
    given = {name: values for name, values in sizes.items() if name in ("batch", size)}
    first = {name: values[0] for name, values in sizes.items() if name != "batch"}
    files = model.record_sizes(folder, **step, **first)
    words = [str(files[0]), "--recorded", ",".join(map(str, files[1:]))]
    if others[0] != "fit" or "context" in value_of(others, "--vary"):
        given.setdefault("batch", [1])
    for name, values in given.items():
        words += ["--batch" if name == "batch" else "--context", ",".join(map(str, values))]
    return words
