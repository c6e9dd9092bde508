"""Births, frees, views and roles of memory, on steps whose answers are worked out by hand."""

from __future__ import annotations

import unittest
import warnings
from typing import Any

import torch
from recording_checker import check
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint

from rooflab import _torch
from rooflab._schema import tensors_in
from rooflab.recorder import record

KB = 1024


class BruteForce(TorchDispatchMode):
    """Asks each storage after each operation: the truth about births and frees."""

    def __init__(self) -> None:
        super().__init__()
        self.ops: list[str] = []
        self.births: list[int] = []  # of all storages: number of the operation
        self.frees: dict[int, int] = {}  # number of a storage: number of operations before
        self._live: dict[int, int] = {}

    def ask(self) -> None:
        for address in [one for one in self._live if _torch.expired(one)]:
            self.frees[self._live.pop(address)] = len(self.ops)
            _torch.release(address)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func._schema.name
        if name.startswith("profiler::") or (types and name == "aten::detach"):
            return func(*args, **(kwargs or {}))
        self.ask()
        known = {_torch.storage_of(one)._cdata for one in tensors_in((args, kwargs))}
        result = func(*args, **(kwargs or {}))
        for tensor in tensors_in(result):
            storage = _torch.storage_of(tensor)
            if storage._cdata not in known and storage._cdata not in self._live:
                storage._weak_ref()
                self._live[storage._cdata] = len(self.births)
                self.births.append(len(self.ops))
        self.ops.append(name.replace("::", "."))
        return result


class Storages(unittest.TestCase):
    def test_parameters_and_buffers_have_a_tensor_even_if_nothing_uses_them(self) -> None:
        model = torch.nn.BatchNorm2d(3).half()
        model.register_parameter("extra", torch.nn.Parameter(torch.zeros(5, 2).t()))
        model.forward = lambda x: x + 1
        lines = list(record(model, torch.ones(2)).open())
        kinds = [next(iter(line)) for line in lines]
        layouts = [line for line in lines if "layout" in line and "shape" in line]
        described = {}
        for place, line in enumerate(lines):
            if line.get("role") in ("parameter", "buffer") and kinds[place] == "storage":
                # Behind it: its layout where that is new, then the tensor.
                tensor = lines[place + (2 if kinds[place + 1] == "layout" else 1)]
                self.assertEqual(tensor["storage"], line["storage"])
                layout = layouts[tensor["layout"]]
                described[line["name"]] = (layout["layout"], layout["shape"], layout.get("strides"))
        self.assertEqual(described, {
            "weight": ("f16", [3], None), "bias": ("f16", [3], None),
            "extra": ("f32", [2, 5], [1, 2]), "running_mean": ("f16", [3], None),
            "running_var": ("f16", [3], None), "num_batches_tracked": ("i64", [], None)})

    def test_frees_come_with_the_next_operation(self) -> None:
        def step() -> None:
            a = torch.zeros(KB)  # op 0
            b = a + 1  # op 1
            del a
            c = b * 2  # op 2: a is freed before
            d = c[1:]  # op 3: a view of c
            del b, c
            e = d.neg()  # op 4: b is freed before, c is not
            del d
            e.add_(1)  # op 5: c is freed before

        seen = check(record(step, warmup=0))
        self.assertEqual([op.kind for op in seen], ["zeros", "add", "mul", "slice", "neg", "add_"])
        a, b, c, e = range(4)
        self.assertEqual(seen.born, {a: 0, b: 1, c: 2, e: 4})
        self.assertEqual(seen.freed, {a: 2, b: 4, c: 5, e: 6})
        self.assertEqual(seen.peak, 2 * 4 * KB)  # two vectors at a time

    def test_an_address_that_is_used_again_is_a_new_storage(self) -> None:
        def step() -> None:
            for _ in range(200):
                torch.zeros(KB)

        seen = check(record(step, warmup=0))
        self.assertEqual(len(seen.storages), 200)
        self.assertEqual(seen.freed, {number: number + 1 for number in range(200)})
        self.assertEqual(seen.peak, 4 * KB)

    def test_many_storages_are_freed_at_most_a_few_operations_late(self) -> None:
        def step() -> None:
            held = [torch.zeros(8) for _ in range(1000)]
            del held[100:900]  # long out of the window of recent ones
            x = torch.zeros(8)
            for _ in range(40):
                x = x + 1

        seen = check(record(step, warmup=0))
        late = {seen.freed[number] - 1000 for number in range(100, 900)}
        self.assertGreaterEqual(min(late), 0)
        self.assertLessEqual(max(late), 1000 // 32 + 1)

    def test_lists_of_many_tensors_are_freed_at_once(self) -> None:
        def step() -> None:
            first = torch._foreach_neg([torch.zeros(KB) for _ in range(300)])  # op 300
            second = torch._foreach_neg(first)  # op 301
            del first
            torch._foreach_neg_(second)  # op 302

        seen = check(record(step, warmup=0))
        first = [seen.storage_of(one) for one in seen.ops[300].outputs[0]]
        self.assertEqual({seen.freed[one] for one in first}, {302})

    def test_views_and_operations_in_place_share_a_storage(self) -> None:
        x = torch.zeros(4, 6)

        def step() -> torch.Tensor:
            y = x.t()[1:3]
            y.mul_(2)
            return y

        recording = record(step, warmup=0)
        seen = check(recording)
        transpose, cut, product = seen.ops
        self.assertEqual(len(seen.storages), 1)
        view = cut.outputs[0]
        self.assertEqual(seen.tensors[view]["offset"], 1)
        layout = seen.layouts[seen.tensors[view]["layout"]]
        self.assertEqual((layout["shape"], layout["strides"]), ([2, 4], [1, 6]))
        self.assertEqual((product.inputs[0], product.outputs, product.writes), (view, [view], [0]))
        self.assertEqual(seen.output, [view])
        self.assertEqual(seen.role, {0: "input"})
        self.assertEqual(seen.born, {0: -1})
        self.assertEqual(seen.freed, {})
        self.assertEqual(transpose.writes, [])

    def test_a_storage_that_grows_has_a_second_line(self) -> None:
        def step() -> None:
            x = torch.zeros(4)
            x.resize_(400)
            x.add_(1)

        seen = check(record(step, warmup=0))
        self.assertEqual(seen.storages[0]["bytes"], 1600)
        self.assertEqual(seen.end["storages"], 2)
        self.assertEqual(seen.peak, 1600)

    def test_a_storage_whose_memory_the_program_takes_is_freed(self) -> None:
        def storage_of(x: torch.Tensor) -> Any:
            return x.untyped_storage() if hasattr(x, "untyped_storage") else x._storage()

        empty = torch.zeros(100)
        storage_of(empty).resize_(0)

        def step() -> None:
            x = torch.zeros(100)
            storage_of(x).resize_(0)
            y = torch.zeros(50)
            storage_of(x).resize_(400)  # another piece of memory from here on
            x.add_(1)
            storage_of(empty).resize_(400)  # not one of before the step
            empty.mul_(2)
            storage_of(empty).resize_(0)
            del y

        seen = check(record(step, warmup=0))
        self.assertEqual([one["bytes"] for one in seen.storages], [400, 200, 400, 400])
        self.assertEqual(seen.born, {0: 0, 1: 1, 2: 2, 3: 3})
        self.assertEqual((seen.freed[0], seen.freed[3]), (1, 4))
        self.assertEqual(seen.peak, 1000)

    def test_the_peak_of_a_training_step(self) -> None:
        n, wide = 64, 256  # all tensors are n x wide, weights are wide x wide
        first = torch.nn.Linear(wide, wide, bias=False)
        second = torch.nn.Linear(wide, wide, bias=False)
        model = torch.nn.Sequential(first, torch.nn.ReLU(), second)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        x = torch.zeros(n, wide)

        def step() -> None:
            optimizer.zero_grad(set_to_none=True)
            model(x).sum().backward()
            optimizer.step()

        seen = check(record(step))
        weight, activation = 4 * wide * wide, 4 * n * wide
        # The end of the backward pass: parameters, both gradients, the input, the first ReLU's
        # input gradient and the sum's gradient, 4 bytes (1 for the loss: not held).
        # At ReLU's node: x, relu's output, the gradient from the second layer, the new gradient.
        small = [size for size in (one["bytes"] for one in seen.storages) if size < 64]
        at_second = 2 * weight + weight + 4 * activation
        at_first = 2 * weight + 2 * weight + 2 * activation
        before = 2 * weight + 2 * weight + 0 * activation  # parameters and old gradients
        self.assertLessEqual(seen.peak - max(at_second, at_first, before), sum(small))
        self.assertGreaterEqual(seen.peak, max(at_second, at_first, before))

    def test_gradients_of_the_last_step_are_freed_by_zero_grad(self) -> None:
        model = torch.nn.Linear(8, 4)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        x = torch.zeros(2, 8)

        def step() -> None:
            optimizer.zero_grad(set_to_none=True)
            model(x).sum().backward()

        seen = check(record(step))
        gradients = [one for one, role in seen.role.items() if role == "gradient"]
        self.assertEqual(len(gradients), 4)
        forward = seen.ops.index(seen.find("addmm")[0])
        for old, new in zip(gradients[:2], gradients[2:]):
            self.assertLess(seen.freed[old], forward)
            self.assertNotIn(new, seen.freed)
            self.assertEqual((seen.born[old], seen.born[new] > forward), (-1, True))
        self.assertEqual([seen.names[one] for one in gradients[2:]], ["weight", "bias"])

    def test_roles_of_a_training_step(self) -> None:
        model = torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.BatchNorm1d(4))
        optimizer = torch.optim.Adam(model.parameters())
        x, y = torch.zeros(2, 8), torch.tensor([1, 2])

        def step() -> None:
            optimizer.zero_grad(set_to_none=False)
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()

        for warmup in (0, 1):  # with and without a state and gradients at the beginning
            seen = check(record(step, warmup=warmup))
            names: dict = {}
            for number, role in seen.role.items():
                names.setdefault(role, []).append(seen.names[number])
            parameters = ["0.bias", "0.weight", "1.bias", "1.weight"]
            self.assertEqual(sorted(names["parameter"]), parameters)
            self.assertEqual(sorted(names["gradient"]), parameters)
            self.assertEqual(sorted(names["optimizer"]), sorted(3 * parameters))
            self.assertEqual(sorted(names["buffer"]),
                             ["1.num_batches_tracked", "1.running_mean", "1.running_var"])
            self.assertEqual(names["input"], [None, None])
            line, = seen.optimizers
            self.assertEqual((line["optimizer"], line["parameters"]), ("Adam", 4))
            self.assertEqual(line["options"]["lr"], 0.001)
            born = {seen.born[one] < 0 for one, role in seen.role.items() if role == "optimizer"}
            self.assertEqual(born, {warmup == 1})
            warmup or optimizer.state.clear()

    def test_a_shared_parameter_has_its_first_name(self) -> None:
        first, last = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)
        last.weight = first.weight
        seen = check(record(torch.nn.Sequential(first, last), torch.zeros(1, 4)))
        names = [seen.names[one] for one, role in seen.role.items() if role == "parameter"]
        self.assertEqual(names, ["0.weight", "0.bias", "1.bias"])

    def test_parameters_of_no_module(self) -> None:
        weight = torch.zeros(4, 4, requires_grad=True)
        optimizer = torch.optim.SGD([weight], lr=0.5, momentum=0.9)

        def step() -> None:
            optimizer.zero_grad(set_to_none=True)
            (torch.zeros(2, 4) @ weight).sum().backward()
            optimizer.step()

        seen = check(record(step))
        named = {role: seen.names[one] for one, role in seen.role.items() if role}
        self.assertEqual(named, {role: "parameter.0"
                                 for role in ("parameter", "gradient", "optimizer")})

    def test_an_optimizer_that_steps_before_its_module_is_called(self) -> None:
        model = torch.nn.Linear(4, 2, bias=False)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

        def step() -> None:
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)
            model(torch.zeros(1, 4)).sum().backward()

        seen = check(record(step))
        names = {(role, seen.names[one]) for one, role in seen.role.items() if role}
        self.assertEqual(names, {("parameter", "weight"), ("gradient", "weight")})

    def test_tensors_without_a_storage_are_gaps(self) -> None:
        x = torch.eye(3).to_sparse()

        def step() -> None:
            torch.sparse.mm(x, torch.zeros(3, 2))

        seen = check(record(step, warmup=0))
        gap, = seen.gaps
        self.assertEqual((gap["gap"], gap["name"]), ("sparse", "sparse_coo"))
        self.assertIn("test_recorder_storages.py", gap["where"])
        indices, values = 3 * 2 * 8, 3 * 4
        self.assertEqual([one["bytes"] for one in seen.storages if one.get("role") == "input"],
                         [indices + values])

    def test_births_and_frees_are_those_of_a_step_without_recorder(self) -> None:
        """The recorder keeps no memory alive, and sees each free before the next operation."""
        torch.manual_seed(0)
        stem = torch.nn.Conv2d(3, 8, 3)
        block = torch.nn.Sequential(torch.nn.Conv2d(8, 8, 3, padding=1), torch.nn.BatchNorm2d(8),
                                    torch.nn.ReLU(inplace=True), torch.nn.Dropout(0.1))
        head = torch.nn.Linear(8, 4)
        parameters = [*stem.parameters(), *block.parameters(), *head.parameters()]
        for foreach in (False, True):
            optimizer = torch.optim.Adam(parameters, foreach=foreach)
            x = torch.randn(2, 3, 8, 8)

            def step() -> None:
                optimizer.zero_grad(set_to_none=True)
                y = stem(x)
                y = y + block(y)
                y = checkpoint(block, y, use_reentrant=True)
                error = head(y.mean((2, 3))).pow(2).sum()
                error.backward()
                torch.nn.utils.clip_grad_norm_(parameters, 1.0)
                optimizer.step()

            step()
            with BruteForce() as truth:
                step()
                truth.ask()
            seen = check(record(step, warmup=0, imitate=False))
            self.assertEqual([op.name for op in seen], truth.ops)
            # The operand of lift_fresh is made of Python numbers, before the operation.
            lifted = [at for at, op in enumerate(seen.ops) if op.kind == "lift_fresh"]
            made = sorted(number for number, op in seen.born.items()
                          if op >= 0 and op not in lifted)
            self.assertEqual([seen.born[number] for number in made], truth.births)
            frees = {place: seen.freed[number] for place, number in enumerate(made)
                     if number in seen.freed}
            self.assertEqual(sorted(frees.items()), sorted(truth.frees.items()))

    def test_parameters_that_get_their_memory_in_the_first_call(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = torch.nn.Sequential(torch.nn.LazyLinear(4), torch.nn.Linear(4, 2))
        seen = check(record(model, torch.zeros(3, 5), warmup=0))
        roles = {seen.names[one]: seen.born[one] >= 0 for one, role in seen.role.items()
                 if role == "parameter"}
        self.assertEqual(roles, {"0.weight": True, "0.bias": True, "1.weight": False,
                                 "1.bias": False})


if __name__ == "__main__":
    unittest.main()
