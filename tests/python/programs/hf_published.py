"""Hugging Face's models as published, with random weights; needs transformers 5.

configs/NAME.json has the values of a published configuration file that tell the model's shape.
"""
from __future__ import annotations

import json
import pathlib
from typing import Any

import torch

from .place import Place

CONFIGS = pathlib.Path(__file__).resolve().with_name("configs")

# What a small model of the same class has in place of the published values.
_SMALL: dict[str, int] = {
    **dict.fromkeys(("hidden_size", "n_embd", "d_model", "projection_dim"), 64),
    **dict.fromkeys(("intermediate_size", "d_ff", "encoder_ffn_dim", "decoder_ffn_dim"), 128),
    **dict.fromkeys(("num_attention_heads", "n_head", "num_heads", "encoder_attention_heads",
                     "decoder_attention_heads"), 4),
    **dict.fromkeys(("num_hidden_layers", "n_layer", "num_layers", "encoder_layers",
                     "decoder_layers"), 2),
    **dict.fromkeys(("head_dim", "d_kv", "num_mel_bins"), 16),
    "num_key_value_heads": 2, "vocab_size": 256, "image_size": 64, "max_source_positions": 24,
}
_LAYERS = ("num_hidden_layers", "n_layer", "num_layers")


def names() -> list[str]:
    """The models that have a configuration here."""
    return sorted(path.stem for path in CONFIGS.glob("*.json"))


def values_of(name: str, scale: str = "real", layers: int | None = None) -> dict[str, Any]:
    """What the configuration file says, with fewer layers if asked, or small."""
    values = json.loads((CONFIGS / f"{name}.json").read_text(encoding="utf-8"))
    if scale == "small":
        values = _small(values)
    if layers is not None:
        values.update((key, layers) for key in _LAYERS if key in values)
    return values


def _small(values: dict[str, Any]) -> dict[str, Any]:
    found = {}
    for key, value in values.items():
        if isinstance(value, dict) and key.endswith("_config"):
            value = _small(value)
        elif key.endswith("_token_id"):
            value = min(value, _SMALL["vocab_size"] - 1)
        found[key] = _SMALL.get(key, value)
    return found


def made(name: str, place: Place, scale: str = "real", layers: int | None = None
         ) -> torch.nn.Module:
    """The model of the class that the configuration names, for inference."""
    import transformers
    config = transformers.AutoConfig.for_model(**values_of(name, scale, layers))
    make = getattr(transformers, config.architectures[0])
    with torch.device(place.device):
        return make._from_config(config, dtype=place.dtype).eval()
