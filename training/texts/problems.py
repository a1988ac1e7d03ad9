"""Problems that are solved in steps; here sums told as stories."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from texts import words
from texts.examples import Number
from texts.labels_chinese import zh_name
from texts.phrasing import articles, capital, exact, sentences
from texts.stories import STORIES, Story
from texts.stories_chinese import ZH_DAYS, ZH_GOODS, ZH_MONTHS, ZH_STORIES
from texts.world import World, first_name


@dataclass
class Problem:
    """A question with the steps to its answer."""

    kind: str
    question: str
    steps: list[str]
    answer: str | Number
    language: str

MOST = 150  # of a sum; products stay in the multiplication table
TABLE = 12


def amount_for(world: World, kind: Story, operator: str, value: int) -> tuple[int, int] | None:
    """A number for the change, and the result; None if there is none that fits."""
    low, high = kind.factor
    if operator == "+":
        amount = world.integer(2, 99)
        return (amount, value + amount) if value + amount <= MOST else None
    if operator == "-":
        if value < 4:
            return None
        amount = world.integer(2, min(99, value - 1))
        return amount, value - amount
    if operator == "*":
        amount = world.random.randint(low, high)
        return (amount, value * amount) if value <= TABLE or amount == 10 and value <= TABLE**2 // 10 else None
    divisors = [number for number in range(2, TABLE + 1) if value % number == 0 and 2 <= value // number <= TABLE]
    if not divisors:
        return None
    amount = world.random.choice(divisors)
    return amount, value // amount


OPERATORS = {"owned": "++++---*/", "price": "**++-/", "boxes": "***+-/", "sharing": "//+-*"}


def draw_changes(world: World, name: str, kind: Story, count: int) -> tuple[int, list[tuple[str, int, int]]]:
    """A first number, and changes as operator, number and result."""
    pool = OPERATORS.get(name, "+++---*/")
    while True:
        value = start = world.integer(*kind.first)
        changes: list[tuple[str, int, int]] = []
        for position in range(count):
            first_times = position == 0 and name in ("price", "boxes")
            operator = "*" if first_times else world.random.choice([mark for mark in pool if mark in kind.changes and not (name in ("price", "boxes") and mark == "*")])
            fitting = amount_for(world, kind, operator, value)
            if fitting is None or name == "ages" and not 2 <= fitting[1] <= 120:
                break
            changes.append((operator, *fitting))
            value = fitting[1]
        if len(changes) == count:
            return start, changes


def two_names(world: World, make: Callable[[World], str], count: int = 2) -> list[str]:
    """Different names."""
    names: list[str] = []
    while len(names) < count:
        name = make(world)
        if name not in names:
            names.append(name)
    return names


def steps_of(start: int, changes: list[tuple[str, int, int]]) -> list[str]:
    """The sums, one after the other."""
    steps, value = [], start
    for operator, amount, result in changes:
        steps.append(f"{value} {operator} {amount} = {result}")
        value = result
    return steps


def arithmetic(world: World, language: str, steps: int | None = None) -> Problem:
    """A story of one to three sums."""
    stories = STORIES if language == "en" else ZH_STORIES
    name = world.random.choice(list(stories))
    kind = stories[name]
    start, changes = draw_changes(world, name, kind, steps or world.random.choice([1, 1, 2, 2, 2, 3]))
    chinese = language == "zh"
    people = two_names(world, zh_name if chinese else first_name)
    goods = world.several([entry for entry in words.PRODUCTS if "_" not in entry], 2) if not chinese else world.random.sample(ZH_GOODS, 2)
    given = {
        "n": people[0], "m": people[1], "o": world.random.choice(kind.things), "x": goods[0].replace("_", " "), "y": goods[1].replace("_", " "),
        "d": world.random.choice(words.DAYS if not chinese else ZH_DAYS), "mo": world.random.choice(words.MONTHS if not chinese else ZH_MONTHS), "p": place(world, chinese),
    }
    given["o"] = given["o"].format(**given)
    parts = [exact(world, kind.starts).format(a=start, **given)]
    parts += [exact(world, kind.changes[operator]).format(b=amount, **given) for operator, amount, _ in changes]
    parts.append(world.sentence(kind.questions).format(**given))
    if not chinese and world.chance(0.1):
        parts.insert(world.random.randint(1, len(parts) - 1), world.sentence(ASIDES).format(**given))
    text = "".join(parts) if chinese else articles(" ".join(capital(part) for part in parts))
    return Problem("arithmetic", text, steps_of(start, changes), Number(str(changes[-1][2])), language)


ASIDES = sentences("""
It is a [sunny|rainy|cold|warm|long] [day|morning|evening] in [{p}|{mo}].
{m} [watches|is nearby|smiles|waits|is asleep].
{n} [lives in {p}|is in a good mood|has a friend named {m}|loves numbers].
[The weather is fine|It is {d}|Nobody is in a hurry|The radio is on].
""")


def place(world: World, chinese: bool) -> str:
    """A city."""
    return world.random.choice(words.CHINESE_CITIES) if chinese else world.mixed(words.CITIES, 0.3)
