r"""A logits processor of vLLM, for the requests that name a form: valid for both of its model runners.

::

    vllm serve some-model --logits-processors formwright.engines.vllm.processor:FormProcessor

    {"messages": [...], "max_tokens": 64, "vllm_xargs": {"formwright": "{\"json\": {\"type\": \"integer\"}}"}}

Beside ``json`` there are ``regex``, ``choice``, ``json_object`` and ``structural_tag``. A text is complete within
the request's ``max_tokens``, which a back end of structured outputs does not know. Where no text is short enough, it is
cut.

Cost: a mask for each row. The second runner keeps ids on the device, so it is waited for once a step.

Name the class when vLLM starts. vLLM 0.32 and later keep the ids of a batch up to date only for
processors that are named so; where an id is missing, the engine stops (`HostMismatch`) instead of guessing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from formwright._hosts import import_host
from formwright._kernel import Constraint, Vocabulary
from formwright.engines.grammar_backend import RunningText, Vocabularies, form_from_request
from formwright.errors import FormwrightError, HostMismatch
from formwright.forms.coerce import compile
from formwright.forms.form import Form
from formwright.masks.arrays import allocate_bitmask, allow_only_ends, apply_bitmask

with import_host("vllm"):
    import torch
    from vllm.sampling_params import SamplingParams
    from vllm.v1.sample.logits_processor import BatchUpdate, MoveDirectionality
    from vllm.v1.sample.logits_processor import LogitsProcessor as RowsProcessor
    from vllm.v1.worker.gpu.sample.logits_processor import LogitsProcessor as SlotsProcessor

__all__ = ["NAME", "FormProcessor"]

NAME = "formwright"
"""The extra argument of a request that names its form."""


class FormProcessor(RowsProcessor, SlotsProcessor):  # type: ignore[misc]  # vllm is not typed for us
    """The processor of an engine, called by either of its model runners.

    Args:
        vllm_config: The engine's.
        of_runner: A device and whether memory is pinned, or the requests' state: the runner's own.
    """

    def __init__(self, vllm_config: Any, *of_runner: Any) -> None:
        from vllm.tokenizers import cached_tokenizer_from_config

        tokenizer = cached_tokenizer_from_config(model_config=vllm_config.model_config)
        size = vllm_config.model_config.get_vocab_size()
        self._vocabularies = Vocabularies(getattr(tokenizer, "mistral", tokenizer), size)
        self._state: Any = of_runner[0] if len(of_runner) == 1 else None
        self._texts: dict[int, _Text] = {}
        """By the row of the batch, or by the slot of the request."""

    @classmethod
    def validate_params(cls, sampling_params: SamplingParams) -> None:
        """Refuse a request whose form cannot be read or enforced. Raises ValueError, which the server makes a 400."""
        _read_form(sampling_params)

    def is_argmax_invariant(self) -> bool:
        """It is not: the likeliest token may be forbidden."""
        return False

    def update_state(self, batch_update: BatchUpdate | None) -> None:
        """Follow the rows of the batch: removed, added, moved, in this order."""
        if batch_update is None:
            return
        for row in batch_update.removed:
            self._texts.pop(row, None)
        for row, params, _, output_ids in batch_update.added:
            self._place(row, self._begin_text(params, output_ids))
        for row, other, direction in batch_update.moved:
            first, second = self._texts.pop(row, None), self._texts.pop(other, None)
            self._place(other, first)
            if direction == MoveDirectionality.SWAP:
                self._place(row, second)

    def add_request(self, req_idx: int, sampling_params: SamplingParams) -> bool:
        """A request enters a slot, which is its own from then on; whether it has a form."""
        self._texts.pop(req_idx, None)
        self._place(req_idx, self._begin_text(sampling_params, []))
        return req_idx in self._texts

    def apply(self, logits: torch.Tensor, ctx: Any = None) -> torch.Tensor:
        """Set forbidden tokens to minus infinity, in place.

        Raises:
            HostMismatch: A text holds a token that was forbidden, or the id of a token is missing.
        """
        if not self._texts:
            return logits
        mask = allocate_bitmask(len(logits), next(iter(self._texts.values())).running.constraint.vocabulary)
        rows = self._by_row(mask) if ctx is None else self._by_slot(mask, ctx)
        if rows:
            apply_bitmask(logits, mask, rows=rows)
        return logits

    def _by_row(self, mask: Any) -> list[int]:
        """The masks of rows whose texts are at hand as lists."""
        for row, text in self._texts.items():
            text.follow(text.output_ids[text.seen :])
            text.fill(mask, row)
        return list(self._texts)

    def _by_slot(self, mask: Any, ctx: Any) -> list[int]:
        """The masks of rows whose ids are on the device; the rows after a request's first one hold drafts."""
        slots, fed, positions = (each.cpu().tolist() for each in (ctx.expanded_idx_mapping, ctx.input_ids, ctx.pos))
        drafts: dict[int, int] = {}
        for row, slot in enumerate(slots):
            if (text := self._texts.get(slot)) is None:
                continue
            if slot not in drafts:
                prompt = int(self._state.prompt_len.np[slot])
                ids = self._state.all_token_ids.gpu[slot, prompt + text.seen : positions[row] + 1]
                text.follow(ids.cpu().tolist())
                drafts[slot] = 0
            elif not text.running.is_finished and text.running.accept([fed[row]]):
                drafts[slot] += 1
            text.fill(mask, row, ahead=drafts[slot])
        for slot, count in drafts.items():
            self._texts[slot].running.rollback(count)
        return [row for row, slot in enumerate(slots) if slot in drafts]

    def _begin_text(self, params: SamplingParams, output_ids: list[int]) -> _Text | None:
        """The text of a request that names a form."""
        if (params.extra_args or {}).get(NAME) is None:
            return None
        vocabulary = self._vocabularies.with_ends(params.all_stop_token_ids)
        form = _read_form(params, vocabulary)
        if form is None:
            return None
        constraint: Constraint[Any] = compile(form, vocabulary, canonical=self._vocabularies.canonical)
        return _Text(RunningText(constraint), output_ids, params.max_tokens)

    def _place(self, key: int, text: _Text | None) -> None:
        self._texts.pop(key, None)
        if text is not None:
            self._texts[key] = text


class _Text:
    """The text of a request, as far as it was seen.

    Args:
        running: At its start.
        output_ids: The runner's own list of its ids, which grows.
        budget: How many tokens it may have. One that no text fits in is none: the engine cuts the text then.
    """

    def __init__(self, running: RunningText, output_ids: list[int], budget: int | None) -> None:
        self.running, self.output_ids, self.seen = running, output_ids, 0
        fits = budget is not None and running.matcher.min_tokens_to_finish <= budget
        self._budget = budget if fits else None

    def follow(self, token_ids: Sequence[int]) -> None:
        """Go on by tokens that stay. Raises HostMismatch where one is missing, or was forbidden."""
        if -1 in token_ids:
            raise HostMismatch(
                "vLLM does not tell the ids of a text in time",
                hint="name the class in logits_processors= when the engine starts",
                host="vLLM",
            )
        if not self.running.accept(token_ids):
            raise HostMismatch(f"a text holds a token that was forbidden: {list(token_ids)}", host="vLLM")
        self.seen += len(token_ids)

    def fill(self, mask: Any, row: int, *, ahead: int = 0) -> None:
        """Write what may come after it and so many drafts; an end only, where it has ended."""
        left = None if self._budget is None else self._budget - self.seen - ahead
        if left is not None and left < 0:  # drafts that go on after the limit
            allow_only_ends(mask[row], self.running.constraint.vocabulary)
        else:
            self.running.fill(mask, row, budget=left)


def _read_form(params: SamplingParams, vocabulary: Vocabulary | None = None) -> Form[Any] | None:
    """The form that a request names, if it does. Raises ValueError."""
    given = (params.extra_args or {}).get(NAME)
    if given is None:
        return None
    if params.ignore_eos or params.min_tokens:
        raise ValueError(f"{NAME}: ignore_eos and min_tokens cannot be combined with a form")
    try:
        asked = json.loads(given) if isinstance(given, str) else given
        (kind, what), *others = asked.items()
    except (AttributeError, ValueError, RecursionError) as error:
        raise ValueError(
            f'{NAME}: expected a JSON object such as {{"regex": "[0-9]+"}}, got {str(given)[:100]!r}'
        ) from error
    if others:
        raise ValueError(f"{NAME}: expected one kind of form, got {', '.join(asked)}")
    if (kind == "regex" and not isinstance(what, str)) or (kind == "json_object" and what is not True):
        raise ValueError(
            f"{NAME}: expected a pattern for regex, or true for json_object, got {kind}: {json.dumps(what)}"
        )
    try:
        return form_from_request(kind, what if isinstance(what, str) else json.dumps(what), vocabulary=vocabulary)
    except FormwrightError as error:
        raise ValueError(f"{NAME}: {error}") from error
