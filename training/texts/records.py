"""Records: facts, the sentences that say them, and the JSON that holds some of them under varying keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from texts.chinese_values import chinese_phrase
from texts.examples import Choice, Nullable, Number
from texts.world import World, phrase


NUMBER_WORDS = "zero one two three four five six seven eight nine ten".split()


@dataclass
class Fact:
    """Something a text can say: how to make it, what keys may ask for it, how sentences say it.

    `say` is a list of templates, or a table from a label (or truth value) to templates.
    """

    make: Callable[[World], object]
    keys: list[str]
    say: list[str] | dict[object, list[str]]
    keys_zh: list[str] = field(default_factory=list)


@dataclass
class Domain:
    """A kind of record; `groups` are the facts that may be nested together under a key."""

    name: str
    facts: dict[str, Fact]
    openings: list[str]
    groups: list[tuple[list[str], tuple[str, ...]]] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    language: str = "en"


def whole(low: int, high: int) -> Callable[[World], Number]:
    return lambda world: Number(str(world.integer(low, high)))


def flag(world: World) -> bool:
    return world.chance(0.5)


def label(*options: str) -> Callable[[World], Choice]:
    return lambda world: Choice(world.random.choice(options), options)


def listing(make: Callable[[World], str], low: int = 1, high: int = 3) -> Callable[[World], list[str]]:
    return lambda world: list(dict.fromkeys(make(world) for _ in range(world.random.randint(low, high))))


KEY_CASES: list[Callable[[str], str]] = [
    *([str] * 5),
    lambda key: re.sub(r"_(\w)", lambda match: match.group(1).upper(), key),
    lambda key: key.replace("_", " ").title(),
    lambda key: key.replace("_", " "),
]


# --- saying ---------------------------------------------------------------------------------------


def join_words(items: Sequence[str], world: World, language: str = "en") -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(items) == 1:
        return items[0]
    if language == "zh":
        return "、".join(items[:-1]) + world.random.choice(["和", "、"]) + items[-1]
    return ", ".join(items[:-1]) + world.random.choice([" and ", " and ", ", and "]) + items[-1]


def say_value(world: World, value, language: str = "en", in_words: bool = True) -> str:
    """The value as prose says it."""
    if isinstance(value, Number):
        small = value.text.isdigit() and int(value.text) <= 10
        return NUMBER_WORDS[int(value.text)] if small and in_words and language == "en" and world.chance(0.3) else value.text
    if isinstance(value, list):
        return join_words(value, world, language)
    return str(value)


def repair_articles(text: str) -> str:
    """`a` and `an` as the next letter wants them."""
    return re.sub(r"\b([Aa]) (?=[aeioAEIO])", r"\1n ", text)


def say(world: World, domain: Domain, name: str, value, subject: dict[str, str]) -> str:
    """A sentence for one fact."""
    templates = domain.facts[name].say
    if isinstance(templates, dict):
        templates = templates[value.value if isinstance(value, Choice) else value]
    return world.sentence(templates).format(v=say_value(world, value, domain.language), **subject)


def subject_words(world: World, domain: Domain, values: dict) -> dict[str, str]:
    """Words for the subject: {S} begins a sentence, {s} is inside one, {P} is possessive."""
    if domain.language == "zh":
        pronoun = world.random.choice("他她")
        return {"S": pronoun, "s": pronoun, "P": pronoun + "的"}
    if domain.name == "person" and world.chance(0.3):
        first = values["name"].split()[0]
        return {"S": first, "s": first, "P": f"{first}'s"}
    subject, possessive = world.random.choice([("he", "His"), ("she", "Her")])
    return {"S": subject.capitalize(), "s": subject, "P": possessive}


def tell(world: World, domain: Domain, chosen: Sequence[str]) -> tuple[str, dict[str, object]]:
    """A text that says the chosen facts, and every value that it mentions."""
    opening = world.sentence(domain.openings)
    named = re.findall(r"{(\w+)}", opening)
    is_person = domain.name in ("person", "chinese_person")
    values = {name: domain.facts[name].make(world) for name in dict.fromkeys([*named, *chosen, *["name"] * is_person])}
    if is_person and "name" not in named:
        opening, named = ("{name}在这里。" if domain.language == "zh" else "{name} is here."), ["name"]
    subject = subject_words(world, domain, values)
    sentences = [opening.format(**{name: say_value(world, values[name], domain.language, False) for name in named})]
    rest = [name for name in values if name not in named]
    world.random.shuffle(rest)
    sentences += [say(world, domain, name, values[name], subject) for name in rest]
    if not is_person and world.chance(0.2):
        world.random.shuffle(sentences)
    if not world.held_out and world.chance(0.08):
        sentences.insert(world.random.randint(1, len(sentences)), aside(world, domain.language))
    if domain.language == "zh":
        return world.random.choice(["", "", "", "\n"]).join(filter(None, sentences)), values
    return repair_articles(world.random.choice([" ", " ", " ", "\n"]).join(filter(None, sentences))), values


def aside(world: World, language: str = "en") -> str:
    """A sentence that has nothing to do with the record."""
    if language == "zh":
        a, b = (chinese_phrase(world) for _ in range(2))
        return world.random.choice(["谢谢。", "请看{a}。", "这里还有{a}和{b}。", "{a}很{b}。", "我们看到了{a}。", "祝好。", "详情见{a}。"]).format(a=a, b=b)
    template = world.random.choice(
        ["The {a} is {b}.", "{a} and {b} are here.", "There was a {a} near the {b}.", "We saw the {a}.", "It was a {a} {b}.", "Thank you.", "Best wishes.", "See the {a} for more."]
    )
    return template.format(a=phrase(world, 1, 2), b=phrase(world, 1, 1))


# --- the answer -----------------------------------------------------------------------------------


@dataclass
class Shape:
    """Which facts an answer holds, under which keys; several texts may be asked for the same."""

    domain: Domain
    keys: dict[str, str]  # of facts
    nullable: frozenset[str]
    group: tuple[tuple[str, ...], str] | None

    def answer(self, values: dict[str, object]) -> dict[str, object]:
        """The answer for a text that mentions these values."""
        found: dict[str, object] = {}
        for fact, key in self.keys.items():
            value = values.get(fact)
            is_text = fact in self.nullable and (value is None or isinstance(value, str))
            inside = found.setdefault(self.group[1], {}) if self.group and fact in self.group[0] else found
            inside[key] = Nullable(value) if is_text else value  # type: ignore[index]
        return found


def draw_shape(world: World, domain: Domain, most: int = 6) -> Shape:
    """What to ask for in texts of a kind."""
    facts = list(domain.facts)
    asked = world.random.sample(facts, min(len(facts), world.random.choice([1, 2, 2, 3, 3, 4, 4, 5, 6][: most + 3])))
    if domain.name.endswith("person") and "name" not in asked and world.chance(0.7):
        asked.insert(0, "name")
    if world.chance(0.4):
        asked.sort(key=facts.index)
    textual = [name for name in asked if isinstance(domain.facts[name].make(World(0)), str)]
    nullable = frozenset(world.random.sample(textual, world.random.randint(1, len(textual)))) if textual and world.chance(0.25) else frozenset()
    keys = spell_keys(world, domain, asked)
    return Shape(domain, keys, nullable, draw_group(world, domain, keys) if world.chance(0.2) else None)


def spell_keys(world: World, domain: Domain, asked: Sequence[str]) -> dict[str, str]:
    """Give every fact one of its key names, all in one letter case and all different."""
    is_chinese = domain.language == "zh" and world.chance(0.5)
    case = str if is_chinese else world.random.choice(KEY_CASES)
    spelled: dict[str, str] = {}
    for name in asked:
        fact = domain.facts[name]
        candidates = (is_chinese and fact.keys_zh) or fact.keys
        key = case(candidates[0] if world.chance(0.35) else world.random.choice(candidates))
        spelled[name] = key if key not in spelled.values() else case(name)
    return spelled


def draw_group(world: World, domain: Domain, keys: dict[str, str]) -> tuple[tuple[str, ...], str] | None:
    """Facts that are nested together under a key, if all of them are asked for."""
    for members, containers in world.random.sample(domain.groups, len(domain.groups)):
        if all(member in keys for member in members) and len(keys) > len(members):
            free = [key for key in containers if key not in keys.values()]
            if free:
                return tuple(members), world.random.choice(free)
    return None


def draw_record(world: World, shape: Shape) -> tuple[str, dict[str, object]]:
    """A text, and what it answers to a shape: more may be said than is asked, and less where null is allowed."""
    absent = {name for name in shape.keys if name in shape.nullable and world.chance(0.5)}
    said = [name for name in shape.keys if name not in absent]
    others = [name for name in shape.domain.facts if name not in shape.keys]
    said += world.random.sample(others, min(len(others), world.random.choice([0, 0, 0, 1, 1, 2, 3])))
    world.random.shuffle(said)
    for _ in range(20):
        text, values = tell(world, shape.domain, said)
        if not absent & set(values):
            break
    return text, shape.answer(values)
