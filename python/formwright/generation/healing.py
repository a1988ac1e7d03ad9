"""Prompts that end inside a word: their last tokens are written anew, with what follows them.

A prompt "My name is The" ends in the token " The", after which a tokenizer never writes
"odore": the whole word is one token. So the last token is taken off the prompt, and the
text must begin with what it spells::

    healed = Healed.of(fw.compile(fw.literal("odore"), vocabulary, canonical=True), prompt_ids)
    healed.prefix                       # ' The', which the form begins with now

Cost: one compilation. With canonical tokens, as few are taken off as let a
text follow canonically, and none if four are not enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from formwright._kernel import Constraint
from formwright.forms.form import chain, literal

__all__ = ["Healed"]

_MOST = 4
"""Tokens taken off at most: what ends inside a word is rarely more than two."""


@dataclass(frozen=True)
class Healed:
    """A constraint and a prompt that fit together.

    Attributes:
        constraint: The form, compiled; it begins with ``prefix``.
        prompt_ids: The prompt without what was taken off.
        prefix: What the tokens spell that were taken off.
    """

    constraint: Constraint[Any]
    prompt_ids: list[int]
    prefix: str = ""

    @classmethod
    def of(cls, constraint: Constraint[Any], prompt_ids: list[int]) -> Self:
        """Takes the last tokens off a prompt, if any, and lets the text begin with what they spell."""
        for count in range(1, min(_MOST, len(prompt_ids) - 1) + 1):
            spelled = [constraint.vocabulary.token(token_id) for token_id in prompt_ids[-count:]]
            if not all(spelled):
                break  # a control token: nothing is continued across it
            try:
                prefix = b"".join(spelled).decode()
            except UnicodeDecodeError:
                continue
            healed = cls(_form_after_prefix(constraint, prefix), prompt_ids[:-count], prefix)
            if healed.constraint.canonical is not True or healed.constraint.matcher(healed.prompt_ids).continues_prompt:
                return healed
        return cls(constraint, prompt_ids)


def _form_after_prefix(constraint: Constraint[Any], prefix: str) -> Constraint[Any]:
    """The same form after a text that is not part of its value."""
    form = chain(constraint.form.title, (literal(prefix), constraint.form), takes=1)
    return Constraint(form, constraint.vocabulary, canonical=constraint.canonical)
