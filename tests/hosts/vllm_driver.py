"""What stands in for vLLM's scheduler: it makes requests and a manager, and gives the manager the tokens."""

from __future__ import annotations

import json
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import vllm.v1.structured_output as manager_module
from battery import BUDGET, PROMPTS
from transformers import AutoTokenizer
from vllm.sampling_params import SamplingParams, StructuredOutputsParams
from vllm.v1.engine import core
from vllm.v1.request import Request

import formwright as fw

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


def accepts(manager: Any, request: Request, tokens: list[int]) -> bool:
    """What the scheduler does with sampled tokens, in the spelling of either version."""
    if hasattr(manager, "accept_tokens"):
        return manager.accept_tokens(request, tokens)
    if not manager.should_advance(request):
        return True
    return request.structured_output_request.grammar.accept_tokens(request.request_id, tokens)
