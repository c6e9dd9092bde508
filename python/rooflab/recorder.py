"""Recording a step of a PyTorch program.

    recording = rooflab.record(step, images, labels)

    with rooflab.record("step.rec.jsonl.gz") as recorder:
        step(images, labels)
    recording = recorder.recording
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable, Mapping, Optional, Union

import torch

from . import _torch
from ._assumptions import Answering, Assumptions
from ._batch import check_batch_of_inputs, checked_batch
from ._imitation import Imitated, imitation_of
from ._lines import Lines
from ._places import place_of
from ._session import Session
from .errors import RecordingError
from .recording import Recording

_running: Optional[Recorder] = None
_NO_GPU = re.compile(
    "Torch not compiled with CUDA|Found no NVIDIA driver|No CUDA GPUs are available")


class Recorder:
    """Records what runs within `with Recorder(...)`. As a decorator, it records one call.

    `to`: the file; None for a temporary file that lives as long as the recording's object.
    `name`, `batch`: what the recording is called, and the samples of a step; by default the class
    of the first module that is called, and the first extent of its first tensor.
    `context`: the tokens in the cache before the step, or those of a prefill. With recordings in
    other batches and contexts `rooflab predict` and `fit` find the sizes between them.
    `compress`: by default, whether the file's name ends in `.gz`.
    `assume`: answers to questions for values of tensors on `meta`, such as {"item": 1}. A function
    in place of a number gets the place that asks: `model.py:12 in forward`.
    `cache`: tensors that are a cache of keys and values, in lists and dictionaries, or a function
    that gives them, which is asked before and behind the step. Caches of transformers are found
    without it.
    `imitate`: tensors on the CPU and on `meta` run the operations that they would run on a CUDA
    device. True: one of compute capability 9.0; or a device of `rooflab devices`, or a capability
    such as "8.0" or (8, 0). False records what the CPU or `meta` runs.

    Raises Error for a `batch` other than a whole number of 1 or more, RecordingError if a recording
    is running already. If the step raises an error, the file is removed, and the error goes on.
    """

    def __init__(self, to: Union[str, os.PathLike, None] = None, *, name: Optional[str] = None,
                 batch: Optional[int] = None, context: Optional[int] = None,
                 compress: Optional[bool] = None, assume: Optional[Mapping[str, Any]] = None,
                 cache: Any = None, imitate: Imitated = True) -> None:
        self._to = None if to is None else Path(to)
        self._name = name
        self._batch = checked_batch(batch)
        self._context = context
        self._compress = self._to is None or self._to.suffix == ".gz"
        if compress is not None:
            self._compress = compress
        self._assume = assume
        self._cache = cache
        self._imitation = imitation_of(imitate)
        self._warmup = 1
        self.tell: Optional[Callable[[int], None]] = None
        """Gets the number of each operation before it runs, and -1 behind it. The operations have
        these numbers (`call`) in the file, and what fails in the recording does not raise."""
        self._session: Optional[Session] = None
        self._recording: Optional[Recording] = None

    @property
    def recording(self) -> Recording:
        """What was recorded. Raises RecordingError before the end of the `with` block."""
        if self._recording is None:
            raise RecordingError("the step is not recorded yet", "leave the `with` block first")
        return self._recording

    @property
    def failure(self) -> Optional[Exception]:
        """What failed in the recording that runs with `tell`."""
        return None if self._session is None else self._session.operations.failure

    def is_innermost(self) -> bool:
        """Whether no other mode of the dispatcher was entered since, so that this one can end."""
        assert self._session is not None
        return _torch.innermost_mode(self._session.operations) is self._session.operations

    def __enter__(self) -> Recorder:
        global _running
        if _running is not None:
            raise RecordingError("a recording is running already",
                                 "end it before the next begins")
        lines = Lines(self._to, self._compress)
        try:
            self._session = Session(lines, self._name, self._batch, self._assume,
                                    context=self._context, cache=self._cache,
                                    imitation=self._imitation, tell=self.tell)
            self._session.begin()
        except BaseException:
            lines.drop()
            raise
        self._recording = None
        _running = self
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        global _running
        session, self._session = self._session, None
        assert session is not None
        _running = None
        try:
            session.end(kind is None)
            if kind is None and not (session.operations.count or session.gaps.as_dicts()):
                raise RecordingError(
                    "the step ran no operation of PyTorch that can be recorded",
                    "threads of the step are not recorded, and a FakeTensorMode must surround the "
                    "recording")
            if kind is None:
                self._recording = Recording(
                    session.lines.finish(), name=session.name, batch=session.batch,
                    ops=session.operations.count, gaps=session.gaps.as_dicts(),
                    assumptions=session.assumed.as_dicts(), context=session.context,
                    folder=session.lines.folder)
        finally:
            self._close()
            session.lines.drop()  # the file is gone already unless something failed
        _explain(error)

    @contextlib.contextmanager
    def warming(self) -> Iterator[None]:
        """Around steps before the recorded one, which make the same choices."""
        if _running is not None:
            raise RecordingError("a recording is running already",
                                 "end it before the next begins")
        try:
            with contextlib.ExitStack() as stack:
                if self._imitation is not None:
                    stack.enter_context(
                        self._imitation.warm_up(Assumptions(self._assume, lambda *_: None)))
                elif self._assume:
                    stack.enter_context(Answering(self._assume))
                yield
        except BaseException as error:
            self._close()
            _explain(error)
            raise

    def _close(self) -> None:
        if self._imitation is not None:
            self._imitation.close()

    def output(self, result: Any) -> None:
        """Notes what the step gave back: `result` may hold tensors in lists and dictionaries."""
        if self._session is None:
            raise RecordingError("no recording is running", "call output() within the `with` block")
        self._session.output(result)

    def cache(self, value: Any) -> None:
        """Notes that the tensors in `value` are a cache of keys and values."""
        if self._session is None:
            raise RecordingError("no recording is running", "call cache() within the `with` block")
        self._session.cache(value)

    def __call__(self, function: Callable) -> Callable:
        """Decorator: after the calls for warm-up it records one call; later calls run plainly."""
        calls = 0

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls <= self._warmup:
                with self.warming():
                    return function(*args, **kwargs)
            if calls != self._warmup + 1:
                return function(*args, **kwargs)
            with self:
                result = function(*args, **kwargs)
                self.output(result)
            return result

        return wrapper


def _explain(error: Optional[BaseException]) -> None:
    """Raises RecordingError for a step that needs a GPU on a machine without one."""
    if (isinstance(error, (AssertionError, RuntimeError)) and not torch.cuda.is_available()
            and _NO_GPU.search(str(error))):
        raise RecordingError(
            f"{place_of(error)}: the step puts tensors on 'cuda', and this machine has no GPU for "
            "PyTorch", "put model and inputs on 'meta' (or 'cpu'): they are recorded as on a GPU"
        ) from error


def record(step: Union[Callable, str, os.PathLike, None] = None, *args: Any,
           to: Union[str, os.PathLike, None] = None, name: Optional[str] = None,
           batch: Optional[int] = None, context: Optional[int] = None,
           compress: Optional[bool] = None, assume: Optional[Mapping[str, Any]] = None,
           cache: Any = None, warmup: int = 1, imitate: Imitated = True,
           **kwargs: Any) -> Any:
    """Records one call of `step(*args, **kwargs)`, after `warmup` calls without a recording.

    Returns the Recording. With a file's name (or None) in place of a function, returns a Recorder,
    for `with rooflab.record("step.rec.jsonl.gz") as recorder:`, or as a decorator, which records
    the first call after `warmup` calls. The other arguments are those of Recorder. Raises Error for a
    `batch` that the tensors among the arguments cannot have.
    """
    is_file = step is None or isinstance(step, (str, os.PathLike))
    if is_file and (args or kwargs):
        raise TypeError("record: arguments for the step were given, but no function to call.")
    if not is_file and not callable(step):
        raise TypeError(f"record: the step must be a function or a file's name, not {step!r}.")
    target = step if is_file and to is None else to
    recorder = Recorder(target, name=name, batch=batch, context=context, compress=compress,
                        assume=assume, cache=cache, imitate=imitate)
    recorder._warmup = warmup
    if is_file:
        return recorder
    check_batch_of_inputs(batch, [*args, *kwargs.values()])
    with recorder.warming():
        for _ in range(warmup):
            step(*args, **kwargs)
    with recorder:
        result = step(*args, **kwargs)
        recorder.output(result)
    del result  # not earlier: the result outlives the step
    return recorder.recording
