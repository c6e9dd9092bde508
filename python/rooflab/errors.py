"""Errors of the package: `rooflab.Error` is all of them."""
from __future__ import annotations


class Error(Exception):
    """What went wrong, in the program's words where the program said it.

    `message` says what is wrong, `hint` how to mend it (or None), and `exit_code` is the program's:
    2 wrong input, 3 something is missing on this machine, None where the program was not asked.
    """

    def __init__(self, message: str, hint: str | None = None, exit_code: int | None = None):
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.exit_code = exit_code

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message

    def __reduce__(self):
        return type(self), (self.message, self.hint, self.exit_code)


class RecordingError(Error):
    """A step cannot be recorded, or a recording is damaged."""
