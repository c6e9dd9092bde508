"""A program that is asked for its operations, by a stand-in for the library that profiles it."""
from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any, Optional
from unittest import mock

import torch

from rooflab import _op_teller, recorder
from rooflab._operations import Operations
from rooflab._session import Session


class Library:
    """What inject/cupti/op_teller.cpp is to the package."""

    def __init__(self, folder: str) -> None:
        self.path = Path(folder) / "step.ops.rec.jsonl.gz"
        self.told: list[tuple[int, int]] = []  # threads and numbers
        self.trouble: Optional[str] = None
        self.begun = self.offered = self.wants = False
        self.captures = 0  # that began and have not ended
        self.wants_captures = True
        self._asked = threading.Event()

    def offer(self) -> None:
        self.offered = True

    def wait(self) -> int:
        self._asked.wait()
        self._asked.clear()
        return 1

    def ask(self) -> None:
        self.wants = True
        self._asked.set()

    def wanted(self) -> int:
        return self.wants

    def file(self) -> str:
        return str(self.path)

    def begin(self) -> None:
        self.begun = True

    def op(self, number: int) -> None:
        self.told.append((threading.get_ident(), number))

    def end(self, trouble: str = "") -> None:
        self.trouble = trouble
        self.wants = False

    def wants_capture(self) -> int:
        return self.wants_captures

    def begin_capture(self) -> None:
        self.captures += 1

    def end_capture(self) -> None:
        self.captures -= 1

    def ops(self) -> list[dict[str, Any]]:
        with gzip.open(self.path, "rt", encoding="utf-8") as file:
            return [line for line in map(json.loads, file) if "op" in line]


class Inner(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.asks: Any = None
        self.layer = torch.nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.asks is not None:
            self.asks()
            self.asks = None
        return self.layer(x)


class OpTeller(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.library = Library(folder.name)
        self.plain = torch.nn.Module.__call__
        self.model = torch.nn.Sequential(Inner(), torch.nn.ReLU(), torch.nn.Linear(8, 2))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1, momentum=0.9)
        self.thread = _op_teller.Teller(self.library).start()
        self.step()
        self.assertTrue(self.library.offered)
        self.assertFalse(self.library.begun)
        self.assertIs(torch.nn.Module.__call__, self.plain)  # nothing before it is asked

    def step(self) -> float:
        self.optimizer.zero_grad()
        loss = self.model(torch.ones(4, 8)).sum()
        loss.backward()
        self.optimizer.step()
        return float(loss.detach())

    def ask(self) -> None:
        self.library.ask()
        self.thread.join()

    def check_over(self, trouble: Optional[str]) -> None:
        self.assertIs(torch.nn.Module.__call__, self.plain)
        self.assertIsNone(recorder._running)
        self.assertEqual(self.library.trouble, trouble)

    @unittest.skipIf(torch.__version__.startswith("1."), "modes of PyTorch 1 depend on other keys")
    def test_a_recording_goes_on_behind_the_guard_in_which_it_began(self) -> None:
        @torch.inference_mode()
        def generate() -> None:
            self.model(torch.ones(4, 8))

        self.ask()
        generate()
        before = len(self.library.told)
        self.assertGreater(before, 0)
        generate()
        self.assertEqual(len(self.library.told), 2 * before)
        self.library.wants = False
        self.step()
        self.check_over("")

    def test_operations_have_the_numbers_that_were_told(self) -> None:
        self.ask()
        self.step()
        self.step()
        self.library.wants = False
        self.step()
        self.check_over("")
        ops = self.library.ops()
        numbers = [number for _, number in self.library.told if number >= 0]
        self.assertEqual(sorted(op["call"] for op in ops), sorted(numbers))
        self.assertEqual([number for _, number in self.library.told[1::2]], [-1] * len(numbers))
        names = [op["op"] for op in ops]
        self.assertEqual(names.count("aten.addmm"), 4)
        self.assertEqual(names.count("aten.threshold_backward"), 2)

    def test_it_waits_for_an_outermost_module(self) -> None:
        def ask() -> None:
            self.ask()

        self.model[0].asks = ask  # within the forward pass
        self.step()
        self.assertFalse(self.library.begun)
        self.step()
        self.assertTrue(self.library.begun)
        self.library.wants = False
        self.step()
        self.check_over("")
        self.assertEqual(self.library.ops()[0]["op"], "aten.t")

    def test_a_program_may_keep_how_modules_are_called(self) -> None:
        self.ask()
        kept = self.model.__call__  # as generate() of transformers does
        kept(torch.ones(1, 8))
        kept(torch.ones(2, 8))
        self.library.wants = False
        kept(torch.ones(3, 8))
        self.check_over("")
        self.assertEqual([op["op"] for op in self.library.ops()].count("aten.addmm"), 4)
        self.assertEqual(kept(torch.ones(4, 8)).shape, (4, 2))

    def test_other_threads_go_on(self) -> None:
        self.ask()
        self.step()
        told = len(self.library.told)
        thread = threading.Thread(target=lambda: self.model(torch.ones(1, 8)))
        thread.start()
        thread.join()
        self.assertEqual(len(self.library.told), told)
        self.library.wants = False
        self.step()
        self.check_over("")

    def test_failures_do_not_reach_the_program(self) -> None:
        for owner, method in ((Operations, "_before"), (Operations, "_after"),
                              (Session, "enter_module"), (Session, "begin_engine"),
                              (Session, "end_optimizer"), (Session, "begin")):
            with self.subTest(method):
                library = self.library = Library(self.library.path.parent)
                self.thread = _op_teller.Teller(library).start()
                with mock.patch.object(owner, method, side_effect=ValueError("not so")):
                    self.ask()
                    first = self.step()
                    self.assertNotEqual(self.step(), first)
                    library.wants = False
                    self.step()
                self.check_over("ValueError: not so")
                self.assertFalse(library.path.exists())

    def test_errors_of_the_program_are_its_own(self) -> None:
        self.ask()
        with self.assertRaises(RuntimeError):
            self.model(torch.ones(4, 9))
        self.step()
        self.library.wants = False
        self.step()
        self.check_over("")

    def test_it_gives_way_to_modes_of_the_program(self) -> None:
        if not hasattr(torch._C, "_len_torch_dispatch_stack"):
            self.skipTest("this PyTorch does not tell its modes")
        from torch.utils._python_dispatch import TorchDispatchMode

        class Mode(TorchDispatchMode):
            def __torch_dispatch__(self, func: Any, types: Any, args: Any = (),
                                   kwargs: Any = None) -> Any:
                return func(*args, **(kwargs or {}))

        self.ask()
        with Mode():
            self.step()
        self.check_over("a dispatch mode of the program is active")

    def test_it_can_be_asked_again(self) -> None:
        for _ in range(2):
            self.ask()
            self.library.offered = False
            self.step()
            self.library.wants = False
            self.step()
            self.check_over("")
            told = len(self.library.told)
            self.step()
            self.assertEqual(len(self.library.told), told)
            self.assertTrue(self.library.offered)
            self.thread = threading.enumerate()[-1]

    def test_it_was_asked_for_too_late(self) -> None:
        self.library.ask()
        self.library.wants = False
        self.thread.join()
        self.step()
        self.check_over("no module was called in time")


class Graph:
    """What torch.cuda.CUDAGraph is to the package."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def capture_begin(self, pool: Any = None, fails: bool = False) -> None:
        self.calls.append(f"begin {pool}")
        if fails:
            raise RuntimeError("another capture is under way")

    def capture_end(self) -> None:
        self.calls.append("end")


class Captures(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.library = Library(folder.name)
        self.model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU())
        graph = type("Graph", (Graph,), {})
        patch = mock.patch.object(torch.cuda, "CUDAGraph", graph)
        patch.start()
        self.addCleanup(patch.stop)
        _op_teller.Captures(self.library).start()
        self.graph = graph()

    def capture(self) -> None:
        self.graph.capture_begin("pool")
        self.model(torch.ones(2, 8))
        self.graph.capture_end()
        self.model(torch.ones(2, 8))

    def check_over(self) -> None:
        self.assertIsNone(recorder._running)
        self.assertEqual(self.library.captures, 0)

    def test_operations_of_a_capture_are_told_and_recorded(self) -> None:
        self.capture()
        self.check_over()
        self.assertEqual(self.graph.calls, ["begin pool", "end"])
        names = [op["op"] for op in self.library.ops()]
        self.assertEqual(names.count("aten.addmm"), 1)
        numbers = [number for _, number in self.library.told if number >= 0]
        self.assertEqual([op["call"] for op in self.library.ops()], numbers)
        self.assertEqual(self.library.told[-1][1], -1)

    def test_nothing_else_begins_within_a_capture(self) -> None:
        thread = _op_teller.Teller(self.library).start()
        self.library.ask()
        thread.join()
        self.graph.capture_begin()
        self.model(torch.ones(2, 8))
        self.assertFalse(self.library.begun)
        self.graph.capture_end()
        self.model(torch.ones(2, 8))
        self.assertTrue(self.library.begun)
        self.library.wants = False
        self.model(torch.ones(2, 8))
        self.check_over()
        self.assertEqual(self.library.trouble, "")

    def test_a_capture_that_fails_is_the_programs_own(self) -> None:
        with self.assertRaisesRegex(RuntimeError, "another capture"):
            self.graph.capture_begin(fails=True)
        self.check_over()
        self.capture()
        self.check_over()

    def test_failures_of_the_recording_do_not_reach_the_program(self) -> None:
        for owner, method in ((Operations, "_before"), (Session, "enter_module"),
                              (Session, "begin"), (Session, "_write_first")):
            with self.subTest(method), \
                    mock.patch.object(owner, method, side_effect=ValueError("not so")):
                self.capture()
            self.check_over()

    def test_nothing_is_recorded_where_nobody_wants_it(self) -> None:
        self.library.wants_captures = False
        self.capture()
        self.assertEqual(self.library.told, [])
        self.assertFalse(self.library.path.exists())


class Startup(unittest.TestCase):
    FOLDER = Path(_op_teller.__file__).resolve().parent / "_startup"

    def python(self, code: str, *folders: Path, **variables: str) -> str:
        path = ":".join(map(str, (self.FOLDER, *folders)))
        done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True,
                              text=True, env={"PATH": "/usr/bin", "PYTHONPATH": path, **variables})
        self.assertEqual(done.stderr, "")
        return done.stdout.strip()

    def test_what_it_hides_runs(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "sitecustomize.py").write_text("hidden = 5\n", encoding="utf-8")
            code = "import sitecustomize; print(sitecustomize.hidden)"
            self.assertEqual(self.python(code, Path(folder)), "5")

    def test_it_leaves_no_trace_in_the_path(self) -> None:
        code = "import sys; print(any('rooflab' in path for path in sys.path))"
        self.assertEqual(self.python(code, ROOFLAB_PROFILE="folder=/tmp\nmode=kernels\n"), "False")

    def test_pytorch_is_watched_only_where_kernels_are_profiled(self) -> None:
        code = "import sys; print([type(one).__name__ for one in sys.meta_path][0])"
        kernels = self.python(code, ROOFLAB_PROFILE="folder=/tmp\nmode=kernels\n")
        self.assertEqual(kernels, "_AfterTorch")
        for other in ({}, {"ROOFLAB_PROFILE": "folder=/tmp\nmode=sample\n"}):
            self.assertNotEqual(self.python(code, **other), "_AfterTorch")


if __name__ == "__main__":
    unittest.main()
