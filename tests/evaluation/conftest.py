"""Tests of what needs formwright[evaluate] are left out where that is not installed."""

from __future__ import annotations

import importlib.util

collect_ignore = (
    []
    if importlib.util.find_spec("statsmodels")
    else ["test_command.py", "test_runs.py", "test_services.py", "test_statistics.py", "test_verdicts.py"]
)
