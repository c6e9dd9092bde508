"""The figures of the peers compared with the truth: the results file, from measurements and ledgers."""

import rules
import rules_functions
import rules_modules
import rules_parameters
import rules_ptflops

MACS = {"torchinfo": rules_modules.torchinfo, "thop": rules_modules.thop, "ptflops": rules_ptflops.ptflops,
        "fvcore": rules_functions.fvcore, "calflops": rules_functions.calflops,
        "flop_counter": rules_functions.flop_counter}
OURS = ("rooflab", "rooflab_program")
KEPT = ("macs", "parameters", "weight_bytes", "peak_bytes", "seconds", "cpu_seconds", "lines", "peak_bytes_of_call", "coverage",
        "uncounted", "error")


def exact(case, ledger):
    """The truth without its rounding: what the ledger adds up to, where that is the truth within its rounding."""
    if ledger is None or abs(ledger.macs - case.macs) > case.within:
        return case.macs
    return ledger.macs


def amounts_of(peer, figure, case, truth, row, ledgers, files):
    """The amounts of the rules for a figure of a peer; None where no rule speaks of it."""
    if peer in OURS:
        return {}
    if case.onnx:
        file = files[case.name]
        return rules_functions.onnx_tool(file, row["parts"]) if figure == "macs" \
            else rules_functions.onnx_tool_parameters(file)
    ledger = ledgers[case.name]
    if figure == "macs":
        return MACS[peer](ledger)
    return (rules_parameters.parameters if figure == "parameters" else rules_parameters.weight_bytes)(
        peer, ledger, truth)


def judged(peer, case, row, ledgers, files):
    """A row for the results: what the peer says, and for each figure with a truth what explains it."""
    kept = {key: row[key] for key in KEPT if key in row}
    truths = {"macs": exact(case, ledgers.get(case.name)), "parameters": case.parameters, "weight_bytes": case.bytes}
    kept["because"] = {}
    for figure, truth in truths.items():
        if figure not in row or truth is None:
            continue
        amounts = amounts_of(peer, figure, case, truth, row, ledgers, files)
        if row[figure] == truth:
            kept["because"][figure] = {}
        elif rules.explained(row[figure], truth, amounts, slack=1 if figure == "macs" else 0):
            kept["because"][figure] = dict(amounts)
        else:
            kept["because"][figure] = None
    return kept


def results(cases, measured, ledgers, files, about):
    """The results file: `measured` has the answer of measure.py for each peer."""
    ledgers = {name: rules.Ledger(each) for name, each in ledgers.items()}
    rows = {name: {"truth": exact(each, ledgers.get(name)), "peers": {}} for name, each in cases.items()}
    for peer, answer in measured.items():
        for name, row in answer["rows"].items():
            rows[name]["peers"][peer] = judged(peer, cases[name], row, ledgers, files)
    return {**about, "import_s": {peer: each["import_s"] for peer, each in measured.items()}, "rows": rows}
