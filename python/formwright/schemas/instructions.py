"""Instructions: text for a prompt that tells a model the form of its answer.

::

    text = fw.instructions({"type": "integer", "minimum": 0}, style="fields")
    text                                # 'Answer with JSON only, nothing before or after it: an integer, at least 0'
    fw.instructions(fw.choice("yes", "no"))     # 'Answer with exactly one of these texts and nothing else: yes, no'

For services that cannot enforce a form, and for models that write a better text when they know what is to come. Every
constraint that a schema states is told, in code or in words, whatever the style:

==============  ==========================================================================
``schema``      the JSON Schema in one line, without what says nothing about the answer
``typescript``  interfaces and types, with comments
``fields``      a list of the fields in words
``example``     a conforming instance, and a line for each constraint that it does not show
==============  ==========================================================================

Cost: some walks over the schema, about a millisecond; an example is checked with the form. Nothing is
enforced by words. A text that comes back conforms only if `Form.parse` takes it.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from formwright.errors import ArgumentError
from formwright.forms.coerce import form as form_of
from formwright.forms.form import Form, Origin
from formwright.forms.notations import NotationReader
from formwright.forms.readers import Alternative, Chain, Repetition, python_type_of
from formwright.forms.sql.query import QueryReader
from formwright.schemas.rendering import (
    PLAIN,
    Document,
    Line,
    Outline,
    closes_all,
    compact,
    gather,
    outline_of,
    paths,
    sample,
    show_name,
    typescript,
    with_docstrings,
)

__all__ = ["STYLES", "InstructionStyle", "check_style", "instruction_of", "instructions", "with_docstrings"]

InstructionStyle: TypeAlias = Literal["schema", "typescript", "fields", "example"]
"""How a form is told."""

_ONLY = "Answer with JSON only, nothing before or after it"
_MOST_CHOICES = 100
"""How many options are listed; of more, these many are an example."""


def instructions(form: Any, /, *, style: InstructionStyle = "schema") -> str:
    """Return text for a prompt that describes the form of the answer.

    Args:
        form: Anything `formwright.form` takes. The docstrings of classes describe them and their fields.
        style: ``"schema"``, ``"typescript"``, ``"fields"`` or ``"example"``; texts that are not JSON have one style.

    Raises:
        NotAForm, LanguageError: As `formwright.form`.
        ArgumentError: There is no such style.
        MissingDependency: A docstring has several parts, and ``docstring-parser`` is not installed.
    """
    check_style(style)
    return instruction_of(form_of(form), style)


def instruction_of(form: Form[Any], style: str = "schema") -> str:
    """The text for a form that is made already. Raises as `instructions`."""
    check_style(style)
    origin = form.origin
    if isinstance(form.read, NotationReader):
        return _describe_notation(form, form.read, style)
    if isinstance(form.read, QueryReader):
        return form.read.description
    if origin is None:
        return _describe_composition(form, style)
    if origin.kind == "tools":
        return _describe_tools(form, style)
    if origin.kind == "choice":
        return f"Answer with {_one_of(origin.what)}"
    if origin.kind == "regex":
        return f"Answer with {_describe_pattern(origin.what)}"
    if origin.kind == "grammar":
        return f"Answer with {_describe_grammar(origin.what)}"
    document = _document(form)
    return f"{_ONLY}{STYLES[style](document, form)}{_alphabet(form)}"


def check_style(style: object, argument: str = "style") -> None:
    """Fails unless there is such a style. Raises ArgumentError."""
    if not isinstance(style, str) or style not in STYLES:
        known = ", ".join(map(repr, STYLES))
        raise ArgumentError(
            f"{argument}={style!r} is not a style of instructions", hint=f"one of {known}", argument=argument
        )


def _document(form: Form[Any]) -> Document:
    """The schema of a form, with the docstrings of its type."""
    text = form.origin.what if form.origin else "true"
    type_ = python_type_of(form)
    if type_ is not None:
        text = json.dumps(with_docstrings(type_, json.loads(text)))
    return gather(text, _options(form))


def _options(form: Form[Any]) -> Mapping[str, Any]:
    return (form.origin.options if form.origin else None) or {}


def _schema(document: Document, form: Form[Any]) -> str:
    order = ", with the fields in its order" if _is_ordered(document, form) else ""
    return f", valid by this JSON Schema{order}:\n{compact(document.schema())}"


def _typescript(document: Document, form: Form[Any]) -> str:
    return f", of the TypeScript type {document.name}{_which(document, form)}:\n\n{typescript(document)}"


def _fields(document: Document, form: Form[Any]) -> str:
    outline = outline_of(document)
    lines = _list_lines(outline.root.children)
    root = _root(outline.root, document, form) + (f":\n{lines}" if lines else "")
    return "\n\n".join(
        [root, *(f"{line.text}\n{_list_lines(line.children)}".rstrip("\n") for line in outline.definitions)]
    )


def _root(line: Line, document: Document, form: Form[Any]) -> str:
    """What the answer is as a whole, before the lines of its parts."""
    whole = f"{_article(line.what)}{line.what}"
    if any(schema.get("$ref") == "#" for schema in document.walk()):
        whole = f"{document.name}, {whole}"
    said = (
        f"{whole} ({', '.join(line.remarks)})" if line.remarks and line.children else ", ".join((whole, *line.remarks))
    )
    if any("properties" in schema for schema in document.walk()):
        which = " with these fields" if line.children and "object" in line.what else ", with the fields of objects"
        order = " in this order" if _is_ordered(document, form) else ""
        closed = ", and no others" if closes_all(document) else ""
        said += f"{which}{order}, required unless optional{closed}"
    return f". {line.description.rstrip('.')}. It is {said}" if line.description else f": {said}"


def _article(what: str) -> str:
    first = re.match(r"\w*", what)
    if first is None or first[0] not in PLAIN:
        return ""
    return "an " if first[0][0] in "aio" else "a "


def _example(document: Document, form: Form[Any]) -> str:
    text = _instance(document, form)
    head = f", in the form of this example{_which(document, form)}:\n{text}"
    told = [
        f"- {path}: {_what(line)}"
        for path, line in _unseen(outline_of(document), set(_names(_read_as_json(form, text))))
    ]
    return "\n".join([head, "Its values stand for yours, of which:", *told]) if told else head


def _unseen(outline: Outline, names: set[str]) -> Iterator[tuple[str, Line]]:
    """What an instance with fields of these names does not show, each with the place where it holds."""
    whole = [("the whole", outline.root), *((line.name, line) for line in outline.definitions)]
    yield from ((place, line) for place, line in whole if not _is_plain(line))
    for path, line in paths(outline.root):
        is_seen = line.is_branch or (" as " not in path and line.name in names)
        if not (is_seen and _is_plain(line)):
            yield path, line
    for definition in outline.definitions:
        yield from paths(definition, definition.name)


def _is_plain(line: Line) -> bool:
    """Whether an instance shows all that there is to say."""
    type_ = line.what.removeprefix("array of ").removeprefix("object of ")
    return not (line.remarks or line.description) and (type_ in PLAIN or type_.removesuffix("s") in PLAIN)


def _what(line: Line) -> str:
    said = ", ".join((line.what, *line.remarks))
    return f"{said}: {line.description}" if line.description else said


def _names(text: str) -> Iterator[str]:
    """The names of the fields in a JSON text."""

    def read(pairs: list[tuple[str, Any]]) -> None:
        found.extend(name for name, _ in pairs)

    found: list[str] = []
    json.loads(text, object_pairs_hook=read)
    yield from found


def _read_as_json(form: Form[Any], text: str) -> str:
    """The JSON that a text says."""
    values = None if form.language.is_json else form.language.values()
    return text if values is None else values.read(text) or "null"


def _instance(document: Document, form: Form[Any]) -> str:
    """A readable conforming text; the shortest one where that is not found."""
    layout = _LAYOUTS.get(_options(form).get("whitespace", ""), {})
    for optional in (True, False):
        value = sample(document, optional=optional)
        text = json.dumps(value, ensure_ascii=False, **layout)
        if form.matches(text):
            return text
        with contextlib.suppress(ArgumentError):
            return form.write(value)
    return form.example()


_LAYOUTS: Mapping[str, Mapping[str, Any]] = {"compact": {"separators": (",", ":")}, "pretty": {"indent": 2}}
"""How `json.dumps` writes what a form has as its whitespace."""


STYLES: Mapping[str, Callable[[Document, Form[Any]], str]] = {
    "schema": _schema,
    "typescript": _typescript,
    "fields": _fields,
    "example": _example,
}
"""The styles by name, and what they say after the words that ask for JSON."""


def _list_lines(lines: Sequence[Line], depth: int = 0) -> str:
    """Lines in a list, those inside them indented."""
    written = []
    for line in lines:
        written.append(f"{'  ' * depth}- {line.text}")
        written += [_list_lines(line.children, depth + 1)] if line.children else []
    return "\n".join(written)


def _is_ordered(document: Document, form: Form[Any]) -> bool:
    """Whether fields have an order, and there are several."""
    is_fixed = _options(form).get("order", "schema") == "schema"
    return is_fixed and any(len(schema.get("properties", ())) > 1 for schema in document.walk())


def _which(document: Document, form: Form[Any]) -> str:
    """What is said once about the fields of all objects."""
    order, closed = _is_ordered(document, form), closes_all(document)
    if not order:
        return ", without other fields" if closed else ""
    return f", with the fields in its order{' and no others' if closed else ''}"


def _alphabet(form: Form[Any]) -> str:
    letters = _options(form).get("alphabet")
    return "" if letters is None else f"\nStrings without a rule of their own have these characters only: {letters}"


def _one_of(options: Sequence[str]) -> str:
    """What a choice is, in words."""
    if len(options) == 1:
        return f"exactly this text and nothing else: {show_name(options[0])}"
    listed = ", ".join(map(_option, options[:_MOST_CHOICES]))
    if len(options) > _MOST_CHOICES:
        return f"exactly one of {len(options):,} texts and nothing else, among them: {listed}"
    return f"exactly one of these texts and nothing else: {listed}"


def _option(text: str) -> str:
    """An option in a row: quoted where a comma or a quote would make it unclear."""
    return compact(text) if '"' in text or "," in text else show_name(text)


def _describe_grammar(text: str) -> str:
    return f"a text that conforms to this grammar, and nothing else:\n{text.strip()}"


def _describe_pattern(pattern: str) -> str:
    return f"a text that this regular expression matches whole, and nothing else: {pattern}"


_NOTATIONS = {
    "jsonl": "JSON Lines",
    "python": "a Python literal",
    "csv": "CSV",
    "tsv": "tab-separated values",
    "markdown": "a Markdown table",
    "xml": "XML",
    "toml": "TOML",
    "toon": "TOON",
    "yaml": "YAML",
}


def _describe_notation(form: Form[Any], reader: NotationReader, style: str) -> str:
    """The schema of the values, and an example in the notation."""
    origin = Origin("schema", reader.schema, reader.options)
    plain = replace(form, read=reader.read_json, origin=origin)
    document = _document(plain)
    told = STYLES[style](document, plain)
    example = "" if style == "example" else f"\nFor example:\n{_instance(document, plain)}"
    return f"Answer with {_NOTATIONS[reader.name]} only, nothing before or after it{told}{_alphabet(plain)}{example}"


def _describe_composition(form: Form[Any], style: str) -> str:
    """A composition: its title, an example, and what each of its parts is."""
    said = [f"Answer with a text of this form and nothing else: {form.title}"]
    said += [f"For example: {text}"] if (text := form.example()) else []
    for part in dict.fromkeys(_parts(form)):
        origin = part.origin
        if origin is None:
            continue
        if origin.kind == "tools":
            said.append(f"{part.title}: {_describe_tools(part, style).removeprefix('Answer ')}")
        elif origin.kind == "schema":
            said.append(f"{part.title} is JSON{STYLES[style](_document(part), part)}{_alphabet(part)}")
        else:
            describe = {"choice": _one_of, "regex": _describe_pattern, "grammar": _describe_grammar}
            words = describe[origin.kind](origin.what)
            said.append(f"{part.title} is {re.sub(',? and nothing else', '', words)}")
    return "\n".join(said)


_CALLS = {
    "auto": "Answer in words, or by calls of these tools, as many as are needed.",
    "required": "Answer with calls of these tools, one or more, and nothing else.",
    "one": "Answer with a call of one of these tools and nothing else.",
}


def _describe_tools(form: Form[Any], style: str) -> str:
    """Tools: what each is for, its arguments, and how a call is written."""
    origin = form.origin
    assert origin is not None
    offer = origin.what
    most = f" At most {offer.most}." if offer.most is not None and offer.calls != "one" else ""
    said = [_CALLS[offer.calls] + most]
    if example := offer.one.example():
        said.append(f"A call is written like this:\n{example}")
    for tool in offer.tools:
        arguments = tool.arguments(origin.options)
        what = f": {tool.description}" if tool.description else ""
        told = STYLES[style](gather(json.dumps(tool.schema), origin.options or {}), arguments)
        said.append(f"Tool {tool.name}{what}\nIts arguments{told}")
    return "\n\n".join(said)


def _parts(form: Form[Any]) -> Iterator[Form[Any]]:
    """The forms that a composition is made of, as far as they have an origin."""
    if form.origin is not None:
        yield form
        return
    read = form.read
    inner: Sequence[Form[Any] | None] = ()
    if isinstance(read, Chain):
        inner = read.forms
    elif isinstance(read, Alternative):
        inner = (read.first, read.second)
    elif isinstance(read, Repetition):
        inner = (read.body, read.between)
    for part in inner:
        if part is not None:
            yield from _parts(part)
