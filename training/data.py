"""Write the training and evaluation texts: prompts with the answers a model in form should give.

An `Example` is a prompt and an answer cut into `Segment`s. A segment is either
*forced* (JSON punctuation and keys: a constraint engine would write it) or a
*value* the model must supply, with the kind that says where it ends:

    {"name": "Anna Baker", "age": 34}
    forced   {"name": "          forced "    forced , "age":      forced }
    string             Anna Baker            number         34

so one object serves training (join the texts), free evaluation (compare the
joined answer) and constrained evaluation (force the forced parts).

A `World` hands out every random choice. A training world never sees the
held-out entries of a list (index % 8 == 7). A world for evaluation sees only
those: for names and values always, for sentence templates when asked.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import labels
import words

HOLD_OUT_EVERY = 8


# --- examples -------------------------------------------------------------------------------------


@dataclass
class Segment:
    """A piece of an answer: `kind` is forced, string, number, literal, nullable, choice or free."""

    text: str
    kind: str = "free"
    options: tuple[str, ...] = ()
    weight: float = 1.0


@dataclass
class Example:
    """One prompt with its answer, and the task it belongs to."""

    task: str
    prompt: str
    segments: list[Segment]
    system: str = ""
    named: bool = True  # whether the prompt says which fields it wants

    @property
    def answer(self) -> str:
        """The whole answer as one string."""
        return "".join(segment.text for segment in self.segments)


@dataclass
class Choice:
    """A JSON string that must be one of `options`."""

    value: str
    options: tuple[str, ...]


@dataclass
class Nullable:
    """A string that the text may not mention; None then."""

    value: str | None


@dataclass
class Number:
    """A number, written exactly as in the text (`4.50` stays `4.50`)."""

    text: str


# --- random choices -------------------------------------------------------------------------------


class World:
    """A random source that keeps training entries and held-out entries apart."""

    def __init__(self, seed: int, held_out: bool = False, held_sentences: bool = False):
        self.random = random.Random(seed)
        self.held_out, self.held_sentences = held_out, held_sentences

    def pick(self, entries: Sequence):
        """Choose one entry of this world's side of the list; short lists are shared."""
        return self.from_side(entries, self.held_out)

    def from_side(self, entries: Sequence, held: bool):
        """Choose one of the held-out entries, or one of the others."""
        if len(entries) < HOLD_OUT_EVERY:
            return self.random.choice(entries)
        while True:
            index = self.random.randrange(len(entries))
            if (index % HOLD_OUT_EVERY == HOLD_OUT_EVERY - 1) == held:
                return entries[index]

    def sentence(self, templates: Sequence[str]) -> str:
        """Choose a template; in training one of its words is sometimes a stranger, as in real texts."""
        template = self.from_side(templates, self.held_sentences)
        if self.held_out or not self.chance(0.15):
            return template
        parts = template.split(" ")
        plain = [index for index, part in enumerate(parts) if part.isalpha() and part.isascii() and len(part) > 1]
        if len(plain) > 1:
            parts[self.random.choice(plain)] = self.pick(words.COMMON) if self.chance(0.5) else self.invented()
        return " ".join(parts)

    def several(self, entries: Sequence, count: int) -> list:
        """Choose `count` different entries."""
        chosen: list = []
        while len(chosen) < count:
            entry = self.pick(entries)
            if entry not in chosen:
                chosen.append(entry)
        return chosen

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return self.random.random() < probability

    def integer(self, low: int, high: int) -> int:
        """A whole number, more often a small one, between the two ends."""
        if self.chance(0.5):
            return self.random.randint(low, min(high, low + max(9, (high - low) // 8)))
        return self.random.randint(low, high)

    def invented(self, low: int = 1, high: int = 3) -> str:
        """A word that is in no list, so that copying must go by letter groups."""
        draw = self.random.random()
        if draw < 0.45:
            syllables = (
                self.random.choice(words.CONSONANTS) + self.random.choice(words.VOWELS)
                for _ in range(self.random.randint(low, high))
            )
            return "".join(syllables) + self.random.choice(words.ENDINGS)
        if draw < 0.8:
            return self.altered(self.pick(self.pick([words.FIRST_NAMES, words.LAST_NAMES, words.CITIES, words.COMMON])))
        return "".join(self.random.choices(words.LETTERS, k=self.random.randint(3, 3 + 2 * high)))

    def altered(self, word: str) -> str:
        """A known word with one or two letters replaced or dropped."""
        letters = list(word.lower().replace(" ", ""))
        for _ in range(self.random.randint(1, 2)):
            letters[self.random.randrange(len(letters))] = self.random.choice(words.LETTERS) * self.random.choice([0, 1, 1, 2])
        return "".join(letters) or "aro"

    def mixed(self, entries: Sequence[str], invented: float = 0.5) -> str:
        """An entry of the list, or sometimes an invented capitalised word; held-out worlds use the list more."""
        share = invented / 3 if self.held_out else invented
        return self.invented().capitalize() if self.chance(share) else self.pick(entries)


def first_name(world: World) -> str:
    return world.mixed(words.FIRST_NAMES)


def last_name(world: World) -> str:
    return world.mixed(words.LAST_NAMES)


def full_name(world: World) -> str:
    middle = f" {world.random.choice('ABCDEFGHJKLMNPRST')}." if world.chance(0.06) else ""
    name = f"{first_name(world)}{middle} {last_name(world)}"
    return f"{name}-{last_name(world)}" if world.chance(0.04) else name


def city(world: World) -> str:
    return world.mixed(words.CITIES, 0.45)


def country(world: World) -> str:
    return world.mixed(words.COUNTRIES, 0.3)


def job(world: World) -> str:
    if world.chance(0.2):
        return f"{world.pick(words.COMMON)} {world.pick(words.JOBS)}"
    if world.chance(0.2):
        return world.invented()
    return world.pick(words.JOBS)


def company(world: World) -> str:
    base = world.invented().capitalize() if world.chance(0.4) else world.pick(world.pick([words.LAST_NAMES, words.COMMON])).capitalize()
    return f"{base} {world.random.choice(words.COMPANY_TAILS)}" if world.chance(0.7) else base


def phrase(world: World, low: int = 1, high: int = 4) -> str:
    """A few everyday or invented words, as a title or a remark would have."""
    count = world.random.randint(low, high)
    chosen = [world.pick(words.COMMON) if world.chance(0.6) else world.invented() for _ in range(count)]
    text = " ".join(chosen)
    return world.random.choice([text, text, text.capitalize(), text.title()])


def code(world: World) -> str:
    """An identifier such as A-1043, ORD-77 or X29."""
    letters = "".join(world.random.choice("ABCDEFGHJKLMNPQRSTUVWXYZ") for _ in range(world.random.randint(1, 3)))
    digits = "".join(world.random.choice("0123456789") for _ in range(world.random.randint(2, 5)))
    return world.random.choice([f"{letters}-{digits}", f"{letters}{digits}", f"{letters}-{digits}-{world.random.randint(1, 9)}"])


def price(world: World) -> str:
    whole = world.integer(1, 400)
    return f"{whole}.{world.random.randint(0, 99):02d}" if world.chance(0.6) else str(whole)


def date(world: World) -> str:
    year, month, day = world.random.randint(1990, 2030), world.random.randint(1, 12), world.random.randint(1, 28)
    if world.chance(0.6):
        return f"{year}-{month:02d}-{day:02d}"
    return world.random.choice([f"{day} {words.MONTHS[month - 1]} {year}", f"{words.MONTHS[month - 1]} {day}", f"{day} {words.MONTHS[month - 1]}"])


def clock(world: World) -> str:
    hour, minute = world.random.randint(1, 23), world.random.choice(["00", "15", "30", "45", "10", "20", "05", "50"])
    return world.random.choice([f"{hour:02d}:{minute}", f"{hour}:{minute}", f"{hour % 12 + 1} pm", f"{hour % 12 + 1} am"])


def email(world: World) -> str:
    user = world.random.choice([first_name(world).lower(), world.invented(), f"{first_name(world)[0].lower()}.{last_name(world).lower()}"])
    return f"{user}@{world.random.choice(['mail', 'post', world.invented(), company(world).split()[0].lower()])}.{world.random.choice(['com', 'org', 'net', 'eu'])}"


def phone(world: World) -> str:
    digits = lambda count: "".join(world.random.choice("0123456789") for _ in range(count))  # noqa: E731
    return world.random.choice([f"{digits(3)}-{digits(4)}", f"+{digits(2)} {digits(3)} {digits(4)}", digits(7)])


def version(world: World) -> str:
    return f"{world.random.randint(0, 12)}.{world.random.randint(0, 20)}" + (f".{world.random.randint(0, 9)}" if world.chance(0.4) else "")


# --- JSON with segments ---------------------------------------------------------------------------


@dataclass
class Style:
    """How JSON is laid out: `indent` None is one line, `space` follows colon and comma."""

    space: bool
    indent: int | None = None


def random_style(world: World) -> Style:
    draw = world.random.random()
    if draw < 0.42:
        return Style(space=False)
    if draw < 0.85:
        return Style(space=True)
    return Style(space=True, indent=world.random.choice([2, 2, 4]))


class JsonWriter:
    """Write a value as segments: forced punctuation and keys, free values."""

    def __init__(self, style: Style, key_weight: float):
        self.style, self.key_weight = style, key_weight
        self.segments: list[Segment] = []

    def force(self, text: str, weight: float = 1.0) -> None:
        """Append forced text, joining it to a forced neighbour of the same weight."""
        last = self.segments[-1] if self.segments else None
        if last and last.kind == "forced" and last.weight == weight:
            last.text += text
        else:
            self.segments.append(Segment(text, "forced", weight=weight))

    def newline(self, depth: int) -> str:
        if self.style.indent is None:
            return ""
        return "\n" + " " * (self.style.indent * depth)

    def separator(self, depth: int) -> str:
        if self.style.indent is not None:
            return "," + self.newline(depth)
        return ", " if self.style.space else ","

    def write(self, value, depth: int = 0) -> None:
        if isinstance(value, dict):
            self.write_object(value, depth)
        elif isinstance(value, list):
            self.write_array(value, depth)
        else:
            self.write_leaf(value)

    def write_object(self, value: dict, depth: int) -> None:
        self.force("{" + self.newline(depth + 1))
        for position, (key, child) in enumerate(value.items()):
            if position:
                self.force(self.separator(depth + 1))
            self.force(json.dumps(key, ensure_ascii=False), self.key_weight)
            self.force(": " if self.style.space else ":")
            self.write(child, depth + 1)
        self.force(self.newline(depth) + "}")

    def write_array(self, value: list, depth: int) -> None:
        # Arrays of plain values stay on one line in every style: short, and common in hand-written JSON.
        inline = not any(isinstance(child, dict) for child in value)
        self.force("[" + ("" if inline else self.newline(depth + 1)))
        for position, child in enumerate(value):
            if position:
                self.force((", " if self.style.space else ",") if inline else self.separator(depth + 1))
            self.write(child, depth + 1)
        self.force(("" if inline else self.newline(depth)) + "]")

    def write_leaf(self, value) -> None:
        if isinstance(value, Number):
            self.segments.append(Segment(value.text, "number"))
        elif isinstance(value, Nullable):
            self.segments.append(Segment("null" if value.value is None else quote(value.value), "nullable"))
        elif isinstance(value, bool) or value is None:
            self.segments.append(Segment(json.dumps(value), "literal", ("true", "false")))
        elif isinstance(value, Choice):
            self.force('"')
            self.segments.append(Segment(value.value, "choice", value.options))
            self.force('"')
        else:
            self.force('"')
            self.segments.append(Segment(quote(value)[1:-1], "string"))
            self.force('"')


def quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def json_segments(world: World, value, named: bool) -> list[Segment]:
    """Segments of `value`; keys weigh little when the prompt does not name them."""
    writer = JsonWriter(random_style(world), key_weight=1.0 if named else 0.1)
    writer.write(value)
    return writer.segments


# --- records: one engine for people, tickets, events, products and orders --------------------------

NUMBER_WORDS = "zero one two three four five six seven eight nine ten".split()


@dataclass
class Fact:
    """Something a text can say: how to make it, what keys may ask for it, how sentences say it.

    `say` is a list of templates, or a table from a label (or truth value) to templates.
    """

    make: Callable[[World], object]
    keys: list[str]
    say: list[str] | dict[object, list[str]]


@dataclass
class Domain:
    """A kind of record; `groups` are the facts that may be nested together under a key."""

    name: str
    facts: dict[str, Fact]
    openings: list[str]
    groups: list[tuple[list[str], tuple[str, ...]]] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


def whole(low: int, high: int) -> Callable[[World], Number]:
    return lambda world: Number(str(world.integer(low, high)))


def flag(world: World) -> bool:
    return world.chance(0.5)


def label(*options: str) -> Callable[[World], Choice]:
    return lambda world: Choice(world.random.choice(options), options)


def listing(make: Callable[[World], str], low: int = 1, high: int = 3) -> Callable[[World], list[str]]:
    return lambda world: list(dict.fromkeys(make(world) for _ in range(world.random.randint(low, high))))


PERSON = Domain(
    "person",
    {
        "name": Fact(full_name, ["name", "full_name", "person", "who", "person_name"], []),
        "age": Fact(whole(3, 99), ["age", "years", "age_years", "years_old"], [
            "{S} is {v} years old.", "{S} is {v}.", "{S} is aged {v}.", "Age: {v}.", "{S} turned {v} this year.",
            "At {v}, {s} is still curious.", "{S} has just turned {v}.", "{S} will soon be older than {v} years.",
            "{P} age is {v}.", "{S} is now {v} years of age.", "{S} celebrated birthday number {v}.", "{S}, aged {v}, is well.", "Years: {v}.", "{S} has lived for {v} years."]),
        "city": Fact(city, ["city", "town", "home", "location", "residence", "lives_in", "hometown"], [
            "{S} lives in {v}.", "{S} is from {v}.", "{S} moved to {v}.", "Home is {v}.", "{S} comes from {v}.",
            "{S} has a flat in {v}.", "{S} grew up in {v}.", "{S} is based in {v}.",
            "{P} home is in {v}.", "{S} resides in {v}.", "{S} was raised in {v}.", "{S} settled in {v}.", "City: {v}.", "{S} stays in {v}.", "{S} calls {v} home."]),
        "country": Fact(country, ["country", "nation", "nationality", "country_of_origin"], [
            "{P} home country is {v}.", "{S} was born in the country of {v}.", "Country: {v}.", "{S} is a citizen of {v}.",
            "{S} has a passport of {v}.", "{P} country is {v}.", "{P} family comes from the country {v}.", "{S} holds a passport from {v}.",
            "{S} comes from the country of {v}.", "{P} nation is {v}.", "{P} nationality is that of {v}.", "{S} was born somewhere in {v}."]),
        "occupation": Fact(job, ["occupation", "job", "profession", "role", "work", "job_title", "position"], [
            "{S} works as a {v}.", "{S} is a {v}.", "{P} job is {v}.", "{S} earns a living as a {v}.", "{S} became a {v}.",
            "{S} has been a {v} for years.", "{S} trained as a {v}.", "{S} is employed as a {v}.",
            "{P} occupation is {v}.", "{S} makes a living as a {v}.", "By profession {s} is a {v}.", "Job: {v}.", "{S} serves as a {v}.", "{P} role is {v}.", "{S} is now working as a {v}."]),
        "employer": Fact(company, ["employer", "company", "works_at", "organization", "workplace", "firm"], [
            "{S} works at {v}.", "{S} works for {v}.", "{S} is employed by {v}.", "{P} employer is {v}.", "{S} joined {v}.",
            "{S} has a desk at {v}.", "{S} has a job at {v}.", "{S} is on the staff of {v}.",
            "{S} is with {v}.", "{S} started at {v} last year.", "Employer: {v}.", "{P} company is {v}.", "{S} is part of the team at {v}.", "{S} is an employee of {v}.", "{S} works in the office of {v}."]),
        "birth_year": Fact(whole(1930, 2015), ["birth_year", "born", "year_of_birth", "year"], [
            "{S} was born in {v}.", "Born in {v}.", "{S} came into the world in {v}.", "{P} year of birth is {v}.",
            "{S}, born {v}, is well known.", "{P} birth year is {v}.", "{S} has lived since {v}.", "{P} life began in {v}.",
            "Year of birth: {v}.", "{S} was born back in {v}.", "{S} is from the year {v}."]),
        "hobbies": Fact(listing(lambda w: w.pick(words.HOBBIES)), ["hobbies", "interests", "likes", "activities"], [
            "{S} likes {v}.", "{S} enjoys {v}.", "{P} hobbies are {v}.", "In the evening {s} does {v}.", "{S} loves {v}.",
            "{S} spends free time on {v}.", "{S} is fond of {v}.", "{S} is keen on {v}.",
            "{P} interests are {v}.", "Hobbies: {v}.", "{S} is interested in {v}.", "For fun {s} does {v}.", "{S} practices {v}."]),
        "languages": Fact(listing(lambda w: w.pick(words.LANGUAGES)), ["languages", "speaks", "spoken_languages", "tongues"], [
            "{S} speaks {v}.", "{S} is fluent in {v}.", "{S} can speak {v}.", "{S} understands {v}.", "Languages: {v}.",
            "{S} learned {v}.", "{S} knows {v}.", "{S} talks in {v}.",
            "{P} languages are {v}.", "{S} also speaks {v}.", "{S} is able to speak {v}.", "{S} reads and writes {v}."]),
        "married": Fact(flag, ["married", "is_married", "has_spouse"], {
            True: ["{S} is married.", "{S} has a spouse.", "{S} is happily married.", "{S} got married last year.", "{S} is married and has a family.", "{S} has a husband.", "{S} has a wife."],
            False: ["{S} is single.", "{S} is not married.", "{S} has never married.", "{S} is unmarried."]}),
        "children": Fact(whole(0, 9), ["children", "kids", "number_of_children", "child_count"], [
            "{S} has {v} children.", "{S} has {v} kids.", "{S} raises {v} children.", "{P} family includes {v} children.",
            "{S} is a parent of {v}.", "Children: {v}.", "{S} brought up {v} children.", "{S} takes care of {v} children.",
            "{S} is the father of {v} children.", "{S} is the mother of {v} children.", "{S} is a parent of {v} kids.", "{S} and the family have {v} children."]),
        "email": Fact(email, ["email", "mail", "email_address", "contact_email"], [
            "{P} email is {v}.", "Write to {v}.", "Email: {v}.", "{S} can be reached at {v}.", "Contact: {v}.",
            "{S} answers mail at {v}.", "{P} address is {v}.", "Send a note to {v}."]),
        "phone": Fact(phone, ["phone", "telephone", "phone_number", "tel"], [
            "{P} phone number is {v}.", "Phone: {v}.", "Call {v}.", "{P} telephone is {v}.", "The number is {v}.",
            "{S} answers the phone at {v}.", "Tel. {v}.", "Ring {v}."]),
        "pet": Fact(lambda w: w.mixed(words.FIRST_NAMES), ["pet", "pet_name", "dog", "animal"], [
            "{S} has a dog called {v}.", "{P} dog is named {v}.", "{S} owns a dog, {v}.", "{P} pet is {v}.",
            "{S} walks a dog named {v}.", "{P} dog {v} is old.", "The family pet is {v}.", "{S} shares the house with a dog, {v}."]),
    },
    [
        "{name} is a {age}-year-old {occupation} from {city}.", "{name}, {age}, lives in {city}.",
        "{name} is {age} years old and lives in {city}.", "{name} works as a {occupation} in {city}.",
        "{name} is a {occupation}.", "{name} ({age}) is a {occupation} at {employer}.",
        "Meet {name}, a {occupation} from {city}.", "{name}, a {age}-year-old {occupation}, lives in {city}.",
        "My name is {name} and I am {age} years old.", "{name} lives in {city}, {country}.",
        "At {age}, {name} works for {employer} in {city}.", "{name} was born in {birth_year} in {city}.",
        "I am {name} from {city}.", "{name} is {age}.", "This is {name}.", "{name}, aged {age}, is a {occupation} based in {city}.",
        "The {occupation} {name} works for {employer}.", "{name} is a {occupation} at {employer} in {city}.",
        "Hello, I'm {name}, {age}, {occupation}.", "{name} joined {employer} as a {occupation}.",
        "In {city} lives {name}.", "Name: {name}.", "Let me introduce {name}.", "{name} of {city} is {age} years old and works as a {occupation}.",
    ],
    [(["city", "country"], ("address", "home", "location", "place")),
     (["occupation", "employer"], ("job", "work", "career", "employment")),
     (["email", "phone"], ("contact", "contacts", "reach"))],
    ["Extract the person.", "Who is this?", "Write the person as JSON.", "Extract the person's data.", "Read the biography and fill the record."],
)

TICKET = Domain(
    "ticket",
    {
        "id": Fact(code, ["id", "ticket_id", "ticket", "number", "reference"], [
            "Ticket {v}.", "Ticket number: {v}.", "Reference {v}.", "Case {v}.", "This is about ticket {v}.",
            "The ticket is {v}.", "My ticket id is {v}.", "The case number is {v}."]),
        "customer": Fact(full_name, ["customer", "reporter", "user", "client", "name", "customer_name"], [
            "Reported by {v}.", "Customer: {v}.", "From {v}.", "My name is {v}.", "{v} wrote to us.", "The customer is {v}.",
            "Regards, {v}", "Sent by {v}."]),
        "product": Fact(lambda w: w.mixed(words.SOFTWARE, 0.3), ["product", "application", "software", "app", "program"], [
            "The product is {v}.", "It concerns {v}.", "Product: {v}.", "I use {v}.", "The program is called {v}.",
            "The problem is in {v}.", "{v} does not work.", "It happens in {v}."]),
        "version": Fact(version, ["version", "release", "product_version", "build"], [
            "Version {v}.", "I have version {v}.", "The version is {v}.", "Release {v} is installed.", "Running version {v}.",
            "It started with version {v}.", "We are on release {v}.", "Installed version: {v}."]),
        "system": Fact(lambda w: w.random.choice(words.SYSTEMS), ["os", "operating_system", "platform", "system"], [
            "I am on {v}.", "The system is {v}.", "It runs on {v}.", "Platform: {v}.", "The computer runs {v}.",
            "We use {v}.", "Operating system: {v}.", "This happens on {v}."]),
        "issue": Fact(phrase, ["issue", "summary", "subject", "title", "problem", "description"], [
            'Subject: "{v}".', 'The issue is "{v}".', 'Summary: {v}.', 'The message says "{v}".', 'It shows "{v}".',
            'Title: {v}.', 'The problem: "{v}".', 'The screen reads "{v}".']),
        "priority": Fact(label("low", "medium", "high"), ["priority", "severity", "urgency", "importance"], {
            "low": ["The priority is low.", "This can wait.", "It is not important.", "Low priority.", "There is no hurry.", "Whenever you have time."],
            "medium": ["The priority is medium.", "Medium priority.", "Please look at it this week.", "It is of normal importance.", "Moderately important."],
            "high": ["The priority is high.", "This is very urgent!", "We need help immediately.", "High priority.", "Please fix it right now.", "It is critical."]}),
        "category": Fact(label("bug", "billing", "account", "feature"), ["category", "type", "kind", "area"], {
            "bug": ["It crashes at start.", "I found a bug.", "The window freezes.", "There is an error when I save.", "It stopped working.", "The screen stays black."],
            "billing": ["I was charged twice.", "The invoice is wrong.", "I want a refund.", "My payment failed.", "This is about billing.", "The bill is too high."],
            "account": ["I cannot log in.", "I forgot my password.", "My account is locked.", "Please delete my account.", "I cannot sign in.", "The login page rejects me."],
            "feature": ["Please add a dark mode.", "I wish it had a search.", "It would be nice to have export.", "A new feature would help.", "Could you add a calendar?", "I would like a new option."]}),
        "solved": Fact(flag, ["solved", "resolved", "closed", "fixed"], {
            True: ["It is solved now.", "The case is closed.", "The problem was fixed.", "This has been resolved."],
            False: ["It is not solved yet.", "The case is still open.", "The problem remains.", "It is still unresolved."]}),
        "opened": Fact(date, ["opened", "date", "created", "reported_on", "opened_at"], [
            "Opened on {v}.", "Date: {v}.", "It was reported on {v}.", "Created {v}.", "It began on {v}.",
            "We noticed it on {v}.", "Filed on {v}.", "Received on {v}."]),
        "email": Fact(email, ["email", "contact", "reply_to", "email_address"], [
            "Reply to {v}.", "Email: {v}.", "Contact me at {v}.", "My email is {v}.", "You can reach me at {v}.",
            "Write to {v}.", "Answer to {v} please.", "My address is {v}."]),
        "users": Fact(whole(1, 500), ["affected_users", "users", "affected", "user_count"], [
            "{v} users are affected.", "It affects {v} people.", "Affected users: {v}.", "{v} colleagues see it.",
            "We are {v} users.", "About {v} users report it.", "{v} of us have it.", "It hits {v} users."]),
    },
    [
        "Ticket {id} from {customer}.", "{customer} reports a problem with {product}.", "Ticket {id}: {product} version {version} on {system}.",
        "Hello, I am {customer} and I use {product}.", "{customer} opened ticket {id} on {opened}.", "{product} {version} on {system} has a problem.",
        "{customer} has trouble with {product} {version}.", "Dear support, my name is {customer} and I use {product} on {system}.",
        "Hi, {customer} here.", "New ticket {id}.", "[{id}] {issue}", "{customer} <{email}> wrote:",
        "Support request from {customer} about {product}.", "Subject: {issue}", "From: {customer}", "I am {customer}, my ticket is {id}.",
    ],
    [(["product", "version"], ("software", "product_info", "app")),
     (["customer", "email"], ("customer", "contact", "reporter"))],
    ["Extract the ticket.", "Fill in the support ticket.", "Write the ticket as JSON.", "Read the support request.", "Turn the message into a ticket."],
)

EVENT = Domain(
    "event",
    {
        "title": Fact(phrase, ["title", "event", "name", "subject", "event_name"], [
            'The event is called "{v}".', 'Title: {v}.', 'It is named "{v}".', 'The topic is "{v}".', 'Event: {v}.',
            'We call it "{v}".', 'The title is "{v}".', 'The name is "{v}".']),
        "date": Fact(date, ["date", "when", "day", "event_date"], [
            "It is on {v}.", "Date: {v}.", "It takes place on {v}.", "The date is {v}.", "Come on {v}.", "It happens on {v}.",
            "Save the date: {v}.", "We meet on {v}."]),
        "time": Fact(clock, ["time", "start", "start_time", "hour", "begins_at"], [
            "It starts at {v}.", "Time: {v}.", "We begin at {v}.", "Doors open at {v}.", "The start is at {v}.", "It begins at {v}.",
            "Be there at {v}.", "Kick-off is at {v}."]),
        "place": Fact(lambda w: w.pick(words.PLACES), ["place", "location", "venue", "where", "room"], [
            "We meet in {v}.", "The place is {v}.", "Place: {v}.", "It is held in {v}.", "Location: {v}.", "The venue is {v}.",
            "Come to {v}.", "It takes place in {v}."]),
        "people": Fact(listing(first_name, 1, 4), ["people", "participants", "attendees", "guests", "invited"], [
            "{v} will come.", "With {v}.", "Participants: {v}.", "Guests are {v}.", "{v} are invited.", "We expect {v}.",
            "The guests: {v}.", "Present: {v}."]),
        "host": Fact(full_name, ["host", "organizer", "organiser", "contact", "speaker"], [
            "The host is {v}.", "Organized by {v}.", "Host: {v}.", "{v} is the host.", "{v} organizes it.", "Ask {v}.",
            "Your host is {v}.", "It is hosted by {v}."]),
        "price": Fact(lambda w: Number(price(w)), ["price", "cost", "fee", "ticket_price"], [
            "Tickets cost ${v}.", "The price is {v} euros.", "Entry is ${v}.", "The fee is {v} dollars.", "Price: {v}.", "It costs ${v}.",
            "Admission: ${v}.", "You pay {v} dollars."]),
        "seats": Fact(whole(5, 900), ["seats", "capacity", "places", "max_guests"], [
            "There are {v} seats.", "Capacity: {v}.", "There is room for {v} guests.", "{v} seats are available.", "Up to {v} people fit in.",
            "We have {v} chairs.", "{v} places are left.", "Seats: {v}."]),
        "online": Fact(flag, ["online", "is_online", "virtual", "remote"], {
            True: ["It is online.", "The event is virtual.", "You can join from home.", "It is a video call."],
            False: ["It is in person.", "It is not online.", "You must come yourself.", "There is no video."]}),
    },
    [
        'Join us for "{title}" on {date}.', "{title}, {date}, {time}.", "Meeting on {date} at {time} in {place}.",
        'The event "{title}" takes place on {date} at {time}.', "{host} invites you to {title}.", "We meet on {date} at {time}.",
        "Invitation: {title}", "Please come to {place} at {time}.", "There is a new event.", "Event: {title}. Date: {date}.",
        "{host} organizes a meeting in {place}.", "Reminder: {title} at {time}.", "{title} starts at {time} in {place}.",
        "You are invited!", "On {date} we hold {title}.", "Do not miss {title} on {date} in {place}.",
    ],
    [(["date", "time"], ("schedule", "when", "start")), (["place", "seats"], ("venue", "location"))],
    ["Extract the event.", "Write the event as JSON.", "Make a calendar entry.", "Read the invitation.", "Fill in the event."],
)

PRODUCT = Domain(
    "product",
    {
        "name": Fact(lambda w: w.mixed(words.PRODUCTS, 0.2), ["name", "product", "item", "title", "product_name"], [
            "The product is a {v}.", "Item: {v}.", "It is a {v}.", "We sell a {v}.", "Product: {v}.", "This is our {v}.",
            "Here is the {v}.", "Look at this {v}."]),
        "price": Fact(lambda w: Number(price(w)), ["price", "cost", "amount", "unit_price"], [
            "It costs ${v}.", "The price is {v} euros.", "Price: ${v}.", "You pay {v} dollars.", "Only ${v}.", "It sells for ${v}.",
            "It is yours for ${v}.", "The cost is {v} dollars."]),
        "brand": Fact(company, ["brand", "maker", "manufacturer", "company", "vendor"], [
            "It is made by {v}.", "Brand: {v}.", "The maker is {v}.", "The brand is {v}.", "It comes from {v}.", "Manufacturer: {v}.",
            "{v} builds it.", "{v} makes it."]),
        "color": Fact(lambda w: w.random.choice(words.COLORS), ["color", "colour", "paint", "finish"], [
            "The color is {v}.", "It is {v}.", "Color: {v}.", "It comes in {v}.", "It is painted {v}.", "The colour is {v}.",
            "We have it in {v}.", "You get it in {v}."]),
        "weight": Fact(lambda w: Number(f"{w.random.randint(0, 30)}.{w.random.randint(1, 9)}"), ["weight", "weight_kg", "kg", "mass"], [
            "It weighs {v} kg.", "Weight: {v} kg.", "The weight is {v} kilograms.", "It is {v} kg heavy.", "At {v} kg it is easy to carry.",
            "The mass is {v} kg.", "The scale says {v} kg.", "It brings {v} kg to the scale."]),
        "stock": Fact(whole(0, 900), ["stock", "quantity", "available_units", "units", "count"], [
            "There are {v} in stock.", "Stock: {v}.", "We have {v} units.", "{v} pieces are left.", "{v} units are in the store.",
            "{v} are on the shelf.", "Units: {v}.", "We keep {v} of them."]),
        "rating": Fact(lambda w: Number(f"{w.random.randint(1, 4)}.{w.random.randint(0, 9)}"), ["rating", "stars", "score", "review_score"], [
            "It is rated {v} stars.", "Rating: {v}.", "Customers give it {v} stars.", "The score is {v}.", "It has {v} stars.",
            "The rating is {v}.", "Reviewers give {v}.", "Score: {v}."]),
        "available": Fact(flag, ["available", "in_stock", "is_available", "on_sale"], {
            True: ["It is available now.", "You can buy it today.", "It is in stock.", "It can be ordered."],
            False: ["It is not available.", "It is sold out.", "It is out of stock.", "It cannot be ordered."]}),
        "sku": Fact(code, ["sku", "id", "code", "article", "product_code"], [
            "The code is {v}.", "SKU: {v}.", "Article number {v}.", "Its id is {v}.", "Order code {v}.", "Product code: {v}.",
            "Ask for {v}.", "The label says {v}."]),
        "tags": Fact(listing(lambda w: w.pick(words.COMMON)), ["tags", "keywords", "labels", "categories"], [
            "Tags: {v}.", "The keywords are {v}.", "Filed under {v}.", "Labels: {v}.", "It is tagged {v}.", "Keywords: {v}.",
            "Search for {v}.", "It belongs to {v}."]),
    },
    [
        "The {name} costs ${price}.", "A {color} {name} for ${price}.", "{name} by {brand}.", "New: the {brand} {name} at ${price}.",
        "Our {color} {name} weighs {weight} kg.", "{brand} presents a {color} {name}.", "For sale: {name}, {color}, ${price}.",
        "The {brand} {name} has {rating} stars.", "{sku}: {name}", "Buy the {name} now.", "We have {stock} units of the {name}.",
        "The {color} {name} is made by {brand}.", "{name}, ${price}, {rating} stars.", "Product {sku} is a {name}.", "Try this {name}.",
        "The {name} by {brand} sells for ${price}.",
    ],
    [(["price", "stock"], ("offer", "sale", "inventory")), (["color", "weight"], ("details", "specs", "features"))],
    ["Extract the product.", "Write the product as JSON.", "Read the offer.", "Fill in the catalogue entry.", "Describe the product as JSON."],
)

RECORDS = [PERSON, TICKET, EVENT, PRODUCT]
KEY_CASES: list[Callable[[str], str]] = [
    str, str, str, str,
    lambda key: re.sub(r"_(\w)", lambda match: match.group(1).upper(), key),
    lambda key: key.replace("_", " ").title(),
    lambda key: key.replace("_", " "),
]


def join_words(items: Sequence[str], world: World) -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(items) == 1:
        return items[0]
    return ", ".join(items[:-1]) + world.random.choice([" and ", " and ", ", and "]) + items[-1]


def say_value(world: World, value) -> str:
    """The value as prose says it."""
    if isinstance(value, Number):
        small = value.text.isdigit() and int(value.text) <= 10
        return NUMBER_WORDS[int(value.text)] if small and world.chance(0.4) else value.text
    if isinstance(value, list):
        return join_words(value, world)
    return str(value)


def repair_articles(text: str) -> str:
    return re.sub(r"\b([Aa]) (?=[aeioAEIO])", r"\1n ", text)


def sentence(world: World, fact: Fact, value, subject: dict[str, str]) -> str:
    """Say one fact."""
    templates = fact.say
    if isinstance(templates, dict):
        templates = templates[value.value if isinstance(value, Choice) else value]
    return world.sentence(templates).format(v=say_value(world, value), **subject)


def subject_words(world: World, domain: Domain, values: dict) -> dict[str, str]:
    """Words for the subject: {S} begins a sentence, {s} is inside one, {P} is possessive."""
    if domain is PERSON and world.chance(0.3):
        first = values["name"].split()[0]
        return {"S": first, "s": first, "P": f"{first}'s"}
    subject, possessive = world.random.choice([("he", "His"), ("she", "Her"), ("they", "Their")])
    return {"S": subject.capitalize(), "s": subject, "P": possessive}


def placeholders(template: str) -> list[str]:
    return re.findall(r"{(\w+)}", template)


def tell(world: World, domain: Domain, chosen: list[str]) -> tuple[str, dict]:
    """Write a text about the chosen facts; return it with every value it mentions."""
    opening = world.sentence(domain.openings)
    named = placeholders(opening)
    order = list(dict.fromkeys(named + chosen + (["name"] if domain is PERSON else [])))
    values = {key: domain.facts[key].make(world) for key in order}
    if domain is PERSON and "name" not in named:
        opening, named = "{name} is here.", ["name"]
    subject = subject_words(world, domain, values)
    sentences = [opening.format(**{key: say_number_plain(world, values[key]) for key in named})]
    rest = [key for key in order if key not in named]
    world.random.shuffle(rest)
    sentences += [sentence(world, domain.facts[key], values[key], subject) for key in rest]
    if domain is not PERSON and world.chance(0.2):
        world.random.shuffle(sentences)
    if not world.held_out and world.chance(0.15):
        sentences.insert(world.random.randint(1, len(sentences)), aside(world))
    return repair_articles(world.random.choice([" ", " ", " ", "\n"]).join(sentences)), values


def aside(world: World) -> str:
    """A sentence that has nothing to do with the record."""
    template = world.random.choice(["The {a} is {b}.", "{a} and {b} are here.", "There was a {a} near the {b}.", "We saw the {a}.", "It was a {a} {b}.", "Thank you.", "Best wishes.", "See the {a} for more."])
    return template.format(a=phrase(world, 1, 2), b=phrase(world, 1, 1))


def say_number_plain(world: World, value) -> str:
    return value.text if isinstance(value, Number) else say_value(world, value)


def spell_keys(world: World, domain: Domain, chosen: list[str]) -> dict[str, str]:
    """Give every chosen fact one of its key names, all in one letter case and all different."""
    case = world.random.choice(KEY_CASES)
    spelled: dict[str, str] = {}
    for name in chosen:
        candidates = domain.facts[name].keys
        key = case(candidates[0] if world.chance(0.35) else world.random.choice(candidates))
        spelled[name] = key if key not in spelled.values() else case(name)
    return spelled


def nest(world: World, domain: Domain, record: dict, spelled: dict[str, str]) -> dict:
    """Move the facts of one group under a common key, if they are all there."""
    for members, containers in world.random.sample(domain.groups, len(domain.groups)):
        if all(member in spelled and spelled[member] in record for member in members):
            key = world.random.choice(containers)
            if key not in record:
                inner = {spelled[member]: record.pop(spelled[member]) for member in members}
                return {**record, key: inner} if world.chance(0.5) else {key: inner, **record}
    return record


def absent_values(world: World, domain: Domain, values: dict, record_facts: list[str]) -> dict:
    """Sometimes ask for a fact that the text does not mention: its value is null."""
    if not world.chance(0.15):
        return {}
    textual = [key for key, fact in domain.facts.items() if key not in values and isinstance(fact.make(World(0)), (str, Number))]
    return {key: Nullable(None) for key in world.random.sample(textual, min(1, len(textual)))}


def record(world: World, domain: Domain) -> Example:
    """A text and the JSON record that holds some of its facts under varying keys."""
    available = list(domain.facts)
    chosen = world.random.sample(available, world.random.choice([1, 2, 2, 3, 3, 4, 5]))
    text, values = tell(world, domain, chosen)
    asked = world.random.sample(list(values), world.random.randint(min(2, len(values)), len(values)))
    if domain is PERSON and "name" not in asked and world.chance(0.7):
        asked.append("name")
    if world.chance(0.4):
        asked.sort(key=available.index)
    absent = absent_values(world, domain, values, asked)
    content = {key: values[key] for key in asked}
    if absent:  # nullability is a property of the schema, so present strings are marked too
        content = {key: Nullable(value) if isinstance(value, str) and world.chance(0.5) else value for key, value in content.items()}
        content |= absent
    keys = list(content)
    if absent:
        world.random.shuffle(keys)
    spelled = spell_keys(world, domain, keys)
    answer = {spelled[key]: content[key] for key in keys}
    if world.chance(0.2):
        answer = nest(world, domain, answer, spelled)
    return ask(world, domain.name, text, answer, domain.requests)


# --- asking ---------------------------------------------------------------------------------------

FIELD_REQUESTS = [
    "Fields: {f}.", "Extract {f}.", "Return JSON with the keys {f}.", "Give me {f} as JSON.", "Keys: {f}.",
    "JSON with {f}:", "Extract the fields {f}.", "Answer in JSON with the fields {f}.", "Fill in: {f}.",
    "Return a JSON object with {f}.", "Find {f}.", "Please extract these fields: {f}.",
]
PLAIN_REQUESTS = ["Answer in JSON.", "JSON:", "Return JSON.", "Extract the data as JSON.", "Extract the information.", "Convert to JSON.", "Output JSON only.", "As JSON:"]


def type_name(value) -> str:
    """The schema word for a value."""
    if isinstance(value, Number):
        return "integer" if value.text.isdigit() else "number"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, list):
        return "array"
    if isinstance(value, dict):
        return "object"
    return "string"


def request_text(world: World, answer, requests: list[str]) -> tuple[str, bool]:
    """An instruction, and whether it names the keys of the answer."""
    keys = list(answer) if isinstance(answer, dict) else []
    draw = world.random.random()
    if draw < 0.35:
        return "", False
    if draw < 0.6 or not keys:
        return world.sentence(requests + PLAIN_REQUESTS), False
    if draw < 0.68:
        return "Schema: " + json.dumps({key: type_name(value) for key, value in answer.items()}, ensure_ascii=False), True
    names = ", ".join(keys) if world.chance(0.5) else join_words(keys, world)
    return world.sentence(FIELD_REQUESTS).format(f=names), True


def ask(world: World, task: str, text: str, answer, requests: list[str]) -> Example:
    """Put text and instruction together, in either order."""
    request, named = request_text(world, answer, requests)
    segments = json_segments(world, answer, named)
    if request and world.chance(0.08):
        return Example(task, text, segments, request, named)
    return Example(task, arrange(world, text, request), segments, named=named)


def arrange(world: World, text: str, request: str) -> str:
    if not request:
        return text if world.chance(0.85) else f"Text: {text}"
    layout = world.random.choice(["{r}\n\n{t}", "{r}\n{t}", "{t}\n{r}", "{t}\n\n{r}", "{r} {t}", "{t} {r}", "{r}\nText: {t}"])
    return layout.format(r=request, t=text)


# --- lookups: pure copying, the first thing to learn ------------------------------------------------


def any_value(world: World):
    """A value of any kind, for keys that mean nothing."""
    makers = [full_name, city, phrase, phrase, company, code, first_name, job, email, date,
              lambda w: Number(str(w.integer(0, 999))), lambda w: Number(price(w)), lambda w: w.invented()]
    return world.random.choice(makers)(world)


def any_key(world: World) -> str:
    """A key that the model cannot know: one or two everyday or invented words."""
    parts = [world.pick(words.COMMON) if world.chance(0.7) else world.invented() for _ in range(world.random.choice([1, 1, 2]))]
    return world.random.choice(["_", "_", " "]).join(parts)


def lookup(world: World) -> Example:
    """Lines of `key: value` or `The key is value.`; the answer asks for some of the keys."""
    count = world.random.randint(2, 5)
    pairs = {any_key(world): any_value(world) for _ in range(count)}
    count = len(pairs)
    layout = world.random.choice(["{k}: {v}", "{k}: {v}", "The {k} is {v}.", "{k} = {v}", "My {k} is {v}.", "{k} - {v}", "the {k} was {v};"])
    shown = [layout.format(k=key if world.chance(0.5) else key.replace("_", " "), v=value.text if isinstance(value, Number) else value) for key, value in pairs.items()]
    text = (" " if layout[-1] in ".;" else "\n").join(shown)
    asked = world.random.sample(list(pairs), world.random.randint(1, count))
    return ask(world, "lookup", text, {key: pairs[key] for key in asked}, PLAIN_REQUESTS)


# --- people, orders: arrays of objects ----------------------------------------------------------------

PEOPLE_SENTENCES = [
    "{name} is {age} and lives in {city}.", "{name} ({age}) is from {city}.", "{name}, {age}, {city}.", "{name} from {city} is {age} years old.",
    "{name} lives in {city} and is {age} years old.", "{name} is a {age}-year-old from {city}.", "{age}-year-old {name} comes from {city}.", "{name}, aged {age}, lives in {city}.",
]


def people(world: World) -> Example:
    """Two or three people, each with a sentence; the answer is an array of records."""
    persons = [{"name": first_name(world) if world.chance(0.5) else full_name(world), "age": Number(str(world.integer(5, 95))), "city": city(world)}
               for _ in range(world.random.randint(2, 3))]
    template = world.sentence(PEOPLE_SENTENCES)
    text = " ".join(template.format(**{key: say_number_plain(world, value) for key, value in person.items()}) for person in persons)
    asked = world.random.sample(["name", "age", "city"], world.random.randint(1, 3))
    spelled = spell_keys(world, PERSON, asked)
    array = [{spelled[key]: person[key] for key in asked} for person in persons]
    answer = array if world.chance(0.2) else {world.random.choice(["people", "persons", "records", "list", "results"]): array}
    return ask(world, "people", text, answer, PERSON.requests)


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


def order(world: World) -> Example:
    """An order with a list of items and a few facts around it."""
    with_price, with_color = world.chance(0.35), world.chance(0.3)
    items = [order_item(world, with_price, with_color) for _ in range(world.random.choice([1, 1, 2, 2, 3]))]
    customer = full_name(world)
    rest = [key for key in ORDER_FACTS if key != "customer"]
    extra = world.random.sample(rest, world.random.choice([0, 1, 1, 2, 3]))
    values = {key: ORDER_FACTS[key].make(world) for key in extra}
    sentences = [world.sentence(ORDER_OPENINGS).format(c=customer, i=join_words([say_item(world, item) for item in items], world))]
    sentences += [sentence(world, ORDER_FACTS[key], values[key], {}) for key in extra]
    asked = ["customer"] * world.chance(0.85) + world.random.sample(extra, world.random.randint(0, len(extra)))
    spelled = spell_keys(world, ORDER, asked)
    answer = {spelled[key]: {**values, "customer": customer}[key] for key in asked}
    answer |= order_items_answer(world, items)
    if world.chance(0.4):
        pairs = list(answer.items())
        world.random.shuffle(pairs)
        answer = dict(pairs)
    return ask(world, "order", " ".join(sentences), answer, ORDER.requests)


def order_items_answer(world: World, items: list[dict]) -> dict:
    """The items as an array of objects, or flat when there is only one."""
    columns = list(items[0])
    if world.chance(0.3):
        columns = world.random.sample(columns, world.random.randint(1, len(columns)))
    spelled = {column: ITEM_KEYS[column][0] if world.chance(0.5) else world.random.choice(ITEM_KEYS[column]) for column in columns}
    rows = [{spelled[column]: item[column] for column in columns} for item in items]
    if len(rows) == 1 and world.chance(0.5):
        return {("item_name" if key == "name" else key): value for key, value in rows[0].items()}
    return {world.random.choice(ITEM_CONTAINERS): rows}


# --- choices ------------------------------------------------------------------------------------------

OPTION_REQUESTS = ["Choose: {o}.", "Answer with one of {o}.", "Options: {o}.", "Is it {o}?", "Pick one: {o}.", "Labels: {o}.", "One of: {o}.", "Choices: {o}."]
SENTIMENT_REQUESTS = ["What is the sentiment?", "Sentiment:", "Classify the review.", "How does the writer feel?", "Sentiment of this review?", "Classify the sentiment.", "Rate this review.", "Is this review good?"]
TOPIC_REQUESTS = ["What is the topic?", "Topic:", "Classify the text.", "What is this about?", "Which category?", "Classify the topic.", "Find the topic.", "Choose the subject."]
CHINESE_SENTIMENT_REQUESTS = ["情感是什么？", "判断情感。", "情感：", "这条评论是好还是坏？", "请分类。"]
CHINESE_TOPIC_REQUESTS = ["主题是什么？", "判断主题。", "主题：", "这是关于什么的？", "请分类。"]
CHINESE_OPTION_REQUESTS = ["选项：{o}。", "请选择：{o}。", "从{o}中选择。"]


def choice(world: World, task: str, text: str, answer: Choice, key: str, requests: list[str], chinese: bool) -> Example:
    """Ask for one of the options, as a bare word or inside an object."""
    options = list(answer.options)
    world.random.shuffle(options)
    parts = [world.sentence(requests)]
    if world.chance(0.6):
        template = world.sentence(CHINESE_OPTION_REQUESTS if chinese else OPTION_REQUESTS)
        parts.append(template.format(o=("、" if chinese else ", ").join(options)))
    prompt = arrange(world, text, "" if chinese else " ".join(parts)) if not chinese else world.random.choice(["{t}\n{r}", "{r}\n{t}"]).format(t=text, r="".join(parts))
    if world.chance(0.6):
        return Example(task, prompt, [Segment(answer.value, "choice", answer.options)])
    return Example(task, prompt, json_segments(world, {key: answer}, True))


def sentiment(world: World) -> Example:
    chinese = world.chance(0.4)
    table, things = (labels.CHINESE_SENTIMENT, labels.CHINESE_THINGS) if chinese else (labels.SENTIMENT, labels.SENTIMENT_THINGS)
    truth = world.random.choice(list(table))
    count = 1 if truth == "neutral" else world.random.choice([1, 1, 2])
    thing = world.pick(things)
    text = ("" if chinese else " ").join(world.sentence(table[truth]).format(x=thing) for _ in range(count))
    names = world.random.choice(labels.CHINESE_SENTIMENT_LABELS if chinese else labels.SENTIMENT_LABELS)
    # Two options are asked for when the text is not neutral, so that models see both forms.
    used = {key: name for key, name in names.items() if key != "neutral"} if truth != "neutral" and world.chance(0.3) else names
    answer = Choice(used[truth], tuple(used.values()))
    return choice(world, "sentiment", text, answer, world.random.choice(["sentiment", "label", "feeling", "polarity"]),
                  CHINESE_SENTIMENT_REQUESTS if chinese else SENTIMENT_REQUESTS, chinese)


def topic(world: World) -> Example:
    chinese = world.chance(0.35)
    table = labels.CHINESE_TOPIC_THINGS if chinese else labels.TOPIC_THINGS
    truth = world.random.choice(list(table))
    template = world.sentence(labels.CHINESE_TOPIC_TEMPLATES if chinese else labels.TOPIC_TEMPLATES)
    # Topic words are knowledge, not copying: held-out worlds keep the words and change the sentences.
    first, second = world.random.sample(table[truth], 2)
    others = world.random.sample([name for name in table if name != truth], world.random.randint(1, len(table) - 1))
    names = [truth, *others] if world.chance(0.5) else list(table)
    if chinese and world.chance(0.3):
        names, truth = [labels.CHINESE_TOPIC_ENGLISH[name] for name in names], labels.CHINESE_TOPIC_ENGLISH[truth]
    return choice(world, "topic", template.format(x=first, y=second), Choice(truth, tuple(names)),
                  world.random.choice(["topic", "category", "label", "subject"]), CHINESE_TOPIC_REQUESTS if chinese else TOPIC_REQUESTS, chinese)


# --- tools --------------------------------------------------------------------------------------------


@dataclass
class Tool:
    """A tool with its names, its arguments (fact by key names) and the ways to ask for it."""

    names: list[str]
    arguments: dict[str, tuple[list[str], Callable[[World], object]]]
    requests: list[str]


TOOLS = [
    Tool(["get_weather", "weather", "weather_forecast"], {"city": (["city", "location", "place"], city)},
         ["What is the weather in {city}?", "Weather in {city} please.", "Will it rain in {city}?", "How warm is it in {city}?", "Do I need an umbrella in {city}?", "Tell me the weather for {city}.", "Is it sunny in {city}?", "Give me the forecast for {city}."]),
    Tool(["set_alarm", "alarm", "create_alarm"], {"time": (["time", "at", "when"], clock)},
         ["Wake me at {time}.", "Set an alarm for {time}.", "Alarm at {time} please.", "I must get up at {time}.", "Ring at {time}.", "Set the alarm to {time}.", "Please wake me up at {time}.", "I need an alarm at {time}."]),
    Tool(["send_message", "message", "send_text"], {"recipient": (["recipient", "to", "person"], first_name), "text": (["text", "message", "body"], lambda w: phrase(w, 2, 4))},
         ['Tell {recipient} "{text}".', 'Send a message to {recipient}: {text}', 'Write to {recipient}: "{text}"', 'Text {recipient} "{text}".', 'Message {recipient}: {text}', 'Send {recipient} the text "{text}".', 'Let {recipient} know: "{text}"', 'Send "{text}" to {recipient}.']),
    Tool(["play_music", "play_song", "music"], {"song": (["song", "title", "track"], lambda w: phrase(w, 1, 3)), "artist": (["artist", "singer", "by"], full_name)},
         ['Play "{song}" by {artist}.', "Play {song} by {artist}.", 'I want to hear "{song}" by {artist}.', 'Put on "{song}" from {artist}.', "Start the song {song} by {artist}.", 'Can you play "{song}" by {artist}?', "Let me listen to {song} by {artist}.", "I would like to hear {song} by {artist}."]),
    Tool(["set_timer", "timer", "start_timer"], {"minutes": (["minutes", "duration", "duration_minutes"], whole(1, 90))},
         ["Set a timer for {minutes} minutes.", "Timer {minutes} minutes.", "Remind me in {minutes} minutes.", "Start a timer of {minutes} minutes.", "Count down {minutes} minutes.", "Give me {minutes} minutes on the timer.", "Start a {minutes} minute timer.", "I need a timer for {minutes} minutes."]),
    Tool(["convert_currency", "currency", "exchange"], {"amount": (["amount", "value"], lambda w: Number(price(w))), "from": (["from", "source", "from_currency"], lambda w: w.random.choice(words_currency)), "to": (["to", "target", "to_currency"], lambda w: w.random.choice(words_currency))},
         ["Convert {amount} {from} to {to}.", "How much is {amount} {from} in {to}?", "Change {amount} {from} into {to}.", "Exchange {amount} {from} for {to}.", "{amount} {from} in {to}?", "What are {amount} {from} in {to}?", "Turn {amount} {from} into {to}.", "I want to change {amount} {from} to {to}."]),
    Tool(["book_table", "reserve_table", "restaurant_booking"], {"restaurant": (["restaurant", "place", "name"], company), "people": (["people", "guests", "party_size"], whole(1, 12)), "time": (["time", "at"], clock)},
         ["Book a table for {people} at {restaurant} at {time}.", "Reserve a table at {restaurant} for {people} people at {time}.", "Table for {people}, {restaurant}, {time}.", "We are {people} and want to eat at {restaurant} at {time}.", "Get us a table for {people} at {restaurant}, {time}.", "Please book {restaurant} for {people} people at {time}.", "I want a table for {people} at {restaurant} at {time}.", "Reserve {restaurant} at {time} for {people} guests."]),
    Tool(["create_event", "add_event", "calendar"], {"title": (["title", "name", "event"], lambda w: phrase(w, 1, 3)), "date": (["date", "day", "on"], date)},
         ['Add "{title}" to my calendar on {date}.', "Put {title} in the calendar for {date}.", 'Create the event "{title}" on {date}.', "Schedule {title} for {date}.", "New event on {date}: {title}", 'Plan "{title}" for {date}.', "Calendar: {title} on {date}.", 'Add the event "{title}" on {date}.']),
    Tool(["translate", "translate_text", "translation"], {"text": (["text", "phrase", "input"], lambda w: phrase(w, 1, 3)), "language": (["language", "to", "target_language"], lambda w: w.pick(words.LANGUAGES))},
         ['Translate "{text}" into {language}.', 'How do you say "{text}" in {language}?', 'What is "{text}" in {language}?', 'Say "{text}" in {language}.', 'Give me "{text}" in {language}.', "Translate {text} to {language}.", 'I need "{text}" in {language}.', 'Translate "{text}" to {language}.']),
    Tool(["search_web", "search", "web_search"], {"query": (["query", "q", "text"], lambda w: phrase(w, 1, 4))},
         ['Search for "{query}".', "Look up {query}.", 'Find "{query}" on the internet.', "Search the web for {query}.", "Google {query}.", 'Find pages about "{query}".', 'Look for "{query}" online.', 'Search online for "{query}".']),
    Tool(["find_flight", "book_flight", "search_flights"], {"origin": (["origin", "from", "departure"], city), "destination": (["destination", "to", "arrival"], city)},
         ["Find a flight from {origin} to {destination}.", "I want to fly from {origin} to {destination}.", "Flights from {origin} to {destination}?", "Book a flight to {destination} from {origin}.", "Fly me from {origin} to {destination}.", "Is there a plane from {origin} to {destination}?", "I need a flight from {origin} to {destination}.", "Get me a plane ticket from {origin} to {destination}."]),
    Tool(["set_temperature", "thermostat", "heating"], {"room": (["room", "where"], lambda w: w.random.choice("kitchen bedroom office bathroom hall garage cellar attic".split())), "degrees": (["degrees", "temperature", "value"], whole(10, 30))},
         ["Set the {room} to {degrees} degrees.", "Heat the {room} to {degrees} degrees.", "Make the {room} {degrees} degrees.", "I want {degrees} degrees in the {room}.", "Turn the heating in the {room} to {degrees}.", "Temperature in the {room}: {degrees}.", "Bring the {room} to {degrees} degrees.", "Set the heating in the {room} to {degrees} degrees."]),
]
words_currency = "USD EUR GBP JPY CHF CNY INR SEK NOK CAD".split()
TOOL_REQUESTS = ["Which tool?", "Choose a tool.", "Pick the tool.", "Tool:", "Select the right tool.", "Call a tool.", "What tool should be used?", "Use one tool."]


def tool_choice(world: World) -> Example:
    """Name the right tool, or write the whole call with its arguments."""
    tools = world.random.sample(TOOLS, world.random.randint(3, 7))
    names = [world.random.choice(tool.names) if world.chance(0.4) else tool.names[0] for tool in tools]
    tool, name = tools[0], names[0]
    values = {key: make(world) for key, (_, make) in tool.arguments.items()}
    text = world.sentence(tool.requests).format(**{key: say_number_plain(world, value) for key, value in values.items()})
    shown = world.random.sample(names, len(names))
    request = " ".join(filter(None, ["Tools: " + ", ".join(shown) + "." if world.chance(0.75) or name != tool.names[0] else "", world.sentence(TOOL_REQUESTS) if world.chance(0.6) else ""]))
    prompt = arrange(world, text, request)
    pick = Choice(name, tuple(shown))
    draw = world.random.random()
    if draw < 0.3:
        return Example("tool", prompt, [Segment(name, "choice", pick.options)])
    if draw < 0.36:
        return Example("tool", prompt, json_segments(world, {world.random.choice(["tool", "name", "function"]): pick}, False))
    arguments = {world.random.choice(tool.arguments[key][0]) if world.chance(0.3) else tool.arguments[key][0][0]: value for key, value in values.items()}
    shape = world.random.choice([("tool", "arguments"), ("name", "arguments"), ("tool", "args"), ("function", "parameters"), ("name", "parameters"), None])
    answer = arguments if shape is None else {shape[0]: pick, shape[1]: arguments}
    return Example("tool", prompt, json_segments(world, answer, False))


# --- reasoning in steps -------------------------------------------------------------------------------

STARTS = ["{n} has {a} {o}.", "{n} starts with {a} {o}.", "There are {a} {o} in {n}'s box.", "{n} owns {a} {o}.", "{n} counts {a} {o}.", "{n} collected {a} {o}.", "In {n}'s bag there are {a} {o}.", "At first {n} has {a} {o}.",
          "{n} had {a} {o} at first.", "{n} bought {a} {o}.", "A box of {n} holds {a} {o}.", "{n} received {a} {o}.", "{n} gets {a} {o}.", "{n} carries {a} {o}."]
CHANGES = {
    "+": ["{n} buys {b} more.", "{n} gets {b} more.", "{m} gives {n} {b} more.", "{n} finds {b} more.", "Then {b} more arrive.", "{b} are added.", "{n} picks up {b} more.", "{n} receives {b} from {m}.",
          "{m} hands {n} {b} more.", "{n} gets {b} from {m}.", "{n} receives {b} more.", "{n} buys another {b}.", "{m} brings {b} more."],
    "-": ["{n} gives {b} to {m}.", "{n} loses {b}.", "{n} sells {b}.", "{n} eats {b}.", "{m} takes {b} away.", "{b} break.", "{n} throws {b} away.", "{n} hands {b} to {m}.",
          "{n} hands out {b}.", "{n} passes {b} to {m}.", "{b} are lost.", "{m} buys {b} from {n}.", "{n} uses {b}."],
    "*": ["Then the number grows {b} times.", "The number is multiplied by {b}.", "Then {n} has {b} times as many.", "Now there are {b} times as many."],
}
QUESTIONS = ["How many {o} are there now?", "How many {o} does {n} have?", "How many {o} are left at the end?", "How many {o} in total?", "What is the number of {o}?", "How many {o} now?", "Count the {o}.", "How many {o} does {n} have in the end?"]
COUNTED = "apples books coins stamps marbles cards eggs pens cups shells stones toys keys flowers candles buttons tickets balls oranges plums".split()
STEP_REQUESTS = ["Think step by step.", "Show the steps.", "Write the steps, then the answer.", "Explain.", "", "", ""]


def reasoned(world: World, task: str, prompt: str, steps: list[str], result: str | Number) -> Example:
    """The steps and then the answer: as lines of text, as JSON with the steps first, or (rarely) the answer alone."""
    draw = world.random.random()
    hint = world.random.choice(STEP_REQUESTS)
    prompt = f"{prompt} {hint}".strip()
    plain = result.text if isinstance(result, Number) else result
    if draw < 0.45:
        return Example(task, prompt, [Segment(". ".join(steps) + ".", "free"), Segment("\nAnswer: ", "forced"), Segment(plain, "line")])
    answer_key = "answer" if world.chance(0.75) else world.random.choice(["result", "final_answer", "solution"])
    if draw < 0.92:
        key = world.random.choice(["reasoning", "steps", "thought", "reasoning", "explanation"])
        written = steps if key == "steps" else ". ".join(steps) + "."
        return Example(task, prompt, json_segments(world, {key: written, answer_key: result}, False))
    return Example(task, f"{prompt} Answer only.", json_segments(world, {answer_key: result}, False))


def arithmetic(world: World) -> Example:
    name, other = world.several(words.FIRST_NAMES, 2)
    value, thing = world.integer(2, 60), world.pick(COUNTED)
    sentences, steps = [world.sentence(STARTS).format(n=name, a=value, o=thing)], []
    for _ in range(world.random.choice([1, 2, 2, 3])):
        operator = world.random.choice("++--*" if value <= 12 else "+-")
        operator = "+" if operator == "-" and value < 2 else operator
        amount = world.random.randint(2, 9) if operator == "*" else world.integer(1, value) if operator == "-" else world.integer(1, 40)
        result = {"+": value + amount, "-": value - amount, "*": value * amount}[operator]
        sentences.append(world.sentence(CHANGES[operator]).format(n=name, m=other, b=amount, o=thing))
        steps.append(f"{value} {operator} {amount} = {result}")
        value = result
    sentences.append(world.sentence(QUESTIONS).format(n=name, o=thing))
    return reasoned(world, "arithmetic", " ".join(sentences), steps, Number(str(value)))


LETTER_REQUESTS = [
    'Take the last letters of the words in "{w}" and join them.', 'Concatenate the last letter of each word: {w}.', 'Last letters of "{w}"?',
    'Join the last letters of {w}.', 'What do the last letters of "{w}" spell?', 'Write the last letter of every word in "{w}".',
    "Put the last letters together: {w}.", 'Concatenate the last letters of the words in "{w}".',
]


def last_letters(world: World) -> Example:
    pools = world.random.choice([[words.FIRST_NAMES], [words.COMMON], [words.FIRST_NAMES, words.LAST_NAMES]])
    chosen = [world.invented(2, 2) if world.chance(0.1) else world.pick(world.pick(pools)) for _ in range(world.random.randint(2, 4))]
    steps = [f"{word}: {word[-1].lower()}" for word in chosen]
    return reasoned(world, "last_letters", world.sentence(LETTER_REQUESTS).format(w=" ".join(chosen)), steps, "".join(word[-1].lower() for word in chosen))


OBJECT_KINDS = [("{c} ball", words.COLORS), ("{c} book", words.COLORS), ("{c} hat", words.COLORS), ("{c}", [p for p in words.PRODUCTS if " " not in p])]
SWAPS = ["{a} and {b} swap.", "Then {a} and {b} trade.", "{a} swaps with {b}.", "Next, {a} and {b} exchange.", "{a} trades with {b}.", "{a} and {b} switch.", "Then {a} swaps with {b}.", "Now {a} and {b} trade."]
OBJECT_QUESTIONS = ["What does {n} have at the end?", "What does {n} have now?", "Which one does {n} hold?", "At the end, what is with {n}?", "Who knows what {n} has?", "What is {n} left with?", "Finally, {n} has what?", "In the end, what does {n} have?"]


def shuffled_objects(world: World) -> Example:
    names = world.several(words.FIRST_NAMES, 3)
    form, pool = world.random.choice(OBJECT_KINDS)
    objects = [form.format(c=entry) for entry in world.random.sample(pool, 3)]
    state = dict(zip(names, objects))
    sentences = [join_words([f"{name} has a {thing}" for name, thing in state.items()], world) + "."]
    describe = lambda: ", ".join(f"{name} {thing}" for name, thing in state.items())  # noqa: E731
    steps = [describe()]
    for _ in range(world.random.randint(1, 3)):
        first, second = world.random.sample(names, 2)
        state[first], state[second] = state[second], state[first]
        sentences.append(world.sentence(SWAPS).format(a=first, b=second))
        steps.append(f"{first} and {second}: {describe()}")
    asked = world.random.choice(names)
    sentences.append(world.sentence(OBJECT_QUESTIONS).format(n=asked))
    return reasoned(world, "shuffled_objects", repair_articles(" ".join(sentences)), steps, state[asked])


# --- Chinese records --------------------------------------------------------------------------------


def chinese_word(world: World, entries: Sequence[str]) -> str:
    """An entry of the list, or in training often two or three characters taken from anywhere."""
    if world.held_out or world.chance(0.5):
        return world.pick(entries)
    return "".join(world.random.choices(words.CHINESE_CHARACTERS, k=world.random.randint(2, 3)))


def chinese_person(world: World) -> Example:
    """A short Chinese biography with Chinese or English keys."""
    values = {
        "name": chinese_word(world, words.CHINESE_NAMES), "age": Number(str(world.integer(6, 90))),
        "city": chinese_word(world, words.CHINESE_CITIES), "occupation": chinese_word(world, words.CHINESE_JOBS),
    }
    text = world.sentence(["{n}今年{a}岁，住在{c}，是一名{j}。", "我叫{n}，{a}岁，来自{c}，职业是{j}。", "{n}是{c}的{j}，{a}岁。", "{n}，{a}岁，{j}，家在{c}。", "{c}的{n}{a}岁，是{j}。", "{n}在{c}工作，是{j}，今年{a}岁。", "大家好，我是{n}，{a}岁的{j}，住在{c}。", "{n}是一名{a}岁的{j}，住在{c}。"])
    text = text.format(n=values["name"], a=values["age"].text, c=values["city"], j=values["occupation"])
    asked = world.random.sample(list(values), world.random.randint(2, 4))
    names = {"name": "姓名", "age": "年龄", "city": "城市", "occupation": "职业"}
    names = names if world.chance(0.5) else {key: key for key in values}
    named = world.chance(0.5)
    if named:
        text += world.random.choice(["\n字段：{f}。", "\n提取{f}。"]).format(f="、".join(names[key] for key in asked))
    answer = {names[key]: values[key] for key in asked}
    return Example("chinese_person", text, json_segments(world, answer, named), named=named)


# --- the mixture ------------------------------------------------------------------------------------

TASKS: dict[str, Callable[[World], Example]] = {
    "lookup": lookup,
    **{domain.name: (lambda world, domain=domain: record(world, domain)) for domain in RECORDS},
    "people": people, "order": order, "sentiment": sentiment, "topic": topic, "tool": tool_choice,
    "arithmetic": arithmetic, "last_letters": last_letters, "shuffled_objects": shuffled_objects, "chinese_person": chinese_person,
}

# Shares of the examples: copying first, then everything.
FIRST_PHASE = {"lookup": 8, "person": 3, "product": 1, "people": 2, "tool": 1, "order": 1}
FULL_MIXTURE = {
    "lookup": 3, "person": 6, "ticket": 4, "event": 2, "product": 2, "people": 1.5, "order": 5, "sentiment": 4, "topic": 3, "tool": 4,
    "arithmetic": 3.5, "last_letters": 2, "shuffled_objects": 2, "chinese_person": 1.5,
}


def draw(world: World, shares: dict[str, float]) -> Example:
    """One example of a task drawn by its share."""
    (task,) = world.random.choices(list(shares), weights=list(shares.values()))
    return TASKS[task](world)


if __name__ == "__main__":
    shown = World(seed=7)
    for task in TASKS:
        for _ in range(2):
            example = TASKS[task](shown)
            print(f"--- {task}\n{example.prompt}\n>>> {example.answer}")
