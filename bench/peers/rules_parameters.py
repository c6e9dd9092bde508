"""What peers say of parameters and of bytes of weights, compared with the truth: trained values, shared ones once."""

import math

from rules import Amounts, rule
from rules_modules import CELLS, RECURRENT, THOP_NORMS, known

PACKED = {
    peer: rule(peer, "packed weights", "The packed int8 weights of torch.ao are not among the parameters.", place)
    for peer, place in (("torchinfo weights", "torchinfo/layer_info.py:193"),
        ("fvcore weights", "fvcore/nn/parameter_count.py:24"),
        ("calflops weights", "calflops/calculate_pipline.py:135"),
        ("thop weights", "thop/profile.py:199"),
        ("ptflops weights", "ptflops/pytorch_engine.py:162"))}
SHARED = rule(
    "torchinfo weights", "shared weights count again",
    "A weight that two modules have counts in each.",
    "torchinfo/model_statistics.py:39")
TWICE = rule(
    "torchinfo weights", "a module in two parents",
    "Each parent counts what is left over of the module again.",
    "torchinfo/layer_info.py:299")
FROZEN = {
    peer: rule(peer, "only what needs a gradient", "Parameters that need no gradient do not count, as torchao's.", place)
    for peer, place in (("calflops weights", "calflops/calculate_pipline.py:135"),
        ("ptflops weights", "ptflops/pytorch_engine.py:162"))}
UNHOOKED = rule(
    "thop weights", "only module types that it knows",
    "Parameters of other types, and of modules that have children or are not called, count "
    "nothing.",
    "thop/profile.py:199")
ROOT = rule(
    "thop weights", "not those of the module itself",
    "A module without children counts 0 parameters when it is the one that is asked for.",
    "thop/profile.py:215")
THOP_SHARED = rule(
    "thop weights", "shared weights count again",
    "A weight that two modules have counts in each, a module in two parents too.",
    "thop/profile.py:231")
BUFFERS = rule(
    "accelerate bytes", "buffers count",
    "Statistics of batch norms, positions and tables count as weights.",
    "accelerate/utils/modeling.py:688")
WIDE = {
    peer: rule(peer, "int8 by torchao as fp32",
               "The tensors say that their elements have 4 bytes; they hold 1, and scales.", place)
    for peer, place in (("torchinfo bytes", "torchinfo/layer_info.py:198"),
        ("accelerate bytes", "accelerate/utils/modeling.py:692"))}
INNER = rule(
    "torchinfo bytes", "only leaf modules",
    "Bytes of parameters that a module with children has itself are not added.",
    "torchinfo/model_statistics.py:40")
BYTES_SHARED = rule(
    "torchinfo bytes", "shared weights count again",
    "A weight that two modules have counts in each.",
    "torchinfo/model_statistics.py:40")
KNOWN = ("Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", *THOP_NORMS, "PReLU",
         "Linear", *RECURRENT, *CELLS)


def own(module, key=lambda trained, first, places: True):
    return sum(math.prod(shape) for shape, *facts in module["parameters"].values() if key(*facts))


def is_first(trained, first, places):
    return first


def parameters(peer, ledger, truth):
    """Amounts of a peer's number of parameters."""
    amounts, name = Amounts(), f"{peer} weights"
    held = sum(own(each, is_first) for each in ledger.modules)
    if name in PACKED and truth > held:
        amounts.add(PACKED[name], held - truth)
    if peer == "torchinfo":
        called = {event["number"] for event in ledger.module_events}
        for number, each in enumerate(ledger.modules):
            if number in called:
                amounts.add(SHARED, own(each, lambda trained, first, places: not first))
            else:
                amounts.add(SHARED, -own(each, lambda trained, first, places: first and places > 1))
        amounts.add(TWICE, sum(len(each["names"]) * own(each) for each in ledger.modules if len(each["names"]) > 1))
    if name in FROZEN:
        amounts.add(FROZEN[name], -sum(own(each, lambda trained, first, places: first and not trained)
                                       for each in ledger.modules))
    if peer == "thop":
        called = {event["number"] for event in ledger.module_events}
        for number, each in enumerate(ledger.modules):
            unique = own(each, is_first)
            if number == 0:
                amounts.add(ROOT, -unique)
            elif number in called and known(ledger, number, *KNOWN):
                amounts.add(THOP_SHARED, own(each) * len(each["names"]) - unique)
            else:
                amounts.add(UNHOOKED, -unique)
    return amounts


def weight_bytes(peer, ledger, truth):
    """Amounts of a peer's bytes of weights."""
    amounts, name = Amounts(), f"{peer} bytes"
    held = 4 * sum(own(each, is_first) for each in ledger.modules)
    if name in WIDE:
        amounts.add(WIDE[name], held - truth)
    if peer == "accelerate":
        amounts.add(BUFFERS, sum(each["buffers"] for each in ledger.modules))
    if peer == "torchinfo":
        called = {event["number"] for event in ledger.module_events}
        for number, each in enumerate(ledger.modules):
            first = 4 * own(each, is_first)
            if not ledger.leaf(number) or number not in called:
                amounts.add(INNER, -first)
            else:
                amounts.add(BYTES_SHARED, 4 * own(each) - first)
    return amounts
