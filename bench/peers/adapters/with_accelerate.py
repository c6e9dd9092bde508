"""accelerate's estimate of memory, as `accelerate estimate-memory` makes it of a model without a hub."""

from accelerate.commands import estimate

PACKAGE, UNIT = "accelerate", "bytes of weights and buffers"


def count(subject):
    estimate.create_empty_model = lambda *_, **__: subject.module
    arguments = estimate.estimate_command_parser().parse_args(["model", "--dtypes", "float32"])
    estimate.estimate_command(arguments)
    [[_, _, size, _]] = estimate.gather_data(arguments)
    return {"weight_bytes": size}
