#!/usr/bin/env python3
"""Programs of kinds that are hard to profile.

  profiled_programs.py KIND [--seconds S] [--timed FILE]     `ddp` runs 2000 steps

KIND is one of
  graph      three warm-up steps of a network, then its step as a CUDA graph, replayed in a loop
  varying    a step whose sequences have another length each time
  short      GPT-2's shape in eager mode, steps of about 20 ms (transformers is needed)
  helpers    its own loop and three child processes that start CUDA and do nothing
  compiled   a network's training step by torch.compile; `reduced`: inference in the mode
             reduce-overhead, which replays CUDA graphs
  jax, cupy  a chain of products by these libraries
  fft        cuFFT through PyTorch
  ddp        a training step by DistributedDataParallel, started by torchrun
  eager      torchvision's ResNet-18, training in eager mode
  lightning, trainer  a network's training by Lightning, and BERT's by transformers' Trainer
  triton     a fused kernel of Triton
  decode     GPT-2's decode step with a static cache, as a CUDA graph; its warm-up has the same kernels
  random     kernels of random sizes in random order, by CuPy's compiler: nothing repeats
  two        two processes of `eager` on one GPU
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


def training_step(model: nn.Module) -> Callable[[int], object]:
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    x = torch.randn(64, 1024, device="cuda")

    def step(number: int) -> None:
        model(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    return step


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
    return training_step(nn.parallel.DistributedDataParallel(network()))


def sums_step() -> Callable[[int], object]:
    a, b, c = (torch.ones(1 << 27, device="cuda") for _ in range(3))
    return lambda number: torch.add(a, b, out=c)


def compiled_step() -> Callable[[int], object]:
    return training_step(torch.compile(network()))


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


def eager_step() -> Callable[[int], object]:
    import torchvision
    model = torchvision.models.resnet18().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    images = torch.randn(32, 3, 224, 224, device="cuda")
    labels = torch.randint(0, 1000, (32,), device="cuda")

    def step(number: int) -> None:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()
    return step


def triton_step() -> Callable[[int], object]:
    import triton
    import triton.language as tl

    @triton.jit
    def scaled_softmax(source, target, columns: tl.constexpr):
        row = tl.program_id(0)
        place = row * columns + tl.arange(0, columns)
        x = tl.load(source + place) * 0.5
        powers = tl.exp(x - tl.max(x, axis=0))
        tl.store(target + place, powers / tl.sum(powers, axis=0))

    x = torch.randn(8192, 4096, device="cuda")
    y = torch.empty_like(x)
    return lambda number: scaled_softmax[(8192,)](x, y, 4096)


def decode_step() -> Callable[[int], object]:
    from transformers import GPT2Config, GPT2LMHeadModel, StaticCache
    model = GPT2LMHeadModel(GPT2Config(n_layer=4)).cuda().half().eval()
    cache = StaticCache(config=model.config, max_cache_len=256)
    token = torch.zeros(8, 1, dtype=torch.long, device="cuda")
    place = torch.zeros(1, dtype=torch.long, device="cuda")

    def step() -> torch.Tensor:
        cache.reset()
        return model(input_ids=token, past_key_values=cache, cache_position=place,
                     position_ids=place.expand(8, 1), use_cache=True).logits
    aside = torch.cuda.Stream()
    with torch.cuda.stream(aside), torch.no_grad():
        for _ in range(11):
            step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        step()
    return lambda number: graph.replay()


def random_step() -> Callable[[int], object]:
    import cupy
    source = """
    extern "C" __global__ void axpy(float* y, const float* x, int n, int rounds) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) for (int k = 0; k < rounds; ++k) y[i] = fmaf(x[i], 1.5f, y[i]);
    }
    extern "C" __global__ void total(float* y, const float* x, int n, int rounds) {
      float sum = 0;
      for (int i = threadIdx.x; i < n; i += blockDim.x) sum += x[i];
      y[threadIdx.x] = sum;
    }"""
    kernels = [cupy.RawKernel(source, name) for name in ("axpy", "total")]
    x, y = (cupy.ones(1 << 24, dtype=cupy.float32) for _ in range(2))
    generator = torch.Generator().manual_seed(1)

    def draw(below: int) -> int:
        return int(torch.randint(1, below, (1,), generator=generator))

    def step(number: int) -> None:
        n = 1024 * draw(1 << 10)
        if draw(4) < 3:
            kernels[0](((n + 255) // 256,), (256,), (y, x, n, 4))
        else:
            kernels[1]((1,), (1024,), (y, x, 1024 * draw(64), 1))
    return step


def run_lightning(seconds: float, times: list[float]) -> None:
    import lightning

    class Model(lightning.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.layers = network().cpu()

        def training_step(self, batch, number):
            return self.layers(batch[0]).square().mean()

        def configure_optimizers(self):
            return torch.optim.AdamW(self.parameters(), lr=1e-4)

    class Timer(lightning.Callback):
        def on_train_batch_end(self, trainer, *rest) -> None:
            trainer.should_stop = note_step(times, seconds)

    data = torch.utils.data.TensorDataset(torch.randn(1 << 17, 1024))
    trainer = lightning.Trainer(max_epochs=50, accelerator="gpu", devices=1, logger=False, callbacks=[Timer()],
                                enable_checkpointing=False, enable_progress_bar=False)
    trainer.fit(Model(), torch.utils.data.DataLoader(data, batch_size=256))


def run_trainer(seconds: float, times: list[float]) -> None:
    import tempfile

    import transformers

    class Timer(transformers.TrainerCallback):
        def on_step_end(self, args, state, control, **rest) -> None:
            control.should_training_stop = note_step(times, seconds)

    tokens = torch.randint(0, 30000, (64,))
    data = [{"input_ids": tokens, "attention_mask": torch.ones_like(tokens), "labels": 1}] * 8192
    config = transformers.BertConfig(num_hidden_layers=4)
    with tempfile.TemporaryDirectory() as folder:
        arguments = transformers.TrainingArguments(
            folder, per_device_train_batch_size=16, max_steps=100000, report_to=[], save_strategy="no",
            disable_tqdm=True, bf16=True)
        transformers.Trainer(transformers.BertForSequenceClassification(config), arguments, train_dataset=data,
                             callbacks=[Timer()]).train()


def note_step(times: list[float], seconds: float) -> bool:
    """Steps between two calls, the first of which notes the begin; true: the time is up."""
    now = time.perf_counter()
    if not hasattr(note_step, "began"):
        note_step.began = note_step.last = now
    else:
        times.append(now - note_step.last)
        note_step.last = now
    return now - note_step.began > seconds


RUNS = {"lightning": run_lightning, "trainer": run_trainer}
STEPS = {"eager": eager_step, "triton": triton_step, "decode": decode_step, "random": random_step,
         "two": eager_step, "graph": graph_step, "varying": varying_step, "short": short_step, "helpers": helped_step,
         "compiled": compiled_step, "reduced": reduced_step, "jax": jax_step, "cupy": cupy_step,
         "fft": fft_step, "ddp": ddp_step, "sums": sums_step}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=(*STEPS, *RUNS))
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--timed")
    options = parser.parse_args()
    children = []
    if options.kind == "helpers":
        context = multiprocessing.get_context("spawn")
        children = [context.Process(target=helper) for _ in range(3)]
        for child in children:
            child.start()
    if options.kind == "two":
        import subprocess
        import sys
        children = [subprocess.Popen([sys.executable, __file__, "eager", "--seconds", str(options.seconds)])]
    times: list[float] = []
    if options.kind in RUNS:
        RUNS[options.kind](options.seconds, times)
        return tell(times, options.timed)
    step = STEPS[options.kind]()
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
        child.wait() if options.kind == "two" else child.join()
    tell(times, options.timed)


def tell(times: list[float], path: str | None) -> None:
    tenth = max(1, len(times) // 10)
    told = {"steps": len(times), "step_s": statistics.median(times),
            "first_s": statistics.median(times[:tenth]), "last_s": statistics.median(times[-tenth:])}
    print(told)
    if path:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(told, file)


if __name__ == "__main__":
    main()
