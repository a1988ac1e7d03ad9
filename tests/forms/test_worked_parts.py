"""Worked examples of the field with several parts: a trigger and a trie, views of a report, tasks with tools."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Literal

import numpy as np
import pytest
from pydantic import BaseModel, Field
from toys import RuleRuntime

import formwright as fw

ANSWERS = ["Rome", "Romania", "Paris: the city", "a:b"]
TOKENS: list[bytes | None] = [
    *(bytes([byte]) for byte in range(256)),
    *(b": ", b"Ro", b"me", b"mania", b"Paris", b":P", b"to:", b"a:"),
    None,
]  # fmt: skip
END = len(TOKENS) - 1
VOCABULARY = fw.Vocabulary(TOKENS, eos_token_ids=[END])


def opinions(seed: int, length: int) -> np.ndarray:
    return np.random.default_rng((seed, length)).normal(size=len(TOKENS))


def model(seed: int) -> fw.models.LocalModel:
    from formwright.models import LocalModel

    runtime = RuleRuntime(lambda length, _: opinions(seed, length), 1 << 16)
    return LocalModel("random", runtime, VOCABULARY, lambda text: list(str(text).encode()))


# A trigger and a trie: after the marker, one of some answers.


@pytest.mark.parametrize("canonical_cut", [b"to:", b"x:"])
def test_the_trigger_is_its_text_whichever_tokens_spell_it(canonical_cut: bytes) -> None:
    matcher = fw.compile(fw.after(":", fw.choice(ANSWERS)), VOCABULARY).matcher()
    matcher.accept_bytes(canonical_cut)
    allowed = {TOKENS[token_id] for token_id in matcher.allowed_token_ids()}
    assert allowed == {b"R", b"Ro", b"P", b"Paris", b"a", b"a:"}


def test_a_token_may_hold_the_trigger_and_what_follows() -> None:
    matcher = fw.compile(fw.after(":", fw.choice(ANSWERS)), VOCABULARY).matcher()
    allowed = {TOKENS[token_id] for token_id in matcher.allowed_token_ids()}
    assert b":P" in allowed
    assert b": " not in allowed


def test_a_trigger_inside_an_answer_does_not_begin_anew() -> None:
    form = fw.after(":", fw.choice(ANSWERS))
    assert form.parse("x:Paris: the city") == "Paris: the city"
    assert form.parse("x:a:b") == "a:b"
    assert not form.matches("x:a:Rome")


@pytest.mark.parametrize("seed", range(40))
def test_beams_never_take_a_forbidden_token_and_end(seed: int) -> None:
    form = fw.after(":", fw.choice(ANSWERS), required=True)
    result = model(seed).generate("q", form, beams=8, returns=8, max_tokens=50)
    texts = [alternative.text for alternative in result.alternatives]
    assert len(set(texts)) == len(texts)
    for alternative in result.alternatives:
        assert form.matches(alternative.text)
        assert alternative.value in ANSWERS


@pytest.mark.parametrize("seed", range(20))
def test_the_model_still_chooses_among_the_answers(seed: int) -> None:
    form = fw.after(":", fw.choice(ANSWERS), required=True)
    prompt = list(b"q:")
    greedy = model(seed).generate(prompt, form, max_tokens=50)
    logits = opinions(seed, len(prompt))
    first = [
        token_id
        for token_id, token in enumerate(TOKENS)
        if token and any(a.encode().startswith(token) for a in ANSWERS)
    ]
    assert greedy.token_ids[0] == max(first, key=lambda token_id: logits[token_id])


def test_rows_without_a_trigger_are_free_and_with_one_are_held() -> None:
    forms = [fw.after(":", fw.choice(ANSWERS)), fw.after(":", fw.choice(ANSWERS), required=True)]
    for seed in range(10):
        free, held = model(seed).generate_many(["a", "b:"], forms, max_tokens=30, progress=False)
        assert forms[0].matches(free.text)
        assert held.value in ANSWERS
        assert held.text in ANSWERS


# Views of a report.


class Aspect(Enum):
    POSITIVE = "正面"
    NEUTRAL = "中性"
    NEGATIVE = "负面"


INDUSTRIES = [
    "农林牧渔",
    "采掘",
    "化工",
    "钢铁",
    "有色金属",
    "建筑材料",
    "电气设备",
    "家用电器",
    "食品饮料",
    "纺织服装",
    "轻工制造",
    "医药生物",
    "公用事业",
    "交通运输",
    "房地产",
    "商业贸易",
    "计算机",
    "传媒",
    "通信",
    "银行",
    "非银金融",
    "汽车",
    "机械设备",
    "国防军工",
    "建筑装饰",
    "电子",
    "综合",
    "休闲服务",
    "计算机应用",
    "化纤",
    "金属制品",
]
Industry = Annotated[str, Field(json_schema_extra={"enum": INDUSTRIES})]


class View(BaseModel):
    extract_view: str
    extract_view_entities: list[str]
    related_industry: list[Industry]
    view_aspect: Aspect


class ViewExtraction(BaseModel):
    views: list[View]


def test_views_are_read_back() -> None:
    text = (
        '{"views": [{"extract_view": "我们看好银行的估值修复。", "extract_view_entities": ["银行"], '
        '"related_industry": ["银行", "非银金融"], "view_aspect": "正面"}]}'
    )
    form = fw.thinking(ViewExtraction)
    found = form.parse(f"<think>季报里有一个观点。</think>\n{text}")
    assert found.views[0].view_aspect is Aspect.POSITIVE
    assert found.views[0].related_industry == ["银行", "非银金融"]
    assert not form.matches(f"<think></think>{text.replace('非银金融', '保险')}")
    assert fw.form(ViewExtraction).parse(text) == found


# Tasks with tools.


class BingSearch(BaseModel):
    """Search the web for what no fund database knows."""

    query: str


class FundInfo(BaseModel):
    """Look up one field of a fund."""

    fund_code_or_name: str | None = None
    lookup_field: Literal["fund_manager", "unit_value", "contract_date", "manage_fee", "net_value"]


class Task(BaseModel):
    name: str
    tool: BingSearch | FundInfo


class TaskSequence(BaseModel):
    reason: str
    task_actions: list[Task]


def test_tasks_are_read_back() -> None:
    text = (
        '{"reason": "先查管理费, 再查是否随规模变化。", "task_actions": ['
        '{"name": "查管理费", "tool": {"fund_code_or_name": "天弘中证500", "lookup_field": "manage_fee"}}, '
        '{"name": "查关系", "tool": {"query": "天弘中证500 管理费 规模"}}]}'
    )
    found = fw.form(TaskSequence).parse(text)
    assert [type(task.tool) for task in found.task_actions] == [FundInfo, BingSearch]
    assert not fw.form(TaskSequence).matches(text.replace("manage_fee", "fees"))


def test_the_same_as_calls_of_tools() -> None:
    form = fw.thinking(fw.tools([BingSearch, FundInfo], calls="required", style="hermes", max_calls=3))
    fund = '{"fund_code_or_name": "天弘中证500", "lookup_field": "manage_fee"}'
    search = '{"query": "天弘中证500 管理费 规模"}'
    calls = "\n".join(
        f'<tool_call>\n{{"name": "{name}", "arguments": {arguments}}}\n</tool_call>'
        for name, arguments in (("FundInfo", fund), ("BingSearch", search))
    )
    found = form.parse(f"<think>两步。</think>\n{calls}")
    assert [call.arguments for call in found] == [
        FundInfo(fund_code_or_name="天弘中证500", lookup_field="manage_fee"),
        BingSearch(query="天弘中证500 管理费 规模"),
    ]
    assert found[0].tool.description == "Look up one field of a fund."
