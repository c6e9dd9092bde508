"""Lines of the user's program that are running."""

from __future__ import annotations

import os
import sys

from . import _torch

_STANDARD_LIBRARY = os.path.dirname(os.__file__) + os.sep
_OWN_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep


def user_place() -> str:
    """The innermost line outside PyTorch, this package and Python itself: `model.py:12 in forward`.

    Threads of PyTorch's backward pass have no such line: the text is then `backward pass`.
    """
    frame = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        hidden = file.startswith((_torch.PYTORCH_FOLDER, _OWN_FOLDER)) or (
            file.startswith(_STANDARD_LIBRARY) and "-packages" not in file)
        if not hidden and not file.startswith("<frozen"):
            return f"{os.path.basename(file)}:{frame.f_lineno} in {frame.f_code.co_name}"
        frame = frame.f_back
    return "backward pass"
