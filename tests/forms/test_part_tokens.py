"""``max_tokens`` of a part of free text: never exceeded, never a dead end, and nothing else restricted.

A form is a list of parts. What a finished text may be is tried by brute force: some way to cut it into its parts, with
as many tokens in each as may end there.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from toys import RuleRuntime

import formwright as fw
from formwright.errors import ArgumentError, GrammarError, TokenRejected, VocabularyError
from formwright.generation import Complete
from formwright.models import LocalModel

SPELLED = [
    *(bytes([byte]) for byte in range(256)),
    *(b"ab", b"aa", b"aab", b"b</", b"</", b"t>", b"</t>", b"x</t>", b"</t>{", b"\xc3\xa9", b"a\xc3", b"\xf0\x9f"),
    *(b'{"', b'":', b"tru", b"true}", b":a", b"a:", b"a:b", b"aaaaaaaa", b"bb", b"bbb", b"cd", b"xb"),
]
END, OPEN, CLOSE = len(SPELLED), len(SPELLED) + 1, len(SPELLED) + 2
VOCABULARY = fw.Vocabulary(
    [*SPELLED, None, None, None],
    eos_token_ids=[END],
    special_tokens={"</s>": END, "<open>": OPEN, "<close>": CLOSE},
)


@dataclass(frozen=True)
class Part:
    """A part: texts that it may be, or free text."""

    texts: tuple[str, ...] = ()
    until: str | None = None
    include: bool = True
    bounded: bool = False

    def form(self, most: int | None) -> fw.Form[Any]:
        if self.texts:
            special = [fw.special(text) if text in ("<open>", "<close>") else fw.choice(text) for text in self.texts]
            form = special[0]
            for other in special[1:]:
                form = form | other
            return form
        return fw.text(until=self.until, include=self.include, max_tokens=most if self.bounded else None)

    def ends(self, data: bytes, start: int) -> Iterator[int]:
        """Where it may end, begun at ``start``."""
        if self.texts:
            for text in self.texts:
                if data.startswith(text.encode(), start):
                    yield start + len(text.encode())
            return
        marker = (self.until or "").encode()
        first = data.find(marker, start) if marker else -1
        if marker and self.include:
            if first >= 0:
                yield first + len(marker)
            return
        last = len(data) if first < 0 else first + len(marker) - 1
        yield from range(start, last + 1)

    @property
    def least(self) -> int:
        marker = len((self.until or "").encode()) if self.include else 0
        return max(marker, marker + 3) + 1


FREE = Part(bounded=True)
FORMS: dict[str, list[Part]] = {
    "marker": [Part(until="</t>", bounded=True), Part(("true", "cd"))],
    "marker after": [Part(("<", "x")), Part(until="ab", include=False, bounded=True), Part(("ab",)), Part(("", "b"))],
    "control tokens": [Part(("<open>",)), FREE, Part(("<close>",)), Part(("true", "tru"))],
    "to the end": [Part(("a", "ab")), FREE],
    "anything, then a text": [FREE, Part(("ab", "aab", "bbb"))],
    "entered at two places": [Part(("a", "aa", "")), Part(until="b", bounded=True), Part(until="cd")],
    "one after the other": [Part(until=":", bounded=True), Part(until="b", bounded=True), FREE],
    "free on both sides": [Part(until="a", include=False), FREE, Part(until=":", include=False)],
}


def form_of(parts: list[Part], most: int | None) -> fw.Form[Any]:
    forms = [part.form(most) for part in parts]
    whole = forms[0]
    for form in forms[1:]:
        whole = whole + form
    return whole


def spelled(token_id: int) -> bytes:
    return {OPEN: b"<open>", CLOSE: b"<close>"}.get(token_id) or SPELLED[token_id]


def keeps_to(parts: list[Part], token_ids: list[int], most: int) -> bool:
    """Whether there is a way to cut a text into its parts that keeps to the bounds."""
    data, ends = b"", set()
    for token_id in token_ids:
        data += spelled(token_id)
        ends.add(len(data))

    def fits(at: int, start: int) -> bool:
        if at == len(parts):
            return start == len(data)
        part = parts[at]
        inside = (
            end
            for end in part.ends(data, start)
            if not part.bounded or sum(start < token <= end for token in ends) <= most
        )
        return any(fits(at + 1, end) for end in inside)

    return fits(0, 0)


TASTES: dict[str, Callable[[int], float]] = {
    "anything": lambda token_id: 1.0,
    "letters": lambda token_id: 50.0 if SPELLED[token_id : token_id + 1] in ([b"a"], [b"x"], [b"<"]) else 0.1,
    "long": lambda token_id: 4.0 ** len(spelled(token_id)) if token_id < END else 1.0,
    "halves": lambda token_id: 50.0 if token_id in (0xF0, 0xF1, 0xC3, 0x3C, 0x62) else 0.1,
}


def chosen(allowed: list[int], taste: str, chance: random.Random) -> int:
    """A token of an adversary, which ends the text only where it must or, rarely, likes to."""
    others = [token_id for token_id in allowed if token_id not in (END, CLOSE)]
    if not others or chance.random() < 0.02:
        return chance.choice(allowed)
    return chance.choices(others, [TASTES[taste](token_id) for token_id in others])[0]


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("taste", TASTES)
def test_no_part_is_too_long_and_no_text_is_stuck(name: str, taste: str) -> None:
    parts, chance = FORMS[name], random.Random(f"{name} {taste}")
    least = max(part.least for part in parts if part.bounded)
    for _ in range(60):
        most = least + chance.choice([0, 0, 1, 2, 5])
        constraint = fw.compile(form_of(parts, most), VOCABULARY)
        matcher = constraint.matcher()
        budget = chance.choice([None, None, 0, 1, 3, 10, 30])
        if budget is not None:
            budget += matcher.min_tokens_to_finish
        elif name == "free on both sides":
            budget = 40  # what is not bounded need not end
        token_ids: list[int] = []
        while not matcher.is_finished:
            if len(token_ids) > 60:
                matcher.accept_tokens(closing(matcher))
                break
            left = None if budget is None else budget - len(token_ids)
            token_id = chosen(matcher.allowed_token_ids(budget=left), taste, chance)
            matcher.accept_token(token_id)
            if token_id != END:
                token_ids.append(token_id)
        assert budget is None or len(token_ids) <= budget
        assert matcher.is_complete
        if matcher.is_finished:
            assert keeps_to(parts, token_ids, most), (most, [spelled(token_id) for token_id in token_ids])


def closing(matcher: fw.Matcher) -> list[int]:
    """Tokens that complete a text, chosen by its budget."""
    fork, found = matcher.fork(), []
    while not fork.is_complete:
        allowed = fork.allowed_token_ids(budget=fork.min_tokens_to_finish)
        found.append(allowed[0])
        fork.accept_token(allowed[0])
    return found


def missing(data: bytes, marker: bytes) -> int:
    """Bytes to the end of a text until ``marker``."""
    for length in range(1, 4):
        lead = data[-length] if length <= len(data) else 0
        if lead >= 0xC0:
            size = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
            if length < size:
                return size - length + len(marker)
            break
    return min(len(marker) - length for length in range(len(marker)) if data.endswith(marker[:length]))


@pytest.mark.parametrize("marker", ["</t>", "ab", ":"])
def test_masks_are_exact_where_a_text_is_read_in_one_way(marker: str) -> None:
    rest, chance = fw.choice("true", "aab"), random.Random(marker)
    least = len(marker) + 4
    for _ in range(40):
        most = least + chance.choice([0, 1, 4])
        bounded = fw.compile(fw.text(until=marker, max_tokens=most) + rest, VOCABULARY).matcher()
        free = fw.compile(fw.text(until=marker) + rest, VOCABULARY).matcher()
        budget = chance.choice([None, free.min_tokens_to_finish + chance.randrange(20)])
        data, count = b"", 0
        while marker.encode() not in data:
            expected = []
            for token_id in free.allowed_token_ids(budget=budget):
                after = data + spelled(token_id)
                at = after.find(marker.encode())
                if at < 0 and missing(after, marker.encode()) > most - count - 1:
                    continue
                expected.append(token_id)
            assert bounded.allowed_token_ids(budget=budget) == expected
            token_id = chosen(expected, chance.choice(list(TASTES)), chance)
            free.accept_token(token_id)
            bounded.accept_token(token_id)
            data, count = data + spelled(token_id), count + 1
            budget = None if budget is None else budget - 1
        assert count <= most
        assert bounded.allowed_token_ids(budget=budget) == free.allowed_token_ids(budget=budget)


@pytest.mark.parametrize("name", FORMS)
def test_a_bound_that_is_not_met_changes_nothing(name: str) -> None:
    chance = random.Random(name)
    for _ in range(15):
        bounded = fw.compile(form_of(FORMS[name], 1000), VOCABULARY).matcher()
        free = fw.compile(form_of(FORMS[name], None), VOCABULARY).matcher()
        budget = chance.choice([None, free.min_tokens_to_finish + chance.randrange(20)])
        for _ in range(30):
            allowed = free.allowed_token_ids(budget=budget)
            assert bounded.allowed_token_ids(budget=budget) == allowed
            assert bounded.min_tokens_to_finish == free.min_tokens_to_finish
            token_id = chosen(allowed, "anything", chance)
            free.accept_token(token_id)
            bounded.accept_token(token_id)
            if free.is_finished:
                break
            budget = None if budget is None else budget - 1


@pytest.mark.parametrize("name", FORMS)
def test_what_is_accepted_is_what_the_mask_allows(name: str) -> None:
    parts, chance = FORMS[name], random.Random(f"accepted {name}")
    least = max(part.least for part in parts if part.bounded)
    everything = list(range(len(VOCABULARY)))
    for _ in range(3):
        matcher = fw.compile(form_of(parts, least), VOCABULARY).matcher()
        masks = [matcher.allowed_token_ids()]
        while not matcher.is_finished and len(masks) < 30:
            allowed = masks[-1]
            assert [token_id for token_id in everything if matcher.validate_tokens([token_id])] == allowed
            for token_id in set(everything[::7]) - set(allowed):
                with pytest.raises(TokenRejected):
                    matcher.accept_token(token_id)
            guesses = chance.choices(everything, k=20)
            tree = fw.allocate_bitmask(21, VOCABULARY)
            valid = matcher.mask_tree(guesses, [-1] * 20, tree)
            assert list(valid) == [guess in allowed for guess in guesses]
            token_id = chosen(allowed, "letters", chance)
            fork = matcher.fork()
            fork.accept_token(token_id)
            if token_id in guesses and not fork.is_finished:
                row = fw.allocate_bitmask(1, VOCABULARY)
                fork.fill_bitmask(row)
                assert (row[0] == tree[guesses.index(token_id) + 1]).all()
            matcher = fork
            masks.append([] if fork.is_finished else fork.allowed_token_ids())
        for steps in range(1, len(masks)):
            matcher.rollback()
            assert matcher.allowed_token_ids() == masks[-1 - steps]
        matcher.reset()
        assert matcher.allowed_token_ids() == masks[0]


def test_the_token_before_a_part_does_not_count() -> None:
    form = fw.special("<open>") + fw.text(until=fw.special("<close>"), max_tokens=4)
    matcher = fw.compile(form, VOCABULARY).matcher()
    matcher.accept_tokens([OPEN, *b"aaa"])
    assert ord("a") in matcher.allowed_token_ids()
    assert 0xC3 not in matcher.allowed_token_ids()  # a second half would have to follow
    matcher.accept_token(ord("a"))
    assert matcher.allowed_token_ids() == [CLOSE]
    matcher.rollback()
    matcher.accept_bytes(b"any number of bytes counts as one token")
    assert matcher.allowed_token_ids() == [CLOSE]


POOL = np.random.default_rng(0).normal(size=(512, len(SPELLED) + 3)).astype(np.float32)
POOL[:, [END, CLOSE]] -= 50


def adversary(seed: int) -> RuleRuntime:
    """A model that likes anything but the end."""
    return RuleRuntime(lambda length, last: POOL[(seed + 7 * length + last) % 512], 1 << 20)


@pytest.mark.parametrize("strategy", ["loop", "sampling", "beams", "batch"])
def test_every_strategy_keeps_to_the_bound(strategy: str) -> None:
    parts = FORMS["control tokens"]
    for seed in range(40):
        most = 4 + seed % 5
        constraint = fw.compile(form_of(parts, most), VOCABULARY)
        budget = constraint.matcher().min_tokens_to_finish + (40 if seed % 2 else seed % 13)
        model = LocalModel("adversary", adversary(seed), VOCABULARY, lambda text: [1])
        options: dict[str, Any] = {"max_tokens": budget, "seed": seed}
        if strategy == "batch":
            results = model.generate_many([[1], [2], [3]], constraint, progress=False, temperature=1.0, **options)
        elif strategy == "beams":
            results = [model.generate([1], constraint, beams=3, **options)]
        else:
            results = [model.generate([1], constraint, temperature=float(strategy == "sampling"), **options)]
        for result in results:
            assert isinstance(result, Complete)
            token_ids = [token_id for token_id in result.token_ids if token_id != END]
            assert len(token_ids) <= budget
            assert keeps_to(parts, token_ids, most)


def test_thoughts_and_what_comes_after_a_marker() -> None:
    markers: dict[str, Any] = {"open": fw.special("<open>"), "close": fw.special("<close>")}
    matcher = fw.compile(fw.thinking(bool, max_tokens=6, **markers), VOCABULARY).matcher()
    matcher.accept_tokens([OPEN, *b"aaaaaa"])
    assert matcher.allowed_token_ids() == [CLOSE]
    matcher.accept_tokens([CLOSE, *b"true"])
    assert matcher.is_complete
    matcher = fw.compile(fw.after(":", fw.choice("ab"), required=True, max_tokens=5), VOCABULARY).matcher()
    matcher.accept_tokens([*b"aaaa"])
    assert {SPELLED[token_id][:2] for token_id in matcher.allowed_token_ids()} == {b":", b":a", b"a:", b'":'}


def test_a_form_is_stored_with_its_bound() -> None:
    form = fw.special("<open>") + fw.text(until=fw.special("<close>"), max_tokens=4)
    constraint = fw.compile(form, VOCABULARY)
    again = fw.Constraint.from_bytes(constraint.to_bytes(), VOCABULARY).matcher()
    again.accept_tokens([OPEN, *b"aaaa"])
    assert again.allowed_token_ids() == [CLOSE]


def test_a_form_used_twice_counts_twice() -> None:
    line = fw.text(until="\n", max_tokens=5)
    matcher = fw.compile(line + line, VOCABULARY).matcher()
    matcher.accept_tokens([*b"aaaa\n"])
    assert ord("a") in matcher.allowed_token_ids()
    matcher.accept_tokens([*b"aaaa"])
    assert ord("a") not in matcher.allowed_token_ids()


GRAMMARS: dict[str, tuple[str, int]] = {
    "a suffix": ('start: T ("true" | "cd")\nT[suffix="</t>", capture, max_tokens=MOST]: /(.|\\n)*/', 8),
    "trivia": (
        'start: "<" T? ":" U\nT[capture, max_tokens=MOST]: /a[ab]*/\nU[capture, max_tokens=MOST]: /x|bb+/\n%ignore / /',
        3,
    ),
    "rivals": (
        'start: (T | NAME "!") ":" rest\nT[capture, max_tokens=MOST]: /(ab)*(c|cc)/\nNAME: /(ab)+d/\nrest: "a"*',
        4,
    ),
    "inside brackets": ('start: "{" start "}" | T\nT[capture, max_tokens=MOST]: /[^{}]*</', 5),
    "a rule of GBNF": ('root ::= word "x" | word "cd"\nword[capture, max_tokens=MOST] ::= [ab]+ ("</t>" | ":")', 5),
    "other rivals in each place": ('start: "cd" e ":" | e "x"\ne: T\nT[capture, max_tokens=MOST]: /[a-d]+/', 3),
    "free text and a control token": ("root ::= <open> t <close>\nt[capture, max_tokens=MOST] ::= .*", 4),
}


@pytest.mark.parametrize("name", GRAMMARS)
@pytest.mark.parametrize("taste", TASTES)
def test_terminals_of_grammars_keep_to_their_bounds(name: str, taste: str) -> None:
    (text, least), chance, counts = GRAMMARS[name], random.Random(f"{name} {taste}"), list[int]()
    for _ in range(30):
        most = least + chance.choice([0, 0, 1, 2, 5])
        form = fw.grammar(text.replace("MOST", str(most)))
        matcher, token_ids = fw.compile(form, VOCABULARY).matcher(), list[int]()
        budget = chance.choice([None, 1, 10, 30])
        if budget is not None:
            budget += matcher.min_tokens_to_finish
        while not matcher.is_finished and len(token_ids) < 40:
            left = None if budget is None else budget - len(token_ids)
            token_id = chosen(matcher.allowed_token_ids(budget=left), taste, chance)
            matcher.accept_token(token_id)
            token_ids += [token_id] if token_id != END else []
        token_ids += [] if matcher.is_finished else [token_id for token_id in closing(matcher) if token_id != END]
        data, ends = b"", set()
        for token_id in token_ids:
            data += spelled(token_id)
            ends.add(len(data))
        for part in form.parts(data.decode()):
            counts.append(sum(part.start < end <= part.end for end in ends))
            assert counts[-1] <= most, (most, token_ids)
    assert max(counts) > 1


@pytest.mark.parametrize("lexing", ["longest", "any"])
def test_masks_of_a_bounded_terminal_are_exact(lexing: Any) -> None:
    def write(most: int) -> str:
        return f'start: "<" T ":" "a"?\nT[max_tokens={most}]: /([^:<]b?)*</'

    chance, restricted = random.Random(lexing), 0
    for _ in range(20):
        most = 5 + chance.choice([0, 1, 4])
        bounded, free = (
            fw.compile(fw.grammar(write(bound), lexing=lexing), VOCABULARY).matcher() for bound in (most, 1 << 20)
        )
        data, count = b"", 0
        while b"<" not in data[1:]:
            expected = []
            for token_id in free.allowed_token_ids():
                after = data + spelled(token_id)
                if len(after) > 1 and b"<" not in after[1:] and missing(after, b"<") > most - count - 1:
                    continue
                expected.append(token_id)
            restricted += len(expected) < len(free.allowed_token_ids())
            assert bounded.allowed_token_ids() == expected
            token_id = chosen(expected, chance.choice(list(TASTES)), chance)
            free.accept_token(token_id)
            bounded.accept_token(token_id)
            data += spelled(token_id)
            count += len(data) > 1
        assert count <= most
        assert bounded.allowed_token_ids() == free.allowed_token_ids()
    assert restricted > 20


@pytest.mark.parametrize(
    ("text", "place", "message", "hint"),
    [
        ('start: (T ",")+\nT[max_tokens=5]: /a+/', (2, 3), "may come several times", "one after the other"),
        ('start: a\na: T a | "x"\nT[max_tokens=5]: /b+/', (3, 3), "may come several times", "one after the other"),
        ('start: (@t "x")*', (1, 9), "may come several times", "one part around them"),
        ('start: T\nT[suffix="</t>", max_tokens=7]: /.*/', (2, 18), "8 may be needed", "allow 8 tokens or more"),
        ('root ::= a\na[max_tokens=3] ::= "abc"', (2, 3), "4 may be needed", "allow 4 tokens or more"),
        ('start: a\na[max_tokens=9]: b\nb: "x"', (2, 18), "'b', defined at 3:1", "bound the terminals"),
    ],
)
def test_bounds_of_grammars_that_are_refused(text: str, place: tuple[int, int], message: str, hint: str) -> None:
    forms = {"t": fw.text(until=";", max_tokens=9)} if "@t" in text else {}
    with pytest.raises(GrammarError, match=re.escape(message)) as raised:
        fw.grammar(text, forms=forms)
    assert (raised.value.line, raised.value.column) == place
    assert hint in str(raised.value.hint)


def test_errors_say_what_would_do() -> None:
    with pytest.raises(ArgumentError, match="8 may be needed"):
        fw.text(until="</t>", max_tokens=7)
    with pytest.raises(ArgumentError, match="4 may be needed"):
        fw.text(max_tokens=3)
    with pytest.raises(ArgumentError, match="max_tokens must be 0 or more"):
        fw.text(max_tokens=-1)
    with pytest.raises(ArgumentError, match="mapping"):
        fw.text(until={"a": "b"}, max_tokens=9)
    line = fw.text(until="\n", max_tokens=9)
    with pytest.raises(ArgumentError, match="cannot be repeated"):
        line.repeat(2)
    with pytest.raises(ArgumentError, match="cannot be repeated"):
        fw.after(":", fw.choice("a"), times=2, max_tokens=9)
    with pytest.raises(ArgumentError, match="max_tokens"):
        line & fw.regex("a*\n")
    with pytest.raises(ArgumentError, match="max_tokens"):
        fw.regex("a*") & ~line
    with pytest.raises(VocabularyError, match="no token for some byte"):
        fw.compile(line, fw.Vocabulary([b"a", b"\n", None], eos_token_ids=[2]))
