"""Random grammars against Lark: what conforms to a form, Lark's contextual LALR parser parses.

A grammar that has conflicts, or whose lexer would take a shorter match because of the order of its terminals, says
something else to Lark; such grammars are passed over.
"""

from __future__ import annotations

import itertools
import logging
import os
import random
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

import formwright as fw

lark = pytest.importorskip("lark")

TEXTS = ["a", "b", "ab", "aa", "ba", "bb"]
REGEXES = ["a+", "b+", "[ab]+", "ab?", "ba*", "a*b", "[ab]"]
ALL = ["".join(letters) for length in range(5) for letters in itertools.product("ab ", repeat=length)]


class Conflicts(logging.Handler):
    """Notes that Lark resolved a conflict."""

    def __init__(self) -> None:
        super().__init__()
        self.found = False

    def emit(self, record: logging.LogRecord) -> None:
        self.found |= "onflict" in record.getMessage()


def random_grammar(dice: random.Random) -> tuple[str, list[tuple[str, str, int]]]:
    """A grammar, and its terminals: kind, pattern, priority."""
    pool = [("text", text, 0) for text in TEXTS] + [("regex", regex, dice.choice([0, 0, 0, 1])) for regex in REGEXES]
    terminals = dice.sample(pool, dice.randint(2, 4))
    names = [f'"{pattern}"' if kind == "text" else f"T{at}" for at, (kind, pattern, _) in enumerate(terminals)]
    rules = ["start", "r", "q"][: dice.randint(1, 3)]

    def item(depth: int) -> str:
        choice = dice.random()
        if choice < 0.55 or depth > 2:
            return dice.choice(names)
        if choice < 0.75:
            return dice.choice(rules)
        if choice < 0.85:
            return item(depth + 1) + dice.choice("?*+")
        return f"({alternatives(depth + 1)})"

    def alternatives(depth: int) -> str:
        rows = [" ".join(item(depth) for _ in range(dice.randint(depth > 0, 3))) for _ in range(dice.randint(1, 3))]
        return " | ".join(rows)

    lines = [f"{rule}: {alternatives(0)}" for rule in rules]
    lines += [
        f"T{at}{f'.{priority}' if priority else ''}: /{pattern}/"
        for at, (kind, pattern, priority) in enumerate(terminals)
        if kind == "regex"
    ]
    if dice.random() < 0.5:
        lines.append(dice.choice(['%ignore " "', "%ignore / +/"]))
    return "\n".join(lines) + "\n", terminals


def takes_shorter_match(terminals: list[tuple[str, str, int]]) -> bool:
    """Whether the order in which Lark tries terminals decides against the longest match somewhere."""

    def order(terminal: tuple[str, str, int]) -> tuple[int, int, int]:
        kind, pattern, priority = terminal
        width = len(pattern) if kind == "text" else int(re._parser.parse(pattern).getwidth()[1])  # type: ignore[attr-defined]
        return -priority, -width, -len(pattern)

    patterns = [
        (re.compile(re.escape(p) if kind == "text" else p), priority)
        for kind, p, priority in sorted(terminals, key=order)
    ]
    for text in ALL:
        lengths = [(found.end(), priority) for pattern, priority in patterns if (found := pattern.match(text))]
        for (first, high), (later, low) in itertools.combinations(lengths, 2):  # in some place only these may come
            if later > first and low == high:
                return True
    return False


def parsers(count: int, seed: int) -> Iterator[tuple[str, Any, Any]]:
    """Grammars without conflicts, with Lark's parser and the form of each; ``None`` where no text conforms."""
    dice = random.Random(seed)
    made = 0
    while made < count:
        text, terminals = random_grammar(dice)
        if takes_shorter_match(terminals):
            continue
        conflicts = Conflicts()
        lark.logger.addHandler(conflicts)
        level = lark.logger.level
        lark.logger.setLevel(logging.DEBUG)
        try:
            parser = lark.Lark(text, parser="lalr", lexer="contextual", debug=True)
        except lark.exceptions.LarkError:
            continue
        finally:
            lark.logger.setLevel(level)
            lark.logger.removeHandler(conflicts)
        if conflicts.found:
            continue
        made += 1
        try:
            yield text, parser, fw.grammar(text)
        except fw.errors.UnsatisfiableSchema:
            yield text, parser, None


def parses(parser: Any, text: str) -> bool:
    try:
        parser.parse(text)
    except lark.exceptions.UnexpectedInput:
        return False
    return True


def test_lark_parses_what_conforms() -> None:
    seen: Counter[str] = Counter()
    for grammar, parser, form in parsers(int(os.environ.get("GRAMMARS", "150")), seed=int(os.environ.get("SEED", "1"))):
        ours = {text for text in ALL if form is not None and form.matches(text)}
        theirs = {text for text in ALL if parses(parser, text)}
        assert ours <= theirs, f"{grammar}\n{sorted(ours - theirs)[:5]}"
        seen["equal" if ours == theirs else "fewer"] += 1
        seen["empty"] += not ours
    print(dict(seen))
    assert seen["equal"] > 10 * seen["fewer"]
