"""What SGLang calls in each of its processes, by the entry point ``sglang.srt.plugins``.

::

    install()            # adds names and hooks: other back ends and algorithms stay as they are

SGLang logs a plugin that raises, and goes on without it: the name is then unknown, and the engine does not start.
"""

from __future__ import annotations

from functools import cache

from formwright._hosts import import_host
from formwright.engines.sglang.algorithm import register_algorithm
from formwright.engines.sglang.budgets import install_hooks
from formwright.engines.sglang.factory import make_backend
from formwright.engines.sglang.stamped_server import SERVER, add_stamp, is_stamp_asked

with import_host("sglang"):
    from sglang.srt.constrained.base_grammar_backend import register_grammar_backend
    from sglang.srt.plugins.hook_registry import HookRegistry, HookType
    from sglang.srt.server_args import add_grammar_backend_choices

__all__ = ["NAME", "install"]

NAME = "formwright"


@cache
def install() -> None:
    """Add the name to SGLang's grammar back ends and algorithms, the hooks by which texts know their requests, and
    stamps if the environment asks for them.
    """
    register_grammar_backend(NAME, make_backend)
    add_grammar_backend_choices([NAME])
    install_hooks()
    register_algorithm()
    if is_stamp_asked():
        HookRegistry.register(f"{SERVER}._setup_and_run_http_server", add_stamp, HookType.BEFORE)
