"""The decode loop, driven by a model that only has random opinions."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from typing import Any

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
