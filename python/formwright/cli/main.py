"""The entry point of the console script; says which extra is missing where one is."""

from __future__ import annotations

import sys

from formwright._extras import needs
from formwright.errors import MissingDependency

__all__ = ["INTERRUPTED", "main"]

INTERRUPTED = 130
"""The exit code of what was ended by Ctrl-C, as in a shell."""


def main() -> None:
    """Run the ``formwright`` command."""
    try:
        with needs("cli", "the formwright command"):
            from formwright.cli.app import app
    except MissingDependency as error:
        if sys.argv[1:] in (["doctor"], ["doctor", "--json"]):  # which tells what to install
            from formwright.cli.checks import examine

            sys.exit(not examine(as_json="--json" in sys.argv))
        sys.exit(f"error: {error}\nhint: {error.hint}")
    except KeyboardInterrupt:  # while the modules are loaded, before the command can see to it
        sys.stderr.write("error: interrupted\n")
        sys.exit(INTERRUPTED)
    app()
