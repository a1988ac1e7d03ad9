"""Problems with the first or last letters of words."""

from __future__ import annotations

from texts import words
from texts.phrasing import exact, sentences
from texts.problems import Problem
from texts.world import World

LAST_REQUESTS = sentences("""
[Take|Get|Write down|Find] the last letter of [each word in|every word in|each of the words] [{q}|{w}] and [join them|put them together|concatenate them].
[Concatenate|Join|Combine|Put together] the last [letters of the words|letter of each word|letter of every word][:| in:| of:] [{w}|{q}].
[What do you get|What word comes out] if you [join|combine|put together] the last letters of {q}?
Last letters of {q}[?|, please.| joined:]
What do the last letters of {q} [spell|form|make]?
Tell me what the last letters of {q} [spell|form].
[Join|Concatenate] the [final|last] [letters|letter of each word] of {w}.
[Words|Names]: {w}. [Take|Join] the last letter of each[ one|].
[I need|Give me] the last letters of {w} [as one word|in a row|together].
""")
FIRST_REQUESTS = sorted(entry.replace("last", "first").replace("Last", "First").replace("final", "initial") for entry in LAST_REQUESTS)
ZH_LAST_REQUESTS = sentences("""
[取|写出|找出]“{w}”中每个[词|单词]的最后一个字母[，连在一起|，拼起来|，合成一个词]。
把{w}每个[词|名字|单词]的[最后一个字母|尾字母][连起来|拼在一起|接起来]。
“{w}”[各个词|每个单词]的最后一个字母[连起来是什么|拼成什么]？
[连接|拼接|合并]{w}的[最后一个字母|尾字母]。
[单词|名字]：{w}。[取|连接]每个的最后一个字母。
{w}的尾字母[依次|按顺序]是什么？[连在一起写|拼起来]。
""")
ZH_FIRST_REQUESTS = sorted(entry.replace("最后一个字母", "第一个字母").replace("尾字母", "首字母") for entry in ZH_LAST_REQUESTS)


def letter_words(world: World) -> list[str]:
    """Two to four words: names, common words or invented ones."""
    pools = world.random.choice([[words.FIRST_NAMES], [words.COMMON], [words.FIRST_NAMES, words.LAST_NAMES], [words.COMMON, words.FIRST_NAMES], [words.LAST_NAMES], []])
    chosen: list[str] = []
    count = world.random.choice([2, 2, 3, 3, 4])
    while len(chosen) < count:
        word = world.invented(1, 2) if not pools or world.chance(0.15) else world.pick(world.pick(pools))
        word = word.capitalize() if pools and pools[0] is not words.COMMON else word
        if word.isalpha() and word not in chosen:
            chosen.append(word)
    return chosen


def letters(world: World, language: str, kind: str, index: int, tables: tuple[list[str], list[str]]) -> Problem:
    """Letters of some words, joined."""
    chosen = letter_words(world)
    requests = tables[1] if language == "zh" else tables[0]
    joint = world.random.choice([" ", " ", ", "])
    row = joint.join(chosen)
    if language == "zh" and joint == ", ":
        row = "、".join(chosen)
    question = exact(world, requests).format(w=row, q=f'"{row}"')
    found = [word[index].lower() for word in chosen]
    return Problem(kind, question, [f"{word}: {letter}" for word, letter in zip(chosen, found)], "".join(found), language)


def last_letters(world: World, language: str) -> Problem:
    """The last letters of some words, joined."""
    return letters(world, language, "last_letters", -1, (LAST_REQUESTS, ZH_LAST_REQUESTS))


def first_letters(world: World, language: str) -> Problem:
    """The first letters of some words, joined."""
    return letters(world, language, "first_letters", 0, (FIRST_REQUESTS, ZH_FIRST_REQUESTS))
