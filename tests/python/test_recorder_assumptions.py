"""Tensors without values: what the user may assume, and what the errors say."""

from __future__ import annotations

import unittest

import torch
from recording_checker import check

from rooflab.errors import RecordingError
from rooflab.recorder import Recorder, record


def meta(*shape: int) -> torch.Tensor:
    return torch.zeros(shape, device="meta")


class Assumptions(unittest.TestCase):
    def test_a_number(self) -> None:
        answers = []

        def step() -> None:
            x = meta(4)
            for _ in range(2):
                answers.append(x.sum().item())
            answers.append(int(x.long().sum()))
            answers.append(bool(x.any()))

        seen = check(record(step, assume={"item": 1}, warmup=0))
        self.assertEqual(answers, [1.0, 1.0, 1, True])
        self.assertEqual([type(one) for one in answers], [float, float, int, bool])
        self.assertEqual(sum(line["count"] for line in seen.assumed), 4)
        first = seen.assumed[0]
        self.assertEqual((first["assumed"], first["value"], first["count"]), ("item", 1, 2))
        self.assertRegex(first["where"], r"^test_recorder_assumptions.py:\d+ in step$")
        self.assertEqual(len(seen.find("_local_scalar_dense")), 4)
        self.assertFalse(seen.first["values"])

    def test_without_an_assumption_the_error_names_the_line(self) -> None:
        def step() -> None:
            if meta(4).sum() > 1:
                raise AssertionError("it cannot be known")

        with self.assertRaises(RecordingError) as caught:
            record(step, warmup=0)
        self.assertRegex(caught.exception.message, r"^test_recorder_assumptions.py:\d+ in step: .*"
                         r"needs the values of a tensor on 'meta'")
        self.assertIn("assume={'item'", caught.exception.hint)

    def test_equality(self) -> None:
        for question in (torch.equal, torch.allclose):
            seen = check(record(question, meta(3), meta(3), assume={"equal": True}, warmup=0))
            self.assertEqual([(line["assumed"], line["value"]) for line in seen.assumed],
                             [("equal", True)])

    def test_masks(self) -> None:
        def step() -> None:
            x = meta(10, 6)
            mask = x > 0
            mask.nonzero()
            x.masked_select(mask)
            x[mask]
            x[mask[:, 0]]
            x[mask] = meta(30)

        seen = check(record(step, assume={"nonzero_share": 0.5}, warmup=0))

        def shape(name: str, place: int = 0) -> list:
            return seen.shape_of(seen.find(name)[place].outputs[0])

        self.assertEqual(shape("nonzero"), [30, 2])
        self.assertEqual(shape("masked_select"), [30])
        self.assertEqual(shape("index"), [30])
        self.assertEqual(shape("index", 1), [5, 6])
        self.assertEqual(sum(line["count"] for line in seen.assumed), 5)

    def test_unique(self) -> None:
        seen = check(record(lambda: torch.unique(meta(8, 5), return_counts=True), warmup=0,
                            assume={"unique_share": 0.25}))
        values, inverse, counts = seen.find("_unique2")[0].outputs
        self.assertEqual([seen.shape_of(one) for one in (values, inverse, counts)],
                         [[10], [8, 5], [10]])

    def test_a_share_for_tensors_with_values_changes_nothing(self) -> None:
        x = torch.tensor([0.0, 1.0, 2.0])
        recording = record(lambda: x.nonzero(), assume={"nonzero_share": 0, "item": 7})
        self.assertEqual(check(recording).shape_of(check(recording).output[0]), [2, 1])
        self.assertEqual(recording.assumptions, [])

    def test_what_meta_cannot_do_is_an_error_that_says_so(self) -> None:
        def step() -> None:
            meta(3).cpu()

        with self.assertRaisesRegex(RecordingError, "in step: a copy to 'cpu' needs the values"):
            record(step, warmup=0)

    def test_unknown_assumptions(self) -> None:
        for assume, text in (({"items": 1}, "unknown key 'items'"),
                             ({"nonzero_share": 2}, "share from 0 to 1"),
                             ({"item": "x"}, "a number")):
            with self.assertRaisesRegex(ValueError, text):
                with Recorder(assume=assume):
                    pass

    def test_fake_tensors_have_no_values(self) -> None:
        from torch._subclasses.fake_tensor import FakeTensorMode

        with FakeTensorMode():
            model, x = torch.nn.Linear(4, 2), torch.ones(3, 4)
            seen = check(record(lambda: bool(model(x).sum() > 0), assume={"item": 0}, warmup=0))
        self.assertEqual({one["device"] for one in seen.storages}, {"cpu"})
        self.assertFalse(seen.first["values"])
        self.assertEqual([line["value"] for line in seen.assumed], [0])

    def test_a_training_step_on_meta(self) -> None:
        model = torch.nn.Sequential(torch.nn.Linear(8, 8, device="meta"), torch.nn.ReLU(),
                                    torch.nn.Linear(8, 2, device="meta"))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

        def step() -> None:
            optimizer.zero_grad(set_to_none=True)
            model(meta(4, 8)).sum().backward()
            optimizer.step()

        seen = check(record(step))
        self.assertEqual({one["device"] for one in seen.storages if one["bytes"] > 4}, {"meta"})
        self.assertEqual(len(seen.find("mm", at="backward")), 3)
        self.assertEqual([line["parameters"] for line in seen.optimizers], [4])


if __name__ == "__main__":
    unittest.main()
