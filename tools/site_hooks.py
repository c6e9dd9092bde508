"""Hooks of mkdocs.yml: pages from outside of docs/, and links as the repository has them.

Documents link to each other as files of the repository. On the site a link to a page leads to that page; a link to
another file of the repository becomes its path, as there is nothing to lead to. A link to nothing stays and is an
error of `mkdocs build --strict`.
"""
import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
# Pages from outside of docs/, at the same paths on the site.
OUTSIDE = ["CHANGELOG.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md", "packaging/README.md",
           "python/README.md"]
# In place of these `./run site` makes pages: the manuals with their options, all studies with their charts.
LEFT_OUT = re.compile(r"commands/|studies/.*/")
MADE = ("commands/*.md", "studies/*/report.html", "studies/*/report.md", "studies/*/charts/*.svg")
LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\])\(([^)\s#]+)(#[^)\s]*)?\)")
CODE = re.compile(r"(^( *)```.*?^\2```|`[^`\n]*`)", re.MULTILINE | re.DOTALL)


def anchor(title, _separator="-"):
    """Name of a heading, as forges make it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")


def on_config(config):
    config["mdx_configs"]["toc"]["slugify"] = anchor
    return config


def on_files(files, config):
    for file in list(files):
        if LEFT_OUT.match(file.src_uri):
            files.remove(file)
    for path in OUTSIDE:
        files.append(File(path, str(ROOT), config["site_dir"], config["use_directory_urls"]))
    made = ROOT / "build"
    for path in sorted(path for pattern in MADE for path in made.glob(pattern)):
        files.append(File(str(path.relative_to(made)), str(made), config["site_dir"], config["use_directory_urls"]))
    return files


def path_in_repository(page):
    return page if page in OUTSIDE else f"docs/{page}"


def on_page_markdown(markdown, page, config, files):
    here = page.file.src_uri
    folder = posixpath.dirname(path_in_repository(here))

    def change(match):
        text, target, heading = match.groups()
        if re.match(r"[a-z]+:", target):
            return match.group(0)
        path = posixpath.normpath(posixpath.join(folder, target))
        name = path if path in OUTSIDE else path.removeprefix("docs/")
        if files.get_file_from_path(name) is not None:
            return f"{text}({posixpath.relpath(name, posixpath.dirname(here) or '.')}{heading or ''})"
        if text.startswith("!") or not (ROOT / path).exists():
            return match.group(0)
        return f"{text[1:-1]} (`{path}`)"

    if here == "library.md":  # Doxygen makes it after the pages
        markdown += '\n## Reference\n\n<a href="reference/index.html">All public headers</a>, generated.\n'
    parts = CODE.split(markdown)
    # Every third part is text; code and its indent stand between.
    return "".join(LINK.sub(change, part) if number % 3 == 0 else part if number % 3 == 1 else ""
                   for number, part in enumerate(parts))
