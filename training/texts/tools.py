"""Tools with their arguments, and requests for them, drawn from the tables of both languages."""

from __future__ import annotations

import re

from texts.examples import Choice, Number
from texts.phrasing import exact
from texts.tool_tables import Argument, Tool
from texts.tools_chinese import CHINESE
from texts.tools_english import ENGLISH
from texts.world import World

NUMBER_WORDS = "zero one two three four five six seven eight nine ten".split()

TOOLS = {"en": ENGLISH, "zh": CHINESE}


# --- drawing --------------------------------------------------------------------------------------

IMPERATIVES = set("""Set Create Make Show Tell Give Find Search Send Write Add Put Book Reserve Order Call Play Start Turn Switch Convert Change Translate Look Read Open Delete Remove Rename Save Run
Execute Calculate Compute Define Explain Transfer Pay Track Check Cancel Stop Assign Get Buy Register Update Log Take Draw Pick Summarize Rent Hire Schedule Plan Heat Navigate Exchange Wake Text Mail Email
Phone Return Note Arrange Hand Delegate Print List Purchase Shorten Count Time Erase Store Wire Follow Launch Query""".split())
POLITE = ["Please {r}", "Please {r}", "Could you {r}?", "Can you {r}?", "Can you please {r}?", "I want you to {r}.", "I'd like you to {r}.", "Would you {r}?", "Hey, {r}", "Be so kind and {r}", "You should {r}.", "Would you please {r}?", "Now {r}", "Kindly {r}", "Go ahead and {r}", "Quick, {r}"]
ZH_VERBS = "查找订放播打发写记设定转算把给用叫买约开关删翻搜计打来汇拨跟呼创新安"
ZH_POLITE = [("请", ""), ("麻烦", ""), ("麻烦你", ""), ("我想让你", ""), ("你能", "吗？"), ("可以", "吗？"), ("能不能", "？"), ("我希望你", ""), ("快", ""), ("劳驾，", ""), ("拜托，", ""), ("请你", ""), ("你可以", "吗？"), ("能", "吗？"), ("现在", ""), ("我要你", "")]
BEFORE = ["Hi. ", "Hello! ", "Hey there. ", "One more thing. ", "Good morning. ", "Okay. ", "I am in a hurry. ", "Hello, assistant. ", "So. ", "Listen. ", "I need your help. ", "Good evening. ", "Are you there? ", "Just a short request. ", "Hi, it is me again. ", "Excuse me. "]
AFTER = [" Thanks!", " Thank you.", " Thanks a lot.", " That's all.", " Can you do that?", " It is important.", " No hurry.", " Thank you very much!", " I'll wait.", " Thank you so much.", " That would be great.", " As soon as possible.", " Many thanks!", " You are a great help.", " I rely on you.", " That is it for now."]
ZH_BEFORE = ["你好，", "您好，", "嗨，", "对了，", "麻烦一下，", "早上好，", "助手，", "那个，", "下午好，", "你在吗？", "有件事。", "帮个忙，", "我有个请求。", "晚上好，", "听我说，", "喂，"]
ZH_AFTER = ["谢谢！", "多谢。", "麻烦你了。", "辛苦了。", "就这些。", "拜托了。", "非常感谢！", "不急。", "尽快吧。", "好吗？", "谢谢你！", "太感谢了。", "这很重要。", "我等着。", "可以吗？", "就这样。"]


def said_value(world: World, argument: Argument, value: object, language: str) -> str:
    """The value as a request says it."""
    if argument.said is not None:
        return world.random.choice(argument.said[value.value if isinstance(value, Choice) else value])
    if isinstance(value, Choice):
        return value.value
    if isinstance(value, Number):
        small = argument.kind == "integer" and value.text.isdigit() and 2 <= int(value.text) <= 10
        return NUMBER_WORDS[int(value.text)] if language == "en" and small and world.chance(0.2) else value.text
    return str(value)


def polite(world: World, template: str) -> str:
    """An order put as a wish or a question, as long as nothing but a full stop ends it."""
    first, _, rest = template.partition(" ")
    plain = template.rstrip(".")
    if first not in IMPERATIVES or ":" in template or "?" in template or ". " in template or "please" in template.lower() or not world.chance(0.35):
        return template
    frame = world.from_side(POLITE, world.held_sentences)
    asked = frame.format(r="{r}").replace("{r}", first.lower() + plain[len(first):])
    return asked if asked[-1] in ".?" else asked + world.random.choice([".", "", "!"])


def zh_polite(world: World, template: str) -> str:
    """A Chinese order with a polite beginning."""
    if template[0] not in ZH_VERBS or template.startswith(("给我", "新任务", "来点", "计时")) or "？" in template or not world.chance(0.4):
        return template
    beginning, end = world.from_side(ZH_POLITE, world.held_sentences)
    return beginning + (template.rstrip("。") + end if end else template)


def different_values(world: World, chosen: Tool) -> dict[str, object]:
    """A value for every argument; no two strings of a call are equal."""
    values: dict[str, object] = {}
    for key, argument in chosen.arguments.items():
        value = argument.make(world)
        while value in values.values() and not isinstance(value, bool):
            value = argument.make(world)
        values[key] = value
    return values


def request_for(world: World, chosen: Tool, language: str) -> tuple[str, dict[str, object]]:
    """A request that calls the tool, and the values it names."""
    values = different_values(world, chosen)
    template = exact(world, chosen.requests)
    template = polite(world, template) if language == "en" else zh_polite(world, template)
    words_of = {key: said_value(world, chosen.arguments[key], value, language) for key, value in values.items()}
    for key, said in words_of.items():  # `a {kind} car` becomes `an electric car`
        if said[:1] in "aeioAEIOU":
            template = re.sub(rf"\b([Aa]) {{{key}}}", rf"\1n {{{key}}}", template)
    return template.format(**words_of), values


def offered_tools(world: World, language: str, called: list[Tool], most: int) -> list[Tool]:
    """The called tools among others, shuffled."""
    others = [entry for entry in TOOLS[language] if entry not in called]
    extra = world.random.sample(others, world.random.randint(0, max(0, most - len(called))))
    return world.random.sample([*called, *extra], len(called) + len(extra))


Call = tuple[str, Tool, dict[str, object]]
"""A request, the right tool, and the values of its arguments."""


def draw_call(world: World, chosen: Tool, language: str) -> Call:
    """A request for a tool."""
    asked, values = request_for(world, chosen, language)
    if world.chance(0.12):
        asked = world.pick(BEFORE if language == "en" else ZH_BEFORE) + asked
    if world.chance(0.1) and asked[-1] in ".!?。！？":
        asked += world.pick(AFTER if language == "en" else ZH_AFTER)
    return asked, chosen, values


def draw_calls(world: World, language: str, count: int) -> tuple[list[Call], list[Tool]]:
    """Requests one after the other, and one to eight tools on offer for all of them."""
    chosen = world.random.choice(TOOLS[language])
    offered = offered_tools(world, language, [chosen], 8)
    return [draw_call(world, each, language) for each in [*(world.random.choice(offered) for _ in range(count - 1)), chosen]], offered


PLANS = {
    "en": [
        ["First: {0}", "Then: {1}", "Finally: {2}"], ["First of all: {0}", "After that: {1}", "And then: {2}"], ["1. {0}", "2. {1}", "3. {2}"], ["{0}", "Then: {1}", "Last of all: {2}"],
        ["Step one: {0}", "Step two: {1}", "Step three: {2}"], ["{0}", "After that: {1}", "In the end: {2}"], ["To begin with: {0}", "Next: {1}", "Lastly: {2}"], ["{0}", "And afterwards: {1}", "Then this: {2}"],
        ["- {0}", "- {1}", "- {2}"], ["a) {0}", "b) {1}", "c) {2}"], ["I have several wishes. {0}", "When that is done: {1}", "At last: {2}"], ["Begin with this: {0}", "Go on with this: {1}", "End with this: {2}"],
        ["{0}", "{1}", "{2}"], ["Do these in order. {0}", "{1}", "{2}"], ["Start: {0}", "Second: {1}", "Third: {2}"], ["{0}", "Afterwards: {1}", "And one last thing: {2}"],
    ],
    "zh": [
        ["先：{0}", "然后：{1}", "最后：{2}"], ["第一，{0}", "第二，{1}", "第三，{2}"], ["1. {0}", "2. {1}", "3. {2}"], ["首先，{0}", "接着，{1}", "最后，{2}"], ["{0}", "然后{1}", "再然后{2}"],
        ["第一步：{0}", "第二步：{1}", "第三步：{2}"], ["{0}", "之后：{1}", "还有：{2}"], ["请按顺序做。{0}", "{1}", "{2}"], ["开始：{0}", "接下来：{1}", "结束前：{2}"],
    ],
}
REVERSED = {
    "en": ["{1} But before that: {0}", "{1} But first: {0}", "Before you do the second: {0} The second: {1}", "{1} Do this one first, though: {0}", "{1} Prior to that: {0}", "{1} However, begin with this: {0}", "Last: {1} First: {0}", "Second: {1} First: {0}"],
    "zh": ["{1}但在那之前：{0}", "{1}不过先做这个：{0}", "后做：{1}先做：{0}", "{1}在这之前，{0}"],
}


def ended(text: str, language: str) -> str:
    """The request with an end mark, so that another may follow."""
    if text[-1] in ".!?。！？" or language == "en" and text.endswith('."'):
        return text
    return text + ("." if language == "en" else "。")


def draw_plan(world: World, language: str) -> tuple[str, list[tuple[Tool, dict[str, object]]], list[Tool]]:
    """A request that needs two or three tools in order, the calls, and the tools on offer."""
    chosen = world.random.sample(TOOLS[language], world.random.choice([2, 2, 2, 3]))
    made = [request_for(world, entry, language) for entry in chosen]
    asked = [ended(text, language) for text, _ in made]
    if len(asked) == 2 and world.chance(0.15):
        whole_text = exact(world, REVERSED[language]).format(*asked)
    else:
        frames = exact(world, PLANS[language])
        apart = world.random.choice(["\n", "\n"]) if frames[0][0] in "1-a" else world.random.choice([" ", " ", "\n"] if language == "en" else ["", "", "\n"])
        whole_text = apart.join(frame.format(part, part, part) for frame, part in zip(frames, asked))
    return whole_text, [(entry, values) for entry, (_, values) in zip(chosen, made)], offered_tools(world, language, chosen, 8)
