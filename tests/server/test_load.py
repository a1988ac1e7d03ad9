"""Requests of mixed forms at the same time: `tests/programs/load.py`, a little of it."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="formwright[server] is not installed")

from load import faults
from parameters import slow_except


@pytest.mark.parametrize("count", slow_except([15], [15, 60]))
def test_each_is_answered_as_it_is_alone(count: int) -> None:
    found = faults(count, 1)
    assert not [name for name in found if name.startswith(("WRONG", "MIXED"))]
    assert sum(found.values()) == count
