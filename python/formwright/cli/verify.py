"""``formwright verify``: whether a receipt holds, or what a stamped reply says of its texts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import click

from formwright import Form, Vocabulary
from formwright.cli.shared import (
    FILE,
    PATH,
    add_json_options,
    add_tokenizer_option,
    choose_form,
    is_grammar,
    load_vocabulary,
    read_text,
)
from formwright.errors import ArgumentError, VocabularyError
from formwright.receipts import Receipt, from_reply, read_public_key, read_reply_stamp

__all__ = ["verify"]


@click.command()
@click.argument("receipt", type=FILE, required=False)
@click.option("--reply", type=FILE, help="In place of RECEIPT, a stamped reply of a service, as JSON.")
@click.option("--form", "schema", type=FILE, help="The JSON Schema that the text should have been written under.")
@click.option("--public-key", type=PATH, help="The Ed25519 key, in PEM, of the one who should have signed it.")
@click.option("--save", type=click.Path(dir_okay=False, path_type=Path), help="File for the receipts of --reply.")
@add_tokenizer_option
@add_json_options
def verify(
    receipt: IO[bytes] | None,
    reply: IO[bytes] | None,
    schema: IO[bytes] | None,
    public_key: Path | None,
    save: Path | None,
    tokenizer: str | None,
    **options: Any,
) -> None:
    """Replay the masks of RECEIPT: every token was allowed where it is, and the text may end where it ends. A file may
    have several receipts of one model, one a line.

    The form is that of the receipt; with --form, and the options that it was read with, it must be the same one. Exits
    with 1 if something is wrong: each line names an entry of the receipt, and the token at which it shows.

    With --reply, receipts are made of a stamped reply, one for each text. --form is the schema of the request, or a
    grammar (.lark, .gbnf, .ebnf). What the reply does not say is assumed, and named. --save writes them, one a line.
    """
    if (receipt is None) == (reply is None):
        raise click.UsageError("Give a receipt, or --reply, and not both.")
    if save is not None and reply is None:
        raise click.UsageError("--save is for --reply.")
    form = None if schema is None else _choose_form(schema, options)
    key = None if public_key is None else read_public_key(public_key)
    if receipt is not None:
        receipts: Sequence[Receipt] = _read_receipts(read_text(receipt))
        vocabulary = _find_vocabulary(tokenizer, receipts[0].eos_token_ids, receipts[0].logits_size)
    else:
        assert reply is not None  # one of the two is given
        receipts, vocabulary = _read_reply(read_text(reply), form, tokenizer)
    if save is not None:
        save.write_text("".join(f"{read.to_json()}\n" for read in receipts), encoding="utf-8")
    problems = [problem for read in receipts for problem in read.verify(vocabulary, form=form, public_key=key)]
    for problem in problems:
        click.echo(str(problem))
    if problems:
        raise SystemExit(1)
    for read in receipts:
        click.echo(_describe(read))


def _choose_form(file: IO[bytes], options: dict[str, Any]) -> Form[Any]:
    """The form of a file."""
    more = {**options, "start": None, "lexing": None}
    schema, grammar = (None, file) if is_grammar(file) else (file, None)
    return choose_form(schema, None, grammar, (), None, more)


def _read_reply(text: str, form: Form[Any] | None, tokenizer: str | None) -> tuple[Sequence[Receipt], Vocabulary]:
    """The receipts of a reply, and the vocabulary that its stamp describes. Another form ends the command with 1."""
    stamp = read_reply_stamp(text)
    vocabulary = _find_vocabulary(tokenizer, stamp.eos_token_ids, stamp.logits_size)
    try:
        return from_reply(text, vocabulary, form), vocabulary
    except ArgumentError as error:
        if error.argument != "form" or form is None:
            raise
        click.echo(f"form: {error}")
        raise SystemExit(1) from error


def _read_receipts(text: str) -> list[Receipt]:
    """The receipts of a file. Raises ArgumentError."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and all(line.startswith("{") and line.rstrip().endswith("}") for line in lines):
        return [Receipt.from_json(line) for line in lines]
    return [Receipt.from_json(text)]


def _find_vocabulary(tokenizer: str | None, eos_token_ids: Sequence[int], logits_size: int | None) -> Vocabulary:
    """The vocabulary of a file, with these ends and this width if they fit: another tokenizer may be a larger one."""
    try:
        return load_vocabulary(tokenizer, eos_token_ids, logits_size)
    except VocabularyError:
        return load_vocabulary(tokenizer)


def _describe(read: Receipt) -> str:
    """What holds, in one line."""
    signed = f", signed by {read.signature.public_key[:16]}..." if read.signature is not None else ""
    assumed = f"; not said, and assumed: {', '.join(read.assumed)}" if read.assumed else ""
    return f"holds: {len(read.token_ids)} tokens, {read.end}{signed}{assumed}"
