"""The samples of a step, where the caller says them."""
from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from typing import Any

from rooflab._tensor_trees import is_shape
from rooflab.errors import Error


def checked_batch(batch: Any) -> int | None:
    """The batch as an int; None where it is not given. Raises Error for anything else."""
    if batch is None:
        return None
    try:
        number = 0 if isinstance(batch, bool) else operator.index(batch)
    except TypeError:
        number = 0
    if number < 1:
        raise Error(f"batch={batch!r}: batch must be a whole number of 1 or more",
                    "give the samples of a step, or leave batch= out", 2)
    return number


def check_batch_of_inputs(batch: Any, inputs: Iterable[Any]) -> None:
    """Raises Error for a batch that no input can have. Tensors and shapes in lists and dictionaries
    do not count: they may be parts of a batch.

    A batch that is the second extent of an input is one, and so is one that divides the first:
    samples of several tokens, in one extent.
    """
    batch = checked_batch(batch)
    shapes = list(_shapes_of(inputs))
    if batch is None or not shapes or shapes[0][0] % batch == 0:
        return
    if any(batch in shape for shape in shapes):
        return
    first = ", ".join(map(str, shapes[0]))
    raise Error(f"batch={batch} contradicts the inputs: the first is [{first}]",
                f"give inputs of batch {batch}, or leave batch= out", 2)


def _shapes_of(inputs: Iterable[Any]) -> Iterator[tuple[int, ...]]:
    import torch

    for value in inputs:
        if isinstance(value, torch.Tensor):
            value = tuple(value.shape)
        if is_shape(value):
            yield value
