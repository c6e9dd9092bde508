"""From n to n + 1 a time grows by at most what FLOPs or bytes grow, and 15 % more, unless rows show it."""

import re

from cases import LAYER, NETWORK, ONNX, RECORDING
from law import Broken, Law
from rows import slowed

_LEAST = 16
_MORE = 1.15


def _kinds(case):
    return {each["kind"]: each for each in case["prediction"]["kinds"]}


def _shown(one, other):
    """How much longer measured rows show that an op takes of the kind that grows most."""
    mine, its = _kinds(one), _kinds(other)
    grown = {kind: each["time_s"] - mine.get(kind, {"time_s": 0})["time_s"] for kind, each in its.items()}
    most = its[max(grown, key=grown.get)]
    return slowed(most["device"], most["kind"])


def _grows(one, other):
    """What is wrong with the second of two cases, next to the first; None: nothing."""
    work = max(
        other[key] / one[key] for key in ("flop", "compulsory_bytes") if one[key] and other[key]
    )
    for key in ("predicted_s", "predicted_device_s"):
        small, large = (each["prediction"].get(key) for each in (one, other))
        if not small or not large or large <= small * max(work, 1) * _MORE:
            continue
        if large > small * max(work, 1) * _MORE * _shown(one, other):
            return f"{key} grows from {small} to {large}, the work by {work:.4f}"
    return None


def _next_input(case, random):
    """A layer with one extent of its input one longer; None: no extent is free or large enough."""
    extents = [int(each) for each in case.flags["--input"].split("x")]
    numbers = re.fullmatch(r"(linear|conv2d)\((\d+),(\d+)(.*)\)", case.flags["--layer"])
    free = [0] + ([1] if len(extents) == 3 else [])
    choices = [("input", i) for i in free if extents[i] >= _LEAST]
    if numbers and int(numbers[3]) >= _LEAST:
        choices.append(("out", 3))
    if not choices:
        return None
    which, at = random.choice(choices)
    if which == "out":
        name, to, out, rest = numbers.groups()
        return {"layer": f"{name}({to},{int(out) + 1}{rest})"}
    extents[at] += 1
    return {"input": "x".join(map(str, extents))}


def _next(case, asker):
    """(flags of n, flags of n + 1)."""
    if case.kind == LAYER:
        changed = _next_input(case, asker.random)
        return ({}, changed) if changed else None
    if case.kind == RECORDING:
        return asker.between(case, _LEAST)
    batch = case.flags.get("--batch")
    if batch is None or batch < _LEAST:
        return None
    return {}, {"batch": batch + 1}


def _check(case, answer, asker):
    pair = _next(case, asker)
    if pair is None:
        return None
    answers = tuple(asker.ask(*case.words("predict", **each)) for each in pair)
    if any(each.result is None or each.case["predicted_s"] is None for each in answers):
        return None
    text = _grows(*(each.case for each in answers))
    return [Broken(text, answers)] if text else []


LAWS = (Law("neighbours", (NETWORK, LAYER, ONNX, RECORDING), _check, asks_more=True, rare=True),)
