"""The command line: results on stdout, everything else on stderr, exit codes."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import formwright as fw
from formwright.cli.app import app
from formwright.models import LocalModel

SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer", "minimum": 0}},
    "required": ["name"],
    "additionalProperties": False,
}


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(app, arguments, input=stdin, catch_exceptions=False)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    (tmp_path / "broken.json").write_text('{"type": "integer", "maxLenght": 3}', encoding="utf-8")
    (tmp_path / "prompt.txt").write_text("Ada is 36.\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def prompts(toy: Any, byte_vocabulary: fw.Vocabulary, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replaces the embedded model by a toy; collects the prompts it is given."""
    seen: list[str] = []

    def encode(prompt: Any) -> bytes:
        seen.append(prompt)
        return prompt.encode() or b"?"

    monkeypatch.setattr(fw, "load", lambda name: LocalModel(name, toy(257), byte_vocabulary, encode), raising=False)
    return seen


def test_generate_by_schema(files: Path, prompts: list[str]) -> None:
    ran = run("generate", "--schema", "schema.json", "--prompt-file", "prompt.txt", "--temperature", "1", "--seed", "1")
    assert ran.exit_code == 0
    assert "name" in json.loads(ran.stdout)
    assert ran.stderr == ""
    assert prompts == ["Ada is 36."]


def test_generate_samples_as_the_server_does() -> None:
    plain = ["generate", "--regex", "[a-z]{1,12}", "--prompt", "Hi"]
    options = [
        "--min-p",
        "0.2",
        "--repetition-penalty",
        "1.3",
        "--min-tokens",
        "4",
        "--temperature",
        "1",
        "--seed",
        "2",
    ]
    model = fw.load("formwright-tiny")
    assert isinstance(model, LocalModel)
    how: dict[str, Any] = {"min_p": 0.2, "repetition_penalty": 1.3, "min_tokens": 4, "temperature": 1, "seed": 2}
    assert run(*plain, *options).stdout.strip() == model.generate("Hi", fw.regex("[a-z]{1,12}"), **how).text
    for wrong in (["--min-p", "2"], ["--repetition-penalty", "0"], ["--min-tokens", "-1"]):
        assert run(*plain, *wrong).exit_code == 2


def test_generate_by_regex_reads_stdin(prompts: list[str]) -> None:
    ran = run("generate", "--regex", "[ab]{3}", stdin="from stdin\n")
    assert ran.exit_code == 0
    assert len(ran.stdout) == 4
    assert set(ran.stdout) <= {"a", "b", "\n"}
    assert prompts == ["from stdin"]


def test_generate_by_grammar(files: Path, prompts: list[str]) -> None:
    for name, text in (("sum.lark", 'start: D ("+" D)+\nD: /[0-9]/'), ("sum.gbnf", 'root ::= d ("+" d)+\nd ::= [0-9]')):
        (files / name).write_text(text, encoding="utf-8")
        ran = run("generate", "--grammar", name, "--prompt", "Add.", "--max-tokens", "5")
        assert ran.exit_code == 0
        assert re.fullmatch(r"\d(\+\d){1,2}\n", ran.stdout)
    assert run("generate", "--grammar", "-", "--prompt", "x", stdin="root ::= 'a'").stdout == "a\n"


def test_generate_writes_what_is_between_two_files(files: Path, prompts: list[str]) -> None:
    (files / "before.txt").write_text('{"name": "Ada", "age": 3\n', encoding="utf-8")
    (files / "after.txt").write_text("7}\n", encoding="utf-8")
    between = ["generate", "--schema", "schema.json", "--prompt", "x", "--prefix", "before.txt", "--max-tokens", "4"]
    ran = run(*between, "--suffix", "after.txt")
    assert ran.exit_code == 0
    assert re.fullmatch(r"\d*\n", ran.stdout)
    assert json.loads(f'{{"name": "Ada", "age": 3{ran.stdout.strip()}7}}')["name"] == "Ada"
    assert re.fullmatch(r"\d*\s*}\n", run(*between).stdout)
    (files / "after.txt").write_text("x}", encoding="utf-8")
    wrong = run(*between, "--suffix", "after.txt")
    assert wrong.exit_code != 0
    assert "byte 0 of the suffix" in wrong.stderr


def test_generate_by_choice(prompts: list[str]) -> None:
    ran = run("generate", "--choice", "yes", "--choice", "no", "--prompt", "Well?")
    assert ran.stdout in {"yes\n", "no\n"}


def test_generate_by_the_lines_of_a_file(files: Path, prompts: list[str]) -> None:
    (files / "names.txt").write_text("yes\nno\n", encoding="utf-8")
    ran = run("generate", "--choice-file", "names.txt", "--prompt", "Well?")
    assert ran.stdout in {"yes\n", "no\n"}
    (files / "names.txt").write_text("yes\n\nno\n", encoding="utf-8")
    ran = run("generate", "--choice-file", "names.txt", "--prompt", "Well?")
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert "names.txt: choice: line 2 is empty" in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "exactly one form"),
        (["--regex", "a", "--choice", "b"], "exactly one form"),
        (["--regex", "a", "--choice-file", "prompt.txt"], "exactly one form"),
        (["--choice", "a", "--choice-file", "prompt.txt"], "not both"),
        (["--choice-file", "missing.txt"], "missing.txt"),
        (["--grammar", "prompt.txt", "--regex", "a"], "exactly one form"),
        (["--grammar", "missing.lark"], "missing.lark"),
        (["--grammar", "prompt.txt", "--order", "model"], "--order is for --schema"),
        (["--regex", "a", "--start", "x"], "--start is for --grammar"),
        (["--schema", "schema.json", "--lexing", "any"], "--lexing is for --grammar"),
        (["--regex", "a", "--prompt", "x", "--prompt-file", "prompt.txt"], "not both"),
        (["--schema", "missing.json"], "missing.json"),
        (["--regex", "a", "--max-tokens", "0"], "max-tokens"),
    ],
)
def test_a_wrong_command_line_is_2(files: Path, prompts: list[str], arguments: list[str], says: str) -> None:
    ran = run("generate", *arguments)
    assert ran.exit_code == 2
    assert says in ran.stderr
    assert ran.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--schema", "broken.json", "--prompt", "x"], "maxLength"),
        (["--regex", "(", "--prompt", "x"], "^"),
        (["--grammar", "prompt.txt", "--prompt", "x"], "grammar at 1:1:"),
        (["--regex", "a{9}", "--max-tokens", "3", "--prompt", "x"], "hint: pass --max-tokens 9 or more"),
    ],
)
def test_a_refusal_is_3_with_reason_and_hint(files: Path, prompts: list[str], arguments: list[str], says: str) -> None:
    ran = run("generate", *arguments)
    assert ran.exit_code == 3
    assert ran.stderr.startswith("error: ")
    assert says in ran.stderr
    assert ran.stdout == ""


def test_an_unknown_model_is_3() -> None:
    ran = run("generate", "--regex", "a", "--prompt", "x", "--model", "gpt")
    assert ran.exit_code == 3
    assert "formwright-tiny" in ran.stderr


def test_explain_is_tab_separated_where_nobody_looks(files: Path) -> None:
    ran = run("explain", "schema.json")
    assert ran.exit_code == 0
    header, *rows = [line.split("\t") for line in ran.stdout.splitlines()]
    assert header == ["where", "keyword", "status", "note"]
    read = {(where, keyword): status for where, keyword, status, _ in rows}
    assert read["#/properties/age", "minimum"] == "enforced"


def test_explain_stays_tab_separated_whatever_is_said_of_colors(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = command("explain", "schema.json")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert command("explain", "schema.json").stdout == plain.stdout
    assert b"\t" in plain.stdout
    assert b"\x1b" not in plain.stdout


def test_explain_tells_all_faults_and_refuses(files: Path) -> None:
    schema = {"properties": {"a": {"type": "txt"}, "b": {"maxLenght": 3}, "c": {"pattern": "("}}}
    ran = run("explain", "-", stdin=json.dumps(schema))
    assert ran.exit_code == 3
    rows = [line.split("\t") for line in ran.stdout.splitlines()]
    assert {len(row) for row in rows} == {4}
    assert [row[0] for row in rows if row[2] == "broken"] == [f"#/properties/{name}" for name in "abc"]
    assert ran.stderr.startswith("error: schema at /properties/a/type")


def command(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """The real command, in a process of its own."""
    line = [sys.executable, "-m", "formwright", *arguments]
    return subprocess.run(line, input=stdin, capture_output=True, check=False, timeout=60)


@pytest.mark.parametrize(
    ("arguments", "stdin"),
    [
        (("explain", "-"), b'{"title": "\xff"}'),
        (("check", "schema.json", "-"), b"\xff"),
        (("check", "-", "schema.json"), b"\xff"),
        (("convert", "--to", "openai", "-"), b"\xff"),
        (("generate", "--schema", "-", "--prompt", "x"), b"\xff"),
        (("generate", "--choice", "a"), b"\xff"),
    ],
)
def test_input_that_is_no_text_is_2(files: Path, prompts: list[str], arguments: tuple[str, ...], stdin: bytes) -> None:
    ran = CliRunner().invoke(app, arguments, input=stdin, catch_exceptions=False)
    assert ran.exit_code == 2
    assert "is not UTF-8 text: byte 0xff at offset" in ran.stderr
    assert ran.stdout == ""


def test_stdin_is_one_thing(files: Path, prompts: list[str]) -> None:
    for arguments in [("generate", "--schema", "-"), ("generate", "--schema", "-", "--prompt-file", "-")]:
        ran = run(*arguments, stdin="{}")
        assert ran.exit_code == 2
        assert "the schema or the prompt on stdin, not both" in ran.stderr
    ran = run("generate", "--regex", "abc", "--prefix", "-", "--suffix", "-", "--prompt", "", stdin="a")
    assert ran.exit_code == 2
    assert "the prefix or the suffix on stdin, not both" in ran.stderr
    ran = run("check", "-", "-", stdin="{}")
    assert ran.exit_code == 2
    assert "not both" in ran.stderr


def test_ctrl_c_is_130(prompts: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(fw, "load", interrupted)
    ran = run("generate", "--choice", "a", "--prompt", "x")
    assert (ran.exit_code, ran.stderr) == (130, "error: interrupted\n")


def test_ctrl_c_at_a_prompt_is_130() -> None:
    # What runs in the background ignores the signal, and so would what it starts.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(
        [sys.executable, "-m", "formwright", "generate", "--choice", "a"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    signal.signal(signal.SIGINT, before)
    with process:
        time.sleep(2)  # by now it waits for its prompt
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 130
        assert process.stderr is not None
        assert process.stderr.read() == b"error: interrupted\n"


def test_json_for_programs(prompts: list[str]) -> None:
    ran = run("generate", "--regex", "[ab]{3}", "--prompt", "x", "--json")
    result = json.loads(ran.stdout)
    assert list(result) == ["is_complete", "value", "text", "token_ids", "seconds"]
    assert result["is_complete"] is True
    assert result["value"] == result["text"] == bytes(result["token_ids"]).decode()
    ran = run("generate", "--choice", "abcd", "--prompt", "x", "--json", "--max-tokens", "2", "--no-finish")
    assert ran.exit_code == 1
    assert json.loads(ran.stdout) | {"seconds": 0} == {
        "is_complete": False,
        "reason": "max_tokens",
        "text": "ab",
        "token_ids": [97, 98],
        "seconds": 0,
    }


def test_stream_prints_the_same_text(prompts: list[str]) -> None:
    arguments = ["generate", "--regex", "[ab]{9}", "--prompt", "x"]
    assert run(*arguments, "--stream").stdout == run(*arguments).stdout
    assert run(*arguments, "--stream", "--json").exit_code == 2


def test_options_of_generate_mean_what_they_mean_in_python(files: Path, prompts: list[str]) -> None:
    arguments = ["generate", "--schema", "schema.json", "--prompt", "x", "--temperature", "5"]
    texts = [run(*arguments, "--whitespace", "compact", "--seed", str(seed)).stdout.strip() for seed in range(5)]
    assert all(fw.json_schema(SCHEMA, whitespace="compact").matches(text) for text in texts)
    assert run(*arguments, "--order", "model", "--top-p", "0.5", "--top-k", "3").exit_code == 0
    assert run("generate", "--choice", "a\nb", "--prompt", "x", "--stop", "\n").stderr == "the text was cut: stop\n"
    refused = run(*arguments, "--whitespace", "compat")
    assert refused.exit_code == 2
    assert "whitespace must be" in refused.stderr
    for option in ("--order=model", "--whitespace=free", "--max-items=3", "--max-whitespace=3"):
        refused = run("generate", "--choice", "a", "--prompt", "x", option)
        assert refused.exit_code == 2
        assert f"{option.partition('=')[0]} is for --schema" in refused.stderr


def test_the_prompt_tells_the_form_where_that_is_wanted(files: Path, prompts: list[str]) -> None:
    command = ("generate", "--schema", "schema.json", "--prompt", "Hi", "--max-tokens", "90")
    assert [run(*command, *more).exit_code for more in (["--instruct"], ["--instruct", "fields"], [])] == [0, 0, 0]
    schema = fw.json_schema(json.dumps(SCHEMA))
    assert prompts == [f"Hi\n\n{fw.instructions(schema)}", f"Hi\n\n{fw.instructions(schema, style='fields')}", "Hi"]
    assert run("generate", "--choice", "a", "--prompt", "Hi", "--instruct", "xml").exit_code == 2


def test_bounds_on_the_command_line_and_in_the_environment(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free = '\n{"name":\t"Ada"} \t'
    assert run("check", "--max-whitespace", "2", "schema.json", "-", stdin=free).stdout == "conforms\n"
    assert run("check", "--whitespace", "free", "schema.json", "-", stdin=free).stdout == "conforms\n"
    assert run("check", "--max-whitespace", "1", "schema.json", "-", stdin=free).exit_code == 1
    both = ["--whitespace", "compact", "--max-whitespace", "1"]
    assert run("check", *both, "schema.json", "-", stdin="{}").exit_code == 2
    (files / "list.json").write_text('{"type": "array", "items": {"type": "null"}}', encoding="utf-8")
    found = run("check", "--max-items", "1", "list.json", "-", stdin="[null, null]").stdout
    assert found.startswith("valid, but with more items than are written")
    monkeypatch.setenv("FORMWRIGHT_MAX_WHITESPACE", "2")
    monkeypatch.setenv("FORMWRIGHT_MAX_ITEMS", "1")
    assert run("check", "schema.json", "-", stdin=free).stdout == "conforms\n"
    assert run("check", "--whitespace", "flexible", "schema.json", "-", stdin=free).exit_code == 1
    assert run("check", "list.json", "-", stdin="[null, null]").exit_code == 1
    shown = run("explain", "list.json").stdout
    assert "#\tFORMWRIGHT_MAX_ITEMS\tdefault\tmax_items=1" in shown
    monkeypatch.setenv("FORMWRIGHT_MAX_ITEMS", "many")
    refused = run("check", "list.json", "-", stdin="[]")
    assert refused.exit_code == 2
    assert "FORMWRIGHT_MAX_ITEMS is 'many'" in refused.stderr


def test_an_alphabet_on_the_command_line_and_in_the_environment(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (files / "text.json").write_text('{"type": "string", "maxLength": 9}', encoding="utf-8")
    assert run("check", "--alphabet", "Aad", "text.json", "-", stdin='"Ada"').stdout == "conforms\n"
    assert run("check", "--alphabet", "", "text.json", "-", stdin='"Ada"').exit_code == 2
    lacking = "valid, but with characters that the alphabet lacks"
    for text in ('"Ada é"', r'"A\n"'):
        assert run("check", "--alphabet", "Aad", "text.json", "-", stdin=text).stdout.startswith(f"{lacking}\n")
    both = run("check", "--alphabet", "Aad", "text.json", "-", stdin=r'"\u00e9\ud834\udd1e"').stdout
    assert both.startswith(
        "valid, but with escapes that JSON does not need and with characters that the alphabet lacks"
    )
    assert run("check", "--alphabet", "a", "text.json", "-", stdin='"0123456789"').stdout.startswith("does not conform")
    monkeypatch.setenv("FORMWRIGHT_ALPHABET", "xyz")
    assert run("check", "text.json", "-", stdin='"Ada"').stdout.startswith(lacking)
    assert "alphabet='xyz'" in run("explain", "text.json").stdout


def test_help_lists_the_exit_codes() -> None:
    shown = run("--help").stdout
    assert all(f"\n    {code} " in shown for code in (0, 1, 2, 3, 130))


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ('{"age": 36, "name": "Ada"}', "valid, but out of order (--order model writes it)"),
        ('{"name":\n\n\n\n\n\n"Ada"}', "valid, but with other whitespace"),
        ('\n\t{"name": "Ada"}  ', "valid, but with other whitespace"),
        (r'{"name": "\u0041da"}', "valid, but with escapes that JSON does not need"),
        ('{"name": "Ada", "age": 36.0}', "valid, but with integers that have a fraction"),
        ('{"age":\t36.0, "name": "Ada"}', "valid, but out of order"),
        ('{"age": -1, "name": "Ada"}', "does not conform"),
    ],
)
def test_check_tells_what_is_unusual_about_a_valid_instance(files: Path, text: str, verdict: str) -> None:
    ran = run("check", "schema.json", "-", stdin=text)
    assert ran.exit_code == 1
    assert ran.stdout.startswith(verdict)


def test_check_shows_characters_that_cannot_be_seen(files: Path) -> None:
    ran = run("check", "--whitespace", "\n", "schema.json", "-", stdin='{"name"')
    assert "expected '\\n'" in ran.stdout


def test_check_says_yes(files: Path) -> None:
    (files / "good.json").write_text('{"name": "Ada", "age": 36}\n', encoding="utf-8")
    ran = run("check", "schema.json", "good.json")
    assert (ran.exit_code, ran.stdout) == (0, "conforms\n")


def test_check_shows_the_place(files: Path) -> None:
    (files / "bad.json").write_text('{\n  "name": "你好",\n  "age": -1\n}\n', encoding="utf-8")
    ran = run("check", "schema.json", "bad.json")
    assert ran.exit_code == 1
    first, line, caret = ran.stdout.splitlines()
    assert first.startswith("does not conform: line 3, column 10: this is not allowed here")
    assert line.strip() == '"age": -1'
    assert line[caret.index("^")] == "-"


def test_check_counts_wide_characters_as_two_cells(files: Path) -> None:
    ran = run("check", "schema.json", "-", stdin='{"name": "你好"; }')
    line, caret = ran.stdout.splitlines()[1:]
    assert caret.index("^") == line.index(";") + 2


def test_check_notices_an_early_end(files: Path) -> None:
    ran = run("check", "schema.json", "-", stdin='{"name": "Ada"')
    assert ran.exit_code == 1
    assert "the text ends too early" in ran.stdout


def test_check_in_the_models_order(files: Path) -> None:
    text = '{"age": 36, "name": "Ada"}'
    assert run("check", "schema.json", "-", stdin=text).exit_code == 1
    assert run("check", "--order", "model", "schema.json", "-", stdin=text).exit_code == 0


def test_convert_prints_the_schema_and_notes_beside_it(files: Path) -> None:
    ran = run("convert", "schema.json", "--to", "openai")
    assert ran.exit_code == 0
    assert json.loads(ran.stdout)["required"] == ["name", "age"]
    assert ran.stderr == "lossless\n"
    stdin = json.dumps(SCHEMA | {"minProperties": 2})
    assert run("convert", "-", "--to", "openai", stdin=stdin).stderr.startswith("checked: #/minProperties: ")


def test_convert_refuses_with_a_hint(files: Path) -> None:
    ran = run("convert", "-", "--to", "openai", stdin='{"type": "array"}')
    assert (ran.exit_code, ran.stdout) == (3, "")
    assert "hint: " in ran.stderr
    assert run("convert", "schema.json", "--to", "nobody").exit_code == 2


@pytest.mark.parametrize("command", [(), ("generate",), ("explain",), ("check",), ("convert",)])
def test_help(command: tuple[str, ...]) -> None:
    ran = run(*command, "--help")
    assert ran.exit_code == 0
    assert "Usage:" in ran.stdout


def test_version() -> None:
    assert fw.__version__ in run("--version").stdout


def test_next_shows_characters_and_tokens(files: Path) -> None:
    shown = run("next", "--schema", "schema.json", "--text", '{"na')
    assert shown.exit_code == 0
    assert shown.stdout.splitlines()[:2] == ["after '{\"na': not complete", "characters: m"]
    assert shown.stdout.splitlines()[2].startswith("tokens: ")
    ended = run("next", "--regex", "(yes|no)!*", "--text", "yes")
    assert ended.stdout.splitlines()[:2] == ["after 'yes': complete, and may end", "characters: !"]
    assert "or an end" in ended.stdout


def test_next_follows_a_grammar(files: Path) -> None:
    (files / "nested.gbnf").write_text("root ::= '(' root ')' | 'x'", encoding="utf-8")
    shown = run("next", "--grammar", "nested.gbnf", "--text", "((x)")
    assert shown.stdout.splitlines()[:2] == ["after '((x)': not complete", "characters: )"]
    ended = run("next", "--grammar", "nested.gbnf", "--text", "((x))")
    assert ended.stdout.splitlines()[0].startswith("after '((x))': complete")


def test_a_grammar_begins_and_is_cut_as_the_options_say(files: Path) -> None:
    (files / "names.lark").write_text("start: both\nboth: NAME NAME\nNAME: /[a-z]/ | /[a-z][a-z]/\n", encoding="utf-8")
    ran = run("next", "--grammar", "names.lark", "--text", "ab")
    assert ran.stdout.startswith("after 'ab': not complete")
    ran = run("next", "--grammar", "names.lark", "--lexing", "any", "--start", "both", "--text", "ab")
    assert ran.stdout.startswith("after 'ab': complete")
    (files / "other.lark").write_text('both: "a"', encoding="utf-8")
    ran = run("generate", "--grammar", "other.lark", "--prompt", "x")
    assert "pass --start to begin with another rule" in ran.stderr
    ran = run("generate", "--grammar", "names.lark", "--start", "bth", "--prompt", "x")
    assert (ran.exit_code, ran.stdout) == (3, "")
    assert "'bth'" in ran.stderr


def test_check_reads_a_grammar(files: Path) -> None:
    (files / "nested.lark").write_text('start: "(" start ")" | "x"\n', encoding="utf-8")
    (files / "bad.gbnf").write_text('root ::= "a" wrod\n', encoding="utf-8")
    assert run("check", "nested.lark", "-", stdin="((x))\n").stdout == "conforms\n"
    left = run("check", "nested.lark", "-", stdin="((x]\n")
    assert left.exit_code == 1
    assert left.stdout.splitlines()[0].startswith("does not conform: ")
    assert left.stdout.splitlines()[-2:] == ["  ((x]", "     ^"]
    broken = run("check", "bad.gbnf", "-", stdin="a")
    assert broken.exit_code == 3
    assert broken.stderr.splitlines()[:3] == [
        "error: grammar at 1:14: 'wrod' is not defined",
        '    root ::= "a" wrod',
        "                 ^^^^",
    ]
    (files / "unused.lark").write_text('start: "x"\nother: "y"\n', encoding="utf-8")
    explained = run("explain", "unused.lark")
    assert (explained.exit_code, explained.stderr) == (0, "")
    assert explained.stdout.splitlines()[1:] == ["2:1\t\tremark\tthe rule 'other' is never used"]


def test_next_tells_where_a_text_leaves_the_form() -> None:
    left = run("next", "--choice", "yes", "--choice", "no", "--text", "yep")
    assert left.exit_code == 1
    assert left.stdout.startswith("after 'ye': not complete\ncharacters: s\n")
    assert "'p' cannot come next" in left.stderr


def test_next_shows_bytes_of_characters_and_a_bound() -> None:
    shown = run("next", "--regex", "[ä-ü]", "--most", "1")
    assert "characters beyond ASCII" in shown.stdout
    many = run("next", "--regex", "[a-c]*", "--most", "2")
    assert "a-c" in many.stdout
    assert "more (--most)" in many.stdout


def test_a_trace_is_a_page(files: Path) -> None:
    written = run("generate", "--choice", "yes", "--choice", "no", "--prompt", "Well?", "--trace", "out.html")
    assert written.stdout in ("yes\n", "no\n")
    assert 'class="token' in Path("out.html").read_text(encoding="utf-8")


def test_beams_print_the_best_texts() -> None:
    found = run("generate", "--choice", "yes", "--choice", "no", "--prompt", "Well?", "--beams", "9", "--returns", "2")
    assert sorted(found.stdout.splitlines()) == ["no", "yes"]
    exact = run("generate", "--choice", "yes", "--prompt", "Well?", "--fidelity", "exact")
    assert exact.stdout == "yes\n"
    for wrong in (("--beams", "2", "--stream"), ("--beams", "2", "--temperature", "1"), ("--returns", "2")):
        assert run("generate", "--choice", "yes", "--prompt", "Well?", *wrong).exit_code == 2
