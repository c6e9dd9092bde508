#!/usr/bin/env python3
"""The time of `rooflab summary` compared with what a user of PyTorch runs to count a network, on the same machine.

    bench_beside_torchinfo.py OUT ROOFLAB [--seconds 150]

It is compared with torchinfo.summary of torchvision's network; where torchinfo is not installed, a forward pass under
torch.utils.flop_counter.FlopCounterMode, and without that one with hooks. Each run is a process, from before
its start until after its end; networks take turns, so that what disturbs the machine disturbs all of them.
It ends after --seconds, whatever was measured until then; a network needs one run of each to get a row.
torchinfo takes the GPU if there is one, as it does by default; the others count on the CPU.

OUT/torchinfo.json gets the figures, standard output a table: medians, half of the range of the middle two
quarters, their ratio, and the same ratio for the part without importing and making the network ("call"). The
parameters of both must agree, or the row says so; multiply-adds are listed, because conventions differ.
Needs torch and torchvision; a network that they lack gets no row.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time

NETWORKS = ("resnet18", "resnet50", "resnet152", "vgg16", "densenet201", "vit_l_16", "convnext_base", "swin_b")
ROUNDS = 7  # of every network
SIDE = 224


def count_with_torchinfo(model):
    import torchinfo

    totals = torchinfo.summary(model, input_size=(1, 3, SIDE, SIDE), verbose=0)
    str(totals)  # the table, as a user reads it
    return totals.total_mult_adds


def count_with_flop_counter(model):
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counter, torch.no_grad():
        model(torch.zeros(1, 3, SIDE, SIDE))
    return counter.get_total_flops() // 2


def count_with_hooks(model):
    import torch

    counted = []

    def note(module, _, output):
        if isinstance(module, (torch.nn.Conv2d, torch.nn.Linear)):
            counted.append(module.weight.numel() * (output.numel() // module.weight.shape[0]))

    for module in model.modules():
        module.register_forward_hook(note)
    with torch.no_grad():
        model(torch.zeros(1, 3, SIDE, SIDE))
    return sum(counted)


COUNTERS = {"torchinfo": count_with_torchinfo, "FlopCounterMode": count_with_flop_counter, "hooks": count_with_hooks}


def chosen_counter():
    for counter, module in (("torchinfo", "torchinfo"), ("FlopCounterMode", "torch.utils.flop_counter")):
        if importlib.util.find_spec(module):
            return counter
    return "hooks"


def count(name):
    """One network in this process; one line of JSON."""
    import torch
    import torchvision

    counter = chosen_counter()
    model = getattr(torchvision.models, name)().eval()
    start = time.perf_counter()
    multiply_adds = COUNTERS[counter](model)
    print(json.dumps({
        "counter": counter, "torch": torch.__version__, "torchvision": torchvision.__version__,
        "device": "cuda" if counter == "torchinfo" and torch.cuda.is_available() else "cpu",
        "call_s": time.perf_counter() - start, "multiply_adds": int(multiply_adds),
        "parameters": sum(p.numel() for p in model.parameters()),
    }))


def run(command):
    """Time and standard output of a process (None if it failed), and the last line of its errors."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, err = process.communicate()
    return time.perf_counter() - start, out if process.returncode == 0 else None, err.strip().split("\n")[-1]


def median_and_spread(values):
    median = statistics.median(values)
    if len(values) < 2:
        return {"median": median, "spread": 0.0, "runs": len(values)}
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return {"median": median, "spread": (high - low) / 2 / median, "runs": len(values)}


def measure(rooflab, seconds):
    """Rows by network, and reasons of those without."""
    end = time.monotonic() + seconds
    runs = {name: {"rooflab": [], "other": [], "call": []} for name in NETWORKS}
    facts, failures = {}, {}
    for _ in range(ROUNDS):
        for name in NETWORKS:
            if name in failures or time.monotonic() > end:
                continue
            time_s, out, error = run([sys.executable, __file__, "--count", name])
            if out is None:
                failures[name] = error
                continue
            other = json.loads(out.strip().split("\n")[-1])
            runs[name]["other"].append(time_s)
            runs[name]["call"].append(other["call_s"])
            for _ in range(3):  # short, so more of them
                time_s, out, error = run([rooflab, "summary", name, "--format", "json"])
                if out is None:
                    failures[name] = error
                    break
                runs[name]["rooflab"].append(time_s)
            else:
                facts[name] = (other, json.loads(out)["totals"])
    rows = []
    for name, (other, ours) in facts.items():
        row = {key: median_and_spread(values) for key, values in runs[name].items()}
        row.update(network=name, ratio=row["other"]["median"] / row["rooflab"]["median"],
                   call_ratio=row["call"]["median"] / row["rooflab"]["median"],
                   parameters=ours["parameters"], other_parameters=other["parameters"],
                   multiply_adds=ours["macs"], other_multiply_adds=other["multiply_adds"])
        rows.append(row)
    about = next((other for other, _ in facts.values()), {})
    return rows, failures, {key: about.get(key) for key in ("counter", "torch", "torchvision", "device")}


def text_of(figure):
    spread = f"+- {figure['spread'] * 100:.0f} %" if figure["runs"] > 1 else "(one run)"
    return f"{figure['median'] * 1e3:.4g} ms {spread}"


def table(result):
    lines = [
        "{cpu}, {cpus} CPUs".format(**result["machine"])
        + "; torch {torch}, torchvision {torchvision}, on {device}".format(**result), "",
        f"| network | rooflab summary | {result['counter']} | ratio | its call alone | ratio | parameters "
        "| MACs | its MACs |",
        "| --- | ---: | ---: | ---: | ---: | ---: | --- | ---: | ---: |",
    ]
    for row in result["rows"]:
        equal = "equal" if row["parameters"] == row["other_parameters"] else "differ"
        lines.append(
            f"| {row['network']} | {text_of(row['rooflab'])} | {text_of(row['other'])} | {row['ratio']:.0f}x "
            f"| {text_of(row['call'])} | {row['call_ratio']:.1f}x | {equal} | {row['multiply_adds']:.5g} "
            f"| {row['other_multiply_adds']:.5g} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("rooflab")
    parser.add_argument("--seconds", type=float, default=150)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    rows, failures, about = measure(options.rooflab, options.seconds)
    machine = {"cpu": platform.processor() or platform.machine(), "cpus": os.cpu_count()}
    for line in open("/proc/cpuinfo", encoding="utf-8"):
        if line.startswith("model name"):
            machine["cpu"] = line.partition(": ")[2].strip()
            break
    result = {"machine": machine, **about, "rows": rows, "failed": failures}
    (options.out / "torchinfo.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    if rows:
        print(table(result))
    for name, reason in failures.items():
        print(f"{name}: not measured: {reason}")
    if not rows:
        print("nothing was measured")
        return 3
    return int(any(row["parameters"] != row["other_parameters"] for row in rows))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--count"]:
        count(sys.argv[2])
    else:
        sys.exit(main())
