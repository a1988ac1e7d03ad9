"""Run formwright-tiny: ONNX Runtime, one thread, and a key-value cache that is easy to copy.

::

    runtime = TinyRuntime(folder)
    logits = runtime.prefill(ids)     # float32, one number per token of the vocabulary
    logits = runtime.step(token)      # append one token
    twin = runtime.fork()             # go on in two directions

The graph takes the past keys and values as inputs and returns them one step longer. A
runtime only ever replaces its arrays and never writes into them, so a fork shares them
and costs nothing.

Cost: about half a millisecond for a token on one thread. The session is thread-safe and
shared by all forks; one runtime belongs to one thread at a time, and one thread is
deliberate: at this size a second one waits more than it works.

The wrinkle: activations are rounded to 8 bits with one scale a call, so the same tokens
give slightly different logits (a few tenths) in one `prefill` and in single steps. The same
calls always give the same logits.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from formwright._dependencies import needs

__all__ = ["TinyRuntime"]

FOLDER = Path(__file__).parent / "formwright_tiny"


class TinyRuntime:
    """A sequence under way in the embedded model."""

    def __init__(self, folder: Path = FOLDER) -> None:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self._session = _open(folder / "model.int8.onnx")
        self._outputs = [output.name for output in self._session.get_outputs()]
        self._context = int(config["max_position_embeddings"])
        shape = (1, config["num_key_value_heads"], 0, config["hidden_size"] // config["num_attention_heads"])
        self._past = {
            f"past_key_values.{layer}.{part}": np.zeros(shape, np.float32)
            for layer in range(config["num_hidden_layers"])
            for part in ("key", "value")
        }

    @property
    def length(self) -> int:
        """How many tokens it holds."""
        return int(next(iter(self._past.values())).shape[2])

    @property
    def context(self) -> int:
        """How many tokens it can hold."""
        return self._context

    def prefill(self, token_ids: Sequence[int], /) -> NDArray[np.float32]:
        """Append tokens; the logits after the last, of shape ``(vocabulary,)``."""
        last: NDArray[np.float32] = self.score(token_ids)[-1]
        return last

    def step(self, token_id: int, /) -> NDArray[np.float32]:
        """Append one token; the logits after it."""
        return self.prefill([token_id])

    def score(self, token_ids: Sequence[int], /) -> NDArray[np.float32]:
        """Append tokens; the logits after each of them, of shape ``(tokens, vocabulary)``."""
        total = self.length + len(token_ids)
        if not token_ids or total > self._context:
            raise ValueError(f"cannot append {len(token_ids)} tokens to {self.length}: the context is {self._context}")
        ids = np.asarray([token_ids], np.int64)
        mask = np.ones((1, total), np.int64)
        logits, *present = self._session.run(self._outputs, {"input_ids": ids, "attention_mask": mask, **self._past})
        self._past = dict(zip(self._past, present, strict=True))
        rows: NDArray[np.float32] = logits[0]
        return rows

    def fork(self) -> Self:
        """An independent copy that holds the same tokens; weights and past arrays are shared."""
        return copy.copy(self)


def _open(path: Path) -> Any:
    """A session on one thread, without spinning while idle."""
    with needs("local", "the embedded model"):
        import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
