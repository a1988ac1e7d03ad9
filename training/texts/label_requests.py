"""Instructions that ask for a label, with and without the options."""

from __future__ import annotations

from collections.abc import Sequence

from texts.phrasing import capital, cut, exact, sentences
from texts.world import World

GENERIC_REQUESTS = sentences("""
[What is|What's|Name|Give|Find|Determine|Tell me|Identify] the {t}[.| of this text.| of the text above.]
[Classify|Label|Tag|Categorize|Sort] [the text|this text|this message|the following text][.| by {t}.| according to its {t}.]
{T}:
{T}?
[Which|What] {t} [does|would] [the text|this message] [have|show]?
[Choose|Pick|Select] the [right|best|fitting|correct] {t}[.| for the text.| of this message.]
[Read the text|Read this] and [name|give|choose] the {t}.
[Your task|Task|Job]: [find|predict|name] the {t}.
[Assign|Give] [one|a] {t} [to|for] the text[.|, nothing else.]
[Predict|Recognize|Detect] the {t}[.| of the text.]
[Please|Kindly] [tell me|give|name] the {t}[.| only.]
[I need|We need|I want] the {t} [of this text|of the message|only].
[You are|Act as] a classifier[.|:] [Give|Return] the {t}.
[Answer|Reply] with the {t}[.| only.|, one label.]
""")
TASK_NOUNS = {
    "sentiment": cut("sentiment / polarity / opinion / tone / attitude"), "emotion": cut("emotion / feeling / mood"), "topic": cut("topic / category / subject / theme / section"),
    "intent": cut("intent / intention / purpose / request type / category"), "urgency": cut("urgency / priority / importance"), "spam": cut("class / category / label"),
    "question_type": cut("question type / kind of question / type of answer / expected answer"), "language": cut("language"), "formality": cut("style / register / formality"), "yes_no": cut("answer"),
}
OWN_REQUESTS = {
    "sentiment": sentences("""
How does the [writer|customer|author] feel[| about it]?
[Rate|Judge] [this|the] [review|comment].
Is this [review|comment|opinion] [good or bad|positive or negative], or neither?
[Does|Did] the [writer|customer] like it?
[What does the customer think|What is the verdict]?
"""),
    "emotion": sentences("""
How does the [writer|person|speaker] feel?
Which [emotion|feeling] [speaks from|is in|does one hear in] [the text|these words]?
[In what mood is|What moves] the [writer|speaker]?
"""),
    "topic": sentences("""
What is [this|the text|the article] about?
[Where|In which section] does this [article|text|headline] belong?
Which [field|area] is it about?
[File|Sort|Put] this [article|text] under the right heading.
"""),
    "intent": sentences("""
What does the [customer|user|person] want?
Why does [the customer|the user|somebody] write this?
[Which department|Where] should this [go|be sent]? Choose by intent.
[Route|Sort] this [request|message|question].
What is the [user|customer] asking for?
"""),
    "urgency": sentences("""
How urgent is [this|it|the message|the request]?
How soon [must|should] [we|one] [act|answer]?
[Set|Choose] the priority of [the ticket|this message].
How important is [this|the request]?
"""),
    "spam": sentences("""
Is this [|message |mail |text ]spam?
[Spam or not|Junk or not|Is it junk]?
[Check|Filter] [this message|this mail|the inbox entry].
Does this [message|mail] belong in the junk folder?
"""),
    "question_type": sentences("""
What does the question ask for?
What kind of [answer|thing] does [the question|this question] [ask for|expect|want]?
[Classify|Sort] the question[.| by what it asks for.]
What must the answer be?
"""),
    "language": sentences("""
[What|Which] language is [this|it|that|the text][| in]?
In [what|which] language is [this|the text] written?
[Detect|Name|Recognize|Identify] the language[.| of the text.]
[What|Which] language [does|did] the writer use?
"""),
    "formality": sentences("""
Is [this|the text|the message] formal[| or informal]?
How formal is [this|the text|the message]?
[Judge|Name|Classify] the style[.| of the text.]
"""),
    "yes_no": sentences("""
[Is it so|Is that right|Is that so]?
[Answer|Reply] [the question|with the right word|by the text][.| only.]
Does the text say [so|that|this]?
[Judge|Decide|Check] by the text.
[According to the text, what|What] is the [right|correct] answer?
[Decide|Check] [whether it is right|what the text says].
"""),
}
SPAM_ASKS = sentences("""
Is this [|message |mail |text ][spam|junk|an unwanted ad][?|, yes or no?]
[Spam|Junk]: yes or no?
[Say|Answer] yes if [it is|this is] [spam|junk], [else|otherwise] no.
[Yes or no|Tell me, yes or no]: is it [spam|junk]?
""")
ZH_SPAM_ASKS = sentences("[这是|这条是]垃圾短信吗？[回答是或不是。|]\n[是不是|判断是不是]垃圾[短信|信息]？\n是垃圾短信就[说|回答]是，否则[说|回答]不是。")
OPTION_REQUESTS = sentences("""
[Choose|Pick|Select][:| from:| one of:| one:] {o}.
[Options|Labels|Choices|Classes|Categories|Possible answers|Allowed values|Candidates]: {o}[.|]
[Answer|Reply|Respond] with [one of|exactly one of|one of these:] {o}.
[Is it|Which of these is it:] {o}?
One of {o}.
[It must be|The answer is|It is] one of {o}.
[Possible|Allowed|Valid] [labels|options|classes|answers] are {o}.
[Use|Take] one of [these labels|the labels]: {o}.
""")
OPTION_FIRST = sentences("""
[Classify|Label|Tag|Sort] [the text|this|the following text|this message] as {o}.
[Which of|Which one of] {o} [fits|fits best|is right|applies]?
[Decide|Say|Tell me] [which of|which one of] {o} [fits|it is|applies].
[Choose|Pick|Select] [the right one|the best label|one label] from {o}.
""")
OR_REQUESTS = sentences("""
[Is it|Is this|Would you call it] {o}?
{O}?
[Answer|Reply|Say] {o}.
[Say|Tell me] whether it is {o}.
""")
ZH_NOUNS = {
    "sentiment": cut("情感 / 情感倾向 / 态度 / 评价"), "emotion": cut("情绪 / 心情 / 感情"), "topic": cut("主题 / 话题 / 类别 / 分类"), "intent": cut("意图 / 目的 / 用户意图 / 请求类型"),
    "urgency": cut("紧急程度 / 优先级 / 重要程度"), "spam": cut("类别 / 标签"), "question_type": cut("问题类型 / 提问类型"), "yes_no": cut("答案"),
}
ZH_GENERIC = sentences("""
{t}[是什么|是哪个|是哪一个]？
[判断|请判断|找出|识别|请给出|说出|写出|预测][下面文字的|这段话的|文本的|]{t}。
{t}：
{t}？
[请|][选择|选出|给出][正确的|合适的|最合适的]{t}。
[按|根据]{t}[分类|给文本分类|归类]。
[这段话|这句话|文本|这条消息]的{t}[是什么|是哪个|是哪种]？
[只|请只]回答{t}。
[任务|你的任务]：[判断|找出|预测]{t}。
[阅读|看完|读完]文字，[回答|给出|选择]{t}。
""")
ZH_OWN = {
    "sentiment": sentences("[这条|这个]评论是好还是坏？\n[作者|顾客|客户][喜欢|满意]吗？\n这是[好评|正面评价]吗？"),
    "emotion": sentences("[说话人|作者]的[心情|感受]怎么样？\n[从文字看，|]这个人有什么[感受|情绪]？"),
    "topic": sentences("[这|这段话|这篇文章]是关于什么的？\n[这段话|这篇文章]属于哪个[栏目|领域]？"),
    "intent": sentences("[用户|顾客|客户]想[做什么|要什么]？\n[这条消息|这句话]是为了什么？\n[顾客|用户]的[需求|要求]是什么？"),
    "urgency": sentences("[这件事|这个请求]有多[急|重要]？\n[应该多快|多久之内要]处理？"),
    "spam": sentences("[这是|这条是]垃圾短信吗？\n[这条消息|这条短信]正常吗？"),
    "question_type": sentences("[这个问题|问题]问的是什么？\n[这个问题|提问的人]想知道[什么|哪方面]？"),
    "yes_no": sentences("[对吗|是这样吗|对不对]？\n[根据上文|根据文字|按照原文][回答|判断]。\n[文中|上文]是这么说的吗？"),
}
ZH_OPTIONS = sentences("""
[选项|可选|标签|类别|可选标签|候选]：{o}[。|]
[请选择|请从中选择|选一个|请选一个]：{o}。
从{o}中[选择|选一个|选出一个]。
[只能|请]回答{o}中的一个。
是{o}中的哪一个？
[请|]用{o}[之一|中的一个]回答。
""")
ZH_OPTION_FIRST = sentences("[请|][把|将][文本|这段话|下面的文字]分为{o}。\n{o}，[哪个|哪一个][对|合适|正确]？\n[判断|请判断|说说][这段话|它|文本]是{o}。")


def join_options(world: World, options: list[str], chinese: bool) -> str:
    """The options in a row, or below each other."""
    draw = world.random.random()
    if chinese:
        return world.random.choice(["、", "、", "，", "/", " / ", ", "]).join(options)
    if draw < 0.06:
        return "\n" + "\n".join(f"- {option}" for option in options)
    if draw < 0.35 and len(options) > 1:
        return ", ".join(options[:-1]) + (world.random.choice([" or ", " or ", ", or ", " and "]) if len(options) > 2 else " or ") + options[-1]
    if draw < 0.45:
        return ", ".join(f"{mark}{option}{mark}" for mark in [world.random.choice("\"'")] for option in options)
    return world.random.choice([", ", ", ", ", ", " / ", "/", " | ", "; "]).join(options)


def requests(world: World, language: str, task: str, options: Sequence[str]) -> str:
    """An instruction that asks for the label; it lists the options if there are any, mostly."""
    chinese = language == "zh"
    nouns = (ZH_NOUNS if chinese else TASK_NOUNS)[task]
    own = (ZH_OWN if chinese else OWN_REQUESTS)[task]
    noun = world.random.choice(nouns)
    if task == "spam" and {option.lower() for option in options} & {"yes", "no", "是", "不是"}:
        return exact(world, ZH_SPAM_ASKS if chinese else SPAM_ASKS)
    template = world.sentence(own if world.chance(0.45) else (ZH_GENERIC if chinese else GENERIC_REQUESTS))
    asked = template.format(t=noun, T=capital(noun))
    if not options or world.chance(0.3):
        return asked
    row = join_options(world, list(options), chinese)
    if len(options) <= 6 and not row.startswith("\n") and world.chance(0.25):
        return listed(world, list(options), chinese)
    listing = world.sentence(ZH_OPTIONS if chinese else OPTION_REQUESTS).format(o=row)
    if row.startswith("\n"):
        listing = world.random.choice(["Options:", "Labels:", "Choices:", "Choose one:"]) + row
    gap = world.random.choice(["", "", "\n"]) if chinese else world.random.choice([" ", " ", "\n"])
    if listing[-1] not in ".?!。？！":
        gap = "\n"
    return gap.join([asked, listing] if world.chance(0.8) and not row.startswith("\n") or row.startswith("\n") else [listing, asked])


def listed(world: World, options: list[str], chinese: bool) -> str:
    """One sentence that both asks and lists."""
    if chinese:
        return world.sentence(ZH_OPTION_FIRST).format(o="、".join(options[:-1]) + "还是" + options[-1])
    either = ", ".join(options[:-1]) + " or " + options[-1]
    if world.chance(0.5):
        return world.sentence(OR_REQUESTS).format(o=either, O=capital(either))
    return world.sentence(OPTION_FIRST).format(o=either)
