"""A recorded step is what other recordings of it say of its size, whichever are given and in whatever order."""

from itertools import combinations

from cases import RECORDING, Case
from law import Broken, Law, near

_BYTES, _TIME = 0.005, 0.01
_MEMORY = ("parameter_bytes", "cache_bytes", "saved_activation_bytes", "peak_activation_bytes",
           "allocated_peak_bytes", "total_bytes")  # fmt: skip


def _told(case, others, asker):
    """What `others`, the first as the base, say of the size of the case; None: a size that no flag sets."""
    batch, length = case.truth["size"]
    flags = {"recorded": ",".join(others[1:]) or None, "batch": batch}
    if "-c" in case.models[0].rpartition("/")[2]:
        flags["context"] = length
    elif length:
        return None  # no flag sets the tokens of a prefill
    return asker.ask(*case._replace(models=(others[0],)).words("predict", **flags))


def _apart(told, recorded):
    """(figure, told, recorded, share apart) of each figure that must be the same."""
    mine, its = told.case, recorded.case
    for key in _MEMORY:
        one, other = (each["memory"].get(key) or 0 for each in (mine, its))
        yield key, one, other, abs(one - other) / max(one, other, 1)
    one, other = (each["predicted_s"] or 0 for each in (mine, its))
    yield "predicted_s", one, other, abs(one - other) / max(one, other, 1e-12)


def _compare(told, recorded):
    if told.result is None:
        return []  # these recordings do not determine it: an error
    broken = [
        f"{key} is {one}, recorded {other}"
        for key, one, other, apart in _apart(told, recorded)
        if apart > (_TIME if key == "predicted_s" else _BYTES)
    ]
    verdicts = told.case["verdict"], recorded.case["verdict"]
    if verdicts[0] != verdicts[1]:
        broken.append(f"verdict {verdicts[0]}, recorded {verdicts[1]}")
    return [Broken(text, (told, recorded)) for text in broken]


def _check(case, answer, asker):
    found = asker.draws.recorded.sets[case.truth["set"]]
    others = [found[size] for size in found if size != case.truth["size"]]
    if len(others) < 2 or answer.result is None:
        return None
    asker.random.shuffle(others)
    told = _told(case, others[: asker.random.choice((2, 3, len(others)))], asker)
    return None if told is None else _compare(told, answer)


def of_set(name, asker, device):
    """[(told or not, largest share of bytes apart, of time, broken)] of each recording of a set from each
    base and each one to three others."""
    found, rows = asker.draws.recorded.sets[name], []
    for size, path in found.items():
        asker.program.forget()
        case = Case(RECORDING, (path,), {"--device": device}, {"set": name, "size": size})
        recorded = asker.ask(*case.words("predict"))
        others = [found[other] for other in found if other != size]
        for base in others:
            rest = [each for each in others if each != base]
            for count in range(1, min(3, len(rest)) + 1):
                for beside in combinations(rest, count):
                    rows.append(_row(_told(case, [base, *beside], asker), recorded))
    return [row for row in rows if row]


def _row(told, recorded):
    if told is None:
        return None
    if told.result is None:
        return False, 0, 0, []
    apart = [each[3] for each in _apart(told, recorded)]
    return True, max(apart[:-1]), apart[-1], _compare(told, recorded)


LAWS = (Law("corners", (RECORDING,), _check, asks_more=True, rare=True),)
