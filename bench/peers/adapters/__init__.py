"""An adapter for each peer: `count(subject)` prints what its user sees, and gives its figures.

A subject is a module with its inputs, or the path of an ONNX file (`measure.Subject`). The figures are a dict:

    macs            the peer's figure as multiply-adds: FLOPs are halved where the peer counts a multiply-add as 2
    parameters      as the peer says
    weight_bytes    bytes of the weights, where it says them
    peak_bytes      most bytes at once in the pass, where it says them
    parts           the multiply-adds by kind of operation, where the peer tells them apart

PACKAGE is the distribution whose version the page names. UNIT is what the peer's own figure counts.
"""

NAMES = ("torchinfo", "fvcore", "calflops", "thop", "ptflops", "flop_counter", "onnx_tool", "accelerate", "rooflab",
         "rooflab_program")
