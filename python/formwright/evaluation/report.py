"""Write the report of an evaluation: one HTML page without external resources.

::

    from formwright.evaluation.verdicts import judge

    rows = [
        {"model": "m", "arm": arm, "question": str(q), "wording": 0, "shots": 0, "seed": 0, "is_right": q % 4 < good}
        for q in range(100)
        for arm, good in (("free", 2), ("schema", 3))
    ]
    write_page(rows, [judge(rows, "m")]).startswith("<!doctype html>")         # True

Warnings come first, in red; then sentences, pictures and tables, the arms and how their answers were read; then the
answers where arms disagree, side by side, and heat maps of those whose traces were kept.

Cost: a second for the pictures, which are matplotlib's, as SVG in the page. The texts of models are untrusted, so all
of them are escaped, and a policy in the head of the page forbids loading anything.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import islice
from typing import Any

from formwright._extras import needs
from formwright.evaluation.arms import ARMS
from formwright.evaluation.reading import RULES
from formwright.evaluation.rows import AnswerRow
from formwright.evaluation.tables import Table, describe_arm, make_tables
from formwright.evaluation.traces import read_trace
from formwright.evaluation.verdicts import Verdict
from formwright.generation.trace.heat_map import fragment

with needs("evaluate", "the report of an evaluation"):
    import matplotlib
    from matplotlib.figure import Figure

__all__ = ["MAX_SHOWN", "write_page", "write_svg"]

MAX_SHOWN = 50
"""The most questions to show where arms disagree."""

_MAX_HEAT_MAPS = 12

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1b1b1b; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: .3rem 0 1.5rem; }
th, td { text-align: right; padding: .2rem .8rem; border-bottom: 1px solid #ddd; vertical-align: top; }
th:first-child, td:first-child { text-align: left; }
.warning { background: #b00020; color: #fff; padding: .4rem .8rem; border-radius: 4px; margin: .4rem 0; }
.said { font-size: 1.1rem; }
.answers { display: flex; flex-wrap: wrap; gap: .6rem; }
.answers div { flex: 1 1 16rem; border: 1px solid #ccc; border-radius: 4px; padding: .4rem; min-width: 0; }
.answers div, summary, li { overflow-wrap: anywhere; }
.answers .right { border-color: #1b7f3b; } .answers .wrong { border-color: #b00020; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 13px; margin: .2rem 0; }
svg { max-width: 100%; height: auto; }
"""


def write_page(rows: Sequence[AnswerRow], models: Iterable[Verdict]) -> str:
    """Write the page.

    Args:
        rows: The answers.
        models: The verdict on each model.
    """
    policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
    body = "".join(_write_model([row for row in rows if row["model"] == each.model], each) for each in models)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><title>Does structure help?</title>'
        f"<style>{_STYLE}</style></head><body><h1>Does structure help? {escape(_list_tasks(rows))}</h1>"
        f"{body}</body></html>\n"
    )


def _list_tasks(rows: Sequence[AnswerRow]) -> str:
    return ", ".join(sorted({str(row["task"]) for row in rows if "task" in row}))


def _write_model(rows: Sequence[AnswerRow], verdict: Verdict) -> str:
    wordings = f"wordings {', '.join(map(str, verdict.wordings))}; {len(rows):,} answers"
    parts = [
        f"<h2>{escape(verdict.model)}</h2><p>{wordings}</p>",
        *(f'<p class="warning">{escape(said)}</p>' for said in verdict.warnings),
        *(f'<p class="said">{escape(said)}</p>' for said in verdict.sentences),
        "<p>Intervals are of 95 %, each for itself; p is corrected for all pairs (Holm). A difference is "
        "significant where both agree. <i>Needed</i> are the questions that would show a difference as large as the "
        "one found, in 80 of 100 evaluations.</p>",
        _write_pictures(verdict),
        *map(_write_table, make_tables(verdict)),
        _write_arms(rows, verdict),
        _write_disagreements(rows),
        _write_heat_maps(rows),
    ]
    return "".join(parts)


def _write_table(table: Table) -> str:
    title, header, rows = table
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<h3>{escape(title)}</h3><table><tr>{head}</tr>{body}</table>"


def _write_arms(rows: Sequence[AnswerRow], verdict: Verdict) -> str:
    """Write what each arm is, how its answers are read, and one of its prompts."""
    parts = []
    for arm in verdict.estimates:
        row = next((row for row in rows if row["arm"] == arm and "prompt" in row), None)
        prompt = f"<details><summary>a prompt</summary><pre>{escape(row['prompt'])}</pre></details>" if row else ""
        parts.append(f"<li><b>{escape(arm)}</b>: {escape(describe_arm(arm))}{prompt}</li>")
    rules = "".join(f"<li>{escape(kind)}: {escape(rule)}</li>" for kind, rule in RULES.items())
    free = (
        f"<p>Free text is read by the rule of its kind of answer:</p><ul>{rules}</ul>"
        if "free" in verdict.estimates
        else ""
    )
    return f"<h3>The arms</h3><ul>{''.join(parts)}</ul>{free}"


def _write_pictures(verdict: Verdict) -> str:
    """Draw shares, differences, and costs."""
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": verdict.model}):
        return "".join(write_svg(draw(verdict)) for draw in (_draw_shares, _draw_differences, _draw_costs))


def write_svg(figure: Figure) -> str:
    """Write a figure as an SVG element that is the same each time."""
    written = io.StringIO()
    figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    svg = written.getvalue()
    return re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)


def _draw_intervals(points: Sequence[tuple[str, float, float, float]], title: str, mark: float | None = None) -> Figure:
    """Draw points with intervals, one line for each."""
    figure = Figure(figsize=(8, 0.9 + 0.4 * len(points)), layout="constrained")
    axes = figure.subplots()
    for line, (_, middle, low, high) in enumerate(reversed(points)):
        axes.plot([100 * low, 100 * high], [line, line], color="#4466aa", linewidth=2)
        axes.plot([100 * middle], [line], "o", color="#223355")
    axes.set_yticks(range(len(points)), [name for name, *_ in reversed(points)])
    axes.set_xlabel(title)
    axes.set_ylim(-0.6, len(points) - 0.4)
    axes.margins(x=0.08)
    if mark is not None:
        axes.axvline(mark, color="#888888", linewidth=1)
    return figure


def _draw_shares(verdict: Verdict) -> Figure:
    points = [(arm, each.share, each.low, each.high) for arm, each in verdict.estimates.items()]
    return _draw_intervals(points, "right answers in %, with the 95 % interval")


def _draw_differences(verdict: Verdict) -> Figure:
    points = [(each.arm, each.points, each.low, each.high) for each in verdict.differences]
    return _draw_intervals(points, f"points more than {verdict.baseline}, with the 95 % interval", mark=0)


def _draw_costs(verdict: Verdict) -> Figure:
    figure = Figure(figsize=(8, 3.4), layout="constrained")
    for axes, (name, unit) in zip(figure.subplots(1, 3, sharey=True), _COSTS, strict=True):
        for number, (arm, each) in enumerate(verdict.estimates.items()):
            cost = getattr(verdict.costs[arm], name) * (1000 if name == "seconds" else 1)
            axes.plot([cost], [100 * each.share], "o", color=f"C{number}", label=arm)
        axes.set_xlabel(unit)
        axes.margins(0.15)
    figure.axes[0].set_ylabel("right answers in %")
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside right upper", fontsize=8)
    return figure


_COSTS = (("tokens", "tokens"), ("model_calls", "calls of the model"), ("seconds", "ms"))


def _write_disagreements(rows: Sequence[AnswerRow]) -> str:
    shown = list(islice(_find_disagreements(rows), MAX_SHOWN))
    if not shown:
        return ""
    count = sum(1 for _ in _find_disagreements(rows))
    return f"<h3>Where arms disagree</h3><p>{len(shown)} of {count:,} prompts.</p>" + "".join(
        map(_write_side_by_side, shown)
    )


def _find_disagreements(rows: Sequence[AnswerRow]) -> Iterator[list[AnswerRow]]:
    """Find answers to the same question, asked in the same way, of which only some are right."""
    groups: dict[tuple[Any, ...], list[AnswerRow]] = {}
    for row in rows:
        groups.setdefault((row["question"], row["wording"], row["shots"], row["seed"]), []).append(row)
    yield from (some for some in groups.values() if len({row["is_right"] for row in some}) > 1)


def _write_side_by_side(rows: Sequence[AnswerRow]) -> str:
    first = rows[0]
    answers = "".join(
        f'<div class="{"right" if row["is_right"] else "wrong"}"><b>{escape(row["arm"])}</b> '
        f"{'right' if row['is_right'] else 'wrong'}{'' if row.get('is_readable', True) else ', unreadable'}: "
        f"{escape(_write_answer(row.get('answer')))}<pre>{escape(row.get('text', ''))}</pre></div>"
        for row in sorted(rows, key=lambda row: list(ARMS).index(row["arm"]))
    )
    question = f"{escape(first.get('asked', first['question']))} <i>{escape(_write_answer(first.get('expected')))}</i>"
    return f'<details open><summary>{question}</summary><div class="answers">{answers}</div></details>'


def _write_answer(answer: Any) -> str:
    return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)


def _write_heat_maps(rows: Sequence[AnswerRow]) -> str:
    traced = islice(((row, trace) for row in rows if (trace := read_trace(row)) is not None), _MAX_HEAT_MAPS)
    maps = "".join(f"<h4>{escape(row['arm'])}: {escape(row['asked'])}</h4>{fragment(trace)}" for row, trace in traced)
    return f"<h3>What forms did to the model</h3>{maps}" if maps else ""
