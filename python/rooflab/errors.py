"""Errors of the package: `rooflab.Error` is all of them."""
from __future__ import annotations

import unicodedata


def harmless(text: str) -> str:
    """The text with signs that steer a terminal, or turn its direction, as `\\x1b`, `\\u202e`.

    Names in files are other people's, and messages hold them.
    """
    return "".join(sign if sign in "\n\t" or unicodedata.category(sign) not in ("Cc", "Cf", "Cs")
                   else f"\\x{ord(sign):02x}" if ord(sign) < 256 else f"\\u{ord(sign):04x}"
                   for sign in text)


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
        return harmless(f"{self.message}\nhint: {self.hint}" if self.hint else self.message)

    def __reduce__(self):
        return type(self), (self.message, self.hint, self.exit_code)


class RecordingError(Error):
    """A step cannot be recorded, or a recording is damaged."""
