"""Which storages to ask whether they were freed, and when.

Nothing tells when PyTorch frees a storage, so its weak reference must be asked. Before each
operation the watch asks

- those that the last operations used, where nearly all frees happen;
- all of them, each time when the operations and tensors since then pay for it;

and when a module's call ends, those that were born in it. A free is therefore seen at most a few
operations late, and never early.
"""

from __future__ import annotations

from . import _torch

_WINDOW = 64  # storages used lately that are asked before each operation, at least
_WINDOW_OPS = 4  # operations all of whose storages are asked, however many they are
_PAID_BY_OP = 32  # storages of the whole table that an operation pays to ask
_PAID_BY_TENSOR = 2  # and each of its tensors


class Watch:
    """Addresses of storages with a weak reference, in the order in which they were used."""

    def __init__(self) -> None:
        self._all: dict[int, None] = {}
        self._recent: dict[int, int] = {}  # by address: number of the last operation
        self._born: list[dict[int, None]] = []  # for each module that is called
        self._op = 0
        self._paid = 0

    def add(self, address: int, is_born: bool) -> None:
        """A storage with a weak reference. `is_born`: an operation makes it now."""
        self._all[address] = None
        if self._born and is_born:
            self._born[-1][address] = None

    def use(self, address: int) -> None:
        """An operation uses the storage."""
        self._recent.pop(address, None)
        self._recent[address] = self._op
        self._paid += _PAID_BY_TENSOR

    def forget(self, address: int) -> None:
        """Gives back the weak reference: the address may be used again."""
        del self._all[address]
        self._recent.pop(address, None)
        for born in self._born:
            born.pop(address, None)
        _torch.release(address)

    def before_op(self) -> list[int]:
        """Storages that are found to be freed. The caller forgets them."""
        self._op += 1
        self._paid += _PAID_BY_OP
        if self._paid >= len(self._all):
            return self.all()
        recent, expired = self._recent, _torch.expired
        gone = [one for one in recent if expired(one)]
        surplus = len(recent) - _WINDOW
        if surplus > 0:
            oldest = self._op - _WINDOW_OPS
            for one in [one for one, op in recent.items() if op < oldest][:surplus]:
                del recent[one]
        return gone

    def all(self) -> list[int]:
        """Like before_op, for all storages."""
        self._paid = 0
        expired = _torch.expired
        return [one for one in self._all if expired(one)]

    def enter_module(self) -> None:
        self._born.append({})

    def leave_module(self) -> list[int]:
        """Like before_op, for storages that were born in the module's call."""
        born, expired = self._born.pop(), _torch.expired
        gone = [one for one in born if expired(one)]
        if self._born:
            self._born[-1].update(born)
        return gone

    def close(self) -> None:
        """Gives back all weak references."""
        for address in self._all:
            _torch.release(address)
        self._all.clear()
        self._recent.clear()
