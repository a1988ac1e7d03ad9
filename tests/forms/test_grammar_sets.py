"""Grammars and patterns as sets, against all texts of random grammars up to a length.

``FORMWRIGHT_SEEDS`` sets the number of random cases.
"""

from __future__ import annotations

import itertools
import os
import pickle
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from lark_grammars import random_grammar
from parameters import slow_except
from small_patterns import draw_pattern

import formwright as fw
from formwright.errors import ArgumentError, LimitExceeded, Undecided, UnsatisfiableSchema
from formwright.reference import languages as ref

SEEDS = int(os.environ.get("FORMWRIGHT_SEEDS", "1000"))
TEXTS = ["".join(letters) for length in range(6) for letters in itertools.product("ab ", repeat=length)]
SHORT = [text for text in TEXTS if len(text) < 5]
TOKENS = dict(enumerate([b"a", b"b", b" ", b"ab", b"ba", b"aa", b"  ", b"b a", b"abb"], start=1))
END = 0
SAID = {"equal", "different", "undecided", "none"}
PAIRS = 'root ::= "a" root "b" | ""'
RECURSIVE = [
    PAIRS,
    'root ::= root [ab] | "a" root? "b"',
    'start: start "b" | A start | A\nA: /a+/\n%ignore " "',
    'start: (A | B)* | "a" start A\nA.2: /ab?/\nB: /b+a/',
]
SUMS = """
    start: start "+" part | part
    ?part: NUMBER | "(" start ")"
    NUMBER: /[0-9]+/
    %ignore " "
"""


def draw_gbnf(dice: random.Random) -> str:
    """A grammar whose rules lead to themselves and to each other, from the left as well."""

    def item(depth: int) -> str:
        chance = dice.random()
        if chance < (0.3 if depth == 0 else 0.1):
            return dice.choice(["root", "x", "y"])
        if chance < 0.5 and depth < 2:
            return f"({ways(depth + 1)}){dice.choice(['', '?', '*', '+', '{2}', '{1,2}', '{0,3}', '{2,}'])}"
        return dice.choice(['"a"', '"b"', '" "', '"ab"', "[ab]", '""', "[^a]"])

    def ways(depth: int) -> str:
        return " | ".join(" ".join(item(depth) for _ in range(dice.randint(1, 3))) for _ in range(dice.randint(1, 3)))

    return "\n".join(f"{name} ::= {ways(0)}" for name in ("root", "x", "y"))


def draw_forms(seed: int) -> tuple[fw.Form[Any], fw.Form[Any], str] | None:
    """A grammar, a pattern, and what they say; ``None`` where the grammar has no text."""
    dice = random.Random(seed)
    pattern = dice.choice([str, lambda text: text.replace("[ab]", "[ab ]"), lambda text: text.replace("b", "[b ]")])(
        draw_pattern(dice).replace("[ab]", dice.choice(["[ab]", "."]))
    )
    if dice.random() < 0.5:
        text, lexing = draw_gbnf(dice), None
    else:
        text, _ = random_grammar(dice, has_shapes=False, asks_ahead=dice.random() < 0.5, has_unused=False)
        lexing = dice.choice(["longest", "basic", "any"])
    try:
        return fw.grammar(text, lexing=lexing), fw.regex(pattern), f"{lexing}\n{text}\n{pattern}"  # type: ignore[arg-type]
    except (UnsatisfiableSchema, fw.errors.GrammarError):
        return None


def check_set(make: Callable[[], fw.Form[Any]], wanted: set[str], has: Callable[[str], bool], said: str) -> None:
    """A form has the texts that are wanted, and its shortest text is as short as they."""
    try:
        form = make()
    except UnsatisfiableSchema:
        assert not wanted, said
        return
    assert {text for text in TEXTS if form.matches(text)} == wanted, said
    example = form.example()
    assert has(example), (said, example)
    assert len(example) <= min(map(len, wanted), default=len(example)), (said, example)


def compare(seed: int) -> str:
    """What is said of a grammar and a pattern, checked: ``"equal"``, ``"different"``, ``"undecided"`` or ``"none"``."""
    drawn = draw_forms(seed)
    if drawn is None:
        return "none"
    grammar, pattern, said = drawn
    own, others = ({text for text in TEXTS if form.matches(text)} for form in (grammar, pattern))
    check_set(
        lambda: grammar & pattern, own & others, lambda text: grammar.matches(text) and pattern.matches(text), said
    )
    check_set(
        lambda: pattern & grammar, own & others, lambda text: grammar.matches(text) and pattern.matches(text), said
    )
    check_set(lambda: grammar - pattern, own - others, lambda text: grammar.matches(text) > pattern.matches(text), said)
    if own & others:
        assert not grammar.is_disjoint(pattern), said
        assert not pattern.is_disjoint(grammar), said
    assert grammar.is_subset(pattern) <= (not own - others), said
    try:
        assert pattern.is_subset(grammar) <= (not others - own), said
        found = fw.difference(grammar, pattern)
    except Undecided as error:
        return "undecided" if error.bound in ("work", "product_parts") and not others - own else f"wrongly: {said}"
    if found is None:
        assert own == others, said
        return "equal"
    assert grammar.matches(found.text) is (found.side == "first"), (said, found)
    assert pattern.matches(found.text) is (found.side == "second"), (said, found)
    assert len(found.text) <= min((len(text) for text in own ^ others), default=len(found.text)), (said, found)
    return "different"


@pytest.mark.parametrize("start", range(0, 60, 10))
def test_a_grammar_and_a_pattern_are_compared_as_their_texts(start: int) -> None:
    for seed in range(start, start + 10):
        assert compare(seed) in SAID


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_many_grammars_and_patterns_are_compared_as_their_texts() -> None:
    said = Counter(compare(seed) for seed in range(10_000, 10_000 + SEEDS))
    assert set(said) <= SAID
    assert said["undecided"] < 0.02 * SEEDS
    assert said["different"] > 0.5 * SEEDS


# --- masks and budgets ----------------------------------------------------------------------------


def follow_masks(seed: int, vocabulary: fw.Vocabulary) -> int:
    """Along all texts of both of at most four characters, the tokens are those that lead to one of them."""
    drawn = draw_forms(seed)
    if drawn is None:
        return 0
    grammar, pattern, said = drawn
    texts = {text for text in SHORT if grammar.matches(text) and pattern.matches(text)}
    if not texts:
        return 0
    constraint = fw.compile(grammar & fw.regex(".{0,4}") & pattern, vocabulary)
    oracle = ref.choice(sorted(texts))
    for begun in sorted({text[:end] for text in texts for end in range(len(text) + 1)}):
        matcher = constraint.matcher()
        matcher.accept_bytes(begun.encode())
        wanted = ref.allowed_tokens(oracle, begun.encode(), TOKENS, ends={END})
        assert set(matcher.allowed_token_ids()) == wanted, (said, begun)
    return len(texts)


@pytest.fixture(scope="module")
def vocabulary() -> fw.Vocabulary:
    return fw.Vocabulary([b"</s>", *TOKENS.values()], eos_token_ids=[END])


@pytest.mark.parametrize("seeds", slow_except([40], [40, SEEDS]))
@pytest.mark.timeout(3600)
def test_masks_of_an_intersection_lead_to_its_texts(vocabulary: fw.Vocabulary, seeds: int) -> None:
    texts = [follow_masks(seed, vocabulary) for seed in range(20_000, 20_000 + seeds)]
    assert sum(texts) > 2 * seeds


def end_within(form: fw.Form[Any], vocabulary: fw.Vocabulary, dice: random.Random, extra: int) -> None:
    """A text of random tokens ends within a budget of the least number of tokens and some more."""
    matcher, mask = fw.compile(form, vocabulary).matcher(), fw.allocate_bitmask(1, vocabulary)
    for left in range(matcher.min_tokens_to_finish + extra, 0, -1):
        matcher.fill_bitmask(mask, 0, budget=left)
        allowed = [token for token in range(len(TOKENS) + 1) if mask[0][0] >> token & 1]
        token = dice.choice(allowed)
        if token == END:
            break
        matcher.accept_token(token)
        assert matcher.min_tokens_to_finish <= left - 1
    assert matcher.is_complete
    assert form.matches(matcher.accepted_bytes)


@pytest.mark.parametrize("seeds", slow_except([30], [30, SEEDS]))
@pytest.mark.timeout(3600)
def test_texts_of_an_intersection_end_within_a_budget(vocabulary: fw.Vocabulary, seeds: int) -> None:
    grammars = [fw.grammar(text) for text in RECURSIVE]
    for seed in range(30_000, 30_000 + seeds):
        dice = random.Random(seed)
        grammar, pattern = dice.choice(grammars), fw.regex(draw_pattern(dice))
        for make in (lambda a, b: a & b, lambda a, b: a - b):
            try:
                form = make(grammar, pattern)
            except UnsatisfiableSchema:
                continue
            for extra in (0, 1, 5):
                end_within(form, vocabulary, random.Random(seed), extra)


# --- single cases ---------------------------------------------------------------------------------


def test_an_intersection_is_a_form_like_any_other(byte_vocabulary: fw.Vocabulary) -> None:
    form = fw.grammar(SUMS) & fw.regex(r"[^ ]{3,5}")
    assert len(form.example()) == 3
    for again in (form, fw.Form.from_bytes(form.to_bytes()), pickle.loads(pickle.dumps(form))):
        texts = ("1+2", "(12)", "1", "1 + 2", "1+2+33", "((1))")
        assert [again.matches(text) for text in texts] == [True, True, False, False, False, True]
        assert again.parse("1+2") == "1+2"
    assert ("=" + form).matches("=1+2")
    assert (form | "none").matches("none")
    assert (form - fw.regex(".*[(].*")).matches("1+2+3")
    constraint = fw.compile(form, byte_vocabulary)
    assert fw.Constraint.from_bytes(constraint.to_bytes(), byte_vocabulary).parse("(1)") == "(1)"
    assert constraint.matcher().min_tokens_to_finish == 3
    assert list(form.explain()) == []


def test_it_is_read_as_the_first_form_is_read() -> None:
    grammar, short = fw.grammar(SUMS, read={"start": lambda *parts: len(parts), "NUMBER": int}), fw.regex(".{1,5}")
    assert (grammar & short).parse("7") == grammar.parse("7")
    assert (grammar - short).parse("10+200") == grammar.parse("10+200")
    assert (short & grammar).parse("7") == "7"
    captured = fw.grammar('start: n ("," n)*\nn[capture]: NUMBER | "(" start ")"\nNUMBER: /[0-9]+/')
    parts = (captured & fw.regex(".{3}")).parts("1,2")
    assert [(part.name, part.text) for part in parts] == [("n", "1"), ("n", "2")]


def test_what_one_has_and_the_other_has_not_is_found() -> None:
    sums, signs = fw.grammar(SUMS), fw.regex(r"[0-9+]*")
    assert fw.difference(sums, signs) == ("", "second", "", ())
    found = fw.difference(sums, fw.regex(r"[0-9 ]*[0-9][0-9 +]*"))
    assert found == ("0+", "second", "", ())
    assert not sums.is_subset(signs)
    assert not signs.is_subset(sums)
    assert sums.is_subset(fw.regex(r"[0-9+() ]+"))
    assert sums.is_disjoint(fw.regex("[a-z]*"))
    assert not fw.regex("[1-9]").is_disjoint(sums)
    assert (sums - fw.regex("[^+]*")).example().count("+") == 1


def test_a_pattern_in_a_grammar_is_decided_where_its_texts_lead_to_few_places() -> None:
    pairs, same = fw.grammar(PAIRS), fw.grammar('root ::= root root | "a" | "b" | ""')
    assert fw.choice("", "ab", "aaabbb").is_subset(pairs)
    assert not fw.choice("", "ab", "aaabb").is_subset(pairs)
    assert fw.regex("[ab]*").is_equivalent(same)
    assert fw.difference(same, fw.regex("[ab]+")) == ("", "first", "", ())
    assert fw.difference(fw.regex("[ab]*"), pairs) == ("a", "first", "", ())
    assert not same.is_subset(pairs)
    assert fw.difference(pairs, fw.grammar('root ::= "a" root "b" | "ab"')) == ("", "first", "", ())
    deep = fw.grammar('root ::= [ab] | "a" root "b"? | "b" root "a"?')
    assert fw.regex("[ab]{1,9}").is_subset(deep)


def test_many_texts_are_intersected_with_a_pattern_as_well() -> None:
    names = [f"name {number}" for number in range(40_000)]
    many, short = fw.choice(names), fw.regex(".{1,8}")
    assert (many & short).matches("name 999")
    assert not (many & short).matches("name 1000")
    assert (many - short).example() in names
    assert fw.choice("name 7", "name 39999").is_subset(many)
    assert fw.difference(fw.regex("name [0-9]{1,4}"), many & short) == ("name 00", "first", "", ())


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (lambda a: a & a, "one of the forms has to be a pattern"),
        (lambda a: a - a, "not a grammar in general"),
        (lambda a: fw.regex("a*") - a, "not a grammar in general"),
        (lambda a: ~a, "not a grammar in general"),
        (lambda a: a.is_disjoint(a), "one of the forms has to be a pattern"),
        (lambda a: a & fw.json(), "is JSON"),
        (lambda a: fw.grammar('root ::= "a" root | <|x|>') & fw.regex("a*"), "a control token"),
        (lambda a: (a + fw.text(max_tokens=3, until=".")) & fw.regex("a*"), "max_tokens"),
        (lambda a: fw.grammar('start: "a" start | %json {"type": "array"}') & fw.regex("a*"), "holds JSON"),
        (lambda a: fw.grammar('start: "a" start | %json {"type": "array"}').is_subset(a), "holds JSON"),
        (lambda a: (fw.regex("a") + fw.json()).is_subset(a), "holds JSON"),
    ],
)
def test_what_cannot_be_decided_is_refused(work: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(message)) as caught:
        work(fw.grammar(PAIRS))
    assert caught.value.hint


def test_a_grammar_is_equivalent_to_itself() -> None:
    sums, again = fw.grammar(SUMS), fw.grammar(SUMS)
    assert sums.is_equivalent(again)
    assert sums.is_subset(again)
    assert not sums.is_disjoint(fw.choice("1"))


def test_what_is_not_found_out_is_undecided() -> None:
    pairs = fw.grammar(PAIRS)
    with pytest.raises(Undecided, match="limit reached") as caught:
        pairs.is_subset(fw.grammar('root ::= "a" root "b" | "" | "a" "b"'))
    assert caught.value.bound in ("work", "product_parts")
    with pytest.raises(UnsatisfiableSchema, match="no text is in both"):
        pairs & fw.regex("b+")
    with pytest.raises(UnsatisfiableSchema, match="every text of"):
        pairs - fw.regex("[ab]*")


# --- bounds ---------------------------------------------------------------------------------------

MANY_RULES = "\n".join(f'r{at} ::= "a" r{(at * 7 + 1) % 400} "b" r{(at * 5 + 2) % 400} | [a-c]' for at in range(400))
COUNTS = 'root ::= (("a" | root "b"){0,60000} "c"){0,60000} root | "d"'
HOSTILE = {
    "many rules, many states": lambda: fw.grammar(f"root ::= r1\n{MANY_RULES}") & fw.regex("([abc]{1,90}d?){1,90}"),
    "counts in counts": lambda: fw.grammar(COUNTS) & fw.regex("(.{7})*"),
    "an exponential pattern": lambda: fw.grammar(PAIRS) & fw.regex("[ab]*a[ab]{18}"),
    "a long count": lambda: fw.grammar(PAIRS) - fw.regex("[ab]{0,60000}"),
    "ambiguous, and many states": lambda: fw.grammar('root ::= root root | [ab] | ""') & fw.regex("([ab]{9}c?){0,900}"),
    "long terminals": lambda: (
        fw.grammar("root ::= x root | [a-z]\nx ::= [a-f]{0,5000} | [a-c]{9,5000}") & fw.regex("(.{97})*")
    ),
    "a search": lambda: fw.regex("[a-z]{1,60}").is_subset(
        fw.grammar("root ::= [a-z] | [a-m] root [n-z]? | [n-z] root")
    ),
    "a search in pairs": lambda: fw.grammar(SUMS).is_subset(fw.grammar(SUMS.replace("[0-9]+", "[0-9]{1,99}"))),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_questions_are_answered_or_refused_soon(name: str) -> None:
    start = time.process_time()
    with suppress(LimitExceeded, Undecided, UnsatisfiableSchema):
        HOSTILE[name]()
    assert time.process_time() - start < 4  # two, and room


def test_another_thread_ends_an_intersection() -> None:
    grammar, pattern, interrupt = fw.grammar(COUNTS), fw.regex("(.{31})*"), fw.Interrupt()
    threading.Timer(0.05, interrupt.set).start()
    start = time.process_time()
    with pytest.raises((fw.errors.Interrupted, LimitExceeded)), interrupt:
        grammar & pattern
    assert time.process_time() - start < 1


def test_a_grammar_is_held_to_the_length_that_the_page_says() -> None:
    calc = fw.grammar('start: start "+" part | part\npart: NUMBER | "(" start ")"\nNUMBER: /[0-9]+/\n%ignore " "')
    assert (calc & fw.regex("[^ ]{1,100}")).matches("1+(2)")
    with pytest.raises(LimitExceeded, match="work"):
        calc & fw.regex("[^ ]{1,150}")
