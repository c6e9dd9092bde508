"""Inputs and labels for Hugging Face's models, by the kind of task."""
from __future__ import annotations

from typing import Any, Callable

import torch

from .place import Place

Inputs = dict[str, Any]


def _words(place: Place, config: Any, batch: int, length: int) -> torch.Tensor:
    """Tokens, none of which is among the first ten: those often mean padding, beginning or end."""
    return place.integers(config.vocab_size - 10, batch, length) + 10


def _padded(place: Place, config: Any, batch: int, length: int) -> Inputs:
    """Texts of different lengths, padded to the longest, with the mask of attention."""
    lengths = place.integers(length // 2, batch) + length // 2 + 1
    lengths[0] = length
    mask = (torch.arange(length, device=place.device) < lengths[:, None]).long()
    padding = getattr(config, "pad_token_id", None) or 0
    words = _words(place, config, batch, length).masked_fill(mask == 0, padding)
    return {"input_ids": words, "attention_mask": mask}


def _causal(place: Place, config: Any, batch: int, length: int) -> Inputs:
    words = _words(place, config, batch, length)
    return {"input_ids": words, "labels": words.clone()}


def _masked(place: Place, config: Any, batch: int, length: int) -> Inputs:
    inputs = _padded(place, config, batch, length)
    hidden = place.integers(100, batch, length) < 15
    labels = inputs["input_ids"].masked_fill(~hidden, -100)
    return {**inputs, "input_ids": inputs["input_ids"].masked_fill(hidden, 9), "labels": labels}


def _classified(place: Place, config: Any, batch: int, length: int) -> Inputs:
    return {**_padded(place, config, batch, length),
            "labels": place.integers(config.num_labels, batch)}


def _tagged(place: Place, config: Any, batch: int, length: int) -> Inputs:
    return {**_padded(place, config, batch, length),
            "labels": place.integers(config.num_labels, batch, length)}


def _translated(place: Place, config: Any, batch: int, length: int) -> Inputs:
    return {**_padded(place, config, batch, length),
            "labels": _words(place, config, batch, length // 2)}


def _transcribed(place: Place, config: Any, batch: int, length: int) -> Inputs:
    frames = 2 * config.max_source_positions
    return {"input_features": place.normal(batch, config.num_mel_bins, frames),
            "labels": _words(place, config, batch, length)}


def _spoken(place: Place, config: Any, batch: int, length: int) -> Inputs:
    return {"input_values": place.normal(batch, length), "labels": _words(place, config, batch, 20)}


def _pictured(place: Place, config: Any, batch: int, side: int) -> Inputs:
    return {"pixel_values": place.normal(batch, 3, side, side),
            "labels": place.integers(config.num_labels, batch)}


def _segmented(place: Place, config: Any, batch: int, side: int) -> Inputs:
    return {"pixel_values": place.normal(batch, 3, side, side),
            "labels": place.integers(config.num_labels, batch, side, side)}


def _paired(place: Place, config: Any, batch: int, side: int) -> Inputs:
    text = config.text_config
    words = place.integers(text.vocab_size - 10, batch, text.max_position_embeddings)
    words[:, -1] = text.eos_token_id
    return {"input_ids": words, "attention_mask": torch.ones_like(words),
            "pixel_values": place.normal(batch, 3, side, side), "return_loss": True}


# By kind: (place, configuration, batch, length of a text or a sound, or side of an image) to what
# the model's `forward` gets.
INPUTS: dict[str, Callable[[Place, Any, int, int], Inputs]] = {
    "causal": _causal, "masked": _masked, "classified": _classified, "tagged": _tagged,
    "translated": _translated, "transcribed": _transcribed, "spoken": _spoken,
    "pictured": _pictured, "segmented": _segmented, "paired": _paired,
}
