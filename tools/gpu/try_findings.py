#!/usr/bin/env python3
"""Runs what findings advise to try, on a GPU, and writes down which ran where.

    try_findings.py --out FOLDER [--rooflab PROGRAM] [--seconds S] [--step-seconds S] [--only NAME ...]

Without --rooflab only the lines of PyTorch run: each that docs/methods/findings.md lists, in a
separate process with its own time limit (--step-seconds), in the small program of
tests/python/try_line_setting.py on `cuda`. FOLDER/lines.json and FOLDER/lines.txt say for each line
where it ran and how it ended (`ok`, `failed`, `timed out`).

With --rooflab (and its worker rooflab-torch) five training steps are measured too, and every command
line that their findings name (a finding may name `rooflab predict`: the same flags are measured).
FOLDER/table.md has a row for each attempt: what the finding said could be saved of a step, and what
was saved of a step with the same number of samples. FOLDER/CASE.json are the results themselves.

No step begins after S seconds. Exit code 1: a line failed.
"""

import argparse
import json
import pathlib
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SETTING = ROOT / "tests/python"
sys.path.insert(0, str(SETTING))

from try_line_setting import filled, listed_lines  # noqa: E402

CASES = {
    "small_batch": "resnet18 --batch 16 --precision amp",
    "fp32": "resnet50 --batch 64 --precision fp32",
    "nchw_amp": "resnet50 --batch 128 --precision amp",
    "depthwise": "mobilenet_v2 --batch 128 --precision amp --channels-last",
    "transformer": "vit_b_16 --batch 32 --precision fp32",
}

RUN_LINE = """
import sys, torch
sys.path.insert(0, sys.argv[1])
from try_line_setting import tried
device = sys.argv[3]
tried(sys.argv[2], device)
where = torch.cuda.get_device_name() if device == "cuda" else "CPU"
print(f"{where}, PyTorch {torch.__version__}")
"""


def run_line(line, device, seconds):
    """One line in a separate process: how it ended, where, and what it said."""
    command = [sys.executable, "-c", RUN_LINE, str(SETTING), filled(line), device]
    begin = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return {"outcome": "timed out", "where": device, "said": f"after {seconds:g} s"}
    said = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines()
    last = said[-1] if said else ""
    ok = done.returncode == 0
    return {"outcome": "ok" if ok else "failed", "where": last if ok else device,
            "said": "" if ok else last, "seconds": round(time.monotonic() - begin, 1)}


def run_lines(folder, end, seconds):
    """All lines; false where one failed."""
    rows = []
    for line, on in listed_lines().items():
        if time.monotonic() > end:
            rows.append({"line": line, "on": on, "outcome": "not begun", "where": "", "said": ""})
        else:
            rows.append({"line": line, "on": on, **run_line(line, "cuda", seconds)})
        text = [f"{row['outcome']:<10} {row['where']:<40} {row['line']}"
                + (f"\n           {row['said']}" if row["said"] else "") for row in rows]
        (folder / "lines.json").write_text(json.dumps(rows, indent=1) + "\n")
        (folder / "lines.txt").write_text("\n".join(text) + "\n")
        print(text[-1], flush=True)
    return all(row["outcome"] == "ok" for row in rows)


def measured(program, words, path, seconds):
    command = [program, "measure", *words, "--device", "cuda:0", "--phase", "training",
               "--format", "json", "-o", str(path)]
    subprocess.run(command, check=True, timeout=seconds, stdout=subprocess.DEVNULL,
                   stderr=subprocess.PIPE, text=True)
    return json.loads(path.read_text())


def sample_s(result):
    case = result["cases"][0]
    return case["timing"]["median_s"] / case["batch"]


def words_of(attempt):
    """The flags of an attempt that can be measured, without those that this script gives."""
    words = shlex.split(attempt)
    if words[:1] != ["rooflab"] or words[1] not in ("measure", "predict"):
        return None
    kept, skip = [], False
    for word in words[2:]:
        if skip:
            skip = False
        elif word in ("--device", "--phase"):
            skip = True
        else:
            kept.append(word)
    return kept


def run_cases(arguments, end):
    lines = ["| step | finding | could save | tried | saved |", "| --- | --- | --: | --- | --: |"]
    for name in arguments.only:
        case = CASES[name]
        if time.monotonic() > end:
            break
        try:
            result = measured(arguments.rooflab, case.split(), arguments.out / f"{name}.json",
                              arguments.step_seconds)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            print(name, error, error.stderr)
            continue
        step_s = result["cases"][0]["timing"]["median_s"]
        before_s, batch = sample_s(result), result["cases"][0]["batch"]
        tried = {}
        for finding in result["findings"]:
            worth = "" if finding["worth_s"] is None else f"{finding['worth_s'] * 1e3:.2f} ms"
            words = words_of(finding.get("attempt")) if finding.get("attempt") else None
            saved = ""
            if words is not None and time.monotonic() < end:
                key = " ".join(words)
                try:
                    if key not in tried:
                        path = arguments.out / f"{name}-{len(tried)}.json"
                        tried[key] = sample_s(measured(arguments.rooflab, words, path,
                                                       arguments.step_seconds))
                    saved = f"{(before_s - tried[key]) * batch * 1e3:.2f} ms"
                except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
                    saved = f"failed: {error.stderr}"
            lines.append(f"| {name}, {step_s * 1e3:.2f} ms | {finding['text']} | {worth} | "
                         f"`{finding['attempt']}` | {saved} |")
        (arguments.out / "table.md").write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0],
                                     formatter_class=argparse.RawDescriptionHelpFormatter,
                                     epilog=__doc__.split("\n", 1)[1])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--rooflab")
    parser.add_argument("--seconds", type=float, default=540.0)
    parser.add_argument("--step-seconds", type=float, default=120.0)
    parser.add_argument("--only", nargs="+", choices=CASES, default=list(CASES))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + arguments.seconds
    passed = run_lines(arguments.out, end, arguments.step_seconds)
    if arguments.rooflab:
        run_cases(arguments, end)
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
