"""`python -m rooflab ...` is the program itself: same arguments, streams, signals, exit code."""
from __future__ import annotations

import os
import sys

from rooflab._program import find
from rooflab.errors import Error


def main() -> int:
    try:
        program = find()
        sys.stdout.flush()
        os.execv(program, [program, *sys.argv[1:]])
    except Error as error:
        print(f"rooflab: error: {error}", file=sys.stderr)
    except OSError as error:
        print(f"rooflab: error: the program cannot be started: {error}", file=sys.stderr)
    return 3  # something is missing here, as in the program


if __name__ == "__main__":
    sys.exit(main())
