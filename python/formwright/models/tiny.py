"""Run formwright-tiny: ONNX Runtime, and key-value caches that are written in place.

::

    runtime = TinyRuntime(folder)
    logits = runtime.prefill(ids)     # float32, one number per token of the vocabulary
    logits = runtime.step(token)      # append one token
    twin = runtime.fork()             # go on in two directions

    batch = runtime.batch()           # many sequences of any lengths, one call for all
    batch.add(ids), batch.add(ids)
    batch.step([[token], [token]])

The graph reads as many positions of a cache as a row has and writes the new ones behind them. A
single sequence is a batch of one row: the same code, and the same bits, because rows do not touch
each other in the graph.

Cost: two thirds of a millisecond for a token on one thread, a third of that for each of 64 rows. A fork
copies its cache. The sessions are thread-safe and shared by all forks; one runtime belongs to
one thread at a time. One thread is deliberate: at this size a second one waits more than it works.

The wrinkle: caches grow by doubling, so that most steps copy nothing.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from formwright._dependencies import needs

__all__ = ["TinyBatch", "TinyRuntime"]

FOLDER = Path(__file__).parent / "formwright_tiny"

Floats = NDArray[np.float32]

_FEWEST = 64
"""Positions of a cache at first."""


@dataclass(frozen=True)
class Network:
    """The graph, and the sizes of its caches."""

    session: Any
    names: list[str]
    """Of the caches, as the graph has them."""
    heads: int
    head_size: int
    context: int

    @classmethod
    def read(cls, folder: Path) -> Self:
        """The network of a model folder."""
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        layers, heads = int(config["num_hidden_layers"]), int(config["num_key_value_heads"])
        names = [f"{layer}.{part}" for layer in range(layers) for part in ("key", "value")]
        size, context = int(config["head_dim"]), int(config["max_position_embeddings"])
        return cls(_open(folder / "model.int8.onnx"), names, heads, size, context)

    def run(self, token_ids: NDArray[np.int64], lengths: NDArray[np.int64], caches: list[Floats]) -> Floats:
        """The logits after each of ``token_ids`` (rows, new); their keys and values are written into the caches."""
        binding = self.session.io_binding()
        binding.bind_cpu_input("input_ids", token_ids)
        binding.bind_cpu_input("past_lengths", lengths)
        for name, cache in zip(self.names, caches, strict=True):
            where = ("cpu", 0, np.float32, cache.shape, cache.ctypes.data)
            binding.bind_input(f"past_key_values.{name}", *where)
            binding.bind_output(f"present.{name}", *where)
        binding.bind_output("logits", "cpu")
        self.session.run_with_iobinding(binding)
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

    def add(self, token_ids: Sequence[int], /) -> Floats:
        """A new row, the last; the logits after its last token, of shape ``(vocabulary,)``."""
        if not 0 < len(token_ids) <= self._network.context:
            raise ValueError(f"cannot hold {len(token_ids)} tokens: the context is {self._network.context}")
        self._lengths = np.append(self._lengths, 0)
        logits: Floats = self.score(len(self) - 1, token_ids)[-1]
        return logits

    def step(self, token_ids: Sequence[Sequence[int]], /) -> Floats:
        """Append tokens to every row, or none; the logits after the last of each, of shape ``(rows, vocabulary)``.

        The logits of a row that is given no token mean nothing.
        """
        if len(token_ids) != len(self):
            raise ValueError(f"there are {len(self)} rows, not {len(token_ids)}")
        singles = [row for row, ids in enumerate(token_ids) if len(ids) == 1]
        together = len(singles) > 1
        logits = self._step_together(token_ids, singles) if together else None
        for row, ids in enumerate(token_ids):
            if len(ids) > 1 or (ids and not together):
                last = self.score(row, ids)[-1]
                logits = np.zeros((len(self), len(last)), np.float32) if logits is None else logits
                logits[row] = last
        if logits is None:
            raise ValueError("no row is given a token")
        return logits

    def score(self, row: int, token_ids: Sequence[int]) -> Floats:
        """Append tokens to one row; the logits after each of them, of shape ``(tokens, vocabulary)``."""
        self._make_room(len(token_ids), [row])
        caches = [cache[row : row + 1] for cache in self._caches]
        logits = self._network.run(np.array([token_ids], np.int64), self._lengths[row : row + 1], caches)
        self._lengths[row] += len(token_ids)
        rows: Floats = logits[0]
        return rows

    def select(self, rows: Sequence[int], /) -> None:
        """Keep these rows, in this order; a row may be kept several times."""
        moved = [(to, row) for to, row in enumerate(rows) if to != row]
        lengths = self._lengths[list(rows)]
        if len(rows) > len(self._caches[0]):
            self._caches = [_resized(cache, len(rows), cache.shape[2]) for cache in self._caches]
        if moved:
            to, of = map(list, zip(*moved, strict=True))
            longest = int(self._lengths[of].max())
            for cache in self._caches:
                cache[to, :, :longest] = cache[of, :, :longest]
        self._lengths = lengths

    def copy(self) -> Self:
        """The same rows again; the weights are shared."""
        twin = copy.copy(self)
        twin._lengths, twin._caches = self._lengths.copy(), [cache.copy() for cache in self._caches]
        return twin

    def _step_together(self, token_ids: Sequence[Sequence[int]], singles: list[int]) -> Floats:
        """One token for each of ``singles``. The others compute a token that is forgotten: cheaper than a copy."""
        self._make_room(1, singles)
        steps = np.zeros(len(self), np.int64)
        steps[singles] = 1
        ids = np.array([ids[0] if len(ids) == 1 else 0 for ids in token_ids], np.int64)[:, None]
        # What these write stands behind its last position, or, where the context is full, is computed elsewhere.
        full = self._lengths + 1 > self._network.context
        caches = [cache[: len(self)] for cache in self._caches]
        if full.any():
            caches = [cache.copy() for cache in caches]
        logits = self._network.run(ids, np.where(full, 0, self._lengths), caches)
        if full.any():
            for cache, written in zip(self._caches, caches, strict=True):
                cache[singles] = written[singles]
        self._lengths += steps
        return logits[:, 0]

    def _make_room(self, count: int, rows: list[int]) -> None:
        """Caches that hold ``count`` more tokens of these rows, and a forgotten one of the others."""
        longest = int(self._lengths[rows].max()) + count
        if not 0 < count <= longest <= self._network.context:
            raise ValueError(
                f"cannot append {count} tokens to {longest - count}: the context is {self._network.context}"
            )
        height, _, capacity, _ = self._caches[0].shape
        needed = max(longest, min(int(self._lengths.max()) + 1, self._network.context))
        if len(self) > height or needed > capacity:
            rows_, width = _grown(height, len(self)), _grown(capacity, needed)
            self._caches = [_resized(cache, rows_, width) for cache in self._caches]


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
        """Append tokens; the logits after the last, of shape ``(vocabulary,)``."""
        last: Floats = self.score(token_ids)[-1]
        return last

    def step(self, token_id: int, /) -> Floats:
        """Append one token; the logits after it."""
        return self.prefill([token_id])

    def score(self, token_ids: Sequence[int], /) -> Floats:
        """Append tokens; the logits after each of them, of shape ``(tokens, vocabulary)``."""
        if self._row is None:
            self._row = TinyBatch(self._network, rows=1)
        return self._row.score(0, token_ids)

    def fork(self) -> Self:
        """An independent copy that holds the same tokens; the weights are shared."""
        twin = copy.copy(self)
        twin._row = self._row and self._row.copy()
        return twin

    def batch(self) -> TinyBatch:
        """An empty batch of this model."""
        return TinyBatch(self._network)


def _grown(size: int, needed: int) -> int:
    """A power of two, so that growing copies little."""
    return size if needed <= size else 1 << (needed - 1).bit_length()


def _resized(cache: Floats, rows: int, capacity: int) -> Floats:
    larger = np.zeros((rows, cache.shape[1], capacity, cache.shape[3]), np.float32)
    larger[: len(cache), :, : cache.shape[2]] = cache
    return larger


def _open(path: Path) -> Any:
    """A session on one thread, without spinning while idle."""
    with needs("local", "the embedded model"):
        import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
