"""The small networks that are exported to ONNX, with their inputs, and PyTorch's own counts."""

import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from truths import tell

BATCH, TOKENS = 2, 8


class Images(nn.Module):
    """Convolutions with batch norms, pooling, a head."""

    inputs = (torch.zeros(BATCH, 3, 16, 16),)

    def __init__(self):
        super().__init__()
        self.first, self.first_norm = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.second, self.second_norm = nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.BatchNorm2d(16)
        self.head = nn.Linear(16, 10)

    def forward(self, images):
        images = torch.relu(self.first_norm(self.first(images)))
        images = torch.relu(self.second_norm(self.second(images)))
        return self.head(nn.functional.adaptive_avg_pool2d(images, 1).flatten(1))


class Tokens(nn.Module):
    """A block of a transformer on embedded tokens: attention, GELU, norms, residuals."""

    inputs = (torch.zeros(BATCH, TOKENS, 32),)

    def __init__(self):
        super().__init__()
        self.projections, self.out = nn.Linear(32, 96), nn.Linear(32, 32)
        self.up, self.down = nn.Linear(32, 64), nn.Linear(64, 32)
        self.first_norm, self.second_norm = nn.LayerNorm(32), nn.LayerNorm(32)

    def forward(self, tokens):
        query, key, value = (
            part.unflatten(-1, (2, 16)).transpose(1, 2)
            for part in self.projections(self.first_norm(tokens)).split(32, -1)
        )
        mixed = nn.functional.scaled_dot_product_attention(query, key, value)
        tokens = tokens + self.out(mixed.transpose(1, 2).flatten(2))
        return tokens + self.down(nn.functional.gelu(self.up(self.second_norm(tokens))))


class Recurrent(nn.Module):
    """An LSTM of two layers, a GRU of two directions, an RNN."""

    inputs = (torch.zeros(BATCH, TOKENS, 16),)

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(16, 24, num_layers=2, batch_first=True)
        self.gru = nn.GRU(24, 16, bidirectional=True, batch_first=True)
        self.rnn = nn.RNN(32, 8, batch_first=True)

    def forward(self, steps):
        return self.rnn(self.gru(self.lstm(steps)[0])[0])[0]

    def flop(self):
        """By formula: PyTorch's counter leaves out the LSTM, one operation of oneDNN on a CPU."""
        return sum(
            2 * BATCH * TOKENS * value.numel()
            for name, value in self.named_parameters()
            if "weight" in name
        )


def made(kind):
    """The network with random weights and statistics, for inference."""
    torch.manual_seed(0)
    network = kind()
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d):
            nn.init.uniform_(module.running_mean, -1, 1)
            nn.init.uniform_(module.running_var, 0.5, 2)
            nn.init.uniform_(module.weight, 0.5, 2)
            nn.init.uniform_(module.bias, -1, 1)
        if isinstance(module, nn.LayerNorm):  # equal ones would be stored once
            nn.init.uniform_(module.weight, 0.5, 2)
            nn.init.uniform_(module.bias, -1, 1)
    return network.eval()


def parameters_of(network):
    """Exporters fold the batch norms of a network into its convolutions, which have biases here."""
    folded = {
        id(value)
        for module in network.modules()
        if isinstance(module, nn.BatchNorm2d)
        for value in module.parameters()
    }
    return sum(value.numel() for value in network.parameters() if id(value) not in folded)


def flop_of(network, inputs):
    """Matrix FLOPs by PyTorch's counter."""
    counter = FlopCounterMode(display=False)
    with torch.no_grad(), counter:
        network(*inputs) if isinstance(inputs, tuple) else network(**inputs)
    return counter.get_total_flops()


def tell_network(file, network, inputs):
    """The counts of a network that PyTorch counts itself."""
    tell(file, "parameters", parameters_of(network), "PyTorch")
    if hasattr(network, "flop"):
        tell(file, "matrix_flop", network.flop(), "formula")
    else:
        tell(file, "matrix_flop", flop_of(network, inputs), "FlopCounterMode")
