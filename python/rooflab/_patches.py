"""Calls of PyTorch that a listener must know of: replaced while it records, and put back after."""

from __future__ import annotations

import contextlib
import functools
from typing import Any, Callable, Protocol

import torch
from torch.autograd.variable import Variable

from . import _torch
from ._gaps import Counts
from ._scopes import Scope


class Listener(Protocol):
    """What is told of the calls. A session is one."""

    gaps: Counts

    def enter_module(self, module: torch.nn.Module, args: tuple, kwargs: dict[str, Any]) -> Scope: ...
    def leave_module(self, scope: Scope, result: Any) -> None: ...
    def begin_pass(self, kind: str) -> Scope: ...
    def begin_engine(self, roots: Any, keeps_graph: bool) -> Scope: ...
    def begin_zero_grad(self, owner: Any) -> Scope: ...
    def end_pass(self, scope: Scope) -> None: ...
    def begin_optimizer(self, optimizer: torch.optim.Optimizer) -> Scope: ...
    def end_optimizer(self, optimizer: torch.optim.Optimizer, scope: Scope) -> None: ...
    def note_autocast(self) -> None: ...
    def note_resize(self, storage: Any, before: int) -> None: ...


class _Engine:
    """The autograd engine. All ways to a backward pass lead through its `run_backward`."""

    def __init__(self, engine: Any, listener: Listener) -> None:
        self._engine = engine
        self._listener = listener

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def run_backward(self, tensors: Any, *args: Any, **kwargs: Any) -> Any:
        """Arguments: tensors, their gradients, keep_graph, create_graph, ..."""
        if not _torch.modes_of_this_thread():
            return self._engine.run_backward(tensors, *args, **kwargs)
        keeps_graph = args[2] if len(args) > 2 else kwargs.get("create_graph", False)
        scope = self._listener.begin_engine(tensors, bool(keeps_graph))
        try:
            return self._engine.run_backward(tensors, *args, **kwargs)
        finally:
            self._listener.end_pass(scope)


class Patches(contextlib.ExitStack):
    """Reports calls of modules, backward passes, optimizers and autocast to a listener."""

    def __init__(self, listener: Listener) -> None:
        super().__init__()
        self._listener = listener

    def __enter__(self) -> Patches:
        super().__enter__()
        listener = self._listener
        try:
            self._replace(torch.nn.Module, "__call__", self._module_call)
            # The engine's own wrapper sees all backward passes; these see the first gradient too.
            for function in ("backward", "grad"):
                self._replace(torch.autograd, function,
                              self._around(lambda tensors: listener.begin_pass("backward")))
            engine = Variable._execution_engine
            self._set(Variable, "_execution_engine", _Engine(engine, self._listener))
            for owner in (torch.nn.Module, torch.optim.Optimizer):
                self._replace(owner, "zero_grad", self._around(listener.begin_zero_grad))
            for function in ("scale", "unscale_", "step", "update"):
                self._replace(_torch.GradScaler, function,
                              self._around(lambda scaler: listener.begin_pass("other")))
            self._replace(torch.autocast, "__enter__", self._autocast)
            self._replace(torch.autocast, "__exit__", self._autocast)
            self._replace(torch.UntypedStorage, "resize_", self._resize)
            for module, name in _torch.hidden_collectives():
                self._replace(module, name, self._hidden(name))
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
        listener = self._listener

        def call(module: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
            if not _torch.modes_of_this_thread():
                return plain(module, *args, **kwargs)
            scope = listener.enter_module(module, args, kwargs)
            result = None
            try:
                result = plain(module, *args, **kwargs)
                return result
            finally:
                listener.leave_module(scope, result)

        return call

    def _around(self, begin: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """A pass lasts as long as the call. `begin` gets the call's first argument."""
        listener = self._listener

        def around(plain: Any) -> Any:
            def call(*args: Any, **kwargs: Any) -> Any:
                if not _torch.modes_of_this_thread():  # another thread: nobody records it
                    return plain(*args, **kwargs)
                scope = begin(args[0] if args else None)
                try:
                    return plain(*args, **kwargs)
                finally:
                    listener.end_pass(scope)

            return call

        return around

    def _autocast(self, plain: Any) -> Any:
        listener = self._listener

        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return plain(*args, **kwargs)
            finally:
                if _torch.modes_of_this_thread():
                    listener.note_autocast()

        return call

    def _resize(self, plain: Any) -> Any:
        listener = self._listener

        def call(storage: Any, *args: Any, **kwargs: Any) -> Any:
            before = int(storage.nbytes())
            result = plain(storage, *args, **kwargs)
            listener.note_resize(storage, before)
            return result

        return call

    def _hidden(self, name: str) -> Callable[[Any], Any]:
        listener = self._listener

        def around(plain: Any) -> Any:
            def call(*args: Any, **kwargs: Any) -> Any:
                if _torch.modes_of_this_thread():
                    listener.gaps.add("collective", name)
                return plain(*args, **kwargs)

            return call

        return around

    def _optimizer_steps(self) -> None:
        listener = self._listener
        running: list[Any] = []

        def begin(optimizer: torch.optim.Optimizer) -> None:
            if _torch.modes_of_this_thread():
                running.append(listener.begin_optimizer(optimizer))

        def end(optimizer: torch.optim.Optimizer) -> None:
            if running and _torch.modes_of_this_thread():
                listener.end_optimizer(optimizer, running.pop())

        self.enter_context(_torch.optimizer_steps(begin, end))
