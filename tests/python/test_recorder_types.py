"""Types that a step's tensors have: none is guessed, and recording casts nothing."""

from __future__ import annotations

import unittest
import warnings
from typing import Any

import torch
from recording_checker import check
from torch import nn
from torch.nn import functional

import rooflab
from rooflab._schema import type_name
from rooflab.recorder import record


class Calls(nn.Module):
    """One function as a module."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function(x)


def small() -> nn.Module:
    return nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 4))


def compiled(model: nn.Module, x: torch.Tensor) -> dict[str, nn.Module]:
    """The module as TorchScript has it. Its newest versions warn that it will go."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {"scripted": torch.jit.script(model), "traced": torch.jit.trace(model, x)}


def types_of(model: nn.Module, x: torch.Tensor) -> set[str]:
    """Of the floating-point tensors of a step."""
    with torch.no_grad():
        seen = check(record(lambda: model(x)))
    return {one["layout"] for one in seen.layouts if "f" in one["layout"]}


class Types(unittest.TestCase):
    def test_scripted_and_traced_modules_keep_their_types(self) -> None:
        x = torch.zeros(2, 3, 8, 8)
        for name, model in compiled(small(), x).items():
            with self.subTest(name):
                self.assertEqual(types_of(model, x), {"f32"})
        for name, model in compiled(small().double(), x.double()).items():
            with self.subTest(name):
                self.assertEqual(types_of(model, x.double()), {"f64"})

    def test_scripted_modules_are_cast_by_autocast_as_others_are(self) -> None:
        x, model = torch.zeros(2, 3, 8, 8), small()

        def step(one: nn.Module) -> None:
            with torch.autocast("cuda", dtype=torch.bfloat16), torch.no_grad():
                one(x)

        for name, one in {"eager": model, **compiled(model, x)}.items():
            with self.subTest(name):
                seen = check(record(lambda one=one: step(one)))
                products = [op for op in seen.ops if "convolution" in op.name or "mm" in op.kind]
                self.assertEqual([seen.layouts[seen.tensors[op.outputs[0]]["layout"]]["layout"]
                                  for op in products], ["bf16", "bf16"])

    def test_a_recording_leaves_autocast_of_scripted_modules_as_it_was(self) -> None:
        x = torch.zeros(2, 3, 8, 8)
        model = compiled(small(), x)["scripted"]
        types_of(model, x)
        with torch.no_grad():
            self.assertEqual(model(x).dtype, torch.float32)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                self.assertEqual(model(x).dtype, torch.bfloat16)

    def test_operators_that_autocast_on_the_cpu_would_cast_keep_their_types(self) -> None:
        halves = torch.zeros(2, 3, 8, 8, dtype=torch.bfloat16)
        for name, function, x, kept in (
                ("conv2d.padding", lambda x: functional.conv2d(x, torch.ones(4, 3, 3, 3),
                                                               padding="same"),
                 torch.zeros(2, 3, 8, 8), "f32"),
                ("reflection_pad2d", lambda x: functional.pad(x, (1, 1, 1, 1), mode="reflect"),
                 halves, "bf16"),
                ("stack", lambda x: torch.stack([x, x]), halves, "bf16")):
            with self.subTest(name):
                self.assertEqual(types_of(Calls(function), x), {kept})

    def test_a_scripted_module_has_the_limit_of_its_type(self) -> None:
        x = torch.zeros(4, 8)
        model = compiled(nn.Linear(8, 8), x)["scripted"]
        found = rooflab.predict(model, x, device="t4").to_dict()
        self.assertEqual((found["precision"], found["arithmetic_path"]), ("fp32", "fp32_vector"))
        # x, weight, bias and result, 4 bytes each, at 320 GB/s.
        self.assertAlmostEqual(found["limit_s"], 4 * (32 + 64 + 8 + 32) / 320e9, delta=1e-12)

    def test_a_type_without_a_name_in_the_format_is_not_taken_for_another(self) -> None:
        known = {"float32": "f32", "complex64": "c64", "int8": "i8", "uint8": "u8",
                 "float8_e4m3fn": "f8", "bfloat16": "bf16", "bool": "bool"}
        packed = ["quint4x2", "uint4", "int4", "float4_e2m1fn_x2", "bcomplex32"]
        for name, expected in {**known, **{name: name for name in packed}}.items():
            if hasattr(torch, name):
                with self.subTest(name):
                    self.assertEqual(type_name(getattr(torch, name)), expected)


if __name__ == "__main__":
    unittest.main()
