r"""Forced tokens of forms as drafts of SGLang's speculation.

::

    python -m sglang.launch_server --model-path some-model --grammar-backend formwright \
        --speculative-algorithm FORMWRIGHT --speculative-num-draft-tokens 8

SGLang's n-gram speculation finds drafts in what was written before, without a model. The worker here plants the tokens
of a text that can only come next before them, as the tokenizer writes them. The model may still spell that text
otherwise; it takes another branch of the tree then, or none, and goes on as without drafts.

Each row of a batch has the same number of drafts. So a step costs more, also for forms that force little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from formwright._hosts import import_host
from formwright.engines.draft_trees import plant_chain
from formwright.engines.sglang.budgets import find_text
from formwright.engines.sglang.grammar import is_thinking

with import_host("sglang"):
    from sglang.srt.speculative.ngram_worker import NGRAMWorker

if TYPE_CHECKING:
    from sglang.srt.managers.schedule_batch import Req, ScheduleBatch

__all__ = ["FormWorker", "find_forced"]


def find_forced(request: Req, most: int) -> list[int]:
    """The tokens that can only come next in the text of a request, at most so many; none without a form of ours, and
    none while a thought comes before the text.
    """
    text = find_text(request.grammar)
    return [] if text is None or is_thinking(request.grammar) else text.find_forced(most)


class FormWorker(NGRAMWorker):  # type: ignore[misc]  # sglang is not typed for us
    """SGLang's n-gram worker, whose trees of drafts begin with the forced tokens of forms."""

    def _prepare_draft_tokens(self, batch: ScheduleBatch) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        tokens, ancestors = super()._prepare_draft_tokens(batch)
        size, rows = self.draft_token_num, len(batch.reqs)
        tokens, ancestors = tokens.reshape(rows, size), ancestors.reshape(rows, size, size)
        for row, request in enumerate(batch.reqs):
            if forced := find_forced(request, size - 1):
                tokens[row], ancestors[row] = plant_chain(tokens[row], ancestors[row], forced)
        return tokens.reshape(-1), ancestors.reshape(-1)
