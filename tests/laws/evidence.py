"""No advice against what the case says."""

import re

from cases import PREDICTED
from law import Broken, Law

_OF_PRECISION = ("cuda_core_products", "tensor_cores_used")
_OF_ORDER = "layout_conversion"
_TF32 = r"precision tf32|allow_tf32|set_float32_matmul_precision"
_MIXED = r"precision amp|autocast"


def _against(finding, said, device):
    """Why the advice cannot be right; None: it may be."""
    attempt, advice = finding["attempt"] or "", finding["advice"] or ""
    peaks = device["peaks_flop_per_s"]
    precision = finding["kind"] in _OF_PRECISION  # others repeat the case's own
    if precision and re.search(_TF32, attempt) and "tf32_tensor" not in peaks:
        return "the device has no TF32"
    if precision and re.search(_TF32, attempt) and said["precision"] != "fp32":
        return f"the case is in {said['precision']} already"
    if precision and re.search(_MIXED, attempt) and said["precision"] not in ("fp32", "tf32"):
        return f"the case is in {said['precision']} already"
    if "16-bit" in advice and said["precision"] in ("fp16", "bf16"):
        return f"the case is in {said['precision']} already"
    training = said["phase"] == "training"
    if "optim." in attempt and not training:
        return "no optimizer runs in this phase"
    if "DataLoader" in attempt and said.get("context") is not None:
        return "a step of decoding has no data loader"
    if finding["kind"] == _OF_ORDER and said.get("channels_last"):
        return "the case is in channels-last order already"
    return None


def _typed(finding, asker):
    """The command that a finding advises works."""
    attempt = finding["attempt"] or ""
    if not attempt.startswith("rooflab ") or "'" in attempt:
        return None
    typed = asker.ask(*attempt.split()[1:])
    if typed.code != 0:
        return Broken(f"{finding['kind']} advises {attempt!r}: exit {typed.code}", (typed,))
    return None


def _predicted(case, answer, asker):
    if answer.result is None or not answer.result["findings"]:
        return None
    said, broken = answer.case, []
    device = asker.draws.devices[said["device"]]
    for each in answer.result["findings"]:
        why = _against(each, said, device)
        if why:
            broken.append(Broken(f"{each['kind']} advises {each['attempt']!r}: {why}", (answer,)))
    first = answer.result["findings"][0]
    if asker.random.random() < 0.3:
        broken += filter(None, [_typed(first, asker)])
    return broken


LAWS = (Law("evidence", PREDICTED, _predicted),)
