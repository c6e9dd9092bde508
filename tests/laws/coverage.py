"""While something large or of unknown size is not counted, time and verdict are null."""

from cases import ONNX, PREDICTED
from law import Broken, Law

_EMPTY = ("predicted_s", "predicted_low_s", "predicted_high_s", "samples_per_s")


def _check(case, answer, asker):
    """By what the one who wrote the file knows, not by what the program says of its coverage."""
    missing = case.truth.get("not_counted")
    if answer.result is None:
        return None
    said = answer.case
    if not missing:
        share = said["coverage_share"]
        return [] if share == 1 else [Broken(f"all is known, coverage {share}", (answer,))]
    broken = [f"{missing} is not counted, {key} is {said[key]}" for key in _EMPTY if said[key] is not None]
    if said["verdict"] not in (None, "", "oom"):
        broken.append(f"{missing} is not counted, verdict {said['verdict']}")
    if said["coverage_share"] >= 1:
        broken.append(f"{missing} is not counted, coverage {said['coverage_share']}")
    broken = [Broken(text, (answer,)) for text in broken]
    fit = asker.ask(*case.words("fit", batch=None, issued_by=None))
    if fit.code not in (1, 2) or (fit.code == 1 and missing not in fit.text + fit.error):
        broken.append(Broken(f"fit ends with {fit.code} and does not name {missing}", (fit,)))
    return broken


def _counted(case, answer, asker):
    """Every kind: the own count of what is not counted agrees with the coverage."""
    if answer.result is None:
        return None
    said = answer.case
    whole = said["coverage_share"] == 1
    if whole != (not said["uncounted"]):
        text = f"coverage {said['coverage_share']}, not counted: {said['uncounted'][:2]}"
        return [Broken(text, (answer,))]
    return []


LAWS = (Law("coverage", (ONNX,), _check), Law("coverage", PREDICTED, _counted))
