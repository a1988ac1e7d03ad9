"""The published algorithms against their published figures, and against brute force."""

from __future__ import annotations

import random
from functools import cache
from itertools import accumulate, product
from pathlib import Path
from xml.etree import ElementTree

import mistral_common
import pytest
import sentencepiece
from click.testing import CliRunner
from parameters import slow_except

import formwright as fw
from formwright.cli.app import app
from formwright.errors import LimitExceeded
from formwright.reference.canonical import (
    Automaton,
    PartMerger,
    Seams,
    cartesian_merge,
    concatenate,
    direct_merge,
    draw_automaton,
    make_canonical_automaton,
    make_form_automaton,
    make_token_automaton,
    merge_all,
)
from formwright.tokenizers import Merges, merges_from, read

FILES = Path(mistral_common.__file__).parent / "data"
MODEL = FILES / "tokenizer.model.v1"
BOOLEAN = "boolean: ((true)|(false))"


@cache
def mistral() -> tuple[dict[bytes, int], Merges]:
    """The ordinary tokens of the first Mistral, without those that stand for a single byte, and how it merges."""
    processor = sentencepiece.SentencePieceProcessor(model_file=str(MODEL))
    tokens = enumerate(read(processor).tokens)
    ids = {spelled: token for token, spelled in tokens if spelled and not processor.is_byte(token)}
    return ids, merges_from(processor)


def trie(texts: list[str]) -> Automaton:
    """An automaton that shares beginnings, not ends."""
    ways: list[dict[bytes, int]] = [{}]
    accepting = set()
    for text in texts:
        at = 0
        for byte in text.encode():
            letter = bytes([byte])
            if letter not in ways[at]:
                ways[at][letter] = len(ways)
                ways.append({})
            at = ways[at][letter]
        accepting.add(at)
    return Automaton(ways=ways, accepting=frozenset(accepting))


def table(ids: dict[bytes, int], merges: Merges) -> list[tuple[bytes, bytes]]:
    spelled = {token: text for text, token in ids.items()}
    return [(spelled[left], spelled[right]) for left, right, _ in merges.table()]


def test_the_textbook_example() -> None:
    merges = [(b"a", b"b"), (b"a", b"a"), (b"a", b"c")]
    assert b" ".join(merge_all([bytes([byte]) for byte in b"aaaabaacac"], merges)) == b"aa a ab aa c ac"


def test_the_published_figures() -> None:
    ids, merges = mistral()
    texts = make_form_automaton(fw.regex(BOOLEAN))
    spelled = make_token_automaton(texts, ids)
    assert (spelled.states, spelled.edges) == (17, 48)
    by_pairs = cartesian_merge(spelled, lambda left, right: merges.may_follow(ids[left], ids[right]))
    assert (by_pairs.states, by_pairs.edges) == (5, 4)
    edited = direct_merge(trie(["boolean: true", "boolean: false"]), table(ids, merges))
    assert (edited.states, edited.edges) == (5, 4)
    smallest = direct_merge(texts, table(ids, merges))
    assert (smallest.states, smallest.edges) == (4, 4)
    assert smallest.minimize() == by_pairs.minimize() == edited.minimize()
    assert smallest.accepts([b"boolean", b":", b" true"])
    assert not smallest.accepts([b"boolean", b":", b" t", b"rue"])


PATTERNS = ["[a-z]{1,3}", "[a-z]{1,2}", "(yes|no|maybe)( and (yes|no))?", r"\d{1,4}(\.\d{1,2})?", " ?x+", "(ab)*c"]


@pytest.mark.parametrize("pattern", slow_except(PATTERNS[1:], PATTERNS))
def test_both_algorithms_find_what_the_tokenizer_writes(pattern: str) -> None:
    ids, merges = mistral()
    texts = make_form_automaton(fw.regex(pattern))
    by_pairs = cartesian_merge(make_token_automaton(texts, ids), lambda a, b: merges.may_follow(ids[a], ids[b]))
    assert direct_merge(texts, table(ids, merges)).minimize() == by_pairs.minimize()


@cache
def every_token() -> dict[bytes, int]:
    """All tokens of the first Mistral; of two that spell the same byte, the ordinary one."""
    spelled = read(sentencepiece.SentencePieceProcessor(model_file=str(MODEL))).tokens
    others = {text: token for token, text in enumerate(spelled) if text}
    return others | mistral()[0]


@cache
def spelling_of_each() -> dict[int, bytes]:
    return {token: text for text, token in every_token().items()}


def test_texts_from_a_space_to_a_colon_and_a_newline_are_spelled_alike_everywhere() -> None:
    """The published delimiters of Mistral 7B, of YAML keys, by its own encoder."""
    seams, (ids, merges), choose = Seams(every_token()), mistral(), random.Random(8)
    assert b" " in seams.find_openings()
    assert b"\n" in seams.find_closings()
    assert b":" not in seams.find_openings()
    words = [token.decode() for token in ids if token.isascii()]
    for _ in range(300):
        part = f" {''.join(choose.choices(words, k=3))}:\n"
        spelled = {
            _tokens_of(part, choose.choice(words).rstrip() + "x", choose.choice(words), merges) for _ in range(8)
        }
        assert len(spelled) == 1


def _tokens_of(part: str, before: str, after: str, merges: Merges) -> tuple[int, ...]:
    """The tokens of a part between two texts, of which the first one gets a space before it."""
    tokens = merges.encode(before + part + after)
    assert tokens is not None
    spelled = spelling_of_each()
    ends = list(accumulate(len(spelled[token]) for token in tokens))
    first, last = ends.index(len(before) + 1), ends.index(len(before + part) + 1)
    return tuple(tokens[first + 1 : last + 1])


def test_parts_between_seams_are_merged_once() -> None:
    ids, (_, merges) = every_token(), mistral()

    def merge(texts: Automaton) -> Automaton:
        return cartesian_merge(make_token_automaton(texts, ids), lambda a, b: merges.may_follow(ids[a], ids[b]))

    key, number, date, word = (
        make_form_automaton(fw.regex(pattern))
        for pattern in (" (a|be):\n", " -?\\d{1,2}\n", r" \d{2}-\d\n", " [a-c]{1,2}\n")
    )
    texts = [key, number, key, date, key, word]
    whole = merge(concatenate(texts)).minimize()
    again = PartMerger(Seams(ids), merge)
    assert again(texts).minimize() == whole
    assert again.merges == 4
    library = PartMerger(Seams(ids), merge, [number, date, word])
    assert library.merges == 3
    assert library(texts).minimize() == whole
    assert library.merges == 4
    assert library(texts[::-1]).minimize() == merge(concatenate(texts[::-1])).minimize()
    assert library.merges == 4


def test_parts_without_a_seam_are_merged_as_one() -> None:
    tokens = [b"a", b"b", b"c", b"ab"]
    a, b, c = (Automaton(ways=[{letter: 1}, {}], accepting=frozenset({1})) for letter in (b"a", b"b", b"c"))
    seams = Seams(tokens)
    assert [part.edges for part in seams.split_parts([a, b, c])] == [2, 1]
    merged = PartMerger(seams, lambda texts: direct_merge(texts, [(b"a", b"b")]))([a, b, c])
    assert spellings(merged, 3) == {(b"ab", b"c")}


def any_automaton(choose: random.Random) -> tuple[Automaton, list[tuple[bytes, bytes]]]:
    """Any automaton over two or three letters, and any table of merges."""
    letters = [b"a", b"b", b"c"][: choose.randint(2, 3)]
    size = choose.randint(1, 4)
    ways = [{letter: choose.randrange(size) for letter in letters if choose.random() < 0.7} for _ in range(size)]
    accepting = frozenset(at for at in range(size) if choose.random() < 0.5)
    tokens, merges = list(letters), []
    for _ in range(choose.randint(0, 5)):
        left, right = choose.choice(tokens), choose.choice(tokens)
        if len(left + right) <= 5 and left + right not in tokens:
            tokens.append(left + right)
            merges.append((left, right))
    return Automaton(ways=ways, accepting=accepting), merges


def spellings(automaton: Automaton, most: int) -> set[tuple[bytes, ...]]:
    """All sequences of letters that are accepted, of at most so many bytes."""
    found: set[tuple[bytes, ...]] = set()
    pending: list[tuple[tuple[bytes, ...], int, int]] = [((), 0, 0)]
    while pending:
        sequence, at, length = pending.pop()
        if at in automaton.accepting:
            found.add(sequence)
        for letter, to in automaton.ways[at].items():
            if length + len(letter) <= most:
                pending.append(((*sequence, letter), to, length + len(letter)))
    return found


def test_direct_merge_is_brute_force() -> None:
    choose = random.Random(5)
    merged = 0
    for _ in range(600):
        automaton, merges = any_automaton(choose)
        words = (word for length in range(7) for word in product([b"a", b"b", b"c"], repeat=length))
        expected = {tuple(merge_all(word, merges)) for word in words if automaton.accepts(word)}
        assert spellings(direct_merge(automaton, merges), 6) == expected, (automaton, merges)
        merged += any(len(token) > 1 for sequence in expected for token in sequence)
    assert merged > 200


def test_the_smallest_automaton_has_the_same_texts() -> None:
    choose = random.Random(6)
    for _ in range(300):
        automaton, _ = any_automaton(choose)
        smallest = automaton.minimize()
        assert spellings(smallest, 6) == spellings(automaton, 6)
        assert smallest.states <= max(1, automaton.trim().states)


def test_a_form_with_recursion_is_refused() -> None:
    with pytest.raises(fw.errors.LimitExceeded):
        make_form_automaton(fw.json_schema({"items": {"$ref": "#"}}), most_states=100)


def test_masks_give_the_published_automaton() -> None:
    """Five states and four edges from a trie of the texts; the same with one end, 4 and 4."""
    vocabulary = fw.Vocabulary.from_tokenizer(sentencepiece.SentencePieceProcessor(model_file=str(MODEL)))
    written = make_canonical_automaton(fw.regex(BOOLEAN), vocabulary)
    assert (written.states, written.edges) == (4, 4)
    ids, merges = mistral()
    spelled = make_token_automaton(make_form_automaton(fw.regex(BOOLEAN)), ids)
    assert written == cartesian_merge(spelled, lambda a, b: merges.may_follow(ids[a], ids[b])).minimize()
    with pytest.raises(LimitExceeded, match="beginnings"):
        make_canonical_automaton(fw.regex("a+"), vocabulary)


def test_pictures_name_every_state_and_letter() -> None:
    automaton = Automaton(ways=[{b"a": 1, b"<": 1}, {b" b": 1, b"c": 0}], accepting=frozenset({1}))
    picture = ElementTree.fromstring(draw_automaton(automaton))
    texts = {text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")}
    assert texts == {"<  a", "␣b", "c", "0", "1"}
    assert len(list(picture.iter("{http://www.w3.org/2000/svg}circle"))) == 3


def test_pictures_are_well_formed_whatever_the_letters() -> None:
    automaton = Automaton(ways=[{b"\x00<\n": 1, b"\xff": 1}, {}], accepting=frozenset({1}))
    picture = ElementTree.fromstring(draw_automaton(automaton))
    assert "\\x00<\\n  \\xff" in {text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")}


def test_the_empty_sequence_of_parts_is_the_empty_text() -> None:
    for automaton in (concatenate([]), PartMerger(Seams([]), lambda texts: texts)([])):
        assert automaton.accepts([])
        assert automaton.edges == 0


def test_the_command_draws_what_a_tokenizer_writes() -> None:
    every = CliRunner().invoke(app, ["automaton", BOOLEAN, "--tokenizer", str(MODEL)])
    assert every.stdout.startswith("<svg")
    assert every.stderr.startswith("17 states")
    written = CliRunner().invoke(app, ["automaton", BOOLEAN, "--canonical", "--tokenizer", str(MODEL)])
    assert written.stderr == "4 states, 4 edges\n"
    assert CliRunner().invoke(app, ["automaton", BOOLEAN, "--tokenizer", __file__]).exit_code == 3
