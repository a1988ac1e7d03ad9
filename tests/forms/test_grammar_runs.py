"""Grammars where texts are written: tokens that are canonical, batches, beams, drafts; and where a form cannot be."""

from __future__ import annotations

import pickle
from dataclasses import make_dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest

import formwright as fw
from formwright.errors import ArgumentError, NotAForm

SUMS = r"""
    start: sum
    ?sum: part | sum "+" part -> add
    part[capture]: NUMBER | "(" sum ")"
    NUMBER: /[0-9]{1,3}/
    %ignore " "
"""
LISTS = 'root ::= "[" (item ("," item)*)? "]"\nitem[capture] ::= root | [a-z]{1,3}'
FORMS: dict[str, fw.Form[Any]] = {
    "lark": fw.grammar(SUMS),
    "tree": fw.grammar(SUMS, read="tree"),
    "gbnf": fw.grammar(LISTS),
    "chain": "= " + fw.grammar(SUMS) + ";",
    "either": fw.grammar(LISTS) | fw.grammar(SUMS),
    "repeated": (fw.grammar(LISTS) + "\n").repeat(1, 2),
    "template": fw.template("{sum} -> {list}", sum=fw.grammar(SUMS), list=fw.grammar(LISTS)),
    "tool": fw.tools(
        [{"type": "custom", "name": "f", "format": {"type": "grammar", "syntax": "lark", "definition": SUMS}}],
        calls="one",
    ),
}
by_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
LIMITS: dict[str, Any] = {"max_tokens": 50, "temperature": 1.0}


@by_form
def test_a_form_with_a_grammar_is_stored_and_sent(form: fw.Form[Any]) -> None:
    text = form.example()
    again = pickle.loads(pickle.dumps(form))
    assert again.parse(text) == form.parse(text)
    assert again.parts(text) == form.parts(text)
    assert fw.Form.from_bytes(form.to_bytes()).digest == form.digest == again.digest


@by_form
@pytest.mark.parametrize("canonical", [True, "forced"])
def test_tokens_may_have_to_be_canonical(tiny: fw.models.LocalModel, form: fw.Form[Any], canonical: Any) -> None:
    for seed in range(2):
        result = tiny.generate("Ada adds.", form, canonical=canonical, seed=seed, **LIMITS)
        assert form.parse(result.text) == result.value
        assert canonical == "forced" or tiny.vocabulary.merges.is_canonical(result.token_ids)


@by_form
def test_a_batch_writes_what_each_prompt_gets_alone(tiny: fw.models.LocalModel, form: fw.Form[Any]) -> None:
    prompts = ["Ada adds.", "Two and two", "List them:"]
    together = list(tiny.generate_many(prompts, form, max_tokens=50, temperature=0))
    alone = [tiny.generate(prompt, form, max_tokens=50, temperature=0) for prompt in prompts]
    assert [result.text for result in together] == [result.text for result in alone]
    assert [result.parts for result in together] == [result.parts for result in alone]


@by_form
def test_beams_hold_texts_of_the_form(tiny: fw.models.LocalModel, form: fw.Form[Any]) -> None:
    result = tiny.generate("Ada adds.", form, max_tokens=50, beams=3, returns=3)
    texts = [alternative.text for alternative in result.alternatives]
    assert len(set(texts)) == len(texts) > 0
    assert all(form.matches(text) for text in texts)


@by_form
def test_drafts_are_accepted_and_rolled_back(tiny: fw.models.LocalModel, form: fw.Form[Any]) -> None:
    tokens = tiny.generate("Ada adds.", form, seed=1, **LIMITS).token_ids
    tokens = [token for token in tokens if token not in tiny.vocabulary.eos_token_ids]
    matcher = fw.compile(form, tiny.vocabulary).matcher()
    allowed = []
    for token in tokens:
        allowed.append(matcher.allowed_token_ids())
        assert token in allowed[-1]
        matcher.accept_token(token)
    parts = matcher.parts()
    for at in reversed(range(len(tokens))):
        matcher.rollback()
        assert matcher.allowed_token_ids() == allowed[at]
    wrong = next(token for token in range(tiny.vocabulary.logits_size) if token not in allowed[-1])
    assert matcher.validate_tokens([*tokens[:-1], wrong, *tokens]) == len(tokens) - 1
    fork = matcher.fork()
    matcher.accept_tokens(tokens)
    assert (matcher.is_complete, matcher.parts()) == (True, parts)
    assert fork.allowed_token_ids() == allowed[0]


@by_form
def test_a_stream_ends_as_the_text_alone(tiny: fw.models.LocalModel, form: fw.Form[Any]) -> None:
    with tiny.stream("Ada adds.", form, max_tokens=50, temperature=0) as stream:
        text = "".join(piece.text for piece in stream)
    assert text == stream.result.text == tiny.generate("Ada adds.", form, max_tokens=50, temperature=0).text


@pytest.mark.parametrize("form", [fw.grammar(SUMS), fw.regex("a+"), fw.choice("a", "b")], ids=str)
def test_a_form_inside_a_type_is_refused_where_it_was_left_out(form: fw.Form[Any]) -> None:
    def ask(query: Annotated[str, form]) -> None: ...

    for wrong in (Annotated[str, form], list[Annotated[str, form]], list[form], make_dataclass("Ask", [("q", form)])):
        with pytest.raises(NotAForm, match="is a form inside a type") as raised:
            fw.form(wrong)
        assert "custom tool" in str(raised.value.hint)
    ask.__annotations__["query"] = Annotated[str, form]
    with pytest.raises(NotAForm, match="is a form inside a type"):
        fw.tools([ask])


class Parser:
    """What Lark's parsers have."""

    source_grammar = SUMS


@pytest.mark.parametrize(
    ("given", "said", "hint"),
    [
        (Path("sums.lark"), "got the name of a file: 'sums.lark'", "read_text()"),
        ("grammars/sums.gbnf", "got the name of a file: 'grammars/sums.gbnf'", "read_text()"),
        (Parser(), "got Parser with a grammar of", "source_grammar"),
    ],
)
def test_what_is_not_the_text_of_a_grammar_is_refused(given: Any, said: str, hint: str) -> None:
    with pytest.raises(ArgumentError, match="text: expected") as raised:
        fw.grammar(given)
    assert said in str(raised.value)
    assert hint in str(raised.value.hint)


@pytest.mark.parametrize("given", [SUMS, LISTS, Parser()])
def test_a_grammar_that_is_not_a_form_yet_is_refused_with_what_makes_one(given: Any) -> None:
    with pytest.raises(NotAForm) as raised:
        fw.form(given)
    assert "fw.grammar(" in str(raised.value.hint)
