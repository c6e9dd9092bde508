"""Draws small ONNX files: products, convolutions, types other than FP32, ops that nothing counts."""

from typing import NamedTuple

from onnx_file import initializer, model, node, value

_FLOATS = ("fp32", "fp32", "fp16", "bf16", "fp64")


class Drawn(NamedTuple):
    """A written file; `symbol`: its batch is one."""

    path: str
    symbol: str
    truth: dict


def _product(random, extent):
    """A row of products and activations on (batch, width)."""
    kind, width = random.choice(_FLOATS), extent(random, 1, 2048)
    nodes, weights, at, first, flop = [], [], "x", width, 0
    for i in range(random.randint(1, 3)):
        to = extent(random, 1, 2048)
        weights.append(initializer(f"w{i}", kind, [width, to]))
        nodes.append(node("MatMul", [at, f"w{i}"], [f"m{i}"]))
        nodes.append(node(random.choice(("Relu", "Sigmoid", "Tanh")), [f"m{i}"], [f"a{i}"]))
        flop += 2 * width * to
        at, width = f"a{i}", to
    return kind, [first], at, [width], nodes, weights, {"matrix_flop_of_a_sample": flop}


def _convolution(random, extent):
    kind = random.choice(_FLOATS)
    channels, to, side = extent(random, 1, 64), extent(random, 1, 64), random.choice((14, 28, 56))
    weights = [initializer("w", kind, [to, channels, 3, 3])]
    nodes = [
        node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1], kernel_shape=[3, 3]),
        node("Relu", ["c"], ["y"]),
    ]
    flop = 2 * 9 * channels * to * side * side
    return (kind, [channels, side, side], "y", [to, side, side], nodes, weights,
            {"matrix_flop_of_a_sample": flop})  # fmt: skip


def _integers(random, extent):
    """A product in int8, whose sums are int32."""
    width, to = extent(random, 1, 2048), extent(random, 1, 2048)
    nodes = [node("MatMulInteger", ["x", "w"], ["y"])]
    weights = [initializer("w", "int8", [width, to])]
    return ("int8", [width], "y", [to], nodes, weights,
            {"matrix_flop_of_a_sample": 2 * width * to, "result": "int32"})  # fmt: skip


def _not_counted(random, extent):
    """An op of a domain that nobody knows, with a result of unknown size, in a net of products."""
    kind, first, at, last, nodes, weights, truth = _product(random, extent)
    nodes.append(node("Drawn", [at], ["u"], domain="drawn"))
    nodes.append(node("Relu", ["u"], ["r"]))
    return kind, first, "r", ["unknown"], nodes, weights, {"not_counted": "Drawn"}


def draw(random, path, extent):
    """A drawn file at `path`."""
    forms = (_product, _product, _convolution, _integers, _not_counted)
    kind, first, at, last, nodes, weights, truth = random.choice(forms)(random, extent)
    symbol = random.random() < 0.5
    batch = "N" if symbol else extent(random, 1, 256)
    result = truth.pop("result", kind)
    outputs = [value(at, result, [batch, *last])]
    path.write_bytes(model(nodes, [value("x", kind, [batch, *first])], outputs, weights))
    truth["type"] = kind
    return Drawn(str(path), "N" if symbol else "", truth)
