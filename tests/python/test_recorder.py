"""The recorder as a whole: its files, its errors, and that it changes nothing."""

from __future__ import annotations

import ast
import gzip
import os
import random
import sys
import tempfile
import time
import types
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import torch
from recording_checker import check
from torch.autograd.variable import Variable

from rooflab import _lines, _torch
from rooflab.errors import Error, RecordingError
from rooflab.recorder import Recorder, record
from rooflab.recording import Recording

PACKAGE = Path(__file__).resolve().parents[2] / "python" / "rooflab"


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 8, 3)
        self.norm = torch.nn.BatchNorm2d(8)
        self.drop = torch.nn.Dropout(0.5)
        self.fc = torch.nn.Linear(8, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.norm(self.conv(x)))
        return self.fc(self.drop(x.mean((2, 3))))


class Training:
    """Steps of a small network; equal ones compute equal numbers."""

    def __init__(self, foreach: bool = False) -> None:
        torch.manual_seed(3)
        self.model = Net()
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=0.01, foreach=foreach)
        self.x = torch.randn(4, 3, 8, 8)

    def step(self) -> torch.Tensor:
        self.optimizer.zero_grad(set_to_none=True)
        error = self.model(self.x).pow(2).sum()
        error.backward()
        self.optimizer.step()
        return error.detach()


def patched() -> list[Any]:
    """All that a recorder replaces."""
    return [torch.nn.Module.__call__, torch.autograd.backward, torch.autograd.grad,
            Variable._execution_engine, torch.nn.Module.zero_grad, torch.optim.Optimizer.zero_grad,
            torch.cuda.amp.GradScaler.step, torch.autocast.__enter__, torch.autocast.__exit__,
            vars(torch.UntypedStorage).get("resize_"), torch.autograd.profiler.record_function]


class RecorderTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.before = patched()

    def tearDown(self) -> None:
        for one, other in zip(self.before, patched()):
            self.assertIs(one, other)

    def test_recording_changes_no_number(self) -> None:
        for foreach in (False, True):
            plain, recorded = Training(foreach), Training(foreach)
            torch.manual_seed(4)
            expected = [plain.step() for _ in range(3)]
            state = torch.get_rng_state()
            torch.manual_seed(4)
            with Recorder(self.folder / "one.jsonl"):
                seen = [recorded.step() for _ in range(3)]
            self.assertTrue(torch.equal(torch.get_rng_state(), state))
            self.assertEqual([one.item() for one in seen], [one.item() for one in expected])
            for one, other in zip(plain.model.state_dict().values(),
                                  recorded.model.state_dict().values()):
                self.assertTrue(torch.equal(one, other))

    def test_gradients_take_over_the_memory_that_the_backward_pass_made(self) -> None:
        seen = check(record(Training().step))
        made = {seen.storage_of(one) for op in seen.find("convolution_backward")
                for one in op.outputs if one is not None}
        gradients = {one for one, role in seen.role.items() if role == "gradient"}
        self.assertEqual(len(made & gradients), 2)  # weight and bias: no copies

    def test_generators_of_numbers_are_left_alone(self) -> None:
        random.seed(5)
        states = random.getstate(), torch.get_rng_state()
        record(torch.neg, torch.zeros(3))
        self.assertEqual(random.getstate(), states[0])
        self.assertTrue(torch.equal(torch.get_rng_state(), states[1]))

    def test_files(self) -> None:
        step = Training().step
        cases = (("a.rec.jsonl", None, False), ("a.rec.jsonl.gz", None, True), ("b", True, True),
                 ("c.gz", False, False))
        for name, compress, is_gzip in cases:
            recording = record(step, to=self.folder / name, compress=compress)
            self.assertEqual(recording.path, self.folder / name)
            self.assertEqual(recording.path.read_bytes()[:2] == b"\x1f\x8b", is_gzip)
            check(recording)
        names = sorted(one.name for one in self.folder.iterdir())
        self.assertEqual(names, ["a.rec.jsonl", "a.rec.jsonl.gz", "b", "c.gz"])
        self.assertEqual(recording.path.stat().st_mode & 0o777, 0o666 & ~_umask())

    def test_equal_steps_give_equal_files(self) -> None:
        texts = []
        for name in "ab":
            torch.manual_seed(1)
            texts.append(record(Training().step, to=self.folder / (name + ".gz")).path.read_bytes())
        self.assertEqual(*texts)

    def test_a_temporary_file_goes_with_its_recording(self) -> None:
        kinds = [next(iter(line)) for line in record(torch.neg, torch.zeros(3)).open()]
        self.assertEqual(kinds.count("op"), 1)
        recording = record(torch.neg, torch.zeros(3))
        path = recording.path
        kept = recording.save(self.folder / "kept.jsonl")
        self.assertTrue(path.exists())
        del recording
        self.assertFalse(path.exists())
        self.assertEqual(kept.ops, 1)
        self.assertEqual(check(kept).ops[0].name, "aten.neg")
        again = kept.save(self.folder / "again.jsonl.gz")
        self.assertEqual(gzip.decompress(again.path.read_bytes()), kept.path.read_bytes())

    def test_a_with_block(self) -> None:
        training = Training()
        with record(self.folder / "a.jsonl", name="mine") as recorder:
            with self.assertRaisesRegex(RecordingError, "leave the `with` block"):
                recorder.recording
            recorder.output({"error": training.step()})
        seen = check(recorder.recording)
        self.assertEqual((seen.first["name"], len(seen.output)), ("mine", 1))

    def test_a_decorator_records_the_call_after_those_for_warm_up(self) -> None:
        training = Training()
        for recorder, calls in ((record(self.folder / "a.jsonl"), 2), (record(warmup=2), 3),
                                (Recorder(), 2)):
            step = recorder(training.step)
            for call in range(1, 5):
                step()
                if call < calls:
                    with self.assertRaises(RecordingError):
                        recorder.recording
                elif call == calls:
                    first = recorder.recording
            self.assertIs(recorder.recording, first)
            check(first)

    def test_record_calls_the_step_for_warm_up(self) -> None:
        calls = []

        def step(x: torch.Tensor, *, factor: int) -> torch.Tensor:
            calls.append(factor)
            return x * factor

        seen = check(record(step, torch.zeros(2), factor=3, warmup=2))
        self.assertEqual(calls, [3, 3, 3])
        self.assertEqual([op.kind for op in seen], ["mul"])

    def test_wrong_arguments(self) -> None:
        with self.assertRaisesRegex(TypeError, "must be a function or a file's name"):
            record(3)
        with self.assertRaisesRegex(TypeError, "no function to call"):
            record("a.jsonl", torch.zeros(1))

    def test_a_batch_is_a_whole_number(self) -> None:
        ran: list[int] = []
        for batch in (0, -3, 2.5, "8", True):
            with self.assertRaisesRegex(Error, "batch must be a whole number of 1 or more"):
                record(lambda: ran.append(1), to=self.folder / "a.rec.jsonl", batch=batch)
            with self.assertRaisesRegex(Error, "batch must be a whole number of 1 or more"):
                Recorder(self.folder / "a.rec.jsonl", batch=batch)
        self.assertEqual((ran, list(self.folder.iterdir())), ([], []))
        self.assertEqual(record(torch.neg, torch.zeros(8), batch=torch.tensor(4)).batch, 4)

    def test_a_batch_that_contradicts_the_inputs(self) -> None:
        ran: list[int] = []
        with self.assertRaisesRegex(Error, r"batch=64 contradicts the inputs: the first is \[8, 4\]"):
            record(lambda *_, **__: ran.append(1), torch.zeros(8, 4), 3, other=torch.zeros(2),
                   to=self.folder / "a.rec.jsonl", batch=64)
        self.assertEqual((ran, list(self.folder.iterdir())), ([], []))
        for inputs in ((torch.zeros(5, 64),), (torch.zeros(5), torch.zeros(64)),
                       (torch.zeros(64 * 5, 2),), (torch.zeros(()),)):
            self.assertEqual(record(lambda *all: torch.neg(all[0]), *inputs, batch=64).batch, 64)
        micro = [torch.zeros(16, 2)] * 4
        self.assertEqual(record(lambda parts: [torch.neg(part) for part in parts], micro,
                                batch=64).batch, 64)

    def test_places_for_the_file(self) -> None:
        with self.assertRaisesRegex(FileNotFoundError, "does not exist"):
            record(torch.neg, torch.zeros(2), to=self.folder / "no" / "a.jsonl")
        with self.assertRaisesRegex(IsADirectoryError, "is a folder"):
            record(torch.neg, torch.zeros(2), to=self.folder)

    def test_a_step_without_operations_is_an_error(self) -> None:
        with self.assertRaisesRegex(RecordingError, "ran no operation"):
            record(lambda: 3, to=self.folder / "a.jsonl")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_an_error_of_the_step_leaves_nothing_behind(self) -> None:
        class Broken(torch.nn.Module):
            def forward(self, x: torch.Tensor) -> torch.Tensor:
                (x * 2).sum().backward()
                raise KeyboardInterrupt if self.training else KeyError("mine")

        model = torch.nn.Sequential(Broken())
        x = torch.zeros(2, requires_grad=True)
        for error in (KeyboardInterrupt, KeyError):
            with self.assertRaises(error):
                record(model, x, to=self.folder / "a.jsonl", warmup=0)
            self.assertEqual(list(self.folder.iterdir()), [])
            model.eval()
        check(record(Training().step))  # the next recording works

    def test_an_error_that_the_step_catches_does_no_harm(self) -> None:
        class Broken(torch.nn.Module):
            def forward(self, x: torch.Tensor) -> torch.Tensor:
                raise KeyError("mine")

        class Model(torch.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.inner = torch.nn.Sequential(Broken())

            def forward(self, x: torch.Tensor) -> torch.Tensor:
                try:
                    return self.inner(x)
                except KeyError:
                    return x.exp()

        seen = check(record(Model(), torch.zeros(2)))
        self.assertEqual(seen.find("exp")[0].module, "")

    def test_an_old_file_stays_when_the_step_fails(self) -> None:
        path = record(torch.neg, torch.zeros(2), to=self.folder / "a.jsonl").path
        before = path.read_bytes()
        with self.assertRaises(TypeError):
            record(torch.neg, to=path, warmup=0)
        self.assertEqual(path.read_bytes(), before)

    def test_a_recording_within_a_recording_is_an_error(self) -> None:
        with Recorder() as outer:
            with self.assertRaisesRegex(RecordingError, "running already"):
                record(torch.neg, torch.zeros(2))
            torch.zeros(2).neg()
        self.assertEqual([op.kind for op in check(outer.recording)][-2:], ["zeros", "neg"])

    def test_a_graph_outlives_its_recording(self) -> None:
        model = torch.nn.Linear(4, 1)
        x = torch.ones(2, 4)
        with Recorder():
            error = model(x).sum()
            error.backward(retain_graph=True)
        error.backward(retain_graph=True)
        with Recorder() as recorder:
            error.backward()
        seen = check(recorder.recording)
        self.assertEqual({op.module for op in seen}, {None})
        self.assertEqual(len(seen.find("mm", node="AddmmBackward0")), 1)
        self.assertTrue(torch.equal(model.weight.grad, torch.full((1, 4), 6.0)))

    def test_kernels_that_bypass_the_dispatcher_are_gaps(self) -> None:
        class JITFunction:
            def __init__(self, name: str) -> None:
                self.fn = types.SimpleNamespace(__name__=name)

            def run(self, *args: Any, **kwargs: Any) -> str:
                return "ran"

        module = types.ModuleType("triton.runtime.jit")
        module.JITFunction = JITFunction  # type: ignore[attr-defined]
        sys.modules["triton.runtime.jit"] = module
        self.addCleanup(sys.modules.pop, "triton.runtime.jit")
        plain = JITFunction.run
        kernel = JITFunction("add_kernel")

        def step() -> None:
            for _ in range(3):
                self.assertEqual(kernel.run(1, grid=(1,)), "ran")
            kernel.run(warmup=True)

        recording = record(step, warmup=0)
        self.assertIs(JITFunction.run, plain)
        gap, = check(recording).gaps
        self.assertEqual((gap["gap"], gap["name"], gap["count"]), ("triton", "add_kernel", 3))
        self.assertRegex(gap["where"], r"^test_recorder.py:\d+ in step$")

    def test_memory_that_an_extension_wrote_is_a_gap(self) -> None:
        def step(write: bool) -> None:
            x = torch.empty(4)
            view = x.view(2, 2)
            if write:
                x.zero_()
            view.neg()
            view.neg()
            torch.zeros_like(torch.empty(4))

        with mock.patch.object(_torch, "may_be_written_unseen", return_value=True):
            self.assertEqual(record(step, True).gaps, [])
            gap, = check(record(step, False)).gaps
        self.assertEqual((gap["gap"], gap["count"]), ("extension", 1))
        self.assertEqual(record(step, False).gaps, [])  # on a CPU, NumPy may write it

    @unittest.skipUnless(hasattr(os, "fork"), "needs fork")
    def test_a_forked_process_writes_nothing(self) -> None:
        def step() -> None:
            torch.zeros(3).neg()
            child = os.fork()
            if child == 0:
                try:
                    with mock.patch.object(_lines, "_LINES_AT_ONCE", 1):
                        torch.nn.Identity()(torch.zeros(4)).neg()
                finally:
                    os._exit(0)
            os.waitpid(child, 0)
            torch.nn.Identity()(torch.zeros(2)).abs()

        with mock.patch.object(_lines, "_LINES_AT_ONCE", 2):
            seen = check(record(step, to=self.folder / "a.gz", warmup=0))
        self.assertEqual([op.kind for op in seen], ["zeros", "neg", "zeros", "abs"])

    def test_tensors_that_consist_of_tensors(self) -> None:
        class Pair(torch.Tensor):
            @staticmethod
            def __new__(cls, left: torch.Tensor, right: torch.Tensor) -> Pair:
                return torch.Tensor._make_wrapper_subclass(cls, left.shape, dtype=left.dtype)

            def __init__(self, left: torch.Tensor, right: torch.Tensor) -> None:
                self.left, self.right = left, right

            def __tensor_flatten__(self) -> Any:
                return ["left", "right"], None

            @classmethod
            def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (),
                                   kwargs: Any = None) -> Any:
                def side(name: str) -> Any:
                    return [getattr(one, name) if isinstance(one, Pair) else one for one in args]
                return Pair(func(*side("left")), func(*side("right")))

        pair = Pair(torch.ones(3), torch.zeros(3))
        recording = record(lambda: torch.add(pair, pair))
        seen = check(recording)
        self.assertEqual([op.kind for op in seen], ["add", "add"])
        self.assertEqual(seen.output, [op.outputs[0] for op in seen])

    def test_damaged_files_are_refused(self) -> None:
        path = record(Training().step, to=self.folder / "a.jsonl").path
        lines = path.read_text().splitlines(keepends=True)
        cases = (
            (lines[:-1], "ended early"),
            (lines[1:], "a.jsonl:1: this is not a recording"),
            (lines + [lines[3]], "more after the last line"),
            (lines[:5] + ["{\n"] + lines[5:], "a.jsonl:6: the recording is damaged"),
            (lines[:5] + ['{"what":1}\n'] + lines[5:], "a.jsonl:6: 'what' is an unknown kind"),
            (lines[:5] + ["3\n"] + lines[5:], "a.jsonl:6: this is not a JSON object"),
            ([one for one in lines if "addmm" not in one], "counts"),
            ([lines[0].replace('recording":1', 'recording":2')], "update"),
            ([], "ended early"),
        )
        for text, error in cases:
            path.write_text("".join(text))
            with self.assertRaisesRegex(RecordingError, error):
                Recording.load(path)
        packed = gzip.compress("".join(lines).encode())
        path.write_bytes(packed[:-100])
        with self.assertRaisesRegex(RecordingError, "damaged"):
            Recording.load(path)

    def test_recording_is_quick(self) -> None:
        """About 80 microseconds of a processor an operation; the limit is loose."""
        model = torch.nn.Sequential(*[torch.nn.Linear(8, 8, device="meta") for _ in range(500)])
        x = torch.zeros(2, 8, device="meta")

        def step() -> None:
            model.zero_grad(set_to_none=True)
            model(x).sum().backward()

        began = time.process_time()
        recording = record(step)
        self.assertGreater(recording.ops, 5000)
        self.assertLess((time.process_time() - began) / recording.ops, 1e-3)

    def test_the_package_is_python_3_9(self) -> None:
        files = sorted(PACKAGE.parent.rglob("*.py"))
        self.assertIn(PACKAGE / "recorder.py", files)
        for file in files:
            ast.parse(file.read_text(), str(file), feature_version=(3, 9))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


if __name__ == "__main__":
    unittest.main()
