"""Lists of records: several told in one text, orders with their items, and opinions that are pieces of the text."""

from __future__ import annotations

from dataclasses import dataclass

from texts import words
from texts.chinese import CHINESE
from texts.chinese_values import chinese_name, chinese_phrase, chinese_product
from texts.english import ENGLISH
from texts.examples import Choice, Number
from texts.prompts import Asked
from texts.records import Domain, Fact, NUMBER_WORDS, Shape, draw_shape, flag, join_words, label, repair_articles, say, spell_keys, tell
from texts.world import World, alternatives, city, code, date, full_name, price

CONTAINERS = {"en": ["people", "records", "list", "results", "items", "entries", "data"], "zh": ["列表", "结果", "记录", "数据"]}


def groups(world: World, count: int) -> Asked:
    """Texts that tell two to four records of a kind."""
    domain = world.random.choice(CHINESE if world.chance(0.3) else ENGLISH)
    shape = draw_shape(world, domain, most=3)
    shape = Shape(domain, shape.keys, frozenset(), None)
    key = world.random.choice(CONTAINERS["zh" if any("\u4e00" <= letter for letter in "".join(shape.keys.values())) else "en"])
    is_bare = world.chance(0.3)
    texts, answers = [], []
    for _ in range(count):
        rows = [tell(world, domain, list(shape.keys)) for _ in range(world.random.choice([2, 2, 3, 3, 4]))]
        texts.append(("" if domain.language == "zh" else world.random.choice([" ", "\n"])).join(text for text, _ in rows))
        array = [shape.answer(values) for _, values in rows]
        answers.append(array if is_bare else {key: array})
    return Asked("groups", texts, answers, domain.requests, domain.language)


# --- orders ---------------------------------------------------------------------------------------

ORDER_FACTS = {
    "id": Fact(code, ["order_id", "id", "order_number", "reference"], [
        "Order {v}.", "The order number is {v}.", "Order id: {v}.", "Reference: {v}.", "Order no. {v}.", "My order is {v}.", "This is order {v}.", "See order {v}."]),
    "customer": Fact(full_name, ["customer", "name", "buyer", "client", "customer_name"], [
        "The customer is {v}.", "Ordered by {v}.", "Customer: {v}.", "My name is {v}.", "For {v}.", "Bill to {v}.", "Buyer: {v}.", "Signed, {v}."]),
    "city": Fact(city, ["city", "ship_to", "destination", "delivery_city"], [
        "Ship to {v}.", "Deliver it to {v}.", "Send it to {v}.", "Destination: {v}.", "It goes to {v}.", "Delivery to {v}.", "Please send everything to {v}.", "The parcel goes to {v}."]),
    "date": Fact(date, ["date", "ordered_on", "order_date", "placed"], [
        "Ordered on {v}.", "Date: {v}.", "The order was placed on {v}.", "Placed {v}.", "It was ordered on {v}.", "Dated {v}.", "Order date: {v}.", "We got it on {v}."]),
    "total": Fact(lambda w: Number(price(w)), ["total", "amount", "sum", "total_price"], [
        "The total is ${v}.", "Total: {v}.", "In total {v} dollars.", "The sum is ${v}.", "Amount: ${v}.", "All together ${v}.", "It comes to ${v}.", "The bill is ${v}."]),
    "express": Fact(flag, ["express", "fast", "is_express", "urgent"], {
        True: ["Express delivery please.", "Send it by express.", "It is urgent.", "Use fast shipping."],
        False: ["Normal delivery is fine.", "No express needed.", "It is not urgent.", "Use slow shipping."]}),
    "paid": Fact(flag, ["paid", "is_paid", "payment_received"], {
        True: ["It is already paid.", "The bill was paid.", "Payment received.", "I have paid."],
        False: ["It is not paid yet.", "The bill is open.", "Payment is missing.", "I will pay later."]}),
    "status": Fact(label("new", "shipped", "delivered", "cancelled"), ["status", "state", "order_status"], {
        "new": ["The order is new.", "It just came in.", "Status: new."], "shipped": ["It has been shipped.", "It is on the way.", "Status: shipped."],
        "delivered": ["It was delivered.", "It has arrived.", "Status: delivered."], "cancelled": ["It was cancelled.", "The customer cancelled it.", "Status: cancelled."]}),
}
ORDER = Domain("order", ORDER_FACTS, [""], [(["customer", "city"], ("customer", "shipping", "client"))],
               ["Extract the order.", "Write the order as JSON.", "Read the order.", "Fill in the order form.", "Turn this into an order."])
ORDER_OPENINGS = [
    "{c} orders {i}.", "{c} bought {i}.", "Order from {c}: {i}.", "I am {c} and I would like {i}.", "{c} wants {i}.", "Please send {c} {i}.",
    "{c} ordered {i}.", "{c} asks for {i}.", "Customer {c} needs {i}.", "Hello, {c} here. I need {i}.", "New order by {c}: {i}.", "{c} has ordered {i}.",
    "{c} placed an order for {i}.", "This is {c}. Please send me {i}.", "{c} would like to buy {i}.", "{c} would like to order {i}.",
]
ITEM_KEYS = {"product": ["product", "item", "name", "article", "product_name"], "quantity": ["quantity", "count", "qty", "amount", "units"],
             "price": ["price", "unit_price", "cost", "each"], "color": ["color", "colour"]}
ITEM_CONTAINERS = ["items", "products", "lines", "order_items", "articles", "positions"]


def order_item(world: World, with_price: bool, with_color: bool) -> dict:
    item = {"product": world.mixed(words.PRODUCTS, 0.15).lower(), "quantity": Number(str(world.integer(1, 60)))}
    if with_price:
        item["price"] = Number(price(world))
    if with_color:
        item["color"] = world.random.choice(words.COLORS)
    return item


def say_item(world: World, item: dict) -> str:
    quantity, product = int(item["quantity"].text), item["product"]
    number = NUMBER_WORDS[quantity] if quantity <= 10 and world.chance(0.4) else str(quantity)
    plural = product + ("s" if quantity > 1 and world.chance(0.7) else "")
    count = world.random.choice(["{n}", "{n}", "{n} x", "{n}x"]).format(n=number)
    text = " ".join([count, item["color"], plural] if "color" in item else [count, plural])
    return text + (world.random.choice([" at ${p}", " for ${p} each", " (${p})", " at ${p} each"]).format(p=item["price"].text) if "price" in item else "")



@dataclass
class OrderShape:
    """Which facts and columns the answers of some orders hold, under which keys."""

    keys: dict[str, str]
    columns: dict[str, str]
    container: str
    is_shuffled: bool

    def answer(self, values: dict[str, object], items: list[dict[str, object]]) -> dict[str, object]:
        """The answer for an order."""
        rows = [{key: item[column] for column, key in self.columns.items()} for item in items]
        found = {key: values[fact] for fact, key in self.keys.items()}
        return {self.container: rows, **found} if self.is_shuffled else {**found, self.container: rows}


def orders(world: World, count: int) -> Asked:
    """Orders with a list of items and a few facts around it."""
    extra = world.random.sample([key for key in ORDER_FACTS if key != "customer"], world.random.choice([0, 1, 1, 2, 3]))
    columns = ["product", "quantity", *["price"] * world.chance(0.35), *["color"] * world.chance(0.3)]
    asked = ["customer"] * world.chance(0.85) + world.random.sample(extra, world.random.randint(0, len(extra)))
    named = world.random.sample(columns, world.random.randint(1, len(columns))) if world.chance(0.3) else columns
    spelled = {column: ITEM_KEYS[column][0] if world.chance(0.5) else world.random.choice(ITEM_KEYS[column]) for column in named}
    shape = OrderShape(spell_keys(world, ORDER, asked), spelled, world.random.choice(ITEM_CONTAINERS), world.chance(0.3))
    texts, answers = [], []
    for _ in range(count):
        items = [order_item(world, "price" in columns, "color" in columns) for _ in range(world.random.choice([1, 2, 2, 3]))]
        values = {key: ORDER_FACTS[key].make(world) for key in ["customer", *extra]}
        said = join_words([say_item(world, item) for item in items], world)
        sentences = [world.sentence(ORDER_OPENINGS).format(c=values["customer"], i=said)]
        sentences += [say(world, ORDER, key, values[key], {}) for key in extra]
        texts.append(repair_articles(" ".join(sentences)))
        answers.append(shape.answer(values, items))
    return Asked("orders", texts, answers, ORDER.requests)


CHINESE_ORDERS = alternatives(
    "{c}[订购|购买|下单|买]了{i}。", "[客户|买家|顾客]{c}[想要|需要|订了|要买]{i}。", "我是{c}，[我要|我想买|请给我|想订]{i}。", "{c}的订单：{i}。", "[请给|请寄给]{c}{i}。", "您好，我是{c}，[需要|想买]{i}。", "{c}在[网店|商店|超市]买了{i}。",
)
CHINESE_MEASURES = "个 件 台 本 套 盒 瓶 张 把 双".split()


def chinese_orders(world: World, count: int) -> Asked:
    """Orders in Chinese."""
    is_chinese = world.chance(0.5)
    names = world.random.choice([("客户", "商品", "名称", "数量"), ("姓名", "物品", "产品", "数量")] if is_chinese else [("customer", "items", "product", "quantity"), ("name", "items", "name", "count"), ("buyer", "products", "item", "qty")])
    texts, answers = [], []
    for _ in range(count):
        customer = chinese_name(world)
        items = [{names[2]: chinese_product(world), names[3]: Number(str(world.integer(1, 30)))} for _ in range(world.random.choice([1, 2, 2, 3]))]
        said = join_words([f"{item[names[3]].text}{world.random.choice(CHINESE_MEASURES)}{item[names[2]]}" for item in items], world, "zh")
        texts.append(world.sentence(CHINESE_ORDERS).format(c=customer, i=said))
        answers.append({names[0]: customer, names[1]: items})
    return Asked("orders", texts, answers, ["提取订单。", "读取订单。", "写出订单。"], "zh")


# --- opinions: pieces of the text -----------------------------------------------------------------

INDUSTRIES = {
    "en": "banking insurance software media telecom retail energy steel chemicals mining textiles food cars aviation shipping housing health tourism agriculture electronics".split(),
    "zh": "银行 保险 软件 传媒 通信 零售 能源 钢铁 化工 采掘 纺织服装 食品饮料 汽车 航空 交通运输 房地产 医药生物 休闲服务 农林牧渔 电子".split(),
}
VIEWS = {
    "en": {
        "positive": alternatives("We [expect|see] [strong growth|rising profits|good times] for {e} in {i}.", "{e} [should do well|looks promising|will gain] as {i} recovers.", "[Our view of|We like] {e} in {i}[ is positive|, which looks cheap].", "Demand in {i} is growing, which helps {e}."),
        "negative": alternatives("We [expect|see] [falling profits|losses|hard times] for {e} in {i}.", "{e} [will suffer|looks weak|will lose] as {i} slows.", "We [avoid|sold] {e} in {i}[, which looks expensive| because of falling demand].", "Costs in {i} are rising, which hurts {e}."),
        "neutral": alternatives("{e} in {i} [should stay flat|will hardly change|is fairly priced].", "We [wait and see|keep our view] on {e} in {i}.", "{i} is [stable|quiet], and so is {e}."),
    },
    "zh": {
        "positive": alternatives("我们[看好|继续看好|增持]{i}行业的{e}。", "{i}[需求旺盛|景气上升]，{e}[将受益|值得关注]。", "{e}在{i}领域[前景广阔|增长强劲]。", "预计{i}板块的{e}[会上涨|利润增长]。"),
        "negative": alternatives("我们[看淡|不看好|减持]{i}行业的{e}。", "{i}[需求疲软|景气下降]，{e}[将受损|面临压力]。", "{e}在{i}领域[前景黯淡|增长乏力]。", "预计{i}板块的{e}[会下跌|利润下滑]。"),
        "neutral": alternatives("{i}行业的{e}[走势平稳|变化不大]。", "我们对{i}行业的{e}[保持观望|看法不变]。", "{e}在{i}领域[估值合理|表现一般]。"),
    },
}
PLAIN_STATEMENTS = {
    "en": alternatives("The fund was [founded|started] in {n}.", "This report covers [the last quarter|three months].", "[Rates|Prices] were unchanged in {n}.", "The {p} took place in [spring|autumn].", "Thank you for your trust.", "The manager spoke about the {p}."),
    "zh": alternatives("本基金[成立|设立]于{n}年。", "报告期为[上季度|三个月]。", "{n}年[利率|价格]保持不变。", "感谢您的信任。", "会议讨论了{p}。", "本季度举行了{p}。"),
}
ASPECTS = {"en": ["positive", "neutral", "negative"], "zh": ["正面", "中性", "负面"]}
VIEW_REQUESTS = {
    "en": alternatives("[Extract|Find|List] the [views|opinions|statements about industries].", "Which [views|opinions] does the text hold?", "[Extract|Note] every sentence with an opinion on an industry."),
    "zh": alternatives("[提取|抽取|找出][观点|看法|对行业的观点]。", "文中有哪些[观点|看法]？", "[提取|列出]包含行业观点的句子。"),
}


def views(world: World, count: int) -> Asked:
    """Reports in which some sentences hold an opinion; the answer quotes them, with subject, industry and direction."""
    language = "zh" if world.chance(0.5) else "en"
    options = tuple(world.random.sample(INDUSTRIES[language], world.random.randint(6, 20)))
    keys = world.random.choice([("sentence", "entities", "industry", "aspect"), ("extract_view", "extract_view_entities", "related_industry", "view_aspect"), ("view", "subjects", "sector", "direction")])
    labels = world.random.choice([ASPECTS[language], ASPECTS["en"], ["up", "flat", "down"]])
    container = world.random.choice(["views", "opinions", "results"])
    texts, answers = [], []
    for _ in range(count):
        text, found = report(world, language, options, keys, labels)
        texts.append(text)
        answers.append({container: found})
    return Asked("views", texts, answers, VIEW_REQUESTS[language], language, must_ask=True)


def report(world: World, language: str, options: tuple[str, ...], keys: tuple[str, ...], labels: list[str]) -> tuple[str, list]:
    """A text with one to three opinions, and what is to be found."""
    sentences, found = [], []
    for _ in range(world.random.choice([1, 1, 2, 2, 3])):
        aspect = world.random.choice(["positive", "neutral", "negative"])
        entity = chinese_phrase(world) if language == "zh" else full_name(world).split()[-1] + world.random.choice([" shares", " bonds", "", " Group"])
        industry = world.random.choice(options)
        said = world.sentence(VIEWS[language][aspect]).format(e=entity, i=industry)
        said = said[0].upper() + said[1:]
        label_ = labels[["positive", "neutral", "negative"].index(aspect)]
        entry = {keys[0]: said, keys[1]: [entity], keys[2]: Choice(industry, options), keys[3]: Choice(label_, tuple(labels))}
        sentences.append(said)
        found.append(entry)
    for _ in range(world.random.randint(0, 3)):
        said = world.sentence(PLAIN_STATEMENTS[language]).format(n=world.random.randint(1990, 2030), p=chinese_phrase(world) if language == "zh" else "meeting")
        sentences.insert(world.random.randint(0, len(sentences)), said)
    order = {id(entry): sentences.index(entry[keys[0]]) for entry in found}
    return ("" if language == "zh" else " ").join(sentences), sorted(found, key=lambda entry: order[id(entry)])
