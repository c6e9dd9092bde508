"""A graph network: messages along edges, attention over incoming edges, pooling per graph."""
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from .place import Place
from .program import Program

SIZES = {
    "small": {"batch": 4, "nodes": 16, "degree": 4, "width": 32, "layers": 2},
    "real": {"batch": 128, "nodes": 512, "degree": 8, "width": 128, "layers": 4},
}


def perceptron(inputs: int, width: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inputs, width), nn.SiLU(), nn.Linear(width, width))


class MessageLayer(nn.Module):
    """Nodes (N, width) and edges (E, width) to the same."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.edge = perceptron(3 * width, width)
        self.score = nn.Linear(width, 1)
        self.node = perceptron(2 * width, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, nodes: torch.Tensor, edges: torch.Tensor, source: torch.Tensor,
                target: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        ends = [nodes.index_select(0, source), nodes.index_select(0, target), edges]
        edges = edges + self.edge(torch.cat(ends, dim=-1))
        score = F.leaky_relu(self.score(edges).squeeze(-1), 0.2)
        count = nodes.shape[0]
        highest = score.detach().new_full((count,), -1e4).scatter_reduce(
            0, target, score.detach(), "amax")
        weight = torch.exp(score - highest[target])
        total = torch.zeros_like(highest).scatter_add(0, target, weight)
        weight = weight / (total[target] + 1e-9)
        gathered = torch.zeros_like(nodes).index_add_(0, target, edges * weight[:, None])
        return self.norm(nodes + self.node(torch.cat([nodes, gathered], dim=-1))), edges


class GraphNet(nn.Module):
    """One number per graph."""

    def __init__(self, width: int, layers: int) -> None:
        super().__init__()
        self.embed_node = nn.Embedding(32, width)
        self.embed_edge = nn.Linear(4, width)
        self.layers = nn.ModuleList(MessageLayer(width) for _ in range(layers))
        self.score = nn.Linear(width, 1)
        self.readout = perceptron(2 * width, width)
        self.out = nn.Linear(width, 1)

    def forward(self, kinds: torch.Tensor, features: torch.Tensor, source: torch.Tensor,
                target: torch.Tensor, graph: torch.Tensor, graphs: int) -> torch.Tensor:
        nodes, edges = self.embed_node(kinds), self.embed_edge(features)
        for layer in self.layers:
            nodes, edges = layer(nodes, edges, source, target)
        mean = torch.zeros(graphs, nodes.shape[1], device=nodes.device, dtype=nodes.dtype)
        mean.index_add_(0, graph, nodes)
        mean = mean / torch.bincount(graph, minlength=graphs)[:, None]
        each = nodes.view(graphs, -1, nodes.shape[-1])
        best, index = self.score(each).squeeze(-1).topk(each.shape[1] // 4, dim=1)
        chosen = each.gather(1, index[..., None].expand(-1, -1, each.shape[-1]))
        top = (chosen * torch.tanh(best)[..., None]).amax(dim=1)
        return self.out(self.readout(torch.cat([mean, top], dim=-1))).squeeze(-1)


def build(device: str = "cpu", dtype: torch.dtype | None = None, batch: int | None = None,
          scale: str = "small") -> Program:
    size = SIZES[scale]
    batch = batch or size["batch"]
    place = Place(device, dtype)
    model = place.module(GraphNet(size["width"], size["layers"]))
    count, degree = batch * size["nodes"], size["degree"]
    kinds = place.integers(32, count)
    graph = torch.arange(batch, device=device).repeat_interleave(size["nodes"])
    first = graph.repeat_interleave(degree) * size["nodes"]
    source = first + place.integers(size["nodes"], count * degree)
    target = first + place.integers(size["nodes"], count * degree)
    features, truth = place.normal(count * degree, 4), place.normal(batch)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def step() -> torch.Tensor:
        optimizer.zero_grad()
        order = target.argsort()
        answer = model(kinds, features[order], source[order], target[order], graph, batch)
        loss = F.smooth_l1_loss(answer, truth)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return Program("graph_net", step, batch, {"model": model}, (optimizer,),
                   (kinds, features, source, target, truth))
