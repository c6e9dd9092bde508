"""`rooflab.from_config`: a model that a configuration of transformers describes.

    llama = rooflab.from_config("Llama-3.1-8B/config.json")
    llama.predict(device="a100-sxm4-80gb,h100-sxm,b200", phase="decode", batch=16, context=4096)
"""
from __future__ import annotations

import contextlib
import os
import re
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Union

from rooflab._config_file import DTYPES, built, dtype_of, read_config, transformers_here
from rooflab._precision import autocast_to, autocast_type, precision_named, tf32_set
from rooflab._source import Source, recorded
from rooflab.errors import Error
from rooflab.predictions import Prediction, Predictions, device_list, predict_source
from rooflab.summaries import Summary, summarize_source
from rooflab.weights import Weights, weights_in

PHASES = ("prefill", "decode", "inference", "training")
CACHES = ("dynamic", "static")
# The sizes of a step that nobody named; `_DECODED` is the context of a decoder behind an encoder.
_BATCH, _TOKENS, _CONTEXT, _DECODED = 1, 512, 2048, 128
_ASSUME = {"item": 1}


class ConfiguredModel:
    """A model of transformers on `meta`, from its configuration: no weights are read.

    `name`, `file`, `model_type`, `dtype` (of its weights), `phases` that it has; `weights` is what
    the safetensors files next to the configuration hold, None without such files; `notes` say what
    is not modelled.

    Arguments of `predict`, `summary` and `record`:

    `phase`: "decode" (one token for each sequence, behind `context` tokens in the cache; default of
    models that generate), "prefill" (`tokens` of each sequence into a fresh cache), "inference"
    (one call with `tokens`, without a cache; default of all others), "training" (forward, loss,
    backward, optimizer).
    `batch`: sequences, 1 by default. `tokens`: 512 by default. `context`: 2048 by default; both less
    where the model has fewer positions. Of an encoder with a decoder `tokens` are the encoder's and
    `context` is the decoder's, 128 by default.
    `precision`: that of `rooflab.predict`; by default the weights are of the configuration's type.
    `cache`: "dynamic" (grows with each token) or "static" (has its size from the beginning).
    `optimizer`: of training, as for `rooflab.predict`. `assume`: answers for values of `meta`
    tensors; by default {"item": 1}, by which texts are neither padded nor packed. Each answer is a
    note of the result.
    """

    def __init__(self, path: Union[str, os.PathLike]) -> None:
        self.file, self._values = read_config(Path(path))
        quantisation = self._values.get("quantization_config")
        self.weights: Weights | None = weights_in(
            self.file.parent, quantisation if isinstance(quantisation, Mapping) else None)
        transformers_here()
        self.model_type: str = self._values["model_type"]
        self.name = _name_of(self.file, self._values)
        self.dtype: str = dtype_of(self._values, self.file) or self._stored_type()
        self._models: dict[str, Any] = {}
        self.notes = self._notes(quantisation)

    @property
    def model(self) -> Any:
        """The module on `meta`, with weights of the configuration's type."""
        return self._model(self.dtype)

    @property
    def phases(self) -> tuple[str, ...]:
        """The phases that the model has."""
        return PHASES if self.model.can_generate() else PHASES[2:]

    @property
    def parameters(self) -> int:
        """Parameters of the model, shared ones once."""
        return sum(value.numel() for value in self.model.parameters())

    def predict(self, device: Union[str, Sequence[str]], phase: str | None = None, *,
                batch: int = _BATCH, tokens: int | None = None, context: int | None = None,
                precision: str | None = None, cache: str = CACHES[0], optimizer: Any = None,
                issued_by: str | None = None, gpus: Union[int, Sequence[int], None] = None,
                assume: Mapping[str, Any] | None = None,
                options: Sequence[str] = ()) -> Union[Prediction, Predictions]:
        """Predicts a step on one device or several.

        `issued_by`: whose launches are in the time, as `rooflab predict --issued-by` takes it.
        `gpus`, `options`: those of `rooflab.predict`. Raises rooflab.Error.
        """
        devices = device_list(device)
        source = self._source(phase, batch, tokens, context, precision, cache, optimizer, assume,
                              devices)
        issuer = ["--issued-by", issued_by] if issued_by else []
        return predict_source(source, devices, gpus=gpus, options=[*issuer, *options])

    def summary(self, phase: str | None = None, *, batch: int = _BATCH, tokens: int | None = None,
                context: int | None = None, precision: str | None = None, cache: str = CACHES[0],
                optimizer: Any = None, depth: int | None = None,
                assume: Mapping[str, Any] | None = None, options: Sequence[str] = ()) -> Summary:
        """Counts a step: FLOPs, bytes, memory, by layer. `depth`: fold deeper modules."""
        source = self._source(phase, batch, tokens, context, precision, cache, optimizer, assume)
        return summarize_source(source, depth=depth, options=options)

    def record(self, to: Union[str, os.PathLike, None] = None, phase: str | None = None, *,
               batch: int = _BATCH, tokens: int | None = None, context: int | None = None,
               precision: str | None = None, cache: str = CACHES[0], optimizer: Any = None,
               assume: Mapping[str, Any] | None = None) -> Any:
        """The recording of a step, in the file `to`, or in a temporary one that lives as long as
        the Recording."""
        recording = self._source(phase, batch, tokens, context, precision, cache, optimizer,
                                 assume).recording
        return recording if to is None else recording.save(to)

    def record_sizes(self, folder: Union[str, os.PathLike], phase: str | None = None, *,
                     batch: int = 2, tokens: int | None = None, context: int | None = None,
                     **step: Any) -> list[Path]:
        """Records the step in two batches and in two contexts, where it has one: `rooflab predict`
        and `fit` find all sizes by them (`--recorded`).

        `batch` and `tokens` or `context` are those of the first recording; the others are as many
        again. `step`: further arguments of `record`. Gives back the files in the folder.
        """
        phase = phase or self.default_phase
        sizes = self._sizes(phase, batch, tokens, context)
        points = [(sizes["batch"], 1), (2 * sizes["batch"], 1)]
        has_context = self._context(phase, sizes) is not None
        if has_context:
            size = "context" if phase == "decode" else "tokens"
            most = self._positions()
            if most is not None and 2 * sizes[size] >= most:
                sizes[size] = max(most // 4, 1)
            points.append((sizes["batch"], 2))
        files = []
        for batch_here, times in points:
            more = {name: sizes[name] for name in self._lengths(phase)}
            if has_context:
                more[size] *= times
            file = Path(folder) / (f"{re.sub(r'[^A-Za-z0-9.]+', '_', self.name)}-{phase}-"
                                   f"b{batch_here}-{times}.rec.jsonl.gz")
            self.record(file, phase, batch=batch_here, **more, **step)
            files.append(file)
        return files

    @property
    def default_phase(self) -> str:
        """The phase of a step for which nobody names one."""
        return "decode" if "decode" in self.phases else "inference"

    def __repr__(self) -> str:
        return f"<rooflab.ConfiguredModel {self.name}: {self.model_type}, {self.dtype}>"

    # The step.

    def _model(self, dtype: str) -> Any:
        if dtype not in self._models:
            self._models[dtype] = built(self._values, dtype, self.file)
        return self._models[dtype]

    def _source(self, phase: str | None, batch: int, tokens: int | None, context: int | None,
                precision: str | None, cache: str, optimizer: Any,
                assume: Mapping[str, Any] | None, devices: Sequence[str] = ()) -> Source:
        """Records the step."""
        phase = phase or self.default_phase
        if phase not in self.phases:
            raise Error(f"{self.name} ({type(self.model).__name__}) has no phase '{phase}'",
                        f"it has {', '.join(self.phases)}", 2)
        if cache not in CACHES:
            raise Error(f"unknown cache '{cache}'", f"one of {', '.join(CACHES)}", 2)
        if cache != CACHES[0] and self.model.config.is_encoder_decoder:
            raise Error("a decoder behind an encoder has a dynamic cache here",
                        "leave cache= away", 2)
        if cache != CACHES[0] and phase not in ("prefill", "decode"):
            raise Error(f"cache={cache!r} has no effect: {phase} has no cache",
                        "leave it away, or take phase='prefill' or 'decode'", 2)
        if optimizer is not None and phase != "training":
            raise Error(f"optimizer= is part of training, and the phase is {phase}",
                        "add phase='training'", 2)
        sizes = self._sizes(phase, batch, tokens, context)
        assume = _ASSUME if assume is None else assume
        if phase == "training":
            source = self._training(sizes, precision, optimizer, assume, devices)
        else:
            source = self._inference(phase, sizes, precision, cache, assume, devices)
        source.notes += self.notes
        weights = precision_named(precision, devices).weights or self.dtype
        source.footer = self._footer(phase, sizes, cache, weights)
        return source

    def _sizes(self, phase: str, batch: int, tokens: int | None, context: int | None
               ) -> dict[str, int]:
        most = self._positions()
        paired = self.model.config.is_encoder_decoder
        used = self._lengths(phase)
        for name, given in (("tokens", tokens), ("context", context)):
            if given is not None and name not in used:
                raise Error(f"{name}={given} has no effect on {phase} of {self.name}",
                            " and ".join(f"{one}= is {text}" for one, text in used.items())
                            or "leave it away: the configuration says how large an input is", 2)
        if tokens is None:
            tokens = min(_TOKENS, most or _TOKENS)
        if context is None:
            usual = _DECODED if paired else _CONTEXT
            context = min(usual, max((most or 2 * usual) // 2, 1))
        sizes = {"batch": batch, "tokens": tokens, "context": context}
        for name, value in sizes.items():
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise Error(f"{name}={value!r} is not a whole number of 1 or more", None, 2)
        used = (context + 1 if phase == "decode" else tokens if not paired
                else 1 if phase == "prefill" else context)
        if most is not None and used > most:
            raise Error(f"{self.name} has {most} positions, the step takes {used}",
                        "fewer tokens, or a configuration with more positions", 2)
        return sizes

    def _lengths(self, phase: str) -> dict[str, str]:
        """The sizes but the batch that a step of that phase has, and what each is."""
        paired = self.model.config.is_encoder_decoder
        lengths = {}
        if phase != "decode" or paired:
            lengths["tokens"] = "the length of the encoder's text" if paired else (
                "the length of the text")
        if phase == "decode":
            lengths["context"] = "the number of tokens in the cache before"
        elif paired and phase != "prefill":
            lengths["context"] = "the length of the decoder's text"
        if self.model.main_input_name in ("pixel_values", "input_features"):
            lengths.pop("tokens", None)
        return lengths

    def _positions(self) -> int | None:
        """The longest text of the model; None where its configuration does not limit it."""
        from rooflab._generation import text_config

        config = text_config(self.model.config)
        for key in ("max_target_positions", "max_position_embeddings"):
            found = getattr(config, key, None)
            if isinstance(found, int) and found > 0:
                return found
        return None

    def _inference(self, phase: str, sizes: Mapping[str, int], precision: str | None, cache: str,
                   assume: Mapping[str, Any] | None, devices: Sequence[str]) -> Source:
        import torch
        from rooflab._config_inputs import inputs_for
        from rooflab._generation import Generation
        from rooflab._random_tensors import RandomTensors

        chosen = precision_named(precision, devices)
        dtype = chosen.weights or self.dtype
        model = self._model(dtype)
        tensors = RandomTensors(torch.device("meta"), getattr(torch, dtype))
        generation = Generation(model, tensors)
        held = None
        if phase == "inference":
            inputs = inputs_for(generation, sizes["batch"], sizes["tokens"], sizes["context"])

            @torch.no_grad()
            def run() -> Any:
                return model(**inputs)
        else:
            step = generation.step(phase, sizes["batch"], sizes["tokens"], sizes["context"], cache)
            run, held = step.run, step.cache
        cast = autocast_type(chosen, "meta")

        def whole() -> Any:
            with autocast_to(cast, "meta"):
                return run()

        with tf32_set(chosen.tf32):
            return recorded(whole, name=self._title(phase), batch=sizes["batch"], warmup=0,
                            assume=assume, cache=held, devices=devices,
                            context=self._context(phase, sizes))

    def _training(self, sizes: Mapping[str, int], precision: str | None, optimizer: Any,
                  assume: Mapping[str, Any] | None, devices: Sequence[str]) -> Source:
        import torch
        from rooflab._config_inputs import inputs_for, labels_for
        from rooflab._generation import Generation
        from rooflab._random_tensors import RandomTensors
        from rooflab._steps import Step

        tensors = RandomTensors(torch.device("meta"), getattr(torch, self.dtype))
        generation = Generation(self.model, tensors)
        inputs = inputs_for(generation, sizes["batch"], sizes["tokens"], sizes["context"])
        labels = labels_for(generation, inputs)
        if "labels" in labels:
            inputs.pop("decoder_input_ids", None)  # the model makes them of the labels
        step = Step(self.model, (), {**inputs, **labels}, phase="training", optimizer=optimizer,
                    precision=precision, devices=devices)
        notes = list(step.notes)
        if not labels:
            notes.append("the loss is the sum of the means of the model's outputs")
        with step.settings():
            return recorded(step, name=self._title("training"), batch=sizes["batch"], notes=notes,
                            warmup=step.warmup, assume=assume, devices=devices,
                            context=self._context("training", sizes))

    def _context(self, phase: str, sizes: Mapping[str, int]) -> int | None:
        """What the recording says of its context; None where a step has no text, or two."""
        if phase == "decode":
            return sizes["context"]
        has_text = self.model.main_input_name == "input_ids"
        return sizes["tokens"] if has_text and not self.model.config.is_encoder_decoder else None

    # Texts.

    def _title(self, phase: str) -> str:
        return f"{self.name} {phase}"

    def _stored_type(self) -> str:
        """The type of the weights in the files. Without files it is that of transformers."""
        if self.weights is None:
            return "float32"
        stored = self.weights.main_type()
        if stored is None:
            types = ", ".join(kind.type for kind in self.weights.kinds)
            raise Error(f"{self.file} names no type, and its weights have none that a model can have "
                        f"here ({types})", "name one in the configuration: \"dtype\": \"bfloat16\"",
                        2)
        return DTYPES[stored]

    def _notes(self, quantisation: Any) -> list[str]:
        """What the step does not have of the files, and what the files lack."""
        notes = []
        if isinstance(quantisation, Mapping):
            method = quantisation.get("quant_method", "an unknown method")
            notes.append(f"the configuration names quantised weights ({method}), which are not "
                         f"modelled: the step is that of weights in {self.dtype}")
        if self.weights is None:
            return notes
        notes += self.weights.notes
        stored = self.weights.main_type()
        if self.weights.quantised:
            types = ", ".join(kind.type for kind in self.weights.kinds)
            notes.append(f"the files hold quantised weights ({types}), the predicted step has all "
                         f"of them in {self.dtype}")
        elif stored and DTYPES[stored] != self.dtype:
            notes.append(f"the files hold weights in {DTYPES[stored]}, the configuration says "
                         f"{self.dtype}: the predicted step has {self.dtype}")
        return notes

    def _footer(self, phase: str, sizes: Mapping[str, int], cache: str, dtype: str) -> str:
        """What is printed below the program's text."""
        import torch
        import transformers

        model = self.model
        step = {
            "prefill": f"{sizes['tokens']} tokens into a fresh cache ({cache})",
            "decode": f"one token behind {sizes['context']} in the cache ({cache})",
        }.get(phase, f"{sizes['tokens']} tokens, no cache")
        if model.config.is_encoder_decoder:
            source = ("sounds of the configuration's length"
                      if model.main_input_name == "input_features"
                      else f"{sizes['tokens']} tokens for the encoder")
            step = {"prefill": f"{source}, the first token of the decoder",
                    "decode": f"{step}, {source} before"}.get(
                        phase, f"{source}, {sizes['context']} for the decoder")
        elif model.main_input_name == "pixel_values":
            step = "images of the configuration's size"
        lines = [f"{type(model).__name__} of {self.file.name}, {phase}: {step}; recorded on meta "
                 f"with torch {torch.__version__}, transformers {transformers.__version__}"]
        if self.weights is not None:
            lines += [*str(self.weights).splitlines(), *self._difference(dtype)]
        lines += [note for note in self.notes if self.weights is None
                  or note not in self.weights.notes]
        return "\n".join(part for line in lines for part in (
            [line] if line.startswith("  ") else textwrap.wrap(line, 100, subsequent_indent="  ")))

    def _difference(self, dtype: str) -> list[str]:
        """The files' weights compared with those of the step."""
        assert self.weights is not None
        model_bytes = sum(value.numel() * value.element_size()
                          for value in self._model(dtype).parameters())
        lines = list(self.weights.notes)
        if self.weights.complete and self.weights.parameters != self.parameters:
            lines.append(f"the model has {self.parameters:,} parameters, the files hold "
                         f"{self.weights.parameters:,} (shared ones may be left out)")
        if self.weights.bytes != model_bytes:
            more = model_bytes - self.weights.bytes
            lines.append(f"the predicted memory has {model_bytes / 1e9:.4g} GB of weights in "
                         f"{dtype}: {abs(more) / 1e9:.4g} GB {'more' if more > 0 else 'less'} "
                         "than the files")
        return lines


_SNAPSHOT = re.compile(r"[0-9a-f]{40}")


def _name_of(file: Path, values: Mapping[str, Any]) -> str:
    """The name that the configuration says; else that of its file, of its folder for a config.json,
    of the model for a folder of the hub's cache; else the class."""
    if file.stem != "config":
        return file.stem
    said = values.get("_name_or_path")
    if isinstance(said, str) and Path(said).name:
        return Path(said).name
    folder = file.resolve().parent
    if _SNAPSHOT.fullmatch(folder.name) and len(folder.parts) > 2:
        return folder.parts[-3].rsplit("--", 1)[-1]  # models--OWNER--NAME/snapshots/COMMIT
    if file.parent == Path():
        names = values.get("architectures")
        return str(names[0] if names else values["model_type"])
    return folder.name


def from_config(path: Union[str, os.PathLike]) -> ConfiguredModel:
    """The model that a configuration of Hugging Face's transformers describes.

    `path`: a `config.json`, or a folder that has one. The model is built on `meta`, so neither
    weights nor a GPU are needed; headers of safetensors files next to the configuration tell the
    weights' exact number and types. Needs transformers and PyTorch.

        rooflab.from_config("config.json").predict(device="a100-sxm4-80gb,h100-sxm,b200")

    Raises rooflab.Error.
    """
    return ConfiguredModel(path)
