"""Training steps of timm's models with random weights; needs timm 1.x."""
from __future__ import annotations

from typing import Any, Callable

import torch
import torch.nn.functional as F

from .place import Place
from .program import Program
from .versions import autocast

# Per model: batch at scale "real", autocast to bfloat16, channels last, optimizer.
_MODELS: dict[str, tuple[int, bool, bool, str]] = {
    "resnet50d": (64, True, True, "sgd"),
    "resnext50_32x4d": (64, False, False, "sgd"),
    "convnext_tiny": (64, True, True, "adamw"),
    "efficientnet_b0": (64, False, True, "rmsprop"),
    "regnety_016": (64, False, False, "sgd"),
    "densenet121": (64, False, False, "sgd"),
    "mobilenetv3_large_100": (128, True, True, "rmsprop"),
    "ghostnet_100": (128, False, False, "sgd"),
    "nf_resnet50": (32, False, False, "sgd"),
    "hrnet_w18_small": (64, False, False, "sgd"),
    "vit_small_patch16_224": (128, True, False, "adamw"),
    "swin_tiny_patch4_window7_224": (64, True, False, "adamw"),
    "deit3_small_patch16_224": (64, False, False, "adamw"),
    "mixer_b16_224": (64, False, False, "adamw"),
    "gmlp_s16_224": (64, True, False, "adamw"),
    "poolformer_s12": (64, False, False, "adamw"),
    "maxvit_tiny_tf_224": (32, True, True, "adamw"),
    "xcit_tiny_12_p16_224": (64, False, False, "adamw"),
    "coatnet_0_rw_224": (32, True, False, "adamw"),
    "eva02_tiny_patch14_224": (128, True, False, "adamw"),
    "levit_128s": (256, False, False, "adamw"),
}
CLASSES, IMAGE = 1000, 224


def _optimizer(kind: str, parameters: Any) -> torch.optim.Optimizer:
    if kind == "sgd":
        return torch.optim.SGD(parameters, lr=0.01, momentum=0.9, nesterov=True, weight_decay=1e-4)
    if kind == "rmsprop":
        return torch.optim.RMSprop(parameters, lr=1e-3, alpha=0.9, momentum=0.9, eps=1e-3)
    return torch.optim.AdamW(parameters, lr=1e-4, weight_decay=0.05)


def _builder(name: str) -> Callable[..., Program]:
    def build(device: str = "cpu", dtype: torch.dtype | None = None, batch: int | None = None,
              scale: str = "small") -> Program:
        import timm
        usual, cast, channels_last, kind = _MODELS[name]
        batch = batch or (usual if scale == "real" else 2)
        place = Place(device, dtype)
        model = place.module(timm.create_model(name, pretrained=False, num_classes=CLASSES))
        model.train()
        images = place.normal(batch, 3, IMAGE, IMAGE)
        if channels_last:
            model = model.to(memory_format=torch.channels_last)
            images = images.contiguous(memory_format=torch.channels_last)
        labels = place.integers(CLASSES, batch)
        optimizer = _optimizer(kind, model.parameters())

        def step() -> torch.Tensor:
            with autocast(place.device, torch.bfloat16, enabled=cast):
                logits = model(images)
                loss = F.cross_entropy(logits, labels, label_smoothing=0.1)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            return loss.detach()

        return Program(f"timm_{name}", step, batch, {"model": model}, (optimizer,),
                       (images, labels))
    return build


def all_programs() -> dict[str, Callable[..., Program]]:
    """What builds each program, by name; it takes the arguments of our own programs' `build`."""
    return {f"timm_{name}": _builder(name) for name in _MODELS}
