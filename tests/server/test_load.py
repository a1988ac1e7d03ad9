"""Requests of mixed forms at the same time: `tests/programs/load.py`, a little of it."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="formwright[server] is not installed")

from load import faults


def test_each_is_answered_as_it_is_alone() -> None:
    found = faults(60, 1)
    assert not [name for name in found if name.startswith(("WRONG", "MIXED"))]
    assert sum(found.values()) == 60
