"""What an ONNX file computes: multiply-adds by kind of node, from the shapes that ONNX itself infers.

    ledger_onnx.py OUT
"""

import collections
import json
import math
import pathlib
import sys

# onnx_tool/node.py:19-30: what one element costs in a gate.
EXP, TANH = 32, 38


def fixed(model):
    """The model with every open dimension at 1."""
    for each in (*model.graph.input, *model.graph.output, *model.graph.value_info):
        for dimension in each.type.tensor_type.shape.dim:
            if not dimension.dim_value:
                dimension.dim_value = 1
    return model


def shapes(model):
    import onnx

    model = onnx.shape_inference.infer_shapes(fixed(model), data_prop=True)
    found = {each.name: list(each.dims) for each in model.graph.initializer}
    for each in (*model.graph.input, *model.graph.value_info, *model.graph.output):
        found[each.name] = [dimension.dim_value for dimension in each.type.tensor_type.shape.dim]
    return found


def node_macs(node, known):
    """Multiply-adds of a node; None where it multiplies no matrices."""
    inputs, out = [known.get(name) for name in node.input], known.get(node.output[0])
    settings = {each.name: each for each in node.attribute}
    if node.op_type == "Conv":
        return math.prod(out) * math.prod(inputs[1][1:])
    if node.op_type == "ConvTranspose":
        return math.prod(inputs[0]) * math.prod(inputs[1][1:])
    if node.op_type in ("MatMul", "MatMulInteger"):
        return math.prod(out) * inputs[0][-1]
    if node.op_type == "Gemm":
        depth = inputs[0][0 if "transA" in settings and settings["transA"].i else 1]
        return math.prod(out) * depth
    if node.op_type == "LSTM":
        return math.prod(inputs[0][:2]) * (math.prod(inputs[1]) + math.prod(inputs[2]))
    return None


def read(path):
    import onnx

    model = onnx.load(path, load_external_data=False)
    known = shapes(model)
    row = {"macs": collections.Counter(), "bias_outputs": 0, "transposed_counted": 0, "transposed_macs": 0, "gates": 0,
           "scales": 0, "unknown": 0}
    weights = {each.name for each in model.graph.initializer}
    row["scales"] = sum(math.prod(known[name]) for name in {
        name for node in model.graph.node if node.op_type in ("QuantizeLinear", "DequantizeLinear")
        for name in node.input[1:] if name in weights and known[name]})
    for node in model.graph.node:
        out = known.get(node.output[0])
        if node.op_type not in ("Conv", "ConvTranspose", "MatMul", "MatMulInteger", "Gemm", "LSTM"):
            continue
        if not out or 0 in out:
            row["unknown"] += 1
            continue
        macs = node_macs(node, known)
        row["macs"][node.op_type] += macs
        if node.op_type in ("Conv", "ConvTranspose", "Gemm") and len(node.input) == 3:
            row["bias_outputs"] += math.prod(out)
        if node.op_type == "ConvTranspose":
            row["transposed_macs"] += macs
            row["transposed_counted"] += math.prod(out) * math.prod(known[node.input[1]][1:])
        if node.op_type == "LSTM":
            steps = math.prod(known[node.input[0]][:2])
            row["gates"] += steps * (math.prod(known[node.input[3]]) + out[-1] * (3 * EXP + 2 * TANH + 8))
    return row


def main(out):
    import measure

    pathlib.Path(out).write_text(json.dumps({
        each.name: measure.in_child(lambda: read(each.make()))
        for each in measure.case.all_cases().values() if each.onnx}))


if __name__ == "__main__":
    main(*sys.argv[1:])
