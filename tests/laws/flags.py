"""A flag that changes the question changes the answer, or is an error."""

from cases import PREDICTED
from law import Broken, Law

_SAID = {"command_line"}  # of a case: what was typed
_VALUES = {
    "batch": (3, 24),
    "context": (100, 3000),
    "phase": ("inference", "training"),
    "precision": ("fp64", "fp32", "bf16", "amp"),
    "optimizer": ("adam", "none"),
    "dim": ("N=5", "M=5"),
    "image-size": (96,),
    "variant": ("cifar",),
    "channels-last": (True,),
    "issued-by": ("graph", "none"),
    "gpus": (2,),
    "link": ("pcie4",),
    "scaling": ("strong",),
    "all-reduce": ("ring",),
}
_OF_TIME = {"issued-by", "channels-last"}


def _figures(value):
    """A JSON value without its texts: what was computed."""
    if isinstance(value, dict):
        return {key: _figures(each) for key, each in value.items() if key not in _SAID}
    if isinstance(value, list):
        return [_figures(each) for each in value]
    return None if isinstance(value, str) else value


def _check(case, answer, asker):
    if answer.result is None:
        return None
    name = asker.random.choice(list(_VALUES))
    value = asker.random.choice(_VALUES[name])
    flag = "--" + name
    if flag in case.flags and case.flags[flag] not in (None, False):
        return None  # it is a part of the question already
    told = asker.ask(*case.words("predict", **{name: value}))
    if told.result is None:
        return [] if "hint:" in told.error else [Broken(f"{flag} {value}: an error without a hint", (told,))]
    if not told.result.get("cases"):
        return []  # of several devices
    mine, its = answer.case, told.case
    key = name.replace("-", "_")
    if mine.get(key) == value:
        return None  # by itself
    if name in _OF_TIME and mine["predicted_s"] is None and its["predicted_s"] is None:
        return None  # no time is known, with the flag and without
    if mine.get(key) == its.get(key) and _figures(mine) == _figures(its):
        return [Broken(f"{flag} {value} changes nothing", (answer, told))]
    return []


LAWS = (Law("flags", PREDICTED, _check, asks_more=True),)
