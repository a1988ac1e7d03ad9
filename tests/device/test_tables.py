"""Tables for a device: against a naive walk over all states, against the matcher, and where there are none."""

from __future__ import annotations

import importlib
import pickle
import random
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from device_oracle import naive_tables, unpack_row

import formwright as fw
from formwright.device import DeviceTables
from formwright.device.device_tables import ENDED

INVOICE = {
    "type": "object",
    "properties": {
        "number": {"type": "string", "pattern": "^INV-[0-9]{6}$"},
        "currency": {"enum": ["EUR", "USD", "GBP", "JPY"]},
        "lines": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"sku": {"type": "string"}, "qty": {"type": "integer"}, "price": {"type": "number"}},
                "required": ["sku", "qty"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["number", "lines"],
    "additionalProperties": False,
}
EITHER = {
    "anyOf": [
        {
            "type": "object",
            "properties": {"kind": {"const": kind}, name: {"type": "boolean"}},
            "required": ["kind", name],
            "additionalProperties": False,
        }
        for kind, name in (("a", "yes"), ("ab", "no"))
    ]
}
FORMS: dict[str, fw.Form[Any]] = {
    "pattern": fw.regex(r"(ab|ba)*[0-9]{2,4}é?"),
    "choice": fw.choice("yes", "no", "null", "ab", "true", "abba"),
    "invoice": fw.json_schema(INVOICE, whitespace="compact"),
    "whitespace": fw.json_schema(EITHER),
    "text": fw.text(until="no", max_chars=6) + fw.choice("12", "21"),
    "control": fw.special("<pad>") + fw.regex("[ab]+") + fw.special("<pad>"),
    "grammar": fw.grammar('start: "yes" | list\nlist: ("ab" | NUMBER)+\nNUMBER: /[0-9]+/'),
    "enumerated names": fw.json_schema(
        {"type": "object", "propertyNames": {"enum": ["a", "b"]}, "additionalProperties": {"type": "boolean"}},
        whitespace="compact",
    ),
    "order of the model": fw.json_schema(EITHER["anyOf"][0], order="model", whitespace="compact"),
}


@pytest.fixture(params=list(FORMS))
def form(request: pytest.FixtureRequest) -> fw.Form[Any]:
    return FORMS[request.param]


def tables_of(form: fw.Form[Any], vocabulary: fw.Vocabulary) -> DeviceTables:
    tables = fw.compile(form, vocabulary).device_tables()
    assert tables is not None
    return tables


def test_every_state_says_what_a_naive_walk_finds(form: fw.Form[Any], word_vocabulary: fw.Vocabulary) -> None:
    made, wanted = tables_of(form, word_vocabulary), naive_tables(form, word_vocabulary)
    ends, last = set(word_vocabulary.eos_token_ids), made.states - 1
    pairs, todo = {0: 0}, [0]  # by state of the naive tables, that of the tables
    while todo:
        naive = todo.pop()
        state = pairs[naive]
        row = made.next[state, made.classes]
        allowed = set(np.flatnonzero(row >= 0).tolist())
        assert allowed == set(wanted.steps[naive]) | (ends if wanted.may_end[naive] else set())
        assert allowed == set(np.flatnonzero(unpack_row(made.masks[made.mask_of[state]], len(row))).tolist())
        assert made.need[state] == wanted.need[naive]
        assert all(row[end] == last for end in ends & allowed)
        for token, to in wanted.steps[naive].items():
            if to not in pairs:
                pairs[to] = int(row[token])
                todo.append(to)
            assert pairs[to] == row[token]
    assert set(pairs.values()) == set(range(last)), "no state is left over"
    assert set(np.flatnonzero(made.next[last, made.classes] >= 0).tolist()) == ends
    assert made.need[last] == ENDED


def test_nothing_is_there_twice(form: fw.Form[Any], word_vocabulary: fw.Vocabulary) -> None:
    made = tables_of(form, word_vocabulary)
    assert len(np.unique(made.masks, axis=0)) == len(made.masks)
    assert len(np.unique(made.next[:, 2:].T, axis=0)) == made.next.shape[1] - 2, "two classes that no state tells apart"
    states = np.column_stack([made.next, made.need])
    assert len(np.unique(states, axis=0)) == made.states, "two states with the same continuations"


@pytest.mark.parametrize("whitespace", ["compact", "flexible"])
def test_masks_and_tokens_to_the_end_are_those_of_the_matcher(tiny: Any, whitespace: str) -> None:
    vocabulary = tiny.vocabulary
    constraint = fw.compile(fw.json_schema(INVOICE, whitespace=whitespace), vocabulary)
    made, mask = constraint.device_tables(), fw.allocate_bitmask(1, vocabulary)
    assert made is not None
    assert made.logits_size == vocabulary.logits_size
    places = exact = 0
    for seed in range(12):
        draw, matcher, state = random.Random(seed), constraint.matcher(), 0
        for count in range(10_000):
            if matcher.is_finished:
                break
            matcher.fill_bitmask(mask, 0)
            assert (mask[0] == made.masks[made.mask_of[state]]).all()
            least = matcher.min_tokens_to_finish
            assert made.need[state] <= least, "the matcher knows a shorter way"
            places, exact = places + 1, exact + (made.need[state] == least)
            near = draw.choices(fw.allowed_tokens(mask), k=6)
            after = [made.need[made.next[state, made.classes[token]]] for token in near]
            token = int(near[int(np.argmin(after))] if count > 40 else near[0])
            matcher.accept_token(token)
            state = int(made.next[state, made.classes[token]])
        assert state == made.states - 1
    assert places > 400
    assert exact > 0.7 * places


def test_the_smallest_budget_that_a_matcher_takes_is_that_of_the_tables(
    form: fw.Form[Any], word_vocabulary: fw.Vocabulary
) -> None:
    constraint = fw.compile(form, word_vocabulary)
    made, mask = tables_of(form, word_vocabulary), fw.allocate_bitmask(1, word_vocabulary)
    constraint.matcher().fill_bitmask(mask, 0, budget=max(1, made.min_tokens))
    if made.min_tokens > 1:
        with pytest.raises(fw.errors.LimitExceeded):
            constraint.matcher().fill_bitmask(mask, 0, budget=made.min_tokens - 1)


def test_bytes_are_a_bound(word_vocabulary: fw.Vocabulary) -> None:
    constraint = fw.compile(FORMS["invoice"], word_vocabulary)
    made = tables_of(FORMS["invoice"], word_vocabulary)
    assert made.nbytes < 1 << 20
    assert constraint.device_tables(most_bytes=made.nbytes) is not None
    for fewer in (made.nbytes - 1, made.nbytes // 2, 0):
        assert constraint.device_tables(most_bytes=fewer) is None
    with pytest.raises(fw.errors.ArgumentError, match="most_bytes"):
        constraint.device_tables(most_bytes=-1)


@dataclass(frozen=True)
class OneLetter(fw.CharacterParser):
    """One letter: few states, but code may be asked for more at any time."""

    is_written: bool = False

    def allowed_characters(self) -> str:
        return "" if self.is_written else "abc"

    def add_character(self, character: str) -> OneLetter:
        return OneLetter(is_written=True)

    def can_end(self) -> bool:
        return self.is_written


NONE_FOR = {
    "recursion": fw.json_schema(
        {"$defs": {"t": {"items": {"$ref": "#/$defs/t"}, "type": "array"}}, "$ref": "#/$defs/t"}
    ),
    "recursive rules": fw.grammar('start: "(" start ")" | "x"'),
    "undeclared names": fw.json_schema({"type": "object", "additionalProperties": {"type": "boolean"}}),
    "few names": fw.json_schema(
        {"type": "object", "patternProperties": {"^[ab]$": {"const": 1}}, "additionalProperties": False}
    ),
    "items that differ": fw.json_schema({"type": "array", "items": {"enum": ["a", "b", "c"]}, "uniqueItems": True}),
    "values that differ": fw.json_schema(
        {"type": "array", "items": {"type": ["integer", "boolean"]}, "uniqueItems": True, "maxItems": 2}
    ),
    "a parser": fw.form(OneLetter()),
    "more than 32,000 states": fw.regex("[ab]*a[ab]{16}"),
}


@pytest.mark.parametrize("kind", list(NONE_FOR))
def test_some_forms_have_no_tables(kind: str, word_vocabulary: fw.Vocabulary) -> None:
    assert fw.compile(NONE_FOR[kind], word_vocabulary).device_tables() is None


def test_canonical_tokens_have_no_tables_but_forced_ones_have(tiny: Any) -> None:
    form = fw.regex("[0-9]{3}")
    assert fw.compile(form, tiny.vocabulary, canonical=True).device_tables() is None
    assert fw.compile(form, tiny.vocabulary, canonical="forced").device_tables() is not None


def test_parts_with_a_bound_on_their_tokens_have_no_tables(word_vocabulary: fw.Vocabulary) -> None:
    form = fw.thinking(fw.choice("yes", "no"), max_tokens=5)
    assert fw.compile(form, word_vocabulary).device_tables() is None


def test_a_text_that_tokens_cannot_end_has_no_tables() -> None:
    vocabulary = fw.Vocabulary([b"a", b"b", b"ab", None], eos_token_ids=[3])
    assert fw.compile(fw.choice("ab", "ba"), vocabulary).device_tables() is not None
    assert fw.compile(fw.choice("ab", "bc"), vocabulary).device_tables() is None


def test_ids_beyond_the_tokenizer_never_come() -> None:
    vocabulary = fw.Vocabulary([b"a", None, b"b"], eos_token_ids=[70], logits_size=100)
    made = tables_of(fw.regex("[ab]{2}"), vocabulary)
    assert made.masks.shape[1] == 4
    assert [np.flatnonzero(unpack_row(made.masks[of], 128)).tolist() for of in made.mask_of] == [
        [0, 2], [0, 2], [70], [70]
    ]  # fmt: skip


def test_work_can_be_interrupted(tiny: Any) -> None:
    constraint = fw.compile(fw.json_schema(INVOICE), tiny.vocabulary)
    interrupt = fw.Interrupt()
    interrupt.set()
    with interrupt, pytest.raises(fw.errors.Interrupted):
        constraint.device_tables()
    assert constraint.device_tables() is not None


def test_tables_are_read_only_and_can_be_pickled(word_vocabulary: fw.Vocabulary) -> None:
    made = tables_of(FORMS["choice"], word_vocabulary)
    with pytest.raises(ValueError, match="read-only"):
        made.masks[0, 0] = 0
    again = pickle.loads(pickle.dumps(made))
    assert (again.next == made.next).all()
    assert again.nbytes == made.nbytes
    counts = f"{made.states} states, {len(made.masks)} masks, {made.next.shape[1]} classes"
    assert repr(made) == f"DeviceTables({counts}, {made.nbytes:,} bytes)"


def test_tables_need_no_torch_and_the_rest_says_what_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    for module in ("torch_choice", "torch_decoder", "torch_masks"):
        monkeypatch.delitem(sys.modules, f"formwright.device.{module}", raising=False)
    device = importlib.import_module("formwright.device")
    assert device.DeviceTables is DeviceTables
    for name in ("apply", "Upload", "Decoder"):
        with pytest.raises(fw.errors.MissingDependency, match=r"formwright\[device\]"):
            getattr(device, name)
    with pytest.raises(AttributeError, match="no attribute 'Encoder'"):
        _ = device.Encoder
