"""Choices of many texts: from a list or a file, what masks they give, stored and read."""

from __future__ import annotations

import hashlib
import pickle
import random
import struct
from pathlib import Path

import pytest

import formwright as fw
from formwright.reference import languages as ref

MANY = 70_000
"""More bytes than a choice has that is laid out as a tree."""


def names(seed: int, size: int = MANY) -> list[str]:
    """Different names with common prefixes, of more than so many bytes, in random order."""
    chance, found, total = random.Random(seed), {""}, 0
    words = ["".join(chance.choices("abcdefé ", k=chance.randint(1, 4))) for _ in range(200)]
    while total <= size:
        name = "".join(chance.choices(words, k=chance.randint(1, 8)))
        total += len(name.encode()) if name not in found else 0
        found.add(name)
    return sorted(found - {""}, key=lambda _: chance.random())


@pytest.fixture(scope="module")
def vocabulary() -> fw.Vocabulary:
    """Every byte, an end, and tokens of two to four characters of the names."""
    chance = random.Random(0)
    longer = {"".join(chance.choices("abcdefé ", k=chance.randint(2, 4))).encode() for _ in range(800)}
    return fw.Vocabulary([*(bytes([byte]) for byte in range(256)), None, *sorted(longer)], eos_token_ids=[256])


def expected(texts: list[bytes], written: bytes, vocabulary: fw.Vocabulary) -> list[int]:
    """The tokens that some text goes on with, and the end where one is complete."""
    rests = [text[len(written) :] for text in texts if text.startswith(written)]
    begun = {rest[:end] for rest in rests for end in range(1, len(rest) + 1)}
    allowed = [token for token in range(len(vocabulary)) if token != 256 and vocabulary.token(token) in begun]
    return sorted([*allowed, *([256] if b"" in rests else [])])


def walk(form: fw.Form[str], vocabulary: fw.Vocabulary, seed: int) -> list[tuple[bytes, list[int]]]:
    """What was written and what may come next, along a random walk."""
    matcher, chance, steps = fw.compile(form, vocabulary).matcher(), random.Random(seed), []
    while not matcher.is_finished:
        allowed = matcher.allowed_token_ids()
        steps.append((matcher.accepted_bytes, allowed))
        matcher.accept_token(chance.choice(allowed))
    return steps


@pytest.mark.parametrize("seed", range(3))
def test_masks_are_those_of_the_texts(vocabulary: fw.Vocabulary, seed: int) -> None:
    texts = names(seed)
    data = [text.encode() for text in texts]
    for attempt in range(4):
        for written, allowed in walk(fw.choice(texts), vocabulary, attempt):
            assert allowed == expected(data, written, vocabulary)


def test_masks_are_those_of_the_reference(vocabulary: fw.Vocabulary) -> None:
    texts = names(7)
    tokens = {token: vocabulary.token(token) for token in range(len(vocabulary)) if token != 256}
    for written, allowed in walk(fw.choice(texts), vocabulary, 1):
        begun = [text for text in texts if text.encode().startswith(written)]
        if len(begun) <= 200:  # the reference follows each text by itself
            assert set(allowed) == ref.allowed_tokens(ref.choice(begun), written, tokens, [256])


@pytest.mark.parametrize("seed", range(3))
def test_many_texts_are_what_few_and_few_are(vocabulary: fw.Vocabulary, seed: int) -> None:
    texts = names(seed)
    many = fw.choice(texts)
    few = fw.choice(texts[::3]) | fw.choice(texts[1::3]) | fw.choice(texts[2::3])
    for one, two in [(many, few), (many + ".", few + "."), ((many + ",").repeat(1, 3), (few + ",").repeat(1, 3))]:
        assert walk(one, vocabulary, seed) == walk(two, vocabulary, seed)
    constraint = fw.compile(many, vocabulary)
    assert fw.compile(few, vocabulary).matcher().allowed_token_ids() == constraint.matcher().allowed_token_ids()
    assert len(many.example()) == len(few.example()) == min(map(len, texts))


def test_a_few_texts_are_alternatives(vocabulary: fw.Vocabulary) -> None:
    texts = names(5, 200)
    alternatives = fw.literal(texts[0])
    for text in texts[1:]:
        alternatives |= text
    for attempt in range(20):
        assert walk(fw.choice(texts), vocabulary, attempt) == walk(alternatives, vocabulary, attempt)


def test_the_empty_text_may_be_among_many(vocabulary: fw.Vocabulary) -> None:
    form = fw.choice([*names(1), ""])
    assert (form.example(), form.matches("")) == ("", True)
    assert 256 in fw.compile(form, vocabulary).matcher().allowed_token_ids()
    assert fw.Form.from_bytes(form.to_bytes()).to_bytes() == form.to_bytes()


def test_every_text_of_many_is_in_form() -> None:
    texts = names(3)
    form = fw.choice(texts)
    assert all(form.matches(text) and form.parse(text) == text for text in texts[:500])
    assert not any(form.matches(text + "x") or form.matches("x" + text) for text in texts[:500])
    assert form.check(texts[0] + "!").position == len(texts[0])


def test_a_budget_leads_to_the_end_of_one_of_many(vocabulary: fw.Vocabulary) -> None:
    constraint = fw.compile(fw.choice(names(4)), vocabulary)
    for seed in range(20):
        matcher, chance = constraint.matcher(), random.Random(seed)
        for budget in range(matcher.min_tokens_to_finish + seed, 0, -1):
            matcher.accept_token(chance.choice(matcher.allowed_token_ids(budget=budget)))
            if matcher.is_finished:
                break
        assert matcher.is_complete


@pytest.mark.parametrize("texts", [["b", "a", "b", "é"], [*names(2), *names(2)]], ids=["few", "many"])
def test_neither_order_nor_repetition_matter(texts: list[str]) -> None:
    data = fw.choice(texts).to_bytes()
    assert data == fw.choice(sorted(set(texts))).to_bytes() == fw.choice(texts[::-1]).to_bytes()
    again = fw.Form.from_bytes(data)
    assert again.to_bytes() == pickle.loads(pickle.dumps(again)).to_bytes() == data


def test_many_texts_are_stored_with_their_vocabulary(vocabulary: fw.Vocabulary) -> None:
    constraint = fw.compile(fw.choice(names(6)), vocabulary)
    again = fw.Constraint.from_bytes(constraint.to_bytes(), vocabulary)
    assert walk(again.form, vocabulary, 1) == walk(constraint.form, vocabulary, 1)


def sealed(lengths: list[int], texts: bytes, count: int | None = None) -> bytes:
    """A stored choice whose digest fits, whatever it says."""
    counted = struct.pack("<I", len(lengths) if count is None else count)
    body = b"\x02" + counted + struct.pack(f"<{len(lengths)}H", *lengths) + texts
    head = fw.choice("a").to_bytes()[:8]
    return head + hashlib.sha256(body).digest() + body


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (sealed([1, 1], b"ba"), "option 1 does not sort after the one before it"),
        (sealed([1, 1], b"aa"), "option 1 does not sort after the one before it"),
        (sealed([2, 1], b"aba"), "option 1 does not sort after the one before it"),
        (sealed([1, 0], b"a"), "option 1 does not sort after the one before it"),
        (sealed([1, 1], "é".encode()), "option 0 does not end where a character does"),
        (sealed([1, 1], b"a\xff"), "options is not UTF-8"),
        (sealed([1, 9], b"ab"), "options needs 10 bytes, but 2 are left"),
        (sealed([1], b"a", count=2**32 - 1), "do not fit into the 3 bytes that are left"),
        (sealed([65_535], b"a" * 65_535), "option 0 does not end"),
        (sealed([1], b"a\x70"), "the kind of a step is 112"),
    ],
)
def test_stored_texts_that_are_no_choice_are_refused(data: bytes, says: str) -> None:
    with pytest.raises(fw.errors.LanguageError, match=says):
        fw.Form.from_bytes(data)


def test_a_stored_choice_of_nothing_is_refused() -> None:
    with pytest.raises(fw.errors.ArgumentError, match="there are no options"):
        fw.Form.from_bytes(sealed([], b""))


def test_changed_bytes_are_refused_or_another_choice() -> None:
    chance, data = random.Random(1), fw.choice(names(8, 300)).to_bytes()[40:]
    head = fw.choice("a").to_bytes()[:8]
    for _ in range(2_000):
        body = bytearray(data)
        for _ in range(chance.randint(1, 3)):
            body[chance.randrange(len(body))] = chance.choice([0, 1, 255, chance.randrange(256)])
        try:
            form = fw.Form.from_bytes(head + hashlib.sha256(body).digest() + body)
        except fw.errors.FormwrightError:
            continue
        assert form.matches(form.example())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "names.txt"


@pytest.mark.parametrize(
    ("data", "texts"),
    [
        (b"yes\nno", ["yes", "no"]),
        (b"yes\nno\n", ["yes", "no"]),
        (b"yes\r\nno\r\n", ["yes", "no"]),
        (b"no\nyes\nno\n", ["yes", "no"]),
        (b"\xef\xbb\xbfyes\nno\n", ["yes", "no"]),
        (b" a\rb \n\xc3\xa9\xe2\x80\xa8c\n", [" a\rb ", "é\u2028c"]),
    ],
)
def test_lines_of_a_file_are_options(file: Path, data: bytes, texts: list[str]) -> None:
    file.write_bytes(data)
    form = fw.choice(file)
    assert form.to_bytes() == fw.choice(texts).to_bytes()
    assert repr(form) == "Form(choice of names.txt)"
    assert form.parse(texts[1]) == texts[1]


def test_a_file_of_many_lines(file: Path) -> None:
    texts = names(9)
    file.write_text("\n".join(texts), encoding="utf-8")
    assert fw.choice(file).to_bytes() == fw.choice(texts).to_bytes()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "the file is empty"),
        (b"\n", "line 1 is empty"),
        (b"a\n\nb\n", "line 2 is empty"),
        (b"a\r\n\r\nb", "line 2 is empty"),
        (b"a\nb\n\n", "line 3 is empty"),
        (b"a\nb\n\xff\n", "line 3 is not UTF-8"),
    ],
)
def test_a_file_that_holds_no_choice_is_refused(file: Path, data: bytes, says: str) -> None:
    file.write_bytes(data)
    with pytest.raises(fw.errors.ArgumentError, match=says) as caught:
        fw.choice(file)
    assert str(file) in str(caught.value)
    assert (caught.value.argument, caught.value.hint is not None) == ("options", True)


def test_a_file_that_cannot_be_read_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        fw.choice(tmp_path / "missing.txt")
    with pytest.raises(OSError, match=r"."):
        fw.choice(tmp_path)


def test_a_text_that_is_too_long_is_refused(file: Path) -> None:
    file.write_text("a" * 65_535, encoding="utf-8")
    for refused in (lambda: fw.choice(file), lambda: fw.choice("a" * 65_535)):
        with pytest.raises(fw.errors.LimitExceeded) as caught:
            refused()
        assert (caught.value.value, caught.value.allowed) == (65_535, 65_534)


@pytest.mark.parametrize("wrong", [1, None, b"a", "\ud800"])
def test_one_of_many_that_is_no_text_is_named(wrong: object) -> None:
    with pytest.raises(fw.errors.ArgumentError, match=r"expected a str|lone surrogate"):
        fw.choice([*names(1), wrong])  # type: ignore[list-item]


def test_a_title_is_short_and_shows_both_ends() -> None:
    assert repr(fw.choice([f"option {number}" for number in range(100_000)])).startswith("Form(choice 'option 0', ")
    assert repr(fw.choice([f"option {number}" for number in range(100_000)])).endswith(" 'option 99999')")
