"""Access to PyTorch that differs between its versions. Every such place is here."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from typing import Any, Iterator, Optional

import torch
from torch.utils._python_dispatch import TorchDispatchMode

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
        return [part for name in names for part in parts_of(getattr(tensor, name))]
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


def stream_of_this_thread() -> int:
    """Address of the CUDA stream in use; 0 is the default stream."""
    if raw_stream is None or not torch.cuda.is_initialized():
        return 0
    return raw_stream(torch.cuda.current_device())


def autocast_type() -> Optional[torch.dtype]:
    """The type to which autocast casts now; None while it is off."""
    if hasattr(torch, "get_autocast_dtype"):
        for device in ("cuda", "cpu", "xpu", "mps"):
            with contextlib.suppress(RuntimeError):  # a device that this PyTorch does not know
                if torch.is_autocast_enabled(device):
                    return torch.get_autocast_dtype(device)
        return None
    if torch.is_autocast_enabled():
        return torch.get_autocast_gpu_dtype()
    if torch.is_autocast_cpu_enabled():
        return torch.get_autocast_cpu_dtype()
    return None


def _tf32(backend: Any) -> bool:
    # Newer versions warn, and refuse to read `allow_tf32` after `fp32_precision` was set.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return bool(backend.allow_tf32)
        except RuntimeError:
            return getattr(backend, "fp32_precision", "") == "tf32"


def tf32() -> dict[str, bool]:
    """Whether products and convolutions of 32-bit numbers may use TF32."""
    return {"matmul": _tf32(torch.backends.cuda.matmul), "cudnn": _tf32(torch.backends.cudnn)}


def device_name() -> Optional[str]:
    """Name of the current GPU; None while the process does not use one."""
    return torch.cuda.get_device_name() if torch.cuda.is_initialized() else None


@contextlib.contextmanager
def optimizer_steps(begin: Any, end: Any) -> Iterator[None]:
    """Calls begin(optimizer) before and end(optimizer) after each step of an optimizer."""
    optimizers = sys.modules[torch.optim.Optimizer.__module__]
    if hasattr(optimizers, "register_optimizer_step_pre_hook"):
        handles = [
            optimizers.register_optimizer_step_pre_hook(lambda own, args, kwargs: begin(own)),
            optimizers.register_optimizer_step_post_hook(lambda own, args, kwargs: end(own)),
        ]
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()
        return
    # Older versions have no such hooks, and a scheduler of learning rates keeps the method itself.
    # But every step runs within `record_function("Optimizer.step#CLASS.step")`.
    import torch.autograd.profiler as profiler

    plain = profiler.record_function

    class Steps(plain):  # type: ignore[misc, valid-type]
        optimizer = None

        def __init__(self, name: str, args: Optional[str] = None) -> None:
            super().__init__(name, args)
            if name.startswith("Optimizer.step#"):
                positional = sys._getframe(1).f_locals.get("args")
                if positional and isinstance(positional[0], torch.optim.Optimizer):
                    self.optimizer = positional[0]

        def __enter__(self) -> Any:
            entered = super().__enter__()
            if self.optimizer is not None:
                begin(self.optimizer)
            return entered

        def __exit__(self, *exception: Any) -> None:
            if self.optimizer is not None:
                end(self.optimizer)
            super().__exit__(*exception)

    profiler.record_function = Steps
    try:
        yield
    finally:
        profiler.record_function = plain
