"""Lines of the user's program that are running."""

from __future__ import annotations

import os
import sys
from typing import Any

from . import _torch

_STANDARD_LIBRARY = os.path.dirname(os.__file__) + os.sep
_OWN_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep


def user_place() -> str:
    """The innermost line outside PyTorch, this package and Python itself: `model.py:12 in forward`.

    Threads of PyTorch's backward pass have no such line: the text is then `backward pass`.
    """
    frame = sys._getframe(1)
    while frame is not None:
        if _is_users(frame):
            return _text(frame, frame.f_lineno)
        frame = frame.f_back
    return "backward pass"


def place_of(error: BaseException) -> str:
    """The same for where an error came from; empty where no line is the user's."""
    found = ""
    trace = error.__traceback__
    while trace is not None:
        if _is_users(trace.tb_frame):
            found = _text(trace.tb_frame, trace.tb_lineno)
        trace = trace.tb_next
    return found


def _is_users(frame: Any) -> bool:
    file = frame.f_code.co_filename
    hidden = file.startswith((_torch.PYTORCH_FOLDER, _OWN_FOLDER, "<frozen")) or (
        file.startswith(_STANDARD_LIBRARY) and "-packages" not in file)
    return not hidden


def _text(frame: Any, line: int) -> str:
    return f"{os.path.basename(frame.f_code.co_filename)}:{line} in {frame.f_code.co_name}"
