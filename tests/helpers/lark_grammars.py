"""Random grammars for Lark: those without conflicts, in which the longest match is taken everywhere."""

from __future__ import annotations

import itertools
import logging
import random
import re
from collections.abc import Iterator
from typing import Any, Literal

import pytest

import formwright as fw

lark = pytest.importorskip("lark")

__all__ = ["ALL", "parsers", "parses", "random_escapes", "random_labels", "random_pattern"]

TEXTS = ["a", "b", "ab", "aa", "ba", "bb"]
REGEXES = ["a+", "b+", "[ab]+", "ab?", "ba*", "a*b", "[ab]"]
FOLLOWED = ["a+(?=b)", "ab?(?!a)", "[ab]+(?= |$)", "a(?!b|a)", "b(?=ba)", "(?!ab)[ab]+", "a(?=b)b?", "[ab](?!$)", "b+$"]
FOLLOWED += ["a(?=[ab]* )", r"[ab]\b", r"a\B", r"b+(?!\w)", "a(?=b|$)"]
FOLLOWED += [
    "a|ab",
    "(a|ab)(b|ba)",
    "a+?",
    "[ab]+?b",
    "a??b",
    "(ab|a)+?b",
    "[ab]+(?<!a)",
    "b[ab]*?(?<=b)a",
    "[ab]+?(?= )",
]
"""Regular expressions that look around, and those whose ways are tried in an order that matters."""
ALL = ["".join(letters) for length in range(5) for letters in itertools.product("ab ", repeat=length)]


class Conflicts(logging.Handler):
    """Notes that Lark resolved a conflict."""

    def __init__(self) -> None:
        super().__init__()
        self.found = False

    def emit(self, record: logging.LogRecord) -> None:
        self.found |= "onflict" in record.getMessage()


def random_grammar(
    dice: random.Random, *, has_shapes: bool, asks_ahead: bool, has_unused: bool
) -> tuple[str, list[tuple[str, str, int]]]:
    """A grammar, and the terminals that Lark keeps: kind, pattern, priority.

    Shapes are marks of rules, aliases and ``[x]``.
    """
    pool = [("text", text, 0) for text in TEXTS] + [("regex", regex, dice.choice([0, 0, 0, 1])) for regex in REGEXES]
    terminals = dice.sample(pool, dice.randint(2, 4))
    if asks_ahead:
        terminals += [("regex", regex, dice.choice([0, 0, 1])) for regex in dice.sample(FOLLOWED, dice.randint(1, 2))]
    names = [f'"{pattern}"' if kind == "text" else f"T{at}" for at, (kind, pattern, _) in enumerate(terminals)]
    rules = ["start", "r", "q"][: dice.randint(1, 3)]
    if has_shapes:
        rules[1:] = [dice.choice([rule, f"_{rule}"]) for rule in rules[1:]]

    def item(depth: int) -> str:
        choice = dice.random()
        if choice < 0.55 or depth > 2:
            return dice.choice(names)
        if choice < 0.75:
            return dice.choice(rules)
        if choice < 0.85:
            return item(depth + 1) + dice.choice("?*+")
        if has_shapes and choice < 0.95:
            return f"[{alternatives(depth + 1)}]"
        return f"({alternatives(depth + 1)})"

    def alternatives(depth: int) -> str:
        rows = [" ".join(item(depth) for _ in range(dice.randint(depth > 0, 3))) for _ in range(dice.randint(1, 3))]
        return " | ".join(rows)

    def rule(name: str) -> str:
        if not has_shapes:
            return f"{name}: {alternatives(0)}"
        marks = dice.choice(["", "!"] if name.startswith("_") else ["", "?", "!", "?!"])
        rows = alternatives(0).split(" | ")
        is_named = not name.startswith("_") and dice.random() < 0.4 and not any(c in "".join(rows) for c in "([")
        aliases = [f" -> {name}{at}" if is_named else "" for at in range(len(rows))]
        return f"{marks}{name}: " + " | ".join(map(str.__add__, rows, aliases))

    lines = [rule(name) for name in rules]
    lines += [
        f"T{at}{f'.{priority}' if priority else ''}: /{pattern}/"
        for at, (kind, pattern, priority) in enumerate(terminals)
        if kind == "regex"
    ]
    if dice.random() < 0.5:
        lines.append(dice.choice(['%ignore " "', "%ignore / +/"]))
    if has_unused:
        more, kept = random_unused(dice)
        lines, terminals = lines + more, terminals + kept
    return "\n".join(lines) + "\n", terminals


LABELLED = [
    *(
        ('"let"', "let"),
        ('"LET"', "LET"),
        ('"let"i', "lEt"),
        ('"_y"', "_y"),
        ('"ü"', "ü"),
        ('"ß"', "ß"),
        ('"a\u0301"', "a\u0301"),
    ),
    *(
        ('"+"', "+"),
        ('"("', "("),
        ('"\\n"', "\n"),
        ('"_"', "_"),
        ('"\\""', '"'),
        ('"\\\\"', "\\"),
        ('"\\r\\n"', "\r\n"),
    ),
    *(('"+="', "+="), ('"--"', "--"), ('"1"', "1"), ('"²"', "²"), ('"a b"', "a b"), ('"plus"', "plus"), ('"§"', "§")),
    *(("/x[0-9]/", "x1"), ("/z/", "z"), ("/z/i", "Z"), ('"k".."m"', "l"), ("/p|q/", "q"), ("N", "n"), ('"+"i', "+")),
]
"""Terminals, most of which have no name, and a text of each."""


def random_labels(dice: random.Random) -> tuple[str, str]:
    """A grammar with terminals in brackets of many kinds, of which all are children, and a text of it."""

    def item(depth: int) -> tuple[str, str]:
        choice = dice.random()
        if choice < 0.5 or depth > 3:
            return dice.choice(LABELLED)
        (inside, text), (other, _) = row(depth + 1), row(depth + 1)
        if choice < 0.6:
            return f"({inside})", text
        if choice < 0.7:
            return f"[{inside}]", text
        if choice < 0.8:
            return f"({inside} | {other})", text
        if choice < 0.85:
            return f"({inside})~1", text
        atom, text = dice.choice(LABELLED)
        if choice < 0.9:
            return f"t{{{atom}}}", f"{text}@@"
        return (f"u{{{atom}}}", f"{text}<>") if choice < 0.95 else (f"u{{t{{{atom}}}}}", f"{text}@@<>")

    def row(depth: int) -> tuple[str, str]:
        items = [item(depth) for _ in range(dice.randint(1, 3))]
        return " ".join(written for written, _ in items), "".join(text for _, text in items)

    def rows(name: str) -> tuple[str, str]:
        (first, text), (second, _) = row(0), row(0)
        alias = dice.choice(["", f" -> {name}_x"])
        return f"!{name}: {first}{alias}" + dice.choice(["", f" | {second}"]), text

    (start, text), (r, more) = rows("start"), rows("r")
    named = dice.sample(['PLUS: "pp"', 'LET: "lll"', 'NAMED: "--"', '_HIDDEN: "1"', 'LSQB: "+="'], 2)
    lines = [start.replace("start:", "start: r", 1), r, '!t{x}: x "@@"', '!u{x}: (x "<>")', 'N: "n"', *named]
    dice.shuffle(lines)
    return "\n".join(lines), more + text


UNUSED = [
    ("n: U0 m\nm: U1 | m U1", []),
    ("g: U5 g | g start U5", []),
    ("FRAGMENT: U6 U0?", []),
    ("k: U2 l\nl: U3 k | U3", [2, 3]),
    ("h: (h U4)*", [4]),
]
"""Definitions, with the terminals that Lark keeps of them: those of rules that use each other."""


def random_unused(dice: random.Random) -> tuple[list[str], list[tuple[str, str, int]]]:
    """Lines of which no text has a part, and those of their terminals that Lark keeps."""
    patterns = [("regex", regex, dice.randint(0, 2)) for regex in dice.sample(REGEXES, 7)]
    chosen = dice.sample(UNUSED, dice.randint(1, len(UNUSED)))
    lines = [f"U{at}.{priority}: /{regex}/" for at, (_, regex, priority) in enumerate(patterns)]
    lines += [definitions for definitions, _ in chosen]
    return lines, [patterns[at] for _, kept in chosen for at in kept]


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


def parsers(
    count: int,
    seed: int,
    *,
    has_shapes: bool = False,
    asks_ahead: bool = False,
    has_unused: bool = False,
    lexing: Literal["longest", "basic"] = "longest",
) -> Iterator[tuple[str, Any, Any]]:
    """Grammars without conflicts, with Lark's parser and the form of each; ``None`` where no text conforms."""
    dice = random.Random(seed)
    made = 0
    while made < count:
        text, terminals = random_grammar(dice, has_shapes=has_shapes, asks_ahead=asks_ahead, has_unused=has_unused)
        if takes_shorter_match(terminals):
            continue
        conflicts = Conflicts()
        lark.logger.addHandler(conflicts)
        level = lark.logger.level
        lark.logger.setLevel(logging.DEBUG)
        try:
            parser = lark.Lark(text, parser="lalr", lexer="basic" if lexing == "basic" else "contextual", debug=True)
        except lark.exceptions.LarkError:
            continue
        finally:
            lark.logger.setLevel(level)
            lark.logger.removeHandler(conflicts)
        if conflicts.found:
            continue
        made += 1
        try:
            yield text, parser, fw.grammar(text, lexing=lexing, read="tree")
        except fw.errors.UnsatisfiableSchema:
            yield text, parser, None


def parses(parser: Any, text: str) -> bool:
    try:
        parser.parse(text)
    except lark.exceptions.UnexpectedInput:
        return False
    return True


ESCAPES = [*"\"'a.+? ", "\\\\", '\\"', r"\x22", r"\x5c", r"\x2e", r"\u0061", r"\n", r"\t", r"\U0000005d", r"\/", r"\."]
ESCAPES += [r'[\\"a]', r'[^\\"]', r"[\x5d]", "[^a]", r'(\\"|a)']


def random_escapes(dice: random.Random) -> str:
    """An expression with backslashes and quotes, which may be wrong."""
    return "".join(dice.choice(ESCAPES) for _ in range(dice.randint(1, 5)))


ATOMS = [
    *('"a"', '"q"', '"."', '"+"', '"ab"i', '"q"i~1..1', '"\\t"', '"a".."z"', '"." .. "q"', '"\\x20".."q"'),
    *("/[a-z]/", "/[.a]/i", "/[^q§¶]/", "/a|q/is", r"/[\n\t]/", r"/[\x2b\"\/q]/", r"/[\w.]/", "/[^§¶]/"),
    *("/[a-q]{1,2}/", "/q+/x"),
]


def random_pattern(dice: random.Random, names: list[str], depth: int = 0) -> str:
    """What a terminal is written as, perhaps with terminals that are defined before."""
    choice = dice.random()
    if choice < 0.4 or depth > 2:
        return dice.choice(ATOMS + names)
    parts = [random_pattern(dice, names, depth + 1) for _ in range(dice.randint(1, 3))]
    if choice < 0.6:
        return f"({' | '.join(parts)})"
    if choice < 0.7:
        return f"[{parts[0]}] {parts[-1]}"
    if choice < 0.9:
        return f"({' '.join(parts)}){dice.choice(['+', '?', '*', '~2', '~1..2', '~0..1', '~1..1'])}"
    return " ".join(parts)
