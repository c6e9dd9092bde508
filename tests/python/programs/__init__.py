"""Training programs in plain PyTorch, to be recorded and measured.

Each program is one file with `build(device="cpu", dtype=None, batch=None, scale="small")` that
gives a Program. Scale "small" is for tests on a CPU, "real" for a GPU with 80 GB. No data is loaded.
"""
from __future__ import annotations

import importlib
from typing import Callable

from .program import Program

__all__ = ["Program", "all_programs"]

_NAMES = ("diffusion", "unet3d", "lstm_lm", "graph_net", "gan", "lora", "checkpointing",
          "accumulation", "custom_function", "einsum_mixer", "dlrm", "contrastive", "distillation")


def _builder(name: str) -> Callable[..., Program]:
    def build(**options: object) -> Program:
        return importlib.import_module(f"{__name__}.{name}").build(**options)
    return build


def all_programs() -> dict[str, Callable[..., Program]]:
    """What builds each of our programs, by name; takes the arguments of `build`."""
    return {name: _builder(name) for name in _NAMES}
