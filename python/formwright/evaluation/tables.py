"""The tables of a report, as Markdown: shares, differences, costs, where the variance lies.

::

    from formwright.evaluation.verdicts import judge

    rows = [
        {"model": "m", "arm": arm, "question": str(q), "wording": 0, "shots": 0, "seed": 0, "is_right": q % 4 < good}
        for q in range(100)
        for arm, good in (("free", 2), ("schema", 3))
    ]
    print(markdown([judge(rows, "m")]))

Cost: none beside the statistics. The wrinkle: what is not known (calls of a model behind an API) is 0 in every row, and
its column is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from formwright.evaluation.arms import ARMS
from formwright.evaluation.statistics import Estimate
from formwright.evaluation.verdicts import Judged

__all__ = ["Table", "markdown", "tables"]

Table = tuple[str, list[str], list[list[str]]]
"""A title, the names of the columns, and the rows."""


def tables(judged: Judged) -> list[Table]:
    """The tables of a model."""
    return [each for each in (_shares(judged), _differences(judged), _fields(judged), _splits(judged)) if each[2]]


def markdown(models: Iterable[Judged]) -> str:
    """Warnings, sentences and tables of some models."""
    parts = []
    for judged in models:
        parts.append(f"## {judged.model}")
        parts.append("\n".join(f"**Warning.** {said}\n" for said in judged.warnings).rstrip("\n"))
        parts.append("\n".join(f"* {said}" for said in judged.sentences))
        parts += [_table(header, rows) for _, header, rows in tables(judged)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    aligned = ["---", *("---:" for _ in header[1:])]
    return "\n".join(f"| {' | '.join(each)} |" for each in (header, aligned, *rows))


def percent(share: float) -> str:
    """A share in hundredths."""
    return f"{100 * share:.1f} %"


def _span(estimate: Estimate) -> str:
    return f"{100 * estimate.low:.1f} to {100 * estimate.high:.1f}"


def _shares(judged: Judged) -> Table:
    costs = judged.costs
    has_calls = any(cost.model_calls for cost in costs.values())
    header = ["arm", "right", "95 % interval", "unreadable", "tokens"]
    header += ["calls", "forced"] * has_calls + ["ms"] + ["allowed mass"] * bool(judged.masses)
    rows = []
    for arm, estimate in judged.estimates.items():
        cost = costs[arm]
        row = [arm, percent(estimate.share), _span(estimate), percent(judged.unreadable[arm]), f"{cost.tokens:.1f}"]
        row += [f"{cost.model_calls:.1f}", f"{cost.forced_tokens:.1f}"] * has_calls + [f"{1000 * cost.seconds:.1f}"]
        rows.append(row + [f"{judged.masses.get(arm, 1.0):.3f}"] * bool(judged.masses))
    return "Right answers, and what they cost", header, rows


def _differences(judged: Judged) -> Table:
    header = [f"against {judged.baseline}", "points", "95 % interval", "p (Holm)", "questions", "needed"]
    rows = [
        [
            each.arm,
            f"{100 * each.points:+.1f}",
            f"{100 * each.low:+.1f} to {100 * each.high:+.1f}",
            "< 0.001" if each.p < 0.001 else f"{each.p:.3f}",
            f"{each.questions:,}",
            "" if each.needed is None else f"{each.needed:,}",
        ]
        for each in judged.differences
    ]
    return "Differences, question by question", header, rows


def _fields(judged: Judged) -> Table:
    names = next((list(fields) for fields in judged.fields.values() if fields), [])
    rows = [
        [arm, *(percent(fields.get(name, 0.0)) for name in names)] for arm, fields in judged.fields.items() if names
    ]
    return "Right values of each field", ["arm", *names], rows


def _splits(judged: Judged) -> Table:
    header = ["arm", "question", "wording", "examples", "seed", "rest"]
    names = ("question", "wording", "shots", "seed", "rest")
    rows = [[arm, *(percent(shares[name]) for name in names)] for arm, shares in judged.splits.items()]
    rows = [row for row, shares in zip(rows, judged.splits.values(), strict=True) if any(shares.values())]
    return "Where the variance lies", header, rows


def describe_arm(arm: str) -> str:
    """What an arm is, in a few words."""
    return _TOLD[arm] if arm in ARMS else arm


_TOLD = {
    "free": "free text, the answer read by a rule",
    "instructions": "the prompt asks for JSON; nothing is enforced, the JSON is found by rule",
    "json": "some JSON object is enforced, the answer is found in it",
    "schema": "the schema is enforced: reasoning, then answer",
    "answer_only": "the schema is enforced, without a place for reasoning",
    "thinking": "free thought between markers, then the schema of the answer is enforced",
    "canonical": "as schema, and only tokens that the tokenizer itself writes",
    "order_model": "as schema, and the model orders the fields",
}
