"""Rows add up to their totals, shares lie in 0 to 1, low <= value <= high, CSV and tables say what JSON says."""

import csv
import io
import re

from cases import KINDS, PREDICTED
from law import Broken, Law, is_number, near, walk

# Of a layer; a case has the sum.
_ADDED = ("macs", "flop", "matrix_flop", "vector_flop", "compulsory_bytes", "forward_flop",
          "backward_flop", "limit_s")  # fmt: skip
_NO_PART = {"margin_share", "deviation_share"}  # shares that may be negative or above 1
_ORDERS = (("predicted_low_s", "predicted_s", "predicted_high_s"),
           ("least_total_bytes", "total_bytes", "most_total_bytes"),
           ("ideal_s", "limit_s", "limit_s"))  # fmt: skip
_UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
          "%": 1e-2, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "": 1}  # fmt: skip
_SHOWN = re.compile(r"(-?[\d,]*\.?\d+) ?([a-zA-Z%]*)")
# Columns of the wide table, by their names in JSON.
_COLUMNS = {"limit": "limit_s", "predicted": "predicted_s", "low": "predicted_low_s",
            "high": "predicted_high_s", "ideal": "ideal_s", "FLOP": "flop", "MACs": "macs",
            "memory": "total_bytes", "device has": "device_memory_bytes", "samples/s": "samples_per_s",
            "compulsory": "compulsory_bytes", "saved": "saved_activation_bytes",
            "margin": "margin_share", "FLOP/B": "intensity_flop_per_byte"}  # fmt: skip


def _shares_and_orders(answer):
    for path, each in walk(answer.result):
        for key, value in each.items():
            if not is_number(value):
                continue
            if key.endswith("_share") and key not in _NO_PART and not -1e-9 <= value <= 1 + 1e-9:
                yield f"{path}.{key} is {value}"
        for keys in _ORDERS:
            values = [each.get(key) for key in keys]
            if all(map(is_number, values)) and not (
                values[0] <= values[1] * (1 + 1e-9) and values[1] <= values[2] * (1 + 1e-9)
            ):
                yield f"{path}: {', '.join(f'{k} {v}' for k, v in zip(keys, values))}"


def _totals(case):
    layers = case["layers"]
    for key in _ADDED:
        total = sum(each[key] or 0 for each in layers)
        if case.get(key) is not None and not near(total, case[key], 1e-6):
            yield f"layers' {key} add up to {total}, the case says {case[key]}"
    prediction = case.get("prediction")
    if not prediction or prediction.get("predicted_device_s") is None:
        return
    device = prediction["predicted_device_s"]
    rows = sum(each["predicted_s"] or 0 for each in layers)
    if not near(rows, device, 1e-3):
        yield f"layers' predicted_s add up to {rows}, predicted_device_s is {device}"
    shares = sum(each["time_share"] for each in prediction["kinds"])
    if prediction["kinds"] and not near(shares, 1, 1e-3):
        yield f"shares of the kinds add up to {shares}"


def _shown(text):
    """A number of a table in base units, and half a unit of its last digit; None: not a number."""
    found = _SHOWN.fullmatch(text.strip())
    if not found or found[2] not in _UNITS:
        return None
    digits = found[1].replace(",", "")
    places = len(digits.partition(".")[2])
    return float(digits) * _UNITS[found[2]], 0.5 * 10**-places * _UNITS[found[2]] * 1.001


def _rows_of_table(text):
    """The rows of the first Markdown table with a column `predicted`."""
    head = None
    for line in text.splitlines():
        cells = [each.strip() for each in line.strip("|").split("|")]
        if line.startswith("|") and head is None and "predicted" in cells:
            head = cells
        elif head and not line.startswith("|"):
            return
        elif head and line.startswith("|") and not line.startswith("| :"):
            yield dict(zip(head, cells))


def _other_forms(answer, asker):
    """CSV and the table compared with JSON."""
    case, words = answer.case, answer.words[:-2]
    listed = asker.say(*words, "--format", "csv")
    row = next(csv.DictReader(io.StringIO(listed.text)), None)
    if row is None:
        yield Broken("the CSV has no row", (listed,))
        return
    for key, text in row.items():
        value = case.get(key)
        if key in ("total_bytes", "least_total_bytes"):
            value = case["memory"][key]
        if key not in case and value is None:
            continue
        said = None if text == "" else text
        same = (said is None) if value in (None, "") else said is not None and (
            near(float(said), value, 1e-12) if is_number(value) else said == str(value))  # fmt: skip
        if not same:
            yield Broken(f"CSV says {key} {text!r}, JSON {value!r}", (listed, answer))
    table = asker.say(*words, "--format", "md", "--wide")
    for row in list(_rows_of_table(table.text))[:1]:
        for column, key in _COLUMNS.items():
            shown = _shown(row.get(column, ""))
            value = case["memory"][key] if key == "total_bytes" else case.get(key)
            if shown is None or not is_number(value):
                continue
            if abs(shown[0] - value) > shown[1] + 1e-12 * abs(value):
                yield Broken(f"the table says {column} {row[column]}, JSON {key} {value}", (table, answer))


def _check(case, answer, asker):
    if answer.result is None:
        return None
    broken = [Broken(text, (answer,)) for text in _shares_and_orders(answer)]
    if case.kind in PREDICTED:
        broken += [Broken(text, (answer,)) for text in _totals(answer.case)]
        if asker.random.random() < 0.1:
            broken += list(_other_forms(answer, asker))
    return broken


LAWS = (Law("sums", KINDS, _check),)
