#!/usr/bin/env python3
"""Records what PyTorch really executes and keeps, op by op, as truth for the schedule's lowering.

    torchvision_trace.py OUT [--networks NAME,...] [--batch N] [--limit SECONDS] [--device cuda]

Needs PyTorch 2.1 or later and torchvision; downloads nothing. Two gzip files of JSON lines; a run
that is cut short keeps the networks it finished.

OUT/ops.jsonl.gz: the ATen ops below autograd and autocast, in the order of execution. A line with
`network`, `precision` (fp32, amp, bf16), `phase` (training, inference), `batch` opens a list; then
one line per op:

  i      index within the list
  pass   forward, loss, backward, optimizer (one SGD step, momentum 0.9, state warm)
  op     aten name with overload
  scope  module path (forward), class of the autograd node (backward)
  seq    autograd sequence number: a backward op and the forward op whose node it is share it
         (several forward ops inside one node share it as well); absent without a node
  in     tensors among the arguments, in order, those in lists included: [dtype, sizes, layout];
         a third item is the strides where the tensor is not contiguous in the plain order
         ("cl" for channels-last)
  args   the other arguments, tensors shown as "#k" (k-th of `in`); defaults are absent
  out    like `in`, and a fourth item k where the output shares the storage of the k-th input
  mem    bytes requested from the allocator and alive after the op (its inputs still held), minus
         what was before the list; free of rounding (CUDA only)
  peak   largest requested during the op, above max(before, after): its workspace (CUDA only)

OUT/saved.jsonl.gz: what autograd saved in one training-mode forward. The opening line has also
`saved_bytes` and `saved_booked`: unique storages, parameters, buffers and the network's input
excluded, output included, plain and rounded up to 512 each; and `output_storage`. Then one line per
saved tensor:

  i, scope   order and module path
  op         the last op begun before the save, as an index among the forward ops of ops.jsonl.gz
             without aten.detach (which saving itself causes there, and hooks avoid here): a node's
             inputs are saved before its op begins, its outputs after
  t          [dtype, sizes, layout] as above
  bytes      of the storage
  storage    number of the storage, shared by aliases; negative for what is not an activation
  owner      "input", "parameter:<name>" or "buffer:<name>" for those
"""

import argparse
import gzip
import json
import pathlib
import sys
import time

import torch
import torch.nn.functional as F
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map

from torchvision_memory import Allocator, forward, loss_of, set_tf32
from torchvision_networks import BY_NAME, build, round_up

DEFAULT = """resnet18 convnext_tiny vit_b_16 efficientnet_b0 googlenet densenet121
mobilenet_v3_large alexnet vgg11_bn googlenet_aux inception_v3 squeezenet1_0 mobilenet_v2
shufflenet_v2_x1_0 resnext50_32x4d regnet_y_400mf mnasnet1_0""".split()

SHORT = {torch.float32: "f32", torch.bfloat16: "bf16", torch.float16: "f16", torch.float64: "f64"}


def dtype_name(dtype):
    return SHORT.get(dtype) or str(dtype).replace("torch.", "").replace("int", "i")


def brief(tensor):
    """[dtype, sizes] and, unless contiguous in the plain order, the layout."""
    text = [dtype_name(tensor.dtype), list(tensor.shape)]
    if not tensor.is_contiguous():
        last = tensor.dim() == 4 and tensor.is_contiguous(memory_format=torch.channels_last)
        text.append("cl" if last else list(tensor.stride()))
    return text


def storage_key(tensor):
    return tensor.untyped_storage().data_ptr()


def plain(value):
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, torch.dtype):
        return dtype_name(value)
    return str(value)


class Scopes:
    """The path of the module whose forward runs now."""

    def __init__(self, model):
        self.stack = [""]
        self.handles = []
        for name, module in model.named_modules():
            enter = lambda *_, name=name: self.stack.append(name)
            self.handles.append(module.register_forward_pre_hook(enter))
            self.handles.append(module.register_forward_hook(self.leave))

    def leave(self, *_):
        self.stack.pop()  # and return None: a hook's result would replace the module's output

    def now(self):
        return self.stack[-1]

    def remove(self):
        for handle in self.handles:
            handle.remove()


class OpList(TorchDispatchMode):
    """Records every op that reaches the backend's dispatch key."""

    def __init__(self, scopes, memory):
        super().__init__()
        self.scopes, self.memory = scopes, memory
        self.phase = "forward"
        self.lines = []
        self.base = memory.requested()

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        line = dict(i=len(self.lines), op=str(function))
        line["pass"] = self.phase
        self.lines.append(line)  # before the call, so that a save during it sees this index
        self.describe_place(line)
        inputs = [t for t in tree_flatten((args, kwargs))[0] if isinstance(t, torch.Tensor)]
        line["in"] = [brief(t) for t in inputs]
        keys = [storage_key(t) for t in inputs]
        line["args"] = self.describe_arguments(args, kwargs)
        before = self.memory.requested()
        self.memory.restart_peak()
        result = function(*args, **kwargs)
        line["out"] = []
        for tensor in tree_flatten(result)[0]:
            if not isinstance(tensor, torch.Tensor):
                continue
            text = brief(tensor)
            key = storage_key(tensor)
            if key in keys and key != 0:
                text = (text + [None])[:3] + [keys.index(key)]
            line["out"].append(text)
        if self.memory.cuda:
            after = self.memory.requested()
            line["mem"] = after - self.base
            line["peak"] = max(0, self.memory.requested("peak") - max(before, after))
        return result

    def describe_place(self, line):
        node = getattr(torch._C, "_current_autograd_node", lambda: None)()
        if self.phase == "backward" and node is not None:
            line["scope"] = node.name()
            line["seq"] = node._sequence_nr()
        else:
            line["scope"] = self.scopes.now()
            if self.phase in ("forward", "loss") and torch.is_grad_enabled():
                # The node of a differentiable op is made just before its op is dispatched.
                line["seq"] = torch.autograd._get_sequence_nr() - 1

    @staticmethod
    def describe_arguments(args, kwargs):
        counter = iter(range(1 << 30))
        mark = lambda v: f"#{next(counter)}" if isinstance(v, torch.Tensor) else v
        args, kwargs = tree_map(mark, (args, kwargs))
        text = [plain(v) for v in args]
        if kwargs:
            text.append({k: plain(v) for k, v in kwargs.items()})
        return text


class SavedList:
    """Collects what autograd saves; keeps it alive, so that storages stay distinct."""

    def __init__(self, scopes, ops, owners):
        self.scopes, self.ops, self.owners = scopes, ops, owners
        self.lines, self.kept, self.numbers = [], [], {}

    def number(self, tensor):
        key = storage_key(tensor)
        if key not in self.numbers:
            count = len(self.numbers) + 1
            self.numbers[key] = -count if key in self.owners else count
        return self.numbers[key]

    def pack(self, tensor):
        begun = sum(line["op"] != "aten.detach.default" for line in self.ops.lines)
        line = dict(i=len(self.lines), scope=self.scopes.now(), op=begun - 1)
        line["t"] = brief(tensor)
        line["bytes"] = tensor.untyped_storage().nbytes()
        line["storage"] = self.number(tensor)
        if storage_key(tensor) in self.owners:
            line["owner"] = self.owners[storage_key(tensor)]
        self.lines.append(line)
        self.kept.append(tensor)
        return tensor


def saved_tensors(model, image, precision, device, header):
    memory = Allocator(device)
    scopes = Scopes(model)
    ops = OpList(scopes, memory)
    owners = {storage_key(image): "input"}
    owners.update({storage_key(t): f"buffer:{n}" for n, t in model.named_buffers()})
    owners.update({storage_key(t): f"parameter:{n}" for n, t in model.named_parameters()})
    saved = SavedList(scopes, ops, owners)
    with torch.autograd.graph.saved_tensors_hooks(saved.pack, lambda tensor: tensor), ops:
        output = forward(model, image, precision, device)
    scopes.remove()
    storages = {}
    outputs = [t for t in tree_flatten(output)[0] if isinstance(t, torch.Tensor)]
    for tensor in saved.kept + outputs:
        if storage_key(tensor) not in owners:
            storages[storage_key(tensor)] = tensor.untyped_storage().nbytes()
    header = dict(
        header,
        saved_bytes=sum(storages.values()),
        saved_booked=sum(round_up(size) for size in storages.values()),
        output_storage=[saved.number(t) for t in outputs],
    )
    return [header] + saved.lines


def training_ops(model, image, target, precision, device, header):
    memory = Allocator(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    for _ in range(2):  # momentum and workspaces exist from then on
        optimizer.zero_grad(set_to_none=True)
        loss_of(forward(model, image, precision, device), target).backward()
        optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    memory.settle()
    scopes = Scopes(model)
    ops = OpList(scopes, memory)
    with ops:
        output = forward(model, image, precision, device)
        ops.phase = "loss"
        loss = loss_of(output, target)
        del output
        ops.phase = "backward"
        loss.backward()
        ops.phase = "optimizer"
        optimizer.step()
    scopes.remove()
    optimizer.zero_grad(set_to_none=True)
    return [header] + ops.lines


def inference_ops(model, image, precision, device, header):
    memory = Allocator(device)
    model.eval()
    with torch.no_grad():
        forward(model, image, precision, device)
        memory.settle()
        scopes = Scopes(model)
        ops = OpList(scopes, memory)
        with ops:
            forward(model, image, precision, device)
    scopes.remove()
    model.train()
    return [header] + ops.lines


def write(file, lines):
    for line in lines:
        file.write(json.dumps(line, separators=(",", ":")) + "\n")
    file.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--networks", default=",".join(DEFAULT))
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--limit", type=float, default=1e9, help="start no network after SECONDS")
    parser.add_argument("--device", default="cuda", help="cpu rehearses the logic")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    device = options.device
    set_tf32(False)
    with gzip.open(options.out / "ops.jsonl.gz", "wt") as ops_file, gzip.open(
        options.out / "saved.jsonl.gz", "wt"
    ) as saved_file:
        for name in options.networks.split(","):
            elapsed = time.monotonic() - start
            if elapsed > options.limit:
                print(f"time limit: stopped before {name}", file=sys.stderr)
                break
            network = BY_NAME[name]
            for precision in ("fp32", "amp", "bf16"):
                try:
                    model = build(network, device)
                    dtype = torch.float32
                    if precision == "bf16":
                        dtype = torch.bfloat16
                        model.to(dtype)
                    side = network.image
                    image = torch.randn(options.batch, 3, side, side, device=device, dtype=dtype)
                    target = torch.randint(0, 1000, (options.batch,), device=device)
                    header = dict(network=name, precision=precision, batch=options.batch)
                    training = dict(header, phase="training")
                    lists = training_ops(model, image, target, precision, device, training)
                    write(ops_file, lists)
                    write(saved_file, saved_tensors(model, image, precision, device, training))
                    inference = dict(header, phase="inference")
                    write(ops_file, inference_ops(model, image, precision, device, inference))
                except Exception as error:  # one failure must not lose the others
                    failed = dict(network=name, precision=precision, error=str(error)[:500])
                    write(ops_file, [failed])
                    print(failed, file=sys.stderr, flush=True)
            print(f"{elapsed:7.1f} s  {name}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
