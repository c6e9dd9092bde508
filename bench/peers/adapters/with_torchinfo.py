"""torchinfo: the table of modules, by hooks in a forward pass."""

import torchinfo

PACKAGE, UNIT = "torchinfo", "mult-adds"


def count(subject):
    if isinstance(subject.inputs, dict):
        statistics = torchinfo.summary(subject.module, **subject.inputs, input_data=[], verbose=0)
    else:
        statistics = torchinfo.summary(subject.module, input_data=list(subject.inputs), verbose=0)
    print(statistics)
    return {"macs": statistics.total_mult_adds, "parameters": statistics.total_params,
            "weight_bytes": statistics.total_param_bytes}
