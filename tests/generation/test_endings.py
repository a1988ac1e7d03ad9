"""A few hundred runs of `tests/programs/endings.py`: every strategy ends within its budget."""

from __future__ import annotations

from collections import Counter

import pytest
from endings import fault
from parameters import slow_except


@pytest.mark.parametrize("start", slow_except([0], range(0, 600, 100)))
def test_every_strategy_ends(start: int) -> None:
    counts: Counter[str] = Counter()
    assert [found for seed in range(start, start + 100) if (found := fault(seed, counts))] == []
    assert min(counts["loop"], counts["batch"], counts["beams"]) > 10
