"""Calls of PyTorch that a recorder must know of: replaced while it records, and put back after."""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING, Any, Callable

import torch
from torch.autograd.variable import Variable

from . import _torch

if TYPE_CHECKING:
    from .recorder import Recorder


class _Engine:
    """The autograd engine. All ways to a backward pass lead through its `run_backward`."""

    def __init__(self, engine: Any, recorder: Recorder) -> None:
        self._engine = engine
        self._recorder = recorder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def run_backward(self, tensors: Any, *args: Any, **kwargs: Any) -> Any:
        """Arguments: tensors, their gradients, keep_graph, create_graph, ..."""
        keeps_graph = args[2] if len(args) > 2 else kwargs.get("create_graph", False)
        scope = self._recorder.begin_engine(tensors, bool(keeps_graph))
        try:
            return self._engine.run_backward(tensors, *args, **kwargs)
        finally:
            self._recorder.end_pass(scope)


class Patches(contextlib.ExitStack):
    """Reports calls of modules, backward passes, optimizers and autocast to a recorder."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self._recorder = recorder

    def __enter__(self) -> Patches:
        super().__enter__()
        try:
            self._replace(torch.nn.Module, "__call__", self._module_call)
            for function in ("backward", "grad"):
                self._replace(torch.autograd, function, self._pass("backward"))
            engine = Variable._execution_engine
            self._set(Variable, "_execution_engine", _Engine(engine, self._recorder))
            self._replace(torch.nn.Module, "zero_grad", self._pass("other"))
            self._replace(torch.optim.Optimizer, "zero_grad", self._pass("other"))
            scalers = getattr(torch.cuda.amp, "GradScaler", None)
            if scalers is not None:
                for function in ("scale", "unscale_", "update"):
                    self._replace(scalers, function, self._pass("other"))
            self._replace(torch.autocast, "__enter__", self._autocast)
            self._replace(torch.autocast, "__exit__", self._autocast)
            self._replace(torch.UntypedStorage, "resize_", self._resize)
            self._optimizer_steps()
        except BaseException:
            self.close()
            raise
        return self

    def _set(self, owner: Any, name: str, value: Any) -> None:
        own = vars(owner).get(name)
        before = getattr(owner, name)
        setattr(owner, name, value)
        if own is None:
            self.callback(delattr, owner, name)  # it was inherited
        else:
            self.callback(setattr, owner, name, before)

    def _replace(self, owner: Any, name: str, around: Callable[[Any], Any]) -> None:
        plain = getattr(owner, name)
        self._set(owner, name, functools.wraps(plain)(around(plain)))

    def _module_call(self, plain: Any) -> Any:
        recorder = self._recorder

        def call(module: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
            if not _torch.modes_of_this_thread():  # another thread: nobody records it
                return plain(module, *args, **kwargs)
            scope = recorder.enter_module(module, args, kwargs)
            result = None
            try:
                result = plain(module, *args, **kwargs)
                return result
            finally:
                recorder.leave_module(scope, result)

        return call

    def _pass(self, kind: str) -> Callable[[Any], Any]:
        recorder = self._recorder

        def around(plain: Any) -> Any:
            def call(*args: Any, **kwargs: Any) -> Any:
                if not _torch.modes_of_this_thread():
                    return plain(*args, **kwargs)
                scope = recorder.begin_pass(kind)
                try:
                    return plain(*args, **kwargs)
                finally:
                    recorder.end_pass(scope)

            return call

        return around

    def _autocast(self, plain: Any) -> Any:
        recorder = self._recorder

        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return plain(*args, **kwargs)
            finally:
                if _torch.modes_of_this_thread():
                    recorder.note_autocast()

        return call

    def _resize(self, plain: Any) -> Any:
        recorder = self._recorder

        def call(storage: Any, *args: Any, **kwargs: Any) -> Any:
            result = plain(storage, *args, **kwargs)
            recorder.note_resize(storage)
            return result

        return call

    def _optimizer_steps(self) -> None:
        recorder = self._recorder
        running: list[Any] = []

        def begin(optimizer: torch.optim.Optimizer) -> None:
            running.append(recorder.begin_optimizer(optimizer))

        def end(optimizer: torch.optim.Optimizer) -> None:
            if running:
                recorder.end_optimizer(optimizer, running.pop())

        self.enter_context(_torch.optimizer_steps(begin, end))
