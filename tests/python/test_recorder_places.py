"""Modules, passes and autograd nodes of operations."""

from __future__ import annotations

import unittest
from typing import Any

import torch
from recording_checker import Checked, check
from torch import nn
from torch.utils.checkpoint import checkpoint

from rooflab.recorder import record


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.up = nn.Linear(8, 16)
        self.down = nn.Linear(16, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scaled = x * 2.0  # Block's own work before, between and after its modules
        return x + self.down(torch.tanh(self.up(scaled)))


class Network(nn.Module):
    def __init__(self, again: Any = None) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([Block(), Block()])
        self.again = again

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = block(x) if self.again is None else checkpoint(block, x, **self.again)
        return x.exp()


def trained(model: nn.Module, x: torch.Tensor) -> Checked:
    def step() -> None:
        model.zero_grad(set_to_none=True)
        model(x).sum().backward()

    return check(record(step))


def modules_of(seen: Checked, name: str, **place: Any) -> list:
    return [op.module for op in seen.find(name, **place)]


class Places(unittest.TestCase):
    def test_modules_forward(self) -> None:
        seen = trained(Network(), torch.zeros(2, 8))
        linear = ["blocks.0.up", "blocks.0.down", "blocks.1.up", "blocks.1.down"]
        self.assertEqual(modules_of(seen, "addmm", at="forward"), linear)
        self.assertEqual(modules_of(seen, "tanh"), ["blocks.0", "blocks.1"])
        self.assertEqual(modules_of(seen, "exp"), [""])
        self.assertEqual(modules_of(seen, "sum", at="forward"), [None])
        self.assertEqual([one["class"] for one in seen.modules],
                         ["Network", "Block", "Linear", "Linear", "Block", "Linear", "Linear"])
        self.assertEqual({one["root"] for one in seen.modules}, {0})

    def test_modules_backward_are_those_of_the_forward_operations(self) -> None:
        seen = trained(Network(), torch.zeros(2, 8))
        self.assertEqual(modules_of(seen, "tanh_backward"), ["blocks.1", "blocks.0"])
        products = seen.find("mm", at="backward")
        self.assertEqual({op.place["node"] for op in products}, {"AddmmBackward0"})
        # The input of the first layer needs no gradient: its node has one product.
        self.assertEqual([op.module for op in products], [
            "blocks.1.down", "blocks.1.down", "blocks.1.up", "blocks.1.up",
            "blocks.0.down", "blocks.0.down", "blocks.0.up"])
        # `x * 2.0` comes before the block's modules, and is the block's nevertheless.
        self.assertEqual([op.module for op in seen.find("mul", at="backward")
                          if op.place["node"] == "MulBackward0"], ["blocks.1"])
        self.assertEqual(modules_of(seen, "ones_like", at="backward"), [None])
        gradients = seen.find("detach", node="AccumulateGrad")
        self.assertEqual(len(gradients), 8)
        self.assertEqual([op.module for op in gradients][:2], ["blocks.1.down"] * 2)

    def test_checkpointing_repeats_forward_work(self) -> None:
        for again in ({"use_reentrant": True}, {"use_reentrant": False}):
            with self.subTest(again):
                seen = trained(Network(again), torch.zeros(2, 8, requires_grad=True))
                repeated = [op for op in seen if op.place.get("recomputed")]
                self.assertEqual({op.place["at"] for op in repeated}, {"backward"})
                self.assertEqual(modules_of(seen, "addmm", at="forward"), [
                    "blocks.0.up", "blocks.0.down", "blocks.1.up", "blocks.1.down"])
                again_up = [op.module for op in repeated if op.kind == "tanh"]
                self.assertEqual(again_up, ["blocks.1", "blocks.0"])
                self.assertEqual(modules_of(seen, "tanh_backward"), ["blocks.1", "blocks.0"])
                self.assertFalse([op for op in seen.find("tanh_backward")
                                  if op.place.get("recomputed")])
                self.assertEqual({one["root"] for one in seen.modules}, {0})

    def test_two_networks_and_two_optimizers(self) -> None:
        class Maker(nn.Linear):
            pass

        class Judge(nn.Linear):
            pass

        maker, judge = Maker(4, 8), Judge(8, 1)
        loss = nn.BCEWithLogitsLoss()
        of_maker = torch.optim.SGD(maker.parameters(), lr=0.1)
        of_judge = torch.optim.Adam(judge.parameters(), lr=0.1)

        def step(noise: torch.Tensor, real: torch.Tensor) -> None:
            of_judge.zero_grad()
            made = maker(noise)
            wrong, right = torch.zeros(2, 1), torch.ones(2, 1)
            (loss(judge(real), right) + loss(judge(made.detach()), wrong)).backward()
            of_judge.step()
            of_maker.zero_grad()
            loss(judge(made), right).backward()
            of_maker.step()

        seen = check(record(step, torch.zeros(2, 4), torch.zeros(2, 8)))
        self.assertEqual([line["optimizer"] for line in seen.optimizers], ["Adam", "SGD"])
        passes = []
        for op in seen:
            if op.place["at"] != "other" and passes[-1:] != [op.place["at"]]:
                passes.append(op.place["at"])
        self.assertEqual(passes, 2 * ["forward", "backward", "optimizer"])
        roots = [one["class"] for one in seen.modules if one["root"] == one["module"]]
        self.assertEqual(roots, ["Maker", "Judge", "BCEWithLogitsLoss"])
        classes = [seen.modules[op.place["module"]]["class"] for op in seen.find("addmm")]
        self.assertEqual(classes, ["Maker", "Judge", "Judge", "Judge"])
        self.assertEqual(seen.first["name"], "Maker")

    def test_a_closure_of_an_optimizer_is_forward_and_backward(self) -> None:
        model = nn.Linear(4, 1)
        optimizer = torch.optim.LBFGS(model.parameters(), max_iter=2)
        x = torch.ones(2, 4)

        def closure() -> torch.Tensor:
            optimizer.zero_grad()
            error = (model(x) - 1).pow(2).mean()
            error.backward()
            return error

        seen = check(record(lambda: optimizer.step(closure), warmup=0))
        self.assertEqual({op.place["at"] for op in seen.find("addmm")}, {"forward"})
        self.assertEqual({op.place["at"] for op in seen.find("pow") if op.place.get("node") is None
                          and op.place["at"] != "backward"}, {"forward"})
        self.assertIn("optimizer", {op.place["at"] for op in seen})
        self.assertIn("backward", {op.place["at"] for op in seen.find("mm")})

    def test_a_scheduler_of_learning_rates_hides_no_optimizer(self) -> None:
        model = nn.Linear(4, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)

        def step() -> None:
            model(torch.ones(1, 4)).sum().backward()
            optimizer.step()
            scheduler.step()

        seen = check(record(step, imitate=False))  # as on CUDA it would be one operation
        self.assertEqual(len(seen.find("add_", at="optimizer")), 2)

    def test_passes_outside_of_modules(self) -> None:
        model = nn.Linear(4, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

        def step(x: torch.Tensor) -> None:
            optimizer.zero_grad(set_to_none=False)
            error = model(x.to(torch.float32)).sigmoid().sum()
            error.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()

        seen = check(record(step, torch.zeros(2, 4, dtype=torch.float64)))
        self.assertEqual([op.place["at"] for op in seen.find("zero_")], ["other", "other"])
        self.assertEqual(seen.find("_to_copy")[0].place["at"], "other")
        self.assertEqual(seen.find("sigmoid")[0].place["at"], "forward")
        clipped = [op for op in [*seen.find("mul_"), *seen.find("_foreach_mul_")]
                   if op.place["at"] == "other"]
        self.assertIn(len(clipped), (1, 2))  # for all gradients at once, or for each

    def test_a_function_without_modules(self) -> None:
        seen = check(record(torch.matmul, torch.zeros(2, 3), torch.zeros(3, 4)))
        self.assertEqual([op.place for op in seen.find("mm")], [{"at": "forward"}])
        self.assertIsNone(seen.first["name"])
        self.assertIsNone(seen.first["batch"])
        self.assertEqual(seen.shape_of(seen.output[0]), [2, 4])

    def test_gradients_within_the_forward_pass(self) -> None:
        model = nn.Linear(4, 1)

        def step() -> None:
            x = torch.ones(2, 4, requires_grad=True)
            slope, = torch.autograd.grad(model(x).tanh().sum(), x, create_graph=True)
            slope.pow(2).sum().backward()

        seen = check(record(step))
        self.assertFalse([op for op in seen if op.place.get("recomputed")])
        self.assertEqual({op.place["at"] for op in seen.find("tanh_backward")}, {"backward"})
        self.assertEqual([op.place["at"] for op in seen.find("pow")][0], "forward")

    def test_own_autograd_functions(self) -> None:
        class Double(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
                return x * 2

            @staticmethod
            def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
                return gradient * 2

        class Own(nn.Module):
            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return Double.apply(x)

        seen = trained(nn.Sequential(nn.Linear(4, 4), Own()), torch.zeros(1, 4))
        product, = seen.find("mul", at="backward")
        self.assertEqual((product.module, product.place["node"]), ("1", "DoubleBackward"))

    def test_autocast_on_a_cpu(self) -> None:
        model = Network()

        def step(x: torch.Tensor) -> None:
            with torch.autocast("cpu", dtype=torch.bfloat16):
                y = model(x)
                with torch.autocast("cpu", enabled=False):
                    z = y.float().sum()
            z.backward()

        seen = check(record(step, torch.zeros(2, 8)))
        for op in seen.find("addmm"):
            self.assertEqual(op.place.get("autocast"), "bf16")
            self.assertEqual(seen.type_of(op.outputs[0]), "bf16")
        self.assertNotIn("autocast", seen.find("sum", at="forward")[0].place)
        self.assertNotIn("autocast", seen.find("tanh_backward")[0].place)

    def test_modules_of_other_threads_are_not_of_the_step(self) -> None:
        import threading

        model, other = nn.Linear(4, 4), nn.Bilinear(2, 2, 2)

        def step() -> None:
            thread = threading.Thread(
                target=lambda: other(torch.zeros(1, 2), torch.zeros(1, 2)).sum().backward())
            thread.start()
            thread.join()
            model(torch.zeros(1, 4))

        seen = check(record(step))
        self.assertEqual([one["class"] for one in seen.modules], ["Linear"])


if __name__ == "__main__":
    unittest.main()
