"""List all beginnings of the spellings of a form, as masks allow them.

::

    start = fw.compile(fw.choice("a", "ab"), vocabulary).matcher()
    [beginning.text for beginning in list_beginnings(start)]

Cost: a mask and a fork for each. Forms with many or long texts have too many, and are refused.
"""

from __future__ import annotations

from dataclasses import dataclass

from formwright._kernel import Matcher
from formwright.errors import LimitExceeded

__all__ = ["Beginning", "list_beginnings"]

MAX_BEGINNINGS = 10_000


@dataclass(frozen=True)
class Beginning:
    """The first tokens of a text of the form.

    Attributes:
        token_ids: The tokens.
        text: What they spell.
        allowed: The tokens that may come next, without those that end the text.
        is_complete: Whether the text may end here.
    """

    token_ids: tuple[int, ...]
    text: bytes
    allowed: tuple[int, ...]
    is_complete: bool


def list_beginnings(start: Matcher) -> list[Beginning]:
    """List all beginnings from the state of a matcher on, shorter ones first.

    Raises:
        LimitExceeded: There are more than 10,000.
    """
    ends = set(start.constraint.vocabulary.eos_token_ids)
    found: list[Beginning] = []
    pending: list[tuple[tuple[int, ...], Matcher]] = [((), start)]
    for token_ids, matcher in pending:
        allowed = tuple(token for token in matcher.allowed_token_ids() if token not in ends)
        found.append(Beginning(token_ids, matcher.accepted_bytes, allowed, matcher.is_complete))
        if len(pending) + len(allowed) > MAX_BEGINNINGS:
            raise LimitExceeded(
                f"the spellings of this form have more than {MAX_BEGINNINGS} beginnings",
                hint="pass a form with fewer or shorter texts; a text of 40 characters has thousands of spellings",
                limit="beginnings",
                value=len(pending) + len(allowed),
                allowed=MAX_BEGINNINGS,
            )
        for token in allowed:
            next_ = matcher.fork()
            next_.accept_token(token)
            pending.append(((*token_ids, token), next_))
    return found
