#!/usr/bin/env python3
"""What torchvision's own modules compute for weights from a formula: the truth of tests/torch.

    python3 make_outputs.py FOLDER [NETWORK...]   (Debian 12: python3-torch python3-torchvision)

The formula (docs/formats/worker.md) is that of workers/torch/weights.cpp, so only outputs are
stored: every tenth class score of two images, and for some networks the loss of the first three
training steps (SGD, learning rate 0.01, momentum 0.9, seed 0). Those are taken in double precision:
with two images a step in a batch norm, single precision's rounding grows to 2 % of the third loss.
"""

import sys

import numpy as np
import torch
import torchvision

from formula import uniform

INFERENCE = ["alexnet", "vgg16", "resnet18", "resnet50", "googlenet", "densenet121", "mobilenet_v2",
             "vit_b_16", "squeezenet1_0", "inception_v3", "mobilenet_v3_large", "mnasnet0_5",
             "efficientnet_b0", "shufflenet_v2_x0_5", "regnet_y_400mf", "convnext_tiny", "swin_t",
             "swin_v2_t", "maxvit_t"]
TRAINING = ["resnet18", "alexnet", "mobilenet_v2", "densenet121", "vit_b_16", "swin_t"]
SIZES = {"inception_v3": 299, "swin_v2_t": 256}
CONSTANTS = ("relative_coords_table",)  # the network's own numbers, not weights


def fill(model):
    modules = dict(model.named_modules())
    norms = (torch.nn.modules.batchnorm._BatchNorm, torch.nn.LayerNorm)
    with torch.no_grad():
        for name, tensor in model.state_dict().items():
            if not tensor.is_floating_point() or name.endswith(CONSTANTS):
                continue
            owner, _, leaf = name.rpartition(".")
            u = uniform(name, tensor.numel()).reshape(tuple(tensor.shape))
            if tensor.dim() >= 2:
                fan_in = max(int(np.prod(tensor.shape[1:])), 1)
                value = u * np.sqrt(6.0 / fan_in)
            elif isinstance(modules.get(owner), norms) and leaf in ("weight", "running_var"):
                value = 1.0 + 0.1 * u
            else:
                value = 0.1 * u
            tensor.copy_(torch.from_numpy(value.astype(np.float32)))


def build(name):
    options = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
    if name in ("googlenet", "inception_v3"):
        options["aux_logits"] = False
    model = getattr(torchvision.models, name)(weights=None, **options)
    fill(model)
    return model


def image(size):
    u = uniform("input", 2 * 3 * size * size).reshape(2, 3, size, size)
    return torch.from_numpy(u.astype(np.float32))


def main(folder, chosen):
    def of(names):
        return [name for name in names if not chosen or name in chosen]

    for name in of(INFERENCE):
        size = SIZES.get(name, 224)
        with torch.no_grad():
            scores = build(name).eval()(image(size)).flatten()[::10]
        with open(f"{folder}/{name}-inference.txt", "w") as file:
            file.writelines(f"{float(score):.9g}\n" for score in scores)
        print(name, float(scores.abs().max()), flush=True)
    for name in of(TRAINING):
        model = build(name).train().double()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
        torch.manual_seed(0)
        x, labels, losses = image(224).double(), None, []
        for _ in range(3):
            out = model(x)
            if labels is None:
                labels = torch.randint(out.shape[1], (2,))
            loss = torch.nn.functional.cross_entropy(out, labels)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            losses.append(float(loss))
        with open(f"{folder}/{name}-training.txt", "w") as file:
            file.writelines(f"{loss:.12g}\n" for loss in losses)
        print(name, losses, flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
