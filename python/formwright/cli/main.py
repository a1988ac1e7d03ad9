"""The entry point of the console script; says which extra is missing where one is."""

from __future__ import annotations

import sys

from formwright._dependencies import needs
from formwright.errors import MissingDependency

__all__ = ["main"]


def main() -> None:
    """Run the ``formwright`` command."""
    try:
        with needs("cli", "the formwright command"):
            from formwright.cli.app import app
    except MissingDependency as error:
        sys.exit(f"error: {error}\nhint: {error.hint}")
    app()
