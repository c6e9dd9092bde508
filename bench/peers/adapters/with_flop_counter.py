"""PyTorch's FlopCounterMode: operations of the dispatcher."""

from torch.utils.flop_counter import FlopCounterMode

PACKAGE, UNIT = "torch", "FLOPs, a multiply-add is 2"


def count(subject):
    with FlopCounterMode(display=True) as counter:
        subject.call()
    parts = {str(operation): flops / 2 for operation, flops in counter.get_flop_counts()["Global"].items()} \
        if counter.get_total_flops() else {}
    return {"macs": counter.get_total_flops() / 2, "parts": parts}
