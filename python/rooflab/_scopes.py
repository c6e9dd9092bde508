"""Where the program is: its modules, its pass, and the autograd node that runs."""

from __future__ import annotations

import weakref
from typing import Any, Callable, Iterable, Optional

import torch

from . import _torch
from ._schema import json_text

_MARK = "rooflab"  # key of this package in the metadata of autograd nodes


class Known:
    """A module that has a line."""

    __slots__ = ("number", "root", "module", "names")

    def __init__(self, number: int, module: torch.nn.Module, root: Optional[Known]) -> None:
        self.number = number
        self.module = weakref.ref(module)
        self.root = self if root is None else root
        # Of a root: the qualified names of its modules, by the address of the module.
        self.names: dict[int, str] = {}


class Scope:
    """A call that is running: of a module, of the backward pass, of an optimizer ..."""

    __slots__ = ("kind", "known", "keeps_graph", "node", "caches")

    def __init__(self, kind: str, known: Optional[Known] = None) -> None:
        self.kind = kind
        self.known = known
        # Autograd may be on in this backward pass: it can be differentiated itself.
        self.keeps_graph = True
        # Backward pass without `_current_autograd_node`: (number of the module, name of the node).
        self.node: tuple[Optional[int], Optional[str]] = (None, None)
        self.caches: list[Any] = []  # those that a module got


class Scopes:
    """The stack of calls, shared by all threads of the step."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self.stack: list[Scope] = []
        self.roots: list[Known] = []
        self._count = 0
        self._known: dict[tuple[int, int], Known] = {}  # by addresses of the module and its root
        self._token = object()  # tells the marks of this recording from those of others

    # Modules.

    def module(self, module: torch.nn.Module) -> tuple[Known, bool]:
        """The module as the innermost root that is being called knows it; true for a new root."""
        roots = [scope.known.root for scope in reversed(self.stack) if scope.known is not None]
        if any(scope.kind == "backward" for scope in self.stack):
            roots += self.roots  # checkpointing calls inner modules again, without their root
        for root in roots:
            known = self._within(module, root)
            if known is not None:
                return known, False
        if roots and self.stack[-1].known is not None:
            root = self.stack[-1].known.root
            owner = root.module()
            if owner is not None and len(root.names) != sum(1 for _ in owner.modules()):
                root.names = _names(owner)  # a module that was added after the root's first call
                known = self._within(module, root)
                if known is not None:
                    return known, False
        known = self._known.get((id(module), id(module)))
        if known is not None and known.module() is module:
            return known, False
        known = self._add(module, None, "")
        known.names = _names(module)
        self.roots.append(known)
        return known, True

    def _within(self, module: torch.nn.Module, root: Known) -> Optional[Known]:
        owner = root.module()
        name = root.names.get(id(module))
        if owner is None or name is None:
            return None
        if module is owner:
            return root
        known = self._known.get((id(module), id(owner)))
        if known is None or known.module() is not module:
            known = self._add(module, root, name)
        return known

    def _add(self, module: torch.nn.Module, root: Optional[Known], name: str) -> Known:
        known = Known(self._count, module, root)
        self._count += 1
        owner = known.root.module()
        self._known[(id(module), id(owner))] = known
        self._write(json_text({
            "module": known.number, "name": name, "class": type(module).__name__,
            "root": known.root.number, "training": bool(module.training)}))
        return known

    # Calls.

    def push(self, kind: str, known: Optional[Known] = None) -> Scope:
        scope = Scope(kind, known)
        self.stack.append(scope)
        return scope

    def pop(self, scope: Scope) -> None:
        """Ends a call, and those within it that an exception ended."""
        while self.stack:
            if self.stack.pop() is scope:
                return

    def inside(self, kind: str) -> bool:
        return any(scope.kind == kind for scope in self.stack)

    def has_cache(self, cache: Any) -> bool:
        """Whether a call that is running got this cache already."""
        return any(cache is one for scope in self.stack for one in scope.caches)

    def innermost_module(self) -> Optional[int]:
        top = self.stack[-1] if self.stack else None
        return top.known.number if top is not None and top.known is not None else None

    def place(self) -> tuple[Optional[str], Optional[int], Optional[str], bool]:
        """Pass (None outside of all calls), module, autograd node, and whether it is repeated."""
        if not self.stack:
            return None, None, None, False
        top = self.stack[-1]
        if top.kind == "module":
            assert top.known is not None
            if len(self.stack) > 1 and self.inside("backward"):
                return "backward", top.known.number, None, True
            return "forward", top.known.number, None, False
        if top.kind == "backward":
            module, node = self._running_node(top)
            # Checkpointing turns autograd on to repeat forward work.
            return "backward", module, node, torch.is_grad_enabled() and not top.keeps_graph
        return top.kind, None, None, False

    # Autograd nodes.

    def _running_node(self, scope: Scope) -> tuple[Optional[int], Optional[str]]:
        if _torch.current_node is None:
            return scope.node
        node = _torch.current_node()
        if node is None:
            return None, None
        return self._marked(node)[1], _node_name(node)

    def _marked(self, node: Any) -> tuple[bool, Optional[int]]:
        mark = node.metadata.get(_MARK)
        if mark is None or mark[0] is not self._token:
            return False, None
        return True, mark[1]

    def mark(self, tensors: Iterable[torch.Tensor], module: Optional[int]) -> None:
        """Notes the module in all nodes that lead to the tensors and are without a note."""
        waiting = [tensor.grad_fn for tensor in tensors if tensor.requires_grad]
        while waiting:
            node = waiting.pop()
            if node is None or self._marked(node)[0]:
                continue
            node.metadata[_MARK] = (self._token, module)
            if _torch.current_node is None and hasattr(node, "register_prehook"):
                node.register_prehook(self._note_node((module, _node_name(node))))
            waiting.extend(following for following, _ in node.next_functions)

    def _note_node(self, place: tuple[Optional[int], Optional[str]]) -> Callable[[Any], None]:
        """A hook that runs before a node. It outlives the recording, and does nothing then."""
        stack = self.stack

        def note(_: Any) -> None:
            for scope in reversed(stack):
                if scope.kind == "backward":
                    scope.node = place
                    return

        return note


def _names(module: torch.nn.Module) -> dict[int, str]:
    return {id(one): name for name, one in module.named_modules()}


def _node_name(node: Any) -> str:
    return node.name().rsplit("::", 1)[-1]
