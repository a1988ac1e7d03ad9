"""SGLang's own manager of grammars, requests and batches, without a GPU: a driver does what its scheduler does."""

from __future__ import annotations

import itertools
import time
from types import SimpleNamespace
from typing import Any

import page
import torch
from battery import BUDGET, FORMS, PROMPTS, record
from sglang.srt.constrained.base_grammar_backend import InvalidGrammarObject
from sglang.srt.managers.schedule_batch import FINISH_MATCHED_TOKEN, Req
from sglang_budgets import check_budgets, reasoning
from sglang_conformance import check_conformance
from sglang_drafts import check_drafts
from sglang_driver import END, SIZE, TINY, accept, as_request, load_plugin, managed, masked, ready, request_from_form
from spoken import spoken

import formwright as fw


def main() -> None:
    load_plugin()
    manager = managed()
    counts = {"texts": 0, "invalid": 0, "cut": 0, "like_ours": 0}
    for form, prompt in itertools.product(FORMS.values(), PROMPTS):
        kind, text = as_request(*spoken(form))
        same = fw.json_schema(text) if kind == "json" else fw.regex(text)
        request = request_from_form(kind, text)
        given = written(manager, request, prompt)
        # A trace calls the model for each token, as the host does: tokens read together round otherwise. The host's end
        # of text takes one of its tokens.
        own = TINY.generate(TINY.encode(prompt), same, max_tokens=BUDGET - 1, trace=True)
        counts["texts"] += 1
        counts["cut"] += not isinstance(request.finished_reason, FINISH_MATCHED_TOKEN)
        counts["invalid"] += not same.check(given).is_complete
        counts["like_ours"] += given == own.text
    print(counts)
    assert counts["invalid"] == counts["cut"] == 0
    assert counts["like_ours"] == counts["texts"] == 400
    check_cache(manager)
    check_batch(manager)
    check_tree()
    check_refused(manager)
    check_abort(manager)
    check_reasoning()
    check_budgets()
    programs = check_conformance()
    drafts = check_drafts()
    features = {"batch": "yes", "beams": "no", "speculation": "yes", "reasoning": "SGLang's own parsers"}
    record(
        "sglang",
        "real classes",
        {**features, "tools": "structural tags", "forced tokens": "as drafts"},
        **counts,
        microseconds=step_microseconds(manager),
        drafts=drafts,
        programs=programs,
    )


def written(manager: Any, request: Req, prompt: str) -> str:
    grammar, runtime = ready(manager, request), TINY.runtime.fork()
    logits = runtime.prefill(TINY.encode(prompt))
    while True:
        scores = torch.from_numpy(logits.copy())[None]
        masked([grammar]).apply(scores)
        token = int(scores[0].argmax())
        accept(request, token)
        if request.finished():
            break
        logits = runtime.step(token)
    ids = [token for token in request.output_ids if token != END]
    return b"".join(map(TINY.vocabulary.token, ids)).decode(errors="replace")


def check_cache(manager: Any) -> None:
    """A cache hit is a text of its own."""
    requests = [request_from_form("regex", "[ab]{4}") for _ in range(2)]
    first, second = (ready(manager, request) for request in requests)
    assert first is not second
    first.accept_token(TINY.vocabulary.merges.encode("a")[0])
    mask = torch.full((1, SIZE // 32), -1, dtype=torch.int32)
    second.fill_vocab_mask(mask, 0)
    fresh = fw.compile(fw.regex("[ab]{4}"), TINY.vocabulary).matcher()
    assert fw.allowed_tokens(mask[0].numpy()).tolist() == fresh.allowed_token_ids()


def check_batch(manager: Any) -> None:
    """Rows with and without a grammar, and one that has ended: filled together, the others left alone."""
    forms = [as_request(*spoken(form)) for form in list(FORMS.values())[:12]]
    requests = [request_from_form(*form) for form in forms]
    grammars: list[Any] = [ready(manager, request) for request in requests]
    grammars[3] = None
    ending = request_from_form("regex", "a")
    ended = ready(manager, ending)
    for token in (*TINY.vocabulary.merges.encode("a"), END):
        accept(ending, token)
    grammars[5] = ended
    mask = masked(grammars).vocab_mask.numpy()
    for row, grammar in enumerate(grammars):
        if grammar is None or grammar is ended:
            assert (mask[row] == -1).all()
            continue
        alone = torch.full((1, SIZE // 32), -1, dtype=torch.int32)
        grammar.fill_vocab_mask(alone, 0)
        assert (alone.numpy()[0] == mask[row]).all()
    try:
        ended.accept_token(5)
    except ValueError:
        return
    raise AssertionError("a text went on after its end")


def check_tree() -> None:
    """A tree of drafts, as SGLang's speculation walks it: accept, fill, roll back."""
    from sglang.srt.speculative.spec_utils import traverse_tree

    request = request_from_form("regex", "[ab]{6}")
    grammar = ready(managed("NGRAM"), request)
    a, b, wrong = (TINY.vocabulary.merges.encode(text)[0] for text in ("a", "b", "z"))
    # 0 is the last token; 1 and 2 are its children, 3 is a child of 1, 4 (a forbidden one) of 2.
    drafts = torch.tensor([a, a, b, b, wrong])
    grammar.accept_token(a)
    following, siblings = torch.tensor([1, 3, 4, -1, -1]), torch.tensor([-1, 2, -1, -1, -1])
    mask = torch.full((5, SIZE // 32), -1, dtype=torch.int32)
    traverse_tree(following, siblings, drafts, grammar, mask)
    for node, path in enumerate(("a", "aa", "ab", "aab")):
        walked = fw.compile(fw.regex("[ab]{6}"), TINY.vocabulary).matcher()
        for character in path:
            walked.accept_token(TINY.vocabulary.merges.encode(character)[0])
        assert fw.allowed_tokens(mask[node].numpy()).tolist() == walked.allowed_token_ids()
    grammar.accept_token(b)


def check_refused(manager: Any) -> None:
    """What cannot be enforced fails its request, with the reason, also from the cache."""
    for kind, text in (("json", '{"type": "nonsense"}'), ("regex", "["), ("ebnf", "root ::= (")):
        for _ in range(2):
            request = request_from_form(kind, text)
            assert ready(manager, request) is None or isinstance(request.grammar, InvalidGrammarObject)
            assert request.to_finish.message, (kind, text)
    for name in ("constrained_json_whitespace_pattern", "constrained_json_max_whitespace_cnt"):
        try:
            managed(**{name: "x"})
        except fw.errors.ArgumentError:
            continue
        raise AssertionError(name)
    managed()


def check_abort(manager: Any) -> None:
    request = request_from_form("regex", "abort(ed)?")
    manager.process_req_with_grammar(request)
    manager.abort_requests(SimpleNamespace(abort_all=False, rid="0"))
    manager.get_ready_grammar_requests()
    assert request.to_finish.message


def check_reasoning() -> None:
    """With a parser of thoughts, the form begins after the thought."""
    manager = reasoning()
    for _ in range(2):  # compiled, then from the cache
        request = request_from_form("regex", "[ab]{3}", thinks=True)
        grammar = ready(manager, request)
        for token in (9, 12, 2):
            assert (masked([grammar]).vocab_mask.numpy() == -1).all()
            accept(request, token)
        expected = fw.compile(fw.regex("[ab]{3}"), TINY.vocabulary).matcher().allowed_token_ids()
        assert fw.allowed_tokens(masked([grammar]).vocab_mask.numpy()[0]).tolist() == expected


def step_microseconds(manager: Any) -> dict[str, float]:
    """What a step of 64 structured requests costs SGLang's sampling, for each."""
    requests = [request_from_form("json", '{"type": "array"}') for _ in range(64)]
    grammars = [ready(manager, request) for request in requests]
    times = []
    for _ in range(100):
        began = time.perf_counter()
        masked(grammars)
        times.append((time.perf_counter() - began) / 64 * 1e6)
    added = round(sorted(times)[50], 1)
    print(f"{added} us for a row of a batch")
    return {"added": added}


if __name__ == "__main__":
    main()
    page.imported("sglang")
