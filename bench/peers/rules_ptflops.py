"""What ptflops counts: hooks of modules, and functions that are replaced at the same time."""

import collections
import math

from rules import Amounts, broadcast, numel, rule
from rules_modules import CELLS, GATES, RECURRENT

MODULE_BIAS = rule(
    "ptflops", "a bias is a multiply-add",
    "Biases of convolutions and linear layers count 1 an output.",
    "ptflops/pytorch_ops.py:41")
PT_NORM = rule(
    "ptflops", "norms",
    "A norm counts 1 an element, 2 where it has `affine`.",
    "ptflops/pytorch_ops.py:55")
MODULE_ACTIVATION = rule(
    "ptflops", "activations and pools, as modules",
    "A module of an activation counts 1 an output, of a pool 1 an input.",
    "ptflops/pytorch_ops.py:30")
FUNCTION = rule(
    "ptflops", "activations, pools and softmax, as functions",
    "The functions count 1 an input, those that modules call, too: a ReLU module counts twice.",
    "ptflops/pytorch_engine.py:350")
ELEMENTWISE = rule(
    "ptflops", "add and mul as functions",
    "torch.add, torch.mul and their methods count 1 a result; the operators + and * count "
    "nothing.",
    "ptflops/pytorch_ops.py:397")
MISSING = rule(
    "ptflops", "functions that it does not replace",
    "Products by F.linear, by @, einsum, scaled_dot_product_attention and in unknown modules "
    "count nothing.",
    "ptflops/pytorch_engine.py:349")
PT_MATMUL = rule(
    "ptflops", "matmul by the first operand",
    "torch.matmul counts the first operand's elements times the second's last dimension: a "
    "broadcast batch is lost.",
    "ptflops/pytorch_ops.py:386")
FUNCTION_BIAS = rule(
    "ptflops", "addmm adds its first operand",
    "torch.addmm and baddbmm count the elements of what they add.",
    "ptflops/pytorch_ops.py:393")
HEADS = rule(
    "ptflops", "MultiheadAttention by its formula",
    "The module counts biases, scaling and softmax, keys and values as square projections, and "
    "its functions count again.",
    "ptflops/pytorch_ops.py:180")
TIMM = rule(
    "ptflops", "timm's Attention hides its layers",
    "The module counts its products, and no layer inside of it.",
    "ptflops/pytorch_engine.py:97")
PT_GATE = rule(
    "ptflops", "gates of recurrent layers",
    "Biases and products of gates count.",
    "ptflops/pytorch_ops.py:105")
PT_RECURRENT = rule(
    "ptflops", "recurrent layers by the first direction's weights",
    "Both directions count by the weights of the first, without a projection.",
    "ptflops/pytorch_ops.py:143")
CELL_ROWS = rule(
    "ptflops", "calls beside the batch",
    "Module figures are divided by the first dimension of the first input, whatever it is; "
    "those of functions are not.",
    "ptflops/pytorch_engine.py:199")
AGAIN = rule(
    "ptflops", "functions inside known modules",
    "A known module counts by its hook, and the functions that it calls count again.",
    "ptflops/pytorch_engine.py:70")
PT_PARENTS = rule(
    "ptflops", "each parent adds",
    "A module in two parents counts all of its calls in each.",
    "ptflops/pytorch_engine.py:101")

ACTIVATIONS = ("ReLU", "PReLU", "ELU", "LeakyReLU", "ReLU6", "GELU")
POOLS = tuple(f"{kind}Pool{n}d" for kind in ("Max", "Avg", "AdaptiveMax", "AdaptiveAvg") for n in (1, 2, 3))
CONVOLUTIONS = tuple(f"Conv{kind}{n}d" for kind in ("", "Transpose") for n in (1, 2, 3))
NORMS = tuple(f"{kind}Norm{n}d" for kind in ("Batch", "Instance") for n in (1, 2, 3)) + ("GroupNorm", "LayerNorm")
TYPES = (*ACTIVATIONS, *POOLS, *CONVOLUTIONS, *NORMS, *RECURRENT, *CELLS, "Linear", "Upsample", "MultiheadAttention")
PRODUCTS = ("torch.matmul", "Tensor.matmul", "torch.mm", "Tensor.mm", "torch.bmm", "Tensor.bmm", "torch.addmm",
            "Tensor.addmm", "torch.baddbmm")


def supported(ledger, number):
    full, short = ledger.modules[number]["type"], ledger.type_of(number)
    return full.startswith("torch.nn.modules.") and short in TYPES or full.startswith("timm.") and short == "Attention"


def paths(ledger):
    """How often each module is added up: by each way from the root that meets no other supported module."""
    found = collections.Counter()

    def walk(number):
        found[number] += 1
        if not supported(ledger, number):
            for child in ledger.modules[number]["children"]:
                walk(child)

    walk(0)
    return found


def recurrent(ledger, event):
    """Products, and the rest, of a recurrent module by its hook."""
    number, kind = event["number"], ledger.type_of(event["number"])
    held, settings = ledger.modules[number]["parameters"], ledger.modules[number]["settings"]
    gates, state = GATES[kind], settings["hidden_size"]
    each = {"RNN": 1, "GRU": 7, "LSTM": 10}[kind.removesuffix("Cell")] * state
    products = rest = 0
    for layer in range(settings.get("num_layers", 1)):
        suffix = "" if kind in CELLS else f"_l{layer}"
        products += sum(math.prod(held[f"weight_{side}{suffix}"][0]) for side in ("ih", "hh"))
        rest += each + (2 * gates * state if settings["bias"] else 0)
    times = event["input"][0] if kind in CELLS else math.prod(event["input"][:2])
    times *= 1 + bool(settings.get("bidirectional"))
    return products * times, rest * times


def heads(ledger, event, shapes):
    """The hook of MultiheadAttention; `shapes` are those of queries, keys and values."""
    settings, held = (ledger.modules[event["number"]][key] for key in ("settings", "parameters"))
    queries, keys, values = shapes
    first, length = (0, 1) if settings["batch_first"] else (1, 0)
    (q, k, v), (dq, dk, dv) = (tuple(each[i] for each in shapes) for i in (length, 2))
    one = q * dq + q * dq * dq + k * dk * dk + v * dv * dv + q * dv * (dv + 1)
    if "in_proj_bias" in held:
        one += (q + k + v) * dq
    one += settings["num_heads"] * (q * k * (dq // settings["num_heads"] + 1 + dv // settings["num_heads"]))
    return one * queries[first]


def hook(ledger, event, work, amounts):
    """What the hook of a supported module adds; the other amounts go to their rules."""
    number, kind, settings = event["number"], ledger.type_of(event["number"]), \
        ledger.modules[event["number"]]["settings"]
    if kind in CONVOLUTIONS or kind == "Linear":
        bias = numel(event["output"]) if "bias" in ledger.modules[number]["parameters"] else 0
        amounts.add(MODULE_BIAS, bias)
        return work + bias
    if kind in NORMS:
        key, counted = PT_NORM, numel(event["input"]) * (2 if settings.get("affine") else 1)
    elif kind in ACTIVATIONS:
        key, counted = MODULE_ACTIVATION, numel(event["output"])
    elif kind in POOLS:
        key, counted = MODULE_ACTIVATION, numel(event["input"])
    elif kind in (*RECURRENT, *CELLS):
        products, counted = recurrent(ledger, event)
        amounts.add(PT_RECURRENT, products - work)
        amounts.add(PT_GATE, counted)
        return products + counted
    elif kind == "MultiheadAttention":
        key, counted = HEADS, heads(ledger, event, event["inputs"][:3])
    elif kind == "Attention":
        batch, n, _ = event["input"]
        each = settings["num_heads"] * settings["head_dim"]
        key, counted = TIMM, batch * (n * each + 2 * n * n * each + n * n * settings["num_heads"])
    else:
        raise KeyError(kind)
    amounts.add(key, counted - work)
    return counted


def functions(ledger, amounts, counted_modules):
    """What the replaced functions add."""
    for call in ledger.calls:
        name, shapes = call["name"], call["shapes"]
        if name in ("torch.mul", "Tensor.mul", "torch.add", "Tensor.add"):
            amounts.add(ELEMENTWISE, broadcast(*shapes[:2]))
        elif name in PRODUCTS:
            left, right = shapes[1:3] if "addmm" in name or "baddbmm" in name else shapes[:2]
            counted = numel(left) * right[-1] + (numel(shapes[0]) if "add" in name else 0)
            if counted_modules & set(call["within"]):
                amounts.add(AGAIN, counted)
            else:
                amounts.add(PT_MATMUL if "matmul" in name else FUNCTION_BIAS, counted - call["macs"])
        elif name.split(".")[-1] in ("relu", "prelu", "elu", "relu6", "gelu", "silu", "softmax") or "_pool" in name:
            amounts.add(FUNCTION, numel(shapes[0]))
        elif name == "F.interpolate":
            amounts.add(FUNCTION, numel(call["output"]))


def ptflops(ledger):
    amounts, ways = Amounts(), paths(ledger)
    counting = {number for number in range(len(ledger.modules)) if supported(ledger, number)}
    modules = 0
    for event, work in ledger.work_of_calls():
        number = event["number"]
        if number in counting and ways[number]:
            counted = hook(ledger, event, work, amounts)
            modules += counted * ways[number]
            amounts.add(PT_PARENTS, counted * (ways[number] - 1))
        elif number in counting:
            amounts.add(TIMM, -work)
    for op in ledger.ops:
        if ledger.owner(op) not in counting and not set(op["via"]) & set(PRODUCTS):
            amounts.add(MISSING, -op["macs"])
    functions(ledger, amounts, counting)
    amounts.add(CELL_ROWS, modules / ledger.batch - modules)
    return amounts
