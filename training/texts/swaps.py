"""Problems with things that change hands."""

from __future__ import annotations

from dataclasses import dataclass

from texts import words
from texts.labels_chinese import zh_name
from texts.phrasing import articles, capital, cut, exact, sentences
from texts.problems import Problem, two_names
from texts.stories_chinese import ZH_GOODS, ZH_THINGS
from texts.world import World, first_name


@dataclass
class Swap:
    """A kind of thing that people hold: the things, how a text says who has which, and the swaps and questions."""

    things: list[str]
    openings: list[str]
    holds: list[str]
    swaps: list[str]
    questions: list[str]


HAND_SWAPS = sentences("""
{a} and {b} [swap|trade|switch|exchange] [what they have|their things].
[Then|Next|Now|After that|Later|A little later], {a} and {b} [swap|trade|switch].
{a} [swaps|trades|switches] with {b}.
[Then|Next|Now|After that|Later], {a} [swaps|trades|switches] with {b}.
{a} gives {b} what {a} has and gets what {b} has.
[Then|Next|Now|After that], {a} and {b} [exchange|swap] [what they hold|their things].
""")
HAND_QUESTIONS = sentences("""
What does {n} have [at the end|now|in the end|after that|afterwards]?
[At the end|In the end|Now|After all that], what [does {n} have|does {n} hold|is with {n}]?
Which one [does {n} have|is with {n}|does {n} hold] [at the end|now|in the end]?
What is {n} left with[| at the end]?
[Tell me|Find out|Say] what {n} has [at the end|now|in the end].
What ends up with {n}[| at the end| after all that]?
""")
PLACE_SWAPS = sentences("""
{a} and {b} [swap|trade|switch|change] places.
[Then|Next|Now|After that|Later], {a} and {b} [swap|trade|switch] places.
{a} [swaps|trades|switches] places with {b}.
[Then|Next|Now|After that], {a} [swaps|changes] places with {b}.
{a} takes the place of {b}, and {b} that of {a}.
""")
PLACE_QUESTIONS = sentences("""
Where is {n} [at the end|now|in the end|afterwards]?
[At the end|In the end|Now|After all that], where is {n}?
[Which|What] [place|position] does {n} have [at the end|now|in the end]?
[Tell me|Find out|Say] where {n} is [at the end|now|in the end].
At [which|what] place is {n} [at the end|now|in the end]?
Where does {n} end up[| after all that]?
""")
TOY_OPENINGS = sentences("""
[|At first, |In the beginning, |To begin with, |At the start, |Initially, |First, |Today |This morning, |Before the game, |This is how it starts: |Before they begin, |As the game starts, ]{h}.
{abc} [are playing a game|are friends|sit at a table|meet at school|play a game|are in the park|stand in a circle|come to a party|are on a trip|work together|live next door]. [|At first, |At the start, |To begin with, |In the beginning, ]{h}.
[There is a party|It is a game for three|It is a rainy day|The game begins|Three people meet]. [|At first, |At the start, |In the beginning, ]{h}.
""")


def colored(thing: str) -> list[str]:
    """One thing in every color."""
    return [f"{color} {thing}" for color in words.COLORS]


HOLD = ["{n} has {t}", "{n} holds {t}", "{n} gets {t}", "{n} carries {t}", "{n} takes {t}", "{n} is given {t}", "{n} starts with {t}", "{n} owns {t}", "{n} has {t} in hand", "{n} is holding {t}", "{n} picks {t}", "{n} chose {t}", "{n} keeps {t}", "{n} got {t}", "{n} had {t}", "{n} took {t}", "{n} is handed {t}"]
SHORT_THINGS = [entry for entry in words.PRODUCTS if "_" not in entry]
SWAP_KINDS = [
    Swap(colored("ball"), TOY_OPENINGS, HOLD, HAND_SWAPS, HAND_QUESTIONS),
    Swap(colored("book"), TOY_OPENINGS, HOLD, HAND_SWAPS, HAND_QUESTIONS),
    Swap(colored("hat"), TOY_OPENINGS, [*HOLD, "{n} wears {t}", "{n} puts on {t}"], HAND_SWAPS, HAND_QUESTIONS),
    Swap(colored("present"), TOY_OPENINGS, [*HOLD, "{n} brings {t}", "{n} receives {t}"], HAND_SWAPS, HAND_QUESTIONS),
    Swap(colored("card"), TOY_OPENINGS, HOLD, HAND_SWAPS, HAND_QUESTIONS),
    Swap(SHORT_THINGS, TOY_OPENINGS, HOLD, HAND_SWAPS, HAND_QUESTIONS),
    Swap(cut("apple / pear / cake / cookie / sandwich / orange / lemon / pie / carrot / potato / egg / plum / peach / melon / muffin / donut"), TOY_OPENINGS, HOLD, HAND_SWAPS, HAND_QUESTIONS),
    Swap(cut("goalkeeper / striker / captain / defender / referee / drummer / singer / dancer / guard / cook / driver / pilot / clown / judge / guide / clerk"), cut(
        "{h}. / In this play, {h}. / At first, {h}. / {abc} play together. {h}. / In the first scene, {h}. / To begin with, {h}. / {abc} share the jobs. {h}. / The roles: {h}."),
         ["{n} is {t}", "{n} plays {t}", "{n} starts as {t}", "{n} works as {t}", "{n} begins as {t}", "{n} acts as {t}", "{n} is made {t}", "{n} has the role of {t}", "{n} takes the role of {t}", "{n} has the part of {t}", "{n} is cast as {t}", "{n} serves as {t}", "{n} appears as {t}", "{n} is chosen as {t}"], sentences("""
        {a} and {b} [swap|trade|switch|exchange] [roles|jobs|parts].
        [Then|Next|Now|After that|Later], {a} and {b} [swap|trade|switch|exchange] [roles|jobs|parts].
        {a} [swaps|trades|switches] [roles|jobs|parts] with {b}.
        """), sentences("""
        What is the [role|job|part] of {n} [at the end|now|in the end]?
        [At the end|In the end|Now], what is {n}?
        [Which|What] [role|job|part] does {n} have [at the end|now|in the end]?
        [Tell me|Say] which [role|job|part] {n} has [at the end|now|in the end].
        """)),
]
POSITIONS = Swap(cut("left / middle / right"), cut("""
{h}. / {abc} stand in a row. {h}. / {abc} sit on a bench. {h}. / At first, {h}. / In the photo, {h}. / In the beginning, {h}. / {abc} sit in the back of a car. {h}. / On the stage, {h}. / Seen from here, {h}.
"""), cut("{n} is {t} / {n} stands {t} / {n} sits {t} / {n} takes the place {t} / {n} waits {t} / {n} starts {t} / {n} has the place {t} / {n} is placed {t}"), PLACE_SWAPS, PLACE_QUESTIONS)
SIDES = {"left": "on the left", "middle": "in the middle", "right": "on the right"}
ZH_SWAPS = sentences("""
[然后|接着|后来|现在|之后|随后]，{a}[和|跟|与]{b}[交换|互换|对换]了[|一下|手里的东西]。
{a}[和|跟|与]{b}[交换|互换|对换]。
[然后|接着|后来]{a}把自己的给了{b}，{b}也把自己的给了{a}。
""")
ZH_SWAP_QUESTIONS = sentences("""
[最后|现在|结束时|到最后]，{n}[有|拿着]什么？
{n}[最后|现在|手里][有|拿着|得到]什么？
[请问|问]：{n}[最后|现在][有|拿着]什么？
[说出|告诉我]{n}[最后|现在]有什么。
""")
ZH_COLORS = cut("红 / 蓝 / 绿 / 黄 / 黑 / 白 / 紫 / 橙 / 灰 / 粉 / 金 / 银")
ZH_OPENINGS = sentences("""
[|开始时，|开始时|起初，|起初|一开始，|一开始|最初，|最初|首先，|首先|今天，|今天|早上|上午，|课间，|游戏之前，|比赛之前，]{h}。
{abc}[在玩游戏|是朋友|在公园里|坐在一起|在教室里|在学校见面|参加聚会|围成一圈|一起玩|是同学]。[|开始时，|起初|一开始|一开始，|最初，]{h}。
[三个人在一起|游戏开始了|大家准备好了|这是一个游戏|聚会开始了]，[|起初|最初|一开始]{h}。
""")
ZH_HOLD = cut("{n}有{t} / {n}拿着{t} / {n}得到{t} / {n}手里是{t} / {n}带着{t} / {n}拿到{t} / {n}的是{t} / {n}分到{t} / {n}手上有{t} / {n}抱着{t} / {n}选了{t} / {n}领到{t} / {n}手中的是{t} / {n}分得{t} / {n}拥有{t} / {n}挑了{t} / {n}捧着{t}")
ZH_SWAP_KINDS = [
    Swap([color + "球" for color in ZH_COLORS], ZH_OPENINGS, ZH_HOLD, ZH_SWAPS, ZH_SWAP_QUESTIONS), Swap([color + "帽子" for color in ZH_COLORS], ZH_OPENINGS, ZH_HOLD, ZH_SWAPS, ZH_SWAP_QUESTIONS),
    Swap([color + "书" for color in ZH_COLORS], ZH_OPENINGS, ZH_HOLD, ZH_SWAPS, ZH_SWAP_QUESTIONS), Swap([color + "卡片" for color in ZH_COLORS], ZH_OPENINGS, ZH_HOLD, ZH_SWAPS, ZH_SWAP_QUESTIONS),
    Swap(ZH_THINGS, ZH_OPENINGS, ZH_HOLD, ZH_SWAPS, ZH_SWAP_QUESTIONS), Swap(ZH_GOODS, ZH_OPENINGS, ZH_HOLD, ZH_SWAPS, ZH_SWAP_QUESTIONS),
]


def state_text(state: dict[str, str]) -> str:
    """Who has what, as a step writes it."""
    return ", ".join(f"{name} {thing}" for name, thing in state.items())


def joined(items: list[str], chinese: bool, world: World) -> str:
    """Items in a row: with `and` before the last."""
    if chinese:
        return "、".join(items[:-1]) + world.random.choice(["和", "和", "跟"]) + items[-1]
    return ", ".join(items[:-1]) + world.random.choice([" and ", ", and "]) + items[-1]


def holding(world: World, kind: Swap, state: dict[str, str], chinese: bool) -> str:
    """The clauses that say who has what."""
    hold = exact(world, kind.holds)
    article = "the " if world.chance(0.5) else "a "
    clauses = []
    for name, thing in state.items():
        told = thing if chinese else SIDES[thing] if kind is POSITIONS else f"{article}{thing}"
        clauses.append(articles(hold.format(n=name, t=told)))
    if chinese:
        return "，".join(clauses)
    return joined(clauses, False, world) if world.chance(0.7) else "; ".join(clauses)


def shuffled_objects(world: World, language: str) -> Problem:
    """Three people hold things and swap them; who has what at the end?"""
    chinese = language == "zh"
    names = two_names(world, zh_name if chinese else first_name, 3)
    kind = world.random.choice(ZH_SWAP_KINDS if chinese else [*SWAP_KINDS, POSITIONS])
    things = world.random.sample(kind.things, 3)
    state = dict(zip(names, things))
    opening = exact(world, kind.openings).format(h=holding(world, kind, state, chinese), abc=joined(names, chinese, world))
    parts, steps = [capital(opening) if not chinese else opening], [state_text(state)]
    for _ in range(world.random.choice([1, 2, 2, 3, 3])):
        first, second = world.random.sample(names, 2)
        state[first], state[second] = state[second], state[first]
        parts.append(exact(world, kind.swaps).format(a=first, b=second))
        steps.append(f"{first} and {second}: {state_text(state)}" if not chinese else f"{first}和{second}：{state_text(state)}")
    asked = world.random.choice(names)
    parts.append(world.sentence(kind.questions).format(n=asked))
    return Problem("shuffled_objects", ("" if chinese else " ").join(parts), steps, state[asked], language)
