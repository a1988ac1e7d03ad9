"""How far each value of a result can be trusted: its probability among the values that the form allows."""

from formwright.generation.fields.abstaining import check_may_abstain, write_confidently
from formwright.generation.fields.calibration import Calibration, read_calibration
from formwright.generation.fields.evidence import Evidence
from formwright.generation.fields.field import Basis, Field, OtherValue
from formwright.generation.fields.field_scoring import FieldScoring
from formwright.generation.fields.measuring import Measuring

__all__ = [
    "Basis",
    "Calibration",
    "Evidence",
    "Field",
    "FieldScoring",
    "Measuring",
    "OtherValue",
    "check_may_abstain",
    "read_calibration",
    "write_confidently",
]
