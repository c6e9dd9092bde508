"""What the program is asked about a made input, and how its answer is judged.

A question belongs to a key of truth.csv. It takes what answers.py has from the program: the JSON of
a trace, an OnnxFile, a Folder. None is an answer that says nothing.
"""

from typing import Any, Callable, NamedTuple


class Question(NamedTuple):
    """`name` is that of a row in today.csv, `key` the truth's; an answer may differ by the share
    `tolerance`."""

    name: str
    key: str
    answer: Callable[[Any], Any]
    tolerance: float = 0.0


def ranges(trace):
    """Ops of a trace without the marks of steps: rows of record.md's `ranges`, kind 0."""
    names = trace["trace"]["ranges"]["names"]
    return [
        row
        for row in trace["trace"]["ranges"]["rows"]
        if row[0] == 0 and not names[row[1]].startswith("ProfilerStep#")
    ]


def marked_steps(trace):
    ours = trace["panes"]["ours"]
    return len(ours["trace_steps"]) if ours["marked"] else 0


def all_reduced(trace):
    """Of the mean step, times its steps; -1 or null is what was not recorded."""
    found = [
        row
        for row in trace["panes"]["collectives"]
        if row["collective"].startswith(("allreduce", "all_reduce"))
    ]
    if not found or any(row["bytes"] is None or row["bytes"] < 0 for row in found):
        return None
    return sum(row["bytes"] for row in found) * marked_steps(trace)


def memory_peak(trace):
    found = trace["panes"]["memory"]
    return found[0]["allocated_peak_bytes"] if found else None


TRACE = (
    Question("ops", "ops", lambda trace: len(ranges(trace))),
    Question("ops_ns", "ops_ns", lambda trace: sum(row[5] for row in ranges(trace))),
    Question(
        "longest_op_ns",
        "longest_op_ns",
        lambda trace: max((row[5] for row in ranges(trace)), default=0),
    ),
    Question("lost", "lost", lambda trace: sum(one["count"] for one in trace["lost"])),
    Question("kernels", "kernels", lambda trace: len(trace["kernels"])),
    Question("steps", "steps", marked_steps),
    Question(
        "mean_marked_step_ns",
        "mean_marked_step_ns",
        lambda trace: round(trace["panes"]["ours"]["mean_step"]["total_s"] * 1e9),
        0.02,
    ),
    Question("phase", "phase", lambda trace: trace["identity"]["phase"]),
    Question("batch", "batch", lambda trace: trace["identity"]["batch"]),
    Question("matrix_flop", "matrix_flop", lambda trace: trace["panes"]["ours"]["modelled_flop"]),
    Question("memory_changes", "memory_changes", lambda trace: len(trace["trace"]["allocations"])),
    Question("memory_peak_bytes", "memory_peak_bytes", memory_peak),
    Question("python_functions", "python_functions", lambda trace: trace["trace"]["python_ranges"]),
    Question("rank", "rank", lambda trace: trace["trace"]["rank"]),
    Question("ranks", "ranks", lambda trace: trace["trace"]["world_size"]),
    Question("all_reduced_bytes", "all_reduced_bytes", all_reduced),
)


def last_shape(summary):
    """The last layer's; a file's first output is the last that its network computes."""
    shape = summary["layers"][-1]["output_shape"] if summary["layers"] else None
    return "x".join(map(str, shape)) if shape else None


def time_of(predict):
    """A time that has all of the work."""
    [case] = predict["cases"]
    if case.get("predicted_s") is None:
        return None
    return "a time" if case["coverage_share"] == 1 else f"{case['coverage_share']:.1%} of the nodes"


# Exporters leave out or add a little: products with a first state of zeros, biases of a recurrent
# layer that is written out. Scales, zero points and constants are stored with the weights.
ONNX = (
    Question("parameters", "parameters", lambda file: file.summary["totals"]["parameters"], 0.005),
    Question(
        "matrix_flop", "matrix_flop", lambda file: file.summary["totals"]["matrix_flop"], 0.005
    ),
    Question(
        "uncounted",
        "uncounted",
        lambda file: sum(one["count"] for one in file.summary["totals"]["uncounted"]),
    ),
    Question("output_shape", "output_shape", lambda file: last_shape(file.summary)),
    Question(
        "weight_bytes", "stored_bytes", lambda file: file.summary["totals"]["parameter_bytes"], 0.1
    ),
    Question("predicted", "predicted", lambda file: time_of(file.predict)),
)

# Of the files next to a configuration; needs neither PyTorch nor transformers.
FILES = (
    Question("files_parameters", "parameters", lambda folder: folder.weights.parameters),
    Question("files_bytes", "stored_bytes", lambda folder: folder.weights.bytes),
    Question("folder_summary", "parameters", lambda folder: folder.summary["totals"]["parameters"]),
)

# Of rooflab.from_config, which needs transformers.
CONFIGURED = (
    Question("config_parameters", "parameters", lambda folder: folder.model.parameters),
    Question(
        "config_matrix_flop",
        "matrix_flop",
        lambda folder: folder.step_summary["totals"]["matrix_flop"],
        0.005,
    ),
    Question(
        "config_weight_bytes",
        "stored_bytes",
        lambda folder: folder.step_summary["totals"]["parameter_bytes"],
        0.1,
    ),
    Question("config_predicted", "predicted", lambda folder: time_of(folder.step_predict)),
)


def is_right(question, truth, answer):
    """`truth` is the text of truth.csv."""
    if isinstance(answer, (int, float)) and not isinstance(answer, bool):
        expected = float(truth)
        return abs(answer - expected) <= question.tolerance * abs(expected)
    return str(answer) == truth
