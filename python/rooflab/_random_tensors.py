"""Tensors of random numbers, of one device and one type."""
from __future__ import annotations

from typing import Any


class RandomTensors:
    """`device` and `dtype` (of floating-point numbers) are PyTorch's."""

    def __init__(self, device: Any, dtype: Any) -> None:
        self.device = device
        self.dtype = dtype

    def normal(self, *shape: int) -> Any:
        """Normally distributed numbers of this shape."""
        import torch

        return torch.randn(shape, device=self.device, dtype=self.dtype)

    def integers(self, end: int, *shape: int) -> Any:
        """Integers (int64) of this shape, from 0 to before `end`."""
        import torch

        return torch.randint(end, shape, device=self.device)
