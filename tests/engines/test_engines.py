"""What engines ask of a grammar back end, against a back end that knows all texts and tries them one by one."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from toys import Person

import formwright as fw
from formwright.engines import grammar_backend
from formwright.engines.grammar_backend import RunningText, Vocabularies, form_from_request, request_from_form
from formwright.errors import LanguageError, LimitExceeded, OptionUnsupported
from formwright.models import embedded

TOKENS = [b"a", b"b", b"c", b"ab", b"ca", None, None, None]
ENDS, PAD = {5, 6}, 7
TEXTS = [b"abc", b"ab", b"b", b"caab", b"abcab", b"ca"]
VOCABULARY = fw.Vocabulary(TOKENS, eos_token_ids=sorted(ENDS), logits_size=10, special_tokens={"<pad>": PAD})
CONSTRAINT = fw.compile(fw.choice(*(text.decode() for text in TEXTS)), VOCABULARY)
IDS = st.integers(-1, 11)


@dataclass
class Naive:
    """The oracle: a list of tokens, and the texts that it may lead to."""

    accepted: list[int] = field(default_factory=list)

    @property
    def is_finished(self) -> bool:
        return bool(self.accepted) and self.accepted[-1] in ENDS

    def allowed(self, accepted: Sequence[int]) -> set[int]:
        if accepted and accepted[-1] in ENDS:
            return set()
        written = b"".join(TOKENS[token] or b"" for token in accepted)
        inside = {
            token for token, piece in enumerate(TOKENS) if piece and any(t.startswith(written + piece) for t in TEXTS)
        }
        return inside | (ENDS if written in TEXTS else set())

    def valid_prefix(self, tokens: Sequence[int]) -> int:
        count = 0
        while count < len(tokens) and tokens[count] in self.allowed([*self.accepted, *tokens[:count]]):
            count += 1
        return count

    def accept(self, tokens: Sequence[int]) -> bool:
        if self.is_finished:
            return True
        end = next((place for place, token in enumerate(tokens, 1) if token in ENDS), len(tokens))
        if self.valid_prefix(tokens[:end]) < end:
            return False
        self.accepted += tokens[:end]
        return True

    def mask(self) -> list[int]:
        return sorted(ENDS if self.is_finished else self.allowed(self.accepted))


def mask_of(running: RunningText) -> list[int]:
    mask = np.full((3, VOCABULARY.mask_words), -1, np.int32)
    running.fill(mask, 1)
    assert (mask[[0, 2]] == -1).all()
    return fw.allowed_tokens(mask[1]).tolist()


operations = st.lists(
    st.one_of(
        st.tuples(st.just("accept"), st.lists(IDS, max_size=4)),
        st.tuples(st.just("accept"), st.lists(st.sampled_from([0, 1, 2, 3, 4, 5]), max_size=2)),
        st.tuples(st.just("valid"), st.lists(IDS, max_size=5)),
        st.tuples(st.just("rollback"), st.integers(0, 3)),
    ),
    max_size=12,
)


@given(operations)
def test_as_a_back_end_that_tries_all_texts(steps: list[tuple[str, Any]]) -> None:
    running, naive = RunningText(CONSTRAINT), Naive()
    for what, given_ in steps:
        if what == "accept":
            assert running.accept(given_) == naive.accept(given_)
        elif what == "valid":
            assert running.valid_prefix(given_) == naive.valid_prefix(given_)
        else:
            count = min(given_, len(naive.accepted))
            running.rollback(count)
            del naive.accepted[len(naive.accepted) - count :]
        assert running.is_finished == naive.is_finished
        assert mask_of(running) == naive.mask()


def test_all_of_the_tokens_or_none() -> None:
    running = RunningText(CONSTRAINT)
    before = mask_of(running)
    for tokens in ([0, 1, 0], [0, 99], [0, -1], [PAD], [5], [9]):
        assert running.accept(tokens) is False
        assert mask_of(running) == before
    assert running.accept([]) is True
    assert running.accept([0, 1, 6, 99, 0]) is True  # drafts behind an end mean nothing
    assert running.is_finished
    assert running.accept([99]) is True
    assert running.valid_prefix([0]) == 0
    running.rollback(3)
    assert mask_of(running) == before


def test_a_budget_is_that_of_the_matcher() -> None:
    running = RunningText(CONSTRAINT)
    mask = fw.allocate_bitmask(1, VOCABULARY)
    running.fill(mask, 0, budget=1)  # an end costs nothing: the text is whole without it
    assert fw.allowed_tokens(mask[0]).tolist() == [1, 3, 4]


def test_an_end_takes_a_token_of_the_limit_where_a_text_is_short_enough_for_both() -> None:
    running = RunningText(fw.compile(fw.regex("[ab]{3,9}"), fw.Vocabulary([b"a", b"b", None], eos_token_ids=[2])))
    assert running.least == 3
    assert [running.find_limit(room) for room in (0, 2, 3, 4, 5)] == [None, None, 3, 3, 4]
    running.check_room(3)
    with pytest.raises(LimitExceeded, match="shortest text has 3 tokens, and the request allows 2") as raised:
        running.check_room(2)
    assert raised.value.limit == "budget"


def test_drafts_after_the_limit_leave_the_ends_alone() -> None:
    running = RunningText(CONSTRAINT)
    mask = fw.allocate_bitmask(1, VOCABULARY)
    running.fill(mask, 0, budget=-1)
    assert set(fw.allowed_tokens(mask[0]).tolist()) == ENDS


ASKED = [
    int,
    Person,
    Literal["b", "a"],
    {"type": "array", "items": {"enum": [1, "two"]}, "maxItems": 2},
    fw.choice("a", "b\nc", 'quoted "d"'),
    fw.regex(r"[0-9]{2}-\w+"),
    fw.json(),
    fw.json(objects_only=True),
    fw.grammar('start: "a" start | NAME\nNAME: /[b-z]+/'),
    fw.grammar("root ::= 'a' root | [b-z]+"),
]


@pytest.mark.parametrize("form", ASKED, ids=str)
def test_a_form_goes_through_a_request(form: Any) -> None:
    kind, text = request_from_form(fw.form(form))
    assert isinstance(text, str)
    assert form_from_request(kind, text).language.to_bytes() == fw.form(form).language.to_bytes()


@pytest.mark.parametrize(
    "form",
    [
        fw.form(Person, whitespace="compact"),
        fw.form(Person, order="model"),
        fw.json_schema({"type": "array"}, max_items=3),
        fw.json_schema({"type": "string"}, alphabet="abc"),
        fw.regex(r"\W+", unicode=True),
        re.compile(r"\d+"),
        fw.grammar('start: n n | "1"\nn: /[a-z]/', lexing="any"),
        fw.grammar('start: "a"\nb: "b"', start="b"),
    ],
    ids=str,
)
def test_options_that_a_request_would_lose_are_refused(form: Any) -> None:
    with pytest.raises(OptionUnsupported, match="cannot be said in a request"):
        request_from_form(fw.form(form))


@pytest.mark.parametrize(
    "form",
    [
        fw.literal("x"),
        fw.text(until="."),
        fw.choice("a") + fw.choice("b"),
        fw.grammar("start: @x", forms={"x": fw.literal("x")}),
    ],
    ids=str,
)
def test_forms_that_engines_do_not_know_are_refused(form: Any) -> None:
    with pytest.raises(OptionUnsupported, match="engines know") as raised:
        request_from_form(form)
    assert raised.value.hint


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("json", "{"),
        ("json", '{"type": "nonsense"}'),
        ("regex", "("),
        ("choice", '"abc"'),  # no choice of a, b and c
        ("choice", "[]"),
        ("choice", '["a", 1]'),
        ("choice", "5"),
        ("choice", "a"),
        ("choice", "[" * 100_000),
        ("structural_tag", "{"),
        ("structural_tag", '{"format": {"type": "nonsense"}}'),
        ("structural_tag", "5"),
        ("structural_tag", '{"format": {"type": "json_schema", "json_schema": {}, "style": "toml"}}'),
        ("structural_tag", '{"format": {"type": "any_text", "excludes": [""]}}'),
        ("structural_tag", '{"format": {"type": "any_text", "max_tokens": 3}}'),
        ("grammar", "root ::= ("),
        ("grammar", "start: @day"),
        ("grammar", "start: A\n%declare A"),
        ("grammar", 'start: "a" start'),
        ("ebnf", "root ::= ("),
        ("ebnf", 'start: "a"'),
    ],
)
def test_what_cannot_be_read_is_one_kind_of_error(kind: str, text: str) -> None:
    with pytest.raises(LanguageError):
        form_from_request(kind, text)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("grammar", 'start: "(" start ")" | NAME\nNAME: /[a-z]+/'),
        ("grammar", 'root ::= "(" root ")" | [a-z]+'),
        ("ebnf", "root ::= '(' root ')' | [a-z]+"),
    ],
)
def test_grammars_in_the_notations_of_engines(kind: str, text: str) -> None:
    form = form_from_request(kind, text)
    assert form.matches("((ab))")
    assert not form.matches("((ab)")


def test_structural_tags_and_whitespace() -> None:
    tag = {"structures": [{"begin": "<f>", "schema": {"type": "integer"}, "end": "</f>"}], "triggers": ["<f>"]}
    form = form_from_request("structural_tag", json.dumps(tag))
    assert form.check("so <f>12</f> it is").is_complete
    assert not form.check("<f>x").is_complete
    spaced, text = '{"a": 1}', '{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}'
    assert form_from_request("json", text).matches(spaced)
    assert not form_from_request("json", text, whitespace="compact").matches(spaced)
    assert not form_from_request("json_object", "", whitespace="compact").matches(spaced)


def test_ends_of_requests_are_ends_beside_those_of_the_tokenizer() -> None:
    tokenizer = Tokenizer.from_file(str(embedded.FOLDER / "tokenizer.json"))
    size = tokenizer.get_vocab_size() + 4
    known = Vocabularies(tokenizer, size)
    plain, more = known.with_ends(None), known.with_ends([3, 7])
    assert plain.logits_size == more.logits_size == size
    assert set(more.eos_token_ids) == {*plain.eos_token_ids, 3, 7}
    assert known.with_ends((7, 3, 3)) is more
    assert known.with_ends(()) is plain


def test_the_forms_asked_for_last_are_kept() -> None:
    tokenizer = Tokenizer.from_file(str(embedded.FOLDER / "tokenizer.json"))
    known = Vocabularies(tokenizer, tokenizer.get_vocab_size())
    first = known.compile("regex", "[0-9]+", None)
    assert known.compile("regex", "[0-9]+", ()).form is first.form
    assert known.with_ends(None).kept_constraints[0] == 1
    assert known.compile("choice", '["a"]', None).form is not first.form
    assert known.compile("regex", "[0-9]+", [3]).vocabulary is known.with_ends([3])
    spaced = known.compile("json", '{"type": "array"}', None)
    assert known.compile("json", '{"type": "array"}', None, whitespace="compact").form is not spaced.form
    with pytest.raises(LanguageError):
        known.compile("regex", "(", None)


def test_the_vocabularies_asked_for_last_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[list[int]] = []

    def counted(tokenizer: Any, *, eos_token_ids: list[int], logits_size: int) -> Any:
        made.append(eos_token_ids)
        return object()

    monkeypatch.setattr(grammar_backend, "vocabulary_from", counted)
    monkeypatch.setattr(grammar_backend, "_KEPT", 2)
    known = Vocabularies(None, 10)
    first = known.with_ends([1])
    known.with_ends([2])
    assert known.with_ends([1]) is first
    known.with_ends([3])  # 2 was asked for longest ago
    assert known.with_ends([1]) is first
    known.with_ends([2])
    assert made == [[1], [2], [3], [2]]


def tiny_vocabularies() -> Vocabularies:
    return Vocabularies(Tokenizer.from_file(str(embedded.FOLDER / "tokenizer.json")), 8192)


@pytest.mark.parametrize(("value", "canonical"), [("", False), ("0", False), ("1", True), ("forced", "forced")])
def test_the_environment_says_which_tokens_are_canonical(
    monkeypatch: pytest.MonkeyPatch, value: str, canonical: object
) -> None:
    monkeypatch.setenv("FORMWRIGHT_CANONICAL", value)
    constraint = tiny_vocabularies().compile("choice", '["positive", "negative"]', None)
    assert constraint.canonical == canonical
    firsts = [constraint.vocabulary.token(token_id) for token_id in constraint.matcher().allowed_token_ids()]
    assert (b"p" in firsts) == (canonical is not True)


def test_another_value_of_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORMWRIGHT_CANONICAL", "yes")
    with pytest.raises(fw.errors.ArgumentError, match="expected 0, 1 or forced, got 'yes'"):
        tiny_vocabularies()


def test_a_tokenizer_whose_merges_are_not_known_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORMWRIGHT_CANONICAL", "1")
    monkeypatch.setattr(grammar_backend, "vocabulary_from", lambda *_, **__: VOCABULARY)
    with pytest.raises(fw.errors.VocabularyError):
        Vocabularies(object(), 10)


def test_a_canonical_text_continues_the_last_piece_of_the_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORMWRIGHT_CANONICAL", "1")
    constraint = tiny_vocabularies().compile("regex", "[a-z]{1,9}", None)
    prompt = constraint.vocabulary.merges.encode("The capital of Fr") or []
    running = RunningText(constraint)
    running.begin_after(prompt)
    mask = fw.allocate_bitmask(2, constraint.vocabulary)
    running.fill(mask, 0)
    constraint.matcher(prompt).fill_bitmask(mask, 1)
    assert (mask[0] == mask[1]).all()
    constraint.matcher().fill_bitmask(mask, 1)
    assert (mask[0] != mask[1]).any()
