"""Traces of torch.profiler on the CPU:  traces.py CASE FOLDER

inference   a forward pass, nothing but the defaults, without steps
train       steps by a schedule; shapes, memory, FLOPs; marks of record_function; SGD
stacks      stacks, modules and shapes, without steps; AdamW
handler     steps by tensorboard_trace_handler; a DataLoader with a worker process in each step
compiled    steps of torch.compile (inductor); shapes
aot_eager   the same by the backend aot_eager
"""

import sys
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule

from traced_networks import BATCH, Images, Tokens, checked_flop, labels
from truths import tell, tell_versions

WAIT, WARMUP, ACTIVE = 1, 1, 3
CPU = [ProfilerActivity.CPU]


def name_of(case, ending):
    version = ".".join(torch.__version__.split("+")[0].split(".")[:2])
    return f"torch{version}-{case}.pt.trace.{ending}"


class Training:
    """A network with its optimizer; a call is a step."""

    def __init__(self, network, optimizer, compiler=None):
        torch.manual_seed(0)
        self.kind = network
        self.network = network()
        self.called = torch.compile(self.network, backend=compiler) if compiler else self.network
        self.optimizer = optimizer(self.network.parameters())
        self.inputs, self.labels = network.inputs(), labels()

    def __call__(self):
        with record_function("## forward ##"):
            loss = torch.nn.functional.cross_entropy(self.called(self.inputs), self.labels)
        with record_function("## backward ##"):
            loss.backward()
        with record_function("## optimizer ##"):
            self.optimizer.step()
            self.optimizer.zero_grad()


def tell_step(file, phase, steps):
    tell(file, "steps", steps, "the program's schedule")
    tell(file, "phase", phase, "the program")
    tell_versions(file, "torch")


def tell_sizes(file, flop, calls):
    """What shapes say; `calls` are the steps in the trace. Debian's PyTorch has no kineto, and so
    writes none."""
    value, source = flop
    if torch.autograd.profiler.kineto_available():
        tell(file, "matrix_flop", value * calls, source)
        tell(file, "batch", BATCH, "the program")


def trained(training, folder, case, **options):
    """Steps by a schedule, in one file."""
    file = name_of(case, "json.gz")
    training()  # what is compiled or made once
    with profile(
        activities=CPU,
        schedule=schedule(wait=WAIT, warmup=WARMUP, active=ACTIVE, repeat=1),
        on_trace_ready=lambda one: one.export_chrome_trace(str(folder / file)),
        **options,
    ) as profiler:
        for _ in range(WAIT + WARMUP + ACTIVE):
            training()
            profiler.step()
    plain = Training(training.kind, lambda values: torch.optim.SGD(values, lr=0.1))
    tell_step(file, "training", ACTIVE)
    tell_sizes(file, checked_flop(plain, training.kind.training_flop()), ACTIVE)


def sgd(values):
    return torch.optim.SGD(values, lr=0.1, momentum=0.9)


def inference(folder):
    file = name_of("inference", "json")
    torch.manual_seed(0)
    network, images = Images().eval(), Images.inputs()
    with torch.no_grad():
        network(images)
        with profile(activities=CPU) as profiler:
            network(images)
    profiler.export_chrome_trace(str(folder / file))
    tell_step(file, "inference", 0)


def train(folder):
    trained(
        Training(Images, sgd),
        folder,
        "train",
        record_shapes=True,
        profile_memory=True,
        with_flops=True,
    )


def stacks(folder):
    file = name_of("stacks", "json.gz")
    training = Training(Tokens, lambda values: torch.optim.AdamW(values, lr=0.01))
    training()
    with profile(
        activities=CPU, record_shapes=True, with_stack=True, with_modules=True
    ) as profiler:
        training()
    profiler.export_chrome_trace(str(folder / file))
    tell_step(file, "training", 0)
    tell_sizes(file, checked_flop(training, Tokens.training_flop()), 1)


def handler(folder):
    file = name_of("handler", "json.gz")
    training = Training(Tokens, sgd)
    data = torch.utils.data.TensorDataset(
        torch.cat([Tokens.inputs() for _ in range(ACTIVE + 3)]),
        torch.cat([labels() for _ in range(ACTIVE + 3)]),
    )
    loader = torch.utils.data.DataLoader(data, batch_size=BATCH, num_workers=1)
    written = folder / "handler"
    with profile(
        activities=CPU,
        schedule=schedule(wait=WAIT, warmup=WARMUP, active=ACTIVE, repeat=1),
        on_trace_ready=torch.profiler.tensorboard_trace_handler(str(written), use_gzip=True),
        record_shapes=True,
    ) as profiler:
        for training.inputs, training.labels in loader:
            training()
            profiler.step()
    [one] = written.iterdir()
    one.rename(folder / file)  # its name has the host and the time
    tell_step(file, "training", ACTIVE)
    tell_sizes(file, checked_flop(training, Tokens.training_flop()), ACTIVE)


def compiled(folder):
    trained(Training(Images, sgd, "inductor"), folder, "compiled", record_shapes=True)


def aot_eager(folder):
    trained(Training(Tokens, sgd, "aot_eager"), folder, "aot_eager", record_shapes=True)


if __name__ == "__main__":
    torch.set_num_threads(1)
    globals()[sys.argv[1]](Path(sys.argv[2]))
