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
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from formwright._kernel import Constraint, Matcher
from formwright.errors import ArgumentError, DeadEnd, LimitExceeded
from formwright.forms.readers import spell_text
from formwright.generation.result import Complete, Truncated
from formwright.generation.sampler import require
from formwright.generation.scorer import Scorer
from formwright.generation.strategies.beams import log_softmax
from formwright.generation.strategies.fidelity import check_draw
from formwright.generation.writing import Limits, check_width, complete, start_matcher
from formwright.masks.arrays import allocate_bitmask, allowed_tokens

__all__ = ["MAX_CALLS", "MOST_BYTES", "AdaptiveDraws", "PrefixTree", "RecentDraws", "check_adaptive"]

MAX_CALLS = 1000
"""Calls of the model for all draws of a call of `generate`, unless the caller says otherwise."""

MOST_BYTES = 256 << 20
"""Bytes that a tree holds at most, but for the path that is being followed."""

_MOST_FORCED = 32
"""Forced tokens that are scored in one call."""

_MOST_PROMPTS = 16
"""Prompts whose trees are kept at a time: each also holds what the model keeps of the prompt."""

_NODE_BYTES = 500
"""What a node takes beside its arrays, about."""


@dataclass(slots=True, eq=False)
class _Node:
    """A prefix after which the model was asked.

    Attributes:
        token_ids: The tokens that are allowed here, of shape ``(allowed,)``.
        log_probabilities: What the model gives to each of them; minus infinity for those that lead to another node.
        parent: The prefix without its last token.
        token_id: That token.
        log_probability: What the model gives to it after the parent.
        log_rest: The log of the sum of ``log_probabilities``: of what is not known to lose anything.
        log_mass: The bound: at most how likely the model is to go on to a conforming text from here.
        children: The nodes one token on.
    """

    token_ids: NDArray[np.intp]
    log_probabilities: NDArray[np.float64]
    parent: _Node | None = None
    token_id: int = -1
    log_probability: float = 0.0
    log_rest: float = 0.0
    log_mass: float = 0.0
    children: dict[int, _Node] = field(default_factory=dict)

    @property
    def bytes(self) -> int:
        return self.token_ids.nbytes + self.log_probabilities.nbytes + _NODE_BYTES

    @property
    def log_path(self) -> float:
        """What the model gives to the tokens of the prefix, in nats."""
        total, node = 0.0, self
        while node.parent is not None:
            total, node = total + node.log_probability, node.parent
        return total

    def log_sum(self, token_ids: Collection[int]) -> float:
        """What the model gives to some tokens together that lead to no node."""
        return _log_sum(self.log_probabilities[np.isin(self.token_ids, list(token_ids))])

    def place_of(self, token_id: int) -> int | None:
        """The place of a token among those that are allowed."""
        place = int(np.searchsorted(self.token_ids, token_id))
        return place if place < len(self.token_ids) and self.token_ids[place] == token_id else None

    def weigh(self) -> None:
        """Sum up what is left. Always from the addends: taking away what is lost would drift."""
        self.log_rest = _log_sum(self.log_probabilities)
        self.sum_up()

    def sum_up(self) -> bool:
        """The bound by those of the children; whether it has changed."""
        before, below = self.log_mass, [child.log_probability + child.log_mass for child in self.children.values()]
        self.log_mass = min(0.0, _log_sum(np.array([self.log_rest, *below])) if below else self.log_rest)
        return self.log_mass != before

    def draw(self, random: np.random.Generator) -> int:
        """A token by what is left of its probability. The bound is above 0."""
        left = random.random()
        for token_id, child in self.children.items():
            left -= math.exp(child.log_probability + child.log_mass - self.log_mass)
            if left < 0:
                return token_id
        if self.log_rest == -math.inf:  # rounding: the children had all of it
            return max(self.children, key=lambda id_: self.children[id_].log_probability + self.children[id_].log_mass)
        below = np.cumsum(np.exp(self.log_probabilities - self.log_rest))
        place = np.searchsorted(below, random.random() * below[-1], side="right")
        return int(self.token_ids[min(place, np.searchsorted(below, below[-1]))])


class PrefixTree:
    """What is known of the prefixes after a prompt: which tokens the form leaves, and how likely they are.

    Args:
        temperature: Divides the logits, before the mask.
        most_bytes: How large the tree may become; the prefixes that were followed longest ago are forgotten.
    """

    __slots__ = ("_bytes", "_log_least", "_most_bytes", "_recent", "_root", "_temperature")

    def __init__(self, *, temperature: float = 1.0, most_bytes: int = MOST_BYTES) -> None:
        self._temperature, self._most_bytes = temperature, most_bytes
        self._root: _Node | None = None
        self._recent: dict[_Node, None] = {}  # what was followed longest ago first; a node comes before its parent
        self._bytes, self._log_least = 0, 0.0

    def __len__(self) -> int:
        """How many prefixes it knows."""
        return len(self._recent)

    @property
    def bytes(self) -> int:
        """How large it is."""
        return self._bytes

    @property
    def log_form_probability(self) -> float:
        """At most how likely the model is to write a conforming text by itself, in nats; it never rises."""
        return self._log_least

    def log_mass(self, prefix: Sequence[int]) -> float:
        """At most how likely the model is to go on from a prefix to a conforming text, in nats; 0.0 of an unknown one.

        A text may be drawn elsewhere, such as from the guesses of a draft model, if a token is taken with what the
        model gives to it times the bound after it, and the text is given up with what a visit takes from its bound.
        """
        node = self.find(prefix)
        return 0.0 if node is None else node.log_mass

    def visit(self, prefix: Sequence[int], row: NDArray[Any], mask: NDArray[np.int32]) -> float:
        """Learn what the model says after a prefix; the bound after it.

        Args:
            prefix: Tokens after the prompt. All shorter ones must be known.
            row: The logits, of shape ``(width,)``.
            mask: The tokens that are allowed, as `formwright.allocate_bitmask` has them, of shape ``(words,)`` or
                ``(1, words)``. A budget is part of the form: always fill it with what is left of the same one.

        Raises:
            ArgumentError: A shorter prefix is not known, or the form does not allow the last token after it.
            DeadEnd: The largest logit is not a finite number.
        """
        if (known := self.find(prefix)) is not None:
            return known.log_mass
        parent = self.find(prefix[:-1]) if prefix else None
        place = None if parent is None else parent.place_of(prefix[-1])
        if prefix and (parent is None or place is None):
            said = "is not known" if parent is None else f"does not allow {prefix[-1]}"
            raise ArgumentError(f"the prefix {list(prefix[:-1])} {said}", argument="prefix")
        node = self._make_node(row, mask)
        if parent is None or place is None:
            self._root = node
        else:
            node.parent, node.token_id = parent, int(prefix[-1])
            node.log_probability = float(parent.log_probabilities[place])
            parent.log_probabilities[place] = -math.inf
            parent.children[node.token_id] = node
            parent.weigh()
            self._sum_up(parent.parent)
        self._bytes += node.bytes
        self._lower()
        self._shrink(spared=self.touch(node))
        return node.log_mass

    def _make_node(self, row: NDArray[Any], mask: NDArray[np.int32]) -> _Node:
        scores = log_softmax(row, self._temperature)
        if not np.isfinite(scores.max()):
            raise DeadEnd("some logits of the model are not numbers")
        allowed = allowed_tokens(mask)
        allowed = allowed[: np.searchsorted(allowed, len(scores))]
        given = allowed[scores[allowed] > -np.inf]
        node = _Node(given, scores[given])
        node.weigh()
        return node

    def find(self, prefix: Sequence[int]) -> _Node | None:
        """What is known of a prefix."""
        node = self._root
        for token_id in prefix:
            if node is None:
                return None
            node = node.children.get(int(token_id))
        return node

    def _sum_up(self, node: _Node | None) -> None:
        """Carry a bound that has changed up to the root."""
        while node is not None and node.sum_up():
            node = node.parent

    def _lower(self) -> None:
        if self._root is not None:
            self._log_least = min(self._log_least, self._root.log_mass)

    def touch(self, node: _Node | None) -> int:
        """Note that a path was followed; how many nodes it has."""
        count = 0
        while node is not None:
            self._recent.pop(node, None)
            self._recent[node] = None
            node, count = node.parent, count + 1
        return count

    def _shrink(self, spared: int) -> None:
        """Forget what was followed longest ago, until the tree is small enough.

        To forget is sound: the bound of what may be below is 1 again, and the next walk that comes there asks anew.
        """
        while self._bytes > self._most_bytes and len(self._recent) > spared:
            node = next(iter(self._recent))
            del self._recent[node]
            self._bytes -= node.bytes
            parent = node.parent
            if parent is not None:
                del parent.children[node.token_id]
                parent.log_probabilities[parent.place_of(node.token_id)] = node.log_probability
                parent.weigh()
                self._sum_up(parent.parent)


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
        self._calls, self._max_calls, self._drawn, self._returns = 0, MAX_CALLS, 0, 1
        self._runtime: Any = None
        self._seen: tuple[int, ...] = ()

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
        since = time.perf_counter()
        self._calls, self._max_calls, self._returns = 0, max_calls, returns
        walks: list[_Walk] = []
        while len(walks) < returns:
            self._drawn = len(walks)
            matcher, token_ids = self._start.fork(), list[int]()
            try:
                walk = self._walk(random, matcher, token_ids)
            except _Cancelled:
                cut = spell_text(matcher.accepted_bytes)[len(self._prefix) :]
                return Truncated(reason="cancel", text=cut, token_ids=tuple(token_ids), **self._describe(since))
            if walk is not None:
                walks.append(walk)
        found = [self._complete(walk, since) for walk in walks]
        return replace(found[0], alternatives=tuple(found))

    def _complete(self, walk: _Walk, since: float) -> Complete[Any]:
        data = walk.matcher.accepted_bytes
        return complete(
            self.constraint.form,
            data,
            text=spell_text(data)[len(self._prefix) :],
            token_ids=walk.token_ids,
            log_probability=walk.log_probability,
            log_form_probability=self.tree.log_form_probability,
            **self._describe(since),
        )

    def _describe(self, since: float) -> dict[str, Any]:
        return {
            "prompt_tokens": self._prompt_tokens,
            "model_calls": self._calls,
            "forced_tokens": 0,
            "seconds": time.perf_counter() - since,
        }

    def _walk(self, random: np.random.Generator, matcher: Matcher, token_ids: list[int]) -> _Walk | None:
        """Go down the tree to a text; ``None`` where the walk stops."""
        tree, node = self.tree, self.tree.find(())
        promised = 0.0 if node is None else node.log_mass
        while True:
            if self._limits.cancel is not None and self._limits.cancel():
                raise _Cancelled
            if node is None:
                node = self._learn(matcher, token_ids)
            if node.log_mass < promised and random.random() >= math.exp(node.log_mass - promised):
                break
            token_id = node.draw(random)
            if token_id in self._ends:
                tree.touch(node)
                return _Walk(matcher, tuple(token_ids), node.log_path + node.log_sum(self._ends))
            child = node.children.get(token_id)
            promised = 0.0 if child is None else child.log_mass
            matcher.accept_token(token_id)
            token_ids.append(token_id)
            node = child
        if tree.log_form_probability == -math.inf:
            raise DeadEnd("the model gives no text of this form a probability")
        return None

    def _learn(self, matcher: Matcher, token_ids: list[int]) -> _Node:
        """Ask the model what comes after a prefix, and after the tokens that are forced there."""
        masks, forced = [self._fill_mask(matcher, len(token_ids))], list[int]()
        ahead = matcher.fork() if self._can_score else None
        while ahead is not None and len(forced) < _MOST_FORCED:
            only = allowed_tokens(masks[-1])
            if len(only) != 1 or int(only[0]) in self._ends:
                break
            forced.append(int(only[0]))
            ahead.accept_token(forced[-1])
            masks.append(self._fill_mask(ahead, len(token_ids) + len(forced)))
        for count, (row, mask) in enumerate(zip(self._ask(token_ids, forced), masks, strict=True)):
            check_width(row.shape[-1], self.constraint.vocabulary)
            self.tree.visit([*token_ids, *forced[:count]], row, mask)
        node = self.tree.find(token_ids)
        assert node is not None
        return node

    @property
    def _can_score(self) -> bool:
        return hasattr(self._scorer.fill()[0], "score")

    def _fill_mask(self, matcher: Matcher, written: int) -> NDArray[np.int32]:
        mask = allocate_bitmask(1, self.constraint.vocabulary)
        matcher.fill_bitmask(mask, budget=int(self._limits.max_tokens) - written)
        return mask

    def _ask(self, token_ids: Sequence[int], forced: Sequence[int]) -> list[NDArray[Any]]:
        """The logits after a prefix, and after each of the forced tokens that follow it."""
        rows: list[NDArray[Any]] = []
        if not token_ids:
            self._count_call()
            rows.append(self._scorer.first)
            if not forced:
                return rows
        self._count_call()
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
        """The model, which holds fewer than the first ``count`` of some tokens after the prompt, and those it lacks.

        It goes on where the last walk left it if it can, else from the prompt.
        """
        runtime, held = self._runtime, len(self._seen)
        self._runtime = None  # an error in its call would leave it with other tokens than noted
        if runtime is None or held >= max(count, 1) or self._seen != token_ids[:held]:
            return self._scorer.open_runtime(), list(token_ids)
        return runtime, list(token_ids[held:])

    def _count_call(self) -> None:
        """Count a call of the model, before it. Raises LimitExceeded."""
        if self._calls < self._max_calls:
            self._calls += 1
            return
        bound = self.tree.log_form_probability
        raise LimitExceeded(
            f"{self._drawn} of {self._returns} texts were drawn within max_calls={self._max_calls}; the log probability"
            f" that the model writes a text of this form by itself is at most {bound:.1f}",
            hint='describe the form in the prompt (instruct=True does), raise max_calls, or pass fidelity="smc"',
            limit="max_calls",
            value=self._max_calls + 1,
            allowed=self._max_calls,
        )


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


class _Cancelled(Exception):
    """Somebody has cancelled the draws."""


def check_adaptive(returns: object, max_calls: object) -> None:
    """Refuse numbers of draws and calls that cannot be. Raises ArgumentError."""
    for name, value in (("returns", returns), ("max_calls", max_calls)):
        is_positive = isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= 1
        require(bool(is_positive), name, value, "an integer from 1 on")


def _log_sum(scores: NDArray[np.float64]) -> float:
    best = float(scores.max()) if len(scores) else -math.inf
    return best if best == -math.inf else best + math.log(float(np.exp(scores - best).sum()))
