"""Small problems with numbers and lists: counting, the largest, sorting, comparing."""

from __future__ import annotations

from collections.abc import Callable

from texts import words
from texts.examples import Number
from texts.labels_chinese import zh_name
from texts.letters import first_letters, last_letters
from texts.phrasing import cut, exact, sentences
from texts.problems import Problem, arithmetic, two_names
from texts.stories_chinese import ZH_GOODS, ZH_THINGS
from texts.swaps import SHORT_THINGS, shuffled_objects
from texts.world import World, first_name

COUNT_REQUESTS = sentences("""
How [many times|often] does [the word |]{q} [occur|appear|stand|come] in [this list|the list|this row]: {l}?
[Count|Tell me how often we see|Find how many times we read] {q} in [the list|this list|this row|the following]: {l}
[List|Row|Words]: {l}. How [often|many times] do you see {q}?
In {l}, how [often|many times] is {q} [there|named|written]?
""")
ITEM_REQUESTS = sentences("""
How many [words|things|entries|items] are in [this list|the list|this row]: {l}?
[Count the|Tell me the number of] [words|things|entries|items][:| in this list:| here:] {l}
[List|Row]: {l}. How many [entries|items|words] [are there|do you count|does it have]?
[How long is|What is the length of] [this list|the list]: {l}?
""")
LARGEST_REQUESTS = sentences("""
[Which|What] is the {k} [number|of these numbers|one]: {l}?
Which is the {k} [of|among] {l}?
[Find|Give me|Name|Tell me|Pick] the {k} [number|of these|one]: {l}
{l}: which [number |one |]is the {k}?
[Numbers|List|Values]: {l}. [Tell me|Find] the {k}.
[Among|Of] {l}, which is the {k}?
""")
SORT_REQUESTS = sentences("""
[Sort|Order|Arrange] [these numbers|the numbers|the list|this list] {k}: {l}
[Put|Bring] [these numbers|the numbers] [in order|into order] {k}: {l}
[Numbers|List|Values]: {l}. [Sort|Order] them {k}.
Please [sort|order|arrange] {l} {k}.
[Write|Give me] [these numbers|the numbers] {k}: {l}
Given {l}, [sort|order] them {k}.
""")
SORT_WAYS = {"up": cut("from small to large / in ascending order / from the smallest to the largest / ascending / upwards"), "down": cut("from large to small / in descending order / from the largest to the smallest / descending / downwards")}
LARGEST_WAYS = {"largest": cut("largest / biggest / greatest / highest"), "smallest": cut("smallest / lowest / least / littlest")}
OPPOSITES = {
    "older": ("younger", "oldest", "youngest"), "taller": ("shorter", "tallest", "shortest"), "faster": ("slower", "fastest", "slowest"), "stronger": ("weaker", "strongest", "weakest"),
    "richer": ("poorer", "richest", "poorest"), "heavier": ("lighter", "heaviest", "lightest"), "louder": ("quieter", "loudest", "quietest"), "happier": ("sadder", "happiest", "saddest"),
    "bigger": ("smaller", "biggest", "smallest"), "braver": ("more timid", "bravest", "most timid"), "earlier": ("later", "earliest", "latest"), "wilder": ("calmer", "wildest", "calmest"),
}
COMPARE_SENTENCES = sentences("""
{a} is [|clearly |much |a bit |even ]{r} than {b}.
[We know that|It is true that|Everybody says that] {a} is {r} than {b}.
Compared with {b}, {a} is {r}.
[{a}, not {b},|Of {a} and {b}, {a}] is the {r} one.
""")
COMPARE_QUESTIONS = sentences("""
Who is the {s}[| of all| of the three| of them]?
Which of them is the {s}?
[Tell me|Find out|Say] who is the {s}.
[Name|Give me the name of] the {s}[.| one.| person.]
[So who|Then who|And who] is the {s}?
""")
ZH_COUNT_REQUESTS = sentences("下面[的列表|这一行]里“{q}”出现了[几次|多少次]：{l}\n[数一数|请数出]“{q}”出现的次数：{l}\n[列表|单词]：{l}。“{q}”[出现几次|有多少个]？\n在{l}中，“{q}”[出现了几次|有几个]？")
ZH_ITEM_REQUESTS = sentences("[下面的列表|这一行]有[几个|多少个][词|东西]：{l}\n[数一数|请数出]有多少个：{l}\n[列表|名单]：{l}。[一共|总共]有几个？\n{l}，[一共|总共]是多少个？")
ZH_LARGEST_REQUESTS = sentences("[哪个数|下面哪个数|哪一个]{k}：{l}？\n[找出|说出|给出]{k}的数：{l}\n{l}中[哪个|哪个数]{k}？\n[数字|列表]：{l}。{k}的是[哪个|多少]？")
ZH_SORT_REQUESTS = sentences("[把|请把][这些数|下面的数]{k}[排列|排序|排好]：{l}\n[数字|列表]：{l}。[请|]{k}[排列|排序]。\n{k}[排列|排序|写出]：{l}\n[请|]将{l}{k}[排列|排序]。")
ZH_WAYS = {"largest": cut("最大"), "smallest": cut("最小"), "up": cut("从小到大 / 按升序"), "down": cut("从大到小 / 按降序")}
ZH_OPPOSITES = {"大": "小", "高": "矮", "快": "慢", "强": "弱", "重": "轻", "富": "穷"}


def some_numbers(world: World, count: int) -> list[int]:
    """Different whole numbers, often close together."""
    low = world.random.choice([0, 0, 10, 50, 100])
    return world.random.sample(range(low, low + world.random.choice([30, 99, 99, 400])), count)


def row_of(world: World, entries: list[str], chinese: bool) -> str:
    """Entries in a row."""
    if any(" " in entry for entry in entries):
        return ", ".join(entries)
    return (world.random.choice(["、", "，", ", "]) if chinese else world.random.choice([", ", ", ", " "])).join(entries)


def counting(world: World, language: str) -> Problem:
    """How many entries a list has, or how often a word stands in it; the steps count them."""
    chinese = language == "zh"
    pool = world.random.choice([ZH_THINGS, ZH_GOODS]) if chinese else world.random.choice([words.COMMON, words.FIRST_NAMES, SHORT_THINGS])
    entries = [world.random.choice(pool) if chinese else world.invented() if world.chance(0.1) else world.pick(pool) for _ in range(world.random.randint(2, 6))]
    if world.chance(0.5):
        question = world.sentence(ZH_ITEM_REQUESTS if chinese else ITEM_REQUESTS).format(l=row_of(world, entries, chinese))
        return Problem("counting", question, [f"{entry}: {number}" for number, entry in enumerate(entries, 1)], Number(str(len(entries))), language)
    wanted = entries[0]
    entries += [wanted] * world.random.randint(0, 3)
    world.random.shuffle(entries)
    quoted = wanted if chinese else world.random.choice([f'"{wanted}"', wanted])
    question = exact(world, ZH_COUNT_REQUESTS if chinese else COUNT_REQUESTS).format(l=row_of(world, entries, chinese), q=quoted)
    found = [entry for entry in entries if entry == wanted]
    return Problem("counting", question, [f"{entry}: {number}" for number, entry in enumerate(found, 1)], Number(str(len(found))), language)


def largest(world: World, language: str) -> Problem:
    """The largest or the smallest of some numbers; the steps keep the best so far."""
    chinese = language == "zh"
    numbers = some_numbers(world, world.random.randint(2, 5))
    way = world.random.choice(["largest", "smallest"])
    better = max if way == "largest" else min
    steps, best = [], numbers[0]
    for number in numbers[1:]:
        new = better(best, number)
        steps.append(f"{best}, {number}: {new}")
        best = new
    word = world.random.choice((ZH_WAYS if chinese else LARGEST_WAYS)[way])
    question = exact(world, ZH_LARGEST_REQUESTS if chinese else LARGEST_REQUESTS).format(k=word, l=row_of(world, [str(number) for number in numbers], chinese))
    return Problem("largest", question, steps, Number(str(best)), language)


def sorting(world: World, language: str) -> Problem:
    """Three to five numbers in order; every step takes the next one."""
    chinese = language == "zh"
    numbers = some_numbers(world, world.random.randint(3, 5))
    way = world.random.choice(["up", "down"])
    order = sorted(numbers, reverse=way == "down")
    word = world.random.choice((ZH_WAYS if chinese else SORT_WAYS)[way])
    question = exact(world, ZH_SORT_REQUESTS if chinese else SORT_REQUESTS).format(k=word, l=row_of(world, [str(number) for number in numbers], chinese))
    left, steps = list(numbers), []
    for number in order[:-1]:
        steps.append(f"{', '.join(map(str, left))}: {number}")
        left.remove(number)
    return Problem("sorting", question, steps, ", ".join(map(str, order)), language)


def comparison(world: World, language: str) -> Problem:
    """Three people compared two by two; who is first or last? The steps write the order."""
    chinese = language == "zh"
    names = two_names(world, zh_name if chinese else first_name, 3)  # from the most to the least
    pairs = [(names[0], names[1]), (names[1], names[2])]
    if world.chance(0.5):
        pairs.reverse()
    if chinese:
        more = world.random.choice(list(ZH_OPPOSITES))
        less = ZH_OPPOSITES[more]
        told = [f"{high}比{low}{more}。" if world.chance(0.6) else f"{low}比{high}{less}。" for high, low in pairs]
        top = world.chance(0.5)
        question = "".join(told) + world.random.choice(["谁最{s}？", "请问谁最{s}？", "三个人中谁最{s}？", "最{s}的是谁？"]).format(s=more if top else less)
        return Problem("comparison", question, [f"{high} > {low}" for high, low in [(names[0], names[1]), (names[1], names[2])]], names[0] if top else names[2], language)
    more = world.random.choice(list(OPPOSITES))
    less, most, least = OPPOSITES[more]
    told = []
    for high, low in pairs:
        template = exact(world, COMPARE_SENTENCES)
        told.append(template.format(a=high, b=low, r=more) if world.chance(0.6) else template.format(a=low, b=high, r=less))
    top = world.chance(0.5)
    told.append(world.sentence(COMPARE_QUESTIONS).format(s=most if top else least))
    return Problem("comparison", " ".join(told), [f"{names[0]} > {names[1]}", f"{names[1]} > {names[2]}"], names[0] if top else names[2], language)


MAKERS: dict[str, Callable[[World, str], Problem]] = {
    "arithmetic": arithmetic, "last_letters": last_letters, "first_letters": first_letters, "shuffled_objects": shuffled_objects, "counting": counting, "largest": largest, "sorting": sorting, "comparison": comparison,
}
