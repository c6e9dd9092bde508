"""No time is below what must be read once at the bandwidth."""

from cases import PREDICTED
from law import Broken, Law


def read_once_s(case, device):
    """Seconds to read weights, input and caches once at the datasheet's bandwidth, less what the
    second-level cache may hold; None: the datasheet lacks a figure."""
    bandwidth = device["bandwidth_bytes_per_s"]
    if not bandwidth:
        return None
    cached = (device["l2_size_bytes"] or {"value": 100e6})["value"]
    return max(0, case["ideal_bytes"] - cached) / bandwidth["value"]


def _check(case, answer, asker):
    if answer.result is None or answer.case["predicted_s"] is None:
        return None
    said, device = answer.case, asker.draws.devices[answer.case["device"]]
    broken = []
    floor = read_once_s(said, device)
    if floor is not None and said["predicted_s"] < floor:
        broken.append(f"predicted {said['predicted_s']} s, read once takes {floor} s")
    return [Broken(text, (answer,)) for text in broken]


LAWS = (Law("floor", PREDICTED, _check),)
