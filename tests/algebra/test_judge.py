"""Engines are judged by the smallest texts that one keyword decides."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from click.testing import CliRunner
from small_schemas import draw_schema

import formwright as fw
from formwright.algebra.judging import judge
from formwright.algebra.peers import load_engine
from formwright.algebra.probes import find_probes
from formwright.cli.app import app
from formwright.forms.json_options import complete_options
from formwright.forms.schema_sets import SchemaSource

CARELESS = "judged_engines:make_careless"

PERSON = {
    "type": "object",
    "properties": {"age": {"type": "integer", "minimum": 0}, "state": {"enum": ["open", "paid"]}},
    "required": ["age"],
    "additionalProperties": False,
}


def probes_of(schema: Any) -> list[tuple[str, bool, str, str]]:
    return [tuple(probe) for probe in find_probes(SchemaSource(json.dumps(schema), complete_options({})[0]))]  # type: ignore[misc]


def test_probes_are_the_smallest_texts_that_a_keyword_decides() -> None:
    assert probes_of(PERSON) == [
        ('{"age":0}', True, "", ""),
        ("0", False, "", "type"),
        ("{}", False, "", "required"),
        ('{"age":0,"":0}', False, "", "additionalProperties"),
        ('{"age":""}', False, "/properties/age", "type"),
        ('{"age":-1}', False, "/properties/age", "minimum"),
        ('{"age":0,"state":0}', False, "/properties/state", "enum"),
        ('{"age":0,"state":"open"}', True, "/properties/state", "enum"),
        ('{"age":0,"state":"paid"}', True, "/properties/state", "enum"),
    ]


def test_probes_of_random_schemas_are_what_they_say() -> None:
    random_, tried = random.Random(2), 0
    for _ in range(150):
        schema = {"allOf": [draw_schema(random_)], "$defs": {"x": draw_schema(random_, 0)}}
        validator = jsonschema_rs.Draft202012Validator(schema)
        try:
            for text, is_valid, pointer, keyword in probes_of(schema):
                assert validator.is_valid(json.loads(text)) == is_valid, (schema, text, pointer, keyword)
                tried += 1
        except fw.errors.LanguageError:
            continue
    assert tried > 500


def test_what_an_engine_does_wrong_is_found() -> None:
    schemas = {"a": {"type": "integer", "minimum": 3}, "b": {"not": {"type": "string"}}, "c": {"const": 1}}
    findings, (own, careless) = judge(schemas, [CARELESS])
    assert [(finding.engine, finding.schema, finding.kind, finding.text, finding.keyword) for finding in findings] == [
        (CARELESS, "a", "admits", "0", "minimum"),
        (CARELESS, "b", "refuses", "ValueError: not is not supported", ""),
    ]
    assert str(findings[0]) == f"{CARELESS} 1.0, a: admits 0, which is invalid (#, minimum)"
    assert (own.schemas, own.refused, own.wrong) == (3, 0, 0)
    assert (careless.schemas, careless.refused, careless.admits, careless.wrong) == (3, 1, 1, 1)


def test_an_engine_that_dies_or_hangs_is_started_again() -> None:
    schemas = {"a": {"title": "crash"}, "b": {"title": "hang"}, "c": {"type": "integer", "minimum": 3}}
    findings, (_, careless) = judge(schemas, [CARELESS], timeout=1.5)
    assert [(finding.schema, finding.kind) for finding in findings] == [("a", "fails"), ("b", "fails"), ("c", "admits")]
    assert [finding.text for finding in findings[:2]] == ["its process ended with 7", "no answer after 1.5 seconds"]
    assert (careless.failed, careless.admits) == (2, 1)


def test_llguidance_reads_what_formwright_reads() -> None:
    findings, (own, other) = judge({"a": PERSON}, ["llguidance"])
    assert not findings
    assert own.probes == other.probes > 5


def test_an_engine_that_fails_over_a_text_says_why() -> None:
    findings, (_, fragile) = judge({"a": PERSON}, ["judged_engines:make_fragile"])
    assert {finding.kind for finding in findings} == {"fails"}
    assert all(finding.text.startswith("ZeroDivisionError: ") and ", on " in finding.text for finding in findings)
    assert fragile.probes == len(findings)


def test_what_is_no_engine_is_refused() -> None:
    for name in ("nothing", "json:nothing"):
        with pytest.raises(fw.errors.ArgumentError, match="engine"):
            load_engine(name)
    with pytest.raises(fw.errors.MissingDependency, match="not installed"):
        load_engine("no_such_module:make")


def test_the_command_prints_findings_and_a_table(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"type": "integer", "minimum": 3}))
    done = CliRunner().invoke(app, ["judge", str(tmp_path), "--engine", CARELESS])
    assert done.exit_code == 0, done.output
    assert "admits 0, which is invalid" in done.stdout
    assert f"| {CARELESS} 1.0 | 1 | 0 | 0 |" in done.stdout
    done = CliRunner().invoke(app, ["judge", str(path), "--engine", CARELESS, "--format", "json"])
    assert [row["kind"] for row in json.loads(done.stdout)["findings"]] == ["admits"]
    path.write_text("{")
    assert CliRunner().invoke(app, ["judge", str(path)]).exit_code == 2


# --- faults that others have reported -------------------------------------------------------------

KNOWN = json.loads((Path(__file__).parents[2] / "testdata/known_faults.json").read_text("utf-8"))
"""Faults of released engines: where they were reported, a small schema, and the smallest text."""


@pytest.mark.parametrize("engine", sorted({row["engine"] for row in KNOWN}))
def test_known_faults_are_found_again(engine: str) -> None:
    rows = [row for row in KNOWN if row["engine"] == engine]
    try:
        version = load_engine(engine).version
    except fw.errors.MissingDependency as error:
        pytest.skip(str(error))
    if version != rows[0]["version"]:
        pytest.skip(f"the faults are of {engine} {rows[0]['version']}, and this is {version}")
    findings, (own, _) = judge({str(at): row["schema"] for at, row in enumerate(rows)}, [engine])
    found = {(finding.schema, finding.kind, finding.keyword) for finding in findings}
    missed = [row for at, row in enumerate(rows) if (str(at), row["kind"], row["keyword"]) not in found]
    assert not missed
    assert (own.wrong, own.refused, own.failed) == (0, 0, 0)


def test_formwright_has_none_of_the_known_faults() -> None:
    findings, (own,) = judge({str(at): row["schema"] for at, row in enumerate(KNOWN)}, [])
    assert not findings
    assert own.probes > 100
