"""Rows of prompts into rows of results: what ``formwright map`` does here, and a stage of Ray on many machines.

::

    mapper = Mapper(model, fw.choice("yes", "no"))
    mapper([{"id": 1, "prompt": "Is 7 prime? Yes or no."}])[0]["status"]      # 'complete'

A row has a ``prompt``, and perhaps a ``schema`` of its own: the text of a JSON Schema, or the object. Its result keeps
the row's other fields, and overwrites those of these names:

==========  ======================================================================
``status``  ``"complete"``, ``"truncated"`` or ``"failed"``
``text``    what was written; ``null`` where the row failed
``value``   what it spells, where the form is JSON
``reason``  why it was cut, where it was
``error``   what went wrong, as ``{"kind": "LanguageError", "message": ...}``
==========  ======================================================================

Cost: one compilation for each schema; the last `_CACHED_FORMS` are kept.

A row that fails is a result too. It is not asked again when a run is resumed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from formwright._lru import Lru
from formwright.errors import ArgumentError, FormwrightError, LimitExceeded
from formwright.forms.coerce import compile, form
from formwright.forms.form import Form
from formwright.forms.json_forms import json_schema
from formwright.generation.result import Complete, Failed, Truncated

__all__ = ["Mapper", "chunks", "failed_row"]

_CACHED_FORMS = 256

_RESULT_FIELDS = frozenset({"prompt", "schema", "status", "text", "value", "reason", "error"})
"""The fields of a row that its result does not have from it."""


class Mapper:
    """Writes a conforming text for each row.

    Args:
        model: A model that runs here, or one behind an API.
        form: The form of rows that have no ``schema``; ``None`` if all have one.
        options: Options of the model's ``generate_many``.

    Raises:
        NotAForm, LanguageError: The form cannot be read or enforced.
    """

    def __init__(self, model: Any, form_: Any = None, **options: Any) -> None:
        self.model, self._options = model, {"progress": False, **options}
        self._form = None if form_ is None else form(form_)
        self._kept = Lru[str | None, Any](_CACHED_FORMS)

    def __call__(self, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The results of some rows, in their order."""
        asked = [self._requested_form(row) for row in rows]
        good = [number for number, each in enumerate(asked) if not isinstance(each, Failed)]
        prompts, forms = [rows[number]["prompt"] for number in good], [asked[number] for number in good]
        written = self.model.generate_many(prompts, forms, **self._options) if good else []
        results = {**dict(enumerate(asked)), **dict(zip(good, written, strict=True))}
        return [_row_of(row, results[number], asked[number]) for number, row in enumerate(rows)]

    def _requested_form(self, row: Mapping[str, Any]) -> Any:
        """The form of a row, compiled where the model runs here; `Failed` if there is none."""
        try:
            if not isinstance(row.get("prompt"), str | list):
                raise ArgumentError("the row has no prompt: expected a text or a list of messages", argument="prompt")
            schema = row.get("schema")
            if schema is not None:
                return self._find_form(schema if isinstance(schema, str) else _schema_text(schema))
            if self._form is None:
                raise ArgumentError("the row has no schema, and there is no form for all rows", argument="schema")
            return self._find_form(None)
        except FormwrightError as error:
            return Failed(error)

    def _find_form(self, schema: str | None) -> Any:
        """The form for a schema, or that of all rows; compiled if the model runs here, and kept."""
        return self._kept.find(schema, lambda: self._make_form(schema))

    def _make_form(self, schema: str | None) -> Any:
        made: Any = self._form if schema is None else json_schema(schema)
        vocabulary = getattr(self.model, "vocabulary", None)
        return made if vocabulary is None else compile(made, vocabulary)


def _schema_text(schema: Any) -> str:
    """A schema as text. Raises LimitExceeded where it is nested too deeply."""
    try:
        return json.dumps(schema)
    except RecursionError:
        raise LimitExceeded("the schema is nested too deeply to be read", limit="depth") from None


def _row_of(row: Mapping[str, Any], result: Any, asked: Any) -> dict[str, Any]:
    """A result as a row."""
    told = {name: value for name, value in row.items() if name not in _RESULT_FIELDS}
    match result:
        case Complete(text=text):
            of: Form[Any] = getattr(asked, "form", asked)
            try:
                value = {"value": json.loads(text)} if of.language.is_json else {}
            except RecursionError:
                return failed_row(row, LimitExceeded("the value is nested too deeply to be read", limit="depth"))
            return {**told, "status": "complete", "text": text, **value}
        case Truncated(text=text, reason=reason):
            return {**told, "status": "truncated", "text": text, "reason": reason}
    return {**told, **failed_row({}, result.error)}


def failed_row(row: Mapping[str, Any], error: Exception) -> dict[str, Any]:
    """The result of a row of which nothing but its id can be told, and why."""
    told = {"id": row["id"]} if "id" in row else {}
    return {**told, "status": "failed", "text": None, "error": {"kind": type(error).__name__, "message": str(error)}}


def chunks(rows: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """Rows in lists of this size, the last one smaller."""
    rest = iter(rows)
    while some := list(islice(rest, size)):
        yield some
