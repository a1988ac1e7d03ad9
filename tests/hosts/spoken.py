"""The forms of the battery as engines are asked for them: a kind and a text."""

from __future__ import annotations

import json
from typing import Any

from battery import FORMS

import formwright as fw


def spoken(form: Any) -> tuple[str, str]:
    """How a request asks for a form. Compositions that a pattern can say are said as one."""
    origin = fw.form(form).origin
    if origin is None:
        return PATTERNS[next(name for name, each in FORMS.items() if each is form)]
    if origin.kind == "choice":
        return "choice", json.dumps(origin.what)
    return {"schema": "json", "regex": "regex"}[origin.kind], origin.what


PATTERNS = {
    "template": ("regex", r"Name: [A-Z][a-z]{1,9}\nAge: (0|-?[1-9][0-9]{0,23})"),
    "literal text": ("regex", "just this, and nothing else"),
    "text to a mark": ("regex", r"[^.]{0,30}\."),
}
