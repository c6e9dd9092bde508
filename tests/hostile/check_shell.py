"""Pastes every command line of outputs into a shell: nothing but the program `rooflab` starts.

    check_shell.py FOLDER       with the outputs of make.sh; a stand-in for rooflab notes its words
"""
from __future__ import annotations

import html.parser
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

STAND_IN = '#!/bin/sh\necho rooflab >>"$STARTED"\n'


class Codes(html.parser.HTMLParser):
    """What a page offers for copying: the texts of its <code>."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.inside = False

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        self.inside = tag == "code" or self.inside
        if tag == "code":
            self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag != "code"

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.texts[-1] += data


def members(value: Any) -> Iterator[str]:
    """The command lines in a JSON value, and what findings advise to try."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("command_line", "attempt") and isinstance(inner, str):
                yield inner
            yield from members(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from members(inner)


def commands(file: Path) -> list[str]:
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".json":
        return list(members(json.loads(text)))
    if file.suffix == ".html":
        page = Codes()
        page.feed(text)
        return page.texts
    if file.suffix == ".md":
        codes = [each[2].strip() for each in re.findall("- try: ((`+)(.*)\\2)", text)]
        return codes + [line.strip() for line in text.splitlines() if line.startswith("    ")]
    return [line.partition("next: ")[2] for line in text.splitlines() if "next: " in line]


def main() -> int:
    lines = {line for file in Path(sys.argv[1]).iterdir()
             if file.suffix in (".html", ".json", ".md", ".txt") for line in commands(file)}
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "bin").mkdir()
        (Path(place) / "empty").mkdir()
        (Path(place) / "bin/rooflab").write_text(STAND_IN)
        (Path(place) / "bin/rooflab").chmod(0o755)
        started = Path(place) / "started"
        environment = {"PATH": f"{place}/bin:/usr/bin:/bin", "STARTED": str(started)}
        failed = 0
        for line in sorted(lines):
            subprocess.run(["sh", "-c", line.replace("\0", "")], cwd=f"{place}/empty", env=environment,
                           stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=20)
            for name in os.listdir(f"{place}/empty"):
                failed += 1
                print(f"FAILED a shell makes '{name}' of: {line!r}")
                os.unlink(f"{place}/empty/{name}")
        count = len(started.read_text().splitlines()) if started.exists() else 0
        print(f"{len(lines)} command lines, {count} of them start rooflab")
    return int(failed > 0 or count == 0)


if __name__ == "__main__":
    sys.exit(main())
