"""What the program is given as MODEL: a name, a file, or the recording of a step."""
from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rooflab._batch import check_batch_of_inputs
from rooflab._program import Answer, ask, run
from rooflab._cuda.target import Target, targets_of
from rooflab._temporary_folder import TemporaryFolder
from rooflab.errors import Error
from rooflab._steps import Step


def is_module(value: Any) -> bool:
    """A torch.nn.Module. PyTorch is not imported for this: who has a module has imported it."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.nn.Module)


def is_recording(value: Any) -> bool:
    """A rooflab.Recording, whose module is imported where there is one."""
    module = sys.modules.get("rooflab.recording")
    return module is not None and isinstance(value, module.Recording)


def step_flags(*, batch: int | None, phase: str | None, precision: str | None,
               optimizer: str | None) -> list[str]:
    """The program's flags for the step of a built-in network or an ONNX file."""
    given = {"--batch": batch, "--phase": phase, "--precision": precision, "--optimizer": optimizer}
    return [text for flag, value in given.items() if value is not None
            for text in (flag, str(value))]


class Source:
    """`argument` and `flags` are for the command line. The file of a temporary recording lasts as
    long as the recording's object. `footer` is printed below the program's text."""

    def __init__(self, argument: str, flags: Sequence[str] = (), recording: Any = None,
                 notes: Sequence[str] = ()):
        self.argument = argument
        self.flags = list(flags)
        self.recording = recording
        self.notes = list(notes)
        self.footer = ""

    def ask(self, words: Sequence[str]) -> Answer:
        """Runs a command of the program, whose answer has the step's name for a temporary file."""
        answer = self._shown(lambda: ask(words))
        return Answer(self._named(answer.data), self._with_footer(answer.text))

    def run(self, words: Sequence[str]) -> str:
        """The same for a command of which only the text is wanted."""
        return self._with_footer(self._shown(lambda: run(words)))

    def _with_footer(self, text: str) -> str:
        return self._named(text) + (f"\n{self.footer}\n" if self.footer else "")

    def _shown(self, command: Callable[[], Any]) -> Any:
        try:
            return command()
        except Error as error:
            raise Error(self._named(error.message), self._named(error.hint),
                        error.exit_code) from None

    def _named(self, value: Any) -> Any:
        if not getattr(self.recording, "temporary", False):
            return value
        if isinstance(value, str):
            return value.replace(self.argument, self.title("the recording"))
        if isinstance(value, dict):
            return {key: self._named(item) for key, item in value.items()}
        return [self._named(item) for item in value] if isinstance(value, list) else value

    def title(self, model: str) -> str:
        """The recording's name, where there is one, in place of its file."""
        return getattr(self.recording, "name", None) or model


def source_of(model: Any, inputs: Sequence[Any] = (), keywords: Mapping[str, Any] | None = None, *,
              phase: str | None = None, optimizer: Any = None, precision: str | None = None,
              loss: Any = None, batch: int | None = None, warmup: int | None = None,
              assume: Mapping[str, Any] | None = None, devices: Sequence[str] = ()) -> Source:
    """Records one step where `model` is a torch.nn.Module or a function without arguments.

    A name of `rooflab models`, the path of an ONNX file or of a recording, and a Recording are
    passed on. `phase`, `optimizer`, `precision` and `loss` build a step (_steps.py), so they cannot
    go with a function or a recording, which are steps already. A step on the CPU or on `meta` runs
    what it would run on the first of `devices`.
    """
    keywords = keywords or {}
    if is_module(model):
        check_batch_of_inputs(batch, [*inputs, *keywords.values()])
        step = Step(model, inputs, keywords, phase=phase, optimizer=optimizer, precision=precision,
                    loss=loss, devices=devices)
        with step.settings():
            source = recorded(step, name=step.name, batch=batch, notes=step.notes, assume=assume,
                              warmup=step.warmup if warmup is None else warmup, devices=devices)
        return source
    _refuse(model, {"inputs": inputs, "further arguments": keywords, "loss": loss})
    if isinstance(model, (str, os.PathLike)):
        if not (optimizer is None or isinstance(optimizer, str)):
            raise Error(f"the optimizer of '{model}' must be a name", "see rooflab predict -h")
        return Source(os.fspath(model), step_flags(batch=batch, phase=phase, precision=precision,
                                                   optimizer=optimizer))
    _refuse(model, {"phase": phase, "optimizer": optimizer, "precision": precision})
    if is_recording(model):
        return Source(os.fspath(model.path), recording=model)
    if not callable(model):
        raise Error(f"a {type(model).__name__} cannot be recorded",
                    "give a torch.nn.Module with its inputs, a function that runs one step, a "
                    "recording, a name of rooflab models, or the path of an ONNX file")
    return recorded(model, batch=batch, assume=assume, warmup=1 if warmup is None else warmup,
                    devices=devices)


def _refuse(model: Any, given: Mapping[str, Any]) -> None:
    """Raises Error for arguments that only a module can have."""
    for name, value in given.items():
        if value is not None and not (hasattr(value, "__len__") and len(value) == 0):
            kind = f"'{model}'" if isinstance(model, (str, os.PathLike)) else type(model).__name__
            raise Error(f"{name} cannot be given with {kind}, which is a whole step already",
                        "give a torch.nn.Module to have a step built, or put it into the step")


def recorded(step: Any, *, name: str | None = None, batch: int | None = None, warmup: int = 1,
             assume: Mapping[str, Any] | None = None, notes: Sequence[str] = (),
             devices: Sequence[str] = (), **more: Any) -> Source:
    """Records a step into a temporary folder, which lasts as long as the recording's object.

    `more`: further arguments of `rooflab.record`.
    """
    from rooflab import recorder

    targets = targets_of(devices)
    folder = TemporaryFolder("recording")
    stem = re.sub(r"\W+", "_", name or getattr(step, "__name__", "") or "step")
    recording = recorder.record(step, to=folder.path / f"{stem}.rec.jsonl", name=name, batch=batch,
                                warmup=warmup, assume=assume,
                                imitate=targets[0] if targets else True, **more)
    recording.own(folder)
    return Source(os.fspath(recording.path), recording=recording,
                  notes=[*notes, *_note_of_targets(recording, targets)])


def _note_of_targets(recording: Any, targets: Sequence[Target]) -> list[str]:
    """Says for which of devices with different capabilities the step was recorded."""
    others = [str(one.device) for one in targets if one.capability != targets[0].capability]
    if not others or not getattr(recording, "imitates", None):
        return []
    return [f"the step was recorded as on {targets[0].device}: {', '.join(others)} may run other "
            "kernels"]
