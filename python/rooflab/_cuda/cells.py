"""Cells of LSTM and GRU as on CUDA: both products are apart, all else is one operation.

Sources: PyTorch's aten/src/ATen/native/RNN.cpp and cuda/RNN.cu.
"""
from __future__ import annotations

from typing import Any, Callable, Iterator

import torch

from .. import _torch
from .._interception import Function, overload


class Cells:
    """`concerns(tensor)`: whether a tensor stands for one on CUDA."""

    def __init__(self, concerns: Callable[[torch.Tensor], bool]) -> None:
        self._concerns = concerns

    def functions(self) -> Iterator[tuple[str, Function]]:
        yield "aten.lstm_cell", self._lstm_cell
        yield "aten.gru_cell", self._gru_cell

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


# What the operators give for tensors that are not on CUDA.


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


RESULTS = {
    "aten._thnn_fused_lstm_cell": _lstm_cell,
    "aten._thnn_fused_lstm_cell_backward_impl": _lstm_cell_backward,
    "aten._thnn_fused_gru_cell": _gru_cell,
    "aten._thnn_fused_gru_cell_backward": _gru_cell_backward,
}
