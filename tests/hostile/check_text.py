"""Reads CSV, Markdown and SVG that rooflab wrote about files of plant.py, as other programs do.

    check_text.py FOLDER [CMARK]     CMARK: cmark-gfm; without it Markdown is not checked
"""
from __future__ import annotations

import csv
import html.parser
import json
import re
import subprocess
import sys
import xml.etree.ElementTree
from pathlib import Path

HERE = Path(__file__).resolve().parent
NAMES = [each["name"] for each in json.loads((HERE / "names.json").read_text(encoding="utf-8"))]

# What acts on a line, a terminal or the direction of writing is shown as a blank.
ACTING = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
FORMULA = re.compile("[ ']*[=+\\-@\t\r\uff1d\uff0b\uff0d\uff20]")
CHART = "charts/[a-z0-9-]+[.]svg"
# What Rooflab's Markdown consists of. <a> is an address that is in the text unchanged, <img> a study's chart.
ELEMENTS = {"h2", "h3", "p", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td", "pre", "code", "a",
            "img"}


# What a static chart consists of.
DRAWN = {"svg", "title", "desc", "defs", "g", "path", "text", "tspan", "circle", "rect", "line", "polygon",
         "polyline", "pattern", "filter", "feFlood", "feComposite", "feColorMatrix", "use", "clipPath", "style"}


def shown(name: str) -> str:
    return ACTING.sub(" ", name)


def cells(file: Path) -> list[list[str]]:
    with open(file, encoding="utf-8", newline="") as text:
        rows = list(csv.reader(text, strict=True))
    assert len({len(row) for row in rows}) == 1, "rows of several widths"
    return rows


def check_csv(file: Path) -> int:
    """No cell but a number begins like a formula. Returns how many names are found as they were."""
    rows = cells(file)
    for row in rows:
        for cell in row:
            if FORMULA.match(cell) and not cell.startswith("'"):
                float(cell)
    texts = [re.sub("^'(?=[' ]*[=+\\-@\uff1d\uff0b\uff0d\uff20])", "", cell) for row in rows for cell in row]
    return sum(any(shown(name) in text for text in texts) for name in NAMES)


class Page(html.parser.HTMLParser):
    """The elements, the links and the texts of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.links: list[str] = []
        self.pictures: list[str] = []
        self.widths: list[list[int]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        if tag == "a":
            self.links.append(dict(attributes)["href"] or "")
        elif tag == "img":
            self.pictures.append(dict(attributes)["src"] or "")
        elif tag == "table":
            self.widths.append([])
        elif tag == "tr":
            self.widths[-1].append(0)
        elif tag in ("td", "th"):
            self.widths[-1][-1] += 1

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.elements.add("<!--")


def squeezed(text: str) -> str:
    return " ".join(text.split())


def check_markdown(file: Path, cmark: str) -> int:
    """No text of a file became markup. Returns how many names are found as they were."""
    # --unsafe: HTML of the file reaches us in place of a comment.
    made = subprocess.run(
        [cmark, "--unsafe", *(word for each in ("table", "strikethrough", "autolink", "tasklist")
                              for word in ("-e", each)), file],
        check=True, capture_output=True, encoding="utf-8").stdout
    page = Page()
    page.feed(made)
    assert page.elements <= ELEMENTS, f"elements {page.elements - ELEMENTS}"
    for widths in page.widths:
        assert len(set(widths)) == 1, f"a table's rows have {sorted(set(widths))} cells"
    for address in page.links:
        assert re.match(f"https?://|{CHART}$", address), f"a link to {address}"
    for picture in page.pictures:
        assert re.fullmatch(CHART, picture), f"a picture {picture}"
    text = squeezed(page.text)
    return sum(squeezed(shown(name)) in text for name in NAMES)


def check_svg(file: Path) -> int:
    """No text became an element or an attribute. Returns how many names are found as they were."""
    texts = []
    for element in xml.etree.ElementTree.parse(file).iter():
        tag = element.tag.rpartition("}")[2]
        assert tag in DRAWN, f"an element {tag}"
        assert not [key for key in element.attrib if key.startswith("on")], f"{tag} {element.attrib}"
        texts.append("".join(element.itertext()))
    text = squeezed(" ".join(texts))
    return sum(squeezed(shown(name)) in text for name in NAMES)


def main() -> int:
    folder, cmark = Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
    failed = 0
    for file in sorted(folder.iterdir()):
        try:
            if file.suffix == ".csv":
                found = check_csv(file)
            elif file.suffix == ".svg":
                found = check_svg(file)
            elif file.suffix == ".md" and cmark:
                found = check_markdown(file, cmark)
            else:
                continue
            print(f"{file.name}: {found} of {len(NAMES)} names")
            # Names of kernels are shortened, and file names have no slash. Tables of predictions have ids of devices.
            assert found >= len(NAMES) / 2 or file.stem == "devices", "names are not shown as they are"
        except (AssertionError, ValueError, csv.Error, xml.etree.ElementTree.ParseError) as error:
            failed += 1
            print(f"FAILED {file.name}: {error}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
