"""The engine of the rules: what a peer's figure differs by from the truth, as a sum of named amounts.

A rule has the place in the peer's code that it was read from. Its amounts are worked out from the ledger of a case
(ledger.py), never from the peer's figure; so the figure is explained only if truth plus amounts is the figure.
"""

import collections
import dataclasses
import math

RULES = {}


@dataclasses.dataclass
class Rule:
    peer: str
    name: str
    text: str
    place: str  # FILE:LINE of the installed package


def rule(peer, name, text, place):
    """Adds a rule; gives its key."""
    key = f"{peer}: {name}"
    if key in RULES:
        raise ValueError(f"two rules '{key}'")
    RULES[key] = Rule(peer, name, text, place)
    return key


class Amounts(collections.Counter):
    """Signed amounts by rule, without those that are 0."""

    def add(self, key, amount):
        if key not in RULES:
            raise KeyError(key)
        if amount:
            self[key] += amount


class Ledger:
    """A case's events, with what the rules ask of them."""

    def __init__(self, recorded):
        self.modules, self.events, self.batch = recorded["modules"], recorded["events"], recorded["batch"]
        self.calls = [each for each in self.events if each["kind"] == "call"]
        self.ops = [each for each in self.events if each["kind"] == "op"]
        self.module_events = [each for each in self.events if each["kind"] == "module"]
        self.macs = sum(each["macs"] for each in self.ops)

    def type_of(self, number):
        return self.modules[number]["type"].rsplit(".", 1)[-1]

    def owner(self, event):
        """The innermost module around an event; None outside."""
        return event["within"][-1] if event["within"] else None

    def leaf(self, number):
        return not self.modules[number]["children"]

    def work_of_calls(self):
        """For each module event the MACs of the operations directly in that call, in the order of the calls."""
        open_work, found = collections.Counter(), []
        for event in self.events:
            if event["kind"] == "op":
                open_work[self.owner(event)] += event["macs"]
            elif event["kind"] == "module":
                found.append((event, open_work.pop(event["number"], 0)))
        return found


def broadcast(first, second):
    """Elements of a result of two shapes; None is a number."""
    if first is None or second is None:
        return numel(first or second or [])
    pad = max(len(first), len(second))
    pairs = zip([1] * (pad - len(first)) + first, [1] * (pad - len(second)) + second)
    return math.prod(max(pair) for pair in pairs)


def numel(shape):
    return math.prod(shape) if shape is not None else 0


def explained(figure, truth, amounts, slack=0.0):
    """Whether truth and amounts give the figure."""
    return abs(truth + sum(amounts.values()) - figure) <= slack
