"""The words and sentences that questions are made of, one `Words` for each language.

::

    WORDS["en"].join_sentences(["Ronan has 3 coins.", "How many coins?"])     # 'Ronan has 3 coins. How many coins?'

Names of fields and tools are English in all languages, as they are in programs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

__all__ = ["ABOUT", "WORDS", "Words"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The words and templates of questions in one language."""

    space: str
    stop: str
    names: Sequence[str]
    full_names: Sequence[str]
    cities: Sequence[str]
    jobs: Sequence[str]
    things: Sequence[str]
    objects: Sequence[str]
    products: Sequence[str]
    phrases: Sequence[str]
    spelled: Sequence[str]
    starts: Sequence[str]
    changes: Mapping[str, Sequence[str]]
    how_many: Sequence[str]
    letters: Sequence[str]
    holds: str
    swaps: Sequence[str]
    swapped: str
    what_has: Sequence[str]
    lives: Sequence[str]
    facts: Mapping[str, str]
    bought: Sequence[str]
    reviews: Mapping[str, Sequence[str]]
    feels: str
    requests: Mapping[str, Sequence[str]]
    needs: str

    def join_sentences(self, sentences: Iterable[str]) -> str:
        """Join sentences to one text."""
        return self.space.join(sentences)

    def join_steps(self, steps: Sequence[str]) -> str:
        """Join steps to sentences."""
        return f"{self.stop}{self.space}".join(steps) + self.stop

    def describe_state(self, held: Mapping[str, str]) -> str:
        """Describe who has what."""
        return ", ".join(f"{name} {thing}" for name, thing in held.items())


def _split_words(text: str) -> list[str]:
    return text.split()


_SPELLED = _split_words(
    """Wren Juno Idris Maeve Ronan Sable Tamsin Corin Delphine Ewan Gideon Hollis Jarek Katrin Lorcan
Mireille Neve Orla Piers Quentin Soren Ulric Verena Wilda Yannick Zelda Anouk Bram Cosima Dorian Elspeth
Fintan Isolde"""
)

_ENGLISH = Words(
    space=" ",
    stop=".",
    names=_SPELLED,
    full_names=[f"{first} {last}" for first in _SPELLED for last in ("Varga", "Okoro", "Lindqvist", "Marchetti")],
    cities=_split_words("Tartu Bergamo Galway Aarhus Porto Ghent Utrecht Lviv Cusco Kazan Split Nara Bath Turku Cork"),
    jobs=_split_words(
        "plumber dentist sailor florist tailor surveyor beekeeper librarian welder actuary optician potter"
    ),
    things=_split_words("coins shells marbles books tickets pens apples stamps cups keys stones cards"),
    objects=[
        f"{colour} {thing}" for colour in ("red", "blue", "green", "yellow", "white") for thing in ("ball", "hat")
    ],
    products=_split_words("kettle jacket lamp bicycle headset blender suitcase clock tent printer"),
    phrases=["good night", "thank you", "see you soon", "well done", "happy birthday", "take care", "come in"],
    spelled=_SPELLED,
    starts=["{n} has {a} {o}.", "{n} starts with {a} {o}.", "There are {a} {o} in {n}'s bag."],
    changes={
        "+": ["{n} buys {b} more.", "{m} gives {n} {b} more.", "{n} finds {b} more."],
        "-": ["{n} gives {b} to {m}.", "{n} loses {b}.", "{n} sells {b}."],
        "*": ["Then {n} has {b} times as many.", "The number grows {b} times."],
    },
    how_many=["How many {o} does {n} have?", "How many {o} are there now?", "How many {o} are left at the end?"],
    letters=[
        'Take the last letters of the words in "{w}" and join them.',
        "Concatenate the last letter of each word: {w}.",
        'What do the last letters of "{w}" spell?',
    ],
    holds="{0} has a {1}, {2} has a {3} and {4} has a {5}.",
    swaps=["{a} and {b} swap.", "Then {a} and {b} trade.", "{a} swaps with {b}."],
    swapped="{0} and {1}: {2}",
    what_has=["What does {n} have at the end?", "What does {n} have now?"],
    lives=[
        "{name} is {age} years old, lives in {city} and works as a {occupation}.",
        "{name}, aged {age}, is a {occupation} from {city}.",
        "I met {name} in {city}, a {occupation} who is {age} years old.",
    ],
    facts={
        "name": "This is about {name}.",
        "age": "{name} is {age} years old.",
        "city": "{name} lives in {city}.",
        "occupation": "{name} works as a {occupation}.",
    },
    bought=["I bought the {x} in {c}.", "My {x} came from {c}.", "The {x} was a present from {c}."],
    reviews={
        "positive": ["I love the {x}.", "The {x} works perfectly.", "I am very happy with the {x}."],
        "negative": ["The {x} broke after one day.", "I am really disappointed with it.", "The {x} is terrible."],
        "neutral": ["The {x} has two buttons.", "The {x} is in the kitchen.", "It arrived on Tuesday."],
    },
    feels="{0} is {1}",
    requests={
        "weather": ["What is the weather in {x}?", "Will it rain in {x}?", "Give me the forecast for {x}."],
        "timer": ["Set a timer for {x} minutes.", "Remind me in {x} minutes.", "Count down {x} minutes."],
        "message": ["Write to {x} that I am late.", "Tell {x} that dinner is ready.", "Send {x} my address."],
        "translate": ['Translate "{x}" into French.', 'How do you say "{x}" in Italian?', 'Say "{x}" in Polish.'],
        "search": ["Search the web for {x}.", "Look up {x}.", "Find pages about {x}."],
    },
    needs="the request needs {0} with {1}",
)

_CHINESE = Words(
    space="",
    stop="。",
    names=[
        "芷若",
        "亦凡",
        "沐晨",
        "雨桐",
        "子墨",
        "思远",
        "若曦",
        "浩然",
        "梓涵",
        "语嫣",
        "承宇",
        "诗韵",
        "景行",
        "望舒",
    ],
    full_names=[
        f"{last}{first}" for last in "沈韩顾陆" for first in ("芷若", "亦凡", "沐晨", "雨桐", "思远", "若曦", "景行")
    ],
    cities=["宁波", "无锡", "珠海", "洛阳", "桂林", "烟台", "绍兴", "扬州", "银川", "贵阳", "泉州", "湖州"],
    jobs=["木匠", "牙医", "船员", "花匠", "裁缝", "测量员", "养蜂人", "图书管理员", "焊工", "精算师", "陶艺师"],
    things=["硬币", "贝壳", "弹珠", "书", "邮票", "钢笔", "苹果", "杯子", "钥匙", "卡片"],
    objects=[f"{colour}{thing}" for colour in ("红", "蓝", "绿", "黄", "白") for thing in ("球", "帽子")],
    products=["水壶", "夹克", "台灯", "自行车", "耳机", "搅拌机", "行李箱", "闹钟", "帐篷", "打印机"],
    phrases=["晚安", "谢谢", "再见", "做得好", "生日快乐", "保重", "请进"],
    spelled=_SPELLED,
    starts=["{n}有{a}个{o}。", "{n}一开始有{a}个{o}。", "{n}的包里有{a}个{o}。"],
    changes={
        "+": ["{n}又买了{b}个。", "{m}又给了{n}{b}个。", "{n}又找到{b}个。"],
        "-": ["{n}给了{m}{b}个。", "{n}丢了{b}个。", "{n}卖掉了{b}个。"],
        "*": ["后来数量变成原来的{b}倍。", "然后{n}的数量变为{b}倍。"],
    },
    how_many=["{n}现在有多少个{o}？", "最后有多少个{o}？", "现在一共有多少个{o}？"],
    letters=[
        "取“{w}”中每个单词的最后一个字母并连起来。",
        "把这些单词的最后一个字母连接起来：{w}。",
        "“{w}”各单词的最后一个字母连起来是什么？",
    ],
    holds="{0}有{1}，{2}有{3}，{4}有{5}。",
    swaps=["{a}和{b}交换。", "然后{a}和{b}互换。", "{a}与{b}对调。"],
    swapped="{0}和{1}：{2}",
    what_has=["最后{n}有什么？", "现在{n}手里是什么？"],
    lives=[
        "{name}今年{age}岁，住在{city}，是一名{occupation}。",
        "我叫{name}，{age}岁，来自{city}，职业是{occupation}。",
        "{name}是{city}的{occupation}，{age}岁。",
    ],
    facts={
        "name": "这里说的是{name}。",
        "age": "{name}今年{age}岁。",
        "city": "{name}住在{city}。",
        "occupation": "{name}是一名{occupation}。",
    },
    bought=["我在{c}买了这个{x}。", "我的{x}是从{c}寄来的。", "这个{x}是{c}的朋友送的。"],
    reviews={
        "正面": ["我很喜欢这个{x}。", "{x}非常好用。", "对{x}非常满意。"],
        "负面": ["{x}用了一天就坏了。", "真的很失望。", "这个{x}太差了。"],
        "中性": ["{x}有两个按钮。", "{x}放在厨房里。", "它是星期二到的。"],
    },
    feels="“{0}”是{1}",
    requests={
        "weather": ["{x}的天气怎么样？", "{x}会下雨吗？", "告诉我{x}的天气预报。"],
        "timer": ["设一个{x}分钟的计时器。", "{x}分钟后提醒我。", "倒计时{x}分钟。"],
        "message": ["写信告诉{x}我会迟到。", "告诉{x}晚饭好了。", "把我的地址发给{x}。"],
        "translate": ["把“{x}”翻译成法语。", "“{x}”用意大利语怎么说？", "用波兰语说“{x}”。"],
        "search": ["在网上搜索{x}。", "查一下{x}。", "找关于{x}的网页。"],
    },
    needs="需要工具 {0}，参数是 {1}",
)

WORDS: Mapping[str, Words] = {"en": _ENGLISH, "zh": _CHINESE}

ABOUT: Mapping[str, Mapping[str, Sequence[str]]] = {
    "en": {
        "arithmetic": ["Solve the problem.", "Work out the number that is asked for.", "Answer this word problem."],
        "last_letters": [
            "Join the last letters of the words, in small letters.",
            "Write the last letter of each word, one after the other, in small letters.",
            "Put the final letters of the words together, in small letters.",
        ],
        "shuffled_objects": [
            "Follow the swaps and say what the person has.",
            "Keep track of who has what, and answer the question.",
            "People swap things. Say which one the person ends up with.",
        ],
        "extraction": [
            "Extract name, age, city and occupation.",
            "Find the name, age, city and occupation of the person.",
            "Read the text and give the person's name, age, city and occupation.",
        ],
        "classification": [
            "Say whether the review is positive, negative or neutral.",
            "Classify the sentiment: positive, negative or neutral.",
            "Is the writer's feeling positive, negative or neutral?",
        ],
        "tool_choice": [
            "Choose the tool that the request needs (weather, timer, message, translate, search) and its argument.",
            "Which tool fits: weather, timer, message, translate or search? Give its argument too.",
            "Tools: weather(city), timer(minutes), message(person), translate(phrase), search(query). "
            "Pick one and its argument.",
        ],
    },
    "zh": {
        "arithmetic": ["解答下面的问题。", "算出所问的数。", "回答这道应用题。"],
        "last_letters": [
            "把各单词的最后一个字母连起来，用小写。",
            "依次写出每个单词的最后一个字母，用小写。",
            "将单词的末尾字母拼在一起，用小写。",
        ],
        "shuffled_objects": [
            "跟踪交换，说出这个人有什么。",
            "记住谁有什么，再回答问题。",
            "人们交换物品，说出这个人最后得到哪一个。",
        ],
        "extraction": [
            "提取姓名（name）、年龄（age）、城市（city）和职业（occupation）。",
            "找出此人的 name（姓名）、age（年龄）、city（城市）、occupation（职业）。",
            "阅读文本，给出 name、age、city、occupation，即姓名、年龄、城市、职业。",
        ],
        "classification": [
            "判断评论是正面、负面还是中性。",
            "情感分类：正面、负面或中性。",
            "作者的感受是正面、负面还是中性？",
        ],
        "tool_choice": [
            "选择请求所需的工具（weather、timer、message、translate、search）及其参数。",
            "哪个工具合适：weather、timer、message、translate 还是 search？同时给出参数。",
            "工具：weather（城市）、timer（分钟）、message（人）、translate（短语）、search（内容）。选一个并给出参数。",
        ],
    },
}
"""What to do in each task, in three wordings."""
