"""Ways to ask newer versions of PyTorch, on stand-ins for what the version at hand lacks."""

from __future__ import annotations

import contextlib
import sys
import unittest
from typing import Any, Optional
from unittest import mock

import torch
from recording_checker import Checked, check

from rooflab import _torch
from rooflab._storages import Storages
from rooflab.recorder import record

optimizers = sys.modules[torch.optim.Optimizer.__module__]


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(torch.tanh(self.first(x))).exp()


class Versions(unittest.TestCase):
    def test_the_node_that_runs(self) -> None:
        model, x = Model(), torch.ones(2, 4)
        running: list[Any] = [None]

        def note_nodes(node: Any) -> None:
            """Notes each node when it runs, as PyTorch does itself in newer versions."""
            node.register_prehook(lambda _: running.__setitem__(0, node))
            for following, _ in node.next_functions:
                if following is not None:
                    note_nodes(following)

        def step(stand_in: bool) -> None:
            model.zero_grad(set_to_none=True)
            error = model(x).sum()
            if stand_in:
                running[0] = None
                note_nodes(error.grad_fn)
            error.backward()

        def places(seen: Checked) -> list[tuple[str, Optional[str], Optional[str]]]:
            return [(op.name, op.module, op.place.get("node")) for op in seen]

        expected = places(check(record(step, False)))
        with mock.patch.object(_torch, "current_node", lambda: running[0]):
            seen = places(check(record(step, True)))
        running.clear()
        self.assertEqual(seen, expected)
        self.assertIn(("aten.tanh_backward", "", "TanhBackward0"), seen)

    def hooked(self) -> Any:
        """A context in which optimizers have hooks, as in newer versions; and the class of one."""
        hooks: dict[str, Any] = {}
        self.addCleanup(self.assertEqual, hooks, {})

        class Handle:
            def __init__(self, name: str) -> None:
                self.name = name

            def remove(self) -> None:
                del hooks[self.name]

        def register(name: str) -> Any:
            def add(hook: Any) -> Handle:
                hooks[name] = hook
                return Handle(name)
            return add

        class Hooked(torch.optim.SGD):
            def step(self, closure: Any = None) -> Any:
                if hooks:
                    hooks["pre"](self, (), {})
                super().step(closure)
                if hooks:
                    hooks["post"](self, (), {})

        return mock.patch.multiple(
            optimizers, create=True, register_optimizer_step_pre_hook=register("pre"),
            register_optimizer_step_post_hook=register("post")), Hooked

    def test_hooks_of_optimizers(self) -> None:
        with_hooks, kind = self.hooked()
        model = Model()
        optimizer = kind(model.parameters(), lr=0.1, momentum=0.9, foreach=False)

        def step() -> None:
            model(torch.ones(2, 4)).sum().backward()
            optimizer.step()

        with with_hooks:
            seen = check(record(step))
        self.assertEqual(len(seen.find("add_", at="optimizer")), 8)
        self.assertEqual([line["optimizer"] for line in seen.optimizers], ["Hooked"])

    def test_an_optimizer_s_step_that_raises_ends(self) -> None:
        with_hooks, hooked = self.hooked()
        for around, kind in ((contextlib.nullcontext(), torch.optim.SGD), (with_hooks, hooked)):
            model = Model()
            optimizer = kind(model.parameters(), lr=0.1, foreach=False)
            second = kind(model.parameters(), lr=0.1, foreach=False)

            def closure() -> Any:
                raise FloatingPointError("no loss today")

            def step() -> None:
                model(torch.ones(2, 4)).sum().backward()
                with contextlib.suppress(FloatingPointError):
                    optimizer.step(closure)
                torch.ones(3).neg()
                second.step()
                torch.ones(3).abs()

            with around:
                seen = check(record(step, warmup=0))
            self.assertEqual([op.place["at"] for op in seen if op.kind in ("neg", "abs")],
                             ["forward", "forward"])
            self.assertEqual(len(seen.find("add_", at="optimizer")), 4)

    def test_autocast_by_device(self) -> None:
        def is_enabled(device: str = "cuda") -> bool:
            if device == "mps":
                raise RuntimeError("unknown device")
            return device == "xpu" and is_on

        with mock.patch.object(torch, "is_autocast_enabled", is_enabled), mock.patch.object(
                torch, "get_autocast_dtype", {"xpu": torch.float16}.get, create=True):
            is_on = True
            self.assertIs(_torch.autocast_type(), torch.float16)
            is_on = False
            self.assertIsNone(_torch.autocast_type())

    def test_tf32_where_it_cannot_be_read(self) -> None:
        class Backend:
            fp32_precision = "tf32"

            @property
            def allow_tf32(self) -> bool:
                raise RuntimeError("mixed old and new settings")

        with mock.patch.object(torch.backends.cuda, "matmul", Backend()):
            self.assertEqual(_torch.tf32()["matmul"], True)

    def test_streams_count_from_one(self) -> None:
        streams = iter([0, 640, 640, 0, 704])
        x = torch.zeros(2)

        def step() -> None:
            for _ in range(5):
                x.neg()

        on_gpu = property(lambda storages: True, lambda storages, value: None)
        with mock.patch.object(_torch, "stream_of_this_thread", lambda on_cuda: next(streams)), \
                mock.patch.object(Storages, "seen_cuda", on_gpu, create=True), \
                mock.patch.object(_torch, "device_name", lambda: "a GPU"):
            seen = check(record(step, warmup=0))
        self.assertEqual([op.place.get("stream") for op in seen], [None, 1, 1, None, 2])
        self.assertEqual(seen.first["device_name"], "a GPU")


if __name__ == "__main__":
    unittest.main()
