"""``formwright verify``: whether a receipt holds."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any

import click

from formwright.cli.shared import (
    FILE,
    PATH,
    add_json_options,
    add_tokenizer_option,
    choose_form,
    load_vocabulary,
    read_text,
)
from formwright.receipts import Receipt, read_public_key

__all__ = ["verify"]


@click.command()
@click.argument("receipt", type=FILE)
@click.option("--form", "schema", type=FILE, help="The JSON Schema that the text should have been written under.")
@click.option("--public-key", type=PATH, help="The Ed25519 key, in PEM, of the one who should have signed it.")
@add_tokenizer_option
@add_json_options
def verify(
    receipt: IO[bytes], schema: IO[bytes] | None, public_key: Path | None, tokenizer: str | None, **options: Any
) -> None:
    """Replay the masks of RECEIPT: every token was allowed where it is, and the text may end where it ends.

    The form is that of the receipt; with --form, and the options that it was read with, it must be the same one. Exits
    with 1 if something is wrong: each line names an entry of the receipt, and the token at which it shows.
    """
    read = Receipt.from_json(read_text(receipt))
    form = (
        None
        if schema is None
        else choose_form(schema, None, None, (), None, {**options, "start": None, "lexing": None})
    )
    key = None if public_key is None else read_public_key(public_key)
    problems = read.verify(load_vocabulary(tokenizer), form=form, public_key=key)
    for problem in problems:
        click.echo(str(problem))
    if problems:
        raise SystemExit(1)
    signed = f", signed by {read.signature.public_key[:16]}..." if read.signature is not None else ""
    click.echo(f"holds: {len(read.token_ids)} tokens, {read.end}{signed}")
