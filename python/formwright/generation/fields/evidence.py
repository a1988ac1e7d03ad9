"""The fields of a result, measured when somebody asks for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from formwright.generation.fields.field import Field

__all__ = ["Evidence"]


class Evidence:
    """The fields of one result; a pickle keeps those that were measured.

    Args:
        measure: Measures them.
        doubtful: The pointers of those that no value of sufficient probability was found for.
    """

    __slots__ = ("_fields", "_measure", "doubtful")

    def __init__(self, measure: Callable[[], Mapping[str, Field]], doubtful: tuple[str, ...] = ()) -> None:
        self._measure: Callable[[], Mapping[str, Field]] | None = measure
        self._fields: Mapping[str, Field] | None = None
        self.doubtful = doubtful

    @classmethod
    def of(cls, fields: Mapping[str, Field], doubtful: tuple[str, ...] = ()) -> Evidence:
        """The evidence whose fields are measured."""
        evidence = cls(lambda: fields, doubtful)
        evidence.measure()
        return evidence

    def measure(self) -> Mapping[str, Field]:
        """The fields by pointer, in the order of the text."""
        if self._fields is None and self._measure is not None:
            self._fields, self._measure = MappingProxyType(dict(self._measure())), None
        return self._fields or {}

    def __reduce__(self) -> tuple[object, ...]:
        if self._fields is None:
            return type(None), ()
        return Evidence.of, (dict(self._fields), self.doubtful)
