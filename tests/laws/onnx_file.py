"""Writes ONNX files without the package `onnx`: what the laws need of protobuf and of ModelProto.

Fields are those of onnx.proto (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto).
"""

import struct

TYPES = {"fp32": 1, "int8": 3, "int32": 6, "int64": 7, "fp16": 10, "fp64": 11, "bf16": 16}
SIZES = {"fp32": 4, "int8": 1, "int32": 4, "int64": 8, "fp16": 2, "fp64": 8, "bf16": 2}


def _varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(field, value):
    return _varint(field << 3) + _varint(value)


def _bytes(field, data):
    data = data.encode() if isinstance(data, str) else data
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _shape(extents):
    return b"".join(
        _bytes(1, _bytes(2, each) if isinstance(each, str) else _number(1, each))
        for each in extents
    )


def value(name, type_name, extents):
    """ValueInfoProto; an extent that is a text is a symbol."""
    tensor = _number(1, TYPES[type_name]) + _bytes(2, _shape(extents))
    return _bytes(1, name) + _bytes(2, _bytes(1, tensor))


def initializer(name, type_name, extents):
    """TensorProto of zeros."""
    count = 1
    for each in extents:
        count *= each
    dims = b"".join(_number(1, each) for each in extents)
    data = bytes(count * SIZES[type_name])
    return dims + _number(2, TYPES[type_name]) + _bytes(8, name) + _bytes(9, data)


def indices(name, numbers):
    """TensorProto of 64-bit integers."""
    data = struct.pack(f"<{len(numbers)}q", *numbers)
    return _number(1, len(numbers)) + _number(2, TYPES["int64"]) + _bytes(8, name) + _bytes(9, data)


def node(op, inputs, outputs, domain="", **attributes):
    """NodeProto; an attribute is an integer or a list of integers."""
    parts = [_bytes(1, each) for each in inputs] + [_bytes(2, each) for each in outputs]
    parts += [_bytes(3, outputs[0] + "_node"), _bytes(4, op), _bytes(7, domain)]
    for key, given in attributes.items():
        if isinstance(given, list):
            held = b"".join(_number(8, each) for each in given) + _number(20, 7)
        else:
            held = _number(3, given) + _number(20, 2)
        parts.append(_bytes(5, _bytes(1, key) + held))
    return b"".join(parts)


def model(nodes, inputs, outputs, initializers=()):
    """ModelProto of opset 17."""
    graph = b"".join(_bytes(1, each) for each in nodes) + _bytes(2, "drawn")
    graph += b"".join(_bytes(5, each) for each in initializers)
    graph += b"".join(_bytes(11, each) for each in inputs)
    graph += b"".join(_bytes(12, each) for each in outputs)
    opset = _bytes(8, _bytes(1, "") + _number(2, 17)) + _bytes(8, _bytes(1, "drawn") + _number(2, 1))
    return _number(1, 8) + _bytes(7, graph) + opset
