"""Training programs in plain PyTorch, to be recorded and measured.

Each program is a file with `build(device="cpu", dtype=None, batch=None, scale="small")`, which
gives a Program. Scale "small" is for tests on a CPU, "real" for a GPU with 80 GB. No data is
loaded: inputs are seeded random tensors. timm_models and hf_models need timm and transformers.
Every program of all kinds has a different name. `python3 -m programs NAME` runs one.
"""
from __future__ import annotations

import importlib
from typing import Any, Callable

from .program import Program

__all__ = ["KINDS", "Program", "all_programs"]

# The file of each program, and what its `build` gets besides what the caller says.
_PROGRAMS: dict[str, tuple[str, dict[str, Any]]] = {
    name: (name, {}) for name in (
        "diffusion", "unet3d", "lstm_lm", "graph_net", "gan", "lora", "checkpointing",
        "accumulation", "custom_function", "einsum_mixer", "dlrm", "contrastive", "distillation",
        "resnet18", "vit_b_16", "lstm_classifier", "gru", "conv1d", "moe", "llama", "decode")
}
_PROGRAMS["moe_dense"] = ("moe", {"dense": True})


def _builder(file: str, options: dict[str, Any]) -> Callable[..., Program]:
    def build(**more: Any) -> Program:
        return importlib.import_module(f"{__name__}.{file}").build(**{**options, **more})
    return build


# "own" are the files of this package; the others have a module `KIND_models`.
KINDS = ("own", "timm", "hf")


def all_programs(*kinds: str) -> dict[str, Callable[..., Program]]:
    """What builds each program of these KINDS, by name (default: our own).

    A value takes `device`, `dtype`, `batch` and `scale` by name, and gives a Program.
    """
    found: dict[str, Callable[..., Program]] = {}
    for kind in kinds or ("own",):
        if kind == "own":
            found.update((name, _builder(*program)) for name, program in _PROGRAMS.items())
        else:
            found.update(importlib.import_module(f"{__name__}.{kind}_models").all_programs())
    return found
