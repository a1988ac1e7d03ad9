"""``python -m formwright``: the ``formwright`` command."""

from __future__ import annotations

from formwright.cli.main import main

if __name__ == "__main__":
    main()
