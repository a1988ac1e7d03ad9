"""`michael-jordan`: a pattern whose masks push a model, and the record behind it.

The figures of the example come from Llama 2's chat model, which is not at hand; the masks need no model.
"""

from __future__ import annotations

from pathlib import Path

import mistral_common
import pytest
import sentencepiece
from pydantic import BaseModel

import formwright as fw
from formwright.reference import languages as ref
from formwright.tokenizers import Spelling, read

FORM = fw.regex(r"Michael Jordan was Born in (\d)+.")
DIGIT = ref.Characters(((ord("0"), ord("9")),))
ANY_BUT_A_LINE_BREAK = ref.Characters(((0, 9), (11, 0x10FFFF)))
ORACLE = ref.sequence(ref.literal("Michael Jordan was Born in "), ref.repeat(DIGIT, 1), ANY_BUT_A_LINE_BREAK)

TEXT = b"Michael Jordan was Born in 1963."


class Player(BaseModel):
    first_name: str
    last_name: str
    year_of_birth: int
    num_seasons_in_nba: int


@pytest.fixture(scope="module")
def mistral() -> Spelling:
    folder = Path(mistral_common.__file__).parent / "data"
    return read(sentencepiece.SentencePieceProcessor(model_file=str(folder / "tokenizer.model.v1")))


def test_masks_along_the_text_equal_brute_force(mistral: Spelling) -> None:
    tokens = {token: spelled for token, spelled in enumerate(mistral.tokens) if spelled}
    matcher = fw.compile(FORM, fw.Vocabulary(mistral.tokens, eos_token_ids=[2])).matcher()
    rows, sizes = [], []
    while True:
        written = matcher.accepted_bytes
        allowed = set(matcher.allowed_token_ids())
        assert allowed == ref.allowed_tokens(ORACLE, written, tokens, ends=[2]), written
        sizes.append(len(allowed))
        if not (following := [token for token in allowed - {2} if TEXT[len(written) :].startswith(tokens[token])]):
            break
        rows.append(max((tokens[token] for token in following), key=len))
        matcher.accept_bytes(rows[-1])
    # Llama 2 has a piece for the first word; from there on, the rows are those of the published table.
    assert rows[-10:] == [b" Jordan", b" was", b" Born", b" in", b" ", b"1", b"9", b"6", b"3", b"."]
    assert b"".join(rows) == TEXT
    assert matcher.allowed_token_ids() == [2]
    # A fixed text is begun by few tokens; behind a digit, the dot may be any character.
    first_digit = rows.index(b"1")
    assert max(sizes[: first_digit + 1]) <= 20
    assert min(sizes[first_digit + 1 : -1]) > 1_000


@pytest.mark.parametrize(
    ("written", "leading", "generated"), [(b"", b" Sure", b"Mic"), (b"Michael Jordan was", b" born", b" Born")]
)
def test_where_the_form_pushes(mistral: Spelling, written: bytes, leading: bytes, generated: bytes) -> None:
    matcher = fw.compile(FORM, fw.Vocabulary(mistral.tokens, eos_token_ids=[2])).matcher()
    matcher.accept_bytes(written)
    spelled = {mistral.tokens[token] for token in matcher.allowed_token_ids()}
    assert leading in mistral.tokens
    assert leading not in spelled
    assert generated in spelled


def test_the_dot_is_any_character() -> None:
    """As the pattern is written: two digits are a text, and a last digit can be what the dot stands for."""
    for text in (
        "Michael Jordan was Born in 19",
        "Michael Jordan was Born in 1963!",
        "Michael Jordan was Born in 1963.",
    ):
        assert FORM.matches(text)
    for text in (
        "Michael Jordan was Born in 1",
        "Michael Jordan was Born in 1963.\n",
        "Michael Jordan was Born in 1963..",
        "x",
    ):
        assert not FORM.matches(text)
    assert not fw.regex(r"Michael Jordan was Born in \d{4}\.").matches("Michael Jordan was Born in 1963!")


def test_the_record() -> None:
    text = '{"first_name": "Michael", "last_name": "Jordan", "year_of_birth": 1963, "num_seasons_in_nba": 15}'
    player = Player(first_name="Michael", last_name="Jordan", year_of_birth=1963, num_seasons_in_nba=15)
    assert fw.form(Player).parse(text) == player
    free = fw.form(Player, whitespace="free", order="model", max_items=20)
    swapped = (
        '\n{\t"year_of_birth" :1963,\n\n"num_seasons_in_nba":15,"last_name":"Jordan","first_name":"Michael"\r\n}\n'
    )
    assert free.parse(text) == free.parse(swapped) == player
    assert not fw.form(Player).matches(swapped)
    for wrong in (text.replace("15", "15.5"), text.replace('"Jordan"', "23"), text.replace("}", ', "x": 1}'), "{}"):
        assert not free.matches(wrong)
