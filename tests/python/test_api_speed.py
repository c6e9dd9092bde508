"""What a summary costs compared with running the module: ResNet-50 on meta tensors, one image."""
import statistics
import sys
import time
import unittest

import rooflab
from surroundings import torch_or_skip

torch = torch_or_skip()
nn = torch.nn

EXTRA_S = 0.2  # a loose guard: an idle machine takes 0.05, and the aim is 0.1


class Bottleneck(nn.Module):
    def __init__(self, extent, width, stride):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(extent, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(True),
            nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(True),
            nn.Conv2d(width, 4 * width, 1, bias=False), nn.BatchNorm2d(4 * width))
        self.side = nn.Identity() if stride == 1 and extent == 4 * width else nn.Sequential(
            nn.Conv2d(extent, 4 * width, 1, stride, bias=False), nn.BatchNorm2d(4 * width))

    def forward(self, x):
        return torch.relu(self.body(x) + self.side(x))


def resnet50():
    layers, extent = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(True),
                      nn.MaxPool2d(3, 2, 1)], 64
    for width, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for number in range(count):
            layers.append(Bottleneck(extent, width, 1 if number else stride))
            extent = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(extent, 1000))


def seconds(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


class Speed(unittest.TestCase):
    def test_a_summary_adds_little(self):
        model, x = resnet50().to("meta").eval(), torch.empty(1, 3, 224, 224, device="meta")

        @torch.no_grad()
        def plainly():
            model(x)

        summary = rooflab.summary(model, x)
        # torchvision publishes 25,557,032 parameters and 4.09 GMACs.
        self.assertEqual(summary.parameters, 25_557_032)
        self.assertEqual(round(summary.macs / 1e9, 2), 4.09)
        # Both in turn: other programs run here, too.
        pairs = [(seconds(plainly), seconds(lambda: rooflab.summary(model, x))) for _ in range(5)]
        plain, whole = (statistics.median(times) for times in zip(*pairs))
        print(f"module {plain * 1e3:.1f} ms, summary {whole * 1e3:.1f} ms, "
              f"{whole / plain:.1f} times as long", file=sys.stderr)
        extra = min(whole - plain for plain, whole in pairs)
        self.assertLess(extra, EXTRA_S)


if __name__ == "__main__":
    unittest.main()
