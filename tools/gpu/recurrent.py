#!/usr/bin/env python3
"""Measures recurrent layers through rooflab-torch and compares them with predictions.

    recurrent.py OUT --rooflab build/gpu/bin/rooflab

Each network is exported from PyTorch as an ONNX file of one LSTM or GRU. OUT/table.md has a row for
each phase and precision: the predicted time with its interval, and the measured median.
"""

import argparse
import json
import pathlib
import subprocess

import torch

# name: class, features, hidden units, layers, bidirectional, steps, samples
NETWORKS = {
    "lstm-650x2": (torch.nn.LSTM, 650, 650, 2, False, 35, 20),
    "lstm-1024": (torch.nn.LSTM, 1024, 1024, 1, False, 100, 64),
    "bilstm-512x2": (torch.nn.LSTM, 256, 512, 2, True, 50, 32),
    "gru-768": (torch.nn.GRU, 768, 768, 1, False, 64, 64),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--rooflab", required=True)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    lines = ["| network | phase | precision | predicted | interval | measured | ratio |",
             "| --- | --- | --- | --: | --- | --: | --: |"]
    for name, (kind, features, hidden, layers, both, steps, samples) in NETWORKS.items():
        file = arguments.out / f"{name}.onnx"
        torch.onnx.export(kind(features, hidden, layers, bidirectional=both),
                          (torch.zeros(steps, samples, features),), str(file), dynamo=False)
        result_file = arguments.out / f"{name}.json"
        try:
            subprocess.run([arguments.rooflab, "measure", str(file), "--device", "cuda:0", "--phase",
                            "forward,training", "--precision", "fp32,tf32,amp", "--format", "json",
                            "-o", str(result_file)],
                           check=True, timeout=120, stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, text=True)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            print(name, error, error.stderr)
        if not result_file.exists():
            continue
        for case in json.loads(result_file.read_text())["cases"]:
            time_s = (case.get("timing") or {}).get("median_s")
            expected = case.get("prediction")
            if time_s is None or not expected:
                lines.append(f"| {name} | {case['phase']} | {case['precision']} | | "
                             f"{case.get('status')} | | |")
                continue
            lines.append(
                f"| {name} | {case['phase']} | {case['precision']} | "
                f"{1e3 * expected['predicted_s']:.3f} ms | {1e3 * expected['predicted_low_s']:.3f} to "
                f"{1e3 * expected['predicted_high_s']:.3f} ms | {1e3 * time_s:.3f} ms | "
                f"{expected['predicted_s'] / time_s:.2f} |")
        (arguments.out / "table.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
