#!/usr/bin/env python3
"""Runs the code cells of a notebook from the top, without Jupyter.

    tools/gpu/notebook.py NOTEBOOK

`!command` lines run in a shell with {NAME} replaced, `%cd` changes the folder, `%pip` lines are left
out and told (a GPU machine may have no network). It ends at the first cell that fails, with status 1.
"""
import json
import os
import re
import subprocess
import sys
import types


def shell(command: str, names: dict) -> None:
    command = re.sub(r"\{(\w+)\}", lambda match: str(names[match.group(1)]), command)
    print(f"$ {command}", flush=True)
    subprocess.run(command, shell=True, check=False)


def change_folder(path: str, _names: dict) -> None:
    os.chdir(path)


def leave_out(line: str, _names: dict) -> None:
    print(f"left out: {line}", flush=True)


def python_of(source: str) -> str:
    """The cell with its lines for IPython as calls."""
    lines = []
    for line in source.splitlines():
        indent, rest = re.match(r"(\s*)(.*)", line).groups()
        for prefix, call in (("!", "shell"), ("%cd ", "change_folder"), ("%", "leave_out")):
            if rest.startswith(prefix):
                argument = rest if call == "leave_out" else rest[len(prefix) :]
                rest = f"{call}({argument!r}, globals())"
                break
        lines.append(indent + rest)
    return "\n".join(lines)


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    with open(sys.argv[1], encoding="utf-8") as file:
        cells = json.load(file)["cells"]
    try:
        import IPython.display  # noqa: F401
    except ImportError:
        display = types.ModuleType("IPython.display")
        display.HTML = lambda text: print(f"HTML of {len(text)} characters")
        sys.modules["IPython"] = types.ModuleType("IPython")
        sys.modules["IPython.display"] = display
    names = {"shell": shell, "change_folder": change_folder, "leave_out": leave_out}
    codes = [cell for cell in cells if cell["cell_type"] == "code"]
    for number, cell in enumerate(codes, 1):
        print(f"--- cell {number} of {len(codes)}", flush=True)
        try:
            exec(compile(python_of("".join(cell["source"])), f"cell {number}", "exec"), names)
        except Exception as error:  # noqa: BLE001
            print(f"cell {number} failed: {type(error).__name__}: {error}")
            return 1
    print(f"all {len(codes)} cells ran")
    return 0


if __name__ == "__main__":
    sys.exit(main())
