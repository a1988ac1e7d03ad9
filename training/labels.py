"""The sentences behind the choice tasks: sentiment and topic, English and Chinese.

Each table maps a label to sentence templates; `{x}` is filled with a thing of
the matching list. As everywhere, every eighth entry is held out for evaluation.
"""

SENTIMENT_THINGS = (
    "film book phone hotel meal service camera game course laptop jacket restaurant app song show trip "
    "sofa keyboard concert museum flight blender lamp printer"
).split()

SENTIMENT = {
    "positive": [
        "I love this {x}.", "The {x} was wonderful.", "What a great {x}!", "This {x} is excellent and I am happy.",
        "Best {x} I ever had.", "I enjoyed the {x} very much.", "The {x} is perfect, five stars.",
        "A fantastic {x}, I would buy it again.", "The {x} works great and looks beautiful.",
        "I highly recommend this {x}.", "Really pleased with the {x}.", "The {x} made my day.",
        "Amazing quality, the {x} is superb.", "Everyone smiled, the {x} was delightful.",
        "The {x} was better than I hoped.", "Great value, lovely {x}.",
    ],
    "negative": [
        "I hate this {x}.", "The {x} was terrible.", "What an awful {x}!", "This {x} is bad and I am angry.",
        "Worst {x} I ever had.", "I did not enjoy the {x} at all.", "The {x} is useless, one star.",
        "A horrible {x}, I want my money back.", "The {x} broke after one day and looks ugly.",
        "I cannot recommend this {x}.", "Really disappointed with the {x}.", "The {x} ruined my day.",
        "Poor quality, the {x} is a waste of money.", "Everyone complained, the {x} was boring.",
        "The {x} was worse than I feared.", "Bad value, dreadful {x}.",
    ],
    "neutral": [
        "The {x} is okay.", "The {x} was average.", "This is a {x}.", "The {x} arrived on Tuesday.",
        "The {x} is neither good nor bad.", "I bought the {x} last week.", "The {x} does what it says.",
        "It is a normal {x}, nothing special.", "The {x} has a black cover.", "The {x} is fine, I guess.",
        "The {x} comes in three sizes.", "I have no strong opinion about the {x}.",
        "The {x} was so so.", "The {x} is about what I expected.", "An ordinary {x}.", "Standard {x}, average price.",
    ],
}

CHINESE_THINGS = "电影 书 手机 酒店 菜 服务 相机 游戏 课程 电脑 衣服 餐厅 歌 音乐会 沙发 耳机".split()

CHINESE_SENTIMENT = {
    "positive": [
        "我很喜欢这个{x}。", "这个{x}非常好。", "{x}太棒了！", "这是我用过最好的{x}。", "{x}质量很好，很满意。",
        "强烈推荐这个{x}。", "{x}很漂亮，我很开心。", "{x}特别好，下次还会来。", "{x}很优秀，值得买。",
    ],
    "negative": [
        "我很讨厌这个{x}。", "这个{x}非常差。", "{x}太糟糕了！", "这是我用过最差的{x}。", "{x}质量很差，很失望。",
        "不推荐这个{x}。", "{x}很难看，我很生气。", "{x}特别差，下次不会来了。", "{x}很糟，浪费钱。",
    ],
    "neutral": [
        "这个{x}还可以。", "这个{x}一般。", "{x}昨天到了。", "{x}不好也不坏。", "{x}很普通，没什么特别。",
        "我上周买了这个{x}。", "{x}有三种颜色。", "对{x}没有意见。", "{x}马马虎虎。",
    ],
}

# The names a prompt may give to the three sentiments.
SENTIMENT_LABELS = [
    {"positive": "positive", "negative": "negative", "neutral": "neutral"},
    {"positive": "positive", "negative": "negative", "neutral": "neutral"},
    {"positive": "good", "negative": "bad", "neutral": "neutral"},
    {"positive": "happy", "negative": "unhappy", "neutral": "neutral"},
    {"positive": "POSITIVE", "negative": "NEGATIVE", "neutral": "NEUTRAL"},
]
CHINESE_SENTIMENT_LABELS = [
    {"positive": "正面", "negative": "负面", "neutral": "中性"},
    {"positive": "好评", "negative": "差评", "neutral": "中评"},
    {"positive": "positive", "negative": "negative", "neutral": "neutral"},
]

TOPIC_THINGS = {
    "sports": "match team goal coach player league tournament race champion stadium score referee marathon medal striker trophy".split(),
    "technology": "software computer chip robot smartphone app internet processor network laptop startup algorithm database browser server programmer".split(),
    "politics": "election president minister parliament vote senator government party law campaign policy treaty mayor debate ballot congress".split(),
    "business": "market shares bank profit company investor economy trade merger stock inflation revenue price factory tax shareholder".split(),
    "health": "doctor hospital vaccine disease patient medicine diet virus surgery nurse clinic therapy sleep vitamin flu symptom".split(),
    "travel": "hotel flight beach tourist island passport cruise luggage airport trip resort museum visa suitcase vacation hostel".split(),
    "food": "recipe soup bread cheese sauce restaurant dessert spice chef salad cake oven dinner butter pasta noodle".split(),
    "science": "experiment planet physics atom telescope biology fossil scientist galaxy chemistry gene laboratory particle theory comet molecule".split(),
}

TOPIC_TEMPLATES = [
    "The {x} and the {y} were in the news today.", "Everybody talks about the {x} and the {y}.",
    "A new {x} surprised people because of the {y}.", "The {x} was better than the {y} this year.",
    "She told us about the {x} after the {y}.", "Yesterday the {x} changed everything for the {y}.",
    "They are waiting for the {x} and another {y}.", "Our reporter looks at the {x} behind the {y}.",
    "Last week a {x} and a {y} made headlines.", "What does the {x} mean for the {y}?",
    "The {x} depends on the {y}, experts say.", "He wrote a long article on the {x} and the {y}.",
]

CHINESE_TOPIC_THINGS = {
    "体育": "比赛 球队 教练 球员 冠军 进球 足球 篮球".split(),
    "科技": "电脑 手机 芯片 机器人 软件 网络 程序 数据".split(),
    "财经": "股票 银行 市场 公司 投资 价格 经济 利润".split(),
    "健康": "医生 医院 疫苗 病人 药 睡眠 病毒 护士".split(),
    "旅游": "酒店 航班 海滩 游客 护照 机场 景点 行李".split(),
    "美食": "菜谱 汤 面包 餐厅 蛋糕 厨师 米饭 面条".split(),
}

CHINESE_TOPIC_TEMPLATES = [
    "今天的新闻说到{x}和{y}。", "大家都在谈{x}和{y}。", "新的{x}影响了{y}。", "昨天的{x}和{y}让人惊讶。",
    "记者报道了{x}和{y}。", "{x}比{y}更重要。", "他写了一篇关于{x}和{y}的文章。", "我们看了{x}，也看了{y}。",
    "专家认为{x}离不开{y}。",
]

CHINESE_TOPIC_ENGLISH = {"体育": "sports", "科技": "technology", "财经": "business", "健康": "health", "旅游": "travel", "美食": "food"}
