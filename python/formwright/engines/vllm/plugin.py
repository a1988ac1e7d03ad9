"""What vLLM calls in each of its processes, by the entry point ``vllm.general_plugins``.

::

    install()            # nothing, unless FORMWRIGHT_VLLM=1

Cost: the import of `formwright.engines.vllm.backend`, if it is asked for. vLLM logs a plugin that
cannot be imported, and goes on without it; one that raises when it is called ends the process. So nothing is imported
above, and everything is raised below.
"""

from __future__ import annotations

import os

__all__ = ["VARIABLE", "install"]

VARIABLE = "FORMWRIGHT_VLLM"


def install() -> None:
    """Let formwright serve the structured outputs of this process, if the environment says so.

    Raises:
        HostMismatch: This vLLM is of an unknown version, or has other names.
        ArgumentError: The variable is neither 0 nor 1.
    """
    from formwright.errors import ArgumentError

    value = os.environ.get(VARIABLE, "0")
    if value not in ("", "0", "1"):
        raise ArgumentError(f"{VARIABLE}: expected 0 or 1, got {value!r}", argument=VARIABLE)
    if value == "1":
        from formwright.engines.vllm import backend

        backend.install()
