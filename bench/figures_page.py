"""The figures of a baseline as a part of a document, between two marks."""

from process_results import text_of, text_of_time

START, END = "<!-- figures of bench/baseline.json -->", "<!-- end of figures -->"


def page_table(baseline, described):
    """The figures of a baseline as a table in Markdown."""
    lines = [
        "{cpu}, {cpus} CPUs, {date}.".format(**baseline["machine"], date=baseline["date"]), "",
        "| case | time | peak memory | beside | its time | its peak | ratio | floor |",
        "| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: |",
    ]
    for name, row in baseline["cases"].items():
        beside = baseline["references"].get(row["reference"], {})
        floor = baseline["floors"].get(described["cases"][name]["floor"], {})
        lines.append(
            f"| {name} | {text_of_time(row)} | {text_of(row, 'peak_mb', '.0f')} MB | {row['reference']} "
            f"| {text_of_time(beside)} | {text_of(beside, 'peak_mb', '.0f')} MB "
            f"| {text_of(row, 'ratio', '.2g')} | {text_of_time(floor)} |")
    return "\n".join(lines)


def description_lists(described):
    """What the names in the table stand for, as lists in Markdown."""
    lines = []
    for kind in ("cases", "references"):
        lines += ["", f"The {kind}:", ""]
        lines += [f"- **{name}**: {each['what']}" for name, each in described[kind].items()]
    return "\n".join(lines)


def with_figures(page, baseline, described):
    """A page with the figures of the baseline between its two marks."""
    before, _, rest = page.partition(START)
    _, _, after = rest.partition(END)
    if not after:
        raise SystemExit(f"compare.py: the page lacks '{START}' or '{END}'")
    figures = page_table(baseline, described) + "\n" + description_lists(described)
    return f"{before}{START}\n\n{figures}\n\n{END}{after}"
