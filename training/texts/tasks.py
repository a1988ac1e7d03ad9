"""The tasks, and how often each is seen."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from texts.arrays import chinese_orders, groups, orders, views
from texts.calls import call_segments, described, list_tools, spelled_arguments
from texts.chinese import CHINESE
from texts.choices import draw_choices
from texts.drills import DRILLS, LAYOUTS, any_key, any_value, shown_pairs
from texts.english import ENGLISH
from texts.examples import Choice, Example, Number, Segment, Turn, given, json_segments, random_style, text_of
from texts.label_requests import requests as choice_requests
from texts.letters import first_letters, last_letters
from texts.loops import LOOPS
from texts.odd_results import ODD_RESULTS
from texts.problems import Problem, arithmetic
from texts.prompts import Asked, arrange, converse, in_json, request_for, shots
from texts.puzzles import comparison, counting, largest, sorting
from texts.questions import answered
from texts.records import aside, draw_record, draw_shape, tell
from texts.swaps import shuffled_objects
from texts.tools import draw_calls, draw_plan
from texts.world import World, alternatives, phrase

# --- records --------------------------------------------------------------------------------------


def record(world: World, language: str) -> Example:
    """One text, one record; with or without examples, sometimes in a long text or with further questions about it."""
    domain = world.random.choice(CHINESE if language == "zh" else ENGLISH)
    if language == "en" and world.chance(0.25):
        domain = ENGLISH[0]  # people are what newcomers try first
    draw = world.random.random()
    if draw < 0.15:
        return questions(world, domain)
    shape = draw_shape(world, domain)
    count = 0 if draw < 0.25 else shots(world)
    texts, answers = map(list, zip(*(draw_record(world, shape) for _ in range(count + 1)), strict=True))
    if draw < 0.25:
        texts = [lengthened(world, texts[0], domain.language)]
    asked = Asked(f"record_{language}", texts, answers, domain.requests, domain.language)
    return in_json(world, asked)


def questions(world: World, domain) -> Example:
    """Several questions about one text, each a turn."""
    text, values = tell(world, domain, world.random.sample(list(domain.facts), min(len(domain.facts), world.random.randint(4, 7))))
    turns, named, style, count = [], False, random_style(world), world.random.randint(2, 4)
    for _ in range(count):
        shape = draw_shape(world, domain, most=3)
        shape.keys = {fact: key for fact, key in shape.keys.items() if fact in values}
        shape.nullable, shape.group = frozenset(), None
        if not shape.keys:
            continue
        answer = shape.answer(values)
        request, named = request_for(world, Asked("", [text], [answer], domain.requests, domain.language, must_ask=True))
        prompt = arrange(world, text, request, domain.language) if not turns else request
        turns.append(Turn([given(prompt)], json_segments(answer, style, named)))
    return Example(f"record_{domain.language}", turns, named=named) if turns else record(world, domain.language)


def lengthened(world: World, text: str, language: str) -> str:
    """The text among others: sentences that say nothing, and records of other kinds."""
    others = [aside(world, language) for _ in range(world.random.randint(1, 8))]
    if world.chance(0.3):
        others += [phrase(world, 5, 20).capitalize() + "." for _ in range(world.random.randint(1, 6))]
    place = world.random.randint(0, len(others))
    gap = world.random.choice(["\n\n", "\n", "" if language == "zh" else " "])
    return gap.join([*others[:place], text, *others[place:]])


def lookup(world: World) -> Example:
    """Lines of keys and values; the answers hold some of them. Pure copying, so it comes first."""
    pairs = {any_key(world): any_value(world) for _ in range(world.random.randint(2, 9))}
    text, style, turns, named = shown_pairs(world, pairs, world.random.choice(LAYOUTS)), random_style(world), [], False
    for _ in range(world.random.choice([1, 2, 3])):
        asked = world.random.sample(list(pairs), world.random.randint(1, min(4, len(pairs))))
        answer = {key: pairs[key] for key in asked}
        request, named = request_for(world, Asked("lookup", [text], [answer], must_ask=True))
        turns.append(Turn([given(request if turns else arrange(world, text, request))], json_segments(answer, style, named)))
    return Example("lookup", turns, named=named)


# --- choices --------------------------------------------------------------------------------------

CHOICE_KEYS = ["label", "answer", "category", "class", "result", "choice"]


def choice(world: World, language: str) -> Example:
    """A label, bare or in an object; often with labelled texts before it."""
    count = world.random.choice([1, 1, 2, 3, 4, 6, 8, 10])
    texts, right, options, task = draw_choices(world, language, count)
    request = choice_requests(world, language, task, options)
    tells_options = all(option in request for option in options)
    picks = [Choice(label, tuple(options)) for label in right]
    is_bare, key = world.chance(0.55), world.random.choice([*CHOICE_KEYS, task])
    if not is_bare and world.chance(0.4):
        request += world.random.choice([' JSON with "{k}".', " Answer as {{\"{k}\": ...}}.", " JSON.", ' JSON: "{k}".']).format(k=key)
    style, named = random_style(world), count > 1 or tells_options and (is_bare or key in request)
    answers = [[Segment(pick.value, "choice", pick.options)] if is_bare else json_segments({key: pick}, style, count > 1 or key in request) for pick in picks]
    return converse(world, Asked(f"choice_{language}", texts, list(answers), language=language), request, answers, named)


# --- tools ----------------------------------------------------------------------------------------

TOOL_REQUESTS = {
    "en": alternatives("[Which tool|What tool] [fits|is needed|should be used|helps]?", "[Choose|Pick|Select] [a|the|the right] tool[.|:]", "Tool:", "[Call|Use] [a|one] tool.", "[Write|Make] the [tool call|call]."),
    "zh": alternatives("[用哪个工具|需要什么工具|哪个工具合适]？", "请[选择|挑选]工具。", "[调用|使用]工具。", "工具："),
}


def tool_call(world: World, language: str) -> Example:
    """The right tool for each of some requests, by name or as a call with its arguments."""
    calls, offered = draw_calls(world, language, world.random.choice([1, 1, 1, 2, 3, 4]))
    names = {id(each): world.random.choice(each.names) if world.chance(0.3) else each.names[0] for each in offered}
    arguments = {id(each): spelled_arguments(world, each) for each in offered}
    shown = list_tools(world, [described(each, names[id(each)], arguments[id(each)]) for each in offered], language)
    picks = [Choice(names[id(tool)], tuple(names.values())) for _, tool, _ in calls]
    filled = [{arguments[id(tool)][key]: value for key, value in values.items()} for _, tool, values in calls]
    request, answers, is_named = tool_answers(world, language, picks, filled)
    told, is_system = "\n".join(filter(None, [shown, request])), world.chance(0.4)
    first = calls[0][0] if is_system else arrange(world, calls[0][0], told, language)
    turns = [Turn([given(text)], answer) for text, answer in zip([first, *(text for text, _, _ in calls[1:])], answers, strict=True)]
    is_told = len(answers[-1]) == 1 or all(re.search(rf"\b{re.escape(name)}\b", shown) for name in filled[-1])
    return Example(f"tool_{language}", turns, told if is_system else "", (is_named or len(calls) > 1) and is_told)


def tool_answers(world: World, language: str, picks: list[Choice], filled: list[dict]) -> tuple[str, list[list[Segment]], bool]:
    """What asks for the tools, the answers, and whether it tells their form."""
    draw, request = world.random.random(), world.sentence(TOOL_REQUESTS[language])
    if draw < 0.2:
        return request, [[Segment(pick.value, "choice", pick.options)] for pick in picks], True
    if draw < 0.5:
        name, arguments = world.random.choice([("tool", "arguments"), ("name", "arguments"), ("tool", "args"), ("function", "parameters"), ("name", "parameters"), ("tool", "argument")])
        style, is_named = random_style(world), world.chance(0.6)
        request += f' JSON with "{name}" and "{arguments}".' * is_named
        value_of = lambda values: next(iter(values.values())) if arguments == "argument" and len(values) == 1 else values  # noqa: E731
        return request, [json_segments({name: pick, arguments: value_of(values)}, style, is_named or len(picks) > 1) for pick, values in zip(picks, filled, strict=True)], is_named
    style = world.random.choice(["json", "hermes", "hermes", "json_lines", "llama3", "mistral", "qwen_xml"])
    request = f"Write calls as {style}." if world.chance(0.5) or style not in ("hermes", "json") else ""
    return request, [call_segments(world, [(pick, values)], style) for pick, values in zip(picks, filled, strict=True)], bool(request)


PLAN_KEYS = [("tasks", "name", "tool", "arguments"), ("task_actions", "name", "tool", "args"), ("steps", "title", "tool", "arguments"), ("calls", "", "name", "arguments")]


def plan(world: World, language: str) -> Example:
    """A request that needs several tools in turn."""
    text, calls, offered = draw_plan(world, language)
    tools = [described(each, each.names[0], {key: argument.names[0] for key, argument in each.arguments.items()}) for each in offered]
    options = tuple(each.names[0] for each in offered)
    filled = [(Choice(tool.names[0], options), {tool.arguments[key].names[0]: value for key, value in values.items()}) for tool, values in calls]
    if world.chance(0.5):
        answer = call_segments(world, filled, world.random.choice(["json", "hermes", "json_lines", "mistral"]))
        return Example(f"tool_{language}", [Turn([given(text)], answer)], list_tools(world, tools, language), named=False)
    container, _, tool_key, arguments_key = world.random.choice(PLAN_KEYS)
    value = {container: [{tool_key: pick, arguments_key: arguments} for pick, arguments in filled]}
    return in_json(world, Asked(f"tool_{language}", [f"{list_tools(world, tools, language)}\n\n{text}"], [value], ["Plan the calls."], language))


# --- reasoning ------------------------------------------------------------------------------------

STEP_REQUESTS = {
    "en": alternatives("[Think|Work|Go] step by step.", "[Show|Write|Give] [the|your|all] steps[.|, then the answer.| first.]", "[Explain|Explain how you get there].", "[Reason|Think] first, then answer.", "Solve it in steps."),
    "zh": alternatives("[一步一步|逐步][思考|计算|推理]。", "[写出|给出|先写][步骤|推理过程]。", "先[思考|推理]，再[回答|给出答案]。", "[解释|说明][推理|计算]过程。"),
}
ANSWER_LINES = {"en": ["Answer: ", "Answer: ", "Answer: ", "The answer is ", "Result: ", "So the answer is "], "zh": ["答案：", "答案：", "答案是", "结果：", "所以答案是"]}
ANSWER_ONLY = {"en": alternatives("[Answer|Give the answer] only.", "[Only|Just] the [answer|result][.|, please.]", "No steps[.|, please.]"), "zh": alternatives("只[给|写|要][答案|结果]。", "[不要|不写]步骤。", "直接回答。")}
REASON_KEYS = {"en": ["reasoning", "reasoning", "steps", "thought", "explanation", "thinking"], "zh": ["reasoning", "推理", "步骤", "思考", "过程"]}
ANSWER_KEYS = {"en": ["answer", "answer", "answer", "result", "final_answer", "solution"], "zh": ["answer", "答案", "结果", "答案"]}
PROBLEMS: dict[str, list[Callable[[World, str], Problem]]] = {
    "arithmetic": [arithmetic], "last_letters": [last_letters], "shuffled_objects": [shuffled_objects],
    "small_reasoning": [counting, largest, sorting, comparison, first_letters],
}


def reasoned(world: World, task: str, language: str, make: Callable[[World, str], Problem] | None = None) -> Example:
    """A problem with its steps: as lines of text, as JSON with the steps first, thought before JSON, or the answer alone."""
    make = make or world.random.choice(PROBLEMS[task])
    problems = [make(world, language) for _ in range(world.random.choice([1, 1, 1, 1, 2, 2, 3, 4]))]
    kind = world.random.choice(["lines", "lines", "lines", "json", "json", "json", "thought", "thought", "alone"])
    answer_key, reason_key = world.random.choice(ANSWER_KEYS[language]), world.random.choice(REASON_KEYS[language])
    style, is_told = random_style(world), world.chance(0.35)
    line = world.random.choice(ANSWER_LINES[language]) if is_told else ANSWER_LINES[language][0]
    write = {
        "lines": lambda steps, result: [Segment(steps, "free", weight=1.5), Segment(f"\n{line}", "forced"), Segment(text_of(result), "line", weight=3.0)],
        "json": lambda steps, result: json_segments({reason_key: steps, answer_key: result}, style),
        "thought": lambda steps, result: [Segment("<think>", "forced"), Segment(steps, "free", weight=1.5), Segment("</think>\n", "forced"), *json_segments({answer_key: result}, style)],
        "alone": lambda steps, result: json_segments({answer_key: result}, style) if style.space else [Segment(text_of(result), "line", weight=3.0)],
    }[kind]
    gap, stop = ("", "。") if language == "zh" else (" ", ".")
    told = [(stop + gap).join(problem.steps) + stop for problem in problems]
    if world.chance(0.15):
        told = ["\n".join(problem.steps) for problem in problems]
    answers = [write(steps, problem.answer) for steps, problem in zip(told, problems, strict=True)]
    is_number = isinstance(problems[-1].answer, Number)
    request = reason_request(world, kind, language, (reason_key, answer_key, "integer" if is_number else "string"), line if is_told else "")
    return converse(world, Asked(f"{task}_{language}", [problem.question for problem in problems], list(answers), language=language), request, answers, True)


def reason_request(world: World, kind: str, language: str, fields: tuple[str, str, str], line: str) -> str:
    """What tells how to answer.

    `fields` are the keys of the steps and of the answer, and the type of the answer; `line` is how the last line begins, empty if
    nothing tells it.
    """
    is_chinese = language == "zh"
    reason_key, answer_key, answer_type = fields
    if kind == "alone":
        return world.sentence(ANSWER_ONLY[language])
    steps = world.sentence(STEP_REQUESTS[language]) if world.chance(0.7) else ""
    if kind == "lines":
        last = (f"最后一行以“{line}”开头。" if is_chinese else f"The last line begins with “{line.strip()}”.") if line else ""
        return ("" if is_chinese else " ").join(filter(None, [steps, last]))
    if kind == "thought":
        between = "在<think>和</think>之间思考，" if is_chinese else "Think between <think> and </think>, "
        then = f"然后用JSON写“{answer_key}”。" if is_chinese else f'then JSON with "{answer_key}".'
        return between + then if world.chance(0.7) else f"{steps} {then}".strip()
    told = f"用JSON，先“{reason_key}”后“{answer_key}”。" if is_chinese else world.random.choice(['JSON with "{r}" and "{a}".', 'Steps in "{r}", result in "{a}", as JSON.', 'Answer with a JSON object: "{r}", then "{a}".']).format(r=reason_key, a=answer_key)
    if world.chance(0.3):
        schema = {"type": "object", "properties": {reason_key: {"type": "string"}, answer_key: {"type": answer_type}}, "required": [reason_key, answer_key]}
        told = f"{'模式' if is_chinese else 'Its schema'}: {json.dumps(schema, ensure_ascii=False)}"
    return ("" if is_chinese else " ").join(filter(None, [steps, told]))


# --- the mixture ----------------------------------------------------------------------------------

LANGUAGES = ("en", "zh")
TASKS: dict[str, Callable[[World], Example]] = {
    **{f"record_{language}": (lambda world, language=language: record(world, language)) for language in LANGUAGES},
    **{f"answer_{language}": (lambda world, language=language: answered(world, language)) for language in LANGUAGES},
    "lookup": lookup,
    "groups": lambda world: in_json(world, groups(world, 1 + min(2, shots(world)))),
    "orders_en": lambda world: in_json(world, orders(world, 1 + min(3, shots(world)))),
    "orders_zh": lambda world: in_json(world, chinese_orders(world, 1 + shots(world))),
    "views": lambda world: in_json(world, views(world, 1 + min(2, shots(world)))),
    **{f"choice_{language}": (lambda world, language=language: choice(world, language)) for language in LANGUAGES},
    **{f"tool_{language}": (lambda world, language=language: tool_call(world, language)) for language in LANGUAGES},
    **{f"plan_{language}": (lambda world, language=language: plan(world, language)) for language in LANGUAGES},
    **{f"{task}_{language}": (lambda world, task=task, language=language: reasoned(world, task, language)) for task in PROBLEMS for language in LANGUAGES},
    **LOOPS,
}

MAKERS: dict[str, Callable[[World], Example]] = {**TASKS, **DRILLS, **ODD_RESULTS}

# Shares of the examples.
FULL_MIXTURE = {
    "record_en": 10, "record_zh": 6, "answer_en": 7, "answer_zh": 3, "lookup": 3, "groups": 2.5, "orders_en": 2.5, "orders_zh": 1.5, "views": 2, "choice_en": 12, "choice_zh": 7,
    "tool_en": 8, "tool_zh": 5, "plan_en": 1, "plan_zh": 0.5, "arithmetic_en": 7, "arithmetic_zh": 4, "last_letters_en": 3, "last_letters_zh": 2,
    "shuffled_objects_en": 3, "shuffled_objects_zh": 3, "small_reasoning_en": 4, "small_reasoning_zh": 2, "values": 3, "sums": 4, "letters": 3, "swaps": 1.5,
    "one_call_en": 3, "one_call_zh": 2, "two_calls_en": 1.5, "two_calls_zh": 1, "failure_en": 1, "failure_zh": 0.7, "unneeded_en": 2, "unneeded_zh": 1.5,
}


def mostly(*tasks: str) -> dict[str, float]:
    """The full mixture with two examples of these tasks (or of those in two languages) for each one of the others."""
    chosen = {task: share for task, share in FULL_MIXTURE.items() if task.rpartition("_")[0] in tasks or task in tasks}
    factor = 2 * (sum(FULL_MIXTURE.values()) - sum(chosen.values())) / sum(chosen.values())
    return {task: share * (factor if task in chosen else 1.0) for task, share in FULL_MIXTURE.items()}


@dataclass(frozen=True)
class Phase:
    """A part of the run: where it ends, what is seen, random pieces to be repeated, and the share of long examples that is kept."""

    until: float
    shares: dict[str, float]
    echoes: float = 0.05
    long: float = 0.1


# A skill appears within minutes where most examples ask for it, and hardly ever among all others; so each has its turn,
# and another when all have been seen.
PHASES = [
    Phase(0.017, {"values": 6, "sums": 1, "letters": 1, "swaps": 0.5, "lookup": 1, "record_en": 1, "record_zh": 0.5}, echoes=0.2),
    Phase(0.115, mostly("sums", "letters", "swaps", "values")),
    Phase(0.17, mostly("choice")),
    Phase(0.25, mostly("record", "orders", "lookup", "groups", "views")),
    Phase(0.335, mostly("tool", "plan", "choice_en", "one_call", "two_calls", "failure", "unneeded")),
    Phase(0.39, mostly("arithmetic", "last_letters", "shuffled_objects", "sums", "letters", "swaps")),
    Phase(0.575, FULL_MIXTURE, echoes=0.03, long=0.5),
    Phase(0.68, mostly("record", "orders", "lookup", "groups", "views"), echoes=0.03, long=0.3),
    Phase(0.75, mostly("tool", "plan", "choice_en", "one_call", "two_calls", "failure", "unneeded"), echoes=0.03, long=0.3),
    Phase(0.82, mostly("arithmetic", "last_letters", "shuffled_objects", "small_reasoning", "letters", "swaps"), echoes=0.03, long=0.3),
    Phase(1.0, FULL_MIXTURE, echoes=0.03, long=0.5),
]

# What a model that has learnt the other tasks sees after them: loops, results that can only be copied, and oftener than before
# what loops are confused with or what is lost first: tools that are to be called, values without a question, groups, small puzzles.
AGAIN = {**dict.fromkeys(LOOPS, 6), "unneeded_en": 5, "unneeded_zh": 6, "one_call_en": 7, "one_call_zh": 12, "two_calls_en": 10, "two_calls_zh": 13, "failure_zh": 8}
AGAIN |= {"plan_en": 4, "plan_zh": 5, "tool_en": 2, "tool_zh": 2, "answer_en": 2, "answer_zh": 2, "groups": 4, "small_reasoning_en": 3, "small_reasoning_zh": 3, "values": 2}
FURTHER = [Phase(1.0, {task: share * AGAIN.get(task, 1) for task, share in FULL_MIXTURE.items()} | {"odd_results_en": 10, "odd_results_zh": 22}, echoes=0.03, long=0.3)]


def draw(world: World, shares: dict[str, float]) -> Example:
    """One example of a task drawn by its share."""
    (task,) = world.random.choices(list(shares), weights=list(shares.values()))
    return MAKERS[task](world)


if __name__ == "__main__":
    shown = World(seed=7)
    for task in MAKERS:
        for _ in range(2):
            example = MAKERS[task](shown)
            for turn in example.turns:
                print(f"--- {task}\n[{example.system}]\n{''.join(part.text for part in turn.prompt)}\n>>> {''.join(part.text for part in turn.answer)}")
