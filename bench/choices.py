"""What a choice of a million texts costs: to build, compile, write, store and load it.

::

    python bench/choices.py                                # all sets of texts, with the tokens of Tekken
    python bench/choices.py --sets names,hex --size 100000

The sets are *names* (two to four words of 20,000 made-up ones, and every tenth a product code), *hex* (16 random
digits), *numbers* (a common prefix and 10 digits), and *long* (200 characters, a tenth as many texts).

Each set is measured in a process of its own. *Mask* is a call from Python into a `RowBuffer` along random spellings of
random texts: at the *start* of a text, when a matcher *first* comes to a place behind it (with the worst 1 %, and the
worst of all), and when it comes there *again*. *Memory* is what the process grows by until the constraint
is there, once the list of texts is, and *peak* what it grew by at most; *load* is the least of five.
"""

from __future__ import annotations

import argparse
import gc
import random
import string
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import mistral_common
import numpy as np
from mistral_common.tokens.tokenizers.tekken import Tekkenizer

import formwright as fw
from formwright._kernel import Language

TEKKEN = Path(mistral_common.__file__).parent / "data" / "tekken_240911.json"
WALKS = 300


def names(chance: random.Random) -> Iterator[str]:
    """Words in a row, and product codes."""
    words = ["".join(chance.choices(string.ascii_lowercase, k=chance.randint(2, 10))) for _ in range(20_000)]
    while True:
        if chance.random() < 0.1:
            letters = "".join(chance.choices(string.ascii_uppercase, k=3))
            yield f"{letters}-{chance.randrange(10**6):06}-{chance.choice('ABC')}"
        else:
            yield " ".join(chance.choice(words).capitalize() for _ in range(chance.randint(2, 4)))


def hexadecimal(chance: random.Random) -> Iterator[str]:
    while True:
        yield f"{chance.getrandbits(64):016x}"


def numbers(chance: random.Random) -> Iterator[str]:
    while True:
        yield f"2024-00{chance.randrange(10**10):010}"


def long(chance: random.Random) -> Iterator[str]:
    while True:
        yield "".join(chance.choices(string.ascii_letters + " ", k=200))


SETS: dict[str, tuple[Callable[[random.Random], Iterator[str]], float]] = {
    "names": (names, 1),
    "hex": (hexadecimal, 1),
    "numbers": (numbers, 1),
    "long": (long, 0.1),
}


def drawn(name: str, size: int) -> list[str]:
    """So many different texts of a set, in random order."""
    source, share = SETS[name]
    texts: dict[str, None] = {}
    for text in source(random.Random(1)):
        texts[text] = None
        if len(texts) >= size * share:
            return list(texts)
    raise AssertionError


def time_work(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds, and the result."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def memory() -> float:
    """Megabytes of the process, once allocators gave back what is free."""
    gc.collect()
    time.sleep(1)
    Language.choice(["a"])  # an allocator looks for pages to give back when it is used
    return _status("VmRSS")


def _status(field: str) -> float:
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(lines[field].split()[0]) * 1024 / 1e6


def spell_text(text: str, known: dict[bytes, int], chance: random.Random) -> list[int]:
    """Tokens of a text, each drawn among those that it goes on with."""
    data, ids = text.encode(), []
    while data:
        token = chance.choice([data[:end] for end in range(1, len(data) + 1) if data[:end] in known])
        ids.append(known[token])
        data = data[len(token) :]
    return ids


def walk(constraint: fw.Constraint[Any], ids: list[int]) -> tuple[list[float], list[float]]:
    """Seconds of the masks along a text, by a matcher that comes there first and once more."""
    matcher, rows = constraint.matcher(), fw.RowBuffer(fw.allocate_bitmask(1, constraint.vocabulary))
    found: tuple[list[float], list[float]] = ([], [])
    for times in found:
        matcher.reset()
        for token in ids:
            start = time.perf_counter()
            matcher.fill_bitmask(rows)
            times.append(time.perf_counter() - start)
            matcher.accept_token(token)
    return found


def measure(name: str, size: int) -> None:
    """One row of the table."""
    tokenizer = Tekkenizer.from_file(str(TEKKEN))
    vocabulary = fw.Vocabulary.from_tokenizer(tokenizer)
    texts = drawn(name, size)
    before = memory()
    Path("/proc/self/clear_refs").write_text("5")  # VmHWM is from here on
    build, form = time_work(lambda: fw.choice(texts))
    compiling, constraint = time_work(lambda: fw.compile(form, vocabulary))
    most, after = _status("VmHWM"), memory()
    chance = random.Random(2)
    known = {vocabulary.token(token): token for token in range(len(vocabulary)) if vocabulary.token(token)}
    walks = [walk(constraint, spell_text(chance.choice(texts), known, chance)) for _ in range(WALKS)]
    start = [first[0] for first, _ in walks]
    later = [took for first, _ in walks for took in first[1:]]
    again = [took for _, second in walks for took in second]
    storing, data = time_work(form.to_bytes)
    stored = constraint.to_bytes()
    loads = [
        min(time_work(read)[0] for _ in range(5))
        for read in (lambda: fw.Form.from_bytes(data), lambda: fw.Constraint.from_bytes(stored, vocabulary))
    ]
    with TemporaryDirectory() as folder:
        path = Path(folder, "texts.txt")
        path.write_text("\n".join(texts), encoding="utf-8")
        file, _ = time_work(lambda: fw.choice(path))
    cells = [
        f"{build:.2f}",
        f"{compiling:.2f}",
        f"{file:.2f}",
        f"{np.median(start) * 1e6:.1f}",
        f"{np.median(later) * 1e6:.1f}",
        f"{np.quantile(later, 0.99) * 1e6:.0f}",
        f"{max(later) * 1e6:.0f}",
        f"{np.median(again) * 1e6:.2f}",
        f"{after - before:.0f}",
        f"{most - before:.0f}",
        f"{len(data) / 1e6:.1f}",
        f"{storing * 1e3:.0f}",
        f"{loads[0] * 1e3:.0f}",
        f"{loads[1] * 1e3:.0f}",
    ]
    print(f"{name:8}{len(texts):>9}" + "".join(f"{cell:>9}" for cell in cells))


def main() -> None:
    parser = argparse.ArgumentParser(description="What a choice of a million texts costs.")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--size", type=int, default=1_000_000)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        return measure(options.one, options.size)
    columns = [
        "build s",
        "compile",
        "file s",
        "start us",
        "first us",
        "p99 us",
        "max us",
        "again us",
        "MB",
        "peak MB",
        "stored",
        "store ms",
        "form ms",
        "constr.",
    ]
    print(f"{'set':8}{'texts':>9}" + "".join(f"{column:>9}" for column in columns), flush=True)
    for name in options.sets.split(","):
        subprocess.run([sys.executable, __file__, "--one", name, "--size", str(options.size)], check=True)
    return None


if __name__ == "__main__":
    main()
