"""Of two devices of one architecture the one that is nowhere worse is never slower by more than 3 %."""

from functools import cache

from cases import PREDICTED
from law import Broken, Law, is_number

_MORE = 1.03
# A block runs on one multiprocessor: more lanes in each are better, too.
_FIGURES = ("multiprocessors", "fp32_lanes_per_sm", "memory_bytes", "bandwidth_bytes_per_s", "l2_size_bytes",
            "boost_clock_hz", "tdp_w", "gpu_link_bytes_per_s")  # fmt: skip


def _figures(device):
    found = {key: device[key]["value"] for key in _FIGURES if device.get(key)}
    found.update({key: each["value"] for key, each in device["peaks_flop_per_s"].items()})
    return found


def nowhere_worse(one, other):
    """Whether no figure of the first is below that of the second, and none is unknown that the second has."""
    mine, its = _figures(one), _figures(other)
    return all(key in mine and mine[key] >= value for key, value in its.items())


@cache
def _pairs(asker):
    """[(id of a device that is nowhere worse, id of its relative)]."""
    devices = asker.draws.devices.values()
    return [
        (one["id"], other["id"])
        for one in devices
        for other in devices
        if one is not other
        and (one["vendor"], one["architecture"]) == (other["vendor"], other["architecture"])
        and nowhere_worse(one, other)
    ]


def _check(case, answer, asker):
    better, worse = asker.random.choice(_pairs(asker))
    answers = tuple(asker.ask(*case.words("predict", device=each)) for each in (better, worse))
    if any(each.result is None for each in answers):
        return None
    times = [each.case["predicted_s"] for each in answers]
    if not all(map(is_number, times)):
        return None
    if times[0] > times[1] * _MORE:
        return [Broken(f"{better} takes {times[0]} s, {worse} {times[1]} s", answers)]
    return []


LAWS = (Law("relatives", PREDICTED, _check, asks_more=True),)
