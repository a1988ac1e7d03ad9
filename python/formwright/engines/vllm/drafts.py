r"""Tokens that a form forces, as drafts of vLLM: the model checks several of them in one call.

::

    FORMWRIGHT_VLLM=1 vllm serve some-model --no-async-scheduling \
        --scheduler-cls formwright.engines.vllm.drafts.FormScheduler \
        --speculative-config '{"method": "custom_class", "model": "formwright.engines.vllm.drafts.NoDrafts",
                               "num_speculative_tokens": 8}'

Proposers of vLLM run in the worker, where forms are not known. So ours proposes nothing there, and the scheduler adds
the tokens of the text that can only come next, as the tokenizer writes them. The model may still spell that text
otherwise; it rejects a draft then, and goes on as without it.

This is for the first model runner, without async scheduling. The second one takes the ids of drafts from the device.
"""

from __future__ import annotations

from typing import Any

from formwright._hosts import import_host
from formwright.engines.vllm.backend import FormwrightGrammar

with import_host("vllm"):
    from vllm.v1.core.sched.scheduler import Scheduler
    from vllm.v1.outputs import DraftTokenIds

__all__ = ["FormScheduler", "NoDrafts"]


class NoDrafts:
    """A proposer of vLLM without drafts.

    Args:
        vllm_config: The engine's.
    """

    def __init__(self, vllm_config: Any, *_: Any, **__: Any) -> None:
        pass

    def load_model(self, *_: Any, **__: Any) -> None:
        """There is none."""

    def propose(self, sampled_token_ids: Any, *_: Any, **__: Any) -> list[list[int]]:
        """No draft for any request."""
        return [[] for _ in sampled_token_ids]


class FormScheduler(Scheduler):  # type: ignore[misc]  # vllm is not typed for us
    """The scheduler of an engine, whose requests have the forced tokens of their forms as drafts."""

    def update_draft_token_ids(self, draft_token_ids: DraftTokenIds) -> None:
        """Give each request its drafts for the next step."""
        super().update_draft_token_ids(draft_token_ids)
        for request_id in draft_token_ids.req_ids:
            request = self.requests.get(request_id)
            if request is None or request.is_finished() or request.is_prefill_chunk or request.spec_token_ids:
                continue
            if request.use_structured_output and isinstance(
                grammar := request.structured_output_request.grammar, FormwrightGrammar
            ):
                left = request.max_tokens - request.num_output_tokens - 1
                drafts = grammar.find_forced(min(self.num_spec_tokens, left))
                request.spec_token_ids = self.structured_output_manager.validate_tokens(request, drafts)
