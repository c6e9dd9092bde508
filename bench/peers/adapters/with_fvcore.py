"""fvcore: operators of a graph that torch.jit traces."""

from fvcore.nn import FlopCountAnalysis, flop_count_table, parameter_count

PACKAGE, UNIT = "fvcore", "FLOPs, a multiply-add is 1"


def count(subject):
    module, inputs = subject.positional()
    analysis = FlopCountAnalysis(module, inputs)
    print(flop_count_table(analysis))
    return {"macs": analysis.total(), "parameters": parameter_count(subject.module)[""],
            "parts": dict(analysis.by_operator())}
