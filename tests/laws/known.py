"""An imported trace or log says what it holds, and nothing that it does not know."""

from cases import LOG, READ, TRACE
from law import Broken, Law, near

_NOT_SAID = ("batch", "phase", "precision", "data")  # drawn files hold nothing of these


def _check(case, answer, asker):
    if answer.result is None:
        return [Broken(f"exit {answer.code}: {answer.error[:200]}", (answer,))]
    broken = []
    if len(answer.imports) != case.truth.get("ranks", 1):
        broken.append(f"{case.truth['ranks']} processes are said to be {len(answer.imports)}")
    for each in answer.imports:
        for key in _NOT_SAID:
            if each["identity"][key] not in (None, ""):
                broken.append(f"{key} is {each['identity'][key]!r}, which the file does not say")
        broken += _of_trace(case, each) if case.kind == TRACE else _of_log(case, each)
    return [Broken(text, (answer,)) for text in broken]


def _of_trace(case, imported):
    panes, truth = imported["panes"], case.truth
    step = panes["ours"]["mean_step"]["total_s"]
    if not near(step, truth["step_s"], 1e-6):
        yield f"a step of {truth['step_s']} s in {truth['ranks']} processes is {step} s"
    for device in panes["ours"]["devices"]:
        if not 0 < device["busy_share"] <= 1:
            yield f"{device['device']} is busy for {device['busy_share']}"
        known = truth["occupancies"]
        said = device["occupancy_share"]
        if (said is None) != (not known):
            yield f"occupancies {known} of {device['device']} are {said}"
        elif known and not min(known) * 0.999 <= said <= max(known) * 1.001:
            yield f"occupancies {known} of {device['device']} are {said}"
    for row in panes["kernels"]["rows"]:
        if row["occupancy_share"] == 0:
            yield f"{row['name']} has an occupancy of 0"


def _of_log(case, imported):
    for key, value in case.truth.items():
        said = imported["totals"][key]
        if said is None or not near(said, value, 1e-6):
            yield f"{key} of the log is {value}, and is said to be {said}"


LAWS = (Law("known", READ, _check),)
