"""``formwright automaton``: the tokens of a regular expression as a picture."""

from __future__ import annotations

import click

import formwright as fw
from formwright.cli.shared import add_tokenizer_option, load_vocabulary
from formwright.reference.canonical import (
    draw_automaton,
    make_canonical_automaton,
    make_form_automaton,
    make_token_automaton,
)

__all__ = ["automaton"]


@click.command()
@click.argument("regex")
@click.option("--canonical", is_flag=True, help="Only the tokens that the tokenizer itself writes.")
@add_tokenizer_option
def automaton(regex: str, canonical: bool, tokenizer: str | None) -> None:
    """Draw the tokens that spell the texts of REGEX, as SVG.

    All spellings, or the canonical ones alone. The number of states and edges is printed to stderr.
    """
    form, vocabulary = fw.regex(regex), load_vocabulary(tokenizer)
    if canonical:
        found = make_canonical_automaton(form, vocabulary)
    else:
        tokens = (vocabulary.token(token) for token in range(len(vocabulary)))
        found = make_token_automaton(make_form_automaton(form), tokens)
    click.echo(f"{found.states} states, {found.edges} edges", err=True)
    click.echo(draw_automaton(found), nl=False)
