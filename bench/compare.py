#!/usr/bin/env python3
"""The speed of the cases of bench/cases.json, compared with a baseline.

    compare.py --packages                     Debian packages of the references, one a line
    compare.py --compare BASELINE RESULTS     a table; exit code 1 if a case is slower or needs more memory
    compare.py --update BASELINE RESULTS [PAGE]
                                              writes the baseline, and the table of figures in a document
    compare.py --page BASELINE PAGE           exit code 1 if the document has another table

RESULTS is the JSON of Google Benchmark, written by bench/process_bench with one entry a process.

The time of a case is the median of its processes, its spread half of the range of the middle two quarters,
over the median. The ratio is that time over the time of the reference in the same run, so it means the same
on another machine. A change is the ratio now over the ratio in the baseline. It counts if it exceeds both the
limit of cases.json and 1 + all four spreads, added as squares. A case is slower if its change counts, and that
of the same ratio of processor times, which neighbours on the machine disturb less. On the machine of the
baseline the time itself must have grown as much, too: so a reference that became faster accuses nobody.
"""

import json
import math
import pathlib
import sys

from figures_page import with_figures
from process_results import CASES, measured, read, rounded, text_of, text_of_time

FAILURES = ("slower", "more memory", "failed", "missing")


def change_of(now, then, key, spread_key, limit):
    """The change of a figure, and whether it is beyond what the limit and the spreads allow."""
    change = now[key] / then[key]
    allowed = max(limit, 1 + math.hypot(now[spread_key], then[spread_key]))
    return change, (1 if change > allowed else -1 if change < 1 / allowed else 0)


def judged(now, then, same_machine, limit):
    """Change and verdict of a case that both have."""
    if "error" in now:
        return None, f"failed: {now['error']}"
    changes = []
    if "ratio" in now and "ratio" in then and now["reference"] == then["reference"]:
        changes.append(change_of(now, then, "ratio", "ratio_spread", limit))
        changes.append(change_of(now, then, "cpu_ratio", "cpu_ratio_spread", limit))
    if same_machine:
        changes.append(change_of(now, then, "time_s", "spread", limit))
    if not changes:
        reason = now.get("no_ratio") or then.get("no_ratio") or f"the baseline is compared with {then['reference']}"
        return None, f"not compared: {reason}"
    signs = {sign for _, sign in changes}
    verdict = "slower" if signs == {1} else "faster" if signs == {-1} else "same"
    if verdict != "slower" and now["peak_mb"] > limit * then["peak_mb"]:
        verdict = "more memory"
    return changes[0][0], verdict


def compare(now, then, limit):
    """A row of name, figures now and then (or None), change (or None) and verdict for each case."""
    same_machine = now["machine"] == then["machine"]
    rows = []
    for name, row in now["cases"].items():
        old = then["cases"].get(name)
        if old is None:
            verdict = f"failed: {row['error']}" if "error" in row else "new"
            rows.append((name, row, None, None, verdict))
        else:
            rows.append((name, row, old, *judged(row, old, same_machine, limit)))
    for name, old in then["cases"].items():
        if name not in now["cases"]:
            rows.append((name, None, old, None, "missing: it was not measured"))
    return rows


def table(rows):
    """Rows of texts, the first of them the head, in columns."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in rows]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]])


def comparison(now, then, rows):
    """The table of a comparison, and what it was measured on."""
    head = ("case", "time", "peak", "beside", "ratio", "baseline", "change", "verdict")
    texts = [head]
    for name, row, old, change, verdict in rows:
        texts.append((
            name, text_of_time(row), text_of(row, "peak_mb", ".0f") + " MB", (row or old)["reference"],
            text_of(row, "ratio", ".4f"), text_of(old, "ratio", ".4f"),
            "-" if change is None else f"{change:.2f}x", verdict,
        ))
    machine = "{cpu}, {cpus} CPUs".format(**now["machine"])
    other = "" if now["machine"] == then["machine"] else ", on another machine: {cpu}, {cpus} CPUs".format(
        **then["machine"])
    return (f"{table(texts)}\n\nratio: the time over that of the program in `beside`, in this run\n"
            f"measured on {machine}; the baseline is of {then['date']}{other}")


def print_packages():
    described = read(CASES)
    print(*sorted({each["package"] for each in described["references"].values() if "package" in each}), sep="\n")


def print_comparison(baseline, results):
    described = read(CASES)
    then, now = read(baseline), measured(read(results), described)
    rows = compare(now, then, described["limit"])
    print(comparison(now, then, rows))
    return int(any(row[-1].startswith(FAILURES) for row in rows))


def update(baseline, results, page=None):
    described = read(CASES)
    now = rounded(measured(read(results), described))
    for name in described["cases"]:
        failure = now["cases"].get(name, {"error": "it was not measured"}).get("error")
        if failure:
            raise SystemExit(f"compare.py: no baseline without '{name}': {failure}")
    pathlib.Path(baseline).write_text(json.dumps(now, indent=2) + "\n", encoding="utf-8")
    print(f"wrote {baseline}")
    if page:
        path = pathlib.Path(page)
        path.write_text(with_figures(path.read_text(encoding="utf-8"), now, described), encoding="utf-8")
        print(f"wrote the figures in {page}")


def check_page(baseline, page):
    text = pathlib.Path(page).read_text(encoding="utf-8")
    if text != with_figures(text, read(baseline), read(CASES)):
        raise SystemExit(f"{page} has other figures than {baseline}: ./run bench --update writes both")


ACTIONS = {"--packages": print_packages, "--compare": print_comparison, "--update": update, "--page": check_page}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in ACTIONS:
        sys.exit(__doc__)
    sys.exit(ACTIONS[sys.argv[1]](*sys.argv[2:]))
