"""Masks of canonical tokens against the tokenizers themselves: what they write of all texts of a form."""

from __future__ import annotations

import json
import pickle
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pytest
from makers import MAKERS
from parameters import slow_except

import formwright as fw
from formwright.errors import ArgumentError, DeadEnd, TokenRejected, VocabularyError
from formwright.generation.healing import Healed
from formwright.tokenizers import Merges, read, vocabulary_from

QUICK = ["tekken", "formwright-tiny"]

WORDS = (
    *("a", "x", "the", " the", "Theodore", " Theodore", " Th", "odore", "true", "false", "12", "1234", "3.14", "-5"),
    *(
        "don't",
        "I'll",
        "'s",
        "'S",
        " ",
        "  ",
        "    ",
        "\n",
        "\n\n",
        "\n    ",
        "\r\n",
        "\t",
        "é",
        "e\u0301",
        "日本語",
        "日本",
    ),
    *(
        "😀",
        "👩‍👩‍👧",
        "{",
        "}",
        "[]",
        '"',
        '":',
        '", "',
        '"name": ',
        "name",
        "=",
        "...",
        "-",
        "_",
        "foo_bar",
        "FOO",
        "http://",
    ),
    *("/", "//", "\u00a0", "\u3000", "İ", "ǅ"),
)

TREE: dict[str, Any] = {
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "maxLength": 12},
                "value": {"anyOf": [{"type": "number"}, {"type": "boolean"}, {"enum": ["red", "dark green", None]}]},
                "children": {"type": "array", "items": {"$ref": "#/$defs/node"}, "maxItems": 3},
            },
            "required": ["name"],
            "additionalProperties": False,
        }
    },
    "$ref": "#/$defs/node",
}
OPEN: dict[str, Any] = {
    "type": "object",
    "properties": {"id": {"type": "integer"}, "tag": {"type": "string", "pattern": "^[a-z]{2,5}-[0-9]+$"}},
    "additionalProperties": {"type": ["string", "null", "array"], "items": {"type": "boolean"}, "uniqueItems": True},
    "required": ["id"],
    "maxProperties": 4,
}


@dataclass
class Known:
    """A tokenizer: what it spells, how, and a text that everything else follows."""

    vocabulary: fw.Vocabulary
    encode: Any
    before: str

    def tokens(self, text: str) -> tuple[int, ...] | None:
        """What it writes of a text behind the other one; ``None`` if that changes the other one's tokens."""
        first, every = list(self.encode(self.before)), list(self.encode(self.before + text))
        return tuple(every[len(first) :]) if every[: len(first)] == first else None

    @property
    def prompt_ids(self) -> list[int]:
        return list(self.encode(self.before))


@cache
def known(name: str) -> Known:
    tokenizer = MAKERS[name]()
    spelling = read(tokenizer)
    ends = None if spelling.all_ends() else [len(spelling.tokens)]
    vocabulary = vocabulary_from(tokenizer, eos_token_ids=ends, logits_size=len(spelling.tokens) + 1)
    has_prefix = spelling.encode is not None and spelling.join(list(spelling.encode("a"))) == b" a"
    return Known(vocabulary, spelling.encode, "x" if has_prefix else "")


def languages(count: int) -> Iterator[list[str]]:
    """Finite languages: words joined in all ways, pieces of JSON, runs of spaces, numbers."""
    choose = random.Random(5)
    for round_ in range(count):
        few = lambda most: choose.choices(WORDS, k=choose.randint(0, most))  # noqa: E731
        match round_ % 5:
            case 0:
                texts = {"".join(few(4)) for _ in range(choose.randint(1, 12))}
            case 1:
                parts = [["".join(few(2)) for _ in range(choose.randint(1, 4))] for _ in range(3)]
                texts = {first + second + third for first in parts[0] for second in parts[1] for third in parts[2]}
            case 2:
                ends = [(key, value, end) for key in few(3) for value in few(3) for end in ("", "\n")]
                texts = {f'{{"{key}":{space}"{value}"{end}}}' for key, value, end in ends for space in ("", " ")}
            case 3:
                texts = {" " * spaces + word for spaces in range(choose.randint(1, 9)) for word in few(3)}
            case _:
                texts = {f"{choose.randrange(10 ** choose.randint(1, 8))}{choose.choice('.% ,')}" for _ in range(20)}
        if texts := texts - {""}:
            yield sorted(texts)


@dataclass
class Oracle:
    """All encodings of a language as a tree: what may follow each beginning, and the fewest tokens to an end."""

    next: dict[tuple[int, ...], set[int]] = field(default_factory=lambda: defaultdict(set))
    least: dict[tuple[int, ...], int] = field(default_factory=dict)

    def add(self, tokens: tuple[int, ...]) -> None:
        for at in range(len(tokens) + 1):
            begun = tokens[:at]
            self.least[begun] = min(self.least.get(begun, len(tokens)), len(tokens) - at)
            if at < len(tokens):
                self.next[begun].add(tokens[at])


def oracles(tokenizer: Known, count: int) -> Iterator[tuple[fw.Constraint[Any], Oracle]]:
    """Forms compiled with canonical tokens, each with its oracle."""
    for texts in languages(count):
        oracle = Oracle()
        encoded = [tokens for text in texts if (tokens := tokenizer.tokens(text)) is not None]
        if encoded:
            for tokens in encoded:
                oracle.add(tokens)
            yield fw.compile(fw.choice(texts), tokenizer.vocabulary, canonical=True), oracle


def allowed(matcher: fw.Matcher, budget: int | None = None) -> set[int]:
    try:
        return set(matcher.allowed_token_ids(budget=budget))
    except DeadEnd:
        return set()


@pytest.mark.parametrize("name", slow_except(QUICK, MAKERS))
def test_what_may_come_is_what_the_tokenizer_writes_of_some_text(name: str) -> None:
    """At every beginning of every encoding: the same tokens, and the end where a text ends."""
    tokenizer = known(name)
    ends, places = set(tokenizer.vocabulary.eos_token_ids), 0
    for constraint, oracle in oracles(tokenizer, 60):
        for begun, least in oracle.least.items():
            matcher = constraint.matcher(tokenizer.prompt_ids)
            matcher.accept_tokens(begun)
            expected = oracle.next[begun] | (ends if least == 0 else set())
            assert allowed(matcher) == expected, (constraint, begun)
            assert matcher.is_complete == (least == 0)
            places += 1
    assert places > 1_500


@pytest.mark.parametrize("name", slow_except(QUICK, [*QUICK, "cl100k", "sentencepiece v3", "whole pieces"]))
def test_budgets_count_canonical_tokens(name: str) -> None:
    """The count is never too small, at most 5 % too large in sum; and what a budget allows can be finished in it."""
    tokenizer = known(name)
    ends, counted, needed = set(tokenizer.vocabulary.eos_token_ids), 0, 0
    for constraint, oracle in oracles(tokenizer, 60):
        for begun, least in oracle.least.items():
            matcher = constraint.matcher(tokenizer.prompt_ids)
            matcher.accept_tokens(begun)
            tokens = matcher.min_tokens_to_finish
            assert tokens >= least
            counted, needed = counted + tokens, needed + least
            for budget in (tokens, tokens + 1) if tokens else ():
                found = allowed(matcher, budget) - ends
                assert found
                assert all(oracle.least[(*begun, token)] < budget for token in found)
    assert needed <= counted <= 1.05 * needed


def test_pieces_and_completions_matter() -> None:
    """The oracle fails without the pieces of the pattern, and without a look at what can be completed."""
    tokenizer = known("tekken")
    merges, vocabulary = tokenizer.vocabulary.merges, tokenizer.vocabulary
    without_pieces = without_search = 0
    for constraint, oracle in oracles(tokenizer, 30):
        lenient = fw.compile(constraint.form, vocabulary)
        for begun in oracle.next:
            matcher = lenient.matcher()
            matcher.accept_tokens(begun)
            in_form = set(matcher.allowed_token_ids()) - set(vocabulary.eos_token_ids)
            pairs = {token for token in in_form if not begun or merges.may_follow(begun[-1], token)}
            viable = {token for token in in_form if merges.is_viable_prefix([*begun, token])}
            without_pieces += pairs != oracle.next[begun]
            without_search += viable != oracle.next[begun]
    assert without_pieces > 100
    assert without_search > 100


def written(matcher: fw.Matcher, choose: random.Random, budget: int | None) -> list[int]:
    """Tokens drawn from the masks, those that close something more often, until the text is complete."""
    vocabulary, tokens = matcher.constraint.vocabulary, list[int]()
    row = fw.allocate_bitmask(1, vocabulary)
    while not (matcher.is_complete and choose.random() < 0.5):
        left = None if budget is None else budget - len(tokens)
        if left == 0:
            break
        matcher.fill_bitmask(row, budget=left)
        found = fw.allowed_tokens(row[0])
        if len(found) > 200 and choose.random() < 0.7:
            closing = choose.choices(found, k=200)
            found = [token for token in closing if vocabulary.token(int(token))[-1:] in b'"}]'] or found
        token = int(choose.choice(found))
        if token in vocabulary.eos_token_ids:
            break
        matcher.accept_token(token)
        tokens.append(token)
    return tokens


@pytest.mark.parametrize("name", slow_except(QUICK, [*QUICK, "o200k"]))
@pytest.mark.parametrize("order", ["schema", "model"])
def test_texts_always_end_and_are_what_the_tokenizer_writes(name: str, order: Any) -> None:
    """Random texts of recursive schemas, half of them with the least budget there is."""
    import jsonschema

    tokenizer, choose = known(name), random.Random(11)
    for schema in (TREE, OPEN):
        form = fw.json_schema(schema, order=order)
        constraint = fw.compile(form, tokenizer.vocabulary, canonical=True)
        for round_ in range(12):
            matcher = constraint.matcher()
            least = matcher.min_tokens_to_finish
            budget = least if round_ % 2 else least + choose.randrange(40)
            tokens = written(matcher, choose, budget)
            text = matcher.accepted_bytes.decode()
            jsonschema.validate(json.loads(text), schema)
            assert len(tokens) <= budget
            assert list(tokenizer.encode(text)) == tokens


@pytest.mark.parametrize("name", ["tekken", "sentencepiece v3"])
@pytest.mark.parametrize("extra", slow_except([2], [0, 2, 8, 30, 60]))
def test_tokens_within_a_budget_leave_enough_of_it(name: str, extra: int) -> None:
    """Of the tokens that a mask allows, of which a large vocabulary has very many, some are tried one by one."""
    tokenizer, choose = known(name), random.Random(extra)
    vocabulary = tokenizer.vocabulary
    row = fw.allocate_bitmask(1, vocabulary)
    forms = [
        fw.json_schema(OPEN),
        fw.regex(r"[A-Za-z ]{10,30}\."),
        fw.json_schema({"enum": ["alpha beta", "alphabet"]}),
    ]
    for form in forms:
        matcher = fw.compile(form, vocabulary, canonical=True).matcher()
        for left in range(matcher.min_tokens_to_finish + extra, 0, -1):
            matcher.fill_bitmask(row, budget=left)
            allowed = fw.allowed_tokens(row[0])
            for token in choose.sample(list(allowed), min(10, len(allowed))):
                after = matcher.fork()
                after.accept_token(int(token))
                assert after.min_tokens_to_finish <= left - 1
            token = int(choose.choice(allowed))
            matcher.accept_token(token)
            if token in vocabulary.eos_token_ids:
                break
        assert matcher.is_complete or matcher.is_finished


def test_steps_back_forks_and_threads_see_the_same_masks() -> None:
    tokenizer, choose = known("tekken"), random.Random(3)
    constraint = fw.compile(fw.json_schema(OPEN, order="model"), tokenizer.vocabulary, canonical=True)
    tokens = written(constraint.matcher(), choose, 60)
    row = fw.allocate_bitmask(1, tokenizer.vocabulary)

    def masks(matcher: fw.Matcher, from_: int = 0) -> list[bytes]:
        found = []
        for token in tokens[from_:]:
            mask = fw.allocate_bitmask(1, tokenizer.vocabulary)
            matcher.fill_bitmask(mask)
            found.append(np.asarray(mask).tobytes())
            matcher.accept_token(token)
        return found

    matcher = constraint.matcher()
    every = masks(matcher)
    matcher.rollback(len(tokens) - 3)
    fork = matcher.fork()
    assert masks(matcher, 3) == every[3:] == masks(fork, 3)
    matcher.reset()
    assert masks(matcher) == every
    with ThreadPoolExecutor(4) as threads:
        assert all(found == every for found in threads.map(lambda _: masks(constraint.matcher()), range(8)))
    batch = [constraint.matcher() for _ in range(2)]
    rows = fw.allocate_bitmask(2, tokenizer.vocabulary)
    fw.fill_bitmasks(batch, rows)
    assert {np.asarray(rows[index]).tobytes() for index in range(2)} == {every[0]}
    with pytest.raises(TokenRejected):
        constraint.matcher().accept_token(tokenizer.encode("x")[0])
    matcher = constraint.matcher()
    matcher.accept_bytes(b'{"id')  # as the tokenizer spells it
    matcher.fill_bitmask(row)
    assert matcher.validate_tokens(tokenizer.encode('{"id": 1')[2:]) > 0


def test_forced_tokens_are_canonical() -> None:
    tokenizer = known("tekken")
    vocabulary = tokenizer.vocabulary
    for canonical in (True, "forced"):
        constraint = fw.compile(fw.literal(" Theodore's letters"), vocabulary, canonical=canonical)
        assert constraint.matcher().forced_token_ids() == list(tokenizer.encode(" Theodore's letters"))
    constraint = fw.compile(fw.literal(" Theodore"), vocabulary, canonical="forced")
    assert len(constraint.matcher().allowed_token_ids()) > 3  # the mask is as wide as ever
    assert fw.compile(fw.literal(" Theodore"), vocabulary).matcher().forced_token_ids() == []


def test_a_text_continues_the_prompt() -> None:
    """After a line break, a text cannot begin with another one: the tokenizer would have written both as one token."""
    tokenizer = known("tekken")
    constraint = fw.compile(fw.regex(r"\n?yes"), tokenizer.vocabulary, canonical=True)
    break_, yes = tokenizer.encode("\n")[0], tokenizer.encode("yes")[0]
    assert allowed(constraint.matcher()) == {break_, yes}
    matcher = constraint.matcher(tokenizer.encode("So:\n"))
    assert matcher.continues_prompt
    assert allowed(matcher) == {yes}


def test_what_cannot_continue_the_prompt_begins_anew_or_is_healed() -> None:
    tokenizer = known("tekken")
    vocabulary, prompt = tokenizer.vocabulary, list(tokenizer.encode("My name is The"))
    constraint = fw.compile(fw.literal("odore"), vocabulary, canonical=True)
    matcher = constraint.matcher(prompt)
    assert not matcher.continues_prompt
    assert matcher.forced_token_ids() == list(tokenizer.encode("odore"))
    healed = Healed.of(constraint, prompt)
    assert healed.prefix == " The"
    assert healed.prompt_ids == prompt[:-1]
    assert healed.constraint.matcher(healed.prompt_ids).forced_token_ids() == list(tokenizer.encode(" Theodore"))
    no_text = [tokenizer.encode(" T")[0], tokenizer.encode("heodore")[0]]  # the tokenizer never writes this
    assert allowed(constraint.matcher(no_text))


def test_stored_constraints_stay_canonical() -> None:
    vocabulary = known("tekken").vocabulary
    for canonical in (True, "forced", False):
        constraint = fw.compile(fw.literal(" Theodore"), vocabulary, canonical=canonical)
        assert fw.Constraint.from_bytes(constraint.to_bytes(), vocabulary).canonical == canonical
        again = pickle.loads(pickle.dumps((constraint, vocabulary)))[0]
        assert again.canonical == canonical
        assert again.matcher().forced_token_ids() == constraint.matcher().forced_token_ids()


def test_what_cannot_be_canonical_is_refused() -> None:
    plain = fw.Vocabulary([b"a", b"b", None], eos_token_ids=[2])
    with pytest.raises(VocabularyError, match="does not know what its tokenizer merges"):
        fw.compile(fw.literal("ab"), plain, canonical=True)
    with pytest.raises(ArgumentError, match="canonical is True, False"):
        fw.compile(fw.literal("ab"), plain, canonical="yes")  # type: ignore[call-overload]
    with pytest.raises(TypeError):
        fw.compile(fw.literal("ab"), fw.Vocabulary([b"a", None], eos_token_ids=[1], merges=3), canonical=True)  # type: ignore[arg-type]
    pieces = known("sentencepiece v3").vocabulary
    with pytest.raises(DeadEnd, match="no text of this form has canonical tokens"):
        fw.compile(fw.literal("▁"), pieces, canonical=True)  # the tokenizer takes it for a space
    assert isinstance(pieces.merges, Merges)


def test_merges_of_another_tokenizer_are_refused() -> None:
    """A vocabulary takes back its own merges only, and nothing else in their place."""
    single = [bytes([byte]) for byte in range(256)]
    own, other = ([*single, b"th", last] for last in (b"the", b"thy"))
    merges = [Merges(tokens, priorities=range(258)) for tokens in (own, other)]
    vocabulary = fw.Vocabulary([*own, b""], eos_token_ids=[258], merges=merges[0])
    data = vocabulary.to_bytes()
    assert fw.Vocabulary.from_bytes(data, merges[0]).merges.is_canonical([257])
    with pytest.raises(fw.errors.VocabularyError, match="token 257 spells 'thy' there, here 'the'"):
        _ = fw.Vocabulary.from_bytes(data, merges[1]).merges
    with pytest.raises(TypeError, match="not bytes"):
        fw.Vocabulary.from_bytes(data, merges[0].to_bytes())  # type: ignore[arg-type]


TAGS = {
    "type": "object",
    "properties": {
        "tags": {
            "type": "array",
            "uniqueItems": True,
            "items": {
                "type": "object",
                "properties": {"k": {"type": "string"}, "v": {"type": ["string", "null"]}},
                "required": ["k", "v"],
            },
        }
    },
    "required": ["tags"],
}


@pytest.mark.parametrize("budget", [None, 6])
def test_masks_inside_unique_objects_do_not_search_anew_for_each_text(
    tekken: Any, tekken_vocabulary: fw.Vocabulary, budget: int | None
) -> None:
    """What becomes of a token whichever items came before is found once: 0.4 s a mask before, 0.8 s within a budget."""
    constraint = fw.compile(fw.json_schema(TAGS, whitespace="compact"), tekken_vocabulary, canonical=True)
    row = fw.allocate_bitmask(1, tekken_vocabulary)
    took = []
    for name in ("foo", "bar", "baz"):
        matcher = constraint.matcher()
        for token in tekken.encode(f'{{"tags":[{{"k":"{name}","v":"{name}', bos=False, eos=False):
            matcher.accept_token(token)
        begun = time.thread_time()
        matcher.fill_bitmask(row, budget=budget)
        took.append(time.thread_time() - begun)
    assert min(took) < 0.1
