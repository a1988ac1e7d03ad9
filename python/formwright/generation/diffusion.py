"""Write texts by a diffusion model, which fills the positions of a canvas in any order: one loop, two policies.

::

    vocabulary = fw.Vocabulary([b"", b"a", b"b", b"c", None], eos_token_ids=[0])
    canvas = fw.compile(fw.choice("ab", "cab"), vocabulary).canvas(4)
    denoise = CountingDenoiser([[1, 2, 0, 0], [3, 1, 2, 0]], 5, mask_id=4)     # or a model
    for step in fill_canvas(canvas, vocabulary, denoise, [], LowConfidence(mask_id=4, tokens=2)):
        print(step.token_ids)                                                  # after each call of the model
    canvas.text                                                                # 'ab'

A diffusion model sees all positions at once and says what each may hold, independently of what it says of the others.
So tokens of one step that each fit the form by themselves may exclude each other. The loop therefore chooses tokens
from the exact mask of each hole, and places one after the other, the most certain one first. A token that no longer
fits is refused, and another one is chosen for its position from its new mask, by what the model has said in this step:
the number of calls is that without a form.

`LowConfidence` keeps what it has placed, as LLaDA (arXiv 2502.09992) and Dream (arXiv 2508.15487) do. `EntropyBound`
(arXiv 2505.24857) places all tokens anew in each step, as DiffusionGemma does. Positions that are known beforehand stay
as they are: text may be given anywhere.

Cost: for each step one call of the model, the masks of all holes, and a softmax over the row of each hole; the same for
refused tokens without a call.
`CountingDenoiser` is a toy model for tests and examples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from formwright._kernel import Vocabulary
from formwright.errors import ArgumentError, DeadEnd, LimitExceeded
from formwright.generation.sampler import is_count, require
from formwright.generation.strategies.beams import log_softmax
from formwright.masks.arrays import allocate_bitmask, apply_bitmask
from formwright.masks.canvas import Canvas, start_random

__all__ = [
    "Choice",
    "CountingDenoiser",
    "Denoiser",
    "EntropyBound",
    "LowConfidence",
    "Policy",
    "Step",
    "fill_canvas",
    "mask_rows",
    "measure_entropies",
]

Denoiser = Callable[[Sequence[int], NDArray[np.intp]], NDArray[Any]]
"""A model: of a prompt's tokens and the tokens of a canvas, of shape ``(length,)``, it returns the log probability of
each token in each position, of shape ``(length, width)``."""

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Choice:
    """Tokens for some holes, the most certain one first."""

    positions: list[int]
    token_ids: list[int]


@dataclass(frozen=True, slots=True)
class Step:
    """What a canvas holds after a step.

    Attributes:
        token_ids: The token of each position; ``None`` is a hole.
        placed: The positions that were filled in this step, in this order.
        refused: The positions whose token did not fit beside those placed before it, each time; then another one was
            chosen.
    """

    token_ids: tuple[int | None, ...]
    placed: tuple[int, ...]
    refused: tuple[int, ...]


class Policy(Protocol):
    """Which tokens a step keeps."""

    def count_steps(self, holes: int) -> int:
        """Return how many steps may be made; the last one fills the holes that are left."""

    def show(self, token_ids: Sequence[int | None], width: int, random: np.random.Generator) -> NDArray[np.intp]:
        """Return the tokens that the model is shown, with something in place of the holes."""

    def remask(self, written: Sequence[int]) -> Sequence[int]:
        """Return which of the positions that the loop has filled become holes before tokens are chosen."""

    def choose(self, scores: Scores, holes: Sequence[int], left: float, random: np.random.Generator) -> Choice:
        """Choose tokens for some holes.

        Args:
            scores: What the model says of each hole, masked, of shape ``(holes, width)``; not normalised.
            holes: Their positions.
            left: The share of steps that are left, from 1 down.
            random: Where draws come from.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class LowConfidence:
    """Keep the most confident tokens of each step for good; the other positions are masked again.

    Attributes:
        mask_id: The token that the model is shown in a hole.
        tokens: How many tokens a step may keep.
        temperature: Divides the scores before a token is drawn; 0 takes the most probable one. The confidence in a
            token is its probability at temperature 1, under the mask.

    Raises:
        ArgumentError: A value is out of range.
    """

    mask_id: int
    tokens: int = 1
    temperature: float = 0.0

    def __post_init__(self) -> None:
        require(is_count(self.tokens) and self.tokens >= 1, "tokens", self.tokens, "an integer from 1 on")
        require(0 <= self.temperature < np.inf, "temperature", self.temperature, "a number from 0 on")

    def count_steps(self, holes: int) -> int:  # noqa: D102
        return holes  # each step fills one at least

    def show(  # noqa: D102
        self, token_ids: Sequence[int | None], width: int, random: np.random.Generator
    ) -> NDArray[np.intp]:
        return np.array([self.mask_id if each is None else each for each in token_ids], np.intp)

    def remask(self, written: Sequence[int]) -> Sequence[int]:  # noqa: D102
        return ()

    def choose(  # noqa: D102
        self, scores: Scores, holes: Sequence[int], left: float, random: np.random.Generator
    ) -> Choice:
        token_ids = _draw_tokens(scores, self.temperature, random)
        confidences = log_softmax(scores)[np.arange(len(holes)), token_ids]
        order = np.argsort(-confidences, kind="stable")[: self.tokens]
        return Choice([holes[at] for at in order], token_ids[order].tolist())


@dataclass(frozen=True, slots=True, kw_only=True)
class EntropyBound:
    """Accept the positions that the model is most certain of, in each step anew; the others show random tokens.

    Positions are accepted in ascending order of entropy, as long as the entropies of those before sum up to the bound
    at most: these tokens are nearly independent. All others are holes, whatever the model is shown there.

    Attributes:
        bound: The sum of entropies, in nats.
        steps: How many steps may be made.
        least_temperature: Divides the scores in the last step.
        most_temperature: Divides the scores in the first step.

    Raises:
        ArgumentError: A value is out of range.
    """

    bound: float = 0.1
    steps: int = 48
    least_temperature: float = 0.4
    most_temperature: float = 0.8

    def __post_init__(self) -> None:
        require(self.bound >= 0, "bound", self.bound, "a number from 0 on")
        require(is_count(self.steps) and self.steps >= 1, "steps", self.steps, "an integer from 1 on")
        for each in (self.least_temperature, self.most_temperature):
            require(0 < each < np.inf, "temperature", each, "a number above 0")

    def count_steps(self, holes: int) -> int:  # noqa: D102
        return self.steps

    def show(  # noqa: D102
        self, token_ids: Sequence[int | None], width: int, random: np.random.Generator
    ) -> NDArray[np.intp]:
        noise = random.integers(width, size=len(token_ids))
        return np.array(
            [other if each is None else each for each, other in zip(token_ids, noise, strict=True)], np.intp
        )

    def remask(self, written: Sequence[int]) -> Sequence[int]:  # noqa: D102
        return written

    def choose(  # noqa: D102
        self, scores: Scores, holes: Sequence[int], left: float, random: np.random.Generator
    ) -> Choice:
        temperature = self.least_temperature + left * (self.most_temperature - self.least_temperature)
        entropies = measure_entropies(scores, temperature)
        order = np.argsort(entropies, kind="stable")
        before = np.cumsum(entropies[order]) - entropies[order]
        accepted = order[before <= self.bound]
        token_ids = _draw_tokens(scores[accepted], temperature, random)
        return Choice([holes[at] for at in accepted], token_ids.tolist())


def fill_canvas(
    canvas: Canvas,
    vocabulary: Vocabulary,
    denoise: Denoiser,
    prompt_ids: Sequence[int],
    policy: Policy,
    *,
    seed: int | None = None,
) -> Iterator[Step]:
    """Fill all holes of a canvas by a diffusion model. Each step is one call of the model.

    Holes that the policy leaves in its last step are filled from the rows of that step: together, by `Canvas.best`; of
    a recursive form one by one, the most certain token first.

    Args:
        canvas: The canvas. Tokens that are known beforehand are kept.
        vocabulary: That of the canvas.
        denoise: The model.
        prompt_ids: The tokens of the prompt.
        policy: Which tokens a step keeps.
        seed: Makes the draws repeatable.

    Yields:
        What the canvas holds after each step. After the last one, it has no holes.

    Raises:
        ArgumentError: The model's rows are not of shape ``(length, width)``, or too narrow; or they give every filling
            of the holes that are left after the last step a probability of zero; the seed is negative.
        DeadEnd: The model gives no token that fits a probability, or its log probabilities are not numbers.
    """
    random, pinned = start_random(seed), {at for at, each in enumerate(canvas.token_ids) if each is not None}
    most = policy.count_steps(len(canvas.holes))
    for step in range(most):
        if not canvas.holes:
            return
        rows = np.asarray(denoise(prompt_ids, policy.show(canvas.token_ids, vocabulary.logits_size, random)))
        _check_rows(rows, len(canvas), vocabulary)
        canvas.lift(policy.remask(sorted({*range(len(canvas))} - pinned - {*canvas.holes})))
        placed, refused = list[int](), list[int]()
        wanted = canvas.holes
        while wanted:
            scores = mask_rows(canvas, vocabulary, rows, wanted)
            choice = policy.choose(scores, wanted, 1 - step / most, random)
            taken = canvas.place_all(choice.positions, choice.token_ids)
            placed += [at for at, fits in zip(choice.positions, taken, strict=True) if fits]
            wanted = sorted(at for at, fits in zip(choice.positions, taken, strict=True) if not fits)
            refused += wanted
        if step == most - 1:
            placed += _fill_rest(canvas, vocabulary, rows)
        yield Step(tuple(canvas.token_ids), tuple(placed), tuple(refused))


def _fill_rest(canvas: Canvas, vocabulary: Vocabulary, rows: NDArray[Any]) -> list[int]:
    """Fill the holes that are left, and return their positions in the order in which they were filled."""
    if not canvas.is_recursive:
        if left := canvas.holes:
            best = canvas.best(rows).token_ids
            canvas.place_all(left, [best[at] for at in left])
        return left
    order = []
    while holes := canvas.holes:
        logs = log_softmax(mask_rows(canvas, vocabulary, rows))
        hole, token_id = divmod(int(logs.argmax()), logs.shape[1])
        canvas.place(holes[hole], token_id)
        order.append(holes[hole])
    return order


def mask_rows(canvas: Canvas, vocabulary: Vocabulary, rows: NDArray[Any], holes: Sequence[int] | None = None) -> Scores:
    """Return the rows of holes with minus infinity for tokens that do not fit, float64 of shape ``(holes, width)``.

    Args:
        canvas: The canvas.
        vocabulary: That of the canvas.
        rows: What the model says of each position.
        holes: Which holes; ``None`` is all of them, ascending.

    Raises:
        DeadEnd: The largest score that fits somewhere is not a finite number.
    """
    holes = canvas.holes if holes is None else holes
    mask = allocate_bitmask(len(canvas.holes), vocabulary)
    index = canvas.fill_bitmasks(mask)
    scores = np.array(rows[holes], np.float64)
    apply_bitmask(scores, mask[index[holes]])
    for hole, best in zip(holes, scores.max(-1, initial=-np.inf), strict=True):
        if not np.isfinite(best):
            raise DeadEnd(f"the model gives no token that fits at position {hole} a finite log probability")
    return scores


def measure_entropies(scores: Scores, temperature: float = 1.0) -> NDArray[np.float64]:
    """Return the entropy of each row, in nats, of shape ``(rows,)``.

    Args:
        scores: Log probabilities up to a constant for each row, of shape ``(rows, width)``.
        temperature: Divides them; above 0.
    """
    logs = log_softmax(scores, temperature)
    logs = np.where(np.isfinite(logs), logs, 0.0)  # forbidden tokens add nothing
    return -np.asarray((np.exp(logs) * logs).sum(-1))


def _draw_tokens(scores: Scores, temperature: float, random: np.random.Generator) -> NDArray[np.intp]:
    """Draw a token of each row; at temperature 0 the most probable one (Gumbel-max)."""
    if temperature:
        with np.errstate(over="ignore"):
            scores = (scores - scores.max(-1, keepdims=True)) / temperature + random.gumbel(size=scores.shape)
    return np.asarray(scores.argmax(-1))


def _check_rows(rows: NDArray[Any], length: int, vocabulary: Vocabulary) -> None:
    """Refuse rows of a model that do not fit the canvas. Raises ArgumentError."""
    if rows.ndim != 2 or len(rows) != length or rows.shape[1] < vocabulary.logits_size:
        expected = f"({length}, {vocabulary.logits_size} or more)"
        raise ArgumentError(f"denoise: expected rows of shape {expected}, got {rows.shape}", argument="denoise")


class CountingDenoiser:
    """A toy model: a token is as likely as it was at this place, and beside the nearest known tokens, in some texts.

    It is wrong often enough to need a form, and right often enough to be asked. Cost: ``length * width ** 2`` counts.

    Args:
        texts: The tokens of texts of equal length, of shape ``(texts, length)``; ends of text fill short ones.
        width: The number of token ids.
        mask_id: The token of a hole; without one, all tokens count as known.

    Raises:
        ArgumentError: There is no text, or a token is out of range.
        LimitExceeded: There would be more than 2^24 counts.
    """

    def __init__(self, texts: ArrayLike, width: int, *, mask_id: int | None = None) -> None:
        rows = np.asarray(texts, np.intp)
        require(rows.ndim == 2 and rows.size > 0, "texts", rows.shape, "tokens of shape (texts, length)")
        _check_ids("texts", rows, width)
        self._mask_id, length = mask_id, rows.shape[1]
        if (counts := length * width**2) > _MOST_COUNTS:
            said = f"a toy model of {counts:,} counts: it may have {_MOST_COUNTS:,}"
            raise LimitExceeded(said, hint="use fewer tokens", limit="counts", value=counts, allowed=_MOST_COUNTS)
        places, pairs = np.full((length, width), _SMOOTHING), np.full((length, width, width), _SMOOTHING)
        np.add.at(places, (np.broadcast_to(np.arange(length), rows.shape), rows), 1)
        for apart in range(1, length):
            np.add.at(pairs[apart], (rows[:, :-apart], rows[:, apart:]), 1)
        self._places = np.log(places / places.sum(-1, keepdims=True))
        self._after = np.log(pairs / pairs.sum(2, keepdims=True))  # [apart, token on the left]: tokens on its right
        self._before = np.log(pairs / pairs.sum(1, keepdims=True)).swapaxes(1, 2)

    def __call__(self, prompt_ids: Sequence[int], canvas_ids: NDArray[np.intp]) -> Scores:
        """Return the log probabilities of all tokens in all positions, of shape ``(length, width)``.

        Raises:
            ArgumentError: A token is out of range, or there are not as many as positions.
        """
        length, width = self._places.shape
        require(np.shape(canvas_ids) == (length,), "canvas_ids", np.shape(canvas_ids), f"{length} tokens")
        shown = np.asarray(canvas_ids)
        _check_ids("canvas_ids", shown[shown != self._mask_id], width)
        known = [at for at, each in enumerate(canvas_ids) if each != self._mask_id]
        scores = np.array(self._places)
        for at in range(len(scores)):
            if left := [each for each in known if each < at]:
                scores[at] += self._after[at - left[-1], canvas_ids[left[-1]]]
            if right := [each for each in known if each > at]:
                scores[at] += self._before[right[0] - at, canvas_ids[right[0]]]
        return log_softmax(scores)


def _check_ids(name: str, token_ids: NDArray[Any], width: int) -> None:
    """Refuse ids of tokens that there are not. Raises ArgumentError."""
    for token_id in token_ids[(token_ids < 0) | (token_ids >= width)][:1]:
        raise ArgumentError(f"{name}: expected tokens from 0 to {width - 1}, got {token_id}", argument=name)


_MOST_COUNTS = 1 << 24

_SMOOTHING = 0.02
"""What a pair of tokens that was never seen counts."""
