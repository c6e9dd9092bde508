#!/usr/bin/env python3
"""PyTorch's training of a CIFAR ResNet with the recipe of `rooflab train`, to hold its accuracy against.

    train_beside_pytorch.py FOLDER [--model resnet50] [--epochs 25] [--lr 0.05] [--batch 128] [--seed 1]

FOLDER has class folders of images in train/ and test/. All images are decoded once and kept on the GPU, crops and flips are
made there: the data are the same, the time is not that of a data loader. Prints a JSON line for every epoch. Needs PyTorch 2.x
with CUDA, torchvision.
"""

import argparse
import json
import time

import torch
import torch.nn.functional as F
import torchvision

MEAN = (0.4914, 0.4822, 0.4465)
DEVIATION = (0.2470, 0.2435, 0.2616)
PADDING = 4


def images_of(folder):
    """All images as normalised tensors on the GPU, with their labels. Black pixels pad the training crops."""
    data = torchvision.datasets.ImageFolder(folder)
    loader = torch.utils.data.DataLoader(
        torchvision.datasets.ImageFolder(folder, torchvision.transforms.PILToTensor()), batch_size=500, num_workers=8)
    images = torch.cat([batch for batch, _ in loader]).cuda()
    return images, torch.tensor(data.targets).cuda()


def normalised(images):
    mean = torch.tensor(MEAN, device="cuda").view(1, 3, 1, 1)
    deviation = torch.tensor(DEVIATION, device="cuda").view(1, 3, 1, 1)
    return ((images.float() / 255 - mean) / deviation).contiguous(memory_format=torch.channels_last)


def augmented(images):
    """A random crop of the padded image, and a flip of every second one."""
    count, _, height, width = images.shape
    padded = F.pad(images, (PADDING,) * 4)
    top = torch.randint(0, 2 * PADDING + 1, (count, 1, 1), device="cuda")
    left = torch.randint(0, 2 * PADDING + 1, (count, 1, 1), device="cuda")
    rows = top + torch.arange(height, device="cuda").view(1, -1, 1)
    columns = torch.arange(width, device="cuda").view(1, 1, -1).expand(count, 1, -1)
    flip = torch.rand(count, 1, 1, device="cuda") < 0.5
    columns = left + torch.where(flip, width - 1 - columns, columns)
    index = torch.arange(count, device="cuda").view(-1, 1, 1)
    return padded.permute(0, 2, 3, 1)[index, rows, columns].permute(0, 3, 1, 2)


def cifar_form(model):
    model.conv1 = torch.nn.Conv2d(3, 64, 3, stride=1, padding=1, bias=False)
    torch.nn.init.kaiming_normal_(model.conv1.weight, mode="fan_out", nonlinearity="relu")
    model.maxpool = torch.nn.Identity()
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--model", default="resnet50")
    parser.add_argument("--epochs", type=int, default=25)
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--weight-decay", type=float, default=5e-4)
    parser.add_argument("--label-smoothing", type=float, default=0.0)
    parser.add_argument("--nesterov", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()

    torch.manual_seed(wanted.seed)
    images, labels = images_of(f"{wanted.folder}/train")
    test_images, test_labels = images_of(f"{wanted.folder}/test")
    model = cifar_form(torchvision.models.get_model(wanted.model, num_classes=10))
    model = model.cuda().to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=wanted.lr, momentum=0.9, weight_decay=wanted.weight_decay,
                                nesterov=wanted.nesterov)
    steps = len(images) // wanted.batch
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, wanted.lr, total_steps=steps * wanted.epochs,
                                                   cycle_momentum=False)
    start = time.perf_counter()
    for epoch in range(wanted.epochs):
        model.train()
        order = torch.randperm(len(images), device="cuda")
        correct = torch.zeros((), device="cuda")
        for step in range(steps):
            chosen = order[step * wanted.batch:(step + 1) * wanted.batch]
            batch = normalised(augmented(images[chosen]))
            with torch.autocast("cuda", torch.bfloat16):
                scores = model(batch)
                loss = F.cross_entropy(scores, labels[chosen], label_smoothing=wanted.label_smoothing)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            schedule.step()
            correct += (scores.argmax(1) == labels[chosen]).sum()
        model.eval()
        hits = 0
        with torch.no_grad(), torch.autocast("cuda", torch.bfloat16):
            for first in range(0, len(test_images), 500):
                scores = model(normalised(test_images[first:first + 500]))
                hits += (scores.argmax(1) == test_labels[first:first + 500]).sum().item()
        print(json.dumps({"epoch": epoch, "train_accuracy": correct.item() / (steps * wanted.batch),
                          "accuracy": hits / len(test_images), "elapsed_s": time.perf_counter() - start}), flush=True)


if __name__ == "__main__":
    main()
