"""What the pieces of a text of 1 MB cost: to build, compile, write, store and load.

::

    python bench/grounded.py                                # all units and texts, with the tokens of Tekken
    python bench/grounded.py --size 100000 --texts english

The texts are *english* (sentences of 20,000 made-up words, the frequent ones often), *chinese* (sentences of 3,000
ideographs) and *twice* (a half of the first one, two times); as forms of text, and as strings of a schema (*json*).

Each is measured in a process of its own. *Mask* is a call from Python into a `RowBuffer` along random spellings of
random pieces: where a piece begins, for the first time (*open*) and later (*start*), when a matcher *first* comes to a
place behind it (with the worst 1 %, and the worst of all), and when it comes there *again*. *Memory* is what the
process grows by with a second such form: the allocator keeps what the first one needed for a while (*peak*).
"""

from __future__ import annotations

import argparse
import random
import string
import subprocess
import sys
from pathlib import Path

import choices
import numpy as np
from mistral_common.tokens.tokenizers.tekken import Tekkenizer

import formwright as fw

WALKS = 200
MOST = 400  # characters of a piece


def english(chance: random.Random, size: int) -> str:
    words = ["".join(chance.choices(string.ascii_lowercase, k=chance.randint(2, 10))) for _ in range(20_000)]
    weights = [1 / (rank + 3) for rank in range(len(words))]
    drawn = chance.choices(words, weights, k=size // 4)
    return sentences(chance, drawn, " ", ". ", size)


def chinese(chance: random.Random, size: int) -> str:
    weights = [1 / (rank + 3) for rank in range(3_000)]
    drawn = chance.choices([chr(0x4E00 + 5 * rank) for rank in range(3_000)], weights, k=size // 3)
    return sentences(chance, drawn, "", "。", size)


def twice(chance: random.Random, size: int) -> str:
    half = english(chance, size // 2)
    return half + half


def sentences(chance: random.Random, drawn: list[str], between: str, end: str, size: int) -> str:
    found, at = [], 0
    while at < len(drawn):
        count = chance.randint(4, 25)
        found.append(between.join(drawn[at : at + count]).capitalize())
        at += count
    return end.join(found).encode()[:size].decode(errors="ignore")


TEXTS = {"english": english, "chinese": chinese, "twice": twice}
UNITS = ("char", "word", "sentence")


def piece(text: str, unit: str, chance: random.Random) -> str:
    """A random piece of up to so many characters, and a few more."""
    at = chance.randrange(len(text) - 4 * MOST)
    if unit == "char":
        return text[at : at + chance.randint(1, MOST)]
    end = "." if "." in text else "。"
    between = end if unit == "sentence" or end == "。" else " "
    start = text.index(between, at) + 1
    start += text[start : start + 1] == " "
    whole = text[start : text.index(between, start + chance.randint(1, MOST))]
    return whole + end if unit == "sentence" else whole.rstrip(".")


def measure(name: str, unit: str, writing: str, size: int) -> None:
    """One row of the table."""
    vocabulary = fw.Vocabulary.from_tokenizer(Tekkenizer.from_file(str(choices.TEKKEN)))
    text = TEXTS[name](random.Random(1), size)
    known = {vocabulary.token(token): token for token in range(len(vocabulary)) if vocabulary.token(token)}

    def make_form(text: str) -> fw.Form[str]:
        if writing == "text":
            return fw.one_of_text(text, unit)  # type: ignore[arg-type]
        return fw.json_schema({"type": "string", "x-one-of-text": {"source": text, "unit": unit}})

    fw.compile(fw.choice("a"), vocabulary)
    first = choices.memory()
    Path("/proc/self/clear_refs").write_text("5")  # VmHWM is from here on
    other = make_form(text + "x.")
    most, before = choices._status("VmHWM"), choices.memory()
    build, form = choices.time_work(lambda: make_form(text))
    compiling, constraint = choices.time_work(lambda: fw.compile(form, vocabulary))
    after = choices.memory()
    del other
    chance = random.Random(2)
    quote = "" if writing == "text" else '"'
    pieces = [quote + piece(text, unit, chance) + quote for _ in range(WALKS)]
    walks = [choices.walk(constraint, choices.spell_text(drawn, known, chance)) for drawn in pieces]
    start = [first[0] for first, _ in walks[1:]]
    opening = walks[0][0][0] if not quote else walks[0][0][1]
    later = [took for first, _ in walks for took in first[1 + len(quote) :]]
    again = [took for _, second in walks for took in second]
    storing, data = choices.time_work(form.to_bytes)
    load = min(choices.time_work(lambda: fw.Form.from_bytes(data))[0] for _ in range(3))
    cells = [
        f"{build:.2f}",
        f"{compiling:.3f}",
        f"{opening * 1e3:.2f}",
        f"{np.median(start) * 1e6:.1f}",
        f"{np.median(later) * 1e6:.1f}",
        f"{np.quantile(later, 0.99) * 1e6:.0f}",
        f"{max(later) * 1e6:.0f}",
        f"{np.median(again) * 1e6:.2f}",
        f"{after - before:.0f}",
        f"{most - first:.0f}",
        f"{storing * 1e3:.1f}",
        f"{load:.2f}",
    ]
    print(f"{name:9}{unit:9}{writing:5}" + "".join(f"{cell:>9}" for cell in cells), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="What the pieces of a text cost.")
    parser.add_argument("--texts", default=",".join(TEXTS))
    parser.add_argument("--units", default=",".join(UNITS))
    parser.add_argument("--size", type=int, default=1_000_000)
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        return measure(options.one[0], options.one[1], options.one[2], options.size)
    columns = ["build s", "compile", "open ms", "start us", "first us", "p99 us", "max us", "again us", "MB", "peak MB"]
    columns += ["store ms", "load s"]
    print(f"{'text':9}{'unit':9}{'as':5}" + "".join(f"{column:>9}" for column in columns), flush=True)
    for name in options.texts.split(","):
        for unit in options.units.split(","):
            for writing in ("text", "json"):
                row = ["--one", name, unit, writing, "--size", str(options.size)]
                subprocess.run([sys.executable, __file__, *row], check=True)
    return None


if __name__ == "__main__":
    main()
