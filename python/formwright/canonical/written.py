"""The automaton of what a tokenizer writes of a form with finitely many texts, from the masks of the kernel.

::

    writes(fw.choice("because", "before"), vocabulary).states      # 4

Where the published algorithms look at pairs of tokens, the masks look at pieces as well: so this holds
for every tokenizer, and the algorithms can be checked by it.

Cost: a mask for each beginning of an encoding. The wrinkle: forms without end have too many.
"""

from __future__ import annotations

from typing import Any

from formwright._kernel import Matcher, Vocabulary
from formwright.canonical.automata import Automaton
from formwright.errors import LimitExceeded
from formwright.languages import compile

__all__ = ["writes"]

MOST_BEGINNINGS = 10_000


def writes(form: Any, vocabulary: Vocabulary) -> Automaton:
    """The smallest automaton of the canonical tokens of all texts of a form.

    Args:
        form: Anything `formwright.form` takes, with finitely many texts.
        vocabulary: What its tokens spell, with `Vocabulary.merges`.

    Raises:
        LimitExceeded: There are more than 10,000 beginnings.
        VocabularyError: It is not known what the tokenizer merges.
    """
    ends = set(vocabulary.eos_token_ids)
    ways: list[dict[bytes, int]] = []
    accepting = set()
    pending: list[Matcher] = [compile(form, vocabulary, canonical=True).matcher()]
    for number, matcher in enumerate(pending):
        if matcher.is_complete:
            accepting.add(number)
        found: dict[bytes, int] = {}
        for token in set(matcher.allowed_token_ids()) - ends:
            next_ = matcher.fork()
            next_.accept_token(token)
            found[vocabulary.token(token)] = len(pending)
            pending.append(next_)
        ways.append(found)
        if len(pending) > MOST_BEGINNINGS:
            raise LimitExceeded(
                f"the texts of the form have more than {MOST_BEGINNINGS} beginnings",
                hint="draw a form with fewer texts, or all spellings",
                limit="beginnings",
                value=len(pending),
                allowed=MOST_BEGINNINGS,
            )
    return Automaton(ways=ways, accepting=frozenset(accepting)).minimal()
