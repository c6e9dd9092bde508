"""Draws cases over devices, inputs, batch, context, precision, phase, optimizer and number of devices."""

import re
from pathlib import Path

import onnx_draws
import trace_draws
from cases import KINDS, LAYER, LOG, NETWORK, ONNX, RECORDING, TRACE, Case

RECORDINGS = Path("tests/data/recordings")
_PRECISIONS = ("fp32", "fp32", "tf32", "fp16", "bf16", "amp", "fp64")
_PHASES = ("inference", "training", "forward")
_OPTIMIZERS = (None, "sgd", "adam", "none")
_ISSUED_BY = (None, None, "graph", "rooflab", "none")
_MOST_MACS = 12e9  # of a sample: larger networks only take longer


def extent(random, least, most):
    """A number between `least` and `most`: any, a power of two, or next to one."""
    low, high = least.bit_length() - 1, most.bit_length() - 1
    power = 1 << random.randint(low, high)
    drawn = random.choice((power, power + random.choice((-1, 1)), random.randint(power, 2 * power)))
    return min(max(drawn, least), most)


class Recorded:
    """The recordings of the test data in sets that span sizes: {name: {(batch, length): path}}."""

    _SIZES = re.compile(r"(?P<name>.*?)-b(?P<batch>\d+)(-[ct](?P<length>\d+))?(?P<rest>.*)\.rec\.jsonl\.gz")

    def __init__(self, root):
        self.sets = {}
        for path in sorted((root / RECORDINGS).rglob("*.rec.jsonl.gz")):
            sizes = self._SIZES.fullmatch(path.name)
            if sizes:
                key = str(path.parent.relative_to(root) / sizes["name"]) + sizes["rest"]
                size = int(sizes["batch"]), int(sizes["length"] or 0)
                self.sets.setdefault(key, {})[size] = str(path.relative_to(root))
        self.sets = {key: found for key, found in self.sets.items() if len(found) > 1}


class Draws:
    """`program` tells the models and devices that there are; drawn files go to `folder`."""

    def __init__(self, program, folder):
        self.folder = Path(folder)
        self.recorded = Recorded(Path(program.root))
        models = program.ask("models").result["models"]
        self.networks = [each for each in models if each["macs"] < _MOST_MACS]
        listed = program.ask("devices").result
        self.devices = {each["id"]: each for each in listed["devices"]}
        self.calibrated = [
            each["device"] for each in listed["calibrations"] if each["device"] in self.devices
        ]

    def draw(self, random, number, kinds=KINDS):
        """The case of that number."""
        kind = random.choice(kinds)
        return {
            NETWORK: self._network,
            LAYER: self._layer,
            ONNX: self._onnx,
            RECORDING: self._recording,
            TRACE: self._trace,
            LOG: self._log,
        }[kind](random, number)

    def _device(self, random):
        return random.choice(self.calibrated if random.random() < 0.5 else list(self.devices))

    def _flags(self, random):
        flags = {"--device": self._device(random), "--phase": random.choice(_PHASES)}
        flags["--precision"] = random.choice(_PRECISIONS)
        if flags["--phase"] == "training":
            flags["--optimizer"] = random.choice(_OPTIMIZERS)
        flags["--issued-by"] = random.choice(_ISSUED_BY)
        return flags

    def _network(self, random, _):
        network = random.choice(self.networks)
        flags = self._flags(random)
        flags["--batch"] = extent(random, 1, 512)
        flags["--channels-last"] = random.random() < 0.2
        return Case(NETWORK, (network["model"],), flags)

    def _layer(self, random, _):
        flags = self._flags(random)
        rows = extent(random, 1, 1024)
        wide, to = extent(random, 1, 4096), extent(random, 1, 4096)
        side = random.choice((7, 14, 28, 56, 112))
        channels, out = extent(random, 1, 512), extent(random, 1, 512)
        tokens, heads = extent(random, 1, 2048), random.choice((1, 4, 12, 32))
        image = f"{min(rows, 64)}x{channels}x{side}x{side}"
        flags["--layer"], flags["--input"] = random.choice(
            (
                (f"linear({wide},{to})", f"{rows}x{wide}"),
                (f"linear({wide},{to})", f"{rows}x{extent(random, 1, 64)}x{wide}"),
                (f"conv2d({channels},{out},k={random.choice((1, 3, 5))},p=1)", image),
                (f"batchnorm2d({channels})", image),
                ("maxpool2d(2)", image),
                ("relu", image),
                ("softmax", f"{rows}x{tokens}"),
                (f"layernorm({wide})", f"{rows}x{wide}"),
                ("gelu", f"{rows}x{wide}"),
                (f"attention(heads={heads})", f"{min(rows, 16)}x{min(tokens, 512)}x{3 * 64 * heads}"),
            )
        )
        return Case(LAYER, (), flags)

    def _onnx(self, random, number):
        flags = self._flags(random)
        flags["--precision"] = None  # a file has its own
        drawn = onnx_draws.draw(random, self.folder / f"drawn-{number}.onnx", extent)
        if drawn.symbol:
            flags["--batch"] = extent(random, 1, 512)
        return Case(ONNX, (drawn.path,), flags, drawn.truth)

    def _recording(self, random, _):
        name = random.choice(list(self.recorded.sets))
        found = self.recorded.sets[name]
        size = random.choice(list(found))
        flags = {"--device": self._device(random), "--issued-by": random.choice(_ISSUED_BY)}
        return Case(RECORDING, (found[size],), flags, {"set": name, "size": size})

    def _trace(self, random, number):
        return Case(TRACE, *trace_draws.trace(random, self.folder / f"drawn-{number}"))

    def _log(self, random, number):
        return Case(LOG, *trace_draws.log(random, self.folder / f"drawn-{number}"))
