"""TensorRT-LLM as its documentation describes the two processors that users may pass, and nothing else of it.

A stand-in: the library needs NVIDIA's own stack. `installed` lets `formwright.engines.tensorrt_llm` import it.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from unittest.mock import patch

import torch

from formwright._hosts import HOSTS, Host


class LogitsProcessor(ABC):
    """Called for one request at each token, with the ids of each beam, the prompt included."""

    @abstractmethod
    def __call__(
        self,
        req_id: int,
        logits: torch.Tensor,
        token_ids: list[list[int]],
        stream_ptr: int | None,
        client_id: int | None,
    ) -> None: ...


class BatchedLogitsProcessor(ABC):
    """Called for all requests of a step."""

    @abstractmethod
    def __call__(
        self,
        req_ids: list[int],
        logits: list[torch.Tensor],
        token_ids: list[list[list[int]]],
        stream_ptr: int | None,
        client_ids: list[int | None],
    ) -> None: ...


@contextmanager
def installed() -> Iterator[None]:
    """Let ``tensorrt_llm`` be this module in the block, of the first version that is known."""
    library, parameters = ModuleType("tensorrt_llm"), ModuleType("tensorrt_llm.sampling_params")
    parameters.LogitsProcessor = LogitsProcessor  # type: ignore[attr-defined]
    parameters.BatchedLogitsProcessor = BatchedLogitsProcessor  # type: ignore[attr-defined]
    modules = {"tensorrt_llm": library, "tensorrt_llm.sampling_params": parameters}
    with patch.dict(sys.modules, modules), patch.object(Host, "version", lambda host: HOSTS["tensorrt_llm"].first):
        yield
