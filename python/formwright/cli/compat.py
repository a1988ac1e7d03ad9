"""``formwright compat``: what a new version of a schema or type breaks."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import click

from formwright.algebra import Compatibility
from formwright.algebra import compat as compare
from formwright.cli.shared import import_type
from formwright.errors import ArgumentError, FormwrightError
from formwright.forms.coerce import form
from formwright.forms.form import Form

__all__ = ["compat"]


class Deleted(NamedTuple):
    """A file that was there in a revision."""

    revision: str


Verdict = Compatibility | FormwrightError | Deleted
"""What was found about two versions, or why nothing was."""


@click.command()
@click.argument("versions", nargs=-1, required=True, metavar="OLD NEW")
@click.option("--revision", metavar="REV", help="Compare files and folders with what they were in this git revision.")
@click.option("--direction", type=click.Choice(["read", "write", "both"]), default="both", show_default=True)
@click.option("--format", "format_", type=click.Choice(["text", "json", "markdown"]), default="text", show_default=True)
def compat(
    versions: tuple[str, ...],
    revision: str | None,
    direction: Literal["read", "write", "both"],
    format_: str,
) -> None:
    """Tell what NEW breaks: for those who write as OLD says (write), and for those who read it so (read).

    OLD and NEW are files of JSON Schema, or types, as in records:Invoice. With --revision every argument is a file of
    JSON Schema, or a folder of *.json files, and is compared with what it was.

    Each change comes with its place in the schema that rejects a value, and with a smallest such value. A file of a
    folder that was deleted breaks both. Exits with 1 if something breaks, with 3 if a schema was not read, or if it was
    not found out.
    """
    pairs = _pair_versions(versions) if revision is None else _pair_revisions(versions, revision)
    found: dict[str, Verdict] = {}
    for name, read_old, read_new in pairs:
        try:
            found[name] = compare(read_old(), read_new(), direction=direction)
        except FormwrightError as error:
            found[name] = error
    if revision is not None:
        found |= {path: Deleted(revision) for path in _list_deleted(versions, revision)}
    click.echo(_SHOW[format_](found))
    if any(isinstance(verdict, FormwrightError) for verdict in found.values()):
        raise SystemExit(3)
    if not all(isinstance(verdict, Compatibility) and verdict.is_compatible for verdict in found.values()):
        raise SystemExit(1)


# --- reading --------------------------------------------------------------------------------------

Pair = tuple[str, Callable[[], Form[Any]], Callable[[], Form[Any]]]
"""A name, and what reads the old and the new version."""


def _pair_versions(versions: tuple[str, ...]) -> Iterator[Pair]:
    if len(versions) != 2:
        raise click.UsageError("Give OLD and NEW, or --revision REV and the files to compare.")
    old, new = versions
    yield f"{old} -> {new}", lambda: _read_version(old), lambda: _read_version(new)


def _read_version(name: str) -> Form[Any]:
    """The form of a file or a type."""
    path = Path(name)
    if not path.is_file() and ":" in name:
        return form(import_type(name, "version"))
    try:
        return _schema_form(path.read_bytes(), name)
    except OSError as error:
        raise click.UsageError(f"{name} is neither a file nor module:Type: {error.strerror}.") from error


def _schema_form(data: bytes, name: str) -> Form[Any]:
    """The form of a schema; keywords that nobody knows say nothing about what it allows."""
    from formwright.forms.json_forms import json_schema

    try:
        return json_schema(json.loads(data), unknown_keywords="ignore")
    except ValueError as error:
        if isinstance(error, FormwrightError):
            raise
        raise ArgumentError(f"{name} is not JSON: {error}", argument="version") from error


def _pair_revisions(names: tuple[str, ...], revision: str) -> Iterator[Pair]:
    """The files that are there now and were there then."""
    for path in _list_files(names):
        data = _read_revision(path, revision)
        if data is None:
            click.echo(f"{path}: new since {revision}", err=True)
            continue
        yield (
            str(path),
            lambda data=data, path=path: _schema_form(data, f"{revision}:{path}"),  # type: ignore[misc]
            lambda path=path: _schema_form(path.read_bytes(), str(path)),  # type: ignore[misc]
        )


def _list_files(names: Iterable[str]) -> Iterator[Path]:
    """Files, and the *.json files of folders."""
    for path in map(Path, names):
        if not path.exists():
            raise click.UsageError(f"{path} does not exist.")
        yield from sorted(path.rglob("*.json")) if path.is_dir() else [path]


def _list_deleted(names: Iterable[str], revision: str) -> list[str]:
    """The *.json files of folders that were there then, and are not there now."""
    deleted = []
    for path in filter(Path.is_dir, map(Path, names)):
        commit = _find_commit(path, revision)
        listed = _run_git(path, "ls-tree", "-r", "--name-only", "-z", commit, ".")
        names_then = (name for name in listed.stdout.decode().split("\0") if name.endswith(".json"))
        deleted += [str(path / name) for name in names_then if not (path / name).exists()]
    return deleted


def _read_revision(path: Path, revision: str) -> bytes | None:
    """What a file was in a git revision, ``None`` if it was not there."""
    shown = _run_git(path.parent, "show", f"{_find_commit(path.parent, revision)}:./{path.name}")
    return None if shown.returncode else shown.stdout


def _find_commit(folder: Path, revision: str) -> str:
    """The commit that a revision names. Raises UsageError where git knows none."""
    found = _run_git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if found.returncode:
        raise click.UsageError(
            f"--revision {revision}: there is no such commit in a git repository at {folder.resolve()}"
        )
    return found.stdout.decode().strip()


def _run_git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True)


# --- showing --------------------------------------------------------------------------------------


def _show_text(found: Mapping[str, Verdict]) -> str:
    return "\n".join(line for name, verdict in found.items() for line in _text_lines(name, verdict))


def _text_lines(name: str, verdict: Verdict) -> Iterator[str]:
    if isinstance(verdict, FormwrightError):
        yield f"{name}: {verdict}"
        return
    if isinstance(verdict, Deleted):
        yield f"{name}: deleted since {verdict.revision}"
        return
    count = len(verdict.changes)
    without = "compatible" if verdict else "not compatible, in a place that cannot be told"
    yield f"{name}: " + (f"{count} change{'s' * (count != 1)}" if count else without)
    yield from (f"  {change}" for change in verdict.changes)
    if count and not verdict.is_complete:
        yield "  there may be more changes than these"


def _show_json(found: Mapping[str, Verdict]) -> str:
    return json.dumps({name: _as_json(verdict) for name, verdict in found.items()}, indent=2, ensure_ascii=False)


def _as_json(verdict: Verdict) -> dict[str, Any]:
    if isinstance(verdict, FormwrightError):
        return {"error": type(verdict).__name__, "message": str(verdict)}
    if isinstance(verdict, Deleted):
        return {"is_compatible": False, "is_complete": True, "changes": [], "deleted_since": verdict.revision}
    changes = [{**change._asdict(), "keywords": list(change.keywords)} for change in verdict.changes]
    return {"is_compatible": verdict.is_compatible, "is_complete": verdict.is_complete, "changes": changes}


def _show_markdown(found: Mapping[str, Verdict]) -> str:
    rows = [row for name, verdict in found.items() for row in _markdown_rows(name, verdict)]
    return "\n".join(["| schema | breaks | at | keywords | a value |", "|---|---|---|---|---|", *rows])


def _markdown_rows(name: str, verdict: Verdict) -> Iterator[str]:
    name = _escape_cell(name)
    if isinstance(verdict, FormwrightError):
        yield f"| {name} | {type(verdict).__name__} | | | {_escape_cell(str(verdict))} |"
    elif isinstance(verdict, Deleted):
        yield f"| {name} | everything: deleted since {_escape_cell(verdict.revision)} | | | |"
    elif verdict.is_compatible:
        yield f"| {name} | nothing | | | |"
    elif not verdict.changes:
        yield f"| {name} | something | | | |"
    else:
        for change in verdict.changes:
            keywords = ", ".join(change.keywords)
            yield f"| {name} | {change.breaks} | `#{change.pointer}` | {keywords} | `{_escape_cell(change.text)}` |"


def _escape_cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


_SHOW: Mapping[str, Callable[[Mapping[str, Verdict]], str]] = {
    "text": _show_text,
    "json": _show_json,
    "markdown": _show_markdown,
}
