"""Traces in rows: what they say of every answer, and whole ones of a few, for heat maps.

::

    trace = model.generate("Is 7 prime?", fw.choice("yes", "no"), trace=True).trace
    row = summarize_trace(trace, kept=True)
    row["allowed_mass"] < 1              # True
    trace_of(row).text == trace.text     # True

Cost: some kilobytes for each token of a trace that is kept. The wrinkle: tokens are bytes, so they stand as hexadecimal
digits in a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from formwright.generation.trace.recorder import Row, Trace

__all__ = ["summarize_trace", "trace_of"]

_BYTES = ("token", "leading_token")


def summarize_trace(trace: Trace | None, *, kept: bool) -> dict[str, Any]:
    """What a row has of a trace: the probability that the form allowed, on the average, and perhaps all of it."""
    if trace is None:
        return {}
    rows = trace.rows
    mass = {"allowed_mass": sum(row.allowed_mass for row in rows) / len(rows) if rows else 1.0}
    if not kept:
        return mass
    lines = [{**asdict(row), **{name: getattr(row, name).hex() for name in _BYTES}} for row in rows]
    return {**mass, "trace": {"rows": lines, "text": trace.text, "is_json": trace.is_json}}


def trace_of(row: Mapping[str, Any]) -> Trace | None:
    """The trace that a row keeps, if it does."""
    kept = row.get("trace")
    if kept is None:
        return None
    lines = ({**line, **{name: bytes.fromhex(line[name]) for name in _BYTES}, "likeliest": ()} for line in kept["rows"])
    return Trace(tuple(Row(**line) for line in lines), kept["text"], kept["is_json"])
