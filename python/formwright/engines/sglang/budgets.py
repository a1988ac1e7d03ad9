"""Each text of SGLang is told its request, by hooks of SGLang's plugins.

::

    request: max_new_tokens=40     thought: 12 tokens     text: at most 27, and an end of text

A grammar is compiled, cached and copied without its request; SGLang's manager hands it over in one of two functions.
After each of them, the text is told. SGLang counts the end of text as a token, so one is kept for it where possible.

SGLang itself can end thoughts of a certain length (strict thinking). That is used for thoughts that would not leave
enough tokens for the text: then only the tokens that end the thought may come.

A hook that cannot be set is logged by SGLang, which goes on without it. So a text that was told nothing raises as soon
as it is asked for a mask.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formwright._hosts import import_host
from formwright.engines.sglang.grammar import FormwrightGrammar, has_thought
from formwright.errors import LimitExceeded

with import_host("sglang"):
    from sglang.srt.constrained.reasoner_grammar_backend import ReasonerGrammarObject
    from sglang.srt.plugins.hook_registry import HookRegistry, HookType

if TYPE_CHECKING:
    from sglang.srt.managers.schedule_batch import Req

__all__ = ["find_text", "install_hooks", "tell_request"]

_MANAGER = "sglang.srt.constrained.grammar_manager.GrammarManager"


def find_text(grammar: Any) -> FormwrightGrammar | None:
    """Our text in the grammar of a request, which may come after a thought; ``None`` if it is another back end's."""
    inner = grammar.grammar if isinstance(grammar, ReasonerGrammarObject) else grammar
    return inner if isinstance(inner, FormwrightGrammar) else None


def tell_request(request: Req) -> None:
    """Tell the text of a request how many tokens it may have. A request that no text fits in is aborted unwritten; one
    that thinks before is not, since no one knows how long.
    """
    outer = request.grammar
    if (text := find_text(outer)) is None:
        return
    text.follow_request(request)
    room = request.sampling_params.max_new_tokens
    if isinstance(outer, ReasonerGrammarObject) and has_thought(outer):
        _bound_thought(outer, text, room)
        return
    text.running.begin_after(request.origin_input_ids)
    try:
        text.running.check_room(room)
    except LimitExceeded as error:
        request.set_finish_with_abort(str(error))


def _bound_thought(outer: ReasonerGrammarObject, text: FormwrightGrammar, room: int) -> None:
    """Have a thought end in time for the text, and an end of text where that fits, too."""
    spare = room - len(outer.think_end_ids) - text.running.least
    if spare < 0:
        return
    most = max(spare - 1, 0)
    if outer.enable_token_filter and 0 <= outer.max_think_tokens <= most:
        return
    outer.max_think_tokens = most
    if not outer.enable_token_filter:
        outer.enable_token_filter, outer.token_filter_fn = True, text.set_token_filter


def _after_request(_result: Any, _manager: Any, request: Req) -> None:
    """After ``process_req_with_grammar``: the grammar is there if it was in the cache."""
    tell_request(request)


def _after_ready(ready: list[Req], _manager: Any) -> None:
    """After ``get_ready_grammar_requests``: grammars that were compiled for their requests."""
    for request in ready:
        tell_request(request)


def install_hooks() -> None:
    """Register the hooks; SGLang sets them once all plugins have run."""
    HookRegistry.register(f"{_MANAGER}.process_req_with_grammar", _after_request, HookType.AFTER)
    HookRegistry.register(f"{_MANAGER}.get_ready_grammar_requests", _after_ready, HookType.AFTER)
