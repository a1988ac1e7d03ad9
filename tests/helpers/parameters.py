"""Many equal parameters, of which a few tell as much as all."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def slow_except(quick: Collection[Any], values: Iterable[Any]) -> list[Any]:
    """Mark the values slow that are not among the quick ones. Raises AssertionError where a quick one is no value."""
    listed = list(values)
    assert all(value in listed for value in quick)
    return [value if value in quick else _slow(value) for value in listed]


def _slow(value: Any) -> Any:
    return pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.slow)
