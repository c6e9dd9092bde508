"""What a user would run today in the place of a case of bench/cases.json, one function each.

    references.py NAME [FILE]

Each stops at the part that any program in Python must do: json.load without the analysis of the trace, for
example. So a ratio to it is cautious. A package that is missing ends it with exit code 3.
"""

import sys


def start():
    import torch

    return torch.__version__


def network():
    """The parameters, output sizes and multiply-adds of ResNet-50's modules, as torchinfo finds them."""
    import torch
    import torchvision

    model = torchvision.models.resnet50()
    rows = []

    def note(module, _, output):
        weights = [p.numel() for p in module.parameters(recurse=False)]
        places = output[0, 0].numel() if output.dim() > 2 else 1
        rows.append((type(module).__name__, tuple(output.shape), sum(weights), sum(weights) * places))

    for module in model.modules():
        module.register_forward_hook(note)
    with torch.no_grad():
        model.eval()(torch.zeros(1, 3, 224, 224))
    return rows


def onnx(path):
    import onnx

    return onnx.load(path)


def json(path):
    import json

    with open(path, encoding="utf-8") as file:
        return json.load(file)


def lines(path):
    import json

    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def csv(path):
    """One row at a time, so that memory does not grow."""
    import csv

    with open(path, encoding="utf-8", newline="") as file:
        return sum(len(row) for row in csv.reader(file))


def toml(path):
    import tomllib

    with open(path, "rb") as file:
        return tomllib.load(file)


if __name__ == "__main__":
    try:
        kept = globals()[sys.argv[1]](*sys.argv[2:])
    except ImportError as error:
        print(error, file=sys.stderr)
        sys.exit(3)
