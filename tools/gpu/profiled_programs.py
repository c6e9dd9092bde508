#!/usr/bin/env python3
"""Programs of kinds that are hard to profile.

  profiled_programs.py KIND [--seconds S] [--timed FILE]     `ddp` runs 2000 steps

KIND is one of
  graph      three warm-up steps of a network, then its step as a CUDA graph, replayed in a loop
  varying    a step whose sequences have another length each time
  short      GPT-2's shape in eager mode, steps of about 20 ms (transformers is needed)
  helpers    a loop of its own beside three child processes that start CUDA and do nothing
  compiled   a network's training step by torch.compile; `reduced`: inference in the mode
             reduce-overhead, which replays CUDA graphs
  jax, cupy  a chain of products by these libraries
  fft        cuFFT through PyTorch
  ddp        a training step by DistributedDataParallel, started by torchrun
  sums       c = a + b over arrays of 512 MiB, between cudaProfilerStart and cudaProfilerStop

FILE gets {"steps": N, "step_s": median, "first_s": median of the first tenth, "last_s": of the
last}.
"""
from __future__ import annotations

import argparse
import json
import multiprocessing
import statistics
import time
from typing import Callable

import torch
from torch import nn


def network(width: int = 1024, depth: int = 8) -> nn.Module:
    layers = [part for _ in range(depth) for part in (nn.Linear(width, width), nn.GELU())]
    return nn.Sequential(*layers).cuda()


def graph_step() -> Callable[[int], object]:
    model = network()
    x = torch.randn(64, 1024, device="cuda")
    aside = torch.cuda.Stream()
    with torch.cuda.stream(aside), torch.no_grad():
        for _ in range(3):
            model(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        model(x)
    return lambda number: graph.replay()


def varying_step() -> Callable[[int], object]:
    layer = nn.TransformerEncoderLayer(256, 4, batch_first=True).cuda()
    model = nn.TransformerEncoder(layer, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    generator = torch.Generator().manual_seed(0)

    def step(number: int) -> None:
        length = int(torch.randint(16, 512, (1,), generator=generator))
        model(torch.randn(8, length, 256, device="cuda")).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    return step


def short_step() -> Callable[[int], object]:
    from transformers import GPT2Config, GPT2LMHeadModel
    model = GPT2LMHeadModel(GPT2Config()).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    tokens = torch.randint(0, 50257, (2, 128), device="cuda")

    def step(number: int) -> None:
        model(input_ids=tokens, labels=tokens).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return step


def helper() -> None:
    torch.cuda.init()
    torch.cuda.current_device()
    time.sleep(1)


def helped_step() -> Callable[[int], object]:
    model = network()
    x = torch.randn(64, 1024, device="cuda")
    return lambda number: model(x).sum().backward()


def ddp_step() -> Callable[[int], object]:
    import os
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    torch.distributed.init_process_group("nccl")
    model = nn.parallel.DistributedDataParallel(network())
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    x = torch.randn(64, 1024, device="cuda")

    def step(number: int) -> None:
        model(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    return step


def sums_step() -> Callable[[int], object]:
    a, b, c = (torch.ones(1 << 27, device="cuda") for _ in range(3))
    return lambda number: torch.add(a, b, out=c)


def compiled_step() -> Callable[[int], object]:
    model = torch.compile(network())
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    x = torch.randn(64, 1024, device="cuda")

    def step(number: int) -> None:
        model(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    return step


def reduced_step() -> Callable[[int], object]:
    model = torch.compile(network(), mode="reduce-overhead")
    x = torch.randn(64, 1024, device="cuda")

    def step(number: int) -> None:
        with torch.no_grad():
            model(x)
    return step


def jax_step() -> Callable[[int], object]:
    import jax
    chain = jax.jit(lambda x: jax.numpy.tanh(x @ x) @ x)
    x = jax.numpy.ones((2048, 2048))
    return lambda number: chain(x).block_until_ready()


def cupy_step() -> Callable[[int], object]:
    import cupy
    x = cupy.ones((2048, 2048), dtype=cupy.float32)
    return lambda number: cupy.tanh(x @ x).sum()


def fft_step() -> Callable[[int], object]:
    x = torch.randn(256, 65536, device="cuda")
    return lambda number: torch.fft.irfft(torch.fft.rfft(x).abs())


STEPS = {"graph": graph_step, "varying": varying_step, "short": short_step, "helpers": helped_step,
         "compiled": compiled_step, "reduced": reduced_step, "jax": jax_step, "cupy": cupy_step,
         "fft": fft_step, "ddp": ddp_step, "sums": sums_step}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=tuple(STEPS))
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--timed")
    options = parser.parse_args()
    children = []
    if options.kind == "helpers":
        context = multiprocessing.get_context("spawn")
        children = [context.Process(target=helper) for _ in range(3)]
        for child in children:
            child.start()
    step = STEPS[options.kind]()
    times = []
    torch.cuda.synchronize()
    if options.kind == "sums":
        torch.cuda.profiler.start()
    end = time.perf_counter() + options.seconds
    steps = 2000 if options.kind == "ddp" else float("inf")  # ranks must not differ in number
    while len(times) < steps and (options.kind == "ddp" or time.perf_counter() < end):
        begin = time.perf_counter()
        step(len(times))
        torch.cuda.synchronize()
        times.append(time.perf_counter() - begin)
    if options.kind == "sums":
        torch.cuda.profiler.stop()
    for child in children:
        child.join()
    tenth = max(1, len(times) // 10)
    told = {"steps": len(times), "step_s": statistics.median(times),
            "first_s": statistics.median(times[:tenth]), "last_s": statistics.median(times[-tenth:])}
    print(told)
    if options.timed:
        with open(options.timed, "w", encoding="utf-8") as file:
            json.dump(told, file)


if __name__ == "__main__":
    main()
