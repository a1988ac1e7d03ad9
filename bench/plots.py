"""The report's pictures, as SVG."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import matplotlib as mpl
import numpy as np
from results import Outcomes, Results, Times

mpl.use("svg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

MOST_OF = 0.25  # an engine is in a distribution if it answered this share of the cases
SIZE = (7, 4)


def draw(results: Results, out: Path) -> list[Path]:
    """Every picture that the results have data for."""
    return [*_distributions(results, out), *_sizes(results, out), *_lengths(results, out)]


def _save(path: Path, x: str, y: str, axes: Axes) -> Path:
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    plt.tight_layout()
    plt.savefig(path)
    plt.close()
    return path


def _list_shared(outcomes: Outcomes) -> tuple[list[str], list[str]]:
    """Engines that answered enough, and the cases that all of these answered as expected."""
    right = {engine: {name for name, case in cases.items() if case.is_right} for engine, cases in outcomes.items()}
    most = max(map(len, right.values()))
    engines = [engine for engine, names in right.items() if names and len(names) >= MOST_OF * most]
    return engines, sorted(set.intersection(*(right[engine] for engine in engines))) if engines else []


def _times(outcomes: Outcomes, engine: str, names: list[str], what: str) -> Times:
    return np.concatenate([outcomes[engine][name].times(what, np.min) for name in names])


def _distributions(results: Results, out: Path) -> Iterator[Path]:
    for (vocabulary, suite), outcomes in results.tables.items():
        engines, names = _list_shared(outcomes)
        for what in ("mask", "compile") if names else ():
            _, axes = plt.subplots(figsize=SIZE)
            for engine in engines:
                values = np.sort(_times(outcomes, engine, names, what))
                axes.step(values, np.arange(1, values.size + 1) / values.size, label=engine, where="post")
            axes.set_xscale("log")
            axes.set_title(f"{what} time, {suite}, {vocabulary}: {len(names)} cases")
            yield _save(out / f"{what}-{suite}-{vocabulary}.svg", "µs", "share of measurements at most", axes)


def _sizes(results: Results, out: Path) -> Iterator[Path]:
    tables = {vocabulary: table for (vocabulary, suite), table in results.tables.items() if suite == "stress"}
    if len(tables) < 2:
        return
    shared = [_list_shared(table) for table in tables.values()]
    engines = [engine for engine in shared[0][0] if all(engine in names for names, _ in shared)]
    names = sorted(set.intersection(*(set(cases) for _, cases in shared)))
    for what in ("mask", "compile"):
        _, axes = plt.subplots(figsize=SIZE)
        order = sorted(tables, key=results.ids.__getitem__)
        for engine in engines:
            means = [_times(tables[vocabulary], engine, names, what).mean() for vocabulary in order]
            axes.plot([results.ids[vocabulary] for vocabulary in order], means, marker="o", label=engine)
        axes.set_yscale("log")
        axes.set_title(f"average {what} time against vocabulary size, {len(names)} stress cases")
        yield _save(out / f"{what}-by-vocabulary.svg", "token ids", "µs", axes)


def _lengths(results: Results, out: Path) -> Iterator[Path]:
    for (vocabulary, suite), outcomes in results.tables.items():
        for name in dict.fromkeys(name for cases in outcomes.values() for name in cases) if suite == "length" else ():
            _, axes = plt.subplots(figsize=SIZE)
            for engine, cases in outcomes.items():
                if name in cases and cases[name].is_right:
                    axes.plot(*_bin_times(cases[name].times("mask", np.min)), label=engine)
            axes.set_yscale("log")
            axes.set_title(f"mask time along a text: {name}, {vocabulary}")
            path = out / f"length-{name.replace(' ', '-')}-{vocabulary}.svg"
            yield _save(path, "tokens so far", "µs, average of a fiftieth", axes)


def _bin_times(times: Times) -> tuple[Times, Times]:
    parts = np.array_split(times, 50)
    ends = np.cumsum([part.size for part in parts])
    return ends, np.array([part.mean() for part in parts])
