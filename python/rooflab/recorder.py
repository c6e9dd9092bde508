"""Recording a step of a PyTorch program.

    recording = rooflab.record(step, images, labels)

    with rooflab.record("step.rec.jsonl.gz") as recorder:
        step(images, labels)
    recording = recorder.recording
"""

from __future__ import annotations

import functools
import os
import sys
import threading
from pathlib import Path
from typing import Any, Callable, Mapping, Optional, Union

import torch

from . import _torch
from ._assumptions import ASKS_FOR_VALUES, Assumptions
from ._gaps import Counts, TritonLaunches
from ._lines import Lines
from ._patches import Patches
from ._places import user_place
from ._schema import Operator, json_text, tensors_in, text_of, type_name
from ._scopes import Scope, Scopes
from ._storages import Storages
from .errors import RecordingError
from .recording import FORMAT_VERSION, Recording, writer_name

# Operators that are no work: notes for profilers and questions about tensors.
_NO_WORK = ("profiler", "prim")
# Loss scaling, and copies that may cross devices.
_SCALING = ("aten._amp_foreach_non_finite_check_and_unscale_", "aten._amp_update_scale_")
_COPIES = ("aten._to_copy", "aten.copy_")

_running: Optional[Recorder] = None


class _Mode(_torch.DispatchMode):
    """Hands each operation of the dispatcher to the recorder."""

    # Operators that take functions (torch.cond, flex_attention) come here too.
    supports_higher_order_operators = True

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self._recorder = recorder

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (),
                           kwargs: Optional[dict[str, Any]] = None) -> Any:
        return self._recorder._dispatch(func, types, args, kwargs or {})


class Recorder:
    """Records what runs within `with Recorder(...)`. As a decorator, it records one call.

    `to`: the file; None for a temporary file that lives as long as the recording's object.
    `name`, `batch`: what the recording is called, and the samples of a step; by default the class
    of the first module that is called, and the first extent of its first tensor.
    `compress`: by default, whether the file's name ends in `.gz`.
    `assume`: answers to questions for values of tensors on `meta`, such as {"item": 1}.

    Raises RecordingError if a recording is running already.
    """

    def __init__(self, to: Union[str, os.PathLike, None] = None, *, name: Optional[str] = None,
                 batch: Optional[int] = None, compress: Optional[bool] = None,
                 assume: Optional[Mapping[str, Any]] = None) -> None:
        self._to = None if to is None else Path(to)
        self._name = name
        self._batch = batch
        self._compress = compress
        if compress is None:
            self._compress = self._to is None or self._to.suffix == ".gz"
        self._assumed = Counts("assumed", "value")
        self._gaps = Counts("gap", "name")
        self._assumptions = Assumptions(assume, self._assumed.add)
        self._recording: Optional[Recording] = None
        self._warmup = 0
        self._lock = threading.RLock()

    @property
    def recording(self) -> Recording:
        """What was recorded. Raises RecordingError before the recording's end."""
        if self._recording is None:
            raise RecordingError("The step is not recorded yet: leave the `with` block first.")
        return self._recording

    def __enter__(self) -> Recorder:
        global _running
        if _running is not None:
            raise RecordingError("A recording is running already. End it before the next begins.")
        self._recording = None
        self._lines = Lines(self._to, bool(self._compress))
        self._storages = Storages(self._lines.write, self._gaps.add)
        self._scopes = Scopes(self._lines.write)
        self._operators: dict[Any, Operator] = {}
        self._ops = 0
        self._operands = 0
        self._at: Any = None
        self._streams: dict[int, int] = {0: 0}
        self._autocast = self._autocast_name()
        self._optimizers: set[int] = set()
        self._quiet = False
        self._grad = torch.is_grad_enabled()
        self._triton = TritonLaunches(lambda name: self._gaps.add("triton", name))
        self._triton.look()
        self._patches = Patches(self)
        self._mode = _Mode(self)
        self._patches.__enter__()
        try:
            self._mode.__enter__()
        except BaseException:
            self._patches.__exit__(None, None, None)
            raise
        _running = self
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        global _running
        _running = None
        try:
            self._mode.__exit__(kind, error, trace)
        finally:
            self._patches.__exit__(None, None, None)
            self._triton.undo()
        finished = False
        try:
            if kind is None:
                self._finish()
                finished = True
        finally:
            self._storages.close()
            if not finished:
                self._lines.drop()

    def _finish(self) -> None:
        self._begin_lines()
        self._storages.ask_all()
        for line in self._gaps.lines() + self._assumed.lines():
            self._lines.write(line)
        self._lines.write(json_text({
            "end": True, "ops": self._ops, "storages": self._storages.lines,
            "frees": self._storages.free_lines}))
        path = self._lines.finish()
        self._recording = Recording(
            path, name=self._name, batch=self._batch, ops=self._ops,
            gaps=self._gaps.as_dicts(), assumptions=self._assumed.as_dicts(),
            temporary=self._to is None)

    def output(self, result: Any) -> None:
        """Notes what the step gave back."""
        with self._silence():
            numbers = [self._storages.operand(one) for one in tensors_in(result)]
        if numbers:
            self._lines.write(json_text({"output": numbers}))

    def __call__(self, function: Callable) -> Callable:
        """Decorator: after the calls for warm-up it records one call; later calls run plainly."""
        calls = 0

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls != self._warmup + 1:
                return function(*args, **kwargs)
            with self:
                result = function(*args, **kwargs)
                self.output(result)
                return result

        return wrapper

    # The first line.

    def _begin_lines(self) -> None:
        if self._lines.begun:
            return
        self._lines.begin({
            "rooflab_recording": FORMAT_VERSION, "writer": writer_name(),
            "framework": "torch " + torch.__version__,
            "python": ".".join(map(str, sys.version_info[:3])), "name": self._name,
            "batch": self._batch, "grad": self._grad, "values": not self._storages.seen_meta,
            "tf32": _torch.tf32(),
            "device_name": _torch.device_name() if self._storages.seen_cuda else None})

    # Operations.

    def _dispatch(self, func: Any, types: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        if self._quiet:
            return func(*args, **kwargs)
        for kind in types:
            if _torch.is_wrapper(kind):
                return NotImplemented  # its own dispatch runs first; what it runs comes here
        operator = self._operators.get(func)
        if operator is None:
            operator = self._operators[func] = Operator(func)
        if operator.namespace in _NO_WORK or (
                types and operator.name == "aten.detach" and all(map(_torch.is_plain, types))):
            # The second kind of detach is PyTorch's own copy of a tensor's description.
            return func(*args, **kwargs)
        with self._lock:
            before = self._before(operator, args, kwargs)
        result = NotImplemented
        if operator.name in ASKS_FOR_VALUES:
            result = self._assumptions.answer(operator.name, func, args, kwargs)
        if result is NotImplemented:
            try:
                result = func(*args, **kwargs)
            except NotImplementedError as error:
                if not any(one.device.type == "meta" for one in tensors_in((args, kwargs))):
                    raise
                raise RecordingError(
                    f"{user_place()}: {operator.name} cannot run on 'meta': it needs values, or "
                    f"this PyTorch has no form of it without values. Record on a device that "
                    f"computes.") from error
        with self._lock:
            self._after(operator, before, result)
        return result

    def _before(self, operator: Operator, args: tuple,
                kwargs: dict[str, Any]) -> tuple[str, str, list[Any]]:
        storages = self._storages
        storages.before_op(self._operands)
        operands, others = operator.split(args, kwargs)
        place = self._place(operator, operands)
        if place != self._at:
            self._at = place
            self._write_place(place)
        number = storages.operand
        if operator.name == "aten.lift_fresh":
            number = storages.result  # a tensor made of Python numbers just now
        head = operator.head + text_of(operands, number) + '],"out":['
        tail = (',"args":' + json_text(others) if others else "") + operator.tail
        written = [operands[one] for one in operator.writes]
        self._operands = len(operands)
        return head, tail, written

    def _after(self, operator: Operator, before: tuple[str, str, list[Any]], result: Any) -> None:
        head, tail, written = before
        for tensor in tensors_in(written, 1):
            if tensor.layout is torch.strided:
                self._storages.resized_by(tensor)
        out = text_of(operator.tensors_of(result), self._storages.result)
        self._ops += 1
        self._lines.write(head + out + "]" + tail)

    def _place(self, operator: Operator, operands: list[Any]) -> tuple:
        pass_, module, node, repeated = self._scopes.place()
        if pass_ is None:
            pass_ = self._outside(operator, operands)
        elif pass_ == "optimizer" and torch.is_grad_enabled() and _require_grad(operands):
            pass_ = "forward"  # the optimizer's closure
        return pass_, module, node, repeated, self._autocast, self._stream()

    def _outside(self, operator: Operator, operands: list[Any]) -> str:
        """The pass of an operation outside of all modules and passes."""
        if operator.name in _SCALING:
            return "other"
        if torch.is_grad_enabled() and _require_grad(operands):
            return "forward"
        role_of = self._storages.role_of
        if operator.name in _COPIES or not operands:
            return "other"  # preparing data
        for tensor in tensors_in(operands, 2):
            if role_of(tensor) in ("gradient", "parameter", "optimizer"):
                return "other"  # clipping gradients, averaging parameters
        return "forward"

    def _stream(self) -> int:
        if not self._storages.seen_cuda:
            return 0
        return self._streams.setdefault(_torch.stream_of_this_thread(), len(self._streams))

    def _write_place(self, place: tuple) -> None:
        pass_, module, node, repeated, autocast, stream = place
        line: dict[str, Any] = {"at": pass_}
        if module is not None:
            line["module"] = module
        if node is not None:
            line["node"] = node
        if repeated:
            line["recomputed"] = True
        if autocast is not None:
            line["autocast"] = autocast
        if stream:
            line["stream"] = stream
        self._lines.write(json_text(line))

    # Calls that the patches report.

    def _silence(self) -> _Silence:
        return _Silence(self)

    def enter_module(self, module: torch.nn.Module, args: tuple, kwargs: dict[str, Any]) -> Scope:
        with self._lock, self._silence():
            given = list(tensors_in((args, kwargs)))
            known, is_new_root = self._scopes.module(module)
            self._scopes.mark(given, self._scopes.innermost_module())
            if is_new_root:
                self._note_root(module)
            if self._scopes.innermost_module() is None:
                for tensor in given:
                    self._storages.operand_before(tensor)
            if not self._lines.begun:
                if self._name is None:
                    self._name = type(module).__name__
                if self._batch is None and given and given[0].dim() > 0:
                    self._batch = int(given[0].shape[0])
                self._triton.look()
                self._begin_lines()
            self._storages.enter_module()
            return self._scopes.push("module", known)

    def leave_module(self, scope: Scope, result: Any) -> None:
        with self._lock, self._silence():
            assert scope.known is not None
            self._scopes.pop(scope)
            self._storages.leave_module()
            self._scopes.mark(tensors_in(result), scope.known.number)

    def _note_root(self, module: torch.nn.Module) -> None:
        assign = self._storages.assign
        for name, parameter in module.named_parameters():
            assign(parameter, "parameter", name)
        for name, buffer in module.named_buffers():
            assign(buffer, "buffer", name)
        self._note_gradients(module)

    def _note_gradients(self, module: torch.nn.Module) -> None:
        for name, parameter in module.named_parameters():
            if parameter.grad is not None:
                self._storages.assign(parameter.grad, "gradient", name)

    def begin_pass(self, kind: str) -> Scope:
        with self._lock:
            self._storages.ask_all()
            return self._scopes.push(kind)

    def end_pass(self, scope: Scope) -> None:
        with self._lock, self._silence():
            self._scopes.pop(scope)
            self._storages.ask_all()
            if scope.kind == "backward" and not self._scopes.inside("backward"):
                for root in self._scopes.roots:
                    module = root.module()
                    if module is not None:
                        self._note_gradients(module)

    def begin_engine(self, roots: Any, keeps_graph: bool) -> Scope:
        """The autograd engine begins at the tensors `roots`."""
        with self._lock, self._silence():
            self._scopes.mark(tensors_in(roots), None)
        scope = self.begin_pass("backward")
        scope.keeps_graph = keeps_graph
        return scope

    def begin_optimizer(self, optimizer: torch.optim.Optimizer) -> Scope:
        with self._lock, self._silence():
            self._note_optimizer(optimizer)
        return self.begin_pass("optimizer")

    def end_optimizer(self, optimizer: torch.optim.Optimizer, scope: Scope) -> None:
        self.end_pass(scope)
        with self._lock, self._silence():
            self._note_optimizer(optimizer)

    def _note_optimizer(self, optimizer: torch.optim.Optimizer) -> None:
        assign = self._storages.assign
        parameters = [one for group in optimizer.param_groups for one in group["params"]]
        for place, parameter in enumerate(parameters):
            name = assign(parameter, "parameter", f"parameter.{place}")
            if parameter.grad is not None:
                assign(parameter.grad, "gradient", name)
            for state in tensors_in(optimizer.state.get(parameter, {}), 2):
                assign(state, "optimizer", name)
        if id(optimizer) not in self._optimizers:
            self._optimizers.add(id(optimizer))
            options = {key: value for key, value in optimizer.param_groups[0].items()
                       if value is None or isinstance(value, (bool, int, float))}
            self._lines.write(json_text({
                "optimizer": type(optimizer).__name__, "options": options,
                "parameters": len(parameters)}))

    def note_autocast(self) -> None:
        self._autocast = self._autocast_name()

    def _autocast_name(self) -> Optional[str]:
        dtype = _torch.autocast_type()
        return None if dtype is None else type_name(dtype)

    def note_resize(self, storage: Any) -> None:
        with self._lock:
            self._storages.resized(storage)


class _Silence:
    """While it lasts, the operations of this package's own questions are not recorded."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def __enter__(self) -> None:
        self._before = self._recorder._quiet
        self._recorder._quiet = True

    def __exit__(self, *_: Any) -> None:
        self._recorder._quiet = self._before


def _require_grad(operands: list[Any]) -> bool:
    return any(tensor.requires_grad for tensor in tensors_in(operands, 2))


def record(step: Union[Callable, str, os.PathLike, None] = None, *args: Any,
           to: Union[str, os.PathLike, None] = None, name: Optional[str] = None,
           batch: Optional[int] = None, compress: Optional[bool] = None,
           assume: Optional[Mapping[str, Any]] = None, warmup: int = 1,
           **kwargs: Any) -> Any:
    """Records one call of `step(*args, **kwargs)`, after `warmup` calls without a recording.

    Returns the Recording. With a file's name (or None) in place of a function, returns a Recorder,
    for `with rooflab.record("step.rec.jsonl.gz") as recorder:`, or as a decorator, which records
    the first call after `warmup` calls. The other arguments are those of Recorder.
    """
    if step is None or isinstance(step, (str, os.PathLike)):
        recorder = Recorder(step if to is None else to, name=name, batch=batch, compress=compress,
                            assume=assume)
        recorder._warmup = warmup
        return recorder
    if not callable(step):
        raise TypeError(f"record: the step must be a function or a file's name, not {step!r}")
    for _ in range(warmup):
        step(*args, **kwargs)
    recorder = Recorder(to, name=name, batch=batch, compress=compress, assume=assume)
    with recorder:
        result = step(*args, **kwargs)
        recorder.output(result)
    del result  # until here, so that it outlives the step
    return recorder.recording
