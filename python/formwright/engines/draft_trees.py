"""Trees of drafts, which an engine checks in one call of the model: forced tokens are planted in those of others.

::

    tokens, ancestors = np.array([7, 1, 2, 0]), np.tril(np.ones((4, 4), np.int64))     # after 7: 1, 2, 0
    plant_chain(tokens, ancestors, [1, 5])[0].tolist()                                 # [7, 1, 5, 2]

A tree is a list of tokens and a square of zeros and ones: ``ancestors[i, j]`` is 1 where node ``j`` is on the way to
node ``i``, and for ``i`` itself. Node 0 is the last token of the text; a node comes after its parent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["plant_chain"]

Numbers = NDArray[Any]


def plant_chain(tokens: Numbers, ancestors: Numbers, chain: Sequence[int]) -> tuple[Numbers, Numbers]:
    """A tree of the same size with a chain of tokens after its root, and as many of its own nodes as there is room for.

    A node that says the same as the chain is not repeated; its children follow the chain. Places that are left are
    children of the root with token 0, as SGLang fills its trees up.

    Args:
        tokens: The tokens of the nodes: int[n].
        ancestors: The ways to them: int[n, n] or bool[n, n].
        chain: The tokens that follow the root; at most ``n - 1`` are used.

    Returns:
        The tokens and the ways, of the same shapes and types.
    """
    size, chain = len(tokens), list(chain[: len(tokens) - 1])
    planted, ways = np.zeros_like(tokens), np.eye(size, dtype=ancestors.dtype)
    planted[0], ways[:, 0] = tokens[0], 1
    for place, token in enumerate(chain, 1):
        planted[place], ways[place, :place] = token, 1
    places, used = {0: 0}, len(chain) + 1
    for node in range(1, size):
        if used == size:
            break
        parent = places[int(np.flatnonzero(ancestors[node, :node])[-1])]
        if parent < len(chain) and tokens[node] == chain[parent]:
            places[node] = parent + 1
            continue
        planted[used], ways[used, :used] = tokens[node], ways[parent, :used]
        places[node], used = used, used + 1
    return planted, ways
