"""A user's program that records a step: what the harness of kills and faults disturbs.

    record_step.py call|block|save|predict|baseline
"""
import sys

import torch

import rooflab
from rooflab.baseline import BaselineFile

torch.manual_seed(0)
model = torch.nn.Linear(8, 8)
inputs = torch.ones(2, 8)
OPERATIONS = 1500  # more lines than are written at once


def step():
    value = model(inputs)
    for _ in range(OPERATIONS):
        value = value.relu()
    return value.sum()


way = sys.argv[1]
if way == "call":
    rooflab.record(step, to="call.rec.jsonl.gz")
elif way == "block":
    with rooflab.record("block.rec.jsonl"):
        step()
elif way == "save":
    rooflab.record(step).save("copy.rec.jsonl.gz")
elif way == "predict":
    print(rooflab.predict(model, inputs, device="t4"))
elif way == "baseline":
    BaselineFile("baseline.json").update("small", rooflab.summary(model, inputs).figures())
