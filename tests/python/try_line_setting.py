"""The lines of PyTorch that findings advise, and a small program with the names that they use."""
from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import Any, Iterator

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs/methods/findings.md"
ON = ("a CPU", "a CPU with PyTorch 2", "a GPU")


def listed_lines() -> dict[str, str]:
    """Each line and the least that can run it, as the program's table has them: a test compares the
    document with the table (FormatDocuments)."""
    block = DOCUMENT.read_text().partition("<!-- keys of lines to try -->")[2]
    block = " ".join(block.partition("<!-- end -->")[0].split())
    found = re.findall(r"- `` (.*?) `` \(([^)]*)\)", block)
    return dict(found)


def filled(line: str) -> str:
    """With what the small program has in the places: the layer that takes its images, and the
    multiple of elements of 16 bits."""
    return line.replace("{}", "conv1", 1).replace("{}", "8", 1)


def pattern_of(line: str) -> str:
    return re.escape(line).replace(r"\{\}", r"[\w.]+")


def lines_in(attempt: str) -> list[str]:
    """The listed lines that an attempt consists of; empty for any other attempt."""
    lines = list(listed_lines())
    for one in lines:
        if re.fullmatch(pattern_of(one), attempt):
            return [one]
    for one in lines:
        for other in lines:
            if re.fullmatch(pattern_of(one) + "; " + pattern_of(other), attempt):
                return [one, other]
    return []


def names(device: str = "cpu") -> dict[str, Any]:
    """What the lines name, for a training step of a small network of images on a device."""
    import torch
    import torch.utils.checkpoint

    torch.manual_seed(0)

    class Network(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv1 = torch.nn.Conv2d(3, 8, 3)
            self.head = torch.nn.Linear(8, 5)

        def forward(self, images: Any) -> Any:
            return self.head(torch.relu(self.conv1(images)).mean((2, 3)))

    model = Network().to(device)
    images = torch.randn(16, 3, 12, 12)
    labels = torch.arange(16) % 5
    block = torch.nn.Linear(6, 6).to(device)
    return {"torch": torch, "device": device, "model": model, "images": images.to(device),
            "inputs": images.to(device), "labels": labels.to(device), "batch": images,
            "batch_size": 8, "shuffle": True,
            "dataset": torch.utils.data.TensorDataset(images, labels),
            "optimizer": torch.optim.AdamW(model.parameters(), lr=0.01, weight_decay=0.1),
            "block": block, "number": 1, "x": torch.ones(2, 6, device=device), "features": 8,
            "classes": 5}


@contextlib.contextmanager
def switches_kept() -> Iterator[None]:
    """The process's switches are as before."""
    import torch

    before = (torch.get_float32_matmul_precision(), torch.backends.cudnn.benchmark,
              torch.backends.cudnn.allow_tf32)
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before[0])
        torch.backends.cudnn.benchmark, torch.backends.cudnn.allow_tf32 = before[1:]


@contextlib.contextmanager
def group_of_one(backend: str) -> Iterator[None]:
    """A process group, as distributed training has it."""
    import torch.distributed as distributed

    store = distributed.HashStore() if hasattr(distributed, "HashStore") else None
    distributed.init_process_group(backend, store=store, rank=0, world_size=1)
    try:
        yield
    finally:
        distributed.destroy_process_group()


def tried(line: str, device: str = "cpu") -> dict[str, Any]:
    """Runs a line in the small program, and a training step after it. Raises AssertionError where
    the step is another one than before: other results, another optimizer, no training.

    Gives back the names.
    """
    import torch

    now = names(device)
    before = now["model"](now["images"]).detach()
    kind = type(now["optimizer"])
    told = {key: now["optimizer"].param_groups[0][key] for key in ("lr", "weight_decay")}
    distributed = "distributed" in line or "DistributedDataParallel" in line
    group = group_of_one("nccl" if device == "cuda" else "gloo") if distributed else (
        contextlib.nullcontext())
    with switches_kept(), group:
        exec(compile(line, "<line>", "exec"), now)  # noqa: S102
        after = now["model"](now["images"])
        assert torch.allclose(before, after.detach(), atol=1e-2 if device == "cuda" else 1e-5), (
            "the model gives other results")
        optimizer = now["optimizer"]
        assert type(optimizer) is kind, f"the optimizer is a {type(optimizer).__name__}"
        assert told == {key: optimizer.param_groups[0][key] for key in told}
        _assert_trains(now, after)
        _assert_parts(now)
    return now


def _assert_trains(now: dict[str, Any], result: Any) -> None:
    import torch

    weights = list(now["model"].parameters())
    before = [one.detach().clone() for one in weights]
    torch.nn.functional.cross_entropy(result, now["labels"]).backward()
    now["optimizer"].step()
    assert not any(torch.equal(one, old) for one, old in zip(weights, before)), (
        "the optimizer does not train all of the model")


def _assert_parts(now: dict[str, Any]) -> None:
    """What lines make in addition to the model works."""
    import torch

    if "loader" in now:
        images, labels = next(iter(now["loader"]))
        assert tuple(images.shape) == (now["batch_size"], 3, 12, 12), images.shape
    if "head" in now:
        assert now["head"](torch.zeros(2, now["features"])).shape[1] >= now["classes"]
    if "output" in now:
        assert now["output"].shape[0] == 16
    assert now["batch"].shape == (16, 3, 12, 12)
    if now["x"].requires_grad:
        now["x"].sum().backward()
        assert now["block"].weight.grad is not None

