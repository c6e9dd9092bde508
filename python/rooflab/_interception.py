"""Operators that are caught above autograd, before PyTorch takes them apart.

PyTorch looks up each operator by a set of keys, in a fixed order: autocast's keys come before those
of autograd, and these before the devices'. A key of autocast for a device that nobody here has is
added to the set of this thread, with functions of this package for some operators; all others fall
through. So calls from C++ (`einsum`, backward formulas) are caught like those from Python, and what
a function calls is seen by autograd and by modes as always.
"""
from __future__ import annotations

import contextlib
import functools
import warnings
from typing import Any, Callable, Iterator, Mapping, Optional

import torch

Function = Callable[..., Any]
"""Gets the operator itself, called as `plain(*args)` without being caught, and the arguments."""

# Keys by preference. None of them has a function in PyTorch itself; 2.0 lacks the first.
_FREE_KEYS = ("AutocastIPU", "AutocastHPU")


def overload(name: str) -> Any:
    """The overload `aten.NAME` or `aten.NAME.OVERLOAD`; None if this PyTorch lacks it."""
    packet, _, rest = name.partition(".")[2].partition(".")
    found = getattr(torch.ops.aten, packet, None)
    return None if found is None else getattr(found, rest or "default", None)


class _ForcedKey:
    """From PyTorch 2.0 on a thread can add a key to all operators' sets."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._key = getattr(torch._C.DispatchKey, name)

    def get(self) -> tuple[bool, bool]:
        return (torch._C._dispatch_tls_is_dispatch_key_included(self._key),
                torch._C._dispatch_tls_is_dispatch_key_excluded(self._key))

    def set(self, state: tuple[bool, bool]) -> None:
        torch._C._dispatch_tls_set_dispatch_key_included(self._key, state[0])
        torch._C._dispatch_tls_set_dispatch_key_excluded(self._key, state[1])

    on, off = (True, False), (False, True)

    @contextlib.contextmanager
    def taken(self) -> Iterator[tuple[str, ...]]:
        """While it is used; gives the operators that PyTorch itself would catch."""
        yield ()


class _CpuKey:
    """Before that: the key of autocast on the CPU, which tensors on the CPU have anyway.

    Its functions replace PyTorch's own while a recording runs, all of them: the step did not ask for
    autocast on the CPU. Tensors on `meta` lack the key.
    """

    name = "AutocastCPU"
    on, off = True, False

    @contextlib.contextmanager
    def taken(self) -> Iterator[tuple[str, ...]]:
        """TorchScript casts by itself, by a pass over its graphs, where autocast is on."""
        before = torch._C._jit_set_autocast_mode(False)
        try:
            yield _caught_by_pytorch(self.name)
        finally:
            torch._C._jit_set_autocast_mode(before)

    def get(self) -> bool:
        return torch.is_autocast_cpu_enabled()

    def set(self, state: bool) -> None:
        torch.set_autocast_cpu_enabled(state)


class Interception:
    """Catches the operators of `functions` (by name, `aten.dropout`) in the thread that is `on`."""

    def __init__(self, functions: Mapping[str, Function]) -> None:
        self._key, fallback = _key()
        self._taken = contextlib.ExitStack()
        others = self._taken.enter_context(self._key.taken())
        functions = {**dict.fromkeys(others, _as_it_is), **functions}
        self._libraries = [] if fallback is None else [fallback]
        self.sees_meta = not isinstance(self._key, _CpuKey)
        library = torch.library.Library("aten", "IMPL", self._key.name)
        self._libraries.append(library)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that functions of PyTorch's are replaced
            for name, function in functions.items():
                operator = overload(name)
                if operator is not None:
                    library.impl(name.partition(".")[2], self._caught(operator, function))

    def _caught(self, operator: Any, function: Function) -> Any:
        key = self._key

        def plain(*args: Any, **kwargs: Any) -> Any:
            before = key.get()
            key.set(key.off)
            try:
                return operator(*args, **kwargs)
            finally:
                key.set(before)

        def caught(*args: Any, **kwargs: Any) -> Any:
            return function(plain, *args, **kwargs)

        return caught

    @contextlib.contextmanager
    def on(self) -> Iterator[None]:
        with self._set(self._key.on):
            yield

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        with self._set(self._key.off):
            yield

    @contextlib.contextmanager
    def _set(self, state: Any) -> Iterator[None]:
        before = self._key.get()
        self._key.set(state)
        try:
            yield
        finally:
            self._key.set(before)

    def close(self) -> None:
        """Gives the key back."""
        for library in self._libraries:
            if hasattr(library, "_destroy"):
                library._destroy()
        self._libraries.clear()
        self._taken.close()


def _as_it_is(plain: Any, *args: Any, **kwargs: Any) -> Any:
    return plain(*args, **kwargs)


@functools.lru_cache(maxsize=None)
def _caught_by_pytorch(key: str) -> tuple[str, ...]:
    """The operators of `aten` that PyTorch has a function for at the key, as `aten.NAME.OVERLOAD`.

    Asked for before the package registers its own.
    """
    has_function = torch._C._dispatch_has_kernel_for_dispatch_key
    names = []
    for schema in torch._C._jit_get_all_schemas():
        name = schema.name + (f".{schema.overload_name}" if schema.overload_name else "")
        # The list also has what only TorchScript knows.
        if (name.startswith("aten::") and torch._C._dispatch_has_kernel(name)
                and has_function(name, key)):
            names.append(name.replace("::", ".", 1))
    return tuple(names)


def _key() -> tuple[Any, Optional[Any]]:
    """The key to use, and what lets all other operators fall through it."""
    if not hasattr(torch._C, "_dispatch_tls_set_dispatch_key_included"):
        return _CpuKey(), None
    for name in _FREE_KEYS:
        if not hasattr(torch._C.DispatchKey, name):
            continue
        key = _ForcedKey(name)
        return key, None if _falls_through(key) else _fallthrough(name)
    raise NotImplementedError(f"PyTorch {torch.__version__} has no free key")


def _fallthrough(name: str) -> Any:
    """A registration by which every operator without a function at the key falls through it."""
    library = torch.library.Library("_", "IMPL", name)
    if hasattr(library, "fallback"):
        library.fallback(torch.library.fallthrough_kernel)
    else:  # before 2.5 only the C++ object below has it
        library.m.fallback_fallthrough()
    return library


def _falls_through(key: _ForcedKey) -> bool:
    before = key.get()
    key.set(key.on)
    try:
        torch.empty(0).neg()
        return True
    except NotImplementedError:
        return False
    finally:
        key.set(before)
