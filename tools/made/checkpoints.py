"""Folders of transformers with random weights:  checkpoints.py CASE FOLDER

plain    save_pretrained: gpt2, bert and t5 in fp32, llama in bf16, mixtral in fp16; llama in
         several files with an index
torchao  llama quantised by torchao: weights in int8, in int4 (a byte each), in float8; weights and
         activations in int8
lora     an adapter of peft on llama
"""

import json
import sys
from pathlib import Path

import torch
import transformers

from exported_networks import flop_of
from small_models import model_of, parameters_of
from truths import tell, tell_versions

BATCH, TOKENS = 2, 8


def stored_bytes(folder):
    """Bytes of the tensors in the safetensors files of a folder, by their headers."""
    total = 0
    for path in folder.glob("*.safetensors"):
        with open(path, "rb") as file:
            header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        total += sum(
            entry["data_offsets"][1] - entry["data_offsets"][0]
            for name, entry in header.items()
            if name != "__metadata__"
        )
    return total


def matrix_flop(model):
    """Of a call with BATCH x TOKENS; PyTorch's counter leaves out the products of experts."""
    ones = torch.ones(BATCH, TOKENS, dtype=torch.int64)
    paired = {"decoder_input_ids": ones} if model.config.is_encoder_decoder else {}
    cached = {"use_cache": False} if hasattr(model.config, "use_cache") else {}
    counted = flop_of(model, {"input_ids": ones, **paired, **cached})
    config = model.config
    if not hasattr(config, "num_local_experts"):
        return counted, "FlopCounterMode"
    each = 3 * config.hidden_size * config.intermediate_size * config.num_experts_per_tok
    return (
        counted + 2 * BATCH * TOKENS * each * config.num_hidden_layers,
        "FlopCounterMode, experts by formula",
    )


def told(place, model, *modules):
    """`model` is the one that was saved, before it was quantised."""
    name = place.name
    tell(name, "parameters", parameters_of(model), "PyTorch")
    tell(name, "matrix_flop", *matrix_flop(model))
    tell(name, "step", f"{BATCH}x{TOKENS}", "the program")
    tell(name, "predicted", "a time", "PyTorch runs it")
    tell(name, "stored_bytes", stored_bytes(place), "the headers of safetensors")
    tell_versions(name, "torch", "transformers", "safetensors", *modules)


def plain(folder):
    for name, dtype in (
        ("gpt2", "float32"),
        ("bert", "float32"),
        ("llama", "bfloat16"),
        ("mixtral", "float16"),
        ("t5", "float32"),
    ):
        model = model_of(name).to(getattr(torch, dtype))
        model.config.dtype = getattr(torch, dtype)
        place = folder / name
        model.save_pretrained(place)
        told(place, model.float())
    model = model_of("llama")
    model.save_pretrained(folder / "llama-sharded", max_shard_size="30KB")
    told(folder / "llama-sharded", model)


def torchao(folder):
    from torchao import quantization

    source = folder / "llama-source"
    model = model_of("llama").to(torch.bfloat16)
    model.save_pretrained(source)
    # Int4WeightOnlyConfig packs weights for GPUs alone; float8 activations need one.
    kinds = {
        "int8wo": quantization.Int8WeightOnlyConfig(),
        "float8wo": quantization.Float8WeightOnlyConfig(),
        "int8": quantization.Int8DynamicActivationInt8WeightConfig(),
        "int4wo": quantization.IntxWeightOnlyConfig(
            weight_dtype=torch.int4, granularity=quantization.PerGroup(32)
        ),
    }
    for name, kind in kinds.items():
        place = folder / f"llama-{name}"
        quantised = transformers.AutoModelForCausalLM.from_pretrained(
            source,
            dtype=torch.bfloat16,
            quantization_config=transformers.TorchAoConfig(kind),
            device_map="cpu",
        )
        quantised.save_pretrained(place)
        told(place, model.float(), "torchao")


def lora(folder):
    import peft

    model = model_of("llama")
    place = folder / "llama-lora"
    adapted = peft.get_peft_model(
        model,
        peft.LoraConfig(
            r=4, lora_alpha=8, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM"
        ),
    )
    adapted.save_pretrained(place)
    (place / "README.md").unlink()  # a form for a model card
    trained = sum(value.numel() for value in adapted.parameters() if value.requires_grad)
    tell("llama-lora", "parameters", trained, "PyTorch: what the adapter trains")
    tell("llama-lora", "stored_bytes", stored_bytes(place), "the headers of safetensors")
    tell_versions("llama-lora", "torch", "transformers", "safetensors", "peft")


if __name__ == "__main__":
    globals()[sys.argv[1]](Path(sys.argv[2]))
