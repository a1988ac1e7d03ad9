"""What values cost while their text is written: microseconds for each token of about four bytes.

::

    python bench/partial.py [--items 500]

Rows are the least processor time of several repetitions, for a text and for one ten times as long: a cost that is
linear is the same in both columns. *Pieces* is what a stream does with each token anyway; *+ partial* asks each piece
for its partial value too, *+ field* for a field and its state, *+ value* for the text of the string under way. *From
elsewhere* is ``fw.partial``, which also checks that the text is in form.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import formwright as fw
from formwright.generation.held_text import Held, Piece

REPEATS = 5


@dataclass
class Line:
    product: str
    quantity: int
    notes: list[str]


FORM = fw.form(list[Line])


def text_of(items: int) -> str:
    """An array of records, as a model writes it."""
    lines = [
        {
            "product": f"lamp {number}, with a shade of \u201cold\u201d paper",
            "quantity": number,
            "notes": ["x", 'a "b" c\n'],
        }
        for number in range(items)
    ]
    return json.dumps(lines, ensure_ascii=False)


def tokens_of(text: str) -> list[bytes]:
    """Tokens of four characters."""
    return [text[at : at + 4].encode() for at in range(0, len(text), 4)]


def pieces_of(tokens: Iterable[bytes]) -> Iterable[Piece]:
    held = Held(None, form=FORM)
    for token in tokens:
        yield from held.add(0, token)


def read_pieces(tokens: list[bytes], ask: Callable[[Piece], Any]) -> None:
    for piece in pieces_of(tokens):
        ask(piece)


def read_from_elsewhere(tokens: list[bytes], ask: Callable[[fw.incremental.Partial], Any]) -> None:
    reader = fw.partial(FORM)
    for token in tokens:
        ask(reader.feed(token.decode()))


def field(partial: fw.incremental.Partial) -> Any:
    return partial[-1]["product"].state


def value(partial: fw.incremental.Partial) -> Any:
    return partial[-1]["product"].value


ROWS: list[tuple[str, Callable[[list[bytes]], None]]] = [
    ("pieces", lambda tokens: read_pieces(tokens, lambda piece: None)),
    ("pieces + partial", lambda tokens: read_pieces(tokens, lambda piece: piece.partial)),
    ("pieces + partial + field", lambda tokens: read_pieces(tokens, lambda piece: field(piece.partial))),
    ("pieces + partial + value", lambda tokens: read_pieces(tokens, lambda piece: value(piece.partial))),
    ("from elsewhere", lambda tokens: read_from_elsewhere(tokens, lambda partial: None)),
    ("from elsewhere + field", lambda tokens: read_from_elsewhere(tokens, field)),
]


def least(work: Callable[[list[bytes]], None], tokens: list[bytes]) -> float:
    """The least time of a token, in microseconds."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work(tokens)
        times.append(time.perf_counter() - start)
    return min(times) / len(tokens) * 1e6


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--items", type=int, default=500)
    items = parser.parse_args().items
    texts = [tokens_of(text_of(count)) for count in (items, 10 * items)]
    print(f"{'µs per token':<28}" + "".join(f"{len(tokens):>10,} tokens" for tokens in texts))
    for name, work in ROWS:
        print(f"{name:<28}" + "".join(f"{least(work, tokens):>17.2f}" for tokens in texts))


if __name__ == "__main__":
    main()
