"""ONNX files with control flow:  onnx_loops.py CASE FOLDER

script   torch.jit.script and the old exporter: a loop of a fixed number, which it unrolls,
         Loop over steps, Loop while, If
dynamo   torch.export and the new exporter: torch.cond, while_loop, scan
"""

import sys
from pathlib import Path

import torch
from torch import nn

from exported_networks import BATCH, made, parameters_of
from onnx_truth import tell_file
from truths import tell, tell_versions

WIDTH, TIMES = 32, 5


class Repeated(nn.Module):
    """One layer, called a fixed number of times."""

    inputs = (torch.ones(BATCH, WIDTH),)
    calls = TIMES
    sizes = {}

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(WIDTH, WIDTH)

    def forward(self, values):
        for _ in range(5):
            values = torch.tanh(self.layer(values))
        return values


class Steps(Repeated):
    """Called for each step of an input whose number of steps is open."""

    inputs = (torch.ones(TIMES, BATCH, WIDTH),)
    sizes = {"steps": TIMES}

    def forward(self, steps):
        state = torch.zeros(2, 32)
        for number in range(steps.size(0)):
            state = torch.tanh(self.layer(steps[number]) + state)
        return state


class UntilLarge(Repeated):
    """Called until a value says that it is enough: `calls` times with ones as the input."""

    calls = 3

    def forward(self, values):
        count = torch.zeros((), dtype=torch.int64)
        while bool(count < values.sum().clamp(3, 3)):
            values = torch.tanh(self.layer(values))
            count = count + 1
        return values


class Branched(Repeated):
    """Called in one of two branches, twice in the other."""

    calls = 2

    def forward(self, values):
        if bool(values.sum() > 0):
            values = torch.tanh(self.layer(self.layer(values)))
        else:
            values = torch.tanh(self.layer(values))
        return values


class Condition(Repeated):
    """torch.cond."""

    calls = 2

    def forward(self, values):
        return torch.cond(
            values.sum() > 0,
            lambda given: self.layer(self.layer(given)).tanh(),
            lambda given: self.layer(given).tanh(),
            (values,),
        )


class WhileLoop(Repeated):
    """while_loop of a fixed number of calls."""

    def forward(self, values):
        from torch._higher_order_ops.while_loop import while_loop

        def body(count, given):
            return count + 1, self.layer(given).tanh()

        return while_loop(
            lambda count, given: count < TIMES, body, (torch.zeros((), dtype=torch.int64), values)
        )[1]


class Scanned(Repeated):
    """scan over the steps of an input, as a recurrent layer by hand."""

    inputs = (torch.ones(TIMES, BATCH, WIDTH),)

    def forward(self, steps):
        from torch._higher_order_ops.scan import scan

        def step(state, given):
            after = torch.tanh(self.layer(given) + state)
            return after, after.clone()

        return scan(step, steps.new_zeros(BATCH, WIDTH), steps)[0]


def told(folder, file, network):
    tell(file, "parameters", parameters_of(network), "PyTorch")
    tell(file, "matrix_flop", network.calls * 2 * BATCH * WIDTH * WIDTH, "formula")
    tell_file(folder / file, network.sizes, weights=False)
    tell_versions(file, "torch", "onnx", "onnxruntime")


def script(folder):
    for name, kind in (
        ("unrolled", Repeated),
        ("loop", Steps),
        ("while", UntilLarge),
        ("if", Branched),
    ):
        file, network = f"script-{name}.onnx", made(kind)
        torch.onnx.export(
            torch.jit.script(network),
            kind.inputs,
            str(folder / file),
            opset_version=17,
            input_names=["values"],
            dynamic_axes={"values": {0: size for size in kind.sizes}},
        )
        told(folder, file, network)


def dynamo(folder):
    for name, kind in (("cond", Condition), ("while", WhileLoop), ("scan", Scanned)):
        file, network = f"dynamo-{name}.onnx", made(kind)
        torch.onnx.export(
            network, kind.inputs, str(folder / file), dynamo=True, external_data=False
        )
        told(folder, file, network)


if __name__ == "__main__":
    globals()[sys.argv[1]](Path(sys.argv[2]))
