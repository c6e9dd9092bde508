"""The optimizer of a training step, by name, as an object or as a function."""
from __future__ import annotations

from typing import Any

from rooflab.errors import Error

# Name: class in torch.optim, options. Neither cost nor memory depends on the learning rate.
OPTIMIZERS: dict[str, tuple[str, dict[str, float]]] = {
    "sgd": ("SGD", {"lr": 1e-3}),
    "sgd-momentum": ("SGD", {"lr": 1e-3, "momentum": 0.9}),
    "adam": ("Adam", {"lr": 1e-3}),
    "adamw": ("AdamW", {"lr": 1e-3}),
}
DEFAULT = "sgd-momentum"  # as in the program


def optimizer_for(model: Any, wanted: Any) -> Any | None:
    """The optimizer of a module's trained parameters.

    `wanted`: a name of OPTIMIZERS, "none" (gives back None), a torch.optim.Optimizer that already
    has the module's parameters, or a function that takes the list of parameters and makes one. None
    is the default. Raises Error for anything else, and where nothing is trained.
    """
    import torch

    if isinstance(wanted, torch.optim.Optimizer):
        return wanted
    if wanted == "none":
        return None
    parameters = [value for value in model.parameters() if value.requires_grad]
    if not parameters:
        raise Error(f"{type(model).__name__} has no parameter that is trained (requires_grad)",
                    "phase='forward' or phase='inference' has no optimizer")
    if callable(wanted):
        return wanted(parameters)
    name = DEFAULT if wanted is None else wanted
    if name not in OPTIMIZERS:
        raise Error(f"unknown optimizer {name!r}",
                    f"one of {', '.join([*OPTIMIZERS, 'none'])}, a torch.optim.Optimizer, or a "
                    "function that takes the parameters and makes one")
    kind, options = OPTIMIZERS[name]
    return getattr(torch.optim, kind)(parameters, **options)


def as_on_gpu(optimizer: Any, device: Any) -> str | None:
    """Lets a step on the CPU or on `meta` run as on a GPU: many parameters at once (foreach).

    PyTorch does so by itself for tensors on a GPU only. What the user chose (`foreach=False`,
    `fused=True`) stays. Gives back a note where this PyTorch cannot.
    """
    from rooflab import _torch

    if device.type == "cuda":
        return None
    groups = [group for group in optimizer.param_groups if group.get("foreach", 0) is None
              and not group.get("fused") and not group.get("differentiable")]
    if not groups:
        return None
    if not _torch.has_foreach(device):
        return ("the optimizer is recorded parameter by parameter: this PyTorch has no foreach "
                f"operations on {device.type}")
    for group in groups:
        group["foreach"] = True
    return None
