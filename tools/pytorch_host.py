#!/usr/bin/env python3
"""Measures what the host takes to issue ops in PyTorch eager, by op class.

    pytorch_host.py OUT.json [--device cuda:0] [--seconds 20]

Needs PyTorch 2.x. OUT.json is one object: the host costs of a
calibration (issuer `pytorch`), seconds per op, and the device that ran the ops. The costs belong to
the host's CPU and to this version of PyTorch. On `cpu` the host runs what it issues: the times are
then those of the (tiny) ops, and `device` says `cpu`.

An op class is measured on a chain of 64 equal ops in modules that are written like torchvision's:
an nn.Sequential of blocks whose forward names its children one after the other. Attribute access,
__call__ and the result's release are part of the cost. The tensors are so small that the device
is done long before the host; it is idle before each timed pass, and nothing is waited for:

    inference  eval mode under torch.no_grad(), the call of the model over its ops
    forward    training mode, autograd records
    backward   once the forward's device work is done, backward() from its call to its return, over
               the ops; gradients were None before, so parameters take theirs over

Batch norm in training counts its batches, as nn.BatchNorm2d does. The residual of `binary` needs no
gradient. Second operands of matmul, einsum, attention and cat do; being leaves, they end in a node
that a network's own values lack, so its cost (an addition of a leaf less one of a constant) is
taken off. The call of the block around eight ops belongs to none of them: an eighth of
`module_call_s` is taken off each op's inference and forward, except where one chain is subtracted
from another. Some classes cannot follow themselves: a cat and a pad are cut to size by a narrow and
their cost is the pair less the narrow; a slice (`x[0]`) comes after an unsqueeze, and a view is
taken off; a copy is permute and contiguous less the permute; an in-place ReLU comes after an
addition, which is taken off. `index` is `x[indices]`, `einsum` a product of matrices that is
written as one; `shift_mask` is what torchvision's Swin does for a shifted window: it makes the mask
of 2 by 2 windows anew and adds it. A mean keeps its dimensions, as nn.AdaptiveAvgPool2d(1) does.
Casts go to bfloat16 and back; `view` is the mean of reshape, permute, transpose and flatten.
Dropout in eval mode returns its operand, which costs the host its call.

`wrapped` is what an operation of DTensors costs in addition to the plain ones that it is taken apart into:
linear layers without bias, divided among two processes, of which the other one is not there (group
"fake": collectives do nothing), by columns and by rows in turn, less the same layers of plain tensors, over the operations
of DTensors, which are counted as a recording counts them. So what makes DTensors of tensors and
tensors of DTensors is part of it. It needs PyTorch 2.5; with older versions it is left out.

`module_call_s` is what a module costs that only calls another: its lookup by name, __call__ and the
frame of its forward. Modules nested 1, 2, 4 and 8 deep around one that returns its argument are
called; the cost is the slope of the line of least squares of relative errors. It is measured under
no_grad, which no module's call tells apart from recording; backward() calls no module.

An optimizer's step includes zero_grad(set_to_none=True) of gradients that nothing else holds. Steps
over 10, 100 and 1000 tiny tensors give a fixed and a per-tensor cost: the line of least squares of
relative errors. `loss_s` is F.cross_entropy and backward() through nothing else. `step_s` is what
surrounds the ops of a step: two events made and recorded, entering torch.no_grad(), the call of an
empty nn.Sequential.

`attention_plan` is what cuDNN takes before its first attention of a length of keys that it has not
met, less a call of a length that it has; left out without a GPU or such a kernel.

`autocast` has the ops that torch.autocast changes, from bfloat16 operands: the chain's time less
that of its casts of weights and second operands, which are separate ops.

All classes take turns over many rounds: the host jitters. A cost is the first decile, what it is
when nothing else disturbs the host and equal ops follow each other. A network's ops differ, and
other programs share the host's caches and cores: each round also runs blocks of all chains in
turn. `jitter` is the median of that over the sum of the costs. The table on stderr has the medians
and the quartiles' distance as a percentage of them.
"""

import argparse
import json
import os
import pathlib
import statistics
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

BLOCKS = 8
OPS = 8  # of a block
WARM_UP_ROUNDS = 2
LEAST_ROUNDS = 5
TENSOR_COUNTS = (10, 100, 1000)
DEPTHS = (1, 2, 4, 8)
IMAGE = (1, 8, 4, 4)
TOKENS = (1, 8, 16)
HEADS = (1, 2, 8, 16)
SCORES = (1, 2, 8, 8)
ROWS = (8, 16)
MAPS = (1, 4, 4, 8)
WINDOW = 7
SHIFT = 3
WINDOW_SCORES = (4, 1, WINDOW**2, WINDOW**2)
PASSES = ("inference", "forward", "backward")
# These cost as much as ten ops: their turn would be most of the sum.
LONG = ("attention_module", "shift_mask")
# Ops that autocast changes, and how many casts it adds to one of the chain.
AUTOCAST = {"conv2d": 1, "batch_norm": 0, "layer_norm": 0, "linear": 2, "matmul": 1, "attention": 2}


class Children(nn.Module):
    """Eight children of one kind, called by name."""

    def __init__(self, make):
        super().__init__()
        self.a, self.b, self.c, self.d = make(), make(), make(), make()
        self.e, self.f, self.g, self.h = make(), make(), make(), make()

    def forward(self, x):
        x = self.a(x)
        x = self.b(x)
        x = self.c(x)
        x = self.d(x)
        x = self.e(x)
        x = self.f(x)
        x = self.g(x)
        return self.h(x)


class ChildrenOfSums(Children):
    """The same after an addition each: an op that writes into its operand cannot follow itself."""

    def __init__(self, make, operands):
        super().__init__(make)
        self.operands = operands

    def forward(self, x):
        a, b, c, d, e, f, g, h = self.operands
        x = self.a(x + a)
        x = self.b(x + b)
        x = self.c(x + c)
        x = self.d(x + d)
        x = self.e(x + e)
        x = self.f(x + f)
        x = self.g(x + g)
        return self.h(x + h)


class SelfAttentions(Children):
    """nn.MultiheadAttention as encoders call it; evaluation takes its one-call path."""

    def __init__(self):
        super().__init__(lambda: nn.MultiheadAttention(16, 2, batch_first=True))

    def forward(self, x):
        for child in (self.a, self.b, self.c, self.d, self.e, self.f, self.g, self.h):
            x = child(x, x, x, need_weights=False)[0]
        return x


class Functions(nn.Module):
    """Eight ops that torchvision writes in a forward; a turn of the loop costs the host 0.03 us."""

    def __init__(self, operands=()):
        super().__init__()
        self.operands = operands


class Additions(Functions):
    def forward(self, x):
        for operand in self.operands:
            x = x + operand
        return x


class Matmuls(Functions):
    def forward(self, x):
        for operand in self.operands:
            x = x @ operand
        return x


class Attentions(Functions):
    def forward(self, x):
        for key, value in zip(self.operands[:OPS], self.operands[OPS:]):
            x = F.scaled_dot_product_attention(x, key, value)
        return x


class Softmaxes(Functions):
    def forward(self, x):
        for _ in range(OPS):
            x = F.softmax(x, dim=-1)
        return x


class CatsAndNarrows(Functions):
    def forward(self, x):
        for operand in self.operands:
            x = torch.cat([x, operand], 1).narrow(1, 0, 8)
        return x


class Einsums(Functions):
    def forward(self, x):
        for operand in self.operands:
            x = torch.einsum("B H I D, B H D J -> B H I J", x, operand)
        return x


class PadsAndNarrows(Functions):
    def forward(self, x):
        for _ in range(OPS):
            x = F.pad(x, (0, 0, 0, 1)).narrow(1, 0, 8)
        return x


class Rolls(Functions):
    def forward(self, x):
        for _ in range(OPS):
            x = torch.roll(x, shifts=(-1, -1), dims=(1, 2))
        return x


class Slices(Functions):
    def forward(self, x):
        for _ in range(OPS):
            x = x.unsqueeze(0)[0]
        return x


class Indexes(Functions):
    """Operand: the indices."""

    def forward(self, x):
        indices, = self.operands
        for _ in range(OPS):
            x = x[indices]
        return x


class ShiftMasks(Functions):
    def forward(self, x):
        for _ in range(OPS):
            x = self.masked(x)
        return x

    def masked(self, x):
        side = 2 * WINDOW
        mask = x.new_zeros((side, side))
        parts = ((0, -WINDOW), (-WINDOW, -SHIFT), (-SHIFT, None))
        count = 0
        for rows in parts:
            for columns in parts:
                mask[rows[0] : rows[1], columns[0] : columns[1]] = count
                count += 1
        mask = mask.view(side // WINDOW, WINDOW, side // WINDOW, WINDOW)
        mask = mask.permute(0, 2, 1, 3).reshape(4, WINDOW**2)
        mask = mask.unsqueeze(1) - mask.unsqueeze(2)
        mask = mask.masked_fill(mask != 0, -100.0).masked_fill(mask == 0, 0.0)
        return x + mask.unsqueeze(1).unsqueeze(0).view(x.shape)


class Narrows(Functions):
    def forward(self, x):
        for _ in range(OPS):
            x = x.narrow(1, 0, 8)
        return x


class Views(Functions):
    def forward(self, x):
        for _ in range(OPS // 4):
            x = x.reshape(1, 8, 4, 4)
            x = torch.flatten(x, 2)
            x = x.permute(0, 2, 1)
            x = x.transpose(1, 2)
        return x


class PermutesAndCopies(Functions):
    def forward(self, x):
        for _ in range(OPS):
            x = x.permute(0, 2, 1).contiguous()
        return x


class Permutes(Functions):
    def forward(self, x):
        for _ in range(OPS):
            x = x.permute(0, 2, 1)
        return x


class Casts(Functions):
    def forward(self, x):
        for _ in range(OPS // 2):
            x = x.to(torch.bfloat16)
            x = x.to(torch.float32)
        return x


class Means(Functions):
    def forward(self, x):
        for _ in range(OPS):
            x = x.mean((2, 3), keepdim=True)
        return x


class Innermost(nn.Module):
    def forward(self, x):
        return x


class Around(nn.Module):
    """A module that does nothing but call the one inside it."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x)


def nested(depth):
    module = Innermost()
    for _ in range(depth):
        module = Around(module)
    return module


class Host:
    """Where the ops run, and how to wait for it."""

    def __init__(self, device):
        self.device = torch.device(device)
        if self.device.type == "cuda":
            torch.cuda.set_device(self.device)

    def wait(self):
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    def issue_time(self, work):
        """Seconds until `work` returns, from an idle device; and what it returns."""
        self.wait()
        begin = time.perf_counter()
        result = work()
        return time.perf_counter() - begin, result


class Chain:
    """64 ops of one kind, and the times of its passes, per op."""

    def __init__(self, host, make_block, shape, autocast=False):
        self.host = host
        self.autocast = autocast
        blocks = [make_block() for _ in range(BLOCKS)]
        self.model = nn.Sequential(*blocks).to(host.device)
        self.leaf = torch.randn(shape, device=host.device, requires_grad=True,
                                dtype=torch.bfloat16 if autocast else torch.float32)
        self.leaves = [self.leaf, *self.model.parameters()]
        self.leaves += [each for block in blocks for each in getattr(block, "operands", [])]
        self.times = {name: [] for name in PASSES}

    def precision(self):
        """A new context each time: one casts a weight once."""
        return torch.autocast(self.host.device.type, torch.bfloat16, enabled=self.autocast)

    def start_of_inference(self):
        self.model.eval()
        return self.leaf.clone()  # in-place ops write into it

    def start_of_training(self):
        self.model.train()
        for leaf in self.leaves:
            leaf.grad = None
        return self.leaf * 1.0  # in-place ops may not write into a leaf

    def measure(self):
        with torch.no_grad(), self.precision():
            x = self.start_of_inference()
            inference, _ = self.host.issue_time(lambda: self.model(x))
        with self.precision():
            start = self.start_of_training()
            forward, y = self.host.issue_time(lambda: self.model(start))
        gradient = torch.ones_like(y)
        backward, _ = self.host.issue_time(lambda: y.backward(gradient))
        for name, seconds in zip(PASSES, (inference, forward, backward)):
            self.times[name].append(seconds / (BLOCKS * OPS))


class CountOfWrapped(TorchDispatchMode):
    """Operations of tensors that consist of others (DTensor)."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if any(hasattr(kind, "__tensor_flatten__") for kind in types):
            self.count += 1
            return NotImplemented  # its own dispatch runs first; what it runs comes here
        return func(*args, **(kwargs or {}))


class CountingHost(Host):
    """Counts operations of DTensors in the place of seconds."""

    def issue_time(self, work):
        with CountOfWrapped() as mode:
            result = work()
        return mode.count, result


class DividedLinears(Chain):
    """Linear layers of a language model that are divided among two processes; `plain`: the same
    layers of plain tensors; `wrapped`: operations of DTensors per layer, by pass."""

    def __init__(self, host):
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.tensor.parallel import (ColwiseParallel, RowwiseParallel,
                                                       parallelize_module)
        from torch.testing._internal.distributed.fake_pg import FakeStore

        layers = (lambda: Children(lambda: nn.Linear(16, 16, bias=False)), TOKENS)
        super().__init__(host, *layers)
        self.plain = Chain(host, *layers)
        if not torch.distributed.is_initialized():
            torch.distributed.init_process_group("fake", rank=0, world_size=2, store=FakeStore())
        mesh = init_device_mesh(host.device.type, (2,))
        for block in self.model:
            for place, (name, _) in enumerate(block.named_children()):
                parallelize_module(block, mesh,
                                   {name: (ColwiseParallel, RowwiseParallel)[place % 2]()})
        self.leaves = [self.leaf, *self.model.parameters()]
        self.host = CountingHost(host.device)
        self.measure()
        self.host = host
        self.wrapped = {name: times.pop() for name, times in self.times.items()}


class InTurn:
    """Blocks of many chains in turn, as different ops follow each other in a network."""

    def __init__(self, host, chains):
        self.host = host
        self.chains = chains
        self.times = {name: [] for name in PASSES}

    def blocks_in_turn(self, values):
        for i in range(BLOCKS):
            for j, chain in enumerate(self.chains):
                values[j] = chain.model[i](values[j])
        return values

    def measure(self):
        with torch.no_grad():
            values = [chain.start_of_inference() for chain in self.chains]
            inference, _ = self.host.issue_time(lambda: self.blocks_in_turn(values))
        values = [chain.start_of_training() for chain in self.chains]
        forward, results = self.host.issue_time(lambda: self.blocks_in_turn(values))
        gradients = [torch.ones_like(each) for each in results]
        backward, _ = self.host.issue_time(lambda: torch.autograd.backward(results, gradients))
        for name, seconds in zip(PASSES, (inference, forward, backward)):
            self.times[name].append(seconds / (BLOCKS * OPS))


class ModuleCalls:
    """Calls of modules `depth` deep around one that does nothing."""

    def __init__(self, host, depth):
        self.host = host
        self.model = nn.Sequential(*[nested(depth) for _ in range(BLOCKS * OPS)]).eval()
        self.x = torch.zeros(IMAGE, device=host.device)
        self.times = {"step": []}

    def measure(self):
        with torch.no_grad():
            seconds, _ = self.host.issue_time(lambda: self.model(self.x))
        self.times["step"].append(seconds / (BLOCKS * OPS))


class Optimizer:
    """Steps over `count` tiny tensors."""

    def __init__(self, host, make, count):
        self.host = host
        self.parameters = [torch.zeros(8, device=host.device, requires_grad=True)
                           for _ in range(count)]
        self.optimizer = make(self.parameters)
        self.times = {"step": []}

    def measure(self):
        for parameter in self.parameters:
            parameter.grad = torch.ones_like(parameter)

        def step():
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)

        self.times["step"].append(self.host.issue_time(step)[0])


class Loss:
    """The loss of ten logits each and backward to them."""

    def __init__(self, host):
        self.host = host
        self.logits = torch.randn(8, 10, device=host.device, requires_grad=True)
        self.labels = torch.randint(10, (8,), device=host.device)
        self.times = {"step": []}

    def measure(self):
        self.logits.grad = None
        self.times["step"].append(self.host.issue_time(
            lambda: F.cross_entropy(self.logits, self.labels).backward())[0])


class EmptySteps:
    """What surrounds the ops of a step."""

    COUNT = 100

    def __init__(self, host):
        self.host = host
        self.model = nn.Sequential()
        self.x = torch.zeros(IMAGE, device=host.device)
        self.times = {"step": []}

    def mark(self):
        if self.host.device.type != "cuda":
            return time.perf_counter()
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def measure(self):
        def steps():
            marks = []
            for _ in range(self.COUNT):
                first = self.mark()
                with torch.no_grad():
                    self.model(self.x)
                marks.append((first, self.mark()))
            return marks

        self.times["step"].append(self.host.issue_time(steps)[0] / self.COUNT)


def blocks_on(host):
    """How to make a block, and its operand's shape, by op class; those with a blank in their names
    are only taken off others."""

    def tensors(count, shape, gradient=True):
        return [torch.randn(shape, device=host.device, requires_grad=gradient)
                for _ in range(count)]

    children = {
        "conv2d": (lambda: nn.Conv2d(8, 8, 3, padding=1, bias=False), IMAGE),
        "batch_norm": (lambda: nn.BatchNorm2d(8), IMAGE),
        "layer_norm": (lambda: nn.LayerNorm(16), TOKENS),
        "linear": (lambda: nn.Linear(16, 16), (8, 16)),
        "pool": (lambda: nn.MaxPool2d(3, stride=1, padding=1), IMAGE),
        "dropout": (lambda: nn.Dropout(0.1), TOKENS),
    }
    functions = {
        "matmul": (lambda: Matmuls(tensors(OPS, (1, 2, 8, 8))), SCORES),
        "attention": (lambda: Attentions(tensors(2 * OPS, HEADS)), HEADS),
        "attention_module": (SelfAttentions, TOKENS),
        "unary": (lambda: ChildrenOfSums(lambda: nn.ReLU(inplace=True),
                                         tensors(OPS, IMAGE, gradient=False)), IMAGE),
        "binary": (lambda: Additions(tensors(OPS, IMAGE, gradient=False)), IMAGE),
        "binary with leaf": (lambda: Additions(tensors(OPS, IMAGE)), IMAGE),
        "softmax": (Softmaxes, TOKENS),
        "cat": (lambda: CatsAndNarrows(tensors(OPS, TOKENS)), TOKENS),
        "plain narrow": (Narrows, TOKENS),
        "einsum": (lambda: Einsums(tensors(OPS, (1, 2, 8, 8))), SCORES),
        "pad": (PadsAndNarrows, TOKENS),
        "roll": (Rolls, MAPS),
        "slice": (Slices, TOKENS),
        "index": (lambda: Indexes([torch.arange(8, device=host.device)]), ROWS),
        "shift_mask": (ShiftMasks, WINDOW_SCORES),
        "view": (Views, TOKENS),
        "copy": (PermutesAndCopies, TOKENS),
        "plain permute": (Permutes, TOKENS),
        "cast": (Casts, TOKENS),
        "reduce": (Means, IMAGE),
    }
    blocks = {name: (lambda make=make: Children(make), shape)
              for name, (make, shape) in children.items()}
    return {**blocks, **functions}


def divided_linears(host):
    """None where this PyTorch has no DTensor or no group without a network."""
    try:
        return DividedLinears(host)
    except (ImportError, RuntimeError) as error:
        print(f"pytorch_host.py: operations of DTensors are left out: {error}", file=sys.stderr)
        return None


def optimizers_on(host):
    makers = {
        "sgd-momentum": lambda parameters: torch.optim.SGD(parameters, lr=0.01, momentum=0.9),
        "sgd": lambda parameters: torch.optim.SGD(parameters, lr=0.01),
        "adam": lambda parameters: torch.optim.Adam(parameters, lr=0.001),
    }
    return {name: {count: Optimizer(host, make, count) for count in TENSOR_COUNTS}
            for name, make in makers.items()}


def undisturbed(times):
    """The first decile: whatever else the machine does can only add."""
    return statistics.quantiles(times, n=10)[0]


def costs(item):
    return {name: undisturbed(times) for name, times in item.times.items()}


def jitter_of(in_turn):
    """What different ops met, over what equal ops take on an undisturbed host."""
    met = statistics.median(map(sum, zip(*in_turn.times.values())))
    return met / sum(sum(costs(chain).values()) for chain in in_turn.chains)


def costs_by_class(chains, module_call):
    """Seconds per op; a difference that the jitter swallowed is left out."""
    raw = {name: costs(chain) for name, chain in chains.items()}
    leaf = max(0.0, raw["binary with leaf"]["backward"] - raw["binary"]["backward"])
    leaves = {"matmul": 1, "einsum": 1, "attention": 2, "cat": 1}
    cut = {"cat": "plain narrow", "pad": "plain narrow", "slice": "view", "copy": "plain permute",
           "unary": "binary"}
    ops = {}
    for name, times in raw.items():
        if " " in name:
            continue
        cost = {}
        for pass_name in PASSES:
            seconds = times[pass_name]
            if name in cut:
                seconds -= raw[cut[name]][pass_name]
            elif pass_name != "backward":
                seconds -= module_call / OPS
            if pass_name == "backward":
                seconds -= leaves.get(name, 0) * leaf
            if seconds > 0.0:
                cost[f"{pass_name}_s"] = rounded(seconds)
        if "inference_s" in cost:
            ops[name] = cost
        else:
            print(f"pytorch_host.py: {name} is lost in the jitter and left out", file=sys.stderr)
    return ops


def cost_of_wrapped(divided):
    """Seconds per operation of DTensors."""
    ours, plain = costs(divided), costs(divided.plain)
    return {f"{name}_s": rounded((ours[name] - plain[name]) / divided.wrapped[name])
            for name in PASSES}


def costs_in_autocast(chains, ops, module_call):
    """Seconds per op of AUTOCAST, without its casts; nothing where the cost of a cast is unknown."""
    if "cast" not in ops:
        return {}

    def without_casts(name, pass_name, seconds):
        casts = AUTOCAST[name] * ops["cast"].get(f"{pass_name}_s", 0.0)
        return seconds - casts - (0.0 if pass_name == "backward" else module_call / OPS)

    own = {name: {pass_name: without_casts(name, pass_name, seconds)
                  for pass_name, seconds in costs(chain).items()}
           for name, chain in chains.items()}
    for name, cost in own.items():
        if min(cost.values()) <= 0.0:
            print(f"pytorch_host.py: {name} in autocast is lost in the jitter and left out", file=sys.stderr)
    return {name: {f"{pass_name}_s": rounded(seconds) for pass_name, seconds in cost.items()}
            for name, cost in own.items() if min(cost.values()) > 0.0}


def line_through(times):
    """Fixed seconds and those for each: least squares of (fixed + count * each) / time - 1."""
    weights = [(1.0 / seconds, count / seconds) for count, seconds in times.items()]
    aa = sum(a * a for a, _ in weights)
    ab = sum(a * b for a, b in weights)
    bb = sum(b * b for _, b in weights)
    a1, b1 = sum(a for a, _ in weights), sum(b for _, b in weights)
    determinant = aa * bb - ab * ab
    return (a1 * bb - b1 * ab) / determinant, (b1 * aa - a1 * ab) / determinant


def module_call_of(calls):
    """Seconds of one more module around the others; 0 where the jitter swallowed them."""
    _, each = line_through({depth: costs(item)["step"] for depth, item in calls.items()})
    if each <= 0.0:
        print("pytorch_host.py: calls of modules are lost in the jitter and left out",
              file=sys.stderr)
    return max(each, 0.0)


def attention_plan_of(device, lengths=range(1000, 1000 + 9)):
    """Seconds of cuDNN's plan for a length of keys that it has not met; None: it has no attention.

    The first call of each length less the median of those that follow, median over the lengths.
    """
    try:
        from torch.nn.attention import SDPBackend, sdpa_kernel
        backend = SDPBackend.CUDNN_ATTENTION
    except (ImportError, AttributeError):
        return None
    if device.type != "cuda":
        return None
    query = torch.randn(1, 8, 1, 64, device=device, dtype=torch.bfloat16)
    plans = []
    try:
        with torch.no_grad(), sdpa_kernel(backend):
            for length in lengths:
                keys = torch.randn(1, 8, length, 64, device=device, dtype=torch.bfloat16)
                torch.cuda.synchronize(device)
                times = []
                for _ in range(6):
                    begin = time.perf_counter()
                    F.scaled_dot_product_attention(query, keys, keys)
                    times.append(time.perf_counter() - begin)
                plans.append(times[0] - statistics.median(times[1:]))
    except RuntimeError:
        return None
    return statistics.median(plans[1:])  # the first call loads the library


def rounded(seconds):
    return float(f"{seconds:.4g}")


def cpu_name():
    try:
        with open("/proc/cpuinfo") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return "unknown"


def spread_of(times):
    """Distance of the quartiles over the median, in percent."""
    low, middle, high = statistics.quantiles(times, n=4)
    return 100.0 * (high - low) / middle


def print_table(probe):
    def cell(times):
        return f"{statistics.median(times) * 1e6:10.2f} us {spread_of(times):4.0f} %"

    def line(name, item):
        print(f"{name:24}" + "".join(cell(times) for times in item.times.values()),
              file=sys.stderr)

    print(f"{probe.rounds()} rounds; medians, before anything is taken off", file=sys.stderr)
    for name, chain in probe.chains.items():
        line(name, chain)
    for name, chain in probe.autocast.items():
        line(f"{name} in autocast", chain)
    if probe.divided is not None:
        line("linear of DTensors", probe.divided)
        line("the same, plain", probe.divided.plain)
    for name, by_count in probe.optimizers.items():
        for count, item in by_count.items():
            line(f"{name} {count}", item)
    for depth, item in probe.calls.items():
        line(f"modules nested {depth}", item)
    for name, item in probe.others.items():
        line(name, item)


class HostProbe:
    """All that is measured, round by round; whoever measures something else may take turns."""

    def __init__(self, device):
        torch.manual_seed(0)
        self.host = Host(device)
        blocks = blocks_on(self.host)
        self.chains = {name: Chain(self.host, *block) for name, block in blocks.items()}
        self.autocast = {name: Chain(self.host, *blocks[name], autocast=True) for name in AUTOCAST}
        self.in_turn = InTurn(self.host, [chain for name, chain in self.chains.items()
                                          if name not in LONG])
        self.divided = divided_linears(self.host)
        self.optimizers = optimizers_on(self.host)
        self.calls = {depth: ModuleCalls(self.host, depth) for depth in DEPTHS}
        self.others = {"loss": Loss(self.host), "empty step": EmptySteps(self.host),
                       "in turn": self.in_turn}
        self.items = [*self.chains.values(), *self.autocast.values(), *self.calls.values(),
                      *self.others.values()]
        self.items += [item for by_count in self.optimizers.values() for item in by_count.values()]
        if self.divided is not None:
            self.items += [self.divided, self.divided.plain]
        for _ in range(WARM_UP_ROUNDS):
            self.measure_round()
        for item in self.items:
            for times in item.times.values():
                times.clear()

    def measure_round(self):
        for item in self.items:
            item.measure()

    def rounds(self):
        return len(self.in_turn.times["inference"])

    def costs(self):
        """The host costs of a calibration, as OUT.json has them."""
        while self.rounds() < LEAST_ROUNDS:
            self.measure_round()
        print_table(self)
        module_call = module_call_of(self.calls)
        lines = {name: line_through({count: costs(item)["step"]
                                     for count, item in by_count.items()})
                 for name, by_count in self.optimizers.items()}
        ops = costs_by_class(self.chains, module_call)
        plan = attention_plan_of(self.host.device)
        if plan is not None and plan > 0.0:
            ops["attention_plan"] = {"inference_s": rounded(plan)}
        if self.divided is not None:
            ops["wrapped"] = cost_of_wrapped(self.divided)
        return {
            "issuer": "pytorch",
            "version": str(torch.__version__),
            "cpu": cpu_name(),
            "device": ("cpu" if self.host.device.type == "cpu" else
                       torch.cuda.get_device_name(self.host.device)),
            "ops": ops,
            "autocast": costs_in_autocast(self.autocast, ops, module_call),
            "optimizer_fixed_s": {name: rounded(fixed) for name, (fixed, _) in lines.items()},
            "optimizer_per_tensor_s": {name: rounded(each) for name, (_, each) in lines.items()},
            "loss_s": rounded(costs(self.others["loss"])["step"]),
            "step_s": rounded(costs(self.others["empty step"])["step"]),
            "module_call_s": rounded(module_call) if module_call > 0.0 else None,
            "jitter": rounded(max(1.0, jitter_of(self.in_turn))),
        }


def host_costs(device, seconds):
    """The host costs of a calibration, measured for so long."""
    begin = time.perf_counter()
    probe = HostProbe(device)
    while time.perf_counter() - begin < seconds:
        probe.measure_round()
    return probe.costs()


def main():
    parser = argparse.ArgumentParser(description="What PyTorch eager costs the host, by op class.")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--device", default="cuda:0" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--seconds", type=float, default=20.0)
    arguments = parser.parse_args()
    if not hasattr(F, "scaled_dot_product_attention"):
        parser.error(f"PyTorch 2.0 or later is needed, this is {torch.__version__}")
    if arguments.device.startswith("cuda") and not torch.cuda.is_available():
        parser.error("PyTorch sees no CUDA device; --device cpu measures the CPU")
    result = host_costs(arguments.device, arguments.seconds)
    scratch = arguments.out.with_name(arguments.out.name + ".part")
    scratch.write_text(json.dumps(result, indent=2) + "\n")
    os.replace(scratch, arguments.out)


if __name__ == "__main__":
    sys.exit(main())
