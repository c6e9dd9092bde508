"""Python runs this when it starts below `python -m rooflab profile`, which puts the folder in front
of PYTHONPATH: with the package imported, PyTorch's operations are told to the profile.

The module of this name that it hides runs as if this one were not there, and a failure here does
not reach the program.
"""
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _run_hidden():
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != _HERE]
    this = sys.modules.pop("sitecustomize", None)
    try:
        import sitecustomize  # noqa: F401
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
    if this is not None:
        sys.modules.setdefault("sitecustomize", this)


def _import_package():
    if sys.version_info < (3, 9) or "ROOFLAB_PROFILE" not in os.environ:
        return
    folder = os.path.dirname(os.path.dirname(_HERE))
    sys.path.append(folder)
    try:
        import rooflab  # noqa: F401
    except Exception:  # another version's, or a damaged one: nothing is told then
        pass
    finally:
        sys.path.remove(folder)


_import_package()
_run_hidden()
