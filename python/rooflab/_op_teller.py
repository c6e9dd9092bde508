"""In a program under `rooflab profile`: which of PyTorch's operations launches what.

The library that profiles the program (inject/cupti) asks for it in a few separate steps, when
it has timed and traced others, or for a while where it finds no steps. A thread waits in it until
then, so that the program runs as always. When the library asks, the next call of an outermost module
begins a recording, an ordinary one (recorder.py) in addition to the profile, and every operation tells the
library its number before it runs. When the library has seen enough, the next such call ends the
recording, and all is as before.

The capture of a CUDA graph is recorded in the same way, without being asked: its operations make the
nodes of the graph, and run once.

What fails here never reaches the program: the recording is given up, and the profile says why.
"""
from __future__ import annotations

import atexit
import ctypes
import functools
import importlib.util
import os
import sys
import threading
from typing import Any, Callable, Optional

REQUEST = "ROOFLAB_PROFILE"  # lines `key=value` of what the library is asked
LIBRARY = "CUDA_INJECTION64_PATH"


class Library:
    """The functions that the library exports (inject/cupti/op_teller.cpp)."""

    def __init__(self, path: str) -> None:
        waits = ctypes.CDLL(path)  # without the lock of the interpreter
        quick = ctypes.PyDLL(path)
        self.offer: Callable[[], None] = quick.rooflab_ops_offer
        self.wait: Callable[[], int] = waits.rooflab_ops_wait
        self.wanted: Callable[[], int] = quick.rooflab_ops_wanted
        self.begin: Callable[[], None] = quick.rooflab_ops_begin
        self.wants_capture: Callable[[], int] = quick.rooflab_ops_capture_wanted
        self.begin_capture: Callable[[], None] = quick.rooflab_ops_capture_begin
        self.end_capture: Callable[[], None] = quick.rooflab_ops_capture_end
        self.op: Callable[[int], None] = quick.rooflab_op
        self._file = quick.rooflab_ops_file
        self._end = quick.rooflab_ops_end
        self._file.restype = ctypes.c_char_p
        quick.rooflab_op.argtypes = [ctypes.c_longlong]
        for one in (quick.rooflab_op, self.offer, self.begin, self.begin_capture, self.end_capture,
                    self._end):
            one.restype = None  # type: ignore[attr-defined]
        self._end.argtypes = [ctypes.c_char_p]

    def file(self) -> str:
        """Where the recording goes."""
        return os.fsdecode(self._file())

    def end(self, trouble: str = "") -> None:
        """The recording is finished; `trouble` says why it was given up."""
        self._end(trouble.encode("utf-8", "replace"))


class Teller:
    """Records once, when the library asks for it, and leaves another one behind to be asked."""

    def __init__(self, library: Any) -> None:
        self._library = library
        self._lock = threading.Lock()
        self._plain: Any = None  # Module.__call__ of PyTorch,
        self._call: Any = None  # that of this object
        self._recorded: Any = None  # and that of the recorder
        self._recorder: Any = None
        self._thread = (0, 0)  # process and thread that record
        self._depth = 0  # modules that it calls
        self._over = False
        self._at_end = False  # of the program
        self._dispatches = False  # a mode is asked because of the thread's dispatch keys

    def start(self) -> threading.Thread:
        self._library.offer()
        thread = threading.Thread(target=self._wait, name="rooflab-ops", daemon=True)
        thread.start()
        return thread

    def _wait(self) -> None:
        trouble = ""
        try:
            from . import recorder  # noqa: F401  # now, and not while the library waits
        except Exception as error:  # the program comes first
            trouble = _text_of(error)
        if not self._library.wait():
            return
        if trouble:
            self._library.end(trouble)
            return
        import torch

        atexit.register(self._at_exit)
        self._plain = torch.nn.Module.__call__
        self._call = self._caller(self._plain)
        torch.nn.Module.__call__ = self._call  # type: ignore[method-assign]

    def _caller(self, plain: Any) -> Any:
        """Calls modules as they are to be called then: programs keep it (`f = self.__call__`)."""

        @functools.wraps(plain)
        def call(module: Any, *args: Any, **kwargs: Any) -> Any:
            if self._over or (self._recorder is None and not self._begins()):
                return plain(module, *args, **kwargs)
            if _this_thread() != self._thread:
                return self._recorded(module, *args, **kwargs)
            if self._depth == 0 and not self._library.wanted() and self._finish():
                return plain(module, *args, **kwargs)
            if self._depth == 0 and self._dispatches:
                _keep_dispatching()
            self._depth += 1
            try:
                return self._recorded(module, *args, **kwargs)
            finally:
                self._depth -= 1

        return call

    def _begins(self) -> bool:
        if self._recorder is not None or self._over:
            return False
        with self._lock:
            if self._recorder is not None or self._over:
                return False
            try:
                if not self._library.wanted():
                    self._end("no module was called in time")
                    return False
                if not _is_outermost() or _is_recording():
                    return False
                trouble = _obstacle()
                if trouble:
                    self._end(trouble)
                    return False
                self._begin()
                return True
            except Exception as error:
                self._end(_text_of(error))
                return False

    def _begin(self) -> None:
        import torch

        from .recorder import Recorder

        recorder = Recorder(self._library.file(), imitate=False)
        recorder.tell = self._library.op
        torch.nn.Module.__call__ = self._plain  # type: ignore[method-assign]
        recorder.__enter__()
        self._dispatches = _is_dispatching()
        self._recorded = torch.nn.Module.__call__
        torch.nn.Module.__call__ = self._call  # type: ignore[method-assign]
        self._thread = _this_thread()
        self._recorder = recorder
        self._library.begin()

    def _finish(self) -> bool:
        """Ends the recording, if it can be ended here."""
        recorder = self._recorder
        if not recorder.is_innermost():
            return False
        self._recorder = None
        try:
            trouble = recorder.failure
            if trouble is None:
                recorder.__exit__(None, None, None)
                self._end("")
            else:
                recorder.__exit__(type(trouble), trouble, None)
                self._end(_text_of(trouble))
        except Exception as error:
            self._end(_text_of(error))
        return True

    def _end(self, trouble: str) -> None:
        """Nothing of this is left in PyTorch."""
        import torch

        self._over = True
        torch.nn.Module.__call__ = self._plain  # type: ignore[method-assign]
        self._library.end(trouble)
        if not self._at_end:
            Teller(self._library).start()

    def _at_exit(self) -> None:
        self._at_end = True
        if self._recorder is None:
            return
        if self._thread[0] == os.getpid() and (
                _this_thread() != self._thread or not self._finish()):
            self._library.end("the program ended while its ops were told")


class Captures:
    """Records what runs while PyTorch captures a CUDA graph."""

    def __init__(self, library: Any) -> None:
        self._library = library
        self._recorder: Any = None

    def start(self) -> None:
        """Takes the place of the two functions that begin and end every capture."""
        import torch

        graph = torch.cuda.CUDAGraph
        begin = getattr(graph, "capture_begin", None)
        end = getattr(graph, "capture_end", None)
        if begin is None or end is None:
            return

        @functools.wraps(begin)
        def capture_begin(*args: Any, **kwargs: Any) -> Any:
            self._begin()
            try:
                return begin(*args, **kwargs)
            except BaseException:
                self._finish()
                raise

        @functools.wraps(end)
        def capture_end(*args: Any, **kwargs: Any) -> Any:
            try:
                return end(*args, **kwargs)
            finally:
                self._finish()

        graph.capture_begin = capture_begin  # type: ignore[method-assign]
        graph.capture_end = capture_end  # type: ignore[method-assign]

    def _begin(self) -> None:
        """Before the capture, because a recording begins with questions to the device."""
        if self._recorder is not None or not self._library.wants_capture():
            return
        try:
            from . import recorder

            # A recording that runs tells the operations of the capture, too.
            if _is_recording() or _obstacle():
                return
            begun = recorder.Recorder(self._library.file(), imitate=False)
            begun.tell = self._library.op
            begun.__enter__()
        except Exception:  # the program comes first: the nodes have no operations then
            return
        self._recorder = begun
        self._library.begin_capture()

    def _finish(self) -> None:
        recorder, self._recorder = self._recorder, None
        if recorder is None:
            return
        self._library.op(-1)
        try:
            trouble = recorder.failure
            recorder.__exit__(None if trouble is None else type(trouble), trouble, None)
        except Exception:  # without its file the profile says that it is missing
            pass
        self._library.end_capture()


def _is_recording() -> bool:
    """Whether a capture, or the program itself, records now."""
    from . import recorder

    return recorder._running is not None


def _is_dispatching() -> bool:
    import torch

    included = getattr(torch._C, "_dispatch_tls_is_dispatch_key_included", None)
    return included is not None and included("Python")


def _keep_dispatching() -> None:
    """The recording began within a call (`generate`) whose guard, torch.inference_mode's, put back the
    dispatch keys of its beginning when it ended: the mode is on its stack, and is not asked."""
    import torch

    if _is_dispatching():
        return
    for key in ("Python", "PythonTLSSnapshot"):
        torch._C._dispatch_tls_set_dispatch_key_included(key, True)


def _this_thread() -> tuple[int, int]:
    """A forked process has the same threads' numbers."""
    return os.getpid(), threading.get_ident()


def _text_of(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _is_outermost() -> bool:
    """Whether no module and no backward pass calls this one."""
    import torch

    running = getattr(torch._C, "_current_graph_task_id", lambda: -1)
    if running() != -1:
        return False
    file = torch.nn.modules.module.__file__
    frame = sys._getframe(3)  # who called the module
    while frame is not None:
        code = frame.f_code
        if code.co_filename == file and code.co_name.endswith("call_impl"):
            return False
        frame = frame.f_back
    return True


def _obstacle() -> str:
    """Why the program cannot be recorded here; empty: it can."""
    import torch

    modes = getattr(torch._C, "_len_torch_dispatch_stack", lambda: 0)
    if modes() > 0:
        return "a dispatch mode of the program is active"
    if torch.cuda.is_available() and torch.cuda.is_current_stream_capturing():
        return "a CUDA graph is being captured"
    dynamo = sys.modules.get("torch._dynamo.utils")
    counters = getattr(dynamo, "counters", None)
    if counters is not None and counters["stats"]["unique_graphs"] > 0:
        return "the program uses torch.compile, whose kernels no operation of PyTorch launches"
    return ""


_started = False


def _start() -> None:
    global _started
    if _started:
        return
    _started = True
    try:
        library = Library(os.environ[LIBRARY])
        if _has_mode("kernels", "totals"):
            Teller(library).start()
        Captures(library).start()
    except (OSError, AttributeError, KeyError, RuntimeError):
        pass  # another library, or none: nobody asks for ops


class _AfterTorch:
    """Finds PyTorch as it would be found without it, and starts when it is imported."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Optional[Any]:
        if name != "torch":
            return None
        sys.meta_path.remove(self)  # type: ignore[arg-type]
        spec = importlib.util.find_spec(name)
        loader = None if spec is None else spec.loader
        if loader is None:
            return spec
        plain = loader.exec_module

        def exec_module(module: Any) -> None:
            plain(module)
            _start()

        loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _has_mode(*modes: str) -> bool:
    wanted = os.environ.get(REQUEST, "").splitlines()
    return any(f"mode={mode}" in wanted for mode in modes)


def watch() -> None:
    """Starts once PyTorch is imported, in a program whose kernels are profiled."""
    if not _has_mode("kernels", "totals", "trace"):
        return
    if "torch" in sys.modules:
        _start()
    else:
        sys.meta_path.insert(0, _AfterTorch())  # type: ignore[arg-type]
