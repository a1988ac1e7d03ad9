"""A chain is planted in trees of drafts: they stay trees, begin with it, and say nothing that was in neither."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from formwright.engines.draft_trees import plant_chain

Path = tuple[int, ...]
IDS = st.integers(0, 3)  # few, so that chains and trees agree often


@st.composite
def trees(draw: st.DrawFn) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    size = draw(st.integers(1, 9))
    tokens = np.array(draw(st.lists(IDS, min_size=size, max_size=size)), np.int64)
    ways = np.eye(size, dtype=np.int64)
    for node in range(1, size):
        parent = draw(st.integers(0, node - 1))
        ways[node, : parent + 1] = ways[parent, : parent + 1]
    return tokens, ways


def paths(tokens: NDArray[np.int64], ways: NDArray[np.int64]) -> list[Path]:
    """The tokens on the way to each node, without the root; that it is a tree."""
    for node, row in enumerate(ways):
        (before,) = np.nonzero(row)
        assert before[-1] == node
        for earlier in before:  # whatever leads to an ancestor leads to the node
            assert (ways[earlier][: earlier + 1] == row[: earlier + 1]).all()
    return [tuple(tokens[np.nonzero(row)[0][1:]].tolist()) for row in ways]


@given(trees(), st.lists(IDS, max_size=10))
def test_chains_are_planted(tree: tuple[NDArray[np.int64], NDArray[np.int64]], chain: list[int]) -> None:
    tokens, ways = tree
    before = tokens.copy(), ways.copy()
    planted, grown = plant_chain(tokens, ways, chain)
    assert (tokens == before[0]).all()
    assert (ways == before[1]).all()
    assert planted.shape == tokens.shape
    assert grown.shape == ways.shape
    assert planted.dtype == grown.dtype == np.int64
    assert planted[0] == tokens[0]
    old, new = paths(tokens, ways), paths(planted, grown)
    kept = chain[: len(tokens) - 1]
    wanted = [tuple(kept[:count]) for count in range(len(kept) + 1)]
    assert new[: len(kept) + 1] == wanted
    for path in new[len(kept) + 1 :]:
        assert path in old or path == (0,)
    missing = [path for path in old if path not in new]
    if missing:  # then there was no room, and those that came earlier are there
        assert new[-1] in [*old, *wanted]
        first = old.index(missing[0])
        assert all(path in new for path in old[:first])


def test_without_a_chain_a_tree_stays() -> None:
    tokens, ways = np.array([7, 1, 2, 3]), np.tril(np.ones((4, 4), np.int64))
    planted, grown = plant_chain(tokens, ways, [])
    assert planted.tolist() == tokens.tolist()
    assert grown.tolist() == ways.tolist()


@pytest.mark.parametrize(
    ("chain", "expected"),
    [
        ([1, 2, 3], [(), (1,), (1, 2), (1, 2, 3)]),
        ([1, 9], [(), (1,), (1, 9), (1, 2)]),
        ([9], [(), (9,), (1,), (1, 2)]),
        ([1], [(), (1,), (1, 2), (1, 2, 3)]),
    ],
)
def test_what_agrees_is_not_repeated(chain: list[int], expected: list[Path]) -> None:
    tokens, ways = np.array([7, 1, 2, 3]), np.tril(np.ones((4, 4), np.int64))
    assert paths(*plant_chain(tokens, ways, chain)) == expected


def test_places_that_are_left_are_filled_up() -> None:
    tokens, ways = np.array([7, 0, 0, 0]), np.eye(4, dtype=np.int64)
    ways[:, 0] = 1
    assert paths(*plant_chain(tokens, ways, [0])) == [(), (0,), (0,), (0,)]
