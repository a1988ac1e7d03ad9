"""Random choices, and the names, places and numbers that texts are made of.

A `World` makes every choice. One for training never sees the held-out entries of a list (those whose index modulo
eight is seven); one for measuring sees only those: of names and values always, of sentences when asked.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator, Sequence

from texts import words

HOLD_OUT_EVERY = 8


def alternatives(*templates: str) -> list[str]:
    """All sentences of templates with alternatives, in an order that does not depend on them.

    ::

        alternatives("{S} [lives in|is from] {v}[ now|].")     # four templates

    So one of eight is held out as a whole sentence, while its words occur in others.
    """
    found = list(dict.fromkeys(sentence for template in templates for sentence in _expanded(template)))
    random.Random(len(found)).shuffle(found)
    return found


def _expanded(template: str) -> Iterator[str]:
    parts = re.split(r"\[([^\]]*)\]", template)  # every second part is a list of alternatives
    choices = [part.split("|") if index % 2 else [part] for index, part in enumerate(parts)]
    return map("".join, itertools.product(*choices))


class World:
    """A random source that keeps training entries and held-out entries apart."""

    def __init__(self, seed: int, held_out: bool = False, held_sentences: bool = False):
        self.random = random.Random(seed)
        self.held_out, self.held_sentences = held_out, held_sentences
        self.whole_words: Sequence[str] = ()  # words and pieces that are one token; empty without a tokenizer

    def pick(self, entries: Sequence):
        """Choose one entry of this world's side of the list; short lists are shared."""
        return self.from_side(entries, self.held_out)

    def from_side(self, entries: Sequence, held: bool):
        """Choose one of the held-out entries, or one of the others."""
        if len(entries) < HOLD_OUT_EVERY:
            return self.random.choice(entries)
        while True:
            index = self.random.randrange(len(entries))
            if (index % HOLD_OUT_EVERY == HOLD_OUT_EVERY - 1) == held:
                return entries[index]

    def sentence(self, templates: Sequence[str]) -> str:
        """Choose a template; in training one of its words is sometimes a stranger, as in real texts."""
        template = self.from_side(templates, self.held_sentences)
        if self.held_out or not self.chance(0.06):
            return template
        parts = template.split(" ")
        plain = [index for index, part in enumerate(parts) if part.isalpha() and part.isascii() and len(part) > 1]
        if len(plain) > 1:
            parts[self.random.choice(plain)] = self.pick(words.COMMON) if self.chance(0.5) else self.invented()
        return " ".join(parts)

    def several(self, entries: Sequence, count: int) -> list:
        """Choose `count` different entries."""
        chosen: list = []
        while len(chosen) < count:
            entry = self.pick(entries)
            if entry not in chosen:
                chosen.append(entry)
        return chosen

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return self.random.random() < probability

    def integer(self, low: int, high: int) -> int:
        """A whole number, more often a small one, between the two ends."""
        if self.chance(0.5):
            return self.random.randint(low, min(high, low + max(9, (high - low) // 8)))
        return self.random.randint(low, high)

    def invented(self, low: int = 1, high: int = 3) -> str:
        """A word that is in no list, so that copying must go by letter groups."""
        draw = self.random.random()
        if draw < 0.45:
            syllables = (
                self.random.choice(words.CONSONANTS) + self.random.choice(words.VOWELS)
                for _ in range(self.random.randint(low, high))
            )
            return "".join(syllables) + self.random.choice(words.ENDINGS)
        if draw < 0.8:
            return self.altered(self.pick(self.pick([words.FIRST_NAMES, words.LAST_NAMES, words.CITIES, words.COMMON])))
        return "".join(self.random.choices(words.LETTERS, k=self.random.randint(3, 3 + 2 * high)))

    def altered(self, word: str) -> str:
        """A known word with one or two letters replaced or dropped."""
        letters = list(word.lower().replace(" ", ""))
        for _ in range(self.random.randint(1, 2)):
            letters[self.random.randrange(len(letters))] = self.random.choice(words.LETTERS) * self.random.choice([0, 1, 1, 2])
        return "".join(letters) or "aro"

    def mixed(self, entries: Sequence[str], invented: float = 0.5) -> str:
        """An entry of the list, or sometimes an invented capitalised word; held-out worlds use the list more."""
        share = invented / 3 if self.held_out else invented
        return self.invented().capitalize() if self.chance(share) else self.pick(entries)


def first_name(world: World) -> str:
    return world.mixed(words.FIRST_NAMES)


def last_name(world: World) -> str:
    return world.mixed(words.LAST_NAMES)


def full_name(world: World) -> str:
    if world.chance(0.2):
        return first_name(world)
    middle = f" {world.random.choice('ABCDEFGHJKLMNPRST')}." if world.chance(0.06) else ""
    name = f"{first_name(world)}{middle} {last_name(world)}"
    return f"{name}-{last_name(world)}" if world.chance(0.04) else name


def city(world: World) -> str:
    return world.mixed(words.CITIES, 0.45)


def country(world: World) -> str:
    return world.mixed(words.COUNTRIES, 0.3)


def job(world: World) -> str:
    if world.chance(0.2):
        return f"{world.pick(words.COMMON)} {world.pick(words.JOBS)}"
    if world.chance(0.2):
        return world.invented()
    return world.pick(words.JOBS)


def company(world: World) -> str:
    base = world.invented().capitalize() if world.chance(0.4) else world.pick(world.pick([words.LAST_NAMES, words.COMMON])).capitalize()
    return f"{base} {world.random.choice(words.COMPANY_TAILS)}" if world.chance(0.7) else base


def phrase(world: World, low: int = 1, high: int = 4) -> str:
    """A few everyday or invented words, as a title or a remark would have."""
    count = world.random.randint(low, high)
    chosen = [world.pick(words.COMMON) if world.chance(0.75) else world.invented() for _ in range(count)]
    text = " ".join(chosen)
    return world.random.choice([text, text, text.capitalize(), text.title()])


def code(world: World) -> str:
    """An identifier such as A-1043, ORD-77 or X29."""
    letters = "".join(world.random.choice("ABCDEFGHJKLMNPQRSTUVWXYZ") for _ in range(world.random.randint(1, 3)))
    digits = "".join(world.random.choice("0123456789") for _ in range(world.random.randint(2, 5)))
    return world.random.choice([f"{letters}-{digits}", f"{letters}{digits}", f"{letters}-{digits}-{world.random.randint(1, 9)}"])


def price(world: World) -> str:
    whole = world.integer(1, 400)
    return f"{whole}.{world.random.randint(0, 99):02d}" if world.chance(0.6) else str(whole)


def date(world: World) -> str:
    year, month, day = world.random.randint(1990, 2030), world.random.randint(1, 12), world.random.randint(1, 28)
    if world.chance(0.6):
        return f"{year}-{month:02d}-{day:02d}"
    return world.random.choice([f"{day} {words.MONTHS[month - 1]} {year}", f"{words.MONTHS[month - 1]} {day}", f"{day} {words.MONTHS[month - 1]}"])


def clock(world: World) -> str:
    hour, minute = world.random.randint(1, 23), world.random.choice(["00", "15", "30", "45", "10", "20", "05", "50"])
    return world.random.choice([f"{hour:02d}:{minute}", f"{hour}:{minute}", f"{hour % 12 + 1} pm", f"{hour % 12 + 1} am"])


def email(world: World) -> str:
    user = world.random.choice([first_name(world).lower(), world.invented(), f"{first_name(world)[0].lower()}.{last_name(world).lower()}"])
    return f"{user}@{world.random.choice(['mail', 'post', world.invented(), company(world).split()[0].lower()])}.{world.random.choice(['com', 'org', 'net', 'eu'])}"


def phone(world: World) -> str:
    digits = lambda count: "".join(world.random.choice("0123456789") for _ in range(count))  # noqa: E731
    return world.random.choice([f"{digits(3)}-{digits(4)}", f"+{digits(2)} {digits(3)} {digits(4)}", digits(7)])


def version(world: World) -> str:
    return f"{world.random.randint(0, 12)}.{world.random.randint(0, 20)}" + (f".{world.random.randint(0, 9)}" if world.chance(0.4) else "")

