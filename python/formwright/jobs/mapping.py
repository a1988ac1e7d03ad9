"""Map rows of prompts to rows of results, for ``formwright map`` and for a stage of Ray.

::

    mapper = Mapper(model, fw.choice("yes", "no"))
    mapper([{"id": 1, "prompt": "Is 7 prime? Yes or no."}])[0]["status"]      # 'complete'

A row has a ``prompt``, and perhaps a ``schema`` of its own: the text of a JSON Schema, or the object. Its result keeps
the row's other fields, and sets these:

==========  ======================================================================
``status``  ``"complete"``, ``"truncated"`` or ``"failed"``
``text``    what was written; ``null`` if the row failed
``value``   the value of the text, if the form is JSON
``reason``  why it was truncated, if it was
``error``   what went wrong, as ``{"kind": "LanguageError", "message": ...}``
==========  ======================================================================

Cost: one compilation for each schema; the most recent `_MAX_FORMS` are kept.

A row that fails has a result too, so a resumed run does not try it again.
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

__all__ = ["Mapper", "make_failed_row", "split_chunks"]

_MAX_FORMS = 256

_RESULT_FIELDS = frozenset({"prompt", "schema", "status", "text", "value", "reason", "error"})
"""The fields that a result does not copy from its row."""


class Mapper:
    """Writes a conforming text for each row.

    Args:
        model: A local or a remote model.
        form: The form of rows that have no ``schema``; ``None`` if all have one.
        options: Options of the model's ``generate_many``.

    Raises:
        NotAForm, LanguageError: The form cannot be read or enforced.
    """

    def __init__(self, model: Any, form_: Any = None, **options: Any) -> None:
        self.model, self._options = model, {"progress": False, **options}
        self._form = None if form_ is None else form(form_)
        self._kept = Lru[str | None, Any](_MAX_FORMS)

    def __call__(self, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Write the results of some rows, in their order."""
        forms = [self._find_row_form(row) for row in rows]
        valid = [number for number, form_ in enumerate(forms) if not isinstance(form_, Failed)]
        prompts = [rows[number]["prompt"] for number in valid]
        texts = self.model.generate_many(prompts, [forms[number] for number in valid], **self._options) if valid else []
        results = {**dict(enumerate(forms)), **dict(zip(valid, texts, strict=True))}
        return [_make_row(row, results[number], forms[number]) for number, row in enumerate(rows)]

    def _find_row_form(self, row: Mapping[str, Any]) -> Any:
        """Find the form of a row, compiled if the model runs here; `Failed` if the row or its schema is wrong."""
        try:
            if not isinstance(row.get("prompt"), str | list):
                raise ArgumentError("the row has no prompt: expected a text or a list of messages", argument="prompt")
            schema = row.get("schema")
            if schema is not None:
                return self._find_form(schema if isinstance(schema, str) else _write_schema(schema))
            if self._form is None:
                raise ArgumentError("the row has no schema, and there is no form for all rows", argument="schema")
            return self._find_form(None)
        except FormwrightError as error:
            return Failed(error)

    def _find_form(self, schema: str | None) -> Any:
        """Return the form for a schema, or that of all rows; it is kept for the next row."""
        return self._kept.find(schema, lambda: self._make_form(schema))

    def _make_form(self, schema: str | None) -> Any:
        plain: Any = self._form if schema is None else json_schema(schema)
        vocabulary = getattr(self.model, "vocabulary", None)
        return plain if vocabulary is None else compile(plain, vocabulary)


def _write_schema(schema: Any) -> str:
    """Write a schema as text. Raises LimitExceeded if it is nested too deeply."""
    try:
        return json.dumps(schema)
    except RecursionError:
        raise LimitExceeded("the schema is nested too deeply to be read", limit="depth") from None


def _make_row(row: Mapping[str, Any], result: Any, form_: Any) -> dict[str, Any]:
    """Make the row of a result."""
    copied = {name: value for name, value in row.items() if name not in _RESULT_FIELDS}
    match result:
        case Complete(text=text):
            plain: Form[Any] = getattr(form_, "form", form_)
            try:
                value = {"value": json.loads(text)} if plain.language.is_json else {}
            except RecursionError:
                return make_failed_row(row, LimitExceeded("the value is nested too deeply to be read", limit="depth"))
            return {**copied, "status": "complete", "text": text, **value}
        case Truncated(text=text, reason=reason):
            return {**copied, "status": "truncated", "text": text, "reason": reason}
    return {**copied, **make_failed_row({}, result.error)}


def make_failed_row(row: Mapping[str, Any], error: Exception) -> dict[str, Any]:
    """Make the result of a row that failed: its id and the error."""
    row_id = {"id": row["id"]} if "id" in row else {}
    shown = {"kind": type(error).__name__, "message": str(error)}
    return {**row_id, "status": "failed", "text": None, "error": shown}


def split_chunks(rows: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """Split rows into lists of this size; the last one may be smaller."""
    rest = iter(rows)
    while some := list(islice(rest, size)):
        yield some
