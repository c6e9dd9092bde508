#!/usr/bin/env python3
"""Measures networks with `rooflab measure` and with PyTorch, row by row on the same GPU.

    measure_beside_pytorch.py OUT --rooflab build/gpu/bin/rooflab [--part K/N] [--networks NAME,...]
                              [--cases CASES.csv] [--sides pytorch,rooflab] [--beside-host]

Needs PyTorch 2.x with CUDA and torchvision. CASES.csv has the columns source, network, batch, size,
phase, precision and layout: source is tv (torchvision), hf (transformers, random weights) or onnx
(the same, exported to a file that `rooflab measure` runs); size is the images' side, or the tokens
of a text. The exported files go to OUT/onnx, without their weights. Every row of either side is a separate process,
so that nothing (library workspaces above all) is retained from one to the next; the two
take turns.
Both warm up for half a second at least and time steps for half a second, ten at least, with
device events around each and a wait for the device only every 0.2 s. With --beside-host PyTorch's
steps are timed for 1.2 s, and its host is measured at each of these waits.

OUT/rows.jsonl gets a line per row as it comes, with the host costs of --beside-host; rows that are
there already are skipped, so a run that is cut short goes on. OUT/rows.csv has its figures,
OUT/table.md is made from it: medians, their ratio, what the device alone needs for a step that is
queued in full, peak allocated bytes. The host is PyTorch's bottleneck where its step takes over 5 %
longer than the device alone.
"""

import argparse
import csv
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import time

import torch
import torchvision

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import pytorch_host

NETWORKS = ["resnet18", "alexnet", "vgg16", "resnet50", "vgg19", "googlenet", "mobilenet_v2",
            "densenet121", "convnext_tiny", "vit_b_16"]
CONFIGURATIONS = [(256, "inference", "tf32"), (64, "training", "tf32"), (1, "inference", "fp32"),
                  (32, "inference", "fp32"), (256, "inference", "amp"), (64, "training", "amp"),
                  (32, "training", "fp32")]
WARM_UP_S = 0.5
TIMED_S = 0.5
BESIDE_HOST_S = 1.2
STEPS = 10


@dataclasses.dataclass(frozen=True)
class Case:
    source: str
    network: str
    batch: int
    size: int
    phase: str
    precision: str
    layout: str = "nchw"

    @property
    def onnx_name(self):
        return f"{self.network}-{self.size}.onnx"


def transformers_network(name):
    import transformers as hf

    hf.logging.set_verbosity_error()
    makers = {
        "bert": lambda: hf.BertModel(hf.BertConfig()),
        "distilbert": lambda: hf.DistilBertModel(hf.DistilBertConfig()),
        "gpt2": lambda: hf.GPT2LMHeadModel(hf.GPT2Config(use_cache=False)),
    }

    class First(torch.nn.Module):
        """The first tensor of what the module returns."""

        def __init__(self, inner):
            super().__init__()
            self.inner = inner

        def forward(self, tokens):
            return self.inner(tokens)[0]

    return First(makers[name]())


def network_and_input(case):
    """On the device that is the default."""
    if case.source in ("hf", "onnx"):
        return transformers_network(case.network), torch.randint(2, 20000, (case.batch, case.size))
    options = {"init_weights": False} if case.network in ("googlenet", "inception_v3") else {}
    model = getattr(torchvision.models, case.network)(weights=None, **options)
    x = torch.randn(case.batch, 3, case.size, case.size)
    if case.layout == "nhwc":
        model = model.to(memory_format=torch.channels_last)
        x = x.contiguous(memory_format=torch.channels_last)
    return model, x


def export(case, folder):
    """Writes the network as a file with symbolic batch; its weights lie next to it."""
    import onnx

    path = folder / case.onnx_name
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    model, tokens = network_and_input(dataclasses.replace(case, batch=2))
    batch = torch.export.Dim("batch", min=1, max=4096)
    torch.onnx.export(model.eval(), (tokens,), str(path), dynamo=True, external_data=True,
                      dynamic_shapes=({0: batch},), opset_version=20, optimize=True)
    # Masks and index tables go into the file: an import looks at them.
    whole = onnx.load(path)
    path.unlink()
    path.with_name(path.name + ".data").unlink(missing_ok=True)
    onnx.save(whole, path, save_as_external_data=True, location=path.name + ".data",
              size_threshold=2**20)
    return path


def cases_in(path):
    with open(path, newline="") as file:
        return [Case(row["source"], row["network"], int(row["batch"]), int(row["size"]), row["phase"],
                     row["precision"], row["layout"]) for row in csv.DictReader(file)]


def step_of(case):
    """What runs one step of the case."""
    phase, precision = case.phase, case.precision
    tf32 = precision == "tf32"
    torch.backends.cudnn.allow_tf32 = tf32
    torch.backends.cuda.matmul.allow_tf32 = tf32
    torch.manual_seed(0)
    with torch.device("cuda"):
        model, x = network_and_input(case)
        labels = torch.randint(1000, (case.batch,))
    model.train(phase == "training")
    half = torch.float16 if precision == "amp-fp16" else torch.bfloat16
    amp = torch.autocast("cuda", half, enabled=precision.startswith("amp"))
    scaler = torch.amp.GradScaler("cuda", enabled=precision == "amp-fp16")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    criterion = torch.nn.CrossEntropyLoss()

    def inference():
        with torch.no_grad(), amp:
            model(x)

    def training():
        with amp:
            out = model(x)
            out = out if isinstance(out, torch.Tensor) else out[0]
            loss = criterion(out, labels)
        optimizer.zero_grad(set_to_none=True)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()

    return training if phase == "training" else inference


def pytorch_row(case, beside_host):
    """In a separate process. With `beside_host` it measures what the host takes to issue ops,
    between the stretches of steps: a disturbance of the host lasts for seconds."""
    start = time.perf_counter()
    step = step_of(case)
    torch.cuda.synchronize()
    setup = time.perf_counter() - start
    begin = time.perf_counter()
    step()
    torch.cuda.synchronize()
    first_call = time.perf_counter() - begin
    begin, count = time.perf_counter(), 0
    while time.perf_counter() - begin < WARM_UP_S or count < 3:
        step()
        torch.cuda.synchronize()
        count += 1
    estimate = (time.perf_counter() - begin) / count
    torch.cuda.reset_peak_memory_stats()
    step()
    torch.cuda.synchronize()
    peak = torch.cuda.max_memory_allocated()
    probe = pytorch_host.HostProbe("cuda:0") if beside_host else None
    chunk = max(1, min(50, int(0.2 / estimate)))
    times, timed_s = [], 0.0
    while timed_s < (BESIDE_HOST_S if beside_host else TIMED_S) or len(times) < STEPS:
        begin = time.perf_counter()
        events = []
        for _ in range(chunk):
            first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            first.record()
            step()
            last.record()
            events.append((first, last))
        torch.cuda.synchronize()
        timed_s += time.perf_counter() - begin
        times += [a.elapsed_time(b) * 1e-3 for a, b in events]
        if probe:
            probe.measure_round()
    issue = []
    for _ in range(5):
        begin = time.perf_counter()
        step()
        issue.append(time.perf_counter() - begin)
        torch.cuda.synchronize()
    times.sort()
    return {"median_s": times[len(times) // 2], "min_s": times[0], "steps": len(times),
            "setup_s": setup, "first_call_s": first_call, "issue_s": sorted(issue)[2],
            "launches": launches_of(step), "allocated_peak_bytes": peak,
            "host": probe.costs() if probe else None}


def launches_of(step):
    """Kernels, copies and fills that a step puts on the device."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        step()
        torch.cuda.synchronize()
    return sum(event.device_type == torch.autograd.DeviceType.CUDA for event in profile.events())


def in_process(function, *arguments):
    """Runs the function in a fork, so that PyTorch is imported once and CUDA begins afresh."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read_end)
        try:
            result = function(*arguments)
        except Exception as error:  # an outcome of the row
            result = {"error": f"{type(error).__name__}: {str(error).splitlines()[0]}"}
        with os.fdopen(write_end, "w") as pipe:
            json.dump(result, pipe)
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {"error": "the process died"}


def rooflab_row(program, case, onnx_folder):
    name = str(onnx_folder / case.onnx_name) if case.source == "onnx" else case.network
    command = [program, "measure", name, "--device", "cuda:0", "--batch", str(case.batch),
               "--phase", case.phase, "--precision", case.precision, "--min-time", str(TIMED_S),
               "--iterations", str(STEPS), "--no-layers", "--format", "json"]
    if name == "googlenet":
        command += ["--variant", "aux"]
    if case.source == "tv" and case.size != 224:
        command += ["--image-size", str(case.size)]
    if case.layout == "nhwc":
        command += ["--channels-last"]
    done = subprocess.run(command, capture_output=True, text=True)
    if not done.stdout:
        return {"error": done.stderr.strip().splitlines()[-1] if done.stderr else "no output"}
    case = json.loads(done.stdout)["cases"][0]
    if case["status"] != "ok":
        return {"error": f"{case['status']}: {case['message']}"}
    return {**case["timing"], **case["memory"], "energy_j": case["step_energy_j"],
            "limit_s": (case.get("limit") or {}).get("limit_s"), "warnings": case["warnings"]}


CASE_KEYS = [field.name for field in dataclasses.fields(Case)]
PYTORCH_KEYS = ["median_s", "min_s", "steps", "issue_s", "first_call_s", "allocated_peak_bytes"]
ROOFLAB_KEYS = ["median_s", "min_s", "steps", "issue_s", "device_s", "setup_s", "first_call_s",
                "allocated_peak_bytes", "reserved_peak_bytes", "saved_activation_bytes", "context_bytes",
                "limit_s"]


def write_csv(rows, path):
    def cell(side, key):
        value = side.get(key)
        return "" if value is None else round(value, 9) if isinstance(value, float) else value

    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(CASE_KEYS +
                        [f"pytorch_{key}" for key in PYTORCH_KEYS] + ROOFLAB_KEYS)
        for row in rows:
            writer.writerow([row[key] for key in CASE_KEYS] +
                            [cell(row["pytorch"], key) for key in PYTORCH_KEYS] +
                            [cell(row["rooflab"], key) for key in ROOFLAB_KEYS])


def write_table(rows, path):
    lines = ["| network | batch | size | phase | precision | PyTorch ms | Rooflab ms | ratio | device alone ms | "
             "PyTorch bound by | peak PyTorch MB | peak Rooflab MB | ratio |",
             "| --- | ---: | ---: | --- | --- | ---: | ---: | ---: | ---: | --- | ---: | ---: | ---: |"]
    for row in rows:
        ours, theirs = row["rooflab"], row["pytorch"]
        head = (f"| {row['network']} | {row['batch']} | {row['size']} | {row['phase']} | "
                f"{row['precision']} {row['layout'] if row['layout'] == 'nhwc' else ''} | ")
        if "error" in ours or "error" in theirs:
            lines.append(head + f"{theirs.get('error', 'ok')} | {ours.get('error', 'ok')} |")
            continue
        host = theirs["median_s"] > 1.05 * ours["device_s"]
        lines.append(
            head + f"{theirs['median_s'] * 1e3:.3f} | {ours['median_s'] * 1e3:.3f} | "
            f"{ours['median_s'] / theirs['median_s']:.3f} | {ours['device_s'] * 1e3:.3f} | "
            f"{'host' if host else 'GPU'} | "
            f"{theirs['allocated_peak_bytes'] / 1e6:.1f} | "
            f"{ours['allocated_peak_bytes'] / 1e6:.1f} | "
            f"{ours['allocated_peak_bytes'] / theirs['allocated_peak_bytes']:.4f} |")
    path.write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--rooflab", required=True)
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--networks", default=",".join(NETWORKS))
    parser.add_argument("--configurations", help="64:training:amp-fp16,...; all of the study by default")
    parser.add_argument("--cases", type=pathlib.Path, help="a table of cases in place of these")
    parser.add_argument("--sides", default="pytorch,rooflab")
    parser.add_argument("--beside-host", action="store_true",
                        help="measure PyTorch's host costs between the steps of each row")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    log = arguments.out / "rows.jsonl"
    rows = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    done = {tuple(row[key] for key in CASE_KEYS) for row in rows}
    part, parts = map(int, arguments.part.split("/"))
    sides = arguments.sides.split(",")
    if arguments.cases:
        wanted = cases_in(arguments.cases)
    else:
        configurations = CONFIGURATIONS
        if arguments.configurations:
            parts_of = [each.split(":") for each in arguments.configurations.split(",")]
            configurations = [(int(batch), phase, precision) for batch, phase, precision in parts_of]
        wanted = [Case("tv", name, batch, 224, phase, precision)
                  for name in arguments.networks.split(",")
                  for batch, phase, precision in configurations]
    onnx_folder = pathlib.Path("build/onnx").absolute()
    for i, case in enumerate(wanted):
        if i % parts != part - 1 or dataclasses.astuple(case) in done:
            continue
        begin = time.perf_counter()
        skipped = {"error": "not asked for"}
        theirs = in_process(pytorch_row, case, arguments.beside_host) if "pytorch" in sides else skipped
        middle = time.perf_counter()
        ours = skipped
        if "rooflab" in sides:
            if case.source == "onnx":
                failed = in_process(lambda: {"path": str(export(case, onnx_folder))})
                if "error" in failed:
                    print(failed["error"], flush=True)
            ours = rooflab_row(arguments.rooflab, case, onnx_folder)
        row = {**dataclasses.asdict(case), "pytorch": theirs, "rooflab": ours}
        rows.append(row)
        with open(log, "a") as file:
            file.write(json.dumps(row) + "\n")
        ratio = ours["median_s"] / theirs["median_s"] if "median_s" in ours and "median_s" in theirs else 0
        print(*dataclasses.astuple(case), f"ratio {ratio:.3f}", ours.get("error", ""),
              theirs.get("error", ""),
              f"({middle - begin:.1f} s, {time.perf_counter() - middle:.1f} s)", flush=True)
    for path in sorted(onnx_folder.glob("*.onnx")):
        (arguments.out / "onnx").mkdir(exist_ok=True)
        (arguments.out / "onnx" / path.name).write_bytes(path.read_bytes())
    write_table(rows, arguments.out / "table.md")
    write_csv(rows, arguments.out / "rows.csv")


if __name__ == "__main__":
    sys.exit(main())
