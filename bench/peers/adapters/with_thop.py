"""thop: hooks of the module types that it knows."""

import thop

PACKAGE, UNIT = "thop", "MACs"


def count(subject):
    module, inputs = subject.positional()
    macs, parameters = thop.profile(module, inputs)
    print(thop.clever_format([macs, parameters]))
    return {"macs": macs, "parameters": parameters}
