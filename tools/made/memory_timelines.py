"""Memory of a step on the CPU as PyTorch writes it:  memory_timelines.py CASE FOLDER

timeline   two forms of export_memory_timeline: sums by category (.json) and events (.raw.json.gz)
snapshot   torch.cuda.memory._dump_snapshot: of CUDA's allocator alone, on a CPU it is empty
"""

import json
import sys
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile

from traced_networks import Images, labels
from truths import tell, tell_versions

VERSION = ".".join(torch.__version__.split("+")[0].split(".")[:2])


def timeline(folder):
    torch.manual_seed(0)
    network, images, classes = Images(), Images.inputs(), labels()
    optimizer = torch.optim.AdamW(network.parameters(), lr=0.01)
    with profile(
        activities=[ProfilerActivity.CPU], record_shapes=True, profile_memory=True, with_stack=True
    ) as profiler:
        torch.nn.functional.cross_entropy(network(images), classes).backward()
        optimizer.step()
    for ending in ("json", "raw.json.gz"):
        file = f"torch{VERSION}-timeline.{ending}"
        profiler.export_memory_timeline(str(folder / file), device="cpu")
    _, sums = json.loads((folder / f"torch{VERSION}-timeline.json").read_text())
    for file in (f"torch{VERSION}-timeline.json", f"torch{VERSION}-timeline.raw.json.gz"):
        held = sum(4 * value.numel() for value in network.parameters())
        tell(file, "parameter_bytes", held, "PyTorch")
        tell(file, "optimizer_bytes", 2 * held, "AdamW has two values for each parameter")
        tell(file, "memory_peak_bytes", max(map(sum, sums)), "PyTorch's sums by category")
        tell_versions(file, "torch")


def snapshot(folder):
    file = f"torch{VERSION}-cuda-snapshot.pickle"
    torch.cuda.memory._dump_snapshot(str(folder / file))
    tell(file, "memory_peak_bytes", 0, "PyTorch: no GPU, no segments")
    tell_versions(file, "torch")


if __name__ == "__main__":
    globals()[sys.argv[1]](Path(sys.argv[2]))
