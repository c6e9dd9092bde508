#!/usr/bin/env python3
"""Measures what torchvision networks allocate on a CUDA device, as truth for the memory model.

    torchvision_memory.py OUT [--networks NAME,...] [--part K/N] [--limit SECONDS] [--device cuda]

Needs PyTorch 2.1 or later and torchvision; downloads nothing. Rows are appended as they come, so a
run that is cut short keeps what it has. Several processes may share a device (each takes its
--part); only `device_used` then counts the others as well.

OUT/memory.csv, one row per network, batch and precision. All sizes in bytes, counted two ways:
plain columns as torch.cuda.memory_allocated counts (each tensor rounded up to 512, and a cached
block whose rest would be under 1 MiB is booked whole, so the figure moves by some MB with what
ran before); columns that end in `_requested` as tensors and workspaces asked for them, which
repeats to the byte.

  network, image, batch    row name (torchvision_networks.py), input side, batch size
  precision                fp32 (TF32 off), tf32, amp (autocast to bf16), bf16 (module and input)
  parameters               elements
  parameter_bytes, buffer_bytes, input_bytes
  base                     allocated before the measured pass: module, momentum, input, target and
                           resident library workspaces; gradients freed
  resident_workspace       base_requested minus the tensors just named: what cuBLAS keeps (one
                           workspace per thread that called it, the backward thread included)
  saved                    allocated after a training-mode forward (output kept, autocast left)
                           minus base
  forward_peak             largest allocated during that forward, minus base
  step_forward             a training step (SGD with momentum 0.9, cross-entropy on the main head):
                           allocated after forward and loss, minus base
  step_forward_peak, step_backward_peak, step_optimizer_peak
                           largest allocated within forward and loss, backward, optimizer, each
                           minus base
  step_gradients           allocated after backward, output and loss dropped, minus base
  step_peak                largest over the whole step, not reduced by base
  step_reserved            largest reserved over a step that began with an empty cache
  device_used              used on the device after that step, context and other processes included
  inference_output         eval mode, no_grad: allocated after forward (output kept), minus its base
  inference_peak           largest allocated during it, minus its base
  status                   ok, or the error of the part that failed (its columns are empty)

OUT/optimizers.csv: per network (fp32, batch 8) and optimizer, the state's bytes and what one warm
optimizer step needs at most besides (both as requested).

OUT/environment.json: device, versions, and what the context alone takes.
"""

import argparse
import csv
import gc
import json
import pathlib
import sys
import time

import torch
import torch.nn.functional as F
import torchvision

from torchvision_networks import BY_NAME, NETWORKS, build, logits

PRECISIONS = ("fp32", "tf32", "amp", "bf16")  # bf16 last: it converts the module for good
SECOND_BATCH = 32
TWO_BATCHES = ("resnet18", "resnet50", "vit_b_16", "convnext_tiny", "efficientnet_b0")
OPTIMIZER_NETWORKS = ("resnet18", "vgg16", "vit_b_16")

COLUMNS = """network image batch precision parameters parameter_bytes buffer_bytes input_bytes base
resident_workspace saved forward_peak step_forward step_forward_peak step_backward_peak
step_optimizer_peak step_gradients step_peak step_reserved device_used inference_output
inference_peak base_requested saved_requested forward_peak_requested step_forward_requested
step_forward_peak_requested step_backward_peak_requested step_optimizer_peak_requested
step_gradients_requested step_peak_requested inference_output_requested inference_peak_requested
status""".split()


class Allocator:
    """The caching allocator's counters; zero on a CPU, where only the logic can be rehearsed."""

    def __init__(self, device):
        self.cuda = device == "cuda"

    def settle(self):
        gc.collect()
        if self.cuda:
            torch.cuda.synchronize()

    def allocated(self):
        return torch.cuda.memory_allocated() if self.cuda else 0

    def requested(self, which="current"):
        """Bytes that tensors asked for, current or peak: free of rounding and unsplit blocks."""
        if not self.cuda:
            return 0
        return torch.cuda.memory_stats_as_nested_dict()["requested_bytes"]["all"][which]

    def restart_peak(self):
        if self.cuda:
            torch.cuda.reset_peak_memory_stats()

    def peak(self):
        return torch.cuda.max_memory_allocated() if self.cuda else 0

    def reserved_peak(self):
        return torch.cuda.max_memory_reserved() if self.cuda else 0

    def drop_cache(self, workspaces=False):
        gc.collect()
        if self.cuda:
            torch.cuda.synchronize()
            if workspaces:
                torch._C._cuda_clearCublasWorkspaces()
            torch.cuda.empty_cache()

    def device_used(self):
        if not self.cuda:
            return 0
        free, total = torch.cuda.mem_get_info()
        return total - free


class Rows:
    """A CSV file that is complete after every row."""

    def __init__(self, path, columns):
        self.columns = columns
        self.file = open(path, "w", newline="")
        self.writer = csv.DictWriter(self.file, columns)
        self.writer.writeheader()

    def add(self, row):
        self.writer.writerow(row)
        self.file.flush()


def set_tf32(allowed):
    torch.backends.cuda.matmul.allow_tf32 = allowed
    torch.backends.cudnn.allow_tf32 = allowed


def forward(model, image, precision, device):
    with torch.autocast(device, dtype=torch.bfloat16, enabled=precision == "amp"):
        return model(image)


def loss_of(output, target):
    # Outside autocast's region, so the cast to float32 that autocast would insert is spelled out.
    return F.cross_entropy(logits(output).float(), target)


def bytes_of(tensors):
    return sum(t.numel() * t.element_size() for t in tensors)


def note(row, memory, column, base, peak=False):
    """Writes a difference to `base` (allocated, requested) under both ways of counting."""
    row[column] = (memory.peak() if peak else memory.allocated()) - base[0]
    row[column + "_requested"] = memory.requested("peak" if peak else "current") - base[1]


def measure(model, network, batch, precision, device):
    """One row. The module keeps its device; its dtype has to fit `precision` already."""
    memory = Allocator(device)
    memory.drop_cache(workspaces=True)
    set_tf32(precision == "tf32")
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    side = network.image
    image = torch.randn(batch, 3, side, side, device=device, dtype=dtype)
    target = torch.randint(0, 1000, (batch,), device=device)
    model.train()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    parameters = list(model.parameters())
    buffers = list(model.buffers())
    row = dict(
        network=network.name,
        image=side,
        batch=batch,
        precision=precision,
        parameters=sum(p.numel() for p in parameters),
        parameter_bytes=bytes_of(parameters),
        buffer_bytes=bytes_of(buffers),
        input_bytes=bytes_of([image]),
        status="ok",
    )

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(forward(model, image, precision, device), target)
        loss.backward()
        del loss
        optimizer.step()

    try:
        for _ in range(2):
            step()
        optimizer.zero_grad(set_to_none=True)
        memory.settle()

        # The forward pass alone: what autograd keeps alive, output included.
        base = memory.allocated(), memory.requested()
        momentum = [s["momentum_buffer"] for s in optimizer.state.values()]
        row["base"], row["base_requested"] = base
        named = parameters + buffers + momentum + [image, target]
        row["resident_workspace"] = base[1] - bytes_of(named)
        memory.restart_peak()
        output = forward(model, image, precision, device)
        memory.settle()
        note(row, memory, "saved", base)
        note(row, memory, "forward_peak", base, peak=True)
        del output

        # A whole step, its three parts apart.
        memory.settle()
        base = memory.allocated(), memory.requested()
        memory.restart_peak()
        output = forward(model, image, precision, device)
        loss = loss_of(output, target)
        memory.settle()
        note(row, memory, "step_forward", base)
        note(row, memory, "step_forward_peak", base, peak=True)
        memory.restart_peak()
        loss.backward()
        memory.settle()
        note(row, memory, "step_backward_peak", base, peak=True)
        del output, loss
        memory.settle()
        note(row, memory, "step_gradients", base)
        memory.restart_peak()
        optimizer.step()
        memory.settle()
        note(row, memory, "step_optimizer_peak", base, peak=True)

        # The step again, as one, from an empty cache.
        optimizer.zero_grad(set_to_none=True)
        memory.drop_cache()
        memory.restart_peak()
        step()
        memory.settle()
        note(row, memory, "step_peak", (0, 0), peak=True)
        row["step_reserved"] = memory.reserved_peak()
        row["device_used"] = memory.device_used()
        optimizer.zero_grad(set_to_none=True)

        # Inference. The optimizer's state stays; only differences are reported.
        model.eval()
        with torch.no_grad():
            forward(model, image, precision, device)
            memory.settle()
            base = memory.allocated(), memory.requested()
            memory.restart_peak()
            output = forward(model, image, precision, device)
            memory.settle()
            note(row, memory, "inference_output", base)
            note(row, memory, "inference_peak", base, peak=True)
    except Exception as error:  # one network's failure must not lose the others
        row["status"] = f"{type(error).__name__}: {error}".replace("\n", " ")[:300]
    finally:
        model.train()
        optimizer.zero_grad(set_to_none=True)
    return row


def measure_optimizers(model, network, device, rows):
    """What optimizers keep, and what their step needs besides."""
    memory = Allocator(device)
    image = torch.randn(8, 3, network.image, network.image, device=device)
    target = torch.randint(0, 1000, (8,), device=device)
    F.cross_entropy(model(image), target).backward()
    kinds = {
        "sgd": lambda p: torch.optim.SGD(p, lr=1e-4),
        "sgd-momentum": lambda p: torch.optim.SGD(p, lr=1e-4, momentum=0.9),
        "sgd-momentum-decay": lambda p: torch.optim.SGD(
            p, lr=1e-4, momentum=0.9, weight_decay=1e-4
        ),
        "adam": lambda p: torch.optim.Adam(p, lr=1e-4),
        "adamw": lambda p: torch.optim.AdamW(p, lr=1e-4),
        "adam-fused": lambda p: torch.optim.Adam(p, lr=1e-4, fused=True),
    }
    for name, make in kinds.items():
        optimizer = make(model.parameters())
        memory.settle()
        before_state = memory.requested()
        optimizer.step()
        memory.settle()
        base = memory.requested()
        memory.restart_peak()
        optimizer.step()
        memory.settle()
        rows.add(
            dict(
                network=network.name,
                optimizer=name,
                parameter_bytes=bytes_of(model.parameters()),
                state=base - before_state,
                step_peak=memory.requested("peak") - base,
            )
        )
        del optimizer


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--networks", default=",".join(n.name for n in NETWORKS))
    parser.add_argument("--part", default="0/1", help="K/N: every N-th network from the K-th on")
    parser.add_argument("--limit", type=float, default=1e9, help="start no network after SECONDS")
    parser.add_argument("--device", default="cuda", help="cpu rehearses the logic; sizes are zero")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    memory = Allocator(options.device)
    if memory.cuda:
        torch.zeros(1, device="cuda")
        device = torch.cuda.get_device_properties(0)
        environment = dict(
            device=device.name,
            device_bytes=device.total_memory,
            torch=torch.__version__,
            torchvision=torchvision.__version__,
            cuda=torch.version.cuda,
            cudnn=torch.backends.cudnn.version(),
            context_used_before_kernels=memory.device_used() - torch.cuda.memory_reserved(),
        )
        (options.out / "environment.json").write_text(json.dumps(environment, indent=1) + "\n")
    rows = Rows(options.out / "memory.csv", COLUMNS)
    optimizers = Rows(
        options.out / "optimizers.csv",
        ["network", "optimizer", "parameter_bytes", "state", "step_peak"],
    )
    first, stride = map(int, options.part.split("/"))
    for name in options.networks.split(",")[first::stride]:
        elapsed = time.monotonic() - start
        if elapsed > options.limit:
            print(f"time limit: stopped before {name}", file=sys.stderr)
            break
        network = BY_NAME[name]
        try:
            model = build(network, options.device)
            for precision in PRECISIONS:
                if precision == "bf16":
                    model.to(torch.bfloat16)
                for batch in (8, SECOND_BATCH) if name in TWO_BATCHES else (8,):
                    rows.add(measure(model, network, batch, precision, options.device))
            if name in OPTIMIZER_NETWORKS:
                set_tf32(False)
                measure_optimizers(model.float(), network, options.device, optimizers)
        except Exception as error:
            rows.add(dict(network=name, status=f"{type(error).__name__}: {error}"[:300]))
        model = None
        memory.drop_cache()
        print(f"{elapsed:7.1f} s  {name}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
