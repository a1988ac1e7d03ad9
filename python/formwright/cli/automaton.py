"""``formwright automaton``: the tokens of a regular expression as a picture."""

from __future__ import annotations

import click

import formwright as fw
from formwright.cli.shared import tokenizer_option, vocabulary_of
from formwright.reference.canonical import drawn, form_automaton, token_automaton, writes

__all__ = ["automaton"]


@click.command()
@click.argument("regex")
@click.option("--canonical", is_flag=True, help="Only the tokens that the tokenizer itself writes.")
@tokenizer_option
def automaton(regex: str, canonical: bool, tokenizer: str | None) -> None:
    """Draw the tokens that spell the texts of REGEX, as SVG.

    All spellings, or the canonical ones alone. How many states and edges there are goes to stderr.
    """
    form, vocabulary = fw.regex(regex), vocabulary_of(tokenizer)
    if canonical:
        found = writes(form, vocabulary)
    else:
        tokens = (vocabulary.token(token) for token in range(len(vocabulary)))
        found = token_automaton(form_automaton(form), tokens)
    click.echo(f"{found.states} states, {found.edges} edges", err=True)
    click.echo(drawn(found), nl=False)
