#!/usr/bin/env python3
"""Writes what torchvision's networks are made of, as CSV: the truth that the zoo is tested against.

    tools/dump_torchvision_nodes.py > tests/data/zoo/torchvision_nodes.csv

Needs torch and torchvision (written with 1.13 and 0.14; the networks listed are the same in 0.19).
Rows, in the order of the state_dict and of execution, batch 2, training mode:
    model,variant,parameter,NAME,SHAPE,
    model,variant,node,NAME,SHAPE,1 where the op overwrites its operand
Tensors are on the meta device, so nothing is computed. Multi-head attention is one row and not
looked into: it differs between framework versions.
"""
import linecache
import re
import sys
import warnings

import torch
import torchvision
from torch.fx import GraphModule
from torch.fx.passes.shape_prop import ShapeProp
from torchvision.models.feature_extraction import NodePathTracer
from torchvision.ops import StochasticDepth
from torchvision.ops.misc import Permute

# One or two of every family: the smallest, and both kinds of block.
NETWORKS = [
    ("alexnet", "", 224, {}),
    ("convnext_tiny", "", 224, {}),
    ("densenet121", "", 224, {}),
    ("efficientnet_b0", "", 224, {}),
    ("googlenet", "aux", 224, {"init_weights": False}),
    ("inception_v3", "", 299, {"init_weights": False}),
    ("mnasnet0_5", "", 224, {}),
    ("mobilenet_v2", "", 224, {}),
    ("mobilenet_v3_small", "", 224, {}),
    ("regnet_y_400mf", "", 224, {}),
    ("resnet18", "", 224, {}),
    ("resnext50_32x4d", "", 224, {}),
    ("shufflenet_v2_x0_5", "", 224, {}),
    ("squeezenet1_1", "", 224, {}),
    ("vgg11_bn", "", 224, {}),
    ("vit_b_32", "", 224, {}),
]
# Bookkeeping of Python, no op of the network.
NOT_OPS = {"getattr", "size", "_assert", "eq", "floordiv", "dim", "getitem"}


class Tracer(NodePathTracer):
    def iter(self, proxy):
        is_shape = "getattr" in proxy.node.name or "size" in proxy.node.name
        return iter([proxy[i] for i in range(4 if is_shape else 2)])

    def to_bool(self, proxy):
        return True

    def create_proxy(self, *args, **kwargs):
        """A trace takes `a += b` for `a + b`: only the network's source tells them apart."""
        proxy = super().create_proxy(*args, **kwargs)
        tracing_files = r"torch/fx/|feature_extraction\.py|dump_torchvision_nodes\.py"
        frame = sys._getframe()
        while frame and re.search(tracing_files, frame.f_code.co_filename):
            frame = frame.f_back
        line = linecache.getline(frame.f_code.co_filename, frame.f_lineno) if frame else ""
        proxy.node.meta["augmented"] = "+=" in line
        return proxy


def text_of(shape):
    return "x".join(str(extent) for extent in shape) if len(shape) else "scalar"


def rows(name, size, arguments):
    model = getattr(torchvision.models, name)(weights=None, **arguments).to("meta").train()
    for parameter, tensor in model.named_parameters():
        yield "parameter", parameter, text_of(tensor.shape), ""
    tracer = Tracer(leaf_modules=[StochasticDepth, Permute])
    graph = tracer.trace(model)
    ShapeProp(GraphModule(tracer.root, graph)).propagate(
        torch.empty(2, 3, size, size, device="meta"))
    for node in graph.nodes:
        if node.op in ("placeholder", "output", "get_attr"):
            continue
        inplace = bool(node.kwargs.get("inplace"))
        path = tracer.node_to_qualname[node]
        if node.op == "call_module":
            module = model.get_submodule(node.target)
            inplace = getattr(module, "inplace", False)
            if isinstance(module, StochasticDepth) and module.p == 0:
                continue
            if re.search(r"_\d+$", node.target):
                path = node.target  # the tracer takes `ln_1` for the second use of `ln`
        elif node.op == "call_function":
            if node.target.__name__ in NOT_OPS:
                continue
            inplace = inplace or node.meta["augmented"]
        elif node.target in NOT_OPS:
            continue
        result = node.meta.get("tensor_meta")
        if result is None:
            continue  # arithmetic on extents
        if hasattr(result, "shape"):
            shape = text_of(result.shape)
        else:
            shape = "+".join(text_of(t.shape) for t in result if hasattr(t, "shape"))
        yield "node", path, shape, "1" if inplace else ""


def main():
    warnings.filterwarnings("ignore")
    # An auxiliary head makes the framework return a named tuple, which a trace cannot build.
    models = torchvision.models
    models.GoogLeNet.eager_outputs = lambda self, *results: results
    models.Inception3.eager_outputs = lambda self, *results: results
    torch.fx.Proxy.__iter__ = lambda self: self.tracer.iter(self)
    for name in [n for n in dir(torch.nn.init) if n.endswith("_") and not n.startswith("_")]:
        setattr(torch.nn.init, name, lambda tensor, *args, **kwargs: tensor)
    print("model,variant,kind,name,shape,inplace")
    for name, variant, size, arguments in NETWORKS:
        for row in rows(name, size, arguments):
            print(",".join((name, variant) + row))
    return 0


if __name__ == "__main__":
    sys.exit(main())
