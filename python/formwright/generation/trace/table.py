"""Tables for pandas.

::

    result.trace.to_pandas()
"""

from __future__ import annotations

from typing import Any

from formwright._extras import needs

with needs("pandas", "a table for pandas"):
    from pandas import DataFrame

__all__ = ["DataFrame", "table"]


def table(lines: list[list[Any]], columns: list[str]) -> DataFrame:
    """A DataFrame of these lines."""
    return DataFrame(lines, columns=columns)
