"""Recurrent layers as cuDNN runs them: one operation for all layers and steps.

Sources: PyTorch's aten/src/ATen/native/RNN.cpp (when cuDNN is taken, fused cells) and
cudnn/RNN.cpp (the results); torch/nn/modules/rnn.py (flat weights). The bytes that the backward
pass keeps are those of cuDNN 9 as recorded on an H200 (tests/data/recordings/gpu).
"""
from __future__ import annotations

import math
from typing import Any, Callable, Iterator, Optional, Sequence

import torch

from . import _torch
from ._cuda_target import Target
from ._cuda_values import apart, seeded
from ._interception import Function, overload

# PyTorch's numbers of cuDNN's modes, and gates of each.
MODES = {"rnn_relu": (0, 1), "rnn_tanh": (1, 1), "lstm": (2, 4), "gru": (3, 3)}
_NAMES = {number: name for name, (number, _) in MODES.items()}
# Results of each layer and step that the backward pass needs, in units of a state.
_KEPT = {"rnn_relu": 2, "rnn_tanh": 2, "lstm": 5, "gru": 6}
_STATE_BYTES_OF_MULTIPROCESSOR = 49152  # cuDNN's generators of random numbers for dropout


def takes_cudnn(tensor: torch.Tensor) -> bool:
    """cudnn_is_acceptable of a tensor on CUDA."""
    return (torch.backends.cudnn.enabled and tensor.numel() > 0
            and tensor.dtype in (torch.float64, torch.float32, torch.float16))


# Weights as views of one piece of memory.


def flat_order(count: int, biases: int) -> list[int]:
    """Places of the weights in cuDNN's order: products of all layers first, then biases.

    `count`: weights. `biases`: of each layer and direction, the last among its weights.
    """
    each = 2 + biases
    layers = range(0, count, each)
    return [layer + place for layer in layers for place in range(2)] + [
        layer + place for layer in layers for place in range(2, each)]


class FlatWeights:
    """Lays a recurrent module's weights out as `flatten_parameters` does on CUDA, and back."""

    def __init__(self) -> None:
        self._before: list[tuple[torch.nn.Parameter, torch.Tensor]] = []

    def lay_out(self, module: torch.nn.Module,
                concerns: Callable[[torch.Tensor], bool]) -> None:
        for one in module.modules():
            if isinstance(one, torch.nn.RNNBase):
                self._lay_out(one, concerns)

    def _lay_out(self, module: Any, concerns: Callable[[torch.Tensor], bool]) -> None:
        weights = [one for one in module._flat_weights if isinstance(one, torch.nn.Parameter)]
        if len(weights) != len(module._flat_weights_names) or module.proj_size:
            return
        first = weights[0]
        addresses = {_torch.storage_of(one)._cdata for one in weights}
        if (not concerns(first) or not takes_cudnn(first) or len(addresses) != len(weights)
                or any(one.dtype is not first.dtype for one in weights)):
            return  # they lie together already, or share memory
        with torch.no_grad():
            flat = first.data.new_empty(sum(one.numel() for one in weights))
            begin = 0
            for place in flat_order(len(weights), 2 if module.bias else 0):
                weight = weights[place]
                part = flat[begin:begin + weight.numel()].view(weight.shape)
                begin += weight.numel()
                part.copy_(weight.data)
                self._before.append((weight, weight.data))
                weight.data = part

    def undo(self) -> None:
        """Each weight gets its own memory again, with what it holds now."""
        with torch.no_grad():
            while self._before:
                weight, data = self._before.pop()
                data.copy_(weight.data)
                weight.data = data


# The operators.


class Recurrent:
    """Calls cuDNN's operation, and fused cells."""

    def __init__(self, target: Target, concerns: Callable[[torch.Tensor], bool]) -> None:
        self._target = target
        self._concerns = concerns
        self._dropout_state: Optional[torch.Tensor] = None

    def functions(self) -> Iterator[tuple[str, Function]]:
        for name in MODES:
            yield f"aten.{name}.input", self._layer(name)
            yield f"aten.{name}.data", self._packed(name)
        yield "aten.lstm_cell", self._lstm_cell
        yield "aten.gru_cell", self._gru_cell

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

    def _lstm_cell(self, plain: Any, value: Any, state: Any, w_ih: Any, w_hh: Any,
                   b_ih: Any = None, b_hh: Any = None) -> Any:
        if not self._concerns(value):
            return plain(value, state, w_ih, w_hh, b_ih, b_hh)
        hidden, cell = state
        gates = torch.matmul(value, w_ih.t()), torch.matmul(hidden, w_hh.t())
        return overload("aten._thnn_fused_lstm_cell")(*gates, cell, b_ih, b_hh)[:2]

    def _gru_cell(self, plain: Any, value: Any, state: Any, w_ih: Any, w_hh: Any,
                  b_ih: Any = None, b_hh: Any = None) -> Any:
        if not self._concerns(value):
            return plain(value, state, w_ih, w_hh, b_ih, b_hh)
        gates = torch.matmul(value, w_ih.t()), torch.matmul(state, w_hh.t())
        return overload("aten._thnn_fused_gru_cell")(*gates, state, b_ih, b_hh)[0]

    def results(self) -> dict[str, Callable[..., Any]]:
        return {
            "aten._cudnn_init_dropout_state": self._state_of_dropout,
            "aten._cudnn_rnn": _forward, "aten._cudnn_rnn_backward": _backward,
            "aten._thnn_fused_lstm_cell": _lstm_cell,
            "aten._thnn_fused_lstm_cell_backward_impl": _lstm_cell_backward,
            "aten._thnn_fused_gru_cell": _gru_cell,
            "aten._thnn_fused_gru_cell_backward": _gru_cell_backward,
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
    """The layer by PyTorch's own operations on the CPU."""
    run = getattr(torch, _NAMES[mode])
    state = hidden if cell is None else (hidden, cell)
    biases = each >= 4
    with seeded(seed):
        if sizes:
            return run(value, torch.tensor(sizes), state, weights, biases, layers, dropout, train,
                       both)
        return run(value, state, weights, biases, layers, dropout, train, both, batch_first)


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
    pairs = [(result, one) for result, one in zip(results, (grad, grad_hidden, grad_cell))
             if one is not None]
    inputs = [given[0], given[1], *([] if first_cell is None else [first_cell]), *given[2:]]
    found = list(torch.autograd.grad([one for one, _ in pairs], inputs,
                                     [one for _, one in pairs], allow_unused=True))
    found = [torch.zeros_like(one) if own is None else own for one, own in zip(inputs, found)]
    if first_cell is None:
        found.insert(2, None)
    return found


# Cells: products are apart, the rest is one operation.


def _lstm_cell(by_input: Any, by_hidden: Any, cell: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    hidden, new_cell = torch.empty_like(cell), torch.empty_like(cell)
    workspace = torch.empty_like(by_input)
    if _torch.has_values(cell):
        gates = by_input + by_hidden
        gates = gates if b_ih is None else gates + b_ih + b_hh
        enter, forget, now, leave = gates.chunk(4, 1)
        parts = enter.sigmoid(), forget.sigmoid(), now.tanh(), leave.sigmoid()
        workspace.copy_(torch.cat(parts, 1))
        new_cell.copy_(parts[1] * cell + parts[0] * parts[2])
        hidden.copy_(parts[3] * new_cell.tanh())
    return hidden, new_cell, workspace


def _lstm_cell_backward(grad_hidden: Any, grad_cell: Any, cell: Any, new_cell: Any, workspace: Any,
                        has_bias: bool) -> Any:
    of_gates, of_cell = torch.empty_like(workspace), torch.empty_like(cell)
    if _torch.has_values(cell):
        enter, forget, now, leave = workspace.chunk(4, 1)
        of_hidden = torch.zeros_like(cell) if grad_hidden is None else grad_hidden
        bent = new_cell.tanh()
        total = of_hidden * leave * (1 - bent * bent)
        total = total if grad_cell is None else total + grad_cell
        of_gates.copy_(torch.cat([
            total * now * enter * (1 - enter), total * cell * forget * (1 - forget),
            total * enter * (1 - now * now), of_hidden * bent * leave * (1 - leave)], 1))
        of_cell.copy_(total * forget)
    return of_gates, of_cell, of_gates.sum(0) if has_bias else None


def _gru_cell(by_input: Any, by_hidden: Any, state: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    new_state = torch.empty_like(state)
    workspace = state.new_empty((state.shape[0], 5 * state.shape[1]))
    if _torch.has_values(state):
        first = by_input if b_ih is None else by_input + b_ih
        second = by_hidden if b_hh is None else by_hidden + b_hh
        reset_i, update_i, now_i = first.chunk(3, 1)
        reset_h, update_h, now_h = second.chunk(3, 1)
        reset, update = (reset_i + reset_h).sigmoid(), (update_i + update_h).sigmoid()
        now = (now_i + reset * now_h).tanh()
        new_state.copy_(now + update * (state - now))
        workspace.copy_(torch.cat([reset, update, now, state, now_h], 1))
    return new_state, workspace


def _gru_cell_backward(grad: Any, workspace: Any, has_bias: bool) -> Any:
    width = workspace.shape[1] // 5
    of_input = workspace.new_empty((workspace.shape[0], 3 * width))
    of_hidden, of_state = torch.empty_like(of_input), torch.empty_like(grad)
    if _torch.has_values(grad):
        reset, update, now, state, now_h = workspace.chunk(5, 1)
        of_now = grad * (1 - update) * (1 - now * now)
        of_update = grad * (state - now) * update * (1 - update)
        of_reset = of_now * now_h * reset * (1 - reset)
        of_input.copy_(torch.cat([of_reset, of_update, of_now], 1))
        of_hidden.copy_(torch.cat([of_reset, of_update, of_now * reset], 1))
        of_state.copy_(grad * update)
    sums = [one.sum(0) if has_bias else None for one in (of_input, of_hidden)]
    return of_input, of_hidden, of_state, *sums
