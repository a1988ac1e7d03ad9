"""Every benchmark can be imported, but for engines that are not installed."""

import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).parents[2] / "bench"
ENGINES = {"kbnf", "lmformatenforcer", "outlines_core", "torch", "xgrammar"}
IMPORT_ALL = """
import importlib, sys
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        print(name, error.name)
"""


def test_benchmarks_can_be_imported() -> None:
    names = sorted(path.stem for path in BENCH.glob("*.py"))
    assert len(names) > 20
    command = [sys.executable, "-c", IMPORT_ALL, *names]
    run = subprocess.run(command, cwd=BENCH, capture_output=True, text=True, timeout=110, check=True)
    missing = [line.split() for line in run.stdout.splitlines()]
    assert all(module.partition(".")[0] in ENGINES for _, module in missing), missing
