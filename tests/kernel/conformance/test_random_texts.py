"""Random texts: whatever the masks allow, token by token, ends as JSON that an independent validator calls valid.

A walk draws allowed tokens, at first freely and then so that what is open is closed, from a vocabulary of all bytes and
of pieces that cross the borders of names and values. ``FORMWRIGHT_SAMPLES`` sets how many texts are written: 10,000
take about ten seconds.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

import formwright as fw
from formwright import allowed_tokens

BORDERS = ['": ', ', "', '{"', '":', '",', '"}', '"]', '":"', "[]", "{}", "},{", "[[", '"a":', '"b":', '"n', 's":']
INSIDES = ["true", "false", "null", "12", "-1", ".5", "00", "e+", "20", "T1", "Z", "://", "@x", "%2", '\\"', "\\u"]
CHARACTERS = ["é", "你", "😀"]
USUAL = b'""""""{}[]]},,::0123456789-.TZ/@abcdesn \\+%'
TOKENS = [*(bytes([byte]) for byte in range(256)), *(piece.encode() for piece in BORDERS + INSIDES + CHARACTERS)]
END = len(TOKENS)
FREE = 24
"""At most so many tokens are drawn before a text has to end."""

MOST = 1500
"""A text that is not complete after so many tokens is given up."""

CLOSING: list[int] = [END, *b'"}]']
DECK: list[int] = [*USUAL] * 6 + [*range(256, END)] * 4 + [END] * 20 + [*range(128)]
"""What is drawn from: structure more often than letters, parts of characters only where nothing else fits."""


class Writer:
    """Random texts of one constraint."""

    def __init__(self, constraint: fw.Constraint, seed: str) -> None:
        self.matcher, self.chance = constraint.matcher(), random.Random(seed)
        self.mask = fw.allocate_bitmask(1, constraint.vocabulary)

    def text(self) -> str:
        """A text of some tokens at will, and then of tokens that close what is open; empty if that takes too long."""
        self.matcher.reset()
        free = self.chance.randrange(FREE)
        for count in range(MOST):
            if self.matcher.is_finished:
                return self.matcher.accepted_bytes.decode()
            self.matcher.fill_bitmask(self.mask)
            self.matcher.accept_token(self.drawn(CLOSING if count > free and self.chance.random() < 0.8 else []))
        return ""

    def drawn(self, preferred: Sequence[int]) -> int:
        """An allowed token: the first of ``preferred`` that is, or any."""
        row: Any = self.mask[0]
        for token in itertools.chain(preferred, self.chance.choices(DECK, k=16)):
            if row[token >> 5] >> (token & 31) & 1:
                return token
        allowed: list[int] = allowed_tokens(row).tolist()
        return self.chance.choice(allowed)


@pytest.fixture(scope="module")
def vocabulary() -> fw.Vocabulary:
    return fw.Vocabulary([*TOKENS, None], eos_token_ids=[END])


def verdict(case: Any, writer: Writer) -> str:
    """What is said of the next text."""
    try:
        text = writer.text()
    except fw.errors.DeadEnd:
        return f"dead end, for {case.name}"
    except fw.errors.LimitExceeded:
        return "out of limits"
    if not text:
        return "given up"
    return "valid" if case.valid(text) and case.language.matches(text.encode()) else f"wrong, for {case.name}: {text}"


def verdicts(case: Any, order: str, vocabulary: fw.Vocabulary, many: int) -> Iterator[str]:
    """One for each text; keys stand in the order of the schema, or in any."""
    writer = Writer(fw.compile(fw.json_schema(case.schema, order=order), vocabulary), case.name)
    return (verdict(case, writer) for _ in range(many))


@pytest.mark.timeout(7200)
@pytest.mark.parametrize(("which", "share"), [("keywords", 20), pytest.param("cases", 1, marks=pytest.mark.slow)])
def test_random_texts(
    which: str,
    share: int,
    keywords: list[Any],
    vocabulary: fw.Vocabulary,
    samples: int,
    request: pytest.FixtureRequest,
    record_property: Any,
) -> None:
    cases, samples = request.getfixturevalue(which), samples // share
    tried = [*((case, "schema") for case in cases), *((case, "model") for case in keywords)]
    counts = Counter(
        said for case, order in tried for said in verdicts(case, order, vocabulary, -(-samples // len(tried)))
    )
    record_property("counts", dict(counts))
    assert counts.keys() <= {"valid", "given up", "out of limits"}
    assert counts["given up"] <= 0.03 * samples, counts
    assert counts["out of limits"] <= 0.003 * samples, counts
