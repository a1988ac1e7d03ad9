"""What masks do to a model's own answers: the published figures, by a model that is scripted to give them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from makers import pieces
from numpy.typing import NDArray

import formwright as fw
from formwright.cli.app import app
from formwright.errors import ArgumentError, LimitExceeded
from formwright.reference.canonical import measure_distortion
from formwright.tokenizers import Merges, vocabulary_from

# Mistral 7B, asked for a president: the share of " William", and how much of each answer's mass is its own spelling's.
WILLIAM, OWN_WILLIAM, OWN_THEODORE = 0.85879, 0.999997, 0.998586

LENIENT, CANONICAL = 0.52852, 0.85872
"""The share of " William" with masks of all spellings, where more tokens begin " Theodore", and of canonical tokens."""


@pytest.fixture(scope="module")
def vocabulary() -> fw.Vocabulary:
    vocabulary: fw.Vocabulary = vocabulary_from(pieces("tokenizer.model.v1"))
    return vocabulary


def scripted(vocabulary: fw.Vocabulary) -> Any:
    """A model that spells as Mistral did, and hardly ever goes on with an answer that begins otherwise."""
    spelled = {vocabulary.token(token): token for token in range(len(vocabulary))}
    theodore = [spelled[part] for part in (b" Theod", b"ore")]
    otherwise = [spelled[part] for part in (b" T", b"he", b"od", b"ore")]
    william = WILLIAM * OWN_WILLIAM
    first = {spelled[b" William"]: william, theodore[0]: william / CANONICAL - william}
    first[otherwise[0]] = william / LENIENT - sum(first.values())
    second = {
        theodore[0]: (1 - WILLIAM) * OWN_THEODORE / first[theodore[0]],
        otherwise[0]: (1 - WILLIAM) * (1 - OWN_THEODORE) / first[otherwise[0]],
    }

    def log_probabilities(token_ids: Sequence[int]) -> NDArray[np.float64]:
        found, written = np.full(vocabulary.logits_size, 1e-300), list(token_ids)
        if not written:
            for token, share in first.items():
                found[token] = share / sum(first.values())
        for spelling in (theodore, otherwise):
            if written and written == spelling[: len(written)] and len(written) < len(spelling):
                found[spelling[len(written)]] = second[written[0]] if len(written) == 1 else 1.0
        return np.asarray(np.log(found), np.float64)

    return log_probabilities


def test_the_published_figures(vocabulary: fw.Vocabulary) -> None:
    form = fw.choice([" William", " Theodore"])
    found = {row.text: row for row in measure_distortion(scripted(vocabulary), form, vocabulary).rows}
    william = found[" William"]
    shares = [round(share, 5) for share in (william.free, william.lenient, william.canonical)]
    assert shares == [0.85879, 0.52852, 0.85872]
    assert sum(row.lenient for row in found.values()) == pytest.approx(1)


def test_divergences_are_those_of_the_shares(vocabulary: fw.Vocabulary) -> None:
    found = measure_distortion(scripted(vocabulary), fw.choice([" William", " Theodore"]), vocabulary)
    assert found.kl("lenient") == pytest.approx(0.247, abs=2e-3)
    assert found.kl("canonical") < 1e-5
    assert found.total_variation("lenient") == pytest.approx(0.3303, abs=1e-3)
    assert "canonical" in str(found)


def test_a_form_with_many_texts_is_refused(vocabulary: fw.Vocabulary) -> None:
    uniform = np.full(vocabulary.logits_size, -10.0)
    with pytest.raises(LimitExceeded, match="beginnings"):
        measure_distortion(lambda _: uniform, fw.regex("[0-9]{6}"), vocabulary)


def test_answers_that_begin_others_count_as_far_as_they_end() -> None:
    tokens = [bytes([byte]) for byte in range(256)] + [b"ab"]
    merges = Merges(tokens, priorities=list(range(257)))
    vocabulary = fw.Vocabulary([*tokens, None], eos_token_ids=[257], merges=merges)
    uniform = np.full(258, -np.log(258.0))
    rows = {row.text: row for row in measure_distortion(lambda _: uniform, fw.choice(["a", "ab"]), vocabulary).rows}
    assert rows["a"].lenient == pytest.approx(0.25)  # half take `ab` at once, half of the others go on with `b`
    assert rows["a"].canonical == pytest.approx(0.5)  # `b` cannot follow `a`
    assert rows["a"].free == pytest.approx(1 / 258 / (1 + 2 / 258))


def test_the_command_prints_a_table_for_each_prompt() -> None:
    arguments = ["distortion", "--choice", "yes", "--choice", "no", "--prompt", "Is it?", "--prompt", "Was it?"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0
    assert result.output.count("total variation") == 2
    assert CliRunner().invoke(app, ["distortion", "--prompt", "x"]).exit_code == 2


@pytest.mark.parametrize(
    "form", [fw.regex("[a-z]*"), fw.choice(["I am sorry but I cannot answer this question", "no"])]
)
def test_too_many_spellings_are_refused_before_the_model_is_asked(form: fw.Form[str]) -> None:
    def asked(_: Sequence[int]) -> np.ndarray:
        raise AssertionError("the model was asked")

    with pytest.raises(LimitExceeded, match="beginnings"):
        measure_distortion(asked, form, fw.load("formwright-tiny").vocabulary)


@pytest.mark.parametrize(
    "row",
    [
        lambda size: None,
        lambda size: np.full(size, np.nan, np.float32),
        lambda size: np.zeros(3),
        lambda size: np.full(size, 2.0),
    ],
)
def test_what_is_no_row_of_logarithms_is_refused(row: Callable[[int], object]) -> None:
    vocabulary = fw.load("formwright-tiny").vocabulary
    given = row(vocabulary.logits_size)
    with pytest.raises(ArgumentError, match="logarithm"):
        measure_distortion(lambda _: given, fw.choice("a", "b"), vocabulary)  # type: ignore[arg-type,return-value]
