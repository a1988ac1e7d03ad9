"""What `run` measured, rounds put together: the least and the middle of every single measurement over the rounds.

Other work on the machine only ever adds time, so the minimum over rounds is what a mask costs and the median is what
one sees. Both are taken of the same mask of the same text, before anything is averaged.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Pick = Callable[..., Any]
Times = NDArray[np.float64]


@dataclass
class Outcome:
    """One engine on one case, all rounds."""

    rounds: list[dict[str, Any]] = field(default_factory=list)

    @property
    def status(self) -> str:
        """``ok``, ``refused``, ``failed`` (after compiling), ``timeout`` or ``died``; of the first round not ok."""
        return next((line["status"] for line in self.rounds if line["status"] != "ok"), "ok")

    @property
    def rejects_valid(self) -> bool:
        """Whether the beginning of a text in the language was masked."""
        return any(seen is not None and (expected is None or seen < expected) for _, expected, seen in self._wrong())

    @property
    def accepts_invalid(self) -> bool:
        """Whether something was allowed that no text in the language begins with."""
        return any(
            seen is None or (expected is not None and seen > expected >= 0) for _, expected, seen in self._wrong()
        )

    def _wrong(self) -> list[tuple[int, int | None, int | None]]:
        return [wrong for line in self.rounds if line["status"] == "ok" for wrong in line["wrong"]]

    @property
    def is_right(self) -> bool:
        """Finished, with the expected answers."""
        return self.status == "ok" and not self._wrong()

    def compile(self, pick: Pick) -> float:
        """Source text to first mask, in microseconds."""
        return float(pick([line["compile"] for line in self.rounds])) / 1e3

    def texts(self, what: str, pick: Pick) -> list[Times]:
        """``mask`` or ``accept`` for each valid text, in microseconds."""
        over_rounds = zip(*(line[what] for line in self.rounds), strict=True)
        return [pick(np.array(text, np.float64), axis=0) / 1e3 for text in over_rounds]

    def times(self, what: str, pick: Pick) -> Times:
        """``compile``, or ``mask`` or ``accept`` of all valid texts, in microseconds."""
        if what == "compile":
            return np.array([self.compile(pick)])
        return np.concatenate(self.texts(what, pick))


Outcomes = dict[str, dict[str, Outcome]]  # engine, case


@dataclass
class Results:
    """Everything in a file: the machines, and outcomes by vocabulary and suite."""

    machines: list[dict[str, Any]] = field(default_factory=list)
    tables: dict[tuple[str, str], Outcomes] = field(default_factory=dict)
    ready: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    """Start-up in milliseconds, by vocabulary and engine."""
    ids: dict[str, int] = field(default_factory=dict)
    """The size of each vocabulary."""


def read(path: Path) -> Results:
    """The results in a file that `run` wrote; runs that were appended count as further rounds."""
    results = Results()
    for line in map(json.loads, path.open()):
        if "machine" in line:
            results.machines.append(line["machine"])
        elif "ready" in line:
            results.ids[line["vocabulary"]] = line.get("ids", 131_072)
            results.ready.setdefault((line["vocabulary"], line["engine"]), []).append(line["ready"] / 1e6)
        elif "case" in line:
            table = results.tables.setdefault((line["vocabulary"], line["suite"]), {})
            table.setdefault(line["engine"], {}).setdefault(line["case"], Outcome()).rounds.append(line)
    return results
