"""What a new version of a schema breaks, each claim checked by two validators."""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from click.testing import CliRunner
from pydantic import BaseModel, Field
from schema_edits import EDITS, edit_schema

import formwright as fw
from formwright.algebra import Change, Compatibility
from formwright.cli.app import app
from formwright.cli.compat import _markdown_rows, _text_lines

SAMPLE = Path(__file__).parents[3] / "shared/data/maskbench/sample.jsonl.gz"
PAIRS = int(os.environ.get("FORMWRIGHT_SEEDS", "200"))

ORDER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": "integer", "minimum": 1},
        "state": {"enum": ["open", "paid"]},
        "note": {"type": "string"},
        "lines": {"type": "array", "items": {"type": "object", "properties": {"sku": {"type": "string"}}}},
        "to": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    },
    "required": ["id", "state"],
    "additionalProperties": False,
}

# What each edit of ORDER breaks: writers, readers, and where.
EXPECTED: dict[str, list[tuple[str, str, tuple[str, ...]]]] = {
    "a bound moved": [("writers", "/properties/id", ("minimum",))],
    "a member required": [("writers", "", ("required",))],
    "a member no longer required": [("readers", "", ("required",))],
    "an enum widened": [("readers", "/properties/state", ("enum",))],
    "an enum narrowed": [("writers", "/properties/state", ("enum",))],
    "an object closed": [("writers", "/properties/lines/items", ("additionalProperties",))],
    "an object opened": [("readers", "", ("additionalProperties",))],
    "integers become numbers": [("readers", "/properties/id", ("type",))],
    "a member added": [("readers", "", ("additionalProperties",))],
    "a member removed": [("writers", "", ("additionalProperties",))],
    "a string bounded": [("writers", "/properties/note", ("maxLength",))],
    "an array bounded": [("writers", "/properties/lines", ("maxItems",))],
    "a union split": [("writers", "/properties/to/anyOf/0", ("type",))],
}


@pytest.mark.parametrize("name", EXPECTED)
def test_an_edit_is_found_where_it_was_made(name: str) -> None:
    new = edit_schema(ORDER, name, random.Random(3))
    found = fw.compat(ORDER, new)
    assert found.is_complete
    if name == "a union split":
        assert [change.breaks for change in found.changes] == ["writers"]
    elif name in ("a string bounded", "a bound moved"):  # several places are possible
        assert [(change.breaks, change.keywords) for change in found.changes] == [EXPECTED[name][0][::2]]
    else:
        assert [(change.breaks, change.pointer, change.keywords) for change in found.changes] == EXPECTED[name]
    check_changes(found.changes, ORDER, new)


def check_changes(changes: tuple[Change, ...], old: Any, new: Any) -> None:
    """Both validators say of each text what the change says."""
    for change in changes:
        value = json.loads(change.text)
        allowing, rejecting = (old, new) if change.breaks == "writers" else (new, old)
        for is_valid in (is_valid_by_jsonschema, is_valid_by_rust):
            assert is_valid(allowing, value), (change, allowing)
            assert not is_valid(rejecting, value), (change, rejecting)


def is_valid_by_jsonschema(schema: Any, value: Any) -> bool:
    validator = jsonschema.validators.validator_for(schema, jsonschema.Draft202012Validator)
    return validator(schema, format_checker=validator.FORMAT_CHECKER).is_valid(value)  # type: ignore[no-any-return]


def is_valid_by_rust(schema: Any, value: Any) -> bool:
    return jsonschema_rs.validator_for(schema, validate_formats=True).is_valid(value)  # type: ignore[no-any-return]


def test_directions_are_halves_of_both() -> None:
    new = edit_schema(edit_schema(ORDER, "a member renamed", random.Random(1)), "an enum widened", random.Random(1))
    both, read, write = (fw.compat(ORDER, new, direction=each).changes for each in ("both", "read", "write"))  # type: ignore[arg-type]
    assert both == write + read
    assert {change.breaks for change in read} == {"readers"}
    assert {change.breaks for change in write} == {"writers"}
    with pytest.raises(fw.errors.ArgumentError, match="direction"):
        fw.compat(ORDER, new, direction="forward")  # type: ignore[arg-type]


def test_every_change_of_several_is_listed() -> None:
    new = ORDER
    for name in ("a bound moved", "an enum widened", "an array bounded", "a member added"):
        new = edit_schema(new, name, random.Random(3))
    found = fw.compat(ORDER, new)
    assert {change.keywords for change in found.changes} == {
        ("minimum",),
        ("enum",),
        ("maxItems",),
        ("additionalProperties",),
    }
    check_changes(found.changes, ORDER, new)


def test_two_versions_of_one_address_are_told_apart() -> None:
    old = {"$id": "https://example.com/a.json", "$ref": "item.json", "$defs": {"i": {"$id": "item.json", "const": 1}}}
    new = json.loads(json.dumps(old).replace('"const": 1', '"const": 2'))
    assert [change.text for change in fw.compat(old, new).changes] == ["1", "2"]
    assert fw.compat(old, old).is_compatible


def test_a_result_is_true_if_nothing_breaks() -> None:
    assert fw.compat(ORDER, ORDER)
    wider = fw.compat({"type": "integer"}, {"type": ["integer", "null"]}, direction="write")
    narrower = fw.compat({"type": "integer"}, {"type": "integer", "minimum": 1})
    assert (bool(wider), bool(narrower)) == (True, False)
    unknown = Compatibility((), is_complete=False)
    assert not unknown
    assert "cannot be told" in next(_text_lines("a.json", unknown))
    assert "something" in next(_markdown_rows("a.json", unknown))


def test_types_and_patterns_are_compared_too() -> None:
    class Old(BaseModel):
        age: int

    class New(BaseModel):
        age: int = Field(ge=0)

    assert [change.pointer for change in fw.compat(Old, New).changes] == ["/properties/age"]
    assert [change.text for change in fw.compat(fw.regex("[0-9]+"), fw.regex("[0-9]{2,}")).changes] == ["0"]
    with pytest.raises(fw.errors.ArgumentError, match="different kinds"):
        fw.compat(Old, fw.regex("a"))


def test_what_is_not_decided_is_said() -> None:
    bits = {"type": "array", "uniqueItems": True, "items": {"enum": [0, 1]}}
    with pytest.raises(fw.errors.Undecided) as caught:
        fw.compat(bits, {"anyOf": [bits, {"const": 5}]}, direction="write")
    assert caught.value.bound


def check_samples(old: Any, new: Any, broken: set[str], seed: int) -> None:
    """Where nothing breaks, 200 texts of the one version are valid by the other."""
    for breaks, allowing, rejecting in (("writers", old, new), ("readers", new, old)):
        if breaks in broken:
            continue
        form = fw.json_schema(allowing, whitespace="compact", unknown_keywords="ignore")
        try:
            texts = form.sample(200, seed=seed, max_bytes=len(form.example().encode()) + 8)
        except fw.errors.LimitExceeded:
            continue
        assert all(is_valid_by_rust(rejecting, json.loads(text)) for text in texts), (breaks, rejecting)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.skipif(not SAMPLE.exists(), reason="needs the public schemas")
def test_edits_of_real_schemas_are_found() -> None:
    """Each break that is claimed is confirmed, and where nothing is claimed no instance says otherwise."""
    random_, names, pairs, undecided = random.Random(5), list(EDITS), 0, 0
    with gzip.open(SAMPLE, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    random_.shuffle(rows)
    for row in rows:
        new = edit_schema(row["schema"], names[pairs % len(names)], random_)
        if new is None or pairs == PAIRS:
            continue
        try:
            found = fw.compat(row["schema"], new)
        except fw.errors.Undecided:
            undecided += 1
            continue
        except (fw.errors.LanguageError, fw.errors.LimitExceeded):
            continue
        pairs += 1
        check_changes(found.changes, row["schema"], new)
        broken = {change.breaks for change in found.changes}
        check_samples(row["schema"], new, broken, seed=pairs)
        for test in row["tests"]:
            old_allows, new_allows = (is_valid_by_rust(schema, test["data"]) for schema in (row["schema"], new))
            assert old_allows <= new_allows or "writers" in broken, (row["name"], test)
            assert new_allows <= old_allows or "readers" in broken, (row["name"], test)
    assert undecided <= 0.05 * pairs


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ({"const": False}, {"enum": [False, "abcdef"]}),
        (
            {"if": False, "then": {"type": "boolean"}, "else": {"type": ["integer", "string"]}},
            {"enum": [0, "abc", None, True]},
        ),
        (
            {
                "type": "object",
                "anyOf": [{"properties": {"a": {"type": "integer"}}, "required": ["a"]}],
                "unevaluatedProperties": False,
            },
            {"type": "object", "properties": {"a": {"type": ["integer", "string"]}}, "additionalProperties": False},
        ),
        (
            {
                "properties": {"p": {"$ref": "#/$defs/s"}, "q": {"not": {"$ref": "#/$defs/s"}}},
                "$defs": {"s": {"type": "integer"}},
            },
            {"properties": {"p": {}, "q": {"type": "string"}}},
        ),
    ],
)
def test_no_change_is_claimed_that_is_none(new: Any, old: Any) -> None:
    check_changes(fw.compat(old, new).changes, old, new)


def test_deleted_files_are_reported(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
        subprocess.run(["git", "-C", str(tmp_path), *identity, *arguments], check=True, capture_output=True)

    git("init")
    for name in ("a", "b"):
        (tmp_path / f"{name}.json").write_text('{"type": "integer"}')
    git("add", ".")
    git("commit", "-m", "first")
    done = CliRunner().invoke(app, ["compat", "--revision", "HEAD", str(tmp_path)])
    assert (done.exit_code, done.stdout.count("compatible")) == (0, 2)
    (tmp_path / "b.json").unlink()
    (tmp_path / "a.json").write_text('{"type": "number"}')
    done = CliRunner().invoke(app, ["compat", "--revision", "HEAD", str(tmp_path), "--direction", "write"])
    assert done.exit_code == 1
    assert "b.json: deleted since HEAD" in done.stdout
    assert CliRunner().invoke(app, ["compat", "--revision", "none", str(tmp_path)]).exit_code == 2
    for shown in ("json", "markdown"):
        done = CliRunner().invoke(app, ["compat", "--revision", "HEAD", str(tmp_path), "--format", shown])
        assert "readers" in done.stdout
        assert {"json": '"deleted_since": "HEAD"', "markdown": "everything: deleted since HEAD"}[shown] in done.stdout
