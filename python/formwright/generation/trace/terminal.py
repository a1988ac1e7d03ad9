"""What is drawn in terminals by rich: the heat map of a trace, and the progress of many texts.

::

    result.trace.show()

In a pipe there are no colours, so each token that the form pushed is said in words below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from formwright._extras import needs

with needs("cli", "output for terminals"):
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
    from rich.table import Table
    from rich.text import Text

if TYPE_CHECKING:
    from formwright.generation.trace.recorder import Trace

__all__ = ["progress", "show"]

_SCALE = ((0.01, "on red3"), (0.1, "black on orange1"), (0.5, "black on yellow3"), (1.01, "black on green3"))


def show(trace: Trace, console: Any = None) -> None:
    """Print the text with a colour for each token, the fields, and the hints."""
    console = console or Console()
    console.print(_heat(trace))
    console.print(_scale())
    if trace.fields:
        table = Table("field", "confidence", "value", box=None)
        for entry in trace.fields:
            table.add_row(Text(entry.pointer or "the value"), f"{entry.confidence:.3f}", Text(entry.text))
        console.print(table)
    for hint in trace.hints():
        console.print(Text(f"- {hint}"))


def _heat(trace: Trace) -> Text:
    text = Text()
    for row in trace.rows:
        style = next(style for most, style in _SCALE if row.probability < most)
        text.append(
            _printable(row.text) if row.token else "[end]", style=f"{style} underline" if row.is_forced else style
        )
    return text


def _printable(text: str) -> str:
    """A text without the characters that a terminal obeys."""
    return "".join(character if character.isprintable() or character == "\n" else "\ufffd" for character in text)


def _scale() -> Text:
    text = Text("\nThe model gives it: ")
    for name, (_, style) in zip(("under 1 %", "under 10 %", "under 50 %", "more"), _SCALE, strict=True):
        text.append(f" {name} ", style=style)
    text.append("  ")
    text.append("no choice", style="underline")
    return text


@contextmanager
def progress(total: int, description: str, *, always: bool = False) -> Iterator[Callable[[], None]]:
    """A bar on stderr if that is a terminal, or always; the function given counts one more as done."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not (always or console.is_terminal)) as bar:
        task = bar.add_task(description, total=total)
        yield lambda: bar.advance(task)
