#!/usr/bin/env python3
"""Writes a program that makes each public struct with a designated initialiser of a member.

    designated.py INCLUDE     prints the program; headers.sh compiles it without a warning
"""

import re
import sys
from pathlib import Path

NAMESPACE = re.compile(r"namespace ([\w:]+) \{$")
STRUCT = re.compile(r"struct (\w+) (?:final )?\{$")  # without a base
MEMBER = re.compile(r"[\w:<>, *&()]+? (\w+)( = [^;]*|\{[^;]*\})?;(?: *//.*)?$")
NO_MEMBER = ("using ", "static ", "friend ", "template", "enum ", "return ", "struct ", "class ", "[[nodiscard]]")


def aggregates(text):
    """(name with its namespaces, first member that is `{}`) of every struct without a constructor."""
    lines = text.split("\n")
    namespace = ""
    for number, line in enumerate(lines):
        if found := NAMESPACE.match(line):
            namespace = found[1]
        found = STRUCT.match(line)
        if not found or lines[number - 1].startswith(("template", "requires")):
            continue
        end = next(i for i in range(number, len(lines)) if lines[i] == "};")
        body = [each[2:] for each in lines[number + 1 : end] if each.startswith("  ") and each[2:3] not in (" ", "/")]
        if any(re.match(rf"(constexpr |explicit )?{found[1]}\(", each) for each in body) or "private:" in "".join(body):
            continue
        members = [MEMBER.match(each) for each in body if not each.startswith(NO_MEMBER)]
        members = [each for each in members if each]
        first = next((each for each in members if each[2] in (None, " = {}", "{}")), None)
        if first and first[2]:  # else its users must give that member
            yield f"{namespace}::{found[1]}", first[1]


def main():
    include = Path(sys.argv[1])
    made = []
    for header in sorted(include.rglob("*.hpp")):
        made += aggregates(header.read_text())
    print('#include "rooflab/rooflab.hpp"')
    for number, (name, member) in enumerate(made):
        print(f"{name} make_{number}();\n{name} make_{number}() {{ return {{.{member} = {{}}}}; }}")
    if len(made) < 100:
        sys.exit(f"only {len(made)} structs were found in {include}")


main()
