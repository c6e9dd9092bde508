"""What a law is."""

from typing import Callable, NamedTuple


class Broken(NamedTuple):
    """A law broken by `answers`."""

    text: str
    answers: tuple


class Law(NamedTuple):
    """`check(case, answer, asker)` gives a list of Broken, or None where the law says nothing of this case.

    `answer` is that of the case's own question. A law of one answer asks nothing more; of the others
    one is drawn for each case. Half of the draws first try the `rare` ones, which say something of few
    cases.
    """

    name: str
    kinds: tuple
    check: Callable
    asks_more: bool = False
    rare: bool = False


def walk(value, path=""):
    """(path, object) of every object within a JSON value."""
    if isinstance(value, dict):
        yield path, value
        for key, each in value.items():
            yield from walk(each, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for i, each in enumerate(value):
            yield from walk(each, f"{path}[{i}]")


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def near(one, other, share):
    """Whether two figures differ by at most this share of the larger."""
    return abs(one - other) <= share * max(abs(one), abs(other))
