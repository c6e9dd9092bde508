"""What peers that follow operations and functions count: fvcore, calflops, FlopCounterMode; and onnx-tool's nodes."""

import collections
import math

from rules import Amounts, numel, rule
from rules_modules import RECURRENT

SDPA = ("_scaled_dot_product_flash_attention_for_cpu", "_scaled_dot_product_flash_attention",
        "_scaled_dot_product_efficient_attention", "_scaled_dot_product_fused_attention_overrideable")

FV_SDPA = rule(
    "fvcore", "no fused attention",
    "aten::scaled_dot_product_attention has no handle and counts nothing.",
    "fvcore/nn/flop_count.py:26")
FV_RECURRENT = rule(
    "fvcore", "no recurrent layers",
    "aten::lstm, gru and rnn_tanh have no handle and count nothing.",
    "fvcore/nn/flop_count.py:26")
FV_OTHER = rule(
    "fvcore", "no other products",
    "baddbmm, bilinear, products of grouped experts and quantised ones have no handle and count "
    "nothing.",
    "fvcore/nn/flop_count.py:26")
FV_NORM = rule(
    "fvcore", "norms",
    "A batch norm counts 2 an element, a layer norm 5, a group norm 5; 1 less or 4 without "
    "weights.",
    "fvcore/nn/jit_handles.py:245")
FV_POOL = rule(
    "fvcore", "adaptive average pools",
    "adaptive_avg_pool2d counts 1 an input.",
    "fvcore/nn/flop_count.py:42")
FV_BROADCAST = rule(
    "fvcore", "matmul by the first operand",
    "The first operand's elements times the second's last dimension: a broadcast batch is lost.",
    "fvcore/nn/jit_handles.py:226")
FV_EINSUM = rule(
    "fvcore", "einsum by a rounded text",
    "The count is read from the text of numpy.einsum_path, which has four digits.",
    "fvcore/nn/jit_handles.py:212")


def fvcore(ledger):
    amounts = Amounts()
    for op in ledger.ops:
        owner = ledger.type_of(ledger.owner(op)) if op["within"] else ""
        if op["name"] in SDPA or "F.scaled_dot_product_attention" in op["via"]:
            amounts.add(FV_SDPA, -op["macs"])
        elif owner in RECURRENT:
            amounts.add(FV_RECURRENT, -op["macs"])
        elif op["name"] in ("baddbmm", "_trilinear", "_grouped_mm", "linear_dynamic", "_int_mm"):
            amounts.add(FV_OTHER, -op["macs"])
    for call in ledger.calls:
        size = numel(call["shapes"][0]) if call["name"] != "torch.einsum" else 0
        if call["name"] == "F.batch_norm":
            amounts.add(FV_NORM, size * (2 if call["affine"] else 1))
        elif call["name"] in ("F.layer_norm", "F.group_norm"):
            amounts.add(FV_NORM, size * (5 if call["affine"] else 4))
        elif call["name"] == "F.adaptive_avg_pool2d":
            amounts.add(FV_POOL, size)
        elif call["name"] in ("torch.matmul", "Tensor.matmul"):
            amounts.add(FV_BROADCAST, size * call["shapes"][1][-1] - call["macs"])
        elif call["name"] == "torch.einsum":
            flops = 2 * call["macs"]
            amounts.add(FV_EINSUM, math.floor(float(f"{flops:.3e}") / 2) - call["macs"])
    return amounts


CAL_MISSING = rule(
    "calflops", "functions that it does not replace",
    "Products by @, bmm, mm, scaled_dot_product_attention, recurrent layers and quantised ones "
    "have no MACs; einsum has FLOPs and no MACs.",
    "calflops/pytorch_ops.py:507")
CAL_BROADCAST = rule(
    "calflops", "matmul by the first operand",
    "The first operand's elements times the second's last dimension: a broadcast batch is lost.",
    "calflops/pytorch_ops.py:278")
CAL_PARENTS = rule(
    "calflops", "each parent adds",
    "A module in two parents counts all of its calls in each.",
    "calflops/utils.py:281")
CAL_GROUPS = rule(
    "calflops", "groups of a transposed convolution twice",
    "The outputs of a group are divided by the groups once more.",
    "calflops/pytorch_ops.py:161")
CAL_REPLACED = ("F.linear", "torch.matmul", "Tensor.matmul", "torch.addmm", "Tensor.addmm", "torch.baddbmm",
                *(f"F.conv{kind}{n}d" for kind in ("", "_transpose") for n in (1, 2, 3)))


def calflops(ledger):
    amounts, ways = Amounts(), collections.Counter()

    def walk(number):
        ways[number] += 1
        for child in ledger.modules[number]["children"]:
            walk(child)

    walk(0)
    for op in ledger.ops:
        counted = bool(set(op["via"]) & set(CAL_REPLACED)) and ledger.type_of(ledger.owner(op)) not in RECURRENT
        if not counted:
            amounts.add(CAL_MISSING, -op["macs"])
        else:
            amounts.add(CAL_PARENTS, op["macs"] * (ways[ledger.owner(op)] - 1))
    for call in ledger.calls:
        if call["name"] in ("torch.matmul", "Tensor.matmul"):
            amounts.add(CAL_BROADCAST, numel(call["shapes"][0]) * call["shapes"][1][-1] - call["macs"])
        elif "conv_transpose" in call["name"]:
            left, weight = call["shapes"][:2]
            groups = ledger.modules[ledger.owner(call)]["settings"].get("groups", 1)
            counted = left[0] * left[1] * math.prod(left[2:]) * math.prod(weight[2:]) * (weight[1] // groups)
            amounts.add(CAL_GROUPS, counted - call["macs"])
    return amounts


NO_FORMULA = rule(
    "FlopCounterMode", "operations without a formula",
    "oneDNN's recurrent layers, bilinear products, products of grouped experts and of int8 have "
    "no formula and count nothing.",
    "torch/utils/flop_counter.py:210")


def flop_counter(ledger):
    amounts = Amounts()
    for op in ledger.ops:
        if op["name"] not in ("mm", "addmm", "bmm", "baddbmm", "convolution", *SDPA[:3]):
            amounts.add(NO_FORMULA, -op["macs"])
    return amounts


ONNX_VECTOR = rule(
    "onnx-tool", "operations that multiply no matrices",
    "Each element costs by a table: an exp 32, a square root 24, a division 4, a pool its "
    "window.",
    "onnx_tool/node.py:19")
ONNX_BIAS = rule(
    "onnx-tool", "a bias is a multiply-add",
    "Gemm, Conv and ConvTranspose with a third input count 1 an output.",
    "onnx_tool/node.py:877")
ONNX_OUTPUTS = rule(
    "onnx-tool", "transposed convolutions by outputs",
    "A transposed convolution counts its kernel at each output, with the outputs' channels.",
    "onnx_tool/node.py:2573")
ONNX_GATES = rule(
    "onnx-tool", "gates of recurrent layers",
    "Biases count 1, sigmoids 32, tanhs 38 an element, and the last state once.",
    "onnx_tool/node.py:1964")
ONNX_SCALES = rule(
    "onnx-tool", "scales count",
    "Scales and zero points with a dimension count as parameters.",
    "onnx_tool/graph.py:1393")
MATRIX = ("Gemm", "MatMul", "Conv", "MatMulInteger", "ConvInteger", "QLinearConv", "QLinearMatMul", "LSTM",
          "ConvTranspose", "Einsum")


def onnx_tool(file, parts):
    """`file` is what ledger_onnx.py found; `parts` the peer's own figures for operations that multiply nothing."""
    amounts = Amounts()
    amounts.add(ONNX_VECTOR, sum(value for name, value in parts.items() if name not in MATRIX))
    amounts.add(ONNX_BIAS, file["bias_outputs"])
    amounts.add(ONNX_OUTPUTS, file["transposed_counted"] - file["transposed_macs"])
    amounts.add(ONNX_GATES, file["gates"])
    return amounts


def onnx_tool_parameters(file):
    amounts = Amounts()
    amounts.add(ONNX_SCALES, file["scales"])
    return amounts
