"""A tree of prefixes that bounds how likely a model is to go on to a conforming text: what adaptive draws learn.

::

    vocabulary = fw.Vocabulary([b"", b"a", b"b"], eos_token_ids=[0])
    matcher, mask = fw.compile(fw.literal("ab"), vocabulary).matcher(), fw.allocate_bitmask(1, vocabulary)
    tree = PrefixTree()
    matcher.fill_bitmask(mask, budget=3)
    round(tree.visit([], np.zeros(3), mask), 2)     # -1.1: "a" has a third of the model's probability
    tree.log_mass([1])                              # 0.0: after "a", nothing is known to be lost

A node is a prefix after which the model was asked. It holds what the model gives to each allowed token, and a bound:
the sum over these tokens of their probability times the bound after them, which is 1 where nothing is known. A bound
falls where a visit shows what the form forbids, and never rises but where a node is forgotten.

Cost: a visit takes time and memory in proportion to the allowed tokens, and a sum over the children of each prefix
before it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from formwright.errors import ArgumentError, DeadEnd
from formwright.generation.strategies.beams import log_softmax
from formwright.masks.arrays import allowed_tokens

__all__ = ["MOST_BYTES", "PrefixNode", "PrefixTree"]

MOST_BYTES = 256 << 20
"""Bytes that a tree holds at most, not counting the path that is being followed."""

_NODE_BYTES = 500
"""What a node takes beside its arrays, about."""


@dataclass(slots=True, eq=False)
class PrefixNode:
    """A prefix after which the model was asked.

    Attributes:
        token_ids: The tokens that are allowed here, ascending, int32 of shape ``(allowed,)``.
        log_probabilities: What the model gives to each of them, in nats; minus infinity for those with a child.
        parent: The prefix without its last token.
        token_id: That token.
        log_probability: What the model gives to it after the parent.
        log_rest: The log of the sum of ``log_probabilities``.
        log_mass: The bound: at most how likely the model is to go on to a conforming text from here.
        children: The nodes one token on.
    """

    token_ids: NDArray[np.int32]
    log_probabilities: NDArray[np.float64]
    parent: PrefixNode | None = None
    token_id: int = -1
    log_probability: float = 0.0
    log_rest: float = 0.0
    log_mass: float = 0.0
    children: dict[int, PrefixNode] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._sum_up()

    @property
    def bytes(self) -> int:
        """How large the node is, about, without its children."""
        return self.token_ids.nbytes + self.log_probabilities.nbytes + _NODE_BYTES

    @property
    def log_path(self) -> float:
        """What the model gives to the tokens of the prefix together, in nats."""
        return sum(node.log_probability for node in self.walk_up())

    @property
    def log_weight(self) -> float:
        """What the parent can still lead to by this node: what the model gives to its token, times the bound."""
        return self.log_probability + self.log_mass

    def walk_up(self) -> Iterator[PrefixNode]:
        """Iterate over the nodes from this one to the root."""
        node: PrefixNode | None = self
        while node is not None:
            yield node
            node = node.parent

    def log_sum(self, token_ids: Collection[int]) -> float:
        """Sum up what the model gives to some tokens without a child, in nats."""
        return _log_sum(self.log_probabilities[np.isin(self.token_ids, list(token_ids))])

    def draw(self, random: np.random.Generator) -> int:
        """Draw a token by its probability times the bound after it. The node's own bound must be above 0."""
        left = random.random()
        for token_id, child in self.children.items():
            left -= math.exp(child.log_weight - self.log_mass)
            if left < 0:
                return token_id
        if self.log_rest == -math.inf:  # rounding: the children have all of it
            return max(self.children.values(), key=lambda child: child.log_weight).token_id
        below = np.cumsum(np.exp(self.log_probabilities - self.log_rest))
        place = np.searchsorted(below, random.random() * below[-1], side="right")
        return int(self.token_ids[min(place, np.searchsorted(below, below[-1]))])

    def allows(self, token_id: int) -> bool:
        """Whether a token is allowed here, and the model gives it a probability."""
        place = np.searchsorted(self.token_ids, token_id)
        return bool(place < len(self.token_ids) and self.token_ids[place] == token_id)

    def attach(self, child: PrefixNode, token_id: int) -> None:
        """Put a child after an allowed token that has none."""
        place = np.searchsorted(self.token_ids, token_id)
        child.parent, child.token_id, child.log_probability = self, token_id, float(self.log_probabilities[place])
        self.log_probabilities[place] = -math.inf
        self.children[token_id] = child
        self._sum_up()

    def detach(self, child: PrefixNode) -> None:
        """Forget what is known after a token: the bound there is 1 again."""
        self.log_probabilities[np.searchsorted(self.token_ids, child.token_id)] = child.log_probability
        del self.children[child.token_id]
        self._sum_up()

    def _sum_up(self) -> None:
        """Compute the bounds from here up to the root. To subtract what is lost instead would drift."""
        self.log_rest = _log_sum(self.log_probabilities)
        for node in self.walk_up():
            before, weights = node.log_mass, [child.log_weight for child in node.children.values()]
            node.log_mass = min(0.0, _log_sum(np.array([node.log_rest, *weights])) if weights else node.log_rest)
            if node.log_mass == before:
                break


class PrefixTree:
    """What is known of the prefixes after a prompt: which tokens the form leaves, and how likely they are.

    Args:
        temperature: Divides the logits, before the mask.
        most_bytes: How large the tree may become; the prefixes that were followed longest ago are forgotten.
    """

    __slots__ = ("_bytes", "_log_least", "_most_bytes", "_recent", "_root", "_temperature")

    def __init__(self, *, temperature: float = 1.0, most_bytes: int = MOST_BYTES) -> None:
        self._temperature, self._most_bytes = temperature, most_bytes
        self._root: PrefixNode | None = None
        self._recent: dict[PrefixNode, None] = {}  # what was followed longest ago first; a node comes before its parent
        self._bytes, self._log_least = 0, 0.0

    def __len__(self) -> int:
        """Return how many prefixes are known."""
        return len(self._recent)

    @property
    def bytes(self) -> int:
        """How large the tree is, about."""
        return self._bytes

    @property
    def log_form_probability(self) -> float:
        """At most how likely the model is to write a conforming text by itself, in nats; it never rises."""
        return self._log_least

    def log_mass(self, prefix: Sequence[int]) -> float:
        """Return at most how likely the model is to go on from a prefix to a conforming text, in nats.

        It is 0.0 after an unknown prefix. A text may also be drawn elsewhere, such as from the guesses of a draft
        model, if each token is drawn by its probability times the bound after it, and a text is given up with the
        probability that a visit takes from its bound.
        """
        node = self.find(prefix)
        return 0.0 if node is None else node.log_mass

    def find(self, prefix: Sequence[int]) -> PrefixNode | None:
        """Find the node of a prefix; ``None`` if the model was not asked there, or it was forgotten."""
        node = self._root
        for token_id in prefix:
            if node is None:
                return None
            node = node.children.get(int(token_id))
        return node

    def visit(self, prefix: Sequence[int], row: NDArray[Any], mask: NDArray[np.int32]) -> float:
        """Learn what the model says after a prefix; return the bound after it, in nats.

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
        parent = self._find_parent(prefix)
        node = self._make_node(row, mask)
        if parent is None:
            self._root = node
        else:
            parent.attach(node, int(prefix[-1]))
        self._bytes += node.bytes
        self._log_least = min(self._log_least, self.log_mass(()))
        self._forget(spared=self.touch(node))
        return node.log_mass

    def touch(self, node: PrefixNode) -> int:
        """Note that the path to a node was followed; return how many nodes it has."""
        path = [*node.walk_up()]
        for each in path:
            self._recent.pop(each, None)
            self._recent[each] = None
        return len(path)

    def _find_parent(self, prefix: Sequence[int]) -> PrefixNode | None:
        """Find the node before a prefix; ``None`` before the empty one. Raises ArgumentError."""
        if not prefix:
            return None
        parent = self.find(prefix[:-1])
        if parent is None or not parent.allows(prefix[-1]):
            said = "is not known" if parent is None else f"does not allow {prefix[-1]}"
            raise ArgumentError(f"the prefix {list(prefix[:-1])} {said}", argument="prefix")
        return parent

    def _make_node(self, row: NDArray[Any], mask: NDArray[np.int32]) -> PrefixNode:
        scores = log_softmax(row, self._temperature)
        if not np.isfinite(scores.max()):
            raise DeadEnd("some logits of the model are not numbers")
        allowed = allowed_tokens(mask)
        allowed = allowed[: np.searchsorted(allowed, len(scores))]
        possible = allowed[scores[allowed] > -np.inf]
        return PrefixNode(possible.astype(np.int32), scores[possible])

    def _forget(self, spared: int) -> None:
        """Forget what was followed longest ago, until the tree is small enough.

        To forget is sound: the next walk that comes there asks the model again.
        """
        while self._bytes > self._most_bytes and len(self._recent) > spared:
            node = next(iter(self._recent))
            del self._recent[node]
            self._bytes -= node.bytes
            if node.parent is not None:
                node.parent.detach(node)


def _log_sum(scores: NDArray[np.float64]) -> float:
    best = float(scores.max()) if len(scores) else -math.inf
    return best if best == -math.inf else best + math.log(float(np.exp(scores - best).sum()))
