"""Exercises: many small questions in one example, for what the tasks take for granted.

Values under keys, sums of two numbers, last letters, spelling and swaps. A question here costs a few tokens, so the
network sees many times as many of them as in whole tasks.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from texts import words
from texts.examples import Example, Number, Segment, Turn, given, text_of
from texts.problems import TABLE
from texts.world import World, alternatives, city, code, company, date, email, first_name, full_name, job, phrase, price

COMPUTE = alternatives("[Compute|Calculate|Work out|Solve][:| these:]", "[What is|How much is]:", "计算：", "[Sums|Results]:", "算一算：")
LAST = alternatives("[Last letters|The last letter of each word|What is the last letter]:", "[Write|Give] the last [letter of each|letters]:", "[最后一个字母|每个词的最后一个字母]：")
FIRST = alternatives("[First letters|The first letter of each word]:", "[Write|Give] the first [letter of each|letters]:", "[第一个字母|每个词的第一个字母]：")
SPELL = alternatives("[Spell|Spell the words|Letters of]:", "[拼写|逐个写出字母]：")
TRACK = alternatives("[Track|Follow] the swaps[:|.]", "[交换后是什么|写出每次交换后的状态]：")


def numbers(world: World) -> tuple[int, str, int, int]:
    """Two numbers, what is done with them, and the result."""
    operator = world.random.choice("+++---*/")
    if operator in "*/":
        a, b = world.random.randint(2, TABLE), world.random.randint(2, TABLE)
        return (a, "*", b, a * b) if operator == "*" else (a * b, "/", b, a)
    a, b = world.integer(1, 99), world.integer(1, 99)
    if operator == "-" and a < b:
        a, b = b, a
    return a, operator, b, a + b if operator == "+" else a - b


def lines(task: str, request: str, asked: list[str], answered: list[list[Segment]]) -> Example:
    """Questions in lines, and answers in lines."""
    answer: list[Segment] = []
    for index, line in enumerate(answered):
        answer += [*([Segment("\n", "forced")] if index else []), *line]
    return Example(task, [Turn([given("\n".join([request, *asked]))], answer)])


# --- values under keys ----------------------------------------------------------------------------

LAYOUTS = ["{k}: {v}", "{k}: {v}", "The {k} is {v}.", "{k} = {v}", "My {k} is {v}.", "{k} - {v}", "the {k} was {v};", "{k}：{v}", "- {k}: {v}", "{k}\t{v}", "| {k} | {v} |"]


def any_value(world: World) -> str | Number:
    """A value of any kind, for keys that mean nothing."""
    makers = [full_name, city, phrase, phrase, company, code, first_name, job, email, date]
    makers += [lambda w: Number(str(w.integer(0, 999))), lambda w: Number(price(w)), lambda w: w.invented()]
    return world.random.choice(makers)(world)


def any_key(world: World) -> str:
    """A key that nobody can know: one or two everyday or invented words."""
    parts = [world.pick(words.COMMON) if world.chance(0.7) else world.invented() for _ in range(world.random.choice([1, 1, 2]))]
    return world.random.choice(["_", "_", " "]).join(parts)


def shown_pairs(world: World, pairs: dict[str, str | Number], layout: str) -> str:
    """Keys and values as a text."""
    shown = [layout.format(k=key if world.chance(0.5) else key.replace("_", " "), v=text_of(value)) for key, value in pairs.items()]
    return (" " if layout[-1] in ".;" else "\n").join(shown)


def values(world: World) -> Example:
    """Keys with values, and each asked for twice, in any order."""
    pairs = {any_key(world) if world.chance(0.6) else world.pick(words.COMMON): any_value(world) for _ in range(world.random.randint(3, 10))}
    text = shown_pairs(world, pairs, "{k}: {v}" if world.chance(0.5) else world.random.choice(LAYOUTS))
    is_json, between = world.chance(0.5), world.random.choice([": ", "\n"])
    answer: list[Segment] = []
    for key in [*world.random.sample(list(pairs), len(pairs)), *world.random.sample(list(pairs), len(pairs))]:
        value, is_first = pairs[key], not answer
        if not is_json and not is_first:
            answer.append(Segment("\n", "forced"))
        quote = '"' * (is_json and not isinstance(value, Number))
        before = ("{" if is_first else ", ") + json.dumps(key) + f": {quote}" if is_json else f"{key}{between}"
        answer += [Segment(before, "forced", weight=0.05), Segment(text_of(value), "number" if isinstance(value, Number) else "string")]
        answer += [Segment(quote, "forced")] * bool(quote)
    answer += [Segment("}", "forced")] * is_json
    return Example("values", [Turn([given(text)], answer)])


# --- sums, letters, swaps -------------------------------------------------------------------------


def sums(world: World) -> Example:
    """Lines of sums."""
    found = [numbers(world) for _ in range(world.random.randint(4, 16))]
    asked = [f"{a} {operator} {b}" for a, operator, b, _ in found]
    answered = [[Segment(f"{line} = ", "forced", weight=0.1), Segment(str(result), "number", weight=3.0)] for line, (*_, result) in zip(asked, found, strict=True)]
    return lines("sums", world.sentence(COMPUTE), asked, answered)


def any_word(world: World) -> str:
    """A word, known or invented, or a token, whose letters stand nowhere else."""
    if world.whole_words and world.chance(0.4):
        return world.random.choice(world.whole_words)
    draw = world.random.random()
    if draw < 0.35:
        return world.invented().capitalize() if world.chance(0.5) else world.invented()
    return world.pick(world.pick([words.FIRST_NAMES, words.LAST_NAMES, words.COMMON, words.PRODUCTS])).split()[0]


def letters(world: World) -> Example:
    """Lines of words and one of their letters, or all."""
    found = [any_word(world) for _ in range(world.random.randint(4, 14))]
    kind = world.random.choice(["last", "last", "last", "first", "spell"])
    request = world.sentence({"last": LAST, "first": FIRST, "spell": SPELL}[kind])
    said = {"last": lambda word: word[-1].lower(), "first": lambda word: word[0].lower(), "spell": lambda word: " ".join(word)}[kind]
    answered = [[Segment(f"{word}: ", "forced", weight=0.2), Segment(said(word), "line", weight=2.0)] for word in found]
    return lines("letters", request, found, answered)


def swaps(world: World) -> Example:
    """Lines of swaps, and the state after each."""
    names = [first_name(world) for _ in range(3)]
    if len(set(names)) < 3:
        return swaps(world)
    state = dict(zip(names, world.several(words.COMMON, 3), strict=True))
    described = lambda: ", ".join(f"{name} {thing}" for name, thing in state.items())  # noqa: E731
    asked, answered = [described()], []
    for _ in range(world.random.randint(2, 6)):
        a, b = world.random.sample(names, 2)
        state[a], state[b] = state[b], state[a]
        asked.append(f"{a} and {b}")
        answered.append([Segment(f"{a} and {b}: ", "forced", weight=0.3), Segment(described(), "line", weight=1.5)])
    return lines("swaps", world.sentence(TRACK), asked, answered)


DRILLS: dict[str, Callable[[World], Example]] = {"values": values, "sums": sums, "letters": letters, "swaps": swaps}
