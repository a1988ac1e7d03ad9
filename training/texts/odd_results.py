"""Exercises for loops of tools: results that nobody expects, so that an answer can only copy them.

Fields under made-up names, words that occur twice, sentences of words in any order, and fields of the call among those of the
result. Nothing of this is measured: the loops of `texts/loops.py` are.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

from texts import words
from texts.chinese_values import random_characters
from texts.examples import Example, Number, Segment, plain, text_of
from texts.loops import Result, answer_of_fields, facts_as_read, number, one_call, value
from texts.world import World

JOINERS = {
    "en": [" ", " ", " ", " ", " is ", " at ", " of ", ", ", ": ", " - ", " today ", " now ", " and "],
    "zh": ["", "", "", "", "的", "是", "在", "，", "：", "今天", "现在", "和", "到"],
}
STOPS = {"en": [".", ".", "!", ""], "zh": ["。", "。", "！", ""]}


def odd_word(world: World, language: str) -> str:
    """A word of a list, or a made-up one."""
    if language == "zh":
        return random_characters(world, 1, 3) if world.chance(0.4) else world.pick(words.CHINESE_COMMON)
    return world.invented() if world.chance(0.4) else world.pick(words.COMMON)


def repeated_words(world: World, language: str) -> str:
    """Words some of which occur again: what comes next cannot be told from the last word alone."""
    few = [odd_word(world, language) for _ in range(world.random.randint(1, 3))]
    text = ("" if language == "zh" else " ").join(world.random.choice(few) for _ in range(world.random.randint(2, 5)))
    return text.capitalize() if world.chance(0.3) else text


def odd_value(world: World, language: str) -> str:
    """A text that a tool might give, or words with repetitions."""
    return repeated_words(world, language) if world.chance(0.5) else value(world, language)


def odd_sentence(world: World, arguments: dict[str, object], language: str) -> str:
    """Values, numbers and arguments of the call in any order."""
    known = [text_of(each) for each in arguments.values() if not isinstance(each, bool)] or [odd_value(world, language)]
    makers = [lambda: world.random.choice(known), lambda: odd_value(world, language), lambda: odd_word(world, language), lambda: number(world).text]
    pieces = [world.random.choice(makers)() for _ in range(world.random.randint(2, 5))]
    text = pieces[0]
    for piece in pieces[1:]:
        text += world.random.choice(JOINERS[language]) + piece
    return text.strip() + world.random.choice(STOPS[language])


def odd_fields(world: World, language: str) -> dict[str, object]:
    """Fields whose names tell nothing of their values."""
    names = [odd_word(world, language) + (odd_word(world, language) if world.chance(0.3) else "") for _ in range(world.random.randint(1, 4))]
    return {name: number(world) if world.chance(0.35) else odd_value(world, language) for name in names}


def odd_result(world: World, arguments: dict[str, object], language: str) -> Result:
    """A sentence, which is the answer as it is, or an object."""
    if world.chance(0.4):
        text = odd_sentence(world, arguments, language)
        return Result(text, [Segment(text, "line", weight=2.0)], {})
    facts = odd_fields(world, language)
    return Result(json.dumps(plain(facts), ensure_ascii=False), answer_of_fields(facts_as_read(facts), language), facts)


def odd_loop(world: World, language: str) -> Example:
    """A loop of one call whose result is odd."""
    return one_call(world, language, odd_result, "odd_results")


ODD_RESULTS: dict[str, Callable[[World], Example]] = {f"odd_results_{language}": partial(odd_loop, language=language) for language in ("en", "zh")}
