"""Access to PyTorch that differs between its versions. Every such place is here."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import sys
import threading
import warnings
from typing import Any, Iterator, Optional

import torch
from torch.utils._python_dispatch import TorchDispatchMode

# (major, minor), such as (2, 11).
RELEASE = tuple(int(part) for part in re.findall(r"\d+", torch.__version__)[:2])

PYTORCH_FOLDER = os.path.dirname(torch.__file__) + os.sep

DispatchMode = TorchDispatchMode

if hasattr(torch.Tensor, "untyped_storage"):
    storage_of = torch.Tensor.untyped_storage
else:
    storage_of = torch.Tensor._storage

GradScaler = getattr(torch.amp, "GradScaler", torch.cuda.amp.GradScaler)

# A weak reference keeps the small C++ object, so that its address is not used again, but not the
# memory that the object owns. All three work with the address of that object.
expired = torch.UntypedStorage._expired
release = torch.UntypedStorage._free_weak_ref

current_node = getattr(torch._C, "_current_autograd_node", None)
modes_of_this_thread = getattr(torch._C, "_len_torch_dispatch_stack", lambda: 1)
raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None)
_cpu = getattr(torch, "cpu", None)


class WeakTensor:
    """Weak reference to a tensor that has no storage (sparse or opaque)."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self._reference = torch._C._WeakTensorRef(tensor)

    def expired(self) -> bool:
        return self._reference.expired()


_functorch = getattr(torch._C, "_functorch", None)
_is_transformed = getattr(_functorch, "is_functorch_wrapped_tensor", None)


def parts_of(tensor: torch.Tensor) -> list[torch.Tensor]:
    """The tensors with memory that a tensor consists of; none within a transform such as vmap."""
    if _is_transformed is not None and _is_transformed(tensor):
        return []
    if is_wrapper(type(tensor)):
        names, _ = tensor.__tensor_flatten__()
        inner = [getattr(tensor, name) for name in names]  # newer versions name other objects too
        return [part for one in inner if isinstance(one, torch.Tensor) for part in parts_of(one)]
    return [tensor]


def has_values(tensor: torch.Tensor) -> bool:
    """Whether the tensor's numbers exist: not on `meta`, and not within a FakeTensorMode."""
    if tensor.device.type == "meta":
        return False
    fake = sys.modules.get("torch._subclasses.fake_tensor")
    return fake is None or not isinstance(tensor, fake.FakeTensor)


def may_be_written_unseen(tensor: torch.Tensor) -> bool:
    """Whether kernels of extensions may write the tensor's memory. On a CPU, NumPy does too."""
    return tensor.device.type != "cpu" and has_values(tensor)


def bits_of(dtype: torch.dtype) -> int:
    """Bits of an element."""
    if hasattr(dtype, "itemsize"):
        return 8 * dtype.itemsize
    if dtype.is_floating_point:
        return torch.finfo(dtype).bits
    return 2 * torch.finfo(dtype).bits if dtype.is_complex else torch.iinfo(dtype).bits


def is_wrapper(kind: type) -> bool:
    """Whether tensors of this class consist of other tensors, which the dispatcher sees later."""
    return hasattr(kind, "__tensor_flatten__")


def is_composite(overload: Any) -> bool:
    """Whether PyTorch makes up the operation of others, because no device has its own form of it.

    As a rule autograd takes such operations apart. In inference mode it does not.
    """
    name = overload.name()
    if not hasattr(overload, "decompose") or not torch._C._dispatch_has_kernel(name):
        return False
    has_form = torch._C._dispatch_has_kernel_for_dispatch_key
    return has_form(name, "CompositeImplicitAutograd") and not any(
        has_form(name, key) for key in ("CPU", "CUDA", "Meta"))


def is_plain(kind: type) -> bool:
    """Whether the class leaves the dispatch of its operations to PyTorch."""
    own = getattr(kind, "__torch_dispatch__", None)
    return own is None or own is torch._C._disabled_torch_dispatch_impl or (
        own == getattr(torch.Tensor, "__torch_dispatch__", None))


def stream_of_this_thread(on_cuda: bool) -> int:
    """Address of the stream in use; 0 is the default stream.

    Without a GPU PyTorch has streams in name only: wrappers such as FSDP choose them all the same.
    """
    if not on_cuda:
        own = getattr(_cpu, "_current_stream", None)
        return 0 if own is getattr(_cpu, "_default_cpu_stream", None) else id(own)
    if raw_stream is None or not torch.cuda.is_initialized():
        return 0
    return raw_stream(torch.cuda.current_device())


def hidden_collectives() -> list[tuple[Any, str]]:
    """Functions of torch.distributed that this version hides from its dispatcher, by module."""
    if not torch.distributed.is_available():
        return []
    groups = sys.modules["torch.distributed.distributed_c10d"]
    operators = {"all_gather_into_tensor": "_allgather_base_",
                 "reduce_scatter_tensor": "_reduce_scatter_base_",
                 "all_to_all_single": "alltoall_base_"}
    return [(module, name) for name, operator in operators.items()
            for module in (torch.distributed, groups)
            if hasattr(module, name) and not hasattr(torch.ops.c10d, operator)]


# Namespaces of operators that exchange tensors with other processes.
COLLECTIVE_NAMESPACES = ("c10d", "_c10d_functional", "c10d_functional")


def ranks_of(arguments: Any) -> Optional[int]:
    """How many processes take part in a collective with these arguments; None: none of them tells.

    A group is an argument itself, or the last text is its name.
    """
    if not torch.distributed.is_available() or not torch.distributed.is_initialized():
        return None
    own = torch.distributed.ProcessGroup
    name: Optional[str] = None
    for argument in arguments:
        if isinstance(argument, torch.ScriptObject) and hasattr(own, "unbox"):
            with contextlib.suppress(RuntimeError, TypeError):  # it is another kind of object
                argument = own.unbox(argument)
        if isinstance(argument, own):
            return int(argument.size())
        if isinstance(argument, str):
            name = argument
    groups = sys.modules["torch.distributed.distributed_c10d"]
    if name is not None and hasattr(groups, "_resolve_process_group"):
        with contextlib.suppress(RuntimeError, LookupError, ValueError):
            return int(groups._resolve_process_group(name).size())
    return int(torch.distributed.get_world_size())


def autocast_type(on_cpu: bool = True) -> Optional[torch.dtype]:
    """The type to which autocast casts now; None while it is off. `on_cpu`: the CPU's, too."""
    if hasattr(torch, "get_autocast_dtype"):
        for device in ("cuda", *(["cpu"] if on_cpu else []), "xpu", "mps"):
            with contextlib.suppress(RuntimeError):  # a device that this PyTorch does not know
                if torch.is_autocast_enabled(device):
                    return torch.get_autocast_dtype(device)
        return None
    if torch.is_autocast_enabled():
        return torch.get_autocast_gpu_dtype()
    if on_cpu and torch.is_autocast_cpu_enabled():
        return torch.get_autocast_cpu_dtype()
    return None


def autocasts(device_type: str) -> bool:
    """Whether autocast is on for tensors of this device."""
    try:
        return torch.is_autocast_enabled(device_type)
    except TypeError:  # an older one, with a function for each kind of device
        on_cpu = device_type == "cpu"
        return torch.is_autocast_cpu_enabled() if on_cpu else torch.is_autocast_enabled()


def cuda_autocasts() -> bool:
    """Whether autocast is on for tensors on CUDA in this thread."""
    return autocasts("cuda")


def cuda_autocast_type() -> torch.dtype:
    """The type to which autocast casts on CUDA."""
    if hasattr(torch, "get_autocast_dtype"):
        return torch.get_autocast_dtype("cuda")
    return torch.get_autocast_gpu_dtype()


def _set_cuda_autocast(on: bool) -> None:
    if hasattr(torch, "get_autocast_dtype"):
        torch.set_autocast_enabled("cuda", on)
    else:
        torch.set_autocast_enabled(on)


@contextlib.contextmanager
def cuda_autocast_off() -> Iterator[None]:
    """Autocast on CUDA is off within an operation that it acted on."""
    before = cuda_autocasts()
    _set_cuda_autocast(False)
    try:
        yield
    finally:
        _set_cuda_autocast(before)


def has_cuda_autocast(name: str) -> bool:
    """Whether autocast acts on the operator `aten.NAME.OVERLOAD` on CUDA."""
    full = name.replace(".", "::", 1)
    if not torch._C._dispatch_has_kernel(full):
        return False
    return torch._C._dispatch_has_kernel_for_dispatch_key(full, "AutocastCUDA")


_SDP_SWITCHES = {"flash": "flash_sdp_enabled", "efficient": "mem_efficient_sdp_enabled",
                 "cudnn": "cudnn_sdp_enabled"}


def sdp_enabled(name: str) -> bool:
    """Whether the program lets attention take the kernel."""
    switch = getattr(torch.backends.cuda, _SDP_SWITCHES[name], None)
    return switch is None or bool(switch())


def set_source(tensor: torch.Tensor) -> Any:
    """What `Tensor.set_` takes to have the tensor's whole memory."""
    if hasattr(torch.Tensor, "untyped_storage"):
        return tensor.untyped_storage()
    return tensor.storage()


def can_autocast(device_type: str, dtype: str) -> bool:
    """Whether autocast acts on tensors of this device and casts to this type."""
    if device_type == "cpu":  # what a recording does there for CUDA
        return True
    if device_type == "meta":
        return RELEASE >= (2, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with torch.autocast(device_type, dtype=getattr(torch, dtype)):
                return autocasts(device_type)
        except (RuntimeError, ValueError):
            return False


def grad_scaler(device_type: str) -> Optional[Any]:
    """A scaler for losses in fp16 on this device, or None where this PyTorch has none."""
    general = getattr(torch.amp, "GradScaler", None)
    if general is not None and device_type in ("cuda", "cpu", "meta"):
        return general(device_type)
    return torch.cuda.amp.GradScaler() if device_type == "cuda" else None


# Operations of optimizers on lists that PyTorch 2.2 has everywhere but on `meta`.
_NOT_ON_META = ("_foreach_addcdiv_.ScalarList", "_foreach_addcmul_.ScalarList")


@functools.lru_cache(maxsize=None)
def complete_foreach() -> Any:
    """Lets optimizers that work on lists run on `meta`: what changes tensors in place does nothing.

    Gives back what has to live for that; None where this PyTorch needs nothing.
    """
    has_form = torch._C._dispatch_has_kernel_for_dispatch_key
    missing = [name for name in _NOT_ON_META
               if torch._C._dispatch_has_kernel(f"aten::{name}")
               and not any(has_form(f"aten::{name}", key)
                           for key in ("Meta", "CompositeExplicitAutograd"))]
    if not missing or RELEASE < (2, 1):  # before, no operation on lists runs there
        return None
    library = torch.library.Library("aten", "IMPL", "Meta")
    for name in missing:
        library.impl(name, lambda *args, **kwargs: None)
    return library


def has_foreach(device: torch.device) -> bool:
    """Whether operations on lists of tensors run on this device."""
    complete_foreach()
    tensors = [torch.zeros(1, device=device)]
    try:
        torch._foreach_add_(tensors, tensors)
        torch._foreach_mul_(tensors, 1.0)
    except (AttributeError, NotImplementedError, RuntimeError):
        return False
    return True


def _tf32_switches() -> dict[str, Any]:
    return {"matmul": torch.backends.cuda.matmul, "cudnn": torch.backends.cudnn}


def tf32() -> dict[str, bool]:
    """Whether products (matmul) and convolutions (cudnn) of 32-bit numbers may use TF32."""
    flags = {}
    for name, switch in _tf32_switches().items():
        # Newer versions warn, and refuse to read `allow_tf32` after `fp32_precision` was set.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                flags[name] = bool(switch.allow_tf32)
            except RuntimeError:
                flags[name] = getattr(switch, "fp32_precision", "") == "tf32"
    return flags


def set_tf32(flags: dict[str, bool]) -> None:
    """Sets what `tf32` gives back."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, switch in _tf32_switches().items():
            switch.allow_tf32 = flags[name]


def without_compiler(model: Any) -> Any:
    """The module that torch.compile wraps, or the module itself."""
    return getattr(model, "_orig_mod", model)


def device_name() -> Optional[str]:
    """Name of the current GPU; None while the process does not use one."""
    return torch.cuda.get_device_name() if torch.cuda.is_initialized() else None


class _Running(threading.local):
    """The optimizers of this thread whose steps run now."""

    def __init__(self) -> None:
        self.steps: list[Any] = []


@contextlib.contextmanager
def optimizer_steps(begin: Any, end: Any) -> Iterator[None]:
    """Calls begin(optimizer) before and end(optimizer) after each step, also one that raises.

    Every step runs within `record_function("Optimizer.step#CLASS.step")`. Newer versions have hooks
    too, which tell the optimizer; the hook behind a step does not run if the step raises. Older
    ones have none, and a scheduler of learning rates keeps the method `step` itself.
    """
    import torch.autograd.profiler as profiler

    optimizers = sys.modules[torch.optim.Optimizer.__module__]
    has_hooks = hasattr(optimizers, "register_optimizer_step_pre_hook")
    running = _Running()
    note = profiler.record_function
    plain_enter, plain_exit = note.__enter__, note.__exit__

    def started(optimizer: Any) -> None:
        running.steps.append(optimizer)
        begin(optimizer)

    def ended(optimizer: Any) -> None:
        if optimizer in running.steps:
            while running.steps and running.steps[-1] is not optimizer:
                end(running.steps.pop())
            end(running.steps.pop())

    def enter(self: Any) -> Any:
        if self.name.startswith("Optimizer.step#"):
            self.rooflab_depth = len(running.steps)
            if not has_hooks:
                args = sys._getframe(1).f_locals.get("args")
                if args and isinstance(args[0], torch.optim.Optimizer):
                    started(args[0])
        return plain_enter(self)

    def leave(self: Any, *exception: Any) -> Any:
        depth = getattr(self, "rooflab_depth", None)
        while depth is not None and len(running.steps) > depth:
            end(running.steps.pop())
        return plain_exit(self, *exception)

    with contextlib.ExitStack() as stack:
        if has_hooks:
            for register, call in (("pre", started), ("post", ended)):
                hook = getattr(optimizers, f"register_optimizer_step_{register}_hook")(
                    lambda optimizer, args, kwargs, call=call: call(optimizer))
                stack.callback(hook.remove)
        stack.callback(setattr, note, "__enter__", plain_enter)
        stack.callback(setattr, note, "__exit__", plain_exit)
        note.__enter__, note.__exit__ = enter, leave
        yield


def innermost_mode(otherwise: Any) -> Any:
    """The dispatch mode of this thread that gets operations first; PyTorch 1.13 does not tell."""
    current = getattr(torch.utils._python_dispatch, "_get_current_dispatch_mode", None)
    return otherwise if current is None else current()


def number_kept(name: str, args: tuple) -> Any:
    """PyTorch 1.13: checkpointing keeps a number of the program as if it were a tensor. The tensor
    that it then is; None for all other operations."""
    if name != "aten.detach" or isinstance(args[0], torch.Tensor):
        return None
    return torch.scalar_tensor(args[0], dtype=torch.float64)
