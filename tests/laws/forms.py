"""The same question in another order, or the same file in another form, has the same answer."""

import json

from cases import PREDICTED, TRACE
from law import Broken, Law


def _beside(case, answer, asker):
    """The case alone, and together with another device and batch, in both orders."""
    other = asker.random.choice(list(asker.draws.devices))
    if answer.result is None or other == case.device:
        return None
    order = [case.device, other]
    asker.random.shuffle(order)
    told = asker.ask(*case.words("predict", device=",".join(order)))
    if told.result is None:
        alone = asker.ask(*case.words("predict", device=other))
        if alone.result is None:
            return []  # what cannot be asked of the other device
        return [Broken(f"exit {told.code} together with {other}: {told.error[:200]}", (answer, told))]
    mine = dict(answer.case)
    its = next((dict(each) for each in told.result["cases"] if each["device"] == mine["device"]), None)
    for each in (mine, its or {}):
        each.pop("command_line", None), each.pop("doubled_batch_s", None)
    if mine != its:
        differ = [key for key in mine if its is None or mine[key] != its.get(key)]
        return [Broken(f"together with {other} these differ: {', '.join(differ)}", (answer, told))]
    return []


def _reordered(case, answer, asker):
    """A trace whose events stand in another order."""
    if answer.result is None or not case.models[0].endswith(".json"):
        return None
    with open(case.models[0]) as file:
        held = json.load(file)
    asker.random.shuffle(held["traceEvents"])
    path = case.models[0].replace(".pt.trace.json", ".other.pt.trace.json")
    with open(path, "w") as file:
        json.dump(held, file)
    told = asker.ask(*case._replace(models=(path,)).words("import"))
    if told.result is None:
        return [Broken(f"events in another order: exit {told.code}", (told,))]
    for key in ("mean_step", "overlap", "devices"):
        mine, its = ([each["panes"]["ours"][key] for each in said.imports] for said in (answer, told))
        if mine != its:
            return [Broken(f"events in another order: {key} differs", (answer, told))]
    return []


LAWS = (
    Law("forms", PREDICTED, _beside, asks_more=True),
    Law("forms", (TRACE,), _reordered, asks_more=True),
)
