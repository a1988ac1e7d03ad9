"""Compiled patterns against ``re`` itself: random patterns with random flags, and texts of characters at its edges."""

from __future__ import annotations

import itertools
import re
import warnings

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import formwright as fw
from formwright.errors import RegexError

# Letters that fold in unusual ways, numbers that are no digits, marks, blanks, and what patterns are made of.
CHARACTERS = (
    "aAbkKsSiI_09 \n\r\t-+*[]{}()^$.|\\&~#:,²\u0300\u0131\u0130\u017f\u212aµμßẞσςΣ٣\x1c\x1f\x85\xa0\u200d\u2028Ⅰⓐǅΐΐﬅﬆ"
    "\u0345ι\u1fbe〇一в\u1c80\U00010400\U00010428😀\U000e0100"
)

characters = st.sampled_from(CHARACTERS)
literals = characters.map(re.escape)
escapes = st.sampled_from([r"\w", r"\W", r"\d", r"\D", r"\s", r"\S"])
spans = st.tuples(characters, characters).map(lambda ends: "-".join(map(re.escape, sorted(ends))))
oddities = st.sampled_from(["a-z", "A-Z", "[:alpha:]", "&&", "--", "~~", "||", "[", "+--", r"\b"])
members = st.lists(st.one_of(literals, escapes, spans, oddities), min_size=1, max_size=4).map("".join)
classes = st.tuples(st.sampled_from(["[", "[^"]), members).map(lambda parts: f"{''.join(parts)}]")
singles = st.one_of(literals, classes, escapes, st.sampled_from([".", r"\101", r"\x41", r"\N{BULLET}", r"\07"]))
assertions = st.sampled_from([r"\b", r"\B", "^", "$", r"\A", r"\Z"])
looks_behind = st.tuples(st.sampled_from(["(?<=", "(?<!"]), singles).map(lambda parts: f"{''.join(parts)})")
counts = st.sampled_from(["", "", "", "*", "+", "?", "{2}", "{1,2}", "{,2}", "{1,}", "{0,3}", "{a}", "{,}"])
kinds = st.sampled_from(["", "", "", "?", "+"])
openings = st.sampled_from(
    ["(", "(?:", "(?i:", "(?-i:", "(?a:", "(?u:", "(?s:", "(?m:", "(?x:", "(?im-s:", "(?=", "(?!", "(?>"]
)


def alternatives(atoms: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    item = st.tuples(atoms, counts, kinds).map(lambda parts: parts[0] + (parts[1] + parts[2] if parts[1] else ""))
    sequence = st.lists(item, max_size=3).map("".join)
    return st.lists(sequence, min_size=1, max_size=2).map("|".join)


atoms = st.recursive(
    st.one_of(singles, assertions, looks_behind),
    lambda inner: st.tuples(openings, alternatives(inner)).map(lambda parts: f"{''.join(parts)})"),
    max_leaves=6,
)
flags = st.lists(st.sampled_from([re.A, re.I, re.M, re.S, re.X]), max_size=2, unique=True).map(
    lambda given: sum(given, re.NOFLAG)
)
BYTES = fw.Vocabulary([*(bytes([byte]) for byte in range(256)), None], eos_token_ids=[256])
texts = st.lists(st.text(characters, max_size=5), min_size=30, max_size=30)


@settings(suppress_health_check=list(HealthCheck), deadline=None)
@given(alternatives(atoms), flags, texts)
def test_a_compiled_pattern_is_what_re_matches(source: str, given_flags: re.RegexFlag, samples: list[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            pattern = re.compile(source, given_flags)
        except re.error:
            return
    form: fw.Form[str] | None = None
    try:
        form = fw.regex(pattern)
    except RegexError as error:
        if "no text matches it" not in str(error):
            return
    for text in [*samples, form.example()] if form else samples:
        is_in = form is not None and form.matches(text.encode())
        assert is_in == (pattern.fullmatch(text) is not None), repr(text)


of_few_letters = st.recursive(
    st.sampled_from(["a", "b", ".", "[^a]", "[ab]", r"\b", "$", "(?<=a)"]),
    lambda inner: st.tuples(
        st.sampled_from(["(?:", "(?=", "(?!"]), st.lists(inner, min_size=1, max_size=3).map("".join), counts
    ).map(lambda parts: f"{parts[0]}{parts[1]}){'' if '=' in parts[0] or '!' in parts[0] else parts[2]}"),
    max_leaves=5,
)
short_texts = ["".join(letters) for length in range(5) for letters in itertools.product("abc", repeat=length)]


@settings(suppress_health_check=list(HealthCheck), deadline=None)
@given(of_few_letters, of_few_letters)
def test_looking_ahead_inside_of_a_repetition(body: str, end: str) -> None:
    source = f"(?:{body})*{end}"
    form: fw.Form[str] | None = None
    try:
        pattern = re.compile(source)
        form = fw.regex(pattern)
    except re.error:
        return
    except RegexError as error:
        if "no text matches it" not in str(error):
            return
    matching = {text for text in short_texts if pattern.fullmatch(text)}
    assert matching == {text for text in short_texts if form is not None and form.matches(text.encode())}
    for prefix in {text[:length] for text in matching for length in range(len(text) + 1)}:
        assert form is not None
        fw.compile(form, BYTES).matcher().accept_bytes(prefix.encode())  # no dead end, no limit
