"""Gives the package the project's version. Everything else is in pyproject.toml."""
import sys
from email.parser import Parser
from pathlib import Path

from setuptools import setup

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))

from rooflab._version import version_of_project  # noqa: E402


def version() -> str:
    """That of the checkout; of a source package, which is without one, that of its PKG-INFO."""
    found = version_of_project(FOLDER.parent)
    if found is None:
        found = Parser().parsestr((FOLDER / "PKG-INFO").read_text(encoding="utf-8"))["Version"]
    return found


setup(version=version())
