"""The JSON Schema of a Python type: all and only what the type reads back, as far as a schema can say it.

Pydantic's own schema is wider than the type in many places: a ``Decimal`` of two places is any number, the keys of
``dict[int, str]`` are any texts, an ``HttpUrl`` is any URI. Here each of these has a bound or a pattern
(`formwright.forms.type_patterns`)::

    >>> from pydantic import TypeAdapter
    >>> schema, remarks = exact_schema(TypeAdapter(dict[bool, int]))
    >>> schema["propertyNames"]
    {'pattern': '^(?:true|false)$'}

What no schema can say, the type checks when the text is complete: whether a day is past, a module can be imported, a
file is there, a check digit is right, a validator of one's own agrees. Such checks, and values that the type reads but
its form never writes, are told as a `Remark`. What can be said neither way is refused.

Cost: a call of Python for each part of a type, beside what pydantic does.

Pydantic has hooks that change the schema of a part after it was made, so the patterns are added after all
of them, by the ``format`` that the part ends up with.
"""

from __future__ import annotations

import inspect
import json
import types
from collections.abc import Callable, Mapping
from decimal import Decimal
from enum import Enum
from typing import Any

from formwright._extras import needs
from formwright.errors import NotAForm
from formwright.forms import type_patterns as patterns
from formwright.forms.json_patterns import JSON_INSIDE, json_pattern
from formwright.forms.type_remarks import Remark, add_remark, find_validator, name_check, take_remarks

with needs("pydantic", "a Python type as a form"):
    from pydantic import TypeAdapter
    from pydantic.json_schema import GenerateJsonSchema

__all__ = ["Describe", "exact_schema"]

Describe = Callable[[type], tuple[str, Mapping[str, str]]]
"""What a class says of itself, and of its fields by name."""

_PATTERNS = {
    "base64": patterns.BASE64,
    "base64url": patterns.BASE64_URL,
    "email": patterns.EMAIL,
    "ipv4interface": patterns.INTERFACE_4,
    "ipv4network": patterns.NETWORK_4,
    "ipv6interface": patterns.INTERFACE_6,
    "ipv6network": patterns.NETWORK_6,
    "name-email": patterns.NAME_EMAIL,
    "regex": patterns.PLAIN_REGEX,
}
"""By the format that pydantic gives a text: what it is read by."""

_ALTERNATIVES = {
    "ipvanyaddress": [{"format": "ipv4"}, {"format": "ipv6"}],
    "ipvanyinterface": [{"pattern": patterns.INTERFACE_4}, {"pattern": patterns.INTERFACE_6}],
    "ipvanynetwork": [{"pattern": patterns.NETWORK_4}, {"pattern": patterns.NETWORK_6}],
}

_CHECKED = {
    "file-path": "whether the file exists",
    "directory-path": "whether the directory exists",
}


_EXACT_FORMATS = {
    "bytes": ("binary",),
    "function-wrap": ("multi-host-uri",),
    "lax-or-strict": ("password", "path"),
    "multi-host-url": ("multi-host-uri",),
    "uuid": tuple(f"uuid{version}" for version in range(1, 9)),
}
"""By the kind of a part: the formats that pydantic gives it, whose texts the rest of the part's schema says exactly."""

_NOT_WRITTEN = {
    "email": "international addresses, quoted names, IP addresses",
    "ipv6": "zones such as `%eth0`",
    "name-email": "other names",
    "regex": "groups, alternatives, counts, assertions",
}
"""By the format that pydantic gives a text: what the type reads too, and no form writes."""


def exact_schema(
    adapter: TypeAdapter[Any], describe: Describe | None = None
) -> tuple[dict[str, Any], tuple[Remark, ...]]:
    """The JSON Schema of a type, and what the schema does not say of it.

    Args:
        adapter: The type.
        describe: Replaces the docstrings of classes, and is added to fields that have no description.

    Raises:
        NotAForm: A part of it can be said neither in JSON Schema nor checked afterwards.
        PydanticUserError: Pydantic has no schema for a part of it.
    """
    generator = type("_Described", (_ExactSchema,), {"describe": describe and staticmethod(describe)})
    schema = adapter.json_schema(schema_generator=generator, mode="validation")
    remarks = tuple(take_remarks(schema))
    return _with_json_texts(schema, schema.get("$defs", {})), remarks


def _with_json_texts(part: Any, definitions: Mapping[str, Any]) -> Any:
    """The schema with a pattern for each JSON inside a text."""
    if isinstance(part, list):
        return [_with_json_texts(item, definitions) for item in part]
    if not isinstance(part, dict):
        return part
    if JSON_INSIDE not in part:
        return {key: _with_json_texts(value, definitions) for key, value in part.items()}
    written = {key: value for key, value in part.items() if key != JSON_INSIDE}
    return _with_pattern(written, json_pattern(part[JSON_INSIDE], definitions))


class _ExactSchema(GenerateJsonSchema):
    """Pydantic's generator: declared objects are closed, parts are exact, and what cannot be read back is refused."""

    describe: Describe | None = None

    def model_schema(self, schema: Any) -> dict[str, Any]:
        return self._describe(_close(super().model_schema(schema)), schema)

    def dataclass_schema(self, schema: Any) -> dict[str, Any]:
        return self._describe(_close(super().dataclass_schema(schema)), schema)

    def typed_dict_schema(self, schema: Any) -> dict[str, Any]:
        return self._describe(_close(super().typed_dict_schema(schema)), schema)

    def _describe(self, written: dict[str, Any], schema: Any) -> dict[str, Any]:
        if self.describe is None or "cls" not in schema:
            return written
        said, fields = self.describe(schema["cls"])
        if written.get("description", "") in ("", inspect.cleandoc(schema["cls"].__doc__ or "")):
            written.pop("description", None)
            written |= {"description": said} if said else {}
        names = _written_names(schema)
        for name, text in fields.items():
            inside = written.get("properties", {}).get(names.get(name, name))
            if isinstance(inside, dict):
                inside.setdefault("description", text)
        return written

    def generate_inner(self, schema: Any) -> dict[str, Any]:
        """Every part comes through here, with what hooks have made of it."""
        written = super().generate_inner(schema)
        validator = find_validator(schema)
        if getattr(validator, "__qualname__", "") == "ByteSize._validate":
            return _BYTE_SIZE
        if getattr(validator, "__qualname__", "") == "import_string":
            written = add_remark(_with_pattern(written, patterns.IMPORTED), "narrowed", "names that are not ASCII")
        if getattr(validator, "__qualname__", "") == "Quote._find":
            return written
        if validator is not None and (what := name_check(validator)):
            written = add_remark(written, "validated", what)
        return self._exact_text(written, schema) if written.get("type") == "string" else written

    def _exact_text(self, written: dict[str, Any], schema: Any) -> dict[str, Any]:
        format = written.get("format")
        if format in {**_CHECKED, **_ALTERNATIVES, **_PATTERNS} or format in _EXACT_FORMATS.get(schema["type"], ()):
            written = add_remark(written, "enforced", format)
        if what := _CHECKED.get(format or ""):
            return add_remark(written, "validated", what)
        if format in _ALTERNATIVES:
            return written | {"anyOf": _ALTERNATIVES[format]}
        if what := _NOT_WRITTEN.get(format or ""):
            written = add_remark(written, "narrowed", what)
        pattern = _PATTERNS.get(format or "")
        if format in ("base64", "base64url"):
            if "minLength" in written or "maxLength" in written:
                raise NotAForm(
                    "the length of bytes in Base64 cannot be said in JSON Schema",
                    hint="leave the length out, or state that of the text with a pattern",
                )
            if _inmost(schema)["type"] == "str":
                pattern = patterns.BASE64_TEXT if format == "base64" else patterns.BASE64_URL_TEXT
                written = add_remark(written, "narrowed", "characters that are not ASCII")
        return _with_pattern(written, pattern) if pattern else written

    def str_schema(self, schema: Any) -> dict[str, Any]:
        written = super().str_schema(schema)
        bounded = any(key in written for key in ("minLength", "maxLength", "pattern"))
        strips = schema.get("strip_whitespace", self._config.str_strip_whitespace)
        return _with_pattern(written, r"^(?:[^\s\x85](?:[\s\S]*[^\s\x85])?)?$") if strips and bounded else written

    def bytes_schema(self, schema: Any) -> dict[str, Any]:
        written = super().bytes_schema(schema)
        read_by = self._config.val_json_bytes
        bounded = "minLength" in written or "maxLength" in written
        if read_by != "utf8" and bounded:
            raise NotAForm(
                f"the length of bytes in {read_by} cannot be said in JSON Schema", hint="leave the length out"
            )
        written["format"] = "binary"
        if read_by == "hex":
            return _with_pattern(written, patterns.HEX)
        if read_by == "base64":
            return _with_pattern(written, patterns.BASE64_URL)
        if not bounded:
            return written
        return add_remark(
            _with_pattern(written, r"^[\x00-\x7f]*$"), "narrowed", "characters that are not ASCII, as a length is given"
        )

    def decimal_schema(self, schema: Any) -> dict[str, Any]:
        bounds = {key: _number(schema[key]) for key in _BOUNDS if schema.get(key) is not None}
        written = self.float_schema({"type": "float", **bounds})  # type: ignore[typeddict-item]
        digits, places = schema.get("max_digits"), schema.get("decimal_places")
        if digits is None and places is None:
            return written
        sizes = range(digits + 1) if places is None else [min(places, digits if digits is not None else places)]
        written = {"allOf": [written, {"anyOf": [_decimal_size(digits, size) for size in sizes]}]}
        # Zero counts as a digit before the point.
        return written | {"not": {"const": 0}} if digits is not None and digits == places else written

    def dict_schema(self, schema: Any) -> dict[str, Any]:
        return self._with_keys(super().dict_schema(schema), schema)

    def counter_schema(self, schema: Any) -> dict[str, Any]:
        return self._with_keys(super().counter_schema(schema), schema)

    def ordered_dict_schema(self, schema: Any) -> dict[str, Any]:
        return self._with_keys(super().ordered_dict_schema(schema), schema)

    def frozendict_schema(self, schema: Any) -> dict[str, Any]:
        return self._with_keys(super().frozendict_schema(schema), schema)

    def _with_keys(self, written: dict[str, Any], schema: Any) -> dict[str, Any]:
        """Pydantic says of keys with a pattern what their values are, and lets any others come beside them."""
        names = self._key_schema(schema.get("keys_schema", {"type": "any"}))
        if names is None:
            return written
        by_pattern = written.pop("patternProperties", {})
        values = next(iter(by_pattern.values()), written.pop("additionalProperties", True))
        return written | {"propertyNames": names, "additionalProperties": values}

    def _key_schema(self, keys: Any) -> dict[str, Any] | None:
        """What the names of members may be; none stands for what pydantic says."""
        inner = _inmost(keys)
        kind = inner["type"]
        if kind in ("int", "float", "decimal", "bool"):
            return {"pattern": _number_key(kind, inner)}
        if kind in ("none", "tuple", "list", "set", "frozenset", "dict", "model", "dataclass", "typed-dict"):
            raise NotAForm(f"a key of a dict cannot be a {kind} in JSON", hint="use keys that are texts or numbers")
        if kind == "union":
            options = [
                self._key_schema(choice[0] if isinstance(choice, tuple) else choice) for choice in inner["choices"]
            ]
            return None if None in options else {"anyOf": options}
        if kind == "nullable":
            return self._key_schema(inner["schema"])
        if kind == "literal":
            return {"enum": [value for value in inner["expected"] if isinstance(value, str)]}
        if kind == "enum":
            by_member: Any = types.GenericAlias(dict, (inner["cls"], None))
            read: TypeAdapter[Any] = TypeAdapter(by_member)
            names = [str(member.value) for member in inner["members"]]
            return {"enum": [name for name in names if _is_read(read, {name: None})]}
        if kind == "any":
            return None
        written = self.generate_inner(keys)
        return written if written.keys() - {"type", "title"} else None

    def json_schema(self, schema: Any) -> dict[str, Any]:
        inner = self.generate_inner(schema["schema"]) if "schema" in schema else {}
        written = {"type": "string", JSON_INSIDE: inner}
        return add_remark(written, "narrowed", "JSON inside a text with whitespace, or members in another order")

    def fraction_schema(self, schema: Any) -> dict[str, Any]:
        return {"anyOf": [{"type": "number"}, {"type": "string", "pattern": patterns.FRACTION}]}

    def url_schema(self, schema: Any) -> dict[str, Any]:
        schemes = schema.get("allowed_schemes")
        written = add_remark(super().url_schema(schema), "narrowed", _OTHER_HOSTS if schemes else _OTHER_URLS)
        return _with_pattern(written, patterns.url(schemes))

    def multi_host_url_schema(self, schema: Any) -> dict[str, Any]:
        written = add_remark(super().multi_host_url_schema(schema), "narrowed", _OTHER_HOSTS)
        return _with_pattern(written, patterns.multi_host_url(schema.get("allowed_schemes")))

    def timedelta_schema(self, schema: Any) -> dict[str, Any]:
        _refuse_bounds(schema, "a duration", "a number of seconds, as int or float")
        written = {"type": "string", "pattern": patterns.DURATION}  # the format has neither signs nor fractions
        return add_remark(written, "narrowed", "100,000,000 days and more")

    def date_schema(self, schema: Any) -> dict[str, Any]:
        written = super().date_schema(schema)
        bounds = {key: schema[key].isoformat() for key in ("ge", "gt", "le", "lt") if schema.get(key) is not None}
        for pattern in patterns.lines_between(bounds.get("ge"), bounds.get("le")):
            written = _with_pattern(written, pattern)
        for pattern in patterns.lines_between(bounds.get("gt"), bounds.get("lt")):
            written = _with_pattern(written, pattern)
        if excluded := [bounds[key] for key in ("gt", "lt") if key in bounds]:
            written |= {"not": {"enum": excluded}}
        return self._on_the_clock(written, schema)

    def time_schema(self, schema: Any) -> dict[str, Any]:
        _refuse_bounds(schema, "a time", "Annotated[str, Field(pattern=...)]")
        written = _with_pattern(super().time_schema(schema), patterns.TIME_SECONDS)
        return written if schema.get("tz_constraint") else add_remark(written, "narrowed", "times without a zone")

    def _on_the_clock(self, written: dict[str, Any], schema: Any) -> dict[str, Any]:
        what = schema.get("now_op")
        return add_remark(written, "validated", f"whether it is {what}") if what else written

    def complex_schema(self, schema: Any) -> dict[str, Any]:
        raise NotAForm("complex cannot be read back: JSON has no complex numbers", hint="pass tuple[float, float]")

    def generator_schema(self, schema: Any) -> dict[str, Any]:
        raise NotAForm("an iterable is read lazily, so its items would not be checked", hint="pass list[T]")

    def is_subclass_schema(self, schema: Any) -> dict[str, Any]:
        raise NotAForm("a class cannot be read back: JSON has no classes", hint="pass Literal[...] of its names")

    def datetime_schema(self, schema: Any) -> dict[str, Any]:
        _refuse_bounds(schema, "a point in time", "a date, or Annotated[str, Field(pattern=...)]")
        if schema.get("tz_constraint") == "naive":
            written = {"type": "string", "pattern": patterns.NAIVE_DATETIME}
        else:
            written = _with_pattern(super().datetime_schema(schema), patterns.DATETIME_SECONDS)
        if not schema.get("tz_constraint"):
            written = add_remark(written, "narrowed", "points in time without a zone: `NaiveDatetime`")
        return self._on_the_clock(written, schema)

    def uuid_schema(self, schema: Any) -> dict[str, Any]:
        version = schema.get("version")
        digit = "[0-9a-fA-F]"
        pattern = f"^{digit}{{8}}-{digit}{{4}}-{version}{digit}{{3}}-[89abAB]{digit}{{3}}-{digit}{{12}}$"
        return {"type": "string", "format": "uuid"} | ({"pattern": pattern} if version else {})

    def literal_schema(self, schema: Any) -> dict[str, Any]:
        if wrong := [value for value in schema["expected"] if isinstance(value, bytes)]:
            raise NotAForm(f"Literal[{wrong[0]!r}] cannot be read back: JSON has no bytes", hint="pass a str")
        return super().literal_schema(schema)

    def enum_schema(self, schema: Any) -> dict[str, Any]:
        for member in schema["members"]:
            _check_read_back(schema["cls"], member)
        return super().enum_schema(schema)


def _check_read_back(enum: type[Enum], member: Enum) -> None:
    """Fails if JSON has no text that is read as ``member``: a tuple, for instance, comes back as a list."""
    adapter = TypeAdapter(enum)
    try:
        if adapter.validate_json(adapter.dump_json(member)) is member:
            return
    except ValueError:
        pass
    raise NotAForm(
        f"{enum.__qualname__}.{member.name} cannot be read back: no JSON text is read as {member.value!r}",
        hint="give the members of the Enum values that are strings, numbers, booleans or None",
    )


def _close(schema: dict[str, Any]) -> dict[str, Any]:
    if schema.get("type") == "object":
        schema.setdefault("additionalProperties", False)
    return schema


def _written_names(schema: Any) -> dict[str, str]:
    """How the fields of a class that have an alias are called in JSON."""
    while "schema" in schema:
        schema = schema["schema"]
    fields = schema.get("fields", {})
    named = fields.items() if isinstance(fields, dict) else [(field["name"], field) for field in fields]
    aliases = ((name, field.get("validation_alias")) for name, field in named)
    return {name: alias for name, alias in aliases if isinstance(alias, str)}


_BOUNDS = ("multiple_of", "le", "ge", "lt", "gt")


def _refuse_bounds(schema: Any, what: str, instead: str) -> None:
    if bound := next((key for key in ("le", "ge", "lt", "gt") if schema.get(key) is not None), None):
        raise NotAForm(f"a bound ({bound}) of {what} cannot be said in JSON Schema", hint=f"pass {instead}")


def _with_pattern(written: dict[str, Any], pattern: str) -> dict[str, Any]:
    if "pattern" not in written:
        return written | {"pattern": pattern}
    return written | {"allOf": [*written.get("allOf", []), {"pattern": pattern}]}


def _inmost(schema: Any) -> Any:
    """What is inside functions and defaults."""
    while schema["type"] in (
        "function-after",
        "function-before",
        "function-wrap",
        "default",
        "json-or-python",
        "lax-or-strict",
    ):
        schema = schema.get("schema") or schema.get("json_schema") or schema["lax_schema"]
    return schema


def _number(value: Any) -> int | float:
    """A bound of a Decimal, which JSON must say exactly."""
    if value == int(value):
        return int(value)
    if Decimal(repr(float(value))) != Decimal(value):
        raise NotAForm(f"the bound {value} has more digits than a number in JSON Schema", hint="round it")
    return float(value)


def _decimal_size(digits: int | None, places: int) -> dict[str, Any]:
    """Numbers with so many places after the point, and so many digits in all."""
    size: dict[str, Any] = {"multipleOf": float(f"1e-{places}") if places else 1}
    if digits is not None:
        size |= {"exclusiveMinimum": -(10 ** (digits - places)), "exclusiveMaximum": 10 ** (digits - places)}
    return size


def _number_key(kind: str, schema: Any) -> str:
    """The pattern of numbers as keys."""
    if kind == "bool":
        return patterns.anchor("true", "false")
    given = {key: schema[key] for key in _BOUNDS if schema.get(key) is not None}
    if kind == "int" and "multiple_of" not in given:
        lows = [given[key] + more for key, more in (("ge", 0), ("gt", 1)) if key in given]
        highs = [given[key] - less for key, less in (("le", 0), ("lt", 1)) if key in given]
        return patterns.integer(max(lows, default=None), min(highs, default=None))
    if given:
        raise NotAForm(f"bounds of keys of type {kind} cannot be said in JSON Schema", hint="leave them out")
    return patterns.decimal(schema.get("max_digits"), schema.get("decimal_places"))


def _is_read(adapter: TypeAdapter[Any], value: Any) -> bool:
    try:
        adapter.validate_json(json.dumps(value))
    except ValueError:
        return False
    return True


_OTHER_HOSTS = "hosts that are neither ASCII names nor IPv4 addresses"
_OTHER_URLS = f"`file:`, URLs without a host, {_OTHER_HOSTS}"

_BYTE_SIZE = {"anyOf": [{"type": "string", "pattern": patterns.BYTE_SIZE}, {"type": "integer", "minimum": 0}]}
