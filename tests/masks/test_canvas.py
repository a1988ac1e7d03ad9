"""Canvases: against all fillings of small ones, and against budgeted masks of real schemas.

``FORMWRIGHT_SEEDS`` sets the number of random cases.
"""

from __future__ import annotations

import copy
import gzip
import json
import os
import random
import threading
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from canvas_oracle import Case, NestedCase, rows_of, wanted_rows
from parameters import slow_except

import formwright as fw
from formwright.masks.canvas import Canvas

SEEDS = int(os.environ.get("FORMWRIGHT_SEEDS", "200"))
RECORD = {
    "type": "object",
    "properties": {"id": {"type": "integer", "minimum": 0, "maximum": 99}, "kind": {"enum": ["ab", "no", "yes"]}},
    "required": ["id", "kind"],
    "additionalProperties": False,
}

TREE = {
    "type": "object",
    "properties": {"name": {"enum": ["ab", "no", "yes"]}, "kids": {"type": "array", "items": {"$ref": "#"}}},
    "required": ["name", "kids"],
    "additionalProperties": False,
}

JSON = r"""
start: value
value: "{" [pair ("," pair)*] "}" | "[" [value ("," value)*] "]" | STRING | NUMBER | "true" | "false" | "null"
pair: STRING ":" value
STRING: /"([^"\\\x00-\x1f]|\\["\\\/bfnrt])*"/
NUMBER: /-?(0|[1-9][0-9]*)(\.[0-9]+)?/
"""


def open_canvas(case: Case) -> Canvas | None:
    """The canvas of a case; ``None`` if no text has room in it, which is checked, or if it takes too much work."""
    try:
        constraint = fw.compile(case.form, case.vocabulary)
        return constraint.canvas(case.length, case.after)
    except (fw.errors.LimitExceeded, fw.errors.DeadEnd) as error:
        if isinstance(error, fw.errors.LimitExceeded) and error.limit != "canvas":
            return None
        assert not list(case.fillings([None] * case.length))
        return None


def check_steps(case: Case, canvas: Canvas, steps: int) -> int:
    """Place and lift at random; every hole allows what some filling has there. Returns how many tokens were decided."""
    chance, decided, ids = random.Random(case.pattern), 0, len(case.tokens) + 2
    for _ in range(steps):
        known = canvas.token_ids
        fillings = list(case.fillings(known))
        assert rows_of(canvas, case.vocabulary) == wanted_rows(fillings, known)
        decided += ids * len(canvas.holes)
        at, token = chance.randrange(case.length), chance.randrange(ids)
        if chance.random() < 0.3:
            lifted = chance.choices(range(case.length), k=chance.randint(1, 2))
            canvas.lift(lifted)
            assert canvas.token_ids == [None if at in lifted else token for at, token in enumerate(known)]
            continue
        filling = chance.choice(fillings)
        others = [other for other in range(case.length) if other != at]
        positions = [at, *chance.sample(others, k=chance.randint(0, len(others)))]
        tokens = [token, *(chance.choice([filling[at], token]) for at in positions[1:])]
        placed = list(zip(positions, tokens, strict=True))
        chance.shuffle(placed)
        fit = []
        for at, token in placed:
            tried = [*known[:at], token, *known[at + 1 :]]
            fit.append(next(case.fillings(tried), None) is not None)
            known = tried if fit[-1] else known
        assert canvas.place_all(*map(list, zip(*placed, strict=True))) == fit
        assert canvas.token_ids == known
    return decided


@pytest.mark.parametrize("seeds", slow_except([SEEDS], [SEEDS, 20 * SEEDS]))
@pytest.mark.timeout(1200)
def test_holes_allow_exactly_what_some_filling_has(seeds: int) -> None:
    decided = 0
    for seed in range(seeds):
        case = Case.draw(seed)
        if (canvas := open_canvas(case)) is not None:
            decided += check_steps(case, canvas, 6)
    assert decided >= 10 * seeds


@pytest.mark.parametrize("seeds", slow_except([SEEDS], [SEEDS, 3 * SEEDS]))
@pytest.mark.timeout(1200)
def test_holes_of_grammars_allow_exactly_what_some_filling_has(seeds: int) -> None:
    decided = nested = 0
    cases = [case for case in map(NestedCase.draw, range(seeds)) if case.texts(8)]
    for case in cases:
        if (canvas := open_canvas(case)) is not None:
            assert canvas.place_all([], []) == []
            decided += check_steps(case, canvas, 6)
            nested += canvas.is_recursive
    assert decided >= 10 * len(cases)
    assert nested >= len(cases) / 4


@pytest.mark.parametrize("seeds", slow_except([SEEDS // 3], [SEEDS // 3, 5 * SEEDS]))
@pytest.mark.timeout(1200)
def test_fillings_are_those_of_all_fillings_weighed(seeds: int) -> None:
    for seed in range(seeds):
        case, chance = Case.draw(seed), np.random.default_rng(seed)
        if (canvas := open_canvas(case)) is None:
            continue
        if chance.random() < 0.5:
            fillings = list(case.fillings(canvas.token_ids))
            at = int(chance.integers(case.length))
            canvas.place(at, fillings[int(chance.integers(len(fillings)))][at])
        said = np.log(chance.dirichlet(np.ones(len(case.tokens) + 3), case.length)).astype(np.float32)
        holes = canvas.holes
        scores = {
            filling: sum(float(said[at, filling[at]]) for at in holes) for filling in case.fillings(canvas.token_ids)
        }
        total = np.logaddexp.reduce(list(scores.values()))
        best, drawn = canvas.best(said), canvas.draw(said, seed=seed)
        assert best.log_probability == pytest.approx(max(scores.values()), abs=1e-5)
        assert scores[tuple(best.token_ids)] == pytest.approx(best.log_probability, abs=1e-5)
        assert scores[tuple(drawn.token_ids)] == pytest.approx(drawn.log_probability, abs=1e-5)
        assert drawn.log_form_probability == pytest.approx(total, abs=1e-5)
        wanted = np.zeros((case.length, len(case.tokens) + 3))
        for filling, score in scores.items():
            wanted[np.arange(case.length), list(filling)] += np.exp(score - total)
        np.testing.assert_allclose(canvas.marginals(said), wanted, atol=1e-5)


def test_draws_have_the_distribution_of_the_fillings() -> None:
    case = Case("(a|b){1,3}|c(ab)*", (b"a", b"b", b"ab", b"c"), 3, 0)
    canvas = fw.compile(fw.regex(case.pattern), case.vocabulary).canvas(3)
    said = np.log(np.random.default_rng(3).dirichlet(np.ones(7), 3)).astype(np.float32)
    fillings = list(case.fillings([None] * 3))
    scores = np.array([said[np.arange(3), list(filling)].sum() for filling in fillings])
    wanted = np.exp(scores - np.logaddexp.reduce(scores))
    draws = 4_000
    counts = dict.fromkeys(fillings, 0)
    for seed in range(draws):
        counts[tuple(canvas.draw(said, seed=seed).token_ids)] += 1
    seen = np.array([counts[filling] for filling in fillings])
    chi_square = float(((seen - draws * wanted) ** 2 / (draws * wanted)).sum())
    assert chi_square < len(fillings) + 5 * (2 * len(fillings)) ** 0.5
    assert canvas.draw(said, seed=7) == canvas.draw(said, seed=7)


FORMS: dict[str, fw.Form[Any]] = {
    "record": fw.json_schema(RECORD), "tree": fw.json_schema(TREE), "json": fw.grammar(JSON)
}  # fmt: skip

QUICK = [(name, 40) for name in FORMS]


@pytest.mark.parametrize(
    ("name", "canvases"), slow_except(QUICK, [*QUICK, ("record", 3_000), ("tree", 300), ("json", 500)])
)
@pytest.mark.timeout(3600)
def test_canvases_filled_in_any_order_are_in_form(name: str, canvases: int, word_vocabulary: fw.Vocabulary) -> None:
    form = FORMS[name]
    constraint, mask = fw.compile(form, word_vocabulary), fw.allocate_bitmask(64, word_vocabulary)
    empty = constraint.canvas(64)
    for seed in range(canvases):
        canvas, chance = empty.fork(), random.Random(seed)
        while canvas.holes:
            index = canvas.fill_bitmasks(mask)
            order = chance.sample(canvas.holes, k=min(len(canvas.holes), chance.choice([1, 4, 16, 64])))
            tokens = [int(chance.choice(fw.allowed_tokens(mask[index[at]]))) for at in order]
            assert canvas.place_all(order, tokens)[0], "each mask by itself is true"
        assert form.matches(canvas.text or "")
        assert len(empty.holes) == 64


def close_objects(value: Any) -> Any:
    """A schema all of whose objects are closed."""
    if isinstance(value, list):
        return [close_objects(item) for item in value]
    if not isinstance(value, dict):
        return value
    made = {key: close_objects(item) for key, item in value.items()}
    return made | {"additionalProperties": False} if isinstance(made.get("properties"), dict) else made


def canvases_of(data: Path, vocabulary: fw.Vocabulary, length: int, step: int) -> list[tuple[Canvas, Any]]:
    """The canvases of closed schemas of the sample, with their constraints; those without any are left out."""
    with gzip.open(data / "maskbench" / "sample.jsonl.gz", "rt", encoding="utf-8") as lines:
        schemas = [json.loads(line)["schema"] for line in lines][::step]
    made = []
    for schema in schemas:
        try:
            constraint = fw.compile(fw.json_schema(close_objects(schema), whitespace="compact"), vocabulary)
            made.append((constraint.canvas(length), constraint))
        except (fw.errors.SchemaError, fw.errors.LimitExceeded, fw.errors.DeadEnd):
            continue
    return made


@pytest.mark.parametrize("step", slow_except([60], [60, 5]))
@pytest.mark.timeout(1200)
def test_the_first_row_is_the_budgeted_mask(data: Path, byte_vocabulary: fw.Vocabulary, step: int) -> None:
    made = canvases_of(data, byte_vocabulary, 200, step)
    assert len(made) >= 2
    rows, row = fw.allocate_bitmask(200, byte_vocabulary), fw.allocate_bitmask(1, byte_vocabulary)
    for canvas, constraint in made:
        index = canvas.fill_bitmasks(rows)
        constraint.matcher().fill_bitmask(row, budget=200)
        assert (rows[index[0]] == row[0]).all(), constraint


@pytest.mark.parametrize("form", [fw.json_schema(TREE, whitespace="compact"), fw.grammar(JSON)], ids=["tree", "json"])
def test_holes_after_known_tokens_are_budgeted_masks(form: fw.Form[Any], byte_vocabulary: fw.Vocabulary) -> None:
    """A text is placed token by token: the row of the next hole is the mask within what is left of the canvas."""
    constraint, chance, length = fw.compile(form, byte_vocabulary), random.Random(1), 60
    rows, row = fw.allocate_bitmask(length, byte_vocabulary), fw.allocate_bitmask(1, byte_vocabulary)
    for _ in range(3):
        canvas, matcher = constraint.canvas(length), constraint.matcher()
        for at in range(length):
            index = canvas.fill_bitmasks(rows)
            matcher.fill_bitmask(row, budget=length - at)
            assert (rows[index[at]] == row[0]).all(), canvas.token_ids
            token = int(chance.choice(fw.allowed_tokens(row[0])))
            if token in byte_vocabulary.eos_token_ids:
                break
            canvas.place(at, token)
            matcher.accept_token(token)


def test_a_place_that_is_refused_changes_nothing(word_vocabulary: fw.Vocabulary) -> None:
    canvas = fw.compile(fw.choice("yes", "no"), word_vocabulary).canvas(3)
    yes, no, end = (next(i for i in range(300) if word_vocabulary.token(i) == text) for text in (b"yes", b"no", b""))
    before = rows_of(canvas, word_vocabulary)
    with pytest.raises(fw.errors.TokenRejected, match="position 2 of the canvas") as caught:
        canvas.place(2, no)
    assert (caught.value.token_id, caught.value.position, caught.value.token) == (no, 2, b"no")
    assert rows_of(canvas, word_vocabulary) == before
    canvas.place(1, end)
    canvas.place(0, no)
    assert (canvas.text, canvas.holes) == (None, [2])
    canvas.place(0, yes)
    canvas.place(2, 1)
    assert (canvas.text, canvas.token_ids, repr(canvas)) == ("yes", [yes, 0, 1], "Canvas(3 positions, 0 holes)")


def test_arguments_are_checked(word_vocabulary: fw.Vocabulary) -> None:
    canvas = fw.compile(fw.choice("yes", "no"), word_vocabulary).canvas(3)
    wide = np.zeros((3, word_vocabulary.logits_size), np.float32)
    for wrong in (-1, 3, 1 << 70):
        with pytest.raises(fw.errors.ArgumentError):
            canvas.place(wrong, 5)
        with pytest.raises(fw.errors.ArgumentError):
            canvas.lift([0, wrong])
    for token in (-1, word_vocabulary.logits_size, 1 << 70):
        with pytest.raises(fw.errors.VocabularyError):
            canvas.place(0, token)
        with pytest.raises(fw.errors.VocabularyError):
            canvas.place_all([0, 1], [5, token])
    with pytest.raises(fw.errors.ArgumentError, match="2 positions, but 1 token ids"):
        canvas.place_all([0, 1], [5])
    with pytest.raises(fw.errors.ArgumentError, match="position 1 is given twice"):
        canvas.place_all([0, 1, 2, 1], [5, 6, 7, 8])
    with pytest.raises(fw.errors.ArgumentError, match="given twice"):
        canvas.place_all(np.array([2, 2]), np.array([5, 6]))
    with pytest.raises(fw.errors.ArgumentError, match="no row"):
        canvas.fill_bitmasks(fw.allocate_bitmask(1, word_vocabulary))
    for rows in (wide[:2], wide[:, :-1], wide[0]):
        with pytest.raises(fw.errors.ArgumentError, match="expected the shape"):
            canvas.best(rows)
    for value in (np.nan, np.inf, -np.inf):
        with pytest.raises(fw.errors.ArgumentError, match=r"NaN or plus|probability zero"):
            canvas.draw(np.full_like(wide, value))
    for said, rows in (("expected rows of numbers", [[1.0], [1.0, 2.0]]), ("expected rows of numbers", "abc")):
        with pytest.raises(fw.errors.ArgumentError, match=said):
            canvas.best(rows)
    for seed in (-1, "x"):
        with pytest.raises(fw.errors.ArgumentError, match="seed: expected an integer of 0 or more"):
            canvas.draw(wide, seed=seed)  # type: ignore[arg-type]
    with pytest.raises(fw.errors.VocabularyError, match="unknown token id -1;"):
        canvas.place(0, -1)
    assert canvas.token_ids == [None] * 3
    assert canvas.best(np.pad(wide, ((0, 0), (0, 5)))).log_probability == 0


REFUSED: dict[str, tuple[fw.Form[Any], type[fw.errors.FormwrightError], str]] = {
    "items that differ": (
        fw.json_schema({"properties": {"a": {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}},
                        "type": "object", "required": ["a"], "additionalProperties": False}),
        fw.errors.UnsupportedKeyword,
        "/a",
    ),
    "names that differ": (
        fw.json_schema({"type": "array", "items": {"type": "object"}}), fw.errors.UnsupportedKeyword, "/*"
    ),
    "names that differ inside themselves": (
        fw.json_schema({"type": "object", "additionalProperties": {"$ref": "#"}}), fw.errors.UnsupportedKeyword, ""
    ),
    "many states": (fw.regex("(a{1,300}b){1,300}"), fw.errors.LimitExceeded, "form_states"),
    "counted tokens": (fw.text(max_tokens=5, until="."), fw.errors.ArgumentError, "form"),
}  # fmt: skip


@pytest.mark.parametrize("kind", list(REFUSED))
def test_forms_without_canvases_are_refused(kind: str, byte_vocabulary: fw.Vocabulary) -> None:
    form, error, place = REFUSED[kind]
    constraint = fw.compile(form, byte_vocabulary)
    with pytest.raises(error) as caught:
        constraint.canvas(64)
    said = caught.value
    assert place in {getattr(said, name, None) for name in ("pointer", "limit", "argument")}
    assert said.hint


CLOSED: dict[str, fw.Form[Any]] = {
    "a tuple": fw.form(tuple[int, Literal["a"]]),
    "no items": fw.json_schema({"type": "array", "maxItems": 0}),
    "a tuple of which few items are counted": fw.json_schema(
        {"type": "array", "prefixItems": [{"type": "null"}, {}], "contains": {"type": "null"}, "maxItems": 1}
    ),
    "no members": fw.json_schema({"type": "object", "maxProperties": 0}),
    "required members only": fw.json_schema(
        {"type": "object", "properties": {"a": {"type": "null"}}, "required": ["a"], "maxProperties": 1}
    ),
    "any escapes": fw.json_schema({"type": "string", "maxLength": 3}, escapes="any"),
}


@pytest.mark.parametrize("kind", list(CLOSED))
def test_what_cannot_come_makes_no_form_endless(kind: str, byte_vocabulary: fw.Vocabulary) -> None:
    canvas = fw.compile(CLOSED[kind], byte_vocabulary).canvas(12)
    assert not canvas.is_recursive
    best = canvas.best(np.random.default_rng(0).normal(size=(12, byte_vocabulary.logits_size)))
    assert all(canvas.place_all(range(12), best.token_ids))
    assert CLOSED[kind].matches(canvas.text or "")


@pytest.mark.parametrize("ask", [Canvas.best, Canvas.draw, Canvas.marginals])
def test_recursive_forms_have_no_weights(ask: Any, byte_vocabulary: fw.Vocabulary) -> None:
    canvas = fw.compile(fw.grammar('start: "x" | "(" start ")"'), byte_vocabulary).canvas(5)
    assert canvas.is_recursive
    with pytest.raises(fw.errors.ArgumentError, match="the form is recursive"):
        ask(canvas, np.zeros((5, byte_vocabulary.logits_size)))


def test_places_in_parts_are_told(byte_vocabulary: fw.Vocabulary) -> None:
    form = fw.template("{a} and {b}", a=int, b=dict[str, int])
    with pytest.raises(fw.errors.UnsupportedKeyword, match="undeclared names of the object in a part of the form"):
        fw.compile(form, byte_vocabulary).canvas(40)


def test_copies_are_forks(word_vocabulary: fw.Vocabulary) -> None:
    canvas = fw.compile(fw.choice("yes", "no"), word_vocabulary).canvas(3)
    copies = [copy.copy(canvas), copy.deepcopy(canvas), canvas.fork()]
    canvas.place(1, 0)
    assert [each.token_ids for each in copies] == [[None] * 3] * 3


def test_marginals_of_large_logits_sum_to_one(word_vocabulary: fw.Vocabulary) -> None:
    canvas = fw.compile(fw.choice("yes", "no"), word_vocabulary).canvas(3)
    for scale in (1.0, 1e9, 1e15, 1e20):
        rows = scale * np.random.default_rng(0).normal(size=(3, word_vocabulary.logits_size))
        assert canvas.marginals(rows).sum(-1) == pytest.approx(1)


def test_canonical_tokens_are_refused(tiny: fw.models.LocalModel) -> None:
    with pytest.raises(fw.errors.ArgumentError, match="canonical"):
        fw.compile(fw.choice("yes", "no"), tiny.vocabulary, canonical=True).canvas(4)


def test_texts_without_room_are_refused(word_vocabulary: fw.Vocabulary) -> None:
    constraint = fw.compile(fw.regex("(yes){5}"), word_vocabulary)
    with pytest.raises(fw.errors.LimitExceeded, match="the shortest text has 5 tokens") as caught:
        constraint.canvas(4)
    assert (caught.value.limit, caught.value.value, caught.value.allowed) == ("canvas", 5, 4)
    assert len(constraint.canvas(4, after=1)) == 4
    for length, after in ((0, 0), (-1, 0), (4, -1)):
        with pytest.raises(fw.errors.ArgumentError):
            constraint.canvas(length, after)
    with pytest.raises(fw.errors.LimitExceeded):
        constraint.canvas(1 << 62)


def test_threads_make_the_edges_of_a_form_at_once(word_vocabulary: fw.Vocabulary) -> None:
    constraint = fw.compile(fw.json_schema(RECORD), word_vocabulary)
    rows: list[Any] = []
    threads = [
        threading.Thread(target=lambda: rows.append(rows_of(constraint.canvas(40), word_vocabulary))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(rows) == 4
    assert all(found == rows[0] for found in rows)
