"""Small helpers of the tables of texts: how they are written down, drawn and put together."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from texts.examples import Choice, Number
from texts.world import World, alternatives


def lines(text: str) -> list[str]:
    """The lines of a table, without empty ones and without double ones."""
    return list(dict.fromkeys(line.strip() for line in text.strip().splitlines() if line.strip()))


def cut(text: str) -> list[str]:
    """The entries of a table written as `a / b c / d`."""
    return list(dict.fromkeys(entry.strip() for entry in text.replace("\n", " ").split("/") if entry.strip()))


def sentences(text: str) -> list[str]:
    """The templates of a table, one a line, with their alternatives expanded."""
    return list(dict.fromkeys(marked(sentence) for sentence in alternatives(*lines(text))))


QUESTION = re.compile(r"(What|What's|Which|Who|Whose|How|Where|When|Why|In which|In what|At which|Is|Are|Do|Does|Did|Has|Have|Can|Could|Will|Would)\b(?! (a|an|that|pity|loss)\b)")


def marked(sentence: str) -> str:
    """A question that ends in nothing or in a full stop gets its question mark."""
    if QUESTION.match(sentence) and not re.search(r"[!?,:]|\.(?=.)|\.\.\.", sentence) and not sentence.startswith(("When that", "When {", "Do these")):
        return sentence.rstrip(". ") + "?"
    return sentence


def framed(cores: Sequence[str], frames: Sequence[str], more: Sequence[str] = ()) -> list[str]:
    """Every core in every frame (at its `{c}`), and more templates, all expanded."""
    return alternatives(*more, *(frame.replace("{c}", core) for core in cores for frame in frames))


def exact(world: World, templates: Sequence[str]) -> str:
    """Choose a template of this world's side as it stands: no word of it may be lost, it carries the meaning."""
    return world.from_side(templates, world.held_sentences)


def articles(text: str) -> str:
    """`an` before a vowel."""
    return re.sub(r"\b([Aa]) (?=(?!one\b|uni|use|usu|eu|ukulele)[aeiouAEIOU])", r"\1n ", text)


def capital(text: str) -> str:
    """The first letter in upper case, the others as they are."""
    return text[:1].upper() + text[1:]


def whole(low: int, high: int) -> Callable[[World], Number]:
    """A maker of whole numbers."""
    return lambda world: Number(str(world.integer(low, high)))


def one_of(options: str) -> Callable[[World], Choice]:
    """A maker of one of the words."""
    entries = tuple(options.split())
    return lambda world: Choice(world.random.choice(entries), entries)


def flag(world: World) -> bool:
    """True or false."""
    return world.chance(0.5)


CHINESE_CHARACTERS = (
    "的一是了我不在人有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可里后小么心多天而能好都然没日于起还发成"
    "事只作当想看文无开手用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向"
    "情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市眼体"
    "春夏秋冬花草树木风雨雪云星光河湖石金银铜铁红黄蓝绿白黑青紫茶饭米面鱼鸟马牛羊狗猫书纸笔画歌舞车船路桥楼房窗灯桌椅床衣帽鞋"
)


def chinese_phrase(world: World, low: int = 2, high: int = 4) -> str:
    """A few characters that need not mean anything, so that copying goes character by character."""
    return "".join(world.random.choices(CHINESE_CHARACTERS, k=world.random.randint(low, high)))
