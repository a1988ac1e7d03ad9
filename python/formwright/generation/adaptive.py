"""Exact draws from the model's own distribution over the conforming texts, by adaptive rejection on a tree of prefixes.

::

    model = fw.load("formwright-tiny")
    drawn = model.generate("Is it red?", fw.choice("yes", "no"), fidelity="adaptive", returns=2, max_calls=1000, seed=1)
    len(drawn.alternatives)                       # 2
    drawn.log_form_probability < 0                # True: an upper bound, which falls with every call

Whoever lets the model write freely, and begins again where it leaves the form, draws from the right distribution, but
may have to begin again for ever. Adaptive rejection (Mansinghka et al. 2009; for language models, constrained adaptive
rejection sampling, arXiv 2510.01902) never makes the same mistake twice. A tree of the prefixes that were visited
keeps for each of them an upper bound of the probability that the model goes on to a conforming text. A walk goes down
by the model's probabilities times these bounds. Where a call of the model lowers the bound of the place that the walk
has reached, the walk stops with the probability that was lost. Along a text the factors cancel out, so that whatever
the tree knows, a walk ends in a text with the model's probability of that text divided by the bound at the root.

Cost: one call of the model for each prefix that is new, which is shared by all draws from the tree; a walk through
known prefixes needs no model. Tokens that are forced are scored in one call if the runtime can score several. A walk
that fails has made at least one call, and what it learnt narrows all later ones. How many calls a draw takes depends on
how far the form is from what the model wants to write, and on whether texts share prefixes: where each token loses
mass and no two texts share what is learnt, as in long free texts, no draw may ever come, and ``max_calls`` ends it.

What is drawn are tokens: all tokenisations of a text, or with ``canonical=True`` the tokenizer's own. Texts that do not
fit ``max_tokens`` are not in the form. Draws are independent of each other, but the number of calls depends on what
is drawn: an error of ``max_calls`` therefore gives none of the texts that were drawn before it, which would be
those that are found in few calls.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from formwright._kernel import Constraint, Matcher
from formwright.errors import DeadEnd, LimitExceeded
from formwright.forms.readers import spell_text
from formwright.generation.prefix_tree import MOST_BYTES, PrefixNode, PrefixTree
from formwright.generation.result import Complete, Truncated
from formwright.generation.sampler import require
from formwright.generation.scorer import Scorer
from formwright.generation.strategies.fidelity import check_draw
from formwright.generation.writing import Limits, check_width, complete, start_matcher
from formwright.masks.arrays import allocate_bitmask, allowed_tokens

__all__ = ["MAX_CALLS", "AdaptiveDraws", "RecentDraws", "check_adaptive"]

MAX_CALLS = 1000
"""Calls of the model for all draws of a call of `generate`, unless the caller says otherwise."""

_MOST_FORCED = 32
"""Forced tokens that are scored in one call."""

_MOST_PROMPTS = 16
"""Prompts whose trees are kept at a time: each also holds what the model keeps of the prompt."""


@dataclass(slots=True)
class _Calls:
    """How often the model was run in a call of `AdaptiveDraws.draw`, and how often it may be."""

    most: int
    count: int = 0

    def spend(self) -> None:
        """Count a call of the model, before it. Raises _Spent."""
        if self.count == self.most:
            raise _Spent
        self.count += 1


class _Spent(Exception):
    """The model would have to be run more often than it may be."""


class _Cancelled(Exception):
    """Somebody has cancelled the draws."""


@dataclass(frozen=True, slots=True)
class _Walk:
    """A walk that has ended in a text: its matcher and tokens, and what the model gives to them and the end."""

    matcher: Matcher
    token_ids: tuple[int, ...]
    log_probability: float


class AdaptiveDraws:
    """Draws after one prompt, which share what is learnt about it. Not for several threads at a time.

    Args:
        scorer: The model, which holds the prompt.
        constraint: The form, compiled for the model's vocabulary.
        prompt_ids: The prompt; at least one token.
        limits: Where a text ends; ``stop`` and ``finish`` have no meaning here.
        temperature: Divides the logits; above 0.
        prefix: What the texts begin with that belongs to the prompt.
        tree: What is known already; ``None`` is nothing.

    Raises:
        ArgumentError: ``temperature`` is out of range, or an option has no meaning here.
        LimitExceeded, PromptError, DeadEnd: As `Writing`.
    """

    def __init__(
        self,
        scorer: Scorer,
        constraint: Constraint[Any],
        prompt_ids: Sequence[int],
        limits: Limits,
        *,
        temperature: float,
        prefix: str = "",
        tree: PrefixTree | None = None,
    ) -> None:
        check_draw(limits, temperature, least=float(np.nextafter(0.0, 1.0)))
        self.constraint, self.tree = constraint, PrefixTree(temperature=temperature) if tree is None else tree
        self._scorer, self._limits, self._prefix = scorer, limits, prefix
        self._prompt_tokens, self._ends = len(prompt_ids), frozenset(constraint.vocabulary.eos_token_ids)
        self._start = start_matcher(constraint, prompt_ids, limits)
        self._runtime: Any = None
        self._seen: tuple[int, ...] = ()  # what the runtime holds after the prompt

    def draw(
        self, random: np.random.Generator, *, returns: int = 1, max_calls: int = MAX_CALLS
    ) -> Complete[Any] | Truncated:
        """Draw texts, independent of each other: the first one, with all of them as its alternatives.

        Each tells how often the model was run in all, and the bound when the last of them was drawn.

        Args:
            random: Where the draws come from.
            returns: How many texts are drawn.
            max_calls: How often the model may be run for all of them together.

        Raises:
            ArgumentError: ``returns`` or ``max_calls`` is out of range.
            LimitExceeded: The model would have to be run more often.
            DeadEnd: The model gives no text of the form a probability, or its logits are not finite.
            OutputInvalid: The type refuses a text that was drawn.
        """
        check_adaptive(returns, max_calls)
        since, calls, walks = time.perf_counter(), _Calls(max_calls), list[_Walk]()
        while len(walks) < returns:
            matcher, token_ids = self._start.fork(), list[int]()
            try:
                walk = self._walk(random, matcher, token_ids, calls)
            except _Spent:
                raise self._report_limit(len(walks), returns, max_calls) from None
            except _Cancelled:
                cut = spell_text(matcher.accepted_bytes)[len(self._prefix) :]
                return Truncated(
                    reason="cancel", text=cut, token_ids=tuple(token_ids), **self._describe(since, calls.count)
                )
            if walk is not None:
                walks.append(walk)
        found = [self._complete(walk, self._describe(since, calls.count)) for walk in walks]
        return replace(found[0], alternatives=tuple(found))

    def _complete(self, walk: _Walk, costs: dict[str, Any]) -> Complete[Any]:
        data = walk.matcher.accepted_bytes
        return complete(
            self.constraint.form,
            data,
            text=spell_text(data)[len(self._prefix) :],
            token_ids=walk.token_ids,
            log_probability=walk.log_probability,
            log_form_probability=self.tree.log_form_probability,
            **costs,
        )

    def _describe(self, since: float, calls: int) -> dict[str, Any]:
        """Describe what draws have cost."""
        return {
            "prompt_tokens": self._prompt_tokens,
            "model_calls": calls,
            "forced_tokens": 0,
            "seconds": time.perf_counter() - since,
        }

    def _report_limit(self, drawn: int, returns: int, max_calls: int) -> LimitExceeded:
        """Make the error of calls that were not enough."""
        bound = self.tree.log_form_probability
        return LimitExceeded(
            f"{drawn} of {returns} texts were drawn within max_calls={max_calls}; the log probability"
            f" that the model writes a text of this form by itself is at most {bound:.1f}",
            hint='describe the form in the prompt (instruct=True does), raise max_calls, or pass fidelity="smc"',
            limit="max_calls",
            value=max_calls + 1,
            allowed=max_calls,
        )

    def _walk(self, random: np.random.Generator, matcher: Matcher, token_ids: list[int], calls: _Calls) -> _Walk | None:
        """Walk down the tree to a text; ``None`` where the walk stops. The tokens are added to ``token_ids``."""
        node = self.tree.find(())
        promised = 0.0 if node is None else node.log_mass
        while True:
            if self._limits.cancel is not None and self._limits.cancel():
                raise _Cancelled
            if node is None:
                node = self._learn(matcher, token_ids, calls)
            if node.log_mass < promised and random.random() >= math.exp(node.log_mass - promised):
                break
            token_id = node.draw(random)
            if token_id in self._ends:
                self.tree.touch(node)
                return _Walk(matcher, tuple(token_ids), node.log_path + node.log_sum(self._ends))
            matcher.accept_token(token_id)
            token_ids.append(token_id)
            node = node.children.get(token_id)
            promised = 0.0 if node is None else node.log_mass
        if self.tree.log_form_probability == -math.inf:
            raise DeadEnd("the model gives no text of this form a probability")
        return None

    def _learn(self, matcher: Matcher, token_ids: list[int], calls: _Calls) -> PrefixNode:
        """Ask the model what comes after a prefix, and after the tokens that are forced there."""
        masks = [self._fill_mask(matcher, len(token_ids))]
        forced = self._force(matcher.fork(), len(token_ids), masks) if self._can_score else []
        rows = self._ask(token_ids, forced, calls)
        for count, (row, mask) in enumerate(zip(rows, masks, strict=True)):
            check_width(row.shape[-1], self.constraint.vocabulary)
            self.tree.visit([*token_ids, *forced[:count]], row, mask)
        node = self.tree.find(token_ids)
        assert node is not None
        return node

    @property
    def _can_score(self) -> bool:
        return hasattr(self._scorer.fill()[0], "score")

    def _force(self, ahead: Matcher, written: int, masks: list[NDArray[np.int32]]) -> list[int]:
        """Find the tokens that must follow the last mask; the matcher takes them, and a mask after each is added."""
        forced = list[int]()
        while len(forced) < _MOST_FORCED:
            only = allowed_tokens(masks[-1])
            if len(only) != 1 or int(only[0]) in self._ends:
                break
            forced.append(int(only[0]))
            ahead.accept_token(forced[-1])
            masks.append(self._fill_mask(ahead, written + len(forced)))
        return forced

    def _fill_mask(self, matcher: Matcher, written: int) -> NDArray[np.int32]:
        mask = allocate_bitmask(1, self.constraint.vocabulary)
        matcher.fill_bitmask(mask, budget=int(self._limits.max_tokens) - written)
        return mask

    def _ask(self, token_ids: Sequence[int], forced: Sequence[int], calls: _Calls) -> list[NDArray[Any]]:
        """Ask the model for the logits after a prefix, and after each of the forced tokens that follow it."""
        rows = list[NDArray[Any]]()
        if not token_ids:
            calls.spend()
            rows.append(self._scorer.first)
            if not forced:
                return rows
        calls.spend()
        given = (*token_ids, *forced)
        runtime, unseen = self._take_runtime(given, len(token_ids))
        if forced:
            scored: NDArray[Any] = runtime.score(unseen)
            rows.extend(scored[len(rows) - 1 - len(forced) :])  # "+=" would add the arrays up
        else:
            rows.append(runtime.step(unseen[0]) if len(unseen) == 1 else runtime.prefill(unseen))
        self._runtime, self._seen = runtime, given
        return rows

    def _take_runtime(self, token_ids: tuple[int, ...], count: int) -> tuple[Any, list[int]]:
        """Take a model that holds fewer than the first ``count`` of some tokens; return it and those that it lacks.

        It goes on where the last walk left it if it can, else from the prompt.
        """
        runtime, held = self._runtime, len(self._seen)
        self._runtime = None  # an error in its call would leave it with other tokens than noted
        if runtime is None or held >= max(count, 1) or self._seen != token_ids[:held]:
            return self._scorer.open_runtime(), list(token_ids)
        return runtime, list(token_ids[held:])


class RecentDraws:
    """Draws after several prompts, to be found again where a prompt comes again; the oldest are dropped."""

    def __init__(self) -> None:
        self._recent: dict[tuple[int, ...], AdaptiveDraws] = {}

    def find(
        self, constraint: Constraint[Any], prompt_ids: Sequence[int], make: Callable[[], AdaptiveDraws]
    ) -> AdaptiveDraws:
        """The draws of a form after a prompt; made if there are none."""
        key = (id(constraint), *prompt_ids)  # the draws hold the constraint, so that its id is not used again
        self._recent[key] = draws = self._recent.pop(key, None) or make()
        while len(self._recent) > _MOST_PROMPTS or (len(self._recent) > 1 and self._bytes > MOST_BYTES):
            del self._recent[next(iter(self._recent))]
        return draws

    @property
    def _bytes(self) -> int:
        return sum(draws.tree.bytes for draws in self._recent.values())


def check_adaptive(returns: object, max_calls: object) -> None:
    """Refuse numbers of draws and calls that cannot be. Raises ArgumentError."""
    for name, value in (("returns", returns), ("max_calls", max_calls)):
        is_positive = isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= 1
        require(bool(is_positive), name, value, "an integer from 1 on")
