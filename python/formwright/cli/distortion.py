"""``formwright distortion``: what masks do to a model's own answers."""

from __future__ import annotations

from typing import Any

import click

import formwright as fw
from formwright.cli.shared import add_model_option, load_local_model
from formwright.reference.canonical.mask_distortion import measure_distortion

__all__ = ["distortion"]


@click.command()
@click.option("--choice", "choices", multiple=True, help="One of the answers; repeat the option.")
@click.option("--regex", help="Regular expression with few texts: the answers are all of them.")
@click.option("--prompt", "prompts", multiple=True, required=True, help="A prompt; repeat the option.")
@add_model_option
def distortion(choices: tuple[str, ...], regex: str | None, prompts: tuple[str, ...], model: str) -> None:
    """Show how likely each answer is: to the model itself, with masks of all spellings, and of canonical tokens.

    One table for each prompt, with the divergence (KL, in nats) and the total variation from the model's own shares.
    """
    if bool(choices) == (regex is not None):
        raise click.UsageError("Give the answers by --choice or by --regex.")
    form: fw.Form[Any] = fw.choice(choices) if regex is None else fw.regex(regex)
    loaded = load_local_model(model)
    for index, prompt in enumerate(prompts):
        ids, log_probabilities = loaded.score_after(prompt)
        found = measure_distortion(log_probabilities, form, loaded.vocabulary, prompt_ids=ids)
        click.echo("\n" * (index > 0) + f"after {prompt!r}:\n{found}")
