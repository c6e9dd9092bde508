"""The tables of the made inputs: which there are, and what is known of each."""

import csv
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
MADE = ROOT / "tests/data/made"
INPUTS, TRUTH = MADE / "inputs.csv", MADE / "truth.csv"


class Input(NamedTuple):
    """A row of inputs.csv: a file or a folder. Rows with the same maker are made by one run."""

    file: str
    environment: str
    program: str
    case: str
    what: str

    @property
    def maker(self):
        return self.environment, self.program, self.case


class Truth(NamedTuple):
    """A row of truth.csv: the input has the figure `key`, as `source` says."""

    file: str
    key: str
    value: str
    source: str


def rows_of(path, kind):
    if not path.exists():
        return []
    with open(path, encoding="utf-8", newline="") as text:
        return [kind(**row) for row in csv.DictReader(text)]


def inputs():
    return rows_of(INPUTS, Input)


def truths():
    return rows_of(TRUTH, Truth)


def owner_of(file, names):
    """The input that a file is, or is part of; None without one."""
    return next((one for one in names if file == one or file.startswith(f"{one}/")), None)


def in_order(rows):
    """Rows of a table in the order of the inputs; those without an input are dropped."""
    order = {row.file: number for number, row in enumerate(inputs())}
    owned = [(owner_of(row.file, order), row) for row in rows]
    return [row for owner, row in sorted(
        ((owner, row) for owner, row in owned if owner), key=lambda pair: order[pair[0]])]


def write_rows(path, kind, rows):
    with open(path, "w", encoding="utf-8", newline="") as text:
        out = csv.writer(text, lineterminator="\n")
        out.writerow(kind._fields)
        out.writerows(rows)


def files_of(path):
    """The files of an input."""
    return sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]


def size_of(path):
    return sum(one.stat().st_size for one in files_of(path))
