"""`python -m rooflab ...` is the program itself: same arguments, streams, signals, exit code.

A configuration of transformers (`config.json`) in the place of MODEL is recorded first. Python
programs below `profile` tell their operations of PyTorch to the profile.
"""
from __future__ import annotations

import os
import sys

from rooflab._config_command import names_config, run
from rooflab._program import find, told_environment
from rooflab.errors import Error


def main() -> int:
    words = sys.argv[1:]
    try:
        if names_config(words):
            return run(words)
        program = find()
        sys.stdout.flush()
        environment = told_environment() if words[:1] == ["profile"] else dict(os.environ)
        environment.setdefault("ROOFLAB_PYTHON", sys.executable)
        os.execve(program, [program, *words], environment)
    except Error as error:
        print(f"rooflab: error: {error}", file=sys.stderr)
        return error.exit_code or 3
    except OSError as error:
        print(f"rooflab: error: the program cannot be started: {error}", file=sys.stderr)
    return 3  # something is missing here, as in the program


if __name__ == "__main__":
    sys.exit(main())
