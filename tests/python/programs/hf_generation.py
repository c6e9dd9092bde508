"""Inference and generation with Hugging Face's published models; needs transformers 5.

    generator = Generator("llama-3.2-1b", device="cuda")
    generator.program("prefill", batch=4, tokens=512).step()
    generator.program("decode", batch=16, context=2048, cache="static").step()

The steps of `prefill` and `decode` are those of the package (rooflab/_generation.py); `inference` is
one call of a model without a cache.
"""
from __future__ import annotations

import torch
from rooflab._generation import PHASES as GENERATION_PHASES
from rooflab._generation import Generation

from . import hf_published
from .hf_inputs import INPUTS
from .place import Place
from .program import Program

PHASES = (*GENERATION_PHASES, "inference")
# What a model without a cache gets (hf_inputs.py), and sizes of its image.
_INPUTS = {"bert": "masked", "vit": "pictured", "clip": "paired"}
_SMALL_TOKENS = 24


class Generator:
    """A model that programs are made of. It is built once, at full size or small."""

    def __init__(self, model: str, device: str = "cpu", dtype: torch.dtype | None = None,
                 scale: str = "real", layers: int | None = None) -> None:
        self.name = model
        self.place = Place(device, dtype)
        self.model = hf_published.made(model, self.place, scale, layers)
        self.config = self.model.config
        self.generation = Generation(self.model, self.place)

    def phases(self) -> tuple[str, ...]:
        """The phases that the model has."""
        has_cache = self.config.model_type not in _INPUTS
        return GENERATION_PHASES if has_cache else PHASES[len(GENERATION_PHASES):]

    def program(self, phase: str, batch: int, tokens: int = _SMALL_TOKENS,
                context: int = _SMALL_TOKENS, cache: str = "dynamic") -> Program:
        """A step. For an encoder with a decoder `tokens` are those of the encoder.

        `cache` is "dynamic" or "static"; a decoder behind an encoder has a dynamic one.
        """
        if phase not in self.phases():
            raise ValueError(f"{self.name} has no phase '{phase}'; it has "
                             + ", ".join(self.phases()))
        if phase == "inference":
            return self._inference(batch, tokens)
        step = self.generation.step(phase, batch, tokens, context, cache)
        return Program(f"{self.name}.{phase}", step.run, batch, {"model": self.model}, (),
                       step.inputs, cache=step.cache, reset=step.reset,
                       context=context if phase == "decode" else tokens)

    def _inference(self, batch: int, tokens: int) -> Program:
        """A model without a cache."""
        kind = _INPUTS[self.config.model_type]
        vision = getattr(self.config, "vision_config", self.config)
        size = tokens if kind == "masked" else vision.image_size
        inputs = INPUTS[kind](self.place, self.config, batch, size)
        inputs = {key: value for key, value in inputs.items() if torch.is_tensor(value)
                  and key != "labels"}

        @torch.no_grad()
        def step() -> torch.Tensor:
            outputs = self.model(**inputs)
            return outputs.logits if hasattr(outputs, "logits") else outputs.logits_per_image

        return Program(f"{self.name}.inference", step, batch, {"model": self.model}, (),
                       tuple(inputs.values()))
