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
import vllm.v1.structured_output as manager_module
from battery import BUDGET, FORMS, PROMPTS, record
from spoken import spoken
from transformers import AutoTokenizer
from vllm.config import StructuredOutputsConfig
from vllm.exceptions import VLLMValidationError
from vllm.sampling_params import SamplingParams, StructuredOutputsParams
from vllm.v1.engine import core
from vllm.v1.request import Request
from vllm.v1.sample.logits_processor import BatchUpdate, MoveDirectionality

import formwright as fw
from formwright.engines.grammar_backend import form_from_request
from formwright.engines.vllm import plugin
from formwright.engines.vllm.backend import FormwrightBackend

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))
from conformance import ENDS, find_fault, vocabulary_with

FOLDER = Path(__file__).parents[2] / "python" / "formwright" / "models" / "formwright_tiny"
"""The model of the checkout: its float weights are not in the wheel."""
TOKENIZER = AutoTokenizer.from_pretrained(FOLDER)
TINY = fw.load("formwright-tiny")
END, SIZE = 1, TINY.vocabulary.logits_size


def configured(drafts: int = 0, rows: int = 256, **settings: Any) -> Any:
    """What the manager reads of a configuration."""
    outputs = {"disable_any_whitespace": False, "disable_additional_properties": False, "enable_in_reasoning": False}
    outputs |= {"reasoning_parser": "", "reasoning_parser_plugin": "", **settings}
    return SimpleNamespace(
        parallel_config=SimpleNamespace(distributed_executor_backend="mp"),
        scheduler_config=SimpleNamespace(max_num_seqs=rows),
        model_config=SimpleNamespace(
            skip_tokenizer_init=False,
            get_vocab_size=lambda: SIZE,
            tokenizer=str(FOLDER),
            is_diffusion=False,
            max_model_len=1024,
        ),
        structured_outputs_config=SimpleNamespace(**outputs),
        speculative_config=SimpleNamespace(num_speculative_tokens=drafts) if drafts else None,
        num_speculative_tokens=drafts,
    )


def managed(**options: Any) -> Any:
    manager_module.cached_tokenizer_from_config = lambda model_config: TOKENIZER
    return core.StructuredOutputManager(configured(**options))


def request_from_form(kind: str, text: str, number: str = "0", prompt: str = PROMPTS[0], **params: Any) -> Request:
    """A request as the front end makes it, checked as the front end checks it."""
    what = {"json": {"json": text}, "regex": {"regex": text}, "choice": {"choice": text}}.get(kind, {kind: text})
    if kind == "choice":
        what = {"choice": json.loads(text)}
    outputs = StructuredOutputsParams(**what)
    sampling = SamplingParams(max_tokens=BUDGET, temperature=0, structured_outputs=outputs, **params)
    sampling._eos_token_id = END
    sampling._all_stop_token_ids = {END, *sampling.stop_token_ids}
    from vllm.v1.structured_output import backend_xgrammar

    backend_xgrammar.validate_xgrammar_grammar(sampling)  # the first that "auto" asks
    outputs._backend = "xgrammar"
    return Request(number, TINY.encode(prompt), sampling, None)


def ready(manager: Any, request: Request) -> Any:
    manager.grammar_init(request)
    outputs = request.structured_output_request
    while not outputs.is_grammar_ready:
        time.sleep(0)
    if isinstance(outputs.grammar, Exception):
        raise outputs.grammar
    return outputs.grammar


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


def accepts(manager: Any, request: Request, tokens: list[int]) -> bool:
    """What the scheduler does with sampled tokens, in the spelling of either version."""
    if hasattr(manager, "accept_tokens"):
        return manager.accept_tokens(request, tokens)
    if not manager.should_advance(request):
        return True
    return request.structured_output_request.grammar.accept_tokens(request.request_id, tokens)


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


def check_wrong_arguments() -> None:
    """What a request says of its form for the processor is read as it is meant, or the request is refused."""
    from formwright.engines.vllm.processor import FormProcessor

    for said in (
        "[0-9]+",
        [],
        {},
        {"regex": 5},
        {"regex": "["},
        {"choice": "abc"},
        {"choice": 5},
        {"choice": []},
        {"json_object": False},
        {"json": {"type": "nonsense"}},
        {"grammar": "root ::= ("},
        {"structural_tag": {"format": {"type": "nonsense"}}},
        {"regex": "a", "json": {}},
    ):
        try:
            FormProcessor.validate_params(SamplingParams(extra_args={"formwright": json.dumps(said)}))
        except ValueError:
            continue
        raise AssertionError(said)
    try:
        FormProcessor.validate_params(SamplingParams(extra_args={"formwright": "[" * 100_000}))
    except ValueError:
        pass
    else:
        raise AssertionError("a text that is too deep was read")
    for said in (
        {"regex": "5"},
        {"choice": ["a"]},
        {"json_object": True},
        {"json": True},
        {"json": '{"type": "null"}'},
    ):
        FormProcessor.validate_params(SamplingParams(extra_args={"formwright": said}))


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
        ready(manager, request)
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
    assert (fault := find_fault(ManagedTexts, 40)) is None, fault


def params_of(kind: str, what: Any, **more: Any) -> SamplingParams:
    params = SamplingParams(max_tokens=BUDGET, extra_args={"formwright": json.dumps({kind: what})}, **more)
    params._all_stop_token_ids = {END}
    return params


def processor_of(*of_runner: Any) -> Any:
    import vllm.tokenizers

    vllm.tokenizers.cached_tokenizer_from_config = lambda model_config: TOKENIZER
    from formwright.engines.vllm.processor import FormProcessor

    return FormProcessor(configured(), *of_runner)


def check_rows_processor() -> None:
    """The first runner's interface: rows are added, moved, swapped and removed while their lists grow."""
    processor = processor_of(torch.device("cpu"), False)
    asked = [("regex", "[a-z]{3}[0-9]{3}"), ("json", {"type": "integer"}), ("choice", ["yes", "no"])]
    outputs: list[list[int]] = [[], [], [], []]
    added = [(row, params_of(*what), [3], outputs[row]) for row, what in enumerate(asked)]
    added.append((3, SamplingParams(max_tokens=5), [3], outputs[3]))
    processor.update_state(BatchUpdate(4, [], added, []))
    rows = {0: 0, 1: 1, 2: 2, 3: 3}
    random = torch.Generator().manual_seed(3)
    over: set[int] = set()
    for step in range(BUDGET + 1):
        logits = torch.randn((len(rows), SIZE), generator=random)
        before = logits.clone()
        after = processor.apply(logits)
        for row, text in rows.items():
            if text == 3:
                assert torch.equal(after[row], before[row])
                continue
            token = int(after[row].argmax())
            if text not in over:
                outputs[text].append(token)
            if token == END:
                over.add(text)
        if step == 1:
            processor.update_state(BatchUpdate(4, [], [], [(0, 2, MoveDirectionality.SWAP)]))
            rows[0], rows[2] = rows[2], rows[0]
        if step == 2:
            processor.update_state(BatchUpdate(3, [3], [], []))
            del rows[3]
        if over == {0, 1, 2}:
            break
        processor.update_state(None)
    for (kind, what), ids in zip(asked, outputs, strict=False):
        text = b"".join(map(TINY.vocabulary.token, ids)).decode()
        form = {"regex": fw.regex, "json": fw.json_schema, "choice": lambda options: fw.choice(*options)}[kind](what)
        assert form.check(text).is_complete, text
    processor.update_state(BatchUpdate(0, [0, 1, 2], [], []))
    for ids in ([-1], [TINY.vocabulary.merges.encode("z")[0]]):
        processor.update_state(BatchUpdate(1, [], [(0, params_of("regex", "ab"), [3], ids)], []))
        try:
            processor.apply(torch.zeros((1, SIZE)))
        except fw.errors.HostMismatch:
            continue
        raise AssertionError(ids)


def check_slots_processor() -> None:
    """The second runner's interface: slots, committed ids in a buffer, drafts in the fed ids."""
    state = SimpleNamespace(
        prompt_len=SimpleNamespace(np=np.zeros(4, np.int32)),
        all_token_ids=SimpleNamespace(gpu=torch.zeros((4, 256), dtype=torch.int32)),
    )
    processor, slot, prompt = processor_of(state), 2, [3, 5, 4]
    assert processor.add_request(slot, params_of("regex", "[a-z]{4}[0-9]{4}"))
    assert not processor.add_request(1, SamplingParams(max_tokens=3))
    state.prompt_len.np[slot] = len(prompt)
    state.all_token_ids.gpu[slot, : len(prompt)] = torch.tensor(prompt)
    ids, random = list[int](), torch.Generator().manual_seed(5)
    while True:
        total = len(prompt) + len(ids)
        last = ids[-1] if ids else prompt[-1]
        allowed = fw.compile(fw.regex("[a-z]{4}[0-9]{4}"), TINY.vocabulary).matcher()
        allowed.accept_tokens(ids)
        draft = allowed.allowed_token_ids()[0]
        context = SimpleNamespace(
            expanded_idx_mapping=torch.tensor([1, slot, slot, slot]),
            input_ids=torch.tensor([9, last, draft, 7]),
            pos=torch.tensor([8, total - 1, total, total + 1]),
        )
        logits = torch.randn((4, SIZE), generator=random)
        before = logits.clone()
        after = processor.apply(logits, context)
        assert torch.equal(after[0], before[0])
        assert torch.isfinite(after[1]).nonzero().flatten().tolist() == allowed.allowed_token_ids()
        if draft != END:
            allowed.accept_token(draft)
            assert torch.isfinite(after[2]).nonzero().flatten().tolist() == allowed.allowed_token_ids()
        token = int(after[1].argmax())
        state.all_token_ids.gpu[slot, total] = token
        if token == END:
            break
        ids.append(token)
    assert fw.regex("[a-z]{4}[0-9]{4}").check(b"".join(map(TINY.vocabulary.token, ids)).decode()).is_complete


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
