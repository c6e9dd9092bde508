"""What a case does, as a list of events, from which the rules predict what a peer says.

    ledger.py OUT [CASE...]

Events of a forward pass with autograd on, in order:

    call    a function of torch that peers replace: `name`, shapes of its tensors, shape of the result
    module  a module that was called: `type`, shapes of input and output, its parameters, its children
    op      an operation of the dispatcher that multiplies matrices: `name`, `macs`, `via` (the functions around it)

Every event has `within`: the numbers of the modules around it, outermost first. `modules` has each module once:
its type, its own parameters, its children and all places where it is registered.
"""

import collections
import json
import math
import pathlib
import sys

FUNCTIONS = {
    "F": ("linear conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d relu prelu elu leaky_relu "
          "relu6 silu gelu avg_pool1d avg_pool2d avg_pool3d max_pool1d max_pool2d max_pool3d adaptive_avg_pool1d "
          "adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d softmax "
          "interpolate batch_norm layer_norm group_norm instance_norm embedding scaled_dot_product_attention"),
    "torch": "matmul mm bmm addmm baddbmm mul add einsum",
    "Tensor": "matmul mm bmm addmm mul add",
}
SDPA = ("_scaled_dot_product_flash_attention_for_cpu", "_scaled_dot_product_flash_attention",
        "_scaled_dot_product_efficient_attention", "_scaled_dot_product_fused_attention_overrideable")


def op_macs(name, arguments, out):
    """Multiply-adds of an operation; None where it multiplies no matrices."""
    shapes = [list(each.shape) if hasattr(each, "shape") else each for each in arguments]
    if name in ("mm", "bmm"):
        return math.prod(shapes[0]) * shapes[1][-1]
    if name in ("addmm", "baddbmm"):
        return math.prod(shapes[1]) * shapes[2][-1]
    if name == "convolution":
        places = (shapes[0] if shapes[6] else list(out.shape))[2:]
        return shapes[0][0] * math.prod(places) * math.prod(shapes[1])
    if name in SDPA:
        return math.prod(shapes[0][:-1]) * shapes[1][-2] * (shapes[0][-1] + shapes[2][-1])
    if name == "mkldnn_rnn_layer":
        width, state = shapes[1][1], shapes[2][1]
        return math.prod(shapes[0][:2]) * shapes[1][0] * (width + state)
    if name in ("_int_mm", "_weight_int8pack_mm"):
        return math.prod(shapes[0]) * (shapes[1][-1] if name == "_int_mm" else shapes[1][0])
    if name == "_grouped_mm":
        return math.prod(shapes[0]) * shapes[1][-1]
    if name == "linear_dynamic":
        return math.prod(shapes[0]) * out.shape[-1]
    if name == "_trilinear":
        first, second = shapes[1][-2:]
        return math.prod(out.shape) * (first * second + second)
    return None


def shape_of(value):
    """The shape of a tensor or of the first one in a tuple."""
    import torch

    if isinstance(value, torch.Tensor):
        return list(value.shape)
    if isinstance(value, (tuple, list)) and value:
        return shape_of(value[0])
    return None


class Ledger:
    def __init__(self, module):
        self.events, self.stack, self.functions, self.undo = [], [], [], []
        self.number = {each: index for index, each in enumerate(module.modules())}
        names = {}
        for name, each in module.named_modules(remove_duplicate=False):
            names.setdefault(each, []).append(name)
        places = collections.Counter(id(held) for each in module.modules() for held in each._parameters.values())
        first = {}  # a weight that two modules share is at the first
        for name, held in module.named_parameters():
            first[id(held)] = name
        self.modules = [{
            "type": f"{type(each).__module__}.{type(each).__qualname__}", "names": names[each],
            "children": [self.number[child] for child in each.children()],
            "parameters": {name: [list(held.shape), held.requires_grad,
                                  first[id(held)] in [f"{prefix}.{name}".lstrip(".") for prefix in names[each]],
                                  places[id(held)]]
                           for name, held in each.named_parameters(recurse=False)},
            "bytes": {name: held.numel() * held.element_size() for name, held in each.named_parameters(recurse=False)},
            "buffers": sum(held.numel() * held.element_size() for held in each.buffers(recurse=False)),
            "settings": {key: getattr(each, key) for key in (
                "groups", "input_size", "hidden_size", "num_layers", "bidirectional", "bias", "batch_first",
                "num_heads", "head_dim", "affine", "elementwise_affine")
                if isinstance(getattr(each, key, None), (int, bool, list))},
        } for each in self.number]

    def note(self, kind, **event):
        self.events.append({"kind": kind, **event, "within": list(self.stack)})

    def enter(self, module):
        import torch

        def before(each, _):
            self.stack.append(self.number[each])

        def after(each, inputs, output):
            self.stack.pop()
            self.note("module", number=self.number[each], input=shape_of(inputs), output=shape_of(output),
                      inputs=[shape_of(each) for each in inputs])

        for each in self.number:
            self.undo += [each.register_forward_pre_hook(before).remove, each.register_forward_hook(after).remove]
        for home, names in FUNCTIONS.items():
            place = {"F": torch.nn.functional, "torch": torch, "Tensor": torch.Tensor}[home]
            for name in names.split():
                self.replace(place, home, name)

    def replace(self, place, home, name):
        function = getattr(place, name)

        def noted(*arguments, **named):
            values = [*arguments, *named.values()]
            shapes = [list(each.shape) if hasattr(each, "shape") else None for each in values]
            if name == "einsum":
                shapes = [arguments[0], *(list(each.shape) for each in arguments[1:])]
            self.functions.append(f"{home}.{name}")
            first = len(self.events)
            try:
                out = function(*arguments, **named)
            finally:
                self.functions.pop()
            bias = len(arguments) > 2 and arguments[2] is not None or named.get("bias") is not None
            affine = any(named.get(key) is not None for key in ("weight",)) or (
                len(arguments) > (3 if name == "batch_norm" else 2)
                and arguments[3 if name == "batch_norm" else 2] is not None)
            self.note("call", name=f"{home}.{name}", shapes=shapes, output=shape_of(out), bias=bias, affine=affine,
                      inside=list(self.functions),
                      macs=sum(each["macs"] for each in self.events[first:] if each["kind"] == "op"))
            return out

        noted.__str__ = function.__str__
        setattr(place, name, noted)
        self.undo.append(lambda: setattr(place, name, function))

    def leave(self):
        for undo in reversed(self.undo):
            undo()


def record(subject):
    from torch.utils._python_dispatch import TorchDispatchMode

    ledger = Ledger(subject.module)

    class Operations(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            name = function._overloadpacket.__name__
            out = function(*args, **(kwargs or {}))
            first = out[0] if isinstance(out, tuple) else out
            macs = op_macs(name, args, first)
            if macs is not None:
                ledger.note("op", name=name, macs=macs, via=list(ledger.functions))
            return out

    ledger.enter(subject.module)
    try:
        with Operations():
            subject.call()
    finally:
        ledger.leave()
    alone = isinstance(subject.inputs, tuple) and len(subject.inputs) == 1
    return {"modules": ledger.modules, "events": ledger.events, "batch": len(subject.inputs[0]) if alone else 1}


def main(out, *wanted):
    import measure

    cases, rows = measure.case.all_cases(), {}
    measure.case.import_makers(cases)
    for each in cases.values():
        if not each.onnx and (not wanted or each.name in wanted):
            rows[each.name] = measure.in_child(lambda: record(measure.Subject(each)))
    pathlib.Path(out).write_text(json.dumps(rows))


if __name__ == "__main__":
    main(*sys.argv[1:])
