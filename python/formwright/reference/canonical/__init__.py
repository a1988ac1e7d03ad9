"""The published algorithms for canonical tokens, small and readable: to study them, and to check the kernel.

::

    texts = make_form_automaton(fw.regex("ab|b"))                          # over bytes
    spelled = make_token_automaton(texts, [b"a", b"b", b"ab"])             # all spellings
    cartesian_merge(spelled, lambda a, b: (a, b) != (b"a", b"b"))     # what is written, pair by pair
    direct_merge(texts, [(b"a", b"b")])                               # the same, merge by merge

The kernel checks canonical tokens while a text is written (`formwright.tokenizers.Merges`); these algorithms do so for
a complete regular language before its first token. So they visit every token in every state, and each of them fits on a
page. `measure_distortion` measures how masks of all spellings, and of canonical ones, change a model's own answers.
"""

from __future__ import annotations

from formwright.reference.canonical.automata import Automaton, make_form_automaton
from formwright.reference.canonical.cartesian import cartesian_merge
from formwright.reference.canonical.direct import direct_merge, merge_all
from formwright.reference.canonical.drawing import draw_automaton
from formwright.reference.canonical.mask_distortion import Distortion, Shares, measure_distortion
from formwright.reference.canonical.spelling_automaton import make_canonical_automaton
from formwright.reference.canonical.spellings import make_token_automaton
from formwright.reference.canonical.vegas import PartMerger, Seams, concatenate

__all__ = [
    "Automaton",
    "Distortion",
    "PartMerger",
    "Seams",
    "Shares",
    "cartesian_merge",
    "concatenate",
    "direct_merge",
    "draw_automaton",
    "make_canonical_automaton",
    "make_form_automaton",
    "make_token_automaton",
    "measure_distortion",
    "merge_all",
]
