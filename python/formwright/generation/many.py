"""Many texts at once, whoever writes them: a form for each prompt, results in order, a bar on terminals.

::

    each(["a", "b"], int)                    # [('a', <class 'int'>), ('b', <class 'int'>)]
    in_turn(lambda number: number * 10, 2, print)         # [0, 10], after it has printed 0 and 1

What raises is `Failed` in its place, and the others go on.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from formwright.errors import ArgumentError, MissingDependency
from formwright.generation.result import Failed

__all__ = ["each", "in_turn", "progress_of"]


def in_turn(written: Callable[[int], Any], count: int, done: Callable[[int], None]) -> list[Any]:
    """Write texts one after the other, and tell which is done; the result of each number, or `Failed`."""
    results: list[Any] = []
    for number in range(count):
        try:
            results.append(written(number))
        except Exception as error:
            results.append(Failed(error))
        done(number)
    return results


def each(prompts_: Any, forms: Any) -> list[tuple[Any, Any]]:
    """Each prompt with its form. Raises ArgumentError."""
    if isinstance(prompts_, str | bytes) or not isinstance(prompts_, Sequence):
        raise ArgumentError(
            f"prompts is a list of prompts, not {type(prompts_).__name__}",
            hint="for one prompt, call generate; make a list of what can only be iterated over",
            argument="prompts",
        )
    if not isinstance(forms, list | tuple):
        return [(prompt, forms) for prompt in prompts_]
    if len(forms) != len(prompts_):
        raise ArgumentError(
            f"there are {len(prompts_)} prompts and {len(forms)} forms",
            hint="pass one form for all, or a list with one for each prompt",
            argument="forms",
        )
    return list(zip(prompts_, forms, strict=True))


@contextlib.contextmanager
def progress_of(total: int, wanted: bool | None) -> Iterator[Callable[[], None]]:
    """A bar, if it is asked for and can be drawn; the function counts one more as done."""
    if wanted is False:
        yield lambda: None
        return
    try:
        from formwright.generation.trace.terminal import progress
    except MissingDependency:
        if wanted:
            raise
        yield lambda: None
        return
    with progress(total, "texts written", always=wanted is True) as done:
        yield done
