"""The lines of PyTorch that findings advise: each is run, and each that the program prints is one of
them."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import tempfile
import unittest
import warnings
from pathlib import Path
from typing import Any

import torch
from torch import nn
from try_line_setting import ON, filled, lines_in, listed_lines, tried

import rooflab
from rooflab._torch import RELEASE

ROOT = Path(__file__).resolve().parents[2]


def obstacle(line: str, on: str) -> str:
    """Why a line cannot run here; empty: it can."""
    if on == "a GPU" and not torch.cuda.is_available():
        return "it needs a GPU: tools/gpu/try_findings.py runs it"
    if on == "a CPU with PyTorch 2" and RELEASE < (2, 4 if "fused" in line else 0):
        return f"PyTorch {torch.__version__} does not have it on a CPU"
    if "DistributedDataParallel" in line and not torch.distributed.is_available():
        return "this PyTorch has no torch.distributed"
    return ""


class Lines(unittest.TestCase):
    def test_the_document_lists_lines_with_the_least_that_runs_them(self) -> None:
        lines = listed_lines()
        self.assertGreaterEqual(len(lines), 15)
        self.assertLessEqual(set(lines.values()), set(ON))

    def test_each_line_runs_and_leaves_the_step_what_it_is(self) -> None:
        for line, on in listed_lines().items():
            why_not = obstacle(line, on)
            if why_not:
                print(f"not here: {line}: {why_not}")
                continue
            with self.subTest(line), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tried(filled(line), "cuda" if on == "a GPU" else "cpu")

    def test_the_padded_layer_takes_a_multiple(self) -> None:
        line = next(one for one in listed_lines() if "in_channels" in one)
        now = tried(filled(line))
        self.assertEqual((now["images"].shape[1], now["model"].conv1.weight.shape[1]), (8, 8))

    def test_a_line_that_loses_something_is_found(self) -> None:
        for line in ("optimizer = torch.optim.SGD(model.parameters(), lr=0.01)",
                     "images = torch.nn.functional.pad(images, (0, 0, 0, 0, 0, 1))",
                     "model.conv1.weight = torch.nn.Parameter(model.conv1.weight.detach())",
                     "loader = torch.utils.data.DataLoader(dataset, num_workers=0)"):
            with self.subTest(line), self.assertRaises((AssertionError, RuntimeError)):
                tried(line)


class Trace:
    """A trace of the PyTorch profiler of two steps of 1 ms, written by hand."""

    def __init__(self, device: str = "NVIDIA H200", capability: tuple[int, int] = (9, 0)) -> None:
        self.head = {"schemaVersion": 1, "deviceProperties": [
            {"id": 0, "name": device, "totalGlobalMem": 150_000_000_000,
             "computeMajor": capability[0], "computeMinor": capability[1], "numSms": 132}]}
        self.events: list[dict[str, Any]] = []
        self._calls = 0
        for step in range(2):
            self.range(f"ProfilerStep#{step}", "user_annotation", 1000 * step, 1000)

    def range(self, name: str, kind: str, start: float, length: float, **more: Any) -> "Trace":
        self.events.append({"ph": "X", "cat": kind, "name": name, "pid": 1, "tid": 1, "ts": start,
                            "dur": length, "args": more})
        return self

    def each(self, name: str, kind: str, start: float, length: float, **more: Any) -> "Trace":
        for step in range(2):
            self.range(name, kind, 1000 * step + start, length, **more)
        return self

    def kernel(self, name: str, start: float, length: float, kind: str = "kernel",
               call: str = "cudaLaunchKernel", blocks: float = 4.0, **more: Any) -> "Trace":
        for step in range(2):
            self.one_kernel(name, 1000 * step + start, length, kind, call, blocks, **more)
        return self

    def one_kernel(self, name: str, at: float, length: float, kind: str = "kernel",
                   call: str = "cudaLaunchKernel", blocks: float = 4.0, **more: Any) -> None:
        self._calls += 1
        self.range(call, "cuda_runtime", at, 1, correlation=self._calls,
                   **{key: value for key, value in more.items() if key == "External id"})
        self.events.append({
            "ph": "X", "cat": kind, "name": name, "pid": 0, "tid": 7, "ts": at, "dur": length,
            "args": {"device": 0, "stream": 7, "correlation": self._calls, "blocks per SM": blocks,
                     "grid": [528, 1, 1], "block": [128, 1, 1], **more}})

    def save(self, folder: Path) -> Path:
        path = folder / "toy.pt.trace.json"
        path.write_text(json.dumps({**self.head, "traceEvents": self.events}))
        return path


TF32 = "sm80_xmma_fprop_implicit_gemm_tf32f32_tensor16x8x8"


def optimizer_trace(name: str) -> Trace:
    return (Trace().kernel("k", 0, 600).each(f"Optimizer.step#{name}.step", "user_annotation", 600,
                                             400).kernel("k", 950, 50))


def recomputing() -> Trace:
    trace = Trace()
    for step in range(2):
        at = 1000 * step
        trace.range("autograd::engine::evaluate_function: CheckpointFunctionBackward", "cpu_op", at,
                    900)
        trace.range("aten::conv2d", "cpu_op", at + 10, 800, **{"External id": 5 + step})
    for step in range(2):
        trace.one_kernel("cudnn_conv", 1000 * step + 20, 900, **{"External id": 5 + step})
    return trace


TRACES = {
    "idle": lambda: Trace().kernel("k", 0, 500),
    "small": lambda: Trace().kernel("k", 0, 1000, blocks=0.2),
    "waits": lambda: Trace().kernel("k", 0, 600).each(
        "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "user_annotation", 600, 400),
    "copies": lambda: Trace().kernel("k", 0, 800).kernel(
        "Memcpy HtoD (Pageable -> Device)", 800, 200, "gpu_memcpy", "cudaMemcpyAsync", bytes=4096),
    "loader": lambda: Trace().kernel("k", 0, 800).kernel(
        "Memcpy HtoD (Pageable -> Device)", 800, 200, "gpu_memcpy", "cudaMemcpyAsync",
        bytes=4096).each("enumerate(DataLoader)#_Iter.__next__", "user_annotation", 1, 2),
    "converts": lambda: Trace().kernel("nchwToNhwcKernel", 0, 300).kernel(TF32, 300, 700),
    "products": lambda: Trace().kernel("ampere_sgemm_128x64_tn", 0, 500).kernel(
        "dgrad2d_alg1_1<float>", 500, 500),
    "turing": lambda: Trace("Tesla T4", (7, 5)).kernel("volta_sgemm_128x64_tn", 0, 1000),
    "again": recomputing,
    "adamw": lambda: optimizer_trace("AdamW"),
    "rmsprop": lambda: optimizer_trace("RMSprop"),
    "exchange": lambda: Trace().each("autograd::engine::evaluate_function: AddBackward0", "cpu_op",
                                     0, 10).kernel("k", 0, 600).kernel(
        "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)", 600, 400),
}

COMMANDS = {
    "fused op": "predict resnet50 --device h200 --precision fp16 --phase training --batch 64",
    "padding": "predict alexnet --device h200 --precision bf16 --channels-last --batch 64",
    "log": f"import {ROOT}/tests/data/import/ncu/resnet18-b1-train-tf32.csv",
    "fp32": "predict resnet50 --device h200 --batch 64",
    "turing": "predict alexnet --device t4 --batch 8",
    "host": "predict resnet18 --device h200 --batch 1 --phase training",
}


def attempts_of(command: list[str]) -> list[str]:
    program = os.environ["ROOFLAB"]
    done = subprocess.run([program, *command, "--format", "json"], capture_output=True, text=True,
                          check=True)
    found = json.loads(done.stdout)
    return [one["attempt"] for one in found["findings"] if one.get("attempt")]


def words_of(command: str) -> list[str]:
    words = shlex.split(command.replace("\\\n", " "))
    assert words[0] == "rooflab", command
    return words[1:]


class Findings(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.attempts: dict[str, list[str]] = {}
        with tempfile.TemporaryDirectory() as name:
            for case, make in TRACES.items():
                cls.attempts[f"trace {case}"] = attempts_of(
                    ["import", str(make().save(Path(name)))])
        for case, command in COMMANDS.items():
            cls.attempts[case] = attempts_of(command.split())
        wide = nn.Linear(768, 50257, bias=False, dtype=torch.bfloat16, device="meta")
        x = torch.zeros(512, 768, dtype=torch.bfloat16, device="meta")
        with tempfile.TemporaryDirectory() as name, torch.no_grad():
            recording = rooflab.record(lambda: wide(x), to=Path(name) / "wide.rec.jsonl")
            cls.attempts["classes"] = attempts_of(
                ["predict", str(recording.path), "--device", "h200", "--issued-by", "graph"])

    def test_each_attempt_is_a_command_or_a_listed_line(self) -> None:
        for case, attempts in self.attempts.items():
            for attempt in attempts:
                if not attempt.startswith("rooflab "):
                    self.assertTrue(lines_in(attempt), f"{case}: {attempt}")

    def test_each_listed_line_is_the_attempt_of_a_case(self) -> None:
        said = {line for attempts in self.attempts.values() for attempt in attempts
                for line in lines_in(attempt)}
        self.assertEqual(said, set(listed_lines()))

    def test_each_command_runs(self) -> None:
        for attempts in self.attempts.values():
            for attempt in attempts:
                if attempt.startswith("rooflab "):
                    with self.subTest(attempt):
                        attempts_of(words_of(attempt))

    def test_what_is_printed_runs(self) -> None:
        listed = listed_lines()
        for case, attempts in self.attempts.items():
            for attempt in attempts:
                lines = lines_in(attempt)
                if attempt in listed or not lines or any(
                        obstacle(one, listed[one]) for one in lines):
                    continue  # listed ones run above
                # The small program has a layer of this name only.
                line = filled(lines[0]) if "in_channels" in attempt else attempt
                with self.subTest(case=case, attempt=attempt), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    tried(line)


if __name__ == "__main__":
    unittest.main()
