"""Regular expressions of the texts that pydantic reads as dates, durations, addresses, URLs and numbers.

JSON Schema says such texts by ``format``, and a format is a little wider than what a Python type takes: it has leap
seconds, hosts without a dot, networks with host bits. These patterns, in the syntax of ECMA-262 and anchored, are exact
or narrower::

    >>> import re
    >>> re.search(integer(-9, 120), "120") is not None, re.search(integer(-9, 120), "121") is not None
    (True, False)

Where a pattern is narrower than its type, docs/reference/types.md says what is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

__all__ = [
    "BASE64",
    "BASE64_TEXT",
    "BASE64_URL",
    "BASE64_URL_TEXT",
    "BYTE_SIZE",
    "DATETIME_SECONDS",
    "DURATION",
    "EMAIL",
    "FRACTION",
    "HEX",
    "INTERFACE_4",
    "INTERFACE_6",
    "NAIVE_DATETIME",
    "NAME_EMAIL",
    "NETWORK_4",
    "NETWORK_6",
    "PLAIN_REGEX",
    "TIME_SECONDS",
    "anchor",
    "decimal",
    "integer",
    "lines_between",
    "multi_host_url",
    "url",
]


def anchor(*patterns: str) -> str:
    """The pattern of whole texts that match one of some patterns."""
    return f"^(?:{'|'.join(patterns)})$"


# Dates and times.

_MONTHS = (
    "(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])",
    "(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)",
    "02-(?:0[1-9]|1[0-9]|2[0-8])",
)
_LEAP_YEAR = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
_DATE = f"(?!0000)(?:[0-9]{{4}}-(?:{'|'.join(_MONTHS)})|{_LEAP_YEAR}-02-29)"
_TIME = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,6})?"

NAIVE_DATETIME = anchor(f"{_DATE}T{_TIME}")
"""A date and a time without a zone."""

DATETIME_SECONDS = "^.{17}[0-5]"
TIME_SECONDS = "^.{6}[0-5]"
"""Without leap seconds, which Python does not have; beside the format."""

_HOURS, _MINUTES, _SECONDS = "[0-9]{1,5}H", "[0-9]{1,7}M", r"[0-9]{1,9}(?:\.[0-9]{1,6})?S"
_CLOCK = f"T(?:{_HOURS}(?:{_MINUTES})?(?:{_SECONDS})?|{_MINUTES}(?:{_SECONDS})?|{_SECONDS})"
DURATION = anchor(f"-?P[0-9]{{1,8}}D(?:{_CLOCK})?", f"-?P{_CLOCK}", "-?P[0-9]{1,7}W")
"""Weeks, or days and a time, with a sign; fewer than 100,000,000 days, and times that pydantic holds in 32 bits."""


# Numbers, as texts.


def _any_of(digits: str) -> str:
    """Any digits where ``digits`` has some."""
    return re.sub("[0-9]", "[0-9]", re.escape(digits).replace(r"\-", "-"))


def _at_least(text: str) -> Iterator[str]:
    """Texts of the same shape that are not before ``text``."""
    for at, digit in enumerate(text):
        if digit.isdigit() and digit != "9":
            yield text[:at] + f"[{int(digit) + 1}-9]" + _any_of(text[at + 1 :])
    yield text


def _at_most(text: str) -> Iterator[str]:
    for at, digit in enumerate(text):
        if digit.isdigit() and digit != "0":
            yield text[:at] + f"[0-{int(digit) - 1}]" + _any_of(text[at + 1 :])
    yield text


def lines_between(low: str | None, high: str | None) -> list[str]:
    """Patterns that must all be met by texts of one shape, such as dates, from ``low`` to ``high``."""
    lower = [anchor(*_at_least(low))] if low is not None else []
    return lower + ([anchor(*_at_most(high))] if high is not None else [])


def _natural(low: int, high: int | None) -> Iterator[str]:
    """The numbers from ``low`` to ``high``, without leading zeros."""
    for digits in range(len(str(low)), len(str(high)) + 1 if high is not None else len(str(low)) + 1):
        first = max(low, 10 ** (digits - 1) if digits > 1 else 0)
        last = 10**digits - 1 if high is None else min(high, 10**digits - 1)
        if first > last:
            continue
        before = "|".join(_at_most(str(last)))
        yield f"(?=(?:{before})(?![0-9]))(?:{'|'.join(_at_least(str(first)))})"
    if high is None:
        yield f"[1-9][0-9]{{{len(str(low))},{_MOST_DIGITS - 1}}}"


_MOST_DIGITS = 4300
"""Python reads no longer integers from a text."""


def integer(low: int | None, high: int | None) -> str:
    """The integers from ``low`` to ``high``, in decimal digits."""
    parts: list[str] = []
    if high is None or high >= 0:
        parts += _natural(max(low or 0, 0), high)
    if low is None or low < 0:
        parts += (
            f"-(?:{part})" for part in _natural(max(1, -high if high is not None else 1), None if low is None else -low)
        )
    return anchor(*parts) if parts else "[^\\s\\S]"


def decimal(max_digits: int | None, places: int | None) -> str:
    """Decimal numbers without an exponent, of at most so many digits, of which so many after the point."""
    numbers = anchor(*(f"-?{number}" for number in _decimals(max_digits, places)))
    # Pydantic counts zero as a digit before the point.
    return (
        numbers.replace("^", r"^(?!-?0(?:\.0*)?$)", 1) if max_digits is not None and max_digits == places else numbers
    )


def _decimals(max_digits: int | None, places: int | None) -> Iterable[str]:
    if max_digits is None:
        fraction = r"(?:\.[0-9]+)?" if places is None else _fraction(places)
        return [f"(?:0|[1-9][0-9]{{0,299}}){fraction}"]
    if places is not None:
        return [_whole(max(max_digits - places, 0)) + _fraction(min(places, max_digits))]
    return [_whole(max_digits - after) + _fraction(after) for after in range(max_digits + 1)]


def _whole(digits: int) -> str:
    return f"(?:0|[1-9][0-9]{{0,{digits - 1}}})" if digits > 0 else "0"


def _fraction(digits: int) -> str:
    return rf"(?:\.[0-9]{{1,{digits}}})?" if digits > 0 else ""


_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
IMPORTED = rf"^{_NAME}(?:\.{_NAME})*(?::{_NAME})?$"

FRACTION = r"^-?[0-9]{1,300}/[1-9][0-9]{0,299}$"
BYTE_SIZE = "^[0-9]{1,15}(?:[.][0-9]{1,9})? ?(?:[kKMGTPE](?:i?(?:[bB]|bit))?|[bB]|bit)?$"


# Bytes.


def _base64(last: str) -> tuple[str, str]:
    """Base64 of any bytes, and of ASCII characters; ``last`` are the digits 62 and 63."""
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + last

    def without(bits: int) -> str:
        return (
            "["
            + re.escape("".join(digit for value, digit in enumerate(digits) if not value & bits)).replace("/", "\\/")
            + "]"
        )

    def quads(parts: tuple[str, str, str, str], two: str, three: str) -> str:
        first, second, third, fourth = parts
        return anchor(f"(?:{first}{second}{third}{fourth})*(?:{first}{two}==|{first}{second}{three}=)?")

    any_ = without(0)
    return (
        quads((any_, any_, any_, any_), without(0b1111), without(0b11)),
        quads((without(0b100000), without(0b001000), without(0b000010), any_), without(0b1111), without(0b11 | 0b10)),
    )


BASE64, BASE64_TEXT = _base64("+/")
BASE64_URL, BASE64_URL_TEXT = _base64("-_")
"""Of any bytes; of ASCII characters."""

HEX = "^(?:[0-9a-fA-F]{2})*$"

_PLAIN = r"[A-Za-z0-9 _:;,@#%&=<>/!~'\"-]|\\[dDwWsS.\\*+?()\[\]{}|^$]|\[\^?(?:a-z|A-Z|0-9|[A-Za-z0-9 _])+\]|\."
PLAIN_REGEX = f"^(?:(?:{_PLAIN})[*+?]?)*$"
"""Regular expressions without groups, alternatives and counts."""


# Addresses.

_BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_ADDRESS_4 = rf"(?:{_BYTE}\.){{3}}{_BYTE}"
_GROUP = "[0-9a-fA-F]{1,4}"
_ADDRESS_6 = (
    "(?:"
    + "|".join(
        [f"(?:{_GROUP}:){{7}}{_GROUP}", f"(?:{_GROUP}:){{1,7}}:"]
        + [f"(?:{_GROUP}:){{1,{7 - after}}}(?::{_GROUP}){{1,{after}}}" for after in range(1, 7)]
        + [f":(?::{_GROUP}){{1,7}}", "::"]
    )
    + ")"
)
INTERFACE_4 = anchor(f"{_ADDRESS_4}(?:/(?:3[0-2]|[12]?[0-9]))?")
INTERFACE_6 = anchor(f"{_ADDRESS_6}(?:/(?:12[0-8]|1[01][0-9]|[1-9]?[0-9]))?")


def _network_4(prefix: int) -> str:
    """The networks of so many bits."""
    whole, bits = divmod(prefix, 8)
    octets = [_BYTE] * whole
    if bits:
        octets.append("(?:" + "|".join(str(value) for value in range(0, 256, 1 << (8 - bits))) + ")")
    return r"\.".join(octets + ["0"] * (4 - len(octets))) + f"/{prefix}"


NETWORK_4 = anchor(_ADDRESS_4, *(_network_4(prefix) for prefix in range(33)))


def _network_6(prefix: int) -> str:
    """The networks of so many bits; what is zero at the end is ``::``."""
    whole, bits = divmod(prefix, 16)
    groups = [_GROUP] * whole
    if bits:
        digits, rest = divmod(bits, 4)
        last = "[" + "".join(f"{value:x}" for value in range(0, 16, 1 << (4 - rest))) + "]" if rest else ""
        groups.append(f"[0-9a-f]{{{digits}}}{last}".replace("[0-9a-f]{0}", "") + "0" * (4 - digits - bool(rest)))
    address = ":".join(groups) + ("" if len(groups) == 8 else "::" if len(groups) < 7 else ":0")
    return f"{address}/{prefix}"


NETWORK_6 = anchor(_ADDRESS_6, *(_network_6(prefix) for prefix in range(129)))

_LABEL = "[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*"
_TOP = "[a-zA-Z]+(?:-?[a-zA-Z0-9]+)*"
_HOST = rf"(?:(?:{_LABEL}\.)*{_TOP}|{_ADDRESS_4})"
_PORT = "(?::(?:[0-9]{1,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?"
_USER = "(?:[A-Za-z0-9._~-]+(?::[A-Za-z0-9._~-]+)?@)?"
_SCHEME = "(?!file:)[a-z][a-z0-9+-]*"


def _schemes(allowed: Iterable[str] | None) -> str:
    return f"(?:{'|'.join(map(re.escape, allowed))})" if allowed else _SCHEME


def url(schemes: Iterable[str] | None) -> str:
    """URLs with a host that is an ASCII name or an IPv4 address; what comes after the port is told by the format."""
    rest = "(?:[/?#].*)?"
    schemes = list(schemes or ())
    if schemes == ["file"]:
        return anchor(f"file://(?:{_HOST})?{rest}")
    return anchor(rf"{_schemes(schemes)}://{_USER}{_HOST}{_PORT}{rest}")


def multi_host_url(schemes: Iterable[str] | None) -> str:
    """The same with several hosts; with a path and a query in ASCII, and no fragment."""
    rest = r"(?:/[A-Za-z0-9._~/-]*)?(?:\?[A-Za-z0-9._~=&-]*)?"
    return anchor(rf"{_schemes(schemes)}://{_USER}{_HOST}{_PORT}(?:,{_HOST}{_PORT})*{rest}")


_ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_MAIL_LABEL = "(?=[^.]{1,63}(?:[.]|>?$))[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*"
_MAIL_TOP = "(?!(?:arpa|invalid|local|localhost|onion|test)(?:>?$))[a-z]{2,63}"
_MAIL = rf"(?=[^@]{{1,64}}@){_ATOM}(?:\.{_ATOM})*@(?=[^@]{{1,250}}$)(?:{_MAIL_LABEL}\.)+{_MAIL_TOP}"
EMAIL = f"^{_MAIL}$"
"""Addresses in ASCII, of domains that may exist."""
NAME_EMAIL = rf"^(?:[A-Za-z]+(?: [A-Za-z]+)* <{_MAIL}>|{_MAIL})$"
