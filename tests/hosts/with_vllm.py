"""vLLM's own manager of structured outputs and its interfaces: a driver does what its scheduler does.

What the scheduler asks of a manager is replayed: compile in the pool, fill, accept, with drafts fill and roll back,
abort. The engine itself is run on a CPU by ``vllm_engine.py``.
"""

from __future__ import annotations

import itertools
import json
import os
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from types import SimpleNamespace
from typing import Any

import numpy as np
import page
import torch
from battery import BUDGET, FORMS, PROMPTS, record
from spoken import spoken
from vllm.config import StructuredOutputsConfig
from vllm.exceptions import VLLMValidationError
from vllm.sampling_params import SamplingParams, StructuredOutputsParams
from vllm.v1.request import Request

import formwright as fw
from formwright.engines.grammar_backend import form_from_request
from formwright.engines.vllm import plugin
from formwright.engines.vllm.backend import FormwrightBackend

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))
from conformance import ENDS, PROGRAMS, find_fault, vocabulary_with
from vllm_driver import END, SIZE, TINY, TOKENIZER, accepts, managed, ready, request_from_form
from vllm_processor import check_rows_processor, check_slots_processor, check_wrong_arguments


def masked_best(logits: Any, mask: Any) -> int:
    logits = logits.copy()
    fw.apply_bitmask(logits, mask)
    return int(logits.argmax())


def written(manager: Any, request: Request) -> str:
    """One request alone, step by step."""
    ready(manager, request)
    runtime, ids = TINY.runtime.fork(), list[int]()
    logits = runtime.prefill(request.prompt_token_ids)
    while len(ids) < BUDGET:
        mask = manager.grammar_bitmask({"0": request}, ["0"], {})
        token = masked_best(logits, mask[0])
        assert accepts(manager, request, [token])
        if token in request.sampling_params._all_stop_token_ids:
            break
        ids.append(token)
        request.append_output_token_ids(token)
        logits = runtime.step(token)
    return b"".join(map(TINY.vocabulary.token, ids)).decode(errors="replace")


def main() -> None:
    os.environ[plugin.VARIABLE] = "1"
    plugin.install()
    plugin.install()
    manager = managed()

    def host(prompt: str, form: Any) -> str:
        return written(manager, request_from_form(*spoken(form), prompt=prompt))

    counts = texts_within(host)
    check_threads(manager)
    check_speculation()
    check_routes()
    check_refused(manager)
    check_wrong_arguments()
    check_ends(manager)
    check_reasoning()
    check_thoughts_end()
    check_limits()
    check_conformance()
    check_rows_processor()
    check_slots_processor()
    features = {"batch": "yes", "beams": "vLLM's own", "speculation": "yes", "reasoning": "vLLM's own parsers"}
    record(
        "vllm",
        "real classes",
        {**features, "tools": "strict tools, as schemas", "forced tokens": "as drafts"},
        **counts,
        microseconds=step_microseconds(manager),
        programs=PROGRAMS,
    )


def texts_within(host: Any) -> dict[str, int]:
    """The battery. One token of the limit is kept for the end of text."""
    counts = {"texts": 0, "invalid": 0, "like_ours": 0}
    for form in FORMS.values():
        kind, text = spoken(form)
        same = form_from_request(kind, text)
        for prompt in PROMPTS:
            given = host(prompt, form)
            # A trace calls the model for each token, as the host does: tokens read together round otherwise.
            own = TINY.generate(TINY.encode(prompt), same, max_tokens=BUDGET - 1, trace=True)
            counts["texts"] += 1
            counts["invalid"] += not same.check(given).is_complete
            counts["like_ours"] += given == own.text
    print(counts)
    assert counts["invalid"] == 0
    assert counts["like_ours"] == counts["texts"] == 400
    return counts


def check_threads(manager: Any) -> None:
    """Two hundred requests in one batch: compiled in the pool, filled by several threads."""
    requests = {}
    for number in range(200):
        form = list(FORMS.values())[number % len(FORMS)]
        request = request_from_form(*spoken(form), number=str(number))
        manager.grammar_init(request)
        requests[str(number)] = request
    grammars = {number: ready_one(request) for number, request in requests.items()}
    for _ in range(12):
        mask = manager.grammar_bitmask(requests, list(requests), {})
        for row, (number, request) in enumerate(requests.items()):
            grammar = grammars[number]
            if grammar.is_terminated():
                assert (mask[row] == -1).all()
                continue
            alone = torch.full((1, SIZE // 32), -1, dtype=torch.int32)
            grammar.fill_bitmask(alone, 0)
            assert (alone.numpy()[0] == mask[row]).all()
            token = int(fw.allowed_tokens(mask[row])[0])
            request.append_output_token_ids(token)
            assert accepts(manager, request, [token])


def ready_one(request: Request) -> Any:
    outputs = request.structured_output_request
    while not outputs.is_grammar_ready:
        time.sleep(0)
    return outputs.grammar


def check_speculation() -> None:
    """Drafts right and wrong: rows for each, states rolled back, texts as without."""
    manager, random = managed(drafts=3, rows=8), np.random.default_rng(1)
    for form in FORMS.values():
        request = request_from_form(*spoken(form))
        grammar = ready(manager, request)
        plain = grammar._running.constraint.form.example()
        target = [*TINY.vocabulary.merges.encode(plain), END]
        done = 0
        while done < len(target):
            drafts = list(target[done : done + 3])
            if drafts and random.random() < 0.5:
                drafts[int(random.integers(len(drafts)))] = int(random.integers(SIZE))
            valid = (
                manager.validate_tokens(request, drafts)
                if hasattr(manager, "validate_tokens")
                else (grammar.validate_tokens(drafts))
            )
            assert grammar.validate_tokens(drafts) == valid
            mask = manager.grammar_bitmask({"0": request}, ["0"], {"0": list(valid)})
            walked = fw.compile(grammar._running.constraint.form, grammar._running.constraint.vocabulary).matcher()
            walked.accept_tokens(target[:done])
            for row in range(len(valid) + 1):
                if walked.is_finished:
                    break
                assert fw.allowed_tokens(mask[row]).tolist() == walked.allowed_token_ids()
                if row < len(valid):
                    walked.accept_token(valid[row])
            kept = 0
            while kept < len(valid) and done + kept < len(target) and valid[kept] == target[done + kept]:
                kept += 1
            sampled = target[done : done + kept + 1]
            assert accepts(manager, request, sampled)
            request.append_output_token_ids(sampled)
            done += len(sampled)
        assert grammar.is_terminated()


def check_routes() -> None:
    """By whatever name the back end is configured, vLLM's own check asks ours, and its own choice leads to ours."""
    tag = {"structures": [{"begin": "<f>", "schema": {"type": "integer"}, "end": "</f>"}], "triggers": ["<f>"]}
    good = ({"json": {"type": "integer"}}, {"regex": "[0-9]+"}, {"choice": ["a", "b"]}, {"json_object": True})
    grammars = ({"grammar": 'root ::= "a" root | "b"'}, {"grammar": 'start: "a" start | "b"'})
    bad = ({"json": {"type": "nonsense"}}, {"regex": "["}, {"grammar": "root ::= ("})
    for name in ("auto", "xgrammar", "guidance", "outlines", "lm-format-enforcer"):
        settings = StructuredOutputsConfig(backend=name)
        for what in (*good, *grammars, {"structural_tag": json.dumps(tag)}, *bad):
            params = SamplingParams(structured_outputs=StructuredOutputsParams(**what))
            try:
                params._validate_structured_outputs(SimpleNamespace(is_diffusion=False), settings, TOKENIZER)
            except VLLMValidationError:
                assert what in bad
                continue
            assert what not in bad
            params._all_stop_token_ids = {END}
            grammar = ready(managed(), Request("0", [3], params, None))
            assert type(grammar).__module__.startswith("formwright.")


def check_refused(manager: Any) -> None:
    """Requests that cannot be served fail before the engine, each by its reason; one that slips by fails alone."""
    for kind, text, params in (
        ("json", '{"$ref": "https://example.com/elsewhere"}', {}),
        ("json", '{"type": "nonsense"}', {}),
        ("regex", "[", {}),
        ("grammar", "root ::= (", {}),
        ("regex", "a", {"ignore_eos": True}),
        ("regex", "a", {"min_tokens": 3}),
    ):
        try:
            request_from_form(kind, text, **params)
        except (VLLMValidationError, ValueError):
            continue
        raise AssertionError((kind, text, params))
    request = request_from_form("regex", "a")
    request.sampling_params.structured_outputs.regex = "["
    request.structured_output_request.params.regex = "["
    try:
        ready(manager, request)
    except fw.errors.RegexError:
        pass
    else:
        raise AssertionError("compiled")
    grammar = ready(manager, request_from_form("regex", "ab"))
    assert not grammar.accept_tokens("0", [TINY.vocabulary.merges.encode("zz")[0]])
    assert not grammar.accept_tokens("0", [10**9])
    assert grammar.accept_tokens("0", TINY.vocabulary.merges.encode("ab"))
    grammar.rollback(len(TINY.vocabulary.merges.encode("ab")))
    grammar.reset()


def check_ends(manager: Any) -> None:
    """A stop id of the user ends a text where it may end, and stands nowhere else."""
    stop = TINY.vocabulary.merges.encode("7")[0]
    grammar = ready(manager, request_from_form("regex", "[0-9]{2}", stop_token_ids=[stop]))
    mask = torch.full((1, SIZE // 32), -1, dtype=torch.int32)
    grammar.fill_bitmask(mask, 0)
    assert stop not in fw.allowed_tokens(mask[0].numpy())
    assert grammar.accept_tokens("0", TINY.vocabulary.merges.encode("4") + TINY.vocabulary.merges.encode("2"))
    grammar.fill_bitmask(mask, 0)
    assert set(fw.allowed_tokens(mask[0].numpy()).tolist()) == {stop, END}
    assert grammar.accept_tokens("0", [stop])
    assert grammar.is_terminated()


class Thinks:
    """A parser of thoughts that end with token 7."""

    def __init__(self, tokenizer: Any, **options: Any) -> None:
        pass

    def is_reasoning_end(self, ids: Any) -> bool:
        return 7 in ids

    def is_reasoning_end_streaming(self, ids: Any, delta: Any) -> bool:
        return 7 in delta

    reasoning_end_token_ids = (7,)


def check_reasoning() -> None:
    """Nothing is masked while the model thinks; the form begins behind the end of the thought."""
    manager = managed()
    manager.reasoner_cls = Thinks
    request = request_from_form("choice", '["yes", "no"]')
    grammar = ready(manager, request)
    for token in (9, 12, 7):
        mask = manager.grammar_bitmask({"0": request}, ["0"], {})
        assert token in fw.allowed_tokens(mask[0])
        assert 9 in fw.allowed_tokens(mask[0])
        request.append_output_token_ids(token)
        assert accepts(manager, request, [token])
    mask = manager.grammar_bitmask({"0": request}, ["0"], {})
    expected = fw.compile(fw.choice("yes", "no"), TINY.vocabulary).matcher().allowed_token_ids()
    assert fw.allowed_tokens(mask[0]).tolist() == expected
    assert not grammar.is_terminated()


def check_thoughts_end() -> None:
    """A thought that would go on for ever ends when a text and an end of text just fit after it, with drafts, too."""
    for limit, drafts in ((9, 0), (12, 3), (40, 2)):
        manager = managed(drafts=drafts, rows=8)
        manager.reasoner_cls = Thinks
        request = request_from_form("regex", "[0-9]{3}")
        request.max_tokens = limit
        least = ready(manager, request)._running.matcher.min_tokens_to_finish
        while request.num_output_tokens < limit and END not in request.output_token_ids:
            guesses = [9] * drafts if 7 not in request.output_token_ids else []
            masks = manager.grammar_bitmask({"0": request}, ["0"], {"0": guesses} if guesses else {})
            for row in range(len(guesses) + 1):
                allowed = fw.allowed_tokens(masks[row]).tolist()
                token = 9 if 9 in allowed and 7 not in request.output_token_ids else allowed[-1]
                request.append_output_token_ids(token)
                assert accepts(manager, request, [token])
                if token != 9:
                    break
        written = list(request.output_token_ids)
        text = b"".join(map(TINY.vocabulary.token, written[written.index(7) + 1 : -1]))
        assert written[-1] == END, written
        assert written.index(7) == limit - least - 2, "the thought ended too early"
        assert fw.regex("[0-9]{3}").matches(text), text
        assert len(written) <= limit


def check_limits() -> None:
    """What no text fits in is refused alone, before its first token; with one token more, a text is written."""
    manager = managed()
    for limit in range(1, 12):
        request = request_from_form("regex", "[a-z]{4}-[0-9]{4}")
        request.max_tokens = limit
        try:
            grammar = ready(manager, request)
        except fw.errors.LimitExceeded:
            assert limit < 9
            continue
        least = grammar._running.matcher.min_tokens_to_finish
        assert least <= limit
        while request.num_output_tokens < limit and END not in request.output_token_ids:
            (token, *_) = fw.allowed_tokens(manager.grammar_bitmask({"0": request}, ["0"], {})[0]).tolist()
            request.append_output_token_ids(token)
            assert accepts(manager, request, [token])
        text = b"".join(TINY.vocabulary.token(token) for token in request.output_token_ids if token != END)
        assert fw.regex("[a-z]{4}-[0-9]{4}").matches(text), (limit, text)


class ManagedTexts:
    """Texts of requests under the manager, for the kit of `conformance`. An engine keeps what it has accepted."""

    lacks = frozenset({"take back", "copy"})

    def __init__(self) -> None:
        self.manager, self.requests, self.numbers = managed(drafts=4, rows=8), {}, itertools.count()
        size = vocabulary_with((ENDS[0],)).logits_size
        self.manager.backend = FormwrightBackend(self.manager.vllm_config, tokenizer=TOKENIZER, vocab_size=size)

    def begin(self, form: fw.Form[Any], *, ends: Sequence[int], limit: int | None) -> str:
        key = str(next(self.numbers))
        request = request_from_form("regex", "kit", number=key)
        request.max_tokens = 1_000 if limit is None else limit + 1
        request.sampling_params._all_stop_token_ids = set(ends)
        compiled = SimpleNamespace(compile=lambda *_, **__: fw.compile(form, vocabulary_with(tuple(ends))))
        self.manager.backend._vocabularies = compiled
        ready(self.manager, request)
        self.requests[key] = request
        return key

    def accept(self, key: str, token_ids: Sequence[int]) -> bool:
        accepted = accepts(self.manager, self.requests[key], list(token_ids))
        if accepted:
            self.requests[key].append_output_token_ids(list(token_ids))
        return bool(accepted)

    def validate(self, key: str, token_ids: Sequence[int]) -> int:
        return len(self.manager.validate_tokens(self.requests[key], list(token_ids)))

    def masks(self, keys: Sequence[str], drafts: Mapping[str, Sequence[int]]) -> dict[str, list[Any]]:
        given = {key: list(ids) for key, ids in drafts.items()}
        with self.lock:
            rows = self.manager.grammar_bitmask(self.requests, list(keys), given).copy()
        sizes = [len(given.get(key, ())) + 1 for key in keys]
        ends = list(itertools.accumulate(sizes))
        return {key: list(rows[end - size : end]) for key, size, end in zip(keys, sizes, ends, strict=True)}

    lock = Lock()  # the scheduler is one thread

    def is_over(self, key: str) -> bool:
        return bool(self.requests[key].structured_output_request.grammar.is_terminated())

    def end(self, key: str) -> None:
        del self.requests[key]


def check_conformance() -> None:
    """Programs of what an engine may ask, each answer compared with a new matcher's."""
    assert (fault := find_fault(ManagedTexts, PROGRAMS)) is None, fault


def step_microseconds(manager: Any) -> dict[str, float]:
    """What a step of 64 structured requests costs the manager, for each: fill and accept."""
    requests = {str(number): request_from_form("json", '{"type": "array"}', number=str(number)) for number in range(64)}
    for request in requests.values():
        ready(manager, request)
    times = []
    for _ in range(100):
        began = time.perf_counter()
        manager.grammar_bitmask(requests, list(requests), {})
        times.append((time.perf_counter() - began) / 64 * 1e6)
    added = round(statistics.median(times), 1)
    print(f"{added} us for a row of the manager's mask")
    return {"added": added}


if __name__ == "__main__":
    main()
    page.imported("vllm")
