"""What compositions cost beside their parts: masks inside templates, thinking and tools, and a hundred tools in one form.

::

    python bench/parts.py                       # with the tokens of Tekken
    python bench/parts.py --schemas 100

*Alone* is the mask of a schema, a call from Python into a `RowBuffer` along the tokens of an instance; *in* is the mask
at the same tokens where the schema stands inside a composition. Both are asked for in turns, each the least of five, all
warm. *Free* is the mask of free text before its marker. A tool is a function-calling schema of the sample.
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mistral_common
import numpy as np
from mistral_common.tokens.tokenizers.tekken import Tekkenizer

import formwright as fw

TEKKEN = Path(mistral_common.__file__).parent / "data" / "tekken_240911.json"
SAMPLE = Path(__file__).parents[2] / "shared" / "data" / "maskbench" / "sample.jsonl.gz"


def sample() -> list[dict[str, Any]]:
    """The schemas kept beside the checkout, with their instances."""
    with gzip.open(SAMPLE, "rt") as lines:
        return [json.loads(line) for line in lines]


def tools_of(rows: list[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """The first functions of the sample, as APIs list them."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        if row["name"].startswith("BFCL"):
            for name, schema in row["schema"].get("properties", {}).items():
                clean = name.replace(" ", "_")
                if isinstance(schema, dict) and clean[:1].isalpha():
                    found.setdefault(clean, {"name": clean, "parameters": schema})
    return list(found.values())[:count]


class Walk:
    """A text as tokens, and a matcher to be led along it."""

    def __init__(self, constraint: fw.Constraint[Any], text: str, tekken: Tekkenizer) -> None:
        self.matcher = constraint.matcher()
        self.ids = tekken.encode(text, bos=False, eos=False)
        self.row = fw.RowBuffer(fw.allocate_bitmask(1, constraint.vocabulary))

    def times(self) -> list[float]:
        """Seconds of the mask before each token, and at the end."""
        self.matcher.reset()
        found = []
        for token_id in [*self.ids, None]:
            started = time.perf_counter()
            self.matcher.fill_bitmask(self.row, 0)
            found.append(time.perf_counter() - started)
            if token_id is not None:
                self.matcher.accept_token(token_id)
        return found


def least(walk: Walk, rounds: int = 5) -> np.ndarray:
    """Of some rounds, the least seconds at each token."""
    return np.array([walk.times() for _ in range(rounds + 1)][1:]).min(0)


def compositions(form: fw.Form[Any], schema: Any) -> Iterator[tuple[str, fw.Form[Any], str, str]]:
    """What it stands in, the whole form, and the text before and behind it."""
    yield "template", fw.template("Answer: {value}\n{rest}", value=form, rest=fw.regex("[a-z]+")), "Answer: ", "\nok"
    yield "thinking", fw.thinking(form), "<think>Let me see.</think>\n", ""
    if isinstance(schema, dict) and schema.get("type") == "object":
        tools = [{"name": "other", "parameters": {"type": "object"}}, {"name": "wanted", "parameters": schema}]
        made = fw.tools(tools, calls="one", style="hermes")
        yield "tools", made, '<tool_call>\n{"name": "wanted", "arguments": ', "}\n</tool_call>"


def inside(rows: list[dict[str, Any]], vocabulary: fw.Vocabulary, tekken: Tekkenizer) -> dict[str, list[float]]:
    """By composition: the seconds alone and inside of it, one after the other."""
    found: dict[str, list[float]] = {}
    for row in rows:
        valid = [test["data"] for test in row["tests"] if test["valid"]][:1]
        try:
            form = fw.json_schema(row["schema"])
            alone = fw.compile(form, vocabulary)
        except fw.errors.LanguageError:
            continue
        for instance in valid:
            text = json.dumps(instance, ensure_ascii=False)
            if not form.matches(text):
                continue
            for name, whole, before, behind in compositions(form, row["schema"]):
                constraint = fw.compile(whole, vocabulary)
                own = Walk(alone, text, tekken)
                other = Walk(constraint, before + text + behind, tekken)
                other.ids = [
                    part for part in (before, text, behind) for part in tekken.encode(part, bos=False, eos=False)
                ]
                skip = len(tekken.encode(before, bos=False, eos=False))
                first, second = least(own)[:-1], least(other)[skip : skip + len(own.ids)]
                found.setdefault(name, []).extend([first.sum(), second.sum(), len(own.ids)])
    return found


def main() -> None:
    """Print what was measured."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--schemas", type=int, default=300)
    count = arguments.parse_args().schemas
    tekken = Tekkenizer.from_file(TEKKEN)
    vocabulary = fw.Vocabulary.from_tokenizer(tekken)
    rows = sample()
    tools = tools_of(rows, 100)
    compile_times, form_times = [], []
    for _ in range(20):
        started = time.perf_counter()
        form = fw.tools(tools, calls="required", style="hermes")
        middle = time.perf_counter()
        constraint = fw.compile(form, vocabulary)
        form_times.append(middle - started)
        compile_times.append(time.perf_counter() - started)
    print(
        f"{len(tools)} tools: form {min(form_times) * 1e3:.2f} ms, compiled {statistics.median(compile_times) * 1e3:.2f} ms"
    )
    masks: list[float] = []
    for tool in tools:
        arguments_ = json.loads(fw.json_schema(tool["parameters"]).example())
        text = f'<tool_call>\n{{"name": "{tool["name"]}", "arguments": {json.dumps(arguments_)}}}\n</tool_call>'
        if form.matches(text):
            masks.extend(least(Walk(constraint, text, tekken)))
    print(f"  masks: {len(masks)}, average {statistics.mean(masks) * 1e6:.2f} us, worst {max(masks) * 1e6:.1f} us")
    free = fw.compile(fw.text(until="</think>") + "x", vocabulary)
    times = least(Walk(free, "Let me think about <this> for a while, a < b </thi nk", tekken))
    print(f"free text: average {times.mean() * 1e6:.2f} us, worst {times.max() * 1e6:.2f} us")
    chosen = rows[:: max(1, len(rows) // count)]
    for name, numbers in inside(chosen, vocabulary, tekken).items():
        alone, other, tokens = (sum(numbers[at::3]) for at in range(3))
        print(
            f"{name}: {tokens} masks, alone {alone / tokens * 1e6:.2f} us, inside {other / tokens * 1e6:.2f} us, {other / alone:.2f}x"
        )


if __name__ == "__main__":
    main()
