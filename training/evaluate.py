"""Measure the shipped model on held-out prompts, free and constrained.

    python evaluate.py --model ../python/formwright/models/formwright_tiny --count 100

*Free*: the model writes what it likes until `<|end|>`; the answer counts when it
parses and holds exactly the right values. Only prompts that say which fields
they want take part, since nobody can guess the others.
*Constrained*: formwright holds the model to keys and punctuation of the answer,
and the model fills the values. An answer counts when every value is right;
*values* is the share of single values that are. Tasks with written steps count by
their answer alone.

Names and values of these prompts never occur in training; with `--new-sentences`
the sentence templates, and so many of their words, do not either.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import Counter
from collections.abc import Iterable
from functools import reduce
from operator import add
from pathlib import Path

import numpy as np
from data import TASKS, Example, Segment, World
from tokenizers import Tokenizer
from train import END, encode_prompt

import formwright as fw
from formwright.models.tiny import TinyRuntime
from formwright.tokenizers import vocabulary_from

REASONING = {"arithmetic", "last_letters", "shuffled_objects"}
LONGEST = 160


class Writer:
    """A model in the middle of an answer: the runtime, and the logits of the next token."""

    def __init__(self, runtime: TinyRuntime, tokenizer: Tokenizer, prompt: list[int]):
        self.runtime, self.tokenizer = runtime.fork(), tokenizer
        self.logits = self.runtime.prefill(prompt)

    def feed(self, ids: Iterable[int]) -> None:
        for token in ids:
            self.logits = self.runtime.step(token)

    def best(self, allowed: np.ndarray | None = None) -> int:
        return int(np.argmax(self.logits if allowed is None else np.where(allowed, self.logits, -np.inf)))


# --- constrained: the form of the answer, filled in by the model -----------------------------------

CHARACTERS = r'(?:[^"\\\x00-\x1F]|\\["\\/bfnrt])*'
NUMBER = r"-?(?:0|[1-9][0-9]{0,11})(?:\.[0-9]{1,4})?"
PATTERNS = {
    "string": CHARACTERS,
    "number": NUMBER,
    "nullable": rf'null|"{CHARACTERS}"',
    "free": r"[^\n{]*",
    "line": r"[^\n{]*",
}


def pattern_of(segment: Segment) -> str:
    """What may stand in place of a segment."""
    if segment.kind == "forced":
        return re.escape(segment.text)
    return PATTERNS.get(segment.kind) or "|".join(map(re.escape, segment.options))


def form_of(segment: Segment) -> fw.Form[str]:
    if segment.kind == "forced":
        return fw.literal(segment.text)
    return fw.choice(list(segment.options)) if segment.options else fw.regex(PATTERNS[segment.kind])


def write_in_form(writer: Writer, vocabulary: fw.Vocabulary, segments: list[Segment]) -> list[str]:
    """Greedy tokens that are in the form of the answer; returns what fills its open segments."""
    matcher = fw.compile(reduce(add, map(form_of, segments)), vocabulary).matcher()
    mask = fw.allocate_bitmask(1, vocabulary)
    for left in range(2 * LONGEST, 0, -1):
        matcher.fill_bitmask(mask, budget=left)
        allowed = np.zeros(writer.logits.shape, bool)
        allowed[fw.allowed_tokens(mask[0])] = True
        token = writer.best(allowed)
        matcher.accept_token(token)
        if matcher.is_finished:
            break
        writer.feed([token])
    groups = [f"({pattern_of(segment)})" if segment.kind != "forced" else pattern_of(segment) for segment in segments]
    found = re.fullmatch("".join(groups), matcher.accepted_bytes.decode())
    return list(found.groups()) if found else []


# --- free -------------------------------------------------------------------------------------------


def write_freely(writer: Writer) -> str:
    written: list[int] = []
    while len(written) < LONGEST and (token := writer.best()) != END:
        writer.feed([token])
        written.append(token)
    return writer.tokenizer.decode(written)


def leaves(value) -> list:
    """All plain values inside a JSON value, in order."""
    if isinstance(value, dict):
        return [leaf for child in value.values() for leaf in leaves(child)]
    if isinstance(value, list):
        return [leaf for child in value for leaf in leaves(child)]
    return [value]


def free_is_right(example: Example, text: str) -> bool:
    if example.task in REASONING:
        return last_answer(text) == last_answer(example.answer)
    if not example.answer.startswith(("{", "[")):
        return text == example.answer
    try:
        found, wanted = (Counter(map(repr, leaves(json.loads(source)))) for source in (text, example.answer))
    except ValueError:
        return False
    # A prompt for a tool does not say whether name, arguments or both are wanted: any part is right.
    return found == wanted or (example.task == "tool" and bool(found) and (found <= wanted or wanted <= found))


def last_answer(text: str) -> str | None:
    """The answer after the steps, in a line or in JSON."""
    if text.startswith("{"):
        try:
            return str(leaves(json.loads(text))[-1])
        except ValueError:
            return None
    return text.rpartition("Answer: ")[2]


# --- figures ----------------------------------------------------------------------------------------


def constrained_result(example: Example, filled: list[str]) -> list[bool]:
    wanted = [segment.text for segment in example.segments if segment.kind != "forced"]
    right = [have == want for have, want in zip(filled, wanted)]
    right += [False] * (len(wanted) - len(filled))
    return right[-1:] if example.task in REASONING else right


def measure(task: str, options: argparse.Namespace, runtime: TinyRuntime, tokenizer: Tokenizer, vocabulary: fw.Vocabulary) -> dict:
    world = World(900_000 + list(TASKS).index(task), held_out=True, held_sentences=options.new_sentences)
    count, show = options.count, options.show
    free, constrained, values = [], [], []
    while min(len(free), len(constrained)) < count:
        example = TASKS[task](world)
        prompt = encode_prompt(tokenizer, example)
        if len(constrained) < count:
            filled = write_in_form(Writer(runtime, tokenizer, prompt), vocabulary, example.segments)
            right = constrained_result(example, filled)
            constrained.append(all(right))
            values += right
            if not all(right) and show > 0:
                show -= 1
                print(f"[{task}] {example.prompt!r}\n   wanted {example.answer!r}\n   filled {filled}")
        if len(free) < count and example.named:
            free.append(free_is_right(example, write_freely(Writer(runtime, tokenizer, prompt))))
    return {"free": np.mean(free), "constrained": np.mean(constrained), "values": np.mean(values)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True, help="model folder")
    parser.add_argument("--count", type=int, default=100, help="prompts a task")
    parser.add_argument("--new-sentences", action="store_true", help="hold out the sentence templates too, not only names and values")
    parser.add_argument("--show", type=int, default=0, help="print so many wrong answers a task")
    parser.add_argument("--tasks", nargs="*", default=list(TASKS))
    options = parser.parse_args()
    tokenizer = Tokenizer.from_file(str(options.model / "tokenizer.json"))
    runtime, vocabulary, began = TinyRuntime(options.model), vocabulary_from(tokenizer, eos_token_ids=[END]), time.time()
    print("| task | free | constrained | values |\n|---|---:|---:|---:|")
    rows = []
    for task in options.tasks:
        row = measure(task, options, runtime, tokenizer, vocabulary)
        rows.append(list(row.values()))
        print(f"| {task} | " + " | ".join(f"{100 * value:.0f} %" for value in row.values()) + " |", flush=True)
    print("| mean | " + " | ".join(f"{100 * value:.0f} %" for value in np.mean(rows, 0)) + " |")
    print(f"\n{options.count} prompts a task, {time.time() - began:.0f} seconds")


if __name__ == "__main__":
    main()
