"""The automaton of what a tokenizer writes of a form with finitely many texts, from the masks of the kernel.

::

    writes(fw.choice("because", "before"), vocabulary).states      # 2

Where the published algorithms look at pairs of tokens, the masks look at pieces as well: so this holds
for every tokenizer, and the algorithms can be checked by it.

Cost: a mask for each beginning of an encoding. Forms without end have too many.
"""

from __future__ import annotations

from typing import Any

from formwright._kernel import Vocabulary
from formwright.forms.coerce import compile
from formwright.reference.canonical.automata import Automaton
from formwright.reference.canonical.beginnings import beginnings

__all__ = ["writes"]


def writes(form: Any, vocabulary: Vocabulary) -> Automaton:
    """The smallest automaton of the canonical tokens of all texts of a form.

    Args:
        form: Anything `formwright.form` takes, with finitely many texts.
        vocabulary: What its tokens spell, with `Vocabulary.merges`.

    Raises:
        LimitExceeded: There are more than 10,000 beginnings.
        VocabularyError: It is not known what the tokenizer merges.
    """
    found = beginnings(compile(form, vocabulary, canonical=True).matcher())
    numbers = {beginning.token_ids: number for number, beginning in enumerate(found)}
    ways = [{vocabulary.token(token): numbers[*at.token_ids, token] for token in at.allowed} for at in found]
    accepting = frozenset(number for number, beginning in enumerate(found) if beginning.is_complete)
    return Automaton(ways=ways, accepting=accepting).minimal()
