"""SGLang's texts are complete within ``max_new_tokens``, thoughts included, or refused before their first token."""

from __future__ import annotations

import random
from typing import Any

import sglang.srt.parser.reasoning_parser as parsers
import torch
from sglang.srt.managers.schedule_batch import FINISH_LENGTH, FINISH_MATCHED_TOKEN, Req
from sglang_driver import END, SIZE, TINY, accept, allowed, managed, ready, request_from_form, spelled

import formwright as fw
from formwright.errors import HostMismatch

PATTERN = "[a-z]{4}-[0-9]{4}"
PERSON = (
    '{"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer"}}, "required": ["name"]}'
)


class Detector:
    """Thoughts that some tokens end."""

    think_start_token, think_end_token = "<|user|>", "<|pad|>"

    def __init__(self, ends: tuple[int, ...], excluded: list[str] | None) -> None:
        self.ends, self.think_excluded_tokens = list(ends), excluded

    def get_think_end_token_ids(self, tokenizer: Any) -> list[int]:
        return self.ends

    def get_answer_frame(self) -> None:
        return None


def reasoning(ends: tuple[int, ...] = (2,), excluded: list[str] | None = None, **changed: Any) -> Any:
    """A manager with a parser of thoughts that these tokens end, and those must not come in."""

    class Parser:
        def __init__(self, **options: Any) -> None:
            self.detector = Detector(ends, excluded)

    before, parsers.ReasoningParser = parsers.ReasoningParser, Parser  # type: ignore[misc]
    try:
        return managed(reasoning_parser="some", **changed)
    finally:
        parsers.ReasoningParser = before  # type: ignore[misc]


def check_budgets() -> None:
    check_refusals()
    check_endings()
    check_thoughts()
    check_strict_thoughts()
    check_nobody()
    check_mismatches()
    check_rollback()
    print("budgets: texts end in time, thoughts included; texts of nobody are refused")


def write_longest(request: Req, chance: random.Random | None = None) -> None:
    """Write the last allowed token each time, or any; where thoughts are free, one that goes on."""
    while not request.finished():
        tokens = allowed(request)
        accept(request, chance.choice(tokens) if chance else tokens[-1])


def check_refusals() -> None:
    """A request that no text fits in is aborted unwritten, compiled or cached; with one token more it is written."""
    manager = managed()
    least = fw.compile(fw.regex(PATTERN), TINY.vocabulary).matcher().min_tokens_to_finish
    for most in range(1, least + 4):
        for _ in range(2):
            request = request_from_form("regex", PATTERN, most=most)
            grammar = ready(manager, request)
            if most < least:
                assert grammar is None
                assert f"the shortest text has {least} tokens" in request.to_finish.message
                continue
            write_longest(request)
            assert fw.regex(PATTERN).matches(spelled(request)), (most, spelled(request))
            reason = FINISH_LENGTH if most == least else FINISH_MATCHED_TOKEN
            assert isinstance(request.finished_reason, reason), (most, request.finished_reason)


def check_endings() -> None:
    """Texts drawn at random end by themselves."""
    manager, form = managed(), fw.json_schema(PERSON)
    for seed in range(40):
        request = request_from_form("json", PERSON, most=12 + seed)
        ready(manager, request)
        write_longest(request, random.Random(seed))
        assert isinstance(request.finished_reason, FINISH_MATCHED_TOKEN), spelled(request)
        assert form.check(spelled(request)).is_complete, spelled(request)
        assert len(request.output_ids) <= 12 + seed


def check_thoughts() -> None:
    """A thought that would go on for ever ends when a text and an end of text just fit after it."""
    least = fw.compile(fw.regex("[0-9]{3}"), TINY.vocabulary).matcher().min_tokens_to_finish
    for ends in ((2,), (5, 6, 7)):
        manager = reasoning(ends)
        for most in range(1, 16):
            request = request_from_form("regex", "[0-9]{3}", thinks=True, most=most)
            ready(manager, request)
            while not request.finished():
                tokens = allowed(request)
                accept(request, 9 if 9 in tokens else tokens[-1])
            written = list(request.output_ids)
            if most < least + len(ends):  # no text is short enough: the thought is left alone
                assert written == [9] * most
                continue
            begun = most - least - 1 if most > least + len(ends) else most - least
            assert written[begun - len(ends) : begun] == list(ends), written
            text = b"".join(map(TINY.vocabulary.token, [token for token in written[begun:] if token != END]))
            assert fw.regex("[0-9]{3}").matches(text.decode()), written
            assert (written[-1] == END) == (most > least + len(ends))
    for thinks in (True, False):  # a short thought, and none: the rest is the text's
        request = request_from_form("regex", "[0-9]{1,40}", thinks=thinks, most=20)
        ready(reasoning(), request)
        for token in (9, 9, 2) if thinks else ():
            accept(request, token)
        write_longest(request)
        assert len(request.output_ids) == 20
        assert request.output_ids[-1] == END


def check_strict_thoughts() -> None:
    """The limit of thoughts that a request or SGLang gives stays, where it is the shorter one."""
    request = request_from_form("regex", "[0-9]{3}", thinks=True, most=30, custom_params={"thinking_budget": 4})
    manager = reasoning(enable_strict_thinking=True, excluded=["7"])
    ready(manager, request)
    assert len(allowed(request)) == SIZE - 1
    assert TINY.vocabulary.merges.encode("7")[0] not in allowed(request)
    while 2 not in request.output_ids:
        tokens = allowed(request)
        accept(request, 9 if 9 in tokens else tokens[-1])
    assert list(request.output_ids) == [9, 9, 9, 9, 2]
    free = request_from_form("regex", "[0-9]{3}", thinks=True, most=30, custom_params={"thinking_budget": 4})
    ready(reasoning(), free)  # not strict: SGLang does not keep to it, and the thought ends for the text only
    for _ in range(8):
        accept(free, 9)
    assert 9 in allowed(free)


def check_nobody() -> None:
    """A text that was told nothing raises as it is asked; so do copies, of texts and of texts after thoughts."""
    manager = managed()
    request = request_from_form("regex", PATTERN)
    grammar = ready(manager, request)
    mask = torch.full((1, SIZE // 32), -1, dtype=torch.int32)
    grammar.fill_vocab_mask(mask, 0)
    other = request_from_form("regex", PATTERN, thinks=True)
    after = ready(reasoning(), other).copy()
    after.maybe_init_reasoning(False)
    gone = ready(manager, request_from_form("regex", PATTERN))  # its request is dropped at once
    for text in (grammar.copy(), after, gone):
        before = mask.clone()
        try:
            text.fill_vocab_mask(mask, 0)
        except HostMismatch:
            assert (mask == before).all()
            continue
        raise AssertionError("a text of nobody was masked")


def check_mismatches() -> None:
    """A request that has other tokens than its text is ended, with the reason; a retracted one goes on."""
    for change in (lambda ids: ids.append(9), lambda ids: ids.pop()):
        request = request_from_form("regex", "[a-z]{4,9}")
        ready(managed(), request)
        accept(request, allowed(request)[0])
        change(request.output_ids)
        assert allowed(request) == [END]
        accept(request, END)
        assert "SGLang counts" in request.to_finish.message
        assert not request.grammar.is_terminated()
    request = request_from_form("regex", "[a-z]{4,9}")
    ready(managed(), request)
    accept(request, allowed(request)[0])
    before = allowed(request)
    request.reset_for_retract()
    assert allowed(request) == before


def check_rollback() -> None:
    """Drafts count while they are accepted, and no more when they are taken back, across the end of a thought, too."""
    manager = reasoning(algorithm="NGRAM")
    request = request_from_form("regex", "[0-9]{1,40}", thinks=True, most=14)
    grammar, (digit,) = ready(manager, request), TINY.vocabulary.merges.encode("7")
    for token in (9, 9):
        accept(request, token)
    before = allowed(request)
    drafts = [2, *[digit] * 10]  # the thought's end, and all that fits beside the end of text
    for token in drafts:
        assert token in allowed(request)
        grammar.accept_token(token)
    assert allowed(request) == [END]
    grammar.rollback(len(drafts))
    assert allowed(request) == before
    for token in drafts:
        accept(request, token)
    assert allowed(request) == [END]
