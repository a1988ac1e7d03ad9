"""The picture of a trace: one HTML page that needs nothing else.

::

    html = page(result.trace)

Every token is a box whose colour is the probability that the model itself gave it, from red
(0) to green (1); a line under it says that there was no choice, a frame that the form pushed. The box that is
hovered, clicked or reached by the keyboard shows its numbers. Below: the model's confidence in each
field, and the places where the form pushed.

Cost: one pass over the rows.

The wrinkle: the page holds texts of a model, so all of it is escaped, and a policy in its head forbids
to load anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from formwright.generation.trace.recorder import Row, Trace

__all__ = ["colour", "fragment", "page"]

_STYLE = """
.fw-trace { font: 15px/1.6 system-ui, sans-serif; color: #1b1b1b; max-width: 60rem; }
.fw-trace .tokens { font: 15px/2.1 ui-monospace, Menlo, Consolas, monospace; }
.fw-trace .tokens, .fw-trace td { white-space: pre-wrap; overflow-wrap: anywhere; }
.fw-trace .token { padding: .15em .05em; border-radius: 3px; cursor: pointer; }
.fw-trace .forced { border-bottom: 2px solid #777; }
.fw-trace .pushed { outline: 2px solid #b00020; }
.fw-trace .token:hover, .fw-trace .token:focus, .fw-trace .chosen { box-shadow: 0 0 0 2px #1b1b1b; }
.fw-trace table { border-collapse: collapse; margin: .5rem 0 1rem; }
.fw-trace th, .fw-trace td { text-align: left; padding: .15rem .8rem .15rem 0; vertical-align: top; }
.fw-trace th { color: #555; font-weight: normal; }
.fw-trace td { font-family: ui-monospace, Menlo, Consolas, monospace; }
.fw-trace .details { min-height: 13rem; border-top: 1px solid #ccc; margin-top: 1rem; padding-top: .5rem; }
.fw-trace h2 { font-size: 1rem; margin: 1rem 0 .2rem; }
.fw-trace .scale { display: inline-block; width: 8rem; height: .8em; vertical-align: middle; margin: 0 .4rem; }
"""

_SCRIPT = """
for (const trace of document.querySelectorAll(".fw-trace")) {
  const details = trace.querySelector(".details");
  const show = (token) => {
    for (const other of trace.querySelectorAll(".chosen")) other.classList.remove("chosen");
    token.classList.add("chosen");
    details.replaceChildren(trace.querySelector(`template[data-row="${token.dataset.row}"]`).content.cloneNode(true));
  };
  for (const token of trace.querySelectorAll(".token"))
    for (const event of ["mouseenter", "focus", "click"]) token.addEventListener(event, () => show(token));
}
"""


def page(trace: Trace) -> str:
    """A whole page."""
    policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><title>What the form did</title>'
        f"</head><body>{fragment(trace)}</body></html>\n"
    )


def fragment(trace: Trace) -> str:
    """The part of a page that shows a trace, with its style and script: for notebooks, and for pages with more."""
    parts = [_legend(trace), _tokens(trace.rows), _fields(trace), _pushes(trace), _templates(trace.rows)]
    return f'<div class="fw-trace"><style>{_STYLE}</style>{"".join(parts)}<script>{_SCRIPT}</script></div>'


def colour(probability: float) -> str:
    """A background from red (0) to green (1); small probabilities are spread out."""
    return f"hsl({round(120 * probability ** (1 / 3))} 75% 82%)"


def _legend(trace: Trace) -> str:
    pushed = sum(row.is_pushed for row in trace.rows)
    gradient = ", ".join(colour(step / 8) for step in range(9))
    return (
        f"<p>{len(trace.rows)} tokens, {sum(row.is_forced for row in trace.rows)} of them without a choice, "
        f"{pushed} where the form pushed; all in all the form allowed {trace.allowed_mass:.3g} of what the model "
        "would say.<br>"
        f'The model gives it: 0<span class="scale" style="background: linear-gradient(90deg, {gradient})"></span>1; '
        '<span class="forced">no choice</span>; <span class="pushed">the form pushed</span></p>'
    )


def _tokens(rows: Sequence[Row]) -> str:
    tokens = "".join(_token(number, row) for number, row in enumerate(rows))
    return f'<div class="tokens">{tokens}</div><div class="details"></div>'


def _token(number: int, row: Row) -> str:
    kinds = ["token"] + ["forced"] * row.is_forced + ["pushed"] * row.is_pushed
    said = escape(row.text).replace("\n", "\u21b5\n") if row.token else "&#9209;"
    return (
        f'<span class="{" ".join(kinds)}" tabindex="0" data-row="{number}" '
        f'style="background: {colour(row.probability)}">{said}</span>'
    )


def _templates(rows: Iterable[Row]) -> str:
    return "".join(f'<template data-row="{number}">{_details(row)}</template>' for number, row in enumerate(rows))


def _details(row: Row) -> str:
    return _table(
        [
            ("token", f"{_name_token(row.token, row.text)} ({row.token_id})"),
            ("probability", f"{row.probability:.6f} free, {row.masked_probability:.6f} among the allowed"),
            ("leading token", f"{_name_token(row.leading_token, row.leading_text)} ({row.leading_token_id})"),
            (
                "its probability",
                f"{row.leading_probability:.6f}, {'allowed' if row.leading_allowed else 'not allowed'}",
            ),
            ("allowed", f"{row.allowed_tokens} tokens, mass {row.allowed_mass:.6f}"),
            ("choice", "none: this token only" if row.is_forced else "the sampler's"),
            (
                "time",
                f"model {_ms(row.model_seconds)}, mask {_ms(row.mask_seconds)}, sampler {_ms(row.sampler_seconds)}",
            ),
        ]
    )


def _name_token(token: bytes, text: str) -> str:
    return repr(text) if token else "end of text"


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.3f} ms"


def _fields(trace: Trace) -> str:
    lines = [(entry.pointer or "the value", f"{entry.confidence:.3f}   {entry.text}") for entry in trace.fields]
    return f'<h2>Confidence in each field</h2><div class="fields">{_table(lines)}</div>' if lines else ""


def _pushes(trace: Trace) -> str:
    lines = [(str(number), hint) for number, hint in enumerate(trace.hints(), 1)]
    return f'<h2>Where the form pushed</h2><div class="hints">{_table(lines)}</div>' if lines else ""


def _table(lines: Iterable[tuple[str, str]]) -> str:
    cells = (f"<tr><th>{escape(name)}</th><td>{escape(said)}</td></tr>" for name, said in lines)
    return f"<table>{''.join(cells)}</table>"
