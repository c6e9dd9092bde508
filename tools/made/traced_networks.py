"""The small networks whose steps are traced, with their matrix FLOPs by formula (1 MAC = 2 FLOP).

They use what PyTorch 1.13 and all later versions have.
"""

import torch
from torch import nn

BATCH = 4
SIDE, CHANNELS, CLASSES = 16, 8, 10
WIDTH, HIDDEN, TOKENS = 32, 64, 12


class Images(nn.Module):
    """Convolution, batch norm, pooling, a linear layer."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, CHANNELS, 3, padding=1)
        self.norm = nn.BatchNorm2d(CHANNELS)
        self.head = nn.Linear(CHANNELS, CLASSES)

    def forward(self, images):
        return self.head(torch.relu(self.norm(self.conv(images))).mean((2, 3)))

    @staticmethod
    def inputs():
        return torch.randn(BATCH, 3, SIDE, SIDE)

    @staticmethod
    def training_flop():
        """The convolution has no data gradient: its input needs none."""
        return 2 * Images._conv() + 3 * Images._head()

    @staticmethod
    def _conv():
        return 2 * BATCH * CHANNELS * SIDE * SIDE * 3 * 9

    @staticmethod
    def _head():
        return 2 * BATCH * CHANNELS * CLASSES


class Tokens(nn.Module):
    """Two linear layers with GELU on tokens, and the mean over them."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(WIDTH, HIDDEN)
        self.second = nn.Linear(HIDDEN, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, CLASSES)

    def forward(self, tokens):
        mixed = self.second(nn.functional.gelu(self.first(tokens)))
        return self.head(self.norm(tokens + mixed).mean(1))

    @staticmethod
    def inputs():
        return torch.randn(BATCH, TOKENS, WIDTH)

    @staticmethod
    def training_flop():
        """The first layer has no data gradient: its input needs none."""
        return 5 * Tokens._layer() + 3 * Tokens._head()

    @staticmethod
    def _layer():
        return 2 * BATCH * TOKENS * WIDTH * HIDDEN

    @staticmethod
    def _head():
        return 2 * BATCH * WIDTH * CLASSES


def labels():
    return torch.randint(CLASSES, (BATCH,))


def checked_flop(run, formula):
    """The formula, after PyTorch's own counter (2.1 and later) agreed with it."""
    try:
        from torch.utils.flop_counter import FlopCounterMode
    except ImportError:
        return formula, "formula"
    counter = FlopCounterMode(display=False)
    with counter:
        run()
    if counter.get_total_flops() != formula:
        raise SystemExit(f"FlopCounterMode says {counter.get_total_flops()}, not {formula}")
    return formula, "formula and FlopCounterMode"
