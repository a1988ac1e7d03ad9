"""A table of what each service can do, from which ``mode="auto"`` chooses.

::

    find_service("https://api.deepseek.com/v1", "openai").name            # 'deepseek'
    list_modes(SERVICES["openai"], "gpt-4-turbo")                         # ('tools', 'json_object', 'instructions')

==================  ================================================================================================
mode                how the form is requested
==================  ================================================================================================
``strict``          the service enforces a schema: the form's, or what its subset of JSON Schema can say of it
``tools``           the model calls one tool, whose arguments are the value
``json_object``     the service enforces some JSON object; instructions say which
``instructions``    instructions alone; the conforming text is searched in the answer
==================  ================================================================================================

A server at any other URL is assumed to read all of JSON Schema in ``response_format``, as vLLM, SGLang, llama.cpp and
`formwright serve` do, and grammars where vLLM and `formwright serve` read them. ``service="sglang"`` and
``service="llama.cpp"`` name those that read them elsewhere, ``service="formwright"`` one with custom tools. Services
change, so every text is checked here, whatever the service says that it enforces.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from formwright.client.plans.grammar_fields import GrammarField
from formwright.errors import ArgumentError
from formwright.generation.result import Mode

__all__ = ["SERVICES", "Api", "Service", "find_service", "list_grammar_modes", "list_modes", "register_service"]

Api: TypeAlias = Literal["openai", "responses", "anthropic", "gemini"]
"""The formats of requests and answers."""

_ALL: tuple[Mode, ...] = ("strict", "tools", "json_object", "instructions")


@dataclass(frozen=True, slots=True)
class Service:
    """A row of the table.

    Attributes:
        name: Its name.
        hosts: The hosts of its URLs; of a host that begins with a dot, the end.
        modes: Its modes, in the order in which ``mode="auto"`` tries it.
        subset: The provider whose subset of JSON Schema its strict schemas keep to, such as ``"openai"``;
            ``None`` is all of JSON Schema.
        older: Models that can do less: their names, with ``*`` for any end, and their modes.
        max_tokens_name: The field of chat completions that bounds the answer.
        lacks: Options of generation that other services of its API have.
        is_loose_in_auto: Whether it does not enforce the schemas of tools in mode ``tools`` where the model may also
            write text.
        key: The variable of the environment that holds the key, where none is passed.
        may_score: Whether it may be `formwright serve`, which scores given texts.
        grammars: Where it reads a grammar (`formwright.client.plans.grammar_fields`); ``None`` if it reads none.
        has_custom_tools: Whether it has tools whose input is a text.
        before_grammars: Models that read none, though the service does: their names, with ``*`` for any end.
    """

    name: str
    hosts: tuple[str, ...]
    modes: tuple[Mode, ...] = _ALL
    subset: str | None = None
    older: tuple[tuple[tuple[str, ...], tuple[Mode, ...]], ...] = ()
    max_tokens_name: str = "max_tokens"
    lacks: frozenset[str] = frozenset()
    is_loose_in_auto: bool = False
    key: str = "FORMWRIGHT_API_KEY"
    may_score: bool = False
    grammars: GrammarField | None = None
    has_custom_tools: bool = False
    before_grammars: tuple[str, ...] = ()


_WITHOUT_STRICT: tuple[Mode, ...] = ("tools", "json_object", "instructions")

_OPENAI = Service(
    "openai",
    ("api.openai.com",),
    subset="openai",
    older=(
        (("gpt-3.5*", "gpt-4", "gpt-4-*", "gpt-4o-2024-05-13"), _WITHOUT_STRICT),
        (("o1-mini*", "o1-preview*"), ("instructions",)),
    ),
    max_tokens_name="max_completion_tokens",
    lacks=frozenset({"top_k"}),
    key="OPENAI_API_KEY",
    grammars="custom tool",
    has_custom_tools=True,
    before_grammars=("gpt-3*", "gpt-4*", "chatgpt-*", "o1*", "o3*", "o4*"),
)

_COMPATIBLE = Service("compatible", (), may_score=True, grammars="structured_outputs")

SERVICES: dict[str, Service] = {
    service.name: service
    for service in (
        _OPENAI,
        replace(
            _OPENAI,
            name="azure",
            hosts=(".openai.azure.com", ".services.ai.azure.com", ".cognitiveservices.azure.com"),
            key="AZURE_OPENAI_API_KEY",
        ),
        Service(
            "anthropic",
            ("api.anthropic.com",),
            modes=("strict", "tools", "instructions"),
            subset="anthropic",
            key="ANTHROPIC_API_KEY",
            older=(
                (
                    ("claude-2*", "claude-3*", "claude-instant*", "claude-sonnet-4-[02]*", "claude-opus-4-[02]*"),
                    ("tools", "instructions"),
                ),
            ),
        ),
        Service(
            "gemini",
            ("generativelanguage.googleapis.com", "aiplatform.googleapis.com"),
            subset="gemini",
            is_loose_in_auto=True,
            key="GEMINI_API_KEY",
            older=((("gemini-1.*", "models/gemini-1.*"), _WITHOUT_STRICT),),
        ),
        Service(
            "deepseek",
            ("api.deepseek.com",),
            modes=("tools", "json_object", "instructions"),
            lacks=frozenset({"top_k", "seed"}),
            key="DEEPSEEK_API_KEY",
        ),
        replace(_COMPATIBLE, name="formwright", has_custom_tools=True),
        replace(_COMPATIBLE, name="sglang", may_score=False, grammars="ebnf"),
        replace(_COMPATIBLE, name="llama.cpp", may_score=False, grammars="grammar"),
        _COMPATIBLE,
    )
}


def register_service(service: Service) -> None:
    """Add a service to the table, or replace the one of its name.

    Raises:
        ArgumentError: ``service`` is not a `Service`, or has no name or no mode.
    """
    if not isinstance(service, Service):
        raise ArgumentError(f"service: expected a formwright.client.Service, got {service!r}", argument="service")
    if not service.name or not service.modes or not set(service.modes) <= set(_ALL):
        message = f"service: expected a name and modes of {', '.join(_ALL)}, got {service!r}"
        raise ArgumentError(message, argument="service")
    SERVICES[service.name] = service


def find_service(base_url: str, api: str) -> Service:
    """Find the service at a URL."""
    host = (urlsplit(base_url).hostname or "").lower()
    for service in SERVICES.values():
        if any(host.endswith(known) if known.startswith(".") else host == known for known in service.hosts):
            return service
    return SERVICES.get(api if api in ("anthropic", "gemini") else "compatible", SERVICES["compatible"])


def list_modes(service: Service, model: str) -> tuple[Mode, ...]:
    """Return the modes of a model of a service, in the order in which they are tried."""
    older = (modes for names, modes in service.older if any(fnmatchcase(model, name) for name in names))
    return next(older, service.modes)


def list_grammar_modes(service: Service, model: str) -> tuple[Mode, ...]:
    """Return the modes in which a grammar is requested: sent to a service that reads it, or described in the prompt."""
    is_too_old = any(fnmatchcase(model, name) for name in service.before_grammars)
    modes = list_modes(service, model)
    return tuple(
        mode for mode in modes if mode == "instructions" or (mode == "strict" and service.grammars and not is_too_old)
    )
