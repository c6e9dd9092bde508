"""calflops: functions of torch that are replaced during a forward pass."""

from calflops import calculate_flops

PACKAGE, UNIT = "calflops", "MACs and FLOPs"


def count(subject):
    named = {"kwargs": subject.inputs} if isinstance(subject.inputs, dict) else {"args": list(subject.inputs)}
    _, macs, parameters = calculate_flops(subject.module, **named, output_as_string=False, print_results=True,
                                          print_detailed=True)
    return {"macs": macs, "parameters": parameters}
