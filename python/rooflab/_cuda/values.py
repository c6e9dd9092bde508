"""Numbers of operations that only CUDA has, worked out by plain mathematics on the CPU.

Nothing happens to tensors on `meta`. A step with dropout draws the same elements again in its
backward pass, from a seed that the forward pass keeps.
"""
from __future__ import annotations

import contextlib
import math
import threading
from typing import Any, Callable, Iterator, Optional, Sequence

import torch

from .. import _torch


def new_seed(count: int, device: Any) -> list[torch.Tensor]:
    """Numbers without dimensions; the first one is random."""
    made = [torch.empty((), dtype=torch.int64, device=device) for _ in range(count)]
    if _torch.has_values(made[0]):
        made[0].random_(2 ** 31)
        for one in made[1:]:
            one.zero_()
    return made


@contextlib.contextmanager
def seeded(seed: Optional[torch.Tensor]) -> Iterator[None]:
    """Random numbers follow from the first number of `seed`."""
    with torch.random.fork_rng(devices=[]):
        if seed is not None and seed.numel():
            torch.manual_seed(int(seed.reshape(-1)[0].item()))
        yield


def apart(function: Callable[[], Any]) -> Any:
    """Runs a function in a separate thread, where autograd is on and nobody records."""
    results: list[Any] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(function())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]


def run_anyhow(func: Any, *args: Any, **kwargs: Any) -> Any:
    """An operation by PyTorch; in float32 where the CPU has no form of it for halves."""
    try:
        return func(*args, **kwargs)
    except RuntimeError as error:
        for name, lower in (("Half", torch.float16), ("BFloat16", torch.bfloat16)):
            if f"not implemented for '{name}'" in str(error):
                break
        else:
            raise
    return _in_float(lower, func, args, kwargs)


def _in_float(lower: torch.dtype, func: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    pairs: list[tuple[torch.Tensor, torch.Tensor]] = []

    def wide(value: Any) -> Any:
        if isinstance(value, torch.Tensor) and value.dtype is lower:
            made = value.float()
            pairs.append((value, made))
            return made
        if isinstance(value, (list, tuple)):
            return [wide(one) for one in value]
        return value

    def narrow(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            for half, made in pairs:
                if value is made:
                    return half
            return value.to(lower) if value.dtype is torch.float32 else value
        if isinstance(value, (list, tuple)):
            return type(value)(narrow(one) for one in value)
        return value

    result = func(*(wide(one) for one in args),
                  **{name: wide(one) for name, one in kwargs.items()})
    written = func._schema.arguments
    if any(one.alias_info is not None and one.alias_info.is_write for one in written):
        for half, made in pairs:
            half.copy_(made)
    return narrow(result)


# Attention: softmax(q k' scale + bias) v, with fewer heads of k and v than of q.


def _shares(query: torch.Tensor, key: torch.Tensor, bias: Any, causal: bool,
            scale: Any) -> torch.Tensor:
    factor = 1.0 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = (query.float() @ key.float().transpose(-2, -1)) * factor
    if bias is not None:
        scores = scores + bias.float()
    if causal:
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(hidden, -math.inf)
    return torch.nan_to_num(scores.softmax(-1))  # a row that sees nothing


def _of_all_heads(tensor: torch.Tensor, heads: int) -> torch.Tensor:
    return tensor.repeat_interleave(heads // tensor.shape[1], dim=1)


def _kept(shares: torch.Tensor, dropout: float, seed: Any) -> Any:
    if not dropout:
        return 1.0
    with seeded(seed):
        return (torch.rand(shares.shape) >= dropout).float() / (1 - dropout)


def attention_forward(out: torch.Tensor, query: torch.Tensor, key: torch.Tensor,
                      value: torch.Tensor, bias: Any, causal: bool, dropout: float, scale: Any,
                      seed: Any) -> None:
    if not _torch.has_values(query):
        return
    heads = query.shape[1]
    shares = _shares(query, _of_all_heads(key, heads), bias, causal, scale)
    shares = shares * _kept(shares, dropout, seed)
    out.copy_(shares @ _of_all_heads(value, heads).float())


def attention_backward(grads: Sequence[Any], grad: torch.Tensor, query: torch.Tensor,
                       key: torch.Tensor, value: torch.Tensor, bias: Any, causal: bool,
                       dropout: float, scale: Any, seed: Any) -> None:
    """Writes the gradients of query, key, value, and of the bias where `grads` has four."""
    if not _torch.has_values(query):
        return
    heads = query.shape[1]
    factor = 1.0 / math.sqrt(query.shape[-1]) if scale is None else scale
    wide_key, wide_value = _of_all_heads(key, heads).float(), _of_all_heads(value, heads).float()
    shares = _shares(query, wide_key, bias, causal, scale)
    kept = _kept(shares, dropout, seed)
    of_out = grad.float()
    of_shares = (of_out @ wide_value.transpose(-2, -1)) * kept
    of_scores = shares * (of_shares - (of_shares * shares).sum(-1, keepdim=True))
    wide = (of_scores @ wide_key * factor, of_scores.transpose(-2, -1) @ query.float() * factor,
            (shares * kept).transpose(-2, -1) @ of_out)
    for result, found in zip(grads, wide):
        batch, own = result.shape[:2]
        result.copy_(found.reshape(batch, own, -1, *found.shape[2:]).sum(2))
    if len(grads) > 3 and grads[3] is not None:
        grads[3].copy_(of_scores)
