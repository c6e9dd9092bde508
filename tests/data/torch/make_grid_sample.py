#!/usr/bin/env python3
"""What PyTorch's grid_sample computes for the networks of tests/torch/grid_sample_test.cpp.

    python3 make_grid_sample.py [DEVICE] > grid_sample.txt        (DEVICE: cpu, cuda)

A line for each way of sampling: its name in the test, the 12 outputs, then for each of the 12 labels
the losses of three training steps (SGD, learning rate 0.01, momentum 0.9), in double precision.
"""

import sys

import numpy as np
import torch

from formula import uniform

CHANNELS, PLACES = 2, 6


def value(name, shape, scale):
    numbers = (scale * uniform(name, int(np.prod(shape)))).astype(np.float32)
    return torch.from_numpy(numbers.reshape(shape)).double()


def network(extents, device):
    x_shape = (1, CHANNELS, *extents)
    p_shape = (1,) * len(extents) + (PLACES, len(extents))
    inputs = value("input", x_shape, 1.0).to(device)
    w = value("w", x_shape, np.sqrt(6.0 / np.prod(x_shape[1:]))).to(device).requires_grad_()
    p = value("p", p_shape, np.sqrt(6.0 / np.prod(p_shape[1:]))).to(device).requires_grad_()
    return inputs, w, p


def scores(inputs, w, p, mode, padding, align):
    sampled = torch.nn.functional.grid_sample(inputs + w, 4 * p, mode, padding, align)
    return sampled.reshape(1, CHANNELS * PLACES)


def losses(extents, device, label, *way):
    inputs, w, p = network(extents, device)
    optimizer = torch.optim.SGD([w, p], lr=0.01, momentum=0.9)
    result = []
    for _ in range(3):
        target = torch.tensor([label], device=device)
        loss = torch.nn.functional.cross_entropy(scores(inputs, w, p, *way), target)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        result.append(float(loss))
    return result


def main(device):
    for extents in ((4, 5), (3, 4, 5)):
        for mode in ("bilinear", "nearest", "bicubic"):
            if mode == "bicubic" and len(extents) == 3:
                continue
            for padding in ("zeros", "border", "reflection"):
                for align in (False, True):
                    name = f"{mode.title()}{len(extents)}d{padding.title()}"
                    numbers = scores(*network(extents, device), mode, padding, align)
                    numbers = numbers.detach().flatten().tolist()
                    for label in range(CHANNELS * PLACES):
                        numbers += losses(extents, device, label, mode, padding, align)
                    print(name + ("Aligned" if align else ""),
                          *(f"{number:.12g}" for number in numbers))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "cpu")
