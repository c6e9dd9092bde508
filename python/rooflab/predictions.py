"""`rooflab.predict`: time, memory and verdict of a step on devices that need not be here."""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Union

from rooflab._program import Answer
from rooflab.errors import Error
from rooflab._fields import Fields, wrap
from rooflab._result import Result, texts_of
from rooflab._source import Source, source_of


class _Request:
    """The command line of a prediction, which `explain` uses a second time."""

    def __init__(self, source: Source, flags: Sequence[str], options: Sequence[str]):
        self.source = source
        self._words = ["predict", source.argument, *source.flags, *flags, *options]

    def ask(self, device: str) -> Answer:
        return self.source.ask([*self._words, "--device", device])

    def text(self, device: str, *more: str) -> str:
        return self.source.run([*self._words, "--device", device, *more])


class Prediction(Result):
    """A step on one device: docs/formats/predict.md has the figures. Times are in seconds."""

    def __init__(self, case: dict[str, Any], text: str | None, request: _Request, *,
                 findings: Sequence[Mapping[str, Any]] = (), gpus: int | None = None):
        super().__init__(case, text or "")
        self._request = request
        self.model: str = request.source.title(case["model"])
        self.device: str = case["device"]
        self.batch: int | None = case["batch"]
        self.context: int | None = case.get("context")
        """Tokens before the step; None where the recording does not say it."""
        self.phase: str | None = case["phase"]
        self.precision: str | None = case["precision"]
        self.gpus = gpus
        """Devices of a data-parallel step; None without `gpus=`."""
        prediction = case.get("prediction") or {}
        self.notes: list[str] = [*request.source.notes,
                                 *texts_of([*case["notes"], *prediction.get("notes", [])])]
        self.findings: list[Fields] = wrap(list(findings))
        """What costs time, and what to try."""

    @property
    def recording(self) -> Any | None:
        """The Recording that was predicted; None for a name or a path."""
        return self._request.source.recording

    @property
    def time(self) -> float | None:
        """Expected time of a step; None without a calibration that fits."""
        return self._data["predicted_s"]

    @property
    def low(self) -> float | None:
        """Low end of the interval that holds nine in ten times."""
        return self._data["predicted_low_s"]

    @property
    def high(self) -> float | None:
        """High end of that interval."""
        return self._data["predicted_high_s"]

    @property
    def limit(self) -> float | None:
        """Each operation at the device's roofline, summed: a bound. None with `gpus=`."""
        return self._data.get("limit_s")

    @property
    def bound(self) -> str | None:
        """What limits: "compute" or "memory"."""
        return self._data.get("bound")

    @property
    def samples_per_s(self) -> float | None:
        return self._data["samples_per_s"]

    @property
    def issued_by(self) -> str | None:
        """Whose launches are in the time: "pytorch", "rooflab", "graph"; None where none are."""
        return self._data.get("issued_by") or None

    @property
    def verdict(self) -> str | None:
        """Memory: "fits", "likely", "risky" or "oom"; None where the device's memory is not known,
        or ops of unknown memory are not counted (`notes`)."""
        return self._data.get("verdict")

    @property
    def fits(self) -> bool:
        """The verdict is "fits": in the worst case a tenth of the memory stays free.

        Raises Error without a verdict.
        """
        if self.verdict is None:
            raise Error(f"no verdict for {self.device}: its memory is not known, or ops are not "
                        "counted", "the notes name the ops; memory.most_total_bytes is that of all "
                        "others")
        return self.verdict == "fits"

    @property
    def memory(self) -> Fields:
        """`allocated_peak_bytes`, `reserved_peak_bytes`, `total_bytes`, `parameter_bytes`, ..."""
        return Fields(self._data["memory"])

    @property
    def device_memory_bytes(self) -> int | None:
        """Memory of the device; None with `gpus=` and where it is not known."""
        return self._data.get("device_memory_bytes")

    @property
    def peak_memory_bytes(self) -> int:
        """Most bytes that tensors and workspaces held at once."""
        return self._data["memory"]["allocated_peak_bytes"]

    @property
    def flops(self) -> int | None:
        """FLOPs of the step; None with `gpus=`."""
        return self._data.get("flop")

    @property
    def matrix_flops(self) -> int | None:
        """FLOPs of convolutions, products, attention and recurrent layers; None with `gpus=`."""
        return self._data.get("matrix_flop")

    @property
    def arithmetic_path(self) -> str | None:
        """Input and accumulate type of most matrix work (docs/formats/device.md)."""
        return self._data.get("arithmetic_path")

    @property
    def coverage(self) -> float | None:
        """Share of the operations that have a rule, from 0 to 1."""
        return self._data.get("coverage_share")

    @property
    def uncounted(self) -> list[Fields]:
        """Operations without a rule: `op`, `count`."""
        return wrap(self._data.get("uncounted", []))

    @property
    def layers(self) -> list[Fields]:
        """Times by layer."""
        return wrap(self._data.get("layers", []))

    @property
    def sources(self) -> list[Fields]:
        """Whose measurements the operations' times come from, most first: `device`, `origin` (who
        published them; empty for our own), `source`, `time_s`, `time_share` of all operations."""
        kinds = (self._data.get("prediction") or {}).get("kinds", [])
        total = sum(kind["time_s"] for kind in kinds)
        times: dict[tuple[str, str, str], float] = {}
        for kind in kinds:
            key = (kind["device"], kind["origin"], kind["evidence"])
            times[key] = times.get(key, 0.0) + kind["time_s"]
        return wrap([{"device": device, "origin": origin, "source": source, "time_s": time,
                      "time_share": time / total if total else None}
                     for (device, origin, source), time
                     in sorted(times.items(), key=lambda item: -item[1])])

    def explain(self) -> str:
        """The text of `rooflab predict --explain`: the time by kind of operation, with sources."""
        return self._request.text(self.device, "--explain")

    def __str__(self) -> str:
        """The program's table; of one of several devices it is asked for now."""
        if not self._text:
            self._text = self._request.text(self.device)
        return self._text

    def rows(self) -> list[Mapping[str, Any]]:
        plain = {key: value for key, value in self._data.items()
                 if not isinstance(value, (dict, list))}
        return [{**plain, **self._data["memory"]}]

    def figures(self) -> dict[str, float]:
        return {"time": self.time, "flops": self.flops, "peak_memory_bytes": self.peak_memory_bytes,
                "total_bytes": self.memory.total_bytes}

    def __repr__(self) -> str:
        time = "no time" if self.time is None else f"{self.time:.4g} s"
        return f"<rooflab.Prediction of {self.model} on {self.device}: {time}, {self.verdict}>"


class Predictions(Result):
    """A step on several devices, or on several numbers of one. Iterates over Prediction.

    `predictions["t4"]` takes a device's id or the name that was asked for; with `gpus=`
    `predictions["t4", 2]`. A number is a place in the list.
    """

    def __init__(self, data: dict[str, Any], text: str, items: Sequence[Prediction],
                 asked: Sequence[str]):
        super().__init__(data, text)
        self._items = list(items)
        ids = list(dict.fromkeys(item.device for item in items))
        self._id_of = dict(zip(asked, ids)) if len(asked) == len(ids) else {}
        self.notes: list[str] = list(dict.fromkeys(note for item in items for note in item.notes))

    def __iter__(self) -> Iterator[Prediction]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, key: Union[int, str, tuple[str, int]]) -> Prediction:
        if isinstance(key, int):
            return self._items[key]
        device, gpus = key if isinstance(key, tuple) else (key, None)
        device = self._id_of.get(device, device)
        found = [item for item in self._items
                 if item.device == device and (gpus is None or item.gpus == gpus)]
        if len(found) != 1:
            known = [(item.device, item.gpus) if item.gpus else item.device for item in self._items]
            raise KeyError(f"{key!r} names {len(found)} of {known}")
        return found[0]

    def rows(self) -> list[Mapping[str, Any]]:
        return [row for item in self._items for row in item.rows()]

    def __repr__(self) -> str:
        return f"<rooflab.Predictions: {', '.join(map(repr, self._items))}>"


def device_list(device: Union[str, Sequence[str]]) -> list[str]:
    """One device or several, in a list or with commas, as a list of names."""
    names = device.split(",") if isinstance(device, str) else list(device)
    if not names or not all(names):
        raise Error("device= names no device", "device='t4', or device=['t4', 'h200']")
    return names


def predict(model: Any, *inputs: Any, device: Union[str, Sequence[str]], phase: str | None = None,
            optimizer: Any = None, precision: str | None = None,
            gpus: Union[int, Sequence[int], None] = None, batch: int | None = None,
            loss: Any = None, warmup: int | None = None, assume: Mapping[str, Any] | None = None,
            issued_by: str | None = None, options: Sequence[str] = (), **kwargs: Any
            ) -> Union[Prediction, Predictions]:
    """Predicts one step of a model on a device: `rooflab.predict(step, device="t4").fits`.

    `model`, `inputs`, `phase`, `optimizer`, `precision`, `batch`, `loss`, `warmup`, `assume` and
    `kwargs` are those of `summary`. Of a function without arguments the step before the recorded
    one is left out (`warmup=1`), in which an optimizer makes its state. `precision="amp"` is bf16,
    and fp16 where a device does not compute bf16.
    `device`: a name of `rooflab devices`, or several. `gpus`: a number of devices, or several, for
    data-parallel training. `issued_by`: whose launches are in the time: "pytorch", "rooflab",
    "graph" for a CUDA graph that is replayed, "none". `options`: further flags of `rooflab predict`.

    Gives back a Prediction, or Predictions for several devices or numbers. Raises rooflab.Error,
    and rooflab.RecordingError where the step cannot be recorded.
    """
    devices = device_list(device)
    source = source_of(model, inputs, kwargs, phase=phase, optimizer=optimizer, precision=precision,
                       loss=loss, batch=batch, warmup=warmup, assume=assume, devices=devices)
    issuer = ["--issued-by", issued_by] if issued_by else []
    return predict_source(source, devices, gpus=gpus, options=[*issuer, *options])


def predict_source(source: Source, devices: Sequence[str], *,
                   gpus: Union[int, Sequence[int], None] = None,
                   options: Sequence[str] = ()) -> Union[Prediction, Predictions]:
    """Predicts what was recorded already, or needs no recording."""
    counts = [] if gpus is None else [gpus] if isinstance(gpus, int) else list(gpus)
    flags = ["--gpus", ",".join(map(str, counts))] if counts else []
    request = _Request(source, flags, options)
    answer = request.ask(",".join(devices))
    items = _items(answer, request)
    if len(items) == 1:
        return items[0]
    return Predictions(answer.data, answer.text, items, devices)


def _items(answer: Answer, request: _Request) -> list[Prediction]:
    """A Prediction for each case, or for each row of each series."""
    if "series" in answer.data:
        rows = [({**series, **row["prediction"], "batch": row["global_batch"],
                  "notes": [*series["notes"], *answer.data["notes"]]}, row["device_count"])
                for series in answer.data["series"] for row in series["rows"]]
    else:
        rows = [(case, None) for case in answer.data["cases"]]
    findings = answer.data.get("findings", [])
    devices = {case["device"] for case, _ in rows}
    return [Prediction(case, answer.text if len(rows) == 1 else None, request, gpus=gpus,
                       findings=[finding for finding in findings if len(devices) == 1
                                 or f" on {case['device']}," in finding["subject"] + ","])
            for case, gpus in rows]
