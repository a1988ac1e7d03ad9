"""The published algorithms for canonical tokens, small and readable: to study, and to check the kernel by.

::

    texts = form_automaton(fw.regex("ab|b"))                          # over bytes
    spelled = token_automaton(texts, [b"a", b"b", b"ab"])             # all spellings
    cartesian_merge(spelled, lambda a, b: (a, b) != (b"a", b"b"))     # what is written, pair by pair
    direct_merge(texts, [(b"a", b"b")])                               # the same, merge by merge

What the kernel does while a text is written (`formwright.tokenizers.Merges`), these do for a whole regular language
before its first token. They look at every token in every state, where the kernel looks at those that come; and each
fits on a page. `distortion` measures what masks of all spellings, and of canonical ones, do to a model's own answers.
"""

from __future__ import annotations

from formwright.reference.canonical.automata import Automaton, form_automaton
from formwright.reference.canonical.cartesian import cartesian_merge
from formwright.reference.canonical.direct import direct_merge, merge_all
from formwright.reference.canonical.distortion import Distortion, Shares, distortion
from formwright.reference.canonical.drawing import drawn
from formwright.reference.canonical.spelling_automaton import writes
from formwright.reference.canonical.spellings import token_automaton
from formwright.reference.canonical.vegas import Parts, Seams, concatenate

__all__ = [
    "Automaton",
    "Distortion",
    "Parts",
    "Seams",
    "Shares",
    "cartesian_merge",
    "concatenate",
    "direct_merge",
    "distortion",
    "drawn",
    "form_automaton",
    "merge_all",
    "token_automaton",
    "writes",
]
