"""The documented tables are the kernel's own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TABLES = Path(__file__).parents[2] / "docs" / "tables.py"


def test_documented_tables_are_up_to_date() -> None:
    done = subprocess.run([sys.executable, str(TABLES), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
