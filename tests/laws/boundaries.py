"""For each verdict of `fit` the batch that it names has it, and the next one has not; `predict` says the same."""

from cases import NETWORK, ONNX, RECORDING
from law import Broken, Law

_RANK = {"fits": 3, "likely": 2, "risky": 1, "oom": 0}
_POINTS = {"fits": "fits", "likely": "likely", "largest": "risky"}


def _verdict(case, batch, asker):
    told = asker.ask(*case.words("predict", batch=batch, issued_by=None))
    return told, told.case["verdict"] if told.result else None


def _at(point, key, case, asker):
    """What is wrong with the boundary `key`."""
    counts = point[key]
    if not counts or counts[0] < 1:
        return
    batch, least = counts[0], _RANK[_POINTS[key]]
    told, verdict = _verdict(case, batch, asker)
    if verdict is None or _RANK[verdict] < least:
        yield Broken(f"batch {batch} is the largest of {key}, predict says {verdict}", (told,))
    if point["end_of_range"]:
        return
    told, verdict = _verdict(case, batch + 1, asker)
    if verdict is not None and _RANK[verdict] >= least:
        yield Broken(f"batch {batch} is the largest of {key}, predict says {verdict} of {batch + 1}", (told,))


def _check(case, answer, asker):
    if case.kind == ONNX and "--batch" not in case.flags:
        return None
    flags = {"batch": None, "issued_by": None}
    if case.kind == RECORDING:
        given = asker.sizes(case)
        if given is None:
            return None
        case = case._replace(flags={**case.flags, **given})
        flags["vary"] = "batch"
    fit = asker.ask(*case.words("fit", **flags))
    if fit.result is None or not fit.result["points"]:
        return None
    broken = []
    key = asker.random.choice(list(_POINTS))
    for each in _at(fit.result["points"][0], key, case, asker):
        broken.append(each._replace(answers=(fit, *each.answers)))
    return broken


LAWS = (Law("boundaries", (NETWORK, ONNX, RECORDING), _check, asks_more=True, rare=True),)
