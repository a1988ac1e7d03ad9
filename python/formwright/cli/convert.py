"""``formwright convert``: a schema in the subset that a provider takes."""

from __future__ import annotations

import json
from typing import IO

import click

from formwright.cli.shared import FILE, read_text
from formwright.schemas.providers import PROVIDERS
from formwright.schemas.providers import convert as convert_schema

__all__ = ["convert"]


@click.command()
@click.argument("schema", type=FILE)
@click.option("--to", type=click.Choice(list(PROVIDERS)), required=True, help="The provider.")
def convert(schema: IO[bytes], to: str) -> None:
    """Write SCHEMA in the subset of JSON Schema that a provider takes.

    The converted schema goes to stdout. Stderr says that nothing is lost, or lists what is
    checked afterwards and what is narrowed. SCHEMA is a file; - is stdin.
    """
    result = convert_schema(read_text(schema), to=to)
    click.echo(json.dumps(result.schema, indent=2, ensure_ascii=False))
    for note in result.notes or ["lossless"]:
        click.echo(str(note), err=True)
