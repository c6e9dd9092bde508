"""The version of the package: that of the project."""
from __future__ import annotations

import re
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
PROJECT = re.compile(r"^project\(rooflab VERSION ([0-9.]+)", re.MULTILINE)


def version_of_project(checkout: Path = CHECKOUT) -> str | None:
    """The version in the checkout's CMakeLists.txt, its one place; None outside a checkout."""
    try:
        found = PROJECT.search((checkout / "CMakeLists.txt").read_text(encoding="utf-8"))
    except OSError:
        return None
    return found.group(1) if found else None


def version_beside(folder: Path) -> str | None:
    """The version in the PKG-INFO that `cmake --install` puts next to the package."""
    try:
        lines = (folder / "PKG-INFO").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("Version:")),
                None)


def version() -> str:
    """The checkout's version, else that of the installed package."""
    from importlib import metadata

    found = version_of_project() or version_beside(Path(__file__).resolve().parents[1])
    if found is not None:
        return found
    try:
        return metadata.version("rooflab")
    except metadata.PackageNotFoundError:
        return "unknown"
