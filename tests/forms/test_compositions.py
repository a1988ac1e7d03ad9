"""Forms of several parts: control tokens, free text, templates, thinking, triggers."""

from __future__ import annotations

import pickle
import random
import threading
from collections import Counter
from dataclasses import dataclass
from typing import Any

import pytest
from compositions import END, SPECIAL, VOCABULARY, Maker, fault, letter, wrong_mask, wrong_reading
from parameters import slow_except

import formwright as fw
from formwright.errors import ArgumentError, LimitExceeded, OutputInvalid, UnsatisfiableSchema, VocabularyError

OBJECT = {
    "type": "object",
    "properties": {"a": {"type": "integer"}},
    "required": ["a"],
    "additionalProperties": False,
}


def test_a_control_token_is_a_letter_of_its_own() -> None:
    matcher = fw.compile(fw.special("<|a|>") + "x", VOCABULARY).matcher()
    assert matcher.allowed_token_ids() == [SPECIAL["<|a|>"]]
    matcher.accept_token(SPECIAL["<|a|>"])
    assert matcher.accepted_bytes == letter("<|a|>")
    assert matcher.allowed_token_ids() == [ord("x")]
    assert matcher.min_tokens_to_finish == 1
    with pytest.raises(fw.errors.TokenRejected, match=r"control token"):
        fw.compile(fw.special("<|a|>"), VOCABULARY).matcher().accept_bytes(b"<|a|>")


def test_free_text_never_holds_a_control_token() -> None:
    matcher = fw.compile(fw.text(), VOCABULARY).matcher()
    assert not set(SPECIAL.values()) & set(matcher.allowed_token_ids())
    assert 255 not in matcher.allowed_token_ids()


def test_a_name_may_be_spelled_as_text_where_that_is_said() -> None:
    form = fw.special("<|a|>", or_text=True)
    allowed = fw.compile(form, VOCABULARY).matcher().allowed_token_ids()
    assert allowed == [ord("<"), SPECIAL["<|a|>"]]
    other = fw.Vocabulary([*(bytes([byte]) for byte in range(256)), None], eos_token_ids=[256])
    assert fw.compile(form, other).matcher().allowed_token_ids() == [ord("<")]


@pytest.mark.parametrize("name", ["<|nowhere|>", "end"])
def test_a_control_token_that_does_not_exist_is_named(name: str) -> None:
    vocabulary = fw.Vocabulary([b"a", None, None], eos_token_ids=[2], special_tokens={"end": 2, "<s>": 1})
    with pytest.raises(VocabularyError, match=name.strip("<|>")):
        fw.compile(fw.literal("a") + fw.special(name), vocabulary)


def test_texts_from_elsewhere_spell_control_tokens_by_their_names() -> None:
    form = fw.text(until=fw.special("</t>")) + fw.form(int)
    assert form.parse("x</t>12") == 12
    assert form.parse("a</t>b</t>12") == 12
    assert not form.matches("x12")
    assert form.check("x</t>1x").position == 7  # it could still be free text
    assert (fw.special("<|a|>") + fw.regex("a+")).parse("<|a|>aa") == "<|a|>aa"
    with pytest.raises(OutputInvalid):
        form.parse("</t>x")


def test_what_a_model_wrote_is_read_by_its_tokens() -> None:
    form = fw.text(until=fw.special("</t>")).named("free") + fw.form(int)
    data = b"a</t>b" + letter("</t>") + b"7"
    matcher = fw.compile(form, VOCABULARY).matcher()
    matcher.accept_bytes(data)
    assert form.read_bytes(data) == 7
    assert [(part.name, part.text, part.start, part.end) for part in matcher.parts()] == [
        ("free", "a</t>b</t>", 0, 10),
    ]


def test_a_text_ends_at_its_first_marker() -> None:
    form = fw.text(until=["END", "\n"])
    assert form.parse("some text END") == "some text END"
    assert form.matches("x\n")
    assert not form.matches("x\ny\n")
    assert not form.matches("x")
    assert fw.text(until="END", include=False).matches("EN")
    assert not fw.text(until="END", include=False).matches("aENDb")
    assert fw.text(until="x", max_chars=2).matches("aax")
    assert not fw.text(until="x", max_chars=2).matches("aaax")


def test_a_marker_says_what_follows() -> None:
    form = fw.text(until={"<int>": int, "<word>": fw.regex("[a-z]+")})
    assert form.parse("say <int>12") == 12
    assert form.matches("say <word>ok")
    assert not form.matches("say <word>12")
    assert not form.matches("say <word>a <int>")


def test_regular_forms_have_an_algebra() -> None:
    words = fw.regex("[a-z]{2,3}") & ~fw.choice("no", "yes")
    assert [words.matches(text) for text in ("no", "yes", "ok", "nop")] == [False, False, True, True]
    assert (fw.format("date") & fw.regex("2024-.*")).parse("2024-02-29") == "2024-02-29"
    with pytest.raises(UnsatisfiableSchema):
        fw.regex("a") & fw.regex("b")
    with pytest.raises(ArgumentError, match="JSON"):
        fw.form(OBJECT) & fw.regex("a")
    with pytest.raises(ArgumentError, match="control token"):
        ~fw.special("x")


def test_templates_give_a_dict_or_a_class() -> None:
    @dataclass
    class Person:
        name: fw.Form[str]
        age: int

    form = fw.template("Name: {name}\nAge: {age} {{}}", name=fw.regex("[A-Z][a-z]+"), age=int)
    assert form.parse("Name: Ada\nAge: 36 {}") == {"name": "Ada", "age": 36}
    named = fw.template("{name}, {age}", into=Person, name=fw.regex("[A-Z][a-z]+"))
    assert named.parse("Ada, 36") == Person("Ada", 36)  # type: ignore[arg-type]
    assert [part[:2] for part in form.parts("Name: Ad")] == [("name", "Ad")]
    assert not form.parts("Name: Ad")[0].is_complete
    assert fw.template("x").parse("x") == {}


def test_parts_may_be_missing_or_come_often() -> None:
    assert fw.many(int, sep=", ").parse("1, 2, 3") == [1, 2, 3]
    assert fw.many(int, sep=", ").parse("") == []
    assert fw.many(fw.regex("[ab]"), low=1, high=2).parse("ab") == ["a", "b"]
    assert not fw.many(int, sep=",", high=2).matches("1,2,3")
    assert not fw.many(int, sep=",", low=2).matches("1")
    assert fw.many(int, high=0).parse("") == []
    form = fw.template("x{note}", note=fw.optional(fw.regex(" [a-z]+")))
    assert form.parse("x") == {"note": None}
    assert form.parse("x ok") == {"note": " ok"}


def test_where_a_text_could_be_cut_in_several_ways_the_earlier_part_is_longest() -> None:
    form = fw.template("{a}{b}", a=fw.regex("[a-z]+"), b=fw.regex("[a-z0-9]+"))
    assert form.parse("abc1") == {"a": "abc", "b": "1"}
    assert form.parse("abc") == {"a": "ab", "b": "c"}


def test_a_thought_is_a_part() -> None:
    form = fw.thinking(OBJECT)
    text = '<think>a < b, </thin k</think>\n\n{"a": 1}'
    assert form.parse(text) == {"a": 1}
    assert form.parts(text)[0].text == "a < b, </thin k"


def test_triggers() -> None:
    form = fw.after(":", fw.choice("Rome", "Paris"))
    assert form.parse("to:Rome") == "Rome"
    assert form.parse("nowhere") == "nowhere"
    assert not form.matches("to: Rome")
    assert not fw.after(":", fw.choice("Rome"), required=True).matches("nowhere")
    several = fw.after(":", fw.choice("Rome", "Paris"), times=None)
    assert several.parse("a:Rome, b:Paris; c") == ["Rome", "Paris"]
    assert several.parse("none") == []


def test_a_prompt_may_have_opened_what_a_form_opens(tiny: fw.models.LocalModel) -> None:
    ids = tiny.vocabulary.merges.encode("Capital of Italy:")
    assert ids is not None
    result = tiny.generate(ids, fw.after(":", fw.choice("Rome", "Paris"), required=True), max_tokens=8)
    assert result.text in ("Rome", "Paris")
    opened = tiny.vocabulary.merges.encode("x <think>\n")
    assert opened is not None
    thought = tiny.generate(opened, fw.thinking(fw.choice("a", "b"), max_chars=5), max_tokens=20)
    assert not thought.text.startswith("<think>")
    assert thought.part("thought") is not None
    closed = tiny.generate("x", fw.thinking(fw.choice("a", "b"), max_chars=5), max_tokens=30)
    assert closed.text.startswith("<think>")


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: fw.text(until=""), "empty"),
        (lambda: fw.text(until=["a", "bab"]), "'a'|\"a\""),
        (lambda: fw.text(until=3), "3"),  # type: ignore[arg-type]
        (lambda: fw.text(until="x", max_chars=-1), "max_chars"),
        (lambda: fw.text(until={}), "marker"),
        (lambda: fw.special(""), "empty"),
        (lambda: fw.format("dat"), "dat"),
        (lambda: fw.template("{x}"), "'x'"),
        (lambda: fw.template("{x}{x}", x=int), "twice"),
        (lambda: fw.template("{x", x=int), "template"),
        (lambda: fw.template("{x:>3}", x=int), "x:>3"),
        (lambda: fw.template("a", y=int), "'y'"),
        (lambda: fw.many(int, low=2, high=1), "bounds"),
        (lambda: fw.after(":", int, times=0), "times"),
        (lambda: fw.after("", int), "empty"),
        (lambda: fw.thinking(int, close=""), "empty"),
    ],
)
def test_bad_input_is_an_error_that_names_it(make: Any, named: str) -> None:
    with pytest.raises(ArgumentError, match=named):
        make()


def test_compositions_are_pickled_and_stored() -> None:
    form = fw.thinking(fw.template("{a}{b}", a=fw.special("<|a|>"), b=fw.many(int, sep=","))) | fw.format("date")
    again = pickle.loads(pickle.dumps(form))
    text = "<think>x</think><|a|>1,2"
    assert again.parse(text) == form.parse(text) == {"a": "<|a|>", "b": [1, 2]}
    assert fw.Form.from_bytes(form.to_bytes()).matches(text)


@pytest.mark.parametrize("seed", slow_except(range(50), range(150)))
def test_random_compositions(seed: int, tiny: fw.models.LocalModel) -> None:
    assert fault(seed, Counter(), tiny.vocabulary) is None


def test_the_tests_can_fail() -> None:
    made = Maker(random.Random(5)).form(2)
    made.value = object()
    assert wrong_reading(made) is not None
    assert wrong_mask(made, random.Random(0)) is None
    assert END not in SPECIAL.values()


@pytest.mark.parametrize("seed", range(120))
def test_partial_values_of_compositions_grow(seed: int) -> None:
    chance = random.Random(f"partial {seed}")
    made = Maker(chance).form(chance.randint(1, 2))
    text = made.data.replace(b"\xff", b"").decode()
    if not made.form.matches(text) or made.form.parse(text) != made.value:
        pytest.skip("the names of its control tokens can be read otherwise")
    reader, before, order = fw.partial(made.form), reader_state("missing"), []
    for character in text:
        order.append(reader_state(reader.feed(character).state))
        assert order[-1] >= before
        before = order[-1]
    assert reader.finish() == made.value
    if reader.value.is_complete:
        assert reader.value.value == made.value


def reader_state(state: str) -> int:
    """The states in the order in which they come."""
    return ("missing", "partial", "complete").index(state)


def test_fields_of_a_template_come_one_by_one() -> None:
    form = fw.thinking(fw.template("{name} is {age}", name=fw.regex("[A-Z][a-z]+"), age=int), close=fw.special("</t>"))
    reader = fw.partial(form)
    assert not reader.feed("<think>hm</")
    assert not reader.feed("t>")
    value = reader.feed("Ada is 3")
    assert (value.name.value, value.name.state, value.age.state) == ("Ada", "complete", "partial")
    assert reader.feed("6").value == {"name": "Ada", "age": None}
    assert reader.finish() == {"name": "Ada", "age": 36}
    assert reader.value.value == {"name": "Ada", "age": 36}


def test_parts_may_be_empty() -> None:
    assert fw.many(fw.optional(int), sep=",").parse("1,,2") == [1, None, 2]
    assert fw.many(fw.optional(int)).parse("1") == [1]
    assert fw.many(fw.regex("[a-z]*"), sep=",").parse("a,,b") == ["a", "", "b"]
    assert fw.regex("a?").repeat(0, None).example() == ""
    assert fw.text().repeat(0, None).matches("ab")
    with pytest.raises(ArgumentError, match="sep"):
        fw.many(int, sep=fw.form(int))  # type: ignore[arg-type]


def test_a_marker_of_white_space_is_looked_for_as_it_is() -> None:
    form = fw.after("\n", fw.regex("[0-9]+"))
    assert form.after_prompt is not None
    assert form.after_prompt("a line\n") is not None
    assert form.after_prompt("no line") is None


def test_forms_nested_beyond_python_are_a_typed_error() -> None:
    form: fw.Form[Any] = fw.form(int)
    for _ in range(400):
        form = form + ","
    with pytest.raises(OutputInvalid, match="nested"):
        form.parse("1" + "," * 400)


def test_operators_nest_to_a_limit() -> None:
    language = fw.regex("a").language
    comma = fw.literal(",").language
    for _ in range(1000):
        language = language + comma
    with pytest.raises(LimitExceeded, match="operators"):
        language + comma
    found: list[Any] = []

    def run() -> None:
        found.append(language.check(b"a" + b"," * 1000))
        try:
            language & language
        except ArgumentError:
            found.append("refused")

    before = threading.stack_size(512 << 10)
    try:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert found == [(1001, True), "refused"]


def test_what_a_class_refuses_is_typed() -> None:
    def refuse(**fields: Any) -> None:
        raise ValueError("no")

    with pytest.raises(OutputInvalid, match="no"):
        fw.template("{a}", a=int, into=refuse).parse("1")
    with pytest.raises(TypeError, match="unexpected keyword argument 'a'"):
        fw.template("{a}", a=int, into=lambda b: b).parse("1")
    with pytest.raises(ArgumentError, match="into"):
        fw.template("{a}", a=int, into=3)  # type: ignore[arg-type]


def test_a_letter_is_not_for_a_user_to_spell() -> None:
    assert not fw.special("<t>").matches(b"\xff<t>\xff")
    assert fw.special("<t>").matches(b"<t>")
