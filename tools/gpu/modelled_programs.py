#!/usr/bin/env python3
"""Programs for figures by op, and the table of what was modelled and what was counted.

  modelled_programs.py KIND [--seconds S]    runs steps for that time
  modelled_programs.py table OUT             rows of all OUT/KIND.counted.json and KIND.times.json

KIND is one of
  resnet50   training of torchvision's ResNet-50, 64 images, SGD; convolutions in TF32
  bert       training of transformers' BERT base, 16 x 128 tokens, AdamW, autocast to bfloat16
  decode     GPT-2 of transformers in float16: generate() of 8 tokens behind 64, batch 8, repeated

Weights are random: nothing is loaded. transformers is needed for bert and decode.
"""
from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any, Callable, Optional

KINDS = ("resnet50", "bert", "decode")


def resnet50_step() -> Callable[[], object]:
    import torch
    import torchvision

    model = torchvision.models.resnet50().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    images = torch.randn(64, 3, 224, 224, device="cuda")
    labels = torch.randint(0, 1000, (64,), device="cuda")
    loss_of = torch.nn.CrossEntropyLoss()

    def step() -> None:
        optimizer.zero_grad()
        loss_of(model(images), labels).backward()
        optimizer.step()
    return step


def bert_step() -> Callable[[], object]:
    import torch
    from transformers import BertConfig, BertForMaskedLM

    model = BertForMaskedLM(BertConfig()).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    tokens = torch.randint(0, 30000, (16, 128), device="cuda")

    def step() -> None:
        optimizer.zero_grad()
        with torch.autocast("cuda", torch.bfloat16):
            loss = model(input_ids=tokens, labels=tokens).loss
        loss.backward()
        optimizer.step()
    return step


def decode_step() -> Callable[[], object]:
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    model = GPT2LMHeadModel(GPT2Config()).cuda().half().eval()
    model.generation_config.pad_token_id = 50256
    tokens = torch.randint(0, 50000, (8, 64), device="cuda")
    mask = torch.ones_like(tokens)

    def step() -> None:
        with torch.inference_mode():
            model.generate(tokens, attention_mask=mask, do_sample=False, min_new_tokens=8,
                           max_new_tokens=8)
    return step


def run(kind: str, seconds: float) -> None:
    import torch

    torch.manual_seed(0)
    step = {"resnet50": resnet50_step, "bert": bert_step, "decode": decode_step}[kind]()
    until: Optional[float] = None
    steps = 0
    while until is None or time.monotonic() < until:
        step()
        steps += 1
        if steps % 5 == 0 or until is None:
            torch.cuda.synchronize()
        if until is None:  # the first step takes much longer
            until = time.monotonic() + seconds
    print(f"{kind}: {steps} steps", flush=True)


def read(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        print(f"  {path.name}: {error}")
        return {}
    return data["imports"][0] if "imports" in data else data


def text(value: Optional[float], unit: str = "") -> str:
    if value is None:
        return "-"
    for scale, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if unit and abs(value) >= scale:
            return f"{value / scale:.4g} {prefix}{unit}"
    return f"{value:.4g} {unit}".strip()


def share(value: Optional[float]) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"


def over(above: Optional[float], below: Optional[float]) -> Optional[float]:
    return above / below if above is not None and below else None


def table(out: Path) -> None:
    """Rates are over the time of the kernels of a step; modelled ones of the ops that have both."""
    head = ("program", "run", "known op", "modelled", "kernels", "counted FLOP/s",
            "modelled FLOP/s", "ratio", "counted B/s", "modelled B/s", "ratio")
    print(" | ".join(head))
    for kind in sorted({path.name.split(".")[0] for path in out.glob("*.times.json")}):
        for run_of in ("counted", "times"):
            data = read(out / f"{kind}.{run_of}.json")
            if not data:
                continue
            totals, ops = data["totals"], data.get("modelled_ops") or {}
            sums = ops.get("modelled_sum", {})
            # Of the same kernels, for the ratio.
            both = [row for row in ops.get("ops", []) if row.get("counted_flop") is not None
                    and row["modelled_flop"] is not None]
            time_s = sum(row["time_s"] for row in both) or None
            counted = over(sum(row["counted_flop"] for row in both) if both else None, time_s)
            moved = [row for row in ops.get("ops", []) if row.get("counted_bytes") is not None
                     and row["modelled_bytes"] is not None]
            moved_s = sum(row["time_s"] for row in moved) or None
            bytes_of = over(sum(row["counted_bytes"] for row in moved) if moved else None, moved_s)
            print(" | ".join((
                kind, run_of, share(ops.get("op_share")), share(ops.get("modelled_share")),
                text(1e3 * totals["time_s"]) + " ms" if totals.get("time_s") else "-",
                text(counted, "FLOP/s"), text(sums.get("modelled_flop_per_s"), "FLOP/s"),
                text(ops.get("counted_over_modelled_flop")),
                text(bytes_of, "B/s"), text(sums.get("modelled_bytes_per_s"), "B/s"),
                text(ops.get("counted_over_modelled_bytes")))))
            step = (data.get("counting") or {}).get("step")
            if step and sums.get("modelled_flop"):
                tensor = sum(value for name, value in step["raw_counters"].items()
                             if name.startswith("tensor_") and name.endswith("_flop") and value)
                print(f"    the whole step: {text(tensor, 'FLOP')} counted on tensor cores, "
                      f"{text(sums['modelled_flop'], 'FLOP')} modelled in all: "
                      f"{text(tensor / sums['modelled_flop'])}")
            for row in ops.get("ops", [])[:6]:
                print(f"    {row['op']} ({row['pass']}): {share(row['time_share'])}, modelled "
                      f"{text(row['modelled_flop'], 'FLOP')} {text(row['modelled_bytes'], 'B')}, "
                      f"counted {text(row.get('counted_flop'), 'FLOP')} "
                      f"{text(row.get('counted_bytes'), 'B')}")
            unknown = [row for row in ops.get("ops", []) if row["modelled_flop"] is None]
            if unknown:
                print("    without a rule: " + ", ".join(
                    f"{row['op']} {share(row['time_share'])}" for row in unknown[:8]))
            notes = [note["text"] for note in data.get("warnings", [])
                     if note.get("code") in ("ops_not_read", "ops_of_other_steps",
                                             "profiler_warned")]
            for note in notes:
                print(f"    note: {note}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("kind", choices=(*KINDS, "table"))
    parser.add_argument("out", nargs="?", type=Path)
    parser.add_argument("--seconds", type=float, default=10.0)
    given = parser.parse_args()
    if given.kind == "table":
        table(given.out or Path("."))
    else:
        run(given.kind, given.seconds)


if __name__ == "__main__":
    main()
