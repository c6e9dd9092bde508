"""Networks of torchvision and timm, batch 1 but where the name says otherwise.

torchvision publishes the multiply-adds (as "GFLOPS", three digits behind the point) and the parameters of each of
its networks with its weights (`torchvision.models.get_model_weights(NAME).IMAGENET1K_V1.meta`, `_ops` and
`num_params`). The figures of timm's are worked out by the formulas in their descriptions.
"""

from case import case

PIXELS = (3, 224, 224)

# name: (published GMACs, published parameters, keywords)
TORCHVISION = {
    "alexnet": (0.714, 61_100_840, {}),
    "resnet18": (1.814, 11_689_512, {}),
    "resnet50": (4.089, 25_557_032, {}),
    "densenet121": (2.834, 7_978_856, {}),
    # With the two auxiliary classifiers that only training uses, the file has 13,004,888 parameters.
    "googlenet": (1.498, 6_624_904, {"aux_logits": False, "init_weights": False}),
    "mobilenet_v2": (0.301, 3_504_872, {}),
    "mobilenet_v3_small": (0.057, 2_542_856, {}),
    "efficientnet_b0": (0.386, 5_288_548, {}),
    "shufflenet_v2_x1_0": (0.145, 2_278_604, {}),
    "regnet_y_400mf": (0.402, 4_344_144, {}),
    "convnext_tiny": (4.456, 28_589_128, {}),
    "vit_b_16": (17.564, 86_567_656, {}),
    "swin_t": (4.491, 28_288_354, {}),
}


def torchvision_network(name, batch, keywords):
    def make():
        import torch
        import torchvision

        return torchvision.models.get_model(name, weights=None, **keywords).eval(), (torch.rand(batch, *PIXELS),)
    return make


for _name, (_macs, _parameters, _keywords) in TORCHVISION.items():
    case(_name, "network", round(_macs * 1e9), _parameters, "torchvision publishes both", within=0.0005e9,
         program=_name)(torchvision_network(_name, 1, _keywords))
case("resnet18 x 4", "network", 4 * 1_814_000_000, 11_689_512, "4 times what torchvision publishes", within=0.002e9,
     program="resnet18", rows=4)(torchvision_network("resnet18", 4, {}))


def timm_network(name):
    def make():
        import timm
        import torch

        return timm.create_model(name).eval(), (torch.rand(1, *PIXELS),)
    return make


# Patches of 16: 196 and a class token; width 192, 12 layers, MLP of 768. A layer: 197 rows of 4 d^2 + 2 d 4d, and
# the products of attention.
case("timm vit_tiny_patch16_224", "network",
     196 * 768 * 192 + 12 * (197 * 12 * 192 ** 2 + 2 * 197 ** 2 * 192) + 192 * 1000,
     768 * 192 + 192 + 192 + 197 * 192 + 12 * (12 * 192 ** 2 + (3 + 1 + 4 + 1 + 4) * 192) + 2 * 192 + 193_000,
     "196 768 d + 12 (197 12 d^2 + 2 197^2 d) + 1000 d, d = 192")(timm_network("vit_tiny_patch16_224"))
# Patches of 32: 49, width 512, 8 layers; tokens 49 -> 256 -> 49 for each channel, channels 512 -> 2048 -> 512.
case("timm mixer_s32_224", "network",
     49 * 3072 * 512 + 8 * (512 * 2 * 49 * 256 + 49 * 2 * 512 * 2048) + 512 * 1000,
     3072 * 512 + 512 + 8 * (2 * 49 * 256 + 49 + 256 + 2 * 512 * 2048 + 2048 + 512 + 4 * 512) + 1024 + 513_000,
     "49 3072 d + 8 (2 49 256 d + 49 2 d 2048) + 1000 d, d = 512")(timm_network("mixer_s32_224"))
# Stem of 4 x 4, then four stages; a block is a depthwise 7 x 7 and two products of d by 4d, with a norm and a scale.
_WIDTHS, _DEPTHS, _SIDES = (40, 80, 160, 320), (2, 2, 6, 2), (56, 28, 14, 7)
case("timm convnext_atto", "network",
     56 * 56 * 48 * 40 + sum(s * s * n * (49 * d + 8 * d * d) for d, n, s in zip(_WIDTHS, _DEPTHS, _SIDES))
     + sum(s * s * 4 * a * b for a, b, s in zip(_WIDTHS, _WIDTHS[1:], _SIDES[1:])) + 320 * 1000,
     48 * 40 + 3 * 40 + sum(n * (8 * d * d + 58 * d) for d, n in zip(_WIDTHS, _DEPTHS))
     + sum(4 * a * b + 2 * a + b for a, b in zip(_WIDTHS, _WIDTHS[1:])) + 2 * 320 + 321_000,
     "stem 56^2 48 40, blocks of 49 d + 8 d^2 a place, steps of 4 a b a place, 320,000")(timm_network("convnext_atto"))
