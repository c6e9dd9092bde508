#!/usr/bin/env python3
"""Tries what `rooflab measure` advises about five training steps, and says what it really saved.

    try_findings.py OUT --rooflab build/gpu/bin/rooflab [--seconds S] [--only CASE ...]

Each step is measured, and so is every command line that its findings name (a finding may name
`rooflab predict`: the same flags are measured). OUT/table.md has a row for each attempt: what the
finding said could be saved of a step, and what was saved of a step with the same number of samples.
OUT/CASE.json are the results themselves. No attempt begins after S seconds.
"""

import argparse
import json
import pathlib
import shlex
import subprocess
import time

CASES = {
    "small_batch": "resnet18 --batch 16 --precision amp",
    "fp32": "resnet50 --batch 64 --precision fp32",
    "nchw_amp": "resnet50 --batch 128 --precision amp",
    "depthwise": "mobilenet_v2 --batch 128 --precision amp --channels-last",
    "transformer": "vit_b_16 --batch 32 --precision fp32",
}


def measured(program, words, path):
    command = [program, "measure", *words, "--device", "cuda:0", "--phase", "training",
               "--format", "json", "-o", str(path)]
    subprocess.run(command, check=True, timeout=120, stdout=subprocess.DEVNULL,
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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--rooflab", required=True)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--only", nargs="+", choices=CASES, default=list(CASES))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + arguments.seconds
    lines = ["| step | finding | could save | tried | saved |", "| --- | --- | --: | --- | --: |"]
    for name in arguments.only:
        case = CASES[name]
        if time.monotonic() > end:
            break
        try:
            result = measured(arguments.rooflab, case.split(), arguments.out / f"{name}.json")
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
                        tried[key] = sample_s(measured(arguments.rooflab, words, path))
                    saved = f"{(before_s - tried[key]) * batch * 1e3:.2f} ms"
                except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
                    saved = f"failed: {error.stderr}"
            lines.append(f"| {name}, {step_s * 1e3:.2f} ms | {finding['text']} | {worth} | "
                         f"`{finding['attempt']}` | {saved} |")
        (arguments.out / "table.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
