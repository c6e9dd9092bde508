"""The page of the made inputs, from their tables."""

from textwrap import fill

from inputs import MADE, inputs, rows_of, size_of, truths

HEAD = """# Inputs made with the packages that users have

`tools/made/make` makes these files: `inputs.csv` names each once, with the environment
(`tools/python/NAME.txt`, or Debian's python3), the program in `tools/made` and its case. This page
is made from the tables.

    tools/python/environment today optimum torch22 torch26 jax   # once; gigabytes
    tools/python/environment torch20 torch24 genai               # for these files alone
    tools/made/make                                              # all
    tools/made/make 'traces/torch2.6*'                           # some
    tests/made/today build/ci/bin/rooflab --update               # what the program says now
    tests/made/today build/ci/bin/rooflab --configured --update

Delete `build/venv/torch20`, `torch24` and `genai` after use.

- `inputs.csv`: `file`, `environment`, `program`, `case`, `what`. A `file` may be a folder. The
  command of a row is `tools/made/make FILE`.
- `truth.csv`: `file`, `key`, `value`, `source`: what is true of an input, and who says it:
  PyTorch's own counts, onnxruntime's shapes, a formula, the program that made it, or
  `tools/made/trace_truth.py`, which sums the events of a trace. `versions` is what made it,
  `dim NAME` the size of an open dimension. `tests/made/questions.py` has what is asked for the
  other keys.
- `today.csv`: `file`, `question`, `status`, `says`: what the program says of each today: `right`,
  `wrong` with its value, `refused` with its error, or with nothing where the answer has no value.
  The tests `made.inputs` and `made.configured` fail where an answer has another status than its
  row, so who mends one updates the table.

Folders and the host's name are replaced (`tools/made/scrub.py`); nothing else is changed.

Some could not be made: torch.compile with PyTorch 2.0, which refuses Python 3.11; shapes and
categories by Debian's PyTorch 1.13, which has no kineto; a snapshot of memory, which exists for
CUDA alone (on a CPU it is empty); Int4WeightOnlyConfig and float8 activations of torchao, which
need a GPU.
"""


def cell(text):
    return str(text).replace("|", "\\|")


def counted(rows, file):
    """The statuses of an input's answers."""
    mine = [row["status"] for row in rows if (row["file"] + "/").startswith(f"{file}/")]
    return [str(mine.count(status) or "") for status in ("right", "wrong", "refused")]


def table(family, today):
    """The rows of a family of inputs."""
    yield f"## {family}\n"
    yield "| file | bytes | what | by | right | wrong | refused |"
    yield "| --- | ---: | --- | --- | ---: | ---: | ---: |"
    for row in inputs():
        if row.file.startswith(f"{family}/"):
            size = size_of(MADE / row.file) if (MADE / row.file).exists() else 0
            cells = [f"`{row.file.split('/', 1)[1]}`", f"{size:,}", cell(row.what), row.environment,
                     *counted(today, row.file)]
            yield f"| {' | '.join(cells)} |"
    yield ""


def environments():
    """The versions that each environment made its inputs with."""
    versions = {row.file: row.value for row in truths() if row.key == "versions"}
    found = {}
    for row in inputs():
        said = versions.get(row.file, "").split(", ")
        found.setdefault(row.environment, {}).update(dict.fromkeys(one for one in said if one))
    yield "## environments\n"
    for name, modules in found.items():
        yield from fill(f"- {name}: {', '.join(modules)}", 100, subsequent_indent="  ").splitlines()
    yield ""


def write_readme():
    """Writes README.md."""
    today = rows_of(MADE / "today.csv", dict)
    lines = [HEAD]
    for family in dict.fromkeys(row.file.split("/")[0] for row in inputs()):
        lines += table(family, today)
    lines += environments()
    total = sum(size_of(MADE / row.file) for row in inputs() if (MADE / row.file).exists())
    lines.append(f"{len(inputs())} inputs have {total:,} bytes.")
    (MADE / "README.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
