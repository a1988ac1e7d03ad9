"""Run formwright-tiny: ONNX Runtime, and key-value caches that are written in place.

::

    runtime = TinyRuntime(folder)
    logits = runtime.prefill(ids)     # float32, one number per token of the vocabulary
    logits = runtime.step(token)      # append one token
    twin = runtime.fork()             # continue in two directions

    batch = runtime.batch()           # many sequences of any lengths, one call for all
    batch.add([ids, ids])
    batch.step([[token], [token]])

The graph reads as many positions of a cache as a row has and writes the new ones after them. A
single sequence is a batch of one row: the same code, and the same bits, because rows do not touch
each other in the graph.

Cost: two thirds of a millisecond for a token on one thread, a third of that for each of 64 rows. A fork
copies its cache. The session is thread-safe and shared by all forks; one runtime belongs to one thread
at a time. A call has one thread, since a second one would wait more than it works; several calls run side by side.

The same tokens in calls of other lengths may differ in the last bits, and in an 8-bit number
that these bits round. So a row gets as many tokens in a call as it would alone.
"""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from formwright._extras import needs

__all__ = ["TinyBatch", "TinyRuntime"]

FOLDER = Path(__file__).parents[1] / "formwright_tiny"

Floats = NDArray[np.float32]

_FEWEST = 64
"""Positions of a new cache."""

_FEW = 8
"""Rows of a part at least: fewer are not worth a thread."""


@dataclass(frozen=True)
class Network:
    """The graph, and the sizes of its caches."""

    path: Path
    names: list[str]
    """Of the caches, as the graph has them."""
    heads: int
    head_size: int
    context: int

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read the network of a model folder."""
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        layers, heads = int(config["num_hidden_layers"]), int(config["num_key_value_heads"])
        names = [f"{layer}.{part}" for layer in range(layers) for part in ("key", "value")]
        size, context = int(config["head_dim"]), int(config["max_position_embeddings"])
        path = folder / "model.int8.onnx"
        _open_session(path)  # so that a bad file is an error now, not at the first token
        return cls(path, names, heads, size, context)

    def run(
        self, token_ids: NDArray[np.int64], lengths: NDArray[np.int64], caches: list[Floats], kept: int = 1
    ) -> Floats:
        """Run ``token_ids`` (rows, new), and fill the caches. Returns the logits after the last ``kept`` of them."""
        session = _open_session(self.path)
        binding = session.io_binding()
        binding.bind_cpu_input("input_ids", token_ids)
        binding.bind_cpu_input("past_lengths", lengths)
        binding.bind_cpu_input("kept", np.array([kept], np.int64))
        for name, cache in zip(self.names, caches, strict=True):
            where = ("cpu", 0, np.float32, cache.shape, cache.ctypes.data)
            binding.bind_input(f"past_key_values.{name}", *where)
            binding.bind_output(f"present.{name}", *where)
        binding.bind_output("logits", "cpu")
        session.run_with_iobinding(binding)
        logits: Floats = binding.get_outputs()[-1].numpy()
        return logits


class TinyBatch:
    """Sequences under way that share calls of the model; rows are numbered from 0."""

    def __init__(self, network: Network, *, rows: int = 0) -> None:
        self._network = network
        self._lengths = np.zeros(rows, np.int64)
        self._caches = [np.zeros((rows, network.heads, _FEWEST, network.head_size), np.float32) for _ in network.names]

    def __len__(self) -> int:
        return len(self._lengths)

    @property
    def lengths(self) -> list[int]:
        """How many tokens each row holds."""
        lengths: list[int] = self._lengths.tolist()
        return lengths

    def add(self, prompts: Sequence[Sequence[int]], /) -> Floats:
        """New rows, the last, that hold these tokens; the logits after each, of shape ``(prompts, vocabulary)``."""
        context = self._network.context
        if wrong := [len(ids) for ids in prompts if not 0 < len(ids) <= context]:
            raise ValueError(f"cannot hold {wrong[0]} tokens: the context is {context}")
        first = len(self)
        self._lengths = np.append(self._lengths, np.zeros(len(prompts), np.int64))
        try:
            return self._append({first + index: ids for index, ids in enumerate(prompts)})
        except BaseException:
            self._lengths = self._lengths[:first]
            raise

    def step(self, token_ids: Sequence[Sequence[int]], /) -> Floats:
        """Append tokens to rows. Returns the logits after the last of each, of shape ``(rows, vocabulary)``.

        The logits of a row that is given no token mean nothing.
        """
        if len(token_ids) != len(self):
            raise ValueError(f"expected tokens for {len(self)} rows, got {len(token_ids)}")
        given = {row: ids for row, ids in enumerate(token_ids) if ids}
        if not given:
            raise ValueError("no row is given a token")
        if len(self) == 1:
            return self.score(0, token_ids[0], 1)
        found = self._append(given)
        if len(given) == len(self):
            return found
        logits = np.zeros((len(self), found.shape[-1]), np.float32)
        logits[list(given)] = found
        return logits

    def score(self, row: int, token_ids: Sequence[int], kept: int) -> Floats:
        """Append tokens to one row. Returns the logits after the last ``kept``, of shape ``(kept, vocabulary)``."""
        self._make_room({row: len(token_ids)})
        logits = self._run(slice(row, row + 1), np.array([token_ids], np.int64), kept=kept)
        self._lengths[row] += len(token_ids)
        rows: Floats = logits[0]
        return rows

    def select(self, rows: Sequence[int], /) -> None:
        """Keep these rows, in this order; a row may be kept several times."""
        moved = [(to, row) for to, row in enumerate(rows) if to != row]
        lengths = self._lengths[list(rows)]
        if len(rows) > len(self._caches[0]):
            self._caches = [_resize_cache(cache, len(rows), cache.shape[2]) for cache in self._caches]
        if moved:
            to, of = map(list, zip(*moved, strict=True))
            longest = int(self._lengths[of].max())
            for cache in self._caches:
                cache[to, :, :longest] = cache[of, :, :longest]
        self._lengths = lengths

    def copy(self) -> Self:
        """Copy the rows; the weights are shared."""
        twin = copy.copy(self)
        twin._lengths, twin._caches = self._lengths.copy(), [cache.copy() for cache in self._caches]
        return twin

    def _append(self, given: dict[int, Sequence[int]]) -> Floats:
        """Append tokens to some rows. Returns the logits after the last of each. Several calls run at the same time.

        Rows with one token share calls, in which their neighbours compute a token that is dropped. Rows with more
        have a call each, as they would alone.
        """
        self._make_room({row: len(ids) for row, ids in given.items()})
        calls: list[tuple[slice, NDArray[np.int64]]] = []
        singles = [row for row, ids in given.items() if len(ids) == 1]
        room = self._network.context - max(map(len, given.values()))
        if 2 * len(singles) > len(self) and int(self._lengths.max()) < room:
            ids = np.array([given[row][0] if row in given else 0 for row in range(len(self))], np.int64)[:, None]
            calls += [(part, ids[part]) for part in _split_rows(len(self))]
        else:
            singles = []
        alone = set(given) - set(singles)
        calls += [(slice(row, row + 1), np.array([given[row]], np.int64)) for row in sorted(alone)]
        # A dropped token is written after the tokens that its row gets in another call.
        places = self._lengths.copy()
        for row in alone:
            places[row] += len(given[row])
        work = [(part, ids, places if len(ids) > 1 else None) for part, ids in calls]
        found = [self._run(*work[0])] if len(work) == 1 else [*_open_pool().map(lambda call: self._run(*call), work)]
        logits: dict[int, Floats] = {}
        for (part, _), rows in zip(calls, found, strict=True):
            logits |= {row: last for row, last in enumerate(rows[:, -1], part.start) if row in given}
        self._lengths[list(given)] += [len(ids) for ids in given.values()]
        return np.stack([logits[row] for row in given])

    def _run(
        self, part: slice, token_ids: NDArray[np.int64], places: NDArray[np.int64] | None = None, kept: int = 1
    ) -> Floats:
        """Run the network on neighbouring rows."""
        lengths = (self._lengths if places is None else places)[part]
        return self._network.run(token_ids, lengths, [cache[part] for cache in self._caches], kept)

    def _make_room(self, counts: dict[int, int]) -> None:
        """Make room in the caches for so many more tokens of these rows, and for a dropped one of each."""
        context, longest = self._network.context, 0
        for row, count in counts.items():
            held = int(self._lengths[row])
            longest = max(longest, held + count)
            if not 0 < count <= context - held:
                raise ValueError(f"cannot append {count} tokens to {held}: the context is {context}")
        height, _, capacity, _ = self._caches[0].shape
        needed = min(max(longest, int(self._lengths.max())) + 1, context)
        if len(self) > height or needed > capacity:
            rows, width = _round_up_size(1, len(self)), _round_up_size(capacity, needed)
            self._caches = [_resize_cache(cache, rows, width) for cache in self._caches]


class TinyRuntime:
    """A sequence under way in the embedded model."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._network = Network.read(folder)
        self._row: TinyBatch | None = None

    @property
    def length(self) -> int:
        """How many tokens it holds."""
        return self._row.lengths[0] if self._row else 0

    @property
    def context(self) -> int:
        """How many tokens it can hold."""
        return self._network.context

    def prefill(self, token_ids: Sequence[int], /) -> Floats:
        """Append tokens. Returns the logits after the last, of shape ``(vocabulary,)``."""
        last: Floats = self._as_batch().score(0, token_ids, 1)[-1]
        return last

    def step(self, token_id: int, /) -> Floats:
        """Append one token. Returns the logits after it."""
        return self.prefill([token_id])

    def score(self, token_ids: Sequence[int], /) -> Floats:
        """Append tokens. Returns the logits after each of them, of shape ``(tokens, vocabulary)``."""
        return self._as_batch().score(0, token_ids, len(token_ids))

    def fork(self) -> Self:
        """Make an independent copy that holds the same tokens; the weights are shared."""
        twin = copy.copy(self)
        twin._row = self._row and self._row.copy()
        return twin

    def _as_batch(self) -> TinyBatch:
        """Return the sequence as a batch of one row."""
        if self._row is None:
            self._row = TinyBatch(self._network, rows=1)
        return self._row

    def batch(self) -> TinyBatch:
        """Make an empty batch of this model."""
        return TinyBatch(self._network)


def _round_up_size(size: int, needed: int) -> int:
    """Round a size up to a power of two, so that growing copies little."""
    return size if needed <= size else 1 << (needed - 1).bit_length()


def _resize_cache(cache: Floats, rows: int, capacity: int) -> Floats:
    """Copy the first rows of a cache, with room for so many positions."""
    larger = np.zeros((rows, cache.shape[1], capacity, cache.shape[3]), np.float32)
    kept = min(rows, len(cache))
    larger[:kept, :, : cache.shape[2]] = cache[:kept]
    return larger


def _split_rows(rows: int) -> list[slice]:
    """Split rows into as many parts as can be computed at the same time, none of them small."""
    count = max(1, min(_count_workers(), rows // _FEW))
    edges = [rows * index // count for index in range(count + 1)]
    return [slice(start, end) for start, end in pairwise(edges)]


def _count_workers() -> int:
    return min(os.cpu_count() or 1, 4)


@lru_cache
def _open_pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_count_workers(), thread_name_prefix="formwright-tiny")


if hasattr(os, "register_at_fork"):  # a forked process has the pool, but not its threads
    os.register_at_fork(after_in_child=_open_pool.cache_clear)


@lru_cache
def _open_session(path: Path) -> Any:
    """Open a session on one thread, which does not spin while idle."""
    with needs("local", "the embedded model"):
        import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
