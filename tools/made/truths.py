"""What a program knows of an input that it made, told to `make`.

`make` sets MADE_TRUTHS to a file, to which each call of `tell` adds a line. Without it the lines
are printed.
"""

import importlib
import json
import os
import sys
from importlib import metadata


def tell(file, key, value, source):
    """`file` has the figure `key`; `source` is who says it: PyTorch, onnxruntime, a formula."""
    line = json.dumps([file, key, value, source])
    place = os.environ.get("MADE_TRUTHS")
    if place:
        with open(place, "a", encoding="utf-8") as out:
            out.write(line + "\n")
    else:
        print(line)


def version_of(name):
    """Debian's modules have their own version, but no package's."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return importlib.import_module(name).__version__


def tell_versions(file, *modules):
    """The versions of Python and of the modules that made the file."""
    said = [f"Python {sys.version.split()[0]}"]
    said += [f"{name} {version_of(name)}" for name in modules]
    tell(file, "versions", ", ".join(said), "the modules")
