"""Where the tensors of a program live: its device and its type of floating-point numbers."""
from __future__ import annotations

import torch


class Place:
    """Makes modules and seeded random tensors of one device and one type.

    `dtype` is the type of weights and inputs; None is float32.
    """

    def __init__(self, device: str = "cpu", dtype: torch.dtype | None = None, seed: int = 0
                 ) -> None:
        self.device = torch.device(device)
        self.dtype = dtype or torch.float32
        torch.manual_seed(seed)

    def module(self, module: torch.nn.Module) -> torch.nn.Module:
        """The module itself, moved here."""
        owners: dict[torch.nn.Parameter, list[tuple[torch.nn.Module, str]]] = {}
        for each in module.modules():
            for name, parameter in each._parameters.items():
                owners.setdefault(parameter, []).append((each, name))
        module = module.to(self.device, self.dtype)
        for places in owners.values():  # on `meta` a weight with two names would become two
            first, name = places[0]
            for owner, other in places[1:]:
                setattr(owner, other, getattr(first, name))
        return module

    def normal(self, *shape: int) -> torch.Tensor:
        """Normally distributed numbers of this shape."""
        return torch.randn(shape, device=self.device, dtype=self.dtype)

    def integers(self, end: int, *shape: int) -> torch.Tensor:
        """Integers (int64) of this shape, from 0 to before `end`."""
        return torch.randint(end, shape, device=self.device)
