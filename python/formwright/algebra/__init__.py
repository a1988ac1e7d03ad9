"""Forms compared: what a new version of a schema breaks."""

from __future__ import annotations

from formwright.algebra.compatibility import Change, Compatibility, compat

__all__ = ["Change", "Compatibility", "compat"]
