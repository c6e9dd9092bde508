"""Numbers of tensors and layouts, and their lines."""

from __future__ import annotations

from typing import Any, Callable

import torch

from ._schema import json_text, type_name


class Tensors:
    """Equal tensors (the same layout at the same place of the same storage) have one number."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._layouts: dict[Any, int] = {}
        self._numbers: dict[tuple[int, int, int], int] = {}

    def number(self, tensor: torch.Tensor, storage: int, has_strides: bool) -> int:
        """The number of a tensor of the storage with this number."""
        layout_key = (tensor.dtype, tensor.shape, tensor.stride() if has_strides else None)
        layout = self._layouts.get(layout_key)
        if layout is None:
            layout = self._add_layout(*layout_key)
        offset = tensor.storage_offset() if has_strides else 0
        key = (layout, storage, offset)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._numbers)
            at = f',"offset":{offset}' if offset else ""
            self._write(f'{{"tensor":{number},"layout":{layout},"storage":{storage}{at}}}')
        return number

    def _add_layout(self, dtype: torch.dtype, shape: Any, strides: Any) -> int:
        number = self._layouts[(dtype, shape, strides)] = len(self._layouts)
        line: dict[str, Any] = {"layout": type_name(dtype), "shape": list(map(int, shape))}
        if strides is not None and list(strides) != _row_major(shape):
            line["strides"] = list(map(int, strides))
        self._write(json_text(line))
        return number


def _row_major(shape: Any) -> list[int]:
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    strides.reverse()
    return strides
