#!/usr/bin/env python3
"""Recurrent layers as an ONNX file with their weights, an input and what PyTorch computes for it.

    python3 make_recurrent_onnx.py FOLDER        (Debian 12: python3-torch)

recurrent.onnx has an LSTM of two layers in both directions, a GRU of three layers and a plain
network with ReLU, one after the other. recurrent-input.bin is the input (f32, little-endian, C
order), recurrent-output.txt the output.
"""

import sys

import torch
from torch import nn


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(5, 4, num_layers=2, bidirectional=True, batch_first=True)
        self.gru = nn.GRU(8, 3, num_layers=3)
        self.rnn = nn.RNN(3, 4, nonlinearity="relu", bias=False)
        self.fc = nn.Linear(4, 3)

    def forward(self, x):
        x, _ = self.lstm(x)
        x, _ = self.gru(x.transpose(0, 1))
        x, _ = self.rnn(x)
        return self.fc(x)


def main(folder):
    torch.manual_seed(1)
    model = Recurrent().eval()
    with torch.no_grad():
        for value in model.parameters():
            value.copy_(torch.randn_like(value) * 0.7)
        x = torch.randn(2, 6, 5)
        output = model(x).flatten()
    torch.onnx.export(model, x, f"{folder}/recurrent.onnx", input_names=["input"], opset_version=14)
    x.numpy().astype("<f4").tofile(f"{folder}/recurrent-input.bin")
    with open(f"{folder}/recurrent-output.txt", "w") as file:
        file.writelines(f"{float(value):.9g}\n" for value in output)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
