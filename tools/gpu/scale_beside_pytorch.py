#!/usr/bin/env python3
"""PyTorch's DistributedDataParallel, timed as `rooflab scale` times its ranks.

    scale_beside_pytorch.py NETWORK... [--gpus 1,2,4] [--batch 64] [--precision fp32,amp]
    scale_beside_pytorch.py --compare RUNS PYTORCH.jsonl [--predicted PREDICTED.csv...]

The first form needs PyTorch 2.x with CUDA and torchvision. Every case is its own set of processes,
one a GPU: synthetic data, SGD with momentum 0.9 and learning rate 0.01, 10 steps of warm-up, 50 that
are timed. It prints a JSON line for each: medians of the slowest rank by device events and by the
host's clock, images a second of all GPUs by either. One GPU trains without DistributedDataParallel.
Under torchrun it is one rank of one case.

The second form compares the files that `rooflab scale -o RUNS` wrote with such lines, and their
speed-ups with those of `rooflab predict --gpus --format csv`.
"""

import argparse
import csv
import json
import os
import pathlib
import socket
import statistics
import sys
import time

WARM_UP_STEPS = 10
TIMED_STEPS = 50


def rank_main(rank, size, port, case, results):
    import torch
    import torch.distributed as dist
    import torchvision

    name, batch, precision = case
    device = torch.device("cuda", rank)
    torch.cuda.set_device(device)
    tf32 = precision == "tf32"
    torch.backends.cudnn.allow_tf32 = tf32
    torch.backends.cuda.matmul.allow_tf32 = tf32
    torch.manual_seed(0)
    if size > 1:
        os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
        os.environ.setdefault("MASTER_PORT", str(port))
        dist.init_process_group("nccl", rank=rank, world_size=size)
    with device:
        model = getattr(torchvision.models, name)(weights=None)
        torch.manual_seed(rank + 1)
        x = torch.randn(batch, 3, 224, 224)
        labels = torch.randint(1000, (batch,))
    model.train()
    if size > 1:
        model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    criterion = torch.nn.CrossEntropyLoss()
    amp = torch.autocast("cuda", torch.bfloat16, enabled=precision == "amp")

    def step():
        with amp:
            loss = criterion(model(x), labels)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    for _ in range(WARM_UP_STEPS):
        step()
    torch.cuda.synchronize()
    if size > 1:
        dist.barrier()
        torch.cuda.synchronize()
    events = []
    begin = time.perf_counter()
    for _ in range(TIMED_STEPS):
        first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        first.record()
        step()
        last.record()
        events.append((first, last))
    torch.cuda.synchronize()
    wall_s = (time.perf_counter() - begin) / TIMED_STEPS
    event_s = statistics.median(a.elapsed_time(b) * 1e-3 for a, b in events)
    times = torch.tensor([event_s, wall_s], dtype=torch.float64, device=device)
    if size > 1:
        dist.all_reduce(times, op=dist.ReduceOp.MAX)
    event_s, wall_s = times.tolist()
    if rank == 0:
        images = batch * size
        results({"network": name, "gpus": size, "batch": batch, "precision": precision,
                 "event_s": event_s, "wall_s": wall_s, "event_images_per_s": images / event_s,
                 "wall_images_per_s": images / wall_s, "torch": torch.__version__,
                 "gpu": torch.cuda.get_device_name(device)})
    if size > 1:
        dist.destroy_process_group()


def say(result):
    print(json.dumps(result), flush=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def spawn(size, case):
    import torch.multiprocessing as mp

    try:
        mp.spawn(rank_main, args=(size, free_port(), case, say), nprocs=size)
    except Exception as error:  # an outcome of the case
        say({"network": case[0], "gpus": size, "batch": case[1], "precision": case[2],
             "error": str(error).strip().splitlines()[-1]})


def median_of_slowest(run):
    return max(statistics.median(rank["steps_s"]) for rank in run["ranks"] if rank["steps_s"])


def compare(folder, lines):
    theirs = {}
    for line in pathlib.Path(lines).read_text().splitlines():
        row = json.loads(line)
        theirs[row["network"], row["gpus"], row["batch"], row["precision"]] = row
    print("| network | precision | GPUs | batch a GPU | PyTorch images/s | Rooflab images/s | ratio |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    worst = 0.0
    for file in sorted(pathlib.Path(folder).glob("*.json")):
        run = json.loads(file.read_text())
        if run.get("kind") != "scale_run":
            continue
        identity, size = run["identity"], run["ranks_wanted"]
        key = (identity["model"], size, identity["batch"], identity["precision"])
        row = theirs.get(key)
        head = f"| {key[0]} | {key[3]} | {size} | {key[2]} | "
        if run["status"] != "ok" or row is None or "error" in row:
            said = "not run" if row is None else row.get("error", "ok")
            print(head + f"{said} | {run['status']}: {run['message']} | - |")
            continue
        ours = identity["batch"] * size / median_of_slowest(run)
        ratio = ours / row["event_images_per_s"]
        worst = max(worst, abs(ratio - 1))
        print(head + f"{row['event_images_per_s']:.1f} | {ours:.1f} | {ratio:.3f} |")
    print(f"\nlargest difference: {worst:.1%}")


def compare_speedups(folder, files):
    """Speed-ups over one GPU next to predicted ones, a pair of columns for each file."""
    measured = {}
    for file in sorted(pathlib.Path(folder).glob("*.json")):
        run = json.loads(file.read_text())
        if run.get("kind") == "scale_run" and run["status"] == "ok":
            identity, size = run["identity"], run["ranks_wanted"]
            rate = identity["batch"] * size / median_of_slowest(run)
            measured[identity["model"], identity["precision"], size] = rate
    predicted = []
    for file in files:
        with open(file, newline="") as lines:
            predicted.append({(row["model"], row["precision"], int(row["device_count"])):
                              float(row["speedup"]) for row in csv.DictReader(lines)})
    print("\n| network | precision | GPUs | speed-up |" +
          "".join(f" {pathlib.Path(file).stem} | ratio |" for file in files))
    print("| --- | --- | ---: | ---: |" + " ---: | ---: |" * len(files))
    for (model, precision, size), rate in measured.items():
        one = measured.get((model, precision, 1))
        if size == 1 or one is None:
            continue
        line = f"| {model} | {precision} | {size} | {rate / one:.3f} |"
        for table in predicted:
            expected = table.get((model, precision, size))
            line += f" {expected:.3f} | {expected * one / rate:.3f} |" if expected else " - | - |"
        print(line)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("networks", nargs="*")
    parser.add_argument("--gpus", default="1")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--precision", default="fp32,amp")
    parser.add_argument("--compare", nargs=2, metavar=("RUNS", "LINES"))
    parser.add_argument("--predicted", nargs="+", default=[], metavar="CSV")
    arguments = parser.parse_args()
    if arguments.compare:
        compare(*arguments.compare)
        if arguments.predicted:
            compare_speedups(arguments.compare[0], arguments.predicted)
        return
    for name in arguments.networks:
        for precision in arguments.precision.split(","):
            case = (name, arguments.batch, precision)
            if "RANK" in os.environ:
                rank_main(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]),
                          int(os.environ["MASTER_PORT"]), case, say)
                continue
            for size in map(int, arguments.gpus.split(",")):
                spawn(size, case)


if __name__ == "__main__":
    sys.exit(main())
