#!/usr/bin/env python3
"""compare_with_ncu.py ROOFLAB FOLDER: the table of what count_beside_ncu.sh left in FOLDER."""
import json
import pathlib
import subprocess
import sys

rooflab, folder = sys.argv[1], pathlib.Path(sys.argv[2])


def imported(path):
    text = subprocess.run([rooflab, "import", path, "--format", "json"], check=True,
                          capture_output=True, text=True).stdout
    return json.loads(text)


def counters_of(record, keys):
    return sum(kernel["raw_counters"].get(key) or 0 for kernel in record["kernels"] for key in keys)


def flops_of(record):
    cores = {key: counters_of(record, [key]) for key in
             ("fadd", "fmul", "ffma", "dadd", "dmul", "dfma", "hadd", "hmul", "hfma")}
    tensor = sum(value or 0 for kernel in record["kernels"]
                 for key, value in kernel["raw_counters"].items() if key.startswith("tensor_")
                 and not key.startswith(("tensor_int", "tensor_pipe")))
    return {"tensor": tensor,
            "fp32": cores["fadd"] + cores["fmul"] + 2 * cores["ffma"],
            "fp64": cores["dadd"] + cores["dmul"] + 2 * cores["dfma"],
            "fp16": 2 * (cores["hadd"] + cores["hmul"] + 2 * cores["hfma"])}


def dram_of(record):
    return counters_of(record, ["dram_read_bytes", "dram_write_bytes"])


def aligned(ours, theirs):
    """A step may begin anywhere: turned so that it begins where theirs does."""
    shape = lambda kernel: (kernel["grid"], kernel["block"])
    wanted = [shape(kernel) for kernel in theirs]
    for first in range(len(ours)):
        turned = ours[first:] + ours[:first]
        if [shape(kernel) for kernel in turned] == wanted:
            return turned
    print("the launches of both are not the same")
    return []


def ratio(ours, theirs):
    return f"{ours / theirs:.5f}" if theirs else "-" if not ours else "inf"


def row(name, what, ours, theirs):
    print(f"{name:24} {what:28} {ours:18,.0f} {theirs:18,.0f} {ratio(ours, theirs):>10}")


print(f"{'case':24} {'figure':28} {'rooflab':>18} {'ncu':>18} {'ratio':>10}")
for path in sorted(folder.glob("*.kernels.json")):
    name = path.name[:-len(".kernels.json")]
    ours = json.loads(path.read_text())
    ours = ours[0] if isinstance(ours, list) else ours
    totals = json.loads((folder / f"{name}.totals.json").read_text())
    totals = totals[0] if isinstance(totals, list) else totals
    step = totals["counting"]["step"]["raw_counters"]
    dram_csv = folder / f"{name}.dram.ncu.csv"
    if dram_csv.exists():
        theirs = imported(dram_csv)
        row(name, "kernels", len(ours["kernels"]), len(theirs["kernels"]))
        row(name, "DRAM bytes, kernel by kernel", dram_of(ours), dram_of(theirs))
        row(name, "DRAM bytes of the step", step["dram_read_bytes"] + step["dram_write_bytes"],
            dram_of(theirs))
        pairs = [(a, b) for a, b in zip(aligned(ours["kernels"], theirs["kernels"]),
                                        theirs["kernels"])
                 if dram_of({"kernels": [b]}) >= 4 * 60e6]
        if pairs:
            row(name, f"DRAM of {len(pairs)} large kernels",
                sum(dram_of({"kernels": [a]}) for a, _ in pairs),
                sum(dram_of({"kernels": [b]}) for _, b in pairs))
            worst = max(abs(dram_of({"kernels": [a]}) / dram_of({"kernels": [b]}) - 1)
                        for a, b in pairs)
            print(f"{name:24} farthest of those from ncu: {worst:.1%}")
    all_csv = folder / f"{name}.all.ncu.csv"
    if all_csv.exists():
        theirs = imported(all_csv)
        mine, other = flops_of(ours), flops_of(theirs)
        for path_name in mine:
            row(name, f"{path_name} FLOPs", mine[path_name], other[path_name])
        row(name, "tensor FLOPs of the step",
            sum(value or 0 for key, value in step.items() if key.startswith("tensor_")),
            other["tensor"])
        for kind, record, log in (("kernels", ours, "all"), ("totals", totals, "totals")):
            timed = folder / f"{name}.{log}.ncu.json"
            if not timed.exists():
                continue
            theirs_s = json.loads(timed.read_text())["window_s"]
            ours_s = record["counting"]["wall_s"]
            print(f"{name:24} wall of {kind}: {ours_s:.3f} s, ncu {theirs_s:.2f} s:"
                  f" 1/{theirs_s / ours_s:.0f}"
                  f" ({len(record['counting']['sets'])} sets)")
