"""The pieces of memory of a step: when they are born, what they are for, when they are freed.

A storage is known by the address of PyTorch's StorageImpl. The table holds a weak reference to
each, which keeps that address from being used again but frees the memory as always.

Storages on `meta` have an address and a size too, though no memory. Tensors without a storage
(sparse, opaque) are known by the address of the tensor itself.
"""

from __future__ import annotations

from typing import Any, Callable, Iterable, Optional

import torch

from . import _torch
from ._schema import json_text, plain
from ._tensors import Tensors
from ._watch import Watch


_DESCRIBED = ("parameter", "buffer")  # roles of storages whose tensor has a line in any case


class Storage:
    """A piece of memory that is alive."""

    __slots__ = ("number", "bytes", "role", "name", "is_named", "is_freed", "device", "layout",
                 "weak")

    def __init__(self, number: int, size: int, device: str) -> None:
        self.number = number
        self.bytes = size
        self.device = device
        self.role: Optional[str] = None
        self.name: Optional[str] = None
        self.is_named = False  # a module told role and name
        self.is_freed = False  # the program took its memory, though tensors of it are alive
        # For a tensor that has no storage:
        self.layout: Optional[str] = None
        self.weak: Optional[_torch.WeakTensor] = None


class Storages:
    """The storages that are alive, and their lines."""

    def __init__(self, write: Callable[[str], None], gap: Callable[[str, str], None]) -> None:
        self._write = write
        self._gap = gap
        self.live: dict[int, Storage] = {}
        self.count = 0  # storages so far
        self.lines = 0
        self.free_lines = 0
        self._tensors = Tensors(write)
        self._watch = Watch()
        self.raw: dict[int, None] = {}  # addresses of storages that nothing wrote yet
        self._without_storage: dict[int, Storage] = {}
        self._device_names: dict[torch.device, str] = {}
        self.seen_no_values = False
        self.seen_cuda = False

    # What an operation uses and makes.

    def operand(self, tensor: torch.Tensor) -> int:
        """The number of a tensor that exists. Memory that is not known existed before the step."""
        return self._number(tensor, True)

    def result(self, tensor: torch.Tensor) -> int:
        """The number of a tensor that an operation made."""
        return self._number(tensor, False)

    def _number(self, tensor: torch.Tensor, before: bool) -> int:
        address, storage = self._address(tensor)
        known = self.live.get(address)
        if known is None:
            known = self._add(address, storage, tensor, "input" if before else None, None, before)
        elif known.is_freed:
            self._begin(known, storage)
        if storage is not None:
            self._watch.use(address)
        return self._tensors.number(tensor, known.number, storage is not None)

    def _address(self, tensor: torch.Tensor) -> tuple[int, Any]:
        if tensor.layout is torch.strided:
            try:
                storage = _torch.storage_of(tensor)
                return storage._cdata, storage
            except (NotImplementedError, RuntimeError):  # its memory is not PyTorch's
                pass
        return tensor._cdata, None

    def _add(self, address: int, storage: Any, tensor: torch.Tensor, role: Optional[str],
             name: Optional[str], before: bool) -> Storage:
        device = self._device_name(tensor)
        self.seen_no_values |= not _torch.has_values(tensor)
        if storage is None:
            added = Storage(self.count, _bytes_without_storage(tensor), device)
            added.weak = _torch.WeakTensor(tensor)
            self._without_storage[address] = added
            added.layout = str(plain(tensor.layout))
            self._gap("sparse" if "sparse" in added.layout else "opaque", added.layout)
        else:
            added = Storage(self.count, int(storage.nbytes()), device)
            storage._weak_ref()
            self._watch.add(address, not before)
        self.count += 1
        added.role, added.name = role, name
        self.live[address] = added
        self._line(added, before)
        return added

    def _device_name(self, owner: Any) -> str:
        """Of a tensor or a storage."""
        name = self._device_names.get(owner.device)
        if name is None:
            name = self._device_names[owner.device] = str(owner.device)
            self.seen_cuda |= owner.device.type == "cuda"
        return name

    def _begin(self, known: Storage, storage: Any) -> None:
        """A storage whose memory was taken is used again: that is another piece of memory."""
        known.number = self.count
        known.bytes = int(storage.nbytes())
        known.role = known.name = None
        known.is_named = known.is_freed = False
        self.count += 1
        self._line(known, False)

    def _line(self, storage: Storage, before: bool) -> None:
        # Put together by hand: these lines are the most frequent after those of operations.
        parts = [f'{{"storage":{storage.number},"bytes":{storage.bytes},"device":"{storage.device}"']
        if storage.role:
            parts.append(f'"role":"{storage.role}"')
        if storage.name is not None:
            parts.append(f'"name":{json_text(storage.name)}')
        if before:
            parts.append('"before":true')
        if storage.layout is not None:
            parts.append(f'"layout":{json_text(storage.layout)}')
        self.lines += 1
        self._write(",".join(parts) + "}")

    # Memory that is read although no operation wrote it: an extension's kernel did.

    def is_raw(self, tensors: Iterable[torch.Tensor]) -> None:
        """The memory of these tensors is as the allocator gave it."""
        for tensor in tensors:
            if tensor.numel() and _torch.may_be_written_unseen(tensor):
                self.raw[self._address(tensor)[0]] = None

    def is_written(self, tensors: Iterable[torch.Tensor]) -> None:
        for tensor in tensors:
            self.raw.pop(self._address(tensor)[0], None)

    def is_read(self, tensors: Iterable[torch.Tensor]) -> None:
        for tensor in tensors:
            if self.raw.pop(self._address(tensor)[0], self) is None:
                self._gap("extension", "memory that no recorded operation wrote")

    # What storages are for.

    def assign(self, role: str, tensors: Iterable[tuple[torch.Tensor, Optional[str]]],
               by_module: bool = False, by_user: bool = False) -> None:
        """States the role of storages, with a name of each.

        What a module tells of its parameters and buffers first stays, unless the user says what
        they are. They have a tensor's line also where no operation uses them: it tells their type.
        """
        changed = []
        for tensor, name in ((part, name) for whole, name in tensors
                             for part in _torch.parts_of(whole)):
            address, storage = self._address(tensor)
            known = self.live.get(address)
            if known is None:
                known = self._add(address, storage, tensor, role, name, True)
            elif known.is_freed:
                continue
            elif (by_user or not known.is_named) and (known.role, known.name) != (role, name):
                known.role, known.name = role, name
                changed.append([known.number, name])
            known.is_named |= by_module or by_user
            if role in _DESCRIBED:
                self._tensors.number(tensor, known.number, storage is not None)
        if changed:
            self._write(json_text({"role": role, "storages": changed}))

    def role_of(self, tensor: torch.Tensor) -> Optional[str]:
        known = self.live.get(self._address(tensor)[0])
        return None if known is None else known.role

    def name_of(self, tensor: torch.Tensor) -> Optional[str]:
        known = self.live.get(self._address(tensor)[0])
        return None if known is None else known.name

    def resized_by(self, tensor: torch.Tensor) -> None:
        """The size of a storage that an operation wrote to may have changed."""
        _, storage = self._address(tensor)
        if storage is not None:
            self.resized(storage)

    def existed(self, tensor: torch.Tensor) -> None:
        """A tensor that a root module gets. If it is not known, it existed before the step."""
        for part in _torch.parts_of(tensor):
            address, storage = self._address(part)
            if address not in self.live:
                self._add(address, storage, part, "input", None, True)

    def resized(self, storage: Any, before: Optional[int] = None) -> None:
        """Writes a storage's line again if its size has changed.

        `before`: the bytes that it had, where the program itself changed them. Memory that it took
        is freed; what it gives a storage without memory is born with the next operation on it.
        """
        address = storage._cdata
        known = self.live.get(address)
        size = int(storage.nbytes())
        if known is None:
            if before == 0 and size > 0:
                known = self.live[address] = Storage(-1, 0, self._device_name(storage))
                known.is_freed = True
                storage._weak_ref()
                self._watch.add(address, True)
        elif known.is_freed or known.bytes == size:
            pass
        elif before is not None and 0 in (size, known.bytes):
            known.is_freed = True
            self._write_free([known.number])
        else:
            known.bytes = size
            self._line(known, False)

    # Frees.

    def enter_module(self) -> None:
        self._watch.enter_module()

    def leave_module(self) -> None:
        self._free(self._watch.leave_module())

    def before_op(self) -> None:
        """Writes the frees since the last operation."""
        gone = self._watch.before_op()
        if gone or self._without_storage:
            self._free(gone)

    def ask_all(self) -> None:
        """Writes all frees until now."""
        self._free(self._watch.all())

    def _free(self, addresses: Iterable[int]) -> None:
        numbers = []
        for address in addresses:
            gone = self.live.pop(address)
            if not gone.is_freed:
                numbers.append(gone.number)
            self.raw.pop(address, None)
            self._watch.forget(address)
        for address in [one for one, storage in self._without_storage.items()
                        if storage.weak is not None and storage.weak.expired()]:
            del self._without_storage[address]
            numbers.append(self.live.pop(address).number)
        if numbers:
            self._write_free(numbers)

    def _write_free(self, numbers: list[int]) -> None:
        self.free_lines += 1
        numbers.sort()
        self._write(f'{{"free":[{",".join(map(str, numbers))}]}}')

    def close(self) -> None:
        """Gives back all weak references."""
        self._watch.close()
        self.live.clear()
        self._without_storage.clear()


def _bytes_without_storage(tensor: torch.Tensor) -> int:
    """Bytes of a sparse tensor's parts; 0 where they are not known."""
    parts: list[torch.Tensor] = []
    if tensor.layout is torch.sparse_coo:
        parts = [tensor._indices(), tensor._values()]
    elif tensor.layout in (torch.sparse_csr, torch.sparse_bsr):
        parts = [tensor.crow_indices(), tensor.col_indices(), tensor.values()]
    elif tensor.layout in (torch.sparse_csc, torch.sparse_bsc):
        parts = [tensor.ccol_indices(), tensor.row_indices(), tensor.values()]
    return sum(part.numel() * part.element_size() for part in parts)
