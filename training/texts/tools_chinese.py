"""Tools with English names and Chinese descriptions, and the requests that call them."""

from __future__ import annotations

from collections.abc import Callable

from texts.labels_chinese import zh_city, zh_name
from texts.phrasing import chinese_phrase
from texts.tool_tables import decimal, integer, option, switch, text, tool
from texts.tools_english import file_name, measure
from texts.world import World, code, email, price

ZH_ROOMS = "厨房 卧室 书房 浴室 客厅 车库 地下室 阁楼 餐厅 儿童房 阳台 走廊 会议室 办公室 储藏室 客房".split()
ZH_DISHES = "红烧肉 番茄炒蛋 麻婆豆腐 宫保鸡丁 清蒸鱼 炒饭 饺子 牛肉面 酸辣汤 蛋糕 包子 糖醋排骨 土豆丝 烤鸭 火锅 南瓜粥".split()
ZH_PRODUCTS = "手机 耳机 书包 台灯 水杯 雨伞 键盘 毛衣 外套 手表 桌子 椅子 相机 电饭煲 吸尘器 自行车 枕头 帐篷 音箱 钱包".split()
ZH_LANGUAGES = "英语 法语 德语 日语 韩语 西班牙语 意大利语 俄语 葡萄牙语 阿拉伯语 泰语 荷兰语 瑞典语 波兰语 希腊语 越南语".split()
ZH_CURRENCIES = "美元 欧元 日元 英镑 人民币 港币 韩元 瑞士法郎 加元 澳元 卢比 泰铢".split()
ZH_UNITS = "米 英尺 英里 公里 磅 公斤 盎司 克 升 加仑 英寸 厘米 码 吨".split()


def zh_clock(world: World) -> str:
    """A time as Chinese texts write it."""
    hour, minute = world.random.randint(1, 23), world.random.choice(["00", "15", "30", "45", "10", "20", "05", "50"])
    part, low, high = world.random.choice([("早上", 5, 9), ("上午", 8, 11), ("下午", 1, 6), ("晚上", 7, 11)])
    spoken = world.random.randint(low, high)
    return world.random.choice([f"{hour:02d}:{minute}", f"{hour}:{minute}", f"{part}{spoken}点", f"{part}{spoken}点半"])


def zh_day(world: World) -> str:
    """A day as Chinese texts write it."""
    return world.random.choice([f"{world.random.randint(1, 12)}月{world.random.randint(1, 28)}日", "明天", "后天", "星期" + world.random.choice("一二三四五六"), f"2026-{world.random.randint(1, 12):02d}-{world.random.randint(1, 28):02d}", "下周" + world.random.choice("一二三四五")])


def zh_title(world: World) -> str:
    return chinese_phrase(world, 2, 5)


def zh_remark(world: World) -> str:
    return chinese_phrase(world, 4, 8)


def zh_restaurant(world: World) -> str:
    return chinese_phrase(world, 2, 3) + world.random.choice("楼 饭店 餐厅 酒家 食堂 小馆".split())


def zh_from(entries: list[str]) -> Callable[[World], str]:
    """A maker that picks an entry of the list."""
    return lambda world: world.pick(entries)


def closed(entries: list[str]) -> Callable[[World], str]:
    """A maker for words that are always the same few, such as currencies: none of them is held out."""
    return lambda world: world.random.choice(entries)


CHINESE = [
    tool("get_weather weather weather_forecast", "查询城市的天气", """
        {city}[今天|现在|]天气[怎么样|如何|好吗]？
        [查|查一下|帮我查|看看|告诉我]{city}的天气[。|，谢谢。]
        {city}[今天会下雨吗|冷不冷|热吗|要带伞吗|现在多少度]？
        我[要去|在]{city}，[天气怎么样|会下雨吗]？
        """, city=text("city location place", zh_city, "城市")),
    tool("get_forecast forecast daily_forecast", "查询某天的天气预报", """
        {city}{day}[天气怎么样|会下雨吗|冷吗|要带伞吗]？
        [查|查一下|帮我查|看看|告诉我]{day}{city}的[天气|天气预报]。
        {day}我去{city}，[天气怎么样|会下雨吗|要带伞吗]？
        {day}{city}[多少度|热不热]？
        """, city=text("city location place", zh_city, "城市"), day=text("day date on", zh_day, "日期")),
    tool("set_alarm alarm create_alarm", "设置闹钟", """
        [请|]{time}[叫我起床|叫醒我|叫我]。
        [设|定|设置|帮我设|帮我定]一个{time}的闹钟[。|，谢谢。]
        [我要|我得|我必须]{time}起床[。|，帮我设闹钟。]
        闹钟[设在|定在|调到]{time}。
        """, time=text("time at when", zh_clock, "时间")),
    tool("set_timer timer start_timer", "设置倒计时", """
        [设|开始|来|帮我设]一个{minutes}分钟的[计时器|倒计时]。
        [倒计时|计时]{minutes}分钟[。|，谢谢。]
        {minutes}分钟[后|以后][提醒我|叫我|响铃]。
        [帮我|请]计时{minutes}分钟。
        """, minutes=integer("minutes duration length", 2, 120, "分钟数")),
    tool("send_message message send_text", "给某人发消息", """
        [给|帮我给|请给]{recipient}[发消息|发短信|发信息]：{text}
        [告诉|通知]{recipient}：“{text}”。
        [发消息|发短信]给{recipient}，[内容是|就说]“{text}”。
        [跟|对]{recipient}说“{text}”。
        """, recipient=text("recipient to contact", zh_name, "收信人"), text=text("text message content", zh_remark, "内容")),
    tool("send_email email mail", "发送邮件", """
        [给|往]{to}[发邮件|发一封邮件]，[主题是|标题是|主题]“{subject}”，[内容是|正文是]“{body}”。
        [发邮件|写邮件]给{to}，[主题|标题]：{subject}，[内容|正文]：{body}
        [把|请把]“{body}”发到{to}，[主题|标题]“{subject}”。
        """, to=text("to recipient address", email, "邮箱"), subject=text("subject title", zh_title, "主题"), body=text("body text content", zh_remark, "正文")),
    tool("make_call call phone_call", "打电话", """
        [给|帮我给|请给]{contact}打[电话|个电话]。
        [打电话|拨电话]给{contact}[。|，谢谢。]
        [我要|我想]跟{contact}通[电话|话]。
        [呼叫|拨打]{contact}[。|的电话。|的号码。]
        """, contact=text("contact person name", zh_name, "联系人")),
    tool("play_music play_song music", "播放歌曲", """
        [播放|放|来一首|放一首]{artist}的《{song}》。
        [我想听|我要听|想听]{artist}的《{song}》。
        [放|播放]《{song}》，[歌手|演唱者]是{artist}。
        [来点音乐|听歌]：{artist}，《{song}》
        """, song=text("song title track", zh_title, "歌名"), artist=text("artist singer", zh_name, "歌手")),
    tool("set_volume volume change_volume", "设置音量", """
        [把|请把|]音量[调到|设为|设成]{level}。
        [声音|音量][调到|改成|开到]百分之{level}。
        [我要把|帮我把]音量[调到|设为]{level}。
        """, level=integer("level volume value", 2, 100, "音量，百分比")),
    tool("convert_currency currency exchange", "货币换算", """
        {amount}{source}[等于|是|能换|可以换]多少{target}？
        [把|请把|帮我把]{amount}{source}[换成|换算成]{target}。
        [我要|我想]用{amount}{source}换{target}。
        """, amount=decimal("amount value", price, "金额"), source=text("source from from_currency", closed(ZH_CURRENCIES), "原货币"), target=text("target to to_currency", closed(ZH_CURRENCIES), "目标货币")),
    tool("convert_units unit_converter convert", "单位换算", """
        {value}{source}[等于|是|合]多少{target}？
        [把|请把|帮我把]{value}{source}[换成|换算成]{target}。
        [用|以]{target}表示{value}{source}。
[我想知道|请问|告诉我]{value}{source}是多少{target}。
        """, value=decimal("value amount quantity", measure, "数值"), source=text("from_unit source unit", closed(ZH_UNITS), "原单位"), target=text("to_unit target", closed(ZH_UNITS), "目标单位")),
    tool("book_table reserve_table restaurant_booking", "预订餐厅", """
        [在|帮我在|请在]{restaurant}[订|预订]{time}，{people}[个人|人|位]的[位子|桌子]。
        [我们{people}个人|我们一共{people}位]{time}去{restaurant}[吃饭|，请订位]。
        [订位|预订]：{restaurant}，{people}人，{time}
        {time}{restaurant}，{people}[位|个人]，[帮我订位|请预订]。
        """, restaurant=text("restaurant place name", zh_restaurant, "餐厅"), people=integer("people guests party_size", 2, 14, "人数"), time=text("time at when", zh_clock, "时间")),
    tool("create_event add_event calendar", "添加日程", """
        [在日历上添加|添加日程|新建日程]“{title}”，[时间|日期]是{date}。
        [把|请把]“{title}”[放进|加到|写进]{date}的日程。
        {date}[有|要参加|安排了]“{title}”，[记到日历|加到日程]里。
        [安排|计划]{date}的“{title}”。
        """, title=text("title name event", zh_title, "标题"), date=text("date day on", zh_day, "日期")),
    tool("add_reminder reminder create_reminder", "设置提醒", """
        [请|]{time}提醒我“{task}”。
        [设|设置|帮我设]一个{time}的提醒：{task}
        别让我忘了{time}[要|去]“{task}”。
        [提醒|提醒事项]：{task}，[时间|在]{time}
        """, task=text("task text what", zh_remark, "内容"), time=text("time at when", zh_clock, "时间")),
    tool("translate translate_text translation", "翻译文字", """
        [把|请把|帮我把]“{text}”[翻译成|译成]{language}。
        “{text}”用{language}怎么[说|写]？
        [用|拿]{language}[说|写]“{text}”。
        {language}的“{text}”[怎么说|是什么|怎么写]？
        """, text=text("text phrase input", zh_title, "原文"), language=text("language to target_language", zh_from(ZH_LANGUAGES), "目标语言")),
    tool("search_web search web_search", "上网搜索", """
        [搜索|搜一下|查找|上网查|上网搜]“{query}”[。|，谢谢。]
        [帮我|请]在网上[找|搜|查]“{query}”。
        网上有没有关于“{query}”的[内容|信息|网页]？
        """, query=text("query q text", zh_remark, "搜索词")),
    tool("find_flight search_flights flights", "查询航班", """
        [查|找|帮我查|帮我找]{date}从{origin}到{destination}的[航班|机票|飞机]。
        [我要|我想]{date}从{origin}飞[到|往]{destination}。
        {date}[有没有|还有没有]从{origin}到{destination}的[航班|飞机]？
        从{origin}飞{destination}，{date}[，谢谢。|。]
        """, origin=text("origin from departure", zh_city, "出发地"), destination=text("destination to arrival", zh_city, "目的地"), date=text("date day on", zh_day, "日期")),
    tool("find_train train_connection search_trains", "查询火车", """
        [查|找|帮我查|帮我找]{time}从{origin}到{destination}的[火车|高铁|列车]。
        [我要|我想]{time}坐[火车|高铁]从{origin}去{destination}。
        {time}[有没有|还有没有]从{origin}到{destination}的[火车|高铁]？
        """, origin=text("origin from departure", zh_city, "出发站"), destination=text("destination to arrival", zh_city, "到达站"), time=text("time at departure_time", zh_clock, "时间")),
    tool("book_hotel hotel reserve_room", "预订酒店", """
        [在|帮我在|请在]{city}[订|预订|找]一家酒店，{date}入住，住{nights}晚。
        {date}[我们|我]去{city}住{nights}[晚|个晚上]，[订酒店|订个房间]。
        [订酒店|酒店]：{city}，{date}，{nights}晚
        """, city=text("city place location", zh_city, "城市"), nights=integer("nights length duration", 2, 21, "晚数"), date=text("check_in date from", zh_day, "入住日期")),
    tool("order_taxi taxi call_taxi", "叫出租车", """
        [叫|打|帮我叫|帮我打]一辆从{pickup}到{dropoff}的[车|出租车]。
        [我要|我想]打车从{pickup}[去|到]{dropoff}。
        从{pickup}到{dropoff}，[叫一辆车|叫出租车|打车]。
        """, pickup=text("pickup from start", zh_title, "上车地点"), dropoff=text("dropoff to destination", zh_city, "下车地点")),
    tool("get_directions directions navigate route", "查询路线", """
        从{start}[怎么{mode}去|怎么{mode}到]{end}？
        [导航|带我]{mode}从{start}[去|到]{end}。
        [我要|我想]{mode}从{start}[去|到]{end}，[怎么走|走哪条路]？
        [查|告诉我]{mode}从{start}到{end}的路线。
        """, start=text("start from origin", zh_city, "起点"), end=text("end to destination", zh_city, "终点"), mode=option("mode transport by", "car bicycle foot bus", "交通方式", {"car": ["开车"], "bicycle": ["骑车", "骑自行车"], "foot": ["走路", "步行"], "bus": ["坐公交车", "坐公交"]})),
    tool("set_temperature thermostat heating", "设置房间温度", """
        [把|请把|帮我把]{room}[的温度|]调到{degrees}度。
        {room}[要|设为|设成]{degrees}度[。|，谢谢。]
        [我想让|请让]{room}[变成|保持]{degrees}度。
        """, room=text("room where zone", zh_from(ZH_ROOMS), "房间"), degrees=integer("degrees temperature value", 10, 30, "温度")),
    tool("switch_light light lights", "开灯或关灯", """
        [请|帮我|]{state}{room}的灯。
        [把|请把|帮我把]{room}的灯{state}。
        {room}的灯[请|给我|]{state}[一下|]。
        """, room=text("room where zone", zh_from(ZH_ROOMS), "房间"), state=option("state status value", "on off", "开或关", {"on": ["打开"], "off": ["关掉", "关上"]})),
    tool("create_note note add_note", "保存笔记", """
        [写|记|新建]一条笔记，[标题|题目]“{title}”，[内容|正文]“{content}”。
        [笔记|备忘]：{title}，[内容|正文]：{content}
        [把|请把]“{content}”[记下来|存成笔记]，[标题是|标题]“{title}”。
        """, title=text("title name heading", zh_title, "标题"), content=text("content text body", zh_remark, "内容")),
    tool("add_to_list shopping_list add_item", "加入购物清单", """
        [把|请把|帮我把]{quantity}个{item}[加到|写进|放进]购物清单。
        [我们要|我要|要]买{quantity}个{item}[，写进购物清单。|，加到清单里。]
        购物清单：{item}，{quantity}个
        [购物清单|清单][加上|添加]{quantity}个{item}。
        """, quantity=integer("quantity count amount", 2, 40, "数量"), item=text("item product thing", lambda w: w.pick(ZH_PRODUCTS) if w.chance(0.5) else chinese_phrase(w, 2, 3), "物品")),
    tool("transfer_money pay send_money", "转账", """
        [给|帮我给|请给]{recipient}[转|汇]{amount}{currency}。
        [转|汇]{amount}{currency}给{recipient}[。|，谢谢。]
        [我要|我想]付给{recipient}{amount}{currency}。
        [我欠|还欠]{recipient}{amount}{currency}，[帮我转|请转账]。
        """, amount=decimal("amount sum value", price, "金额"), currency=text("currency unit", closed(ZH_CURRENCIES), "货币"), recipient=text("recipient to receiver", zh_name, "收款人")),
    tool("track_order order_status get_order", "查询订单", """
        [查|查一下|帮我查]订单{order}[。|，谢谢。|到哪了。]
        订单{order}[到哪了|发货了吗|什么时候到|是什么状态]？
        [我的订单号是|订单号]{order}，[到哪了|帮我查一下|还没到吗]？
        """, order=text("order order_id number", code, "订单号")),
    tool("create_ticket open_ticket report_issue", "创建工单", """
        [创建|新建|开]一个{priority}优先级的工单：{title}
        [报告|提交]问题“{title}”，优先级{priority}。
        [工单|问题]：“{title}”，[优先级|优先级是]{priority}
        """, title=text("title subject summary", zh_title, "标题"), priority=option("priority urgency level", "low medium high", "优先级", {"low": ["低"], "medium": ["中", "中等"], "high": ["高"]})),
    tool("assign_task assign delegate", "分配任务", """
        [把|请把]“{task}”[交给|分给|派给]{person}，{date}之前[完成|做完]。
        {person}[要|必须|应该]在{date}之前完成“{task}”。
        [任务|新任务]：{task}，负责人{person}，[截止|期限]{date}
        """, task=text("task title name", zh_remark, "任务"), person=text("person assignee to", zh_name, "负责人"), date=text("date due deadline", zh_day, "期限")),
    tool("delete_file remove_file erase_file", "删除文件", """
        [删除|删掉]文件{path}，{backup}。
        [把|请把|帮我把]{path}[删掉|删除|删了]，{backup}。
        [不需要|不要]{path}了，[删掉|删除]，{backup}。
        """, path=text("path file filename", file_name, "文件"), backup=switch("backup keep_backup save_copy", ["留一个备份", "先备份", "要备份"], ["不留备份", "不用备份", "不要备份"], "是否备份")),
    tool("get_recipe recipe find_recipe", "查找菜谱", """
        [找|查|给我|我要]{people}[人份|个人吃]的{dish}[菜谱|做法]。
        {dish}怎么做？[我们有|一共]{people}个人[。|吃。]
        [我想|我要]给{people}个人做{dish}[，怎么做？|，找菜谱。]
        """, dish=text("dish meal recipe", lambda w: w.pick(ZH_DISHES) if w.chance(0.6) else chinese_phrase(w, 1, 2) + w.random.choice("汤饭面饼粥"), "菜名"), people=integer("people servings portions", 2, 12, "人数")),
    tool("calculate calculator compute", "计算两个数", """
        {a}{operation}{b}[等于多少|是多少|等于几|得多少]？
        [算|计算|算一下|帮我算]{a}{operation}{b}。
        [请问|告诉我]{a}{operation}{b}[是多少|等于多少]。
        """, a=integer("a first x", 2, 900, "第一个数"), b=integer("b second y", 2, 900, "第二个数"), operation=option("operation operator op", "add subtract multiply divide", "运算", {"add": ["加", "加上"], "subtract": ["减", "减去"], "multiply": ["乘", "乘以"], "divide": ["除以"]})),
    tool("get_news news headlines", "查询新闻", """
        [看看|告诉我|读一下]关于{topic}的新闻。
        [查|找|搜]{topic}的[最新消息|新闻|头条]。
        {topic}[最近怎么样|有什么新消息|最近有新闻吗]？
        """, topic=text("topic subject about", zh_title, "话题")),
    tool("buy_product order_product purchase", "购买商品", """
        [买|订|订购|帮我买]{quantity}个{color}的{product}。
        [我要|我想买|给我来]{quantity}个{product}，{color}的。
        {product}，{color}，[要|买|来]{quantity}个。
        """, product=text("product item article", zh_from(ZH_PRODUCTS), "商品"), color=text("color variant colour", zh_from("红色 蓝色 绿色 黄色 黑色 白色 紫色 橙色 棕色 粉色 灰色 银色 金色".split()), "颜色"), quantity=integer("quantity count amount", 2, 60, "数量")),
    tool("get_time world_clock local_time", "查询当地时间", """
        {city}[现在几点|几点了|现在是什么时间]？
        [告诉我|查一下|看看]{city}的[时间|当地时间|钟点]。
        [我想知道|请问]{city}[现在几点|是几点]。
        """, city=text("city place timezone", zh_city, "城市")),
    tool("book_appointment appointment make_appointment", "预约", """
        [约|预约|帮我约|帮我预约]{date}，{time}[跟|和]{person}见面。
        [我要|我想]{date}，{time}见{person}[。|，请预约。]
        [预约|约见]：{person}，{date}，{time}
        """, person=text("person with name", lambda w: zh_name(w)[:1] + w.random.choice(["医生", "老师", "经理", "律师", "先生", "女士"]), "跟谁"), date=text("date day on", zh_day, "日期"), time=text("time at hour", zh_clock, "时间")),
]
