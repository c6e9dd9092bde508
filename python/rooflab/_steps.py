"""Builds a step from a module: inference, forward, or a whole step of training."""
from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rooflab.errors import Error
from rooflab._optimizers import as_on_gpu, optimizer_for
from rooflab._precision import (
    Precision, autocast_to, autocast_type, precision_named, tf32_set)
from rooflab._tensor_trees import is_shape, map_tensors, tensors_of

PHASES = ("inference", "forward", "training")


def loss_of(outputs: Any) -> Any:
    """A scalar to differentiate: the output's own `loss`, else the sum of the means of its tensors.

    Takes a tensor, or tensors in tuples, lists, dictionaries and dataclasses; those without a
    gradient do not count. Raises Error where none has one.
    """
    own = outputs.get("loss") if isinstance(outputs, Mapping) else getattr(outputs, "loss", None)
    if own is not None and getattr(own, "requires_grad", False):
        return own
    means = [value.abs().mean() if value.is_complex() else value.mean()
             for value in tensors_of(outputs) if value.requires_grad]
    if not means:
        raise Error(f"the model's output ({type(outputs).__name__}) has no tensor with a gradient",
                    "give loss=, a function of the output, or a step of your own")
    return sum(means[1:], means[0])


def _copied(model: Any, optimizer: Any) -> tuple[Any, Any]:
    """Copies of both, of which the optimizer's has the parameters of the module's."""
    try:
        return copy.deepcopy((model, optimizer))
    except Exception as error:
        raise Error(f"{type(model).__name__} cannot be copied: {error}",
                    "a step of your own works on the model itself: give a function without "
                    "arguments that runs one step, in place of the model") from error


class Step:
    """One step of a module as a function without arguments.

    The user's module stays as it is: whatever would change it (train mode, training, another
    precision) works on a deep copy on the same device. `settings()` must be entered around calls:
    it sets the mode, grad mode, TF32 and the state of random numbers, and restores them.

    `inputs` and the values of `keywords` are what the module takes, or shapes as tuples of whole
    numbers: tensors of random numbers in the module's type on its device. Tensors for a module on
    `meta` become meta tensors.
    """

    def __init__(self, model: Any, inputs: Sequence[Any], keywords: Mapping[str, Any], *,
                 phase: str | None = None, optimizer: Any = None, precision: str | None = None,
                 loss: Callable[[Any], Any] | None = None, devices: Sequence[str] = ()):
        from rooflab import _torch

        self.phase = phase or PHASES[0]
        self.notes: list[str] = []
        self._check(model, optimizer, loss)
        unwrapped = _torch.without_compiler(model)
        if unwrapped is not model:
            self.notes.append("the model is recorded as it is without torch.compile")
        self.name = type(unwrapped).__name__
        self._precision = precision_named(precision, devices)
        self._model, self._optimizer = self._prepared(unwrapped, optimizer)
        self._inputs = [self._input(value) for value in inputs]
        self._keywords = {key: self._input(value) for key, value in keywords.items()}
        self._loss = loss or loss_of
        self._autocast = autocast_type(self._precision, self._device().type)
        self._scaler = None
        if self.phase == "training":
            self._optimizer = optimizer_for(self._model, self._optimizer)
            note = self._optimizer and as_on_gpu(self._optimizer, self._device())
            self.notes += [note] if note else []
            self._scaler = self._new_scaler()

    @property
    def warmup(self) -> int:
        """Steps before the recorded one: the first of training makes the optimizer's state."""
        return 1 if self.phase == "training" else 0

    def _check(self, model: Any, optimizer: Any, loss: Any) -> None:
        from torch.nn.parameter import is_lazy

        if self.phase not in PHASES:
            raise Error(f"unknown phase '{self.phase}'", f"one of {', '.join(PHASES)}")
        for name, value in (("optimizer", optimizer), ("loss", loss)):
            if value is not None and self.phase != "training":
                raise Error(f"{name}= is part of training, and the phase is {self.phase}",
                            "add phase='training'")
        if any(is_lazy(value) for value in [*model.parameters(), *model.buffers()]):
            raise Error(f"{type(model).__name__} has lazy parameters, which have no size yet",
                        "call the model once with such inputs first")

    def _prepared(self, model: Any, optimizer: Any) -> tuple[Any, Any]:
        """The module that the step works on, with the optimizer that was given."""
        import torch

        weights = self._precision.weights
        wanted = getattr(torch, weights) if weights else None
        cast = wanted is not None and any(
            value.is_floating_point() and value.dtype != wanted
            for value in [*model.parameters(), *model.buffers()])
        if cast and isinstance(optimizer, torch.optim.Optimizer) and optimizer.state:
            raise Error("an optimizer with state cannot change its precision with the parameters",
                        "give a function that makes the optimizer, or its name")
        if self.phase != "inference" or cast:
            model, optimizer = _copied(model, optimizer)
        if cast:
            model.to(wanted)
            self.notes.append(f"a copy of {self.name} and its inputs in {weights} was recorded")
        return model, optimizer

    def _device(self) -> Any:
        import torch

        for value in [*self._model.parameters(), *self._model.buffers()]:
            return value.device
        for value in tensors_of([getattr(self, "_inputs", []), getattr(self, "_keywords", {})]):
            return value.device
        return torch.device("cpu")

    def _dtype(self) -> Any:
        import torch

        if self._precision.weights:
            return getattr(torch, self._precision.weights)
        for value in self._model.parameters():
            if value.is_floating_point():
                return value.dtype
        return torch.get_default_dtype()

    def _input(self, value: Any) -> Any:
        import torch

        device = self._device()
        if is_shape(value):
            with torch.random.fork_rng(devices=_cuda_devices(device)):
                return torch.randn(value, device=device, dtype=self._dtype())

        def changed(tensor: Any) -> Any:
            if device.type == "meta":
                tensor = tensor.to("meta")
            if self._precision.weights and tensor.is_floating_point():
                tensor = tensor.to(self._dtype())
            return tensor

        return map_tensors(value, changed)

    def _new_scaler(self) -> Any | None:
        if self._precision.autocast != "float16" or self._optimizer is None:
            return None
        from rooflab import _torch

        scaler = _torch.grad_scaler(self._device().type)
        if scaler is None:
            self.notes.append("losses are not scaled: this PyTorch has a GradScaler for CUDA only")
        return scaler

    @contextlib.contextmanager
    def settings(self) -> Iterator[None]:
        """Everything that the step needs around it; restored afterwards."""
        import torch

        training = [(module, module.training) for module in self._model.modules()]
        try:
            with tf32_set(self._precision.tf32), \
                    torch.set_grad_enabled(self.phase != "inference"), \
                    torch.random.fork_rng(devices=_cuda_devices(self._device())):
                self._model.train(self.phase != "inference")
                yield
        finally:
            for module, flag in training:
                module.training = flag

    def __call__(self) -> Any:
        """Runs the step: the module's outputs, or the loss of a training step."""
        if self.phase != "training":
            with autocast_to(self._autocast, self._device().type):
                return self._model(*self._inputs, **self._keywords)
        self._zero_grad()
        with autocast_to(self._autocast, self._device().type):
            loss = self._loss(self._model(*self._inputs, **self._keywords))
        if self._scaler is None:
            loss.backward()
            if self._optimizer is not None:
                self._optimizer.step()
        else:
            self._scaler.scale(loss).backward()
            self._scaler.step(self._optimizer)
            self._scaler.update()
        return loss.detach()

    def _zero_grad(self) -> None:
        if self._optimizer is not None:
            self._optimizer.zero_grad(set_to_none=True)
            return
        for value in self._model.parameters():
            value.grad = None


def _cuda_devices(device: Any) -> list[Any]:
    return [device] if device.type == "cuda" else []
