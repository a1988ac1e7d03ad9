"""The fields of a complete text, each with its probability.

::

    written = model.generate(prompt_ids, constraint)
    measuring = Measuring(Scorer(model.runtime.fork, prompt_ids), model.batch, constraint, prompt_ids)
    measuring.measure(written.token_ids)[""].basis           # 'exact'

The whole text is read once more, in one call of the model. Values that can be counted cost a call for each other value
that is likely enough to matter; see `formwright.generation.fields.counting`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from formwright._kernel import Constraint, Matcher
from formwright.errors import LimitExceeded, TokenRejected, VocabularyError
from formwright.generation.batch import Batch
from formwright.generation.fields.calibration import Calibration
from formwright.generation.fields.counting import ScoredRows, count_values
from formwright.generation.fields.field import Basis, Field, OtherValue
from formwright.generation.fields.field_places import FieldPlace, find_places, read_place
from formwright.generation.fields.sampling import sample_values
from formwright.generation.fields.weights import PlaceSearch, Weights
from formwright.generation.scorer import Scorer
from formwright.generation.strategies.fidelity import spellings_of
from formwright.generation.writing import control_names
from formwright.masks.arrays import allocate_bitmask

__all__ = ["Measured", "Measuring"]

_MOST_TEXTS = 1_000
"""Texts of a form at most, where what follows a value counts too."""

_MOST_CALLS = 256
"""Calls of the model at most to count the values at one place."""

_MOST_ALTERNATIVES = 5

_NO_STARTS = b" \t\r\n]},"
"""What no value in JSON begins with."""

_END = b"\n"
"""What ends a number at the end of a text."""


@dataclass(frozen=True, slots=True)
class _WrittenText:
    """A text as tokens: ``ends[n]`` is how many bytes its first ``n`` tokens spell."""

    constraint: Constraint[Any]
    start: Matcher
    token_ids: tuple[int, ...]
    data: bytes
    ends: tuple[int, ...]

    def border_before(self, position: int) -> int:
        """A border of tokens from which on all values at a position in bytes can be spelled.

        It is one token before the last border there: other values may be merged with what is before them, as in
        ``": 3`` and ``": null`` where a space and a word are one token, and a space and a digit are not.
        """
        return max(0, int(np.searchsorted(self.ends, position, side="right")) - 2)

    def list_searches(self, places: Sequence[FieldPlace]) -> Iterator[tuple[FieldPlace, int, PlaceSearch]]:
        """Each place with the border before it and the search for its values, in the order of the text."""
        matcher, held = self.start.fork(), 0
        ends, spell = frozenset(self.constraint.vocabulary.eos_token_ids), _spelling(self.constraint)
        for place in places:
            border = self.border_before(place.start)
            matcher.accept_tokens(self.token_ids[held:border])
            held, skip = border, self.data[self.ends[border] : place.start]
            no_starts = _NO_STARTS if place.is_json else b""
            yield place, border, PlaceSearch(matcher.fork(), skip, place.find_value, ends, spell, no_starts)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A place whose values are weighed, the tokens before the border of its search, and the rows from there on."""

    place: FieldPlace
    before: tuple[int, ...]
    search: PlaceSearch
    rows: ScoredRows


@dataclass(frozen=True, slots=True)
class Measured:
    """A field, and where another value could be written.

    Attributes:
        place: Where it is.
        field: What is known of it.
        search: The place as the form has it, from a border of tokens on.
        before: The tokens before that border.
    """

    place: FieldPlace
    field: Field
    search: PlaceSearch
    before: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Measuring:
    """What the fields of a text are measured with.

    Attributes:
        scorer: The model, which holds the prompt.
        make_batch: Makes an empty batch of the model.
        constraint: The form of the text, compiled.
        prompt_ids: The prompt.
        particles: How many particles estimate what cannot be counted; ``None`` for a bound instead.
        seed: Makes these estimates repeatable.
        calibration: Maps the probabilities.
    """

    scorer: Scorer
    make_batch: Callable[[], Batch]
    constraint: Constraint[Any]
    prompt_ids: Sequence[int]
    particles: int | None = None
    seed: int | None = None
    calibration: Calibration | None = None

    def measure(self, token_ids: Sequence[int], source: str | None = None) -> dict[str, Field]:
        """The fields by pointer, in the order of the text.

        Args:
            token_ids: The text as it was written.
            source: Where spans are looked for.
        """
        return {measured.place.pointer: measured.field for measured in self.measure_places(token_ids, source)}

    def measure_places(self, token_ids: Sequence[int], source: str | None = None, since: int = 0) -> Iterator[Measured]:
        """Each field from a position on, one after the other.

        Args:
            token_ids: The text as it was written.
            source: Where spans are looked for.
            since: Where the first field begins, in bytes.
        """
        return (step for step in self.measure_in_steps(token_ids, source, since) if step is not None)

    def measure_in_steps(
        self, token_ids: Sequence[int], source: str | None = None, since: int = 0
    ) -> Iterator[Measured | None]:
        """`measure_places`, with ``None`` after each call of the model, so that others can be served in between."""
        text = _spell_canonically(self.constraint, self.prompt_ids, token_ids)
        places = [place for place in find_places(text.constraint.form, text.data) if place.start >= since]
        if not places:
            return
        first = text.border_before(places[0].start)
        if since:
            logits = self.scorer.after(text.token_ids[:first])(text.token_ids[first:])
        else:
            logits = self.scorer(text.token_ids)[first:]
        yield None
        is_small = self._has_few_texts(text)
        for place, border, search in text.list_searches(places):
            before = text.token_ids[:border]
            rows = ScoredRows(self.scorer.after(before), text.token_ids[border:], logits[border - first :])
            basis, weights = yield from self._weigh(text, _Asked(place, before, search, rows), is_small)
            field = _make_field(place, weights, basis, source)
            if self.calibration is not None:
                field = self.calibration.map_field(place.pointer, field)
            yield Measured(place, field, search, before)

    def _weigh(self, text: _WrittenText, asked: _Asked, is_small: bool) -> Generator[None, None, tuple[Basis, Weights]]:
        """Yield after each call of the model; return the weights of the values at a place, and how they are known."""
        if is_small:
            rests = yield from count_values(replace(asked.search, find_value=_never), asked.rows, _MOST_TEXTS)
            if rests is not None:
                return "exact", _group_values(rests, asked.place)
        counted = yield from count_values(asked.search, asked.rows, _MOST_CALLS)
        if counted is not None:
            return "exact", counted
        if self.particles is not None:
            most_tokens = 2 * (text.border_before(asked.place.end) + 2 - len(asked.before)) + 16
            batch, token_ids = self.make_batch(), [*self.prompt_ids, *asked.before]
            return "particles", sample_values(batch, token_ids, asked.search, most_tokens, self.particles, self.seed)
        return "logprobs", _bound_value(text, asked)

    def _has_few_texts(self, text: _WrittenText) -> bool:
        """Whether the texts of the form are so few that what follows a value counts too.

        Each token that may come next begins another text: so most forms are told by their first open string.
        """
        most_tokens, matcher = 4 * len(text.token_ids) + 64, text.start.fork()
        mask = allocate_bitmask(1, text.constraint.vocabulary)
        for number, token_id in enumerate(text.token_ids):
            matcher.fill_bitmask(mask, budget=most_tokens - number)
            if np.unpackbits(mask.view(np.uint8)).sum() > _MOST_TEXTS:
                return False
            matcher.accept_token(token_id)
        try:
            spellings_of(text.start.fork(), most_tokens, _MOST_TEXTS)
        except LimitExceeded:
            return False
        return True


def _spell_canonically(
    constraint: Constraint[Any], prompt_ids: Sequence[int], token_ids: Sequence[int]
) -> _WrittenText:
    """The text in the tokens that the tokenizer writes, where that is known; else as it was written."""
    try:
        canonical = Constraint(constraint.form, constraint.vocabulary, canonical=True)
        vocabulary = constraint.vocabulary
        with_controls = bool(constraint.form.language.control_tokens)
        data = b"".join(vocabulary.token(token_id) for token_id in token_ids)
        encoded = None if with_controls else vocabulary.merges.encode(data.decode())
        for ids in (token_ids, encoded):
            if ids is not None and (text := _read_tokens(canonical, prompt_ids, ids)) is not None:
                return text
    except (VocabularyError, UnicodeDecodeError):
        pass
    written = _read_tokens(constraint, prompt_ids, token_ids)
    if written is None:
        raise TokenRejected("the tokens are not those of a text of this form")
    return written


def _read_tokens(
    constraint: Constraint[Any], prompt_ids: Sequence[int], token_ids: Sequence[int]
) -> _WrittenText | None:
    """The text of some tokens, if the constraint takes them."""
    start, ends = constraint.matcher(prompt_ids), [0]
    matcher = start.fork()
    try:
        for token_id in token_ids:
            matcher.accept_token(token_id)
            ends.append(len(matcher.accepted_bytes))
    except TokenRejected:
        return None
    if not matcher.is_complete:
        return None
    return _WrittenText(constraint, start, tuple(token_ids), matcher.accepted_bytes, tuple(ends))


def _never(_: bytes) -> None:
    """Where a whole text ends: only where it says so."""


def _spelling(constraint: Constraint[Any]) -> Callable[[int], bytes]:
    controls = {id_: b"\xff" + name + b"\xff" for id_, name in control_names(constraint).items()}
    token = constraint.vocabulary.token
    return lambda token_id: token(token_id) or controls.get(token_id, b"")


def _group_values(texts: Weights, place: FieldPlace) -> Weights:
    """The weights of the values at a place, by those of all that may follow from there to the end of the text."""
    grouped = Weights(rest=texts.rest)
    for rest, weight in texts.found.items():
        grouped.add(place.find_value(rest) or place.find_value(rest + _END) or rest, weight)
    return grouped


def _bound_value(text: _WrittenText, asked: _Asked) -> Weights:
    """The weight of the value that was written, and the most that all others can have.

    That is what turns off to other tokens that are allowed, on the way along the tokens that were written.
    """
    search, place = asked.search, asked.place
    matcher, data, weights, reached = search.matcher.fork(), b"", Weights(), 1.0
    token_ids = text.token_ids[len(asked.before) :]
    for number in range(len(token_ids) + 1):
        row, is_over = asked.rows.ask(token_ids[:number]), number == len(token_ids)
        taken = float(np.exp(row[list(search.ends) if is_over else token_ids[number]]).sum())
        weights.rest += reached * max(0.0, search.sum_allowed(matcher, data, row) - taken)
        reached *= taken
        if is_over:
            break
        data, value = search.read_value(data, token_ids[number])
        if value is not None:
            break
        matcher.accept_token(token_ids[number])
    weights.add(text.data[place.start : place.end], reached)
    return weights


def _make_field(place: FieldPlace, weights: Weights, basis: Basis, source: str | None) -> Field:
    """The field of a place, by the weights of its values."""
    shares: dict[tuple[type, Any], float] = {}
    for spelled, weight in weights.found.items():
        value = read_place(place, spelled.decode("utf-8", "replace"))
        shares[type(value), value] = shares.get((type(value), value), 0.0) + weight
    value, total = read_place(place), weights.total
    own = shares.pop((type(value), value), 0.0)
    if place.is_json:  # an object or array that has begun is not a value
        shares = {key: share for key, share in shares.items() if key[1] not in ("[", "{")}
    best = sorted(shares.items(), key=lambda entry: -entry[1])[:_MOST_ALTERNATIVES]
    others = tuple(OtherValue(key[1], weight / total) for key, weight in best if total > 0.0)
    return Field.at(value, place.text, source, min(1.0, own / total) if total > 0.0 else 0.0, basis, others)
