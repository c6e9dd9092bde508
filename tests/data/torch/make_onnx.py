#!/usr/bin/env python3
"""A small network as an ONNX file with its weights, its input and what PyTorch computes for it.

    python3 make_onnx.py FOLDER        (Debian 12: python3-torch)

small.onnx has ops whose constants matter: epsilon, slopes, bounds, padding that does not count.
small-input.bin is the input (f32, little-endian, C order), small-output.txt the output.
"""

import sys

import torch
from torch import nn


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.norm = nn.BatchNorm2d(8, eps=0.1)
        self.pool = nn.AvgPool2d(3, stride=2, padding=1, count_include_pad=False)
        self.depthwise = nn.Conv2d(8, 8, 3, padding=1, groups=8, bias=False)
        self.layer_norm = nn.LayerNorm(16, eps=0.01)
        self.fc = nn.Linear(8 * 16, 10)

    def forward(self, x):
        x = nn.functional.leaky_relu(self.norm(self.conv(x)), 0.3)
        x = nn.functional.hardsigmoid(self.depthwise(self.pool(x)))
        x = torch.clamp(nn.functional.pad(x, (1, 1, 0, 0), value=0.7), 0.2, 0.65)
        x = nn.functional.max_pool2d(x, (1, 3), stride=1)
        x = self.layer_norm(x.flatten(2))
        return self.fc(nn.functional.elu(x.flatten(1), 0.5))


def main(folder):
    torch.manual_seed(1)
    model = Small().eval()
    with torch.no_grad():
        for name, value in model.named_parameters():
            value.copy_(torch.randn_like(value) * 0.5)
        model.norm.running_mean.normal_()
        model.norm.running_var.uniform_(0.5, 2.0)
        x = torch.randn(2, 3, 16, 16)
        output = model(x).flatten()
    torch.onnx.export(model, x, f"{folder}/small.onnx", input_names=["input"], opset_version=17)
    x.numpy().astype("<f4").tofile(f"{folder}/small-input.bin")
    with open(f"{folder}/small-output.txt", "w") as file:
        file.writelines(f"{float(value):.9g}\n" for value in output)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
