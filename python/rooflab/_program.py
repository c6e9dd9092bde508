"""Finds and runs the program `rooflab`."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from rooflab._temporary_folder import TemporaryFolder
from rooflab._version import CHECKOUT, version_of_project
from rooflab.errors import Error

PACKAGE = Path(__file__).resolve().parent
FIRST_BUILDS = ("release", "ci")  # of a checkout's build folders


class Answer(NamedTuple):
    """What a command printed, and the same as JSON."""

    data: dict[str, Any]
    text: str


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _built(checkout: Path) -> list[Path]:
    """The programs in the build folders of a checkout."""
    if version_of_project(checkout) is None:
        return []
    names = [*FIRST_BUILDS, *sorted(found.name for found in (checkout / "build").glob("*"))]
    places = [checkout / "build" / name / "bin" / "rooflab" for name in dict.fromkeys(names)]
    return [place for place in places if _is_program(place)]


def _installed_with(package: Path) -> Path | None:
    """The program that `cmake --install` put into the same tree: PREFIX/bin, where the package is
    PREFIX/share/rooflab/python/rooflab."""
    if package.parts[-4:] != ("share", "rooflab", "python", "rooflab"):
        return None
    program = package.parents[3] / "bin" / "rooflab"
    return program if _is_program(program) else None


def _in_wheel(package: Path) -> Path | None:
    """The program that the wheel of packaging/portable puts into the package."""
    program = package / "_tree" / "bin" / "rooflab"
    return program if _is_program(program) else None


def _is_this_script(path: str) -> bool:
    """A wheel's script has the program's name."""
    try:
        return os.path.samefile(path, sys.argv[0])
    except OSError:  # `-c` does not name a file
        return False


def find(checkout: Path = CHECKOUT, package: Path = PACKAGE) -> str:
    """The program's path: $ROOFLAB, else that of the wheel, else on PATH, else of the same installed
    tree, else in a build folder of the checkout.

    Raises Error where it is in none of these places.
    """
    named = os.environ.get("ROOFLAB")
    if named:
        if not Path(named).is_absolute():
            raise Error(f"ROOFLAB names '{named}', which is not an absolute path",
                        "a name like this would choose another program in another folder")
        if _is_program(Path(named)):
            return named
        raise Error(f"ROOFLAB names '{named}', which is not a program",
                    "set ROOFLAB to the path of the program rooflab, or unset it")
    in_wheel = _in_wheel(package)
    if in_wheel:
        return str(in_wheel)
    installed = shutil.which("rooflab")
    if installed and not _is_this_script(installed):
        return installed
    same_tree = _installed_with(package)
    if same_tree:
        return str(same_tree)
    built = _built(checkout)
    if built:
        return str(built[0])
    raise Error("the program rooflab was not found: the environment variable ROOFLAB is not set, "
                f"PATH has no rooflab, and neither has a folder of {checkout / 'build'}",
                "install it with ./run install, or set ROOFLAB to its path")


def told_environment() -> dict[str, str]:
    """The environment for `rooflab profile`: Python programs tell it their operations."""
    startup = str(PACKAGE / "_startup")
    others = os.environ.get("PYTHONPATH", "")
    return {**os.environ, "PYTHONPATH": f"{startup}{os.pathsep}{others}" if others else startup}


def run(arguments: list[str]) -> str:
    """Runs the program with these arguments and gives back what it printed.

    Raises Error with the program's message, hint and exit code.
    """
    columns = str(shutil.get_terminal_size((100, 24)).columns)
    try:
        done = subprocess.run([find(), *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                              encoding="utf-8", errors="replace", check=False,
                              env={**os.environ, "COLUMNS": columns})
    except OSError as error:
        raise Error(f"the program rooflab cannot be started: {error}",
                    "a program for another system? build it here with ./run build") from error
    if done.returncode != 0:
        raise error_of(done.stderr, done.returncode)
    return done.stdout


def error_of(stderr: str, exit_code: int) -> Error:
    """The error that the program wrote to stderr before it ended with a code."""
    message: list[str] = []
    hint: list[str] = []
    current: list[str] | None = None
    for line in stderr.splitlines():
        if line.startswith("rooflab: error: "):
            current, line = message, line[len("rooflab: error: "):]
        elif line.startswith("hint: ") and current is not None:
            current, line = hint, line[len("hint: "):]
        elif line.startswith("rooflab: "):
            current = None
        if current is not None:
            current.append(line)
    if not message:
        how = f"signal {-exit_code}" if exit_code < 0 else f"code {exit_code}"
        message = [f"the program rooflab ended with {how}", *stderr.splitlines()[-5:]]
    return Error("\n".join(message), "\n".join(hint) or None, exit_code)


def ask(arguments: list[str]) -> Answer:
    """Runs a command once for both its text and its JSON."""
    with TemporaryFolder("answer") as folder:
        file = folder / "answer.json"
        text = run([*arguments, "-o", str(file)])
        return Answer(json.loads(file.read_text(encoding="utf-8")), text)
