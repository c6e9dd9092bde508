"""A step of your own: a GAN with two optimizers, recorded as it runs."""
import rooflab
import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits as bce

generator = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 784), nn.Tanh())
critic = nn.Sequential(nn.Linear(784, 256), nn.LeakyReLU(0.2), nn.Linear(256, 1))
generating = torch.optim.Adam(generator.parameters(), lr=2e-4)
judging = torch.optim.Adam(critic.parameters(), lr=2e-4)
real, noise = torch.rand(128, 784), torch.randn(128, 64)
yes, no = torch.ones(128, 1), torch.zeros(128, 1)


def step():
    made = generator(noise)
    judging.zero_grad(set_to_none=True)
    (bce(critic(real), yes) + bce(critic(made.detach()), no)).backward()
    judging.step()
    generating.zero_grad(set_to_none=True)
    bce(critic(made), yes).backward()
    generating.step()


summary = rooflab.summary(step)
print(summary)
print(f"{summary.flops:,} FLOP a step, {summary.coverage:.0%} of the operations counted")
