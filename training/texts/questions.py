"""Questions about a text whose answer is one value, bare.

    Ada is 36. How old is she?      ->  36
"""

from __future__ import annotations

import re

from texts.chinese import CHINESE
from texts.english import ENGLISH
from texts.examples import Example, Number, Segment, Turn, given, text_of
from texts.prompts import arrange
from texts.records import tell
from texts.world import World, alternatives

# {n} is the name of a person, {k} a key of the fact.
OF_PERSONS = {
    "name": ["[What is the|What's the] name?", "Who is this?", "Who is it about?", "Name?"],
    "age": ["How old is {n}?", "What age is {n}?", "What is the age of {n}?", "How many years old is {n}?", "[Give|Tell me] the age.", "Age?"],
    "city": ["Where does {n} live?", "In which city does {n} live?", "Which city is {n} in?", "Where is {n} at home?", "City?"],
    "country": ["Which country is {n} from?", "What country does {n} come from?"],
    "occupation": ["What does {n} do?", "What is {n}'s job?", "What does {n} work as?", "Job?"],
    "employer": ["Where does {n} work?", "Who does {n} work for?"],
    "birth_year": ["When was {n} born?", "In which year was {n} born?"],
    "children": ["How many children does {n} have?", "How many kids does {n} have?"],
    "email": ["What is {n}'s e-mail address?", "How can I write to {n}?"],
    "phone": ["What is {n}'s phone number?", "How can I call {n}?"],
    "pet": ["What is the pet of {n} called?"],
}
OF_THINGS = {
    "price": ["How much is it?", "What does it cost?", "How much does it cost?"], "date": ["[When|On which day] is it?", "What day?"], "time": ["At what time?", "When does it start?"],
    "place": ["Where is it?", "Where does it take place?"], "host": ["Who is the host?"], "brand": ["Who makes it?"], "color": ["What colour is it?", "Which color?"],
    "stock": ["How many are left?"], "origin": ["Where does it leave from?"], "destination": ["Where does it go?"], "minutes": ["How long does it take?"], "rooms": ["How many rooms?"],
    "rent": ["How much is the rent?"], "salary": ["How much does it pay?"], "teacher": ["Who teaches it?"], "director": ["Who made it?"], "quantity": ["How many?"], "total": ["How much is to be paid?"],
}
OF_KEYS = alternatives(
    "[What is|What's|Give|Tell me|Find|I need] the {k}", "The {k}", "[Give|Write|Return|Answer with] [only|just] the {k}", "What is the {k}? Answer with [it|the value] only",
)
NO_NOUNS = {"from", "to", "born", "with", "for", "by", "who", "when", "where", "works_at", "works_for", "lives_in", "leaves", "arrives", "lands_at", "directed_by", "starts", "free_from"}
OF_CHINESE_PERSONS = {
    "name": ["[他|她|这个人|]叫什么[名字|]？", "[这|那]是谁？", "姓名？", "[说的|讲的]是谁？"], "age": ["{n}[今年|现在|]多大[了|年纪|]？", "{n}[今年|现在|]几岁[了|]？", "{n}[今年|]多少岁？", "年龄[是多少|]？"],
    "city": ["{n}[现在|]住在[哪里|哪儿|哪个城市|什么地方]？", "{n}在哪个城市？", "[城市|住处]？"], "occupation": ["{n}[是|]做什么[工作|]的？", "{n}的[职业|工作]是什么？", "{n}从事什么[职业|工作]？"],
    "employer": ["{n}在[哪里|哪儿|哪家公司|什么单位]工作？"], "birth_year": ["{n}[是|]哪[一年|年]出生[的|]？", "{n}生于哪年？"], "phone": ["{n}的[电话|手机号|号码]是多少？", "怎么打电话给{n}？"], "email": ["{n}的[邮箱|邮箱地址|电子邮箱]是[什么|多少]？"],
}
OF_CHINESE_KEYS = alternatives(
    "[请问|问|]{k}是[什么|多少]？", "{k}[？|是？|：]", "[只|请|只要|请只|请直接][回答|给出|写|写出|告诉我|说出]{k}[。|，不要别的。|就行。]", "[请|]找出{k}。", "[我想知道|想知道]{k}[。|是什么。]", "[我要|告诉我]{k}。", "[文中|这里|上面]的{k}[是什么|是多少]？",
)


QUESTIONS = {
    (language, is_person): {name: alternatives(*ways) for name, ways in table.items()}
    for language, is_person, table in [("en", True, OF_PERSONS), ("en", False, OF_THINGS), ("zh", True, OF_CHINESE_PERSONS), ("zh", False, {})]
}


def question(world: World, name: str, fact, person: str, language: str) -> str:
    """What asks for a fact, of a person or else of a thing."""
    table = QUESTIONS[language, bool(person)]
    if name in table and world.chance(0.65):
        return world.random.choice(table[name]).replace("{n}", person)
    return by_key(world, fact, language)


def by_key(world: World, fact, language: str) -> str:
    """What asks for a fact by one of its keys."""
    if language == "zh":
        key = world.random.choice(fact.keys_zh or fact.keys).replace("_", " ")
        return world.sentence(OF_CHINESE_KEYS).replace("{k}", key)
    key = world.random.choice([key for key in fact.keys if key not in NO_NOUNS]).replace("_", " ")
    asked = world.sentence(OF_KEYS).replace("{k}", key)
    return asked + ("?" if asked.startswith("What") and "?" not in asked else world.random.choice([".", ":", "?"] if asked.startswith("The") else [".", ""]))


def only_number(world: World, language: str) -> Example:
    """A text with one number, and that number, though nothing asks for it."""
    domain = world.random.choice(CHINESE if language == "zh" else ENGLISH)
    text, values = tell(world, domain, [world.random.choice(list(domain.facts))])
    found = [value for value in values.values() if isinstance(value, Number)]
    if len(found) != 1 or re.search(r"\d", text.replace(text_of(found[0]), "", 1)):
        return only_number(world, language)
    return Example(f"answer_{language}", [Turn([given(arrange(world, text, "", language))], [Segment(text_of(found[0]), "line", weight=2.0)])], named=False)


def answered(world: World, language: str) -> Example:
    """One text, and one to three questions about it, each a turn; now and then nothing is asked."""
    if world.chance(0.15):
        return only_number(world, language)
    domains = CHINESE if language == "zh" else ENGLISH
    domain = domains[0] if world.chance(0.5) else world.random.choice(domains)
    text, values = tell(world, domain, world.random.sample(list(domain.facts), world.random.choice([1, 1, 2, 2, 3, 4])))
    askable = [name for name, value in values.items() if isinstance(value, str | Number)]
    if not askable:
        return answered(world, language)
    person = ""
    if domain is domains[0]:
        person = world.random.choice([values["name"], *["他", "她"] * (language == "zh"), *["he", "she"] * (language == "en")])
    turns = []
    for name in world.random.sample(askable, min(len(askable), world.random.choice([1, 1, 2, 3]))):
        asked = question(world, name, domain.facts[name], person, language)
        prompt = asked if turns else arrange(world, text, asked, language)
        turns.append(Turn([given(prompt)], [Segment(text_of(values[name]), "line", weight=2.0)]))
    return Example(f"answer_{language}", turns, named=True)
