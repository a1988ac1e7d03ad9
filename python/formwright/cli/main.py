"""The entry point of the console script, which names the extra that is missing."""

from __future__ import annotations

import sys

from formwright._extras import needs
from formwright.errors import MissingDependency

__all__ = ["INTERRUPTED", "main"]

INTERRUPTED = 130
"""The exit code after Ctrl-C, as in a shell."""


def main() -> None:
    """Run the ``formwright`` command."""
    try:
        with needs("cli", "the formwright command"):
            from formwright.cli.app import app
    except MissingDependency as error:
        if sys.argv[1:] in (["doctor"], ["doctor", "--json"]):  # it shows what to install
            from formwright.cli.doctor_checks import print_findings

            sys.exit(not print_findings(as_json="--json" in sys.argv))
        sys.exit(f"error: {error}\nhint: {error.hint}")
    except KeyboardInterrupt:  # before the command handles it, while modules are loaded
        sys.stderr.write("error: interrupted\n")
        sys.exit(INTERRUPTED)
    app()
