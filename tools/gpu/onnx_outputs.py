#!/usr/bin/env python3
"""Exports networks to ONNX with their weights, and writes what PyTorch computes for them.

    onnx_outputs.py OUT [--only TEXT]

Needs PyTorch with an ONNX exporter, torchvision, and timm for coatnet_0_224; networks whose packages
are absent are named and left out. Uses the CPU alone and downloads nothing. For each network
and exporter (script: tracing, opset 17; dynamo: torch.export, opset 18) OUT gets NAME.onnx,
NAME-input.bin (f32, little-endian, C order) and NAME-output.txt (a number a line); for those
without batch norm NAME-losses.txt, the losses of three steps of the evaluated network in double
precision, as rooflab-torch takes them (SGD, learning rate 0.01, momentum 0.9, seed 0). Then

    ROOFLAB_ONNX_OUTPUTS=OUT build/gpu/tests/rooflab_torch_tests --gtest_filter='OnnxOutputs.*'

holds the worker's outputs against PyTorch's, on a GPU where there is one.
"""

import argparse
import copy
import pathlib
import warnings

import torch
from torch import nn


class Indexing(nn.Module):
    """What indexes in ONNX: gathers, scatters with every reduction, one-hot, running sums."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(12, 12)
        self.last = nn.Linear(12, 10)
        self.register_buffer("columns", torch.tensor([[3, 0, 7, 11, 2, 5]] * 4))
        self.register_buffer("rows", torch.tensor([2, 0, 3]))

    def forward(self, x):
        # [4, 12]; indices that depend on the data are taken from its order.
        x = self.first(x)
        order = torch.argsort(x, dim=1, descending=True)
        y = torch.gather(x, 1, order[:, :6])
        y = torch.scatter(x, 1, self.columns, y)
        y = torch.scatter_add(y, 1, self.columns, x[:, :6])
        y = torch.cumsum(y, dim=1)
        y = y + nn.functional.one_hot(order[:, 0], 12).to(y.dtype)
        picked = y[self.rows, order[self.rows, 1]]
        z = y.index_put((self.rows,), picked.unsqueeze(1) * x[:3], accumulate=True)
        z = z.index_put((self.rows, torch.tensor([1, 4, 9])), picked)
        return self.last(z * 0.1)


def networks():
    yield "indexing", lambda: (Indexing(), torch.randn(4, 12))
    import torchvision

    yield "swin_t", lambda: (torchvision.models.swin_t(weights=None), torch.randn(2, 3, 224, 224))
    import timm

    yield "coatnet_0_224", lambda: (timm.create_model("coatnet_0_224"), torch.randn(2, 3, 224, 224))


def export(module, data, path, exporter):
    names = dict(input_names=["input"], output_names=["output"])
    if exporter == "dynamo":
        program = torch.onnx.export(module, (data,), dynamo=True, opset_version=18, **names)
        program.save(str(path))
        return
    if hasattr(torch.onnx, "ONNXProgram"):
        names["dynamo"] = False
    torch.onnx.export(module, (data,), str(path), opset_version=17, **names)


def losses(module, data):
    if any(isinstance(part, nn.modules.batchnorm._BatchNorm) for part in module.modules()):
        return []
    module = copy.deepcopy(module).double()
    optimizer = torch.optim.SGD(module.parameters(), lr=0.01, momentum=0.9)
    torch.manual_seed(0)
    result, labels = [], None
    for _ in range(3):
        scores = module(data.double())
        if labels is None:
            labels = torch.randint(scores.shape[1], (len(data),))
        loss = nn.functional.cross_entropy(scores, labels)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        result.append(float(loss))
    return result


def write(name, module, data, out):
    # Random scales and shifts: at their initial values a mistake could hide.
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.dim() < 2:
                parameter.add_(torch.randn_like(parameter) * 0.05)
        module.eval()
        output = module(data).flatten()
    steps = losses(module, data)
    for exporter in ("script", "dynamo"):
        path = out / f"{name}-{exporter}.onnx"
        try:
            export(module, data, path, exporter)
        except Exception as error:  # an exporter that is not installed
            print(f"{path.name}: {type(error).__name__}: {str(error)[:150]}", flush=True)
            path.unlink(missing_ok=True)
            continue
        stem = str(path)[: -len(".onnx")]
        data.numpy().astype("<f4").tofile(f"{stem}-input.bin")
        with open(f"{stem}-output.txt", "w") as file:
            file.writelines(f"{float(value):.9g}\n" for value in output)
        if steps:
            with open(f"{stem}-losses.txt", "w") as file:
                file.writelines(f"{loss:.12g}\n" for loss in steps)
        print(path.name, f"largest output {float(output.abs().max()):.6g}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--only", default="", help="networks whose name contains this")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    warnings.filterwarnings("ignore")
    try:
        for name, make in networks():
            if options.only in name:
                torch.manual_seed(1)
                write(name, *make(), options.out)
    except ImportError as error:
        print(f"left out: {error}")


if __name__ == "__main__":
    main()
