"""What does checkpointing save, and what does it cost?"""
import rooflab
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Blocks(nn.Module):
    def __init__(self, recompute: bool):
        super().__init__()
        self.recompute = recompute
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.Linear(256, 1024), nn.GELU(), nn.Linear(1024, 256)) for _ in range(8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = x + (checkpoint(block, x, use_reentrant=True) if self.recompute else block(x))
        return x


x = torch.randn(4096, 256, device="meta", requires_grad=True)  # nothing is computed
for recompute in (False, True):
    summary = rooflab.summary(Blocks(recompute).to("meta"), x, phase="training")
    print(f"recompute {recompute}: {summary.peak_memory_bytes / 1e6:.0f} MB, "
          f"{summary.flops / 1e9:.0f} GFLOP")
