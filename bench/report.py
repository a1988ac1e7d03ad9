"""Tables and plots of ``build/bench/results.jsonl``, into ``build/bench/report/``.

A cell is the minimum over rounds, with the median over rounds in brackets. ``rejects`` marks an engine that rejected a
text of the language, ``accepts`` one that allowed a text outside it: its time is shown and does not count. The best
right answer is bold.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import plots
from results import Outcome, Outcomes, Pick, Results, Times, read

OURS = "formwright"
POINTS = {"p25": 25, "p50": 50, "p90": 90, "p99": 99, "p99.9": 99.9, "p100": 100}
METRICS: dict[str, Callable[[Outcome, Pick], float]] = {
    "Source text to first mask": lambda outcome, pick: outcome.compile(pick),
    "Mask, average": lambda outcome, pick: float(outcome.times("mask", pick).mean()),
    "Mask, longest": lambda outcome, pick: float(outcome.times("mask", pick).max()),
    "Compile and the masks of one text": lambda outcome, pick: (
        outcome.compile(pick) + float(outcome.texts("mask", pick)[0].sum())
    ),
    "Accept a token, average": lambda outcome, pick: float(outcome.times("accept", pick).mean()),
}


def duration(micros: float) -> str:
    """A time with three digits and its unit."""
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if micros >= size:
            return f"{micros / size:.3g} {unit}"
    return f"{micros:.3g} µs"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    head = list(head)
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *(list(row) for row in rows)]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"


def cell(outcome: Outcome | None, metric: Callable[[Outcome, Pick], float], best: float) -> str:
    """One engine on one case."""
    if outcome is None:
        return "not run"
    if outcome.status != "ok":
        return outcome.status
    least, middle = metric(outcome, np.min), metric(outcome, np.median)
    text = f"{duration(least)} ({duration(middle)})"
    marks = [mark for mark, set_ in (("rejects", outcome.rejects_valid), ("accepts", outcome.accepts_invalid)) if set_]
    return f"{text} {', '.join(marks)}" if marks else f"**{text}**" if least == best else text


def rows_of(outcomes: Outcomes) -> list[str]:
    """The names of all cases, in order."""
    return list(dict.fromkeys(name for cases in outcomes.values() for name in cases))


def right(outcomes: Outcomes, name: str) -> dict[str, Outcome]:
    """The engines that answered a case as expected."""
    return {engine: cases[name] for engine, cases in outcomes.items() if name in cases and cases[name].is_right}


def by_case(outcomes: Outcomes) -> Iterator[str]:
    """A table for each metric: cases down, engines across."""
    for title, metric in METRICS.items():
        rows = []
        for name in rows_of(outcomes):
            best = min((metric(outcome, np.min) for outcome in right(outcomes, name).values()), default=0)
            rows.append([name, *(cell(cases.get(name), metric, best) for cases in outcomes.values())])
        yield f"#### {title}\n\n" + table(["", *outcomes], rows)
    yield "#### Where formwright is not the first\n\n" + behind(outcomes)


def behind(outcomes: Outcomes) -> str:
    """Every figure at which another engine with the right answers is ahead."""
    rows = []
    for title, metric in METRICS.items():
        for name in rows_of(outcomes):
            figures = {engine: metric(outcome, np.min) for engine, outcome in right(outcomes, name).items()}
            first = min(figures, key=figures.__getitem__, default=OURS)
            if first != OURS:
                ours = duration(figures[OURS]) if OURS in figures else outcomes[OURS][name].status
                rows.append([title, name, ours, f"{first} {duration(figures[first])}"])
    return table(["", "case", OURS, "first"], rows) if rows else "Nowhere in this table.\n"


def answers(outcomes: Outcomes) -> str:
    """What became of the cases."""
    kinds = ("ok", "refused", "failed", "timeout", "died")
    rows = []
    for engine, cases in outcomes.items():
        values = list(cases.values())
        counts = [sum(outcome.status == kind for outcome in values) for kind in kinds]
        wrong = sum(outcome.rejects_valid for outcome in values), sum(outcome.accepts_invalid for outcome in values)
        rows.append([engine, *map(str, (len(values), *counts, *wrong))])
    return table(["cases", "run", *kinds, "rejects a valid text", "accepts an invalid one"], rows)


def pairs(outcomes: Outcomes) -> Iterator[str]:
    """Formwright against each other engine, on the cases both answered as expected."""
    for peer in outcomes:
        shared = [name for name in outcomes[OURS] if {OURS, peer} <= right(outcomes, name).keys()]
        if peer == OURS or not shared:
            continue
        rows = []
        for what in ("compile", "mask", "accept"):
            times = {
                engine: np.concatenate([outcomes[engine][name].times(what, np.min) for name in shared])
                for engine in (OURS, peer)
            }
            points = {engine: percentiles(values) for engine, values in times.items()}
            ratio = points[peer] / points[OURS]
            rows += [[f"{what}, {engine}", *map(duration, values)] for engine, values in points.items()]
            rows.append([f"{what}, ratio ({times[OURS].size})", *(f"{value:.3g}" for value in ratio)])
        yield f"#### Against {peer}: {len(shared)} schemas\n\n" + table(["", "avg", *POINTS], rows)


def percentiles(times: Times) -> Times:
    """The average, then the points."""
    return np.array([times.mean(), *np.percentile(times, list(POINTS.values()))])


def heading(results: Results) -> str:
    """The machine and the versions; start-up."""
    machine = results.machines[-1]
    versions = ", ".join(f"{name} {number}" for name, number in sorted(machine["versions"].items()))
    rows = [[name, engine, f"{min(values):.0f} ms"] for (name, engine), values in results.ready.items()]
    return (
        f"# Results\n\n{machine['cpu']}, {machine['cores']} cores, one used; {machine['system']}; "
        f"Python {machine['python']}; {machine['when']}; load {machine['load']:.1f}.\n\n{versions}.\n\n"
        f"Start-up, once for a vocabulary, imports not counted:\n\n" + table(["vocabulary", "engine", "least"], rows)
    )


def sections(results: Results) -> Iterator[str]:
    """The report."""
    yield heading(results)
    for (vocabulary, suite), outcomes in results.tables.items():
        yield f"## {suite}, {vocabulary}\n\n" + answers(outcomes)
        yield from (pairs if suite == "sample" else by_case)(outcomes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, nargs="?", default=Path("build/bench/results.jsonl"))
    parser.add_argument("--out", type=Path, default=Path("build/bench/report"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    results = read(options.results)
    pictures = plots.draw(results, options.out)
    text = "\n".join([*sections(results), "## Plots\n", *(f"![{path.stem}]({path.name})\n" for path in pictures)])
    (options.out / "report.md").write_text(text)
    print(options.out / "report.md")


if __name__ == "__main__":
    main()
