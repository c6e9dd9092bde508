"""The torchvision classification networks whose truth the scripts in this folder record.

A network is a row name, a torchvision builder with its arguments, and the side of its square input
(the size its published weights were evaluated at). Nothing is downloaded: weights are random.
"""

import dataclasses

import torch
import torchvision


@dataclasses.dataclass(frozen=True)
class Network:
    name: str
    builder: str
    image: int = 224
    arguments: tuple = ()


def _plain(*names, image=224):
    return [Network(name, name, image) for name in names]


# Random initialisation of these two on the host takes seconds and changes no size.
_QUICK = ("init_weights", False)

# The order is the order of measuring: what the built-in zoo has comes first, so that a run that is
# cut short by its time limit loses the least.
NETWORKS = (
    _plain("resnet18", "resnet50", "alexnet", "vgg16", "vit_b_16", "convnext_tiny")
    + _plain("efficientnet_b0")
    + [
        Network("googlenet", "googlenet", 224, (("aux_logits", False), _QUICK)),
        Network("googlenet_aux", "googlenet", 224, (_QUICK,)),
        Network("inception_v3", "inception_v3", 299, (_QUICK,)),
        Network("inception_v3_noaux", "inception_v3", 299, (("aux_logits", False), _QUICK)),
    ]
    + _plain("densenet121", "mobilenet_v3_large", "mobilenet_v3_small", "mobilenet_v2")
    + _plain("squeezenet1_0", "squeezenet1_1", "vgg11", "vgg13", "vgg19")
    + _plain("vgg11_bn", "vgg13_bn", "vgg16_bn", "vgg19_bn", "resnet34", "resnet101", "resnet152")
    + _plain("wide_resnet50_2", "wide_resnet101_2", "resnext50_32x4d")
    + _plain("resnext101_32x8d", "resnext101_64x4d", "densenet161", "densenet169", "densenet201")
    + _plain("convnext_small", "convnext_base", "convnext_large", "vit_b_32", "vit_l_16")
    + _plain("shufflenet_v2_x0_5", "shufflenet_v2_x1_0", "shufflenet_v2_x1_5", "shufflenet_v2_x2_0")
    + _plain("mnasnet0_5", "mnasnet0_75", "mnasnet1_0", "mnasnet1_3")
    + _plain("regnet_y_400mf", "regnet_x_400mf", "vit_l_32", "vit_h_14")
    + _plain("efficientnet_b1", image=240)
    + _plain("efficientnet_b2", image=288)
    + _plain("efficientnet_b3", image=300)
    + _plain("efficientnet_b4", image=380)
    + _plain("efficientnet_b5", image=456)
    + _plain("efficientnet_b6", image=528)
    + _plain("efficientnet_b7", image=600)
    + _plain("swin_t", "swin_s", "swin_b", "maxvit_t")
    + _plain("swin_v2_t", "swin_v2_s", "swin_v2_b", image=256)
)

BY_NAME = {network.name: network for network in NETWORKS}


def build(network, device):
    """The module in training mode on `device`, float32, randomly initialised there."""
    builder = getattr(torchvision.models, network.builder)
    with torch.device(device):
        return builder(**dict(network.arguments)).train()


def logits(output):
    """The main head's output: GoogLeNet and Inception v3 return a tuple when training."""
    return output if isinstance(output, torch.Tensor) else output.logits


def round_up(size):
    """Bytes that the CUDA caching allocator books for a tensor of `size` bytes."""
    return (size + 511) // 512 * 512
