"""A case: what is asked of the program. `draws` draws cases; it does not know the laws."""

from typing import NamedTuple

NETWORK, LAYER, ONNX, RECORDING = "network", "layer", "onnx", "recording"
TRACE, LOG = "trace", "log"
PREDICTED = (NETWORK, LAYER, ONNX, RECORDING)
READ = (TRACE, LOG)
KINDS = PREDICTED + READ


class Case(NamedTuple):
    """An input of one kind, and the flags of the question.

    `truth` holds what the one who wrote the input knows of it; the program does not see it.
    """

    kind: str
    models: tuple
    flags: dict
    truth: dict = {}

    @property
    def device(self):
        return self.flags["--device"]

    def words(self, command, **changed):
        """The words of a command; `changed` flags, by their names with _ for -, None leaves out."""
        flags = dict(self.flags)
        flags.update({"--" + key.replace("_", "-"): value for key, value in changed.items()})
        words = [command, *self.models]
        for name, value in flags.items():
            if value is None or value is False:
                continue
            words += [name] if value is True else [name, str(value)]
        return words
