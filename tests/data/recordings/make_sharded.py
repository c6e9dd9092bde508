"""Made the recordings llama-KIND-b2-train of this folder, with PyTorch 2.14 on a CPU: the step of one
of two processes (from the root of the repository):

    export PYTHONPATH=python:tests/python
    python3 tests/data/recordings/make_sharded.py tests/data/recordings fsdp fake
    python3 tests/data/recordings/make_sharded.py tests/data/recordings tp fake
    export MASTER_ADDR=127.0.0.1 MASTER_PORT=29512  # two processes, with RANK=0 and RANK=1
    RANK=1 python3 tests/data/recordings/make_sharded.py tests/data/recordings ddp gloo &
    RANK=0 python3 tests/data/recordings/make_sharded.py tests/data/recordings ddp gloo
"""
import os
import sys

import torch.distributed as dist
import rooflab.recorder as recorder
from programs import sharded

out, kind, backend = sys.argv[1:]
rank = int(os.environ.get("RANK", 0))
sharded.start(backend, rank)
program = sharded.build(kind)
for _ in range(2):
    program.step()
if rank == 0:
    recorder.record(program.step, to=f"{out}/llama-{kind}-b2-train.rec.jsonl.gz", name=program.name)
else:
    program.step()
    program.step()
dist.destroy_process_group()
