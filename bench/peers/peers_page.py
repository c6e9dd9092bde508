"""The figures of docs/peers.md, as Markdown, from the kept results."""

import statistics

import judge
import rules
from adapters import NAMES

START, END = "<!-- figures of bench/peers/results.json -->", "<!-- end of figures -->"
TITLES = {"flop_counter": "FlopCounterMode", "onnx_tool": "onnx-tool", "rooflab": "Rooflab, package",
          "rooflab_program": "Rooflab, program"}
PACKAGES = {"flop_counter": "torch", "onnx_tool": "onnx-tool", "rooflab_program": "rooflab"}
LARGE = 100_000_000
FIGURES = {"macs": "multiply-adds", "parameters": "parameters", "weight_bytes": "bytes of weights"}

# Why a figure of Rooflab is not the truth, by case and figure. A figure without a cause is unexplained.
CAUSES = {
    ("MLP, int8 weights by torchao", "parameters"): "scales and zero points of the tensors count as parameters",
    ("MLP, int8 by torchao", "parameters"): "scales and zero points of the tensors count as parameters",
    ("MLP, int8 by torch.ao", "macs"): "quantized::linear_dynamic has no rule; it is listed, and coverage says so",
    ("MLP, int8 by torch.ao", "parameters"): "packed weights lie outside of tensors, so the recording does not see them",
    ("LSTM with a projection", "macs"): "the recording of a projected LSTM has no rule; it is listed",
    ("Bilinear", "macs"): "aten::_trilinear has no rule; it is listed, and coverage says so",
    ("MLP, int8 by onnxruntime", "parameters"): "int8 weights of an ONNX file do not count as parameters",
    ("CNN, int8 with QDQ", "parameters"): "int8 weights of an ONNX file do not count as parameters",
    ("CNN, int8 with QLinear", "parameters"): "int8 weights of an ONNX file do not count as parameters",
    ("CNN, int8 with QLinear", "macs"): "com.microsoft's QGemm has no rule; it is listed, and coverage says so",
}


def title(peer):
    return TITLES.get(peer, peer)


def table(head, rows, right=()):
    lines = ["| " + " | ".join(head) + " |",
             "| " + " | ".join("---:" if i in right else "---" for i in range(len(head))) + " |"]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


def rows_of(kept, peer):
    return {name: row["peers"][peer] for name, row in kept["rows"].items() if peer in row["peers"]}


def tally(rows, figure):
    """Of the rows that have a figure with a truth: how many are equal, explained, unexplained."""
    because = [row["because"][figure] for row in rows.values() if figure in row.get("because", {})]
    equal = sum(each == {} for each in because)
    unexplained = sum(each is None for each in because)
    return equal, len(because) - equal - unexplained, unexplained


def explained_by_hand(kept, peer):
    """Rows with the causes of Rooflab's own differences in the place of None."""
    rows = rows_of(kept, peer)
    if peer not in judge.OURS:
        return rows
    return {name: row | {"because": {figure: CAUSES.get((name, figure)) if each is None else each
                                     for figure, each in row.get("because", {}).items()}}
            for name, row in rows.items()}


def overview(kept):
    head = ["peer", "version", "cases", "refused", "multiply-adds: equal", "explained", "unexplained",
            "parameters: equal", "explained", "unexplained", "bytes of weights: equal", "explained", "unexplained"]
    lines = []
    for peer in NAMES:
        rows = explained_by_hand(kept, peer)
        refused = sum("error" in row for row in rows.values())
        lines.append([title(peer), kept["versions"][PACKAGES.get(peer, peer)], len(rows), refused,
                      *tally(rows, "macs"), *tally(rows, "parameters"), *tally(rows, "weight_bytes")])
    return table(head, lines, range(2, 13))


def causes(kept):
    """Each rule with the cases that it applies to and the largest share of the truth that it moves."""
    found = {}
    for name, row in kept["rows"].items():
        for peer in row["peers"].values():
            for figure, because in peer.get("because", {}).items():
                for key, amount in (because or {}).items():
                    found.setdefault(key, {})[name] = amount / row["truth"] if figure == "macs" else None
    lines = []
    for key, rule in sorted(rules.RULES.items(), key=lambda each: each[1].peer):
        if key in found:
            shares = [each for each in found[key].values() if each is not None]
            most = f"{max(shares, key=abs):+.3g}" if shares else ""
            lines.append([rule.peer, rule.text, f"`{rule.place}`", len(found[key]), most])
    return table(["peer", "rule", "place", "cases", "at most, of the truth"], lines, (3, 4))


def right(row, figure):
    """The peers whose figure is the truth."""
    return ", ".join(title(peer) for peer, each in row["peers"].items()
                     if peer not in judge.OURS and each.get("because", {}).get(figure) == {})


def ours(kept, cases):
    lines = []
    for peer in judge.OURS:
        for name, row in explained_by_hand(kept, peer).items():
            if "error" in row:
                lines.append([name, f"{title(peer)}: {row['error']}", "", "", "**unexplained**"])
            truths = {"macs": kept["rows"][name]["truth"], "parameters": cases[name].parameters,
                      "weight_bytes": cases[name].bytes}
            for figure, because in row.get("because", {}).items():
                if because != {}:
                    lines.append([name, f"{FIGURES[figure]}: {row[figure]:,}", f"{truths[figure]:,}",
                                  right(kept["rows"][name], figure), because or "**unexplained**"])
    return table(["case", "Rooflab says", "truth", "right are", "cause"], lines)


def refusals(kept):
    lines = []
    for peer in NAMES:
        found = {}
        for name, row in rows_of(kept, peer).items():
            if "error" in row:
                found.setdefault(row["error"].replace("|", "\\|")[:100], []).append(name)
        lines += [[title(peer), ", ".join(names), error] for error, names in found.items()]
    return table(["peer", "cases", "it says"], lines)


def text_of_seconds(seconds):
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def speed(kept):
    """Medians over the cases that a peer counts, and ratios to Rooflab on the same cases."""
    lines = []
    for peer in NAMES:
        rows = {name: row for name, row in rows_of(kept, peer).items() if "error" not in row}
        if not rows:
            continue
        beside = "rooflab_program" if peer in ("onnx_tool", "rooflab_program") else "rooflab"
        own = rows_of(kept, beside)

        def ratio(key, least=0):
            ratios = [row[key] / own[name][key] for name, row in rows.items()
                      if own.get(name, {}).get(key) and kept["rows"][name]["truth"] >= least]
            return f"{statistics.median(ratios):.2g}" if ratios else ""

        def median(key):
            return statistics.median(row[key] for row in rows.values())

        lines.append([title(peer), text_of_seconds(kept["import_s"][peer]["peer"]), text_of_seconds(median("seconds")),
                      ratio("seconds"), text_of_seconds(median("cpu_seconds")), ratio("cpu_seconds"),
                      ratio("cpu_seconds", LARGE), f"{median('peak_bytes_of_call') / 1e6:.0f} MB",
                      ratio("peak_bytes_of_call"), f"{median('lines'):.0f}"])
    return table(["peer", "import", "a call", "over Rooflab's", "processor time", "over Rooflab's",
                  "above 100 M multiply-adds", "peak memory", "over Rooflab's", "lines"], lines, range(1, 10))


def cell(row, truth):
    if row is None:
        return ""
    if "error" in row:
        return "refused"
    if "macs" not in row:
        return ""
    if row["macs"] == truth:
        return "="
    return f"{row['macs'] / truth - 1:+.1%}" if row["macs"] else "0"


def every_case(kept, cases):
    peers = [name for name in NAMES if name != "accelerate"]
    lines = []
    for name, row in kept["rows"].items():
        lines.append([name, cases[name].kind, f"{row['truth']:,}",
                      *(cell(row["peers"].get(peer), row["truth"]) for peer in peers)])
    return table(["case", "kind", "multiply-adds", *map(title, peers)], lines, range(2, 3 + len(peers)))


def sources(kept, cases):
    return table(["case", "multiply-adds", "parameters"],
                 [[name, cases[name].source.replace("|", "\\|"),
                   "" if cases[name].parameters is None else f"{cases[name].parameters:,}"]
                  for name in kept["rows"]], (2,))


def text(kept, cases):
    head = "{cpu}, {cpus} CPUs, one thread, {date}; medians of {repetitions} calls; load {load}.".format(
        **kept["machine"], date=kept["date"], repetitions=kept["repetitions"], load=kept["load"])
    beside = ", ".join(f"{name} {kept['versions'][name]}" for name in (
        "torch", "torchvision", "timm", "transformers", "torchao", "onnxruntime"))
    parts = (("Agreement", overview(kept)), ("Why they differ", causes(kept)),
             ("Where Rooflab is wrong today", ours(kept, cases)), ("Time, memory, lines", speed(kept)),
             ("Refused", refusals(kept)), ("Multiply-adds, case by case", every_case(kept, cases)),
             ("The truth of each case", sources(kept, cases)))
    return "\n\n".join([head, f"With {beside}.", *(f"## {name}\n\n{part}" for name, part in parts)])
