"""What a step of a diffusion model may keep: tokens placed blindly by exact masks, or one after the other.

::

    python bench/diffusion.py
    python bench/diffusion.py --temperature 0 --texts 500

A toy model that counts (`formwright.generation.diffusion.CountingDenoiser`) fills a canvas of 24 positions with
records, k tokens a step. *Blind* is the share of texts that conform if all tokens of a step are kept that its masks
allow: these are the runs in which `Canvas.place_all` refuses none, since up to the first refusal both runs are the
same, and no conforming text has the tokens that it refuses. *Placed* is the share that conforms if other tokens are
chosen for their positions. *Calls* are those of the model for a text.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator

import numpy as np

import formwright as fw
from formwright.generation.diffusion import CountingDenoiser, LowConfidence, fill_canvas

LENGTH = 24
NAMES, CITIES = ["Ada", "Bo", "Cleo", "Dan"], ["Rome", "Oslo", "Bern"]
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"enum": NAMES},
        "age": {"type": "integer", "minimum": 1, "maximum": 99},
        "city": {"enum": CITIES},
        "tags": {"type": "array", "items": {"enum": ["x", "y", "z"]}, "maxItems": 3},
    },
    "required": ["name", "age"],
    "additionalProperties": False,
}
PIECES = [
    *['{"', "name", "age", "city", "tags", '":"', '":', '","', ',"', '":["', '"]', '"]}', '"}', "}", '":[]', "]", "["],
    *['"', ":", ",", "{", "A", "d", "a", "B", "o", "C", "leo", "D", "an", *NAMES, *CITIES, *"xyz0123456789"],
]
END, MASK = len(PIECES), len(PIECES) + 1
VOCABULARY = fw.Vocabulary([*(piece.encode() for piece in PIECES), None, None], eos_token_ids=[END])


def encode(text: str) -> list[int]:
    """The tokens of a text, each as long as it can be."""
    token_ids = []
    while text:
        piece = max((each for each in PIECES if text.startswith(each)), key=len)
        token_ids.append(PIECES.index(piece))
        text = text[len(piece) :]
    return token_ids


def draw_records(form: fw.Form[object], count: int) -> Iterator[list[int]]:
    """Records that have room, as tokens and ends of text."""
    chance = random.Random(5)
    for _ in range(count):
        record: dict[str, object] = {"name": chance.choice(NAMES), "age": chance.randint(1, 99)}
        if chance.random() < 0.6:
            record["city"] = chance.choice(CITIES)
        if chance.random() < 0.5:
            record["tags"] = [chance.choice("xyz") for _ in range(chance.randint(0, 3))]
        token_ids = encode(form.write(record))
        if len(token_ids) <= LENGTH:
            yield token_ids + [END] * (LENGTH - len(token_ids))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=300, help="texts for each number of tokens a step")
    parser.add_argument("--temperature", type=float, default=1.0, help="0 takes the most probable token of a hole")
    options = parser.parse_args()
    form = fw.json_schema(SCHEMA, whitespace="compact")
    constraint = fw.compile(form, VOCABULARY)
    start = time.perf_counter()
    model = CountingDenoiser([*draw_records(form, 4000)], VOCABULARY.logits_size, mask_id=MASK)
    print(f"trained in {time.perf_counter() - start:.2f} s; temperature {options.temperature:g}")
    print(f"{'k':>2} {'blind':>8} {'placed':>8} {'calls':>6} {'refused':>8} {'ms a text':>10}")
    for tokens in (1, 2, 4, 8):
        start, counts = time.perf_counter(), np.zeros(4)
        policy = LowConfidence(mask_id=MASK, tokens=tokens, temperature=options.temperature)
        for seed in range(options.texts):
            canvas = constraint.canvas(LENGTH)
            steps = [*fill_canvas(canvas, VOCABULARY, model, [], policy, seed=seed)]
            refused = sum(len(step.refused) for step in steps)
            counts += [refused == 0, form.matches(canvas.text or ""), len(steps), refused]
        blind, placed, calls, refused = counts / options.texts
        each = 1e3 * (time.perf_counter() - start) / options.texts
        print(f"{tokens:>2} {blind:8.1%} {placed:8.1%} {calls:6.1f} {refused:8.2f} {each:10.1f}", flush=True)


if __name__ == "__main__":
    main()
