"""Operations of the dispatcher, and their lines."""

from __future__ import annotations

import functools
import threading
from typing import Any, Callable, Optional

import torch

from . import _torch
from ._assumptions import ASKS_FOR_VALUES, Assumptions
from ._cuda.values import run_anyhow
from ._imitation import Imitation
from ._places import user_place
from ._schema import Operator, json_text, tensors_in, text_of, type_name
from ._scopes import Scopes
from ._storages import Storages
from .errors import RecordingError

# Namespaces without work: notes for profilers, and questions about tensors.
_NO_WORK = ("profiler", "prim")
# They put a result that is still on its way into a tensor that waits for it.
_WRAPPERS = ("_c10d_functional._wrap_tensor_autograd",)
# Outside of modules: loss scaling, and copies that prepare data.
_SCALING = ("aten._amp_foreach_non_finite_check_and_unscale_", "aten._amp_update_scale_")
_COPIES = ("aten._to_copy", "aten.copy_")
# Outside of modules: averages of parameters, sums of gradients, and the like.
_ROLES_OF_TRAINING = ("gradient", "parameter", "optimizer")


class Operations(_torch.DispatchMode):
    """Writes an `op` line for each operation, after the lines of what it uses and makes.

    It keeps no tensor beyond the call. All threads of a step come here.
    """

    # Operators that take functions (torch.cond, flex_attention) come here too.
    supports_higher_order_operators = True

    def __init__(self, write: Any, storages: Storages, scopes: Scopes, assumptions: Assumptions,
                 lock: Any, imitation: Optional[Imitation] = None,
                 tell: Optional[Callable[[int], None]] = None) -> None:
        super().__init__()
        self._write = write
        self._storages = storages
        self._scopes = scopes
        self._assumptions = assumptions
        self._lock = lock
        self._imitation = imitation
        self._operators: dict[Any, Operator] = {}
        self._at: Optional[tuple] = None
        self._streams: dict[int, int] = {0: 0}  # numbers of streams by address
        self._wrapped: dict[int, int] = {}  # by thread: wrappers' operations before the next
        self.count = 0
        self.tell = tell  # see Recorder
        self.failure: Optional[Exception] = None
        self._calls = 0
        self.autocast: Optional[str] = None
        self.silent_thread: Optional[int] = None  # one whose operations are not the step's
        self.note_autocast()

    def note_autocast(self) -> None:
        """Autocast was entered or left.

        Within an operation that autocast casts, PyTorch says that autocast is off. So the state is
        read here.
        """
        dtype = _torch.autocast_type(on_cpu=self._imitation is None)
        self.autocast = None if dtype is None else type_name(dtype)

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (),
                           kwargs: Optional[dict[str, Any]] = None) -> Any:
        kwargs = kwargs or {}
        if self.failure is not None:
            return func(*args, **kwargs)
        if self.silent_thread is not None and self.silent_thread == threading.get_ident():
            return func(*args, **kwargs)
        for kind in types:
            if _torch.is_wrapper(kind):  # its own dispatch runs first; what it runs comes here
                thread = threading.get_ident()
                self._wrapped[thread] = self._wrapped.get(thread, 0) + 1
                return NotImplemented
        operator = self._operators.get(func)
        if operator is None:
            operator = self._operators[func] = Operator(func)
        if operator.namespace in _NO_WORK or operator.name in _WRAPPERS or (
                types and operator.name == "aten.detach" and all(map(_torch.is_plain, types))):
            # This kind of detach is PyTorch's own copy of a tensor's description.
            return func(*args, **kwargs)
        if operator.is_composite:
            with self:  # the operations that it is made of come here
                return func.decompose(*args, **kwargs)
        kept = _torch.number_kept(operator.name, args)
        if kept is not None:
            return kept
        if self.tell is not None:
            return self._run_told(self.tell, operator, func, args, kwargs)
        with self._lock:
            before = self._before(operator, args, kwargs)
        result = self._run(operator, func, args, kwargs)
        with self._lock:
            self._after(operator, before, result)
        return result

    def _run_told(self, tell: Callable[[int], None], operator: Operator, func: Any, args: tuple,
                  kwargs: dict[str, Any]) -> Any:
        """Like any other operation, with a number that is told to who sees what it launches."""
        try:
            with self._lock:
                head, tail, written = self._before(operator, args, kwargs)
                call, self._calls = self._calls, self._calls + 1
        except Exception as error:
            self.failure = error
            return func(*args, **kwargs)
        tell(call)
        try:
            result = func(*args, **kwargs)
        finally:
            tell(-1)
        try:
            head = head.replace(',"in":', f',"call":{call},"in":', 1)
            with self._lock:
                self._after(operator, (head, tail, written), result)
        except Exception as error:
            self.failure = error
        return result

    def _run(self, operator: Operator, func: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        imitation = self._imitation
        if imitation is not None and self._storages.seen_cuda:
            imitation.stop()
        if imitation is None or imitation.stopped:
            return self._run_here(operator, func, args, kwargs)
        with imitation.paused():
            result = imitation.result(operator.name, func, args, kwargs)
            if result is NotImplemented:
                run = functools.partial(run_anyhow, func)
                result = self._run_here(operator, run, args, kwargs)
            return result

    def _run_here(self, operator: Operator, func: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        if operator.name in ASKS_FOR_VALUES:
            result = self._assumptions.answer(operator.name, func, args, kwargs)
            if result is not NotImplemented:
                return result
        try:
            return func(*args, **kwargs)
        except NotImplementedError as error:
            if not any(one.device.type == "meta" for one in tensors_in((args, kwargs))):
                raise
            raise RecordingError(
                f"{user_place()}: {operator.name} cannot run on 'meta': it needs values, or this "
                "PyTorch has no form of it without values",
                "record on a device that computes") from error

    def _before(self, operator: Operator, args: tuple,
                kwargs: dict[str, Any]) -> tuple[str, str, list[Any]]:
        """Frees, the place, and operands; returns both ends of the line and what is written."""
        storages = self._storages
        storages.before_op()
        operands, others = operator.split(args, kwargs)
        place = self._place(operator, operands)
        if place != self._at:
            self._at = place
            self._write(_at_line(*place))
        # aten.lift_fresh gets a tensor that was made of Python numbers just now.
        number = storages.result if operator.name == "aten.lift_fresh" else storages.operand
        written = [operands[one] for one in operator.writes]
        if storages.raw:
            storages.is_written(tensors_in(operands if operator.writes_unsaid else written))
            if operator.reads:
                storages.is_read(tensors_in(operands))
        head = f'{operator.head}{text_of(operands, number)}],"out":['
        tail = f',"args":{json_text(others)}{operator.tail}' if others else operator.tail
        if self._wrapped:
            wrapped = self._wrapped.pop(threading.get_ident(), 0)
            if wrapped:
                tail = f',"wrapped":{wrapped}{tail}'
        if operator.is_collective:
            ranks = _torch.ranks_of((*args, *kwargs.values()))
            if ranks is not None:
                tail = f',"ranks":{ranks}{tail}'
        return head, tail, written

    def _after(self, operator: Operator, before: tuple[str, str, list[Any]], result: Any) -> None:
        head, tail, written = before
        storages = self._storages
        for tensor in tensors_in(written):
            storages.resized_by(tensor)
        out = text_of(operator.tensors_of(result), storages.result)
        if operator.makes_raw_memory:
            storages.is_raw(tensors_in(result))
        self.count += 1
        self._write(f"{head}{out}]{tail}")

    def _place(self, operator: Operator, operands: list[Any]) -> tuple:
        pass_, module, node, repeated = self._scopes.place()
        if pass_ is None:
            pass_ = self._pass_outside(operator, operands)
        elif pass_ == "optimizer" and torch.is_grad_enabled() and _require_grad(operands):
            pass_ = "forward"  # the optimizer's closure
        stream = self._streams.setdefault(
            _torch.stream_of_this_thread(self._storages.seen_cuda), len(self._streams))
        return pass_, module, node, repeated, self.autocast, stream

    def _pass_outside(self, operator: Operator, operands: list[Any]) -> str:
        """The pass of an operation outside of all modules and passes."""
        if operator.name in _SCALING:
            return "other"
        if torch.is_grad_enabled() and _require_grad(operands):
            return "forward"
        if operator.name in _COPIES or not operands:
            return "other"
        role_of = self._storages.role_of
        if any(role_of(one) in _ROLES_OF_TRAINING for one in tensors_in(operands)):
            return "other"
        return "forward"


def _at_line(pass_: str, module: Optional[int], node: Optional[str], repeated: bool,
             autocast: Optional[str], stream: int) -> str:
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
    return json_text(line)


def _require_grad(operands: list[Any]) -> bool:
    return any(tensor.requires_grad for tensor in tensors_in(operands))
