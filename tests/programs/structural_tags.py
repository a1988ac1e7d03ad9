"""Structural tags of all formats and of all built-in models of xgrammar, read by formwright, against its matcher.

::

    python tests/programs/structural_tags.py --walks 200        # prints what differs, and how much that is
    python tests/programs/structural_tags.py --walks 2 --record testdata/structural_tags.json

A walk draws bytes that both allow, guided by the texts of the tag; at each step the bytes that one allows are those
that the other one allows. What differs on purpose is not compared: escapes of JSON strings, white space where the tag
sets no bound, ``-0``, bytes that are no UTF-8, names that an object of JSON has already, and
control tokens in free text, where formwright has none. Recorded are
the texts of walks, with the bytes that come next.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import re
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import formwright as fw
from formwright.errors import FormwrightError
from formwright.tools.structural import structural_form

END = 256
CONTROLS = {"<|open|>": 258, "<|shut|>": 259, "<|third|>": 260}
_SIZE = 261
_ASCII = 128
SPACES = frozenset(b" \n\r\t")


def tool(name: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """A tool as APIs list it."""
    return {"type": "function", "function": {"name": name, "parameters": parameters, "strict": True}}


TOOLS = [
    tool(
        "get_weather",
        {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        },
    ),
    tool(
        "find",
        {
            "type": "object",
            "properties": {
                "where": {"type": "object", "properties": {"lat": {"type": "integer"}}, "required": ["lat"]},
                "tags": {"type": "array", "items": {"type": "string"}},
                "unit": {"enum": ["c", "f"]},
                "ok": {"type": "boolean"},
            },
            "required": ["where"],
        },
    ),
]
NAMED = {"type": "function", "function": {"name": "find"}}


ANY = {"type": "any_text"}
WEATHER = TOOLS[0]["function"]["parameters"]
MIXED = {
    "type": "object",
    "properties": {
        "a": {"enum": ["x", "y", 1, None]},
        "b": {"const": "k"},
        "c": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        "d": {"type": ["integer", "null"]},
        "e": {"$ref": "#/$defs/E"},
        "f": {"type": "array", "items": {"type": "object", "properties": {"q": {"type": "integer"}}}, "maxItems": 2},
        "g": {"$ref": "#/$defs/S"},
    },
    "$defs": {"E": {"type": "object", "properties": {"q": {"type": "string"}}}, "S": {"type": "string"}},
    "required": ["a", "c", "e"],
}
LIMITED = {
    "type": "object",
    "properties": {
        "a": {"type": "string", "minLength": 1, "maxLength": 3},
        "b": {"type": "string", "pattern": "^a+$"},
        "d": {"type": "boolean"},
        "e": {"type": "null"},
    },
    "required": ["b"],
}
OPEN = {"type": "object", "properties": {"9a": {"type": "integer"}}, "additionalProperties": {"type": "integer"}}


def constant(value: str) -> dict[str, Any]:
    """A format of one text."""
    return {"type": "const_string", "value": value}


def tag_of(begin: Any, content: Any, end: Any) -> dict[str, Any]:
    """A tag."""
    return {"type": "tag", "begin": begin, "content": content, "end": end}


def token(name: str | int) -> dict[str, Any]:
    """A format of one token."""
    return {"type": "token", "token": name}


FIRST, SECOND = tag_of("<f=a>", constant("1"), "</f>"), tag_of("<f=b>", ANY, "</f>")
BY_TOKEN = tag_of(token("<|open|>"), constant("x"), token("<|shut|>"))
TRIGGERED = {"type": "triggered_tags", "triggers": ["<f="], "tags": [FIRST, SECOND]}
BY_TOKENS = {"type": "token_triggered_tags", "trigger_tokens": ["<|open|>"], "tags": [BY_TOKEN]}
SEPARATED = {"type": "tags_with_separator", "tags": [FIRST, SECOND]}
DISPATCH = {"type": "dispatch", "rules": [["<f", constant("1")], ["<g", constant("22")]]}
FLAGS = [{"at_least_one": one, "stop_after_first": stop} for one in (False, True) for stop in (False, True)]
XML = ["qwen", "minimax", "minimax_m3", "deepseek", "deepseek_v4_1", "glm", "cohere", "kimi_k3"]

FORMATS: list[dict[str, Any]] = [
    ANY,
    ANY | {"excludes": ["xy", "z"]},
    ANY | {"max_chars": 3},
    ANY | {"max_chars": 0},
    tag_of("", ANY | {"excludes": ["q"], "max_chars": 7}, ["</a>", "</b>"]),
    tag_of("<a>", ANY, "aa"),
    tag_of("<a>", ANY, ["</a>", ""]),
    tag_of("<a>", constant(""), ""),
    tag_of("<a>", tag_of("<b>", ANY, "</b>"), "</a>"),
    tag_of("<a>", {"type": "sequence", "elements": [ANY, constant("q"), ANY]}, "</a>"),
    {"type": "sequence", "elements": [ANY, constant("end")]},
    {"type": "or", "elements": [constant("ab"), constant("ac"), tag_of("<a>", ANY, "</a>")]},
    tag_of("<a>", {"type": "or", "elements": [constant("k"), ANY]}, "</a>"),
    *({"type": kind, "content": constant("xy")} for kind in ("optional", "plus", "star")),
    tag_of("<a>", {"type": "optional", "content": ANY}, "</a>"),
    *(
        {"type": "repeat", "min": low, "max": high, "content": constant("xy")}
        for low, high in [(0, 0), (1, 3), (2, -1)]
    ),
    *(TRIGGERED | flags for flags in FLAGS),
    *(TRIGGERED | flags | {"excludes": ["zz", "x<"]} for flags in FLAGS),
    *(tag_of("<t>", TRIGGERED | flags, ["</t>", "</u>"]) for flags in FLAGS),
    {"type": "triggered_tags", "triggers": ["aa"], "tags": [tag_of("aab", ANY, "</f>"), tag_of("aac", ANY, "</f>")]},
    {"type": "triggered_tags", "triggers": ["ab", "ba"], "tags": [tag_of("abx", ANY, "c"), tag_of("bay", ANY, "c")]},
    *(SEPARATED | flags | {"separator": text} for flags in FLAGS for text in (",", "")),
    tag_of("<t>", SEPARATED | {"separator": ","}, "</t>"),
    DISPATCH,
    DISPATCH | {"loop": False, "excludes": ["</x>"]},
    tag_of("<t>", DISPATCH | {"excludes": ["</t>"]}, "</t>"),
    {"type": "regex", "pattern": "[a-c]+(xy)?"},
    {"type": "grammar", "grammar": 'root ::= "(" root ")" | [a-z]'},
    {"type": "qwen_xml_parameter", "json_schema": WEATHER},
    token("<|open|>"),
    BY_TOKEN,
    tag_of(token(258), {"type": "any_tokens"}, token(259)),
    {"type": "any_tokens", "exclude_tokens": ["<|open|>", 259]},
    *(BY_TOKENS | flags | {"exclude_tokens": ["<|third|>"]} for flags in FLAGS),
    tag_of(token("<|third|>"), BY_TOKENS, token("<|shut|>")),
    tag_of("<x>", {"type": "any_tokens"}, "</x>"),
    tag_of("<x>", BY_TOKENS, "</x>"),
    *({"type": "token_dispatch", "rules": [["<|open|>", constant("x")]], "loop": loop} for loop in (True, False)),
    SEPARATED | {"tags": [BY_TOKEN], "separator": "\n"},
    *(
        {"type": "json_schema", "json_schema": schema, "style": f"{style}_xml", "max_whitespace_cnt": 2}
        for style in XML
        for schema in (WEATHER, MIXED, LIMITED, OPEN)
        if style != "minimax_m3" or schema is WEATHER
    ),
    *(
        {"type": "json_schema", "json_schema": schema, "style": f"{style}_xml", "max_whitespace_cnt": 1}
        for style in XML
        for schema in (True, {"type": "object"}, {"type": "object", "properties": {}})
        if style != "minimax_m3" or schema is not True
    ),
    *(
        {
            "type": "json_schema",
            "json_schema": WEATHER,
            "style": f"{style}_xml",
            "any_order": True,
            "max_whitespace_cnt": 2,
        }
        for style in XML
    ),
    *(
        {
            "type": "json_schema",
            "json_schema": schema,
            "style": style,
            "excludes": ["zz", "<|"],
            "max_whitespace_cnt": 1,
        }
        for style in ("json", "qwen_xml", "glm_xml", "kimi_k3_xml", "deepseek_xml")
        for schema in (WEATHER, MIXED)
    ),
    {"type": "json_schema", "json_schema": MIXED, "max_whitespace_cnt": 3},
    {"type": "json_schema", "json_schema": OPEN, "max_whitespace_cnt": 1},
]
"""A tag or more of each type of format, with each key."""


def format_tags() -> Iterator[tuple[str, dict[str, Any]]]:
    """The formats, each as a tag."""
    for number, entry in enumerate(FORMATS):
        yield f"format {number}, {entry['type']}", {"type": "structural_tag", "format": entry}


def built_in_tags(**options: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """The tags of all built-in models, thoughts on and off, with and without tools, in each way to ask for calls."""
    from xgrammar import builtin_structural_tag as built_in

    choices: list[Any] = ["auto", "required", NAMED]
    for model in built_in._structural_tag_registry:
        for thoughts, (count, choice), many in itertools.product(
            ("enabled", "disabled", "auto"), [(0, "auto"), *((2, choice) for choice in choices)], (True, False)
        ):
            asked = choice if isinstance(choice, str) else "named"
            name = f"{model}, thoughts {thoughts}, {count} tools, {asked}, {'many' if many else 'one'}"
            tag = built_in.get_model_structural_tag(
                model, TOOLS[:count], choice, thoughts, parallel_tool_calls=many, **options
            )
            yield name, tag.model_dump()


class Peer:
    """xgrammar's matcher over bytes."""

    def __init__(self, tag: Mapping[str, Any]) -> None:
        import xgrammar

        info = xgrammar.TokenizerInfo(
            [*(bytes([byte]) for byte in range(256)), b"</s>", b"<unused>", *map(str.encode, CONTROLS)],
            vocab_type=xgrammar.VocabType.RAW,
            stop_token_ids=[END],
        )
        compiler = xgrammar.GrammarCompiler(info, max_threads=1)
        self._compiled = compiler.compile_structural_tag(json.dumps(tag))
        self._row = xgrammar.allocate_token_bitmask(1, info.vocab_size)
        self._new = xgrammar.GrammarMatcher

    def start(self) -> Any:
        """A new text."""
        return self._new(self._compiled)

    def allowed(self, text: Any) -> np.ndarray[Any, Any]:
        """Whether each byte, and the end, may come next."""
        self._row.fill_(-1)
        text.fill_next_token_bitmask(self._row)
        return unpack(self._row.numpy()[0])


def unpack(row: Any) -> np.ndarray[Any, Any]:
    """The bits of a row of a mask."""
    return np.unpackbits(row.view(np.uint8), bitorder="little")[:_SIZE].astype(bool)


VOCABULARY = fw.Vocabulary(
    [*(bytes([byte]) for byte in range(256)), *[None] * 5], eos_token_ids=[END], special_tokens=CONTROLS
)


def start(tag: Mapping[str, Any]) -> Any:
    """A matcher of ours."""
    return fw.compile(structural_form(dict(tag), "tag", VOCABULARY), VOCABULARY)


def allowed(matcher: Any) -> np.ndarray[Any, Any]:
    """Whether each byte, and the end, may come next by ours."""
    row = np.zeros((1, VOCABULARY.mask_words), dtype=np.int32)
    matcher.fill_bitmask(row, 0)
    return unpack(row[0])


def has_bounds(tag: Any) -> bool:
    """Whether white space around the values of a tag is bounded, if it has any."""
    text = json.dumps(tag)
    return '"json_schema":' not in text or bool(re.search('"max_whitespace_cnt": [0-9]', text))


def texts_of(tag: Any) -> list[bytes]:
    """What a walk is guided by: the texts of a tag, and beginnings of values."""
    found = re.findall(r'"((?:[^"\\]|\\.)*)"', json.dumps(tag, ensure_ascii=False))
    texts = [json.loads(f'"{text}"').encode() for text in found]
    extra = [b'"', b'":', b"{", b"}", b"[", b"]", b",", b"1", b"true", b"lat", b'{"lat":1}', b"</", b"<", b">", b"x"]
    names = (b"city", b"days", b"where", b"tags", b"unit", b"ok")
    heads = ("<parameter={}>", '<parameter name="{}">', "<arg_key>{}</arg_key><arg_value>", "]<]minimax[>[<{}>")
    heads += ("]<]minimax[>[</{}>", '<cofl:value name="{}" type="', '<|open|>argument key="{}" type="')
    heads += ('<｜DSML｜parameter name="{}" string="', '<｜DSML｜ parameter name="{}" string="', '"{}":')
    tails = ["</parameter>", "</arg_value>", "</cofl:value>", '"<|sep|>', "<|close|>argument<|sep|>", 'raw">', 'json">']
    tails += [
        "</｜DSML｜parameter>",
        "</｜DSML｜ parameter>",
        'true">',
        'false">',
        'dict">',
        'list">',
        "object",
        "string",
    ]
    return [
        *(text for text in texts if text and b"\\" not in text),
        *extra,
        *(head.format(name.decode()).encode() for head in heads for name in names),
        *map(str.encode, tails),
    ]


def walk(
    tag: Mapping[str, Any], peer: Peer, ours: Any, seed: int, *, has_bound: bool, longest: int = 400
) -> Iterator[tuple[bytes, Any, Any]]:
    """Draw one text; after each byte, what the peer allows and what we allow."""
    drawn, texts = random.Random(seed), texts_of(tag)
    text, other, matcher, wanted = b"", peer.start(), ours.matcher(), b""
    while len(text) < longest:
        theirs, own = peer.allowed(other), allowed(matcher)
        yield text, theirs, own
        both = theirs & own
        if both[END] and (drawn.random() < 0.1 or both.sum() == 1):
            return
        controls = [control for control in CONTROLS.values() if both[control]]
        if controls and drawn.random() < 0.3:
            control, wanted = drawn.choice(controls), b""
            assert other.accept_token(control)
            matcher.accept_tokens([control])
            text += b"\xff%d\xff" % control
            continue
        if not wanted or not both[wanted[0]]:
            wanted = _draw(drawn, both[:END], texts, has_bound=has_bound)
            if not wanted:
                return
        byte, wanted = wanted[0], wanted[1:]
        assert other.accept_token(byte)
        matcher.accept_tokens([byte])
        text += bytes([byte])


def _draw(drawn: random.Random, both: Any, texts: list[bytes], *, has_bound: bool) -> bytes:
    """What a walk writes next; empty if nothing can be compared there."""
    begun = [one for one in texts if both[one[0]]]
    if begun and drawn.random() < 0.85:
        return drawn.choice(begun)
    options = [byte for byte in np.flatnonzero(both).tolist() if byte != 92]
    usual = [byte for byte in options if has_bound or byte not in SPACES]
    return bytes([drawn.choice(usual or options)]) if options else b""


def difference(text: bytes, theirs: Any, own: Any, *, has_bound: bool) -> str:
    """What one allows and the other one does not; empty if they agree."""
    if np.array_equal(theirs, own):
        return ""
    last = text.rpartition(b"\xff")[2]
    if last != last.decode("utf-8", "ignore").encode():
        return ""
    counts = np.ones(_SIZE, dtype=bool)
    counts[END + 1] = False
    counts[92] = False  # where a string may have escapes, ours has fewer
    if text.endswith(b"-"):
        counts[ord("0")] = False  # xgrammar writes no -0
    if not has_bound:
        counts[list(SPACES)] = False
    more = own & ~theirs & counts
    counts[_ASCII:END] = False  # xgrammar's text may be no UTF-8
    counts[END + 1 :] = False  # and hold control tokens
    counts[ord('"')] &= b'":' not in text and b'" ' not in text  # or a name that an object has already
    fewer = theirs & ~own & counts
    said = [
        f"{who}: {[bytes([byte]) if byte < END else int(byte) for byte in np.flatnonzero(found)]}"
        for who, found in (("only we", more), ("only xgrammar", fewer))
        if found.any()
    ]
    return f"{text!r}: {'; '.join(said)}" if said else ""


def without_defaults(tag: Any) -> Any:
    """A tag without the keys that say nothing."""
    if isinstance(tag, list):
        return [without_defaults(part) for part in tag]
    if not isinstance(tag, dict):
        return tag
    kept = {key: part for key, part in tag.items() if part is not None and part is not False and part != []}
    return {
        key: part if key == "json_schema" else without_defaults(part)
        for key, part in kept.items()
        if (key, part) != ("style", "json")
    }


def record(path: Path, walks: int) -> None:
    """Write walks of tags, with what xgrammar allows at some of their places."""
    shown = re.compile("enabled, 0 tools.*many|enabled.* auto, many|disabled.* (required|named), many")
    built_in = [entry for entry in built_in_tags(max_whitespace_cnt=2) if shown.search(entry[0])]
    cases = {json.dumps(without_defaults(tag), ensure_ascii=False): name for name, tag in (*format_tags(), *built_in)}
    lines = []
    for text, name in cases.items():
        tag = json.loads(text)
        peer, ours = Peer(tag), start(tag)
        found = [_record_walk(tag, peer, ours, seed) for seed in range(walks)]
        lines.append(json.dumps({"name": name, "tag": tag, "walks": found}, ensure_ascii=False))
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def _record_walk(tag: Mapping[str, Any], peer: Peer, ours: Any, seed: int) -> dict[str, Any]:
    has_bound = has_bounds(tag)
    steps = list(walk(tag, peer, ours, seed, has_bound=has_bound, longest=200))
    places = sorted({len(steps) - 1, *random.Random(seed).sample(range(len(steps)), min(4, len(steps)))})
    after = [_describe_next(*steps[place], has_bound=has_bound) for place in places]
    return {"text": steps[-1][0].decode("latin-1"), "after": [one for one in after if one is not None]}


def _describe_next(text: bytes, theirs: Any, own: Any, *, has_bound: bool) -> list[Any] | None:
    """How long a text is, whether the characters of ASCII that follow are allowed, and whether it may end."""
    assert not difference(text, theirs, own, has_bound=has_bound), (text, "record nothing that differs")
    allowed_next = {chr(byte) for byte in np.flatnonzero(theirs[:_ASCII])}
    if text != text.decode("utf-8", "ignore").encode() or not has_bound or text.endswith(b"-"):
        return None
    others = {chr(byte) for byte in range(_ASCII)} - allowed_next
    is_short = len(allowed_next) < len(others)
    chars = "".join(sorted(allowed_next if is_short else others))
    return [len(text), is_short, chars, bool(theirs[END])]


def main() -> None:
    """Compare, or record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--walks", type=int, default=200)
    parser.add_argument("--only", default="")
    parser.add_argument("--record", type=Path)
    asked = parser.parse_args()
    if asked.record is not None:
        record(asked.record, asked.walks)
        return
    differing, steps, seen = 0, 0, set()
    for bound in (1, 2, None):
        for name, tag in format_tags() if bound == 1 else built_in_tags(max_whitespace_cnt=bound):
            key = json.dumps(tag, sort_keys=True)
            if asked.only not in name or key in seen:
                continue
            seen.add(key)
            began, has_bound = time.perf_counter(), has_bounds(tag)
            try:
                peer, ours, found = Peer(tag), start(tag), list[str]()
            except (FormwrightError, RuntimeError) as error:
                print(f"{name}: {type(error).__name__} {str(error)[:200]}", flush=True)
                differing += 1
                continue
            for seed in range(asked.walks):
                for text, theirs, own in walk(tag, peer, ours, seed, has_bound=has_bound):
                    steps += 1
                    if said := difference(text, theirs, own, has_bound=has_bound):
                        found.append(said)
                        break
            if (took := time.perf_counter() - began) > 0.2 * asked.walks:
                print(f"{name}, bound {bound}: {took:.0f} s")
            if found:
                differing += 1
                print(f"{name}, bound {bound}: {len(found)} of {asked.walks}; {min(found, key=len)[:300]}", flush=True)
    print(f"{len(seen)} tags, {steps} steps, {differing} tags differ")
    sys.exit(bool(differing))


if __name__ == "__main__":
    main()
