"""SGLang's own manager of grammars and batches, without a GPU: a driver does what its scheduler does."""

from __future__ import annotations

import itertools
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import page
import sglang.srt.constrained.base_grammar_backend as backends
import torch
from battery import BUDGET, FORMS, PROMPTS, record
from sglang.srt.constrained import grammar_manager
from sglang.srt.constrained.base_grammar_backend import InvalidGrammarObject
from sglang.srt.sampling.sampling_batch_info import SamplingBatchInfo
from spoken import spoken
from transformers import AutoTokenizer

import formwright as fw
from formwright.engines import sglang as ours

FOLDER = Path(__file__).parents[2] / "python" / "formwright" / "models" / "formwright_tiny"
"""The model of the checkout: its float weights are not in the wheel."""
TOKENIZER = AutoTokenizer.from_pretrained(FOLDER)
TINY = fw.load("formwright-tiny")
END, SIZE = 1, TINY.vocabulary.logits_size


def serving(**changed: Any) -> Any:
    """What SGLang reads of its configuration."""
    plain = {"constrained_json_whitespace_pattern": None, "constrained_json_max_whitespace_cnt": None}
    plain |= {"constrained_json_disable_any_whitespace": False, "reasoning_parser": None}
    return SimpleNamespace(**plain | {"enable_strict_thinking": False, "skip_tokenizer_init": False} | changed)


def managed(**changed: Any) -> Any:
    """SGLang's manager, which makes the back end by its name."""
    told = serving(**changed)
    for module in (backends, grammar_manager, ours):
        module.get_serving = lambda: told
    backends.get_exec = lambda: SimpleNamespace(kernel=SimpleNamespace(grammar_backend="formwright"))
    grammar_manager.get_parallel = lambda: SimpleNamespace(pp_rank=0, pp_size=1)
    group = SimpleNamespace(world_size=1, first_rank=0, is_first_rank=True)
    scheduler = SimpleNamespace(
        server_args=None,
        tokenizer=TOKENIZER,
        model_config=SimpleNamespace(vocab_size=SIZE, hf_eos_token_id={END}, think_end_ids=None),
        dp_tp_cpu_group=None,
        dp_tp_group=group,
        pp_group=None,
    )
    return grammar_manager.GrammarManager(scheduler)


class Req:
    """A request, as far as the manager knows it."""

    def __init__(self, kind: str, text: str, *, thinks: bool = False, number: str = "0") -> None:
        self.rid, self.require_reasoning, self.origin_input_ids = number, thinks, TINY.encode(PROMPTS[0])
        key = {"json": "json_schema"}.get(kind, kind)
        plain = dict.fromkeys(("json_schema", "regex", "ebnf", "structural_tag", "custom_params"))
        self.sampling_params = SimpleNamespace(**plain | {key: text}, ebnf_full_assistant=False)
        self.grammar: Any = None
        self.grammar_key: Any = None
        self.grammar_wait_ct, self.aborted = 0, ""

    def set_finish_with_abort(self, message: str) -> None:
        self.aborted = message

    def finished(self) -> bool:
        return bool(self.aborted)


def asked(kind: str, text: str) -> tuple[str, str]:
    """SGLang has no choices: clients write them as a pattern."""
    if kind != "choice":
        return kind, text
    import json
    import re

    return "regex", "|".join(re.sub(r"([\\^$.|?*+()\[\]{}])", r"\\\1", option) for option in json.loads(text))


def ready(manager: Any, request: Req) -> Any:
    """The grammar of a request, when the queue of the manager gives it back."""
    manager.process_req_with_grammar(request)
    while manager.has_waiting_grammars():
        manager.get_ready_grammar_requests()
        time.sleep(0)
    return request.grammar


def masked(grammars: list[Any]) -> torch.Tensor:
    """The mask of a batch, as SGLang's sampling fills it."""
    batch = SimpleNamespace(grammars=grammars, vocab_size=SIZE, temperatures=grammars, device="cpu")
    SamplingBatchInfo.update_regex_vocab_mask(batch)
    return batch.grammar_mask


def main() -> None:
    ours.install()
    manager = managed()
    counts = {"texts": 0, "invalid": 0, "cut": 0, "like_ours": 0}
    for form, prompt in itertools.product(FORMS.values(), PROMPTS):
        kind, text = asked(*spoken(form))
        same = fw.json_schema(text) if kind == "json" else fw.regex(text)
        given = written(manager, Req(kind, text), prompt)
        # A trace calls the model for each token, as the host does: tokens read together round otherwise.
        own = TINY.generate(TINY.encode(prompt), same, max_tokens=BUDGET, finish=False, trace=True)
        counts["texts"] += 1
        counts["cut"] += isinstance(own, fw.Truncated)
        counts["invalid"] += not isinstance(own, fw.Truncated) and not same.check(given).is_complete
        counts["like_ours"] += given == own.text
    print(counts)
    assert counts["invalid"] == 0
    assert counts["like_ours"] == counts["texts"] == 400
    check_cache(manager)
    check_batch(manager)
    check_tree(manager)
    check_refused(manager)
    check_abort(manager)
    check_reasoning()
    features = {"batch": "yes", "beams": "no", "speculation": "yes", "reasoning": "SGLang's own parsers"}
    record(
        "sglang",
        "real classes",
        {**features, "tools": "structural tags", "forced tokens": "no"},
        **counts,
        microseconds=step_microseconds(manager),
    )


def written(manager: Any, request: Req, prompt: str) -> str:
    grammar, runtime, ids = ready(manager, request), TINY.runtime.fork(), list[int]()
    logits = runtime.prefill(TINY.encode(prompt))
    while len(ids) < BUDGET:
        scores = torch.from_numpy(logits.copy())[None]
        masked([grammar]).apply(scores)
        token = int(scores[0].argmax())
        grammar.accept_token(token)
        if token == END:
            break
        ids.append(token)
        logits = runtime.step(token)
    return b"".join(map(TINY.vocabulary.token, ids)).decode(errors="replace")


def check_cache(manager: Any) -> None:
    """A cache hit is a text of its own."""
    first, second = (ready(manager, Req("regex", "[ab]{4}")) for _ in range(2))
    assert first is not second
    first.accept_token(TINY.vocabulary.merges.encode("a")[0])
    mask = torch.full((1, SIZE // 32), -1, dtype=torch.int32)
    second.fill_vocab_mask(mask, 0)
    fresh = fw.compile(fw.regex("[ab]{4}"), TINY.vocabulary).matcher()
    assert fw.allowed_tokens(mask[0].numpy()).tolist() == fresh.allowed_token_ids()


def check_batch(manager: Any) -> None:
    """Rows with and without a grammar, and one that has ended: filled together, the others left alone."""
    forms = [asked(*spoken(form)) for form in list(FORMS.values())[:12]]
    grammars: list[Any] = [ready(manager, Req(*form)) for form in forms]
    grammars[3] = None
    ended = ready(manager, Req("regex", "a"))
    for token in (*TINY.vocabulary.merges.encode("a"), END):
        ended.accept_token(token)
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
    raise AssertionError("a text went on behind its end")


def check_tree(manager: Any) -> None:
    """A tree of drafts, as SGLang's speculation walks it: accept, fill, roll back."""
    from sglang.srt.speculative.spec_utils import traverse_tree

    grammar = ready(manager, Req("regex", "[ab]{6}"))
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
            request = Req(kind, text)
            assert ready(manager, request) is None or isinstance(request.grammar, InvalidGrammarObject)
            assert request.aborted, (kind, text)
    for name in ("constrained_json_whitespace_pattern", "constrained_json_max_whitespace_cnt"):
        try:
            managed(**{name: "x"})
        except fw.errors.ArgumentError:
            continue
        raise AssertionError(name)
    managed()


def check_abort(manager: Any) -> None:
    request = Req("regex", "abort(ed)?")
    manager.process_req_with_grammar(request)
    manager.abort_requests(SimpleNamespace(abort_all=False, rid="0"))
    manager.get_ready_grammar_requests()
    assert request.aborted


def check_reasoning() -> None:
    """With a parser of thoughts, the form begins behind the thought."""

    class Detector:
        think_end_token, think_excluded_tokens, think_start_token = "<|pad|>", None, "<|user|>"

        def get_think_end_token_ids(self, tokenizer: Any) -> list[int]:
            return [2]

        def get_answer_frame(self) -> None:
            return None

    import sglang.srt.parser.reasoning_parser as parsers

    class Parser:
        def __init__(self, **options: Any) -> None:
            self.detector = Detector()

    before, parsers.ReasoningParser = parsers.ReasoningParser, Parser  # type: ignore[misc]
    try:
        manager = managed(reasoning_parser="some")
    finally:
        parsers.ReasoningParser = before  # type: ignore[misc]
    for _ in range(2):  # compiled, then from the cache
        grammar = ready(manager, Req("regex", "[ab]{3}", thinks=True))
        grammar.maybe_init_reasoning(True)
        for token in (9, 12, 2):
            assert (masked([grammar]).vocab_mask.numpy() == -1).all()
            grammar.accept_token(token)
        expected = fw.compile(fw.regex("[ab]{3}"), TINY.vocabulary).matcher().allowed_token_ids()
        assert fw.allowed_tokens(masked([grammar]).vocab_mask.numpy()[0]).tolist() == expected


def step_microseconds(manager: Any) -> dict[str, float]:
    """What a step of 64 structured requests costs SGLang's sampling, for each."""
    grammars = [ready(manager, Req("json", '{"type": "array"}')) for _ in range(64)]
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
