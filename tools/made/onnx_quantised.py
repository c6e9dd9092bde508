"""ONNX files that onnxruntime quantised, or converted to fp16:  onnx_quantised.py quantised FOLDER

images-qdq, images-qoperator      static int8 with a calibration, in the two forms
tokens-qdq                        the same of a block of a transformer
tokens-dynamic, recurrent-dynamic weights in int8, activations quantised at run time
tokens-int4, tokens-int4-qdq      weights in blocks of 4 bits: MatMulNBits, DequantizeLinear
images-fp16, tokens-fp16          the whole in fp16, inputs and outputs in fp32
"""

import sys
from pathlib import Path

import numpy
import onnx
import torch
from onnxruntime.quantization import (
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quant_utils,
    quantize_dynamic,
    quantize_static,
)
from onnxruntime.quantization.matmul_nbits_quantizer import (
    DefaultWeightOnlyQuantConfig,
    MatMulNBitsQuantizer,
)
from onnxruntime.quantization.shape_inference import quant_pre_process
from onnxruntime.transformers.float16 import convert_float_to_float16

from exported_networks import Images, Recurrent, Tokens, made, tell_network
from onnx_truth import tell_file
from truths import tell_versions

NETWORKS = {"images": Images, "tokens": Tokens, "recurrent": Recurrent}


class Random(CalibrationDataReader):
    """Four batches of random inputs."""

    def __init__(self, path):
        [one] = onnx.load(str(path)).graph.input
        shape = [size.dim_value for size in one.type.tensor_type.shape.dim]
        random = numpy.random.default_rng(0)
        self.batches = iter(
            [{one.name: random.normal(size=shape).astype(numpy.float32)} for _ in range(4)]
        )

    def get_next(self):
        return next(self.batches, None)


def exported(folder, name):
    """The network in fp32."""
    plain = folder / f"{name}-plain"
    torch.onnx.export(
        made(NETWORKS[name]),
        NETWORKS[name].inputs,
        str(plain),
        dynamo=True,
        external_data=False,
        opset_version=20,
        verbose=False,
    )
    return plain


def prepared(source):
    """Prepared for int8 as onnxruntime's guide does it: shapes inferred, batch norms folded."""
    quant_pre_process(str(source), f"{source}-prepared")
    return f"{source}-prepared"


def static(source, target, form):
    source = prepared(source)
    quantize_static(
        source,
        str(target),
        Random(source),
        quant_format=form,
        per_channel=True,
        activation_type=QuantType.QInt8 if form == QuantFormat.QDQ else QuantType.QUInt8,
        weight_type=QuantType.QInt8,
    )


def blocks(source, target, form):
    """Weights of 4 bits, a scale for each 32."""
    options = DefaultWeightOnlyQuantConfig(
        block_size=32, is_symmetric=True, accuracy_level=4, quant_format=form
    )
    quantizer = MatMulNBitsQuantizer(onnx.load(str(source)), algo_config=options)
    quantizer.process()
    quantizer.model.save_model_to_file(str(target))


def half(source, target):
    onnx.save(convert_float_to_float16(onnx.load(str(source)), keep_io_types=True), str(target))


MAKERS = {
    "images-qdq": lambda source, target: static(source, target, QuantFormat.QDQ),
    "images-qoperator": lambda source, target: static(source, target, QuantFormat.QOperator),
    "tokens-qdq": lambda source, target: static(source, target, QuantFormat.QDQ),
    "tokens-dynamic": lambda source, target: quantize_dynamic(prepared(source), str(target)),
    "recurrent-dynamic": lambda source, target: quantize_dynamic(
        prepared(source), str(target), op_types_to_quantize=["LSTM", "MatMul", "Gemm"]
    ),
    "tokens-int4": lambda source, target: blocks(source, target, quant_utils.QuantFormat.QOperator),
    "tokens-int4-qdq": lambda source, target: blocks(source, target, quant_utils.QuantFormat.QDQ),
    "images-fp16": half,
    "tokens-fp16": half,
}


def quantised(folder):
    for name, make in MAKERS.items():
        kind = NETWORKS[name.split("-")[0]]
        target = folder / f"{name}.onnx"
        make(exported(folder, name.split("-")[0]), target)
        tell_network(target.name, made(kind), kind.inputs)
        tell_file(target)
        tell_versions(target.name, "torch", "onnx", "onnxruntime")


if __name__ == "__main__":
    globals()[sys.argv[1]](Path(sys.argv[2]))
