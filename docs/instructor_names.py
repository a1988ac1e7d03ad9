"""The names of Instructor 1.17.0 and ours: for the table of `from_instructor.md`, and for the tests.

``NAMES`` is what that version has, by kind; ``TABLE`` says of each name what it is here, or why it is not.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["NAMES", "NOT_OURS", "TABLE", "VERSION", "Row"]

VERSION = "1.17.0"

NOT_OURS = "not ours"

NAMES: dict[str, tuple[str, ...]] = {
    "instructor.__all__": (
        "AsyncInstructor",
        "Audio",
        "BatchJob",
        "BatchProcessor",
        "BatchRequest",
        "CitationMixin",
        "FinetuneFormat",
        "Image",
        "Instructions",
        "Instructor",
        "IterableModel",
        "Maybe",
        "Mode",
        "OpenAISchema",
        "Partial",
        "Provider",
        "ResponseSchema",
        "apatch",
        "from_anyscale",
        "from_databricks",
        "from_deepseek",
        "from_litellm",
        "from_openai",
        "from_openrouter",
        "from_perplexity",
        "from_provider",
        "from_together",
        "from_vertexai",
        "generate_anthropic_schema",
        "generate_gemini_schema",
        "generate_openai_schema",
        "hooks",
        "llm_validator",
        "openai_moderation",
        "openai_schema",
        "patch",
        "response_schema",
        "v2",
    ),
    "instructor.Mode": (
        "FUNCTIONS",
        "PARALLEL_TOOLS",
        "TOOLS",
        "TOOLS_STRICT",
        "JSON",
        "JSON_O1",
        "MD_JSON",
        "JSON_SCHEMA",
        "RESPONSES_TOOLS",
        "RESPONSES_TOOLS_WITH_INBUILT_TOOLS",
        "XAI_JSON",
        "XAI_TOOLS",
        "ANTHROPIC_TOOLS",
        "ANTHROPIC_REASONING_TOOLS",
        "ANTHROPIC_JSON",
        "ANTHROPIC_PARALLEL_TOOLS",
        "MISTRAL_TOOLS",
        "MISTRAL_STRUCTURED_OUTPUTS",
        "VERTEXAI_TOOLS",
        "VERTEXAI_JSON",
        "VERTEXAI_PARALLEL_TOOLS",
        "GEMINI_JSON",
        "GEMINI_TOOLS",
        "GENAI_TOOLS",
        "GENAI_JSON",
        "GENAI_STRUCTURED_OUTPUTS",
        "COHERE_TOOLS",
        "COHERE_JSON_SCHEMA",
        "CEREBRAS_TOOLS",
        "CEREBRAS_JSON",
        "FIREWORKS_TOOLS",
        "FIREWORKS_JSON",
        "WRITER_TOOLS",
        "WRITER_JSON",
        "BEDROCK_TOOLS",
        "BEDROCK_JSON",
        "PERPLEXITY_JSON",
        "OPENROUTER_STRUCTURED_OUTPUTS",
    ),
    "instructor.hooks.HookName": (
        "completion:kwargs",
        "completion:response",
        "completion:error",
        "completion:last_attempt",
        "completion:usage",
        "parse:error",
    ),
    "instructor.Instructor": (
        "chat",
        "clear",
        "client",
        "completions",
        "create",
        "create_fn",
        "create_iterable",
        "create_partial",
        "create_with_completion",
        "default_model",
        "handle_kwargs",
        "hooks",
        "kwargs",
        "messages",
        "mode",
        "off",
        "on",
        "provider",
    ),
    "instructor.hooks.Hooks": (
        "clear",
        "combine",
        "copy",
        "emit",
        "emit_completion_arguments",
        "emit_completion_error",
        "emit_completion_last_attempt",
        "emit_completion_response",
        "emit_completion_usage",
        "emit_parse_error",
        "get_hook_name",
        "off",
        "on",
    ),
    "create": ("response_model", "messages", "max_retries", "context", "strict", "hooks", "token_budget", "kwargs"),
    "instructor.core.exceptions": (
        "AsyncValidationError",
        "ClientError",
        "ConfigurationError",
        "IncompleteOutputException",
        "InstructorError",
        "InstructorRetryException",
        "ModeError",
        "MultimodalError",
        "ProviderError",
        "ResponseParsingError",
        "TokenBudgetError",
        "TokenBudgetExceeded",
        "TokenUsageUnavailableError",
        "ValidationError",
        "FailedAttempt",
    ),
}
"""Its public names, its modes, its hooks, and what its clients and errors are called."""


class Row(NamedTuple):
    """A name of Instructor, and what it is here."""

    name: str
    ours: str
    note: str = ""


_VENDOR = (
    "its vendor has an endpoint that `fw.connect(url, model)` speaks with, or an SDK with `chat.completions.create`"
)
_SERVICE = "leave `mode` out; formwright chooses it"

_PUBLIC = (
    Row("Instructor", "fw.patch(client)", "a wrapper; the client is not changed"),
    Row("AsyncInstructor", "fw.patch(client)", "of an async client"),
    Row("Audio", NOT_OURS, "parts of messages that are not text go through untouched: write the one of the API"),
    Row("Image", NOT_OURS, "parts of messages that are not text go through untouched: write the one of the API"),
    Row("BatchJob", NOT_OURS, "files of batches are another tool; `generate_many` sends many prompts at a time"),
    Row("BatchProcessor", NOT_OURS, "files of batches are another tool; `generate_many` sends many prompts at a time"),
    Row("BatchRequest", NOT_OURS, "files of batches are another tool; `generate_many` sends many prompts at a time"),
    Row("CitationMixin", "fw.one_of_text(...)", "the mask lets a field quote only what occurs there"),
    Row("FinetuneFormat", NOT_OURS, "fine-tuning is another tool"),
    Row("Instructions", NOT_OURS, "fine-tuning is another tool"),
    Row("IterableModel", "Iterable[T]", "or `list[T]`: a plain list comes back"),
    Row("Maybe", "formwright.client.Maybe", "wraps `T`; `bool(value)` is true if there is a result"),
    Row("Mode", "fw.patch(client, mode=...)", "a string: see the modes below"),
    Row("OpenAISchema", "BaseModel", "a type needs no base class of ours"),
    Row("Partial", "create_partial", "or `stream=True`, with the type itself"),
    Row("Provider", 'service="..."', "known by the URL of the client, unless it is given"),
    Row("ResponseSchema", "BaseModel", "a type needs no base class of ours"),
    Row("apatch", "fw.patch(client)", "the same function for async clients"),
    *(
        Row(f"from_{vendor}", NOT_OURS, _VENDOR)
        for vendor in (
            "anyscale",
            "databricks",
            "deepseek",
            "litellm",
            "openrouter",
            "perplexity",
            "together",
            "vertexai",
        )
    ),
    Row(
        "from_openai",
        "fw.patch(client)",
        "not `fw.from_openai`: that gives a formwright model with `generate` and `stream`",
    ),
    Row("from_provider", "fw.connect(url, model)", "a URL in place of a name"),
    Row(
        "generate_openai_schema",
        'formwright.schemas.providers.convert(T, to="openai")',
        "with notes of what it cannot say",
    ),
    Row("generate_anthropic_schema", 'formwright.schemas.providers.convert(T, to="anthropic")', "the same"),
    Row("generate_gemini_schema", 'formwright.schemas.providers.convert(T, to="gemini")', "the same"),
    Row("hooks", "formwright.client.Hooks", ""),
    Row("llm_validator", NOT_OURS, "a validator of the type may ask a model itself"),
    Row("openai_moderation", NOT_OURS, "moderation is another tool"),
    Row("openai_schema", "BaseModel", "a type needs no decorator"),
    Row("patch", "fw.patch", "`client` or `create=`; `provider=` is `service=`"),
    Row("response_schema", "BaseModel", "a type needs no decorator"),
    Row("v2", NOT_OURS, "the inside of another library"),
)

_MODES = {
    "tools": """TOOLS FUNCTIONS ANTHROPIC_TOOLS ANTHROPIC_REASONING_TOOLS MISTRAL_TOOLS XAI_TOOLS VERTEXAI_TOOLS
        GEMINI_TOOLS GENAI_TOOLS COHERE_TOOLS CEREBRAS_TOOLS FIREWORKS_TOOLS WRITER_TOOLS BEDROCK_TOOLS RESPONSES_TOOLS
        TOOLS_STRICT""",
    "json_object": """JSON XAI_JSON VERTEXAI_JSON GEMINI_JSON GENAI_JSON CEREBRAS_JSON FIREWORKS_JSON
        WRITER_JSON BEDROCK_JSON PERPLEXITY_JSON""",
    "instructions": "MD_JSON JSON_O1 ANTHROPIC_JSON",
    "strict": """JSON_SCHEMA MISTRAL_STRUCTURED_OUTPUTS GENAI_STRUCTURED_OUTPUTS COHERE_JSON_SCHEMA
        OPENROUTER_STRUCTURED_OUTPUTS""",
}
_MODE_NOTES = {
    "TOOLS": "one tool, which the model has to call",
    "TOOLS_STRICT": "`strict` of the tool is set where the service has it",
    "FUNCTIONS": "`functions=` has gone; tools do the same",
    "JSON": "the service writes some object; instructions say which",
    "JSON_SCHEMA": "the service enforces the schema",
    "MD_JSON": "the JSON is looked for in the answer",
    "RESPONSES_TOOLS": "`client.responses.create(response_model=..., input=...)`",
    "ANTHROPIC_JSON": "Anthropic has no mode for JSON alone; `strict` enforces the schema",
}

_MODE_ROWS = (
    *tuple(
        Row(name, f'mode="{mode}"', _MODE_NOTES.get(name, _SERVICE))
        for mode, names in _MODES.items()
        for name in names.split()
    ),
    Row("PARALLEL_TOOLS", "Iterable[A | B]", "one list of values, instead of several calls"),
    Row("ANTHROPIC_PARALLEL_TOOLS", "Iterable[A | B]", "the same"),
    Row("VERTEXAI_PARALLEL_TOOLS", "Iterable[A | B]", "the same"),
    Row(
        "RESPONSES_TOOLS_WITH_INBUILT_TOOLS",
        NOT_OURS,
        "`tools=` with `response_model=` is refused: ask the client itself",
    ),
)

_CLIENT = (
    Row("chat", "client.chat.completions.create", ""),
    Row("completions", NOT_OURS, "`client.completions` is the client's own; use `client.chat.completions`"),
    Row("messages", NOT_OURS, "`client.messages` is the client's own; use `client.chat.completions`"),
    Row("create", "create", ""),
    Row("create_iterable", "create_iterable", "items are validated one by one"),
    Row("create_partial", "create_partial", "the last object is validated"),
    Row("create_with_completion", "create_with_completion", ""),
    Row("default_model", 'fw.patch(client, model="...")', ""),
    Row("client", NOT_OURS, "the client passed in, which is not changed"),
    Row("create_fn", NOT_OURS, "the inside of another library"),
    Row("hooks", "client.on", "hooks are given with `fw.patch(client, hooks=...)` or added with `client.on`"),
    Row("kwargs", "fw.patch(client, ...)", "arguments of calls that do not give them"),
    Row("mode", "fw.patch(client, mode=...)", ""),
    Row("provider", 'fw.patch(client, service="...")', ""),
    Row("handle_kwargs", NOT_OURS, "the inside of another library"),
    Row("on", "client.on", ""),
    Row("off", "client.off", ""),
    Row("clear", "client.clear", "without a name, all"),
)

_HOOKS = (
    *(
        Row(name, name, note)
        for name, note in (
            ("completion:kwargs", "the body of the request, as keyword arguments"),
            ("completion:response", "the answer, as the client gave it"),
            ("completion:error", "the request failed"),
            ("completion:last_attempt", "the error after the last attempt"),
            ("completion:usage", "a `Usage` of all attempts so far"),
            ("parse:error", "the answer does not conform, or was cut"),
        )
    ),
    Row("Hooks.on", "hooks.on", "no other name is known"),
    Row("Hooks.off", "hooks.off", ""),
    Row("Hooks.clear", "hooks.clear", ""),
    Row("Hooks.combine", "hooks + others", ""),
    Row("Hooks.copy", "Hooks() + hooks", ""),
    Row("Hooks.emit", "hooks.emit", "one function for all events"),
    *(
        Row(f"Hooks.emit_{event}", "hooks.emit", "with the name of the event")
        for event in (
            "completion_arguments",
            "completion_error",
            "completion_last_attempt",
            "completion_response",
            "completion_usage",
            "parse_error",
        )
    ),
    Row("Hooks.get_hook_name", NOT_OURS, "names are strings; members of an Enum of them will do"),
)

_ARGUMENTS = (
    Row("response_model=", "response_model=", "anything that `fw.form` takes"),
    Row("messages=", "messages=", "of `responses`: `input=`"),
    Row(
        "max_retries=",
        "max_retries=",
        "default 3, that is up to 4 attempts; streams: 0",
    ),
    Row("context=", "context=", "also `validation_context=`"),
    Row("strict=", NOT_OURS, "`strict=False` is refused: formwright never coerces loosely"),
    Row("hooks=", "hooks=", "beside those of the client"),
    Row("token_budget=", "token_budget=", "tokens of all attempts together"),
    Row("**kwargs", "**given", "passed on to the client as they are"),
)

_ERRORS = (
    Row("InstructorError", "FormwrightError", ""),
    Row("InstructorRetryException", "AttemptsExhausted", "its attributes: see above"),
    Row("FailedAttempt", "formwright.client.Attempt", "in `error.attempts`"),
    Row("IncompleteOutputException", "OutputTruncated", "asked for again with twice the tokens, if there are retries"),
    Row("ValidationError", "OutputInvalid", "the `ValidationError` of pydantic is its cause"),
    Row("AsyncValidationError", NOT_OURS, "validators are pydantic's, and not awaited"),
    Row("ResponseParsingError", "OutputInvalid", ""),
    Row("ModeError", "ArgumentError", ""),
    Row("ConfigurationError", "ArgumentError", ""),
    Row("ClientError", "ArgumentError", ""),
    Row("ProviderError", "RequestFailed", "with `status`, `body` and `retry_after`"),
    Row("MultimodalError", NOT_OURS, "parts of messages that are not text go through untouched"),
    Row("TokenBudgetError", "LimitExceeded", "the cause of an `AttemptsExhausted`"),
    Row("TokenBudgetExceeded", "LimitExceeded", "the cause of an `AttemptsExhausted`"),
    Row("TokenUsageUnavailableError", NOT_OURS, "an answer that does not say what it took counts as nothing"),
)

TABLE: dict[str, tuple[Row, ...]] = {
    "instructor.__all__": _PUBLIC,
    "instructor.Mode": _MODE_ROWS,
    "instructor.hooks.HookName": _HOOKS[:6],
    "instructor.hooks.Hooks": _HOOKS[6:],
    "instructor.Instructor": _CLIENT,
    "create": _ARGUMENTS,
    "instructor.core.exceptions": _ERRORS,
}
"""What each name is here, by kind."""
