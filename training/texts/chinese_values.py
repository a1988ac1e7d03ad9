"""Chinese names, places, titles and dates for the Chinese records.

Most are put together from lists; some are a row of any characters, rare ones too, so that a model learns to copy what it
never saw. Lists are divided by the world as everywhere: what is held out is used for measuring only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from texts import words
from texts.world import World

HOURS = "一 两 三 四 五 六 七 八 九 十 十一 十二".split()


def random_characters(world: World, low: int = 2, high: int = 3) -> str:
    """A few characters without a meaning: frequent ones mostly, rare ones sometimes."""
    count = world.random.randint(low, high)
    pools = (words.CHINESE_CHARACTERS, words.CHINESE_USUAL, words.CHINESE_RARE)
    (pool,) = world.random.choices(pools, weights=(3, 5, 1))
    return "".join(world.random.choice(pool) for _ in range(count))


def chinese_mixed(world: World, entries: Sequence[str], odd: float = 0.25) -> str:
    """An entry of the list, or sometimes random characters; held-out worlds use the list more."""
    share = odd / 3 if world.held_out else odd
    return random_characters(world, 2, 4) if world.chance(share) else world.pick(entries)


def chinese_surname(world: World) -> str:
    return random_characters(world, 1, 1) if not world.held_out and world.chance(0.15) else world.pick(words.CHINESE_SURNAMES)


def chinese_given(world: World) -> str:
    """One or two characters of a given name."""
    if world.chance(0.25):
        return random_characters(world, 1, 2)
    first = world.pick(words.CHINESE_GIVEN)
    if world.chance(0.3):
        return first
    return first * 2 if world.chance(0.05) else first + world.pick(words.CHINESE_GIVEN)


def chinese_name(world: World) -> str:
    """A surname and a given name, now and then a nickname or a name in Latin letters."""
    draw = world.random.random()
    if draw < 0.9:
        return chinese_surname(world) + chinese_given(world)
    if draw < 0.96:
        return world.random.choice("小老阿") + world.pick(words.CHINESE_GIVEN)
    return world.pick(words.FIRST_NAMES)


def chinese_city(world: World) -> str:
    city = chinese_mixed(world, words.CHINESE_CITIES, 0.3)
    return city + "市" if world.chance(0.08) else city


def chinese_job(world: World) -> str:
    prefix = world.random.choice(["高级", "资深", "助理", "见习", "退休", "首席"]) if world.chance(0.12) else ""
    return prefix + chinese_mixed(world, words.CHINESE_JOBS, 0.2)


def chinese_company(world: World) -> str:
    """A firm: sometimes with its town before the name."""
    core = chinese_mixed(world, words.CHINESE_COMPANY_CORES, 0.35)
    town = world.pick(words.CHINESE_CITIES) if world.chance(0.2) else ""
    return town + core + world.pick(words.CHINESE_COMPANY_TAILS)


def chinese_phrase(world: World, low: int = 2, high: int = 8) -> str:
    """A title or a remark of a few everyday words, 2 to 8 characters."""
    text, goal = "", world.random.randint(low, high)
    while len(text) < goal:
        word = random_characters(world, 1, 2) if world.chance(0.2) else world.pick(words.CHINESE_COMMON)
        joiner = "的" if text and world.chance(0.25) else ""
        text += joiner + word
    return text if len(text) <= high else text[:high]


def chinese_date(world: World) -> str:
    """A day as Chinese texts write it: mostly with 年月日, sometimes with figures and hyphens."""
    year, month, day = world.random.randint(1990, 2030), world.random.randint(1, 12), world.random.randint(1, 28)
    return world.random.choice([
        f"{year}年{month}月{day}日", f"{year}年{month}月{day}日", f"{month}月{day}日", f"{month}月{day}号", f"{year}-{month:02d}-{day:02d}",
            f"{year}/{month}/{day}", f"{year}.{month:02d}.{day:02d}",
    ])


def chinese_clock(world: World) -> str:
    """A time of day: 下午三点, 14:30, 上午9点半."""
    minute = world.random.choice(["00", "15", "30", "45", "10", "20", "05", "50"])
    part, first, last = world.random.choice([("早上", 6, 9), ("上午", 8, 11), ("下午", 1, 5), ("晚上", 6, 11), ("中午", 12, 12)])
    hour, exact = world.random.randint(first, last), world.random.randint(6, 23)
    return world.random.choice([
        f"{exact:02d}:{minute}", f"{exact}:{minute}", f"{part}{hour}点", f"{part}{hour}点半", f"{part}{HOURS[hour - 1]}点", f"{part}{HOURS[hour - 1]}点半",
        f"{part}{hour}:{minute}", f"{hour}点" if minute == "00" else f"{hour}点{minute}分",
    ])


def chinese_product(world: World) -> str:
    prefix = world.random.choice(["智能", "便携", "迷你", "复古", "儿童", "无线", "折叠", "不锈钢", "实木", "防水"]) if world.chance(0.25) else ""
    return prefix + chinese_mixed(world, words.CHINESE_PRODUCTS, 0.2)


def chinese_hobby(world: World) -> str:
    return chinese_mixed(world, words.CHINESE_HOBBIES, 0.1)


def chinese_place(world: World) -> str:
    """Where people meet: a named place, or a room with a number."""
    if world.chance(0.15):
        return f"{world.random.randint(1, 9)}{world.random.randint(1, 30):02d}{world.random.choice(['室', '会议室', '教室', '房间'])}"
    if world.chance(0.15):
        return chinese_mixed(world, words.CHINESE_COMPANY_CORES, 0.3) + world.random.choice(["大厦", "广场", "书店", "酒店", "公园", "剧场"])
    return chinese_mixed(world, words.CHINESE_PLACES, 0.1)


def chinese_address(world: World) -> str:
    """A street with a number, now and then with the town."""
    town = world.pick(words.CHINESE_CITIES) + "市" if world.chance(0.25) else ""
    street = chinese_mixed(world, words.CHINESE_COMPANY_CORES, 0.4) + world.random.choice(["路", "街", "大道", "巷", "东路", "西路", "北街"])
    return f"{town}{street}{world.random.randint(1, 300)}号" + (f"{world.random.randint(1, 30)}楼" if world.chance(0.1) else "")


def chinese_hotel(world: World) -> str:
    return chinese_mixed(world, words.CHINESE_HOTELS, 0.3) + world.pick(words.CHINESE_HOTEL_TAILS)


def chinese_film(world: World) -> str:
    """The title of a film or a book."""
    noun, other = world.pick(words.CHINESE_COMMON), world.pick(words.CHINESE_COMMON)
    return world.random.choice([
        f"{noun}的{other}", f"{noun}与{other}", f"最后的{noun}", f"{chinese_city(world)}之{noun}", f"{noun}{other}", chinese_phrase(world, 3, 7),
            f"{world.pick(words.CHINESE_GIVEN)}{world.pick(words.CHINESE_GIVEN)}的{noun}",
    ])


def chinese_course(world: World) -> str:
    return chinese_phrase(world, 3, 7) if world.chance(0.3) else world.pick(words.CHINESE_COURSES)


def chinese_software(world: World) -> str:
    return chinese_mixed(world, words.CHINESE_SOFTWARE, 0.25)


def chinese_brand(world: World) -> str:
    return chinese_mixed(world, words.CHINESE_COMPANY_CORES, 0.4)


def chinese_phone(world: World) -> str:
    """A mobile number of eleven digits, or a line with an area code."""
    digits = lambda count: "".join(world.random.choice("0123456789") for _ in range(count))  # noqa: E731
    return world.random.choice([f"1{world.random.choice('3578')}{digits(9)}", f"0{digits(3)}-{digits(7)}",
        f"1{world.random.choice('3578')}{digits(1)}-{digits(4)}-{digits(4)}"])


def chinese_code(world: World) -> str:
    """An order or case number."""
    digits = "".join(world.random.choice("0123456789") for _ in range(world.random.randint(3, 8)))
    letters = "".join(world.random.choice("ABCDEFGHJKLMNPQRSTUVWXYZ") for _ in range(world.random.randint(1, 3)))
    return world.random.choice([letters + digits, f"{letters}-{digits}", digits])


def chinese_from(entries: Sequence[str], odd: float = 0.1) -> Callable[[World], str]:
    """A maker of entries of a list."""
    return lambda world: chinese_mixed(world, entries, odd)
