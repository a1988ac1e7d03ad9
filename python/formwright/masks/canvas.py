"""A text whose tokens become known in any order: exact masks of every hole, for diffusion models.

::

    canvas = constraint.canvas(8)                       # 8 holes
    mask = fw.allocate_bitmask(len(canvas), vocabulary)
    index = canvas.fill_bitmasks(mask)                  # mask[index[i]] is the mask of hole i
    tokens = [fw.allowed_tokens(mask[index[at]])[0] for at in (7, 0)]
    taken = canvas.place_all([7, 0], tokens)            # in this order, each against those before it
    canvas.lift([0])                                    # a hole again; canvas.text, once no hole is left

**A token fits in a hole exactly if** some tokens in all other holes make the canvas a conforming text, then ends of
text up to the last position. So what single masks allow need not fit together: two tokens of one step, each allowed by
its mask, may exclude one another. All that is written goes by `Canvas.place` or `Canvas.place_all`; what they refuse
stays a hole and is chosen again from its new mask. `Canvas.best` and `Canvas.draw` choose all holes together, unless
the form is recursive.

Cost: a known token changes masks to its left and right up to where the form is indifferent to it; most masks are equal,
so a few dozen rows serve hundreds of holes. Of a form that nests, all masks may change, and take longer: what may be on
the stack is looked at too. Work is done without the interpreter lock.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from formwright import _kernel
from formwright._kernel import RowBuffer, Vocabulary
from formwright.errors import ArgumentError

__all__ = ["Canvas", "Filling", "start_random"]


class Filling(NamedTuple):
    """Tokens for all positions of a canvas.

    Attributes:
        token_ids: By position; known tokens as they are.
        log_probability: The sum of the log probabilities of the tokens of the holes.
        log_form_probability: Of a draw: the logarithm of the probability that holes, each filled from its own row, are
            a conforming text. ``None`` of the best filling.
    """

    token_ids: list[int]
    log_probability: float
    log_form_probability: float | None


class Canvas:
    """Positions with known tokens and holes. Made by `formwright.Constraint.canvas`; not for two threads at once.

    ``len(canvas)`` is the number of positions.
    """

    def __init__(self, kernel: _kernel.Canvas, vocabulary: Vocabulary) -> None:
        self._kernel, self._vocabulary = kernel, vocabulary

    def place(self, position: int, token_id: int) -> None:
        """Put a token into a position, also in place of a known one.

        Args:
            position: Counted from 0.
            token_id: The token, or an end of text.

        Raises:
            TokenRejected: It does not fit there, given all known tokens; the canvas is unchanged.
            ArgumentError: There is no such position.
            VocabularyError: There is no such token.
            LimitExceeded: Texts of the form nest, and what may be around the tokens takes too much memory or work; the
                canvas is unchanged.
            Interrupted: The work was ended from outside; the canvas is unchanged.
        """
        self._kernel.place(position, token_id)

    def place_all(self, positions: Sequence[int], token_ids: Sequence[int]) -> list[bool]:
        """Put tokens into positions, one after the other: each stays if it fits beside those before it.

        Args:
            positions: Counted from 0, the most trusted one first.
            token_ids: The token of each.

        Returns:
            Of each token whether it was placed when its turn came.

        Raises:
            ArgumentError, VocabularyError: As `place`, there are not as many token ids, or a position is given twice;
                the canvas is unchanged.
            LimitExceeded, Interrupted: As `place`; tokens placed before the failing one stay placed.
        """
        if len(set(positions)) < len(positions):
            twice = next(position for position in positions if list(positions).count(position) > 1)
            raise ArgumentError(f"position {twice} is given twice", argument="positions")
        return self._kernel.place_all(positions, token_ids)

    def lift(self, positions: Sequence[int]) -> None:
        """Make positions holes again, as remasking and renoising do. Those that are holes stay holes.

        Raises:
            ArgumentError: There is no such position; the canvas is unchanged.
        """
        self._kernel.lift(positions)

    def fill_bitmasks(self, mask: NDArray[np.int32] | RowBuffer) -> NDArray[np.int32]:
        """Write the masks of all holes, equal ones once.

        Args:
            mask: As `formwright.Matcher.fill_bitmask`. A row for each hole always suffices; rows that are not needed
                stay as they are.

        Returns:
            int32 of shape ``(len(canvas),)``: by position its row of ``mask``, -1 where the token is known.

        Raises:
            TypeError: ``mask`` is not a writable int32 buffer.
            ArgumentError: Its rows do not fit the vocabulary, or are too few; nothing was written.
            LimitExceeded, Interrupted: As `place`; nothing was written.
        """
        return np.array(self._kernel.fill_bitmasks(mask), dtype=np.int32)

    def best(self, log_probabilities: Any) -> Filling:
        """The most probable filling of all holes together, where the holes are independent but for the form (Viterbi).

        The canvas is unchanged.

        Args:
            log_probabilities: A float32 array, or what converts to one, of shape ``(len(canvas), width)`` with at least
                as many columns as logits. Rows of known positions are not read. Logits give the same tokens, but then
                the two sums of a `Filling` are not logarithms of probabilities.

        Raises:
            ArgumentError: The shape does not fit; NaN or plus infinity is given for a token that fits; every conforming
                filling has probability zero; the form is recursive.
            LimitExceeded: The canvas has too many positions and states for it.
            Interrupted: The work was ended from outside.
        """
        token_ids, log_probability, _ = self._kernel.best(_as_rows(log_probabilities))
        return Filling(token_ids, log_probability, None)

    def draw(self, log_probabilities: Any, *, seed: int | None = None) -> Filling:
        """A filling of all holes, drawn with its probability among the conforming fillings.

        The holes are independent but for the form (forward filtering, backward sampling). The canvas is unchanged.

        Args:
            log_probabilities: As for `best`.
            seed: Makes the draw repeatable.

        Raises:
            ArgumentError, LimitExceeded, Interrupted: As `best`; ArgumentError also for a negative seed.
        """
        uniform = start_random(seed).random((len(self), 2))
        return Filling(*self._kernel.draw(_as_rows(log_probabilities), uniform))

    def marginals(self, log_probabilities: Any) -> NDArray[np.float32]:
        """The probability of each token in each position, given the form and the known tokens.

        What `draw` draws in a hole has these probabilities (the forward-backward algorithm).

        Args:
            log_probabilities: As for `best`.

        Returns:
            float32 of shape ``(len(canvas), logits_size)``: rows sum to 1; that of a known position is 1 at its token.

        Raises:
            ArgumentError, LimitExceeded, Interrupted: As `best`.
        """
        probabilities = np.zeros((len(self), self._vocabulary.logits_size), dtype=np.float32)
        self._kernel.marginals(_as_rows(log_probabilities), probabilities.view(np.int32))
        return probabilities

    @property
    def is_recursive(self) -> bool:
        """Whether the form is recursive; then `best`, `draw` and `marginals` are refused."""
        return self._kernel.is_recursive

    @property
    def holes(self) -> list[int]:
        """The positions whose token is not known, ascending."""
        return self._kernel.holes

    @property
    def token_ids(self) -> list[int | None]:
        """By position: its token; ``None`` is a hole."""
        return self._kernel.token_ids

    @property
    def text(self) -> str | None:
        """The text, control tokens by name; ``None`` as long as there are holes.

        Of a text that goes on after the canvas, a character that is not complete is left out.
        """
        data = self._kernel.text
        return None if data is None else data.decode(errors="ignore")

    @property
    def form_size(self) -> tuple[int, int]:
        """How many states the form has that tokens lead to, and how many edges are between them."""
        return self._kernel.form_size

    @property
    def nbytes(self) -> int:
        """Bytes of memory held, roughly, beside what all canvases of the constraint share."""
        return self._kernel.nbytes

    def fork(self) -> Self:
        """An independent copy with the same tokens."""
        return type(self)(self._kernel.fork(), self._vocabulary)

    def __copy__(self) -> Self:
        return self.fork()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.fork()

    def __len__(self) -> int:
        return len(self._kernel)

    def __repr__(self) -> str:
        return f"Canvas({len(self)} positions, {len(self.holes)} holes)"


def start_random(seed: int | None) -> np.random.Generator:
    """Start a source of random numbers; one without a seed never repeats itself.

    Raises:
        ArgumentError: The seed is not an integer of 0 or more.
    """
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise ArgumentError(f"seed: expected an integer of 0 or more, got {seed!r}", argument="seed") from None


def _as_rows(log_probabilities: Any) -> NDArray[np.int32]:
    """The bits of float32 rows, which the kernel reads without a copy. Raises ArgumentError: They are not numbers."""
    try:
        return np.ascontiguousarray(log_probabilities, dtype=np.float32).view(np.int32)
    except (TypeError, ValueError) as error:
        raise ArgumentError(
            f"log_probabilities: expected rows of numbers: {error}", argument="log_probabilities"
        ) from None
