"""Steps of one of several processes: collectives, their groups and streams, what is gathered."""

from __future__ import annotations

import math
import os
import socket
import unittest
from typing import Any

import torch
import torch.distributed as dist
from recording_checker import Checked, check

from rooflab.recorder import record

try:
    if not hasattr(torch, "compile"):
        raise ImportError(name="fully_shard")  # what 1.13 has cannot even be imported
    from programs import sharded
    from torch.distributed.fsdp import fully_shard  # noqa: F401 (PyTorch 2.6)
    from torch.testing._internal.distributed.fake_pg import FakeStore  # noqa: F401
    WHY_NOT = ""
except ImportError as error:
    WHY_NOT = f"this PyTorch has no {error.name or error}"


def collectives(seen: Checked, *names: str) -> list[Any]:
    """Operations of torch.distributed, in order."""
    return [op for op in seen if op.name.split(".")[0] in ("c10d", "_c10d_functional")
            and op.kind in names]


def bytes_of(seen: Checked, tensor: int) -> int:
    return 4 * math.prod(seen.shape_of(tensor))


class OneProcess(unittest.TestCase):
    """A real group of this process alone."""

    def setUp(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        os.environ.update(USE_LIBUV="0", GLOO_SOCKET_IFNAME="lo")
        dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=0, world_size=1)
        self.addCleanup(dist.destroy_process_group)

    def test_gradients_of_a_data_parallel_step(self) -> None:
        model = torch.nn.parallel.DistributedDataParallel(
            torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4)))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        x = torch.randn(3, 8)

        def step() -> None:
            optimizer.zero_grad(set_to_none=True)
            model(x).sum().backward()
            optimizer.step()

        for _ in range(2):
            step()  # the second one has the final buckets
        seen = check(record(step))
        sums = collectives(seen, "allreduce_")
        elements = 8 * 16 + 16 + 16 * 4 + 4
        self.assertEqual(sum(bytes_of(seen, one) for op in sums for one in op.inputs[0]),
                         4 * elements)
        self.assertEqual({op.ranks for op in sums}, {1})
        self.assertEqual({op.place["at"] for op in sums}, {"backward"})
        self.assertEqual(seen.gaps, [])

    @unittest.skipIf(WHY_NOT, WHY_NOT)
    def test_operations_of_divided_tensors_are_counted_where_they_come_apart(self) -> None:
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.tensor import Replicate, distribute_tensor

        x = torch.ones(4, 4)
        divided = distribute_tensor(x, init_device_mesh("cpu", (1,)), [Replicate()])

        def step() -> None:
            torch.relu(x)
            torch.relu(divided)
            torch.relu(x)

        seen = check(record(step))
        self.assertEqual([op.wrapped for op in seen.find("relu")], [0, 1, 0])
        self.assertEqual(sum(op.wrapped for op in seen), 1)

    def test_a_collective_is_recorded_or_a_gap(self) -> None:
        x, y = torch.ones(4), torch.zeros(4)
        seen = check(record(lambda: dist.all_to_all_single(y, x), warmup=0))
        found = collectives(seen, "alltoall_base_")
        hidden = [gap["name"] for gap in seen.gaps if gap["gap"] == "collective"]
        self.assertEqual(len(found) + len(hidden), 1)
        self.assertEqual([op.ranks for op in found], [1] * len(found))


@unittest.skipIf(WHY_NOT, WHY_NOT)
class SeveralProcesses(unittest.TestCase):
    """One process that stands for two: collectives do nothing."""

    RANKS = 2

    def setUp(self) -> None:
        sharded.start("fake", ranks=self.RANKS)
        self.addCleanup(dist.destroy_process_group)

    def step(self, kind: str, **options: Any) -> tuple[Checked, Any]:
        if kind == "fsdp" and not hasattr(torch.cpu.Stream, "record_event"):
            self.skipTest("this PyTorch's fully_shard asks for events of streams, which its CPU lacks")
        program = sharded.build(kind, batch=2, length=8, **options)
        program.step()
        return check(record(program.step)), program

    def test_a_fully_sharded_step_gathers_and_scatters(self) -> None:
        seen, program = self.step("fsdp")
        gathers = collectives(seen, "_allgather_base_")
        scatters = collectives(seen, "_reduce_scatter_base_")
        # Two blocks and the rest: each is gathered in the forward pass, the blocks again behind it.
        self.assertEqual((len(gathers), len(scatters)), (5, 3))
        self.assertEqual({op.ranks for op in gathers + scatters}, {self.RANKS})
        whole = sum(4 * one.numel() for one in program.modules["model"].parameters())
        forward = [op for op in gathers if op.place["at"] == "forward"]
        self.assertEqual(len(forward), 3)
        self.assertEqual(sum(bytes_of(seen, op.inputs[0]) for op in forward), whole)
        self.assertEqual(sum(bytes_of(seen, op.inputs[1]) for op in scatters), whole)
        self.assertEqual(sum(bytes_of(seen, op.inputs[0]) for op in scatters),
                         whole // self.RANKS)
        self.assertTrue(all(op.place.get("stream") for op in gathers + scatters))
        self.assertEqual(seen.gaps, [])

    def test_gathered_parameters_are_freed_behind_each_block(self) -> None:
        seen, _ = self.step("fsdp")
        copies = [number for number, op in enumerate(seen) if op.kind == "split_with_sizes_copy"]
        self.assertEqual(len(copies), 5)  # the rest, both blocks; in the backward pass the blocks
        for first, following in ((1, 2), (3, 4)):
            made = {seen.storage_of(one) for one in seen.ops[copies[first]].inputs[1]}
            self.assertEqual(len(made), 9)  # parameters of a block
            for storage in made:
                self.assertGreater(seen.born[storage], copies[first - 1])
                self.assertLessEqual(seen.born[storage], copies[first])
                self.assertLessEqual(seen.freed[storage], copies[following])

    def test_parameters_are_this_process_s_part(self) -> None:
        seen, program = self.step("fsdp")
        parts = sum(line["bytes"] for number, line in enumerate(seen.storages)
                    if seen.role[number] == "parameter")
        whole = sum(4 * one.numel() for one in program.modules["model"].parameters())
        self.assertEqual(parts, whole // self.RANKS)

    def test_a_tensor_parallel_step_sums_behind_rows(self) -> None:
        seen, _ = self.step("tp")
        sums = collectives(seen, "all_reduce", "all_reduce_")
        self.assertEqual({op.ranks for op in sums}, {self.RANKS})
        # Behind the embedding, the attention and the feed-forward of two blocks.
        forward = [op for op in sums if op.place["at"] == "forward"]
        self.assertEqual(len(forward), 5)
        self.assertEqual({bytes_of(seen, op.inputs[0]) for op in forward}, {4 * 2 * 8 * 64})
        self.assertEqual(len(collectives(seen, "all_gather_into_tensor")), 1)  # the logits
        self.assertEqual(seen.gaps, [])


if __name__ == "__main__":
    unittest.main()
