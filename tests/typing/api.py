"""The public surface as a type checker sees it; checked by mypy, never run."""

from dataclasses import dataclass
from typing import assert_type

import numpy as np

import formwright as fw


@dataclass
class Person:
    name: str


model = fw.load("formwright-tiny")
assert_type(model.generate("?", Person), fw.Complete[Person] | fw.Truncated)
assert_type(model.generate("?", fw.choice(["a", "b"])), fw.Complete[str] | fw.Truncated)

vocabulary = fw.Vocabulary([b"a", None], eos_token_ids=[1])
constraint = fw.compile({"type": "integer"}, vocabulary)
assert_type(constraint, fw.Constraint)
mask = fw.allocate_bitmask(1, vocabulary)
constraint.matcher().fill_bitmask(mask, 0, budget=3)
constraint.matcher().fill_bitmask(fw.RowBuffer(mask))
fw.apply_bitmask(np.zeros(2, dtype=np.float32), mask)
