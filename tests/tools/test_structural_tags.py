"""Structural tags: what recorded walks of xgrammar's matcher allow, control tokens, and what is refused with its place.

`tests/programs/structural_tags.py` records the walks, and compares many more where xgrammar is installed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import formwright as fw
from formwright.errors import StructuralTagError, VocabularyError
from formwright.tools import STYLES
from formwright.tools.structural import ends_in_free_text, has_free_text, structural_form

DATA = Path(__file__).parents[2] / "testdata"
RECORDED = json.loads((DATA / "structural_tags.json").read_text(encoding="utf-8"))
END = 256
CONTROLS = {"<|open|>": 258, "<|shut|>": 259, "<|third|>": 260}
VOCABULARY = fw.Vocabulary(
    [*(bytes([byte]) for byte in range(256)), *[None] * 5], eos_token_ids=[END], special_tokens=CONTROLS
)
ANY = {"type": "any_text"}


def form_of(format_: dict[str, Any]) -> fw.Form[Any]:
    return structural_form({"format": format_}, "tag", VOCABULARY)


def tokens_of(text: str) -> list[int]:
    """The tokens of a recorded text: its bytes, and control tokens as their ids between two bytes 0xFF."""
    parts = text.encode("latin-1").split(b"\xff")
    return [token for at, part in enumerate(parts) for token in ([int(part)] if at % 2 else part)]


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: case["name"])
def test_a_tag_allows_what_was_recorded(case: dict[str, Any]) -> None:
    constraint = fw.compile(structural_form(case["tag"], "tag", VOCABULARY), VOCABULARY)
    for walk in case["walks"]:
        after = {length: rest for length, *rest in walk["after"]}
        matcher, written = constraint.matcher(), 0
        for token in [*tokens_of(walk["text"]), None]:
            if written in after:
                allowed = set(matcher.allowed_token_ids())
                are_allowed, chars, may_end = after.pop(written)
                # Where ours has fewer escapes, or a string may not, "\" is no difference.
                ascii_ = {chr(byte) for byte in allowed if byte < 128} - {"\\"}
                wanted = set(chars) if are_allowed else {chr(byte) for byte in range(128)} - set(chars)
                assert (ascii_, END in allowed) == (wanted - {"\\"}, may_end), walk["text"][:written]
            if token is not None:
                matcher.accept_tokens([token])
                written += 1 if token < 256 else len(f"{token}") + 2
        assert not after


def test_walks_of_many_tags_were_recorded() -> None:
    assert len(RECORDED) > 150
    assert sum(len(walk["after"]) for case in RECORDED for walk in case["walks"]) > 500


TAG = {"type": "tag", "begin": "<f>", "content": ANY, "end": "</f>"}
TAGS = {"type": "triggered_tags", "triggers": ["<f>"], "tags": [TAG]}
OBJECT = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["a"]}
TOKEN = {"type": "token", "token": "<|open|>"}
BY_TOKEN = {"type": "tag", "begin": TOKEN, "content": ANY, "end": {"type": "token", "token": 259}}
COMPLETE: dict[str, dict[str, Any]] = {
    "any_text": ANY,
    "const_string": {"type": "const_string", "value": "x"},
    "json_schema": {"type": "json_schema", "json_schema": OBJECT},
    "qwen_xml_parameter": {"type": "qwen_xml_parameter", "json_schema": OBJECT},
    "grammar": {"type": "grammar", "grammar": 'root ::= "x"'},
    "regex": {"type": "regex", "pattern": "x"},
    "token": TOKEN,
    "any_tokens": {"type": "any_tokens"},
    "sequence": {"type": "sequence", "elements": [ANY]},
    "or": {"type": "or", "elements": [ANY]},
    "optional": {"type": "optional", "content": ANY},
    "plus": {"type": "plus", "content": ANY},
    "star": {"type": "star", "content": ANY},
    "repeat": {"type": "repeat", "min": 1, "max": 2, "content": ANY},
    "tag": TAG,
    "triggered_tags": TAGS,
    "token_triggered_tags": {"type": "token_triggered_tags", "trigger_tokens": ["<|open|>"], "tags": [BY_TOKEN]},
    "tags_with_separator": {"type": "tags_with_separator", "tags": [TAG], "separator": ","},
    "dispatch": {"type": "dispatch", "rules": [["<f>", ANY]]},
    "token_dispatch": {"type": "token_dispatch", "rules": [["<|open|>", ANY]]},
}
"""A format of each type that can be enforced: all of xgrammar's but ``exclude_token``."""


@pytest.mark.parametrize("format_", COMPLETE.values(), ids=COMPLETE)
def test_each_type_is_read_and_an_unknown_key_of_it_is_refused(format_: dict[str, Any]) -> None:
    assert form_of(format_).example() is not None
    with pytest.raises(StructuralTagError, match=r"there is no field tag\.format\.colour") as raised:
        form_of(format_ | {"colour": "red"})
    assert (raised.value.pointer, raised.value.code) == ("/format/colour", "unknown_parameter")


JSON = COMPLETE["json_schema"]


@pytest.mark.parametrize(
    ("format_", "pointer", "said"),
    [
        ({"type": "exclude_token", "exclude_tokens": []}, "/format", "not of one token of any text"),
        ({"type": "colour"}, "/format", "formats of the type 'colour' are not served"),
        (ANY | {"excludes": "x"}, "/format/excludes", "expected a list of texts"),
        (ANY | {"max_chars": -1}, "/format/max_chars", "expected a whole number from 0 on"),
        (ANY | {"max_tokens": 2}, "/format/max_tokens", "4 may be needed"),
        ({"type": "star", "content": ANY | {"max_tokens": 9}}, "/format/content", "cannot be repeated"),
        (JSON | {"style": "toml"}, "/format/style", "there is no style 'toml'"),
        (JSON | {"max_whitespace_cnt": 0}, "/format/max_whitespace_cnt", "from 1 on"),
        (JSON | {"excludes": ["1"]}, "/format/json_schema", "cannot be told from the JSON around"),
        (
            JSON | {"style": "cohere_xml", "excludes": ["<|"]},
            "/format/json_schema",
            "cannot be excluded from cohere_xml",
        ),
        (JSON | {"style": "qwen_xml", "excludes": [" a"]}, "/format/json_schema", "begins or ends with white space"),
        (JSON | {"json_schema": {"type": "objekt"}}, "/format/json_schema/type", "objekt"),
        (
            JSON | {"style": "glm_xml", "json_schema": {"type": "object", "minProperties": 2}},
            "/format/json_schema/minProperties",
            "cannot be enforced in tags",
        ),
        (JSON | {"style": "glm_xml", "json_schema": {"type": "string"}}, "/format/json_schema/type", "an object"),
        (
            JSON | {"style": "minimax_m3_xml", "json_schema": OBJECT | {"additionalProperties": True}},
            "/format/json_schema/additionalProperties",
            "names that are not declared",
        ),
        (JSON | {"style": "minimax_m3_xml", "json_schema": True}, "/format/json_schema", "that are not described"),
        (
            JSON
            | {
                "style": "qwen_xml",
                "json_schema": {"properties": {"a": {"oneOf": [{"const": "x"}, {"type": "string"}]}}},
            },
            "/format/json_schema/properties/a/oneOf",
            "cannot be told apart",
        ),
        (
            JSON | {"style": "qwen_xml", "json_schema": {"properties": {"a": {"type": "integer", "minimum": "x"}}}},
            "/format/json_schema/properties/a/minimum",
            "minimum",
        ),
        (TAG | {"end": ""}, "/format/end", "the content has no end"),
        (TAG | {"end": []}, "/format/end", "a list of one text or more"),
        (TAGS | {"triggers": ["<g>"]}, "/format/tags/0/begin", "expected one trigger to begin '<f>', got 0"),
        (TAGS | {"triggers": ["<f", "<f>"]}, "/format/tags/0/begin", "got 2"),
        (TAGS | {"excludes": ["<"]}, "/format", "the trigger '<f>' can never come: it holds '<'"),
        (TAGS | {"tags": [BY_TOKEN]}, "/format/tags/0/begin", "token_triggered_tags begin with a token"),
        ({"type": "repeat", "min": 3, "max": 2, "content": ANY}, "/format/max", "expected min or more, or -1"),
        ({"type": "dispatch", "rules": [["a"]]}, "/format/rules/0", "expected a pattern and a format"),
        ({"type": "token", "token": "a"}, "/format/token", "'a' is not a control token"),
        ({"type": "token", "token": 97}, "/format/token", "97 is not a control token"),
        ({"type": "any_tokens", "exclude_tokens": ["a"]}, "/format/exclude_tokens", "is not a control token"),
        ({"type": "regex", "pattern": "("}, "/format/pattern", ""),
    ],
)
def test_what_cannot_be_enforced_is_refused_with_its_place(format_: dict[str, Any], pointer: str, said: str) -> None:
    with pytest.raises(StructuralTagError) as raised:
        form_of(format_)
    assert raised.value.pointer == pointer
    assert said in str(raised.value)


def test_control_tokens_stand_for_their_names() -> None:
    form = form_of({"type": "sequence", "elements": [{"type": "const_string", "value": "<|open|>a"}, BY_TOKEN]})
    matcher = fw.compile(form, VOCABULARY).matcher()
    assert set(matcher.allowed_token_ids()) == {258, ord("<")}  # the token, or its name as text
    matcher.accept_tokens([258, ord("a")])
    assert matcher.allowed_token_ids() == [258]  # here the token alone
    matcher.accept_tokens([258])
    assert 259 in matcher.allowed_token_ids()
    assert not {258, 260} & set(matcher.allowed_token_ids())


def test_without_a_vocabulary_tokens_are_not_looked_up() -> None:
    form = structural_form({"format": BY_TOKEN | {"end": {"type": "token", "token": 77}}}, "tag")
    with pytest.raises(VocabularyError):
        fw.compile(form, VOCABULARY)
    assert structural_form({"format": TAG}, "tag").matches("<f>x</f>")


@pytest.mark.parametrize(
    ("extra", "texts", "others"),
    [
        ({}, ["", "so", "<f>1</f>", "a<f>1</f>b<f>2</f>c"], ["<f>", "<f>1"]),
        ({"stop_after_first": True}, ["", "so", "a<f>1</f>"], ["<f>1</f>b", "<f>1</f><f>1</f>"]),
        ({"at_least_one": True}, ["<f>1</f>", "<f>1</f>b<f>2</f>c"], ["", "a<f>1</f>"]),
        ({"at_least_one": True, "stop_after_first": True}, ["<f>1</f>"], ["", "a<f>1</f>", "<f>1</f>b"]),
        ({"excludes": ["b", "x<"]}, ["a<f>b</f>c"], ["b", "<f>1</f>b", "x<f>1</f>"]),
        *(
            ({"excludes": [excluded]}, ["x", "<f>1</f>", "y<f>1</f>x", "<f>x</f><f>1</f>"], ["x<f>1</f>", "xx<f>1</f>"])
            for excluded in ("x<", "x<f", "x<f>")
        ),
        ({"excludes": ["x<f>", "yx<"]}, ["xy<f>1</f>"], ["x<f>1</f>", "yx<f>1</f>", "<f>1</f>x<f>1</f>"]),
    ],
)
def test_triggered_tags(extra: dict[str, Any], texts: list[str], others: list[str]) -> None:
    form = form_of(TAGS | extra)
    assert [text for text in (*texts, *others) if form.matches(text)] == texts


def test_text_inside_other_formats_of_a_tag_does_not_hold_its_end() -> None:
    sequence = {"type": "sequence", "elements": [ANY, {"type": "const_string", "value": "."}]}
    form = form_of(TAG | {"content": {"type": "or", "elements": [sequence, {"type": "optional", "content": ANY}]}})
    assert form.matches("<f>any.</f>")
    assert not form.matches("<f>any</f>more.</f>")


def test_text_of_a_dispatch_may_hold_the_end_around_it() -> None:
    dispatch = {"type": "dispatch", "rules": [["a", {"type": "const_string", "value": "x"}]]}
    assert form_of(TAG | {"content": dispatch}).matches("<f> </f>ax</f>")
    form = form_of(TAG | {"content": dispatch | {"excludes": ["</f>"]}})
    assert form.matches("<f> ax</f>")
    assert not form.matches("<f> </f>ax</f>")


def test_an_excluded_text_does_not_end_with_the_end_of_a_trigger() -> None:
    rules = [["<f", {"type": "const_string", "value": "1"}], ["<g", {"type": "const_string", "value": "2"}]]
    form = form_of({"type": "dispatch", "rules": rules, "excludes": ["x<f", "y<g"]})
    assert [text for text in ("<f1", "x<f1", "y<f1", "x<g2", "y<g2", "<f1y<g2") if form.matches(text)] == [
        "<f1",
        "y<f1",
        "x<g2",
    ]
    by_token = {"begin": "<|open|>", "content": ANY, "end": "</f>"}
    form = form_of(TAGS | {"triggers": ["<|open|>"], "tags": [by_token], "excludes": ["x<|open|>"]})
    matcher = fw.compile(form, VOCABULARY).matcher()
    assert 258 in matcher.allowed_token_ids()
    matcher.accept_tokens([ord("x")])
    assert 258 not in matcher.allowed_token_ids()


def test_at_most_so_many_tokens() -> None:
    form = form_of({"type": "sequence", "elements": [ANY | {"max_tokens": 6}, {"type": "const_string", "value": "."}]})
    matcher = fw.compile(form, VOCABULARY).matcher()
    for byte in b"abcdef":
        matcher.accept_tokens([byte])
    assert matcher.allowed_token_ids() == [ord(".")]


STYLED = {
    "qwen_xml": "<parameter=a>x y</parameter><parameter=b>1</parameter>",
    "minimax_xml": '<parameter name="a">x y</parameter>\n<parameter name="b"> 1 </parameter>\n',
    "minimax_m3_xml": "]<]minimax[>[<a>x y]<]minimax[>[</a>]<]minimax[>[<b>1]<]minimax[>[</b>",
    "deepseek_xml": '<｜DSML｜parameter name="a" string="true">x y</｜DSML｜parameter>\n'
    '<｜DSML｜parameter name="b" string="false">1</｜DSML｜parameter>',
    "deepseek_v4_1_xml": '<｜DSML｜ parameter name="a" string="true">x y</｜DSML｜ parameter>',
    "glm_xml": "\n<arg_key>a</arg_key>\n<arg_value>x y</arg_value>\n<arg_key>b</arg_key><arg_value>1</arg_value>",
    "cohere_xml": '<cofl:value name="a" type="raw">x y</cofl:value><cofl:value name="b" type="json">1</cofl:value>',
    "kimi_k3_xml": '<|open|>argument key="a" type="string"<|sep|>x y<|close|>argument<|sep|>',
}


@pytest.mark.parametrize(("style", "text"), STYLED.items())
def test_arguments_in_the_tags_of_a_family(style: str, text: str) -> None:
    form = form_of(JSON | {"style": style})
    assert form.matches(text)
    assert not form.matches('{"a":"x y","b":1}')
    assert not form.matches(f"{text}x")
    assert not form.matches(text.replace("1", "one")) or "1" not in text


def test_tags_hold_objects_and_what_is_not_declared() -> None:
    schema = {
        "type": "object",
        "properties": {"o": {"type": "object", "properties": {"q": {"type": ["integer", "null"]}}}},
        "additionalProperties": {"type": "boolean"},
    }
    form = form_of(JSON | {"style": "cohere_xml", "json_schema": schema})
    inner = '<cofl:value name="q" type="json">null</cofl:value>'
    more = '<cofl:value name="a&amp;b" type="json">true</cofl:value>'
    assert form.matches(f'<cofl:value name="o" type="dict">{inner}</cofl:value>{more}')
    assert not form.matches(f'{more}<cofl:value name="o" type="dict">{inner}</cofl:value>')
    assert not form.matches('<cofl:value name="o" type="json">true</cofl:value>')


def test_objects_hold_what_they_declare() -> None:
    assert form_of(JSON).matches('{"a": "x", "b": 1}')
    assert not form_of(JSON).matches('{"a": "x", "c": 1}')
    assert form_of(JSON | {"json_schema": OBJECT | {"additionalProperties": True}}).matches('{"a": "x", "c": 1}')
    assert form_of(JSON | {"any_order": True}).matches('{"b": 1, "a": "x"}')
    assert not form_of(JSON | {"any_order": True}).matches('{"b": 1, "b": 1}')


def test_excluded_texts_are_in_no_string_of_tags() -> None:
    strings = {"a": {"type": "string"}, "b": {"enum": ["q|>", "r"]}, "c": {"type": "string", "maxLength": 4}, "d": {}}
    schema = {"type": "object", "properties": strings}
    form = form_of(JSON | {"json_schema": schema, "style": "qwen_xml", "excludes": ["|>"]})
    good, bad = ("a|", "r", "a|", "[|]"), ("a|>", "q|>", "a|>", "[|>]")
    for name, fine, wrong in zip(strings, good, bad, strict=True):
        assert form.matches(f"<parameter={name}>{fine}</parameter>")
        assert not form.matches(f"<parameter={name}>{wrong}</parameter>")


def test_excluded_texts_are_in_no_string_of_json() -> None:
    schema = {"type": "object", "properties": {"a": {}, "e": {"enum": ["q|>", "r"]}}}
    form = form_of(JSON | {"json_schema": schema, "excludes": ["|>"]})
    good = ['{"a":"|"}', '{"a":[{"|":[1,null]}]}', '{"e":"r"}']
    bad = ['{"a":"|>"}', '{"a":[{"|>":1}]}', '{"a":[["|>"]]}', '{"e":"q|>"}']
    assert [text for text in (*good, *bad) if form.matches(text)] == good


def test_white_space_is_bounded_where_the_tag_says_so() -> None:
    form = form_of(JSON | {"max_whitespace_cnt": 2})
    assert form.matches('{ \n"a":\t\t"x"}')
    assert not form.matches('{   "a":"x"}')


def test_free_text_is_outside_of_tags() -> None:
    form = form_of(TAGS | {"tags": [BY_TOKEN | {"begin": "<f>"}]})
    assert has_free_text(form)
    assert not has_free_text(form_of(TAG))
    assert ends_in_free_text(form, "so <f>x<|shut|> it")
    assert not ends_in_free_text(form, "so <f>x")
    assert not ends_in_free_text(form, "so <")


def needs(**properties: Any) -> dict[str, Any]:
    """A schema of an object with these members, all of them required."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


OFFERED = [
    {"name": "get_weather", "parameters": needs(city={"type": "string"})},
    {"name": "find", "parameters": needs(where=needs(lat={"type": "integer"}))},
]
CHECKED = tomllib.loads((DATA / "tool_styles.toml").read_text(encoding="utf-8"))
SAME_STYLE = {style: row for style, row in CHECKED.items() if "tag" in row}
"""Styles of tools whose calls are those of a built-in model of xgrammar."""


@pytest.mark.parametrize(("style", "checked"), SAME_STYLE.items())
def test_a_style_of_tools_writes_what_the_tag_of_its_model_allows(style: str, checked: dict[str, str]) -> None:
    name = f"{checked['tag']}, thoughts disabled, 2 tools, required, many"
    before, after = checked.get("before", ""), checked.get("after", "")
    tagged = next(structural_form(case["tag"], "tag") for case in RECORDED if case["name"] == name)
    row = STYLES[style]
    for tool, arguments in zip(OFFERED, ({"city": ""}, {"where": {"lat": 0}}), strict=True):
        one = fw.tools([tool], calls="one", style=style).example()
        (call,) = fw.tools([tool], calls="one", style=style).parse(one)
        assert call.arguments == arguments
        assert tagged.matches(before + one + after)
        if row.most is None:
            body = one.removeprefix(row.begin).removesuffix(row.end) if row.end else one
            assert tagged.matches(f"{before}{row.begin}{body}{row.separator}{body}{row.end}{after}")
        assert not tagged.matches(before + one[:-1] + after)


@pytest.mark.slow
def test_the_matcher_of_xgrammar_agrees() -> None:
    pytest.importorskip("xgrammar", reason="xgrammar is not installed")
    program = Path(__file__).parents[1] / "programs" / "structural_tags.py"
    done = subprocess.run([sys.executable, program, "--walks", "3"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
