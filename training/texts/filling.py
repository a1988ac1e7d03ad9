"""What templates of English labels share: the words for their usual places, things, and how chats write."""

from __future__ import annotations

import re

from texts import words
from texts.phrasing import articles, capital, cut
from texts.world import World, city, first_name

GOODS = cut("""
phone / book / camera / laptop / jacket / sofa / keyboard / blender / lamp / printer / kettle / toaster / vacuum cleaner / mattress / bicycle /
backpack / tablet / headset / speaker / monitor / desk / chair / coat / sweater / pair of shoes / watch / razor / drill / tent / sleeping bag /
frying pan / knife set / coffee machine / rice cooker / fan / heater / mirror / rug / pillow / blanket / toy / puzzle / board game / guitar /
umbrella / suitcase / wallet / helmet / stroller / lawn mower / charger / router / mouse / screen / fridge / washing machine / oven / candle / perfume / face cream
""")
KIN = cut("mother / father / brother / sister / wife / husband / neighbor / boss / friend / colleague / son / daughter / uncle / aunt / cousin")


def slots(world: World, **given: str) -> dict[str, str]:
    """Words for the usual places of a template: {d} day, {m} month, {c} color, {k} relative, {p} city, {n} name, {o} another name."""
    usual = {
        "d": world.random.choice(words.DAYS), "m": world.random.choice(words.MONTHS), "c": world.random.choice(words.COLORS),
        "k": world.random.choice(KIN), "p": city(world), "n": first_name(world), "o": first_name(world),
    }
    return usual | given


def fill(world: World, template: str, **given: str) -> str:
    """Fill a template; {X} and {A} are the capitalised {x} and {a}."""
    values = slots(world, **given)
    values |= {key.upper(): capital(values[key]) for key in ("x", "a") if key in values}
    text = re.sub(r" +(?=[?.!])", "", articles(template.format(**values)))
    return capital(text)


def casual(world: World, text: str) -> str:
    """Sometimes written as in a chat: without the full stop or without capital letters."""
    draw = world.random.random()
    if draw < 0.06:
        return text.lower().rstrip(".")
    if draw < 0.12:
        return text.rstrip(".")
    if draw < 0.15:
        return text.lower()
    return text
