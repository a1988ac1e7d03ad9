"""Keep traces in rows: a summary for every answer, and complete traces of a few, for heat maps.

::

    trace = model.generate("Is 7 prime?", fw.choice("yes", "no"), trace=True).trace
    row = summarize_trace(trace, kept=True)
    row["allowed_mass"] < 1              # True
    read_trace(row).text == trace.text     # True

Cost: some kilobytes for each token of a trace that is kept. Tokens are bytes, so a row has
them as hexadecimal digits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from formwright.evaluation.rows import TraceSummary
from formwright.generation.trace.recorder import Row, Trace

__all__ = ["read_trace", "summarize_trace"]

_BYTES = ("token", "leading_token")


def summarize_trace(trace: Trace | None, *, kept: bool) -> TraceSummary:
    """Summarize a trace for its row: the mean probability that the form allowed, and all of the trace if it is kept."""
    if trace is None:
        return {}
    rows = trace.rows
    mass: TraceSummary = {"allowed_mass": sum(row.allowed_mass for row in rows) / len(rows) if rows else 1.0}
    if not kept:
        return mass
    lines = [{**asdict(row), **{name: getattr(row, name).hex() for name in _BYTES}} for row in rows]
    return {**mass, "trace": {"rows": lines, "text": trace.text, "is_json": trace.is_json}}


def read_trace(row: Mapping[str, Any]) -> Trace | None:
    """Read the trace that a row keeps; ``None`` if it keeps none."""
    kept = row.get("trace")
    if kept is None:
        return None
    lines = ({**line, **{name: bytes.fromhex(line[name]) for name in _BYTES}, "likeliest": ()} for line in kept["rows"])
    return Trace(tuple(Row(**line) for line in lines), kept["text"], kept["is_json"])
