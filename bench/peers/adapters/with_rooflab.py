"""Rooflab's Python package: the operations of a recorded forward pass."""

import rooflab

PACKAGE, UNIT = "rooflab", "MACs and FLOPs"


def count(subject):
    inputs = subject.inputs
    summary = rooflab.summary(subject.module, **inputs) if isinstance(inputs, dict) \
        else rooflab.summary(subject.module, *inputs)
    print(summary)
    totals = summary.to_dict()["totals"]
    return {"macs": summary.macs, "parameters": summary.parameters, "weight_bytes": totals["parameter_bytes"],
            "peak_bytes": summary.peak_memory_bytes, "coverage": summary.coverage,
            "uncounted": [each.op for each in summary.uncounted]}
