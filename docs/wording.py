"""Counts what makes our sentences and names hard to read: `python docs/wording.py` prints where, and how often.

A test compares the counts with `docs/wording.toml`, where each number may only become smaller.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
BOUNDS = Path(__file__).with_name("wording.toml")

PHRASES = {
    "behind": r"(?<!look-)\bbehind\b(?! an API)",
    "stands": r"\bstands?\b(?! for)",
    "is no": r"(?<![Tt]here )\b(?:is|are|was|were) no\b(?! (?:longer|more|other))",
    "is wanted": r"\b(?:is|are) wanted\b",
    "in form": r"\bin form\b",
    "wrinkle": r"\bwrinkles?\b",
    "does not go with": r"\b(?:does|do) not go with\b",
}
"""Phrases of our own where English has a plain word, as patterns over lines of Python, Rust and Markdown."""

IRREGULAR = frozenset(
    ["begun", "bound", "built", "cut", "found", "given", "held", "kept", "known", "left", "made", "met", "put"]
).union(["said", "sent", "shown", "spent", "taken", "told", "written"])
VERBS = frozenset(
    (
        "cut",
        "put",
        "read",
        "feed",
        "need",
        "seed",
        "embed",
        "proceed",
        "exceed",
        "shed",
        "speed",
        "bound",
        "left",
        "met",
    )
)
"""Words that look like participles, or are also verbs or nouns."""


class Place(NamedTuple):
    """Where something was found."""

    rule: str
    file: str
    line: int
    text: str


def list_files(*patterns: str) -> list[Path]:
    """The files of the project that match, without what was built."""
    found = (path for pattern in patterns for path in ROOT.glob(pattern))
    return sorted(path for path in found if "target" not in path.parts and "build" not in path.parts)


def find_phrases() -> Iterator[Place]:
    """Every use of a phrase in sources and documents."""
    for path in list_files("python/**/*.py", "python/**/*.pyi", "crates/*/src/**/*.rs", "docs/**/*.md", "*.md"):
        text = path.read_text("utf-8")
        for rule, pattern in PHRASES.items():
            for match in re.finditer(pattern, text):
                number = text.count("\n", 0, match.start())
                yield Place(rule, str(path.relative_to(ROOT)), number + 1, text.split("\n")[number].strip())


def is_participle(name: str) -> bool:
    """Whether the name of a function is a participle alone, which says neither what is done nor to what."""
    word = name.strip("_")
    if word in VERBS:
        return False
    return word in IRREGULAR or bool(re.fullmatch(r"[a-z]+ed", word))


def find_participles() -> Iterator[Place]:
    """Every function whose name is a participle alone."""
    for path in list_files("python/**/*.py", "docs/*.py", "bench/*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and is_participle(node.name):
                yield Place("participle names", str(path.relative_to(ROOT)), node.lineno, node.name)


def find_doubles() -> Iterator[Place]:
    """Every public class, and every module, whose name another one has too."""
    classes: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    modules: defaultdict[str, list[str]] = defaultdict(list)
    for path in list_files("python/formwright/**/*.py"):
        file = str(path.relative_to(ROOT))
        if not path.stem.startswith("__"):
            modules[path.stem].append(file)
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                classes[node.name].append((file, node.lineno))
    for name, places in classes.items():
        for file, line in places[1:]:
            yield Place("class names used twice", file, line, name)
    for name, files in modules.items():
        for file in files[1:]:
            yield Place("module names used twice", file, 1, name)


def find_all() -> list[Place]:
    """Everything that is counted."""
    return [*find_phrases(), *find_participles(), *find_doubles()]


def read_bounds() -> dict[str, int]:
    """The committed counts."""
    bounds: dict[str, int] = tomllib.loads(BOUNDS.read_text("utf-8"))
    return bounds


def main(rules: list[str]) -> None:
    """Print the places of some rules, and the counts of all."""
    places = find_all()
    for place in places:
        if place.rule in rules:
            sys.stdout.write(f"{place.file}:{place.line}: {place.text}\n")
    for rule, count in sorted(Counter(place.rule for place in places).items()):
        sys.stdout.write(f'"{rule}" = {count}\n')


if __name__ == "__main__":
    main(sys.argv[1:])
