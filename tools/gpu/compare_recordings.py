#!/usr/bin/env python3
"""Predictions from recordings compared with what record_programs.py measured.

usage: tools/gpu/compare_recordings.py FOLDER ROOFLAB DEVICE [--markdown] [--limits FILE]

FOLDER has measured.jsonl and the recordings (NAME.rec.jsonl.gz). Prints a line for each program:
measured and predicted step time, allocated and reserved peak and their errors, and the coverage; then
means, medians and the worst. --limits writes the memory for run_within.py.
"""
from __future__ import annotations

import json
import pathlib
import statistics
import subprocess
import sys


def predicted(rooflab: str, recording: pathlib.Path, device: str) -> dict:
    """The case of `rooflab predict` for the recording."""
    answer = subprocess.run(
        [rooflab, "predict", str(recording), "--device", device, "--issued-by", "pytorch",
         "--format", "json"], capture_output=True, text=True, check=False)
    if answer.returncode not in (0, 1):
        raise RuntimeError(answer.stderr.strip())
    return json.loads(answer.stdout)["cases"][0]


def main() -> int:
    folder, rooflab, device = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    markdown = "--markdown" in sys.argv
    errors: dict[str, list[tuple[float, str]]] = {"time": [], "allocated": [], "reserved": []}
    inside = 0
    to_try: list[str] = []
    limits: dict[str, int] = {}
    row = "| {} | {} | {} | {} | {} | {} | {} | {} |" if markdown else \
        "{:34} {:>10} {:>10} {:>7} {:>10} {:>7} {:>7} {:>9}"
    print(row.format("program", "measured ms", "predicted", "error", "peak GB", "error", "reserved",
                     "coverage"))
    if markdown:
        print("| --- |" + " --- |" * 7)
    for line in (folder / "measured.jsonl").read_text().splitlines():
        measured = json.loads(line)
        recording = folder / f"{measured['name']}.rec.jsonl.gz"
        if measured.get("error") or not recording.exists() or not measured["time_s"]:
            continue
        case = predicted(rooflab, recording, device)
        prediction = case["prediction"]
        memory = case["memory"]
        found = {
            "time": prediction["predicted_s"] / measured["time_s"] - 1.0,
            "allocated": memory["allocated_peak_bytes"] / measured["allocated_peak_bytes"] - 1.0,
            "reserved": memory["reserved_peak_bytes"] / measured["reserved_peak_bytes"] - 1.0,
        }
        for key, error in found.items():
            errors[key].append((error, measured["name"]))
        inside += prediction["predicted_low_s"] <= measured["time_s"] <= \
            prediction["predicted_high_s"]
        # The verdict is `fits` where 10 % of the memory are left.
        smallest = memory["most_total_bytes"] / 0.9
        limits[measured["name"]] = int(smallest - memory["context_bytes"])
        if smallest < measured["process_peak_bytes"]:
            to_try.append(measured["name"])
        print(row.format(
            measured["name"], f"{measured['time_s'] * 1e3:.2f}",
            f"{prediction['predicted_s'] * 1e3:.2f}", f"{found['time']:+.0%}",
            f"{measured['allocated_peak_bytes'] / 1e9:.2f}", f"{found['allocated']:+.1%}",
            f"{found['reserved']:+.1%}", f"{case.get('coverage_share', 0):.3f}"))
    for key, all_of_it in errors.items():
        sizes = [abs(error) for error, _ in all_of_it]
        worst = max(all_of_it, key=lambda pair: abs(pair[0]))
        print(f"{key}: {len(sizes)} programs, mean error {statistics.mean(sizes):.1%}, median "
              f"{statistics.median(sizes):.1%}, worst {worst[0]:+.1%} ({worst[1]})")
    print(f"time: {inside} of {len(errors['time'])} inside the interval")
    print("`fits` with less memory than the process took (run_within.py tries it): "
          + (", ".join(to_try) or "0 programs"))
    if "--limits" in sys.argv:
        path = pathlib.Path(sys.argv[sys.argv.index("--limits") + 1])
        path.write_text(json.dumps(limits, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
