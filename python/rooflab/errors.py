"""Errors of the package."""

from __future__ import annotations


class RecordingError(RuntimeError):
    """A step cannot be recorded, or a recording is damaged. The text says where and what to do."""
