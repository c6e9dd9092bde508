"""What a model of transformers gets in a step without a cache, by its class and configuration.

Texts have no padding and no mask: a mask on `meta` has no values, and some models ask for them.
"""
from __future__ import annotations

import inspect
from typing import Any

from rooflab._generation import Generation, text_config
from rooflab.errors import Error


def inputs_for(generation: Generation, batch: int, tokens: int, context: int) -> dict[str, Any]:
    """The arguments of the model's `forward`. A decoder behind an encoder gets `context` words.

    Raises Error for a model whose inputs are of another kind.
    """
    model, tensors = generation.model, generation.tensors
    takes = inspect.signature(type(model).forward).parameters
    config, main = model.config, model.main_input_name
    inputs: dict[str, Any] = {}
    if main in ("input_ids", "input_features"):
        inputs.update(generation.source(batch, tokens))
    elif main == "pixel_values":
        inputs[main] = _image(config, tensors, batch)
    elif main == "input_values":
        inputs[main] = tensors.normal(batch, tokens)
    else:
        raise Error(f"{type(model).__name__} takes '{main}', which from_config cannot make up",
                    "give the model and its inputs: rooflab.predict(model, inputs, device=...)")
    if "pixel_values" in takes and hasattr(config, "vision_config") and not model.can_generate():
        inputs["pixel_values"] = _image(config.vision_config, tensors, batch)
    if config.is_encoder_decoder and "decoder_input_ids" in takes:
        inputs["decoder_input_ids"] = generation.words(batch, context)
    if "use_cache" in takes:
        inputs["use_cache"] = False
    return inputs


def _image(config: Any, tensors: Any, batch: int) -> Any:
    """Images of the size that the configuration says: one number, two, or a dictionary."""
    size = getattr(config, "image_size", None)
    if isinstance(size, dict):
        size = (size.get("height"), size.get("width"))
    height, width = size if isinstance(size, (list, tuple)) else (size, size)
    if not isinstance(height, int) or not isinstance(width, int):
        raise Error(f"the configuration of '{config.model_type}' does not say the size of an image",
                    "give the model and its inputs: rooflab.predict(model, inputs, device=...)")
    return tensors.normal(batch, getattr(config, "num_channels", 3), height, width)


# Ends of the names of classes, and the shape of their labels.
_OF_EACH_TOKEN = ("ForCausalLM", "LMHeadModel", "ForMaskedLM", "ForPreTraining",
                  "ForTokenClassification")
_OF_EACH_SAMPLE = ("ForSequenceClassification", "ForImageClassification")


def labels_for(generation: Generation, inputs: dict[str, Any]) -> dict[str, Any]:
    """The labels of a step of training; none where the class does not say their shape."""
    name, tensors = type(generation.model).__name__, generation.tensors
    takes = inspect.signature(type(generation.model).forward).parameters
    if "return_loss" in takes and "labels" not in takes:
        return {"return_loss": True}
    if "labels" not in takes:
        return {}
    if "decoder_input_ids" in inputs:
        words = inputs["decoder_input_ids"]
        return {"labels": generation.words(*words.shape)}
    kinds = getattr(generation.config, "num_labels", 2)
    words = inputs.get("input_ids")
    if name.endswith(_OF_EACH_TOKEN) and words is not None:
        end = kinds if name.endswith("ForTokenClassification") else (
            text_config(generation.config).vocab_size)
        return {"labels": tensors.integers(end, *words.shape)}
    if name.endswith(_OF_EACH_SAMPLE):
        batch = next(iter(inputs.values())).shape[0]
        return {"labels": tensors.integers(kinds, batch)}
    return {}
