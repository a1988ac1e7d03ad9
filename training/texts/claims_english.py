"""Short texts in English, and a question or a claim about each: does the text say so?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from texts import words
from texts.filling import GOODS, fill
from texts.phrasing import exact
from texts.world import World, alternatives, city, company, first_name


@dataclass
class Claim:
    """A fact about somebody: how a text says it, how a question asks for it, and a claim that may be wrong."""

    say: list[str]
    questions: list[str]
    claims: list[str]
    make: Callable[[World], str]


CLAIMS = [
    Claim(alternatives("{n} [lives in|is from|has a flat in|has moved to|resides in|is at home in|settled in|comes from] {v}.", "[The home of {n} is|Home for {n} is|The city of {n} is] {v}."),
          alternatives("Does {n} [live in|come from] {v}?", "Is {n} [from|at home in] {v}?", "Is {v} the home of {n}?"), alternatives("{n} [lives in|is from|comes from] {v}.", "{v} is the home of {n}."), city),
    Claim(alternatives("{n} [is|works as|earns a living as|has a job as|was hired as|trained as] a {v}.", "The [job|profession|occupation] of {n} is {v}."),
          alternatives("Is {n} a {v}?", "Does {n} work as a {v}?", "Is {v} the job of {n}?"), alternatives("{n} [is|works as] a {v}.", "The job of {n} is {v}."), lambda w: w.pick(words.JOBS)),
    Claim(alternatives("{n} is {v} years old.", "{n} [turned|has just turned] {v}[| this year].", "The age of {n} is {v}.", "{n} is {v} years of age.", "{n}, aged {v}, [is well|smiled|was there]."),
          alternatives("Is {n} {v} years old?", "Is {n} {v}?", "Is {v} the age of {n}?"), alternatives("{n} is {v} years old.", "The age of {n} is {v}."), lambda w: str(w.integer(4, 98))),
    Claim(alternatives("{n} [likes|loves|enjoys|is fond of|is keen on|adores] {v}.", "The hobby of {n} is {v}.", "In the evening {n} goes in for {v}."),
          alternatives("Does {n} [like|enjoy|love] {v}?", "Is {n} fond of {v}?"), alternatives("{n} [likes|enjoys|loves] {v}."), lambda w: w.pick(words.HOBBIES)),
    Claim(alternatives("{n} [bought|owns|has got|ordered|has] a {v}.", "{n} is the owner of a {v}.", "A {v} belongs to {n}."),
          alternatives("Does {n} [have|own] a {v}?", "Does a {v} belong to {n}?"), alternatives("{n} [has|owns] a {v}.", "A {v} belongs to {n}."), lambda w: w.pick(words.PRODUCTS)),
    Claim(alternatives("{n} [speaks|understands|is fluent in|knows|has learned] {v}.", "{n} can [speak|talk in] {v}."),
          alternatives("Does {n} [speak|understand] {v}?", "Can {n} speak {v}?"), alternatives("{n} [speaks|understands] {v}.", "{n} can speak {v}."), lambda w: w.pick(words.LANGUAGES)),
    Claim(alternatives("{n} [works for|works at|is employed by|joined|has a job at|is on the staff of] {v}.", "The employer of {n} is {v}."),
          alternatives("Does {n} work [for|at] {v}?", "Is {v} the employer of {n}?"), alternatives("{n} works [for|at] {v}.", "The employer of {n} is {v}."), company),
    Claim(alternatives("{n} [arrives|comes|will be here|will come back|returns] on {v}.", "The arrival of {n} is on {v}.", "On {v} {n} [arrives|comes|will be here]."),
          alternatives("Does {n} [come|arrive] on {v}?", "Will {n} be here on {v}?"), alternatives("{n} [comes|arrives] on {v}."), lambda w: w.random.choice(words.DAYS)),
    Claim(alternatives("{n} [has|owns|keeps] {v} cats.", "There are {v} cats in the house of {n}.", "{v} cats live with {n}."),
          alternatives("Does {n} [have|own|keep] {v} cats?", "Do {v} cats live with {n}?"), alternatives("{n} [has|owns] {v} cats."), lambda w: str(w.random.randint(2, 20))),
    Claim(alternatives("The favorite color of {n} is {v}.", "{n} likes {v} best of all colors.", "Of all colors {n} [prefers|loves|chooses] {v}.", "No color pleases {n} as much as {v}."),
          alternatives("Is {v} the favorite color of {n}?", "Does {n} like {v} best?"), alternatives("The favorite color of {n} is {v}.", "{n} likes {v} best."), lambda w: w.random.choice(words.COLORS)),
    Claim(alternatives("{n} [paid|spent] ${v} for the {x}.", "The {x} [cost {n}|of {n} cost] ${v}.", "For the {x}, {n} [paid|gave] ${v}."), alternatives("Did {n} pay ${v}?", "Did {n} spend ${v}?"), alternatives("{n} [paid|spent] ${v}."), lambda w: str(w.integer(5, 500))),
    Claim(alternatives("{n} was born in {v}.", "{n} came into the world in {v}.", "The year of birth of {n} is {v}.", "{n}, born in {v}, [is well|is here|is known to all]."),
          alternatives("Was {n} born in {v}?", "Is {v} the birth year of {n}?"), alternatives("{n} was born in {v}.", "The birth year of {n} is {v}."), lambda w: str(w.random.randint(1930, 2015))),
]
CLAIM_LEADS = ["Question: {q}", "{q}", "{q}", "Q: {q}"]
STATEMENT_LEADS = ["Claim: {q}", "Statement: {q}", "Hypothesis: {q}", "Is it true? {q}", "True or not: {q}", 'Does it say this? "{q}"']


def told_facts(world: World, claims: list[Claim]) -> tuple[list[str], list[tuple[Claim, str, str]]]:
    """Sentences about two people, and the facts behind them."""
    people = [first_name(world)]
    while len(people) < 2:
        other = first_name(world)
        people += [other] if other not in people else []
    chosen = world.random.sample(claims, world.random.randint(1, 3))
    facts: list[tuple[Claim, str, str]] = []
    for claim in chosen:
        both = people if world.chance(0.5) else [world.random.choice(people)]
        seen: set[str] = set()
        for person in both:
            value = claim.make(world)
            while value in seen:
                value = claim.make(world)
            seen.add(value)
            facts.append((claim, person, value))
    world.random.shuffle(facts)
    return [fill(world, exact(world, claim.say), n=person, v=value, x=world.pick(GOODS)) for claim, person, value in facts], facts


def another_value(world: World, claim: Claim, person: str, value: str, facts: list[tuple[Claim, str, str]]) -> str:
    """A wrong value: the other person's, if there is one, or a fresh one."""
    rivals = [other for kind, who, other in facts if kind is claim and who != person]
    if rivals and world.chance(0.7):
        return rivals[0]
    while True:
        wrong = claim.make(world)
        if wrong != value:
            return wrong


def said(world: World, label: str) -> str:
    """A short text about one or two people, and a question or a claim about it."""
    told, facts = told_facts(world, CLAIMS)
    claim, person, value = world.random.choice(facts)
    if label == "no":
        value = another_value(world, claim, person, value, facts)
    if world.chance(0.6):
        asked, lead = exact(world, claim.questions), world.random.choice(CLAIM_LEADS)
    else:
        asked, lead = exact(world, claim.claims), world.random.choice(STATEMENT_LEADS)
    question = lead.format(q=fill(world, asked, n=person, v=value))
    return " ".join(told) + world.random.choice(["\n", "\n", " ", "\n\n"]) + question
