"""Make the automaton of the canonical tokens of a form with finitely many texts, from the masks of the kernel.

::

    make_canonical_automaton(fw.choice("because", "before"), vocabulary).states      # 2

The published algorithms look at pairs of tokens; the masks also know where pieces end. So this automaton is right for
every tokenizer, and the tests check the algorithms against it.

Cost: a mask for each beginning of an encoding. Forms without end have too many.
"""

from __future__ import annotations

from typing import Any

from formwright._kernel import Vocabulary
from formwright.forms.coerce import compile
from formwright.reference.canonical.automata import Automaton
from formwright.reference.canonical.beginnings import list_beginnings

__all__ = ["make_canonical_automaton"]


def make_canonical_automaton(form: Any, vocabulary: Vocabulary) -> Automaton:
    """Make the smallest automaton of the canonical tokens of all texts of a form.

    Args:
        form: Anything `formwright.form` takes, with finitely many texts.
        vocabulary: What its tokens spell, with `Vocabulary.merges`.

    Raises:
        LimitExceeded: There are more than 10,000 beginnings.
        VocabularyError: It is not known what the tokenizer merges.
    """
    found = list_beginnings(compile(form, vocabulary, canonical=True).matcher())
    numbers = {beginning.token_ids: number for number, beginning in enumerate(found)}
    ways = [{vocabulary.token(token): numbers[*at.token_ids, token] for token in at.allowed} for at in found]
    accepting = frozenset(number for number, beginning in enumerate(found) if beginning.is_complete)
    return Automaton(ways=ways, accepting=accepting).minimize()
