#!/usr/bin/env python3
"""A PyTorch program to profile: the same work step after step, knowing nothing of Rooflab.

  pytorch_program.py WORK [--batch B] [--precision fp32|tf32|amp] [--steps N] [--seconds S]
                     [--window none|profiler|nvtx] [--graph] [--kineto FILE] [--timed FILE]

WORK: resnet18 or alexnet (a training step), gemm-tf32 gemm-bf16 gemm-fp16 gemm-fp64 gemm-fp32
(4096 x 4096 x 4096), copy (1 GiB to 1 GiB).
--window profiler: one step, after three others, between cudaProfilerStart and cudaProfilerStop
--window nvtx: an NVTX range `step` around each step
--graph: the step is captured in a CUDA graph, and the graph is launched
--kineto: PyTorch's own profiler over ten steps at the end; the number of kernels of a step goes to FILE
--timed: times of the steps (and of the window, if there is one) go to FILE as JSON
"""
import argparse
import json
import time

import torch


def matrix_work(kind):
    types = {"tf32": torch.float32, "fp32": torch.float32, "bf16": torch.bfloat16,
             "fp16": torch.float16, "fp64": torch.float64}
    torch.backends.cuda.matmul.allow_tf32 = kind == "tf32"
    a = torch.randn(4096, 4096, device="cuda").to(types[kind])
    b = torch.randn(4096, 4096, device="cuda").to(types[kind])
    c = torch.empty_like(a)
    return lambda: torch.matmul(a, b, out=c)


def copy_work():
    source = torch.ones(1 << 28, device="cuda")
    target = torch.empty_like(source)
    # A copy kernel, not a copy engine's memcpy.
    return lambda: torch.mul(source, 1.0, out=target)


def training_work(name, batch, precision):
    import torchvision
    torch.backends.cudnn.allow_tf32 = precision == "tf32"
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    torch.manual_seed(0)
    network = getattr(torchvision.models, name)().cuda()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9)
    images = torch.randn(batch, 3, 224, 224, device="cuda")
    labels = torch.randint(1000, (batch,), device="cuda")
    loss_of = torch.nn.CrossEntropyLoss()

    def step():
        with torch.autocast("cuda", torch.bfloat16, enabled=precision == "amp"):
            loss = loss_of(network(images), labels)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    return step


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("work")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--precision", default="fp32")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--window", default="none")
    parser.add_argument("--graph", action="store_true")
    parser.add_argument("--kineto")
    parser.add_argument("--timed")
    options = parser.parse_args()
    if options.work.startswith("gemm-"):
        step = matrix_work(options.work[5:])
    elif options.work == "copy":
        step = copy_work()
    else:
        step = training_work(options.work, options.batch, options.precision)

    for _ in range(3):
        step()
    torch.cuda.synchronize()
    if options.graph:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
        step = graph.replay
    result = {}
    if options.window == "profiler":
        torch.cuda.profiler.start()
        begin = time.perf_counter()
        step()
        torch.cuda.synchronize()
        result["window_s"] = time.perf_counter() - begin
        torch.cuda.profiler.stop()
    begin = time.perf_counter()
    times = []
    last = begin
    done = 0
    while done < options.steps or time.perf_counter() - begin < options.seconds:
        if options.window == "nvtx":
            torch.cuda.nvtx.range_push("step")
        step()
        if options.window == "nvtx":
            torch.cuda.nvtx.range_pop()
        done += 1
        if done % 10 == 0:
            torch.cuda.synchronize()
            now = time.perf_counter()
            times.append((now - last) / 10)
            last = now
    torch.cuda.synchronize()
    if times:
        result["step_s"] = sorted(times)[len(times) // 2]
        result["steps"] = times
    if options.kineto:
        from torch.profiler import ProfilerActivity, profile
        with profile(activities=[ProfilerActivity.CUDA]) as profiler:
            begin = time.perf_counter()
            for _ in range(10):
                step()
            torch.cuda.synchronize()
            result["kineto_step_s"] = (time.perf_counter() - begin) / 10
        profiler.export_chrome_trace(options.kineto)
        with open(options.kineto) as file:
            events = json.load(file)["traceEvents"]
        kernels = [event for event in events if event.get("cat") == "kernel"]
        result["kineto_kernels_per_step"] = len(kernels) / 10
    print(f"{options.work}: {done} steps")
    if options.timed:
        with open(options.timed, "w") as file:
            json.dump(result, file)


main()
