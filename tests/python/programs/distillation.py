"""A small network learns from a large one: mixed images, autocast, a gradient scaler on CUDA."""
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from .place import Place
from .program import Program
from .versions import autocast, grad_scaler

SIZES = {
    "small": {"batch": 4, "image": 32, "teacher": (16, 2), "student": (8, 1), "classes": 10},
    "real": {"batch": 192, "image": 224, "teacher": (96, 4), "student": (48, 2), "classes": 1000},
}
TEMPERATURE = 4.0


class Bottleneck(nn.Module):
    """An inverted bottleneck with squeeze and excitation."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        inner = 3 * inputs
        self.rise = nn.Sequential(nn.Conv2d(inputs, inner, 1, bias=False), nn.BatchNorm2d(inner),
                                  nn.Hardswish(inplace=True))
        self.depthwise = nn.Sequential(
            nn.Conv2d(inner, inner, 3, stride=stride, groups=inner, bias=False),
            nn.BatchNorm2d(inner), nn.Hardswish(inplace=True))
        self.squeeze = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(inner, inputs, 1),
                                     nn.ReLU(inplace=True), nn.Conv2d(inputs, inner, 1),
                                     nn.Hardsigmoid())
        self.fall = nn.Sequential(nn.Conv2d(inner, outputs, 1, bias=False), nn.BatchNorm2d(outputs))
        self.same = stride == 1 and inputs == outputs

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.depthwise(F.pad(self.rise(x), (1, 1, 1, 1)))
        h = self.fall(h * self.squeeze(h))
        return h.add_(x) if self.same else h


def network(width: int, depth: int, classes: int) -> nn.Sequential:
    layers: list[nn.Module] = [nn.Conv2d(3, width, 3, stride=2, padding=1, bias=False),
                               nn.BatchNorm2d(width), nn.ReLU(inplace=True), nn.MaxPool2d(2)]
    for stage in range(3):
        layers += [Bottleneck(width << max(stage - 1, 0), width << stage, 2 if stage else 1)]
        layers += [Bottleneck(width << stage, width << stage, 1) for _ in range(depth)]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.2),
                         nn.Linear(width * 4, classes))


def build(device: str = "cpu", dtype: torch.dtype | None = None, batch: int | None = None,
          scale: str = "small") -> Program:
    size = SIZES[scale]
    batch = batch or size["batch"]
    place = Place(device, dtype)
    teacher = place.module(network(*size["teacher"], size["classes"])).eval()
    student = place.module(network(*size["student"], size["classes"]))
    images = place.normal(batch, 3, size["image"], size["image"])
    labels = place.integers(size["classes"], batch)
    optimizer = torch.optim.SGD(student.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)
    scaler = grad_scaler(place.device)

    def step() -> torch.Tensor:
        optimizer.zero_grad()
        order = torch.randperm(batch, device=device)
        mixed = images.lerp(images[order], 0.3)
        with autocast(place.device):
            with torch.no_grad():
                taught = teacher(mixed)
            learned = student(mixed)
            from_teacher = F.kl_div(F.log_softmax(learned / TEMPERATURE, dim=-1),
                                    F.log_softmax(taught / TEMPERATURE, dim=-1),
                                    reduction="batchmean", log_target=True) * TEMPERATURE ** 2
            from_labels = (0.7 * F.cross_entropy(learned, labels)
                           + 0.3 * F.cross_entropy(learned, labels[order]))
            loss = 0.9 * from_teacher + 0.1 * from_labels
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(student.parameters(), 5.0)
        scaler.step(optimizer)
        scaler.update()
        return loss.detach()

    return Program("distillation", step, batch, {"teacher": teacher, "student": student},
                   (optimizer,), (images, labels))
