"""A small module in the place of `transformers`, for PyTorch without it.

It has what from_config uses, in the words of transformers 5: AutoConfig, one decoder, one encoder
for images, and the caches of keys and values.
"""
import contextlib
import sys
import types

import torch
from torch import nn


class Config:
    def __init__(self, model_type, architectures=None, **values):
        self.model_type, self.architectures = model_type, architectures
        self.is_encoder_decoder = False
        self.num_labels = 3
        self.__dict__.update(values)

    def get_text_config(self):
        return self


class AutoConfig:
    @staticmethod
    def for_model(model_type, **values):
        if model_type not in ("tiny", "tiny_vision"):
            raise ValueError(f"unknown model_type {model_type}")
        return Config(model_type, **values)


class Layer:
    def __init__(self, places):
        self.places, self.keys, self.values, self.length = places, None, None, 0

    def update(self, keys, values):
        if self.places and self.keys is None:
            shape = (*keys.shape[:2], self.places, keys.shape[3])
            self.keys, self.values = keys.new_zeros(shape), values.new_zeros(shape)
        if self.places:
            end = self.length + keys.shape[2]
            self.keys[:, :, self.length:end] = keys
            self.values[:, :, self.length:end] = values
            self.length = end
        elif self.keys is None:
            self.keys, self.values = torch.cat([keys], 2), torch.cat([values], 2)
        else:
            self.keys = torch.cat([self.keys, keys], 2)
            self.values = torch.cat([self.values, values], 2)
        return self.keys, self.values


class DynamicCache:
    def __init__(self, config, max_cache_len=0):
        self.layers = [Layer(max_cache_len) for _ in range(config.num_hidden_layers)]

    def update(self, keys, values, layer):
        return self.layers[layer].update(keys, values)


class StaticCache(DynamicCache):
    pass


class Output(dict):
    __getattr__ = dict.get


class Attention(nn.Module):
    def __init__(self, config, place):
        super().__init__()
        width = config.hidden_size
        self.place = place
        self.heads, self.width = config.num_attention_heads, width // config.num_attention_heads
        self.query, self.key, self.value = (nn.Linear(width, width, bias=False) for _ in range(3))

    def forward(self, x, past_key_values=None):
        query, key, value = (each(x).unflatten(-1, (self.heads, self.width)).transpose(1, 2)
                             for each in (self.query, self.key, self.value))
        if past_key_values is not None:
            key, value = past_key_values.update(key, value, self.place)
        weights = (query @ key.transpose(-1, -2)).softmax(-1)
        return x + (weights @ value).transpose(1, 2).flatten(2)


class Model(nn.Module):
    main_input_name = "input_ids"
    generates = True

    def __init__(self, config):
        super().__init__()
        self.config = config

    def can_generate(self):
        return self.generates


class TinyForCausalLM(Model):
    def __init__(self, config):
        super().__init__(config)
        self.embed = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList(Attention(config, place)
                                    for place in range(config.num_hidden_layers))
        self.head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)

    def forward(self, input_ids, past_key_values=None, use_cache=None, labels=None,
                logits_to_keep=0):
        x = self.embed(input_ids)
        if getattr(self.config, "asks", False) and (x[0, 0, 0] == 0).item():
            x = x + 1
        for layer in self.layers:
            x = layer(x, past_key_values=past_key_values)
        logits = self.head(x[:, -logits_to_keep:])
        if labels is None:
            return Output(logits=logits)
        return Output(logits=logits, loss=nn.functional.cross_entropy(
            logits.flatten(0, 1), labels.flatten()))


class TinyForImageClassification(Model):
    main_input_name = "pixel_values"
    generates = False

    def __init__(self, config):
        super().__init__(config)
        self.patches = nn.Conv2d(config.num_channels, config.hidden_size, 4, 4)
        self.head = nn.Linear(config.hidden_size, config.num_labels)

    def forward(self, pixel_values, labels=None):
        logits = self.head(self.patches(pixel_values).flatten(2).mean(-1))
        if labels is None:
            return Output(logits=logits)
        return Output(logits=logits, loss=nn.functional.cross_entropy(logits, labels))


CONFIG = {"model_type": "tiny", "architectures": ["TinyForCausalLM"], "vocab_size": 64,
          "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
          "max_position_embeddings": 256, "dtype": "bfloat16"}
VISION = {"model_type": "tiny_vision", "architectures": ["TinyForImageClassification"],
          "hidden_size": 16, "num_channels": 3, "image_size": [16, 24]}


def _called(*_):
    raise AssertionError("a function of transformers was called, not a model")


@contextlib.contextmanager
def in_place():
    """`import transformers` gives this module. What else is imported meanwhile stays."""
    module = types.ModuleType("transformers")
    module.__version__ = "5.0.0"
    for one in (AutoConfig, DynamicCache, StaticCache, TinyForCausalLM,
                TinyForImageClassification):
        setattr(module, one.__name__, one)
    module.PreTrainedModel = Model
    module.pipeline = _called
    before = sys.modules.get("transformers")
    sys.modules["transformers"] = module
    try:
        yield
    finally:
        del sys.modules["transformers"]
        if before is not None:
            sys.modules["transformers"] = before
