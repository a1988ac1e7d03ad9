"""Pieces of a text: masks, places, compositions, schemas, types, budgets, canonical tokens, storing."""

from __future__ import annotations

import json
import pickle
import random
from dataclasses import dataclass
from typing import Annotated

import pytest
from makers import TINY
from pydantic import BaseModel, TypeAdapter, ValidationError

import formwright as fw
from formwright.errors import ArgumentError, OutputInvalid, SchemaError
from formwright.forms.grounded import Grounded

CONTRACT = "The fee is $1,000.50. It isn't refunded!\nPay by May 3rd."
CHINESE = "今天天气很好。我们去公园吧！“好的。”她说😀"


def every_piece(text: str, ends: list[tuple[int, int]]) -> set[str]:
    """All runs of some ranges of a text."""
    return {text[first[0] : last[1]] for at, first in enumerate(ends) for last in ends[at:]}


def characters(text: str) -> list[tuple[int, int]]:
    return [(at, at + 1) for at in range(len(text))]


def ranges(text: str, parts: list[str]) -> list[tuple[int, int]]:
    """Where some parts stand, one behind the other."""
    found, at = [], 0
    for part in parts:
        at = text.index(part, at)
        found.append((at, at + len(part)))
        at += len(part)
    return found


WORDS = ["The", "fee", "is", "1,000.50", "It", "isn't", "refunded", "Pay", "by", "May", "3rd"]
SENTENCES = ["The fee is $1,000.50.", "It isn't refunded!", "Pay by May 3rd."]


@pytest.fixture(scope="module")
def vocabulary() -> fw.Vocabulary:
    """Every byte, an end, and tokens of a few bytes of the texts, characters cut in two among them."""
    chance, longer = random.Random(0), set()
    for text in (CONTRACT, CHINESE, json.dumps(CONTRACT), '", "', '"}', "e.\n"):
        data = text.encode()
        for _ in range(300):
            at = chance.randrange(len(data))
            longer.add(data[at : at + chance.randint(2, 7)])
    longer = {token for token in longer if len(token) > 1}
    return fw.Vocabulary([*(bytes([byte]) for byte in range(256)), None, *sorted(longer)], eos_token_ids=[256])


def expected(texts: list[bytes], written: bytes, vocabulary: fw.Vocabulary) -> list[int]:
    """The tokens that some text goes on with, and the end where one is complete."""
    rests = [text[len(written) :] for text in texts if text.startswith(written)]
    begun = {rest[:end] for rest in rests for end in range(1, min(len(rest), 8) + 1)}
    allowed = [token for token in range(len(vocabulary)) if token != 256 and vocabulary.token(token) in begun]
    return sorted([*allowed, *([256] if b"" in rests else [])])


@pytest.mark.parametrize(
    ("text", "unit", "units"),
    [
        (CONTRACT, "char", characters(CONTRACT)),
        (CONTRACT, "word", ranges(CONTRACT, WORDS)),
        (CONTRACT, "sentence", ranges(CONTRACT, SENTENCES)),
        (CHINESE, "char", characters(CHINESE)),
        (CHINESE, "word", ranges(CHINESE, [c for c in CHINESE if c.isalpha()])),
        (CHINESE, "sentence", ranges(CHINESE, ["今天天气很好。", "我们去公园吧！", "“好的。”", "她说😀"])),
    ],
)
@pytest.mark.parametrize("around", [("", ""), ("Quote: ", "\n")])
def test_masks_are_those_of_the_pieces(
    vocabulary: fw.Vocabulary, text: str, unit: str, units: list[tuple[int, int]], around: tuple[str, str]
) -> None:
    pieces = every_piece(text, units)
    form = around[0] + fw.one_of_text(text, unit) + around[1]  # type: ignore[arg-type]
    texts = [(around[0] + piece + around[1]).encode() for piece in pieces]
    assert all(form.matches(whole) for whole in texts)
    constraint, chance = fw.compile(form, vocabulary), random.Random(1)
    for _ in range(4):
        matcher = constraint.matcher()
        while not matcher.is_finished:
            allowed = matcher.allowed_token_ids()
            assert allowed == expected(texts, matcher.accepted_bytes, vocabulary)
            matcher.accept_token(chance.choice(allowed))


def test_what_is_no_piece_is_not_in_form() -> None:
    for unit, wrong in [
        ("char", ["", "Thefee", "x"]),
        ("word", ["Th", "fee ", "$1", "1,000", "is $"]),
        ("sentence", ["It"]),
    ]:
        form = fw.one_of_text(CONTRACT, unit)  # type: ignore[arg-type]
        assert not any(form.matches(piece) for piece in wrong)
    with pytest.raises(OutputInvalid):
        fw.one_of_text(CONTRACT).parse("no")
    assert len(fw.one_of_text(CONTRACT, "word").example()) == 2


def test_pieces_have_places() -> None:
    form = fw.one_of_text("été, été 😀 hiver", unit="word")
    assert form.places("été") == [(0, 3), (5, 8)]
    assert [form.source[start:end] for start, end in form.places("été 😀 hiver")] == ["été 😀 hiver"]
    assert form.places("t") == form.places("") == form.places("printemps") == []
    with pytest.raises(ArgumentError):
        form.places(3)  # type: ignore[arg-type]


def test_compositions_have_the_piece() -> None:
    quote = fw.one_of_text(CONTRACT, unit="word")
    template = fw.template('"{quote}" ({page})', quote=quote, page=int)
    text = '"fee is $1,000.50" (3)'
    assert template.parse(text) == {"quote": "fee is $1,000.50", "page": 3}
    assert template.parts(text)[0].text == "fee is $1,000.50"
    assert isinstance(quote.named("x"), Grounded)
    either = quote | "nothing"
    assert either.parse("nothing") == "nothing"
    assert fw.many(quote, sep="; ").parse("fee; May 3rd") == ["fee", "May 3rd"]
    assert fw.optional(quote).parse("") is None
    assert (quote & fw.regex("[a-z ]+")).matches("fee is")
    assert not (quote & fw.regex("[a-z ]+")).matches("The fee")


class Claim(BaseModel):
    quote: Annotated[str, fw.one_of_text(CONTRACT, unit="sentence")]
    amount: Annotated[str, fw.one_of_text(CONTRACT)] | None = None


@dataclass
class Row:
    quote: Annotated[str, fw.one_of_text('a "b"\n\tc\\', unit="char")]


def test_fields_of_types() -> None:
    form = fw.form(Claim)
    text = '{"quote": "It isn\'t refunded!\\nPay by May 3rd.", "amount": "$1,000"}'
    assert form.parse(text).quote == "It isn't refunded!\nPay by May 3rd."
    assert form.parse('{"quote": "Pay by May 3rd.", "amount": null}').amount is None
    assert not form.matches('{"quote": "Pay by May 3rd"}')
    assert not form.matches('{"quote": "Pay by May 3rd.", "amount": "$2"}')
    assert TypeAdapter(Claim).validate_json(text).amount == "$1,000"
    with pytest.raises(ValidationError, match="not a piece of"):
        Claim(quote="Pay.")
    assert pickle.loads(pickle.dumps(form)).parse(text) == form.parse(text)
    assert fw.form(Annotated[str, fw.one_of_text("abc")]).parse('"bc"') == "bc"


def test_escapes_are_whole(vocabulary: fw.Vocabulary) -> None:
    source = 'a "b"\n\tc\\'
    pieces = every_piece(source, characters(source))
    texts = [json.dumps({"quote": piece}, separators=(",", ":")).encode() for piece in pieces]
    constraint, chance = fw.compile(fw.form(Row, whitespace="compact"), vocabulary), random.Random(2)
    for _ in range(8):
        matcher = constraint.matcher()
        while not matcher.is_finished:
            allowed = matcher.allowed_token_ids()
            assert allowed == expected(texts, matcher.accepted_bytes, vocabulary)
            matcher.accept_token(chance.choice(allowed))
        assert fw.form(Row).parse(matcher.accepted_bytes).quote in pieces


def test_schemas() -> None:
    schema = {"type": "string", "x-one-of-text": {"source": CONTRACT, "unit": "word"}}
    form = fw.json_schema(schema)
    assert form.parse('"fee is"') == "fee is"
    assert not form.matches('"fe"')
    assert [row.status for row in form.explain() if row.keyword == "x-one-of-text"] == ["enforced"]
    short = fw.json_schema({**schema, "maxLength": 3})
    assert short.matches('"fee"')
    assert not short.matches('"fee is"')
    assert fw.json_schema({**schema, "enum": ["May", "June"]}).example() == '"May"'
    assert fw.json_schema({"x-one-of-text": "abc"}).matches("3")
    unique = fw.json_schema({"type": "array", "items": schema, "uniqueItems": True})
    assert unique.matches('["fee", "is"]')
    assert not unique.matches('["fee", "fee"]')
    assert fw.json_schema(schema, alphabet="xyz").matches('"fee is"')
    assert fw.json_schema(schema, escapes="any").matches(r'"fe\u0065 is"')
    several = {"$defs": {"quote": schema}, "prefixItems": [{"$ref": "#/$defs/quote"}] * 3}
    assert fw.json_schema(several).matches('["fee", "is", "May"]')
    with pytest.raises(SchemaError, match="/x-one-of-text"):
        fw.json_schema({"x-one-of-text": {"source": CONTRACT, "unit": "line"}})


def test_what_is_no_source_is_refused() -> None:
    for source, unit, argument in [("", "char", "source"), ("--", "word", "source"), (" ", "sentence", "source")]:
        with pytest.raises(ArgumentError) as caught:
            fw.one_of_text(source, unit)  # type: ignore[arg-type]
        assert caught.value.argument == argument
    for wrong in ("line", 3):
        with pytest.raises(ArgumentError) as caught:
            fw.one_of_text("a", wrong)  # type: ignore[arg-type]
        assert caught.value.argument == "unit"
    for no_text in (3, "\ud800", b"a"):
        with pytest.raises(ArgumentError):
            fw.one_of_text(no_text)  # type: ignore[arg-type]
    with pytest.raises(fw.errors.LimitExceeded):
        fw.one_of_text("a" * (2**26 + 1))


@pytest.mark.parametrize("unit", ["char", "word", "sentence"])
def test_texts_end_within_the_least_budget(vocabulary: fw.Vocabulary, unit: str) -> None:
    quote = fw.one_of_text(CONTRACT, unit)  # type: ignore[arg-type]
    for form in (quote, "Quote: " + quote + "!", fw.form(Annotated[str, quote])):
        constraint, chance = fw.compile(form, vocabulary), random.Random(3)
        least = constraint.matcher().min_tokens_to_finish
        for extra in (0, 1, 5):
            matcher, left = constraint.matcher(), least + extra
            while not matcher.is_finished:
                allowed = matcher.allowed_token_ids(budget=left)
                assert allowed
                matcher.accept_token(chance.choice(allowed))
                left -= 1
            assert form.matches(matcher.accepted_bytes)


def test_canonical_tokens() -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(TINY))
    vocabulary, chance = fw.Vocabulary.from_tokenizer(tokenizer), random.Random(4)
    quote = fw.one_of_text(CONTRACT, unit="word")
    for form in (quote, fw.json_schema({"type": "string", "x-one-of-text": {"source": CONTRACT, "unit": "word"}})):
        constraint = fw.compile(form, vocabulary, canonical=True)
        for _ in range(10):
            matcher, ids = constraint.matcher(), []
            while not matcher.is_finished:
                ids.append(chance.choice(matcher.allowed_token_ids()))
                matcher.accept_token(ids[-1])
            text = matcher.accepted_bytes.decode()
            assert form.matches(text)
            assert tokenizer.encode(text, add_special_tokens=False).ids == ids[:-1]


def test_pieces_are_stored() -> None:
    form = "Quote: " + fw.one_of_text(CONTRACT, unit="word")
    again = fw.Form.from_bytes(form.to_bytes())
    assert again.to_bytes() == form.to_bytes()
    assert again.matches("Quote: fee is")
    assert not again.matches("Quote: fe")
    quote = pickle.loads(pickle.dumps(fw.one_of_text(CONTRACT, unit="word")))
    assert quote.places("fee") == [(4, 7)]
    assert quote.matches("fee is")
