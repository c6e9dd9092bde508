"""Trains a network of two layers on the CPU, whose operations launch kernels of the fake device
(tests/fakes): on_fake_device.py FOLDER_OF_THE_FAKES SECONDS [WHAT].

`plain`: operations of PyTorch alone. `broken`: the recorder fails. `import`: the program imports
the package itself. `own`: a kernel that no operation launches.
"""
from __future__ import annotations

import ctypes
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import torch

FOLDER, SECONDS = Path(sys.argv[1]), float(sys.argv[2])
WHAT = sys.argv[3] if len(sys.argv) > 3 else "plain"

if WHAT == "import":
    sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "python"))
    import rooflab  # noqa: F401

ctypes.CDLL(str(FOLDER / "libcupti.so.13"), ctypes.RTLD_GLOBAL)
cuda = ctypes.CDLL(str(FOLDER / "libcuda.so.1"), ctypes.RTLD_GLOBAL)


names: dict[str, Any] = {}  # CUPTI keeps the addresses of names


def launch(symbol: str, blocks: int) -> None:
    cuda.fake_launch(names.setdefault(symbol, ctypes.c_char_p(symbol.encode())), blocks, 64, 0)


def addmm(bias: torch.Tensor, a: torch.Tensor, b: torch.Tensor, **_: Any) -> torch.Tensor:
    launch("_Z9conv_gemmPf", 10)
    return torch.mm(a, b).add_(bias)


def relu(x: torch.Tensor) -> torch.Tensor:
    launch("_Z4reluPf", 5)
    return torch.clamp_min(x, 0.0)


def threshold_backward(gradient: torch.Tensor, x: torch.Tensor, _: Any) -> torch.Tensor:
    launch("_Z13relu_backwardPf", 5)
    return torch.mul(gradient, torch.gt(x, 0.0))


library = torch.library.Library("aten", "IMPL")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    for function in (addmm, relu, threshold_backward):
        library.impl(function.__name__, function, "CPU")

model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8))
images = torch.ones(16, 32)

if WHAT == "broken":
    from rooflab._operations import Operations

    def fail(*_: Any) -> None:
        raise ValueError("no such operation")

    Operations._after = fail  # type: ignore[method-assign,assignment]

print("training", flush=True)
cuda.fake_cuda_init()
until = time.monotonic() + SECONDS
while time.monotonic() < until:
    model.zero_grad()
    loss = model(images).sum()
    if WHAT == "own":
        launch("_Z3ownPf", 3)
    loss.backward()
print("trained", flush=True)
