"""Recurrent layers, convolutions, quantised layers, experts, embeddings, modules that are shared, and functions."""

from case import case


def module(build, *shapes, high=None):
    """The module that `build(torch.nn, torch)` makes, and random inputs: whole numbers below `high`, if given."""
    def make():
        import torch

        inputs = (torch.rand(*shape) if high is None else torch.randint(0, high, shape) for shape in shapes)
        return build(torch.nn, torch).eval(), tuple(inputs)
    return make


def written(forward, **parts):
    """A module with these parts, whose forward is this function of the module and its input."""
    def build(nn, torch):
        class Written(nn.Module):
            def __init__(self):
                super().__init__()
                for name, part in parts.items():
                    setattr(self, name, part(nn, torch))

            def forward(self, x, y=None):
                return forward(self, x) if y is None else forward(self, x, y)

        return Written()
    return build


# T steps, N samples, input I, H hidden units, G gates: T N G H (I + H) MACs.
T, N, I, H = 10, 3, 32, 48


def recurrent_macs(gates, width=I, state=H):
    return T * N * gates * H * (width + state)


def recurrent_parameters(gates, width=I, state=H):
    return gates * H * (width + state) + 2 * gates * H


_GATES = "T N G H (I + H)"
case("RNN", "recurrent", recurrent_macs(1), recurrent_parameters(1), _GATES, rows=T)(
    module(lambda nn, torch: nn.RNN(I, H), (T, N, I)))
case("LSTM", "recurrent", recurrent_macs(4), recurrent_parameters(4), _GATES, rows=T)(
    module(lambda nn, torch: nn.LSTM(I, H), (T, N, I)))
case("LSTM, 2 layers, both directions", "recurrent", 2 * (recurrent_macs(4) + recurrent_macs(4, 2 * H)),
     2 * (recurrent_parameters(4) + recurrent_parameters(4, 2 * H)), "2 T N G H (I + H + 2 H + H)", rows=N)(
    module(lambda nn, torch: nn.LSTM(I, H, 2, bidirectional=True, batch_first=True), (N, T, I)))
case("LSTM with a projection", "recurrent", recurrent_macs(4, I, 16) + T * N * H * 16,
     recurrent_parameters(4, I, 16) + H * 16, "T N (G H (I + P) + H P), P = 16", rows=T)(
    module(lambda nn, torch: nn.LSTM(I, H, proj_size=16), (T, N, I)))
case("GRU", "recurrent", recurrent_macs(3), recurrent_parameters(3), _GATES, rows=N)(
    module(lambda nn, torch: nn.GRU(I, H, batch_first=True), (N, T, I)))


def cell_loop(self, x):
    state = None
    for step in x:
        state = self.cell(step, state)
    return state[0]


case("LSTMCell in a loop", "recurrent", recurrent_macs(4), recurrent_parameters(4), _GATES, rows=T)(
    module(written(cell_loop, cell=lambda nn, torch: nn.LSTMCell(I, H)), (T, N, I)))

_PLACES = "places x outputs x inputs of a group x kernel"
case("Conv2d in groups", "convolution", 2 * 28 * 28 * 64 * 8 * 9, 64 * 8 * 9 + 64, _PLACES, rows=2)(
    module(lambda nn, torch: nn.Conv2d(32, 64, 3, padding=1, groups=4), (2, 32, 28, 28)))
case("Conv2d, depthwise", "convolution", 2 * 28 * 28 * 32 * 9, 32 * 9 + 32, _PLACES, rows=2)(
    module(lambda nn, torch: nn.Conv2d(32, 32, 3, padding=1, groups=32), (2, 32, 28, 28)))
case("Conv1d, dilated", "convolution", 2 * 92 * 24 * 16 * 5, 24 * 16 * 5 + 24, _PLACES + ": 100 - 2 4 places", rows=2)(
    module(lambda nn, torch: nn.Conv1d(16, 24, 5, dilation=2), (2, 16, 100)))
case("Conv3d", "convolution", 2 * 8 * 16 * 16 * 8 * 4 * 27, 8 * 4 * 27 + 8, _PLACES, rows=2)(
    module(lambda nn, torch: nn.Conv3d(4, 8, 3, padding=1), (2, 4, 8, 16, 16)))
case("ConvTranspose2d", "convolution", 2 * 14 * 14 * 32 * 16 * 16, 32 * 16 * 16 + 16,
     "places of the input x inputs x outputs x kernel", rows=2)(
    module(lambda nn, torch: nn.ConvTranspose2d(32, 16, 4, stride=2, padding=1), (2, 32, 14, 14)))
case("ConvTranspose2d in groups", "convolution", 2 * 14 * 14 * 32 * 4 * 16, 32 * 4 * 16,
     "places of the input x inputs x outputs of a group x kernel", rows=2)(
    module(lambda nn, torch: nn.ConvTranspose2d(32, 16, 4, stride=2, padding=1, groups=4, bias=False), (2, 32, 14, 14)))


def mlp(nn, torch):
    return nn.Sequential(nn.Linear(128, 256), nn.ReLU(), nn.Linear(256, 128))


def quantised_by_torch(nn, torch):
    return torch.ao.quantization.quantize_dynamic(mlp(nn, torch).eval(), {nn.Linear}, dtype=torch.qint8)


def quantised_by_torchao(config_name):
    def build(nn, torch):
        import torchao.quantization

        network = mlp(nn, torch).eval()
        torchao.quantization.quantize_(network, getattr(torchao.quantization, config_name)())
        return network
    return build


_MLP = "rows x (128 256 + 256 128), parameters with two biases, before they are quantised"
MLP_MACS, MLP_PARAMETERS = 8 * 2 * 128 * 256, 2 * 128 * 256 + 256 + 128
case("MLP", "functional", MLP_MACS, MLP_PARAMETERS, "rows x (128 256 + 256 128)", rows=8)(module(mlp, (8, 128)))
# Weights of 1 byte, for each row of them a scale of 4 and a zero point of 1, biases of 4.
_INT8 = 2 * 128 * 256 + (256 + 128) * (4 + 1) + (256 + 128) * 4
case("MLP, int8 by torch.ao", "quantised", MLP_MACS, MLP_PARAMETERS, _MLP, rows=8, weight_bytes=0)(
    module(quantised_by_torch, (8, 128)))
case("MLP, int8 weights by torchao", "quantised", MLP_MACS, MLP_PARAMETERS, _MLP, rows=8, weight_bytes=_INT8)(
    module(quantised_by_torchao("Int8WeightOnlyConfig"), (8, 128)))
case("MLP, int8 by torchao", "quantised", MLP_MACS, MLP_PARAMETERS, _MLP, rows=8, weight_bytes=_INT8)(
    module(quantised_by_torchao("Int8DynamicActivationInt8WeightConfig"), (8, 128)))


def routed(self, x):
    """Each row by the one expert that the router prefers: 8 rows in 4 experts, as they come."""
    import torch

    chosen = self.router(x).argmax(-1)
    out = torch.zeros_like(x)
    for number, expert in enumerate(self.experts):
        rows = chosen == number
        if rows.any():
            out[rows] = expert(x[rows])
    return out


case("experts, one a row", "experts", 8 * 4 * 128 + MLP_MACS, 4 * 128 + 4 + 4 * MLP_PARAMETERS,
     "8 rows by a router of 4 128 and one MLP of 2 128 256 each", rows=8)(
    module(written(routed, router=lambda nn, torch: nn.Linear(128, 4),
                   experts=lambda nn, torch: nn.ModuleList(mlp(nn, torch) for _ in range(4))), (8, 128)))

case("Embedding and Linear", "embedding", 2 * 16 * 64 * 10, 1000 * 64 + 64 * 10 + 10,
     "a look-up multiplies nothing: rows x 64 10", rows=2)(
    module(lambda nn, torch: nn.Sequential(nn.Embedding(1000, 64), nn.Linear(64, 10)), (2, 16), high=1000))
case("EmbeddingBag and Linear", "embedding", 2 * 64 * 10, 1000 * 64 + 64 * 10 + 10,
     "sums of rows multiply nothing: bags x 64 10", rows=2)(
    module(lambda nn, torch: nn.Sequential(nn.EmbeddingBag(1000, 64), nn.Linear(64, 10)), (2, 16), high=1000))


def tied(nn, torch):
    network = nn.Sequential(nn.Embedding(1000, 64), nn.Linear(64, 1000, bias=False))
    network[1].weight = network[0].weight
    return network


case("tied weights", "shared", 2 * 16 * 64 * 1000, 1000 * 64, "rows x 64 1000; one weight of 1000 64", rows=2)(
    module(tied, (2, 16), high=1000))
case("a module called twice", "shared", 2 * 8 * 128 * 128, 128 * 128 + 128, "twice rows x 128 128", rows=8)(
    module(written(lambda self, x: self.layer(self.layer(x)), layer=lambda nn, torch: nn.Linear(128, 128)), (8, 128)))


def in_two_parents(nn, torch):
    layer = nn.Linear(128, 128)
    return nn.Sequential(nn.Sequential(layer, nn.ReLU()), nn.Sequential(layer, nn.Tanh()))


case("a module in two parents", "shared", 2 * 8 * 128 * 128, 128 * 128 + 128, "twice rows x 128 128", rows=8)(
    module(in_two_parents, (8, 128)))

_OWN = lambda *shape: lambda nn, torch: nn.Parameter(torch.rand(*shape))  # noqa: E731
case("Linear on a sequence", "functional", 2 * 50 * 64 * 32, 64 * 32 + 32, "2 50 rows x 64 32", rows=2)(
    module(lambda nn, torch: nn.Linear(64, 32), (2, 50, 64)))
case("F.linear", "functional", 2 * 50 * 64 * 32, 64 * 32, "2 50 rows x 64 32", rows=2)(
    module(written(lambda self, x: __import__("torch").nn.functional.linear(x, self.weight), weight=_OWN(32, 64)),
           (2, 50, 64)))
case("addmm", "functional", 8 * 64 * 32, 64 * 32 + 32, "rows x 64 32", rows=8)(
    module(written(lambda self, x: __import__("torch").addmm(self.bias, x, self.weight), weight=_OWN(64, 32),
                   bias=_OWN(32)), (8, 64)))
case("bmm", "functional", 4 * 8 * 64 * 16, 0, "batch x 8 64 16", rows=4)(
    module(written(lambda self, x, y: __import__("torch").bmm(x, y)), (4, 8, 64), (4, 64, 16)))
case("a matrix by many", "functional", 4 * 8 * 64 * 16, 0, "torch.matmul of 8 x 64 by 4 x 64 x 16: 4 8 64 16", rows=8)(
    module(written(lambda self, x, y: __import__("torch").matmul(x, y)), (8, 64), (4, 64, 16)))
case("Bilinear", "functional", 8 * 16 * (20 * 24 + 24), 16 * 20 * 24 + 16,
     "rows x outputs x (20 24 + 24): x' A, then by y", rows=8)(
    module(lambda nn, torch: nn.Bilinear(20, 24, 16), (8, 20), (8, 24)))
