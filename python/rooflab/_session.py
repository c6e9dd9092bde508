"""A recording that runs: what modules, passes and optimizers tell it."""

from __future__ import annotations

import contextlib
import sys
import threading
import weakref
from typing import Any, Callable, Iterator, Mapping, Optional

import torch

from . import _torch
from ._assumptions import Assumptions
from ._caches import caches_among, caches_of_result, is_cache, pairs_of
from ._gaps import Counts, TritonLaunches
from ._imitation import Imitation
from ._lines import Lines
from ._operations import Operations
from ._patches import Patches
from ._schema import json_text, tensors_in
from ._scopes import Known, Scope, Scopes
from ._storages import Storages
from .recording import FORMAT_VERSION, writer_name


class Session:
    """State of one recording, from `with` to its end."""

    def __init__(self, lines: Lines, name: Optional[str], batch: Optional[int],
                 assume: Optional[Mapping[str, Any]], *, context: Optional[int] = None,
                 cache: Any = None, imitation: Optional[Imitation] = None,
                 tell: Optional[Callable[[int], None]] = None) -> None:
        self.lines = lines
        self.name = name
        self.batch = batch
        self.context = context
        self.gaps = Counts("gap", "name")
        self.assumed = Counts("assumed", "value")
        self._imitation = imitation
        self._lock = threading.RLock()
        self._grad = torch.is_grad_enabled()
        self._storages = Storages(lines.write, self.gaps.add)
        self._scopes = Scopes(lines.write)
        self._optimizers: weakref.WeakSet[torch.optim.Optimizer] = weakref.WeakSet()
        self._lazy: set[Known] = set()  # roots with parameters that are without memory yet
        self._triton = TritonLaunches(self._note_kernel)
        self.operations = Operations(lines.write, self._storages, self._scopes,
                                     Assumptions(assume, self.assumed.add), self._lock, imitation,
                                     tell)
        self._cache = cache
        self._running = contextlib.ExitStack()

    def begin(self) -> None:
        """From here on the thread's operations are recorded."""
        with contextlib.ExitStack() as stack:
            stack.callback(self._storages.close)
            stack.callback(self._triton.undo)
            self._triton.look()
            if self._imitation is not None:
                self._imitation.turned_off.note = self.assumed.add
                stack.enter_context(self._imitation)
            told = self.operations.tell is not None
            stack.enter_context(Patches(Guarded(self) if told else self))
            stack.enter_context(self.operations)
            self.cache(self._cache)
            self._running = stack.pop_all()

    def end(self, complete: bool) -> None:
        """Puts back all that was replaced. `complete`: the step ended, so write the last lines."""
        with self._running:
            if complete:
                self.cache(self._cache)
                with self._silence():
                    self._write_first()
                    self._storages.ask_all()
                    for line in self.gaps.lines() + self.assumed.lines():
                        self.lines.write(line)
                    self.lines.write(json_text({
                        "end": True, "ops": self.operations.count,
                        "storages": self._storages.lines, "frees": self._storages.free_lines}))

    def _write_first(self) -> None:
        if self.lines.begun:
            return
        self.lines.begin({
            "rooflab_recording": FORMAT_VERSION, "writer": writer_name(),
            "framework": "torch " + torch.__version__,
            "python": ".".join(map(str, sys.version_info[:3])), "name": self.name,
            "batch": self.batch, "context": self.context, "grad": self._grad,
            "values": not self._storages.seen_no_values,
            "tf32": _torch.tf32(),
            "device_name": _torch.device_name() if self._storages.seen_cuda else None,
            **({} if self._imitation is None or self._storages.seen_cuda else
               {"imitates": self._imitation.target.as_dict()})})

    @contextlib.contextmanager
    def _silence(self) -> Iterator[None]:
        """The package's own questions to tensors are not recorded; and one thread at a time."""
        with self._lock:
            outer = self.operations.silent_thread
            self.operations.silent_thread = threading.get_ident()
            try:
                yield
            finally:
                self.operations.silent_thread = outer

    def output(self, result: Any) -> None:
        """The step gave back `result`."""
        with self._silence():
            numbers = [self._storages.operand(part) for one in tensors_in(result)
                       for part in _torch.parts_of(one)]
        if numbers:
            self.lines.write(json_text({"output": numbers}))

    # Modules.

    def enter_module(self, module: torch.nn.Module, args: tuple, kwargs: dict[str, Any]) -> Scope:
        with self._silence():
            given = list(tensors_in((args, kwargs)))
            caller = self._scopes.innermost_module()
            self._scopes.mark(given, caller)
            known, is_new_root = self._scopes.module(module)
            if is_new_root and self._imitation is not None:
                self._imitation.lay_out(module)
            if is_new_root:
                self._note_root(known, module)
            if caller is None:
                for tensor in given:
                    self._storages.existed(tensor)
            caches = caches_among(args, kwargs)
            self._note_caches([one for one in caches if not self._scopes.has_cache(one)])
            if not self.lines.begun:
                self._note_first(module, given)
            self._storages.enter_module()
            scope = self._scopes.push("module", known)
            scope.caches = caches
            return scope

    def leave_module(self, scope: Scope, result: Any) -> None:
        with self._silence():
            assert scope.known is not None
            self._scopes.pop(scope)
            # What the call put into its caches, and what it gave back as such.
            self._note_caches(scope.caches + caches_of_result(result))
            self._storages.leave_module()
            self._scopes.mark(tensors_in(result), scope.known.number)
            module = scope.known.module()
            if scope.known in self._lazy and module is not None:
                self._lazy.remove(scope.known)
                self._note_root(scope.known, module)

    def _note_first(self, module: torch.nn.Module, given: list[torch.Tensor]) -> None:
        if self.name is None:
            self.name = type(module).__name__
        self._grad = torch.is_grad_enabled()  # the step may turn it off before it calls a module
        if self.batch is None and given and given[0].dim() > 0:
            self.batch = int(given[0].shape[0])
        self._triton.look()
        self._write_first()

    def _note_root(self, known: Known, module: torch.nn.Module) -> None:
        for role, named in (("parameter", module.named_parameters()),
                            ("buffer", module.named_buffers())):
            tensors = []
            for name, tensor in named:
                if torch.nn.parameter.is_lazy(tensor):
                    self._lazy.add(known)  # it gets its memory in the module's first call
                else:
                    tensors.append((tensor, name))
            self._storages.assign(role, tensors, by_module=True)
        # A module may hold the cache in its buffers.
        for inner in module.modules():
            if is_cache(inner):
                self._storages.assign("cache", pairs_of(inner), by_user=True)
        self._note_gradients(module)

    def _note_caches(self, caches: list[Any]) -> None:
        for cache in caches:
            self._storages.assign("cache", pairs_of(cache))

    def cache(self, value: Any) -> None:
        """The user says that the tensors in `value`, or those that it gives, are a cache."""
        with self._silence():
            if callable(value):
                value = value()
            self._storages.assign("cache", pairs_of(value), by_user=True)

    def _note_gradients(self, module: torch.nn.Module) -> None:
        self._storages.assign("gradient", [
            (parameter.grad, name) for name, parameter in module.named_parameters()
            if not torch.nn.parameter.is_lazy(parameter) and parameter.grad is not None])

    # Passes.

    def begin_pass(self, kind: str) -> Scope:
        with self._silence():
            self._storages.ask_all()
            return self._scopes.push(kind)

    def end_pass(self, scope: Scope) -> None:
        with self._silence():
            self._scopes.pop(scope)
            self._storages.ask_all()
            if scope.kind == "backward" and not self._scopes.inside("backward"):
                for root in self._scopes.roots:
                    module = root.module()
                    if module is not None:
                        self._note_gradients(module)

    def begin_engine(self, roots: Any, keeps_graph: bool) -> Scope:
        """Autograd's engine begins at the tensors `roots`."""
        with self._silence():
            self._scopes.mark(tensors_in(roots), None)
            scope = self.begin_pass("backward")
            scope.keeps_graph = keeps_graph
            return scope

    def begin_zero_grad(self, owner: Any) -> Scope:
        """`owner`: a module or an optimizer."""
        with self._silence():
            if isinstance(owner, torch.nn.Module):
                self._note_gradients(owner)
            else:
                # The parameters may have names only when their module is called.
                name_of = self._storages.name_of
                self._storages.assign("gradient", [
                    (parameter.grad, name_of(parameter)) for parameter in _parameters(owner)
                    if parameter.grad is not None])
            return self.begin_pass("other")

    def begin_optimizer(self, optimizer: torch.optim.Optimizer) -> Scope:
        with self._silence():
            self._note_optimizer(optimizer)
            return self.begin_pass("optimizer")

    def end_optimizer(self, optimizer: torch.optim.Optimizer, scope: Scope) -> None:
        with self._silence():
            self.end_pass(scope)
            self._note_optimizer(optimizer)

    def _note_optimizer(self, optimizer: torch.optim.Optimizer) -> None:
        assign, name_of = self._storages.assign, self._storages.name_of
        parameters = _parameters(optimizer)
        assign("parameter", [(one, f"parameter.{place}") for place, one in enumerate(parameters)])
        assign("gradient", [(one.grad, name_of(one)) for one in parameters
                            if one.grad is not None])
        assign("optimizer", [(state, name_of(one)) for one in parameters if one in optimizer.state
                             for state in tensors_in(optimizer.state[one])])
        if optimizer not in self._optimizers:
            self._optimizers.add(optimizer)
            options = {key: value for key, value in optimizer.param_groups[0].items()
                       if value is None or isinstance(value, (bool, int, float))}
            self.lines.write(json_text({
                "optimizer": type(optimizer).__name__, "options": options,
                "parameters": len(parameters)}))

    # Further events.

    def note_autocast(self) -> None:
        self.operations.note_autocast()

    def _note_kernel(self, kernel: str) -> None:
        """A Triton kernel starts. Within an operation, that operation stands for it."""
        if _torch.modes_of_this_thread():
            with self._lock:
                self.gaps.add("triton", kernel)
                self._storages.raw.clear()  # it may have written any of them

    def note_resize(self, storage: Any, before: int) -> None:
        with self._lock:
            self._storages.resized(storage, before)


def _parameters(optimizer: torch.optim.Optimizer) -> list[torch.Tensor]:
    return [one for group in optimizer.param_groups for one in group["params"]]


class Guarded:
    """A session whose failures end what it records, and not the program that it is part of."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._session, name)
        if not callable(value):
            return value
        operations = self._session.operations

        def guarded(*args: Any, **kwargs: Any) -> Any:
            if operations.failure is not None:
                return None
            try:
                return value(*args, **kwargs)
            except Exception as error:
                operations.failure = error
                return None

        return guarded
