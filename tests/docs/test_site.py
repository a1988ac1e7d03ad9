"""The pages of the site: all are in the navigation, errors and public names have their place, pictures are current."""

from __future__ import annotations

import importlib
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import formwright as fw

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GENERATED = {"index.md", "reference/command_line.md"}


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Imports a script of the documentation by its name."""
    monkeypatch.syspath_prepend(str(DOCS))
    return importlib.import_module


def read_configuration() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
    return found


def list_pages(nav: Any) -> Iterator[str]:
    """The pages of a navigation, in order."""
    if isinstance(nav, str):
        yield nav
    else:
        for inner in nav.values() if isinstance(nav, dict) else nav:
            yield from list_pages(inner)


def test_the_navigation_has_every_page_once() -> None:
    pages = [*list_pages(read_configuration()["nav"])]
    assert len(pages) == len(set(pages))
    written = {page for page in pages if page not in GENERATED and not page.startswith("reference/api/")}
    assert written == {file.relative_to(DOCS).as_posix() for file in DOCS.rglob("*.md")}


def test_nothing_is_loaded_from_other_hosts() -> None:
    configuration = read_configuration()
    assert configuration["theme"]["font"] is False
    assert "repo_url" not in configuration


def test_every_error_has_a_section() -> None:
    headings = re.findall(r"^#+ (\w+)$", (DOCS / "reference" / "errors.md").read_text("utf-8"), re.MULTILINE)
    assert sorted(heading for heading in headings if heading in fw.errors.__all__) == fw.errors.__all__


def test_every_public_name_is_described(scripts: Any) -> None:
    documented = scripts("build_site").list_documented()
    assert {name for name in fw.__all__ if not name.startswith("_")} - {"errors"} <= documented
    for name in documented:
        module, _, attribute = f"formwright.{name}".rpartition(".")
        assert attribute in dir(importlib.import_module(module))  # some are loaded when asked for, with their extra


def test_the_command_line_lists_both_options_of_help(scripts: Any) -> None:
    page = scripts("build_site").write_command_line()
    assert page.count("-h, --help") == page.count("```text")


def test_diagrams_are_what_the_kernel_answers(scripts: Any) -> None:
    diagrams = scripts("draw_diagrams")
    for name, draw in diagrams.PICTURES.items():
        assert (diagrams.FOLDER / f"{name}.svg").read_text("utf-8") == draw(), "run python docs/draw_diagrams.py"


def test_the_readme_of_the_index_has_no_relative_link(scripts: Any) -> None:
    readme = scripts("index_readme").make_absolute((ROOT / "README.md").read_text("utf-8"))
    targets = re.findall(r"\]\(([^)\s]+)\)", readme)
    assert targets
    assert [target for target in targets if not target.startswith(("https://", "#"))] == []


def test_addresses_are_those_of_the_package() -> None:
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]
    assert urls["Documentation"] == fw.errors.SITE
    assert urls["Repository"] == fw.errors.REPOSITORY
    assert fw.errors.REPOSITORY in (ROOT / "crates" / "formwright" / "Cargo.toml").read_text("utf-8")
    assert fw.errors.REPOSITORY in (ROOT / "CITATION.cff").read_text("utf-8")
