"""Build the documentation as a site: ``python docs/build_site.py`` writes ``build/site/html``.

::

    docs/**/*.md                as they are; links that leave docs/ lead to the repository
    README.md                   index.md
    signatures, docstrings      reference/api/*.md, by mkdocstrings
    formwright COMMAND --help   reference/command_line.md

Needs the dependency group ``site``; ``--stage`` only writes the pages that the builder reads.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from formwright.cli.app import app
from formwright.errors import REPOSITORY

ROOT = Path(__file__).parent.parent
PAGES = ROOT / "build" / "site" / "pages"
ASSETS = ("*.md", "*.png", "*.svg")
LINK = re.compile(r"(\]\(|\b(?:src|href)=\")(?!\w+:|#)([^)#\s\"]+)")

API = {
    "forms": """Forms
        form Form json_schema json regex grammar choice literal text after special thinking template many optional
        one_of_text Quote format partial tools Call CharacterParser Tree Token instructions explain""",
    "masks": """Masks
        Vocabulary compile Constraint Matcher allocate_bitmask apply_bitmask allowed_tokens fill_bitmasks RowBuffer
        Interrupt device.apply device.Upload device.DeviceTables device.Decoder""",
    "generation": """Generation
        load from_transformers from_llama_cpp from_mlx from_onnx_genai models.LocalModel
        Result Complete Truncated Failed Observed Stream incremental.Partial generation.Piece
        generation.Field generation.Trace generation.Limits""",
    "client": """Remote models
        connect from_openai patch client.RemoteModel client.AsyncRemoteModel client.Hooks client.AnswerCache
        client.Exchange client.Attempt client.Usage client.Piece client.Maybe""",
    "plugins": """Tokenizers and tools
        register_tokenizer register_style register_service tokenizers.Adapter tokenizers.Spelling tokenizers.Merges
        tools.Style tools.Tool client.Service""",
    "evaluation": """Evaluation, jobs, serving
        evaluation.evaluate evaluation.Evaluation evaluation.Grid jobs.mapping.Mapper jobs.finished.FinishedRows
        server.serve server.running server.create_app server.Settings""",
}
"""By page: its title, and below it the names that it describes, as they are after ``formwright.``."""

OBJECTS = {"tools": "tools.tools"}
"""The function to describe where a module has the same name."""


def list_documented() -> set[str]:
    """The names that the pages of the API describe."""
    return {name for page in API.values() for name in page.partition("\n")[2].split()}


def write_api(page: str) -> str:
    """A page of the API, for mkdocstrings."""
    title, _, names = page.partition("\n")
    parts = [f"# {title}\n"]
    for name in names.split():
        heading = f"fw.{name}" if "." not in name else f"formwright.{name}"
        options = {"heading": heading, "toc_label": name}
        lines = "".join(f"      {option}: {value}\n" for option, value in options.items())
        parts.append(f"::: formwright.{OBJECTS.get(name, name)}\n    options:\n{lines}")
    return "\n".join(parts)


def write_command_line() -> str:
    """The help of every command."""
    parts = ["# Command line\n", "`python -m formwright` is the same command.\n"]
    for path, command in walk_commands("formwright", app):
        settings = app.context_settings | command.context_settings  # commands inherit those of the app
        context = click.Context(command, info_name=path, color=False, terminal_width=88, **settings)
        parts.append(f"## {path}\n\n```text\n{command.get_help(context)}\n```\n")
    return "\n".join(parts)


def walk_commands(path: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """A command and those below it, each with the words by which it is called."""
    yield path, command
    if isinstance(command, click.Group):
        for name, inner in sorted(command.commands.items()):
            yield from walk_commands(f"{path} {name}", inner)


def rewrite_links(text: str, source: Path, target: Path) -> str:
    """A page's text with its links leading to pages of the site, or else to the repository.

    Args:
        text: The page.
        source: Where it is in the repository.
        target: Where it is in the site, from the folder of pages on.
    """

    def rewrite(match: re.Match[str]) -> str:
        before, link = match.groups()
        there = (source.parent / link).resolve().relative_to(ROOT)
        if there.is_relative_to("docs") and there.suffix in (".md", ".png", ".svg"):
            up = "../" * (len(target.parts) - 1)
            return f"{before}{up}{there.relative_to('docs')}"
        if there.suffix in (".png", ".svg"):  # a picture beside what it is a picture of
            copy = PAGES / "pictures" / there.name
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / there, copy)
            return f"{before}{'../' * (len(target.parts) - 1)}pictures/{there.name}"
        if there == Path("README.md"):
            return f"{before}{'../' * (len(target.parts) - 1)}index.md"
        kind = "tree" if (ROOT / there).is_dir() else "blob"
        return f"{before}{REPOSITORY}/{kind}/main/{there}"

    parts = re.split(r"(^```.*?^```$|`[^`\n]*`)", text, flags=re.DOTALL | re.MULTILINE)
    return "".join(part if part.startswith("`") else LINK.sub(rewrite, part) for part in parts)


def stage() -> None:
    """Write the pages that the builder reads."""
    shutil.rmtree(PAGES, ignore_errors=True)
    for pattern in ASSETS:
        for file in (ROOT / "docs").rglob(pattern):
            target = PAGES / file.relative_to(ROOT / "docs")
            target.parent.mkdir(parents=True, exist_ok=True)
            if file.suffix == ".md":
                target.write_text(rewrite_links(file.read_text("utf-8"), file, target.relative_to(PAGES)), "utf-8")
            else:
                shutil.copyfile(file, target)
    readme = ROOT / "README.md"
    (PAGES / "index.md").write_text(rewrite_links(readme.read_text("utf-8"), readme, Path("index.md")), "utf-8")
    (PAGES / "reference" / "api").mkdir(parents=True, exist_ok=True)
    for name, page in API.items():
        (PAGES / "reference" / "api" / f"{name}.md").write_text(write_api(page), "utf-8")
    (PAGES / "reference" / "command_line.md").write_text(write_command_line(), "utf-8")


def main() -> None:
    """Write the pages, and build the site of them."""
    stage()
    if "--stage" not in sys.argv[1:]:
        sys.exit(subprocess.run(["zensical", "build", "--strict"], cwd=ROOT, check=False).returncode)


if __name__ == "__main__":
    main()
