"""A model that nothing holds to a form, and what the form would have done.

::

    observed = model.observe("Who was born?", Person)
    observed.in_form, observed.trace.hints()

Cost: as a generation with ``trace=True``.

Once the text has left the form there is nothing to compare it with, so the trace ends there,
though the text goes on.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from formwright._kernel import Constraint, Matcher, RowBuffer
from formwright.errors import FormwrightError, PromptError
from formwright.generation.adjusted import Adjusted
from formwright.generation.loop import Runtime
from formwright.generation.result import Observed
from formwright.generation.sampler import Sampler
from formwright.generation.trace.recorder import Recorder
from formwright.generation.writing import Limits, mask_logits
from formwright.masks.arrays import allocate_bitmask

__all__ = ["observe"]


def observe(
    runtime: Runtime,
    constraint: Constraint[Any],
    prompt_ids: Sequence[int],
    limits: Limits,
    sampler: Sampler | Adjusted,
) -> Observed:
    """Write as the model wants, up to its end of text or to ``limits``.

    Raises:
        PromptError: The prompt is empty.
    """
    if not prompt_ids:
        raise PromptError("the prompt is empty: a model needs at least one token to go on from")
    started, vocabulary = time.perf_counter(), constraint.vocabulary
    recorder = Recorder(vocabulary)
    rows = RowBuffer(allocate_bitmask(1, vocabulary))
    matcher: Matcher | None = constraint.matcher(prompt_ids)
    token_ids: list[int] = []
    if isinstance(sampler, Adjusted):
        sampler.follow(token_ids, prompt_ids, vocabulary.eos_token_ids)
    log_probability, unseen, calls = 0.0, list(prompt_ids), 0
    while len(token_ids) < limits.max_tokens and not (limits.cancel is not None and limits.cancel()):
        matcher = _look_up(matcher, rows, recorder)
        logits, calls = np.asarray(runtime.prefill(unseen), np.float32), calls + 1
        recorder.note_answer()
        token_id = sampler(logits[: len(vocabulary)])
        exact = logits.astype(np.float64)
        log_probability += float(exact[token_id] - np.logaddexp.reduce(exact))
        is_end = token_id in vocabulary.eos_token_ids
        if matcher is not None:
            recorder.chose(token_id, logits, mask_logits(logits, rows, matcher), False)
            matcher = _follow_token(matcher, token_id)
        if is_end:
            break
        token_ids.append(token_id)
        unseen = [token_id]
    written = b"".join(map(vocabulary.token, token_ids))
    text, in_form = written.decode("utf-8", "replace"), constraint.form.language.check(written)[1]
    return Observed(
        in_form=in_form,
        text=text,
        token_ids=tuple(token_ids),
        prompt_tokens=len(prompt_ids),
        model_calls=calls,
        forced_tokens=0,
        seconds=time.perf_counter() - started,
        log_probability=log_probability,
        trace=recorder.trace(text, is_json=in_form and constraint.form.language.is_json),
    )


def _look_up(matcher: Matcher | None, rows: RowBuffer, recorder: Recorder) -> Matcher | None:
    """Find the mask; no matcher where the form allows nothing more."""
    since = time.perf_counter()
    try:
        if matcher is not None:
            matcher.fill_bitmask(rows, 0)
    except FormwrightError:
        matcher = None
    recorder.note_mask(since)
    return matcher


def _follow_token(matcher: Matcher, token_id: int) -> Matcher | None:
    """The matcher after a token, or none where the token has left the form."""
    if not matcher.validate_tokens([token_id]):
        return None
    matcher.accept_token(token_id)
    return None if matcher.is_finished else matcher
