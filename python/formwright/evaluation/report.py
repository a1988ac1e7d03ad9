"""The report of an evaluation: one HTML page that needs nothing else.

::

    from formwright.evaluation.verdicts import judge

    rows = [
        {"model": "m", "arm": arm, "question": str(q), "wording": 0, "shots": 0, "seed": 0, "is_right": q % 4 < good}
        for q in range(100)
        for arm, good in (("free", 2), ("schema", 3))
    ]
    page(rows, [judge(rows, "m")]).startswith("<!doctype html>")         # True

Warnings first, in red; then what may be said, pictures and tables, what each arm was and how its answers were read; and
answers themselves: where arms disagree, side by side, and heat maps of those whose traces were kept.

Cost: a second for the pictures, which are matplotlib's, as SVG in the page. The wrinkle: texts of models are texts of
strangers, so all of them are escaped, and a policy in the page's head forbids to load anything.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import islice
from typing import Any

from formwright._extras import needs
from formwright.evaluation.arms import ARMS
from formwright.evaluation.reading import RULES
from formwright.evaluation.tables import Table, describe_arm, tables
from formwright.evaluation.traces import trace_of
from formwright.evaluation.verdicts import Judged
from formwright.generation.trace.heat_map import fragment

with needs("evaluate", "the report of an evaluation"):
    import matplotlib
    from matplotlib.figure import Figure

__all__ = ["SHOWN", "page"]

SHOWN = 50
"""Questions that are shown where arms disagree."""

_HEAT_MAPS = 12

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


def page(rows: Sequence[Mapping[str, Any]], models: Iterable[Judged]) -> str:
    """The page.

    Args:
        rows: The answers.
        models: What they say.
    """
    policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
    body = "".join(_model([row for row in rows if row["model"] == judged.model], judged) for judged in models)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><title>Does structure help?</title>'
        f"<style>{_STYLE}</style></head><body><h1>Does structure help? {escape(_task(rows))}</h1>{body}</body></html>\n"
    )


def _task(rows: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(sorted({str(row["task"]) for row in rows if "task" in row}))


def _model(rows: Sequence[Mapping[str, Any]], judged: Judged) -> str:
    wordings = f"wordings {', '.join(map(str, judged.wordings))}; {len(rows):,} answers"
    parts = [
        f"<h2>{escape(judged.model)}</h2><p>{wordings}</p>",
        *(f'<p class="warning">{escape(said)}</p>' for said in judged.warnings),
        *(f'<p class="said">{escape(said)}</p>' for said in judged.sentences),
        "<p>Intervals are of 95 %, each for itself; p is corrected for all pairs (Holm). A difference is called where "
        "both agree. <i>Needed</i> are the questions that would show a difference as large as the one found, in 80 "
        "of 100 evaluations.</p>",
        _pictures(judged),
        *map(_table, tables(judged)),
        _arms(rows, judged),
        _disagreements(rows),
        _heat_maps(rows),
    ]
    return "".join(parts)


def _table(table: Table) -> str:
    title, header, rows = table
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<h3>{escape(title)}</h3><table><tr>{head}</tr>{body}</table>"


def _arms(rows: Sequence[Mapping[str, Any]], judged: Judged) -> str:
    """What each arm is, how it is read, and what its prompt looks like."""
    parts = []
    for arm in judged.estimates:
        row = next((row for row in rows if row["arm"] == arm and "prompt" in row), None)
        prompt = f"<details><summary>a prompt</summary><pre>{escape(row['prompt'])}</pre></details>" if row else ""
        parts.append(f"<li><b>{escape(arm)}</b>: {escape(describe_arm(arm))}{prompt}</li>")
    rules = "".join(f"<li>{escape(kind)}: {escape(rule)}</li>" for kind, rule in RULES.items())
    free = (
        f"<p>Free text is read by the rule of its kind of answer:</p><ul>{rules}</ul>"
        if "free" in judged.estimates
        else ""
    )
    return f"<h3>The arms</h3><ul>{''.join(parts)}</ul>{free}"


def _pictures(judged: Judged) -> str:
    """Shares, differences, and what they cost."""
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": judged.model}):
        return "".join(_svg(draw(judged)) for draw in (_drawn_shares, _drawn_differences, _drawn_costs))


def _svg(figure: Figure) -> str:
    written = io.StringIO()
    figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    svg = written.getvalue()
    return re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)


def _dots(points: Sequence[tuple[str, float, float, float]], title: str, at: float | None = None) -> Figure:
    """Points with intervals, one line for each."""
    figure = Figure(figsize=(8, 0.9 + 0.4 * len(points)), layout="constrained")
    axes = figure.subplots()
    for line, (_, middle, low, high) in enumerate(reversed(points)):
        axes.plot([100 * low, 100 * high], [line, line], color="#4466aa", linewidth=2)
        axes.plot([100 * middle], [line], "o", color="#223355")
    axes.set_yticks(range(len(points)), [name for name, *_ in reversed(points)])
    axes.set_xlabel(title)
    axes.set_ylim(-0.6, len(points) - 0.4)
    axes.margins(x=0.08)
    if at is not None:
        axes.axvline(at, color="#888888", linewidth=1)
    return figure


def _drawn_shares(judged: Judged) -> Figure:
    points = [(arm, each.share, each.low, each.high) for arm, each in judged.estimates.items()]
    return _dots(points, "right answers in %, with the 95 % interval")


def _drawn_differences(judged: Judged) -> Figure:
    points = [(each.arm, each.points, each.low, each.high) for each in judged.differences]
    return _dots(points, f"points more than {judged.baseline}, with the 95 % interval", at=0)


def _drawn_costs(judged: Judged) -> Figure:
    figure = Figure(figsize=(8, 3.4), layout="constrained")
    for axes, (name, unit) in zip(figure.subplots(1, 3, sharey=True), _COSTS, strict=True):
        for number, (arm, each) in enumerate(judged.estimates.items()):
            cost = getattr(judged.costs[arm], name) * (1000 if name == "seconds" else 1)
            axes.plot([cost], [100 * each.share], "o", color=f"C{number}", label=arm)
        axes.set_xlabel(unit)
        axes.margins(0.15)
    figure.axes[0].set_ylabel("right answers in %")
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside right upper", fontsize=8)
    return figure


_COSTS = (("tokens", "tokens"), ("model_calls", "calls of the model"), ("seconds", "ms"))


def _disagreements(rows: Sequence[Mapping[str, Any]]) -> str:
    shown = list(islice(_disagreeing(rows), SHOWN))
    if not shown:
        return ""
    count = sum(1 for _ in _disagreeing(rows))
    return f"<h3>Where arms disagree</h3><p>{len(shown)} of {count:,} prompts.</p>" + "".join(map(_side_by_side, shown))


def _disagreeing(rows: Sequence[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    """Answers to the same question, asked in the same way, of which some are right."""
    asked: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        asked.setdefault((row["question"], row["wording"], row["shots"], row["seed"]), []).append(row)
    yield from (some for some in asked.values() if len({row["is_right"] for row in some}) > 1)


def _side_by_side(rows: Sequence[Mapping[str, Any]]) -> str:
    first = rows[0]
    answers = "".join(
        f'<div class="{"right" if row["is_right"] else "wrong"}"><b>{escape(row["arm"])}</b> '
        f"{'right' if row['is_right'] else 'wrong'}{'' if row.get('is_readable', True) else ', unreadable'}: "
        f"{escape(_text_of_answer(row.get('answer')))}<pre>{escape(row.get('text', ''))}</pre></div>"
        for row in sorted(rows, key=lambda row: list(ARMS).index(row["arm"]))
    )
    question = (
        f"{escape(first.get('asked', first['question']))} <i>{escape(_text_of_answer(first.get('expected')))}</i>"
    )
    return f'<details open><summary>{question}</summary><div class="answers">{answers}</div></details>'


def _text_of_answer(answer: Any) -> str:
    return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)


def _heat_maps(rows: Sequence[Mapping[str, Any]]) -> str:
    traced = islice(((row, trace) for row in rows if (trace := trace_of(row)) is not None), _HEAT_MAPS)
    maps = "".join(f"<h4>{escape(row['arm'])}: {escape(row['asked'])}</h4>{fragment(trace)}" for row, trace in traced)
    return f"<h3>What forms did to the model</h3>{maps}" if maps else ""
