"""Rooflab's program: a built-in network by its name, or an ONNX file."""

import json
import os
import subprocess

PACKAGE, UNIT = "rooflab", "MACs and FLOPs"


def count(subject):
    command = [os.environ["ROOFLAB"], "summary", subject.path or subject.case.program]
    if not subject.case.onnx:
        command += ["--batch", str(subject.case.rows)]
    elif subject.open_dimensions():
        command += [word for name in subject.open_dimensions() for word in ("--dim", f"{name}=1")]
    print(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    answer = subprocess.run([*command, "--format", "json"], check=True, capture_output=True, text=True).stdout
    totals = json.loads(answer)["totals"]
    return {"macs": totals["macs"], "parameters": totals["parameters"], "weight_bytes": totals["parameter_bytes"],
            "peak_bytes": totals["allocated_peak_bytes"], "coverage": totals["coverage_share"],
            "uncounted": [each["op"] for each in totals["uncounted"]]}
