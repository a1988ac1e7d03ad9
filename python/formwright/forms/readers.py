r"""How a text falls into the parts of a composition, and what each part is read as.

::

    form = fw.template("{name} is {age}", name=fw.regex("[A-Z][a-z]+"), age=int)
    form.parts("Ada is 36")     # (Part(name='name', text='Ada', start=0, end=3), Part(name='age', text='36', ...))

Where a text could be cut in several ways, an earlier part takes as much as it can (leftmost, longest). A text that has
only begun is cut the same way: its last part is then the one that is still open.

Cost: each part is read once by the kernel for each way in which the text could be cut until one fits; at worst that is
quadratic.

The control tokens that a model wrote are letters of their own, which no text could be taken for: their
name between two bytes 0xFF, in a ``str`` two ``"\udcff"``. In the text of a result are the names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from formwright.errors import OutputInvalid

if TYPE_CHECKING:
    from formwright.forms.form import Form
    from formwright.forms.validators import Validator

__all__ = [
    "Alternative",
    "Chain",
    "Composition",
    "Cut",
    "FindsParts",
    "HasChain",
    "Part",
    "Repetition",
    "cut",
    "cut_of",
    "decode_text",
    "encode_text",
    "found_parts",
    "plain",
    "python_type_of",
    "spell_text",
    "validator_of",
]

_LETTER, _CONTROL = "\udcff", b"\xff"

Cut = list[tuple["Form[Any]", int, int]]
"""The parts of a text, one after the other: each form, and where it begins and ends, in bytes."""


@runtime_checkable
class Composition(Protocol):
    """A reader that first cuts a text into the parts of a composition."""

    def __call__(self, text: str, /) -> Any:
        """The value of a text that conforms to the form."""
        ...

    def cut(self, data: bytes, *, is_open: bool = False) -> Cut | None:
        """The parts of a text; of one that has only begun (``is_open``), the last part is open."""
        ...


@runtime_checkable
class TypedReader(Protocol):
    """A reader whose values are instances of a Python type."""

    @property
    def python_type(self) -> Any:
        """The type."""
        ...


@runtime_checkable
class ValidatingReader(Protocol):
    """A reader that can validate the values inside a text that is not complete."""

    @property
    def validator(self) -> Validator | None:
        """The validator of the whole value."""
        ...


def python_type_of(form: Form[Any]) -> Any:
    """The type whose instances a form's texts are read as, or ``None``."""
    return form.read.python_type if isinstance(form.read, TypedReader) else None


def validator_of(form: Form[Any]) -> Validator | None:
    """The validator of the values inside a form's texts, or ``None``."""
    return form.read.validator if isinstance(form.read, ValidatingReader) else None


@runtime_checkable
class FindsParts(Protocol):
    """A reader that finds named parts in its own way."""

    def __call__(self, text: str, /) -> Any:
        """The value of a text that conforms to the form."""
        ...

    def find_parts(self, data: bytes, *, is_open: bool = False) -> Iterable[tuple[str, int, int]]:
        """The names of the parts, in the order in which they begin, and where in ``data`` they begin and end."""
        ...


class Part(NamedTuple):
    """A named part of a text.

    Attributes:
        name: Its name, such as that of a field of a template.
        text: What is written there.
        start: Where it begins, in bytes of the whole text.
        end: Where it ends.
        is_complete: Whether it is over. Where a text goes on, the parts that end where it ends so far are not.
    """

    name: str
    text: str
    start: int
    end: int
    is_complete: bool = True


def encode_text(text: str) -> bytes:
    """A text that was accepted, as bytes, with the letters of its control tokens."""
    return text.encode("utf-8", "surrogateescape")


def decode_text(data: bytes) -> str:
    """What `encode_text` was given; bytes of a character that is not whole are left out."""
    texts = (part.decode("utf-8", "ignore") for part in data.split(_CONTROL))
    return _LETTER.join(texts)


def plain(text: str) -> str:
    """A text with the names of its control tokens instead of their letters."""
    return text.replace(_LETTER, "")


def spell_text(data: bytes) -> str:
    """The text of some bytes, with the names of its control tokens."""
    return plain(decode_text(data))


def cut(
    data: bytes,
    part_at: Callable[[int], Form[Any] | None],
    may_end: Callable[[int], bool],
    may_be_empty: Callable[[int], bool],
    *,
    is_open: bool = False,
) -> Cut | None:
    """The parts of ``data``, each as long as it can be; ``None`` if it has none.

    Args:
        data: The text.
        part_at: The part of each number; ``None`` if there is none.
        may_end: Whether the text may end after so many parts.
        may_be_empty: Whether the part of a number may be empty, though nothing says how many are.
        is_open: Whether the text may end anywhere: then the last part has only begun.
    """
    found: Cut = []
    untried: list[Iterator[int]] = []  # of each part found, and of the next one: ends to try
    dead: set[tuple[int, int]] = set()
    at = 0
    while True:
        form = part_at(len(found))
        if is_open and form is not None and form.language.check(data[at:])[0] == len(data) - at:
            return [*found, (form, at, len(data))]
        if not is_open and at == len(data) and may_end(len(found)):
            return found
        ends: list[int] = []
        if form is not None and (len(found), at) not in dead:
            wanted = may_be_empty(len(found))
            ends = [at + end for end in form.language.ends(data[at:]) if end or wanted]
        untried.append(reversed(ends))
        while (end := next(untried[-1], None)) is None:
            untried.pop()
            dead.add((len(found), at))
            if not found:
                return None
            form, at, _ = found.pop()
        if form is not None:
            found.append((form, at, end))
        at = end


def cut_of(reader: Composition, data: bytes) -> Cut:
    """The parts that a reader finds in a whole text.

    Raises:
        OutputInvalid: There is no way to cut it.
    """
    found = reader.cut(data)
    if found is None:
        text = spell_text(data)
        raise OutputInvalid("the text cannot be cut into the parts of its form", text=text, position=0)
    return found


@dataclass(frozen=True, slots=True)
class Chain:
    """Reads texts in a row: the values of those that are taken; of one, its value; of none, the whole text.

    Attributes:
        forms: The parts.
        takes: Which of them are taken.
    """

    forms: tuple[Form[Any], ...]
    takes: tuple[bool, ...]

    def cut(self, data: bytes, *, is_open: bool = False) -> Cut | None:
        """Its parts."""
        forms = self.forms
        return cut(data, dict(enumerate(forms)).get, len(forms).__eq__, lambda _: True, is_open=is_open)

    def __call__(self, text: str) -> Any:
        """The value of a text that conforms."""
        if not any(self.takes):
            return plain(text)
        data = encode_text(text)
        taken = [part for part, takes in zip(cut_of(self, data), self.takes, strict=True) if takes]
        values = [form.read(decode_text(data[start:end])) for form, start, end in taken]
        return values[0] if len(values) == 1 else tuple(values)


@runtime_checkable
class HasChain(Protocol):
    """A reader that makes a value of the parts of a chain."""

    @property
    def chain(self) -> Chain:
        """The parts."""
        ...


@dataclass(frozen=True, slots=True)
class Alternative:
    """Reads a text by the first form that has it."""

    first: Form[Any]
    second: Form[Any]

    def cut(self, data: bytes, *, is_open: bool = False) -> Cut | None:
        """The one part."""
        read, is_complete = self.first.language.check(data)
        is_first = read == len(data) if is_open else is_complete
        return [(self.first if is_first else self.second, 0, len(data))]

    def __call__(self, text: str) -> Any:
        """The value of a text that conforms."""
        is_first = self.first.language.check(encode_text(text))[1]
        return (self.first if is_first else self.second).read(text)


@dataclass(frozen=True, slots=True)
class Repetition:
    """Reads texts in a row as a list, with others between them, if there are any.

    Attributes:
        body: What is repeated.
        low: How often at least.
        high: How often at most, if there is a bound.
        between: What is between two of them.
        is_text: Whether the value is the whole text instead of the list.
    """

    body: Form[Any]
    low: int
    high: int | None
    between: Form[Any] | None = None
    is_text: bool = False

    def cut(self, data: bytes, *, is_open: bool = False) -> Cut | None:
        """Its parts, those between them too."""
        step = 1 if self.between is None else 2

        def part_at(number: int) -> Form[Any] | None:
            if self.high is not None and number > step * (self.high - 1):
                return None
            return self.between if number % step else self.body

        def may_end(number: int) -> bool:
            times = (number + step - 1) // step
            return times >= self.low and (number == 0 or number % step == 1 % step)

        # Where something is between them, a part may be empty without being repeated for ever.
        always = self.between is not None and not self.between.language.ends(b"")
        return cut(data, part_at, may_end, lambda number: always or number < step * self.low, is_open=is_open)

    def __call__(self, text: str) -> Any:
        """The values of a text that conforms, or the text."""
        if self.is_text:
            return plain(text)
        data = encode_text(text)
        found = cut_of(self, data)
        return [self.body.read(decode_text(data[start:end])) for form, start, end in found if form is not self.between]


def found_parts(form: Form[Any], data: bytes, *, is_open: bool = False) -> Iterator[Part]:
    """The named parts of a text, the outer ones first, in the order in which they begin.

    Args:
        form: What the text is in.
        data: The text, with the letters of control tokens.
        is_open: Whether it has only begun.
    """
    pending = [(form, 0, len(data), is_open)]
    while pending:
        at, start, end, goes_on = pending.pop()
        if at.name is not None:
            yield _part(at.name, data, start, end, is_complete=not goes_on)
        if isinstance(at.read, FindsParts):
            for name, low, high in at.read.find_parts(data[start:end], is_open=goes_on):
                is_complete = not goes_on or start + high < end
                yield _part(name, data, start + low, start + high, is_complete=is_complete)
        if not isinstance(at.read, Composition):
            continue
        parts = at.read.cut(data[start:end], is_open=goes_on) or []
        pending += [
            (part, start + low, start + high, goes_on and number == len(parts) - 1)
            for number, (part, low, high) in reversed(list(enumerate(parts)))
        ]


def _part(name: str, data: bytes, start: int, end: int, *, is_complete: bool) -> Part:
    text, first = spell_text(data[start:end]), start - data.count(_CONTROL, 0, start)
    return Part(name, text, first, first + len(text.encode()), is_complete)
