"""ONNX files of PyTorch's two exporters:  onnx_torch.py CASE FOLDER

old   TorchScript's exporter: operator sets 11, 13, 17
new   the exporter of torch.export: operator sets 18, 20, 23
"""

import sys
from pathlib import Path

import torch

from exported_networks import Images, Recurrent, Tokens, made, tell_network
from onnx_truth import tell_file
from truths import tell_versions

NETWORKS = {"images": Images, "tokens": Tokens, "recurrent": Recurrent}


def written(folder, file, name, **options):
    network = made(NETWORKS[name])
    torch.onnx.export(network, NETWORKS[name].inputs, str(folder / file), **options)
    tell_network(file, network, NETWORKS[name].inputs)
    tell_file(folder / file)
    tell_versions(file, "torch", "onnx", "onnxruntime")


def old(folder):
    for name, operators in (("images", 11), ("recurrent", 13), ("tokens", 17)):
        written(folder, f"{name}-script-{operators}.onnx", name, opset_version=operators)


def new(folder):
    for name, operators in (("recurrent", 18), ("images", 20), ("tokens", 20), ("tokens", 23)):
        written(
            folder,
            f"{name}-dynamo-{operators}.onnx",
            name,
            opset_version=operators,
            dynamo=True,
            external_data=False,
        )


if __name__ == "__main__":
    globals()[sys.argv[1]](Path(sys.argv[2]))
