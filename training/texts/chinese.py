"""Records in Chinese: the facts of each kind, and the sentences that say them.

Texts of these domains are joined without spaces, and lists with 、. `{S}` is a pronoun (他 or 她); most sentences need none.
"""

from __future__ import annotations

from texts import words
from texts.chinese_values import (
    chinese_address, chinese_brand, chinese_city, chinese_clock, chinese_code, chinese_company, chinese_course, chinese_date, chinese_film, chinese_from,
        chinese_given,
    chinese_hobby, chinese_hotel, chinese_job, chinese_name, chinese_phone, chinese_phrase, chinese_place, chinese_product, chinese_software,
)
from texts.english import amount, decimal, flight_number, gate, invoice_number, seat
from texts.records import Domain, Fact, flag, label, listing, whole
from texts.world import alternatives, email, version

FRAMES = ["{c}：{{v}}。", "{c}是{{v}}。", "{c}为{{v}}。"]
PERSON_FRAMES = ["{c}：{{v}}。", "{{S}}的{c}是{{v}}。", "{c}为{{v}}。"]
RARER_FRAMES = ["关于{c}：{{v}}。", "{c}一栏写着{{v}}。", "{c}就是{{v}}。", "{c}登记为{{v}}。", "至于{c}，是{{v}}。", "{c}写的是{{v}}。", "{c}填{{v}}。"]


def framed(frames: list[str], cues: str, more: tuple[str, ...]) -> list[str]:
    """Every cue in every frame and in two of the rarer ones; and the other templates."""
    filled = []
    for position, cue in enumerate(cues.split("|")):
        start = len(more) + 2 * position
        rarer = [RARER_FRAMES[(start + step) % len(RARER_FRAMES)] for step in range(2)]
        filled += [frame.format(c=cue) for frame in frames + rarer]
    return alternatives(*filled, *more)


def noun(cues: str, *more: str) -> list[str]:
    """Sentences that name the fact by a noun (价格是…), and others."""
    return framed(FRAMES, cues, more)


def owned(cues: str, *more: str) -> list[str]:
    """The same for somebody's thing (他的职业是…)."""
    return framed(PERSON_FRAMES, cues, more)


def clause(*texts: str) -> list[str]:
    """Sentences of a label or truth value."""
    return alternatives(*texts)


CHINESE_PERSON = Domain(
    "chinese_person",
    {
        "name": Fact(chinese_name, ["name", "full_name", "person", "who"], noun("姓名|名字", "[我叫|他叫|她叫|这位是|这个人叫|大家叫{S}]{v}。"), ["姓名",
            "名字", "人名", "称呼"]),
        "age": Fact(whole(3, 99), ["age", "years", "age_years", "years_old"], owned(
            "年龄|岁数", "{S}[今年|现在|已经|刚满|快到|大约][|有]{v}岁[|了]。", "[今年|目前]{v}岁。", "{S}[上个月|今年春天|去年]过了{v}岁生日。",
                "{v}岁的{S}[身体很好|精神不错|还很好学]。", "年龄：{v}岁。"), ["年龄", "岁数", "年纪"]),
        "city": Fact(chinese_city, ["city", "town", "home", "residence", "location", "lives_in"], owned(
            "居住地|所在城市|现居地|城市", "{S}[住在|现在住在|家住|定居在|生活在|常住|搬到了]{v}[|多年了|好几年了]。", "{S}的家在{v}。",
                "[目前|现在|这些年]{S}[住在|生活在]{v}。", "{S}在{v}[安了家|买了房|租了房子|长大]。", "[家在|现居|住址在]{v}。"), ["城市", "居住地", "所在地",
                "住处", "现居地"]),
        "occupation": Fact(chinese_job, ["occupation", "job", "profession", "role", "job_title", "position"], owned(
            "职业|工作|职务|岗位", "{S}是[一名|一位|个|]{v}。", "{S}[当|做|担任|当上了|成了]{v}[|很多年了]。", "[平时|目前|毕业后]{S}[做|当][|一名]{v}。",
                "{S}的[本职|正式]工作是{v}。", "{S}靠做{v}[谋生|养家]。", "[作为|身为][|一名]{v}，{S}[很忙|很敬业|常常加班]。"), ["职业", "工作", "职务",
                "岗位"]),
        "employer": Fact(chinese_company, ["employer", "company", "works_at", "organization", "workplace"], owned(
            "工作单位|单位|公司|雇主", "{S}在{v}[工作|上班|做事|任职|有一份工作]。", "{S}[就职于|供职于|任职于|受雇于|加入了]{v}。",
                "{S}是{v}的[员工|职员|一员]。", "[目前|去年起|毕业后]{S}[在{v}上班|进了{v}]。", "{S}[每天去|刚进]{v}[上班|工作]。"), ["单位", "公司",
                "工作单位", "雇主"]),
        "birth_year": Fact(whole(1930, 2015), ["birth_year", "born", "year_of_birth"], owned(
            "出生年份|出生年", "{S}[生于{v}年|出生于{v}年|是{v}年出生的|是{v}年生人]。", "{v}年[，|]{S}[来到这个世界|出生了]。", "[生于|出生于]{v}年。",
                "{S}从{v}年出生起一直[很健康|住在家乡]。"), ["出生年份", "出生年", "生年"]),
        "hobbies": Fact(listing(chinese_hobby), ["hobbies", "interests", "likes", "activities"], owned(
            "爱好|兴趣|兴趣爱好|业余爱好", "{S}[喜欢|爱好|热爱|爱|很喜欢|特别喜欢|迷上了]{v}。",
                "[平时|周末|下班后|闲暇时|晚上|空闲时]{S}[喜欢|常常|总爱]{v}。", "{S}的[最爱|乐趣]是{v}。", "{S}把[业余|空闲]时间都花在{v}上。"), ["爱好",
                "兴趣", "兴趣爱好"]),
        "married": Fact(flag, ["married", "is_married"], {
            True: clause("{S}[已婚|结婚了|已经结婚了|成家了|已经成家]。", "[婚姻状况|婚否]：已婚。", "{S}[去年|前年|早就]结婚了。", "{S}有[爱人|配偶]。"),
            False: clause("{S}[未婚|还没结婚|没有结婚|单身|还是单身|没有成家]。", "[婚姻状况|婚否]：未婚。", "{S}[目前|一直]单身。", "{S}没有[爱人|配偶]。")},
                ["已婚", "是否已婚", "婚否"]),
        "children": Fact(whole(2, 9), ["children", "kids", "number_of_children", "child_count"], owned(
            "子女数|孩子数", "{S}[有|养育了|抚养]{v}个孩子。", "{S}家里有{v}个[孩子|小孩|子女]。", "[子女|孩子]：{v}个。", "{S}是{v}个孩子的家长。"),
                ["子女数", "孩子数", "子女人数"]),
        "phone": Fact(chinese_phone, ["phone", "telephone", "phone_number", "mobile"], owned(
            "电话|手机号|联系电话|电话号码", "[请打|请拨打|可以拨打|打]{v}[|找{S}|联系{S}]。", "[有事|有问题]请[打|拨]{v}。", "{S}的手机[号是|是]{v}。"),
                ["电话", "手机号", "联系电话", "手机"]),
        "email": Fact(email, ["email", "mail", "email_address"], owned(
            "邮箱|电子邮箱|邮箱地址", "[请写信到|请发邮件到|邮件请发至|来信请寄]{v}。", "{S}用的邮箱是{v}。", "[联系|联络]邮箱：{v}。"), ["邮箱", "电子邮箱",
                "邮件地址"]),
        "pet": Fact(lambda w: w.random.choice("小大阿") + chinese_given(w), ["pet", "pet_name", "dog", "animal"], owned(
            "宠物|狗", "{S}[养了|有]一只[狗|小狗]，[名叫|叫|名字叫]{v}。", "{S}的[狗|小狗]叫{v}。", "{S}家的[狗|小狗]叫{v}。",
                "{S}[每天|早上]带着小狗{v}[散步|出门]。"), ["宠物", "宠物名", "狗"]),
    },
    alternatives(
        "{name}今年{age}岁，[住在|家在|来自]{city}[|，是一名{occupation}|，职业是{occupation}]。",
            "[我叫|我是]{name}，[|今年]{age}岁[|，来自{city}|，是{occupation}]。", "{name}是[|{city}的]{occupation}[|，{age}岁|，在{employer}工作]。",
            "{name}，{age}岁，{occupation}[|，家在{city}|，现居{city}]。",
        "{city}的{name}[{age}岁|是{occupation}|在{employer}上班]。", "{name}在{city}工作[|，是{occupation}|，今年{age}岁]。",
            "[大家好|你好|您好]，我[是|叫]{name}[|，来自{city}|，是{occupation}|，在{employer}工作]。",
            "[这位是|给大家介绍|来认识一下]{name}[|，{occupation}|，来自{city}]。",
        "{name}（{age}岁）[是一名{occupation}|住在{city}|在{employer}上班]。", "[姓名|名字]：{name}[|，年龄：{age}|，城市：{city}|，职业：{occupation}]。",
            "{name}生于{birth_year}年[|，住在{city}]。", "{employer}的{occupation}{name}[住在{city}|今年{age}岁]。",
            "[昨天|上周|前几天]我[遇到|认识]了{name}。",
        "{name}[加入了{employer}|进了{employer}|在{employer}做{occupation}]。", "我们的[新同事|邻居|客人]{name}[来自{city}|是{occupation}]。",
            "在{city}，有一位叫{name}的{occupation}。"),
    [(["city", "employer"], ("地点", "所在", "info")), (["phone", "email"], ("联系方式", "contact", "联系"))],
    clause("[提取|找出|写出]人物信息。", "把[人物|这个人]写成JSON。", "这是谁？", "请[填写|整理]人物[档案|资料]。", "根据[简介|文字]填表。",
        "把简介转成JSON。"),
    language="zh",
)

CHINESE_TICKET = Domain(
    "chinese_ticket",
    {
        "id": Fact(chinese_code, ["id", "ticket_id", "ticket", "number", "reference"], noun(
            "工单号|工单编号|单号|编号", "工单{v}。", "[这是|请查看|请处理|关于]工单{v}。", "[我的|您的]单号是{v}。", "[已登记|已建档]，单号{v}。"),
                ["工单号", "编号", "单号", "工单编号"]),
        "customer": Fact(chinese_name, ["customer", "reporter", "user", "client", "customer_name"], noun(
            "客户|报告人|用户|客户姓名", "[由|本单由]{v}[提交|报告|发来]。", "{v}[给我们来信了|打来了电话|提交了请求|求助]。", "[我叫|我是]{v}。",
                "[此致|祝好]，{v}。", "[来自|发件人]：{v}。"), ["客户", "用户", "报告人", "客户姓名"]),
        "product": Fact(chinese_software, ["product", "application", "software", "app", "program"], noun(
            "产品|软件|应用|程序", "[我在用|我用的是|出问题的是|用户使用的是]{v}。", "{v}[出了问题|不能用了|用不了|有毛病]。",
                "问题[出在|发生在]{v}[里|上]。", "[我们|公司]用的软件叫{v}。"), ["产品", "软件", "应用", "程序"]),
        "version": Fact(version, ["version", "release", "product_version"], noun(
            "版本|版本号|软件版本", "[我用的是|装的是|升级到了|目前是]{v}版。", "[从|自]{v}版[开始就这样|起出现问题]。",
                "[升级|更新]到{v}以后[出的问题|就坏了]。", "版本{v}。"), ["版本", "版本号"]),
        "system": Fact(lambda w: w.random.choice(words.CHINESE_SYSTEMS), ["os", "operating_system", "platform", "system"], noun(
            "操作系统|系统|平台", "[我用{v}|电脑装的是{v}|它运行在{v}上|设备是{v}]。", "只有在{v}[上出错|上才这样]。", "我们都用{v}。"), ["系统", "操作系统",
                "平台"]),
        "issue": Fact(chinese_phrase, ["issue", "summary", "subject", "title", "problem"], noun(
            "问题|标题|摘要|主题", "[屏幕|窗口|页面|日志][显示|写着|提示]“{v}”。", "[总是|一直|每次都]提示“{v}”。", "问题是“{v}”。", "[标题|主题]：“{v}”。",
                "[报错|出现]“{v}”。"), ["问题", "标题", "摘要", "主题"]),
        "priority": Fact(label("低", "中", "高"), ["priority", "severity", "urgency"], {
            "低": clause("[优先级|紧急程度][：|是|为]低。", "[不急|不着急|不用急|没那么急]。", "[有空|有时间]再[看|处理]就行。", "这事可以[等等|慢慢来]。",
                "不[太|怎么]重要。"),
            "中": clause("[优先级|紧急程度][：|是|为]中。", "[这周|几天内][处理|看看]就行。", "[一般|中等]优先级。", "[比较|还算]重要，但不[紧急|急]。"),
            "高": clause("[优先级|紧急程度][：|是|为]高。", "[非常|十分|特别|很][紧急|着急][！|。]", "请[马上|立刻|立即|今天就][处理|修复]。",
                "[大家都没法工作了|业务全停了|损失很大]！", "[刻不容缓|十万火急]。", "不能再等了。")}, ["优先级", "紧急程度", "级别"]),
        "category": Fact(label("故障", "账单", "账户", "建议"), ["category", "type", "kind"], {
            "故障": clause("[类型|类别]：故障。", "[一打开就|一启动就|经常|总是][闪退|死机|卡住]。", "[保存|打印|搜索]时[报错|出错]。",
                "[窗口|屏幕|页面][卡死了|全黑了|打不开]。", "我发现了一个[错误|毛病]。"),
            "账单": clause("[类型|类别]：账单。", "[扣了两次钱|多扣了钱|扣费不对]。", "[账单|发票][有误|金额不对|不对]。", "我[要|想]退款。",
                "[付款|支付][失败了|没成功]。"),
            "账户": clause("[类型|类别]：账户。", "我[登录不了|登不上去|无法登录]。", "[密码忘了|我忘记密码了]。", "我的[账号|账户]被[锁了|停用了]。",
                "请[注销|解锁]我的账号。"),
            "建议": clause("[类型|类别]：建议。", "[希望|建议|能不能][增加|加上|加一个][夜间模式|搜索|导出功能|日历]。", "要是有[搜索|夜间模式|日历]就好了。",
                "我[想提|有]一个建议。")}, ["类型", "类别", "分类"]),
        "solved": Fact(flag, ["solved", "resolved", "closed", "fixed"], {
            True: clause("[问题|故障|事情]已经[解决|修好|处理好]了。", "[状态|是否解决]：已解决。", "[工单|此单]已[关闭|结案]。", "[现在|又]能用了，谢谢。",
                "已经[好了|没问题了]。"),
            False: clause("[问题|故障|事情]还没[解决|修好|处理]。", "[状态|是否解决]：未解决。", "[工单|此单][还没关闭|仍未结案]。", "[现在|还是]不能用。",
                "[依旧|仍然]没有办法。")}, ["已解决", "是否解决", "已关闭"]),
        "opened": Fact(chinese_date, ["opened", "date", "created", "reported_on"], noun(
            "日期|提交日期|报告日期|创建日期", "[提交于|创建于|登记于]{v}。", "{v}[提交|登记|发现|开始出现|收到]。", "[从|自]{v}[开始|起]就这样。",
                "我们在{v}[发现的|注意到了]。"), ["日期", "提交日期", "创建日期"]),
        "email": Fact(email, ["email", "contact", "reply_to", "email_address"], noun(
            "邮箱|联系邮箱|回复地址", "请[回复|回信|发邮件]到{v}。", "[我的邮箱是|可以写信到]{v}。", "[联系|联络]我：{v}。"), ["邮箱", "联系邮箱", "回复地址"]),
        "users": Fact(whole(11, 500), ["affected_users", "users", "affected", "user_count"], noun(
            "受影响人数|受影响用户数|用户数", "[有|大约有|一共]{v}[人|个用户|位同事][受影响|遇到这个问题|反映]。", "影响到{v}[人|个用户]。",
                "我们{v}个人都[这样|遇到了]。"), ["受影响人数", "用户数", "影响人数"]),
    },
    alternatives(
        "工单{id}，[客户|来自]{customer}。", "{customer}[反映|报告|说]{product}[有问题|出错了|不能用]。",
            "[您好|你好|客服好]，我是{customer}，我[在用|使用]{product}[|{version}版]。", "{customer}在{opened}[提交了|登记了]工单{id}。",
            "[新工单|工单]{id}：{issue}。", "{product}{version}版在{system}上[出问题了|报错]。",
        "[来自|发件人]：{customer}[|（{email}）]。", "[主题|标题]：{issue}。", "我是{customer}，[单号|我的工单]是{id}。",
            "{customer}[用不了|打不开]{product}[|，提示“{issue}”]。", "{product}出现“{issue}”。", "[{opened}收到|今天收到]{customer}的[来信|请求]。",
            "[用户|客户]{customer}[在使用{product}时遇到问题|来信求助|说{product}打不开|提交了工单{id}]。", "关于{product}的[工单|求助|投诉]：{issue}。"),
    [(["product", "version"], ("软件", "software", "产品信息")), (["customer", "email"], ("客户", "contact", "联系人"))],
    clause("[提取|整理]工单信息。", "把[工单|来信]写成JSON。", "请[填写|登记]工单。", "把这封信[转成|做成]工单。", "[阅读|看]来信并填表。"),
    language="zh",
)

CHINESE_EVENT = Domain(
    "chinese_event",
    {
        "title": Fact(chinese_phrase, ["title", "event", "name", "subject", "event_name"], noun(
            "活动名称|活动|主题|标题", "[活动|晚会|聚会][叫|名为|题为]“{v}”。", "[欢迎参加|一起来参加]“{v}”。", "这次的主题是“{v}”。",
                "[名称|题目]：“{v}”。"), ["活动", "名称", "主题", "标题"]),
        "date": Fact(chinese_date, ["date", "when", "day", "event_date"], noun(
            "日期|活动日期|举办日期", "[定在|就在|安排在|改在]{v}。", "{v}[举行|举办|开始|见面|不见不散]。", "[请在|我们在]{v}[来|见面]。",
                "请记住{v}[这一天|]。"), ["日期", "活动日期", "哪天"]),
        "time": Fact(chinese_clock, ["time", "start", "start_time", "begins_at"], noun(
            "时间|开始时间|开场时间", "{v}[开始|开场|准时开始|入场]。", "[我们|活动]{v}开始。", "请[在|于]{v}[到场|到达|来]。", "[几点开始|时间]？{v}。"),
                ["时间", "开始时间", "几点"]),
        "place": Fact(chinese_place, ["place", "location", "venue", "where"], noun(
            "地点|场地|地方|活动地点", "[在|就在]{v}[举行|见面|集合|举办]。", "[请到|请来|欢迎来]{v}。", "[我们|大家]在{v}[见|集合]。",
                "[场地订在|会场设在]{v}。"), ["地点", "场地", "会场"]),
        "people": Fact(listing(chinese_name, 1, 4), ["people", "participants", "attendees", "guests"], noun(
            "嘉宾|参加者|来宾|参会人员", "{v}[会来|将出席|会参加|到场]。", "[邀请了|我们邀请了|请来了]{v}。", "[出席|到场]的有{v}。", "和{v}一起。"), ["嘉宾",
                "参加者", "参会人员", "来宾"]),
        "host": Fact(chinese_name, ["host", "organizer", "contact", "speaker"], noun(
            "主持人|组织者|主办人|联系人", "[由|本次由]{v}[主持|组织|负责|主讲]。", "{v}[主持|负责组织|欢迎大家]。", "[有问题|咨询]请[找|问]{v}。"),
                ["主持人", "组织者", "联系人", "主办人"]),
        "price": Fact(amount(11, 300), ["price", "cost", "fee", "ticket_price"], noun(
            "票价|价格|费用|门票", "[门票|每人|一张票]{v}元。", "[需要|要付|收费|只要]{v}[元|块钱|块]。", "[票价|费用|价格]：{v}元。"), ["票价", "价格",
                "费用"]),
        "seats": Fact(whole(12, 900), ["seats", "capacity", "places", "max_guests"], noun(
            "座位数|人数上限|名额", "[有|共有|一共]{v}个[座位|名额|位子]。", "[最多|只能]容纳{v}人。", "[还剩|准备了]{v}个[座位|名额]。"), ["座位", "名额",
                "座位数", "容量"]),
        "online": Fact(flag, ["online", "is_online", "virtual", "remote"], {
            True: clause("[活动|会议|这次][在线上举行|是线上的]。", "[线上|在线]：是。", "[在家|用手机]就能[参加|收看]。",
                "[通过视频|网上|用视频][参加|进行]。", "[会有|稍后发]视频链接。"),
            False: clause("[活动|会议|这次]在现场举行。", "[线上|在线]：否。", "[请|必须][到现场|亲自来]。", "没有[直播|视频|线上名额]。",
                "[只有现场|不在网上进行]。")}, ["线上", "是否线上", "在线"]),
    },
    alternatives(
        "“{title}”[定于{date}举行|将在{date}开始|在{place}举行|{time}开始]。",
            "[欢迎参加|诚邀您参加|别错过]{title}[|，{date}|，{date} {time}|，地点{place}]。", "{date} {time}，[我们在{place}见|{place}|{title}]。",
            "{host}[邀请您参加|邀请大家来|请大家参加]{title}[|，{date}]。", "[通知|邀请函|活动|提醒]：{title}[|，{date}|，{place}]。",
        "[请|请大家][于|在]{time}到{place}[|集合]。", "{host}在{place}[组织了聚会|办晚会|开会]。", "[会议|聚会|讲座|音乐会]在{date}[举行|开始]。",
            "{date}我们[举办|有]{title}。", "[亲爱的朋友们|大家好]，{title}在{date}。"),
    [(["date", "time"], ("时间安排", "schedule", "何时")), (["place", "seats"], ("会场", "venue", "场地信息"))],
    clause("[提取|整理]活动信息。", "把活动写成JSON。", "[写|做]一条日程。", "[阅读|看]邀请函并填表。", "把通知转成JSON。", "[填写|登记]活动。"),
    language="zh",
)

CHINESE_PRODUCT = Domain(
    "chinese_product",
    {
        "name": Fact(chinese_product, ["name", "product", "item", "title", "product_name"], noun(
            "产品|商品|商品名称|品名", "[这是|我们卖的是|为您推荐|现售]{v}。", "[新到|特价|热卖]：{v}。", "[来看看|欢迎选购|快来买]{v}。",
                "[本品|这款]是{v}。"), ["商品", "名称", "产品", "品名"]),
        "price": Fact(amount(11, 900), ["price", "cost", "amount", "unit_price"], noun(
            "价格|售价|单价|价钱", "[只要|仅售|现价|卖|一件]{v}[元|块|块钱]。", "[价格|售价|单价]：[¥{v}|{v}元]。", "[花|付]{v}元就[能买到|是你的]。",
                "[它|这款]卖{v}元。"), ["价格", "售价", "单价", "价钱"]),
        "brand": Fact(chinese_brand, ["brand", "maker", "manufacturer", "company", "vendor"], noun(
            "品牌|厂家|牌子|制造商", "由{v}[生产|制造|出品|设计]。", "[它|这款]是{v}[牌的|的产品]。", "{v}[出品|制造|荣誉出品]。", "[选择|认准]{v}。"),
                ["品牌", "厂家", "牌子", "制造商"]),
        "color": Fact(chinese_from(words.CHINESE_COLORS, 0.05), ["color", "colour", "finish"], noun(
            "颜色|外观颜色|色彩", "[它是{v}的|外壳是{v}的|我们有{v}的|这款是{v}的]。", "[有|可选]{v}。", "{v}[款|的款式]。", "{v}很[好看|大方|耐脏]。"),
                ["颜色", "色彩", "外观"]),
        "weight": Fact(decimal(0, 40), ["weight", "weight_kg", "kg", "mass"], noun(
            "重量（公斤）|净重（公斤）", "[重|净重|约重|它重]{v}[公斤|千克|kg]。", "[重量|净重]：{v}[公斤|千克|kg]。", "[只有|才]{v}公斤，[很轻便|容易搬]。",
                "[称一称|上秤]是{v}公斤。"), ["重量", "净重", "重量公斤"]),
        "stock": Fact(whole(11, 900), ["stock", "quantity", "available_units", "units"], noun(
            "库存|库存数量|存货", "[还有|还剩|仓库里有|店里有|现有]{v}件。", "[库存|存货]：{v}件。", "[一共|共]{v}件[在库|在售]。"), ["库存", "数量", "存货"]),
        "rating": Fact(decimal(1, 4), ["rating", "stars", "score", "review_score"], noun(
            "评分|得分|星级", "[顾客|买家|用户][打了|给了|评了]{v}[分|星]。", "[评分|评价]：{v}[分|星]。", "[平均|它得了]{v}分。"), ["评分", "得分", "星级"]),
        "available": Fact(flag, ["available", "in_stock", "is_available", "on_sale"], {
            True: clause("[现在|目前|今天]有货。", "[是否有货|有货]：是。", "[可以|现在就能][购买|下单|订购]。", "[现货|现货供应]。", "[马上|今天就]发货。"),
            False: clause("[现在|目前|暂时][没货|缺货]。", "[是否有货|有货]：否。", "[不能|暂时无法][购买|下单|订购]。", "[已经|全部]卖完了。",
                "[已下架|停售了]。")}, ["有货", "是否有货", "在售"]),
        "sku": Fact(chinese_code, ["sku", "id", "code", "article", "product_code"], noun(
            "货号|商品编号|编号|产品代码", "[查询请用|下单请用|标签上写着]{v}。", "货号{v}。", "[订货|查询]时请报{v}。"), ["货号", "编号", "商品编号", "代码"]),
        "tags": Fact(listing(chinese_from(words.CHINESE_COMMON)), ["tags", "keywords", "labels", "categories"], noun(
            "标签|关键词|分类", "[搜索|可搜]{v}。", "[归在|放在]{v}这一类。", "[带有|标有]{v}[的标签|标签]。"), ["标签", "关键词", "分类"]),
    },
    alternatives(
        "{name}[只要|售价|卖|仅售]{price}元。", "{color}的{name}[|，{price}元|，{brand}出品]。",
            "{brand}的{name}[|，{price}元|，{color}|评分{rating}|重{weight}公斤]。", "[新品|特价|出售|上架]：{name}[|，{price}元|，{color}|，{brand}]。",
            "{brand}[推出了|生产|卖]{color}的{name}。", "[快来买|欢迎选购|推荐][|这款]{name}[！|。]",
        "{name}，{price}元[|，{rating}分|，库存{stock}件]。", "[货号|编号]{sku}：{name}[|，{color}]。", "[我们|店里][有|还有]{stock}件{name}。",
            "我[买了|想买][|{brand}的]{name}。", "这款{name}[由{brand}制造|重{weight}公斤|评分{rating}]。"),
    [(["price", "stock"], ("销售", "offer", "库存信息")), (["color", "weight"], ("规格", "specs", "参数"))],
    clause("[提取|整理]商品信息。", "把商品写成JSON。", "[阅读|看]广告并填表。", "[写|做]商品目录。", "把广告转成JSON。", "[填写|登记]商品。"),
    language="zh",
)

CHINESE_BOOKING = Domain(
    "chinese_booking",
    {
        "guest": Fact(chinese_name, ["guest", "guest_name", "name", "customer"], noun(
            "客人|客人姓名|预订人|入住人", "[由|本单由]{v}预订。", "{v}[要入住|订了房间|预订的|将入住]。", "[我叫|我是]{v}。",
                "[以{v}的名义预订|房间留给{v}]。"), ["客人", "姓名", "预订人", "入住人"]),
        "hotel": Fact(chinese_hotel, ["hotel", "hotel_name", "property", "accommodation"], noun(
            "酒店|酒店名称|住处|宾馆", "[住在|入住|预订了|住]{v}。", "{v}[已确认|恭候光临|欢迎您]。", "[房间|订单]在{v}。"), ["酒店", "酒店名称", "住处"]),
        "city": Fact(chinese_city, ["city", "town", "destination"], noun(
            "城市|目的地|所在城市", "[酒店|宾馆|住处]在{v}。", "[去|前往|这次去]{v}[旅行|出差|度假|玩]。", "[到|在]{v}住几天。"), ["城市", "目的地",
                "所在城市"]),
        "check_in": Fact(chinese_date, ["check_in", "arrival", "arrival_date", "from"], noun(
            "入住日期|到店日期|到达日期", "{v}[入住|到店|到达|办理入住]。", "[我们|客人]{v}[到|入住]。", "从{v}[开始住|起入住]。"), ["入住日期", "到店日期",
                "入住"]),
        "check_out": Fact(chinese_date, ["check_out", "departure", "departure_date", "until"], noun(
            "退房日期|离店日期|离开日期", "{v}[退房|离店|离开|办理退房]。", "[我们|客人]{v}[走|退房]。", "住到{v}[为止|]。"), ["退房日期", "离店日期", "退房"]),
        "nights": Fact(whole(2, 21), ["nights", "number_of_nights", "duration"], noun(
            "晚数|入住晚数", "[住|一共住|共|预订了]{v}[晚|个晚上]。", "[要|打算]住{v}晚。", "晚数：{v}晚。"), ["晚数", "入住晚数", "几晚"]),
        "guests": Fact(whole(2, 9), ["guests", "people", "persons", "number_of_guests"], noun(
            "人数|入住人数", "[一共|共|我们]{v}[个人|位客人]。", "{v}[人|位]入住。", "[人数|客人]：{v}[人|位]。"), ["人数", "入住人数", "几人"]),
        "room": Fact(label("单人间", "双人间", "套房"), ["room", "room_type", "type"], {
            "单人间": clause("[要|订了|需要|安排][|一间]单人间。", "[房型|房间][：|是|为]单人间。", "[房间|屋里]只有一张单人床，是单人间。"),
            "双人间": clause("[要|订了|需要|安排][|一间]双人间。", "[房型|房间][：|是|为]双人间。", "[两人|我们俩]住一间双人间。"),
            "套房": clause("[要|订了|需要|安排][|一间]套房。", "[房型|房间][：|是|为]套房。", "[带客厅的|有阳台的]套房。")}, ["房型", "房间类型", "房间"]),
        "breakfast": Fact(flag, ["breakfast", "breakfast_included", "with_breakfast"], {
            True: clause("[含|包含|包]早餐。", "[早餐|含早餐]：是。", "[房价|价格]包括早餐。", "[我们|客人]要早餐。", "[有|提供]免费早餐。"),
            False: clause("不[含|包含|包]早餐。", "[早餐|含早餐]：否。", "[房价|价格]不包括早餐。", "[我们|客人]不要早餐。", "早餐[另收费|另算]。")}, ["早餐",
                "含早餐", "是否含早"]),
        "price": Fact(amount(60, 4000), ["price", "total", "total_price", "amount"], noun(
            "总价|价格|房费|费用", "[一共|总共|共计|合计]{v}元。", "[房费|总价|费用]：[¥{v}|{v}元]。", "[需付|要付|支付]{v}元。"), ["总价", "价格", "房费",
                "金额"]),
        "code": Fact(chinese_code, ["booking_code", "code", "confirmation", "reservation_number"], noun(
            "预订号|订单号|确认号|预订编号", "[预订号|确认号]{v}。", "[入住|到店]时请出示{v}。", "[您的|我的]订单号是{v}。"), ["预订号", "订单号", "确认号"]),
    },
    alternatives(
        "{guest}[预订了|订了]{hotel}[|的房间|，{nights}晚|，{check_in}入住]。", "[预订确认|订单|新预订]：{hotel}，{guest}[|，{nights}晚]。",
            "[{guest}您好|尊敬的{guest}]，您[在{hotel}的预订已确认|订的{hotel}已确认]。", "我[想|要]在{city}订一间房[|，住{nights}晚|，{check_in}入住]。",
            "{check_in}到{check_out}，[{guest}住在{hotel}|我们在{city}]。", "[感谢您预订|欢迎入住]{hotel}[。|！]",
        "{guest}将于{check_in}入住[|{hotel}]。", "[订单号|确认号]{code}[，|：]{hotel}[|，{city}]。", "[您好|你好]，我是{guest}，[想订房间|订了{hotel}]。",
            "{city}的{hotel}，{nights}晚[|，{guests}人]。", "[我们|一共]{guests}人，[去{city}|住{hotel}]。",
            "[预订人|客人|入住人]：{guest}，[酒店|住处]：{hotel}。", "{guest}[要去|打算去]{city}，[住{nights}晚|住在{hotel}]。"),
    [(["check_in", "check_out"], ("日期", "dates", "入住时间")), (["hotel", "city"], ("酒店信息", "place", "住宿")), (["price", "nights"], ("费用明细",
        "payment"))],
    clause("[提取|整理]预订信息。", "把预订写成JSON。", "[填写|登记]预订单。", "[阅读|看]确认信并填表。", "把订单转成JSON。"),
    language="zh",
)

CHINESE_FLIGHT = Domain(
    "chinese_flight",
    {
        "number": Fact(flight_number, ["flight", "flight_number", "number", "flight_no"], noun(
            "航班号|航班|班次", "航班{v}。", "[乘坐|坐的是|订了|您的航班是]{v}。", "{v}[航班|次航班][已确认|请登机]。"), ["航班号", "航班", "班次"]),
        "airline": Fact(chinese_from(words.CHINESE_AIRLINES, 0.2), ["airline", "carrier", "operator"], noun(
            "航空公司|承运人", "[由|本次航班由]{v}[执飞|承运|运营]。", "[坐|乘坐|选了]{v}[的飞机|的航班]。", "{v}[执飞|承运]。"), ["航空公司", "承运人"]),
        "origin": Fact(chinese_city, ["origin", "from", "departure_city", "source"], noun(
            "出发地|出发城市|起飞地", "[从|飞机从|我们从]{v}[出发|起飞]。", "[起点|始发]：{v}。", "在{v}[登机|起飞]。"), ["出发地", "出发城市", "始发地"]),
        "destination": Fact(chinese_city, ["destination", "to", "arrival_city", "target"], noun(
            "目的地|到达城市|到达地", "[飞往|前往|飞到|要去]{v}。", "[终点|到达]：{v}。", "在{v}[降落|下飞机]。"), ["目的地", "到达城市", "到达地"]),
        "date": Fact(chinese_date, ["date", "departure_date", "day", "travel_date"], noun(
            "日期|出发日期|航班日期", "{v}[出发|起飞|动身|飞]。", "[定在|我们]{v}[出发|走]。", "[乘机|出行]日期：{v}。"), ["日期", "出发日期", "乘机日期"]),
        "departure": Fact(chinese_clock, ["departure", "departure_time", "departs", "takeoff"], noun(
            "起飞时间|出发时间", "{v}[起飞|准时起飞]。", "[飞机|航班]{v}起飞。", "[计划|预计]{v}起飞。"), ["起飞时间", "出发时间", "起飞"]),
        "arrival": Fact(chinese_clock, ["arrival", "arrival_time", "arrives", "landing"], noun(
            "到达时间|降落时间", "{v}[到达|降落|抵达]。", "[飞机|航班]{v}[落地|到达]。", "[计划|预计]{v}[抵达|落地]。"), ["到达时间", "降落时间", "抵达"]),
        "gate": Fact(gate, ["gate", "gate_number", "boarding_gate"], noun(
            "登机口", "[请到|请前往|在]{v}[号登机口登机|登机口登机]。", "{v}号登机口[已开放|正在登机]。"), ["登机口", "登机口号"]),
        "seat": Fact(seat, ["seat", "seat_number", "assigned_seat"], noun(
            "座位|座位号", "[坐在|我坐|您坐]{v}。", "{v}[号座位|座]。", "[靠窗|靠过道]的{v}座。"), ["座位", "座位号"]),
        "passenger": Fact(chinese_name, ["passenger", "passenger_name", "name", "traveller"], noun(
            "乘客|旅客|乘机人|旅客姓名", "[机票|票]是{v}的。", "{v}[乘坐此航班|是乘客|买了票]。", "[旅客|乘客]{v}[您好|请登机]。"), ["乘客", "旅客", "乘机人"]),
        "price": Fact(amount(120, 5000), ["price", "fare", "cost", "ticket_price"], noun(
            "票价|价格|机票价格", "[机票|票]{v}元。", "[花了|只要|付了]{v}[元|块]。", "[票价|价格]：[¥{v}|{v}元]。"), ["票价", "价格", "机票价格"]),
        "direct": Fact(flag, ["direct", "nonstop", "is_direct"], {
            True: clause("[这是|是]直飞[航班|]。", "[直飞|是否直飞]：是。", "[中途不|不用|无需]转机。", "[直达|一路直飞]。"),
            False: clause("不是直飞[航班|]。", "[直飞|是否直飞]：否。", "[中途要|需要|要]转机[|一次]。", "[中途|途中]经停[一次|]。")}, ["直飞", "是否直飞"]),
    },
    alternatives(
        "{number}[航班|次航班]，{origin}[飞往|到]{destination}[|，{date}]。", "{airline}{number}[|，{departure}起飞|飞往{destination}]。",
            "{passenger}[从{origin}飞往|坐飞机去]{destination}[|，{date}出发]。", "[我想|我们要]从{origin}[飞到|去]{destination}[|，{date}走]。",
            "[登机牌|机票|行程单]：{passenger}，{number}。", "[旅客|尊敬的]{passenger}，您的航班{number}[{departure}起飞|已确认]。",
        "{origin}—{destination}，{date}[|，{airline}]。", "[飞机|航班]{departure}从{origin}起飞[|，{arrival}到{destination}]。",
            "飞往{destination}的{number}[请到{gate}登机口|{departure}起飞]。", "{date}{passenger}[飞往|去]{destination}。",
            "[我们|我]订了{airline}去{destination}的票[|，{price}元]。", "[行程|出差|旅行]：{date}，{origin}到{destination}。",
            "{passenger}的[机票|航班]：{number}[|，飞往{destination}|，座位{seat}]。", "{airline}[每天|{date}]飞往{destination}。"),
    [(["origin", "destination"], ("航线", "route", "行程")), (["departure", "arrival"], ("时刻", "times", "时间")), (["gate", "seat"], ("登机信息",
        "boarding"))],
    clause("[提取|整理]航班信息。", "把[航班|机票]写成JSON。", "[阅读|看]行程单并填表。", "[填写|登记]航班。", "把机票转成JSON。"),
    language="zh",
)

CHINESE_VACANCY = Domain(
    "chinese_vacancy",
    {
        "title": Fact(chinese_job, ["title", "job", "position", "role", "job_title"], noun(
            "职位|岗位|招聘职位|职务", "[诚聘|招聘|急招|现招]{v}[|数名|一名]。", "我们[需要|在找|想招][|一名|一位]{v}。", "[来做|应聘]{v}吧。",
                "[你|您][是|想当]{v}吗？"), ["职位", "岗位", "职务", "招聘职位"]),
        "company": Fact(chinese_company, ["company", "employer", "firm", "organization"], noun(
            "公司|单位|招聘单位|用人单位", "{v}[正在招人|招聘|欢迎您加入|诚邀您加入]。", "[加入|欢迎来到]{v}。", "[我们是|工作单位是]{v}。"), ["公司", "单位",
                "招聘单位"]),
        "location": Fact(chinese_city, ["location", "city", "place", "workplace"], noun(
            "工作地点|地点|工作城市", "[在{v}上班|办公室在{v}|公司在{v}|工作在{v}]。", "[常驻|坐标]{v}。", "[需要|要]在{v}工作。"), ["地点", "工作地点",
                "城市"]),
        "salary": Fact(whole(2000, 48000), ["salary", "pay", "monthly_salary", "wage"], noun(
            "月薪|工资|薪资|薪水", "[每月|一个月|月薪]{v}元。", "[工资|薪资|月薪]：{v}[元|元/月]。", "我们[给|付|开]{v}元[一个月|月薪]。"), ["月薪", "工资",
                "薪资", "薪水"]),
        "hours": Fact(whole(12, 45), ["hours", "hours_per_week", "weekly_hours"], noun(
            "每周工时|每周工作小时数", "[每周|一周]工作{v}[小时|个小时]。", "[每周|一周]{v}[小时|个小时]。", "每周要[上|做]{v}个小时。"), ["每周工时", "工时",
                "每周小时数"]),
        "contract": Fact(label("全职", "兼职", "实习"), ["contract", "type", "employment_type"], {
            "全职": clause("[这是|是]全职[工作|岗位]。", "[性质|类型|工作性质][：|是|为]全职。", "要求全职[上班|工作]。"),
            "兼职": clause("[这是|是]兼职[工作|岗位]。", "[性质|类型|工作性质][：|是|为]兼职。", "[可以|只要]兼职[|做]。", "[周末|晚上]兼职。"),
            "实习": clause("[这是|是]实习[工作|岗位]。", "[性质|类型|工作性质][：|是|为]实习。", "[欢迎|招]实习生。", "适合[学生|在校生]实习。")},
                ["工作性质", "类型", "性质"]),
        "remote": Fact(flag, ["remote", "home_office", "is_remote"], {
            True: clause("[可以|能|允许][远程办公|在家办公|在家工作]。", "[远程|是否远程]：是。", "不用[来办公室|坐班]。", "[支持|接受]远程。"),
            False: clause("[不能|不可以|不允许][远程办公|在家办公|在家工作]。", "[远程|是否远程]：否。", "[必须|要求]到[办公室|公司]上班。",
                "不[支持|接受]远程。")}, ["远程", "是否远程", "在家办公"]),
        "skills": Fact(listing(chinese_from(words.CHINESE_SKILLS), 1, 4), ["skills", "requirements", "required_skills"], noun(
            "技能|技能要求|要求", "[要求|需要|必须]会{v}。", "[熟悉|精通|懂|擅长]{v}[者优先|]。", "[具备|要有]{v}的[能力|经验]。"), ["技能", "要求",
                "技能要求"]),
        "experience": Fact(whole(2, 12), ["experience", "years_of_experience", "experience_years"], noun(
            "工作年限|经验年数", "[要求|需要|要有][|至少]{v}年[经验|工作经验]。", "[经验|工作经验]：{v}年。", "有{v}年以上经验。"), ["工作年限", "经验年数",
                "经验"]),
        "deadline": Fact(chinese_date, ["deadline", "apply_by", "closing_date"], noun(
            "截止日期|报名截止日期|申请截止日", "{v}[截止|前报名|前投简历]。", "[请在|请于]{v}前[申请|报名|投递简历]。", "[报名|申请]到{v}[为止|]。"),
                ["截止日期", "报名截止", "申请截止日"]),
        "contact": Fact(email, ["contact", "email", "apply_to", "contact_email"], noun(
            "联系邮箱|投递邮箱|邮箱", "[简历|申请]请[发到|寄到|投到]{v}。", "[请写信到|请联系]{v}。"), ["联系邮箱", "邮箱", "投递邮箱"]),
    },
    alternatives(
        "{company}[招聘|诚聘|急招|需要]{title}[|，地点{location}|，月薪{salary}元]。", "[招聘|职位|急招]：{title}[|，{location}|，{company}]。",
            "{company}在{location}[招|找]{title}。", "我们[需要|在找]一名{title}[|，在{location}上班|，{experience}年经验]。",
            "{location}[招|急聘]{title}[|，月薪{salary}元|，每周{hours}小时]。", "[欢迎加入|请来]{company}[做|当]{title}。",
            "{title}，{location}，{salary}元[一个月|]。",
        "{title}在{company}[每月{salary}元|每周工作{hours}小时]。", "应聘{title}请[在{deadline}前报名|写信到{contact}]。",
            "[大家好|你好|各位]，{company}[招|正在找]{title}。", "[职位|岗位]：{title}，[公司|单位]：{company}[|，地点：{location}]。"),
    [(["salary", "hours"], ("待遇", "terms", "条件")), (["company", "location"], ("单位信息", "employer")), (["skills", "experience"], ("任职要求",
        "requirements"))],
    clause("[提取|整理]招聘信息。", "把职位写成JSON。", "[阅读|看]招聘广告并填表。", "[填写|登记]职位。", "把广告转成JSON。"),
    language="zh",
)

CHINESE_APPOINTMENT = Domain(
    "chinese_appointment",
    {
        "client": Fact(chinese_name, ["client", "patient", "name", "customer"], noun(
            "预约人|客人|病人|姓名", "[我叫|我是]{v}。", "{v}[有预约|要预约|预约了|打电话来预约]。", "[为|帮]{v}预约。", "{v}[您好|请准时到]。"), ["姓名",
                "预约人", "病人", "客户"]),
        "with": Fact(chinese_name, ["with", "provider", "doctor", "specialist"], noun(
            "医生|接待人|负责人", "[由|这次由]{v}[接待|负责|为您服务]。", "[约的是|您约了|请找]{v}。", "{v}[为您服务|等您]。"), ["医生", "接待人", "负责人"]),
        "service": Fact(chinese_from(words.CHINESE_CLINICS), ["service", "specialty", "kind", "type"], noun(
            "科室|门类|项目类别", "[去|要去|约的是]{v}。", "[在|到]{v}就行。", "{v}[的预约|预约]。", "预约的是{v}。"), ["科室", "类别", "项目"]),
        "reason": Fact(chinese_from(words.CHINESE_REASONS), ["reason", "purpose", "treatment"], noun(
            "原因|事由|目的", "[因为|由于]{v}[|来的|才预约]。", "[这次来|预约]是为了{v}。", "[主要|就是]{v}的事。"), ["原因", "事由", "目的"]),
        "date": Fact(chinese_date, ["date", "day", "when", "appointment_date"], noun(
            "日期|预约日期|就诊日期", "[约在|定在|安排在|改到]{v}。", "[请|您]{v}[来|过来]。", "{v}[行吗|可以吗]？", "{v}[见|来]。"), ["日期", "预约日期",
                "哪天"]),
        "time": Fact(chinese_clock, ["time", "hour", "at", "start_time"], noun(
            "时间|预约时间|到达时间", "[请|您]{v}[到|来|过来]。", "{v}[开始|轮到您|见]。", "[时间是|就在]{v}。"), ["时间", "预约时间", "几点"]),
        "duration": Fact(whole(11, 120), ["duration", "minutes", "length", "duration_minutes"], noun(
            "时长（分钟）|所需分钟数", "[大约|大概|需要|预计]{v}分钟。", "[时长|用时]：{v}分钟。", "{v}分钟[就好|结束]。"), ["时长", "分钟数", "时长分钟"]),
        "place": Fact(chinese_address, ["place", "address", "location", "where"], noun(
            "地址|地点|位置", "[请到|请来|我们在]{v}。", "[诊所|店|办公室]在{v}。", "[地址|位置]就在{v}。"), ["地址", "地点", "位置"]),
        "phone": Fact(chinese_phone, ["phone", "telephone", "phone_number"], noun(
            "电话|联系电话|电话号码", "[有事请打|改期请拨|请拨打]{v}。", "[我的|我们的]电话是{v}。", "请打{v}[联系|咨询]。"), ["电话", "联系电话", "电话号码"]),
        "confirmed": Fact(flag, ["confirmed", "is_confirmed", "fixed"], {
            True: clause("[预约|时间]已[确认|定好]。", "[已确认|是否确认]：是。", "[我们已|昨天已]确认[|了]。", "[确认了|定下来了]。"),
            False: clause("[预约|时间]还没[确认|定好]。", "[已确认|是否确认]：否。", "[我们还没|尚未]确认。", "[有待确认|请尽快确认]。")}, ["已确认",
                "是否确认"]),
        "first_visit": Fact(flag, ["first_visit", "new_client", "is_new"], {
            True: clause("[这是|是]第一次来。", "[初诊|首次]：是。", "[以前|从前]没来过。", "是[新客人|新病人]。", "头一回来。"),
            False: clause("不是第一次来。", "[初诊|首次]：否。", "[以前|从前]来过。", "是[老客人|老病人]。", "来过[好几次|几回]了。")}, ["首次", "初诊",
                "是否首次"]),
    },
    alternatives(
        "{client}[约了|预约了]{date}[|{time}|，{reason}|，{service}]。", "[预约|提醒|预约单]：{client}，{date}[|，{time}|，{reason}]。",
            "{client}您好，[您的预约在{date}|请{date} {time}来|请{time}准时到]。", "我[想|要]预约{service}[|，{date}|，{reason}]。",
            "[你好|您好]，我是{client}，[想预约{service}|因为{reason}想预约|想约{date}]。", "{date} {time}，{client}[|，{service}|，{reason}]。",
        "{client}{date}[去|到]{service}[|，{reason}]。", "请记下{client}{date}的预约。", "{service}[通知|提醒]{client}，[{date}见|{time}到]。",
            "{client}因为{reason}[打来电话|要来]。", "[新预约|预约]：{with}[|，{date}]。",
            "[姓名|病人|预约人]：{client}，[日期|时间]：{date}[|，事由：{reason}]。"),
    [(["date", "time"], ("预约时段", "when", "slot")), (["client", "phone"], ("预约人信息", "contact")), (["place", "with"], ("就诊信息", "where"))],
    clause("[提取|整理]预约信息。", "把预约写成JSON。", "[填写|登记]预约单。", "[阅读|看]短信并填表。", "把短信转成JSON。"),
    language="zh",
)

CHINESE_INVOICE = Domain(
    "chinese_invoice",
    {
        "number": Fact(invoice_number, ["invoice_number", "number", "invoice", "invoice_id"], noun(
            "发票号|发票号码|票号", "发票{v}。", "[这是|请付|随信附上]发票{v}。", "[付款|汇款]时请注明{v}。"), ["发票号", "发票号码", "票号"]),
        "seller": Fact(chinese_company, ["seller", "vendor", "supplier", "issuer"], noun(
            "销售方|开票方|卖方|供应商", "[由|本发票由]{v}[开具|开出]。", "{v}[开的发票|寄来发票|提供了服务]。", "[请付款给|请汇款给]{v}。"), ["销售方",
                "卖方", "开票方", "供应商"]),
        "customer": Fact(chinese_name, ["customer", "buyer", "client", "recipient"], noun(
            "购买方|客户|买方|收票人", "[开给|发票开给|寄给]{v}。", "{v}[需要付款|下的订单|是买方]。", "[致|尊敬的]{v}。"), ["购买方", "客户", "买方",
                "收票人"]),
        "item": Fact(chinese_from(words.CHINESE_SERVICES), ["item", "service", "description", "product"], noun(
            "项目|内容|服务内容|品名", "[收的是|这是]{v}的费用。", "[您订的是|做的是|我们提供了]{v}。", "[用于]{v}。"), ["项目", "内容", "服务内容"]),
        "total": Fact(amount(11, 9000), ["total", "amount", "total_amount", "sum"], noun(
            "金额|总额|合计|应付金额", "[一共|总共|共计|应付|请付]{v}元。", "[金额|合计|总额]：[¥{v}|{v}元]。", "[还要付|欠款]{v}元。"), ["金额", "合计",
                "总额", "应付金额"]),
        "tax": Fact(whole(11, 27), ["tax_rate", "vat", "tax", "tax_percent"], noun(
            "税率（%）|增值税（%）", "[含|另加]{v}%[的税|增值税]。", "[税率|增值税]：{v}%。", "税率[是|为]{v}%。"), ["税率", "增值税", "税"]),
        "date": Fact(chinese_date, ["date", "invoice_date", "issued", "issued_on"], noun(
            "开票日期|发票日期", "{v}[开具|开票|开的]。", "[开具于|开票于]{v}。", "发票是{v}[开的|寄出的]。"), ["开票日期", "发票日期", "开具日期"]),
        "due": Fact(chinese_date, ["due", "due_date", "pay_by", "deadline"], noun(
            "付款期限|付款截止日|到期日", "[请在|请于]{v}前[付款|付清|汇款]。", "{v}[到期|前要付清|是最后期限]。", "[最晚|最迟]{v}付。"), ["付款期限",
                "到期日", "付款截止日"]),
        "quantity": Fact(whole(11, 120), ["quantity", "units", "count", "qty"], noun(
            "数量|件数", "[一共|共|交付了|订了]{v}件。", "[数量|件数]：{v}[件|]。"), ["数量", "件数"]),
        "paid": Fact(flag, ["paid", "is_paid", "settled"], {
            True: clause("[已经|款项已|发票已]付清[|了]。", "[已付|是否已付|已付款]：是。", "[钱|款]已[收到|到账]。", "[感谢|谢谢]您的付款。"),
            False: clause("[还没|款项尚未|发票尚未]付清。", "[已付|是否已付|已付款]：否。", "[钱|款]还没[收到|到账]。", "[请尽快付款|还没付钱]。")}, ["已付",
                "是否已付", "已付款"]),
        "payment": Fact(label("刷卡", "现金", "转账"), ["payment", "payment_method", "method"], {
            "刷卡": clause("[付款方式|支付方式][：|是|为]刷卡。", "[用|请用]刷卡[付款|支付]。", "刷卡[就行|付的]。"),
            "现金": clause("[付款方式|支付方式][：|是|为]现金。", "[用|请用]现金[付款|支付]。", "只收现金。", "[现金结算|准备好现金]。"),
            "转账": clause("[付款方式|支付方式][：|是|为]转账。", "[用|请用]转账[付款|支付]。", "请转账到[公司账户|我们的账户]。", "[银行转账|走转账]。")},
                ["付款方式", "支付方式"]),
    },
    alternatives(
        "发票{number}[，{seller}|，开给{customer}|，{date}|：{item}]。", "{seller}[开出|寄来]发票{number}[|，金额{total}元]。",
            "{customer}[应付|欠]{seller}{total}元[|，{item}]。", "[尊敬的{customer}|{customer}您好]，[附上发票{number}|感谢您订购{item}]。",
            "{item}：{total}元。", "{seller}[收|要收]{total}元[|，用于{item}]。", "[销售方|卖方]：{seller}，[购买方|买方]：{customer}。",
        "[提醒|通知]：发票{number}[{due}到期|请付款]。", "{date}，{seller}给{customer}开了[发票|账单]。",
            "[我们|公司]收到{seller}的[发票|账单][|，{total}元]。", "为{item}付{total}元。",
            "[发票号|票号]：{number}，[金额|合计]：{total}元[|，项目：{item}]。", "{customer}收到了{seller}的[发票|账单]{number}。",
            "[请|请您]为{item}付款[|给{seller}|，共{total}元]。"),
    [(["date", "due"], ("日期", "dates", "期限")), (["total", "tax"], ("款项", "amounts", "费用")), (["seller", "customer"], ("双方", "parties"))],
    clause("[提取|整理]发票信息。", "把[发票|账单]写成JSON。", "[阅读|看]发票并填表。", "[填写|登记]发票。", "把账单转成JSON。"),
    language="zh",
)

CHINESE_FILM = Domain(
    "chinese_film",
    {
        "title": Fact(chinese_film, ["title", "film", "movie", "name"], noun(
            "片名|电影|影片名称", "[看了|推荐|今晚放映|正在上映]《{v}》。", "[影片|电影|片子]叫《{v}》。", "[片名|电影]：《{v}》。"), ["片名", "电影", "影片",
                "名称"]),
        "director": Fact(chinese_name, ["director", "directed_by", "filmmaker"], noun(
            "导演|执导人", "[由|影片由]{v}[执导|导演|拍摄]。", "{v}[导演|执导|拍的]。", "[这是|是]{v}的[新作|作品]。"), ["导演", "执导"]),
        "actors": Fact(listing(chinese_name, 1, 3), ["actors", "cast", "starring"], noun(
            "演员|主演|演员阵容", "{v}[主演|出演|领衔主演]。", "[由|影片由]{v}[主演|出演]。", "[银幕上有|看得到]{v}。"), ["演员", "主演", "演员表"]),
        "year": Fact(whole(1930, 2030), ["year", "release_year", "released"], noun(
            "年份|上映年份", "{v}年[上映|拍的|出品|首映]。", "[拍于|上映于|摄于]{v}年。", "[是|这是]{v}年的[片子|电影]。"), ["年份", "上映年份", "年"]),
        "genre": Fact(chinese_from(words.CHINESE_GENRES, 0.05), ["genre", "kind", "category"], noun(
            "类型|片种|题材", "[这是|是][|一部]{v}片。", "[属于|归为]{v}[类|片]。", "喜欢{v}片的人[会爱看|别错过]。"), ["类型", "题材", "片种"]),
        "minutes": Fact(whole(12, 210), ["minutes", "runtime", "length", "duration"], noun(
            "片长（分钟）|时长（分钟）", "[片长|时长|全长|放映]{v}分钟。", "[一共|总共]{v}分钟。", "[片长|时长]：{v}[分钟|分]。"), ["片长", "时长", "分钟数"]),
        "rating": Fact(decimal(1, 9), ["rating", "score", "points"], noun(
            "评分|得分|观众评分", "[观众|影评人|大家][打了|给了]{v}分。", "[得了|拿到]{v}分。", "[评分|得分]：{v}[分|]。"), ["评分", "得分", "打分"]),
        "place": Fact(chinese_city, ["place", "setting", "shot_in", "location"], noun(
            "拍摄地|故事发生地|取景地", "[在|影片在|外景在]{v}[拍摄|取景|拍的]。", "故事发生在{v}。", "[取景|拍摄]于{v}。"), ["拍摄地", "取景地",
                "故事发生地"]),
        "subtitles": Fact(flag, ["subtitles", "has_subtitles", "subtitled"], {
            True: clause("[有|带|配有]字幕。", "[字幕|有无字幕]：有。", "[可以|能]看字幕。", "[影片|放映时]有字幕。"),
            False: clause("[没有|不带|没配]字幕。", "[字幕|有无字幕]：无。", "[看不到|没法看]字幕。", "[影片|放映时]没有字幕。")}, ["字幕", "有字幕",
                "是否有字幕"]),
        "audience": Fact(label("儿童", "青少年", "成人"), ["audience", "age_group", "target_group"], {
            "儿童": clause("[适合儿童看|面向儿童|拍给儿童看]。", "[观众|对象]：儿童。", "[孩子们|小朋友]会喜欢。"),
            "青少年": clause("[适合青少年看|面向青少年|拍给青少年看]。", "[观众|对象]：青少年。", "[中学生|少男少女]会喜欢。"),
            "成人": clause("[适合成人看|面向成人|拍给成人看]。", "[观众|对象]：成人。", "[不适合|不要给]小孩看，[只给大人看|只适合大人]。")}, ["观众", "对象",
                "适合人群"]),
    },
    alternatives(
        "《{title}》[由{director}执导|是{year}年的电影|片长{minutes}分钟|由{actors}主演|是一部{genre}片]。",
            "{director}[执导|拍摄|导演]的《{title}》[|，{year}年|，{actors}主演|，{genre}片]。",
            "[昨天|上周|昨晚][看了|我看了]《{title}》[|，{director}导演]。",
            "[影评|电影推荐|今晚放映|新片]：《{title}》[|，{director}|，{minutes}分钟|，{genre}]。", "{year}年，{director}拍了《{title}》。",
            "{actors}主演的《{title}》[上映了|很好看]。",
        "[你看过|你知道]《{title}》吗？", "《{title}》（{year}）[|，{director}|，{minutes}分钟]。",
            "{genre}片《{title}》[上映了|片长{minutes}分钟|评分{rating}]。", "《{title}》在{place}拍摄[|，{year}年上映]。"),
    [(["director", "actors"], ("主创", "crew", "人员")), (["year", "place"], ("制作", "production")), (["minutes", "rating"], ("详情", "details"))],
    clause("[提取|整理]电影信息。", "把电影写成JSON。", "[阅读|看]影评并填表。", "[填写|登记]影片。", "把影评转成JSON。"),
    language="zh",
)

CHINESE_COURSE = Domain(
    "chinese_course",
    {
        "title": Fact(chinese_course, ["title", "course", "course_name", "subject"], noun(
            "课程|课程名称|课名", "[开设|我们开设|报名]《{v}》[|课]。", "[课程|这门课]叫《{v}》。", "[新课|课程]：{v}。"), ["课程", "课程名称", "课名"]),
        "teacher": Fact(chinese_name, ["teacher", "instructor", "lecturer", "tutor"], noun(
            "老师|任课老师|讲师|主讲人", "[由|本课由]{v}[讲授|主讲|任教]。", "{v}[老师授课|教这门课|讲课]。", "[跟|跟着]{v}学。"), ["老师", "讲师",
                "任课老师", "主讲人"]),
        "start": Fact(chinese_date, ["start", "start_date", "begins", "first_class"], noun(
            "开课日期|开课时间|开始日期", "{v}[开课|开班|上第一节课]。", "将于{v}[开始|开课]。", "[第一节课|开班]在{v}。"), ["开课日期", "开始日期",
                "开班日期"]),
        "weeks": Fact(whole(2, 30), ["weeks", "duration", "number_of_weeks"], noun(
            "周数|课程周数", "[一共|共|为期|上]{v}周。", "[学习|要上]{v}[周|个星期]。", "周数：{v}周。"), ["周数", "课程周数", "几周"]),
        "day": Fact(lambda w: w.random.choice("星期 周".split()) + w.random.choice("一二三四五六"), ["day", "weekday", "day_of_week"], noun(
            "上课日|上课的日子", "[每|每个]{v}[上课|都有课]。", "{v}[上课|见面]。", "[上课时间|课]在{v}。"), ["上课日", "星期几", "星期"]),
        "place": Fact(chinese_place, ["place", "room", "location", "venue"], noun(
            "地点|教室|上课地点", "[在|我们在]{v}上课。", "[请到|请来]{v}[|上课]。", "[教室|课堂]设在{v}。"), ["地点", "教室", "上课地点"]),
        "price": Fact(amount(15, 2000), ["price", "fee", "cost", "tuition"], noun(
            "学费|费用|价格", "[只要|需要|收费|一期]{v}元。", "[学费|费用]：[¥{v}|{v}元]。", "[报名|上课]要交{v}元。"), ["学费", "费用", "价格"]),
        "places": Fact(whole(11, 60), ["places", "max_students", "capacity", "group_size"], noun(
            "名额|人数上限|班级人数", "[有|共有|还有]{v}个名额。", "[最多|只收|限]{v}[人|名学员]。"), ["名额", "人数上限", "班级人数"]),
        "level": Fact(label("初级", "中级", "高级"), ["level", "difficulty"], {
            "初级": clause("[级别|程度|难度][：|是|为]初级。", "[适合|面向]初学者，[属于|是]初级班。", "[零基础|没学过]也[可以|能学]。", "这是初级班。"),
            "中级": clause("[级别|程度|难度][：|是|为]中级。", "[需要|要有]一点基础。", "[学过基础|有些基础]的人适合。", "这是中级班。"),
            "高级": clause("[级别|程度|难度][：|是|为]高级。", "[适合|面向]有[很多经验|扎实功底]的人。", "[难度很大|只收高手]。", "这是高级班。")}, ["级别",
                "难度", "程度"]),
        "certificate": Fact(flag, ["certificate", "has_certificate", "diploma"], {
            True: clause("[结业|学完][发|有|颁发]证书。", "[证书|有无证书]：有。", "[可以|能]拿到证书。"),
            False: clause("[结业|学完][不发|没有]证书。", "[证书|有无证书]：无。", "[拿不到|不提供]证书。")}, ["证书", "有证书", "是否有证书"]),
    },
    alternatives(
        "[新课|课程|招生]：{title}[|，{teacher}主讲|，{start}开课|，{weeks}周]。", "{teacher}[教|主讲|开设]{title}[|，{start}开课|，在{place}]。",
            "《{title}》[{start}开课|由{teacher}主讲|一共{weeks}周|学费{price}元]。", "[想学|欢迎报名]{title}[，找{teacher}|，{day}上课|，学费{price}元]。",
            "每{day}在{place}[学|上]{title}。", "[同学们好|大家好]，{title}[{start}开课|在{place}上课]。",
        "{title}，{day}，{place}。", "{weeks}周学会{title}[|，{price}元]。", "{start}起{teacher}[讲授|教]{title}。",
            "我[报了|参加了]{title}[|，{teacher}老师教|，{price}元]。", "[课程|课名]：{title}，[老师|讲师]：{teacher}[|，{start}开课|，{place}]。"),
    [(["day", "place"], ("上课安排", "schedule")), (["price", "places"], ("报名信息", "terms")), (["start", "weeks"], ("课程时间", "period"))],
    clause("[提取|整理]课程信息。", "把课程写成JSON。", "[阅读|看]通知并填表。", "[填写|登记]课程。", "把通知转成JSON。"),
    language="zh",
)

CHINESE: list[Domain] = [
    CHINESE_PERSON, CHINESE_TICKET, CHINESE_EVENT, CHINESE_PRODUCT, CHINESE_BOOKING, CHINESE_FLIGHT, CHINESE_VACANCY, CHINESE_APPOINTMENT, CHINESE_INVOICE,
        CHINESE_FILM, CHINESE_COURSE,
]
