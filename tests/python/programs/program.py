"""What a program consists of: one step to call, and what a reader may want to know about it."""
from __future__ import annotations

import dataclasses
from typing import Any, Callable, Iterator


@dataclasses.dataclass
class Program:
    """A program that repeats a step.

    `step` takes no arguments, runs one whole step and returns a tensor: the loss of a training
    step, or what an inference step computed. `batch` is the number of samples of a step. `modules`
    has the outermost modules by a name; `optimizers` is empty for inference. `inputs` are the
    tensors that a data loader would bring. Of a step of generation, `cache` gives the tensors that
    hold keys and values now, `context` is the number of tokens in them before the step, or that of
    a prefill, and `reset` puts them back to where the first step began.
    """

    name: str
    step: Callable[[], Any]
    batch: int
    modules: dict[str, Any]
    optimizers: tuple[Any, ...] = ()
    inputs: tuple[Any, ...] = ()
    cache: Callable[[], list[Any]] = list
    reset: Callable[[], None] = lambda: None
    context: int | None = None

    @property
    def sample_bytes(self) -> float:
        """Bytes of input for one sample."""
        return sum(each.numel() * each.element_size() for each in self.inputs) / self.batch

    def parameters(self) -> Iterator[tuple[str, Any]]:
        """All parameters of all modules, as pairs of `MODULE.NAME` and parameter."""
        for owner, module in self.modules.items():
            for name, parameter in module.named_parameters():
                yield f"{owner}.{name}", parameter
