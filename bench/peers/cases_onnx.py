"""ONNX files: those of tests/data/onnx, whose truth is PyTorch's (truth.csv), and files written here.

The files of tests/data/onnx lack the file of their weights, which onnx-tool must read: each gets one of zeros, which
takes no disk. What is written here goes to build/bench-data/peers once.
"""

import csv
import pathlib

from case import case

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests/data/onnx"
MADE = ROOT / "build/bench-data/peers"


def with_zeros(source):
    """A copy of the file next to weights that are zeros, as a file with holes."""
    import onnx

    path = MADE / source.name
    if not path.exists():
        MADE.mkdir(parents=True, exist_ok=True)
        ends = {}
        for each in onnx.load(source, load_external_data=False).graph.initializer:
            place = {entry.key: entry.value for entry in each.external_data}
            if place:
                end = int(place.get("offset", 0)) + int(place["length"])
                ends[place["location"]] = max(end, ends.get(place["location"], 0))
        for name, size in ends.items():
            with open(MADE / name, "wb") as stream:
                stream.truncate(size)
        path.write_bytes(source.read_bytes())
    return str(path)


for _row in csv.DictReader((DATA / "truth.csv").read_text(encoding="utf-8").splitlines()):
    _path = DATA / f"{_row['source']}-{_row['model']}-{_row['exporter']}.onnx"
    # The exporters share weights of equal values, so a file has fewer parameters than its module.
    case(_path.stem, "ONNX", int(_row["matrix_flops"]) // 2, None,
         "PyTorch's own count of the module (tests/data/onnx/truth.csv)")(lambda path=_path: with_zeros(path))


def write(name, nodes, inputs, outputs, weights):
    """A file of these nodes; `weights` are shapes by name, filled with random numbers."""
    import numpy
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    path = MADE / f"{name}.onnx"
    if not path.exists():
        random = numpy.random.default_rng(0)
        held = [numpy_helper.from_array(random.random(shape, dtype=numpy.float32), key)
                for key, shape in weights.items()]
        graph = helper.make_graph(
            nodes(helper.make_node), name,
            [helper.make_tensor_value_info(key, TensorProto.FLOAT, shape) for key, shape in inputs.items()],
            [helper.make_tensor_value_info(key, TensorProto.FLOAT, shape) for key, shape in outputs.items()], held)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
        MADE.mkdir(parents=True, exist_ok=True)
        onnx.save(model, path)
    return path


MLP_MACS, MLP_PARAMETERS = 8 * 2 * 128 * 256, 2 * 128 * 256 + 256 + 128
CNN_MACS, CNN_PARAMETERS = 32 * 32 * 16 * 3 * 9 + 16 * 10, 16 * 3 * 9 + 16 + 16 * 10 + 10


@case("Gemm", "ONNX", MLP_MACS, MLP_PARAMETERS, "rows x (128 256 + 256 128)")
def gemm():
    return str(write("mlp", lambda node: [
        node("Gemm", ["x", "w1", "b1"], ["h"]), node("Relu", ["h"], ["r"]), node("Gemm", ["r", "w2", "b2"], ["y"])],
        {"x": (8, 128)}, {"y": (8, 128)}, {"w1": (128, 256), "b1": (256,), "w2": (256, 128), "b2": (128,)}))


def convolution():
    return write("cnn", lambda node: [
        node("Conv", ["x", "w", "b"], ["h"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]), node("Relu", ["h"], ["r"]),
        node("GlobalAveragePool", ["r"], ["p"]), node("Flatten", ["p"], ["f"]),
        node("Gemm", ["f", "w2", "b2"], ["y"])],
        {"x": (1, 3, 32, 32)}, {"y": (1, 10)}, {"w": (16, 3, 3, 3), "b": (16,), "w2": (16, 10), "b2": (10,)})


@case("MLP, int8 by onnxruntime", "ONNX", MLP_MACS, MLP_PARAMETERS,
      "rows x (128 256 + 256 128), parameters before they are quantised", weight_bytes=0)
def dynamic_int8():
    from onnxruntime.quantization import quantize_dynamic

    path = MADE / "mlp-int8.onnx"
    if not path.exists():
        quantize_dynamic(gemm(), str(path))
    return str(path)


def static_int8(form):
    def make():
        import numpy
        from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_static

        class Reader(CalibrationDataReader):
            left = 2

            def get_next(self):
                self.left -= 1
                return {"x": numpy.random.default_rng(self.left).random((1, 3, 32, 32), dtype=numpy.float32)} \
                    if self.left >= 0 else None

        path = MADE / f"cnn-{form}.onnx"
        if not path.exists():
            quantize_static(str(convolution()), str(path), Reader(), quant_format=QuantFormat[form])
        return str(path)
    return make


_CNN = "32 32 16 3 9 + 16 10, parameters before they are quantised"
case("CNN, int8 with QDQ", "ONNX", CNN_MACS, CNN_PARAMETERS, _CNN, weight_bytes=0)(static_int8("QDQ"))
case("CNN, int8 with QLinear", "ONNX", CNN_MACS, CNN_PARAMETERS, _CNN, weight_bytes=0)(static_int8("QOperator"))


@case("ONNX LSTM", "ONNX", 10 * 3 * 4 * 48 * (32 + 48), 4 * 48 * (32 + 48) + 8 * 48, "T N G H (I + H)")
def lstm():
    return str(write("lstm", lambda node: [node("LSTM", ["x", "w", "r", "b"], ["y"], hidden_size=48)],
                     {"x": (10, 3, 32)}, {"y": (10, 1, 3, 48)},
                     {"w": (1, 192, 32), "r": (1, 192, 48), "b": (1, 384)}))


@case("ONNX ConvTranspose", "ONNX", 2 * 14 * 14 * 32 * 16 * 16, 32 * 16 * 16 + 16,
      "places of the input x inputs x outputs x kernel")
def transposed():
    return str(write("transposed", lambda node: [
        node("ConvTranspose", ["x", "w", "b"], ["y"], kernel_shape=[4, 4], strides=[2, 2], pads=[1, 1, 1, 1])],
        {"x": (2, 32, 14, 14)}, {"y": (2, 16, 28, 28)}, {"w": (32, 16, 4, 4), "b": (16,)}))
