"""What stands in for SGLang's scheduler: it makes requests and a manager, and gives the texts their tokens.

The plugin, its hooks, the manager, requests, batches and the acceptance of tokens are SGLang's own.
"""

from __future__ import annotations

import json
import re
import time
from array import array
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import sglang.srt.constrained.base_grammar_backend as backends
import torch
from battery import BUDGET, PROMPTS
from sglang.srt.constrained import grammar_manager
from sglang.srt.managers import schedule_batch
from sglang.srt.managers.schedule_batch import Req
from sglang.srt.managers.scheduler_components.batch_result_processor import SchedulerBatchResultProcessor
from sglang.srt.plugins.hook_registry import HookRegistry
from sglang.srt.sampling.sampling_batch_info import SamplingBatchInfo
from sglang.srt.sampling.sampling_params import SamplingParams
from sglang.srt.utils.hf_transformers.common import attach_additional_stop_token_ids
from transformers import AutoTokenizer

import formwright as fw
from formwright.engines.sglang import factory as ours
from formwright.engines.sglang import install

FOLDER = Path(__file__).parents[2] / "python" / "formwright" / "models" / "formwright_tiny"
"""The model of the checkout: its float weights are not in the wheel."""
TOKENIZER = AutoTokenizer.from_pretrained(FOLDER)
attach_additional_stop_token_ids(TOKENIZER)  # as SGLang does with each
TINY = fw.load("formwright-tiny")
END, SIZE = 1, TINY.vocabulary.logits_size


def load_plugin() -> None:
    """What SGLang does with the entry point."""
    install()
    HookRegistry.apply_hooks()


def serving(**changed: Any) -> Any:
    """What SGLang reads of its configuration."""
    plain = {"constrained_json_whitespace_pattern": None, "constrained_json_max_whitespace_cnt": None}
    plain |= {"constrained_json_disable_any_whitespace": False, "reasoning_parser": None}
    return SimpleNamespace(**plain | {"enable_strict_thinking": False, "skip_tokenizer_init": False} | changed)


def managed(algorithm: str | None = None, **changed: Any) -> Any:
    """SGLang's manager, which makes the back end by its name."""
    told = serving(**changed)
    for module in (backends, grammar_manager, ours):
        module.get_serving = lambda: told
    ours.get_spec = lambda: SimpleNamespace(speculative_algorithm=algorithm)
    backends.get_exec = lambda: SimpleNamespace(kernel=SimpleNamespace(grammar_backend="formwright"))
    grammar_manager.get_parallel = lambda: SimpleNamespace(pp_rank=0, pp_size=1)
    schedule_batch.get_parallel = lambda: SimpleNamespace(tp_rank=0)
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


def request_from_form(
    kind: str, text: str, *, thinks: bool = False, number: str = "0", most: int = BUDGET, **params: Any
) -> Req:
    """A request as the scheduler makes it."""
    key = {"json": "json_schema"}.get(kind, kind)
    sampling = SamplingParams(max_new_tokens=most, **{key: text}, **params)
    sampling.normalize(TOKENIZER)
    ids = array("q", TINY.encode(PROMPTS[0]))
    request = Req(number, PROMPTS[0], ids, sampling, require_reasoning=thinks, eos_token_ids={END}, vocab_size=SIZE)
    request.tokenizer = TOKENIZER
    return request


def as_request(kind: str, text: str) -> tuple[str, str]:
    """SGLang has no choices: clients write them as a pattern."""
    if kind != "choice":
        return kind, text
    return "regex", "|".join(re.sub(r"([\\^$.|?*+()\[\]{}])", r"\\\1", option) for option in json.loads(text))


def ready(manager: Any, request: Req) -> Any:
    """The grammar of a request, when the queue of the manager gives it back; ``None`` if it was aborted."""
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


def accept(request: Req, token: int) -> None:
    """What the scheduler does with a sampled token: the request has it first, then its grammar."""
    request.output_ids.append(token)
    request.update_finish_state(1)
    SchedulerBatchResultProcessor._accept_grammar_tokens(None, request, token)
    request.grammar.finished = request.finished()


def allowed(request: Req) -> list[int]:
    """What may come next in a request."""
    return fw.allowed_tokens(masked([request.grammar]).vocab_mask[0].numpy()).tolist()


def spelled(request: Req) -> str:
    """The text of a request, without its end."""
    return b"".join(TINY.vocabulary.token(token) for token in request.output_ids if token != END).decode(
        errors="replace"
    )
