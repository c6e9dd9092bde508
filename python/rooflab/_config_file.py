"""A configuration of transformers: the file, and the model that it describes, on `meta`."""
from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rooflab.errors import Error

CONFIG = "config.json"
_MOST_BYTES = 10_000_000
# How a configuration and safetensors name a type that a model can have.
DTYPES = {"float32": "float32", "float16": "float16", "bfloat16": "bfloat16", "float64": "float64",
          "F32": "float32", "F16": "float16", "BF16": "bfloat16", "F64": "float64"}


def is_config(path: Path) -> bool:
    """Whether a path is a configuration of transformers, or a folder with one."""
    file = path / CONFIG if path.is_dir() else path
    if file.suffix != ".json" or not file.is_file() or file.stat().st_size > _MOST_BYTES:
        return False
    try:
        values = json.loads(file.read_bytes())
    except (ValueError, RecursionError):
        return False
    return isinstance(values, dict) and "model_type" in values


def read_config(path: Path) -> tuple[Path, dict[str, Any]]:
    """The file and its values. Raises Error for any other file."""
    file = path / CONFIG if path.is_dir() else path
    if not file.is_file():
        hint = f"name a {CONFIG} of transformers, or a folder that has one"
        if not path.exists() and len(path.parts) == 2:
            hint += (f"; for a model of the hub get it first: huggingface-cli download {path} "
                     f"{CONFIG}")
        raise Error(f"{file} does not exist", hint, 2)
    if file.stat().st_size > _MOST_BYTES:
        raise Error(f"{file} has {file.stat().st_size} bytes: too many for a configuration",
                    f"name a {CONFIG} of transformers", 2)
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise Error(f"{file} is not JSON: {error}", f"name a {CONFIG} of transformers", 2) from error
    if not isinstance(values, dict) or not isinstance(values.get("model_type"), str):
        raise Error(f"{file} has no 'model_type'",
                    f"a {CONFIG} of transformers says the kind of its model", 2)
    return file, values


def dtype_of(values: Mapping[str, Any], file: Path) -> str | None:
    """The type of the weights that a configuration names; None where it names none, or `auto`.

    Raises Error for a type that no model can have here: another one would be a guess.
    """
    for holder in (values, values.get("text_config")):
        for key in ("dtype", "torch_dtype"):
            found = holder.get(key) if isinstance(holder, Mapping) else None
            if found is None or found == "auto":
                continue
            name = found.removeprefix("torch.") if isinstance(found, str) else None
            if name not in DTYPES:
                raise Error(f"{file}: the weights' type {json.dumps(found)} ({key}) is not known",
                            f"name one of {', '.join(dict.fromkeys(DTYPES.values()))}", 2)
            return name
    return None


def transformers_here() -> Any:
    """The module `transformers`. Raises Error without it, or without PyTorch."""
    try:
        import torch  # noqa: F401
        import transformers
    except ImportError as error:
        raise Error(f"from_config builds the model with transformers and PyTorch: {error}",
                    "pip install transformers torch; or give a model of your own to "
                    "rooflab.predict", 3) from error
    return transformers


def built(values: Mapping[str, Any], dtype: str, file: Path) -> Any:
    """The model on `meta`, for inference. Raises Error where transformers cannot make it."""
    import torch

    transformers = transformers_here()
    own_code = ("auto_map names code that is not part of transformers, which from_config does not "
                "run: build the model, and give it to rooflab.predict")
    kind = values["model_type"]
    try:
        config = transformers.AutoConfig.for_model(**_described(values))
    except ValueError as error:
        raise Error(f"{file}: transformers {transformers.__version__} does not know the model_type "
                    f"'{kind}'", own_code if "auto_map" in values else
                    "is a newer version of transformers needed?", 2) from error
    except Exception as error:
        raise Error(f"{file}: transformers cannot read this configuration: "
                    f"{type(error).__name__}: {error}", "is it complete?", 2) from error
    names = values.get("architectures") or []
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise Error(f"{file}: 'architectures' is not a list of names of classes", None, 2)
    make = getattr(transformers, names[0], None) if names else None
    if make is not None and not _is_model(make, transformers):
        raise Error(f"{file}: transformers.{names[0]} (architectures) is not a model",
                    "name the class of a model, such as LlamaForCausalLM", 2)
    if names and make is None:
        raise Error(f"{file}: transformers {transformers.__version__} has no class '{names[0]}' "
                    "(architectures)", own_code if "auto_map" in values else
                    "is a newer version of transformers needed?", 2)
    if make is None:
        make = next((known[type(config)] for known in (
            transformers.AutoModelForCausalLM._model_mapping, transformers.AutoModel._model_mapping)
            if type(config) in known), None)
    if make is None:
        raise Error(f"{file}: transformers has no model for the model_type '{kind}'",
                    "architectures names the class of the model", 2)
    before = torch.get_default_dtype()
    torch.set_default_dtype(getattr(torch, dtype))
    try:
        with _on_meta():
            model = make(config)
    except Exception as error:
        raise Error(f"{file}: {make.__name__} cannot be built: {type(error).__name__}: {error}",
                    "is the configuration complete, and for this version of transformers "
                    f"({transformers.__version__})?", 2) from error
    finally:
        torch.set_default_dtype(before)
    return model.to("meta").eval()


def _described(values: Any) -> Any:
    """A configuration without what would load code, or weights of another form: `attn_implementation`
    may name a package of kernels of the hub."""
    if isinstance(values, list):
        return [_described(value) for value in values]
    if not isinstance(values, dict):
        return values
    return {key: _described(value) for key, value in values.items()
            if not key.endswith(("attn_implementation", "experts_implementation"))
            and key not in ("quantization_config", "auto_map", "self", "cls")}


def _is_model(make: Any, transformers: Any) -> bool:
    """Whether a public name of transformers is one of its classes of models."""
    return isinstance(make, type) and issubclass(make, transformers.PreTrainedModel)


def _on_meta() -> Any:
    """Modules are built on `meta`, where this PyTorch can do that."""
    import torch

    device = torch.device("meta")
    return device if hasattr(device, "__enter__") else contextlib.nullcontext()
