"""Grammars that others publish: `testdata/public_grammars` has texts that conform to each and texts that do not.

The files are in `testdata/third_party`, as their authors wrote them.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from lark_grammars import parses
from lark_trees import check_tree, lark

import formwright as fw
from formwright import errors

DATA = Path(__file__).parents[2] / "testdata"
ROWS: list[dict[str, Any]] = [
    row | {"file": f"{file.stem}/{row['file']}"}
    for file in sorted(DATA.glob("public_grammars/*.toml"))
    for row in tomllib.loads(file.read_text("utf-8"))["grammar"]
]
READ = [row for row in ROWS if "conforms" in row]
SPARE = 2
"""Tokens by which the shortest way to the end that is known may be too long."""


def choose(rows: list[dict[str, Any]], fault: str = "") -> pytest.MarkDecorator:
    """Parametrize a test; it is expected to fail with the rows that name a ``fault`` of ours."""
    marks = [[pytest.mark.xfail(reason=row[fault])] if fault in row else [] for row in rows]
    return pytest.mark.parametrize(
        "row", [pytest.param(r, id=r["file"], marks=m) for r, m in zip(rows, marks, strict=True)]
    )


def read_text(row: dict[str, Any]) -> str:
    """The text of a grammar, with other lines ``instead`` of those that begin so."""
    lines = read_file(row).split("\n")
    for beginning, line in row.get("instead", {}).items():
        (number,) = (number for number, written in enumerate(lines) if written.startswith(beginning))
        lines[number] = line
    return "\n".join(lines)


def read_file(row: dict[str, Any]) -> str:
    return (DATA / "third_party" / row["file"]).read_text("utf-8")


def make_form(row: dict[str, Any], text: str) -> fw.Form[str]:
    folder = DATA / "third_party" / row["file"]
    forms = {name: fw.grammar(folder.with_name(file).read_text("utf-8")) for name, file in row.get("forms", {}).items()}
    return fw.grammar(text, start=row.get("start"), lexing=row.get("lexing"), forms=forms)


def test_every_file_is_tried() -> None:
    folder = DATA / "third_party"
    projects = {path.name for path in folder.iterdir() if path.is_dir()}
    assert {path.parent.name for path in folder.glob("*/LICENSE")} == projects
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.suffix in (".lark", ".gbnf")}
    assert files == {row["file"] for row in ROWS}
    assert all(len(row[key]) >= 10 for row in READ for key in ("conforms", "departs"))


@choose(READ)
def test_texts_conform(row: dict[str, Any]) -> None:
    form = make_form(row, read_text(row))
    assert [text for text in row["conforms"] if not form.matches(text)] == []
    assert [text for text in row["departs"] if form.matches(text)] == []


@choose([row for row in ROWS if "refused" in row])
def test_a_file_is_refused_at_its_place(row: dict[str, Any]) -> None:
    with pytest.raises(errors.GrammarError) as raised:
        make_form(row, read_file(row))
    assert (raised.value.line, raised.value.column) == (row["refused"]["line"], row["refused"]["column"])
    assert row["refused"]["says"] in str(raised.value)


@choose([row for row in ROWS if "refused" not in row], "not_read")
def test_a_file_is_read(row: dict[str, Any]) -> None:
    make_form(row, read_file(row))


@choose([row for row in READ if row["file"].endswith(".lark") and row.get("lark") != "none"])
def test_lark_says_the_same(row: dict[str, Any]) -> None:
    parser = make_parser(row)
    assert [text for text in row["conforms"] if not parses(parser, text)] == []
    assert [text for text in row["departs"] if parses(parser, text)] == []


@choose(
    [row for row in READ if row["file"].endswith(".lark") and row.keys().isdisjoint(("lark", "lexing", "forms"))],
    "not_as_tree",
)
def test_trees_are_those_of_lark(row: dict[str, Any]) -> None:
    parser, form = make_parser(row), fw.grammar(read_text(row), read="tree")
    for text in row["conforms"]:
        check_tree(form.parse(text), parser.parse(text), text)


def make_parser(row: dict[str, Any]) -> Any:
    """Lark's parser of the file itself, or of our lines where Lark refuses it."""
    options = {"start": row.get("start", "start"), "parser": row.get("lark", "lalr")}
    try:
        return lark.Lark.open(DATA / "third_party" / row["file"], **options)
    except (lark.exceptions.LarkError, KeyError):
        return lark.Lark(read_text(row), **options)


@choose(READ, "not_written")
def test_a_text_is_written_within_its_own_budget(row: dict[str, Any], byte_vocabulary: fw.Vocabulary) -> None:
    constraint = fw.compile(make_form(row, read_text(row)), byte_vocabulary)
    mask = fw.allocate_bitmask(1, byte_vocabulary)
    for text in row["conforms"]:
        data = text.encode()
        matcher = constraint.matcher()
        for place, byte in enumerate(data):
            left = len(data) - place
            assert matcher.min_tokens_to_finish <= left
            matcher.fill_bitmask(mask, budget=left)
            assert byte in fw.allowed_tokens(mask), (text, place)
            matcher.accept_token(byte)
        assert matcher.min_tokens_to_finish == 0


@choose(READ, "not_written")
def test_tokens_of_several_bytes_count_once(row: dict[str, Any]) -> None:
    """The shortest way to the end that is known is hardly longer than the text, in its own words as tokens."""
    words = sorted(
        {word for text in row["conforms"] for word in re.findall(r"\w+|[^\w\s]{2,}|\s+", text) if len(word) > 1}
    )
    tokens = [bytes([byte]) for byte in range(256)] + [word.encode() for word in words]
    vocabulary = fw.Vocabulary([*tokens, None], eos_token_ids=[len(tokens)])
    ids = {token: number for number, token in enumerate(tokens)}
    constraint = fw.compile(make_form(row, read_text(row)), vocabulary)
    mask = fw.allocate_bitmask(1, vocabulary)
    for text in row["conforms"][:3]:
        pieces = [piece.encode() for piece in re.findall(r"\w+|[^\w\s]+|\s+", text)]
        spelled = [ids[part] for piece in pieces for part in ([piece] if piece in ids else split_bytes(piece))]
        matcher = constraint.matcher()
        for place, token in enumerate(spelled):
            left = len(spelled) - place + SPARE
            assert matcher.min_tokens_to_finish <= left, (text, place)
            matcher.fill_bitmask(mask, budget=left)
            assert token in fw.allowed_tokens(mask), (text, place)
            matcher.accept_token(token)


def split_bytes(text: bytes) -> list[bytes]:
    return [bytes([byte]) for byte in text]
