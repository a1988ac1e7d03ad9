"""Measure the shipped model on held-out prompts, free and constrained.

    python evaluate.py --model ../python/formwright/models/formwright_tiny --count 100

*Free*: the model writes what it likes until `<|end|>`; the answer counts when it
parses and holds exactly the right values. Only prompts that say which fields
they want take part, since nobody can guess the others.
*Constrained*: everything the form fixes is forced, and the model fills the
values. An answer counts when every value is right; *values* is the share of
single values that are. Tasks with written steps count by their answer alone.

Names and values of these prompts never occur in training; with `--new-sentences`
the sentence templates, and so many of their words, do not either.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from data import TASKS, Example, Segment, World
from tokenizers import Tokenizer
from train import END, encode_prompt

from formwright.models.tiny import TinyRuntime

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

    def feed_text(self, text: str) -> None:
        self.feed(self.tokenizer.encode(text, add_special_tokens=False).ids)

    def best(self, allowed: np.ndarray | None = None) -> int:
        return int(np.argmax(self.logits if allowed is None else np.where(allowed, self.logits, -np.inf)))


# --- constrained: an emulation of the constraint engine ---------------------------------------------


class Alphabet:
    """Which tokens may appear where, by the text they spell."""

    def __init__(self, tokenizer: Tokenizer):
        texts = [tokenizer.decode([token]) if token != END else "" for token in range(tokenizer.get_vocab_size())]
        special = {token for token in range(len(texts)) if token in tokenizer.get_added_tokens_decoder()}
        usable = np.array([token not in special for token in range(len(texts))])
        self.texts = texts
        self.string = usable & np.array([not set(text) & set('\\\n"') for text in texts])
        self.quote = np.array([text == '"' for text in texts])
        self.digit = np.array([text in set("0123456789") for text in texts])
        self.number_end = np.array([text in (",", "}", "]") or (text.startswith("\n") and not text.strip()) for text in texts])
        self.point, self.minus = np.array([text == "." for text in texts]), np.array([text == "-" for text in texts])
        self.end = np.arange(len(texts)) == END
        self.line = usable & np.array([not set(text) & set("\n{") for text in texts])


def emulate_constrained(writer: Writer, alphabet: Alphabet, segments: list[Segment]) -> list[str]:
    """Force the forced segments and let the model fill the values; return what it filled in.

    Stands in for the constraint engine on the known skeleton of the answer.
    """
    filled = []
    for position, segment in enumerate(segments):
        if segment.kind == "forced":
            writer.feed_text(segment.text)
            continue
        closing = segments[position + 1].text[:1] if position + 1 < len(segments) else ""
        text = FILLERS[segment.kind](writer, alphabet, segment, closing)
        filled.append(text)
    return filled


def fill_until(writer: Writer, body: np.ndarray, stop: np.ndarray) -> str:
    """Greedy tokens of `body` until one of `stop` is the better choice; the stop is left to the caller."""
    written: list[int] = []
    while len(written) < LONGEST:
        token = writer.best(body | stop)
        if stop[token]:
            break
        writer.feed([token])
        written.append(token)
    return writer.tokenizer.decode(written)


def fill_string(writer: Writer, alphabet: Alphabet, segment: Segment, closing: str) -> str:
    return fill_until(writer, alphabet.string, alphabet.quote)


def fill_number(writer: Writer, alphabet: Alphabet, segment: Segment, closing: str) -> str:
    text = ""
    while len(text) < 12:
        allowed = alphabet.digit.copy()
        if not text:
            allowed |= alphabet.minus
        elif text[-1].isdigit():
            allowed |= alphabet.number_end
            if "." not in text:
                allowed |= alphabet.point
        token = writer.best(allowed)
        if alphabet.number_end[token]:
            break
        writer.feed([token])
        text += alphabet.texts[token]
    return text


def fill_choice(writer: Writer, alphabet: Alphabet, segment: Segment, closing: str) -> str:
    """The option with the highest summed log probability, its end included."""
    end = writer.tokenizer.encode(closing).ids[:1] or [END]
    best = max(segment.options, key=lambda option: log_probability(writer, [*writer.tokenizer.encode(option).ids, *end]))
    writer.feed_text(best)
    return best


def fill_literal(writer: Writer, alphabet: Alphabet, segment: Segment, closing: str) -> str:
    return fill_choice(writer, alphabet, segment, closing)


def fill_nullable(writer: Writer, alphabet: Alphabet, segment: Segment, closing: str) -> str:
    null = writer.tokenizer.encode("null").ids[0]
    if writer.logits[null] > writer.logits[alphabet.quote].max():
        writer.feed([null])
        return "null"
    writer.feed_text('"')
    text = fill_string(writer, alphabet, segment, '"')
    writer.feed_text('"')
    return f'"{text}"'


def fill_line(writer: Writer, alphabet: Alphabet, segment: Segment, closing: str) -> str:
    """One line of text; braces are left to JSON."""
    newline = np.array([text.startswith("\n") for text in alphabet.texts])
    return fill_until(writer, alphabet.line, newline | alphabet.end)


FILLERS = {
    "string": fill_string, "number": fill_number, "choice": fill_choice, "literal": fill_literal,
    "nullable": fill_nullable, "free": fill_line, "line": fill_line,
}


def log_probability(writer: Writer, ids: list[int]) -> float:
    """Log probability of the tokens after what is written; the writer stays where it is."""
    runtime = writer.runtime.fork()
    rows = np.concatenate([writer.logits[None], runtime.score(ids)[:-1]]).astype(np.float64)
    normalised = rows - np.log(np.exp(rows - rows.max(-1, keepdims=True)).sum(-1, keepdims=True)) - rows.max(-1, keepdims=True)
    return float(normalised[np.arange(len(ids)), ids].sum())


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
    return right[-1:] if example.task in REASONING else right


def measure(task: str, count: int, sentences: bool, runtime: TinyRuntime, tokenizer: Tokenizer, alphabet: Alphabet, show: int) -> dict:
    world = World(900_000 + list(TASKS).index(task), held_out=True, held_sentences=sentences)
    free, constrained, values = [], [], []
    while min(len(free), len(constrained)) < count:
        example = TASKS[task](world)
        prompt = encode_prompt(tokenizer, example)
        if len(constrained) < count:
            filled = emulate_constrained(Writer(runtime, tokenizer, prompt), alphabet, example.segments)
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
    runtime, alphabet, began = TinyRuntime(options.model), Alphabet(tokenizer), time.time()
    print("| task | free | constrained | values |\n|---|---:|---:|---:|")
    rows = []
    for task in options.tasks:
        row = measure(task, options.count, options.new_sentences, runtime, tokenizer, alphabet, options.show)
        rows.append(list(row.values()))
        print(f"| {task} | " + " | ".join(f"{100 * value:.0f} %" for value in row.values()) + " |", flush=True)
    print("| mean | " + " | ".join(f"{100 * value:.0f} %" for value in np.mean(rows, 0)) + " |")
    print(f"\n{options.count} prompts a task, {time.time() - began:.0f} seconds")


if __name__ == "__main__":
    main()
