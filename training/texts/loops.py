"""Loops of tools: a request, the calls, their results, and an answer that holds the results.

::

    <|system|>Tools: ...<|user|>How is it in Oslo?<|assistant|><tool_call>...</tool_call><|end|>
    <|user|>Result: {"degrees": 21}<|assistant|>degrees: 21.<|end|>

A conversation is written as `fw.tools` and the server write it for this model: tools in the system message, each as a line of
JSON, calls in the style of Hermes, and each result as a message of the user. With `tool_choice="none"` the system message lists no tools.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from texts import chinese_values as zh
from texts import words
from texts.calls import call_segments, described
from texts.examples import Choice, Example, Number, Segment, Turn, given, json_segments, plain, random_style, text_of
from texts.phrasing import exact
from texts.prompts import arrange, field_request
from texts.questions import answered
from texts.tool_tables import Tool
from texts.tools import PLANS, TOOLS, Call, draw_call, ended, request_for
from texts.world import World, alternatives, city, clock, code, company, date, full_name, phone, phrase, price

# --- results --------------------------------------------------------------------------------------

# {a} is an argument of the call, {v} and {w} are values, {n} is a number.
SENTENCES = {
    "en": alternatives(
        "It is {v}[ now| today|] in {a}, {n} degrees.", "{a}: {v}[, {n} left| and {w}|].", "The [result|answer|value] for {a} is {v}.", "[Done|Saved|Ready|Sent]: {a}[, number {v}| at {v}|].",
        "{a} [has|costs|needs|takes] {n} {v}.", "[Found|There are] {n} [results|entries] for {a}: {v} and {w}.", "{v} [is at|goes to|comes from|belongs to] {a}[ until {w}| since {w}|].",
        "[Your|The] [order|booking|request] {v} is [confirmed|ready|on its way].", "{n} {v}", "{v}, {w}", "The {v} [of|in] {a} [rings|starts|ends|arrives] in {n} minutes.",
    ),
    "zh": alternatives(
        "{a}[今天|现在|]{v}，{n}度。", "{a}：{v}[，还剩{n}个|，{w}|]。", "{a}的[结果|答案|数值]是{v}。", "[已完成|已保存|好了|已发送]：{a}[，编号{v}|，时间{v}|]。", "{a}[需要|要花|有]{n}{v}。",
        "[找到|共有]{n}条[结果|记录]：{v}和{w}。", "{v}[在|属于|来自|到]{a}[，直到{w}|]。", "[您的|这个][订单|预订|请求]{v}[已确认|准备好了|在路上]。", "{n}{v}", "{v}，{w}", "{a}的{v}[还有|再过]{n}分钟[开始|结束|到达]。",
    ),
}
FAILURES = {
    "en": alternatives("[no|cannot find] {v}[ in {a}| for {a}|]", "{a} [is unknown|was not found|does not exist|is not available]", "[no|lost] connection[ to {v}| after {n} seconds|]", "[timed out|no answer] after {n} seconds", "{v} [is not allowed|is missing|failed|is closed until {w}]", "code {n}"),
    "zh": alternatives("[没有|找不到]{v}", "{a}[不存在|未知|没有找到|不可用]", "[无法连接|连接中断][，已等{n}秒|]", "[超时|无应答]，已等{n}秒", "{v}[不允许|缺失|失败|已关闭]", "错误码{n}"),
}
VALUES: dict[str, list[Callable[[World], str]]] = {
    "en": [phrase, phrase, phrase, code, clock, date, price, city, full_name, company, phone],
    "zh": [zh.chinese_phrase, zh.chinese_phrase, zh.chinese_phrase, zh.chinese_code, zh.chinese_clock, zh.chinese_date, price, zh.chinese_city, zh.chinese_name, zh.chinese_company, zh.chinese_phone],
}
TEXT_KEYS = {
    "en": "status id name city place title time date answer result state sky text sender phone owner message day code note kind unit address email wind "
    "room route shop customer order author language country currency color file subject sender_name due created updated reason summary comment category platform gate seat driver".split(),
    "zh": "状态 编号 名称 城市 地点 标题 时间 日期 结果 天气 内容 电话 status id name city result 负责人 类型 风向 "
    "地址 国家 语言 颜色 单位 备注 原因 作者 客户 商店 房间 路线 文件 主题 收件人 发件人 邮箱 说明 评论 类别 平台 座位 司机 航班 出发地 目的地 截止日期 创建时间 更新时间 语种 部门 职位".split(),
}
NUMBER_KEYS = {
    "en": "degrees temperature price total count minutes amount value number humidity distance size rate balance duration quantity "
    "height width weight speed age year month hours seconds kilometers euros tax discount stock score rank level page limit remaining pressure volume".split(),
    "zh": "温度 价格 总数 分钟 金额 数量 湿度 距离 degrees price count total "
    "价格合计 高度 宽度 重量 速度 年龄 小时 秒数 公里 税额 折扣 库存 得分 排名 等级 页数 余额 时长 人数 次数 面积 比例 气压 风速 利率 楼层 距今天数 单价 剩余".split(),
}


@dataclass
class Result:
    """What a tool gave back.

    Attributes:
        text: As the conversation has it.
        answer: What is said of it.
        facts: Its fields; empty if it has none.
    """

    text: str
    answer: list[Segment]
    facts: dict[str, object]


def number(world: World) -> Number:
    """A number that may have decimals."""
    return Number(price(world) if world.chance(0.3) else str(world.integer(0, 500)))


def value(world: World, language: str) -> str:
    """A value that some tool might give."""
    return world.random.choice(VALUES[language])(world).rstrip(".")


def sentence(world: World, templates: list[str], arguments: dict[str, object], language: str) -> str:
    """A sentence about a call."""
    known = [text_of(each) for each in arguments.values() if not isinstance(each, bool)]
    about = world.random.choice(known) if known else value(world, language)
    return exact(world, templates).format(a=about, v=value(world, language), w=value(world, language), n=number(world).text)


def fields(world: World, language: str) -> dict[str, object]:
    """The fields of a result."""
    found: dict[str, object] = {}
    for _ in range(world.random.choice([1, 1, 2, 2, 3, 4])):
        is_number = world.chance(0.45)
        keys = (NUMBER_KEYS if is_number else TEXT_KEYS)[language]
        # A fifth are everyday words: keys are to be copied, and not known by heart.
        key = world.pick((words.CHINESE_COMMON if language == "zh" else words.COMMON) if world.chance(0.2) else keys)
        found[key] = number(world) if is_number else value(world, language)
    return found


def answer_of_fields(facts: dict[str, object], language: str) -> list[Segment]:
    """The fields in words."""
    colon, comma, stop = ("：", "，", "。") if language == "zh" else (": ", ", ", ".")
    segments: list[Segment] = []
    for position, (key, each) in enumerate(facts.items()):
        segments += [Segment((comma if position else "") + key + colon, "forced", weight=1.5), Segment(text_of(each), "line", weight=1.5)]
    return [*segments, Segment(stop, "forced")]


def result_of(world: World, arguments: dict[str, object], language: str) -> Result:
    """A sentence, which is the answer as it is, a bare value, or an object."""
    draw = world.random.random()
    if draw < 0.5:
        text = sentence(world, SENTENCES[language], arguments, language)
        return Result(text, [Segment(text, "line", weight=2.0)], {})
    if draw < 0.65:
        text = number(world).text if world.chance(0.4) else value(world, language)
        before, after = ("结果是", "。") if language == "zh" else ("The result is ", ".")
        return Result(text, [Segment(before, "forced"), Segment(text, "line", weight=2.0), Segment(after, "forced")], {})
    facts = fields(world, language)
    return Result(json.dumps(plain(facts), ensure_ascii=False), answer_of_fields(facts_as_read(facts), language), facts)


def facts_as_read(facts: dict[str, object]) -> dict[str, object]:
    """The fields with numbers as JSON writes them: `4.50` is `4.5` there."""
    return {key: Number(json.dumps(plain(each))) if isinstance(each, Number) else each for key, each in facts.items()}


def failure_of(world: World, arguments: dict[str, object], language: str) -> Result:
    """An error, and that it did not work."""
    said = sentence(world, FAILURES[language], arguments, language)
    text = world.random.choice(["Error: {}", "Error: {}", "错误：{}" if language == "zh" else "error: {}", "Failed: {}", None])
    text = text.format(said) if text else json.dumps({"error": said}, ensure_ascii=False)
    before, after = ("没有成功：", "。") if language == "zh" else ("It did not work: ", ".")
    return Result(text, [Segment(before, "forced", weight=2.0), Segment(said, "line", weight=2.0), Segment(after, "forced")], {})


# --- conversations --------------------------------------------------------------------------------

BEFORE_TOOLS = ["You are a helpful assistant.", "Be short.", "You help customers.", "Answer in one sentence.", "Call tools where they help.", "You are friendly.", "Be polite.", "Do what the user says."]


def names_of(tool: Tool) -> dict[str, str]:
    """The usual names of its arguments."""
    return {key: argument.names[0] for key, argument in tool.arguments.items()}


def listed_in_system(world: World, tools: list[Tool]) -> str:
    """The tools as the runtime lists them, sometimes after other words of a system message."""
    lines = ["Tools:"]
    for each in tools:
        shown = described(each, each.names[0], names_of(each))
        if world.chance(0.5):  # as Python functions are described
            parameters = shown["parameters"]
            properties = {name: {"title": name.replace("_", " ").title(), **field} for name, field in parameters["properties"].items()}
            shown["parameters"] = {"additionalProperties": False, "properties": properties, "required": parameters["required"], "title": shown["name"], "type": "object"}
        lines.append(json.dumps(shown, ensure_ascii=False))
    return "\n".join([*([world.pick(BEFORE_TOOLS)] if world.chance(0.15) else []), *lines])


def write_calls(calls: list[Call], offered: list[Tool]) -> list[Segment]:
    """Calls of the assistant."""
    options = tuple(each.names[0] for each in offered)
    filled = [(Choice(tool.names[0], options), {names_of(tool)[key]: each for key, each in values.items()}) for _, tool, values in calls]
    return call_segments(World(0), filled, "hermes")


def tell_result(result: Result) -> list[Segment]:
    """A result as a message."""
    return [given(f"Result: {result.text}")]


def offer(world: World, called: list[Tool], language: str, most: int = 5) -> list[Tool]:
    """The called tools among others, shuffled."""
    others = [each for each in TOOLS[language] if each not in called]
    chosen = [*called, *world.random.sample(others, world.random.randint(0 if called else 1, most - len(called)))]
    return world.random.sample(chosen, len(chosen))


def one_call(world: World, language: str, make: Callable[[World, dict[str, object], str], Result] = result_of, task: str = "one_call") -> Example:
    """A call, its result, and the answer: in words, or as JSON where the request asks for it."""
    call = draw_call(world, world.random.choice(TOOLS[language]), language)
    asked, tool, values = call
    offered, result = offer(world, [tool], language), make(world, values, language)
    answer = result.answer
    if result.facts and world.chance(0.4):
        facts = {**result.facts, **{name: values[key] for key, name in names_of(tool).items() if name not in result.facts and world.chance(0.3)}}
        wanted = {key: facts_as_read(facts)[key] for key in world.random.sample(list(facts), world.random.randint(1, len(facts)))}
        asked = arrange(world, asked, field_request(world, list(wanted), language), language)
        answer = json_segments(wanted, random_style(world))
    system = "" if world.chance(0.15) else listed_in_system(world, offered)
    calling = write_calls([call], offered)
    if not system:  # a call that was made while tools were on offer
        calling = [given("".join(segment.text for segment in calling))]
    return Example(f"{task}_{language}", [Turn([given(asked)], calling), Turn(tell_result(result), answer)], system)


def failure(world: World, language: str) -> Example:
    """A call whose result is an error."""
    return one_call(world, language, failure_of, "failure")


def draw_plain(world: World, tool: Tool, language: str) -> Call:
    """A request without a greeting, so that another may stand beside it."""
    asked, values = request_for(world, tool, language)
    return asked, tool, values


def two_calls(world: World, language: str) -> Example:
    """Two requests in one message, called together or one after the other; or in two messages, each with its answer."""
    tools = world.random.sample(TOOLS[language], 2)
    calls = [draw_plain(world, tool, language) for tool in tools]
    offered = offer(world, tools, language)
    results = [result_of(world, values, language) for _, _, values in calls]
    gap = [] if language == "zh" else [Segment(" ", "forced")]
    both = [*results[0].answer, *gap, *results[1].answer]
    draw = world.random.random()
    if draw < 0.3:
        turns = []
        for call, result in zip(calls, results, strict=True):
            turns += [Turn([given(call[0])], write_calls([call], offered)), Turn(tell_result(result), result.answer)]
    else:
        frames = exact(world, PLANS[language])
        asked = ("" if language == "zh" else " ").join(frame.format(part, part, part) for frame, part in zip(frames, (ended(call[0], language) for call in calls)))
        if draw < 0.7:
            turns = [Turn([given(asked)], write_calls(calls, offered)), Turn(tell_result(results[0]), []), Turn(tell_result(results[1]), both)]
        else:  # whether the first answer holds one call or both depends on what the request allows: not learnt
            first = given("".join(segment.text for segment in write_calls(calls[:1], offered)))
            turns = [Turn([given(asked)], [first]), Turn(tell_result(results[0]), write_calls(calls[1:], offered)), Turn(tell_result(results[1]), both)]
    return Example(f"two_calls_{language}", turns, listed_in_system(world, offered))


# --- no call --------------------------------------------------------------------------------------

# What a user says that no tool helps with, and the reply.
TALK = {
    "en": [
        (alternatives("[Hello|Hi|Hey|Good morning|Good evening|Good afternoon][| there| again| everybody|, assistant][.|!|]", "[How are you|How do you do|What's up][| today]?"), "Hello! How can I help?"),
        (alternatives("[Thanks|Thank you|Many thanks][| a lot| so much| very much| for that| for your help][.|!|]", "[Great|Perfect|Good], [thanks|thank you][.|!|]"), "You are welcome."),
        (alternatives("[Bye|Goodbye|See you][| then| soon| tomorrow][.|!|]", "[That's all|That is all|Nothing else][| for now| for today][.|!]"), "Goodbye!"),
        (alternatives("[Who|What] are you?", "What [can|do] you do[| for me]?", "[Are you|Is this] [a person|a machine|a robot]?", "[What is|What's] your name?", "[Can|Could] you help me?"), "I am a small model that calls tools."),
    ],
    "zh": [
        (alternatives("[你好|您好|嗨|早上好|晚上好|下午好|大家好][|啊|呀|，助手][。|！|]", "你[今天|最近|]好吗？", "最近怎么样？"), "你好！需要什么帮助？"),
        (alternatives("[谢谢|多谢|感谢][|你|您|你的帮助|了][。|！|]", "[很好|太好了|不错]，[谢谢|多谢][。|！|]"), "不客气。"),
        (alternatives("[再见|拜拜|回头见|明天见][|了|啦][。|！|]", "[就这些|没有别的][了|]。"), "再见！"),
        (alternatives("你[是谁|是什么|叫什么|叫什么名字]？", "你[能|会|可以][做什么|干什么|帮我吗]？", "你是[机器人|真人|人|机器]吗？"), "我是会调用工具的小模型。"),
    ],
}
NO_TOOL = {"en": "I have no tool for that.", "zh": "我没有合适的工具。"}

# Tools that could stand in for each other: where one is asked for, the others are not on offer.
RIVALS = [
    {"get_weather", "get_forecast", "set_temperature"}, {"set_alarm", "set_timer", "add_reminder", "create_event", "book_appointment", "delete_event"}, {"send_message", "send_email", "make_call"},
    {"convert_currency", "convert_units", "calculate", "calculate_tip", "get_stock_price"}, {"book_table", "find_restaurant", "book_appointment"}, {"find_flight", "find_train", "order_taxi", "get_directions", "rent_car"},
    {"create_note", "write_file", "add_to_list", "add_reminder"}, {"track_order", "cancel_order", "return_product", "create_ticket"}, {"assign_task", "create_ticket", "add_reminder", "send_message"},
    {"read_file", "delete_file", "rename_file", "write_file", "run_command"}, {"buy_product", "check_stock", "add_to_list", "return_product"}, {"create_user", "change_phone", "update_address"}, {"find_event", "play_music", "create_event"},
    {"translate", "summarize", "define_word"}, {"query_database", "track_order", "run_command"}, {"set_alarm", "get_time"},
]
SEARCHES = {"search_web", "query_database", "run_command"}  # could answer nearly anything


def unlike(world: World, tool: Tool, language: str) -> list[Tool]:
    """Tools none of which could do what this one does."""
    close = SEARCHES.union({tool.names[0]}, *(group for group in RIVALS if tool.names[0] in group))
    others = [each for each in TOOLS[language] if each.names[0] not in close]
    return world.random.sample(others, world.random.randint(1, 4))


def unneeded(world: World, language: str) -> Example:
    """Tools on offer, and nothing to call: small talk, a question about a text, or a request for what none of them does."""
    draw, task = world.random.random(), f"unneeded_{language}"
    if draw < 0.45:
        ways, reply = world.random.choice(TALK[language])
        last = Turn([given(exact(world, ways))], [Segment(reply, "line", weight=2.0)])
        if world.chance(0.3):  # after a loop
            before = one_call(world, language)
            return Example(task, [*before.turns, last], before.system)
        return Example(task, [last], listed_in_system(world, offer(world, [], language)))
    if draw < 0.65:
        example = answered(world, language)
        return Example(task, example.turns, "\n".join(filter(None, [example.system, listed_in_system(world, offer(world, [], language))])), example.named)
    tool = world.random.choice(TOOLS[language])
    asked, _, _ = draw_call(world, tool, language)
    system = "" if world.chance(0.15) else listed_in_system(world, unlike(world, tool, language))
    return Example(task, [Turn([given(asked)], [Segment(NO_TOOL[language], "line", weight=2.0)])], system)


LOOPS: dict[str, Callable[[World], Example]] = {
    f"{name}_{language}": (lambda world, make=make, language=language: make(world, language))
    for name, make in (("one_call", one_call), ("two_calls", two_calls), ("failure", failure), ("unneeded", unneeded))
    for language in ("en", "zh")
}
