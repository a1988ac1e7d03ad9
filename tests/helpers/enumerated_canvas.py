"""A canvas by enumeration: every filling of all positions is a row of one table, and all answers are sums over rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

import formwright as fw


class Filling(NamedTuple):
    token_ids: list[int]
    log_probability: float
    log_form_probability: float | None


class EnumeratedCanvas:
    """A canvas for a finite set of texts.

    A filling is the tokens of a text, then ends of text; with ``after``, also the first tokens of a text that has at
    most so many more.
    """

    is_recursive = False

    def __init__(self, texts: Iterable[bytes], vocabulary: fw.Vocabulary, length: int, after: int = 0) -> None:
        self.vocabulary = vocabulary
        self.tokens = {id_: token for id_ in range(len(vocabulary)) if (token := vocabulary.token(id_))}
        self.tokens = {id_: token for id_, token in self.tokens.items() if id_ not in vocabulary.eos_token_ids}
        fillings = {
            (*spelling[:length], *ends)
            for text in set(texts)
            for spelling in spell(text, self.tokens, length + after)
            for ends in product(sorted(vocabulary.eos_token_ids), repeat=max(0, length - len(spelling)))
        }
        self.fillings = np.array(sorted(fillings), np.intp).reshape(-1, length)
        self.known = np.full(length, -1, np.intp)

    def find_fillings(self) -> np.ndarray:
        """The fillings that have all known tokens."""
        holds = self.known >= 0
        return self.fillings[(self.fillings[:, holds] == self.known[holds]).all(-1)]

    def place(self, position: int, token_id: int) -> None:
        before = self.known.copy()
        self.known[position] = token_id
        if not len(self.find_fillings()):
            self.known = before
            raise fw.errors.TokenRejected("it does not fit", token_id=token_id, token=None)

    def place_all(self, positions: Sequence[int], token_ids: Sequence[int]) -> list[bool]:
        return [self._is_placed(*each) for each in zip(positions, token_ids, strict=True)]

    def _is_placed(self, position: int, token_id: int) -> bool:
        try:
            self.place(position, token_id)
        except fw.errors.TokenRejected:
            return False
        return True

    def lift(self, positions: Sequence[int]) -> None:
        self.known[list(positions)] = -1

    def fill_bitmasks(self, mask: np.ndarray) -> np.ndarray:
        rows, index = dict[bytes, int](), np.full(len(self.known), -1, np.int32)
        for hole in self.holes:
            words = np.zeros(self.vocabulary.mask_words, np.int32)
            for token_id in np.unique(self.find_fillings()[:, hole]):
                words.view(np.uint32)[token_id >> 5] |= np.uint32(1 << (token_id & 31))
            index[hole] = rows.setdefault(words.tobytes(), len(rows))
            mask[index[hole]] = words
        return index

    def weigh(self, log_probabilities: Any) -> tuple[np.ndarray, np.ndarray]:
        """The fillings, and the log probability of each: of the tokens of its holes."""
        rows, fillings, holes = np.asarray(log_probabilities, np.float64), self.find_fillings(), self.holes
        return fillings, rows[holes, fillings[:, holes]].sum(-1)

    def best(self, log_probabilities: Any) -> Filling:
        fillings, weights = self.weigh(log_probabilities)
        return Filling(fillings[weights.argmax()].tolist(), float(weights.max()), None)

    def draw(self, log_probabilities: Any, *, seed: int | None = None) -> Filling:
        fillings, weights = self.weigh(log_probabilities)
        total = np.logaddexp.reduce(weights)
        drawn = np.random.default_rng(seed).choice(len(fillings), p=np.exp(weights - total))
        return Filling(fillings[drawn].tolist(), float(weights[drawn]), float(total))

    def marginals(self, log_probabilities: Any) -> np.ndarray:
        fillings, weights = self.weigh(log_probabilities)
        shares, found = np.exp(weights - np.logaddexp.reduce(weights)), np.zeros(np.shape(log_probabilities))
        for position in range(len(self)):
            np.add.at(found[position], fillings[:, position], shares)
        return found

    @property
    def holes(self) -> list[int]:
        return np.flatnonzero(self.known < 0).tolist()

    @property
    def token_ids(self) -> list[int | None]:
        return [None if token_id < 0 else int(token_id) for token_id in self.known]

    @property
    def text(self) -> str | None:
        if self.holes:
            return None
        return b"".join(self.tokens.get(token_id, b"") for token_id in self.known.tolist()).decode(errors="ignore")

    def fork(self) -> EnumeratedCanvas:
        twin = object.__new__(type(self))
        twin.__dict__ = {**self.__dict__, "known": self.known.copy()}
        return twin

    def __len__(self) -> int:
        return len(self.known)


def spell(text: bytes, tokens: dict[int, bytes], most: int) -> Iterator[tuple[int, ...]]:
    """Every way to write a text in at most so many tokens."""
    if not text:
        yield ()
    elif most:
        for token_id, token in tokens.items():
            if text.startswith(token):
                yield from ((token_id, *rest) for rest in spell(text[len(token) :], tokens, most - 1))
