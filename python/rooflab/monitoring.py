"""`rooflab.monitor`: power, energy and utilisation of the GPUs while a block of code runs."""
from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Union

from rooflab._program import error_of, find, run
from rooflab._temporary_folder import TemporaryFolder
from rooflab.errors import Error
from rooflab._fields import Fields, wrap
from rooflab._result import Result

ENDS_WITHIN_S = 20.0


class Monitored(Result):
    """What the GPUs did: a record of `rooflab monitor` (docs/formats/record.md)."""

    @property
    def gpus(self) -> list[Fields]:
        """A series for each GPU: `device`, `name`, `samples`."""
        return wrap(self._data["sample_series"])

    def samples(self, gpu: int = 0) -> list[Fields]:
        """Samples of one GPU, by its place in `gpus`."""
        return self.gpus[gpu].samples

    def _of(self, key: str, gpu: int) -> list[float]:
        return [sample[key] for sample in self.samples(gpu) if sample.get(key) is not None]

    def energy_j(self, gpu: int = 0) -> float | None:
        """Energy in joules by the GPU's own counter; None where it has none."""
        readings = self._of("energy_counter_j", gpu)
        return readings[-1] - readings[0] if len(readings) > 1 else None

    def power_w(self, gpu: int = 0) -> float | None:
        """Mean power in watts over the samples."""
        readings = self._of("power_w", gpu)
        return sum(readings) / len(readings) if readings else None

    def utilisation(self, gpu: int = 0) -> float | None:
        """Mean share of time in which at least one kernel ran, from 0 to 1."""
        readings = self._of("core_utilization_share", gpu)
        return sum(readings) / len(readings) if readings else None

    def memory_bytes(self, gpu: int = 0) -> float | None:
        """Most memory of the GPU that all programs together held."""
        return max(self._of("memory_used_bytes", gpu), default=None)

    def rows(self) -> list[Mapping[str, Any]]:
        return [{"device": gpu.device, **sample} for gpu in self.gpus for sample in gpu.samples]

    def __repr__(self) -> str:
        return f"<rooflab.Monitored: {len(self.gpus)} GPUs, {len(self.rows())} samples>"


class Monitor:
    """`with rooflab.monitor() as monitor: ...`; afterwards `monitor.result` is a Monitored.

    A process of `rooflab monitor` samples the GPUs until the block ends. It also ends when this
    process does, however that happens.
    """

    def __init__(self, *, device: Union[str, int, None] = None, period: float | None = None,
                 options: Sequence[str] = ()):
        self._flags = [text for flag, value in (("--device", device), ("--period", period))
                       if value is not None for text in (flag, str(value))]
        self._options = list(options)
        self.result: Monitored | None = None

    def __enter__(self) -> Monitor:
        # Nothing is watched without a GPU: the error of `monitor` without a command says so.
        run(["monitor", "--duration", "0.001", "--quiet", *self._flags])
        self._folder = TemporaryFolder("monitor")
        self._file = self._folder.path / "monitor.json"
        # The command is `cat`: it ends when the pipe from this process is closed.
        self._process = subprocess.Popen(
            [find(), "monitor", "--quiet", "-o", str(self._file), *self._flags, *self._options,
             "--", "cat"],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            encoding="utf-8", errors="replace", start_new_session=True)
        return self

    def __exit__(self, *_exception: Any) -> None:
        try:
            stderr = self._ended()
            if not self._file.is_file():
                raise error_of(stderr, self._process.returncode)
            data = json.loads(self._file.read_text(encoding="utf-8"))
            # `cat` is not what was watched, so its own series is left out.
            data["sample_series"] = [series for series in data["sample_series"]
                                     if series["device"].startswith("cuda")]
            self._file.write_text(json.dumps(data), encoding="utf-8")
            self.result = Monitored(data, run(["monitor", "--from", str(self._file)]))
        finally:
            self._folder.close()

    def _ended(self) -> str:
        """Ends the recording: closes the pipe, and signals where a child holds it open, too."""
        try:
            return self._process.communicate(timeout=ENDS_WITHIN_S / 10)[1]
        except subprocess.TimeoutExpired:
            self._process.send_signal(signal.SIGTERM)
        try:
            return self._process.communicate(timeout=ENDS_WITHIN_S)[1]
        except subprocess.TimeoutExpired as error:
            self._process.kill()
            raise Error("rooflab monitor did not end, and was killed") from error


def monitor(*, device: Union[str, int, None] = None, period: float | None = None,
            options: Sequence[str] = ()) -> Monitor:
    """Records the GPUs while a block runs.

        with rooflab.monitor() as monitor:
            train()
        print(monitor.result.energy_j(), "J")

    `device`: GPUs by number ("0,2"), "all" (default). `period`: seconds between samples (0.1).
    `options`: further flags of `rooflab monitor`. Raises rooflab.Error without an NVIDIA driver.
    """
    return Monitor(device=device, period=period, options=options)
