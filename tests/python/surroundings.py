"""What the tests of the package need around them: folders, PyTorch, stand-ins.

A stand-in recorder runs the step as the real one does, keeps what it saw, and writes a file with
the words of a built-in network's command line. A stand-in program puts these words in place of the
file, and then is the real program.
"""
import contextlib
import os
import stat
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

from rooflab import _program

CHECKOUT = Path(__file__).resolve().parents[2]
STANDS_FOR = "resnet18 --batch 8 --phase training"

PROGRAM = """#!{python}
import os, sys
with open({log!r}, "a") as log:
    log.write(" ".join(sys.argv[1:]) + "\\n")
words = []
for word in sys.argv[1:]:
    words += open(word).read().split() if word.endswith(".rec.jsonl") else [word]
os.execv({program!r}, [{program!r}, *words])
"""


def torch_or_skip():
    try:
        import torch
    except ImportError:
        raise unittest.SkipTest(f"{sys.executable} has no torch (apt-get install python3-torch)")
    return torch


class Environment(unittest.TestCase):
    """A test with a separate folder, whose changes to the environment are undone."""

    def setUp(self):
        self.folder = Path(self.enter(tempfile.TemporaryDirectory()))
        self.enter(mock.patch.dict(os.environ))

    def enter(self, context):
        value = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        return value

    def executable(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path


class StandIn(Environment):
    """`self.recorded` holds what the stand-in recorder saw, `self.starts()` the command lines."""

    def setUp(self):
        super().setUp()
        self.log = self.folder / "starts"
        self.log.touch()
        program = self.executable("rooflab", PROGRAM.format(
            python=sys.executable, log=str(self.log), program=_program.find()))
        os.environ["ROOFLAB"] = str(program)
        self.recorded = []
        self.enter(modules_of_the_package(stand_in_modules(self.recorded)))

    def starts(self):
        return [line for line in self.log.read_text().splitlines()
                if not line.startswith("devices ")]  # questions for a device's capability


@contextlib.contextmanager
def modules_of_the_package(modules):
    """Modules in the place of the package's own; behind it the package's are those of before.

    What else was imported meanwhile stays: parts of PyTorch cannot be imported twice.
    """
    before = {name: module for name, module in sys.modules.items()
              if name.partition(".")[0] == "rooflab"}
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == "rooflab"]:
            del sys.modules[name]
        sys.modules.update(before)


def stand_in_modules(seen):
    """rooflab.recorder and rooflab.recording as the package uses them."""
    class RecordingError(Exception):
        pass

    class Recording:
        def __init__(self, path, name, batch):
            self.path, self.name, self.batch = path, name, batch
            self.temporary = False

        def own(self, folder):
            self.temporary, self.folder = True, folder

        def save(self, path):
            Path(path).write_text(STANDS_FOR)

    class Recorder:
        def __init__(self, to=None, *, name=None, batch=None, compress=None, assume=None,
                     imitate=True):
            self.to, self.name, self.batch = to, name, batch
            self.recording = None

        def __enter__(self):
            seen.append({"name": self.name, "batch": self.batch, **process_state()})
            return self

        def __exit__(self, kind, error, trace):
            seen[-1]["exit"] = kind
            if self.to is None:
                self.folder = tempfile.TemporaryDirectory()
                self.to = Path(self.folder.name) / "step.rec.jsonl"
            self.recording = Recording(self.to, self.name, self.batch)
            self.recording.save(self.to)

    def record(step, *args, to=None, name=None, batch=None, compress=None, assume=None, warmup=1,
               imitate=True, **kwargs):
        for _ in range(warmup):
            step(*args, **kwargs)
        with Recorder(to, name=name, batch=batch) as recorder:
            seen[-1].update(warmup=warmup, imitate=imitate, step=step, result=step(*args, **kwargs))
        return recorder.recording

    modules = {}
    for name, content in (("recorder", {"Recorder": Recorder, "record": record}),
                          ("recording", {"Recording": Recording,
                                         "RecordingError": RecordingError})):
        module = types.ModuleType(f"rooflab.{name}")
        module.__dict__.update(content)
        modules[f"rooflab.{name}"] = module
    return modules


def process_state():
    """What a recorder notes about the process when a step begins."""
    torch = sys.modules.get("torch")
    if torch is None:
        return {}
    return {"grad": torch.is_grad_enabled(), "tf32": (torch.backends.cuda.matmul.allow_tf32,
                                                      torch.backends.cudnn.allow_tf32)}
