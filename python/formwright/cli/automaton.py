"""``formwright automaton``: the tokens of a regular expression as a picture."""

from __future__ import annotations

import click

import formwright as fw
from formwright.canonical import drawn, form_automaton, token_automaton, writes
from formwright.tokenizers import from_file

__all__ = ["automaton"]


@click.command()
@click.argument("regex")
@click.option("--canonical", is_flag=True, help="Only the tokens that the tokenizer itself writes.")
@click.option(
    "--tokenizer",
    type=click.Path(exists=True, dir_okay=False),
    help="tokenizer.json, or a model of SentencePiece; without it, the tokens of the embedded model.",
)
def automaton(regex: str, canonical: bool, tokenizer: str | None) -> None:
    """Draw the tokens that spell the texts of REGEX, as SVG.

    All spellings, or the canonical ones alone. How many states and edges there are goes to stderr.
    """
    form, vocabulary = fw.regex(regex), _vocabulary(tokenizer)
    if canonical:
        found = writes(form, vocabulary)
    else:
        tokens = (vocabulary.token(token) for token in range(len(vocabulary)))
        found = token_automaton(form_automaton(form), tokens)
    click.echo(f"{found.states} states, {found.edges} edges", err=True)
    click.echo(drawn(found), nl=False)


def _vocabulary(path: str | None) -> fw.Vocabulary:
    if path is None:
        return fw.load("formwright-tiny").vocabulary
    return fw.Vocabulary.from_tokenizer(from_file(path))
