"""Traces: the numbers against the logits they are made of, the words, the tables and the page."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from toys import RuleRuntime

import formwright as fw
from formwright.generation import Trace
from formwright.generation.trace.heat_map import colour
from formwright.generation.trace.recorder import Row
from formwright.models import LocalModel

MICHAEL = fw.regex(r"Michael Jordan was Born in (\d)+\.")
"""The pattern that the field explains its table with; see `test_the_published_table`."""
WORDS = [b"", b" Jordan", b" was", b" Born", b" born", b" in", b"1", b"9", b"6", b"3", b".", b"Michael", b"Sure", b" "]


NAME = {
    "type": "object",
    "properties": {"name": {"type": "string"}},
    "required": ["name"],
    "additionalProperties": False,
}


def scripted(script: Sequence[dict[bytes, float]]) -> LocalModel:
    """A model that gives given probabilities, one mapping for each token; the rest is shared by all others."""

    def logits(length: int, _: int) -> np.ndarray:
        said = script[min(length, len(script)) - 1]
        rest = (1 - sum(said.values())) / (len(WORDS) - len(said))
        return np.log([said.get(word, rest) for word in WORDS])

    vocabulary = fw.Vocabulary(WORDS, eos_token_ids=[0])
    return LocalModel("scripted", RuleRuntime(logits, context=64), vocabulary, lambda text: [5])


JORDAN = [
    {b"Michael": 0.000027, b"Sure": 0.959473},
    {b" Jordan": 0.99},
    {b" was": 0.97},
    {b" Born": 0.000008, b" born": 0.99999},
    {b" in": 0.98},
    *({digit: 0.95} for digit in (b" ", b"1", b"9", b"6", b"3")),
    {b".": 0.9995},
    {b"": 0.981},
]


def test_the_published_table() -> None:
    """`Michael` where `Sure` led, ` Born` where ` born` led; all other rows have the generated token in front."""
    result = scripted(JORDAN).generate("Who?", MICHAEL, trace=True)
    assert result.text == "Michael Jordan was Born in 1963."
    table = result.trace.to_pandas()
    assert list(table.columns[:6]) == [
        "generated_token",
        "generated_token_idx",
        "generated_score",
        "leading_token",
        "leading_token_idx",
        "leading_score",
    ]
    assert table.iloc[0, :6].tolist() == ["Michael", 11, pytest.approx(0.000027), "Sure", 12, pytest.approx(0.959473)]
    assert table.iloc[3, :6].tolist() == [" Born", 3, pytest.approx(0.000008), " born", 4, pytest.approx(0.99999)]
    others = table.drop(index=[0, 3])
    assert (others["generated_token_idx"] == others["leading_token_idx"]).all()
    assert table.iloc[-1]["generated_score"] == pytest.approx(0.981)  # the end
    assert result.trace.hints() == [
        "the form forced 'Michael', the model wanted 'Sure': "
        "say in the prompt how the answer begins, or let the form begin so",
        "the form forced ' Born', the model wanted ' born': lower-case it in the pattern",
    ]


@pytest.mark.parametrize("seed", range(8))
def test_the_numbers_are_those_of_the_logits(toy: Any, word_vocabulary: fw.Vocabulary, seed: int) -> None:
    model = LocalModel("toy", toy(word_vocabulary.logits_size, seed), word_vocabulary, lambda text: [65])
    form = fw.form(list[int], whitespace="compact")
    result = model.generate([65], form, temperature=1, seed=seed, max_tokens=20, trace=True)
    plain = model.generate([65], form, temperature=1, seed=seed, max_tokens=20)
    assert (result.text, result.token_ids) == (plain.text, plain.token_ids)
    assert plain.trace is None
    matcher, runtime = fw.compile(form, word_vocabulary).matcher(), model.runtime.fork()
    token_ids = [*result.token_ids, *word_vocabulary.eos_token_ids][: len(result.trace)]
    assert [row.token_id for row in result.trace][:-1] == list(result.token_ids)[: len(result.trace) - 1]
    given = [65]
    for left, (row, token_id) in enumerate(zip(result.trace, token_ids, strict=True)):
        logits = runtime.prefill(given).astype(np.float64)
        probabilities = np.exp(logits) / np.exp(logits).sum()
        allowed = matcher.allowed_token_ids(budget=20 - left)
        assert row.probability == pytest.approx(probabilities[row.token_id])
        assert row.allowed_mass == pytest.approx(probabilities[allowed].sum())
        assert row.masked_probability == pytest.approx(row.probability / row.allowed_mass)
        assert row.leading_token_id == int(logits.argmax())
        assert row.leading_allowed == (row.leading_token_id in allowed)
        assert row.leading_in_form == (row.leading_token_id in matcher.allowed_token_ids())
        assert row.allowed_tokens == len(allowed)
        assert row.is_forced == (len(allowed) == 1 or set(allowed) <= set(word_vocabulary.eos_token_ids))
        assert min(row.model_seconds, row.mask_seconds, row.sampler_seconds) > 0 or row.is_forced
        given = [token_id]
        if row.token:
            matcher.accept_token(token_id)
    assert result.model_calls == len(result.trace)


def test_searches_have_traces_too(tiny: LocalModel) -> None:
    form = fw.choice("positive", "negative")
    for options in ({"beams": 2}, {"fidelity": "exact"}, {"fidelity": "smc", "seed": 1}):
        result = tiny.generate("I loved it.", form, trace=True, **options)
        assert b"".join(row.token for row in result.trace).decode() == result.text
        assert result.trace.rows[-1].token == b""


def test_a_run_that_was_left_early_has_a_trace(tiny: LocalModel) -> None:
    with tiny.stream("Ada is 36.", list[str], trace=True) as stream:
        for _ in zip(range(3), stream, strict=False):
            pass
    assert stream.trace is not None
    assert len(stream.trace) == 3
    cut = tiny.generate("Ada is 36.", list[str], trace=True, cancel=lambda: True)
    assert isinstance(cut, fw.Truncated)
    assert cut.trace is not None
    assert (len(cut.trace), cut.trace.fields, cut.trace.hints()) == (0, [], [])
    with tiny.stream("Ada is 36.", list[str]) as untraced:
        assert untraced.trace is None


def test_fields_have_pointers_and_confidence(tiny: LocalModel) -> None:
    schema = {
        "type": "object",
        "properties": {
            "a/b": {"enum": ["x", "y"]},
            "list": {"type": "array", "items": {"type": "integer"}, "minItems": 2},
        },
        "required": ["a/b", "list"],
        "additionalProperties": False,
    }
    result = tiny.generate("Write something.", schema, max_tokens=60, trace=True)
    fields = result.trace.fields
    assert [entry.pointer for entry in fields][:3] == ["/a~1b", "/list/0", "/list/1"]
    assert [json.loads(entry.text) for entry in fields] == [result.value["a/b"], *result.value["list"]]
    assert all(0 < entry.confidence <= 1 for entry in fields)
    assert tiny.generate("x", fw.literal("no JSON"), trace=True).trace.fields == []


def row(token: bytes, *, probability: float = 0.9, **more: Any) -> Row:
    said: dict[str, Any] = {
        "token_id": 1,
        "token": token,
        "probability": probability,
        "masked_probability": 1.0,
        "leading_token_id": 2,
        "leading_token": token,
        "leading_probability": 0.9,
        "leading_allowed": True,
        "leading_in_form": True,
        "allowed_mass": 0.9,
        "allowed_tokens": 3,
        "is_forced": False,
    }
    return Row(**(said | more))


def pushed(token: bytes, wanted: bytes, **more: Any) -> Row:
    return row(token, leading_token=wanted, leading_allowed=False, leading_in_form=False, allowed_mass=0.01, **more)


@pytest.mark.parametrize(
    ("push", "hint"),
    [
        (pushed(b"b", b" b", is_forced=True), "the form forced 'b', the model wanted ' b': allow that whitespace"),
        (
            pushed(b"yes", b"Yes"),
            "the form allowed 'yes', one of 3 tokens, the model wanted 'Yes': capitalize it in the pattern",
        ),
        (pushed(b"b", b""), "the form allowed 'b', one of 3 tokens, the model wanted to end the text"),
        (pushed(b"", b"!"), "the form ended the text, the model wanted '!'"),
    ],
)
def test_pushes_in_words(push: Row, hint: str) -> None:
    assert Trace((row(b"a"), push), "").hints() == [hint]


def test_what_only_the_budget_forbids_is_said_to_be_so(tiny: LocalModel) -> None:
    result = tiny.generate("Write many threes: 333333333.", fw.regex("3{2,}\\."), max_tokens=9, trace=True)
    assert result.trace.hints()[-1].startswith("the budget closed the text with '.'")
    assert not [hint for hint in result.trace.hints()[1:] if "the form forced '.'" in hint]


def test_repetitions_in_words() -> None:
    items = ["a", "b"] * 6
    text = json.dumps({"topics": items, "other": [1, 2, 3, 4, 5, 6, 7]})
    rows = tuple(row(token) for token in re.findall(rb"\w+|\W+", text.encode()))
    spent = Trace(rows, text, True, max_tokens=len(rows))
    assert spent.hints() == [
        "`topics` repeated two items until the budget closed it: say how many there may be (maxItems), that they "
        "differ (uniqueItems), or draw with a temperature"
    ]
    assert "until" not in Trace(rows, text, True, max_tokens=9 * len(rows)).hints()[0]
    assert Trace(rows, json.dumps({"topics": [1, True] * 2}), True).hints() == []


def test_the_page_holds_everything_escaped_and_loads_nothing(tmp_path: Path) -> None:
    rows = (row(b"<script>alert(1)</script>"), pushed(b"\xe4", b"&"), row(b"\n"), row(b""))
    trace = Trace(rows, "")
    trace.save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "\\xe4" in page
    assert not re.search(r"(src|href)=|https?://", page)
    assert len(re.findall('class="token[ "]', page)) == len(rows)
    assert "Content-Security-Policy" in page
    assert trace._repr_html_() in page


def test_colours_go_from_red_to_green() -> None:
    hues = [int(re.findall(r"\d+", colour(probability))[0]) for probability in (0, 0.001, 0.1, 0.5, 1)]
    assert hues == sorted(hues)
    assert (hues[0], hues[-1]) == (0, 120)


def test_the_terminal_shows_text_fields_and_hints(tiny: LocalModel, capsys: pytest.CaptureFixture[str]) -> None:
    result = tiny.generate("Ada is 36 years old.", NAME, trace=True)
    result.trace.show()
    shown = capsys.readouterr().out
    assert result.text in shown
    assert "/name" in shown
    assert all(hint.split(",")[0] in shown.replace("\n", " ") for hint in result.trace.hints())


def test_observing_masks_nothing(tiny: LocalModel) -> None:
    asked = "Is this positive or negative? I loved it."
    observed = tiny.observe(asked, fw.choice("positive", "negative"))
    assert observed.in_form == (observed.text in ("positive", "negative"))
    other = tiny.observe(asked, fw.literal("something else"))
    assert (other.text, other.token_ids) == (observed.text, observed.token_ids)
    assert not other.in_form
    assert len(other.trace) == 1  # the first token has left the form
    assert other.trace.rows[0].allowed_mass < 0.1
    runtime = tiny.runtime.fork()
    logits = [runtime.prefill(tiny.encode(asked))] + [runtime.step(token_id) for token_id in observed.token_ids]
    said = [row - np.logaddexp.reduce(row.astype(np.float64)) for row in logits]
    written = [*observed.token_ids, *tiny.vocabulary.eos_token_ids][: len(said)]
    total = sum(float(row[token_id]) for row, token_id in zip(said, written, strict=True))
    assert observed.log_probability == pytest.approx(total, abs=1e-4)
    cut = tiny.observe("Ada is 36 years old. JSON with name and age.", list[int], max_tokens=3)
    assert len(cut.token_ids) == 3
    assert not cut.in_form


def test_a_text_that_leaves_the_form_says_so(tiny: LocalModel) -> None:
    observed = tiny.observe("Ada is 36 years old.", fw.choice("Red", "Green"))
    last = observed.trace[-1]
    assert not observed.trace.in_form
    assert not last.is_allowed
    assert last.masked_probability == 0
    assert observed.trace.hints()[-1].startswith("the text left the form with ")


def test_control_characters_do_not_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    Trace((row(b"\x1b[31mred"), row(b"\n")), "").show()
    assert "\x1b[31m" not in capsys.readouterr().out


def test_what_is_nested_deeply_has_no_fields() -> None:
    trace = Trace((row(b"["),), "[" * 100_000, is_json=True)
    assert (trace.fields, trace.hints()) == ([], [])
