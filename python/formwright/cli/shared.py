"""What subcommands share: reading files, and the options for forms, JSON, models and tokenizers."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import IO, Any, TypeVar

import click

import formwright as fw
from formwright.errors import ArgumentError
from formwright.forms.grammar_imports import find_modules
from formwright.models import LocalModel
from formwright.tokenizers import from_file

__all__ = [
    "FILE",
    "FORM_OPTIONS",
    "GRAMMAR_OPTIONS",
    "PATH",
    "add_form_options",
    "add_grammar_options",
    "add_json_options",
    "add_model_option",
    "add_tokenizer_option",
    "choose_form",
    "import_type",
    "is_grammar",
    "is_stdin",
    "load_local_model",
    "load_vocabulary",
    "read_grammar",
    "read_text",
    "remove_final_newline",
]

Command = TypeVar("Command", bound=Callable[..., Any])

FILE = click.File("rb")
"""A file of bytes; - is stdin. `read_text` decodes it."""

_JSON_OPTIONS = ("notation", "order", "whitespace", "max_whitespace", "max_items", "alphabet")
"""The parameters that `add_json_options` adds."""

GRAMMAR_OPTIONS = ("start", "lexing")
"""The parameters that `add_grammar_options` adds."""

FORM_OPTIONS = (*_JSON_OPTIONS, *GRAMMAR_OPTIONS)
"""The parameters that say how a schema or a grammar is read."""


def is_stdin(file: IO[bytes]) -> bool:
    """Whether a file is the standard input."""
    return getattr(file, "name", "<stdin>") == "<stdin>"


def is_grammar(file: IO[bytes]) -> bool:
    """Whether a file has the name of a grammar, not of a schema."""
    return str(getattr(file, "name", "")).endswith((".lark", ".gbnf", ".ebnf"))


def read_grammar(file: IO[bytes]) -> tuple[str, dict[str, str]]:
    """Read a grammar, and the grammars beside it from which it, and these in turn, import."""
    text, found = read_text(file), dict[str, str]()
    if is_stdin(file):
        return text, found
    modules = find_modules(text)
    while modules:
        module = modules.pop()
        path = Path(file.name).parent.joinpath(*module.split(".")).with_suffix(".lark")
        if module not in found and path.is_file():
            found[module] = path.read_text(encoding="utf-8")
            modules += find_modules(found[module], module.rpartition(".")[0])
    return text, found


def read_text(file: IO[bytes]) -> str:
    """Read the text of a file.

    Raises:
        click.UsageError: It is not UTF-8.
    """
    try:
        return file.read().decode()
    except UnicodeDecodeError as error:
        name = getattr(file, "name", "-")
        byte = error.object[error.start]
        raise click.UsageError(f"{name} is not UTF-8 text: byte 0x{byte:02x} at offset {error.start}.") from error


def import_type(name: str, what: str) -> Any:
    """Import the type of ``module:Type``, also from the working folder.

    Args:
        name: The module and the type.
        what: The option or argument that was given, for the message.

    Raises:
        ArgumentError: There is no such module or type.
    """
    module, _, attribute = name.partition(":")
    sys.path.insert(0, "")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise ArgumentError(f"{what} {name}: {error}", hint="as in records:Invoice", argument=what) from None
    finally:
        sys.path.remove("")


def remove_final_newline(text: str) -> str:
    """Remove the line break that editors put at the end of a text."""
    return text.removesuffix("\n").removesuffix("\r")


def add_json_options(command: Command) -> Command:
    """Add the options for how JSON is written; those that are not given are ``None``, for the environment to decide."""
    notation = click.option(
        "--notation",
        type=click.Choice(["json", "jsonl", "python", "csv", "tsv", "markdown", "xml", "toml", "toon", "yaml"]),
        help="How values are written.  [default: json]",
    )
    order = click.option(
        "--order",
        type=click.Choice(["schema", "model"]),
        help="Who orders the properties.  [default: $FORMWRIGHT_ORDER, or schema]",
    )
    whitespace = click.option(
        "--whitespace",
        metavar="flexible|compact|pretty|free|REGEX",
        help="Whitespace between the parts of JSON.  [default: free where a bound is given, or flexible]",
    )
    max_whitespace = click.option(
        "--max-whitespace",
        type=int,
        metavar="N",
        help="Whitespace characters in a row, where it is free.  [default: $FORMWRIGHT_MAX_WHITESPACE, or 12]",
    )
    max_items = click.option(
        "--max-items",
        type=int,
        metavar="N",
        help="Items of an array whose schema gives no maximum.  [default: $FORMWRIGHT_MAX_ITEMS, or no bound]",
    )
    alphabet = click.option(
        "--alphabet",
        metavar="CHARACTERS",
        help="Characters of strings and names that the schema leaves open.  [default: $FORMWRIGHT_ALPHABET, or all]",
    )
    return notation(order(whitespace(max_whitespace(max_items(alphabet(command))))))


def add_grammar_options(command: Command) -> Command:
    """Add the options for how a grammar is read."""
    start = click.option("--start", metavar="RULE", help="Rule that a text begins with.  [default: start, or root]")
    lexing = click.option(
        "--lexing",
        type=click.Choice(["longest", "basic", "any"]),
        help="How a text is cut into terminals.  [default: longest for Lark, any for GBNF and EBNF]",
    )
    return start(lexing(command))


def choose_form(
    schema: IO[bytes] | None,
    regex: str | None,
    grammar: IO[bytes] | None,
    choices: tuple[str, ...],
    choice_file: Path | None,
    options: dict[str, Any],
) -> fw.Form[Any]:
    """Make the one form of the options.

    Raises:
        click.UsageError: There is none, or more than one; or a form has options of another.
    """
    if choices and choice_file is not None:
        raise click.UsageError("Give --choice or --choice-file, not both.")
    if (schema is not None) + (regex is not None) + (grammar is not None) + bool(choices or choice_file) != 1:
        raise click.UsageError("Give exactly one form: --schema, --regex, --grammar, --choice or --choice-file.")
    given = {name: value for name, value in options.items() if value is not None}
    if schema is not None:
        _refuse_options(given, GRAMMAR_OPTIONS, "--grammar: other texts have no rules")
        return fw.json_schema(read_text(schema), **given)
    _refuse_options(given, _JSON_OPTIONS, "--schema: other texts have no JSON in them")
    if grammar is not None:
        text, imports = read_grammar(grammar)
        return fw.grammar(text, imports=imports, **given)
    _refuse_options(given, GRAMMAR_OPTIONS, "--grammar: other texts have no rules")
    return fw.regex(regex) if regex is not None else fw.choice(choice_file or choices)


def _refuse_options(given: Mapping[str, Any], names: Sequence[str], why: str) -> None:
    """Refuse options that the form does not have. Raises click.UsageError."""
    for name in names:
        if name in given:
            raise click.UsageError(f"--{name.replace('_', '-')} is for {why}.")


PATH = click.Path(exists=True, dir_okay=False, path_type=Path)


def add_form_options(schema: str) -> Callable[[Command], Command]:
    """Add the options of `choose_form`, and those for how JSON is written.

    Args:
        schema: The help of ``--schema``.
    """
    options = [
        click.option("--schema", type=FILE, help=schema),
        click.option(
            "--regex", help=r"Regular expression that the complete text matches; \d is 0 to 9, (?u)\d any digit."
        ),
        click.option("--grammar", type=FILE, help="Grammar file, in the notation of Lark, GBNF or EBNF."),
        click.option("--choice", "choices", multiple=True, help="One of these texts; repeat the option."),
        click.option(
            "--choice-file", type=PATH, help="File of UTF-8 with one text on each line: the text is one of them."
        ),
        add_json_options,
        add_grammar_options,
    ]
    return lambda command: reduce(lambda made, option: option(made), reversed(options), command)


def add_model_option(command: Command) -> Command:
    """Add ``--model``."""
    text = "Name of the model, its folder or .gguf file, or URL#name of a remote model."
    return click.option("--model", default="formwright-tiny", show_default=True, help=text)(command)


def load_local_model(name: str) -> LocalModel:
    """Load a model that runs here.

    Raises:
        UnknownModel: There is no model of this name.
        click.UsageError: It is a remote model.
    """
    loaded = fw.load(name)
    if not isinstance(loaded, LocalModel):
        raise click.UsageError(f"--model {name}: this command needs a model that runs here.")
    return loaded


def load_vocabulary(
    tokenizer: str | None, eos_token_ids: Sequence[int] = (), logits_size: int | None = None
) -> fw.Vocabulary:
    """Load the vocabulary of a tokenizer's file, with ends of text and a width that it may not say; or that of the
    embedded model.
    """
    if tokenizer is None:
        return fw.load("formwright-tiny").vocabulary
    ends = list(eos_token_ids) or None
    return fw.Vocabulary.from_tokenizer(from_file(tokenizer), eos_token_ids=ends, logits_size=logits_size)


def add_tokenizer_option(command: Command) -> Command:
    """Add ``--tokenizer``."""
    return click.option(
        "--tokenizer",
        type=click.Path(exists=True, dir_okay=False),
        help="tokenizer.json, or a model of SentencePiece; without it, the tokens of the embedded model.",
    )(command)
