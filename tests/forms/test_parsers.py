"""Character parsers: code as a form.

Where a parser reads what an expression describes, all its masks are those of the expression. Where it fails, the error
names the method and keeps the cause, and the matcher is where it was.
"""

from __future__ import annotations

import pickle
import random
import re
import threading
from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass, replace
from typing import Any

import pytest

import formwright as fw
from formwright.errors import (
    ArgumentError,
    LanguageError,
    LimitExceeded,
    MatchError,
    NotAForm,
    ParserFailed,
    TokenRejected,
)


@dataclass(frozen=True)
class Automaton(fw.CharacterParser):
    """The states of an automaton, by number: where each character, or pattern of one, leads."""

    ways: tuple[dict[str | re.Pattern[str], int], ...]
    ends: frozenset[int]
    state: int = 0

    def allowed_characters(self) -> Collection[str | re.Pattern[str]]:
        return list(self.ways[self.state])

    def add_character(self, character: str) -> Automaton:
        ways = self.ways[self.state]
        for item, after in ways.items():
            if isinstance(item, str) and item == character:
                return replace(self, state=after)
        after = next(
            after for item, after in ways.items() if isinstance(item, re.Pattern) and item.fullmatch(character)
        )
        return replace(self, state=after)

    def can_end(self) -> bool:
        return self.state in self.ends

    def key(self) -> Hashable:
        return self.state


class Told(Automaton):
    """The same automaton, which tells how its texts end."""

    def shortest(self) -> str | None:
        found = {self.state: ""}
        queue = [(0, self.state, "")]
        while queue:
            _, state, text = min(queue, key=lambda entry: entry[0])
            queue.remove((len(text.encode()), state, text))
            if state in self.ends:
                return text
            for item, after in self.ways[state].items():
                longer = text + (item if isinstance(item, str) else _first(item))
                if after not in found or len(longer.encode()) < len(found[after].encode()):
                    found[after] = longer
                    queue.append((len(longer.encode()), after, longer))
        return None


class Unbounded(Automaton):
    """The same automaton again, with states without end: nothing is known but the next character."""

    step: int = 0

    def key(self) -> Hashable:
        return (self.state, self.step)

    def add_character(self, character: str) -> Unbounded:
        after = super().add_character(character)
        made = Unbounded(after.ways, after.ends, after.state)
        object.__setattr__(made, "step", self.step + 1)
        return made


def _first(pattern: re.Pattern[str]) -> str:
    return next(chr(code) for code in range(0x20, 0x3000) if pattern.fullmatch(chr(code)))


WIDE = re.compile("[^a-e\n]")
AUTOMATA: list[tuple[tuple[dict[str | re.Pattern[str], int], ...], set[int], str]] = [
    (({"a": 0, "b": 1}, {"a": 0}), {1}, "(a|ba)*b"),
    (({"é": 1, "日": 2, "è": 0}, {"a": 1, "é": 2}, {}), {1, 2}, "è*(é(a*|a*é)|日)"),
    (({WIDE: 0, "a": 1}, {"b": 0, WIDE: 2}, {}), {0, 2}, "([^a-e\\n]|ab)*(a[^a-e\\n])?"),
    (({"x": 1, WIDE: 2}, {WIDE: 1, "a": 2}, {"a": 3, "日": 3}, {"b": 3}), {3}, "(x[^a-e\\n]*a|[^xa-e\\n])[a日]b*"),
    (({"a": 1, "b": 2}, {"c": 1}, {"d": 3}, {"d": 3, "a": 0}), {1}, "(bd+a)*ac*"),
]
DEAD_END = ({"a": 1, "b": 2, "😀": 4}, {"c": 1}, {"d": 3}, {"d": 3}, {"x": 4, "é": 1})
PIECES = ["a", "b", "c", "d", "x", "y", "é", "è", "日", "本", "😀", " ", "\n"]


def _vocabulary(seed: int) -> fw.Vocabulary:
    """Random tokens over the characters of the automata, some of which are parts of characters."""
    chance = random.Random(seed)
    tokens = {bytes([byte]) for byte in range(256)}
    for _ in range(300):
        text = "".join(chance.choices(PIECES, k=chance.randint(1, 5))).encode()
        low = chance.randint(0, 2)
        tokens.add(text[low : len(text) - chance.randint(0, 2)] or text)
    return fw.Vocabulary([b"</s>", *sorted(tokens)], eos_token_ids=[0])


def _agree(a: fw.Matcher, b: fw.Matcher, seed: int, budget: bool, steps: int = 12) -> None:
    """Two matchers allow the same tokens along a random text."""
    chance = random.Random(seed)
    left = chance.randint(3, 9) if budget else None
    if left is not None:
        left = max(left, b.min_tokens_to_finish)
    for _ in range(steps):
        tokens = a.allowed_token_ids(budget=left)
        assert tokens == b.allowed_token_ids(budget=left)
        if budget:
            assert a.min_tokens_to_finish == b.min_tokens_to_finish
        assert a.forced_bytes() == b.forced_bytes()
        assert a.is_complete == b.is_complete
        token = chance.choice(tokens)
        a.accept_token(token)
        b.accept_token(token)
        left = None if left is None else left - 1
        if a.is_finished or left == 0:
            break


@pytest.mark.parametrize("number", range(len(AUTOMATA)))
@pytest.mark.parametrize("kind", [Automaton, Told, Unbounded])
def test_masks_are_those_of_an_expression(number: int, kind: type[Automaton]) -> None:
    ways, ends, expression = AUTOMATA[number]
    parser = kind(ways, frozenset(ends))
    compositions: list[Callable[[Any], fw.Form[Any]]] = [
        fw.form,
        lambda part: fw.literal("x: ") + part + "!",
        lambda part: "ab" | fw.form(part),
        lambda part: (fw.form(part) + ";").repeat(1, 3),
    ]
    for seed, compose in enumerate(compositions * 3):
        vocabulary = _vocabulary(seed)
        ours = fw.compile(compose(parser), vocabulary)
        theirs = fw.compile(compose(fw.regex(expression)), vocabulary)
        for text in range(4):
            _agree(ours.matcher(), theirs.matcher(), text, budget=False)
            if kind is not Unbounded:
                _agree(ours.matcher(), theirs.matcher(), text, budget=True)


@pytest.mark.parametrize("kind", [Automaton, Told])
def test_dead_ends_are_no_way(kind: type[Automaton]) -> None:
    form = fw.form(kind(DEAD_END, frozenset({1})))
    expression = fw.regex("(a|😀x*é)c*")
    assert form.example() == expression.example() == "a"
    for seed in range(6):
        vocabulary = _vocabulary(seed)
        ours, theirs = (fw.compile(one, vocabulary) for one in (form, expression))
        for budget in (False, True):
            _agree(ours.matcher(), theirs.matcher(), seed, budget)


@dataclass(frozen=True)
class Brackets(fw.CharacterParser):
    """``a`` and then as many ``b``: no expression describes them."""

    open: int = 0
    closing: bool = False

    def allowed_characters(self) -> str:
        return ("" if self.closing else "a") + ("b" if self.open else "")

    def add_character(self, character: str) -> Brackets:
        return replace(self, open=self.open + (1 if character == "a" else -1), closing=character == "b")

    def can_end(self) -> bool:
        return self.closing and not self.open


class ToldBrackets(Brackets):
    def shortest(self) -> str:
        return "b" * self.open if self.open or self.closing else "ab"


def test_a_counter_has_no_bound() -> None:
    vocabulary = fw.Vocabulary([b"</s>", b"a", b"b", b"aaa", b"aab", b"bb", b"ba"], eos_token_ids=[0])
    form = fw.form(Brackets())
    matcher = fw.compile(form, vocabulary).matcher()
    assert matcher.allowed_token_ids() == [1, 3, 4]
    matcher.accept_tokens([3, 4])
    assert matcher.allowed_token_ids() == [2, 5]
    matcher.accept_tokens([5, 5])
    assert matcher.allowed_token_ids() == [0]
    assert form.matches("a" * 2000 + "b" * 2000)
    assert form.check("aab") == (3, False, "'b'")


def test_without_ends_there_is_no_budget() -> None:
    vocabulary = fw.Vocabulary([b"</s>", b"a", b"b"], eos_token_ids=[0])
    form = fw.form(Brackets())
    matcher = fw.compile(form + "." | form, fw.Vocabulary([b"</s>", b"a", b"b", b"."], eos_token_ids=[0])).matcher()
    for ask in (
        lambda: matcher.allowed_token_ids(budget=9),
        lambda: matcher.min_tokens_to_finish,
        lambda: matcher.fill_bitmask(fw.allocate_bitmask(1, vocabulary), budget=9),
        lambda: matcher.mask_tree([1], [-1], fw.allocate_bitmask(2, vocabulary), budget=9),
        form.example,
    ):
        with pytest.raises(ArgumentError, match="how far a text is from its end") as caught:
            ask()
        assert caught.value.argument == "budget"
        assert "shortest()" in str(caught.value.hint)
    assert matcher.allowed_token_ids() == [1]


def test_budgets_follow_the_shortest_completion() -> None:
    vocabulary = fw.Vocabulary([b"</s>", b"a", b"b", b"aa", b"bbb"], eos_token_ids=[0])
    form = "<" + ToldBrackets() + ">"
    matcher = fw.compile(
        form, fw.Vocabulary([b"</s>", b"a", b"b", b"aa", b"bbb", b"<", b">"], eos_token_ids=[0])
    ).matcher()
    assert form.example() == "<ab>"
    assert matcher.min_tokens_to_finish == 4
    matcher.accept_token(5)
    assert matcher.allowed_token_ids(budget=3) == [1]
    assert matcher.allowed_token_ids(budget=4) == [1, 3]
    matcher.accept_token(3)
    assert matcher.allowed_token_ids(budget=3) == [1, 2]
    assert vocabulary.logits_size == 5


# Parsers that fail.


class Failing(Brackets):
    """Raises in one of its methods, in the state after ``aa``."""

    method = ""
    error: BaseException = ZeroDivisionError("three")

    def _may_fail(self, method: str) -> None:
        if self.method == method and self.open == 2:
            raise self.error

    def allowed_characters(self) -> str:
        self._may_fail("allowed_characters")
        return super().allowed_characters()

    def add_character(self, character: str) -> Brackets:
        self._may_fail("add_character")
        return super().add_character(character)

    def can_end(self) -> bool:
        self._may_fail("can_end")
        return super().can_end()

    def key(self) -> Hashable:
        self._may_fail("key")
        return super().key()

    def shortest(self) -> str:
        self._may_fail("shortest")
        return "b" * self.open if self.open or self.closing else "ab"


def _failing(method: str, error: BaseException = Failing.error) -> Any:
    return type("Failing", (Failing,), {"method": method, "error": error})()


SMALL = fw.Vocabulary([b"</s>", b"a", b"b", b"aab", b"x"], eos_token_ids=[0])
WHOLE = fw.Vocabulary([b"</s>", b"a", b"b", b"aab", *(bytes([byte]) for byte in range(256))], eos_token_ids=[0])
METHODS = ["allowed_characters", "add_character", "can_end", "key", "shortest"]


@pytest.mark.parametrize("method", METHODS)
def test_what_a_parser_raises_is_told(method: str) -> None:
    constraint = fw.compile(_failing(method), WHOLE)
    matcher = constraint.matcher()
    matcher.accept_token(1)
    mask = fw.allocate_bitmask(2, WHOLE)
    mask[:] = 7
    for ask in (
        lambda: matcher.fill_bitmask(mask),
        lambda: matcher.accept_token(3),
        lambda: matcher.accept_bytes(b"aab"),
        lambda: fw.fill_bitmasks([matcher, constraint.matcher()], mask),
        lambda: matcher.validate_tokens([3]),
    ):
        with pytest.raises(ParserFailed, match="raised ZeroDivisionError: three") as caught:
            ask()
        assert method in str(caught.value)
        assert isinstance(caught.value.__cause__, ZeroDivisionError)
        assert matcher.accepted_bytes == b"a"
    assert (mask == 7).all()


@pytest.mark.parametrize("method", METHODS)
def test_a_form_is_read_by_a_parser_that_raises(method: str) -> None:
    form = fw.form(_failing(method))
    with pytest.raises(ParserFailed, match=f"{method}.* raised ZeroDivisionError"):
        form.parse("aaabbb")
    assert form.parse("ab") == "ab"


def test_a_new_text_asks_again() -> None:
    parser = _failing("add_character")
    constraint = fw.compile(parser, WHOLE)
    matcher = constraint.matcher()
    with pytest.raises(ParserFailed):
        matcher.accept_bytes(b"aaa")
    type(parser).method = ""
    with pytest.raises(ParserFailed):  # its masks may be wrong
        matcher.allowed_token_ids()
    again = constraint.matcher()
    again.accept_bytes(b"aaab")
    assert again.allowed_token_ids() == [2, 102]
    matcher.reset()
    matcher.accept_bytes(b"aaab")
    assert fw.form(parser).matches("aabb")


def test_interrupts_are_themselves_once() -> None:
    matcher = fw.compile(_failing("add_character", KeyboardInterrupt()), WHOLE).matcher()
    with pytest.raises(KeyboardInterrupt):
        matcher.accept_bytes(b"aaa")
    with pytest.raises(ParserFailed, match="interrupted"):
        matcher.accept_bytes(b"aaa")


@pytest.mark.parametrize(
    ("method", "answer", "message"),
    [
        ("allowed_characters", None, "must return a str, a pattern or a collection of these, not NoneType None"),
        ("allowed_characters", b"a", "not bytes"),
        ("allowed_characters", ["ab"], "must return single characters, or patterns of one, not str 'ab'"),
        ("allowed_characters", [97], "not int 97"),
        ("allowed_characters", re.compile("ab"), "must return patterns of one character"),
        ("allowed_characters", re.compile("a?"), "must return patterns of one character"),
        ("allowed_characters", re.compile(b"a"), "RegexError"),
        ("allowed_characters", "\ud800", "lone surrogate"),
        ("add_character", None, "must return a CharacterParser, not NoneType None"),
        ("add_character", "a", "must return a CharacterParser, not str 'a'"),
        ("can_end", None, "must return a bool, not NoneType None"),
        ("can_end", 1, "must return a bool, not int 1"),
        ("shortest", b"", "must return a str or None, not bytes"),
        ("shortest", "\udc00", "lone surrogate"),
        ("key", [], "raised TypeError"),
    ],
)
def test_answers_of_another_type_are_refused(method: str, answer: Any, message: str) -> None:
    parser = type("Mistaken", (ToldBrackets,), {method: lambda self, *_: answer})()
    with pytest.raises(ParserFailed) as caught:
        fw.compile(fw.form(parser), SMALL).matcher().allowed_token_ids()
    assert message in str(caught.value)


@pytest.mark.parametrize("answer", ["", "b", "abb", "aabb", "x", "aaabbb"])
def test_a_wrong_shortest_completion_is_refused(answer: str | None) -> None:
    parser = type("Wrong", (ToldBrackets,), {"shortest": lambda self: answer if not self.open else "b" * self.open})()
    with pytest.raises(ParserFailed, match=r"shortest\(\) gives"):
        fw.compile(fw.form(parser), SMALL).matcher().allowed_token_ids()


def test_a_parser_that_is_stuck_fails() -> None:
    class Stuck(Brackets):
        def allowed_characters(self) -> str:
            return "" if self.open > 1500 else "ab"

        def can_end(self) -> bool:
            return self.open == 0

    matcher = fw.compile(fw.form(Stuck()), SMALL).matcher()
    with pytest.raises(ParserFailed, match="stuck"):
        matcher.accept_bytes(b"a" * 1501)
    assert matcher.accepted_bytes == b""


def test_a_parser_without_texts_is_no_form() -> None:
    for parser in (Automaton(({"a": 0},), frozenset()), Automaton(({},), frozenset()), Told(({"a": 0},), frozenset())):
        with pytest.raises(NotAForm, match="reads no text"):
            fw.form(parser)


def test_characters_of_a_pattern_are_alike() -> None:
    class Collecting(fw.CharacterParser):
        def __init__(self, text: str = "") -> None:
            self.text = text

        def allowed_characters(self) -> re.Pattern[str]:
            return re.compile("[a-z]")

        def add_character(self, character: str) -> Collecting:
            return Collecting(self.text + character)

        def can_end(self) -> bool:
            return True

        def key(self) -> str:
            return self.text

    with pytest.raises(ParserFailed, match="must lead to the same state, but 'a' and 'm' do not"):
        fw.compile(fw.form(Collecting()), SMALL).matcher().allowed_token_ids()


def test_states_without_end_meet_a_limit() -> None:
    class Counting(fw.CharacterParser):
        def allowed_characters(self) -> str:
            return "ab"

        def add_character(self, character: str) -> Counting:
            return Counting()

        def can_end(self) -> bool:
            return True

    form = fw.form(Counting())
    with pytest.raises(LimitExceeded) as caught:
        form.matches("ab" * 60_000)
    assert (caught.value.limit, caught.value.allowed) == ("parser_states", 1 << 16)
    matcher = fw.compile(form, SMALL).matcher()
    with pytest.raises(LimitExceeded):
        matcher.accept_bytes(b"ab" * 60_000)
    assert matcher.accepted_bytes == b""
    assert form.matches("abba")


def test_large_sets_of_characters_meet_a_limit() -> None:
    every = "".join(map(chr, range(0x20, 0xD800)))

    class Listing(fw.CharacterParser):
        def __init__(self, read: int = 0) -> None:
            self.read = read

        def allowed_characters(self) -> str:
            return every

        def add_character(self, character: str) -> Listing:
            return Listing(self.read + 1)

        def can_end(self) -> bool:
            return True

        def key(self) -> int:
            return self.read

    form = fw.form(Listing())
    assert form.matches("abc")
    with pytest.raises(LimitExceeded) as caught:
        form.matches("abc" * 100)
    assert caught.value.limit == "parser_characters"


def test_a_parser_cannot_use_its_own_form() -> None:
    class Selfish(Brackets):
        def add_character(self, character: str) -> Brackets:
            form.matches("ab")
            return super().add_character(character)

    form = fw.form(Brackets())
    matcher = fw.compile("x" + fw.form(Brackets()), SMALL).matcher()
    with pytest.raises(ParserFailed) as caught:
        form = fw.form(Selfish())
    assert isinstance(caught.value.__cause__, MatchError)
    assert matcher.allowed_token_ids() == [4]


# As a form.


def test_what_a_parser_is_read_as() -> None:
    class Counted(ToldBrackets):
        def add_character(self, character: str) -> Counted:
            after = super().add_character(character)
            return Counted(after.open, after.closing)

        def value(self, text: str) -> int:
            return len(text) // 2

    assert fw.form(Counted()).parse("aabb") == 2
    assert (fw.literal("n: ") + Counted()).parse("n: ab") == 1
    assert (Counted() + "!").parse("aabb!") == 2
    assert (Counted() | fw.literal("none")).parse("none") == "none"
    assert ("none" | Counted()).parse("ab") == 1
    assert ("n: " + ToldBrackets()).parse("n: ab") == "n: ab"
    assert fw.form(Counted()).repeat(2).parse("abaabb") == [1, 2]
    assert fw.form(Counted()).explain() == ()
    assert repr(fw.form(ToldBrackets())) == "Form(parser ToldBrackets(open=0, closing=False))"
    assert "aab" not in [fw.form(ToldBrackets()).example()]


def test_a_parser_is_not_stored() -> None:
    form = "x" + ToldBrackets()
    constraint = fw.compile(form, SMALL)
    for store in (form.to_bytes, constraint.to_bytes, lambda: pickle.dumps(form), lambda: pickle.dumps(constraint)):
        with pytest.raises(LanguageError, match="cannot be stored: a parser is code"):
            store()


def test_options_of_json_are_refused() -> None:
    with pytest.raises(ArgumentError, match="takes none"):
        fw.form(Brackets(), whitespace="compact")  # type: ignore[call-overload]


def test_tokens_that_cannot_come_are_rejected() -> None:
    matcher = fw.compile(Brackets(), SMALL).matcher()
    with pytest.raises(TokenRejected) as caught:
        matcher.accept_token(4)
    assert caught.value.expected == "'a'"


def test_a_model_writes_by_a_parser() -> None:
    model = fw.load("formwright-tiny")
    form = "<" + ToldBrackets() + ">"
    for seed in range(5):
        result = model.generate("brackets:", form, max_tokens=12, temperature=1.0, seed=seed)
        assert form.matches(result.text)
        assert len(result.token_ids) <= 12
    with pytest.raises(ArgumentError) as caught:
        model.generate("brackets:", Brackets(), max_tokens=8)
    assert "finish=False" in str(caught.value.hint)
    model.generate("brackets:", Brackets(), max_tokens=8, finish=False)


def test_threads_share_a_parser() -> None:
    class Slow(ToldBrackets):
        def add_character(self, character: str) -> Slow:
            threading.Event().wait(0.0005)  # another thread runs meanwhile
            after = super().add_character(character)
            return Slow(after.open, after.closing)

    form = "x" + Slow()
    constraint = fw.compile(form, SMALL)
    shared, errors = constraint.matcher(), []

    def write(seed: int) -> None:
        try:
            chance, matcher = random.Random(seed), shared.fork()
            for _ in range(20):
                budget = max(30 - len(matcher.accepted_bytes), matcher.min_tokens_to_finish)
                matcher.accept_token(chance.choice(matcher.allowed_token_ids(budget=budget or None)))
                form.matches("xaabb")
                if matcher.is_finished:
                    matcher.reset()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=(seed,), daemon=True) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive(), "deadlock"
    assert not errors
