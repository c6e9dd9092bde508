"""What tests of imitated steps share: places, operations by name, comparisons of results."""
import unittest

import torch
from recording_checker import check
from rooflab import _torch
from rooflab.recorder import record

IN_PLACES = ("cpu", "meta") if _torch.RELEASE >= (2, 0) else ("cpu",)


def names(step, **options):
    """The operations of a step, without views."""
    views = ("view", "t", "transpose", "expand", "detach", "_unsafe_view", "alias", "permute")
    return [op.kind for op in check(record(step, **options)).ops if op.kind not in views]


def since(*release):
    reason = f"PyTorch {release[0]}.{release[1]} has this first"
    return unittest.skipIf(_torch.RELEASE < release, reason)


class Steps(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)

    def assert_has(self, found, expected):
        """`expected` is part of `found`, in this order."""
        rest = iter(found)
        for name in expected:
            self.assertIn(name, rest, f"{name} of {expected} in {found}")

    def assert_same_results(self, step, tolerance=1e-5):
        """`step` gives tensors: with the imitation the same ones."""
        results = []

        def noted():
            results.append([one.detach().clone().float() for one in step()])

        record(noted, warmup=0, imitate=False)
        record(noted, warmup=0)
        for plain, own in zip(*results):
            self.assertLess((plain - own).abs().max().item(), tolerance * (1 + plain.abs().max()))
