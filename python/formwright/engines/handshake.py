"""The proof that a host keeps to a form, before anything of a user is written with it.

::

    prove("some host", lambda text: text)          # a host that writes what the form says

A host that does not call a constraint, or does not use what it answers, writes as if there were none: no error, and a
text that is only mostly right. So each hook lets its host write two canaries once, forms with a single text each. A
host without the constraint writes the same twice, whatever the model; so at least one canary comes out as another text.

Cost: two runs of a few tokens, once for each model. It proves only the hook that it was run on.
"""

from __future__ import annotations

from collections.abc import Callable

from formwright.errors import HostMismatch

__all__ = ["CANARIES", "prove"]

CANARIES = ("7", "3")
"""The only texts of two forms; one token each in most vocabularies."""


def prove(host: str, write: Callable[[str], str], *, hint: str | None = None) -> None:
    """Let a host write each of `CANARIES`.

    Args:
        host: Its name, for the error.
        write: Writes in the form that has this text and no other, from the same prompt each time.
        hint: What to do if it does not, beside leaving this host.

    Raises:
        HostMismatch: Another text came out.
    """
    for text in CANARIES:
        if (seen := write(text)) != text:
            raise HostMismatch(
                f"{host} does not keep to forms: asked for {text!r}, the only text of a form, it wrote {seen!r}",
                hint=hint or "nothing was generated; a conforming text cannot be promised with this version",
                host=host,
            )
