"""What onnx and onnxruntime know of a file."""

import numpy
import onnx
import onnxruntime

from truths import tell

_TYPES = {
    "tensor(float)": numpy.float32,
    "tensor(float16)": numpy.float16,
    "tensor(int64)": numpy.int64,
    "tensor(int32)": numpy.int32,
    "tensor(bool)": numpy.bool_,
}


def tell_file(path, sizes=None, weights=True):
    """The first output's shape as onnxruntime gives it, the operator set, the bytes of weights.

    `sizes`: those of named dimensions, told as well: a reader needs them (`--dim`).
    """
    file, sizes = path.name, sizes or {}
    model = onnx.load(str(path))
    tell(file, "uncounted", 0, "onnxruntime runs all of it")
    tell(file, "predicted", "a time", "onnxruntime runs all of it")
    tell(
        file,
        "opset",
        max(one.version for one in model.opset_import if one.domain in ("", "ai.onnx")),
        "onnx",
    )
    for name, size in sizes.items():
        tell(file, f"dim {name}", size, "the program")
    tell(file, "output_shape", "x".join(map(str, first_output(path, sizes).shape)), "onnxruntime")
    if weights:
        tell(file, "stored_bytes", sum(bytes_of(one) for one in model.graph.initializer), "onnx")


def bytes_of(tensor):
    """Bytes of an initialiser of rank 1 or more; elements of 4 bits take half a byte."""
    if not tensor.dims:
        return 0
    count = int(numpy.prod(tensor.dims))
    if tensor.data_type in (onnx.TensorProto.INT4, onnx.TensorProto.UINT4):
        return (count + 1) // 2
    return count * onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type).itemsize


def first_output(path, sizes):
    """What onnxruntime computes, with inputs of ones."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    running = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    feed = {}
    for one in running.get_inputs():
        shape = [size if isinstance(size, int) else sizes[size] for size in one.shape]
        feed[one.name] = numpy.ones(shape, _TYPES[one.type])
    return running.run(None, feed)[0]
