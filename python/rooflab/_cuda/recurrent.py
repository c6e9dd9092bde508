"""Recurrent layers as cuDNN runs them: one operation for all layers and steps.

Sources: PyTorch's aten/src/ATen/native/RNN.cpp (when cuDNN is taken), cudnn/RNN.cpp (the results)
and cudnn/AutocastRNN.cpp. The bytes that the backward pass keeps are those of cuDNN 9 as recorded
on an H200 (tests/data/recordings/gpu).
"""
from __future__ import annotations

import functools
import math
from typing import Any, Callable, Iterator, Optional, Sequence

import torch

from .. import _torch
from .target import Target
from .values import apart, seeded
from .weights import flat_order, halves_of, takes_cudnn
from .._interception import Function, overload
from .._places import user_place
from ..errors import RecordingError

# PyTorch's numbers of cuDNN's modes, and gates of each.
MODES = {"rnn_relu": (0, 1), "rnn_tanh": (1, 1), "lstm": (2, 4), "gru": (3, 3)}
_NAMES = {number: name for name, (number, _) in MODES.items()}
# Results of each layer and step that the backward pass needs, in units of a state.
_KEPT = {"rnn_relu": 2, "rnn_tanh": 2, "lstm": 5, "gru": 6}
_STATE_BYTES_OF_MULTIPROCESSOR = 49152  # cuDNN's generators of random numbers for dropout


class Recurrent:
    """Calls cuDNN's operation. `cast(tensor, dtype)`: what autocast makes of an argument."""

    def __init__(self, target: Target, concerns: Callable[[torch.Tensor], bool],
                 cast: Callable[[Any, torch.dtype], Any]) -> None:
        self._target = target
        self._concerns = concerns
        self._cast = cast
        self._dropout_state: Optional[torch.Tensor] = None

    def functions(self) -> Iterator[tuple[str, Function]]:
        for name in MODES:
            yield f"aten.{name}.input", self._layer(name)
            yield f"aten.{name}.data", self._packed(name)

    def _layer(self, name: str) -> Function:
        def run(plain: Any, value: Any, state: Any, weights: Any, biases: bool, layers: int,
                dropout: float, train: bool, both: bool, batch_first: bool) -> Any:
            if not self._concerns(value) or not takes_cudnn(value):
                return plain(value, state, weights, biases, layers, dropout, train, both,
                             batch_first)
            return self._run(name, value, [], state, weights, biases, layers, dropout, train, both,
                             batch_first)

        return run

    def _packed(self, name: str) -> Function:
        def run(plain: Any, value: Any, sizes: Any, state: Any, weights: Any, biases: bool,
                layers: int, dropout: float, train: bool, both: bool) -> Any:
            if not self._concerns(value) or not takes_cudnn(value):
                return plain(value, sizes, state, weights, biases, layers, dropout, train, both)
            return self._run(name, value, sizes.tolist(), state, weights, biases, layers, dropout,
                             train, both, False)

        return run

    def _run(self, name: str, value: Any, sizes: list[int], state: Any, weights: Any, biases: bool,
             layers: int, dropout: float, train: bool, both: bool, batch_first: bool) -> Any:
        hidden, cell = state if name == "lstm" else (state, None)
        width, projected = hidden.shape[2], 0
        if cell is not None and cell.shape[2] != width:
            width, projected = cell.shape[2], width
        each = (4 if biases else 2) + (1 if projected else 0)
        flat = self._flat(weights)
        noise = self._noise(dropout, train, value)
        if _torch.cuda_autocasts():  # to float16 whatever its type is
            with _torch.cuda_autocast_off():
                if weights[0].dtype is torch.float32:
                    flat, weights = halves_of(weights, each)
                value, hidden, cell = (self._cast(one, torch.float16)
                                       for one in (value, hidden, cell))
        output, hidden, cell, *_ = overload("aten._cudnn_rnn")(
            value, list(weights), each, flat, hidden, cell, MODES[name][0], width, projected,
            layers, batch_first, float(dropout), train, both, sizes, noise)
        return (output, hidden, cell) if name == "lstm" else (output, hidden)

    def _flat(self, weights: Sequence[torch.Tensor]) -> Optional[torch.Tensor]:
        """All weights as one tensor, where they lie together in memory."""
        storages = {_torch.storage_of(one)._cdata for one in weights}
        if len(storages) != 1 or len(weights) < 2:
            return None
        first = weights[0]
        flat = overload("aten.empty.memory_format")(
            [0], dtype=first.dtype, layout=torch.strided, device=first.device)
        return flat.set_(_torch.set_source(first))

    def _noise(self, dropout: float, train: bool, like: torch.Tensor) -> Optional[torch.Tensor]:
        if not dropout or not train:
            return None
        if self._dropout_state is None or self._dropout_state.device != like.device:
            self._dropout_state = overload("aten._cudnn_init_dropout_state")(
                dropout, train, 0, dtype=torch.uint8, layout=torch.strided, device=like.device,
                pin_memory=False)
        return self._dropout_state

    def results(self) -> dict[str, Callable[..., Any]]:
        return {
            "aten._cudnn_init_dropout_state": self._state_of_dropout,
            "aten._cudnn_rnn": _forward, "aten._cudnn_rnn_backward": _backward,
        }

    def _state_of_dropout(self, dropout: float, train: bool, seed: int, *, dtype: Any = None,
                          layout: Any = None, device: Any = None, pin_memory: Any = None) -> Any:
        size = self._target.multiprocessors * _STATE_BYTES_OF_MULTIPROCESSOR
        return torch.empty((size,), dtype=torch.uint8, device=device)


# What the operators give.


def kept_bytes(mode: int, steps: int, width: int, layers: int, directions: int, dropout: float,
               element: int) -> int:
    """Bytes that cuDNN keeps for the backward pass. `steps`: of all samples together."""
    state = steps * width * directions * element
    size = _KEPT[_NAMES[mode]] * layers * state + (layers - 1) * state
    if dropout and layers > 1:
        size += (layers - 1) * (state // 32)  # which elements were kept
    return size + 256


def _shape_of_output(value: torch.Tensor, width: int, directions: int) -> list[int]:
    return [*value.shape[:-1], width * directions]


def _time_first(value: torch.Tensor, shape: Sequence[int], batch_first: bool) -> torch.Tensor:
    if batch_first:
        return value.new_empty((shape[1], shape[0], shape[2])).transpose(0, 1)
    return value.new_empty(shape)


def _forward(value: Any, weights: Any, each: int, flat: Any, hidden: Any, cell: Any, mode: int,
             width: int, projected: int, layers: int, batch_first: bool, dropout: float,
             train: bool, both: bool, sizes: Any, noise: Any) -> Any:
    directions = 2 if both else 1
    out_width = projected or width
    output = _time_first(value, _shape_of_output(value, out_width, directions), batch_first)
    last = torch.empty(hidden.shape, dtype=hidden.dtype, device=hidden.device)
    last_cell = value.new_empty(cell.shape if cell is not None else (0,))
    kept = 0
    if train:
        steps = math.prod(value.shape[:-1])
        kept = kept_bytes(mode, steps, width, layers, directions, dropout, value.element_size())
    reserve = torch.empty((kept,), dtype=torch.uint8, device=value.device)
    if flat is None:
        flat = value.new_empty(sum(one.numel() for one in weights))
    if _torch.has_values(value):
        seed = torch.randint(2 ** 31, ())
        if kept >= 8:
            reserve[:8].view(torch.int64).copy_(seed)
        found = _computed(mode, value, weights, each, hidden, cell, layers, batch_first, dropout,
                          train, both, sizes, seed)
        for result, number in zip((output, last, last_cell), found):
            result.copy_(number)
    return output, last, last_cell, reserve, flat


def _computed(mode: int, value: Any, weights: Any, each: int, hidden: Any, cell: Any, layers: int,
              batch_first: bool, dropout: float, train: bool, both: bool, sizes: Any,
              seed: Any) -> Any:
    """The layer by PyTorch's own operations on the CPU, halves in float32."""
    run = getattr(torch, _NAMES[mode])
    value, hidden, *weights = map(_wide, (value, hidden, *weights))
    cell = None if cell is None else _wide(cell)
    state = hidden if cell is None else (hidden, cell)
    biases = each >= 4
    with seeded(seed):
        if sizes:
            return run(value, torch.tensor(sizes), state, weights, biases, layers, dropout, train,
                       both)
        return run(value, state, weights, biases, layers, dropout, train, both, batch_first)


def _wide(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.float() if tensor.dtype is torch.float16 else tensor


def _backward(value: Any, weights: Any, each: int, flat: Any, hidden: Any, cell: Any, output: Any,
              grad: Any, grad_hidden: Any, grad_cell: Any, mode: int, width: int, projected: int,
              layers: int, batch_first: bool, dropout: float, train: bool, both: bool, sizes: Any,
              noise: Any, reserve: Any, wanted: Any) -> Any:
    of_value = _time_first(value, value.shape, batch_first)
    of_hidden = torch.empty(hidden.shape, dtype=hidden.dtype, device=hidden.device)
    of_cell = None if cell is None else value.new_empty(cell.shape)
    of_weights: list[Any] = []
    if wanted[3]:
        buffer = value.new_empty(sum(one.numel() for one in weights))
        of_weights = [None] * len(weights)
        begin = 0
        for place in flat_order(len(weights), each - 2):
            size = weights[place].numel()
            of_weights[place] = buffer[begin:begin + size].view(weights[place].shape)
            begin += size
    if _torch.has_values(value):
        found = apart(lambda: _gradients(
            mode, value, weights, each, hidden, cell, grad, grad_hidden, grad_cell, layers,
            batch_first, dropout, train, both, sizes, reserve))
        for result, number in zip((of_value, of_hidden, of_cell, *of_weights), found):
            if result is not None:
                result.copy_(number)
    return of_value, of_hidden, of_cell, of_weights


def _gradients(mode: int, value: Any, weights: Any, each: int, hidden: Any, cell: Any, grad: Any,
               grad_hidden: Any, grad_cell: Any, layers: int, batch_first: bool, dropout: float,
               train: bool, both: bool, sizes: Any, reserve: Any) -> Any:
    given = [one.detach().clone().requires_grad_() for one in (value, hidden, *weights)]
    first_cell = None if cell is None else cell.detach().clone().requires_grad_()
    seed = reserve[:8].clone().view(torch.int64) if reserve.numel() >= 8 else None
    results = _computed(mode, given[0], given[2:], each, given[1], first_cell, layers, batch_first,
                        dropout, train, both, sizes, seed)
    pairs = [(result, one.to(result.dtype))
             for result, one in zip(results, (grad, grad_hidden, grad_cell)) if one is not None]
    inputs = [given[0], given[1], *([] if first_cell is None else [first_cell]), *given[2:]]
    found = list(torch.autograd.grad([one for one, _ in pairs], inputs,
                                     [one for _, one in pairs], allow_unused=True))
    found = [torch.zeros_like(one) if own is None else own for one, own in zip(inputs, found)]
    if first_cell is None:
        found.insert(2, None)
    return found


def refusals_of_meta() -> Iterator[tuple[Any, str, Any]]:
    """Owners, names and replacements: a version that does not let its operators be caught on `meta`
    takes a recurrent layer apart there, into many small operations that no device runs."""
    for kind in (torch.nn.RNN, torch.nn.LSTM, torch.nn.GRU):
        yield kind, "forward", _refusing_meta(kind.forward)


def _refusing_meta(plain: Any) -> Any:
    @functools.wraps(plain)
    def forward(self: Any, value: Any, *args: Any, **kwargs: Any) -> Any:
        if value[0].device.type == "meta":  # a tensor, or the data of a packed sequence
            raise RecordingError(
                f"{user_place()}: PyTorch {torch.__version__} takes {type(self).__name__} apart on "
                "'meta': its operations are not those of a GPU",
                "give the model and its inputs on the CPU, or use PyTorch 2.0 or later")
        return plain(self, value, *args, **kwargs)

    return forward
