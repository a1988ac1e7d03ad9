"""A kit for adapters of engines: drawn programs of what an engine may ask, each answer compared with a new matcher's.

::

    run_program(RunningTexts(), seed=7)        # AssertionError with the operations that led to the first fault
    find_fault(RunningTexts, 100)              # None

An engine asks for masks of many texts at once, with drafts, takes tokens back, copies and drops texts, and uses their
places again. The model of all that is a list of token ids for each text: after every operation, the masks of all living
texts must be those of a new matcher that has accepted their lists. An adapter says in ``lacks`` which operations its
engine does not have.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

import formwright as fw

Row = NDArray[np.int32]
PIECES = [b"ab", b"12", b'":', b'", "', b'{"', b"tru", b"yes", b"((", b"))", b"no", b"0}", b" a", b'a"']
TOKENS = [bytes([byte]) for byte in range(256)] + PIECES
ENDS = (len(TOKENS), len(TOKENS) + 1, len(TOKENS) + 2)
OPERATIONS = 200
LIVING = 6  # texts at a time, at most
PROGRAMS = int(os.environ.get("PROGRAMS", "100"))

FORMS: Mapping[str, Callable[[], fw.Form[Any]]] = {
    "regex": lambda: fw.regex("[ab1]{0,6}(yes|no)"),
    "choice": lambda: fw.choice("yes", "no", "yesno", "abab12"),
    "schema": lambda: fw.json_schema(
        '{"type": "object", "properties": {"a": {"type": "boolean"}, "b": {"type": "integer"}}, "required": ["a"]}'
    ),
    "grammar": lambda: fw.grammar('start: "(" start ")" | "a"+ | "12"'),
}


class Adapter(Protocol):
    """What the kit asks of an engine's adapter. Keys are the adapter's own."""

    lacks: frozenset[str]
    """Names of operations that the engine does not have: ``"refuse"``, ``"take back"``, ``"validate"``, ``"drafts"``,
    ``"copy"``. An engine that draws tokens by the mask, and cannot give any back, has nothing to refuse."""

    def begin(self, form: fw.Form[Any], *, ends: Sequence[int], limit: int | None) -> Any:
        """Begin a text that these tokens may end, of ``limit`` tokens without an end at most."""

    def accept(self, key: Any, token_ids: Sequence[int]) -> bool:
        """Go on by all of these tokens, up to an end of text, or by none; whether they could come."""

    def take_back(self, key: Any, count: int) -> None:
        """Take the last tokens back."""

    def validate(self, key: Any, token_ids: Sequence[int]) -> int:
        """How many of these tokens could come, one after the other."""

    def masks(self, keys: Sequence[Any], drafts: Mapping[Any, Sequence[int]]) -> dict[Any, list[Row]]:
        """The mask of each text, then those after each of its drafts, which are not accepted. -1 ends the drafts."""

    def copy(self, key: Any) -> Any:
        """Another text that has come as far."""

    def is_over(self, key: Any) -> bool:
        """Whether an end of text was accepted."""

    def end(self, key: Any) -> None:
        """Forget a text, wherever it is."""


@cache
def vocabulary_with(ends: tuple[int, ...]) -> fw.Vocabulary:
    """The vocabulary in which these ids end a text; the other ends spell nothing."""
    return fw.Vocabulary(TOKENS + [b""] * len(ENDS), eos_token_ids=list(ends), logits_size=len(TOKENS) + 40)


@dataclass
class Text:
    """What the kit knows of a text."""

    form: fw.Form[Any]
    ends: tuple[int, ...]
    limit: int | None
    ids: list[int] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        return bool(self.ids) and self.ids[-1] in self.ends

    def matcher(self, more: Sequence[int] = ()) -> fw.Matcher:
        """A new matcher that has accepted the text."""
        matcher = fw.compile(self.form, vocabulary_with(self.ends)).matcher()
        matcher.accept_tokens([*self.ids, *more])
        return matcher

    def mask(self, more: Sequence[int] = ()) -> Row:
        """What may come after the text and some tokens more."""
        matcher, row = self.matcher(more), fw.allocate_bitmask(1, vocabulary_with(self.ends))[0]
        left = None if self.limit is None else self.limit - len(self.ids) - len(more)
        if left is not None and left < 0:
            row.fill(0)
            for token_id in self.ends:
                row.view(np.uint32)[token_id // 32] |= np.uint32(1 << token_id % 32)
            return row
        matcher.fill_bitmask(row, budget=left)
        return row


@dataclass
class Program:
    """A program under way.

    Attributes:
        adapter: What is tested.
        chance: Where the operations come from.
        texts: The living texts, by the keys of the adapter.
        done: The operations so far, for the message of a fault.
    """

    adapter: Adapter
    chance: random.Random
    texts: dict[Any, Text] = field(default_factory=dict)
    done: list[str] = field(default_factory=list)

    def step(self) -> None:
        """One operation, and the comparison of all masks after it."""
        operations = [self.begin, self.accept, self.accept, self.end, self.ask_in_threads]
        optional = {"refuse": self.accept_invalid, "take back": self.take_back, "validate": self.validate}
        optional |= {"drafts": self.draft, "copy": self.copy}
        operations += [operation for name, operation in optional.items() if name not in self.adapter.lacks]
        operation = self.chance.choice(operations) if self.texts else self.begin
        operation()
        self.compare_masks()

    def pick(self) -> tuple[Any, Text]:
        return self.chance.choice(list(self.texts.items()))

    def draw(self, text: Text, most: int) -> list[int]:
        """Tokens that may come, as far as the limit allows, perhaps with an end of text."""
        drawn = list[int]()
        while len(drawn) < most and not (drawn and drawn[-1] in text.ends):
            allowed = fw.allowed_tokens(text.mask(drawn)).tolist()
            drawn.append(self.chance.choice(allowed))
        return drawn

    def begin(self) -> None:
        if len(self.texts) == LIVING:
            self.end()
        name = self.chance.choice(list(FORMS))
        form, ends = FORMS[name](), tuple(sorted(self.chance.sample(ENDS, self.chance.choice([1, 2]))))
        least = fw.compile(form, vocabulary_with(ends)).matcher().min_tokens_to_finish
        limit = self.chance.choice([None, least + self.chance.randrange(12)])
        key = self.adapter.begin(form, ends=ends, limit=limit)
        assert key not in self.texts, "the key of a living text"
        self.texts[key] = Text(form, ends, limit)
        self.done.append(f"begin {name} as {key}, ends {ends}, limit {limit}")

    def end(self) -> None:
        key, _ = self.pick()
        self.adapter.end(key)
        del self.texts[key]
        self.done.append(f"end {key}")

    def accept(self) -> None:
        key, text = self.pick()
        if text.is_over:
            return
        ids = self.draw(text, self.chance.randint(1, 8))
        self.done.append(f"{key} accepts {ids}")
        assert self.adapter.accept(key, ids)
        text.ids += ids
        assert self.adapter.is_over(key) == text.is_over

    def accept_invalid(self) -> None:
        key, text = self.pick()
        if text.is_over:
            return
        ids = self.draw(text, self.chance.randint(0, 3))
        if ids and ids[-1] in text.ends:
            return
        allowed = set(text.matcher(ids).allowed_token_ids())
        ids.append(self.chance.choice([token_id for token_id in range(len(TOKENS)) if token_id not in allowed]))
        self.done.append(f"{key} refuses {ids}")
        assert not self.adapter.accept(key, ids)

    def take_back(self) -> None:
        key, text = self.pick()
        count = self.chance.randint(0, len(text.ids))
        self.done.append(f"{key} takes {count} back")
        self.adapter.take_back(key, count)
        text.ids = text.ids[: len(text.ids) - count]
        assert self.adapter.is_over(key) == text.is_over

    def validate(self) -> None:
        key, text = self.pick()
        if text.is_over:
            return
        ids = self.draw(text, self.chance.randint(1, 4)) + [self.chance.randrange(len(TOKENS)) for _ in range(2)]
        expected = text.matcher().validate_tokens(ids)
        self.done.append(f"{key} validates {ids}")
        assert self.adapter.validate(key, ids) == expected

    def draft(self) -> None:
        keys = [key for key, text in self.texts.items() if not text.is_over]
        drafts = {}
        for key in self.chance.sample(keys, len(keys) // 2 + len(keys) % 2):
            drafts[key] = [each for each in self.draw(self.texts[key], 3) if each not in self.texts[key].ends]
        padded = {key: ids + [-1] * self.chance.randrange(2) for key, ids in drafts.items()}
        self.done.append(f"drafts {padded}")
        rows = self.adapter.masks(keys, padded) if keys else {}
        for key in keys:
            for count in range(len(drafts.get(key, [])) + 1):
                self.check_row(key, rows[key][count], drafts.get(key, [])[:count])

    def copy(self) -> None:
        key, text = self.pick()
        if len(self.texts) == LIVING:
            return
        other = self.adapter.copy(key)
        assert other not in self.texts
        self.texts[other] = Text(text.form, text.ends, text.limit, list(text.ids))
        self.done.append(f"copy {key} as {other}")

    def ask_in_threads(self) -> None:
        """Two threads ask for the masks of different texts."""
        keys = [key for key, text in self.texts.items() if not text.is_over]
        self.done.append("two threads")
        halves = [keys[::2], keys[1::2]]
        with ThreadPoolExecutor(2) as pool:
            for rows in pool.map(lambda half: self.adapter.masks(half, {}) if half else {}, halves):
                for key, found in rows.items():
                    self.check_row(key, found[0], [])

    def compare_masks(self) -> None:
        keys = [key for key, text in self.texts.items() if not text.is_over]
        self.chance.shuffle(keys)
        if keys:
            rows = self.adapter.masks(keys, {})
            for key in keys:
                self.check_row(key, rows[key][0], [])

    def check_row(self, key: Any, row: Row, more: Sequence[int]) -> None:
        expected = self.texts[key].mask(more)
        assert len(row) >= len(expected), "the mask is narrower than the logits"
        assert (row[: len(expected)] == expected).all(), f"the mask of {key} after {list(more)}"
        assert not row[len(expected) :].any(), f"the mask of {key} allows ids beyond the logits"


def run_program(adapter: Adapter, seed: int, operations: int = OPERATIONS) -> None:
    """Run a drawn program.

    Raises:
        AssertionError: An answer is not that of the model, or an error; with the operations that led to it.
    """
    program = Program(adapter, random.Random(seed))
    for _ in range(operations):
        try:
            program.step()
        except Exception as error:
            about = f"seed {seed}: {type(error).__name__}: {error}\n"
            raise AssertionError(about + "\n".join(program.done[-12:])) from error


def find_fault(make: Callable[[], Adapter], programs: int) -> str | None:
    """What `run_program` says of the first program that an adapter fails; ``None`` if it passes so many."""
    for seed in range(programs):
        try:
            run_program(make(), seed)
        except AssertionError as error:
            return str(error)
    return None
