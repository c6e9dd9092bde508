"""A case: a module with its inputs, or an ONNX file, and what it needs by an independent truth."""

import dataclasses
from typing import Any, Callable

CASES = {}
KINDS = ("network", "transformer", "attention", "recurrent", "convolution", "quantised", "experts", "embedding",
         "shared", "functional", "ONNX")


@dataclasses.dataclass
class Case:
    """`make` gives a module and its inputs (a tuple, or a dict of names), or the path of an ONNX file.

    `macs` and `parameters` are the truth of `source`; `within` is what `source` leaves open, by rounding. A
    truth that nobody gives is None. `program` is the command line's name of the same network.
    """

    name: str
    kind: str
    make: Callable[..., Any]
    macs: int | None
    parameters: int | None
    source: str
    within: float = 0.0
    program: str | None = None
    rows: int = 1  # the first dimension of the first input: ptflops divides by it
    imports: tuple = ()  # names of transformers
    weight_bytes: int | None = None  # where weights are not 4 bytes each; 0: nobody says

    @property
    def onnx(self):
        return self.kind == "ONNX"

    @property
    def bytes(self):
        """Bytes of the weights; None where nobody says."""
        if self.weight_bytes is None:
            return None if self.parameters is None else 4 * self.parameters
        return self.weight_bytes or None


def case(name, kind, macs, parameters, source, **more):
    """Adds the function behind it to the table."""
    def add(make):
        if name in CASES or kind not in KINDS:
            raise ValueError(f"case '{name}' of kind '{kind}': the name is taken, or the kind is unknown")
        CASES[name] = Case(name, kind, make, macs, parameters, source, **more)
        return make
    return add


def import_makers(cases):
    """What the cases are made with, so that processes forked later have it."""
    import timm  # noqa: F401
    import torchao.quantization  # noqa: F401
    import torchvision  # noqa: F401
    import transformers

    for each in cases.values():
        for name in each.imports:
            getattr(transformers, name)


def all_cases():
    """The table. The modules of cases import PyTorch only when a case is made."""
    import cases_attention  # noqa: F401
    import cases_layers  # noqa: F401
    import cases_networks  # noqa: F401
    import cases_onnx  # noqa: F401
    import cases_transformers  # noqa: F401

    return CASES
