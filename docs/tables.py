"""Writes the tables of the pages beside it from the code's own. ``--check`` only compares; ``--sample`` counts real
schemas too, where they are at hand.

The documentation cannot disagree with the code: a test runs the check.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from instructor_names import NOT_OURS, TABLE

from formwright._hosts import HOSTS
from formwright._kernel import json_schema_formats, json_schema_keywords
from formwright.client.plans.services import SERVICES, Service
from formwright.errors import LimitExceeded, SchemaError
from formwright.schemas.providers import convert
from formwright.schemas.providers.rules import PROVIDERS, keyword_table
from formwright.server.reading.fields import IGNORED, REFUSED
from formwright.server.reading.requests import ChatBody, CompletionBody, ResponsesBody
from formwright.tools.tag_formats import FORMATS

FOLDER = Path(__file__).parent


def table(header: list[str], rows: list[tuple[str, ...]], *, is_code: bool = True) -> str:
    """A Markdown table; the first column is code, where nothing else is said."""
    lines = [" | ".join(["", *header, ""]).strip(), "| " + " | ".join("---" for _ in header) + " |"]
    lines += ["| " + " | ".join([f"`{row[0]}`" if is_code else row[0], *row[1:]]) + " |" for row in rows]
    return "\n".join(lines)


def dialects() -> str:
    """What a construct of a pattern means in each dialect: the cases that the tests run."""
    cases = tomllib.loads((FOLDER.parent / "testdata" / "dialects.toml").read_text("utf-8"))["construct"]
    rows = [(case["pattern"], _in_texts(case), case["python"]["means"], case["ecma"]["means"]) for case in cases]
    return table(["pattern", "text", "`re.Pattern`", "JSON Schema"], rows)


def types() -> str:
    """What the forms of Python types write, as the tests walk them."""
    rows = tomllib.loads((FOLDER.parent / "testdata" / "types.toml").read_text("utf-8"))["type"]
    return table(
        ["type", "for example", "what is written", "never written", "checked afterwards"],
        [
            (row["type"], f"`{row['example']}`", row["written"], row.get("left_out", ""), row.get("checked", ""))
            for row in rows
        ],
    )


def _in_texts(case: dict[str, dict[str, str]]) -> str:
    meaning = case["text"]["means"]
    return f"{meaning}; with `unicode=True` {case['unicode']['means']}" if "unicode" in case else meaning


def served_fields() -> str:
    """Which endpoints of the server read a field."""
    bodies = (ChatBody, ResponsesBody, CompletionBody)
    names = sorted({name for body in bodies for name in body.model_fields})
    return table(
        ["field", "chat completions", "responses", "completions"],
        [(name, *("served" if name in body.model_fields else "" for body in bodies)) for name in names],
    )


def ignored_fields() -> str:
    """The fields that the server ignores, where they may be, and why they change nothing."""
    return table(
        ["field", "in a", "why it changes nothing"], [(name, ", ".join(at), why) for name, (at, why) in IGNORED.items()]
    )


def refused_fields() -> str:
    """The fields that the server does not read, and which values of them it accepts."""
    rows = [(name, why, ", ".join(f"`{json.dumps(value)}`" for value in ok)) for name, (why, ok) in REFUSED.items()]
    return table(["field", "why", "accepted"], rows)


def sample() -> str | None:
    """What becomes of real schemas, where they are at hand; it takes half a minute."""
    path = FOLDER.parent.parent / "shared" / "data" / "maskbench" / "sample.jsonl.gz"
    if "--sample" not in sys.argv or not path.exists():
        return None
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        schemas = [json.loads(line)["schema"] for line in lines]
    rows = []
    for name in PROVIDERS:
        counts = Counter(_fate(schema, name) for schema in schemas)
        shares = [f"{100 * counts[fate] / len(schemas):.1f} %" for fate in _FATES]
        rows.append((name, str(len(schemas)), *shares))
    return table(["provider", "schemas", *_FATES], rows)


_FATES = ("lossless", "narrowed only", "also checked afterwards", "refused: too large", "refused: cannot be said")


def _fate(schema: Any, provider: str) -> str:
    try:
        notes = convert(schema, to=provider).notes
    except LimitExceeded:
        return _FATES[3]
    except SchemaError:
        return _FATES[4]
    return _FATES[2] if any(note.kind == "checked" for note in notes) else _FATES[1] if notes else _FATES[0]


def services() -> str:
    """What each service can do, in the order in which it is tried."""
    rows = []
    for service in SERVICES.values():
        hosts = ", ".join(f"`{host.removeprefix('.')}`" for host in service.hosts) or "every other host"
        older = "; ".join(
            f"{', '.join(f'`{name}`' for name in names)}: {', '.join(modes)}" for names, modes in service.older
        )
        hosts = "" if service.name in _BY_NAME else hosts
        subset, grammars = service.subset or "all of JSON Schema", _name_field(service)
        rows.append((service.name, hosts, ", ".join(service.modes), subset, grammars, older))
    return table(["service", "hosts", "modes", "strict schemas", "grammars", "models that can do less"], rows)


_BY_NAME = ("formwright", "sglang", "llama.cpp")
"""Services that no host tells: ``service=`` names them."""


def _name_field(service: Service) -> str:
    """Where a service reads grammars, and which of its models do not."""
    fields = {"custom tool": "a custom tool, Lark", "structured_outputs": "`structured_outputs.grammar`"}
    if service.grammars is None:
        return "in the prompt"
    field = fields.get(service.grammars, f"`{service.grammars}`, GBNF")
    older = ", ".join(f"`{name}`" for name in service.before_grammars)
    return f"{field}; not {older}" if older else field


def instructor_rows() -> list[tuple[str, ...]]:
    """What each name of Instructor is here."""
    return [(row.name, _ours(row.ours), row.note) for rows in TABLE.values() for row in rows]


def instructor_ways() -> list[tuple[str, ...]]:
    """What each way of asking gives with Instructor and with `fw.patch`, as ``tests/clients`` saw it."""
    seen = json.loads((FOLDER.parent / "tests" / "clients" / "records" / "instructor.json").read_text("utf-8"))
    return [(f"`{way}`".replace("|", "\\|"), theirs, ours) for way, theirs, ours in seen["ways"]]


def _ours(name: str) -> str:
    return name if name == NOT_OURS else f"`{name}`".replace("|", "\\|")


def host(key: str) -> str:
    """What ``tests/hosts`` saw of a framework."""
    seen = json.loads((FOLDER.parent / "tests" / "hosts" / "records" / f"{key}.json").read_text("utf-8"))
    own = HOSTS[key]
    rows = [
        (f"{own.package} {seen['version']}", "the version that was run, the real one"),
        (own.window, "the versions that are known"),
        (f"{seen['texts']}", f"texts of 20 forms after 20 prompts; {seen['invalid']} invalid"),
        (f"{seen['like_ours']}", "of them as `model.generate` writes them"),
        (f"{seen['microseconds']['added']} µs", "for a token, over `model.generate`"),
        (f"{seen['microseconds_streamed']['added']} µs", "for a token of a stream, over `model.stream`"),
    ]
    return table(["", ""], rows)


def hosts() -> str:
    """What was run of each host, and what came out."""
    header = ["host", "versions", "version run", "what was run", "conforms", "like our loop", "added a token"]
    return table(header, [(_link_host(key), f"`{HOSTS[key].window}`", *_run(key)) for key in HOSTS], is_code=False)


def features() -> str:
    """How each host does what hosts do differently."""
    names = ("batch", "beams", "speculation", "reasoning", "tools", "forced tokens")
    rows = []
    for key in HOSTS:
        found = (_record(key) or {}).get("features", {})
        rows.append((_link_host(key), *((found.get(name) or "").replace("fw.", "`fw.") for name in names)))
    rows = [tuple(re.sub(r"(`fw\.\w+)", r"\1`", cell) for cell in row) for row in rows]
    return table(["host", *names], rows, is_code=False)


_HOW = {"real host": "the host", "real classes": "its classes, no device", "double": "a stand-in"}
_PAGE = {
    "transformers": "../guides/strategies.md#use-transformers-own-generate",
    "exllamav2": "exllama.md",
    "exllamav3": "exllama.md",
}


def _link_host(key: str) -> str:
    return f"[{HOSTS[key].name}]({_PAGE.get(key, f'{key}.md')})"


def _record(key: str) -> dict[str, Any] | None:
    """What the script of a host left, if it was run."""
    path = FOLDER.parent / "tests" / "hosts" / "records" / f"{key}.json"
    found: dict[str, Any] | None = json.loads(path.read_text("utf-8")) if path.exists() else None
    return found


def _run(key: str) -> tuple[str, ...]:
    """The cells of a record; a host without one was not run."""
    if (seen := _record(key)) is None:
        return ("", "not run", "", "", "")
    texts, cut = seen["texts"], seen.get("cut", 0)
    in_form = f"{texts - seen['invalid'] - cut} of {texts}" + (f"; {cut} cut" if cut else "")
    like_ours = f"{seen['like_ours']} of {texts}" if "like_ours" in seen else ""
    added = seen.get("microseconds", {}).get("added")
    cost = "" if added is None else f"{added:.0f} µs" if added > 0 else "too little to measure"
    return (seen["version"] or "none", _HOW[seen["how"]], in_form, like_ours, cost)


def format_time(micros: float) -> str:
    """A time with its unit."""
    unit, size = next(
        (unit, size) for unit, size in (("s", 1e6), ("ms", 1e3), ("µs", 1.0)) if micros >= size or unit == "µs"
    )
    return f"{micros / size:.3g} {unit}"


def tag_formats() -> str:
    """The formats of structural tags, with the keys that are read."""
    rows = [(kind, ", ".join(f"`{key}`" for key in keys)) for kind, (keys, _) in FORMATS.items()]
    return table(["type", "keys"], rows)


def tool_styles() -> str:
    """The styles of tool calls, and what each was checked with."""
    data = FOLDER.parent / "testdata" / "tool_styles.toml"
    rows = []
    for name, row in tomllib.loads(data.read_text("utf-8")).items():
        found = [f"the chat template `{template}`" for template in row.get("templates", ())][:1]
        found += [f"xgrammar's tag `{row['tag']}`"] if "tag" in row else []
        rows.append((name, row["models"], "; ".join(found) or "our own tests only"))
    return table(["style", "models", "checked with"], rows)


def maskbench_rows() -> dict[str, str]:
    """What `bench/maskbench.py` has measured last: verdicts, and times of the schemas that an engine passes."""
    engines = json.loads((FOLDER.parent / "bench" / "results" / "maskbench.json").read_text("utf-8"))["engines"]
    verdicts = ["passes", "refuses", "rejects a valid", "accepts an invalid", "timeout"]
    rows = [(name, str(one["schemas"]), *(str(one["verdicts"][v]) for v in verdicts)) for name, one in engines.items()]
    times = [
        (name, *(format_time(one[kind][share]) for kind in ("ttfm", "tbm") for share in ("p50", "p99", "p100")))
        for name, one in engines.items()
        if one["schemas"] == max(one["schemas"] for one in engines.values())  # the others ran at another time
    ]
    head = ["", "first mask, median", "p99", "longest", "between masks, median", "p99", "longest"]
    return {
        "verdicts": table(["", "schemas", *verdicts], rows),
        "times": table(head, times),
    }


def arm_rows() -> dict[str, str]:
    """What `bench/evaluation.py arms` has found last: right answers of each model by arm and task, and verdicts."""
    results = json.loads((FOLDER.parent / "bench" / "results" / "arms.json").read_text("utf-8"))
    pages = {}
    for name, found in results.items():
        tasks = found["tasks"]
        rows = [
            (arm, *(_format_share(*task["arms"][arm]["right"]) for task in tasks.values()))
            for arm in next(iter(tasks.values()))["arms"]
        ]
        asked = f"{found['questions']} questions of each task, {found['answers']:,} answers."
        pages[f"arms of {name}"] = f"{asked}\n\n{table(['right, %', *tasks], rows)}"
        pages[f"verdicts on {name}"] = "\n".join(f"* {said}" for said in _list_verdicts(found))
    return pages


def _format_share(share: float, low: float, high: float) -> str:
    """Percents of a share and of its interval."""
    return f"{100 * share:.0f} ({100 * low:.0f} to {100 * high:.0f})"


def _list_verdicts(found: dict[str, Any]) -> list[str]:
    """The planned differences over all tasks; of each task, the arms that differ, and those mostly unreadable."""
    said = [f"All tasks: {each['sentence']}" for each in found["together"]["differences"]]
    for name, task in found["tasks"].items():
        differences = task["differences"]
        clear = [f"{each['pair'][0]} {100 * each['points'][0]:+.0f}" for each in differences if each["is_significant"]]
        unread = [
            f"{arm} {100 * each['unreadable']:.0f} %" for arm, each in task["arms"].items() if each["unreadable"] > 0.5
        ]
        said.append(
            f"`{name}`, points from free: {', '.join(clear) or 'no arm differs significantly'}."
            + f" Unreadable: {', '.join(unread)}." * bool(unread)
        )
    return said


PAGES = {
    "explanation/structure.md": arm_rows(),
    "reference/benchmarks.md": maskbench_rows(),
    "reference/types.md": {"types": types()},
    "engines/haystack.md": {"host": host("haystack")},
    "engines/langchain.md": {"host": host("langchain")},
    "engines/llama_index.md": {"host": host("llama_index")},
    "engines/index.md": {"hosts": hosts(), "features": features()},
    "guides/compose.md": {"styles": tool_styles()},
    "reference/structural_tags.md": {"formats": tag_formats()},
    "guides/services.md": {"services": services()},
    "migrate/instructor.md": {
        "ways": table(["call", "Instructor", "`fw.patch`"], instructor_ways(), is_code=False),
        "instructor": table(["Instructor", "here", "note"], instructor_rows()),
    },
    "reference/server.md": {
        "served": served_fields(),
        "ignored": ignored_fields(),
        "refused": refused_fields(),
    },
    "reference/patterns.md": {"dialects": dialects()},
    "reference/json_schema.md": {
        "keywords": table(["keyword", "what happens", "how"], list(json_schema_keywords())),
        "formats": table(["format", "left out"], list(json_schema_formats())),
    },
    "reference/providers.md": {
        name: table(["keyword", "what happens", "how"], keyword_table(provider)) for name, provider in PROVIDERS.items()
    }
    | ({"sample": counted} if (counted := sample()) else {}),
}


def fill_page(page: str, tables: dict[str, str]) -> str:
    """The page with its tables filled in."""
    for name, text in tables.items():
        pattern = rf"(<!-- {name}: [^\n]*-->\n).*?(<!-- end -->)"
        page = re.sub(pattern, lambda match, text=text: f"{match[1]}{text}\n{match[2]}", page, count=1, flags=re.DOTALL)
    return page


def main() -> None:
    """Write the pages, or compare them."""
    for name, tables in PAGES.items():
        page = (FOLDER / name).read_text("utf-8")
        if "--check" not in sys.argv:
            (FOLDER / name).write_text(fill_page(page, tables), "utf-8")
        elif fill_page(page, tables) != page:
            sys.exit(f"docs/{name} is out of date: run python docs/tables.py")


if __name__ == "__main__":
    main()
