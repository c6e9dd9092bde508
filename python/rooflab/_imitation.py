"""Lets a step on the CPU or on `meta` choose as on a CUDA device.

PyTorch chooses by the tensors' device: kernels of attention, cuDNN's layers, operations on lists of
tensors, the types of autocast. While an imitation runs, tensors on the CPU and on `meta` count as
tensors on CUDA where such a choice is made, and operations that only CUDA has get their results
here: with values on the CPU, and without on `meta`. Tensors on CUDA are left alone.
"""
from __future__ import annotations

import contextlib
import functools
from typing import Any, Iterator, Optional, Union

import torch

from . import _torch
from ._assumptions import ASKS_FOR_VALUES, Assumptions
from ._cuda import attention, cells, convolutions, layers, normalisation, optimizers, patches
from ._cuda.autocast import Autocast
from ._cuda.losses import Losses
from ._cuda.recurrent import Recurrent, refusals_of_meta
from ._cuda.target import Target, TargetLike, target_of
from ._cuda.turned_off import TurnedOff
from ._cuda.values import run_anyhow
from ._cuda.weights import FlatWeights
from ._interception import Function, Interception
from ._schema import tensors_in

_IMITATED = ("cpu", "meta")

Imitated = Union[bool, TargetLike]
"""False, True for the default target, or a target."""


class Imitation:
    """`with` it, the calling thread chooses as on the target. Can be entered again."""

    def __init__(self, target: TargetLike = None) -> None:
        self.target: Target = target_of(target)
        self._meta = False  # tensors on `meta` were seen: those on the CPU are the host's
        self.stopped = False
        self._interception: Optional[Interception] = None
        self._running = contextlib.ExitStack()
        self._depth = 0
        self._flat = FlatWeights()
        self._autocast = Autocast(self.concerns)
        self._found_inf = optimizers.FoundInf()
        self.turned_off = TurnedOff()
        recurrent = Recurrent(self.target, self.concerns, self._autocast.cast)
        losses = Losses(self.concerns)
        self._parts = (attention.Attention(self.target, _torch.RELEASE, self.concerns),
                       recurrent, losses, *(part(self.concerns) for part in (
                           cells.Cells, layers.Layers,
                           normalisation.Normalisation)))
        self._results = {**attention.RESULTS, **cells.RESULTS, **layers.RESULTS,
                         **normalisation.RESULTS, **convolutions.RESULTS,
                         **recurrent.results(), **losses.results(),
                         "aten._amp_foreach_non_finite_check_and_unscale_": self._unscale}

    def concerns(self, tensor: torch.Tensor) -> bool:
        """Whether a tensor stands for one on CUDA."""
        kind = tensor.device.type
        self._meta |= kind == "meta"
        self.stopped |= kind == "cuda"
        return not self.stopped and (kind == "meta" or (kind == "cpu" and not self._meta))

    # The time in which it runs.

    def __enter__(self) -> Imitation:
        self._depth += 1
        if self._depth == 1:
            with contextlib.ExitStack() as stack:
                self._interception = Interception(self._functions())
                stack.callback(self._interception.close)
                self._patch(stack)
                stack.enter_context(self._interception.on())
                self._running = stack.pop_all()
        return self

    def __exit__(self, *_: Any) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._running.close()
            self._interception = None
            self._autocast.clear()

    def close(self) -> None:
        """The last recording is over: modules get back what was changed."""
        self._flat.undo()
        self.turned_off.undo()
        self._found_inf.forget()

    @contextlib.contextmanager
    def warm_up(self, assumptions: Assumptions) -> Iterator[None]:
        """Around steps that nobody records."""
        with self, _Results(self, assumptions):
            yield

    def stop(self) -> None:
        """Tensors on CUDA were seen: PyTorch chooses by itself."""
        self.stopped = True

    def paused(self) -> Any:
        if self._interception is None:
            return contextlib.nullcontext()
        return self._interception.paused()

    def lay_out(self, module: torch.nn.Module) -> None:
        """A module is about to be called whose weights lie together on CUDA."""
        for tensor in module.parameters():
            self.concerns(tensor)
        with self.paused():
            self._flat.lay_out(module, self.concerns)

    def _functions(self) -> dict[str, Function]:
        """By operator: autocast's function, around that of the choice."""
        found: dict[str, Function] = {}
        for part in self._parts:
            found.update(part.functions())
        for name, around in self._autocast.functions():
            if _torch.has_cuda_autocast(name):
                inner = found.get(name)
                found[name] = around if inner is None else _nested(around, inner)
        return found

    def _patch(self, stack: contextlib.ExitStack) -> None:
        replaced = [*optimizers.patches(self._devices), *patches.patches(self._devices),
                    *self.turned_off.patches(),
                    (torch, "clear_autocast_cache", self._clearing(torch.clear_autocast_cache))]
        if self._interception is not None and not self._interception.sees_meta:
            replaced += refusals_of_meta()
        if not torch.cuda.is_available():
            replaced.append((torch.cuda, "is_bf16_supported", self._computes_bf16))
        for owner, name, value in replaced:
            before = vars(owner)[name] if name in vars(owner) else getattr(owner, name)
            stack.callback(setattr, owner, name, before)
            setattr(owner, name, value)

    def _devices(self) -> tuple[str, ...]:
        """Those whose tensors count as on CUDA."""
        return () if self.stopped else _IMITATED

    def _clearing(self, plain: Any) -> Any:
        def clear() -> None:
            self._autocast.clear()
            plain()

        return clear

    def _computes_bf16(self, including_emulation: bool = True) -> bool:
        return self.target.capability >= (8, 0) or (
            including_emulation and _torch.RELEASE >= (2, 4))

    # What operations give that this machine cannot run.

    def result(self, name: str, func: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Of an operation in a mode; NotImplemented where PyTorch can run it."""
        known = self._results.get(name)
        if known is None and not name.startswith("aten._f") and not (
                self._meta and name == "aten._local_scalar_dense"):
            return NotImplemented
        if not self._is_here(args):
            return NotImplemented
        if known is not None:
            return known(*args, **kwargs)
        if name == "aten._local_scalar_dense":
            return 0.0 if args[0] in self._found_inf else NotImplemented
        return _of_list(name, args)

    def _is_here(self, args: Any) -> bool:
        first = next(iter(tensors_in(args)), None)
        return first is None or first.device.type in _IMITATED

    def _unscale(self, grads: Any, found: torch.Tensor, scale: torch.Tensor) -> Any:
        if not _torch.has_values(found):
            self._found_inf.note(found)
            return None
        for grad in grads:
            if not torch.isfinite(grad).all():
                found.fill_(1.0)
            grad.mul_(scale)
        return None


def imitation_of(value: Imitated) -> Optional[Imitation]:
    if value is False:
        return None
    return Imitation(None if value is True else value)


def _nested(around: Function, inner: Function) -> Function:
    def both(plain: Any, *args: Any, **kwargs: Any) -> Any:
        return around(functools.partial(inner, plain), *args, **kwargs)

    return both


def _of_list(name: str, args: tuple) -> Any:
    """Operations on lists of tensors on `meta`, which some versions do not have."""
    tensors = list(tensors_in(args))
    if not name.startswith(("aten._foreach_", "aten._fused_")) or not tensors or any(
            _torch.has_values(one) for one in tensors_in(args[0])):
        return NotImplemented
    if name.endswith("_"):
        return None
    if name == "aten._foreach_norm":
        return [one.new_empty(()) for one in args[0]]
    return [torch.empty_like(one) for one in args[0]]


class _Results(_torch.DispatchMode):
    """Gives results to steps that nobody records."""

    def __init__(self, imitation: Imitation, assumptions: Assumptions) -> None:
        super().__init__()
        self._imitation = imitation
        self._assumptions = assumptions

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (),
                           kwargs: Optional[dict[str, Any]] = None) -> Any:
        kwargs = kwargs or {}
        schema = getattr(func, "_schema", None)
        name = "" if schema is None else schema.name.replace("::", ".")
        kept = _torch.number_kept(name, args)
        if kept is not None:
            return kept
        with self._imitation.paused():
            result = self._imitation.result(name, func, args, kwargs)
            if result is NotImplemented and name in ASKS_FOR_VALUES:
                result = self._assumptions.answer(name, func, args, kwargs)
            if result is NotImplemented:
                result = run_anyhow(func, *args, **kwargs)
        return result
