"""Make the tables of a report, also as Markdown: shares, differences, costs, sources of the variance.

::

    from formwright.evaluation.verdicts import judge

    rows = [
        {"model": "m", "arm": arm, "question": str(q), "wording": 0, "shots": 0, "seed": 0, "is_right": q % 4 < good}
        for q in range(100)
        for arm, good in (("free", 2), ("schema", 3))
    ]
    print(write_markdown([judge(rows, "m")]))

Cost: none besides the statistics. A column of unknown values (the calls of a remote model) is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from formwright.evaluation.arms import ARMS
from formwright.evaluation.statistics import Estimate
from formwright.evaluation.verdicts import Verdict

__all__ = ["Table", "make_tables", "write_markdown"]

Table = tuple[str, list[str], list[list[str]]]
"""A title, the names of the columns, and the rows."""


def make_tables(verdict: Verdict) -> list[Table]:
    """Make the tables of a model."""
    return [
        each
        for each in (
            _make_share_table(verdict),
            _make_difference_table(verdict),
            _make_field_table(verdict),
            _make_variance_table(verdict),
        )
        if each[2]
    ]


def write_markdown(models: Iterable[Verdict]) -> str:
    """Write warnings, sentences and tables of some models as Markdown."""
    parts = []
    for verdict in models:
        parts.append(f"## {verdict.model}")
        parts.append("\n".join(f"**Warning.** {said}\n" for said in verdict.warnings).rstrip("\n"))
        parts.append("\n".join(f"* {said}" for said in verdict.sentences))
        parts += [_write_table(header, rows) for _, header, rows in make_tables(verdict)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _write_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    aligned = ["---", *("---:" for _ in header[1:])]
    return "\n".join(f"| {' | '.join(each)} |" for each in (header, aligned, *rows))


def format_percent(share: float) -> str:
    """Format a share in hundredths."""
    return f"{100 * share:.1f} %"


def _format_interval(estimate: Estimate) -> str:
    return f"{100 * estimate.low:.1f} to {100 * estimate.high:.1f}"


def _make_share_table(verdict: Verdict) -> Table:
    costs = verdict.costs
    has_calls = any(cost.model_calls for cost in costs.values())
    header = ["arm", "right", "95 % interval", "unreadable", "tokens"]
    header += ["calls", "forced"] * has_calls + ["ms"] + ["allowed mass"] * bool(verdict.masses)
    rows = []
    for arm, estimate in verdict.estimates.items():
        cost = costs[arm]
        row = [
            arm,
            format_percent(estimate.share),
            _format_interval(estimate),
            format_percent(verdict.unreadable[arm]),
            f"{cost.tokens:.1f}",
        ]
        row += [f"{cost.model_calls:.1f}", f"{cost.forced_tokens:.1f}"] * has_calls + [f"{1000 * cost.seconds:.1f}"]
        rows.append(row + [f"{verdict.masses.get(arm, 1.0):.3f}"] * bool(verdict.masses))
    return "Right answers, and what they cost", header, rows


def _make_difference_table(verdict: Verdict) -> Table:
    header = [f"against {verdict.baseline}", "points", "95 % interval", "p (Holm)", "questions", "needed"]
    rows = [
        [
            each.arm if each.other == verdict.baseline else f"{each.arm}, against {each.other}",
            f"{100 * each.points:+.1f}",
            f"{100 * each.low:+.1f} to {100 * each.high:+.1f}",
            "< 0.001" if each.p < 0.001 else f"{each.p:.3f}",
            f"{each.questions:,}",
            "" if each.needed is None else f"{each.needed:,}",
        ]
        for each in verdict.differences
    ]
    return "Differences, question by question", header, rows


def _make_field_table(verdict: Verdict) -> Table:
    names = next((list(fields) for fields in verdict.fields.values() if fields), [])
    rows = [
        [arm, *(format_percent(fields.get(name, 0.0)) for name in names)]
        for arm, fields in verdict.fields.items()
        if names
    ]
    return "Right values of each field", ["arm", *names], rows


def _make_variance_table(verdict: Verdict) -> Table:
    header = ["arm", "question", "wording", "examples", "seed", "rest"]
    names = ("question", "wording", "shots", "seed", "rest")
    rows = [[arm, *(format_percent(shares[name]) for name in names)] for arm, shares in verdict.splits.items()]
    rows = [row for row, shares in zip(rows, verdict.splits.values(), strict=True) if any(shares.values())]
    return "Where the variance lies", header, rows


def describe_arm(arm: str) -> str:
    """Describe an arm in a few words."""
    return _DESCRIPTIONS[arm] if arm in ARMS else arm


_DESCRIPTIONS = {
    "free": "free text, the answer read by a rule",
    "instructions": "the prompt asks for JSON; nothing is enforced, the JSON is found by rule",
    "json": "some JSON object is enforced, the answer is found in it",
    "schema": "the schema is enforced: reasoning, then answer",
    "answer_only": "the schema is enforced, without a place for reasoning",
    "fair": "as answer_only, drawn from the model's own distribution over the conforming answers",
    "thinking": "free thought between markers, then the schema of the answer is enforced",
    "canonical": "as schema, and only tokens that the tokenizer itself writes",
    "order_model": "as schema, and the model orders the fields",
    "yaml": "as schema, written in YAML",
    "toon": "as schema, written in TOON",
}
