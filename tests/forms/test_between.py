"""What may be written between two texts: against all middles over small alphabets, and every cut of real instances.

``FORMWRIGHT_SEEDS`` sets the number of random cases.
"""

from __future__ import annotations

import gzip
import itertools
import json
import os
import pickle
import random
import re
from pathlib import Path
from typing import Any

import pytest
from canvas_oracle import Case, NestedCase
from parameters import slow_except

import formwright as fw

SEEDS = int(os.environ.get("FORMWRIGHT_SEEDS", "60"))
LETTERS = "abc"
JSON = (Path(__file__).parents[2] / "examples" / "grammars" / "json.lark").read_text("utf-8")


@pytest.mark.parametrize("seeds", slow_except([SEEDS], [SEEDS, 20 * SEEDS]))
@pytest.mark.timeout(1200)
def test_middles_are_those_that_complete_both(seeds: int) -> None:
    middles = ["".join(letters) for size in range(5) for letters in itertools.product(LETTERS, repeat=size)]
    kinds = {True: 0, False: 0}
    for seed in range(seeds):
        form, chance = fw.regex(Case.draw(seed).pattern), random.Random(seed)
        text = form.example() if chance.random() < 0.7 else "".join(chance.choices(LETTERS, k=3))
        first, last = sorted(chance.choices(range(len(text) + 1), k=2))
        prefix, suffix = text[:first], text[last:]
        wanted = {middle for middle in middles if form.matches(prefix + middle + suffix)}
        try:
            between = form.between(prefix, suffix)
        except fw.errors.UnsatisfiableSchema:
            assert not wanted
            kinds[False] += 1
            continue
        kinds[True] += 1
        assert {middle for middle in middles if between.matches(middle)} == wanted
        assert form.matches(prefix + between.example() + suffix)
    assert min(kinds.values()) > seeds // 20


@pytest.mark.parametrize(("seeds", "spelled"), slow_except([(SEEDS, "abc")], [(SEEDS, "abc"), (4 * SEEDS, "éàê")]))
@pytest.mark.timeout(1200)
def test_middles_of_texts_that_nest_are_those_that_complete_both(seeds: int, spelled: str) -> None:
    kinds, spell = {True: 0, False: 0}, str.maketrans(LETTERS, spelled)
    for case in map(NestedCase.draw, range(seeds)):
        pattern = re.sub('"[abc]"', lambda letter: letter[0].translate(spell), case.pattern)
        texts, chance = {text.translate(spell) for text in case.texts(9)}, random.Random(case.pattern)
        letters = sorted({letter for text in texts for letter in text})
        for _ in range(3 if texts else 0):
            text = chance.choice([chance.choice(sorted(texts)), "".join(chance.choices(letters or [spelled[0]], k=4))])
            first, last = sorted(chance.choices(range(len(text) + 1), k=2))
            prefix, suffix = text[:first], text[last:]
            room = 9 - len(prefix + suffix)
            middles = ["".join(m) for size in range(min(room, 4) + 1) for m in itertools.product(letters, repeat=size)]
            wanted = {middle for middle in middles if prefix + middle + suffix in texts}
            try:
                between = (form := fw.grammar(pattern)).between(prefix, suffix)
            except fw.errors.LimitExceeded:  # its empty rules can be read in too many ways
                break
            except fw.errors.UnsatisfiableSchema as error:
                assert not wanted
                assert_byte_is_to_blame(str(error), prefix, suffix, texts)
                kinds[False] += 1
                continue
            assert {middle for middle in middles if between.matches(middle)} == wanted
            assert form.matches(prefix + between.example() + suffix)
            assert not any(between.is_disjoint(fw.literal(middle)) for middle in sorted(wanted)[:2])
            kinds[True] += 1
    assert min(kinds.values()) > seeds // 20


def assert_byte_is_to_blame(message: str, prefix: str, suffix: str, texts: set[str]) -> None:
    """No text has the byte that an error names after what comes before it."""
    if found := re.search(r"byte (\d+) of the (prefix|suffix)", message):
        blamed, encoded = int(found[1]) + 1, {text.encode() for text in texts}
        if found[2] == "prefix":
            assert not any(text.startswith(prefix.encode()[:blamed]) for text in encoded)
        else:
            rests = [text[len(prefix.encode()) :] for text in encoded if text.startswith(prefix.encode())]
            assert not any(suffix.encode()[:blamed] in rest for rest in rests)


def test_middles_of_json_are_those_that_make_it_json() -> None:
    prefix, suffix = '{"é":[1,{"x":"ü', '漢"}],"c":[[]]}'
    between = fw.grammar(JSON).between(prefix, suffix)
    for middle in ("", "😀", '","y":1,"z":"', "\\u00e9", '"},{"":"', '"}],"d":[{"":"'):
        json.loads(prefix + middle + suffix)
        assert between.matches(middle), middle
    for middle in ("\\", '"', "\n", '"},"', '"}}],"d":[{"":"'):
        with pytest.raises(json.JSONDecodeError):
            json.loads(prefix + middle + suffix)
        assert not between.matches(middle), middle


@pytest.mark.parametrize("depth", [1_000, 5_000])
def test_deep_texts_have_a_middle(depth: int) -> None:
    between = fw.grammar(JSON).between("[" * depth, "]" * (depth - 1))
    assert [between.matches(text) for text in ("]", "1]", "],[]", "[]", "")] == [True, True, True, False, False]


@pytest.mark.parametrize("item", [",1", ',{"a":[1,"x y"]}'])
def test_long_ends_take_time_by_their_length(item: str) -> None:
    form = fw.grammar(JSON)
    assert form.between("[", 20_000 * item + "]").matches("[]")  # which would take minutes if it grew by the square
    with pytest.raises(fw.errors.UnsatisfiableSchema):
        form.between('{"a":[1', 20_000 * item + "]]")


def test_parts_that_begin_with_the_same_byte_are_texts() -> None:
    for text, prefix, middle in (
        ('"é" start "x" | "à"', "é", "àx"),
        ('"(" start ")" | "«" start "»" | /[а-я]+/', "(", "«дом»)"),
    ):
        between = fw.grammar(f"start: {text}").between(prefix, "")
        assert between.matches(middle)
        assert (between & fw.literal(middle)).matches(middle)
        assert not between.is_subset(fw.regex("z"))


def test_ambiguous_ends_are_bounded() -> None:
    with pytest.raises(fw.errors.LimitExceeded, match="work"):
        fw.grammar('start: "a" | start start').between("", "a" * 3_000)


def test_masks_between_texts_that_nest_end_within_the_budget() -> None:
    vocabulary = fw.Vocabulary([b"[", b"]", b"[[", b"]]", b",", b"1", b"],[", None], eos_token_ids=[7])
    constraint = fw.compile(fw.grammar('start: "[" [start ("," start)*] "]" | "1"'), vocabulary)
    between = constraint.between("[[", "]")
    assert between.matcher().min_tokens_to_finish == 1
    chance = random.Random(1)
    for budget in range(1, 9):
        for _ in range(20):
            matcher, text = between.matcher(), b""
            for left in range(budget, -1, -1):
                token = chance.choice(matcher.allowed_token_ids(budget=left))
                matcher.accept_token(token)
                if token == 7:
                    break
                text += vocabulary.token(token) or b""
            assert matcher.is_finished
            assert constraint.form.matches(f"[[{text.decode()}]")


def test_characters_of_all_lengths_are_read_whole() -> None:
    form = fw.regex("x[a-é߿ࠀ-￿𐀀😀-😿]{0,2}y")
    between = form.between("x", "y")
    for text in ("", "a", "é", "ê", "߿", "ࠀ", "漢", "😀", "𐀀", "😿é", "\U0001f640", "aaa"):
        assert between.matches(text) is form.matches(f"x{text}y"), text


@pytest.mark.parametrize("step", slow_except([100], [100, 4]))
@pytest.mark.timeout(1200)
def test_every_cut_of_an_instance_has_its_own_middle(data: Path, step: int) -> None:
    with gzip.open(data / "maskbench" / "sample.jsonl.gz", "rt", encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines][::step]
    chance, cuts = random.Random(step), 0
    for case in cases:
        try:
            form = fw.json_schema(case["schema"], whitespace="compact")
        except (fw.errors.SchemaError, fw.errors.LimitExceeded):
            continue
        instances = [json.dumps(test["data"], separators=(",", ":"), ensure_ascii=False) for test in case["tests"]]
        for text in [text for text in instances if form.matches(text)][:2]:
            first, last = sorted(chance.choices(range(len(text) + 1), k=2))
            try:
                between = form.between(text[:first], text[last:])
            except (fw.errors.UnsupportedKeyword, fw.errors.LimitExceeded):
                break
            assert between.matches(text[first:last]), case["name"]
            cuts += 1
    assert cuts >= 3


NONE = {
    ("ax", "d"): 'byte 1 of the prefix, "x"',
    ("a", "cad"): 'byte 1 of the suffix, "a"',
    ("abc", "cd"): 'byte 0 of the suffix, "c"',
    ("a", "c"): "what goes on after the suffix is missing",
    ("", "é"): 'byte 0 of the suffix, in "é",',
}


@pytest.mark.parametrize("cut", list(NONE))
def test_no_middle_names_the_byte_to_blame(cut: tuple[str, str]) -> None:
    with pytest.raises(fw.errors.UnsatisfiableSchema) as caught:
        fw.regex("a[bc]{1,2}d").between(*cut)
    assert NONE[cut] in str(caught.value)


def test_bytes_are_whole_characters() -> None:
    form = fw.regex("é+")
    assert form.between("é".encode(), b"").matches("éé")
    with pytest.raises(fw.errors.ArgumentError, match="byte 0 is not UTF-8"):
        form.between("é".encode()[:1], b"")
    with pytest.raises(fw.errors.ArgumentError, match="surrogate"):
        form.between("", "\ud800")


REFUSED: dict[str, tuple[fw.Form[Any], type[fw.errors.FormwrightError]]] = {
    "too many states": (fw.regex("[ab]{40000}"), fw.errors.LimitExceeded),
    "names that differ": (fw.json_schema({"type": "object", "maxProperties": 2}), fw.errors.UnsupportedKeyword),
    "control tokens": (fw.special("<pad>") + "a", fw.errors.ArgumentError),
    "counted tokens": (fw.text(max_tokens=5, until="."), fw.errors.ArgumentError),
}


@pytest.mark.parametrize("kind", list(REFUSED))
def test_forms_that_have_no_middles_are_refused(kind: str) -> None:
    form, error = REFUSED[kind]
    with pytest.raises(error):
        form.between("", "")


def test_a_constraint_between_has_masks_and_budgets(word_vocabulary: fw.Vocabulary) -> None:
    schema = {"type": "object", "properties": {"age": {"type": "integer", "minimum": 0, "maximum": 150}},
              "required": ["age"], "additionalProperties": False}  # fmt: skip
    constraint = fw.compile(fw.json_schema(schema, whitespace="compact"), word_vocabulary)
    between = constraint.between('{"age":1', b"}")
    matcher = between.matcher()
    allowed = {word_vocabulary.token(token) for token in matcher.allowed_token_ids()}
    assert allowed == {b"", b"12", *(b"%d" % digit for digit in range(10))}  # 112 is at most 150
    assert matcher.min_tokens_to_finish == 0
    assert between.parse("5") == "5"
    assert not between.form.matches("51")
    assert fw.form(between.form).matches("50")


def test_what_is_between_can_be_stored_and_pickled(word_vocabulary: fw.Vocabulary) -> None:
    form = fw.regex("(19|20)[0-9]{2}").between("1", "5")
    for again in (fw.Form.from_bytes(form.to_bytes()), pickle.loads(pickle.dumps(form))):
        assert [again.matches(text) for text in ("90", "80")] == [True, False]
        assert again.parse("97") == "97"
    assert (form + "!").matches("98!")
    constraint = fw.compile(form, word_vocabulary)
    assert fw.Constraint.from_bytes(constraint.to_bytes(), word_vocabulary).parse("91") == "91"
