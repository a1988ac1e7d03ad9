"""Every Python block of the documentation runs, and prints what it says it prints.

A block fenced as ``python`` is run; a ``text`` block right after it is its output.
Blocks of one file share their names, as a reader would.
"""

from __future__ import annotations

import contextlib
import io
import re
from itertools import pairwise
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parent.parent
FILES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def blocks(file: Path) -> list[tuple[str, str, int]]:
    """Language, text and line of every fenced block."""
    tokens = MarkdownIt().parse(file.read_text(encoding="utf-8"))
    return [(token.info, token.content, token.map[0] + 1) for token in tokens if token.type == "fence" and token.map]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_blocks_run(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {"__name__": "__main__"}
    found = blocks(file)
    for (language, text, line), (following, output, _) in pairwise([*found, ("", "", 0)]):
        if language == "python":
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile("\n" * line + text, str(file), "exec"), names)
            if following == "text":
                assert printed.getvalue() == output, f"{file.name}:{line}"


def test_the_readme_has_runnable_blocks() -> None:
    assert any(language == "python" for language, _, _ in blocks(ROOT / "README.md"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_links_inside_the_repository_lead_somewhere(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    targets = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text)
    assert [target for target in targets if not (file.parent / target).exists()] == []
