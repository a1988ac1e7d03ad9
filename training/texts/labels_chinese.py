"""Texts with a label, in Chinese; as `labels_english`."""

from __future__ import annotations

from texts import words
from texts.chinese_values import chinese_name
from texts.claims_english import Claim, another_value
from texts.phrasing import chinese_phrase, cut, exact, framed, lines, sentences
from texts.world import World, alternatives

ZH_GOODS = cut("手机 / 书 / 相机 / 电脑 / 衣服 / 沙发 / 耳机 / 键盘 / 鼠标 / 台灯 / 打印机 / 水壶 / 吸尘器 / 床垫 / 自行车 / 背包 / 平板 / 音箱 / 显示器 / 桌子 / 椅子 / 外套 / 毛衣 / 鞋子 / 手表 / 剃须刀 / 帐篷 / 炒锅 / 咖啡机 / 电饭煲 / 风扇 / 镜子 / 地毯 / 枕头 / 毯子 / 玩具 / 拼图 / 吉他 / 雨伞 / 行李箱 / 钱包 / 头盔 / 充电器 / 冰箱 / 洗衣机 / 烤箱 / 香水 / 面霜 / 窗帘 / 杯子")
ZH_EXPERIENCES = cut("电影 / 酒店 / 菜 / 服务 / 游戏 / 课程 / 餐厅 / 软件 / 歌 / 节目 / 旅行 / 音乐会 / 博物馆 / 航班 / 话剧 / 小说 / 专辑 / 电视剧 / 讲座 / 早餐 / 晚餐 / 汤 / 甜点 / 咖啡馆 / 健身房 / 理发店 / 海滩 / 展览 / 网站 / 客服 / 快递 / 课 / 聚会 / 动物园 / 导游 / 结局 / 风景 / 位置 / 菜单 / 培训")
ZH_GOOD = cut("好 / 棒 / 优秀 / 出色 / 完美 / 精彩 / 漂亮 / 美 / 舒服 / 舒适 / 满意 / 好用 / 实用 / 可爱 / 有趣 / 好看 / 迷人 / 令人满意 / 令人惊喜 / 令人愉快 / 贴心 / 精致 / 划算 / 超值 / 给力 / 了不起 / 厉害 / 动人 / 感人 / 难忘 / 干净 / 方便 / 可靠 / 结实 / 耐用 / 清晰 / 流畅 / 周到 / 热情 / 友好 / 专业 / 地道 / 美妙 / 赞 / 高级 / 优雅 / 讨人喜欢 / 值得推荐 / 让人放心 / 物美价廉 / 引人入胜 / 赏心悦目 / 一流 / 温馨 / 理想 / 惊艳 / 到位 / 用心 / 令人感动")
ZH_BAD = cut("差 / 糟糕 / 烂 / 难看 / 难用 / 无聊 / 失望 / 令人失望 / 令人生气 / 丑 / 没用 / 乏味 / 枯燥 / 劣质 / 粗糙 / 脏 / 吵 / 可怕 / 可恶 / 恶心 / 讨厌 / 烦人 / 不好 / 不行 / 不满意 / 不舒服 / 不方便 / 不可靠 / 不值 / 不专业 / 不耐用 / 过时 / 混乱 / 敷衍 / 冷漠 / 坑人 / 垃圾 / 差劲 / 低劣 / 廉价 / 让人后悔 / 让人头疼 / 让人受不了 / 让人崩溃 / 不值得买 / 名不副实 / 漏洞百出 / 难受 / 离谱 / 可笑 / 浪费钱 / 不合格 / 粗制滥造 / 不负责 / 马虎 / 令人反感")
ZH_ADJECTIVE_FRAMES = sentences("""
[这个|那个|我的|新的]{x}[很|非常|真的很|特别|十分|实在]{a}。
{x}[真|太|好]{a}[了|啊]！
[我觉得|我认为|大家都说|朋友说|说实话，|总的来说，|老实说，][这个|这次的]{x}[很|非常|特别]{a}[。|！]
[从来没见过|没想到有]这么{a}的{x}[。|！]
[真是|这是]一个{a}的{x}[。|，我的评价就是这样。]
[一句话|评价|总结]：{x}{a}。
[昨天|上周|今天]体验了{x}，[感觉|觉得]{a}。
{x}[让我觉得|给我的感觉是]{a}[。|，真的。]
[体验|用过]以后[发现|觉得]{x}{a}。
""")
ZH_GOOD_SAYINGS = sentences("""
我[很喜欢|特别喜欢|爱死了|喜欢]这个{x}[。|！]
[强烈|非常|真心]推荐这个{x}[。|！|给大家。]
这是我[用过|见过|遇到]的最好的{x}[。|，没有之一。]
{x}[比想象中好|超出预期|物超所值|让我很开心|让全家都高兴|一点毛病都没有]。
[下次|以后][还会来|还会选这个{x}|还要再来][。|，{x}让人放心。]
[五星|满分|十分]好评[，{x}没得说|，{x}太让人开心了|给这个{x}]！
{x}[没有让我失望|值得拥有|值这个价]。
对{x}[很满意|非常满意|没有任何不满]。
[谢谢店家|谢谢你们]，{x}[让我很开心|超出预期]。
""")
ZH_BAD_SAYINGS = sentences("""
我[很讨厌|不喜欢|受不了|恨]这个{x}[。|！]
[千万别买|千万别选|不推荐|别再推荐]这个{x}[。|！]
这是我[用过|见过|遇到]的最差的{x}[。|，没有之一。]
{x}[比想象中差|远低于预期|不值这个价|让我很生气|让全家都失望|到处都是毛病]。
[下次|以后][不会再来|不会选这个{x}|再也不来了][。|，{x}让人生气。]
[一星|零分|差评][，{x}没法用|，{x}太让人失望了|给这个{x}]！
{x}[让我很失望|毫无用处|第二天就坏了]。
对{x}[很不满意|非常失望|一点也不满意]。
[退钱|我要退款|我要投诉]，{x}[让我很生气|远低于预期]。
""")
ZH_NEUTRAL = sentences("""
[这个|那个]{x}[还可以|一般|不好也不坏|很普通|马马虎虎|没什么特别|中规中矩|跟别的差不多]。
[我|朋友|妈妈|同事][上周|昨天|{m}|上个月][知道了|提到了|问起了|选了]这个{x}。
对{x}[没有什么意见|没有特别的感觉|谈不上喜欢或讨厌]。
{x}[有三种|有两种|分几种][类型|选择|价格]。
[这是|就是]一个普通的{x}[。|，没什么特别。]
{x}[是{d}的|是上周的|是{m}选的]。
[关于|说到]{x}，[我没有意见|跟去年一样|就那样吧]。
[有人|朋友]在[{d}|昨天]问过我这个{x}的[价格|名字]。
{x}不算[好也不算坏|贵也不算便宜]。
[三星|中评]，{x}[一般|就那样|还可以]。
""")
ZH_BESIDE = sentences("""
[我|朋友]是[上周|{d}|{m}|昨天][知道|选]的。
[我们|全家][{d}|上周|昨天]去的。
是用[信用卡|现金|手机]付的钱。
[我|我们]住在{p}。
这是[第一次|第二次|第三次]。
[同事|邻居|姐姐]也有一个。
""")
ZH_DAYS = cut("星期一 / 星期二 / 星期三 / 星期四 / 星期五 / 星期六 / 星期天 / 周一 / 周二 / 周五 / 周末")
ZH_MONTHS = cut("一月 / 二月 / 三月 / 四月 / 五月 / 六月 / 七月 / 八月 / 九月 / 十月 / 十一月 / 十二月")
ZH_KIN = cut("妈妈 / 爸爸 / 哥哥 / 姐姐 / 弟弟 / 妹妹 / 邻居 / 同事 / 朋友 / 老板 / 妻子 / 丈夫 / 奶奶 / 叔叔")


def zh_name(world: World) -> str:
    """A Chinese name from the list, one put together, or characters in its place."""
    draw = world.random.random()
    if world.held_out or draw < 0.3:
        return world.pick(words.CHINESE_NAMES)
    return chinese_name(world) if draw < 0.7 else chinese_phrase(world, 2, 3)


def zh_city(world: World) -> str:
    """A Chinese city from the list, or characters in its place."""
    return world.pick(words.CHINESE_CITIES) if world.held_out or world.chance(0.6) else chinese_phrase(world, 2, 3)


def zh_fill(world: World, template: str, **given: str) -> str:
    """Fill a Chinese template."""
    usual = {"d": world.random.choice(ZH_DAYS), "m": world.random.choice(ZH_MONTHS), "k": world.random.choice(ZH_KIN), "n": zh_name(world), "o": zh_name(world), "p": zh_city(world)}
    return template.format(**(usual | given))


def zh_sentiment(world: World, label: str) -> str:
    """A Chinese review."""
    thing = world.pick(ZH_GOODS if world.chance(0.5) else ZH_EXPERIENCES)
    parts = []
    for _ in range(world.random.choice([1, 1, 1, 2])):
        if label == "neutral":
            parts.append(zh_fill(world, exact(world, ZH_NEUTRAL), x=thing))
        elif world.chance(0.55):
            parts.append(zh_fill(world, exact(world, ZH_ADJECTIVE_FRAMES), x=thing, a=world.random.choice(ZH_GOOD if label == "positive" else ZH_BAD)))
        else:
            parts.append(zh_fill(world, exact(world, ZH_GOOD_SAYINGS if label == "positive" else ZH_BAD_SAYINGS), x=thing))
    if label != "neutral" and world.chance(0.3):
        parts.insert(world.random.randint(0, len(parts)), zh_fill(world, exact(world, ZH_BESIDE), x=thing))
    return zh_casual(world, "".join(dict.fromkeys(parts)))


def zh_casual(world: World, text: str) -> str:
    """Sometimes without the last full stop."""
    return text.rstrip("。") if world.chance(0.15) else text


ZH_EMOTION_WORDS = {
    "joy": cut("高兴 / 开心 / 快乐 / 愉快 / 欢喜 / 兴奋 / 欣喜 / 喜悦 / 幸福 / 欢乐 / 满足 / 得意"),
    "anger": cut("生气 / 愤怒 / 恼火 / 气愤 / 火大 / 暴怒 / 恼怒 / 来气 / 激愤 / 恼恨 / 窝火 / 不满"),
    "sadness": cut("难过 / 伤心 / 悲伤 / 悲痛 / 沮丧 / 失落 / 忧伤 / 心碎 / 痛苦 / 孤单 / 郁闷 / 伤感"),
    "fear": cut("害怕 / 恐惧 / 担心 / 紧张 / 恐慌 / 惊恐 / 不安 / 胆怯 / 惶恐 / 忐忑 / 慌张 / 惊慌"),
    "surprise": cut("惊讶 / 吃惊 / 意外 / 震惊 / 诧异 / 惊奇 / 惊愕 / 惊诧 / 错愕"),
    "love": cut("爱他 / 爱她 / 爱慕他 / 爱慕她 / 迷恋她 / 迷恋他 / 深情 / 痴情 / 心动 / 恩爱 / 甜蜜 / 多情"),
}
ZH_EMOTION_FRAMES = sentences("""
[我|{n}|{k}][|真的|现在|今天][很|非常|特别|好]{a}[。|！]
[听到消息|看到信|接到电话|见到{o}]以后，[我|{n}|{k}][很|非常]{a}。
[昨天|{d}|那天晚上][我|{n}|{k}][很|非常]{a}。
[说实话|不知道为什么]，[我|{n}][很|非常]{a}。
[从来没有|我从没]这么{a}过。
[那封信|那个消息|这件事]让[我|{n}|{k}]{a}。
""")
ZH_EMOTION_SAYINGS = {
    "joy": sentences("""
[太好了|太棒了|好消息]，[我们赢了|我考上了|终于放假了|孩子出生了][！|，哈哈！]
[我笑得合不拢嘴|我高兴得跳起来|大家都笑了]，[我们赢了|考试通过了|终于放假了]。
[哈哈|耶|万岁]，[今天真是好日子|生活真美好|终于放假了]！
"""),
    "anger": sentences("""
[气死我了|太过分了|岂有此理|真是受够了]，[他又骗我|没有人道歉|你们怎么能这样|车被人刮了]！
[{n}|{k}][摔门而去|拍着桌子大骂|气得发抖|大声怒吼]。
[滚开|闭嘴|别惹我]，[我受够了|我忍不下去了|太过分了]！
"""),
    "sadness": sentences("""
[我哭了一整夜|眼泪止不住|我的心碎了]，[{n}走了|狗死了|再也见不到他了|没有人记得我]。
[{n}走了|狗死了|再也见不到他了]，[我哭了一整夜|眼泪止不住|心里空空的]。
[{n}|{k}][默默流泪|放声大哭|哭红了眼睛]。
"""),
    "fear": sentences("""
[救命|别丢下我|快来]，[有人在屋里|后面有脚步声|灯突然灭了]，[我在发抖|我不敢动|心跳得厉害]！
[我不敢|{n}不敢]一个人[出门|走夜路|睡觉|往下看]。
[有人在屋里|后面有脚步声|灯突然灭了]，[我在发抖|我不敢动|我腿都软了]。
"""),
    "surprise": sentences("""
[天哪|哇|什么|真的吗]，[没想到是你|怎么会这样|{n}居然回来了|我完全没料到]！
[没想到|居然|竟然]，[{n}回来了|{n}得了第一|门口站着老同学]！
[我完全没料到|谁能想到]，[{n}会回来|{n}得了第一|他们送我奖品]！
"""),
    "love": sentences("""
[亲爱的|宝贝|我的爱人]，[我日夜思念你|我离不开你|你是我的一切|我想和你过一辈子]。
[我爱你|我离不开你|你是我的一切]，[{n}|亲爱的|宝贝][。|！]
[{n}|{k}][深情地吻了爱人|写了一封情书|向{o}求婚了|温柔地牵着爱人的手]。
"""),
}


def zh_emotion(world: World, label: str) -> str:
    """A Chinese sentence that names or shows a feeling."""
    if world.chance(0.5):
        return zh_casual(world, zh_fill(world, exact(world, ZH_EMOTION_FRAMES), a=world.random.choice(ZH_EMOTION_WORDS[label])))
    return zh_casual(world, zh_fill(world, exact(world, ZH_EMOTION_SAYINGS[label])))


ZH_TOPIC_WORDS = {
    "体育": cut("球队 / 教练 / 球员 / 冠军 / 进球 / 足球 / 篮球 / 决赛 / 联赛 / 马拉松 / 裁判 / 奥运会 / 金牌 / 体育场 / 游泳运动员 / 乒乓球 / 羽毛球 / 守门员 / 世界杯 / 半决赛 / 排球 / 运动员 / 点球 / 锦标赛"),
    "科技": cut("电脑 / 智能手机 / 芯片 / 机器人 / 软件 / 互联网 / 程序员 / 数据库 / 人工智能 / 算法 / 操作系统 / 处理器 / 服务器 / 网站 / 无人机 / 传感器 / 浏览器 / 代码 / 云计算 / 显卡 / 路由器 / 密码 / 触摸屏 / 聊天机器人"),
    "财经": cut("股票 / 银行 / 股市 / 投资 / 利润 / 利率 / 通货膨胀 / 上市公司 / 股东 / 基金 / 贷款 / 财报 / 收购 / 债券 / 汇率 / 营业额 / 关税 / 出口 / 投资者 / 破产 / 税收 / 股价 / 董事会 / 融资"),
    "健康": cut("医生 / 医院 / 疫苗 / 病人 / 药 / 睡眠 / 病毒 / 护士 / 手术 / 感冒 / 血压 / 症状 / 诊所 / 维生素 / 过敏 / 头痛 / 牙医 / 体检 / 糖尿病 / 发烧 / 药房 / 康复 / 心脏病 / 咳嗽"),
    "旅游": cut("酒店 / 海滩 / 游客 / 护照 / 景点 / 行李 / 签证 / 旅行社 / 导游 / 度假村 / 民宿 / 行程 / 邮轮 / 纪念品 / 古镇 / 背包客 / 登机牌 / 海岛 / 自由行 / 旅游团 / 观光 / 青年旅社 / 度假 / 旅行箱"),
    "美食": cut("菜谱 / 汤 / 面包 / 餐馆 / 蛋糕 / 厨师 / 米饭 / 面条 / 饺子 / 火锅 / 甜点 / 调料 / 烤鸭 / 豆腐 / 早餐 / 奶茶 / 炒菜 / 包子 / 巧克力 / 海鲜 / 小吃 / 牛肉 / 酱油 / 点心"),
    "教育": cut("学校 / 学生 / 教室 / 作业 / 考试 / 大学 / 教授 / 课本 / 毕业 / 老师 / 高考 / 奖学金 / 课堂 / 黑板 / 学期 / 幼儿园 / 论文 / 校园 / 成绩单 / 班主任 / 同学 / 学费 / 图书馆自习 / 数学课"),
    "娱乐": cut("电影 / 演员 / 导演 / 歌手 / 专辑 / 演唱会 / 电视剧 / 明星 / 票房 / 首映 / 综艺节目 / 乐队 / 主角 / 剧本 / 影迷 / 红毯 / 喜剧 / 歌曲 / 偶像 / 电影节 / 动画片 / 粉丝 / 舞台 / 预告片"),
    "天气": cut("暴雨 / 台风 / 大雪 / 气温 / 寒潮 / 高温 / 雷阵雨 / 天气预报 / 雾霾 / 冰雹 / 大风 / 晴天 / 降水 / 霜冻 / 沙尘暴 / 冷空气 / 干旱 / 湿度 / 阴天 / 闪电 / 洪水预警 / 大雾 / 彩虹 / 气象台"),
    "交通": cut("地铁 / 公交车 / 堵车 / 高速公路 / 火车站 / 司机 / 红绿灯 / 停车场 / 高铁 / 电动车 / 车祸 / 驾照 / 卡车 / 自行车道 / 机场跑道 / 轮胎 / 加油站 / 路口 / 出租车 / 隧道 / 大桥 / 晚高峰 / 限速 / 货车"),
}
ZH_TOPIC_FRAMES = sentences("""
[今天|昨天|{d}|上周]的新闻[说到|报道了|提到]{x}和{y}。
[大家|人们|网友]都在[谈|讨论|关心]{x}[和{y}|]。
[新的|这个]{x}[影响了|改变了]{y}。
[记者|{n}][报道了|采访了|写到了|介绍了]{x}和{y}。
[专家认为|专家说|报告显示]{x}[离不开|影响]{y}。
[{n}|{k}][写了|读了|看了]一篇关于{x}和{y}的文章。
在{p}，{x}[引起了关注|成了热门话题|受到欢迎]。
关于{x}的[消息|问题|故事]越来越多[。|，{y}也一样。]
[没有{x}就没有{y}|先有{x}，再有{y}]。
[{x}，{y}|{x}和{y}]：[你需要知道的几件事|今日要闻|一文看懂]
[我|我们]想知道[更多|]{x}和{y}的[消息|情况]。
[今年|去年|{m}]的{x}[比以前多|让人惊讶|跟{y}有关]。
[听说|据说]{p}的{x}和{y}[很有名|很特别]。
[有人|{k}]问[我|我们]{x}的事。
""")


def zh_topic(world: World, label: str) -> str:
    """Chinese sentences with nouns of the topic."""
    made = []
    for _ in range(world.random.choice([1, 1, 1, 2])):
        first, second = world.random.sample(ZH_TOPIC_WORDS[label], 2)
        made.append(zh_fill(world, exact(world, ZH_TOPIC_FRAMES), x=first, y=second))
    return zh_casual(world, "".join(made))


ZH_WISHES = ["我想{c}。", "我要{c}[。|，谢谢。]", "[请|麻烦]帮我{c}[。|，谢谢。]", "[怎么|如何|怎样]{c}？", "[可以|能不能|能]帮我{c}吗？", "我需要{c}。", "[请问|你好，]在哪里{c}？", "[我朋友|{k}]想{c}。", "[你好，|您好，]我想{c}。", "{c}"]
ZH_INTENT_TABLE = """
card_lost : 挂失银行卡 / 挂失信用卡 / 冻结丢失的卡 | 我的[银行卡|信用卡|卡][丢了|不见了|被偷了][。|，怎么办？] | [有人|小偷]偷了我的[卡|信用卡|银行卡]。
change_pin : 修改密码键盘的取款密码 / 重设取款密码 / 改银行卡的取款密码 | 我忘了[取款密码|银行卡密码]。 | 取款密码[输错了|不对|被锁了]。
check_balance : 查余额 / 查询账户余额 / 看看卡里还有多少钱 | 我的[账户|卡]里还有多少钱？ | [账户|卡上]余额是多少？
transfer_money : 转账 / 给{n}转钱 / 汇款给{n} / 给{k}汇钱 / 转一百块给{n} | [转|汇][五十|一百|两百]块给[{n}|{k}]。
exchange_rate : 查汇率 / 查今天的汇率 / 看美元汇率 | [今天|现在][欧元|美元|日元]的汇率是多少？ | 一百[欧元|美元]能换多少钱？
loan : 申请贷款 / 办房贷 / 借一笔钱 / 贷款买车 | 贷款的[条件|利息]是什么？ | 你们有[房贷|车贷|学生贷款]吗？
order_status : 查订单 / 查快递到哪了 / 看物流 / 查包裹 | 我的[订单|包裹|快递][到哪了|什么时候到|发货了吗]？ | [{d}|上周]下的单，[到哪了|怎么还没到]？
cancel_order : 取消订单 / 撤销订单 / 取消昨天的订单 | 我[不想要了|下错单了]，[请取消订单|取消吧]。 | [请|]别发货了，我不要了。
return_item : 退货 / 退掉{x} / 把{x}退回去 | {x}[不合适|不喜欢]，可以退吗？ | 几天之内可以退货？
refund_status : 查退款 / 查退款什么时候到 / 问退款进度 | [我的|]退款[到了吗|什么时候到|怎么还没到]？ | {x}退回去了，钱[还没到|呢]？
exchange_item : 换货 / 换一个大一点的{x} / 换一个颜色的{x} / 换尺码 | {x}[太小|太大]了，[能换吗|想换一个]？
damaged_item : 反映{x}坏了 / 报告商品损坏 | 收到的{x}[是坏的|破了|有裂痕]。 | {x}[打开就坏了|到的时候已经碎了]。
change_address : 改地址 / 修改收货地址 / 更新地址 / 换一个收货地址 | 我搬家了[，新地址在{p}|]。 | 收货地址[写错了|变了]。
payment_methods : 用信用卡付款 / 分期付款 / 用现金支付 / 货到付款 | [你们|]有哪些付款方式？ | [可以|能][刷卡|付现金|分期]吗？
discount_code : 用优惠券 / 领优惠券 / 用折扣码 / 打折 | [优惠券|折扣码][不能用|用不了|在哪里输入][。|？] | [现在|{d}]有[打折|优惠]活动吗？
delivery_cost : 打听运费 / 查运费 | 运费[是多少|怎么算|贵吗]？ | [寄|送]到{p}要多少运费？ | 满多少包邮？
availability : 查{x}有没有货 / 查{x}的库存 | {x}[有货吗|还有吗|什么时候有货]？ | 你们[卖|有]{x}吗？
invoice : 开发票 / 要一张发票 / 补开发票 / 下载发票 | 我的发票[在哪里|没收到][？|。] | [请|]把{m}的发票发给我。
opening_hours : 打听营业时间 / 查营业时间 | 你们[几点开门|几点关门|{d}开门吗|周末营业吗]？ | 营业时间是[什么|几点到几点]？
store_location : 找你们的店 / 查店的地址 / 找最近的门店 | 你们的店在[哪里|什么地方]？ | 在{p}有[门店|分店]吗？ | 店的地址是什么？
talk_to_human : 转人工 / 找人工客服 / 跟真人说话 / 找客服人员 | [人工客服|转人工]！ | 我不想跟机器人[说话|聊]。
complaint : 投诉 / 投诉你们的客服 / 投诉快递员 | 你们的[服务|态度]太差了，[我要投诉|我很不满]。 | [店员|快递员]很没礼貌，我要投诉。
reset_password : 重置登录密码 / 找回登录密码 / 修改登录密码 | [登录密码|账号密码][忘了|想不起来了][。|，怎么办？]
login_problem : 解决登录问题 | [登录不了|登不上去|账号登不上][。|，怎么办？] | 登录页面[打不开|出错了]。 | 账号被锁了。
delete_account : 注销账号 / 删除账号 / 删掉我的账户 | [请|]把我的[账号|账户]删掉。 | 我不用了，[注销吧|请注销账号]。
unsubscribe : 退订邮件 / 取消订阅邮件 / 停止接收广告邮件 | 别再[给我发广告|给我发邮件]了。 | [广告|邮件]太多了，我要退订。
set_alarm : 设一个闹钟 / 定六点的闹钟 / 设七点半的闹钟 | [明天|{d}][六点|七点|五点半]叫我起床。 | 闹钟[六点|七点]。
play_music : 放音乐 / 播放一首歌 / 放一首{n}的歌 / 听歌 | [来|放]一首[歌|老歌|{n}的歌]。 | 我想听[音乐|歌|爵士乐]。
weather : 查天气 / 看{p}的天气 / 查{d}的天气 | [今天|明天|{d}]{p}[会下雨吗|天气怎么样|冷吗|几度]？ | [今天|明天]要带伞吗？
tell_joke : 讲个笑话 / 听个笑话 / 说个好笑的故事 | [给我|]讲个笑话[吧|]。 | 逗我笑一下。
make_call : 打电话给{n} / 给{k}打电话 / 拨{n}的号码 | 我要跟{n}通电话。 | [拨打|呼叫]{n}。
translate : 翻译一句话 / 把这句话翻译成英语 / 翻译成法语 | [谢谢|你好|晚安]用[英语|法语|日语]怎么说？ | [英语|法语]的[面包|水]怎么说？
add_reminder : 设提醒 / 提醒我买牛奶 / 设{d}的提醒 | [{d}|明天]提醒我[给{n}打电话|开会|买牛奶]。 | 别让我忘了[开会|带钥匙]。
greeting : | [你好|您好|嗨|早上好|晚上好|下午好|大家好][。|！|啊！] | [你好|嗨]，[{n}|很高兴见到你|最近怎么样][。|？]
goodbye : | [再见|拜拜|回头见|明天见|晚安|下次见][。|！|了。] | 我[先走了|要走了]，[再见|拜拜]。
thanks : | [谢谢|多谢|非常感谢|感谢][。|！|你。|你的帮助。] | [谢谢|多谢]你[，{n}。|的帮助，辛苦了。]
"""


ZH_ASSISTANT = {"set_alarm", "play_music", "weather", "tell_joke", "make_call", "translate", "add_reminder", "transfer_money", "talk_to_human"}


def zh_intents() -> dict[str, list[str]]:
    """Every label with its Chinese sentences."""
    found: dict[str, list[str]] = {}
    for row in lines(ZH_INTENT_TABLE):
        label, _, rest = row.partition(" : ")
        wishes, *more = rest.lstrip("| ").split(" | ")
        wishes, more = ("", [wishes, *more]) if rest.startswith("|") else (wishes, more)
        frames = ZH_WISHES if label.strip() not in ZH_ASSISTANT else [frame for frame in ZH_WISHES if "怎么" not in frame and "在哪里" not in frame]
        found[label.strip()] = framed(cut(wishes), frames, [entry.strip() for entry in more])
    return found


ZH_INTENTS = zh_intents()
ZH_INTENT_NAMES = dict(pair.split() for pair in cut("""
card_lost 挂失 / change_pin 修改取款密码 / check_balance 查询余额 / transfer_money 转账 / exchange_rate 汇率 / loan 贷款 / order_status 订单状态 / cancel_order 取消订单 / return_item 退货 / refund_status 退款进度 /
exchange_item 换货 / damaged_item 商品损坏 / change_address 修改地址 / payment_methods 付款方式 / discount_code 优惠券 / delivery_cost 运费 / availability 库存 / invoice 发票 / opening_hours 营业时间 / store_location 门店地址 /
talk_to_human 人工客服 / complaint 投诉 / reset_password 重置密码 / login_problem 登录问题 / delete_account 注销账号 / unsubscribe 退订 / set_alarm 闹钟 / play_music 播放音乐 / weather 天气 / tell_joke 讲笑话 / make_call 打电话 /
translate 翻译 / add_reminder 提醒 / greeting 问候 / goodbye 告别 / thanks 感谢
"""))


def zh_intent(world: World, label: str) -> str:
    """What somebody writes to a bank, a shop or an assistant, in Chinese."""
    return zh_casual(world, zh_fill(world, exact(world, ZH_INTENTS[label]), x=world.pick(ZH_GOODS)))


ZH_TROUBLES = sentences("""
{x}[坏了|出了问题|有奇怪的声音|用不了]。
[我|我们|{n}]有个关于{x}的问题。
[办公室|二楼|公司|家里]的[门|窗户|打印机|暖气|网络|电梯|水龙头]坏了。
[{n}|{k}|客户]在等[报告|文件|回复|合同]。
请[看一下|检查|修|换]{x}。
""")
ZH_URGENCY = {
    "high": sentences("""
[非常|十分|特别|很]紧急[！|，请马上处理！]
请[马上|立刻|立即|现在就][处理|回复|过来|解决][！|，一分钟也不能等。]
[等不了|不能等|一刻也不能等]了，[快点|请马上处理|所有人都停工了]！
[救命|十万火急|急急急]，[快来|请立刻处理|今天必须解决]！
[今天|一小时内|半小时内]必须[解决|处理|修好]。
"""),
    "medium": sentences("""
请[这周|本周内|几天内|{d}之前][处理|回复|解决]。
[不算特别急|不是紧急情况]，但[请这周处理|最好{d}之前解决|几天内要弄好]。
[一般|普通|中等][优先级|重要]。
[希望|最好][这周|几天内|{d}之前]能[解决|弄好|回复]。
"""),
    "low": sentences("""
[不急|不着急|一点也不急][，慢慢来|，什么时候都行|，有空再说|]。
[有空|有时间|什么时候方便]再[看|处理|回复]就行[。|，不急。]
[只是|不过是][小事|小问题|一个建议]，[不急|慢慢来|可以等]。
[可以等|不重要|可以以后再说][，慢慢来|，不急|]。
"""),
}


def zh_urgency(world: World, label: str) -> str:
    """A Chinese request with a sentence that says how soon."""
    thing = world.pick(ZH_GOODS)
    parts = [zh_fill(world, exact(world, ZH_TROUBLES), x=thing), zh_fill(world, exact(world, ZH_URGENCY[label]), x=thing)]
    if world.chance(0.3):
        parts.reverse()
    return zh_casual(world, "".join(parts))


ZH_SPAM = {
    "spam": sentences("""
[恭喜您|恭喜|幸运用户]，您[中了大奖|获得免费{x}|被选中领取{x}]，[点击链接领取|马上回复|限时领取]！
[日赚|轻松月入|每天赚][五百|一千|一万]元，[在家就能做|无需经验|加微信了解]！
[免费|低价|清仓][{x}|贷款|赠品]，[点击链接|限时抢购|仅限今天|先到先得]！
您的[账户|银行卡][已被冻结|存在风险]，请[点击链接验证|立即提供密码]。
[无抵押贷款|秒批贷款|低息贷款]，[马上到账|点击申请|无需审核]！
[减肥|治病|增高][神药|秘方]，[三天见效|无效退款|限时抢购]！
[炒股|投资]内幕，[稳赚不赔|保证翻倍|加群领取]！
"""),
    "not spam": sentences("""
[{n}|{k}]，[{d}|今晚|明天][有空吗|一起吃饭吗|来我家吗]？
[我|{n}][晚点到|六点到家|{d}回来|在路上了]，[等我一下|别等我|一会儿见]。
[请|麻烦][把{x}带来|给{n}打个电话|买点牛奶|把文件发给我]，谢谢。
[会议|课]改到[{d}|明天上午|下午三点]了[。|，请通知{n}。]
谢谢你的[帮助|照片|晚饭|{x}]，[下次见|周末再聊|替我问候{n}]。
[生日快乐|考试加油|早日康复]，{n}！
[火车|飞机|公交车]晚点了，[我们{p}见|到了给你电话|等等我]。
[报告|作业|文件]我[看完了|改好了]，[{d}聊|没什么问题]。
"""),
}


def zh_spam(world: World, label: str) -> str:
    """A Chinese advertisement, or a message of somebody known."""
    return zh_casual(world, zh_fill(world, exact(world, ZH_SPAM[label]), x=world.pick(ZH_GOODS)))


ZH_QUESTIONS = {
    "person": sentences("""
谁[买了|卖了|发明了|弄坏了|偷了|找到了]{x}？
[是谁|谁]在[{d}|昨天|{p}][给{n}打了电话|赢了比赛|开了店]？
[{p}的市长|这家店的老板|这个队的教练|这本书的作者]是[谁|哪位]？
[{x}|这个]是谁的？
{n}[跟谁|和谁]一起[去了{p}|工作|住]？
"""),
    "place": sentences("""
{n}[在哪里|在什么地方|在哪个城市][工作|出生|上学|买了{x}]？
[{x}|车站|钥匙|会议室]在[哪里|哪儿|什么地方]？
{n}[从哪里来|去了哪里|是哪里人]？
[在哪里|哪儿]可以[买到|修|找到]{x}？
哪个[城市|国家|地方]有[{x}|大海]？
"""),
    "time": sentences("""
{n}[什么时候|哪一年|几月几号][出生|结婚|去{p}|买了{x}]？
[会议|比赛|婚礼|考试]是[什么时候|几点|哪天]？
[火车|飞机|船][几点|什么时候][到|出发]？
今天[几号|星期几]？
{n}从[什么时候|哪年]开始[住在{p}|工作]？
"""),
    "number": sentences("""
[{p}|公司|班里|房间里]有多少[人|本书|把椅子|学生]？
{x}[多少钱|有多重|有多高]？
{n}[几岁|多大|多高]？
从这里到{p}有多[远|少公里]？
{n}有[几个孩子|几只猫|多少本书]？
一共[来了多少人|卖了多少个]？
"""),
    "reason": sentences("""
{n}为什么[生气|离开|搬到{p}|没来|哭了|买{x}]？
为什么[火车晚点|店关门|{x}坏了|天是蓝的]？
[晚点|起火|争吵|失败]的原因是什么？
[怎么会|为何][晚点|失败|弄坏{x}]？
是什么让{n}[生气|离开|没来|哭了]？
"""),
}
ZH_CLAIMS = [
    Claim(alternatives("{n}[住在|来自|搬到了|的家在]{v}。"), alternatives("{n}[住在|来自]{v}吗？"), alternatives("{n}[住在|来自]{v}。"), zh_city),
    Claim(alternatives("{n}[是|的职业是|当了|的工作是]{v}。"), alternatives("{n}是{v}吗？", "{n}的职业是{v}吗？"), alternatives("{n}[是|的职业是]{v}。"), lambda w: w.pick(words.CHINESE_JOBS)),
    Claim(alternatives("{n}[今年|已经|]{v}岁[了|]。", "{n}的年龄是{v}岁。"), alternatives("{n}[是|今年]{v}岁吗？"), alternatives("{n}[今年|]{v}岁。"), lambda w: str(w.integer(4, 98))),
    Claim(alternatives("{n}[喜欢|爱好|热爱]{v}。", "{n}的爱好是{v}。", "{n}一有空就去{v}。"), alternatives("{n}喜欢{v}吗？", "{n}的爱好是{v}吗？"), alternatives("{n}喜欢{v}。"),
          lambda w: w.pick(cut("游泳 / 跑步 / 画画 / 唱歌 / 跳舞 / 下棋 / 钓鱼 / 爬山 / 摄影 / 看书 / 打篮球 / 踢足球 / 做饭 / 旅游 / 写字 / 滑雪"))),
    Claim(alternatives("{n}[买了|有|订了]一个{v}。"), alternatives("{n}有一个{v}吗？", "{n}有{v}吗？"), alternatives("{n}有一个{v}。"), lambda w: w.pick(ZH_GOODS)),
    Claim(alternatives("{n}{v}[到|来|回来]。", "{n}会在{v}[到|来|回来]。"), alternatives("{n}{v}[来|到]吗？"), alternatives("{n}{v}[来|到]。"), lambda w: w.random.choice(ZH_DAYS[:7])),
    Claim(alternatives("{n}[出生于|生于]{v}年。", "{n}是{v}年出生的。"), alternatives("{n}是{v}年出生的吗？"), alternatives("{n}[出生于|生于]{v}年。"), lambda w: str(w.random.randint(1930, 2015))),
    Claim(alternatives("{n}[付了|花了]{v}元。", "{n}一共花了{v}元。"), alternatives("{n}花了{v}元吗？"), alternatives("{n}花了{v}元。"), lambda w: str(w.integer(5, 500))),
]
ZH_CLAIM_LEADS = ["问题：{q}", "{q}", "{q}", "问：{q}"]
ZH_STATEMENT_LEADS = ["陈述：{q}", "判断：{q}", "对吗：{q}", "说法：{q}"]


def zh_question_type(world: World, label: str) -> str:
    """A Chinese question."""
    return zh_fill(world, exact(world, ZH_QUESTIONS[label]), x=world.pick(ZH_GOODS))


def zh_said(world: World, label: str) -> str:
    """A short Chinese text about one or two people, and a question or a claim about it."""
    people = [zh_name(world)]
    while len(people) < 2:
        other = zh_name(world)
        people += [other] if other not in people else []
    facts: list[tuple[Claim, str, str]] = []
    for claim in world.random.sample(ZH_CLAIMS, world.random.randint(1, 3)):
        first = claim.make(world)
        facts.append((claim, people[0], first))
        second = claim.make(world)
        if second != first and world.chance(0.5):
            facts.append((claim, people[1], second))
    world.random.shuffle(facts)
    told = [zh_fill(world, exact(world, claim.say), n=person, v=value) for claim, person, value in facts]
    claim, person, value = world.random.choice(facts)
    if label == "no":
        value = another_value(world, claim, person, value, facts)
    asks = world.chance(0.6)
    lead = world.random.choice(ZH_CLAIM_LEADS if asks else ZH_STATEMENT_LEADS)
    return "".join(told) + world.random.choice(["\n", "\n", ""]) + lead.format(q=zh_fill(world, exact(world, claim.questions if asks else claim.claims), n=person, v=value))
