"""What stands around a text: requests, instructions about the form, examples, in English and Chinese.

An `Asked` is what one conversation is about: some texts with their answers, all of one kind. `converse` makes a
conversation of it: the last text is asked about, those before it are examples, in the prompt or as turns.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from texts.examples import Choice, Example, Nullable, Number, Segment, Turn, given, json_segments, plain, random_style, schema_of
from texts.world import World, alternatives

import formwright as fw


@dataclass
class Asked:
    """Texts of one kind with their answers.

    Attributes:
        task: Its name.
        texts: The texts; the last one is asked about.
        answers: What is to be answered to each: a value to be written as JSON, or segments.
        requests: Sentences that may ask for it.
        language: ``"en"`` or ``"zh"``.
        must_ask: Whether the request cannot be left out, since the text alone does not tell it.
    """

    task: str
    texts: list[str]
    answers: list[object]
    requests: list[str] = field(default_factory=list)
    language: str = "en"
    must_ask: bool = False


# --- asking for JSON ------------------------------------------------------------------------------

FIELD_REQUESTS = {
    "en": alternatives(
        "[Extract|Return|Find|Give me|Fill in|List|Note|Write down] [|the fields |these fields: ]{f}[.|:|]", "Fields: {f}[.|]", "Keys: {f}[.|]", "[Return|Give|Write|Output] [JSON|a JSON object] with [|the keys |the fields ]{f}.",
        "JSON with {f}:", "[Answer|Reply|Respond] [in JSON|as JSON] with [|the fields |the keys ]{f}.", "[Please extract|I need|We want|Get] {f}[| as JSON| from the text].", "[What are|Tell me] {f}?", "{f}[?|:| please.]",
        "From the text [take|read] {f}.", "[Make|Create|Build] a [record|JSON object] [with|of] {f}.",
    ),
    "zh": alternatives(
        "[字段|键]：{f}[。|]", "[提取|抽取|找出|写出|给出|列出]{f}。", "请[提取|抽取|给出|返回]{f}[。|，用JSON。]", "用JSON[回答|写出|返回]{f}。", "[返回|输出]含有{f}的JSON。", "从文本中[提取|找出]{f}。", "{f}是什么？", "以JSON[格式|形式]给出{f}。",
    ),
}
PLAIN_REQUESTS = {
    "en": alternatives(
        "[Answer|Reply|Respond] [in JSON|as JSON|with JSON only].", "JSON:", "[Return|Output|Write|Give me] JSON[.| only.]", "[Extract|Take|Read] the [data|information|facts|details][.| as JSON.| from the text.]",
        "[Convert|Turn] [this|the text|it] [to|into] JSON.", "As JSON[:|, please.]", "[Fill in|Make] [the|a] record.", "Summarize [this|the text] as JSON.", "Structure this.", "Parse [this|the text].",
    ),
    "zh": alternatives("用JSON[回答|输出|表示]。", "[输出|返回|给出]JSON。", "[提取|抽取]信息。", "[提取|抽取][数据|内容][，用JSON。|。]", "JSON：", "转换成JSON。", "[整理|解析][这段文字|文本|以下内容]。"),
}
FORM_REQUESTS = {
    "en": alternatives(
        "[Schema|JSON Schema|Its schema|Form]: {s}", "[Answer|Give JSON only|Reply with JSON|Write JSON] [valid by|in the form of|that matches|following] [|this schema: ]{s}", "[Answer with|Return] a JSON object. [Its schema|Schema]: {s}", "The answer [matches|follows|is valid by] {s}",
    ),
    "zh": alternatives("[模式|结构|格式]：{s}", "[只给出|返回|输出]JSON，[符合|满足|格式为]{s}", "用JSON[对象|]回答。[模式|结构]：{s}", "答案[符合|满足]{s}"),
}


TELLS_JSON = re.compile("JSON|[Ff]ield|[Kk]ey|record|字段|键")


def field_names(answer: object, language: str) -> list[str]:
    """The keys of an answer, as a sentence lists them: those of an object or of a list's entries in brackets behind its own."""
    if isinstance(answer, list):
        return field_names(answer[0], language) if answer else []
    if not isinstance(answer, dict):
        return []
    inside = {key: field_names(child, language) for key, child in answer.items()}
    opening, closing = ("（", "）") if language == "zh" else (" (", ")")
    gap = "、" if language == "zh" else ", "
    return [key + (opening + gap.join(names) + closing if names else "") for key, names in inside.items()]


def in_a_row(world: World, names: list[str], language: str) -> str:
    """Names as a sentence lists them."""
    if language == "zh":
        return "、".join(names)
    if len(names) > 1 and world.chance(0.5):
        return ", ".join(names[:-1]) + f" and {names[-1]}"
    return ", ".join(names)


def field_request(world: World, names: list[str], language: str) -> str:
    """A sentence that asks for these fields. One name alone could ask for the bare value, so then the sentence tells more."""
    while True:
        request = world.sentence(FIELD_REQUESTS[language])
        if len(names) > 1 or TELLS_JSON.search(request):
            return request.format(f=in_a_row(world, names, language))


def type_name(value: object) -> object:
    """The short word for a value, in a sketch of the form."""
    if isinstance(value, dict):
        return {key: type_name(child) for key, child in value.items()}
    if isinstance(value, list):
        return [type_name(value[0])] if value else []
    if isinstance(value, Choice):
        return "|".join(value.options)
    if isinstance(value, Nullable):
        return "string or null"
    if isinstance(value, Number):
        return "integer" if value.text.isdigit() else "number"
    return "boolean" if isinstance(value, bool) else "string"


def merged(answers: Sequence[object]) -> object:
    """An answer whose schema holds for all of them: the first with a fuller list."""
    return max(answers, key=lambda answer: len(json.dumps(plain(answer))))


def request_for(world: World, asked: Asked) -> tuple[str, bool]:
    """A request for JSON, and whether it tells the keys."""
    answer, language, draw = merged(asked.answers), asked.language, world.random.random()
    names = field_names(answer, language)
    if draw < 0.14 and not asked.must_ask:
        return "", False
    if draw < 0.30 or not names:
        return world.sentence(asked.requests + PLAIN_REQUESTS[language]), False
    if draw < 0.62:
        return field_request(world, names, language), True
    if draw < 0.72:
        sketch = json.dumps(type_name(answer), ensure_ascii=False)
        return world.sentence(FORM_REQUESTS[language]).format(s=sketch), True
    schema = schema_of(answer)
    if draw < 0.84:
        about = world.sentence(asked.requests) + " " if asked.requests and world.chance(0.5) else ""
        return about + world.sentence(FORM_REQUESTS[language]).format(s=json.dumps(schema, ensure_ascii=False)), True
    style = world.random.choice(["schema", "typescript", "fields", "example"])
    return fw.instructions(fw.json_schema(schema), style=style), True


# --- conversations --------------------------------------------------------------------------------

LABELS = {
    "en": [("Text: ", "JSON: "), ("Input: ", "Output: "), ("Text:\n", "Answer:\n"), ("Q: ", "A: "), ("Question: ", ""), ("Question: ", "Answer: "), ("Message: ", "Result: "), ("", "-> "), ("### Input\n", "### Output\n"), ("Example: ", "=> ")],
    "zh": [("文本：", "JSON："), ("输入：", "输出："), ("问题：", "答案："), ("问：", "答："), ("原文：", "结果："), ("", "→ "), ("问题：", "")],
}
LAYOUTS = ["{r}\n\n{t}", "{r}\n{t}", "{t}\n{r}", "{t}\n\n{r}", "{r} {t}", "{t} {r}", "{r}\nText: {t}", "{r}\n\nText:\n{t}", "{t}\n\n---\n{r}"]
CHINESE_LAYOUTS = ["{r}\n\n{t}", "{r}\n{t}", "{t}\n{r}", "{t}\n\n{r}", "{r}{t}", "{t}{r}", "{r}\n文本：{t}"]


def arrange(world: World, text: str, request: str, language: str = "en") -> str:
    """Text and request, in either order."""
    if not request:
        return text if world.chance(0.85) else f"{'文本：' if language == 'zh' else 'Text: '}{text}"
    layouts = CHINESE_LAYOUTS if language == "zh" else LAYOUTS
    return world.random.choice(layouts).format(r="{r}", t="{t}").replace("{r}", request, 1).replace("{t}", text, 1)


def converse(world: World, asked: Asked, request: str, answers: list[list[Segment]], named: bool) -> Example:
    """A conversation about the last text, with the others as examples."""
    shots, text, last = list(zip(asked.texts[:-1], answers[:-1], strict=True)), asked.texts[-1], answers[-1]
    if not shots:
        if request and world.chance(0.1):
            return Example(asked.task, [Turn([given(text)], last)], request, named)
        return Example(asked.task, [Turn([given(arrange(world, text, request, asked.language))], last)], named=named)
    if world.chance(0.5):
        return in_turns(world, asked, request, shots, text, last)
    before, behind = world.random.choice(LABELS[asked.language])
    gap = world.random.choice(["\n\n", "\n\n", "\n"])
    prompt = [given(request + gap)] if request else []
    for shot, answer in shots:
        prompt += [given(f"{before}{shot}\n{behind}"), *answer, given(gap)]
    prompt.append(given(f"{before}{text}" + (f"\n{behind}".rstrip() if world.chance(0.5) else "")))
    return Example(asked.task, [Turn(prompt, last)], named=True)


def in_turns(world: World, asked: Asked, request: str, shots: list, text: str, last: list[Segment]) -> Example:
    """Examples as turns; the request is in the system message, in the first turn or in all of them."""
    place = world.random.choice(["system", "first", "all"])
    system = request if place == "system" else ""
    turns = []
    for index, (each, answer) in enumerate([*shots, (text, last)]):
        said = request if place == "all" or (place == "first" and index == 0) else ""
        layout = world.random.choice(["{r}\n\n{t}", "{r}\n{t}", "{t}\n{r}"])
        turns.append(Turn([given(layout.replace("{r}", said).replace("{t}", each) if said else each)], answer))
    return Example(asked.task, turns, system, named=True)


def in_json(world: World, asked: Asked) -> Example:
    """Ask for JSON."""
    request, named = request_for(world, asked)
    style = random_style(world)
    named = named or len(asked.texts) > 1
    answers = [json_segments(answer, style, named) for answer in asked.answers]
    return converse(world, asked, request, answers, named)


def shots(world: World) -> int:
    """How many examples there are."""
    return world.random.choice([0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 4, 5])
