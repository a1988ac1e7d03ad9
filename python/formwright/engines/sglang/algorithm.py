"""The name of our drafts among SGLang's algorithms of speculation, and the settings that go with it.

::

    register_algorithm()        # --speculative-algorithm FORMWRIGHT

It is SGLang's n-gram speculation with another worker, which is imported when an engine asks for it: it needs SGLang's
compiled kernels.
"""

from __future__ import annotations

from typing import Any

from formwright._hosts import import_host
from formwright.errors import ArgumentError

with import_host("sglang"):
    from sglang.srt.speculative.spec_info import SpeculativeAlgorithm
    from sglang.srt.speculative.spec_registry import CustomSpecAlgo

__all__ = ["FormSpeculation", "register_algorithm"]

_DRAFTS = 8
"""Tokens that a step checks for each request, unless the engine says otherwise: a call costs more with each."""
_REQUESTS = 48
"""Requests that run at a time, unless the engine says otherwise, as SGLang bounds them for n-gram speculation."""


class FormSpeculation(CustomSpecAlgo):  # type: ignore[misc]  # sglang is not typed for us
    """N-gram speculation to SGLang, which draws no difference anywhere but in its worker."""

    def is_ngram(self) -> bool:
        """Trees of drafts come from the host."""
        return True

    def has_draft_kv(self) -> bool:
        """There is no draft model."""
        return False

    def handle_server_args(self, server_args: Any) -> None:
        """The settings of n-gram speculation, where the engine has none.

        Raises:
            ArgumentError: An option cannot be combined with it.
        """
        for name, is_refused in (
            ("device", server_args.device not in ("cuda", "cpu", "xpu")),
            ("enable_dp_attention", server_args.enable_dp_attention),
            ("speculative_ngram_external_corpus_path", server_args.speculative_ngram_external_corpus_path is not None),
            ("page_size", (server_args.page_size or 1) > 1 and server_args.attention_backend != "flashinfer"),
        ):
            if is_refused:
                raise ArgumentError(
                    f"--{name.replace('_', '-')} cannot be combined with --speculative-algorithm FORMWRIGHT",
                    hint="leave one of them out",
                    argument=name,
                )
        server_args.disable_overlap_schedule = server_args.disable_overlap_schedule or server_args.device == "cpu"
        server_args.enable_mixed_chunk = False
        server_args.max_running_requests = server_args.max_running_requests or _REQUESTS
        breadth = server_args.speculative_eagle_topk = server_args.speculative_ngram_max_bfs_breadth
        drafts = server_args.speculative_num_draft_tokens = server_args.speculative_num_draft_tokens or _DRAFTS
        server_args.speculative_num_steps = server_args.speculative_num_steps or drafts // breadth


def register_algorithm() -> None:
    """Add the name to SGLang's algorithms."""
    make = SpeculativeAlgorithm.register("FORMWRIGHT", supports_overlap=True, spec_class=FormSpeculation)
    make(_find_worker)


def _find_worker(_server_args: Any) -> type:
    from formwright.engines.sglang.speculation import FormWorker

    return FormWorker
