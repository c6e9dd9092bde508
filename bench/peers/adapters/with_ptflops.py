"""ptflops with its default backend: hooks of modules, and functions of torch that are replaced."""

import sys

from ptflops import get_model_complexity_info

PACKAGE, UNIT = "ptflops", "MACs"


def count(subject):
    inputs = subject.inputs
    if not isinstance(inputs, dict) and len(inputs) > 1:
        inputs = subject.by_name()
    elif not isinstance(inputs, dict):
        (inputs,) = inputs
    macs, parameters = get_model_complexity_info(
        subject.module, (1,), as_strings=False, print_per_layer_stat=True, input_constructor=lambda _: inputs,
        ost=sys.stdout)
    if macs is None:
        raise RuntimeError("it gave no figure; it prints the reason")
    return {"macs": macs, "parameters": parameters}
