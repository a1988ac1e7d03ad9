"""Forced tokens as drafts of SGLang: its n-gram worker with a corpus, and masks of trees, without its verify step.

The corpus, the preparation of drafts, the links of trees and their masks are SGLang's; what its verify step does on a
device, a walk along the trees does here: the model is asked for each node, and the best allowed token is taken.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import torch
from battery import BUDGET, FORMS, PROMPTS
from sglang.srt.arg_groups.overrides import resolved_view
from sglang.srt.arg_groups.speculative_hook import handle_speculative_decoding
from sglang.srt.managers.schedule_batch import Req
from sglang.srt.server_args import prepare_server_args
from sglang.srt.speculative.spec_info import SpeculativeAlgorithm
from sglang.srt.speculative.spec_utils import GrammarTree, build_grammar_vocab_mask
from sglang_budgets import reasoning
from sglang_driver import (
    END,
    FOLDER,
    SIZE,
    TINY,
    accept,
    as_request,
    managed,
    masked,
    ready,
    request_from_form,
    spelled,
)
from spoken import spoken

import formwright as fw
from formwright.errors import ArgumentError

TRANSLATION = "reconstruct_indices_from_tree_mask"
"""The one function of SGLang's compiled kernels that the module of its worker imports; it is for a device."""


def worker(name: str = "FORMWRIGHT", *, drafts: int = 8, depth: int = 18) -> Any:
    """The worker of an algorithm as SGLang makes it, with a corpus, and without a model."""
    os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # of ninja, which builds the corpus
    if "sgl_kernel" not in sys.modules:
        sys.modules["sgl_kernel"] = ModuleType("sgl_kernel")
        sys.modules["sgl_kernel.speculative"] = ModuleType("sgl_kernel.speculative")
        setattr(sys.modules["sgl_kernel.speculative"], TRANSLATION, None)
    algorithm = SpeculativeAlgorithm.from_string(name)
    assert algorithm.is_ngram()
    assert not algorithm.has_draft_kv()
    args = SimpleNamespace(disable_overlap_schedule=True)
    made = object.__new__(algorithm.create_worker(args))
    from sglang.srt.speculative.cpp_ngram.ngram_corpus import NgramCorpus

    made.draft_token_num, made.max_trie_depth, made.enable_overlap = drafts, depth, True
    made.ngram_corpus = NgramCorpus(draft_token_num=drafts, max_trie_depth=depth)
    return made


def batch_of(requests: list[Req]) -> Any:
    """What the worker reads of a batch: one with forms is synchronous."""
    return SimpleNamespace(reqs=requests, grammar_needs_sync=lambda: True, spec_info=None)


def masks_of(requests: list[Req], drafts: np.ndarray, ways: np.ndarray) -> tuple[Any, torch.Tensor]:
    """The links of the trees, and the masks of their nodes, as SGLang makes them."""
    from sglang.srt.speculative.ngram_worker import _derive_tree_links

    rows, size = len(requests), len(drafts) // len(requests)
    links = _derive_tree_links(ways, rows, size)
    tree = GrammarTree.from_host(*links, torch.from_numpy(drafts).view(rows, -1))
    sampling = SimpleNamespace(vocab_size=SIZE, grammar_mask=None)
    mask = build_grammar_vocab_mask(reqs=requests, tree=tree, sampling_info=sampling, device="cpu", barrier=None)
    return links, mask.vocab_mask


class Writer:
    """A text that is written with drafts: a call of the model for each step."""

    def __init__(self, made: Any, request: Req, prompt: str) -> None:
        self.worker, self.request, self.calls = made, request, 0
        self.logits = TINY.runtime.fork()
        self.last = self.logits.prefill(TINY.encode(prompt))

    def write(self) -> str:
        scores = torch.from_numpy(self.last.copy())[None]
        masked([self.request.grammar]).apply(scores)
        accept(self.request, int(scores[0].argmax()))  # of the prompt: no drafts yet
        while not self.request.finished():
            self.step()
            self.calls += 1
        return spelled(self.request)

    def step(self) -> None:
        """Draft, mask, and follow the best allowed tokens along the tree."""
        drafts, ways = self.worker._prepare_draft_tokens(batch_of([self.request]))
        assert drafts[0] == self.request.output_ids[-1]
        (following, siblings), rows = masks_of([self.request], drafts, ways)
        node = 0
        while node >= 0 and not self.request.finished():
            scores = torch.from_numpy(self.logits.step(int(drafts[node])).copy())[None]
            self.request.grammar.apply_vocab_mask(scores, rows[node : node + 1])
            token = int(scores[0].argmax())
            accept(self.request, token)
            node = int(following[0, node])
            while node >= 0 and drafts[node] != token:
                node = int(siblings[0, node])
        self.worker.ngram_corpus.batch_put([list(self.request.output_ids)[-self.worker.max_trie_depth :]])


def check_drafts() -> dict[str, int]:
    """The texts that are written without drafts come in fewer calls, and in fewer than with the corpus alone."""
    check_settings()
    check_first_drafts()
    alone, counts = write_all("NGRAM"), write_all("FORMWRIGHT")
    assert alone["tokens"] == counts["tokens"]
    assert counts["calls"] < alone["calls"] < alone["tokens"]
    return {**counts, "calls of the corpus alone": alone["calls"]}


def write_all(algorithm: str) -> dict[str, int]:
    """The battery with the drafts of an algorithm, each text with an empty corpus, as in a new engine."""
    manager, made = managed(algorithm), worker(algorithm)
    counts = {"texts": 0, "cut": 0, "like_ours": 0, "tokens": 0, "calls": 0}
    for form in FORMS.values():
        kind, text = as_request(*spoken(form))
        same = fw.json_schema(text) if kind == "json" else fw.regex(text)
        for prompt in PROMPTS:
            request = request_from_form(kind, text, number=f"{counts['texts']}")
            ready(manager, request)
            made.ngram_corpus.reset()
            writer = Writer(made, request, prompt)
            given = writer.write()
            own = TINY.generate(TINY.encode(prompt), same, max_tokens=BUDGET - 1, trace=True)
            counts["texts"] += 1
            counts["cut"] += request.output_ids[-1] != END
            counts["like_ours"] += given == own.text
            counts["tokens"] += len(request.output_ids)
            counts["calls"] += writer.calls
    print(algorithm, counts)
    assert counts["texts"] == counts["like_ours"] == 400
    assert counts["cut"] == 0
    return counts


def check_first_drafts() -> None:
    """Forced tokens come first, others after them; none for other requests, and none before a thought has ended."""
    made, manager = worker(), managed("FORMWRIGHT")
    a, b = (TINY.vocabulary.merges.encode(text)[0] for text in "ab")
    made.ngram_corpus.batch_put([[a, b, b, b]])
    forced, free = request_from_form("regex", 'a", "name": "[ab]+"'), request_from_form("regex", "[ab]{9}")
    for request in (forced, free):
        ready(manager, request)
        accept(request, a)
    bare = Req("2", "", forced.origin_input_ids, forced.sampling_params)
    bare.output_ids.append(a)
    drafts, ways = made._prepare_draft_tokens(batch_of([forced, free, bare]))
    chain = forced.grammar.find_forced(7)
    assert len(chain) > 1
    assert '", "name": "'.startswith(b"".join(map(TINY.vocabulary.token, chain)).decode())
    assert drafts[: len(chain) + 2].tolist() == [a, *chain, b]
    assert drafts[8:12].tolist() == drafts[16:20].tolist() == [a, b, b, b]
    (following, _), rows = masks_of([forced, free, bare], drafts, ways)
    assert following[0, : len(chain)].tolist() == list(range(1, len(chain) + 1))
    for node in range(len(chain)):
        assert (rows[node].numpy().view(np.uint32)[chain[node] // 32] >> chain[node] % 32) & 1
    assert (rows[16:].numpy() == -1).all()
    thinking = request_from_form("regex", ", and no", thinks=True)
    ready(reasoning(algorithm="FORMWRIGHT"), thinking)
    for token, expected in ((9, False), (2, True)):
        accept(thinking, token)
        drafts, _ = made._prepare_draft_tokens(batch_of([thinking]))
        assert (drafts[1] == TINY.vocabulary.merges.encode(",")[0]) == expected


def check_settings() -> None:
    """The settings of n-gram speculation; what cannot be combined is refused."""
    plain: dict[str, Any] = {"device": "cuda", "enable_dp_attention": False, "page_size": 1, "attention_backend": None}
    plain |= {"speculative_ngram_external_corpus_path": None, "speculative_ngram_max_bfs_breadth": 2}
    plain |= {"disable_overlap_schedule": False, "enable_mixed_chunk": True, "max_running_requests": None}
    plain |= {"speculative_num_draft_tokens": None, "speculative_num_steps": None}
    algorithm = SpeculativeAlgorithm.from_string("FORMWRIGHT")
    args = SimpleNamespace(**plain)
    algorithm.handle_server_args(args)
    assert (args.speculative_num_draft_tokens, args.speculative_num_steps, args.speculative_eagle_topk) == (8, 4, 2)
    assert (args.max_running_requests, args.enable_mixed_chunk, args.disable_overlap_schedule) == (48, False, False)
    options = ["--model-path", str(FOLDER), "--grammar-backend", "formwright", "--device", "cpu"]
    parsed = prepare_server_args([*options, "--speculative-algorithm", "formwright"])
    handle_speculative_decoding(parsed)
    settings = resolved_view(parsed)
    assert settings.speculative_algorithm == "FORMWRIGHT"
    assert settings.speculative_num_draft_tokens == 8
    assert settings.disable_overlap_schedule
    for changed in (
        {"device": "npu"},
        {"enable_dp_attention": True},
        {"page_size": 16},
        {"speculative_ngram_external_corpus_path": "corpus"},
    ):
        try:
            algorithm.handle_server_args(SimpleNamespace(**plain | changed))
        except ArgumentError:
            continue
        raise AssertionError(changed)
