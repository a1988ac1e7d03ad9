"""``formwright next``: what may come next in a text, as characters and as tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import click

import formwright as fw
from formwright.cli.shared import (
    FORM_OPTIONS,
    add_form_options,
    add_tokenizer_option,
    choose_form,
    load_vocabulary,
)

__all__ = ["next_"]

_BYTES = fw.Vocabulary([*(bytes([byte]) for byte in range(256)), None], eos_token_ids=[256])


@click.command("next")
@add_form_options("JSON Schema file: the text is JSON for this schema; - is stdin.")
@click.option("--text", default="", help="What is written already.")
@add_tokenizer_option
@click.option("--most", type=click.IntRange(1), default=40, show_default=True, help="Tokens to show at most.")
def next_(
    schema: IO[bytes] | None,
    regex: str | None,
    grammar: IO[bytes] | None,
    choices: tuple[str, ...],
    choice_file: Path | None,
    text: str,
    tokenizer: str | None,
    most: int,
    **options: Any,
) -> None:
    """Show what may come next after a text: the characters, and the tokens as the tree of their beginnings.

    The tokens are those of a tokenizer file, or of the embedded model. If the text departs from the form, the command
    shows what may come next at that place, and exits with 1.
    """
    form = choose_form(schema, regex, grammar, choices, choice_file, {name: options.pop(name) for name in FORM_OPTIONS})
    try:
        text.encode()
    except UnicodeEncodeError:
        raise click.UsageError("--text is not UTF-8.") from None
    vocabulary = load_vocabulary(tokenizer)
    good = text.encode()[: form.language.check(text.encode())[0]]
    matcher = fw.compile(form, _BYTES).matcher()
    matcher.accept_bytes(good)
    state = "complete, and may end" if matcher.is_complete else "not complete"
    click.echo(f"after {good.decode('utf-8', 'backslashreplace')!r}: {state}")
    click.echo(f"characters: {_list_characters(matcher) or 'none'}")
    _print_tokens(form, vocabulary, good, most)
    if len(good) < len(text.encode()):
        rest = text.encode()[len(good) :].decode("utf-8", "backslashreplace")
        click.echo(f"the text departs from the form there: {rest!r} cannot come next", err=True)
        raise SystemExit(1)


def _print_tokens(form: fw.Form[Any], vocabulary: fw.Vocabulary, text: bytes, most: int) -> None:
    """Print the tokens that may come next after a text, as a tree."""
    tokens = fw.compile(form, vocabulary).matcher()
    tokens.accept_bytes(text)
    allowed = tokens.allowed_token_ids()
    spelled = [token_id for token_id in allowed if vocabulary.token(token_id)]
    click.echo(f"tokens: {len(spelled)} of {len(vocabulary)}" + (", or an end" if len(spelled) < len(allowed) else ""))
    for line in _format_tree({token_id: vocabulary.token(token_id) for token_id in spelled[:most]}):
        click.echo(line)
    if len(spelled) > most:
        click.echo(f"... and {len(spelled) - most} more (--most)")


def _list_characters(matcher: fw.Matcher) -> str:
    """List the ASCII characters that may come next, as ranges, and whether others may."""
    allowed = [byte for byte in matcher.allowed_token_ids() if byte < 256]
    shown = [_format_range(low, high) for low, high in _group_neighbours([byte for byte in allowed if byte < 128])]
    beyond = [byte for byte in allowed if byte >= 128]
    if beyond:
        inside = any(byte < 0xC0 for byte in beyond)
        shown.append("the rest of a character" if inside else "characters beyond ASCII")
    return "  ".join(shown)


def _group_neighbours(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Group ascending numbers into ranges."""
    start = None
    for index, number in enumerate(numbers):
        start = number if start is None else start
        if index + 1 == len(numbers) or numbers[index + 1] != number + 1:
            yield start, number
            start = None


def _format_range(low: int, high: int) -> str:
    ends = [repr(chr(code))[1:-1].replace(" ", "' '") for code in (low, high)]
    return ends[0] if low == high else f"{ends[0]} {ends[1]}" if high == low + 1 else f"{ends[0]}-{ends[1]}"


def _format_tree(tokens: dict[int, bytes]) -> Iterator[str]:
    """Format the prefix tree of some tokens: each is a line below the longest token that it begins with."""
    depths: list[bytes] = []
    for token_id, token in sorted(tokens.items(), key=lambda entry: (entry[1], entry[0])):
        while depths and not token.startswith(depths[-1]):
            depths.pop()
        rest = token[len(depths[-1]) :] if depths else token
        yield f"{'  ' * (len(depths) + 1)}{_show_token(rest)} {token_id}"
        if not depths or token != depths[-1]:
            depths.append(token)


def _show_token(token: bytes) -> str:
    return repr(token.decode("utf-8", "backslashreplace"))
