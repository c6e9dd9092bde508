"""Traces of two ranks, DistributedDataParallel by Gloo:  traces_of_ranks.py ddp FOLDER

Each rank writes its own file, as tensorboard_trace_handler or a user's own code does.
"""

import sys
import tempfile
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.profiler import ProfilerActivity, profile, schedule

from traced_networks import BATCH, Images, labels
from truths import tell, tell_versions

RANKS = 2
WAIT, WARMUP, ACTIVE = 1, 1, 2


def folder_name():
    version = ".".join(torch.__version__.split("+")[0].split(".")[:2])
    return f"torch{version}-ddp"


def rank(number, folder, meeting):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=number, world_size=RANKS)
    torch.manual_seed(number)
    network = torch.nn.parallel.DistributedDataParallel(Images())
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    images, classes = Images.inputs(), labels()
    with profile(
        activities=[ProfilerActivity.CPU],
        record_shapes=True,
        schedule=schedule(wait=WAIT, warmup=WARMUP, active=ACTIVE, repeat=1),
        on_trace_ready=lambda one: one.export_chrome_trace(
            str(folder / f"rank{number}.pt.trace.json.gz")
        ),
    ) as profiler:
        for _ in range(WAIT + WARMUP + ACTIVE):
            torch.nn.functional.cross_entropy(network(images), classes).backward()
            optimizer.step()
            optimizer.zero_grad()
            profiler.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    folder = Path(sys.argv[2]) / folder_name()
    folder.mkdir()
    with tempfile.TemporaryDirectory() as meeting:
        mp.spawn(rank, (folder, f"{meeting}/meeting"), nprocs=RANKS)
    made = folder.name
    tell(made, "steps", ACTIVE, "the program's schedule")
    tell(made, "phase", "training", "the program")
    if (
        torch.autograd.profiler.kineto_available()
    ):  # Debian's PyTorch has no kineto, and writes neither shapes nor ranks
        tell(made, "ranks", RANKS, "the program")
        tell(made, "batch", BATCH, "the program")
        tell(made, "matrix_flop", ACTIVE * Images.training_flop(), "formula")
        gradients = sum(value.numel() for value in Images().parameters())
        tell(
            made,
            "all_reduced_bytes",
            4 * gradients * ACTIVE,
            "PyTorch: its parameters are reduced once a step",
        )
    tell_versions(made, "torch")
