"""Every program of the documentation runs and prints what it says it prints; `docs/programs.py` is for type checkers.

A block fenced as ``python`` is run; a ``text`` block right after it is its output. Blocks of one file share their
names, as a reader would; those of the tour are programs of their own. A ``sh`` block is run if its output follows.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parent.parent
FILES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
OF_THEIR_OWN = {"tour.md"}
NEEDS = {
    "evaluation.md": "statsmodels",
    "haystack.md": "haystack",
    "langchain.md": "langchain_core",
    "llama_index.md": "llama_index",
}
"""Pages of libraries that need not be there; tests/hosts/run runs those of frameworks with the others."""


def blocks(file: Path) -> list[tuple[str, str, int]]:
    """Language, text and line of every fenced block."""
    tokens = MarkdownIt().parse(file.read_text(encoding="utf-8"))
    return [(token.info, token.content, token.map[0] + 1) for token in tokens if token.type == "fence" and token.map]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_blocks_run(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if file.name in NEEDS:
        pytest.importorskip(NEEDS[file.name], reason="the page of a library that is not here")
    monkeypatch.chdir(ROOT)
    main = ModuleType("__main__")
    for (language, text, line), (following, output, _) in pairwise([*blocks(file), ("", "", 0)]):
        if language == "python":
            main = ModuleType("__main__") if file.name in OF_THEIR_OWN else main
            monkeypatch.setitem(sys.modules, "__main__", main)  # where pickle looks for the classes of a script
            printed = run_python("\n" * line + text, file, main)
        elif language == "sh" and following == "text":
            printed = run_shell(text)
        else:
            continue
        if following == "text":
            assert printed == output, f"{file.name}:{line}"


def run_python(text: str, file: Path, main: ModuleType) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(text, str(file), "exec"), vars(main))
    # What a run takes is not the same twice.
    return re.sub(r"seconds=\d+\.\d+", "seconds=0.000", printed.getvalue())


def run_shell(text: str) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = [shutil.which("bash") or "sh", "-e", "-c", text]
    return subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, "PATH": path}, timeout=60
    ).stdout


def test_the_tour_has_twenty_programs() -> None:
    tour = [language for language, _, _ in blocks(ROOT / "docs" / "tour.md")]
    assert tour.count("python") + tour.count("sh") == 20


def test_the_readme_has_runnable_blocks() -> None:
    assert any(language == "python" for language, _, _ in blocks(ROOT / "README.md"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_links_inside_the_repository_lead_somewhere(file: Path) -> None:
    text = re.sub(r"`[^`\n]*`", "", file.read_text(encoding="utf-8"))
    targets = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text)
    assert [target for target in targets if not (file.parent / target).exists()] == []
