"""The step of `llama` on one of several devices: data parallel, fully sharded or tensor parallel.

`start` joins the processes of a step; `build` makes the step. One process can stand for all with
backend "fake": collectives then do nothing, and every other operation runs. KINDS has the ways.
"""
from __future__ import annotations

import os
from typing import Any

import torch
import torch.distributed as dist
from torch import nn

from .llama import SHAPES, SIZES, Llama, LlamaShape, training_step
from .place import Place
from .program import Program

KINDS = ("ddp", "fsdp", "tp")


def start(backend: str, rank: int = 0, ranks: int = 2) -> None:
    """Joins the processes: "nccl", "gloo" (address and port from the surroundings) or "fake"."""
    if backend == "fake":
        from torch.testing._internal.distributed.fake_pg import FakeStore

        dist.init_process_group("fake", rank=rank, world_size=ranks, store=FakeStore())
        return
    os.environ.setdefault("USE_LIBUV", "0")  # some builds have none
    dist.init_process_group(backend, rank=rank, world_size=ranks)


def mesh(device: torch.device) -> Any:
    """All processes, in one dimension."""
    from torch.distributed.device_mesh import init_device_mesh

    return init_device_mesh(device.type, (dist.get_world_size(),))


def data_parallel(model: Llama, device: torch.device) -> nn.Module:
    ids = [device.index or 0] if device.type == "cuda" else None
    return nn.parallel.DistributedDataParallel(model, device_ids=ids)


def fully_sharded(model: Llama, device: torch.device) -> nn.Module:
    """Each block is gathered by itself; embedding and head with the root."""
    from torch.distributed.fsdp import fully_shard

    over = mesh(device)
    for block in model.layers:
        fully_shard(block, mesh=over)
    fully_shard(model, mesh=over)
    return model


def tensor_parallel(model: Llama, device: torch.device) -> nn.Module:
    """Heads and the inner width of each block are divided, and the vocabulary."""
    from torch.distributed.tensor import Replicate
    from torch.distributed.tensor.parallel import (ColwiseParallel, RowwiseParallel,
                                                   parallelize_module)

    over = mesh(device)
    parallelize_module(model, over, {
        "embed": RowwiseParallel(input_layouts=Replicate()),
        "head": ColwiseParallel(output_layouts=Replicate())})
    for block in model.layers:
        parallelize_module(block, over, {
            "attention.q_proj": ColwiseParallel(), "attention.k_proj": ColwiseParallel(),
            "attention.v_proj": ColwiseParallel(), "attention.o_proj": RowwiseParallel(),
            "gate_proj": ColwiseParallel(), "up_proj": ColwiseParallel(),
            "down_proj": RowwiseParallel()})
    return model


_WRAPPERS = {"ddp": data_parallel, "fsdp": fully_sharded, "tp": tensor_parallel}


def build(kind: str = "fsdp", device: str = "cpu", dtype: torch.dtype | None = None,
          batch: int | None = None, scale: str = "small", shape: LlamaShape | str | None = None,
          length: int | None = None) -> Program:
    """A training step with AdamW, of one of KINDS; the other arguments are those of llama.build."""
    size = SIZES[scale]
    batch, length = batch or size["batch"], length or size["length"]
    shape = SHAPES[shape] if isinstance(shape, str) else shape or size["shape"]
    place = Place(device, dtype or size["dtype"])
    model = _WRAPPERS[kind](Llama(shape, device=place.device, dtype=place.dtype), place.device)
    if kind != "tp":  # tensor parallel ranks share their samples
        torch.manual_seed(1 + dist.get_rank())
    tokens = place.integers(shape.vocab, batch, length)
    # A list of tensors must not mix divided ones with others.
    divided = [one for one in model.parameters() if hasattr(one, "placements")]
    whole = [one for one in model.parameters() if not hasattr(one, "placements")]
    groups = [{"params": group} for group in (divided, whole) if group]
    rule = torch.optim.AdamW(groups, lr=1e-4, foreach=True)
    return Program(f"llama_{kind}", training_step(model, tokens, rule), batch, {"model": model},
                   (rule,), (tokens,))
