"""No time is below what must be read once at the bandwidth; one that is far above it is in doubt."""

from cases import LAYER, PREDICTED
from law import Broken, Law

_LONG_S = 20e-6  # shorter ops are bound by much else
_DOUBTFUL = 4


def read_once_s(case, device):
    """Seconds to read weights, input and caches once at the datasheet's bandwidth, less what the
    second-level cache may hold; None: the datasheet lacks a figure."""
    bandwidth = device["bandwidth_bytes_per_s"]
    if not bandwidth:
        return None
    cached = (device["l2_size_bytes"] or {"value": 100e6})["value"]
    return max(0, case["ideal_bytes"] - cached) / bandwidth["value"]


def _floor(case, answer, asker):
    if answer.result is None or answer.case["predicted_s"] is None:
        return None
    said, device = answer.case, asker.draws.devices[answer.case["device"]]
    floor = read_once_s(said, device)
    if floor is not None and said["predicted_s"] < floor:
        return [Broken(f"predicted {said['predicted_s']} s, read once takes {floor} s", (answer,))]
    return []


def _doubt(case, answer, asker):
    """Of one op without measurements on the device, which could show that it is slow."""
    if answer.result is None or answer.case["predicted_s"] is None or case.flags["--phase"] == "training":
        return None
    said = answer.case
    kinds = [each for each in said["prediction"]["kinds"] if "." in each["kind"]]  # not the gaps
    if len(kinds) != 1 or kinds[0]["ops"] != 1 or kinds[0]["evidence"] == "measured kind":
        return None  # the bytes are those of several ops
    if said["bound"] != "memory":
        return None
    read_s = said["compulsory_bytes"] / asker.draws.devices[said["device"]]["bandwidth_bytes_per_s"]["value"]
    if read_s < _LONG_S or kinds[0]["time_s"] <= _DOUBTFUL * 1.01 * read_s:
        return []
    first = said["prediction"]["notes"][0]["code"] if said["prediction"]["notes"] else None
    if first != "memory_time_in_doubt":
        text = f"{kinds[0]['kind']} takes {kinds[0]['time_s']} s for {read_s} s of bytes, the first note is {first}"
        return [Broken(text, (answer,))]
    return []


LAWS = (Law("floor", PREDICTED, _floor), Law("floor", (LAYER,), _doubt))
