"""Two worked examples that every client asks for: `ViewExtraction` and `TaskSequence`."""

from __future__ import annotations

from enum import Enum
from typing import Literal

from pydantic import BaseModel, Field

MODEL = "formwright-tiny"

REPORT = (
    "三季度我们认为半导体设备的国产化进程明显加快,电子行业的景气度正在回升。"
    "房地产销售仍然偏弱,我们对相关板块保持谨慎。银行板块估值处于低位。"
)
QUESTION = "天弘中证500当前的管理费是多少,是否随着基金规模的增加而增加"

INDUSTRIES = """
农林牧渔 采掘 化工 钢铁 有色金属 建筑材料 电气设备 家用电器 食品饮料 纺织服装
轻工制造 医药生物 公用事业 交通运输 房地产 商业贸易 计算机 传媒 通信 银行
非银金融 汽车 机械设备 国防军工 建筑装饰 电子 综合 休闲服务 计算机应用 化纤 金属制品
"""
Industry = Enum("Industry", {name: name for name in INDUSTRIES.split()}, type=str)


class View(BaseModel):
    """An opinion on an industry, a topic or a concept."""

    extract_view: str = Field(description="The sentence that holds the opinion.")
    extract_view_entities: list[str] = Field(description="Its subjects, pieces of that sentence.")
    related_industry: list[Industry]
    view_aspect: Literal["正面", "中性", "负面"]


class ViewExtraction(BaseModel):
    """All opinions of a report."""

    views: list[View]


class BingSearch(BaseModel):
    """Search the web."""

    query: str


class FundInfo(BaseModel):
    """Look up one field of a fund."""

    fund_code_or_name: str | None = None
    lookup_field: Literal["fund_manager", "unit_value", "contract_date", "manage_fee", "net_value"]


class Task(BaseModel):
    """One step of a plan."""

    name: str
    tool: BingSearch | FundInfo


class TaskSequence(BaseModel):
    """A plan."""

    reason: str = Field(description="Think step by step first.")
    task_actions: list[Task]
