r"""Grounded text: the model copies a piece of a text, and can write nothing else.

::

    from typing import Annotated

    contract = "All sales are final. No refunds."
    quote = fw.one_of_text(contract, unit="sentence")       # a form: one or more whole sentences of the contract
    fw.template("Clause: {clause}", clause=quote)           # a part of a composition
    fw.form(tuple[Annotated[str, quote], int])              # a field of a type: a model, a dataclass, a TypedDict
    quote.places("No refunds.")                             # [(21, 32)]: where it occurs, in characters

The value is the piece, a ``str``; `Grounded.places` tells where it is. A piece may occur in several places, and a
``str`` passes through every composition, type and validator unchanged.

Cost: a text of 1 MB takes about half a second to build, and about 10 MB of memory once built (90 MB meanwhile). A mask
takes a few microseconds, and some milliseconds where a piece begins, the first time.

A piece is never empty. Where there may be none, say so: ``fw.optional(quote)``, ``Quote | None``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from formwright._kernel import Language, places
from formwright.forms.form import Form
from formwright.forms.text_checks import check_text, shorten

__all__ = ["Grounded", "one_of_text"]

Unit = Literal["char", "word", "sentence"]
"""What a piece is made of: any characters, whole words, or whole sentences."""

_KEYWORD = "x-one-of-text"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Grounded(Form[str]):
    """A form whose texts are the pieces of a text; made by `one_of_text`.

    As an annotation of ``str`` it makes a field of a type such a piece.

    Attributes:
        source: The text.
        unit: What its pieces are made of.
    """

    source: str = ""
    unit: Unit = "char"

    def places(self, piece: str, /) -> list[tuple[int, int]]:
        """Where ``piece`` is in the source: where it begins and ends, in characters, first places first.

        ``source[start:end]`` is the piece. What is not a piece is nowhere: the list is empty.

        Raises:
            ArgumentError: ``piece`` is not a str.
        """
        check_text(piece, "piece")
        return places(self.source, self.unit, piece)

    def __get_pydantic_core_schema__(self, annotated: Any, handler: Any) -> Any:
        """Strings that are a piece; pydantic asks for it."""
        from pydantic_core import core_schema

        return core_schema.no_info_after_validator_function(self._check_piece, handler(annotated))

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        """The schema of such strings; pydantic asks for it."""
        found: dict[str, Any] = handler(schema)
        found[_KEYWORD] = {"source": self.source, "unit": self.unit}
        return found

    def _check_piece(self, piece: str) -> str:
        if not self.matches(piece):
            raise ValueError(f"it is not a {self.title}")
        return piece


def one_of_text(source: str, /, unit: Unit = "char") -> Grounded:
    """Make a form of the passages of ``source``: one or more of its units in a row, with all that is between them.

    A *word* is a run of letters, digits and underscores, with apostrophes and hyphens between letters (``isn't``) and
    points and commas between digits (``1,000.50``); each ideograph and kana is a word. A *sentence* ends with ``.``,
    ``!``, ``?`` or ``…`` and what closes after it, if whitespace follows; with their full-width kin; and with its
    line.

    Args:
        source: The text, of 64 MiB at most.
        unit: ``"char"``: from any character to any other; ``"word"``: from the beginning of a word to the end of one;
            ``"sentence"``: likewise.

    Raises:
        ArgumentError: ``source`` is not a str, or has no such unit; there is no such unit.
        LimitExceeded: ``source`` is too long.
    """
    check_text(source, "source")
    check_text(unit, "unit")
    title = f"piece of {shorten(repr(source[:60] + source[60:][-40:]))} by {unit}s"
    return Grounded(Language.one_of_text(source, unit), str, title, "text", source=source, unit=unit)
