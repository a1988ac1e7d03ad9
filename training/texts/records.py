"""Records: facts, the sentences that say them, and the JSON that holds some of them under varying keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from texts.examples import Choice, Example, Nullable, Number
from texts.world import World



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
    str, str, str, str,
    lambda key: re.sub(r"_(\w)", lambda match: match.group(1).upper(), key),
    lambda key: key.replace("_", " ").title(),
    lambda key: key.replace("_", " "),
]


def join_words(items: Sequence[str], world: World) -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(items) == 1:
        return items[0]
    return ", ".join(items[:-1]) + world.random.choice([" and ", " and ", ", and "]) + items[-1]


def say_value(world: World, value) -> str:
    """The value as prose says it."""
    if isinstance(value, Number):
        small = value.text.isdigit() and int(value.text) <= 10
        return NUMBER_WORDS[int(value.text)] if small and world.chance(0.4) else value.text
    if isinstance(value, list):
        return join_words(value, world)
    return str(value)


def repair_articles(text: str) -> str:
    return re.sub(r"\b([Aa]) (?=[aeioAEIO])", r"\1n ", text)


def sentence(world: World, fact: Fact, value, subject: dict[str, str]) -> str:
    """Say one fact."""
    templates = fact.say
    if isinstance(templates, dict):
        templates = templates[value.value if isinstance(value, Choice) else value]
    return world.sentence(templates).format(v=say_value(world, value), **subject)


def subject_words(world: World, domain: Domain, values: dict) -> dict[str, str]:
    """Words for the subject: {S} begins a sentence, {s} is inside one, {P} is possessive."""
    if domain is PERSON and world.chance(0.3):
        first = values["name"].split()[0]
        return {"S": first, "s": first, "P": f"{first}'s"}
    subject, possessive = world.random.choice([("he", "His"), ("she", "Her"), ("they", "Their")])
    return {"S": subject.capitalize(), "s": subject, "P": possessive}


def placeholders(template: str) -> list[str]:
    return re.findall(r"{(\w+)}", template)


def tell(world: World, domain: Domain, chosen: list[str]) -> tuple[str, dict]:
    """Write a text about the chosen facts; return it with every value it mentions."""
    opening = world.sentence(domain.openings)
    named = placeholders(opening)
    order = list(dict.fromkeys(named + chosen + (["name"] if domain is PERSON else [])))
    values = {key: domain.facts[key].make(world) for key in order}
    if domain is PERSON and "name" not in named:
        opening, named = "{name} is here.", ["name"]
    subject = subject_words(world, domain, values)
    sentences = [opening.format(**{key: say_number_plain(world, values[key]) for key in named})]
    rest = [key for key in order if key not in named]
    world.random.shuffle(rest)
    sentences += [sentence(world, domain.facts[key], values[key], subject) for key in rest]
    if domain is not PERSON and world.chance(0.2):
        world.random.shuffle(sentences)
    if not world.held_out and world.chance(0.15):
        sentences.insert(world.random.randint(1, len(sentences)), aside(world))
    return repair_articles(world.random.choice([" ", " ", " ", "\n"]).join(sentences)), values


def aside(world: World) -> str:
    """A sentence that has nothing to do with the record."""
    template = world.random.choice(["The {a} is {b}.", "{a} and {b} are here.", "There was a {a} near the {b}.", "We saw the {a}.", "It was a {a} {b}.", "Thank you.", "Best wishes.", "See the {a} for more."])
    return template.format(a=phrase(world, 1, 2), b=phrase(world, 1, 1))


def say_number_plain(world: World, value) -> str:
    return value.text if isinstance(value, Number) else say_value(world, value)


def spell_keys(world: World, domain: Domain, chosen: list[str]) -> dict[str, str]:
    """Give every chosen fact one of its key names, all in one letter case and all different."""
    case = world.random.choice(KEY_CASES)
    spelled: dict[str, str] = {}
    for name in chosen:
        candidates = domain.facts[name].keys
        key = case(candidates[0] if world.chance(0.35) else world.random.choice(candidates))
        spelled[name] = key if key not in spelled.values() else case(name)
    return spelled


def nest(world: World, domain: Domain, record: dict, spelled: dict[str, str]) -> dict:
    """Move the facts of one group under a common key, if they are all there."""
    for members, containers in world.random.sample(domain.groups, len(domain.groups)):
        if all(member in spelled and spelled[member] in record for member in members):
            key = world.random.choice(containers)
            if key not in record:
                inner = {spelled[member]: record.pop(spelled[member]) for member in members}
                return {**record, key: inner} if world.chance(0.5) else {key: inner, **record}
    return record


def absent_values(world: World, domain: Domain, values: dict, record_facts: list[str]) -> dict:
    """Sometimes ask for a fact that the text does not mention: its value is null."""
    if not world.chance(0.15):
        return {}
    textual = [key for key, fact in domain.facts.items() if key not in values and isinstance(fact.make(World(0)), (str, Number))]
    return {key: Nullable(None) for key in world.random.sample(textual, min(1, len(textual)))}


def record(world: World, domain: Domain) -> Example:
    """A text and the JSON record that holds some of its facts under varying keys."""
    available = list(domain.facts)
    chosen = world.random.sample(available, world.random.choice([1, 2, 2, 3, 3, 4, 5]))
    text, values = tell(world, domain, chosen)
    asked = world.random.sample(list(values), world.random.randint(min(2, len(values)), len(values)))
    if domain is PERSON and "name" not in asked and world.chance(0.7):
        asked.append("name")
    if world.chance(0.4):
        asked.sort(key=available.index)
    absent = absent_values(world, domain, values, asked)
    content = {key: values[key] for key in asked}
    if absent:  # nullability is a property of the schema, so present strings are marked too
        content = {key: Nullable(value) if isinstance(value, str) and world.chance(0.5) else value for key, value in content.items()}
        content |= absent
    keys = list(content)
    if absent:
        world.random.shuffle(keys)
    spelled = spell_keys(world, domain, keys)
    answer = {spelled[key]: content[key] for key in keys}
    if world.chance(0.2):
        answer = nest(world, domain, answer, spelled)
    return ask(world, domain.name, text, answer, domain.requests)


# --- asking ---------------------------------------------------------------------------------------

FIELD_REQUESTS = [
    "Fields: {f}.", "Extract {f}.", "Return JSON with the keys {f}.", "Give me {f} as JSON.", "Keys: {f}.",
    "JSON with {f}:", "Extract the fields {f}.", "Answer in JSON with the fields {f}.", "Fill in: {f}.",
    "Return a JSON object with {f}.", "Find {f}.", "Please extract these fields: {f}.",
]
PLAIN_REQUESTS = ["Answer in JSON.", "JSON:", "Return JSON.", "Extract the data as JSON.", "Extract the information.", "Convert to JSON.", "Output JSON only.", "As JSON:"]


def type_name(value) -> str:
    """The schema word for a value."""
    if isinstance(value, Number):
        return "integer" if value.text.isdigit() else "number"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, list):
        return "array"
    if isinstance(value, dict):
        return "object"
    return "string"


def request_text(world: World, answer, requests: list[str]) -> tuple[str, bool]:
    """An instruction, and whether it names the keys of the answer."""
    keys = list(answer) if isinstance(answer, dict) else []
    draw = world.random.random()
    if draw < 0.35:
        return "", False
    if draw < 0.6 or not keys:
        return world.sentence(requests + PLAIN_REQUESTS), False
    if draw < 0.68:
        return "Schema: " + json.dumps({key: type_name(value) for key, value in answer.items()}, ensure_ascii=False), True
    names = ", ".join(keys) if world.chance(0.5) else join_words(keys, world)
    return world.sentence(FIELD_REQUESTS).format(f=names), True


def ask(world: World, task: str, text: str, answer, requests: list[str]) -> Example:
    """Put text and instruction together, in either order."""
    request, named = request_text(world, answer, requests)
    segments = json_segments(world, answer, named)
    if request and world.chance(0.08):
        return Example(task, text, segments, request, named)
    return Example(task, arrange(world, text, request), segments, named=named)


def arrange(world: World, text: str, request: str) -> str:
    if not request:
        return text if world.chance(0.85) else f"Text: {text}"
    layout = world.random.choice(["{r}\n\n{t}", "{r}\n{t}", "{t}\n{r}", "{t}\n\n{r}", "{r} {t}", "{t} {r}", "{r}\nText: {t}"])
    return layout.format(r=request, t=text)
