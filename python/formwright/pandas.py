"""Tables for pandas.

::

    result.trace.to_pandas()
"""

from __future__ import annotations

from typing import Any

from formwright._dependencies import needs

with needs("pandas", "a table for pandas"):
    import pandas

__all__ = ["table"]


def table(lines: list[list[Any]], columns: list[str]) -> pandas.DataFrame:
    """A DataFrame of these lines."""
    return pandas.DataFrame(lines, columns=columns)
