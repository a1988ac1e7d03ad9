"""Random compositions, with texts of them and their parts: for tests of reading, masks and endings.

::

    python tests/programs/compositions.py 10000 1        # parts read are those written; masks; every strategy ends

One run is a random form of several parts, a text of it that is written part by part, and the value and the parts that
must be read. Parts are separated so that there is one way to read them, or the rule (leftmost, longest) says which.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

import formwright as fw
from formwright.generation import Complete
from formwright.models import LocalModel

CONTROLS = ("<|a|>", "<|b|>", "</t>")
TOKENS: list[bytes | None] = [
    *(bytes([byte]) for byte in range(256)),
    *(b": ", b"ab", b"abc", b", ", b'{"', b'":', b"</", b"t>", b"\n", b"</t", b"<t>", b"12", b"ba", b'"}', b"}\n"),
    *(None for _ in CONTROLS),
    None,
]  # fmt: skip
END = len(TOKENS) - 1
SPECIAL = {name: END - len(CONTROLS) + at for at, name in enumerate(CONTROLS)}
VOCABULARY = fw.Vocabulary(TOKENS, eos_token_ids=[END], special_tokens=SPECIAL)
LETTERS = "abcd"


@dataclass
class Made:
    """A form, a text of it (control tokens between 0xFF bytes), what it is read as, and its named parts."""

    form: fw.Form[Any]
    data: bytes
    value: Any
    parts: list[tuple[str, str]]


class Maker:
    """Makes compositions at random."""

    def __init__(self, chance: random.Random, controls: tuple[str, ...] = CONTROLS) -> None:
        self.chance, self.controls, self.names = chance, controls, 0

    def word(self, low: int = 1) -> str:
        """Some letters."""
        return "".join(self.chance.choices(LETTERS, k=self.chance.randint(low, 4)))

    def leaf(self) -> Made:
        """A pattern, a choice, a number or a JSON value."""
        kind = self.chance.randrange(5)
        if kind == 0:
            text = self.word()
            return Made(fw.regex("[a-d]{1,4}"), text.encode(), text, [])
        if kind == 1:
            texts = sorted({self.word() for _ in range(3)})
            text = self.chance.choice(texts)
            return Made(fw.choice(texts), text.encode(), text, [])
        if kind == 2:
            number = self.chance.randint(-50, 50)
            return Made(fw.form(int), str(number).encode(), number, [])
        if kind == 3:
            value: Any = {"a": self.chance.randint(0, 9), "b": [self.word()]}
            schema = {
                "type": "object",
                "properties": {"a": {"type": "integer"}, "b": {"type": "array", "items": {"type": "string"}}},
                "required": ["a", "b"],
                "additionalProperties": False,
            }
            form = fw.json_schema(schema, whitespace="compact")
            return Made(form, json.dumps(value, separators=(",", ":")).encode(), value, [])
        text = self.chance.choice(["2024-02-29", "1999-12-31"])
        return Made(fw.format("date"), text.encode(), text, [])

    def form(self, depth: int) -> Made:
        """A composition of this depth at most."""
        if depth == 0:
            return self.leaf()
        make = self.chance.choice([self.template, self.many, self.optional, self.thinking, self.after, self.marked])
        return make(depth - 1)

    def template(self, depth: int) -> Made:
        """Fields between fixed texts."""
        fields: dict[str, Made] = {}
        pattern, data, parts = "", b"", []
        for _ in range(self.chance.randint(1, 3)):
            name = f"f{self.names}"
            self.names += 1
            fields[name] = made = self.form(depth)
            fixed = self.chance.choice(["N: ", "#", "{{x}} "])
            pattern += f"{fixed}{{{name}}};"
            data += fixed.format().encode() + made.data + b";"
            parts += [(name, shown(made.data)), *made.parts]
        form = fw.template(pattern, **{name: made.form for name, made in fields.items()})
        return Made(form, data, {name: made.value for name, made in fields.items()}, parts)

    def many(self, depth: int) -> Made:
        """Several times the same form."""
        made = self.form(depth)
        count, sep = self.chance.randint(0, 3), f" |{depth} "
        low = count if not made.data else self.chance.randint(0, count)
        form = fw.many(made.form, sep=sep, low=low, high=self.chance.choice([None, 3]))
        return Made(form, sep.encode().join([made.data] * count), [made.value] * count, made.parts * count)

    def optional(self, depth: int) -> Made:
        """A form or nothing, with a text behind it."""
        made = self.form(depth)
        form = fw.optional(fw.template("({o})", o=made.form)) + "."
        if self.chance.random() < 0.5:
            return Made(form, b".", None, [])
        return Made(form, b"(" + made.data + b").", {"o": made.value}, [("o", shown(made.data)), *made.parts])

    def thinking(self, depth: int) -> Made:
        """A thought before a form."""
        made, thought = self.form(depth), self.word(0) + self.chance.choice(["", " </", " <|a|>", "</t", "\n"])
        close: Any = self.chance.choice([fw.special(self.controls[2]), "</think>"])
        form = fw.thinking(made.form, open="<t>", close=close)
        end = letter(self.controls[2]) if not isinstance(close, str) else close.encode()
        data = b"<t>" + thought.encode() + end + made.data
        return Made(form, data, made.value, [("thought", thought), *made.parts])

    def after(self, depth: int) -> Made:
        """A form behind a marker, which comes."""
        made, before = self.form(depth), self.word(0)
        marker: Any = self.chance.choice([fw.special(self.controls[1]), "=>"])
        end = letter(self.controls[1]) if not isinstance(marker, str) else marker.encode()
        form = fw.after(marker, made.form, required=self.chance.random() < 0.5)
        return Made(form, before.encode() + end + made.data, made.value, made.parts)

    def marked(self, depth: int) -> Made:
        """A form between control tokens."""
        made = self.form(depth)
        name = self.controls[0]
        data = letter(name) + made.data + letter(name)
        value = shown(data) if made.form.kind == "text" else made.value
        return Made(fw.special(name) + made.form + fw.special(name), data, value, made.parts)


def letter(name: str) -> bytes:
    """A control token in an accepted text."""
    return b"\xff" + name.encode() + b"\xff"


def shown(data: bytes) -> str:
    """The same as a user sees it."""
    return data.replace(b"\xff", b"").decode()


def wrong_reading(made: Made) -> str | None:
    """What is wrong with the value or the parts that are read, if anything."""
    position, is_complete = made.form.language.check(made.data)
    if not is_complete:
        return f"the text leaves the form at {position}"
    if (value := made.form.read_bytes(made.data)) != made.value:
        return f"read {value!r}, not {made.value!r}"
    matcher = fw.compile(made.form, VOCABULARY).matcher()
    matcher.accept_bytes(made.data)
    found = [(part.name, part.text) for part in matcher.parts()]
    return None if found == made.parts else f"parts {found!r}, not {made.parts!r}"


def wrong_mask(made: Made, chance: random.Random) -> str | None:
    """A token that the mask says something else of than trying its bytes, at a random place of the text."""
    language, matcher = made.form.language, fw.compile(made.form, VOCABULARY).matcher()
    cut = chance.choice([at for at in range(len(made.data) + 1) if made.data[:at].count(b"\xff") % 2 == 0])
    matcher.accept_bytes(made.data[:cut])
    names = {token_id: letter(name) for name, token_id in SPECIAL.items()}
    allowed = set(matcher.allowed_token_ids())
    for token_id, token in enumerate(TOKENS):
        spelled = names.get(token_id) or token or b""
        text = made.data[:cut] + spelled
        right = language.check(text)[1] if token_id == END else language.check(text)[0] == len(text)
        if b"\xff" in spelled and token_id not in names:
            right = False
        if (token_id in allowed) != right:
            return f"token {token_id} ({spelled!r}) after {made.data[:cut]!r}: allowed {token_id in allowed}"
    return None


class Adversary:
    """A model with random opinions that never wants to end."""

    context = 1 << 20

    def __init__(self, seed: int, vocabulary: fw.Vocabulary, length: int = 0) -> None:
        self.seed, self.vocabulary, self.length = seed, vocabulary, length

    def prefill(self, token_ids: Any, /) -> np.ndarray:
        """Random logits that depend on how many tokens there are."""
        self.length += len(token_ids)
        logits = np.random.default_rng((self.seed, self.length)).normal(size=self.vocabulary.logits_size)
        logits[self.vocabulary.eos_token_ids] -= 50
        return logits.astype(np.float32)

    def step(self, token_id: int, /) -> np.ndarray:
        """The logits after one token more."""
        return self.prefill([token_id])

    def fork(self) -> Adversary:
        """A copy."""
        return Adversary(self.seed, self.vocabulary, self.length)


def wrong_ending(made: Made, chance: random.Random, vocabulary: fw.Vocabulary, canonical: bool) -> str | None:
    """What is wrong with a text that a random model writes within a small budget, if anything."""
    constraint = fw.compile(made.form, vocabulary, canonical=canonical)
    least = constraint.matcher().min_tokens_to_finish
    budget = least + chance.choice([0, 0, 1, 2, 5, 20])
    seed = chance.randrange(1 << 30)
    model = LocalModel("adversary", Adversary(seed, vocabulary), vocabulary, lambda text: [1])
    options: dict[str, Any] = {"max_tokens": budget, "seed": seed}
    strategy = chance.choice(["loop", "batch", "beams"])
    if strategy == "beams":
        results = [model.generate([1], constraint, beams=3, **options)]
    elif strategy == "batch":
        results = model.generate_many([[1], [2]], constraint, temperature=1.0, progress=False, **options)
    else:
        results = [model.generate([1], constraint, temperature=1.0, **options)]
    for result in results:
        if not isinstance(result, Complete) or len(result.token_ids) > budget or not made.form.matches(result.text):
            return f"{strategy}, budget {budget}, least {least}: {result!r}"
    return None


def fault(seed: int, counts: Counter[str], tiny: fw.Vocabulary) -> str | None:
    """One run; what was wrong with it, if anything."""
    chance = random.Random(f"composition {seed}")
    depth = chance.choice([0, 1, 1, 2, 2, 3])
    made = Maker(chance).form(depth)
    counts["forms"] += 1
    found = wrong_reading(made) or wrong_mask(made, chance) or wrong_ending(made, chance, VOCABULARY, False)
    if found is None:
        tokens = ("<|user|>", "<|assistant|>", "<|system|>")
        other = Maker(random.Random(f"canonical {seed}"), tokens).form(depth)
        found = wrong_ending(other, chance, tiny, canonical=chance.random() < 0.8)
    return found and f"{made.form.title}: {found}"


def main() -> int:
    """Run as many as the first argument says, from the seed of the second on."""
    count, first = int(sys.argv[1]), int(sys.argv[2])
    counts: Counter[str] = Counter()
    tiny = fw.load("formwright-tiny").vocabulary
    started, faults = time.perf_counter(), 0
    for seed in range(first, first + count):
        try:
            found = fault(seed, counts, tiny)
        except Exception as error:
            found = f"crashed: {error!r}"
        if found is not None:
            faults += 1
            print(json.dumps({"seed": seed, "fault": found[:600]}), flush=True)
    print(json.dumps({"runs": counts["forms"], "faults": faults, "seconds": round(time.perf_counter() - started)}))
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
