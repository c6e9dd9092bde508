"""Asks the program, and keeps what it said."""

import json
import shlex
import subprocess
from typing import NamedTuple

_LIMIT_S = 120


class Answer(NamedTuple):
    """What the program said to `words`; `result` is its JSON, None where it gave none."""

    words: tuple
    code: int
    result: object
    text: str
    error: str

    @property
    def command(self):
        return "rooflab " + shlex.join(self.words)

    @property
    def case(self):
        """The only case of a prediction."""
        return self.result["cases"][0]

    @property
    def imports(self):
        """What was imported, a result for each process."""
        return self.result.get("imports", [self.result])

    @property
    def findings(self):
        if "findings" in self.result:
            return self.result["findings"]
        return [finding for each in self.imports for finding in each["findings"]]


class Program:
    """`path` run in the folder `root`. The answers of one draw are kept until `forget`."""

    def __init__(self, path, root):
        self.path, self.root, self.kept = path, root, {}
        self.asked = 0

    def forget(self):
        self.kept.clear()

    def say(self, *words):
        """The answer as text."""
        words = tuple(str(word) for word in words)
        if words not in self.kept:
            self.asked += 1
            self.kept[words] = self._run(words)
        return self.kept[words]

    def ask(self, *words):
        """The answer as JSON."""
        return self.say(*words, "--format", "json")

    def _run(self, words):
        try:
            done = subprocess.run(
                [self.path, *words],
                cwd=self.root,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_LIMIT_S,
            )
        except subprocess.TimeoutExpired:
            return Answer(words, 124, None, "", f"no answer in {_LIMIT_S} s")
        result = None
        if done.returncode in (0, 1) and words[-2:] == ("--format", "json"):
            result = json.loads(done.stdout)
        return Answer(words, done.returncode, result, done.stdout, done.stderr)
