"""Made the recordings of this folder, with PyTorch 1.13 on a CPU (from the root of the repository):

    PYTHONPATH=python:tests/python python3 tests/data/recordings/make.py tests/data/recordings small resnet vit lstm sizes
"""
import sys

import torch
import torch.nn.functional as F
from torch import nn
import rooflab.recorder as recorder
from programs.resnet18 import ResNet
from programs.vit_b_16 import VisionTransformer
from programs import decode, llama, lstm_classifier, lstm_lm
out = sys.argv[1]

def train(model, x, name, classes=1000, momentum=0.9):
    torch.manual_seed(0)
    labels = torch.randint(classes, (x.shape[0],))
    opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=momentum, foreach=True)
    def step():
        opt.zero_grad(set_to_none=True)
        loss = F.cross_entropy(model(x), labels)
        loss.backward()
        opt.step()
        return loss.detach()
    step(); step()
    recorder.record(step, to=f"{out}/{name}.rec.jsonl.gz", name=None)

class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.head = nn.Linear(8, 10)
    def forward(self, x):
        return self.head(F.relu(self.norm(self.conv(x))).mean((2, 3)))

which = sys.argv[2:]
if "small" in which:
    for b in (4, 6, 8):
        torch.manual_seed(0)
        train(Small(), torch.randn(b, 3, 16, 16), f"small-b{b}-train", 10)
    for b in (4, 8):
        m = Small().eval(); x = torch.randn(b, 3, 16, 16)
        def infer():
            with torch.no_grad(): return m(x)
        with torch.no_grad():
            recorder.record(infer, to=f"{out}/small-b{b}-inference.rec.jsonl.gz", name=None)
if "resnet" in which:
    m = ResNet(); x = torch.randn(2, 3, 224, 224)
    train(m, x, "resnet18-b2-train")
    m.eval()
    with torch.no_grad():
        recorder.record(lambda: m(x), to=f"{out}/resnet18-b2-inference.rec.jsonl.gz", name=None)
if "vit" in which:
    train(VisionTransformer(224), torch.randn(2, 3, 224, 224), "vit_b_16-b2-train")
if "lstm" in which:
    for p in (lstm_classifier, lstm_lm):
        prog = p.build()
        prog.step(); prog.step()
        recorder.record(prog.step, to=f"{out}/{prog.name}-b{prog.batch}-train.rec.jsonl.gz", name=None)
if "sizes" in which:
    for batch, context in ((2, 24), (4, 24), (2, 40), (3, 56)):
        prog = decode.build(batch=batch, context=context)
        recorder.record(prog.step, batch=batch, context=context, name="decode",
                        to=f"{out}/decode-b{batch}-c{context}.rec.jsonl.gz")
    for batch, context in ((2, 16), (4, 16), (2, 24), (3, 40)):
        prog = llama.build(batch=batch, length=context, optimizer="SGD")
        recorder.record(prog.step, batch=batch, context=context, name="llama",
                        to=f"{out}/llama-b{batch}-c{context}.rec.jsonl.gz")
