"""Asks the program, or the Python package, about a made input; each thing once."""

import functools
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tools/made")]

DEVICE = "h200"


class Refused(Exception):
    """The program gives an error; the text is its first line."""


def asked(program, *words):
    """The JSON that a command prints."""
    done = subprocess.run(
        [program, *map(str, words), "--format", "json"],
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        check=False,
    )
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"exit {done.returncode} without a word"]
        raise Refused(lines[0].removeprefix("rooflab: error: "))
    return json.loads(done.stdout)


def traces(program, files):
    """What `import` says of the files, which are a job where there are several."""
    result = asked(program, "import", *files)
    return result.get("imports", [result])


class OnnxFile:
    """An ONNX file; `sizes` are those of its named dimensions."""

    def __init__(self, program, path, sizes):
        self.program, self.path = program, path
        self.words = [word for name, size in sizes.items() for word in ("--dim", f"{name}={size}")]

    @functools.cached_property
    def summary(self):
        return asked(self.program, "summary", self.path, *self.words)

    @functools.cached_property
    def predict(self):
        return asked(self.program, "predict", self.path, "--device", DEVICE, *self.words)


class Folder:
    """A folder with a configuration and weights."""

    def __init__(self, program, path, step):
        self.program, self.path = program, path
        self.batch, self.tokens = map(int, step.split("x")) if step else (1, 1)

    @functools.cached_property
    def weights(self):
        from rooflab.errors import Error
        from rooflab.weights import weights_in

        config = self.path / "config.json"
        said = (
            json.loads(config.read_text()).get("quantization_config") if config.exists() else None
        )
        try:
            found = weights_in(ROOT / self.path, said)
        except Error as error:
            raise Refused(str(error).splitlines()[0]) from error
        if found is None:
            raise Refused("weights_in finds no files")
        return found

    @functools.cached_property
    def summary(self):
        return asked(self.program, "summary", self.path)

    @functools.cached_property
    def model(self):
        import rooflab

        try:
            return rooflab.from_config(ROOT / self.path)
        except rooflab.Error as error:
            raise Refused(str(error).splitlines()[0].replace(f"{ROOT}/", "")) from error

    def _step(self, ask):
        import rooflab

        try:
            return ask(
                self.model,
                phase="inference",
                batch=self.batch,
                tokens=self.tokens,
                **({"context": self.tokens} if self.model.model.config.is_encoder_decoder else {}),
            )
        except rooflab.Error as error:
            raise Refused(str(error).splitlines()[0]) from error

    @functools.cached_property
    def step_summary(self):
        return self._step(lambda model, **step: model.summary(**step)).to_dict()

    @functools.cached_property
    def step_predict(self):
        found = self._step(lambda model, **step: model.predict(DEVICE, **step))
        return {"cases": [{"predicted_s": found.time, "coverage_share": found.coverage}]}
