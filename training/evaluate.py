"""Measure a model folder on held-out prompts, free and in form.

    python evaluate.py --model ../python/formwright/models/formwright_tiny
    python evaluate.py --model ... --count 100 --tasks record_en choice_zh --show 3

*Free*: the model writes what it likes until `<|end|>`; the whole answer must be right. Only prompts that say which
fields they want take part, since nobody can guess the others. *In form*: formwright holds the model to the keys and
punctuation of the answer, the model fills the values, and all values must be right; *values* is the share of single
values that are. Tasks with written steps count by their answer alone. Of loops of tools, the calls and results are given and the
last answer is measured: free, it must hold all values of the results and make no call; of `unneeded_*`, it must make no call.

Names and values of these prompts come from entries of the lists that training never draws; some of them, everyday words above
all, occur in its sentences or in another list too. In the columns on the right the sentences were kept from training as well,
but for those questions of `answer_*` that do not name a key. Prompts that leave no room for an answer in the context are left out.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Callable, Iterable
from functools import partial, reduce
from operator import add
from pathlib import Path

import numpy as np
from texts.examples import Example, Segment
from texts.loops import LOOPS
from texts.problems import arithmetic
from texts.tasks import LANGUAGES, TASKS, reasoned
from texts.world import World
from tokenizers import Tokenizer
from train import END, encode_prompt

import formwright as fw
from formwright.models.runtimes.tiny import TinyRuntime
from formwright.tokenizers import vocabulary_from

REASONED = ("arithmetic", "last_letters", "shuffled_objects", "small_reasoning")
LONGEST = 600  # tokens of an answer


def is_reasoned(task: str) -> bool:
    """Whether answers of a task have steps, which do not count."""
    return task.startswith(REASONED)


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


# --- in form --------------------------------------------------------------------------------------

CHARACTERS = r'(?:[^"\\\x00-\x1F]|\\["\\/bfnrt])*'
PATTERNS = {
    "string": CHARACTERS,
    "number": r"-?(?:0|[1-9][0-9]{0,11})(?:\.[0-9]{1,4})?",
    "nullable": rf'null|"{CHARACTERS}"',
    "free": r"[^{<]*",
    "line": r"[^\n{<]*",
}


def pattern_of(segment: Segment) -> str:
    """What may stand in place of a segment."""
    if segment.kind == "forced":
        return re.escape(segment.text)
    return PATTERNS.get(segment.kind) or "|".join(map(re.escape, segment.options))


def form_of(segment: Segment) -> fw.Form[str]:
    """The same as a form."""
    if segment.kind == "forced":
        return fw.literal(segment.text)
    return fw.choice(list(segment.options)) if segment.options else fw.regex(PATTERNS[segment.kind])


def write_in_form(writer: Writer, vocabulary: fw.Vocabulary, segments: list[Segment]) -> list[str]:
    """Greedy tokens in the form of the answer; what fills its open segments."""
    matcher = fw.compile(reduce(add, map(form_of, segments)), vocabulary).matcher()
    mask = fw.allocate_bitmask(1, vocabulary)
    for left in range(LONGEST, 0, -1):
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


def right_in_form(example: Example, filled: list[str]) -> list[bool]:
    """Which values are right."""
    wanted = values_of(example)
    right = [have == want for have, want in zip(filled, wanted, strict=False)]
    right += [False] * (len(wanted) - len(filled))
    return right[-1:] if is_reasoned(example.task) else right


# --- free -----------------------------------------------------------------------------------------


def write_freely(writer: Writer) -> str:
    """Greedy tokens up to the end of text."""
    written: list[int] = []
    while len(written) < LONGEST and (token := writer.best()) != END:
        writer.feed([token])
        written.append(token)
    return writer.tokenizer.decode(written)


def right_freely(example: Example, text: str) -> bool:
    """Whether a text says what was to be answered."""
    if is_reasoned(example.task):
        return last_answer(example, text) == last_answer(example, example.answer)
    if example.task in LOOPS:
        return "<tool_call>" not in text and (example.task.startswith("unneeded") or all(value in text for value in values_of(example)))
    try:
        return json.loads(text) == json.loads(example.answer)
    except ValueError:
        return "".join(text.split()) == "".join(example.answer.split())


def values_of(example: Example) -> list[str]:
    """What an answer must hold."""
    return [segment.text for segment in example.segments if segment.kind != "forced"]


def last_answer(example: Example, text: str) -> str | None:
    """The answer behind the steps: in a line, or the last value of JSON."""
    text = text.rpartition("</think>")[2].strip()
    if example.answer.rpartition("</think>")[2].strip().startswith("{"):
        try:
            return str([*json.loads(text).values()][-1])
        except (ValueError, AttributeError, IndexError):
            return None
    forced = [segment.text.strip() for segment in example.segments if segment.kind == "forced"]
    return text.rpartition(forced[-1])[2].strip() if forced else text


# --- figures --------------------------------------------------------------------------------------


def of_steps(world: World, language: str, steps: int) -> Example:
    """Arithmetic of so many steps."""
    return reasoned(world, "arithmetic", language, partial(arithmetic, steps=steps))


MEASURED: dict[str, Callable[[World], Example]] = {
    **{task: make for task, make in TASKS.items() if task not in LOOPS},
    **{f"arithmetic_{language}, {steps} steps": partial(of_steps, language=language, steps=steps) for language in LANGUAGES for steps in (1, 2, 3)},
    **LOOPS,
}


class Measuring:
    """A model to be measured."""

    def __init__(self, folder: Path, count: int, show: int):
        self.tokenizer, self.runtime = Tokenizer.from_file(str(folder / "tokenizer.json")), TinyRuntime(folder)
        self.vocabulary = vocabulary_from(self.tokenizer, eos_token_ids=[END])
        self.count, self.show = count, show

    def measure(self, task: str, new_sentences: bool) -> dict[str, float]:
        """Shares that are right."""
        world = World(900_000 + list(MEASURED).index(task), held_out=True, held_sentences=new_sentences)
        free: list[bool] = []
        formed: list[bool] = []
        values: list[bool] = []
        show = self.show
        for _ in range(4 * self.count):
            if min(len(free), len(formed)) >= self.count:
                break
            example = MEASURED[task](world)
            prompt = encode_prompt(self.tokenizer, example)
            if len(prompt) + LONGEST > self.runtime.context:
                continue
            if len(formed) < self.count:
                filled = write_in_form(Writer(self.runtime, self.tokenizer, prompt), self.vocabulary, example.segments)
                right = right_in_form(example, filled)
                formed.append(all(right))
                values += right
                if not all(right) and show > 0:
                    show -= 1
                    print(f"[{task}] {self.tokenizer.decode(prompt, skip_special_tokens=False)}\n   wanted {example.answer!r}\n   filled {filled}")
            if len(free) < self.count and example.named:
                free.append(right_freely(example, write_freely(Writer(self.runtime, self.tokenizer, prompt))))
        return {"free": float(np.mean(free)), "in form": float(np.mean(formed)), "values": float(np.mean(values))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True, help="model folder")
    parser.add_argument("--count", type=int, default=300, help="prompts a task")
    parser.add_argument("--show", type=int, default=0, help="print so many wrong answers a task")
    parser.add_argument("--tasks", nargs="*", default=list(MEASURED), choices=list(MEASURED), metavar="TASK", help=f"of {', '.join(MEASURED)}; without it, all")
    options = parser.parse_args()
    measuring, began = Measuring(options.model, options.count, options.show), time.time()
    print("| task | free | in form | values | new sentences: free | in form | values |\n|---|---:|---:|---:|---:|---:|---:|")
    for task in options.tasks:
        row = [value for new_sentences in (False, True) for value in measuring.measure(task, new_sentences).values()]
        print(f"| {task} | " + " | ".join(f"{100 * value:.0f} %" for value in row) + " |", flush=True)
    print(f"\n{options.count} prompts a task, {time.time() - began:.0f} seconds")


if __name__ == "__main__":
    main()
