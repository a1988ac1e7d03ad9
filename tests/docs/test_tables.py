"""The documented tables are the kernel's own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from formwright._hosts import HOSTS

DOCS = Path(__file__).parents[2] / "docs"
TABLES = DOCS / "tables.py"


def test_documented_tables_are_up_to_date() -> None:
    done = subprocess.run([sys.executable, str(TABLES), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_package_says_of_each_host_what_was_run() -> None:
    what = {"real host": (), "real classes": ("its classes without a device",), "double": ("its documented interface",)}
    for key, host in HOSTS.items():
        seen = json.loads((DOCS.parent / "tests" / "hosts" / "records" / f"{key}.json").read_text("utf-8"))
        version = () if seen["version"] is None else (seen["version"],)
        assert host.run == ", ".join([*version, *what[seen["how"]]]), key


def test_the_page_of_vllm_installs_the_versions_that_are_known() -> None:
    page = (DOCS / "engines" / "vllm.md").read_text("utf-8")
    assert f'"vllm{HOSTS["vllm"].window}"' in page
