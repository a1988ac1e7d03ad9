"""Engines that do something wrong, to be judged."""

from __future__ import annotations

import json
import os
import time
from typing import Any

import jsonschema


class _Reader:
    def __init__(self, schema: Any) -> None:
        self.validator = jsonschema.Draft202012Validator(schema)

    def admits(self, data: bytes) -> bool:
        return self.validator.is_valid(json.loads(data))


class _Careless:
    """Right, but that it does not know ``minimum``; it refuses ``not``, and dies or hangs where it is told to."""

    version = "1.0"

    def read(self, schema: str) -> _Reader:
        read = json.loads(schema)
        if "not" in read:
            raise ValueError("not is not supported")
        if read.get("title") == "crash":
            os._exit(7)
        if read.get("title") == "hang":
            time.sleep(60)
        read.pop("minimum", None)
        return _Reader(read)


def make_careless() -> _Careless:
    return _Careless()


class _Fragile:
    """Fails over every text."""

    version = "1.0"

    def read(self, schema: str) -> _Fragile:
        return self

    def admits(self, data: bytes) -> bool:
        raise ZeroDivisionError("no")


def make_fragile() -> _Fragile:
    return _Fragile()
