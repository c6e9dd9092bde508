"""`rooflab.summary`: what a step of a network computes, moves and keeps."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rooflab._fields import Fields, wrap
from rooflab._result import Result, texts_of
from rooflab._source import Source, source_of


class Summary(Result):
    """Counts of one step. `print(summary)` is the program's table; FLOPs count a multiply-add as 2.

    With `coverage` below 1 the figures are those of the counted operations only; `uncounted` names
    the others. They never count as 0.
    """

    def __init__(self, data: dict[str, Any], text: str, source: Source):
        super().__init__(data, text)
        self._totals = data["totals"]
        self._source = source
        self.model: str = source.title(data["model"])
        self.batch: int | None = data["batch"]
        self.phase: str | None = data["phase"]
        self.precision: str | None = data["precision"]
        self.notes: list[str] = [*source.notes, *texts_of(data["notes"])]

    @property
    def recording(self) -> Any | None:
        """The Recording that was counted; None for a name or a path."""
        return self._source.recording

    @property
    def flops(self) -> int:
        """FLOPs of the phase."""
        return self._totals["flop"]

    @property
    def matrix_flops(self) -> int:
        """FLOPs of convolutions, products, attention and recurrent layers."""
        return self._totals["matrix_flop"]

    @property
    def macs(self) -> int:
        """Multiply-accumulates of the forward pass."""
        return self._totals["macs"]

    @property
    def parameters(self) -> int:
        """Trained values, shared ones once."""
        return self._totals["parameters"]

    @property
    def bytes(self) -> int:
        """Bytes that move when every operation reads its operands and writes its results once."""
        return self._totals["compulsory_bytes"]

    @property
    def peak_memory_bytes(self) -> int:
        """Most bytes that tensors held at once."""
        return self._totals["allocated_peak_bytes"]

    @property
    def coverage(self) -> float:
        """Share of the operations that have a rule, from 0 to 1."""
        return self._totals["coverage_share"]

    @property
    def uncounted(self) -> list[Fields]:
        """Operations without a rule: `op`, `count`."""
        return wrap(self._totals["uncounted"])

    @property
    def layers(self) -> list[Fields]:
        """The rows of the table: `node`, `op`, `output_shape`, `parameters`, `flop`, ...
        (docs/formats/summary.md)."""
        return wrap(self._data["layers"])

    def rows(self) -> list[Fields]:
        return self.layers

    def figures(self) -> dict[str, float]:
        names = ("flops", "macs", "parameters", "bytes", "peak_memory_bytes", "coverage")
        return {name: getattr(self, name) for name in names}

    def __repr__(self) -> str:
        return (f"<rooflab.Summary of {self.model}, batch {self.batch}: {self.flops:,} FLOP, "
                f"{self.parameters:,} parameters, coverage {self.coverage:g}>")


def summary(model: Any, *inputs: Any, depth: int | None = None, phase: str | None = None,
            optimizer: Any = None, precision: str | None = None, batch: int | None = None,
            loss: Any = None, warmup: int | None = None, assume: Mapping[str, Any] | None = None,
            options: Sequence[str] = (), **kwargs: Any) -> Summary:
    """Counts one step of a model: `rooflab.summary(model, x)`.

    `model`: a torch.nn.Module; a function without arguments that runs a step; a Recording; a name
    of `rooflab models`; the path of a recording or of an ONNX file. The first two run once and are
    recorded, on the device where they are: real tensors, or `meta` tensors, which need no memory.

    `inputs`, `kwargs`: what the module takes. A tuple of whole numbers is a shape:
    `summary(model, (1, 3, 224, 224))` gives the module random numbers of the module's type.
    `phase`: "inference" (default: evaluation mode without autograd), "forward" (training mode), or
    "training" (forward, loss, backward, optimizer), which works on a copy of the module.
    `optimizer` of training: "sgd", "sgd-momentum" (default), "adam", "adamw", "none", an optimizer
    of the module's parameters, or a function that takes the parameters and makes one.
    `loss` of training: a function of the module's output; default: its `loss`, else the sum of the
    means of its tensors.
    `precision`: "fp32", "tf32", "bf16" and "fp16" (the weights are copied in that type), "amp",
    "amp-bf16", "amp-fp16" (autocast), "fp64"; default: as the module is.
    `batch`: samples of a step, where the first input does not say. `depth`: fold modules deeper
    than this. `warmup`: steps before the one that is recorded. `assume`: answers for values of
    `meta` tensors, such as {"item": 1}. `options`: further flags of `rooflab summary`.

    Raises rooflab.Error, and rooflab.RecordingError where the step cannot be recorded.
    """
    source = source_of(model, inputs, kwargs, phase=phase, optimizer=optimizer, precision=precision,
                       loss=loss, batch=batch, warmup=warmup, assume=assume)
    return summarize_source(source, depth=depth, options=options)


def summarize_source(source: Source, *, depth: int | None = None,
                     options: Sequence[str] = ()) -> Summary:
    """Counts what was recorded already, or needs no recording."""
    folding = [] if depth is None else ["--depth", str(depth)]
    answer = source.ask(["summary", source.argument, *source.flags, *folding, *options])
    return Summary(answer.data, answer.text, source)
