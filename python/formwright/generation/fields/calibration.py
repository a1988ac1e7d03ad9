"""How often a value of some probability is right: a map that was fitted to answers with known truth.

::

    calibration = Calibration({"/people/*/age": ([0.1, 0.9], [0.0, 0.8])})
    calibration.map_probability("/people/0/age", 0.5)            # 0.4

The file is written by ``formwright evaluate TASK --calibrate FILE``. It holds a map for each field of which enough
answers were seen, and one for all others; an index of an array counts as any index. A map is monotone: it is a line
through its points, and constant before the first and after the last.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from formwright.errors import ArgumentError
from formwright.generation.fields.field import Field

__all__ = ["Calibration", "name_field", "read_calibration"]

_INDEX = re.compile(r"/[0-9]+(?=/|$)")
_ANY = "*"
"""The name of the map for fields without one of their own."""


def name_field(pointer: str) -> str:
    """The pointer of a field with ``*`` for each index: ``/people/*/age``."""
    return _INDEX.sub("/*", pointer)


@dataclass(frozen=True, slots=True)
class Calibration:
    """Maps from the probability of a field to how often it is right.

    Attributes:
        maps: By the name of a field, the points of its map: probabilities, and shares of right values.
    """

    maps: Mapping[str, tuple[Sequence[float], Sequence[float]]]

    def map_probability(self, pointer: str, probability: float) -> float:
        """How often a field of this probability is right."""
        points = self.maps.get(name_field(pointer)) or self.maps.get(_ANY)
        return probability if points is None else float(np.interp(probability, *points))

    def map_field(self, pointer: str, field: Field) -> Field:
        """The field with its probability and those of its alternatives mapped."""
        others = (
            other._replace(probability=self.map_probability(pointer, other.probability)) for other in field.alternatives
        )
        return replace(field, probability=self.map_probability(pointer, field.probability), alternatives=tuple(others))

    def save(self, path: str | Path, **about: Any) -> None:
        """Write the file, with what else is to be said ``about`` it."""
        maps = {name: {"probability": list(low), "right": list(high)} for name, (low, high) in self.maps.items()}
        Path(path).write_text(json.dumps({**about, "maps": maps}, indent=1) + "\n", encoding="utf-8")


def read_calibration(path: str | os.PathLike[str] | None) -> Calibration | None:
    """Read the file of a calibration; ``None`` for none.

    Raises:
        ArgumentError: It cannot be read, or holds something else.
    """
    if path is None:
        return None
    try:
        maps = json.loads(Path(path).read_text(encoding="utf-8"))["maps"]
        read = {name: (_read_points(each["probability"]), _read_points(each["right"])) for name, each in maps.items()}
        is_whole = all(
            len(low) == len(high) > 0 and low == sorted(low) and high == sorted(high) for low, high in read.values()
        )
    except KeyError as error:
        raise _make_error(path, f"it has no {error}") from error
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise _make_error(path, str(error)) from error
    if not is_whole:
        raise _make_error(path, "a map must have as many probabilities as shares, both increasing")
    return Calibration(read)


def _read_points(points: Any) -> list[float]:
    read = [float(point) for point in points]
    if not all(0 <= point <= 1 for point in read):
        raise ValueError("a probability is from 0 to 1")
    return read


def _make_error(path: object, why: str) -> ArgumentError:
    return ArgumentError(
        f"calibration: {path} is not the file of a calibration: {why}",
        hint="formwright evaluate TASK --calibrate FILE writes one",
        argument="calibration",
    )
