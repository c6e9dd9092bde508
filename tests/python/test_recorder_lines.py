"""Operators, arguments and element types in a recording."""

from __future__ import annotations

import json
import unittest

import torch
from recording_checker import check

from rooflab._schema import json_text, type_name
from rooflab.recorder import record


class Lines(unittest.TestCase):
    def test_types(self) -> None:
        names = {torch.float64: "f64", torch.float32: "f32", torch.float16: "f16",
                 torch.bfloat16: "bf16", torch.int64: "i64", torch.int32: "i32",
                 torch.int16: "i16", torch.int8: "i8", torch.uint8: "u8", torch.bool: "bool",
                 torch.complex128: "c128", torch.complex64: "c64", torch.complex32: "c32",
                 torch.quint8: "u8", torch.qint32: "i32"}
        for dtype, name in names.items():
            self.assertEqual(type_name(dtype), name)
        if hasattr(torch, "float8_e4m3fn"):
            self.assertEqual(type_name(torch.float8_e4m3fn), "f8")

    def test_operands_and_arguments(self) -> None:
        x = torch.zeros(2, 4)

        def step() -> None:
            x * 2.0
            x.add(x, alpha=3)
            torch.cat([x, x], 1)
            x.split(1)
            x[:, torch.tensor([0, 2])]
            x.to(torch.float64)
            x.masked_fill(x > 0, float("-inf"))
            torch.add(x, x, out=torch.empty(2, 4))
            torch.nn.functional.layer_norm(x, (4,))

        seen = check(record(step, warmup=0))
        by_name = {op.kind: op for op in seen}
        number = by_name["cat"].inputs[0][0]
        self.assertEqual(by_name["mul"].inputs, [number, {"number": 2.0}])
        self.assertEqual((seen.find("add")[0].inputs, seen.find("add")[0].args),
                         ([number, number], {"alpha": 3}))
        self.assertEqual((by_name["cat"].inputs, by_name["cat"].args), ([[number, number]],
                                                                       {"dim": 1}))
        split = by_name["split"]
        self.assertEqual(len(split.outputs[0]), 2)
        self.assertEqual([seen.storage_of(one) for one in split.outputs[0]],
                         2 * [seen.storage_of(number)])
        self.assertEqual(by_name["index"].inputs[1][0], None)
        self.assertEqual(by_name["_to_copy"].args, {"dtype": "f64"})
        self.assertEqual(by_name["masked_fill"].args["value"], "-inf")
        into = seen.find("add")[1]
        self.assertEqual((into.overload, into.writes, into.outputs), ("out", [2], [into.inputs[2]]))
        self.assertEqual(by_name["native_layer_norm"].inputs[1:], [None, None])
        self.assertEqual(len(by_name["native_layer_norm"].outputs), 3)

    def test_json_has_no_infinities(self) -> None:
        text = json_text({"a": [float("inf"), float("nan"), 1.5], "b": 2j, "c": torch.float16,
                          "d": torch.device("cuda", 1), "e": torch.channels_last, "f": (1, 2)})
        self.assertEqual(json.loads(text, parse_constant=self.fail), {
            "a": ["inf", "nan", 1.5], "b": "2j", "c": "f16", "d": "cuda:1", "e": "channels_last",
            "f": [1, 2]})

    def test_list_operators_of_optimizers(self) -> None:
        model = torch.nn.Sequential(*[torch.nn.Linear(4, 4) for _ in range(3)])
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, foreach=True)

        def step() -> None:
            optimizer.zero_grad()
            model(torch.zeros(1, 4)).sum().backward()
            optimizer.step()

        seen = check(record(step))
        lists = [op for op in seen if op.kind.startswith("_foreach") and op.place["at"] ==
                 "optimizer"]
        self.assertTrue(lists)
        update = lists[-1]
        self.assertEqual([len(one) for one in update.inputs], [6, 6])
        self.assertEqual((update.writes, update.outputs), ([0], []))
        roles = {seen.role[seen.storage_of(one)] for one in update.inputs[0]}
        self.assertEqual(roles, {"parameter"})

    def test_questions_and_notes_are_no_operations(self) -> None:
        def step() -> None:
            with torch.autograd.profiler.record_function("mine"):
                torch.zeros(1).item()

        seen = check(record(step))
        self.assertEqual({op.name.split(".")[0] for op in seen}, {"aten"})
        self.assertEqual(len(seen.find("_local_scalar_dense")), 1)

    def test_inference_mode_gives_the_same_operations(self) -> None:
        model = torch.nn.Sequential(
            torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.ReLU(),
            torch.nn.Flatten(), torch.nn.Linear(4 * 36, 5), torch.nn.Softmax(-1)).eval()

        def step(x: torch.Tensor) -> torch.Tensor:
            return torch.matmul(model(x), torch.ones(5)).to(torch.float64)

        x = torch.randn(2, 3, 8, 8)
        with torch.no_grad():
            expected = check(record(step, x))
        with torch.inference_mode():
            seen = check(record(step, x))
        self.assertEqual([op.module for op in seen.find("addmm")], ["4"])
        ours, theirs = ([(op.name, op.module, op.place["at"]) for op in one]
                        for one in (seen, expected))
        self.assertEqual(ours, theirs)
        self.assertEqual(seen.peak, expected.peak)

    def test_an_operation_that_devices_have_is_not_taken_apart(self) -> None:
        x = torch.zeros(3, requires_grad=True)
        seen = check(record(lambda: torch.nn.functional.silu(x).sum().backward()))
        self.assertEqual(len(seen.find("silu_backward", node="SiluBackward0")), 1)

    def test_the_first_line(self) -> None:
        model = torch.nn.Linear(4, 2)

        def step(x: torch.Tensor) -> torch.Tensor:
            return model(x)

        seen = check(record(step, torch.zeros(7, 4)))
        self.assertEqual((seen.first["name"], seen.first["batch"]), ("Linear", 7))
        self.assertEqual(seen.first["framework"], "torch " + torch.__version__)
        self.assertTrue(seen.first["grad"] and seen.first["values"])
        with torch.inference_mode():
            seen = check(record(step, torch.zeros(28, 4), name="mine", batch=14))
        self.assertEqual((seen.first["name"], seen.first["batch"]), ("mine", 14))
        self.assertIsNone(seen.first["context"])
        recording = record(step, torch.zeros(7, 4), context=512)
        self.assertEqual((check(recording).first["context"], recording.context), (512, 512))
        self.assertFalse(seen.first["grad"])
        # A step that turns autograd off before it calls its module, and one after.
        self.assertFalse(check(record(torch.no_grad()(step), torch.zeros(7, 4))).first["grad"])
        self.assertTrue(check(record(lambda: torch.no_grad()(torch.neg)(step(torch.zeros(7, 4))))
                              ).first["grad"])


if __name__ == "__main__":
    unittest.main()
