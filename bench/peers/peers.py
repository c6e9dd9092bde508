#!/usr/bin/env python3
"""Rooflab and nine other counters on the same modules and files.

    peers.py --measure RESULTS [PEER...]   runs all (or these, in addition to what RESULTS has), writes RESULTS
    peers.py --table RESULTS               prints the figures as the page has them
    peers.py --keep RESULTS KEPT PAGE      keeps the results in the repository, and writes the page's figures
    peers.py --page KEPT PAGE              exit code 1 if the page has other figures

--measure runs in the environment that has the peers (tools/python/environment peers), with ROOFLAB naming the program.
"""

import datetime
import importlib.metadata
import importlib.util
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import adapters  # noqa: E402
import case  # noqa: E402
import judge  # noqa: E402
import rules  # noqa: E402
from peers_page import END, START, text  # noqa: E402

REPETITIONS = 5


def machine():
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    cpu = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown CPU")
    return {"cpu": cpu, "cpus": os.cpu_count()}


def versions():
    names = ("torch", "torchinfo", "fvcore", "calflops", "thop", "ptflops", "onnx-tool", "accelerate", "torchvision",
             "timm", "transformers", "torchao", "onnxruntime")
    rooflab = subprocess.run([os.environ["ROOFLAB"], "--version"], capture_output=True, text=True, check=True).stdout
    return {name: importlib.metadata.version(name) for name in names} | {"rooflab": rooflab.split()[1]}


def check_places():
    """Each rule names a line of the installed peer that is there."""
    packages = pathlib.Path(importlib.util.find_spec("torch").origin).parents[1]
    for key, each in rules.RULES.items():
        name, number = each.place.split(":")
        lines = (packages / name).read_text(encoding="utf-8").splitlines()
        if int(number) > len(lines) or not lines[int(number) - 1].strip():
            raise SystemExit(f"peers.py: the rule '{key}' names {each.place}, where no code is")


def run(script, out, *arguments):
    """A script of this folder in a separate process, with one thread; the JSON that it writes."""
    print(f"peers: {' '.join((script, *arguments))}", file=sys.stderr)
    with open(out.with_suffix(".log"), "w", encoding="utf-8") as log:
        subprocess.run([sys.executable, HERE / script, *arguments], check=True, stdout=log, stderr=log,
                       env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"})
    return json.loads(out.read_text(encoding="utf-8"))


def measure(results, *wanted):
    results = pathlib.Path(results)
    folder = results.parent / "peers"
    folder.mkdir(parents=True, exist_ok=True)
    check_places()
    measured = {}
    for peer in adapters.NAMES:
        out = folder / f"{peer}.json"
        if wanted and peer not in wanted and out.exists():
            measured[peer] = json.loads(out.read_text(encoding="utf-8"))
        else:
            measured[peer] = run("measure.py", out, peer, str(out), str(REPETITIONS))
    ledgers, files = (run(script, folder / name, str(folder / name)) for script, name in (
        ("ledger.py", "ledger.json"), ("ledger_onnx.py", "files.json")))
    about = {"machine": machine(), "date": datetime.date.today().isoformat(), "repetitions": REPETITIONS, "load": round(os.getloadavg()[2], 1),
             "versions": versions()}
    answer = judge.results(case.all_cases(), measured, ledgers, files, about)
    results.write_text(json.dumps(answer, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {results}")


def with_figures(page, kept):
    """A page with the figures between its two marks."""
    before, _, rest = page.partition(START)
    _, _, after = rest.partition(END)
    if not after:
        raise SystemExit(f"peers.py: the page lacks '{START}' or '{END}'")
    return f"{before}{START}\n\n{text(kept, case.all_cases())}\n\n{END}{after}"


def keep(results, kept, page):
    """One line a case, so that a diff of the file shows which one changed."""
    answer = json.loads(pathlib.Path(results).read_text(encoding="utf-8"))
    rows = answer.pop("rows")
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items())
    head = json.dumps(answer, indent=1)[:-2]
    pathlib.Path(kept).write_text(f'{head},\n "rows": {{\n{lines}\n }}\n}}\n', encoding="utf-8")
    path = pathlib.Path(page)
    path.write_text(with_figures(path.read_text(encoding="utf-8"), answer | {"rows": rows}), encoding="utf-8")
    print(f"wrote {kept} and the figures in {page}")


def check_page(kept, page):
    words = pathlib.Path(page).read_text(encoding="utf-8")
    if words != with_figures(words, json.loads(pathlib.Path(kept).read_text(encoding="utf-8"))):
        raise SystemExit(f"{page} has other figures than {kept}: peers.py --keep writes both")


def print_table(results):
    print(text(json.loads(pathlib.Path(results).read_text(encoding="utf-8")), case.all_cases()))


ACTIONS = {"--measure": measure, "--table": print_table, "--keep": keep, "--page": check_page}

if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ACTIONS:
        sys.exit(__doc__)
    ACTIONS[sys.argv[1]](*sys.argv[2:])
