"""Training steps of Hugging Face's models with random weights; needs transformers 5.

The widths are those of a published model, the number of layers is cut. Each model computes its own
loss from labels.
"""
from __future__ import annotations

import dataclasses
from typing import Any, Callable

import torch

from .hf_inputs import INPUTS
from .place import Place
from .program import Program
from .versions import as_on_cuda, autocast


@dataclasses.dataclass(frozen=True)
class _Model:
    """Names of classes in transformers, what the configuration gets, and the sizes at "real".

    `precision`: "fp32", "bf16" (weights too) or "autocast" (to bfloat16).
    """

    model: str
    config: str
    options: dict[str, Any]
    inputs: str
    batch: int
    length: int = 0
    precision: str = "fp32"
    fused: bool = False


def _bert_like(width: int = 768, layers: int = 4, **more: Any) -> dict[str, Any]:
    return {"hidden_size": width, "num_hidden_layers": layers, "num_attention_heads": width // 64,
            "intermediate_size": 4 * width, **more}


def _llama_like(width: int, heads: int, kv_heads: int, ffn: int, vocab: int, layers: int = 3,
                **more: Any) -> dict[str, Any]:
    return {"hidden_size": width, "num_hidden_layers": layers, "num_attention_heads": heads,
            "num_key_value_heads": kv_heads, "intermediate_size": ffn, "vocab_size": vocab, **more}


_MODELS: dict[str, _Model] = {
    "bert": _Model("BertForMaskedLM", "BertConfig", _bert_like(), "masked", 32, 256, "autocast"),
    "roberta": _Model("RobertaForSequenceClassification", "RobertaConfig",
                      _bert_like(vocab_size=50265, max_position_embeddings=514, type_vocab_size=1,
                                 num_labels=5), "classified", 64, 256),
    "distilbert": _Model("DistilBertForSequenceClassification", "DistilBertConfig",
                         {"n_layers": 3, "num_labels": 5}, "classified", 64, 256),
    "albert": _Model("AlbertForMaskedLM", "AlbertConfig",
                     _bert_like(vocab_size=30000, embedding_size=128), "masked", 32, 256),
    "electra": _Model("ElectraForTokenClassification", "ElectraConfig",
                      _bert_like(256, embedding_size=128, num_labels=9), "tagged", 128, 256,
                      "autocast"),
    "deberta_v2": _Model("DebertaV2ForMaskedLM", "DebertaV2Config",
                         _bert_like(layers=3, relative_attention=True, position_buckets=256,
                                    pos_att_type=["p2c", "c2p"], norm_rel_ebd="layer_norm",
                                    share_att_key=True, position_biased_input=False), "masked", 8,
                         256),
    "gpt2": _Model("GPT2LMHeadModel", "GPT2Config", {"n_layer": 4}, "causal", 8, 512, "autocast",
                   fused=True),
    "opt": _Model("OPTForCausalLM", "OPTConfig",
                  {"hidden_size": 768, "ffn_dim": 3072, "num_hidden_layers": 4,
                   "num_attention_heads": 12}, "causal", 8, 512),
    "gpt_neox": _Model("GPTNeoXForCausalLM", "GPTNeoXConfig",
                       _bert_like(1024, 4, vocab_size=50304), "causal", 8, 512, "bf16"),
    "llama": _Model("LlamaForCausalLM", "LlamaConfig", _llama_like(2048, 32, 8, 8192, 128256),
                    "causal", 2, 1024, "bf16"),
    "mistral": _Model("MistralForCausalLM", "MistralConfig",
                      _llama_like(4096, 32, 8, 14336, 32000, 2), "causal", 2, 1024, "bf16"),
    "qwen2": _Model("Qwen2ForCausalLM", "Qwen2Config",
                    _llama_like(896, 14, 2, 4864, 151936, 4, tie_word_embeddings=True), "causal", 2,
                    1024, "autocast"),
    "qwen3": _Model("Qwen3ForCausalLM", "Qwen3Config",
                    _llama_like(1024, 16, 8, 3072, 151936, 4, head_dim=128,
                                tie_word_embeddings=True), "causal", 2, 1024, "bf16", fused=True),
    "mixtral": _Model("MixtralForCausalLM", "MixtralConfig",
                      _llama_like(1024, 16, 4, 3584, 32000, 2, num_local_experts=8,
                                  num_experts_per_tok=2, output_router_logits=True), "causal", 4,
                      1024, "bf16"),
    "gemma": _Model("GemmaForCausalLM", "GemmaConfig",
                    _llama_like(2048, 8, 1, 16384, 256000, 2, head_dim=256), "causal", 1, 1024,
                    "bf16"),
    "phi": _Model("PhiForCausalLM", "PhiConfig", _llama_like(2048, 32, 32, 8192, 51200), "causal",
                  4, 1024, "bf16"),
    "t5": _Model("T5ForConditionalGeneration", "T5Config",
                 {"d_model": 768, "d_kv": 64, "d_ff": 3072, "num_heads": 12, "num_layers": 3,
                  "decoder_start_token_id": 0}, "translated", 16, 256),
    "bart": _Model("BartForConditionalGeneration", "BartConfig",
                   {"d_model": 768, "encoder_ffn_dim": 3072, "decoder_ffn_dim": 3072,
                    "encoder_attention_heads": 12, "decoder_attention_heads": 12,
                    "encoder_layers": 3, "decoder_layers": 3}, "translated", 16, 256, "autocast"),
    "whisper": _Model("WhisperForConditionalGeneration", "WhisperConfig",
                      {"d_model": 512, "encoder_ffn_dim": 2048, "decoder_ffn_dim": 2048,
                       "encoder_attention_heads": 8, "decoder_attention_heads": 8,
                       "encoder_layers": 3, "decoder_layers": 3}, "transcribed", 8, 128),
    "wav2vec2": _Model("Wav2Vec2ForCTC", "Wav2Vec2Config",
                       _bert_like(layers=3, layerdrop=0.0), "spoken", 4, 160000),
    "vit": _Model("ViTForImageClassification", "ViTConfig", _bert_like(num_labels=1000), "pictured",
                  64, 224),
    "swin": _Model("SwinForImageClassification", "SwinConfig",
                   {"depths": [2, 2, 2, 2], "num_labels": 1000}, "pictured", 64, 224, "autocast"),
    "convnextv2": _Model("ConvNextV2ForImageClassification", "ConvNextV2Config",
                         {"depths": [2, 2, 4, 2], "num_labels": 1000}, "pictured", 64, 224),
    "segformer": _Model("SegformerForSemanticSegmentation", "SegformerConfig",
                        {"hidden_sizes": [64, 128, 320, 512], "depths": [2, 2, 2, 2],
                         "decoder_hidden_size": 256, "num_labels": 150}, "segmented", 4, 512),
    "clip": _Model("CLIPModel", "CLIPConfig",
                   {"text_config": {"num_hidden_layers": 3},
                    "vision_config": {"num_hidden_layers": 3, "patch_size": 16}},
                   "paired", 64, 224),
}


def _made(transformers: Any, entry: _Model, place: Place) -> torch.nn.Module:
    """The module on its device; built there, or moved there where a model cannot be built there."""
    make = getattr(transformers, entry.model)
    config = getattr(transformers, entry.config)(**entry.options)
    try:
        with torch.device(place.device):
            model = make(config)
    except (RuntimeError, TypeError, NotImplementedError):
        model = make(config)
    return model.to(place.device, place.dtype).train()


def _builder(name: str) -> Callable[..., Program]:
    def build(device: str = "cpu", dtype: torch.dtype | None = None, batch: int | None = None,
              scale: str = "small") -> Program:
        import transformers
        entry = _MODELS[name]
        place = Place(device, dtype or (torch.bfloat16 if entry.precision == "bf16" else None))
        batch = batch or (entry.batch if scale == "real" else 2)
        length = entry.length
        if scale == "small" and entry.inputs not in ("pictured", "paired", "segmented"):
            length = min(length, 16000 if entry.inputs == "spoken" else 32)
        model = _made(transformers, entry, place)
        inputs = INPUTS[entry.inputs](place, model.config, batch, length)
        fused = {"fused": True} if entry.fused and as_on_cuda(place.device) else {}
        optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5, weight_decay=0.01, **fused)

        def step() -> torch.Tensor:
            optimizer.zero_grad()
            with autocast(place.device, torch.bfloat16, enabled=entry.precision == "autocast"):
                loss = model(**inputs).loss
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            return loss.detach()

        return Program(f"hf_{name}", step, batch, {"model": model}, (optimizer,),
                       tuple(each for each in inputs.values() if torch.is_tensor(each)))
    return build


def all_programs() -> dict[str, Callable[..., Program]]:
    """What builds each program, by name; it takes the arguments of our own programs' `build`."""
    return {f"hf_{name}": _builder(name) for name in _MODELS}
