"""Grammars whose rules lead to each other in many ways compile in time, and their masks are those of all their texts.

``FORMWRIGHT_SEEDS`` sets the number of random cases.
"""

from __future__ import annotations

import os
import random
import time
from dataclasses import dataclass

import pytest
from parameters import slow_except

import formwright as fw
from formwright.errors import UnsatisfiableSchema

SEEDS = int(os.environ.get("FORMWRIGHT_SEEDS", "150"))
TOKENS = [b"a", b"b", b" ", b"ab", b"ba", b"aa", b"  ", b"b a", b"abb"]
LONGEST = 5  # letters of the texts and prefixes that are found one by one
MOST_SECONDS = 2.0
TERMINALS = {
    '"a"': ["a"],
    '"b"': ["b"],
    '" "': [" "],
    '"ab"': ["ab"],
    "[ab]": ["a", "b"],
    '""': [""],
    "[^a]": ["b", " "],
}
ROUNDS = {
    "": (1, 1),
    "?": (0, 1),
    "*": (0, None),
    "+": (1, None),
    "{2}": (2, 2),
    "{1,2}": (1, 2),
    "{0,3}": (0, 3),
    "{2,}": (2, None),
}


@dataclass(frozen=True)
class Group:
    """Alternatives, each of some items in a row, repeated."""

    ways: tuple[tuple[Item, ...], ...]
    rounds: str = ""

    def __str__(self) -> str:
        ways = " | ".join(
            " ".join(f"({item})" if isinstance(item, Group) else item for item in way) for way in self.ways
        )
        return f"({ways}){self.rounds}"


Item = str | Group


def draw_group(dice: random.Random, depth: int = 0) -> Group:
    def draw_item() -> Item:
        kind = dice.randrange(3 if depth < 2 else 1)
        if kind == 0:
            return dice.choice(list(TERMINALS))
        return dice.choice(["root", "x", "y"]) if kind == 1 else draw_group(dice, depth + 1)

    ways = (tuple(draw_item() for _ in range(dice.randint(1, 3))) for _ in range(dice.randint(1, 3)))
    return Group(tuple(ways), dice.choice(list(ROUNDS)) if depth else "")


Found = tuple[frozenset[str], frozenset[str]]  # texts, and what texts of any length begin with
NOTHING: Found = (frozenset(), frozenset())
EMPTY: Found = (frozenset([""]), frozenset([""]))


def find_row(first: Found, then: Found) -> Found:
    """What two items in a row have, of at most ``LONGEST`` letters."""

    def join(after: frozenset[str]) -> frozenset[str]:
        return frozenset(one + other for one in first[0] for other in after if len(one + other) <= LONGEST)

    return join(then[0]), (first[1] | join(then[1]) if then[1] else frozenset())


def find_either(*found: Found) -> Found:
    return frozenset().union(*(texts for texts, _ in found)), frozenset().union(*(begun for _, begun in found))


def find_item(item: Item, rules: dict[str, Found]) -> Found:
    if isinstance(item, str):
        if item in rules:
            return rules[item]
        texts = TERMINALS[item]
        return frozenset(texts), frozenset(text[:end] for text in texts for end in range(len(text) + 1))
    body = NOTHING
    for way in item.ways:
        row = EMPTY
        for part in way:
            row = find_row(row, find_item(part, rules))
        body = find_either(body, row)
    low, high = ROUNDS[item.rounds]
    after, found = EMPTY, EMPTY if low == 0 else NOTHING
    for count in range(1, (high or LONGEST + low) + 1):
        after = find_row(after, body)
        if count >= low:
            found = find_either(found, after)
    return found


def find_beginnings(rules: dict[str, Group]) -> frozenset[str]:
    """What the texts of ``root`` begin with: the least fixpoint.

    Texts grow from the shortest one on, so a rule whose shortest text is long still begins as its texts do.
    """
    known = dict.fromkeys(rules, NOTHING)
    ends = find_rules_that_end(rules)
    while True:
        found = {
            name: find_item(keep_ending(group, ends), known) if name in ends else NOTHING
            for name, group in rules.items()
        }
        for name in ends:
            found[name] = (found[name][0], found[name][1] | {""})
        if found == known:
            return known["root"][1]
        known = found


def find_rules_that_end(rules: dict[str, Group]) -> set[str]:
    ends: set[str] = set()
    while more := {name for name, group in rules.items() if name not in ends and has_text(group, ends)}:
        ends |= more
    return ends


def has_text(item: Item, ends: set[str]) -> bool:
    if isinstance(item, str):
        return item in TERMINALS or item in ends
    return ROUNDS[item.rounds][0] == 0 or any(all(has_text(part, ends) for part in way) for way in item.ways)


def keep_ending(item: Item, ends: set[str]) -> Item:
    """The same without the alternatives that no text has."""
    if isinstance(item, str):
        return item
    ways = (way for way in item.ways if all(has_text(part, ends) for part in way))
    return Group(tuple(tuple(keep_ending(part, ends) for part in way) for way in ways), item.rounds)


def check_masks(seed: int, vocabulary: fw.Vocabulary) -> int:
    """A drawn grammar compiles in time, and after each beginning its tokens are those that lead to another one."""
    dice = random.Random(seed)
    rules = {name: draw_group(dice) for name in ("root", "x", "y")}
    text = "\n".join(f"{name} ::= {group}" for name, group in rules.items())
    begun, masks = time.perf_counter(), 0
    try:
        constraint = fw.compile(fw.grammar(text), vocabulary)
    except UnsatisfiableSchema:
        assert "root" not in find_rules_that_end(rules), (seed, text)
        return 0
    matcher = constraint.matcher()
    matcher.allowed_token_ids()
    assert time.perf_counter() - begun < MOST_SECONDS, (seed, text)
    beginnings = find_beginnings(rules)
    for prefix in sorted(prefix for prefix in beginnings if len(prefix) <= LONGEST - 3):
        matcher = constraint.matcher()
        matcher.accept_bytes(prefix.encode())
        wanted = {id for id, token in enumerate(TOKENS, start=1) if prefix + token.decode() in beginnings}
        assert set(matcher.allowed_token_ids()) - {0} == wanted, (seed, text, prefix)
        masks += 1
    return masks


@pytest.fixture(scope="module")
def vocabulary() -> fw.Vocabulary:
    """Few tokens: most bytes have none, so it is not enough that some byte leads on."""
    return fw.Vocabulary([b"</s>", *TOKENS], eos_token_ids=[0])


@pytest.mark.parametrize("seeds", slow_except([60], [60, SEEDS]))
@pytest.mark.timeout(3600)
def test_masks_of_ambiguous_grammars_are_found_in_time(vocabulary: fw.Vocabulary, seeds: int) -> None:
    assert sum(check_masks(seed, vocabulary) for seed in range(seeds)) > 3 * seeds


def test_stacks_that_compiling_has_filled_are_not_those_of_a_text(vocabulary: fw.Vocabulary) -> None:
    """The search for a way to the end meets the bound on stack nodes; the masks begin anew."""
    assert check_masks(3225, vocabulary) > 3


def test_a_grammar_whose_ways_multiply_compiles_in_time(vocabulary: fw.Vocabulary) -> None:
    """The way to the end takes bytes that are tokens, so that not all tokens have to be tried."""
    grammar = fw.grammar("""
        root ::= (y ([ab] [ab]){0,3}){1,2} (root [^a] | "ab" | "b"){2,}
        x ::= (("a" "b") " " | [ab] ("a" [^a] " "){2,} | [^a])? root
        y ::= y "" | [ab] (y y){0,3} "ab" | ("" [^a])* (([ab] "b" | [^a] | "") | "" ([^a] [^a] | "" "a")+){0,3}
    """)
    begun = time.perf_counter()
    fw.compile(grammar, vocabulary)
    assert time.perf_counter() - begun < MOST_SECONDS
