"""``formwright doctor``: what is installed, what works, and why the rest does not."""

from __future__ import annotations

import click

from formwright.cli.doctor_checks import print_findings

__all__ = ["doctor"]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
def doctor(as_json: bool) -> None:
    """Show what is installed, what works, and why the rest does not.

    Imports everything that is installed, which takes time. Exits with 1 only if the core
    does not work: nobody needs every extra and every host.
    """
    raise SystemExit(not print_findings(as_json=as_json))
