"""setup.py of the wheel that holds the program: build.sh puts it next to the package and its pyproject.toml, with the
tree of `cmake --install` in rooflab/_tree."""
import os

from setuptools import Distribution, setup
from wheel.bdist_wheel import bdist_wheel


class WithProgram(Distribution):
    """Its files are for one platform, although none is a module."""

    def has_ext_modules(self) -> bool:
        return True


class Wheel(bdist_wheel):
    """Any Python 3 on Linux with this glibc or a newer one."""

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", os.environ["ROOFLAB_WHEEL_PLATFORM"]


setup(version=os.environ["ROOFLAB_WHEEL_VERSION"], distclass=WithProgram, cmdclass={"bdist_wheel": Wheel})
