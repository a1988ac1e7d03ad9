"""Readers of YAML that judge what is written."""

from __future__ import annotations

import json
from typing import Any

import yaml
from ruamel.yaml import YAML


def read_yaml(text: str) -> Any:
    """What PyYAML and ruamel read, which must be the same."""
    value = yaml.load(text, yaml.SafeLoader)
    for other in (yaml.load(text, yaml.CSafeLoader), YAML(typ="safe", pure=True).load(text)):
        assert json.dumps(other, sort_keys=True) == json.dumps(value, sort_keys=True)
    return value
