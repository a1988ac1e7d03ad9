"""The tasks with labels: what the labels are called, and texts drawn with the right one among options."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from texts.attitudes_english import emotion, formality, sentiment
from texts.claims_english import said
from texts.labels_chinese import (
    ZH_INTENT_NAMES,
    ZH_INTENTS,
    ZH_TOPIC_WORDS,
    zh_emotion,
    zh_intent,
    zh_question_type,
    zh_said,
    zh_sentiment,
    zh_spam,
    zh_topic,
    zh_urgency,
)
from texts.labels_english import INTENTS, LANGUAGE_PARTS, TOPIC_WORDS, intent, language_of, question_type, spam, topic, urgency
from texts.phrasing import capital
from texts.world import World


@dataclass
class Labelled:
    """One task: its labels, the names they go by, and how a text for a label is made.

    `names` are ways to spell the labels, each a list that is parallel to `labels`; `cased` says whether letter case
    may vary too.
    """

    name: str
    labels: list[str]
    names: list[list[str]]
    draw: Callable[[World, str], str]
    cased: bool = True
    snake: bool = False
    share: float = 1.0

def named(labels: Sequence[str], *ways: str) -> list[list[str]]:
    """The labels themselves, and other ways to name them, each written `a / b / c` in the order of the labels."""
    found = [list(labels)] + [[entry.strip() for entry in way.split("/")] for way in ways]
    if any(len(way) != len(labels) or len(set(way)) != len(way) for way in found):
        raise ValueError(f"names of {list(labels)} do not fit")
    return found


THREE = ["positive", "negative", "neutral"]
FEELINGS = ["joy", "anger", "sadness", "fear", "surprise", "love"]
ASKED = ["person", "place", "time", "number", "reason"]
TONGUES = list(LANGUAGE_PARTS)
URGENT = ["low", "medium", "high"]
ZH_TOPICS = list(ZH_TOPIC_WORDS)
TASKS: dict[str, list[Labelled]] = {
    "en": [
        Labelled("sentiment", THREE, named(THREE, "good / bad / neutral", "happy / unhappy / indifferent", "favorable / unfavorable / mixed or neutral", "pos / neg / neu", "pleased / displeased / undecided", "positive sentiment / negative sentiment / neutral sentiment",
                                           "praise / criticism / neither", "like / dislike / no opinion"), sentiment, share=3),
        Labelled("emotion", FEELINGS, named(FEELINGS, "happiness / rage / sorrow / anxiety / astonishment / affection", "joyful / angry / sad / afraid / surprised / loving", "happy / mad / unhappy / scared / amazed / in love"), emotion, share=2),
        Labelled("topic", list(TOPIC_WORDS), named(list(TOPIC_WORDS), "sport / tech / government / economy / medicine / tourism / cooking / research / songs / cinema / school / climate / clothing / law / traffic / wildlife",
                                                   "Sports / Technology / Politics / Business / Health / Travel / Food / Science / Music / Movies / Education / Weather / Fashion / Crime / Transport / Animals",
                                                   "athletics / computing / policy / finance / medical / vacation / cuisine / natural science / concerts / movies / learning / meteorology / style / police report / vehicles / pets and animals"), topic, share=3),
        Labelled("intent", list(INTENTS), named(list(INTENTS)), intent, snake=True, share=5),
        Labelled("urgency", URGENT, named(URGENT, "not urgent / normal / urgent", "can wait / soon / immediately", "minor / moderate / critical", "P3 / P2 / P1", "later / this week / now"), urgency, share=1.5),
        Labelled("spam", ["spam", "not spam"], named(["spam", "not spam"], "spam / ham", "junk / legitimate", "unwanted / wanted", "advertising / personal", "yes / no", "suspicious / harmless", "spam / normal"), spam),
        Labelled("question_type", ASKED, named(ASKED, "who / where / when / how many / why", "human / location / date / quantity / cause", "name of a person / name of a place / point in time / numeric value / explanation"), question_type),
        Labelled("language", TONGUES, named(TONGUES, "en / de / fr / es / it / pt / nl / sv", "eng / deu / fra / spa / ita / por / nld / swe"), language_of),
        Labelled("formality", ["formal", "informal"], named(["formal", "informal"], "official / casual", "letter / chat", "polite / slangy", "business / private"), formality),
        Labelled("yes_no", ["yes", "no"], named(["yes", "no"], "true / false", "correct / incorrect", "right / wrong", "supported / contradicted", "Yes / No", "entailment / contradiction"), said, share=2.5),
    ],
    "zh": [
        Labelled("sentiment", THREE, named(THREE, "正面 / 负面 / 中性", "好评 / 差评 / 中评", "积极 / 消极 / 中立", "正面 / 负面 / 中性", "满意 / 不满意 / 一般", "喜欢 / 讨厌 / 无所谓"), zh_sentiment, share=3),
        Labelled("emotion", FEELINGS, named(FEELINGS, "快乐 / 愤怒 / 悲伤 / 恐惧 / 惊讶 / 爱", "高兴 / 生气 / 难过 / 害怕 / 意外 / 喜爱", "喜 / 怒 / 哀 / 惧 / 惊 / 爱"), zh_emotion, share=2),
        Labelled("topic", ZH_TOPICS, named(ZH_TOPICS, "sports / technology / business / health / travel / food / education / entertainment / weather / transport", "运动 / 技术 / 经济 / 医疗 / 旅行 / 饮食 / 学习 / 影视 / 气象 / 出行"), zh_topic, share=3),
        Labelled("intent", list(ZH_INTENTS), named(list(ZH_INTENTS), " / ".join(ZH_INTENT_NAMES[label] for label in ZH_INTENTS)), zh_intent, share=4),
        Labelled("urgency", URGENT, named(URGENT, "低 / 中 / 高", "不急 / 一般 / 紧急", "低优先级 / 中优先级 / 高优先级", "可以等 / 尽快 / 马上"), zh_urgency),
        Labelled("spam", ["spam", "not spam"], named(["spam", "not spam"], "垃圾短信 / 正常短信", "垃圾 / 正常", "广告 / 私人", "是 / 不是"), zh_spam),
        Labelled("question_type", ASKED, named(ASKED, "人物 / 地点 / 时间 / 数量 / 原因", "谁 / 哪里 / 什么时候 / 多少 / 为什么"), zh_question_type),
        Labelled("yes_no", ["yes", "no"], named(["yes", "no"], "是 / 否", "对 / 错", "正确 / 错误", "是 / 不是", "符合 / 不符合"), zh_said, share=2),
    ],
}
CASES: list[Callable[[str], str]] = [str, str, str, str.lower, str.upper, lambda text: capital(text), lambda text: text.lower().replace(" ", "_"), lambda text: text.upper().replace(" ", "_")]
SNAKE_CASES: list[Callable[[str], str]] = [
    str, str, str, str.upper, lambda text: text.replace("_", " "), lambda text: text.replace("_", " ").title(), lambda text: text.replace("_", "-"), lambda text: capital(text.replace("_", " ")),
    lambda text: re.sub(r"_(\w)", lambda match: match.group(1).upper(), text), lambda text: "".join(part.capitalize() for part in text.split("_")),
]
MOST_OPTIONS = 50


def offered_labels(world: World, task: Labelled, right: str) -> list[str]:
    """All labels of the task or some of them, the right one among them, shuffled."""
    count = len(task.labels)
    if count > 2 and not (task.name in ("sentiment", "urgency") and right in ("neutral", "medium")) and world.chance(0.5 if count > 3 else 0.3):
        count = world.random.randint(2, min(count, 12) if world.chance(0.7) else count)
    count = min(count, MOST_OPTIONS)
    others = world.random.sample([label for label in task.labels if label != right], count - 1)
    return world.random.sample([right, *others], count)


def draw_choices(world: World, language: str, count: int) -> tuple[list[str], list[str], list[str], str]:
    """Texts, their right labels, all the labels to choose from, and the name of the task."""
    tasks = TASKS[language]
    task = world.random.choices(tasks, [entry.share for entry in tasks])[0]
    label = world.random.choice(task.labels)
    offered = offered_labels(world, task, label)
    way = task.names[0] if world.chance(0.35) else world.random.choice(task.names)
    spelled = dict(zip(task.labels, way))
    latin = all(name.isascii() for name in way)
    case = world.random.choice(SNAKE_CASES if task.snake and latin else CASES) if latin and task.cased else str
    labels = [*(world.random.choice(offered) for _ in range(count - 1)), label]
    return [task.draw(world, each) for each in labels], [case(spelled[each]) for each in labels], [case(spelled[each]) for each in offered], task.name
