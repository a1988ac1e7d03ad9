"""``formwright doctor``: what is installed, what works, and why the rest does not."""

from __future__ import annotations

import click

from formwright.cli.checks import examine

__all__ = ["doctor"]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
def doctor(as_json: bool) -> None:
    """Tell what is installed, what works, and why the rest does not.

    Imports whatever is there, so it takes as long as that does. Exits with 1 only if the core
    does not work: nobody needs every extra and every host.
    """
    raise SystemExit(not examine(as_json=as_json))
