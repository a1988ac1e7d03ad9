"""The formats of structural tags, each by its type: a row of `FORMATS` says its keys and what makes its form.

::

    reader = FormatReader(None, Speller())
    reader.read(Entry({"type": "const_string", "value": "x"}, "structural_tag.format", "/format")).example()   # 'x'

Text that a tag ends holds none of the tag's ends; the ends reach any text of its content, except in tags inside of it,
in a ``dispatch`` and what it leads to, and where tokens are named. Where a trigger comes in free text, one of its tags
begins. Free text holds no excluded text, also none that ends in its trigger or with it.

Cost: reading the schemas; what several tags begin with is there once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Any

from formwright._kernel import Language, Vocabulary
from formwright.errors import StructuralTagError
from formwright.forms.form import Form, chain
from formwright.forms.free_text import text
from formwright.forms.grammars import grammar
from formwright.forms.json_forms import json_schema
from formwright.forms.readers import Cut, plain
from formwright.forms.text_checks import read_json
from formwright.forms.texts import regex
from formwright.tools.speller import Control, Piece, Speller, join_branches, spell_pieces
from formwright.tools.tag_entries import Entry
from formwright.tools.tag_schemas import close_objects, exclude_texts
from formwright.tools.tagged import drop_longer
from formwright.tools.xml_schemas import STYLES, make_xml_language

__all__ = ["FORMATS", "FormatReader", "FreeText", "OneOfTags"]

_TAG = ("begin", "content", "end")


@dataclass(frozen=True, slots=True)
class FreeText:
    """Reads text outside of tags, in which none of these texts can come."""

    stops: tuple[str, ...]

    def __call__(self, text: str) -> str:
        """The text."""
        return plain(text)


@dataclass(frozen=True, slots=True)
class _Tag:
    """A tag: what it begins with, and the form of what follows, its end included."""

    begin: tuple[Piece, ...]
    rest: Form[Any]

    @property
    def begin_text(self) -> str:
        """What it begins with."""
        return "".join(piece if isinstance(piece, str) else piece.name for piece in self.begin)

    def is_begun_by(self, data: bytes) -> bool:
        """Whether a text may have begun with it, as far as that is quick to see."""
        if not self.begin or not isinstance(self.begin[0], str):
            return True
        begin = self.begin[0].encode()
        return data[: len(begin)] == begin[: len(data)]

    @property
    def whole(self) -> Form[Any]:
        """All of the tag."""
        return chain("a tag", (_make_fixed(spell_pieces(self.begin)), self.rest), takes=-1)


@dataclass(frozen=True, slots=True)
class OneOfTags:
    """Reads one of several tags."""

    tags: tuple[_Tag, ...]

    def cut(self, data: bytes, *, is_open: bool = False) -> Cut | None:
        """The one part."""
        for tag in self.tags:
            if not tag.is_begun_by(data):
                continue
            form = tag.whole
            read, is_complete = form.language.check(data)
            if read == len(data) if is_open else is_complete:
                return [(form, 0, len(data))]
        return None

    def __call__(self, text: str) -> str:
        """The text."""
        return plain(text)


def _make_fixed(language: Language) -> Form[str]:
    return Form(language, plain, "fixed text", "text")


def _join_tags(tags: Sequence[_Tag]) -> Form[Any]:
    language = join_branches((tag.begin, tag.rest.language) for tag in tags)
    return Form(language, OneOfTags(tuple(tags)), "one of some tags", "value")


@dataclass(frozen=True, slots=True)
class FormatReader:
    """Makes the forms of formats.

    Attributes:
        vocabulary: Whose control tokens the formats name; ``None`` if it is not known yet. Tokens are then taken for
            control tokens without being looked up, and texts hold none.
        speller: Finds the names of its control tokens.
        ends: What ends the tag around the format.
        is_outside: Whether there is no tag around it.
    """

    vocabulary: Vocabulary | None
    speller: Speller
    ends: tuple[str, ...] = ()
    is_outside: bool = True

    def read(self, entry: Entry) -> Form[Any]:
        """The form of a format.

        Raises:
            StructuralTagError: A key is not known, has a wrong value, or cannot be enforced.
        """
        kind = entry.keys.get("type")
        if not isinstance(kind, str) or kind not in FORMATS:
            served = ", ".join(FORMATS)
            said = f"{entry.field}: formats of the type {kind!r} are not served, but {served} are"
            raise entry.make_fault(None, said)
        names, make = FORMATS[kind]
        entry.check_keys(*names)
        return make(self, entry)

    def spell(self, text: str) -> Form[str]:
        """A fixed text."""
        return _make_fixed(self.speller.spell(text))

    def make_free_text(self, entry: Entry, excludes: Iterable[str] = (), *, is_bounded: bool = False) -> Form[Any]:
        """Text that holds none of some texts, nor an end of the tag around it."""
        stops = tuple(drop_longer([*excludes, *self.ends]))
        bounds = {name: entry.read_number(name) for name in ("max_chars", "max_tokens") if is_bounded}
        with entry.place_errors("max_tokens"):
            form = text(until=stops or None, include=False, **bounds)
        return replace(form, read=FreeText(stops), kind="value") if self.is_outside else form

    def read_tag(self, entry: Entry) -> _Tag:
        """A tag."""
        entry.check_keys(*_TAG)
        ends, written = self._read_ends(entry)
        inside = replace(self, ends=ends, is_outside=False)
        content = entry.read_entry("content")
        if not any(ends) and isinstance(written, str) and _is_endless(content):
            raise entry.make_fault(
                "end", f"{entry.field}.end: expected a text that is not empty: the content has no end"
            )
        rest = chain("the content and end of a tag", (inside.read(content), self._write_end(written)), takes=-1)
        return _Tag(self._read_begin(entry), rest)

    def read_structures(self, entry: Entry) -> Form[Any]:
        """Triggered tags of the older kind, whose contents are JSON."""
        tags = []
        for one in entry.read_entries("structures"):
            one.check_keys("begin", "schema", "end")
            schema = one.read_required("schema")
            with one.place_errors("schema"):
                content = json_schema(close_objects(_parse_schema(schema)))
            rest = chain("the content and end of a tag", (content, self.spell(one.read_text("end"))), takes=-1)
            tags.append((_Tag(self.speller.cut(one.read_text("begin")), rest), one))
        return self.read_triggers(entry, tags)

    def read_triggers(self, entry: Entry, tags: Sequence[tuple[_Tag, Entry]]) -> Form[Any]:
        """Free text with tags, each of which begins with one of its triggers."""
        triggers = entry.read_texts("triggers")
        if not triggers:
            raise entry.make_fault("triggers", f"{entry.field}.triggers: expected a list with one text at least")
        for tag, one in tags:
            begun = [trigger for trigger in triggers if tag.begin_text.startswith(trigger)]
            if len(begun) != 1:
                said = f"{one.field}.begin: expected one trigger to begin {tag.begin_text!r}, got {len(begun)}"
                raise one.make_fault("begin", said)
        is_over, needs_one = entry.read_flag("stop_after_first"), entry.read_flag("at_least_one")
        found, excludes = [tag for tag, _ in tags], entry.read_texts("excludes")
        return self.make_dispatch(entry, found, triggers, excludes, is_over=is_over, needs_one=needs_one)

    def _read_begin(self, entry: Entry) -> tuple[Piece, ...]:
        begin = entry.keys.get("begin")
        if isinstance(begin, Mapping):
            return (self._read_token(entry.read_entry("begin")),)
        return self.speller.cut(entry.read_text("begin", may_be_empty=True))

    def _read_ends(self, entry: Entry) -> tuple[tuple[str, ...], str | list[str] | Control]:
        """The texts that end a tag, and what is written there."""
        end = entry.keys.get("end")
        if isinstance(end, Mapping):
            return (), self._read_token(entry.read_entry("end"))
        if not isinstance(end, list):
            end = entry.read_text("end", may_be_empty=True)
            return (end,) if end else (), end
        if not end or not all(isinstance(one, str) for one in end):
            raise entry.make_fault("end", f"{entry.field}.end: expected a text, or a list of one text or more")
        return tuple(filter(None, end)), end if len(end) > 1 else end[0]

    def _write_end(self, written: str | list[str] | Control) -> Form[Any]:
        if isinstance(written, Control):
            return _make_fixed(Language.control(*written))
        if isinstance(written, str):
            return self.spell(written)
        return _make_fixed(join_branches((self.speller.cut(end), Language.choice([""])) for end in written))

    def _read_token(self, entry: Entry) -> Control:
        if entry.keys.get("type") != "token":
            raise entry.make_fault("type", f'{entry.field}.type: expected "token"')
        entry.check_keys("token")
        return self.find_token(entry, "token", entry.keys.get("token"))

    def find_token(self, entry: Entry, key: str, token: Any) -> Control:
        """The control token of an id or a name."""
        if not isinstance(token, str | int) or isinstance(token, bool) or token == "":
            raise entry.make_fault(key, f"{entry.field}.{key}: expected an id or a name of a token, got {token!r}")
        if self.vocabulary is None:
            return Control(str(token), or_text=False)
        names = self.vocabulary.special_tokens
        name = next((name for name, found in names.items() if token in (name, found)), None)
        if name is None or names[name] in self.vocabulary.eos_token_ids:
            why = f"{token!r} is not a control token" if name is None else f"{name!r} ends the text"
            hint = "a form is made of texts and control tokens: write an ordinary token as text"
            raise entry.make_refusal(key, why, hint=hint)
        return Control(name, or_text=False)

    def make_dispatch(
        self,
        entry: Entry,
        tags: Sequence[_Tag],
        triggers: Sequence[str],
        excludes: Sequence[str],
        *,
        is_over: bool,
        needs_one: bool = False,
    ) -> Form[Any]:
        """Free text in which each trigger begins one of some tags; with ``needs_one`` it begins with a tag.

        With ``is_over`` the first tag is its end.
        """
        one = _join_tags(tags)
        if is_over and needs_one:
            return one
        stops = [*triggers, *excludes, *self.ends]
        others = [*excludes, *self.ends]
        if barred := [
            (one, stop) for one in triggers for stop in stops if stop in one and (stop != one or one in others)
        ]:
            raise entry.make_refusal(None, "the trigger {!r} can never come: it holds {!r}".format(*barred[0]))
        free = self.make_free_text(entry, [*triggers, *excludes])
        span = chain("text and a tag", (free, one), takes=-1)
        if _has_overlap(stops, triggers):
            span = replace(span, language=self._begin_at_first(tags, triggers, stops, free.language))
        if is_over:
            return span | free
        parts = (span.repeat(0, None), free)
        return chain("tags and text", (one, *parts) if needs_one else parts, takes=-1)

    def _begin_at_first(
        self, tags: Sequence[_Tag], triggers: Sequence[str], stops: Sequence[str], free: Language
    ) -> Language:
        """Free text and a tag, where a stop could be partly in the text and partly in the trigger."""
        reached = Language.text(drop_longer(stops), included=True)
        spans = []
        for trigger in triggers:
            begun = [tag for tag in tags if tag.begin_text.startswith(trigger)]
            before = [stop.removesuffix(trigger) for stop in stops if stop.endswith(trigger) and stop != trigger]
            if any(isinstance(piece, Control) for piece in self.speller.cut(trigger)):  # of which text holds no part
                span = _end_otherwise(free, before)
                spans += [span + join_branches((tag.begin, tag.rest.language) for tag in begun)]
            elif begun:
                after = [(self.speller.cut(tag.begin_text[len(trigger) :]), tag.rest.language) for tag in begun]
                span = reached & (_end_otherwise(Language.text([]), before) + Language.choice([trigger]))
                spans += [span + join_branches(after)]
        return reduce(or_, spans)


def _end_otherwise(language: Language, ends: Sequence[str]) -> Language:
    """The texts of a language that have none of some ends."""
    return language & ~(Language.text([]) + Language.choice(list(ends))) if ends else language


def _has_overlap(stops: Sequence[str], triggers: Sequence[str]) -> bool:
    """Whether a stop can begin before a trigger, and end in it or with it."""
    return any(
        trigger.startswith(stop[start:])
        for stop in stops
        for trigger in triggers
        for start in range(max(1, len(stop) - len(trigger)), len(stop))
    )


def _is_endless(content: Entry) -> bool:
    """Whether text of a format goes on until something else ends it."""
    kind = content.keys.get("type")
    if kind in ("any_text", "any_tokens", "triggered_tags", "token_triggered_tags"):
        return True
    if kind in ("sequence", "or"):
        parts = content.read_entries("elements")
        return any(map(_is_endless, parts[-1:] if kind == "sequence" else parts))
    return kind in ("optional", "plus", "star", "repeat") and _is_endless(content.read_entry("content"))


def _parse_schema(schema: Any) -> Any:
    """A schema that may be JSON text; other text stays, and `json_schema` refuses it."""
    if not isinstance(schema, str):
        return schema
    try:
        return read_json(schema)
    except ValueError:
        return schema


def _read_json(reader: FormatReader, entry: Entry) -> Form[Any]:
    schema = entry.read_required("json_schema")
    if not isinstance(schema, Mapping | bool):
        raise entry.make_fault("json_schema", f"{entry.field}.json_schema: expected an object, true or false")
    style, any_order, excludes = entry.keys.get("style"), entry.read_flag("any_order"), entry.read_texts("excludes")
    if style not in (None, "json", *STYLES):
        raise entry.make_refusal("style", f"there is no style {style!r}", hint=f"there are json, {', '.join(STYLES)}")
    most = entry.read_number("max_whitespace_cnt", least=1)
    options: dict[str, Any] = {} if most is None else {"whitespace": rf"[ \n\r\t]{{0,{most}}}"}
    options |= {"order": "model"} if any_order else {}
    with entry.place_errors("json_schema"):
        if style in (None, "json"):
            return json_schema(exclude_texts(close_objects(schema), excludes), **options)
        gaps = {"whitespace": options["whitespace"]} if most is not None else {}
        language = make_xml_language(
            schema,
            style,
            any_order=any_order,
            json_options=options,
            excludes=excludes,
            spell=reader.speller.spell,
            **gaps,
        )
        return Form(language, plain, f"arguments in the style {style}", "text")


def _read_xml_parameter(reader: FormatReader, entry: Entry) -> Form[Any]:
    return _read_json(reader, replace(entry, keys={**entry.keys, "style": "qwen_xml"}))


def _read_grammar(_: FormatReader, entry: Entry) -> Form[Any]:
    with entry.place_errors("grammar"):
        return grammar(entry.read_text("grammar"))


def _read_regex(_: FormatReader, entry: Entry) -> Form[Any]:
    with entry.place_errors("pattern"):
        return regex(entry.read_text("pattern"))


def _read_token(reader: FormatReader, entry: Entry) -> Form[Any]:
    return _make_fixed(spell_pieces([reader.find_token(entry, "token", entry.keys.get("token"))]))


def _refuse_exclude_token(_: FormatReader, entry: Entry) -> Form[Any]:
    why = "a form is made of texts and control tokens, not of one token of any text"
    raise entry.make_refusal(None, why, hint="any_tokens, or any_text with max_tokens, is text of several tokens")


def _read_any_tokens(reader: FormatReader, entry: Entry) -> Form[Any]:
    _check_excluded_tokens(reader, entry)
    return replace(reader, ends=()).make_free_text(entry, is_bounded=True)


def _check_excluded_tokens(reader: FormatReader, entry: Entry) -> None:
    """Refuse tokens that text could hold: it never holds a control token."""
    tokens = entry.keys.get("exclude_tokens") or []
    if not isinstance(tokens, list):
        raise entry.make_fault("exclude_tokens", f"{entry.field}.exclude_tokens: expected a list of tokens")
    for token in tokens:
        reader.find_token(entry, "exclude_tokens", token)


def _read_sequence(reader: FormatReader, entry: Entry) -> Form[Any]:
    return chain("a sequence", tuple(map(reader.read, entry.read_entries("elements"))), takes=-1)


def _read_or(reader: FormatReader, entry: Entry) -> Form[Any]:
    return reduce(or_, map(reader.read, entry.read_entries("elements")))


def _read_repeat(reader: FormatReader, entry: Entry) -> Form[Any]:
    for name in ("min", "max"):
        entry.read_required(name)
    least, most = entry.read_number("min") or 0, entry.read_number("max", least=-1) or 0
    if 0 <= most < least:
        raise entry.make_fault("max", f"{entry.field}.max: expected min or more, or -1, got {most}")
    return _repeat(reader, entry, least, None if most < 0 else most)


def _repeat(reader: FormatReader, entry: Entry, low: int, high: int | None) -> Form[Any]:
    content = entry.read_entry("content")
    with entry.place_errors("content"):
        return reader.read(content).repeat(low, high)


def _read_triggered_tags(reader: FormatReader, entry: Entry) -> Form[Any]:
    tags = []
    for one in entry.read_entries("tags"):
        if isinstance(one.keys.get("begin"), Mapping):
            raise one.make_fault(
                "begin", f"{one.field}.begin: expected a text; token_triggered_tags begin with a token"
            )
        tags.append((reader.read_tag(one), one))
    return reader.read_triggers(entry, tags)


def _read_token_triggered_tags(reader: FormatReader, entry: Entry) -> Form[Any]:
    _check_excluded_tokens(reader, entry)
    triggers = [reader.find_token(entry, "trigger_tokens", item) for item, _ in entry.read_items("trigger_tokens")]
    tags = [reader.read_tag(one) for one in entry.read_entries("tags")]
    for tag, one in zip(tags, entry.read_entries("tags"), strict=True):
        if tag.begin[:1] not in [(trigger,) for trigger in triggers]:
            raise one.make_fault("begin", f"{one.field}.begin: expected one of the trigger tokens")
    is_over, needs_one = entry.read_flag("stop_after_first"), entry.read_flag("at_least_one")
    return replace(reader, ends=()).make_dispatch(entry, tags, (), (), is_over=is_over, needs_one=needs_one)


def _read_separated_tags(reader: FormatReader, entry: Entry) -> Form[Any]:
    outside = replace(reader, ends=())
    one = _join_tags([outside.read_tag(tag) for tag in entry.read_entries("tags")])
    separator, least = entry.read_text("separator", may_be_empty=True), int(entry.read_flag("at_least_one"))
    if entry.read_flag("stop_after_first"):
        return one if least else one.repeat(0, 1)
    if not separator:
        return one.repeat(least, None)
    more = chain("a separator and a tag", (reader.spell(separator), one), takes=-1)
    many = chain("tags", (one, more.repeat(0, None)), takes=-1)
    return many if least else many.repeat(0, 1)


def _read_dispatch(reader: FormatReader, entry: Entry) -> Form[Any]:
    inside = replace(reader, ends=())
    rules = [_read_rule(reader, entry, *rule) for rule in entry.read_items("rules")]
    for _, trigger, rule in rules:
        if not isinstance(trigger, str) or not trigger:
            raise rule.make_fault(None, f"{rule.field}: expected a pattern that is not empty, got {trigger!r}")
    tags = [_Tag(reader.speller.cut(trigger), inside.read(content)) for content, trigger, _ in rules]
    triggers = [trigger for _, trigger, _ in rules]
    excludes = entry.read_texts("excludes")
    return inside.make_dispatch(entry, tags, triggers, excludes, is_over=not entry.read_flag("loop", default=True))


def _read_token_dispatch(reader: FormatReader, entry: Entry) -> Form[Any]:
    _check_excluded_tokens(reader, entry)
    inside = replace(reader, ends=())
    rules = [_read_rule(reader, entry, *rule) for rule in entry.read_items("rules")]
    tags = [_Tag((reader.find_token(entry, "rules", token),), inside.read(content)) for content, token, _ in rules]
    return inside.make_dispatch(entry, tags, (), (), is_over=not entry.read_flag("loop", default=True))


def _read_rule(_: FormatReader, entry: Entry, rule: Any, place: tuple[str, str]) -> tuple[Entry, Any, Entry]:
    """The content of a rule, what it begins with, and where the rule is."""
    if not isinstance(rule, Sequence) or len(rule) != 2 or not isinstance(rule[1], Mapping):
        raise StructuralTagError(f"{place[0]}: expected a pattern and a format", field=place[0], pointer=place[1])
    return Entry(rule[1], f"{place[0]}[1]", f"{place[1]}/1"), rule[0], Entry({}, *place)


_Make = Callable[[FormatReader, Entry], Form[Any]]

FORMATS: Mapping[str, tuple[Sequence[str], _Make]] = {
    "any_text": (
        ("excludes", "max_tokens", "max_chars"),
        lambda reader, entry: reader.make_free_text(entry, entry.read_texts("excludes"), is_bounded=True),
    ),
    "const_string": (("value",), lambda reader, entry: reader.spell(entry.read_text("value", may_be_empty=True))),
    "json_schema": (("json_schema", "style", "any_order", "max_whitespace_cnt", "excludes"), _read_json),
    "qwen_xml_parameter": (("json_schema",), _read_xml_parameter),
    "grammar": (("grammar",), _read_grammar),
    "regex": (("pattern",), _read_regex),
    "token": (("token",), _read_token),
    "any_tokens": (("exclude_tokens", "max_tokens"), _read_any_tokens),
    "exclude_token": (("exclude_tokens",), _refuse_exclude_token),
    "sequence": (("elements",), _read_sequence),
    "or": (("elements",), _read_or),
    "optional": (("content",), lambda reader, entry: _repeat(reader, entry, 0, 1)),
    "plus": (("content",), lambda reader, entry: _repeat(reader, entry, 1, None)),
    "star": (("content",), lambda reader, entry: _repeat(reader, entry, 0, None)),
    "repeat": (("min", "max", "content"), _read_repeat),
    "tag": (_TAG, lambda reader, entry: reader.read_tag(entry).whole),
    "triggered_tags": (("triggers", "tags", "at_least_one", "stop_after_first", "excludes"), _read_triggered_tags),
    "token_triggered_tags": (
        ("trigger_tokens", "tags", "at_least_one", "stop_after_first", "exclude_tokens"),
        _read_token_triggered_tags,
    ),
    "tags_with_separator": (("tags", "separator", "at_least_one", "stop_after_first"), _read_separated_tags),
    "dispatch": (("rules", "loop", "excludes"), _read_dispatch),
    "token_dispatch": (("rules", "loop", "exclude_tokens"), _read_token_dispatch),
}
"""The keys of each type of format, and what makes its form."""
