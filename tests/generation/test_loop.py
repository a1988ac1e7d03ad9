"""The decode loop, driven by a model that only has random opinions."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from parameters import slow_except

import formwright as fw
from formwright.generation import Complete, Limits, Piece, Sampler, Stream, Truncated, Writing, generate

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "ages": {"type": "array", "items": {"type": "integer"}}},
    "required": ["name", "ages"],
    "additionalProperties": False,
}


def write(toy: Callable[..., Any], vocabulary: fw.Vocabulary, form: Any, seed: int = 0, **options: Any) -> Any:
    settings = {"max_tokens": 60, "sampler": Sampler(temperature=1, seed=seed)} | options
    return generate(toy(vocabulary.logits_size, seed), fw.compile(form, vocabulary), [65], **settings)


@pytest.mark.parametrize("seed", range(20))
def test_random_opinions_still_give_json_within_the_budget(toy: Any, word_vocabulary: fw.Vocabulary, seed: int) -> None:
    result = write(toy, word_vocabulary, PERSON, seed)
    assert isinstance(result, Complete)
    assert result.value == json.loads(result.text)
    assert set(result.value) == {"name", "ages"}
    assert len(result.token_ids) <= 60
    assert b"".join(map(word_vocabulary.token, result.token_ids)).decode() == result.text
    assert not set(result.token_ids) & set(word_vocabulary.eos_token_ids)


@pytest.mark.parametrize("seed", range(5))
def test_the_tightest_budget_suffices(toy: Any, byte_vocabulary: fw.Vocabulary, seed: int) -> None:
    needed = fw.compile(PERSON, byte_vocabulary).matcher().min_tokens_to_finish
    assert needed == len('{"name":"","ages":[]}')
    result = write(toy, byte_vocabulary, PERSON, seed, max_tokens=needed)
    assert result.text == '{"name":"","ages":[]}'


def test_too_small_a_budget_says_what_is_needed(toy: Any, byte_vocabulary: fw.Vocabulary) -> None:
    with pytest.raises(fw.errors.LimitExceeded) as caught:
        write(toy, byte_vocabulary, fw.literal("four"), max_tokens=3)
    assert (caught.value.limit, caught.value.value, caught.value.allowed) == ("max_tokens", 4, 3)
    assert caught.value.hint == "pass max_tokens=4 or more"


def test_what_can_only_be_one_text_needs_no_model(toy: Any, byte_vocabulary: fw.Vocabulary) -> None:
    result = write(toy, byte_vocabulary, fw.literal("exactly this"))
    assert result.text == "exactly this"
    assert result.model_calls == 0


def test_forced_tokens_reach_the_model_together(toy: Any, byte_vocabulary: fw.Vocabulary) -> None:
    runtime = toy(byte_vocabulary.logits_size)
    form = fw.literal("abc") + fw.choice(["x", "y"]) + fw.literal("de") + fw.choice(["x", "y"])
    result = generate(runtime, fw.compile(form, byte_vocabulary), [1, 2], max_tokens=9, sampler=Sampler())
    assert runtime.calls == [2 + 3, 1 + 2]
    assert result.model_calls == 2
    assert result.prompt_tokens == 2


def test_the_model_may_end_where_the_text_may_end(toy: Any, byte_vocabulary: fw.Vocabulary) -> None:
    lengths = {len(write(toy, byte_vocabulary, fw.regex("[a-z]*"), seed).text) for seed in range(30)}
    assert min(lengths) < 20 < max(lengths) <= 60


def test_pieces_are_whole_characters(toy: Any, byte_vocabulary: fw.Vocabulary) -> None:
    constraint = fw.compile(fw.literal("é你😀"), byte_vocabulary)
    pieces = Stream(toy(257), constraint, [1], max_tokens=9, sampler=Sampler())
    assert [piece.text for piece in pieces] == ["", "é", "", "", "你", "", "", "", "😀"]


def test_a_stream_returns_its_result(toy: Any, byte_vocabulary: fw.Vocabulary) -> None:
    pieces = Stream(toy(257), fw.compile(fw.regex("a[bc]"), byte_vocabulary), [1], max_tokens=9, sampler=Sampler())
    assert next(pieces) == Piece(97, "a")
    with pytest.raises(fw.errors.StreamUnfinished):
        pieces.result  # noqa: B018
    assert len(list(pieces)) == 1
    assert isinstance(pieces.result, Complete)


def test_without_finish_the_text_may_be_cut(toy: Any, byte_vocabulary: fw.Vocabulary) -> None:
    result = write(toy, byte_vocabulary, fw.literal("four"), max_tokens=3, finish=False)
    assert isinstance(result, Truncated)
    assert (result.text, result.reason) == ("fou", "max_tokens")
    assert isinstance(write(toy, byte_vocabulary, fw.literal("four"), max_tokens=4, finish=False), Complete)


def test_cancel_cuts_between_characters_or_inside_one(toy: Any, byte_vocabulary: fw.Vocabulary) -> None:
    answers = iter([False, False, False, True])
    result = write(toy, byte_vocabulary, fw.literal("ab你"), cancel=lambda: next(answers))
    assert isinstance(result, Truncated)
    assert (result.text, result.reason, len(result.token_ids)) == ("ab", "cancel", 3)


def test_equal_seeds_give_equal_texts(toy: Any, word_vocabulary: fw.Vocabulary) -> None:
    one, two, other = (write(toy, word_vocabulary, PERSON, seed) for seed in (1, 1, 2))
    assert one.text == two.text != other.text


def test_empty_texts(toy: Any, byte_vocabulary: fw.Vocabulary) -> None:
    assert write(toy, byte_vocabulary, fw.regex("a?"), max_tokens=0).text == ""


@pytest.mark.parametrize(("prompt", "max_tokens"), [([], 5), ([1], -1)])
def test_arguments_are_checked(toy: Any, byte_vocabulary: fw.Vocabulary, prompt: list[int], max_tokens: int) -> None:
    constraint = fw.compile(fw.literal("a"), byte_vocabulary)
    with pytest.raises(ValueError, match=r"prompt|max_tokens"):
        generate(toy(257), constraint, prompt, max_tokens=max_tokens, sampler=Sampler())


def test_logits_of_another_width_are_refused(toy: Any, byte_vocabulary: fw.Vocabulary) -> None:
    constraint = fw.compile(fw.choice(["a", "b"]), byte_vocabulary)
    with pytest.raises(fw.errors.VocabularyError, match="320 wide"):
        generate(toy(320), constraint, [1], max_tokens=9, sampler=Sampler())


def test_a_stream_that_was_not_read_to_its_end_has_no_result(toy: Any, byte_vocabulary: fw.Vocabulary) -> None:
    constraint = fw.compile(fw.regex("[a-z]{9}"), byte_vocabulary)
    with Stream[Any](toy(257), constraint, [1], max_tokens=9, sampler=Sampler()) as stream:
        next(stream)
    assert list(stream) == []
    with pytest.raises(fw.errors.StreamUnfinished):
        stream.result  # noqa: B018


def test_stop_cuts_before_the_text(toy: Any, byte_vocabulary: fw.Vocabulary) -> None:
    result = write(toy, byte_vocabulary, fw.literal("one\ntwo"), stop="\n")
    assert isinstance(result, Truncated)
    assert (result.text, result.reason, len(result.token_ids)) == ("one", "stop", 4)


def test_a_text_that_is_complete_where_it_was_stopped_is_complete(toy: Any, byte_vocabulary: fw.Vocabulary) -> None:
    result = write(toy, byte_vocabulary, fw.literal("12") + fw.regex("(\n.*)?"), stop=["\n", "#"])
    assert isinstance(result, Complete)
    assert result.value == "12"


def test_what_is_wrong_is_raised_at_the_call(toy: Any, byte_vocabulary: fw.Vocabulary) -> None:
    constraint = fw.compile(fw.literal("four"), byte_vocabulary)
    with pytest.raises(fw.errors.LimitExceeded):
        Stream[Any](toy(257), constraint, [1], max_tokens=3, sampler=Sampler())
    with pytest.raises(fw.errors.ArgumentError):
        Stream[Any](toy(257), constraint, [1], max_tokens=9, sampler=Sampler(), stop="")


def argmax(scores: Any) -> int:
    """What a greedy sampler does, but a function: it is asked for every token."""
    return int(scores.argmax())


FORMS = [
    PERSON,
    fw.literal("exactly this"),
    fw.regex("[a-z]{0,9}(你|é)+"),
    fw.regex("a?"),
    fw.choice(["one", "once", "on"]),
]


def outcome(runtime: Any, constraint: Any, sampler: Any, **limits: Any) -> Any:
    """All that a loop tells of a text: its pieces at each call, and the result or the error."""
    seen: list[Any] = []
    try:
        writing = Writing(constraint, [1], Limits(**limits), sampler)
        while not writing.is_over:
            seen.append([(piece.token_id, piece.text) for piece in writing.write_forced()])
            if not writing.is_over:
                seen.append(
                    [(piece.token_id, piece.text) for piece in writing.choose(runtime.prefill(writing.take_unseen()))]
                )
    except fw.errors.FormwrightError as error:
        return seen, type(error), str(error)
    result = writing.result
    reason = result.reason if isinstance(result, Truncated) else result.value
    return seen, reason, result.text, result.token_ids, result.model_calls, result.forced_tokens, writing.left


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("canonical", [False, True, "forced"])
@pytest.mark.parametrize("seeds", slow_except([range(2)], [range(2), range(2, 8)]), ids=str)
def test_the_kernel_takes_what_the_loop_would_take(
    toy: Any, tiny: Any, word_vocabulary: fw.Vocabulary, form: Any, canonical: Any, seeds: range
) -> None:
    vocabulary = tiny.vocabulary if canonical else word_vocabulary
    constraint = fw.compile(form, vocabulary, canonical=canonical)
    ways: list[dict[str, Any]] = [{}, {"cancel": lambda: False}]
    for seed, most, finish in product(seeds, (0, 3, 11, 60), (True, False)):
        limits = {"max_tokens": most, "finish": finish}
        found = [
            outcome(toy(vocabulary.logits_size, seed), constraint, sampler, **limits, **way)
            for sampler in (Sampler(), argmax)
            for way in ways
        ]
        assert all(one == found[0] for one in found[1:]), (seed, most, finish)


def test_a_stop_text_among_forced_tokens_cuts_them(toy: Any, byte_vocabulary: fw.Vocabulary) -> None:
    constraint = fw.compile(fw.literal("one two three"), byte_vocabulary)
    plain = outcome(toy(257), constraint, Sampler(), max_tokens=20)
    stopped = outcome(toy(257), constraint, Sampler(), max_tokens=20, stop=" t")
    assert (plain[2], stopped[1], stopped[2]) == ("one two three", "stop", "one")
    assert (plain[5], stopped[5]) == (13, 5)


WHOLE_FORMS = [
    PERSON,
    fw.literal("é你😀") + fw.choice("x", "你") + fw.regex("[a-c]*"),
    fw.regex("(ab|cd)*"),
    fw.literal("fixed"),
    fw.regex("a?"),
    fw.text(until="\n", max_chars=9),
]


@pytest.mark.parametrize("number", range(len(WHOLE_FORMS)))
@pytest.mark.parametrize("finish", [True, False])
def test_a_text_is_the_same_whole_and_in_pieces(
    toy: Any, word_vocabulary: fw.Vocabulary, number: int, finish: bool
) -> None:
    constraint = fw.compile(WHOLE_FORMS[number], word_vocabulary)
    least = constraint.matcher().min_tokens_to_finish
    for seed, room in product(range(5), (0, 1, 7, 60)):
        options: dict[str, Any] = {"max_tokens": least + room, "finish": finish}
        whole = generate(toy(word_vocabulary.logits_size, seed), constraint, [65], sampler=Sampler(), **options)
        stream = Stream[Any](toy(word_vocabulary.logits_size, seed), constraint, [65], sampler=Sampler(), **options)
        pieces = list(stream)
        told = stream.result
        for name in ("text", "token_ids", "prompt_tokens", "model_calls", "forced_tokens"):
            assert getattr(whole, name) == getattr(told, name), name
        assert type(whole) is type(told)
        assert getattr(whole, "value", None) == getattr(told, "value", None)
        assert "".join(piece.text for piece in pieces) == whole.text


def test_control_tokens_are_in_the_text_by_name(toy: Any) -> None:
    vocabulary = fw.Vocabulary([b"a", b"b", b"", b""], eos_token_ids=[2], special_tokens={"<c>": 3})
    form = fw.regex("a|b") + fw.special("<c>") + fw.regex("a|b")
    result = generate(toy(4), fw.compile(form, vocabulary), [0], max_tokens=3, sampler=Sampler())
    assert result.text[1:4] == "<c>"
    assert result.token_ids[1] == 3


class TestTake:
    """A greedy step in one call of the kernel."""

    VOCABULARY = fw.Vocabulary([bytes([byte]) for byte in range(256)] + [b""], eos_token_ids=[256])

    def start(self, form: Any, left: int = 9) -> tuple[fw.Matcher, Any]:
        matcher, mask = fw.compile(form, self.VOCABULARY).matcher(), fw.allocate_bitmask(1, self.VOCABULARY)
        matcher.take_forced(mask, most=left)
        return matcher, mask

    def logits(self, best: int) -> Any:
        logits = np.zeros(257, np.float32)
        logits[best] = 1
        return logits

    def test_a_choice_and_what_follows_from_it(self) -> None:
        matcher, mask = self.start(fw.regex("x(abc|bcd)(e|f)"))
        assert matcher.take(self.logits(ord("b")), mask, left=8) == (list(b"bcd"), b"bcd", False)
        assert fw.allowed_tokens(mask[0]).tolist() == list(b"ef")
        assert matcher.take(self.logits(ord("f")), mask, left=5) == (list(b"f"), b"f", True)
        assert matcher.accepted_bytes == b"xbcdf"

    def test_without_forced_tokens(self) -> None:
        matcher, mask = self.start(fw.regex("abc|bcd"))
        assert matcher.take(self.logits(ord("a")), mask, left=8, forced=False) == ([97], b"a", None)
        assert matcher.accepted_bytes == b"a"

    def test_the_tokens_that_are_left_end_it(self) -> None:
        matcher, mask = self.start(fw.regex("abcdef|b"), left=6)
        assert matcher.take(self.logits(ord("a")), mask, left=3, finish=False) == (list(b"abc"), b"abc", None)
        matcher, mask = self.start(fw.regex("[ab]*"))
        assert matcher.take(self.logits(ord("a")), mask, left=1) == ([97], b"a", None)
        with pytest.raises(fw.errors.ArgumentError, match="left"):
            matcher.take(self.logits(ord("a")), mask, left=0)

    def test_an_end_of_text(self) -> None:
        matcher, mask = self.start(fw.regex("[ab]*"))
        assert matcher.take(self.logits(256), mask, left=0) == ([], b"", True)
        assert not matcher.is_finished

    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
    def test_logits_that_are_no_numbers(self, value: float) -> None:
        matcher, mask = self.start(fw.regex("[ab]*"))
        with pytest.raises(fw.errors.DeadEnd, match="not finite"):
            matcher.take(np.full(257, value, np.float32), mask, left=3)
        assert matcher.accepted_bytes == b""

    def test_the_mask_of_another_place(self) -> None:
        matcher, mask = self.start(fw.regex("ab|cd"))
        matcher.accept_token(ord("a"))
        with pytest.raises(fw.errors.TokenRejected):
            matcher.take(self.logits(ord("c")), mask, left=3)
        assert matcher.accepted_bytes == b"a"
