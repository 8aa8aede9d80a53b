#!/usr/bin/env python3
"""Check the sources against the rules of CONTRIBUTING.md.  usage: check_layers.py [ROOT]

Each finding is one line, "file:line: what is wrong"; any finding makes the exit status 1.
"""

import re
import sys
from pathlib import Path

# What each folder under mmcpipe/ may include besides itself. The environments below port/ are layers of their own.
CORE = ["base", "spec", "port", "host", "card", "block", "trial"]
EVERYTHING = CORE + ["port/posix", "sim", "measure", "rig", "report", "serve", "cli"]
MAY_USE = {
    "base": [],
    "spec": ["base"],
    "port": ["base"],
    "port/posix": ["base", "port"],
    "port/bare": ["base", "port"],
    "host": ["base", "spec", "port"],
    "card": ["base", "spec", "port", "host"],
    "block": ["base", "spec", "port", "host", "card"],
    "trial": ["base", "spec", "port", "host", "card", "block"],
    "sim": ["base", "spec", "port"],
    "measure": CORE,
    "rig": CORE + ["port/posix", "sim", "measure"],
    "report": EVERYTHING,
    "serve": EVERYTHING,
    "cli": EVERYTHING,
}

MAX_LINES = 500
VAGUE_NAMES = {"util", "common", "helper", "manager"}
SOURCE_SUFFIXES = {".h", ".cpp", ".c", ".inc", ".S"}

# Platforms are data. A word starts at a non-alphanumeric character or at a CamelCase hump.
PLATFORM = re.compile(
    r"(?:(?<![A-Za-z0-9])|(?<=[a-z0-9])(?=[A-Z]))"
    r"(?i:ux500|u8500|u5500|versatile|zynq|zcu102|mainstone|tosa|pxa270|vexpress)"
)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]*)"|<(mmcpipe/[^>]*)>)', re.M)
CONDITIONAL = re.compile(r"^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif|elifdef|elifndef|else)\b[^\n]*", re.M)
C_HEADER_GUARD = re.compile(r"#[ \t]*ifdef[ \t]+__cplusplus\b")
NOT_IN_CORE = [
    (re.compile(r"\bthrow\b"), "throw"),
    (re.compile(r"\btry\s*\{"), "try"),
    (re.compile(r"\bdynamic_cast\b"), "dynamic_cast"),
    (re.compile(r"\btypeid\b"), "typeid"),
    (re.compile(r"#[ \t]*include[ \t]*<iostream>"), "<iostream>"),
]
# g++ 12 generates wrong code for these. GoogleTest's and RapidCheck's assertions expand to an if.
CONDITION = re.compile(
    r"\b(?:(?:if|while|for|switch)\b(?:\s*(?:constexpr|consteval)\b)?|(?:EXPECT|ASSERT|RC_ASSERT|RC_PRE)(?:_\w+)?)\s*\("
)
CO_AWAIT = re.compile(r"\bco_await\b")

COMMENT = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^()\\ ]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])+\'', re.S
)


def blank(text, keep_strings=False):
    """The text with comments and literals blanked out, every line where it was."""

    def replace(match):
        found = match.group()
        if keep_strings and found[0] != "/":
            return found
        return re.sub(r"[^\n]", " ", found)

    return COMMENT.sub(replace, text)


def layer_of(path):
    """The layer of a path below mmcpipe/, or None."""
    parts = path.split("/")
    if len(parts) > 2 and "/".join(parts[:2]) in MAY_USE:
        return "/".join(parts[:2])
    return parts[0] if len(parts) > 1 and parts[0] in MAY_USE else None


def closing(text, start):
    """The index behind the parenthesis that closes the one at start."""
    depth = 0
    for i in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i + 1
    return len(text)


def awaits_in_conditions(code):
    for match in CONDITION.finditer(code):
        start = match.end() - 1
        if CO_AWAIT.search(code, start, closing(code, start)):
            yield match.start(), "co_await inside a condition: bind the result to a const local first"


def includes(path, text):
    layer = layer_of(path)
    for match in INCLUDE.finditer(blank(text, keep_strings=True)):
        name = match.group(1) or match.group(2)
        if not name.startswith("mmcpipe/"):
            yield match.start(), f'"{name}": include our headers by their path from the root, "mmcpipe/..."'
            continue
        used = layer_of(name.removeprefix("mmcpipe/"))
        if used != layer and used not in MAY_USE[layer]:
            yield match.start(), f"{layer} may not use {used or name}"


def core_language(text):
    code = blank(text)
    for match in CONDITIONAL.finditer(code):
        if not C_HEADER_GUARD.match(match.group().strip()):
            yield match.start(), f"the core has no conditional compilation: {match.group().strip()}"
    for pattern, name in NOT_IN_CORE:
        for match in pattern.finditer(code):
            yield match.start(), f"the core may not use {name}"


def vague_name(name):
    words = re.split(r"[_.\-]", name.lower())
    return next((word for word in words if word.removesuffix("s") in VAGUE_NAMES), None)


def check_library_file(path, text):
    """Findings (offset, message) for a file below mmcpipe/; path is relative to that folder."""
    for match in PLATFORM.finditer(f"{text}\n{path}"):
        yield min(match.start(), len(text)), f"names a platform ({match.group()}); platforms live in profiles/ and firmware/"
    if word := next(filter(None, map(vague_name, path.split("/"))), None):
        yield 0, f"'{word}' says nothing about what the file is for"
    if Path(path).suffix not in SOURCE_SUFFIXES:
        return
    if text.count("\n") > MAX_LINES:
        yield len(text) - 1, f"more than {MAX_LINES} lines"
    if path.endswith(".h") and not re.search(r"^#pragma once$", text, re.M):
        yield 0, "a header needs #pragma once"
    layer = layer_of(path)
    if layer is None:
        yield 0, "not in a folder of the layer table"
        return
    yield from includes(path, text)
    if layer in CORE:
        yield from core_language(text)


def check(root):
    """All findings of a tree, in order of file and line."""
    findings = []
    for folder in ["mmcpipe", "tests", "firmware", "fuzz", "bench"]:
        for file in sorted((root / folder).rglob("*")):
            if not file.is_file() or "__pycache__" in file.parts:
                continue
            text = file.read_text(encoding="utf-8", errors="replace")
            found = []
            if folder == "mmcpipe":
                found += check_library_file(file.relative_to(root / folder).as_posix(), text)
            if file.suffix in SOURCE_SUFFIXES:
                found += awaits_in_conditions(blank(text))
            for offset, message in sorted(found):
                line = text.count("\n", 0, offset) + 1
                findings.append(f"{file.relative_to(root).as_posix()}:{line}: {message}")
    return findings


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent)
    findings = check(root)
    print("\n".join(findings) if findings else "layers: clean")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
