"""SGLang's requests, manager and masks under the kit of `conformance`: texts with and without drafts."""

from __future__ import annotations

import itertools
import sys
from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from sglang.srt.managers.schedule_batch import Req
from sglang.srt.sampling.sampling_batch_info import SamplingBatchInfo
from sglang.srt.sampling.sampling_params import SamplingParams
from sglang.srt.speculative.spec_utils import GrammarTree, build_grammar_vocab_mask
from sglang_driver import managed, ready

import formwright as fw
from formwright.engines.grammar_backend import RunningText
from formwright.engines.sglang.grammar import FormwrightGrammar

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))
from conformance import ENDS, PROGRAMS, Row, find_fault, vocabulary_with

SIZE = vocabulary_with((ENDS[0],)).logits_size


class RequestTexts:
    """Requests of an engine that speculates. A text that has begun is not copied in SGLang; its form is."""

    lacks = frozenset({"validate", "copy"})
    algorithm: str | None = "NGRAM"

    def __init__(self) -> None:
        self.manager = managed(self.algorithm)
        self.manager.grammar_backend.dispatch_regex = lambda text: FormwrightGrammar(
            RunningText(self.constraints[text]), has_drafts=self.algorithm is not None
        )
        self.constraints: dict[str, fw.Constraint[Any]] = {}
        self.requests: dict[str, Req] = {}
        self.numbers = itertools.count()

    def begin(self, form: fw.Form[Any], *, ends: Sequence[int], limit: int | None) -> str:
        key, text = str(next(self.numbers)), f"{form.digest} {list(ends)}"  # the same form again is in the cache
        self.constraints[text] = fw.compile(form, vocabulary_with(tuple(ends)))
        most = 1_000 if limit is None else limit + 1
        request = Req(key, "", array("q", [65]), SamplingParams(max_new_tokens=most, regex=text), vocab_size=SIZE)
        assert ready(self.manager, request) is not None
        self.requests[key] = request
        return key

    def accept(self, key: str, token_ids: Sequence[int]) -> bool:
        request = self.requests[key]
        for count, token_id in enumerate(token_ids):
            request.output_ids.append(token_id)
            try:
                request.grammar.accept_token(token_id)
            except ValueError:  # SGLang ends the request; here it goes on from where it was
                request.output_ids.pop()
                self.take_back(key, count)
                return False
        return True

    def take_back(self, key: str, count: int) -> None:
        request = self.requests[key]
        request.grammar.rollback(count)
        del request.output_ids[len(request.output_ids) - count :]

    def masks(self, keys: Sequence[str], drafts: Mapping[str, Sequence[int]]) -> dict[str, list[Row]]:
        requests = [self.requests[key] for key in keys]
        if not drafts:
            grammars = [request.grammar for request in requests]
            batch = SimpleNamespace(grammars=grammars, vocab_size=SIZE, temperatures=grammars, device="cpu")
            SamplingBatchInfo.update_regex_vocab_mask(batch)
            return {key: [row] for key, row in zip(keys, batch.grammar_mask.vocab_mask.numpy(), strict=True)}
        chains = [[0, *drafts.get(key, ())] for key in keys]  # the root is the last token, whatever it is
        longest = max(map(len, chains))
        padded = torch.tensor([chain + [-1] * (longest - len(chain)) for chain in chains])
        sampling = SimpleNamespace(vocab_size=SIZE, grammar_mask=None)
        tree = GrammarTree.from_linear_chain(padded)
        mask = build_grammar_vocab_mask(
            reqs=requests, tree=tree, sampling_info=sampling, device="cpu", barrier=None
        ).vocab_mask.numpy()
        rows = mask.reshape(len(keys), longest, -1)
        return {key: list(each[: len(chain)]) for key, each, chain in zip(keys, rows, chains, strict=True)}

    def is_over(self, key: str) -> bool:
        return bool(self.requests[key].grammar.is_terminated())

    def end(self, key: str) -> None:
        del self.requests[key]


class PlainRequestTexts(RequestTexts):
    """Requests of an engine without drafts: what it has accepted stays, and is counted at each mask."""

    lacks = RequestTexts.lacks | {"drafts"}
    algorithm = None


def check_conformance() -> int:
    """Programs of what SGLang may ask, each answer compared with a new matcher's; how many."""
    for adapter in (RequestTexts, PlainRequestTexts):
        assert (fault := find_fault(adapter, PROGRAMS)) is None, fault
    print(f"{PROGRAMS} programs for each of two adapters")
    return PROGRAMS


if __name__ == "__main__":
    from sglang_driver import load_plugin

    load_plugin()
    check_conformance()
