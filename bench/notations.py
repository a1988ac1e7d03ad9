"""What a notation costs: tokens, calls of a model, and time, beside JSON of the same type.

::

    python bench/notations.py tokens         # ten records in each notation: tokens, and calls of a model
    python bench/notations.py speed          # compilation and masks, as ratios to JSON within one run
    python bench/notations.py schemas FILE   # real schemas: how many are read, and whether instances come back
    python bench/notations.py records MODEL # the same records in each notation: what a model gets right

Vocabulary: Tekken, 131,072 tokens, as ``mistral-common`` brings it. *Calls* are the tokens that are not forced: where
only one token may come, no model is asked.
"""

from __future__ import annotations

import json
import random
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import mistral_common
import numpy as np
import toon_format
import yaml
from mistral_common.tokens.tokenizers.tekken import Tekkenizer
from statsmodels.stats.proportion import proportion_confint

import formwright as fw
from formwright.errors import FormwrightError
from formwright.evaluation.built_in import make_built_in_task
from formwright.evaluation.tasks import Task

NOTATIONS = ("json", "jsonl", "python", "csv", "tsv", "markdown", "xml", "toon", "yaml")
ROUNDS = 5
TEKKEN = Path(mistral_common.__file__).parent / "data" / "tekken_240911.json"


def close_object(properties: dict[str, Any]) -> dict[str, Any]:
    """An object with these members."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


TEXT, WHOLE = {"type": "string"}, {"type": "integer"}
FLAT = close_object(
    {
        "id": WHOLE,
        "first_name": TEXT,
        "last_name": TEXT,
        "email": TEXT,
        "city": TEXT,
        "age": {"type": "integer", "minimum": 0, "maximum": 150},
        "is_member": {"type": "boolean"},
        "plan": {"enum": ["free", "basic", "pro"]},
    }
)
ITEM = close_object({"name": TEXT, "quantity": WHOLE, "price": {"type": "number"}})
NESTED = close_object(
    {
        "order": WHOLE,
        "customer": close_object({"name": TEXT, "city": TEXT}),
        "items": {"type": "array", "items": ITEM},
        "note": {"type": ["string", "null"]},
    }
)
NAMES = ["Ada", "Bo", "Clara", "Dan", "Eva", "Finn", "Gita", "Hugo", "Ines", "Jun"]
CITIES = ["Oslo", "Prague", "Lima", "New York", "Kyoto"]
GOODS = ["tea", "desk lamp", "notebook", "blue chair"]


def flat_records() -> list[dict[str, Any]]:
    """Ten records of eight fields."""
    draw = random.Random(1)
    return [
        {
            "id": 1000 + number,
            "first_name": name,
            "last_name": draw.choice(["Novak", "Berg", "Sato", "Okafor"]),
            "email": f"{name.lower()}@example.org",
            "city": draw.choice(CITIES),
            "age": draw.randint(18, 90),
            "is_member": draw.random() < 0.5,
            "plan": draw.choice(["free", "basic", "pro"]),
        }
        for number, name in enumerate(NAMES)
    ]


def nested_records() -> list[dict[str, Any]]:
    """Ten orders with their items."""
    draw = random.Random(2)

    def item() -> dict[str, Any]:
        return {"name": draw.choice(GOODS), "quantity": draw.randint(1, 9), "price": draw.randint(100, 9999) / 100}

    return [
        {
            "order": 500 + number,
            "customer": {"name": name, "city": draw.choice(CITIES)},
            "items": [item() for _ in range(draw.randint(1, 3))],
            "note": draw.choice([None, "leave at the door"]),
        }
        for number, name in enumerate(NAMES)
    ]


SETS = {"flat": (FLAT, flat_records), "nested": (NESTED, nested_records)}


def forms_of(schema: dict[str, Any]) -> Iterator[tuple[str, fw.Form[Any]]]:
    """A list of such records, in each notation that can write it."""
    for notation in NOTATIONS:
        try:
            yield notation, fw.json_schema({"type": "array", "items": schema}, notation=notation)
        except FormwrightError:
            continue


def count_calls(constraint: fw.Constraint[Any], token_ids: list[int]) -> int:
    """How many of the tokens are not the only ones that are allowed."""
    matcher, mask = constraint.matcher(), fw.allocate_bitmask(1, constraint.vocabulary)
    calls = 0
    for token_id in token_ids:
        matcher.fill_bitmask(mask)
        calls += len(fw.allowed_tokens(mask[0])) > 1
        matcher.accept_token(token_id)
    return calls


def show_tokens(vocabulary: fw.Vocabulary) -> None:
    """Print tokens and calls."""
    print("| records | notation | bytes | tokens | calls, canonical |\n|---|---|---:|---:|---:|")
    for name, (schema, make) in SETS.items():
        for notation, form in forms_of(schema):
            text = form.write(make())
            token_ids = vocabulary.merges.encode(text)
            calls = count_calls(fw.compile(form, vocabulary, canonical=True), token_ids)
            print(f"| {name} | {notation} | {len(text.encode())} | {len(token_ids)} | {calls} |")


def time_form(form: fw.Form[Any], vocabulary: fw.Vocabulary, text: str) -> tuple[float, float, float]:
    """Seconds to compile, of the first mask, and of a mask on average."""
    vocabulary.forget_constraints()
    fresh = fw.Form.from_bytes(form.to_bytes())
    began = time.perf_counter()
    constraint = fw.compile(fresh, vocabulary)
    compiled = time.perf_counter()
    matcher, mask = constraint.matcher(), fw.allocate_bitmask(1, vocabulary)
    matcher.fill_bitmask(mask)
    first = time.perf_counter()
    token_ids, spent = vocabulary.merges.encode(text), 0.0
    for token_id in token_ids:
        at = time.perf_counter()
        matcher.fill_bitmask(mask)
        spent += time.perf_counter() - at
        matcher.accept_token(token_id)
    return compiled - began, first - compiled, spent / len(token_ids)


def show_speed(vocabulary: fw.Vocabulary) -> None:
    """Print times, and their ratios to those of JSON."""
    print(
        "| records | notation | compile µs | first mask µs | mask µs | ratios to json |\n|---|---|---:|---:|---:|---|"
    )
    for name, (schema, make) in SETS.items():
        texts = {notation: (form, form.write(make())) for notation, form in forms_of(schema)}
        times: dict[str, list[tuple[float, float, float]]] = {notation: [] for notation in texts}
        for _ in range(ROUNDS):
            for notation, (form, text) in texts.items():
                times[notation].append(time_form(form, vocabulary, text))
        medians = {notation: [median(column) for column in zip(*rows, strict=True)] for notation, rows in times.items()}
        for notation, row in medians.items():
            ratios = np.array(row) / np.array(medians["json"])
            shown = " | ".join(f"{1e6 * seconds:.1f}" for seconds in row)
            print(f"| {name} | {notation} | {shown} | {', '.join(f'{ratio:.1f}' for ratio in ratios)} |")


def judge(notation: str, text: str) -> Any:
    """What an independent reader makes of a text."""
    if notation == "yaml":
        return yaml.load(text, yaml.CSafeLoader)
    return tomllib.loads(text) if notation == "toml" else toon_format.decode(text)


def without_nulls(value: Any) -> Any:
    """The members that TOML has: null is a member that is not there."""
    if isinstance(value, dict):
        return {name: without_nulls(each) for name, each in value.items() if each is not None}
    return [*map(without_nulls, value)] if isinstance(value, list) else value


def show_schemas(path: str) -> None:
    """Print how many real schemas are read, and what becomes of their valid instances."""
    counts: dict[str, Counter[str]] = {"yaml": Counter(), "toon": Counter(), "toml": Counter()}
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        try:
            plain = fw.json_schema(case["schema"], whitespace="free")
        except FormwrightError:
            continue
        for notation, count in counts.items():
            count["schemas that json reads"] += 1
            try:
                form = fw.json_schema(case["schema"], notation=notation)  # type: ignore[arg-type]
            except FormwrightError:
                continue
            count["schemas read"] += 1
            for test in case["tests"]:
                if not test["valid"] or not plain.matches(json.dumps(test["data"], ensure_ascii=False)):
                    continue
                count["instances"] += 1
                try:
                    text = form.write(test["data"])
                except FormwrightError:
                    count["instances that have no text"] += 1
                    continue
                kept = without_nulls if notation == "toml" else lambda value: value
                wanted = json.dumps(kept(test["data"]), sort_keys=True)
                read = (kept(value) for value in (form.parse(text), judge(notation, text)))
                count["instances read as others"] += any(json.dumps(each, sort_keys=True) != wanted for each in read)
    for notation, count in counts.items():
        print(notation, dict(count))


def ask_for_records(notation: str, model: Any, task: Task) -> tuple[int, list[Any]]:
    """Ask a model for the records of a task, after two examples. Returns how many fields are right, and the results."""
    schema = {"type": "array", "items": task.answer, "minItems": 1, "maxItems": 1} if notation == "csv" else task.answer
    form = fw.json_schema(json.dumps(schema), notation=notation)  # type: ignore[call-overload]

    def wrap(record: Any) -> Any:
        return [record] if notation == "csv" else record

    asked = f"{task.about[0]} Answer in {notation.upper()}, with the fields {', '.join(task.answer['properties'])}."
    shots = [f"Question: {item.question}\n{form.write(wrap(item.answer))}" for item in task.examples[:2]]
    right, results = 0, []
    for item in task.items:
        result = model.generate("\n\n".join([asked, *shots, f"Question: {item.question}\n"]), form, max_tokens=160)
        results.append(result)
        if isinstance(result, fw.Complete):
            record = result.value[0] if notation == "csv" else result.value
            right += sum(record.get(name) == value for name, value in item.answer.items())
    return right, results


def show_records(name: str, count: int) -> None:
    """Ask for the same records in each notation: right fields with their 95 % interval, tokens, calls, seconds."""
    model, task = fw.load(name), make_built_in_task("extraction", "en", count)
    print("| notation | right fields % | tokens | calls | seconds | complete |\n|---|---|---:|---:|---:|---:|")
    for notation in ("json", "yaml", "toon", "csv"):
        right, results = ask_for_records(notation, model, task)
        asked = count * len(task.answer["properties"])
        low, high = proportion_confint(right, asked, method="wilson")
        averages = [
            sum(value) / count
            for value in zip(*((len(one.token_ids), one.model_calls, one.seconds) for one in results), strict=True)
        ]
        complete = sum(isinstance(one, fw.Complete) for one in results)
        share = f"{right / asked:.0%} ({low:.0%} to {high:.0%})"
        print(
            f"| {notation} | {share} | {averages[0]:.1f} | {averages[1]:.1f} | {averages[2]:.3f} | {complete} |",
            flush=True,
        )


if __name__ == "__main__":
    if sys.argv[1] == "schemas":
        show_schemas(sys.argv[2])
    elif sys.argv[1] == "records":
        show_records(sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 200)
    else:
        commands = {"tokens": show_tokens, "speed": show_speed}
        commands[sys.argv[1]](fw.Vocabulary.from_tokenizer(Tekkenizer.from_file(str(TEKKEN))))
