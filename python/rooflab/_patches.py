"""Calls of PyTorch that a session must know of: replaced while it records, and put back after."""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING, Any, Callable

import torch
from torch.autograd.variable import Variable

from . import _torch

if TYPE_CHECKING:
    from ._session import Session


class _Engine:
    """The autograd engine. All ways to a backward pass lead through its `run_backward`."""

    def __init__(self, engine: Any, session: Session) -> None:
        self._engine = engine
        self._session = session

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def run_backward(self, tensors: Any, *args: Any, **kwargs: Any) -> Any:
        """Arguments: tensors, their gradients, keep_graph, create_graph, ..."""
        if not _torch.modes_of_this_thread():
            return self._engine.run_backward(tensors, *args, **kwargs)
        keeps_graph = args[2] if len(args) > 2 else kwargs.get("create_graph", False)
        scope = self._session.begin_engine(tensors, bool(keeps_graph))
        try:
            return self._engine.run_backward(tensors, *args, **kwargs)
        finally:
            self._session.end_pass(scope)


class Patches(contextlib.ExitStack):
    """Reports calls of modules, backward passes, optimizers and autocast to a session."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session

    def __enter__(self) -> Patches:
        super().__enter__()
        session = self._session
        try:
            self._replace(torch.nn.Module, "__call__", self._module_call)
            # The engine's own wrapper sees all backward passes; these see the first gradient too.
            for function in ("backward", "grad"):
                self._replace(torch.autograd, function,
                              self._around(lambda tensors: session.begin_pass("backward")))
            engine = Variable._execution_engine
            self._set(Variable, "_execution_engine", _Engine(engine, self._session))
            for owner in (torch.nn.Module, torch.optim.Optimizer):
                self._replace(owner, "zero_grad", self._around(session.begin_zero_grad))
            for function in ("scale", "unscale_", "step", "update"):
                self._replace(_torch.GradScaler, function,
                              self._around(lambda scaler: session.begin_pass("other")))
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
        session = self._session

        def call(module: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
            if not _torch.modes_of_this_thread():
                return plain(module, *args, **kwargs)
            scope = session.enter_module(module, args, kwargs)
            result = None
            try:
                result = plain(module, *args, **kwargs)
                return result
            finally:
                session.leave_module(scope, result)

        return call

    def _around(self, begin: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """A pass lasts as long as the call. `begin` gets the call's first argument."""
        session = self._session

        def around(plain: Any) -> Any:
            def call(*args: Any, **kwargs: Any) -> Any:
                if not _torch.modes_of_this_thread():  # another thread: nobody records it
                    return plain(*args, **kwargs)
                scope = begin(args[0] if args else None)
                try:
                    return plain(*args, **kwargs)
                finally:
                    session.end_pass(scope)

            return call

        return around

    def _autocast(self, plain: Any) -> Any:
        session = self._session

        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return plain(*args, **kwargs)
            finally:
                if _torch.modes_of_this_thread():
                    session.note_autocast()

        return call

    def _resize(self, plain: Any) -> Any:
        session = self._session

        def call(storage: Any, *args: Any, **kwargs: Any) -> Any:
            before = int(storage.nbytes())
            result = plain(storage, *args, **kwargs)
            session.note_resize(storage, before)
            return result

        return call

    def _hidden(self, name: str) -> Callable[[Any], Any]:
        session = self._session

        def around(plain: Any) -> Any:
            def call(*args: Any, **kwargs: Any) -> Any:
                if _torch.modes_of_this_thread():
                    session.gaps.add("collective", name)
                return plain(*args, **kwargs)

            return call

        return around

    def _optimizer_steps(self) -> None:
        session = self._session
        running: list[Any] = []

        def begin(optimizer: torch.optim.Optimizer) -> None:
            if _torch.modes_of_this_thread():
                running.append(session.begin_optimizer(optimizer))

        def end(optimizer: torch.optim.Optimizer) -> None:
            if running and _torch.modes_of_this_thread():
                session.end_optimizer(optimizer, running.pop())

        self.enter_context(_torch.optimizer_steps(begin, end))
