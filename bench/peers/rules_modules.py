"""What torchinfo and thop count: both hook modules."""

import math

from rules import Amounts, numel, rule

RECURRENT = ("RNN", "LSTM", "GRU")
CELLS = ("RNNCell", "LSTMCell", "GRUCell")
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4, "RNNCell": 1, "GRUCell": 3, "LSTMCell": 4}

OUTSIDE = rule(
    "torchinfo", "only leaf modules",
    "Products outside modules without children count nothing: attention, functions, parameters "
    "of a module that has children.",
    "torchinfo/model_statistics.py:32")
FIRST = rule(
    "torchinfo", "weights x first dimension",
    "A layer other than a convolution counts its weights once for each index of the output's "
    "first dimension: a sequence or a grid of tokens counts as one row.",
    "torchinfo/layer_info.py:242")
BIAS = rule(
    "torchinfo", "a bias is a multiply-add",
    "Biases count like weights.",
    "torchinfo/layer_info.py:235")
LOOKUP = rule(
    "torchinfo", "weights that multiply no matrix",
    "Norms count their weights, and embeddings the whole table, once for each index of the "
    "first dimension.",
    "torchinfo/layer_info.py:242")
OUTPUTS = rule(
    "torchinfo", "transposed convolutions by outputs",
    "A transposed convolution counts its weights at each place of the output; they multiply at "
    "each place of the input.",
    "torchinfo/layer_info.py:239")
CONV1D = rule(
    "torchinfo", "each name with Conv is a convolution",
    "transformers' Conv1D, a linear layer, counts its weights at the output's first and third "
    "dimension.",
    "torchinfo/layer_info.py:237")
NAMES = rule(
    "torchinfo", "other names by two dimensions",
    "Parameters whose names only contain `weight` or `bias` count by the output's first two "
    "dimensions: right for a sequence, not for a cell's batch and width.",
    "torchinfo/layer_info.py:245")
UNSEEN = rule(
    "torchinfo", "no parameters",
    "The packed int8 weights of torch.ao are not among the parameters.",
    "torchinfo/layer_info.py:233")


def torchinfo(ledger):
    amounts = Amounts()
    for event, work in ledger.work_of_calls():
        number, out, whole = event["number"], event["output"] or [], work
        kind, held = ledger.type_of(number), ledger.modules[number]["parameters"]
        if not ledger.leaf(number):
            amounts.add(OUTSIDE, -work)
            continue
        if not held:
            amounts.add(UNSEEN if "quantized" in ledger.modules[number]["type"] else OUTSIDE, -work)
            continue
        for name, (shape, *_) in held.items():
            size = math.prod(shape)
            if name not in ("weight", "bias"):
                counted = math.prod(out[:2]) * size if "weight" in name or "bias" in name else 0
                key = BIAS if "bias" in name and kind in RECURRENT else NAMES
            elif "Conv" in kind:
                counted = size * math.prod(out[:1] + out[2:])
                key = BIAS if name == "bias" else CONV1D if kind == "Conv1D" else OUTPUTS
            else:
                counted = out[0] * size
                key = BIAS if name == "bias" and whole else FIRST if whole else LOOKUP
            if key == BIAS:
                amounts.add(BIAS, counted)
            else:  # what the weights do is set off against what they count
                amounts.add(key, counted - work)
                work = 0
        amounts.add(OUTSIDE, -work)
    return amounts


UNKNOWN = rule(
    "thop", "only module types that it knows",
    "Products of other types and of functions count nothing: attention, transformers' Conv1D, "
    "subclasses.",
    "thop/profile.py:188")
NORM = rule(
    "thop", "norms",
    "A norm counts 2 an element, 4 with weights.",
    "thop/vision/basic_hooks.py:66")
POOL = rule(
    "thop", "average pools",
    "An adaptive average pool counts its window and 1 an output, an average pool 1 an output.",
    "thop/vision/basic_hooks.py:114")
THOP_OUTPUTS = rule(
    "thop", "transposed convolutions by outputs",
    "A transposed convolution counts its kernel at each output, with all input channels of a "
    "group.",
    "thop/vision/calc_func.py:34")
GATE = rule(
    "thop", "gates of recurrent layers",
    "Biases and products of gates count.",
    "thop/rnn_hooks.py:56")
PROJECTION = rule(
    "thop", "no projections",
    "An LSTM with a projection counts as one without.",
    "thop/rnn_hooks.py:63")
PARENTS = rule(
    "thop", "each parent adds",
    "A module in two parents gets its hook twice and is added up in each: 4 times.",
    "thop/profile.py:209")

THOP_NORMS = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LayerNorm", "InstanceNorm1d", "InstanceNorm2d",
              "InstanceNorm3d", "SyncBatchNorm")


def known(ledger, number, *names):
    """Whether a module is exactly one of these types of torch.nn."""
    return ledger.modules[number]["type"].startswith("torch.nn.modules.") and ledger.type_of(number) in names


def cell(kind, width, state, bias):
    """thop's count of one step of one sample: products, and the rest."""
    gates = GATES[kind]
    rest = {"RNN": state, "GRU": 3 * state + 4 * state, "LSTM": 4 * state + 4 * state}[kind.removesuffix("Cell")]
    return gates * state * (width + state), rest + (2 * gates * state if bias else 0)


def thop_recurrent(ledger, event, amounts, work):
    number, kind = event["number"], ledger.type_of(event["number"])
    settings = ledger.modules[number]["settings"]
    state, bias, both = settings["hidden_size"], settings["bias"], 1 + bool(settings.get("bidirectional"))
    steps = event["input"][0] if kind in CELLS else math.prod(event["input"][:2])
    products = rest = 0
    for layer in range(settings.get("num_layers", 1)):
        width = settings["input_size"] if layer == 0 else state * both
        one = cell(kind, width, state, bias)
        products, rest = products + steps * both * one[0], rest + steps * both * one[1]
    amounts.add(PROJECTION, products - work)
    amounts.add(GATE, rest)


def thop(ledger):
    amounts = Amounts()
    for event, work in ledger.work_of_calls():
        number, before = event["number"], sum(amounts.values())
        if known(ledger, number, *THOP_NORMS):
            settings = ledger.modules[number]["settings"]
            twice = settings.get("affine") or settings.get("elementwise_affine")
            amounts.add(NORM, numel(event["input"]) * (4 if twice else 2))
        elif known(ledger, number, "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d"):
            window = math.prod(a / b for a, b in zip(event["input"][2:], event["output"][2:]))
            amounts.add(POOL, int((window + 1) * numel(event["output"])))
        elif known(ledger, number, "AvgPool1d", "AvgPool2d", "AvgPool3d"):
            amounts.add(POOL, numel(event["output"]))
        elif known(ledger, number, *RECURRENT, *CELLS):
            thop_recurrent(ledger, event, amounts, work)
        elif known(ledger, number, "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"):
            weight = ledger.modules[number]["parameters"]["weight"][0]
            groups = ledger.modules[number]["settings"]["groups"]
            counted = numel(event["output"]) * (event["input"][1] // groups) * math.prod(weight[2:])
            amounts.add(THOP_OUTPUTS, counted - work)
        elif not known(ledger, number, "Linear", "Conv1d", "Conv2d", "Conv3d"):
            amounts.add(UNKNOWN, -work)
        places = len(ledger.modules[number]["names"])
        amounts.add(PARENTS, (places ** 2 - 1) * (work + sum(amounts.values()) - before))
    return amounts
