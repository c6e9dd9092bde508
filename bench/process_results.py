"""Times and peak memory of whole processes, from the JSON of Google Benchmark that process_bench writes."""

import json
import math
import pathlib
import statistics

CASES = pathlib.Path(__file__).with_name("cases.json")


def read(path):
    try:
        return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SystemExit(f"compare.py: no file {path}; ./run bench --update {path} writes a baseline") from None


def median_and_spread(values):
    """The spread is half of the range of the middle two quarters, over the median."""
    median = statistics.median(values)
    if len(values) < 2 or median == 0:
        return median, 0.0
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return median, (high - low) / 2 / median


def figure(entries):
    """Times and peak memory of the processes of one name; None without any."""
    if not entries:
        return None
    for entry in entries:
        if entry.get("error_occurred"):
            return {"error": entry["error_message"]}
    # Google Benchmark writes milliseconds.
    time, spread = median_and_spread([entry["real_time"] / 1e3 for entry in entries])
    cpu, cpu_spread = median_and_spread([entry["cpu_s"] for entry in entries])
    peak = statistics.median(entry["peak_MB"] for entry in entries)
    return {"time_s": time, "spread": spread, "cpu_s": cpu, "cpu_spread": cpu_spread, "peak_mb": peak,
            "processes": len(entries)}


def measured(results, described):
    """The results in the form of a baseline."""
    entries = {}
    for entry in results["benchmarks"]:
        if entry.get("run_type", "iteration") == "iteration":
            kind, name = entry["run_name"].split("/")[:2]
            entries.setdefault((kind, name), []).append(entry)
    context = results["context"]
    now = {
        "machine": {"cpu": context["cpu"], "cpus": context["num_cpus"]},
        "date": context["date"][:10],
        "cases": {},
    }
    for kind in ("reference", "floor"):
        found = {name: figure(entries.get((kind, name))) for name in described[kind + "s"]}
        now[kind + "s"] = {name: each for name, each in found.items() if each}
    for name, case in described["cases"].items():
        row = figure(entries.get(("case", name)))
        if row is None:
            continue
        now["cases"][name] = row
        row["reference"] = case["reference"]
        reference = now["references"].get(case["reference"], {"error": "was not run"})
        if "error" in row or "error" in reference:
            row["no_ratio"] = f"{case['reference']} {reference.get('error', '')}".strip()
        else:
            row["ratio"] = row["time_s"] / reference["time_s"]
            row["ratio_spread"] = math.hypot(row["spread"], reference["spread"])
            row["cpu_ratio"] = row["cpu_s"] / reference["cpu_s"]
            row["cpu_ratio_spread"] = math.hypot(row["cpu_spread"], reference["cpu_spread"])
    return now


def rounded(value):
    """Figures with four digits, so that a baseline can be read."""
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    return float(f"{value:.4g}") if isinstance(value, float) else value


def text_of_time(row):
    if not row or "error" in row:
        return "-"
    time = row["time_s"]
    text = f"{time:.3g} s" if time >= 1 else f"{time * 1e3:.3g} ms"
    return f"{text} +- {row['spread'] * 100:.0f} %"


def text_of(row, key, form):
    return format(row[key], form) if row and key in row else "-"
