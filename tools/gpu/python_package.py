#!/usr/bin/env python3
"""Tries the Python package on a GPU with the real libraries.

usage: python_package.py [ROOFLAB]     PYTHONPATH has to have python and tests/python

Prints predicted and measured (rooflab.compare) for some programs, what the callbacks of Lightning
and of Hugging Face's Trainer say and log, energy by rooflab.monitor, MFU, and how long a summary of
ResNet-50 takes compared with the model alone. A part that fails says why, and the others go on.
"""
from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
import traceback
from typing import Any, Callable

import torch
from torch import nn

import rooflab


def part(name: str) -> Callable[[Callable[[], None]], None]:
    """Runs a function at once, under a heading."""
    def run(body: Callable[[], None]) -> None:
        print(f"\n==== {name}", flush=True)
        try:
            body()
        except Exception:
            traceback.print_exc()
    return run


class Labelled(torch.utils.data.Dataset):
    """Random images with labels."""

    def __len__(self) -> int:
        return 32 * 64

    def __getitem__(self, _index: int) -> tuple[torch.Tensor, int]:
        return torch.randn(3, 64, 64), 1


def compared() -> None:
    from programs import all_programs
    for name in ("resnet18", "vit_b_16", "llama", "lora"):
        program = all_programs()[name](device="cuda", scale="real")
        print(rooflab.compare(program.step))


def lightning_callback() -> None:
    try:
        import lightning.pytorch as pl
    except ImportError:
        import pytorch_lightning as pl
    from programs.resnet18 import ResNet
    from rooflab.lightning import RooflabCallback

    class Module(pl.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.model = ResNet()

        def training_step(self, batch: Any, _index: int) -> torch.Tensor:
            images, labels = batch
            return nn.functional.cross_entropy(self.model(images), labels)

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return torch.optim.SGD(self.parameters(), lr=0.01, momentum=0.9)

    data = torch.utils.data.DataLoader(Labelled(), batch_size=64, num_workers=4)
    trainer = pl.Trainer(max_epochs=1, accelerator="gpu", devices=1, logger=False,
                         enable_checkpointing=False, enable_progress_bar=False,
                         callbacks=[RooflabCallback(every=10)])
    trainer.fit(Module(), data)
    print({key: float(value) for key, value in trainer.logged_metrics.items()})


def trainer_callback() -> None:
    from transformers import BertConfig, BertForMaskedLM, Trainer, TrainingArguments
    from rooflab.huggingface import RooflabCallback

    model = BertForMaskedLM(BertConfig(num_hidden_layers=4))

    class Words(torch.utils.data.Dataset):
        def __len__(self) -> int:
            return 32 * 40

        def __getitem__(self, _index: int) -> dict[str, torch.Tensor]:
            words = torch.randint(0, 30000, (128,))
            return {"input_ids": words, "labels": words}

    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(folder, per_device_train_batch_size=32, max_steps=40,
                                      logging_steps=10, bf16=True, report_to=[],
                                      disable_tqdm=True, save_strategy="no")
        trainer = Trainer(model, arguments, train_dataset=Words(),
                          callbacks=[RooflabCallback(every=10)])
        trainer.train()
        for row in trainer.state.log_history[-2:]:
            print({key: value for key, value in row.items() if "rooflab" in key or key == "loss"})


def monitored() -> None:
    from programs import all_programs
    program = all_programs()["resnet18"](device="cuda", scale="real")
    program.step()
    with rooflab.monitor() as watch:
        end = time.monotonic() + 3.0
        while time.monotonic() < end:
            program.step()
        torch.cuda.synchronize()
    print(watch.result)


def rates() -> None:
    from programs import all_programs
    program = all_programs()["llama"](device="cuda", scale="real")
    counted = rooflab.summary(rooflab.record(program.step, name="llama", batch=program.batch))
    comparison = rooflab.compare(program.step)
    name = torch.cuda.get_device_name()
    print(rooflab.peak(name))
    print("MFU", rooflab.mfu(counted, comparison.measured.time, name, precision="bf16"))


def summary_time() -> None:
    import torchvision
    model = torchvision.models.resnet50().to("meta").eval()
    image = torch.empty(1, 3, 224, 224, device="meta")

    def alone() -> float:
        begin = time.perf_counter()
        with torch.no_grad():
            model(image)
        return time.perf_counter() - begin

    def summarized() -> float:
        begin = time.perf_counter()
        rooflab.summary(model, image)
        return time.perf_counter() - begin

    alone(), summarized()
    plain = statistics.median(alone() for _ in range(7))
    whole = statistics.median(summarized() for _ in range(7))
    print(f"ResNet-50 on meta: {plain * 1e3:.1f} ms alone, {whole * 1e3:.1f} ms with a summary, "
          f"{(whole - plain) * 1e3:.1f} ms more")


def main() -> None:
    if len(sys.argv) > 1:
        os.environ["ROOFLAB"] = os.path.abspath(sys.argv[1])
    for name, body in (("compare", compared), ("Lightning", lightning_callback),
                       ("Hugging Face's Trainer", trainer_callback), ("monitor", monitored),
                       ("MFU", rates), ("time of a summary", summary_time)):
        part(name)(body)


if __name__ == "__main__":
    main()
