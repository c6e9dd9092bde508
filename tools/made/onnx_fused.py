"""ONNX files that onnxruntime's optimiser of transformers fused:  onnx_fused.py fused FOLDER

bert-attention   Attention, EmbedLayerNormalization, SkipLayerNormalization, BiasGelu
bert-mha         the same with MultiHeadAttention
bert-fp16        the first in fp16
bert-dynamic     the first in int8: QAttention, DynamicQuantizeMatMul
"""

import sys
from pathlib import Path

import onnx
import torch
from onnxruntime.quantization import quantize_dynamic
from onnxruntime.transformers.fusion_options import FusionOptions
from onnxruntime.transformers.optimizer import optimize_model

from exported_networks import flop_of
from onnx_truth import tell_file
from small_models import model_of, parameters_of
from truths import tell, tell_versions

BATCH, TOKENS, HEADS, WIDTH = 2, 8, 2, 32
SIZES = {"batch": BATCH, "tokens": TOKENS}


class First(torch.nn.Module):
    """A model whose only result is its first."""

    def __init__(self, model, names):
        super().__init__()
        self.model, self.names = model, names

    def forward(self, *values):
        return self.model(**dict(zip(self.names, values)), return_dict=False)[0]


def exported(folder, name, names, **options):
    model = First(model_of(name, attn_implementation="eager", **options), names)
    inputs = tuple(torch.ones(BATCH, TOKENS, dtype=torch.int64) for _ in names)
    path = folder / f"{name}-plain.onnx"
    torch.onnx.export(
        model,
        inputs,
        str(path),
        opset_version=14,
        input_names=names,
        output_names=["out"],
        dynamic_axes={one: {0: "batch", 1: "tokens"} for one in names},
    )
    return path, model, inputs


def told(path, model, inputs):
    tell(path.name, "parameters", parameters_of(model), "PyTorch")
    tell(path.name, "matrix_flop", flop_of(model, inputs), "FlopCounterMode")
    tell_file(path, SIZES)
    tell_versions(path.name, "torch", "transformers", "onnx", "onnxruntime")


def fused(folder):
    source, model, inputs = exported(
        folder, "bert", ["input_ids", "attention_mask", "token_type_ids"]
    )
    for form in ("attention", "mha", "fp16"):
        options = FusionOptions("bert")
        options.use_multi_head_attention = form == "mha"
        model_in_file = optimize_model(
            str(source), "bert", HEADS, WIDTH, optimization_options=options, opt_level=0
        )
        if form == "fp16":
            model_in_file.convert_float_to_float16(keep_io_types=True)
        model_in_file.save_model_to_file(str(folder / f"bert-{form}.onnx"))
    # The quantiser does not know the types of fused results.
    quantize_dynamic(
        str(folder / "bert-attention.onnx"),
        str(folder / "bert-dynamic.onnx"),
        extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},
    )
    for form in ("attention", "mha", "fp16", "dynamic"):
        told(folder / f"bert-{form}.onnx", model, inputs)


if __name__ == "__main__":
    globals()[sys.argv[1]](Path(sys.argv[2]))
