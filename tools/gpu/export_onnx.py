#!/usr/bin/env python3
"""Exports networks to ONNX without their weights, and writes what is true of each file.

    export_onnx.py OUT [--jobs N] [--limit SECONDS] [--only TEXT]

Needs PyTorch with its ONNX exporters (onnx, onnxscript), torchvision; timm, transformers and
onnxruntime where installed. Uses the CPU alone and downloads nothing: weights are random. Every
export runs in a separate process with a time limit, so a failure or a hang loses one file.

OUT/onnx-<k>.tar.gz, each under 15 MB, hold `<source>-<model>-<exporter>[-<variant>].onnx`; exporter
is `dynamo` (torch.export) or `script` (TorchScript tracing). Float tensors above 64 bytes become
references to external data that does not exist (`weights.bin`); integers stay, because shapes are
computed from them. The `pkg.torch.onnx.stack_trace` metadata is dropped.

OUT/truth.json: {"environment": ..., "files": [...], "failures": [{"name", "error"}]}; of each file:

  name, source, model, exporter, opset, producer, variant
  input             dtype and sizes of each input as exported; `dims` the value of each symbolic
                    dimension of the graph's inputs that the figures below were taken at
  framework_params  elements of the module's parameters, tied ones once
  framework_flops   of FlopCounterMode over the module in eval mode as it is
  framework_flops_math  the same with attention decomposed (no fused kernel, no fast path): fused
                    attention escapes the counter
  matrix_flops      from the exported graph: 2 per multiply-accumulate of Conv, ConvTranspose, Gemm,
                    MatMul, Einsum and Attention, biases not counted, functions inlined
  by_op             the same by operator; `uncounted` lists matrix ops without known shapes
  shapes_from       "onnxruntime" (every operand's shape observed in a run) or "shape_inference"
  onnx_parameters   elements of distinct float initialisers of rank 1 and more, running statistics
                    of BatchNormalization excluded
  ops               count by operator, in the graph before inlining (domain:op for other domains)
  subgraphs         nodes that carry a subgraph (If, Loop, Scan), whose insides are not counted
  retried           why a script export failed at first; then the attention module's fast path was
                    off and, in transformers, attention was eager
  seconds           what the export took
"""

import argparse
import collections
import dataclasses
import io
import json
import math
import multiprocessing
import os
import pathlib
import tarfile
import tempfile
import time
import traceback
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["HF_HUB_OFFLINE"] = "1"

import onnx
import onnx.inliner
import onnx.shape_inference
import torch
import torchvision

PART_BYTES = 14_000_000
KEEP_INSIDE_BYTES = 64


# --- The networks -------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Job:
    source: str
    model: str
    exporter: str
    opset: int
    batch: int = 1
    variant: str = ""  # dynamic, noopt, nofold or train, and anything else for the name

    @property
    def name(self):
        parts = [self.source, self.model, self.exporter] + ([self.variant] if self.variant else [])
        return "-".join(parts)


class First(torch.nn.Module):
    """Keeps one tensor of a network's output, given by attribute name."""

    def __init__(self, network, attribute, **arguments):
        super().__init__()
        self.network, self.attribute, self.arguments = network, attribute, arguments

    def forward(self, data):
        return getattr(self.network(data, **self.arguments), self.attribute)


def torchvision_network(name, batch):
    arguments = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
    module = getattr(torchvision.models, name)(**arguments)
    side = 299 if name == "inception_v3" else 224
    return module, torch.randn(batch, 3, side, side)


def timm_network(name, batch):
    import timm

    module = timm.create_model(name, pretrained=False)
    return module, torch.randn(batch, *module.default_cfg["input_size"])


def transformers_network(name, batch):
    import transformers as hf

    tokens = lambda length, vocabulary: torch.randint(2, vocabulary - 1, (batch, length))
    hidden = "last_hidden_state"
    if name == "bert":
        return First(hf.BertModel(hf.BertConfig()), hidden), tokens(128, 30522)
    if name == "bert_eager":
        config = hf.BertConfig(attn_implementation="eager")
        return First(hf.BertModel(config), hidden), tokens(128, 30522)
    if name == "distilbert":
        return First(hf.DistilBertModel(hf.DistilBertConfig()), hidden), tokens(128, 30522)
    if name == "albert":  # one layer's weights used twelve times
        config = hf.AlbertConfig(
            hidden_size=768, num_attention_heads=12, intermediate_size=3072, num_hidden_layers=12
        )
        return First(hf.AlbertModel(config), hidden), tokens(128, 30000)
    if name == "gpt2":
        return First(hf.GPT2Model(hf.GPT2Config()), hidden, use_cache=False), tokens(128, 50257)
    if name == "gpt2_lm":  # the head's weight is the embedding's
        return First(hf.GPT2LMHeadModel(hf.GPT2Config()), "logits", use_cache=False), tokens(
            128, 50257
        )
    if name == "t5_encoder":
        config = hf.T5Config(d_model=512, d_ff=2048, num_layers=6, num_heads=8)
        return First(hf.T5EncoderModel(config), hidden), tokens(128, 32128)
    if name == "llama_small":  # grouped-query attention, rotary embedding, gated MLP
        config = hf.LlamaConfig(
            vocab_size=4096,
            hidden_size=512,
            intermediate_size=1376,
            num_hidden_layers=4,
            num_attention_heads=8,
            num_key_value_heads=2,
        )
        return First(hf.LlamaForCausalLM(config), "logits", use_cache=False), tokens(128, 4096)
    if name == "whisper_encoder":
        module = hf.WhisperModel(hf.WhisperConfig()).encoder
        return First(module, hidden), torch.randn(batch, 80, 3000)
    if name == "segformer_b0":
        module = hf.SegformerForSemanticSegmentation(hf.SegformerConfig())
        return First(module, "logits"), torch.randn(batch, 3, 512, 512)
    raise ValueError(f"unknown network {name}")


NETWORKS = {
    "tv": torchvision_network,
    "timm": timm_network,
    "hf": transformers_network,
}


def jobs():
    """Long ones first, so that the last process does not start the longest export."""
    tv_both = """densenet121 efficientnet_b0 convnext_tiny vit_b_16 inception_v3 resnet50 vgg11_bn
    mobilenet_v3_large mobilenet_v2 googlenet resnext50_32x4d shufflenet_v2_x1_0 regnet_y_400mf
    squeezenet1_1 mnasnet1_0 alexnet resnet18 swin_t""".split()
    timm_both = """maxvit_tiny_rw_224 swin_tiny_patch4_window7_224 coat_tiny tf_efficientnetv2_s
    convnextv2_tiny mobilevit_s deit_tiny_patch16_224 mobilenetv3_large_100 mixer_b16_224""".split()
    hf_both = """t5_encoder bert llama_small gpt2 whisper_encoder distilbert segformer_b0""".split()
    hf_dynamo = ["bert_eager", "albert", "gpt2_lm"]
    result = [Job("timm", m, "dynamo", 18) for m in timm_both]
    result += [Job("hf", m, "dynamo", 20) for m in hf_both + hf_dynamo]
    result += [Job("tv", m, "dynamo", 18 if i % 2 else 20) for i, m in enumerate(tv_both)]
    result += [
        Job("tv", "vit_b_16", "dynamo", 23, variant="opset23"),
        Job("hf", "gpt2", "dynamo", 23, variant="opset23"),
        Job("hf", "llama_small", "dynamo", 23, variant="opset23"),
        Job("tv", "resnet18", "dynamo", 18, variant="noopt"),
        Job("tv", "vit_b_16", "dynamo", 18, variant="noopt"),
        Job("hf", "bert", "dynamo", 20, variant="noopt"),
    ]
    for source, model in (
        [("tv", m) for m in ("resnet18", "vit_b_16", "convnext_tiny", "shufflenet_v2_x1_0")]
        + [("timm", "swin_tiny_patch4_window7_224"), ("hf", "bert"), ("hf", "gpt2")]
    ):
        result.append(Job(source, model, "dynamo", 18, batch=2, variant="dynamic"))
        result.append(Job(source, model, "script", 17, batch=2, variant="dynamic"))
    opsets = (17, 11, 13)
    for source, models in (("timm", timm_both), ("hf", hf_both), ("tv", tv_both)):
        for i, model in enumerate(models):
            attention = source == "hf" or model.startswith(("vit", "deit", "coat", "mobilevit"))
            opset = 17 if attention else opsets[i % 3]  # fused attention came with opset 14
            result.append(Job(source, model, "script", opset))
    result += [
        Job("tv", "resnet18", "script", 13, variant="nofold"),
        Job("tv", "resnet18", "script", 13, variant="train"),
        Job("tv", "efficientnet_b0", "script", 17, variant="train"),
        Job("tv", "googlenet", "script", 11, batch=4, variant="batch4"),
        Job("tv", "resnet18", "script", 9, variant="opset9"),
    ]
    return result


# --- Exporting ----------------------------------------------------------------------------------


def export(job, module, data, path):
    common = dict(opset_version=job.opset, input_names=["input"], output_names=["output"])
    dynamic = job.variant == "dynamic"
    if job.exporter == "dynamo":
        if dynamic:
            common["dynamic_shapes"] = ({0: torch.export.Dim("batch", min=2, max=512)},)
        if job.variant == "noopt":
            common["optimize"] = False
        program = torch.onnx.export(module, (data,), dynamo=True, verbose=False, **common)
        program.save(str(path), external_data=True)
        return
    if dynamic:
        common["dynamic_axes"] = {"input": {0: "batch"}, "output": {0: "batch"}}
    if job.variant in ("nofold", "train"):
        common["do_constant_folding"] = False
    if job.variant == "nofold":  # anything but EVAL keeps batch norm apart from convolution
        common["training"] = torch.onnx.TrainingMode.PRESERVE
    if job.variant == "train":
        common["training"] = torch.onnx.TrainingMode.TRAINING
    torch.onnx.export(module, (data,), str(path), dynamo=False, **common)


def framework_flops(module, data, decomposed):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.utils.flop_counter import FlopCounterMode

    counter = FlopCounterMode(display=False)
    with torch.no_grad():
        if not decomposed:
            with counter:
                module(data)
            return counter.get_total_flops()
        torch.backends.mha.set_fastpath_enabled(False)
        try:
            with sdpa_kernel(SDPBackend.MATH), counter:
                module(data)
        finally:
            torch.backends.mha.set_fastpath_enabled(True)
    return counter.get_total_flops()


# --- Counting the graph -------------------------------------------------------------------------


MATRIX_OPS = ("Conv", "ConvTranspose", "Gemm", "MatMul", "Einsum", "Attention")


def attributes(node):
    return {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}


def matrix_flops(node, shape_of):
    """2 per multiply-accumulate; raises KeyError where a shape is not known."""
    given = attributes(node)
    shape = lambda k: shape_of[node.input[k]]
    if node.op_type == "Conv":
        return 2 * math.prod(shape_of[node.output[0]]) * math.prod(shape(1)[1:])
    if node.op_type == "ConvTranspose":
        return 2 * math.prod(shape(0)) * math.prod(shape(1)[1:])
    if node.op_type == "Gemm":
        inner = shape(0)[0 if given.get("transA") else 1]
        return 2 * math.prod(shape_of[node.output[0]]) * inner
    if node.op_type == "MatMul":
        return 2 * math.prod(shape_of[node.output[0]]) * shape(0)[-1]
    if node.op_type == "Einsum":
        equation = given["equation"].decode().replace(" ", "")
        terms = equation.split("->")[0].split(",")
        if len(terms) != 2 or "." in equation:
            raise KeyError(f"Einsum {equation}")
        sizes = {}
        for k, term in enumerate(terms):
            sizes.update(zip(term, shape(k)))
        return 2 * math.prod(sizes.values())
    query, key, value = shape(0), shape(1), shape(2)  # Attention
    if len(query) == 3:
        heads, key_heads = given["q_num_heads"], given["kv_num_heads"]
        query = (query[0], heads, query[1], query[2] // heads)
        key = (key[0], key_heads, key[1], key[2] // key_heads)
        value = (value[0], key_heads, value[1], value[2] // key_heads)
    past = shape(4)[2] if len(node.input) > 4 and node.input[4] else 0
    return 2 * math.prod(query[:3]) * (key[2] + past) * (query[3] + value[3])


def inferred_shapes(model):
    inferred = onnx.shape_inference.infer_shapes(model, data_prop=True)
    graph = inferred.graph
    shapes = {i.name: tuple(i.dims) for i in graph.initializer}
    for value in list(graph.value_info) + list(graph.input) + list(graph.output):
        dims = value.type.tensor_type.shape.dim
        if value.type.tensor_type.HasField("shape") and all(d.HasField("dim_value") for d in dims):
            shapes[value.name] = tuple(d.dim_value for d in dims)
    return shapes


def observed_shapes(model, data, folder):
    """Runs the graph with a Shape node behind every operand of a matrix op."""
    import onnxruntime

    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    wanted = []
    for node in model.graph.node:
        if node.op_type in MATRIX_OPS:
            wanted += [v for v in list(node.input) + [node.output[0]] if v]
    wanted = list(dict.fromkeys(wanted))
    del probe.graph.output[:]
    for k, value in enumerate(wanted):
        name = f"observed_shape_{k}"
        probe.graph.node.append(onnx.helper.make_node("Shape", [value], [name]))
        probe.graph.output.append(
            onnx.helper.make_tensor_value_info(name, onnx.TensorProto.INT64, None)
        )
    path = folder / "probe.onnx"  # next to the external data that the graph refers to
    onnx.save(probe, str(path))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(
        str(path), options, providers=["CPUExecutionProvider"]
    )
    results = session.run(None, {session.get_inputs()[0].name: data.numpy()})
    return {value: tuple(int(d) for d in dims) for value, dims in zip(wanted, results)}


def fix_input(model, data):
    """Gives the graph's input its sizes; returns what the symbolic ones became."""
    symbols = {}
    inputs = {i.name for i in model.graph.input} - {i.name for i in model.graph.initializer}
    for value in model.graph.input:
        if value.name not in inputs:
            continue
        for dim, size in zip(value.type.tensor_type.shape.dim, data.shape):
            if dim.HasField("dim_param"):
                symbols[dim.dim_param] = size
            dim.dim_value = size
    return symbols


def count_graph(path, data):
    stored = onnx.load(str(path), load_external_data=False)
    truth = dict(
        opset=max(o.version for o in stored.opset_import if o.domain in ("", "ai.onnx")),
        producer=f"{stored.producer_name} {stored.producer_version}".strip(),
        ops=dict(
            collections.Counter(
                f"{n.domain}:{n.op_type}" if n.domain not in ("", "ai.onnx") else n.op_type
                for n in stored.graph.node
            )
        ),
        functions=len(stored.functions),
        subgraphs=sum(any(a.HasField("g") for a in n.attribute) for n in stored.graph.node),
    )
    model = stored
    if model.functions:
        model = onnx.inliner.inline_local_functions(model)
    truth["dims"] = fix_input(model, data)
    statistics = set()
    for node in model.graph.node:
        if node.op_type == "BatchNormalization":
            statistics.update(node.input[3:5])
    truth["onnx_parameters"] = sum(
        math.prod(i.dims)
        for i in model.graph.initializer
        if i.data_type in FLOAT_BYTES and len(i.dims) and i.name not in statistics
    )
    try:
        shapes = observed_shapes(model, data, path.parent)
        truth["shapes_from"] = "onnxruntime"
    except Exception as error:  # an operator the runtime lacks, or no runtime
        shapes = inferred_shapes(model)
        truth["shapes_from"] = "shape_inference"
        truth["runtime_error"] = f"{type(error).__name__}: {error}"[:300]
    by_op, uncounted = collections.Counter(), []
    for node in model.graph.node:
        if node.op_type in MATRIX_OPS:
            try:
                by_op[node.op_type] += matrix_flops(node, shapes)
            except (KeyError, IndexError) as missing:
                uncounted.append(f"{node.op_type} {node.name}: {missing}")
    truth.update(matrix_flops=sum(by_op.values()), by_op=dict(by_op), uncounted=uncounted)
    return stored, truth


# --- Stripping ----------------------------------------------------------------------------------


FLOAT_BYTES = {
    onnx.TensorProto.FLOAT: 4,
    onnx.TensorProto.FLOAT16: 2,
    onnx.TensorProto.BFLOAT16: 2,
    onnx.TensorProto.DOUBLE: 8,
}


def float_bytes(tensor):
    return math.prod(tensor.dims) * FLOAT_BYTES[tensor.data_type]


def stays_inside(tensor):
    return tensor.data_type not in FLOAT_BYTES or float_bytes(tensor) <= KEEP_INSIDE_BYTES


def bring_inside(model, folder):
    """Small and integer tensors that the exporter wrote next to the graph return into it."""
    for tensor in model.graph.initializer:
        if tensor.data_location == onnx.TensorProto.EXTERNAL and stays_inside(tensor):
            onnx.external_data_helper.load_external_data_for_tensor(tensor, str(folder))
            tensor.data_location = onnx.TensorProto.DEFAULT
            tensor.ClearField("external_data")


def strip(model):
    """Float data becomes external, and the external file is not kept."""
    offset = 0

    def tensors():
        graphs = [model.graph]
        nodes = [n for f in model.functions for n in f.node]
        while graphs or nodes:
            if graphs:
                graph = graphs.pop()
                yield from graph.initializer
                nodes.extend(graph.node)
            while nodes:
                for attribute in nodes.pop().attribute:
                    if attribute.HasField("t"):
                        yield attribute.t
                    if attribute.HasField("g"):
                        graphs.append(attribute.g)

    for tensor in tensors():
        if stays_inside(tensor):
            continue
        for field in ("raw_data", "float_data", "double_data", "int32_data", "external_data"):
            tensor.ClearField(field)
        tensor.data_location = onnx.TensorProto.EXTERNAL
        size = float_bytes(tensor)
        for key, value in (("location", "weights.bin"), ("offset", offset), ("length", size)):
            entry = tensor.external_data.add()
            entry.key, entry.value = key, str(value)
        offset += size
    items = [n for f in model.functions for n in f.node]
    for field in (model.graph.node, model.graph.value_info, model.graph.input, model.graph.output):
        items.extend(field)
    for item in items:
        if hasattr(item, "metadata_props"):
            kept = [p for p in item.metadata_props if p.key != "pkg.torch.onnx.stack_trace"]
            del item.metadata_props[:]
            item.metadata_props.extend(kept)


# --- One job, and all of them -------------------------------------------------------------------


def work(job, result_path):
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    torch.manual_seed(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the exporters talk
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        truth = dict(name=job.name, source=job.source, model=job.model, exporter=job.exporter)
        truth["variant"] = job.variant
        try:
            module, data = NETWORKS[job.source](job.model, job.batch)
            module.train(job.variant == "train")
            truth["input"] = [[str(data.dtype).replace("torch.", ""), list(data.shape)]]
            truth["framework_params"] = sum(p.numel() for p in module.parameters())
            module_was = module.training
            module.eval()
            for column, decomposed in (("framework_flops", 0), ("framework_flops_math", 1)):
                try:
                    truth[column] = framework_flops(module, data, decomposed)
                except Exception as error:
                    truth[column] = None
                    truth[column + "_error"] = f"{type(error).__name__}: {error}"[:200]
            module.train(module_was)
            path = folder / "graph.onnx"
            try:
                export(job, module, data, path)
            except Exception as error:
                if job.exporter == "dynamo":
                    raise
                # The tracer may not know the attention module's fast path, or how masks are made.
                truth["retried"] = f"{type(error).__name__}: {error}"[:200]
                torch.backends.mha.set_fastpath_enabled(False)
                if hasattr(getattr(module, "network", None), "set_attn_implementation"):
                    module.network.set_attn_implementation("eager")
                export(job, module, data, path)
            truth["seconds"] = round(time.monotonic() - start, 1)
            model, counted = count_graph(path, data)
            truth.update(counted)
            model = onnx.load(str(path), load_external_data=False)
            bring_inside(model, folder)
            strip(model)
            result_path.with_suffix(".onnx").write_bytes(model.SerializeToString())
        except Exception:
            truth = dict(name=job.name, error=traceback.format_exc()[-1500:])
    result_path.write_text(json.dumps(truth))


def start(job, path):
    """Forks a process for one job, or spawns one where a library forbids forking just now."""
    for method in ("fork", "fork", "spawn"):
        process = multiprocessing.get_context(method).Process(target=work, args=(job, path))
        try:
            process.start()
            return process
        except RuntimeError:
            time.sleep(0.2)
    return None


def outcome(job, process, path):
    if path.exists():
        return json.loads(path.read_text())
    return dict(name=job.name, error=f"process ended with status {process.exitcode}")


def run_all(chosen, folder, deadline, each, workers):
    """Yields the truth of every job, or the reason why it is missing, as processes end.

    Only this thread forks: forking from several at once deadlocks or is refused.
    """
    waiting, running = list(chosen), {}
    while waiting or running:
        now = time.monotonic()
        while waiting and len(running) < workers:
            job = waiting.pop(0)
            path = folder / f"{job.name}.json"
            process = start(job, path) if now < deadline - 5 else None
            if process is None:
                yield dict(name=job.name, error="not started: time limit or no process")
                continue
            running[job.name] = (job, process, path, min(now + each, deadline))
        for name, (job, process, path, last) in list(running.items()):
            if not process.is_alive():
                process.join()
                del running[name]
                yield outcome(job, process, path)
            elif now > last:
                process.kill()
                process.join()
                del running[name]
                yield dict(name=name, error="killed at its time limit")
        time.sleep(0.05)


def pack(folder, out):
    part, size, archive = 0, 0, None
    for path in sorted(folder.glob("*.onnx")):
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w:gz") as trial:
            trial.add(path, path.name)
        if archive is None or size + len(buffer.getvalue()) > PART_BYTES:
            if archive:
                archive.close()
            archive = tarfile.open(out / f"onnx-{part}.tar.gz", "w:gz")
            part, size = part + 1, 0
        archive.add(path, path.name)
        size += len(buffer.getvalue())
    if archive:
        archive.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 4) - 3))
    parser.add_argument("--limit", type=float, default=3600, help="seconds for everything")
    parser.add_argument("--each", type=float, default=150, help="seconds for one export")
    parser.add_argument("--only", default="", help="jobs whose name contains this")
    options = parser.parse_args()
    deadline = time.monotonic() + options.limit
    options.out.mkdir(parents=True, exist_ok=True)
    versions = dict(torch=torch.__version__, torchvision=torchvision.__version__)
    # Imported here once: the forked processes share them.
    for name in ("onnx", "onnxscript", "onnxruntime", "timm", "transformers"):
        try:
            versions[name] = getattr(__import__(name), "__version__", "?")
        except ImportError as error:
            versions[name] = f"absent: {error}"
    chosen = [job for job in jobs() if options.only in job.name]
    files, failures = [], []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for truth in run_all(chosen, folder, deadline, options.each, options.jobs):
            (failures if "error" in truth else files).append(truth)
            left = deadline - time.monotonic()
            trouble = truth.get("error", "")[-200:]
            print(f"{left:6.0f} s left  {truth['name']} {trouble}", flush=True)
        pack(folder, options.out)
    order = lambda truth: truth["name"]
    truth = dict(
        environment=versions,
        files=sorted(files, key=order),
        failures=sorted(failures, key=order),
    )
    (options.out / "truth.json").write_text(json.dumps(truth, indent=1) + "\n")


if __name__ == "__main__":
    main()
