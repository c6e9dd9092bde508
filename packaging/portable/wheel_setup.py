"""setup.py of the wheel that holds the program: build.sh puts it beside the package, with the tree of
`cmake --install` in rooflab/_tree."""
import os

from setuptools import setup
from wheel.bdist_wheel import bdist_wheel


class Wheel(bdist_wheel):
    """Any Python 3 on Linux with this glibc or a newer one."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", os.environ["ROOFLAB_WHEEL_PLATFORM"]


files = [os.path.relpath(os.path.join(folder, name), "rooflab")
         for folder, _, names in os.walk("rooflab/_tree") for name in names]
setup(
    name="rooflab", version=os.environ["ROOFLAB_WHEEL_VERSION"], python_requires=">=3.9",
    description="Count, predict and compare PyTorch steps with the program rooflab",
    license="Apache-2.0", packages=["rooflab"],
    package_data={"rooflab": ["py.typed", "_startup/sitecustomize.py", *files]},
    entry_points={"console_scripts": ["rooflab = rooflab._program:main"],
                  "pytest11": ["rooflab = rooflab.pytest_plugin"]},
    cmdclass={"bdist_wheel": Wheel})
