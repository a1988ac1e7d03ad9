"""Formwright as a logits processor of vLLM: the interfaces of both model runners, without an engine."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from battery import BUDGET
from vllm.sampling_params import SamplingParams
from vllm.v1.sample.logits_processor import BatchUpdate, MoveDirectionality
from vllm_driver import END, SIZE, TINY, TOKENIZER, configured

import formwright as fw


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
