"""Exercises: many small questions in one example, for what the tasks take for granted.

Sums of two numbers, last letters, spelling, swaps, and values under keys; and `echo`, pieces of a random text again.
A question here costs a few tokens, so the network sees a hundred times as many of them as in whole tasks.
"""

from __future__ import annotations

from collections.abc import Callable

from texts import words
from texts.examples import Example, Segment, Turn, given
from texts.world import World, alternatives, first_name

COMPUTE = alternatives("[Compute|Calculate|Work out|Solve][:| these:]", "[What is|How much is]:", "计算：", "[Sums|Results]:", "算一算：")
LAST = alternatives("[Last letters|The last letter of each word|What is the last letter]:", "[Write|Give] the last [letter of each|letters]:", "[最后一个字母|每个词的最后一个字母]：")
FIRST = alternatives("[First letters|The first letter of each word]:", "[Write|Give] the first [letter of each|letters]:", "[第一个字母|每个词的第一个字母]：")
SPELL = alternatives("[Spell|Spell the words|Letters of]:", "[拼写|逐个写出字母]：")
TRACK = alternatives("[Track|Follow] the swaps[:|.]", "[交换后是什么|写出每次交换后的状态]：")


def numbers(world: World) -> tuple[int, str, int, int]:
    """Two numbers, what is done with them, and the result."""
    operator = world.random.choice("+++---**/")
    if operator in "*/":
        a, b = world.random.randint(2, 30), world.random.randint(2, 12)
        return (a, "*", b, a * b) if operator == "*" else (a * b, "/", b, a)
    high = world.random.choice([12, 60, 100, 100, 100, 400])
    a, b = world.random.randint(1, high), world.random.randint(1, min(high, 100))
    if operator == "-" and a < b:
        a, b = b, a
    return a, operator, b, a + b if operator == "+" else a - b


def lines(task: str, request: str, asked: list[str], answered: list[list[Segment]]) -> Example:
    """Questions in lines, and answers in lines."""
    answer: list[Segment] = []
    for index, line in enumerate(answered):
        answer += [*([Segment("\n", "forced")] if index else []), *line]
    return Example(task, [Turn([given("\n".join([request, *asked]))], answer)])


def sums(world: World) -> Example:
    """Lines of sums."""
    found = [numbers(world) for _ in range(world.random.randint(4, 16))]
    asked = [f"{a} {operator} {b}" for a, operator, b, _ in found]
    answered = [[Segment(f"{line} = ", "forced", weight=0.1), Segment(str(result), "number", weight=3.0)] for line, (*_, result) in zip(asked, found, strict=True)]
    return lines("sums", world.sentence(COMPUTE), asked, answered)


def any_word(world: World) -> str:
    """A word, known or invented."""
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


DRILLS: dict[str, Callable[[World], Example]] = {"sums": sums, "letters": letters, "swaps": swaps}
