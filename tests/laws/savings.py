"""What a finding is worth is at most the step less its floor."""

from cases import KINDS, PREDICTED
from floor import read_once_s
from law import Broken, Law

_HALVED = {"fp32", "tf32", "fp64", "amp", "amp-bf16", "amp-fp16"}  # a finding may advise smaller numbers


def _floor_s(case, answer, asker):
    if case.kind not in PREDICTED:
        return 0
    floor = read_once_s(answer.case, asker.draws.devices[answer.case["device"]]) or 0
    return floor / 4 if answer.case["precision"] == "fp64" else (
        floor / 2 if answer.case["precision"] in _HALVED else floor)  # fmt: skip


def _check(case, answer, asker):
    if answer.result is None:
        return None
    broken, floor = [], None
    for each in answer.findings:
        worth, step = each["worth_s"], each["step_s"]
        if not worth:
            continue
        floor = _floor_s(case, answer, asker) if floor is None else floor
        if worth > (step - floor) * (1 + 1e-6):
            broken.append(f"{each['kind']} is worth {worth} s of {step} s, {floor} s are needed")
        if not abs(each["worth_share"] - worth / step) < 1e-6:
            broken.append(f"{each['kind']}: share {each['worth_share']}, {worth} s of {step} s")
        if case.kind in PREDICTED and answer.case["predicted_s"] is None:
            broken.append(f"{each['kind']} is worth {worth} s of a step whose time is not known")
    return [Broken(text, (answer,)) for text in broken]


LAWS = (Law("savings", KINDS, _check),)
