"""Records in English: the facts of each kind, and the sentences that say them.

`noun` writes the sentences that name a fact by a noun ("The price is ..."); the others follow it.
"""

from __future__ import annotations

from collections.abc import Callable

from texts import words
from texts.examples import Number
from texts.records import Domain, Fact, flag, label, listing, whole
from texts.world import World, alternatives, city, clock, code, company, country, date, email, first_name, full_name, job, last_name, phone, phrase, version

# --- frames and values ----------------------------------------------------------------------------

# Every cue stands in the first frames, and in two of the rarer ones: so the templates of a fact outweigh its frames.
NOUN_FRAMES = ["{C}: {{v}}.", "The {c} is {{v}}.", "{C} - {{v}}."]
PLURAL_FRAMES = ["{C}: {{v}}.", "The {c} are {{v}}.", "{C} - {{v}}."]
OWNED_FRAMES = ["{C}: {{v}}.", "{{P}} {c} is {{v}}.", "The {c} is {{v}}."]
OWNED_PLURAL_FRAMES = ["{C}: {{v}}.", "{{P}} {c} are {{v}}.", "The {c} are {{v}}."]
RARER_FRAMES = ["The {c}: {{v}}.", "{C} = {{v}}.", "As for the {c}: {{v}}.", "The {c} {be} given as {{v}}.", "Here {be} the {c}: {{v}}.",
    "The {c} {be} listed as {{v}}.", "Concerning the {c}: {{v}}."]


def framed(frames: list[str], cues: str, more: tuple[str, ...], be: str = "is") -> list[str]:
    """Every cue in every frame and in two of the rarer ones; and the other templates."""
    filled = []
    for position, cue in enumerate(cues.split("|")):
        start = len(more) + 2 * position
        rarer = [RARER_FRAMES[(start + step) % len(RARER_FRAMES)] for step in range(2)]
        filled += [frame.format(c=cue, C=cue[0].upper() + cue[1:], be=be) for frame in frames + rarer]
    return alternatives(*filled, *more)


def noun(cues: str, *more: str) -> list[str]:
    """Sentences that name the fact by a noun ("The price is 3."), and others."""
    return framed(NOUN_FRAMES, cues, more)


def nouns(cues: str, *more: str) -> list[str]:
    """The same for a plural ("The guests are Ann and Bob.")."""
    return framed(PLURAL_FRAMES, cues, more, "are")


def owned(cues: str, *more: str) -> list[str]:
    """The same for somebody's thing ("Her job is ...")."""
    return framed(OWNED_FRAMES, cues, more)


def owned_plural(cues: str, *more: str) -> list[str]:
    """The same for somebody's things ("Her hobbies are ...")."""
    return framed(OWNED_PLURAL_FRAMES, cues, more, "are")


def amount(low: int, high: int) -> Callable[[World], Number]:
    """A sum of money; above ten, since smaller numbers may be written as words."""

    def make(world: World) -> Number:
        units = world.integer(low, high)
        return Number(f"{units}.{world.random.randint(0, 99):02d}" if world.chance(0.55) else str(units))

    return make


def decimal(low: int, high: int) -> Callable[[World], Number]:
    """A number with one digit after the point."""
    return lambda world: Number(f"{world.random.randint(low, high)}.{world.random.randint(0, 9)}")


def one_of(entries: list[str]) -> Callable[[World], str]:
    """An entry of this world's side of the list."""
    return lambda world: world.pick(entries)


def short_phrase(world: World) -> str:
    return phrase(world, 1, 3)


def hotel_name(world: World) -> str:
    base = world.mixed(words.HOTEL_WORDS, 0.3)
    kind = world.random.choice(words.HOTEL_KINDS)
    return world.random.choice([f"{kind} {base}", f"{base} {kind}"])


def flight_number(world: World) -> str:
    letters = "".join(world.random.choices("ABCDEFGHJKLMNPQRSTUVWXYZ", k=2))
    return f"{letters}{world.random.choice(['', ' '])}{world.random.randint(11, 9999)}"


def gate(world: World) -> str:
    return f"{world.random.choice('ABCDEFG')}{world.random.randint(1, 60)}"


def seat(world: World) -> str:
    return f"{world.random.randint(1, 45)}{world.random.choice('ABCDEF')}"


def team(world: World) -> str:
    place, tail = city(world), world.pick(words.TEAM_TAILS)
    return world.random.choice([f"{place} {tail}", f"{place} {tail}", f"FC {place}", f"AC {place}", f"{place} SC"])


def street_address(world: World) -> str:
    street = world.pick(words.STREETS) if world.chance(0.6) else f"{world.invented().capitalize()} {world.random.choice(['Street', 'Road', 'Lane', 'Avenue'])}"
    return world.random.choice([f"{world.random.randint(1, 240)} {street}", f"{street} {world.random.randint(1, 240)}"])


def district(world: World) -> str:
    return world.mixed(words.DISTRICTS, 0.3)


def film_title(world: World) -> str:
    noun_word, other = world.pick(words.FILM_NOUNS), world.pick(words.FILM_NOUNS)
    article = "An" if noun_word[0] in "AEIO" else "A"
    return world.random.choice([
        f"The {world.pick(words.FILM_ADJECTIVES)} {noun_word}", f"The {noun_word} of {world.invented().capitalize()}", f"{noun_word} and {other}",
        f"{article} {noun_word} in {city(world)}", phrase(world, 1, 3).title(), f"{first_name(world)}'s {noun_word}", f"The {noun_word}'s {other}",
    ])


def course_title(world: World) -> str:
    subject = world.pick(words.SUBJECTS) if world.chance(0.65) else phrase(world, 1, 3)
    return world.random.choice([subject, subject.capitalize(), subject, f"Introduction to {subject}",
        f"{subject.capitalize()} {world.random.choice(['I', 'II', '101', 'for all'])}"])


def dish(world: World) -> str:
    if world.chance(0.25):
        return f"{world.invented()} {world.random.choice(['soup', 'cake', 'stew', 'salad', 'pie', 'bread'])}"
    return world.pick(words.DISHES)


def invoice_number(world: World) -> str:
    year, number = world.random.randint(2015, 2031), world.random.randint(1, 99999)
    return world.random.choice([code(world), f"INV-{number:05d}", f"{year}-{number}", f"R{year}/{number % 1000}", f"RE-{number}"])


def clause(*texts: str) -> list[str]:
    """Sentences of a label or truth value."""
    return alternatives(*texts)


# --- persons --------------------------------------------------------------------------------------

PERSON = Domain(
    "person",
    {
        "name": Fact(full_name, ["name", "full_name", "person", "who", "person_name"], []),
        "age": Fact(whole(3, 99), ["age", "years", "age_years", "years_old", "current_age"], owned(
            "age",
            "{S} is {v}[| years old| years of age| now| this year].", "{S} is aged {v}[| years].",
                "{S} [turned|became|has turned|just turned] {v}[| this year| last month| in spring].",
            "At {v}, {s} [is still curious|still works hard|knows the world|feels young].", "{S} [celebrated|had] birthday number {v}[| last week].",
            "{S}, aged {v}, [is well|is in good health|feels fine].", "[Years|Age in years|Age (years)]: {v}.", "{S} has [lived for|lived] {v} years.",
                "{S} [will be|is going to be] older than {v} soon.",
            "{S} is [only|already|almost exactly|just] {v} years old.", "[Now|Today] {s} is {v}[| years old].",
                "{P} [last birthday|latest birthday] was number {v}.")),
        "city": Fact(city, ["city", "town", "home", "location", "residence", "lives_in", "hometown", "place_of_residence"], owned(
            "city|home town|place of residence",
            "{S} [lives|is living|resides|is at home|has a flat|has a house|is based|has settled|stays|rents a room] in {v}[| now| these days| at the moment].",
            "{S} [is|comes|hails] from {v}.", "{S} [moved|has moved|relocated|returned] to {v}[| years ago| last spring].",
                "{S} [was raised|grew up|spent a childhood] in {v}.",
            "{S} calls {v} home.", "Home is {v}[| now].", "[These days|At present|Now] {s} lives in {v}.", "{P} [home|house|flat|family] is in {v}.",
            "{S} [settled|put down roots|found a home] in {v}.", "You [will|can] find this person in {v}.", "{S} makes a home in {v}.")),
        "country": Fact(country, ["country", "nation", "nationality", "country_of_origin", "home_country"], owned(
            "country|home country|nation|country of origin",
            "{S} [was born|was once born] in the country of {v}.", "{S} [is|became|has become] a citizen of {v}.",
                "{S} [has|holds|travels on|carries] a passport [of|from] {v}.",
            "{P} [family|mother|father] [comes|is] from the country of {v}.", "{S} comes from [the country of|the nation of] {v}.",
                "{P} nationality is that of {v}.",
            "By nationality {s} belongs to {v}.", "{S} [is a native|is a national|is a subject] of {v}.", "{P} passport is from {v}.")),
        "occupation": Fact(job, ["occupation", "job", "profession", "role", "work", "job_title", "position", "trade"], owned(
            "occupation|job|profession|role|line of work|job title",
            "{S} [works|is working|is employed|earns a living|makes a living|serves|has a job|has worked] as a {v}[| now| these days].",
            "{S} is a {v}[| by trade| by profession| and likes it| of many years].", "{S} [became|wanted to be|has become|turned] a {v}[| in the end].",
            "{S} [has been|was hired as|trained as|qualified as|started out as] a {v}.",
            "By profession {s} is a {v}.", "[For a living|At work|In working life|In everyday life] {s} is a {v}.", "People know this person as a {v}.",
            "{S} is now [working|active|busy] as a {v}.")),
        "employer": Fact(company, ["employer", "company", "works_at", "organization", "workplace", "firm", "works_for"], owned(
            "employer|company|firm|workplace",
            "{S} [works|is working|has a desk|has a job|has a post|started|was hired] at {v}.",
            "{S} [works|has worked|is working] for {v}[| now| these days].",
                "{S} is [employed by|on the staff of|part of the team at|an employee of|on the payroll of|with] {v}.",
            "{S} [joined|has joined] {v}[| last year| in May| some time ago].", "{S} works in [the office|a branch|the head office] of {v}.",
                "{S} [gets paid|is paid] by {v}.", "{v} [employs this person|pays the salary].")),
        "birth_year": Fact(whole(1930, 2015), ["birth_year", "born", "year_of_birth", "year"], owned(
            "birth year|year of birth",
            "{S} was born [in|in the year|back in] {v}.", "[Born in|Born|Born in the year] {v}.",
                "{S} [came into the world|first saw the light of day] in {v}.",
            "{S}, born {v}, is well known[| here| in town].", "{S} has lived since {v}.", "{P} life began in {v}.", "{S} is [from|of] the year {v}.",
                "{P} parents had this child in {v}.", "[Birth|Birth certificate]: {v}.")),
        "hobbies": Fact(listing(one_of(words.HOBBIES)), ["hobbies", "interests", "likes", "activities", "pastimes", "free_time"], owned_plural(
            "hobbies|interests|pastimes",
            "{S} [likes|enjoys|loves|is fond of|is keen on|is interested in|is crazy about|is into|practices|adores] {v}[| very much| a lot| most of all].",
            "[In the evening|For fun|On weekends|After work|On free days|Every Sunday] {s} [does|enjoys|goes in for] {v}.",
                "{S} [spends free time on|devotes weekends to|has time for|relaxes with] {v}.",
            "{P} great [love|passion] is {v}.", "When there is time, {s} enjoys {v}.", "What {s} likes: {v}.")),
        "languages": Fact(listing(one_of(words.LANGUAGES)), ["languages", "speaks", "spoken_languages", "tongues", "language_skills"], owned_plural(
            "languages|spoken languages|language skills",
            "{S} [speaks|understands|knows|learned|has learned|is fluent in|reads and writes|talks in|teaches|studied] {v}.",
            "{S} [also|fluently] speaks {v}.", "{S} [can|is able to|likes to] speak {v}.", "{S} has a good command of {v}.",
                "{S} [grew up with|feels at home in|dreams in|chats in] {v}.",
            "[With friends|At home|On the phone] {s} speaks {v}.", "You can [talk to this person|write to this person] in {v}.")),
        "married": Fact(flag, ["married", "is_married", "has_spouse"], {
            True: clause("{S} [is|is happily|has long been] married.", "{S} has a [spouse|husband|wife].",
                "{S} [got|was] married [last year|in June|long ago|at 25].", "{S} is married [and has a family|to a neighbour|for the second time].",
                         "[Marital status|Status|Civil status]: married.", "{S} wears a wedding ring.", "{S} lives with [a husband|a wife|a spouse].",
                             "{P} [wife|husband|spouse] [says hello|works abroad|is a good cook]."),
            False: clause("{S} is [single|not married|unmarried|still single].", "{S} [has never|never] married.",
                "{S} [has no|does not have a] [spouse|husband or wife].", "[Marital status|Status|Civil status]: single.",
                          "{S} is not [married|married yet|a married person].", "{S} lives [alone and single|without a spouse].",
                              "{S} has never been married.")}),
        "children": Fact(whole(2, 9), ["children", "kids", "number_of_children", "child_count", "num_children"], owned(
            "number of children|number of kids",
            "{S} [has|raises|brought up|takes care of|looks after|lives with] {v} [children|kids][| at home].", "{P} family includes {v} [children|kids].",
                "{S} is [the father|the mother|a parent] of {v}[| children| kids].",
            "[Children|Kids|Sons and daughters]: {v}.", "{S} and the family have {v} [children|kids].",
                "There are {v} [children|kids] in the [house|family].", "{S} is proud of {v} [children|kids].")),
        "email": Fact(email, ["email", "mail", "email_address", "contact_email", "e_mail"], owned(
            "email|email address|mail address|e-mail",
            "[Write|Please write|Send a mail|Send a note|Send word|Mail] to {v}.", "{S} can be [reached|contacted|found] at {v}.", "[Contact|Mail]: {v}.",
                "{S} [answers|reads] mail at {v}.",
            "{S} [uses|has] the [address|mailbox] {v}.", "{S} is best reached at {v}.")),
        "phone": Fact(phone, ["phone", "telephone", "phone_number", "tel", "mobile"], owned(
            "phone number|telephone number|mobile number|phone|telephone",
            "[Call|Ring|Dial|Phone] {v}.", "Tel. {v}.", "{S} [answers the phone|can be called|takes calls] [at|on] {v}.",
                "[To call, dial|For a call use|You can ring] {v}.", "[Mobile|Cell|Tel]: {v}.")),
        "pet": Fact(lambda w: w.mixed(words.FIRST_NAMES), ["pet", "pet_name", "dog", "animal"], owned(
            "dog|pet|dog's name",
            "{S} [has|owns|keeps|walks|feeds|loves|adopted] a dog [called|named|with the name] {v}.", "{P} [dog|pet] is [named|called] {v}.",
                "{P} dog {v} is [old|young|lazy|friendly|still a puppy].",
            "The family [pet|dog] is {v}.", "{S} shares the [house|flat] with a dog[, {v}| named {v}].", "{S} goes for walks with the dog {v}.")),
    },
    alternatives(
        "{name} is {age} years old and [lives|works|is at home|resides] in {city}.", "{name}[, {age},| ({age})] [lives|works|resides] in {city}.",
            "{name} [works|has a job] as a {occupation} in {city}.",
        "{name} is a {occupation}[| from {city}| in {city}| at {employer}| at {employer} in {city}| with {employer}].",
            "{name} ({age}) is a {occupation}[| at {employer}| in {city}| from {city}].",
        "[Meet|This is|Let me introduce|Here comes|I know] {name}[, a {occupation} from {city}| from {city}| from the company {employer}|].",
            "[My name is {name}|I am {name}|I'm {name}] and I am {age}[| years old].",
        "{name} [lives|was born|has a house] in {city}, {country}.", "At {age}, {name} [works for|runs|has joined|left] {employer}[| in {city}].",
            "{name} was born in {birth_year}[| in {city}].",
        "[I am|I'm|My name is|Hello, I am|Hi, this is] {name}[| from {city}| and I work at {employer}].", "{name} is {age}[| years old].",
            "{name}, aged {age}, [is a {occupation}|works as a {occupation}|is a {occupation} based in {city}].",
        "The {occupation} {name} [works for|joined|left|has founded] {employer}.", "[Hello|Hi|Good morning], I'm {name}, {age}, {occupation}.",
            "{name} [joined|left] {employer} as a {occupation}.",
        "In {city} [lives|lived|works] {name}.", "[Name|Full name|Person|Who]: {name}.",
            "{name} of {city} is {age} years old[| and works as a {occupation}].", "The {age}-year-old {occupation} {name} [lives|works|was seen] in {city}.",
        "[Yesterday|Last week|On Monday] I met {name}[|, a {occupation}|, who works for {employer}].", "{name}, born {birth_year}, [lives|works] in {city}.",
            "[Profile of|About|Portrait:|A note on] {name}.",
        "Our [new colleague|neighbour|guest|speaker] {name} [comes from|lives in] {city}.",
            "Name: {name}[, age: {age}|, city: {city}|; occupation: {occupation}].", "{employer} [has hired|welcomes|promoted] {name}[| as a {occupation}].",
        "[Do you know|Have you met] {name}[| from {city}| who works at {employer}]?", "{name} ([born in |* ]{birth_year}) is a {occupation}."),
    [(["city", "country"], ("address", "home", "location", "place")),
     (["occupation", "employer"], ("job", "work", "career", "employment")),
     (["email", "phone"], ("contact", "contacts", "reach"))],
    alternatives("[Extract|Find|Describe|Record] the person[| as JSON].", "Who is this?", "Write the person as JSON.", "Extract the person's [data|details].",
        "Read the [biography|text|profile] and fill the record.",
                 "What do we [know|learn] about this person?", "Fill in the [profile|contact card|personal record].",
                     "Turn the [biography|profile] into JSON."),
)

# --- support tickets ------------------------------------------------------------------------------

TICKET = Domain(
    "ticket",
    {
        "id": Fact(code, ["id", "ticket_id", "ticket", "number", "reference", "case_number"], noun(
            "ticket number|case number|ticket id|reference|case id",
            "[Ticket|Case|Reference|Ref.|Ticket no.] {v}.", "This is [about|case|ticket] {v}.", "[The ticket|The case|My ticket|My case] is {v}.",
                "[I am writing about|It concerns|Please look at|See] ticket {v}.", "It is filed [under|as] {v}.", "[My|Our|Your] reference is {v}.")),
        "customer": Fact(full_name, ["customer", "reporter", "user", "client", "name", "customer_name", "requester"], noun(
            "customer|customer name|reporter|client|requester",
            "[Reported|Sent|Submitted|Written] by {v}.", "[From|Sender|Name]: {v}.", "[My name is|I am|This is] {v}.",
                "{v} [wrote to us|contacted us|sent this|asked for help|called us].", "[Regards|Best regards|Yours|Thanks], {v}.",
            "[We heard from|The request came from|It was sent in by] {v}.")),
        "product": Fact(lambda w: w.mixed(words.SOFTWARE, 0.3), ["product", "application", "software", "app", "program"], noun(
            "product|application|program|software|app",
            "It [concerns|is about|happens in|comes from|occurs in] {v}.", "I [use|work with|bought|installed|rely on] {v}.",
                "The [program|app|software] is called {v}.", "The [problem|error|trouble] is in {v}.",
                "{v} [does not work|makes trouble|is the program in question|causes it].",
            "[We|The users] work with {v}.")),
        "version": Fact(version, ["version", "release", "product_version", "build"], noun(
            "version|release|build|version number",
            "[I have|I use|We run|We have] version {v}.", "[Release|Version|Build] {v} [is installed|is in use|is affected].",
                "[Running|Using|On] version {v}.", "It [started|began|appeared] with [version|release] {v}.", "We are on [release|version|build] {v}.",
            "Installed [version|release]: {v}.", "After the update to {v} it began.")),
        "system": Fact(lambda w: w.random.choice(words.SYSTEMS), ["os", "operating_system", "platform", "system"], noun(
            "operating system|platform|system|OS",
            "I am [on|using|a user of] {v}.", "It [runs|happens|fails] on {v}.", "The [computer|machine|laptop|device] runs [|on ]{v}.",
                "We [use|have] {v}[| here].", "This happens [only on|on] {v}.", "[All|Most] machines here have {v}.", "[My|Our] machine has {v}.")),
        "issue": Fact(phrase, ["issue", "summary", "subject", "title", "problem", "description"], noun(
            "issue|summary|problem|subject|title",
            '[Subject|Title|Issue|Problem|Summary]: "{v}".', 'The [issue|problem|subject|title] [is|reads] "{v}".',
                'The [message|screen|window|log|error] [says|reads|shows] "{v}".', 'It [shows|says|displays] "{v}".', 'I [see|get|always get] "{v}".',
                'There is [a note|a message] "{v}".')),
        "priority": Fact(label("low", "medium", "high"), ["priority", "severity", "urgency", "importance"], {
            "low": clause("The [priority|urgency|severity] is low.", "This can wait[| for weeks| a while].", "It is not [important|urgent|pressing].",
                "[Low|Lowest] [priority|urgency|severity].", "There is no [hurry|rush][| at all].", "[Whenever|When] you have time.",
                          "[Priority|Urgency|Severity]: low.", "[Take your time|No need to hurry|No rush][| with this].",
                              "It [only|merely] bothers me a little.", "[Some day|Sometime] would be fine."),
            "medium": clause("The [priority|urgency|severity] is medium.", "[Medium|Normal|Average] [priority|urgency|severity].",
                "Please look at it [this week|in the next days|within a few days].", "It is [of normal importance|moderately important|fairly important].",
                "[Priority|Urgency|Severity]: [medium|normal].",
                             "It is [annoying but not critical|not critical but should be fixed soon].", "A fix [this week|in a few days] would do."),
            "high": clause("The [priority|urgency|severity] is high.", "This is [very|extremely|really] urgent[!|.]",
                "We need help [immediately|right now|at once|today].", "[High|Highest|Top] [priority|urgency|severity].",
                "Please fix it [right now|immediately|at once|today].", "It is [critical|an emergency|extremely important].",
                           "[Priority|Urgency|Severity]: high.", "[Nobody can work|Everything stands still|We lose money every hour][.|!]",
                               "[Urgent|Emergency][!|.]", "This cannot wait.")}),
        "category": Fact(label("bug", "billing", "account", "feature"), ["category", "type", "kind", "area", "ticket_type"], {
            "bug": clause("It crashes [at start|when I print|all the time|without warning].", "I [found|noticed|report] a bug.",
                "The [window|program|screen] [freezes|stays black|flickers|hangs].", "There is an error when I [save|open a file|click the button|print].",
                "It [stopped working|does not respond|shows an error].",
                          "[Category|Type]: bug.", "The [button|search|export|menu] does nothing.", "Something is broken in the program."),
            "billing": clause("I was charged [twice|too much|for nothing].", "The [invoice|bill|receipt] is [wrong|too high|missing].", "I want a refund.",
                "My payment [failed|was rejected|did not go through].", "This is about [billing|an invoice|a payment|my bill].", "[Category|Type]: billing.",
                              "Please [cancel the charge|refund the payment|correct the bill|send the invoice again].",
                                  "The [charge|payment] on my card is wrong."),
            "account": clause("I cannot [log in|sign in|get into my account].", "I forgot my [password|user name].", "My account is [locked|blocked|gone].",
                "Please [delete|unlock|rename] my account.", "The login page [rejects me|does not accept my password].", "[Category|Type]: account.",
                              "I need a new [password|login].", "How do I change my [password|user name]?", "The password reset mail never arrives."),
            "feature": clause("Please add [a dark mode|a search|a calendar|an export].", "I wish it had [a search|a dark mode|a print button].",
                "It would be nice to have [an export|a calendar|more colours].", "A new feature would [help|be welcome].",
                "Could you add [a calendar|a search|a dark mode]?", "I would like a new [option|feature|function].",
                              "[Category|Type]: feature.", "[My|Our] wish for the next release: [a search|an export].",
                                  "[A suggestion|An idea]: add [a dark mode|an export]." )}),
        "solved": Fact(flag, ["solved", "resolved", "closed", "fixed", "is_solved"], {
            True: clause("It is [solved|fixed|resolved|settled][| now].", "The [case|ticket|matter] [is closed|was closed|has been closed].",
                "The problem [was|has been|is] [fixed|solved].", "This has been resolved[|, thanks].", "[Status|State]: [solved|closed].",
                "It works again[|, thank you].", "[All is well|Everything works] now.", "The [fix|solution] [worked|helped]."),
            False: clause("It is not [solved|fixed|resolved][| yet].", "The [case|ticket|matter] is still open.",
                "The [problem|error] [remains|persists|is still there].", "It is still [unresolved|unsolved|open].", "[Status|State]: [open|unsolved].",
                "It [still|again] does not work.", "[No|So far no] solution was found.", "We are still waiting for a fix.")}),
        "opened": Fact(date, ["opened", "date", "created", "reported_on", "opened_at", "opening_date"], noun(
            "date|date of the report|opening date|creation date",
            "[Opened|Created|Filed|Received|Reported|Submitted] on {v}.", "It was [reported|opened|filed|noticed|sent] on {v}.",
                "It [began|started|first happened] on {v}.", "We noticed it on {v}.", "[Since|It happens since] {v}.", "[Created|Opened|Received]: {v}.",
                "The [ticket|case] dates from {v}.")),
        "email": Fact(email, ["email", "contact", "reply_to", "email_address", "contact_email"], noun(
            "email|email address|contact|reply address",
            "[Reply|Write|Answer|Please reply|Please write] to {v}.", "[Contact me|Reach me|Mail me|I am] at {v}.",
                "[My|Our] [email|address|mail address] is {v}.", "You can reach [me|us] at {v}.", "[Answers|Replies] please to {v}.",
                "[Reply-To|Mail|E-mail]: {v}.")),
        "users": Fact(whole(2, 500), ["affected_users", "users", "affected", "user_count"], noun(
            "number of affected users|number of users|user count",
            "It [affects|hits|bothers|concerns] {v} [people|users|colleagues].", "[Affected users|Users affected|Users]: {v}.",
                "We are {v} [users|people|colleagues].", "[About|At least|Exactly] {v} [users|people|colleagues] [report|see|have] it.",
                "[There are|We have] {v} affected [users|people].", "All {v} [users|people] see it.", "{v} [users|colleagues|people] are affected.")),
    },
    alternatives(
        "[Ticket|Case|Request] {id} from {customer}.", "{customer} [reports|describes|has|sees] a problem with {product}[| {version}].",
            "[Ticket|Case] {id}: {product} version {version} on {system}.",
            "[Hello|Hi|Good morning|Dear team], I am {customer} and I use {product}[| {version}| on {system}].",
        "{customer} opened [ticket|case] {id}[| on {opened}].", "{product} {version} [on {system} |][has a problem|makes trouble|fails].",
            "{customer} has trouble with {product}[| {version}].",
        "[Dear support|Dear team], my name is {customer} and I [use|work with] {product}[| on {system}].", "[Hi|Hello], {customer} here.",
            "[New|Open|Another] [ticket|case] {id}[| from {customer}].", "{customer} <{email}> wrote:",
        "[Support request|Complaint|Question|Message] from {customer}[| about {product}].", "[Subject|Re]: {issue}.",
            "From: {customer}[| ({email})| <{email}>].", "I am {customer}, my [ticket|case|reference] is {id}.",
            "On {opened}, {customer} [wrote to|called|contacted] [us|support].",
        "#{id} - {issue}.", "[Our|Your] [product|app] {product} [fails|crashed|makes trouble] on {system}.",
            "{product} on {system}: [a user needs help|a problem was reported|trouble again].", "[Ticket|Case] {id}, [opened|received] {opened}."),
    [(["product", "version"], ("software", "product_info", "app")), (["customer", "email"], ("customer", "contact", "reporter"))],
    alternatives("[Extract|Record|Summarise] the [ticket|request].", "Fill in the support ticket.", "Write the ticket as JSON.",
        "Read the support request[| and fill the form].", "Turn the [message|mail|request] into a ticket.", "Make a ticket of this [mail|message].",
        "[Log|File] the [request|case]."),
)

# --- events ---------------------------------------------------------------------------------------

EVENT = Domain(
    "event",
    {
        "title": Fact(phrase, ["title", "event", "name", "subject", "event_name"], noun(
            "title|name of the event|topic|event|motto",
            'The [event|evening|meeting|party] is [called|named] "{v}".', 'It is [named|called|entitled] "{v}".', 'The [topic|title|name|motto] is "{v}".',
                'We call it "{v}".', 'It runs under the title "{v}".', '[Title|Topic|Event]: "{v}".', 'Come and see "{v}".', 'This is about "{v}".')),
        "date": Fact(date, ["date", "when", "day", "event_date"], noun(
            "date|day|event date",
            "It [is|takes place|happens|will be held|is planned] on {v}.", "[Come|Join us|Visit us|See you|We meet] on {v}.",
                "[Save the date|When|Mark your calendar]: {v}.", "We [meet|celebrate|gather] on {v}.", "[Keep|Reserve] {v} free.",
                "It is [scheduled|set] for {v}.", "The big day is {v}.")),
        "time": Fact(clock, ["time", "start", "start_time", "hour", "begins_at"], noun(
            "start|starting time|time|start time",
            "It [starts|begins|kicks off|opens] at {v}[| sharp].", "[We|They] [begin|start] at {v}.",
                "[Doors open|Doors are open|The first act is|The welcome is] at {v}.", "The [start|beginning|welcome] is at {v}.",
                "[Be there|Come|Please arrive] at {v}.", "[Kick-off|Beginning|Starting time] at {v}.", "From {v} [on|onwards].")),
        "place": Fact(one_of(words.PLACES), ["place", "location", "venue", "where", "room"], noun(
            "place|location|venue|meeting place",
            "We [meet|gather|will be|get together] in {v}.", "It [is held|takes place|happens|will be] in {v}.", "[Come|Go] to {v}.", "[Where]? In {v}.",
                "[Find us|You find us|Look for us] in {v}.", "This time it is in {v}.", "We booked {v}.", "We [see you|wait for you] in {v}.")),
        "people": Fact(listing(first_name, 1, 4), ["people", "participants", "attendees", "guests", "invited"], nouns(
            "guests|participants|attendees|people invited",
            "{v} will [come|be there|take part|join us].", "[With|Together with|On stage:|Coming:] {v}.", "We [expect|invited|welcome|count on] {v}.",
                "[Present|Invited|Confirmed|Attending]: {v}.", "[Invitations went|An invitation was sent|We wrote] to {v}.", "On the list of guests: {v}.")),
        "host": Fact(full_name, ["host", "organizer", "organiser", "contact", "speaker"], noun(
            "host|organizer|organiser|speaker|contact person",
            "[Organized|Organised|Hosted|Presented|Led|Arranged] by {v}.",
                "{v} [is the host|organizes it|hosts it|leads the evening|welcomes you|is in charge].", "[Ask|For questions ask|Write to|Answers go to] {v}.",
                "[Your|Our] host is {v}.", "It is [hosted|organized|led|arranged] by {v}.", "The [speech|talk|welcome] is given by {v}.")),
        "price": Fact(amount(11, 300), ["price", "cost", "fee", "ticket_price", "admission"], noun(
            "price|entry fee|ticket price|admission|cost",
            "[Tickets cost|A ticket is|Entry is|One ticket costs] ${v}.", "The [price|fee|ticket] is {v} [euros|dollars|francs].",
                "It costs [${v}|{v} euros|{v} dollars|€{v}].", "[Admission|Entry|Ticket|Entrance]: [${v}|€{v}|{v} euros].",
            "You pay [{v} dollars|{v} euros|${v}].", "[We ask for|We charge] [${v}|{v} euros].")),
        "seats": Fact(whole(12, 900), ["seats", "capacity", "places", "max_guests"], noun(
            "number of seats|capacity|number of places|maximum number of guests",
            "There [are {v} seats|are {v} places|is room for {v} guests|is space for {v} people].", "{v} [seats|places|chairs] are [available|left|free].",
                "[Up to|At most|No more than] {v} people [fit in|can come|may attend].", "We have {v} [chairs|seats|places].",
                "[Seats|Places|Max. guests]: {v}.", "The room [holds|seats] {v}[| people].")),
        "online": Fact(flag, ["online", "is_online", "virtual", "remote"], {
            True: clause("It is [online|virtual|held online|online only].", "The event is [virtual|online|a live stream].",
                "You can [join|follow|watch] [from home|on your screen|by video].", "It is a video [call|conference|meeting].",
                "[Join|Take part] [online|by video link|via the link].", "[Online|Virtual]: yes.", "We [meet|gather] online.",
                "The link [comes|will be sent] by mail."),
            False: clause("It is [in person|on site|not online|not virtual].", "You [must|have to] [come yourself|be there in person].",
                "There is no [video|live stream|online version|link].", "[Online|Virtual]: no.", "We [meet|gather] in person.",
                "[No|There will be no] [stream|broadcast].", "It is a [real|face-to-face] meeting.", "Come in person.")}),
    },
    alternatives(
        'Join us for "{title}"[| on {date}| at {time}| in {place}].', "{title}, {date}, {time}.",
            "[Meeting|Party|Concert|Dinner|Workshop] on {date}[| at {time}][| in {place}].",
            'The [event|evening|workshop] "{title}" [takes place|is] on {date}[| at {time}].',
        "{host} invites you to {title}[| on {date}].", "We meet on {date} at {time}[| in {place}].", "[Invitation|Event|Announcement|Programme]: {title}.",
            "Please come to {place} at {time}.", "There is [a new|another] event[| on {date}].", "[Event|What]: {title}. [Date|When]: {date}.",
        "{host} [organizes|plans|hosts] a [meeting|party|workshop] in {place}.", "[Reminder|Don't forget|Note]: {title} at {time}[|, {date}].",
            "{title} starts at {time}[| in {place}| on {date}].", "You are [invited|welcome][!| to {title}.| to {place}.]",
            "On {date} we [hold|present|celebrate] {title}.",
        "Do not miss {title}[| on {date}][| in {place}].", "[Hi all|Dear friends|Hello everybody], {title} is on {date}.", "See you on {date} in {place}."),
    [(["date", "time"], ("schedule", "when", "start")), (["place", "seats"], ("venue", "location"))],
    alternatives("[Extract|Record|Find] the event.", "Write the event as JSON.", "Make a calendar entry[| of this].", "Read the [invitation|announcement].",
        "Fill in the event[| form].", "[Turn|Convert] the invitation into JSON.", "Put this into [the|my] calendar."),
)

# --- products -------------------------------------------------------------------------------------

PRODUCT = Domain(
    "product",
    {
        "name": Fact(lambda w: w.mixed(words.PRODUCTS, 0.2), ["name", "product", "item", "title", "product_name"], noun(
            "product|item|article|product name",
            "[It|This] is [a|our|the] {v}.", "We [sell|offer|present|recommend] [a|the|our] {v}.", "[Here is|Look at|Buy|Order|Try] [the|this] {v}.",
                "[For sale|On offer|New|Today's offer]: {v}.", "The [product|item] is a {v}.", "You get a {v}.", "Everybody needs a {v}.")),
        "price": Fact(amount(11, 900), ["price", "cost", "amount", "unit_price"], noun(
            "price|cost|retail price|unit price",
            "It [costs|sells for|goes for|is] [${v}|{v} euros|{v} dollars|€{v}].", "You pay [{v} dollars|{v} euros|${v}|only {v} euros].",
                "[Only|Just|Now] [${v}|€{v}|{v} euros].", "It is yours for [${v}|{v} euros].", "The price is {v} [euros|dollars].",
                "Get it for [${v}|€{v}|{v} dollars].", "[Price|Cost]: [${v}|€{v}|{v} EUR|{v} USD].")),
        "brand": Fact(company, ["brand", "maker", "manufacturer", "company", "vendor"], noun(
            "brand|maker|manufacturer|vendor|brand name",
            "It is [made|built|produced|designed] by {v}.", "It comes from [|the house of |the makers at ]{v}.",
                "{v} [builds|makes|produces|designed|sells] it.", "[Made|Built|Designed] by {v}.", "It [bears|carries] the name {v}.", "You can trust {v}.")),
        "color": Fact(lambda w: w.random.choice(words.COLORS), ["color", "colour", "paint", "finish"], noun(
            "color|colour|finish|paint",
            "It [comes|is available|is painted|shines|looks good] in {v}.", "It is {v}[| all over| outside].", "We have it in {v}.",
                "You [get|can have] it in {v}.", "It is [painted|coloured] {v}.", "The surface is {v}.", "Painted in {v}.")),
        "weight": Fact(decimal(0, 40), ["weight", "weight_kg", "kg", "mass"], noun(
            "weight in kg|weight (kg)|mass in kg",
            "It [weighs|is|has a weight of|tips the scales at] {v} [kg|kilograms|kilos].", "[Weight|Mass]: {v} kg.",
                "The [weight|mass] is {v} [kilograms|kg].", "It is {v} kg heavy.", "At {v} kg it is easy to [carry|move].", "The [scale|label] says {v} kg.",
                "It brings {v} kg to the scale.", "With its {v} kg it stands firmly.")),
        "stock": Fact(whole(2, 900), ["stock", "quantity", "available_units", "units", "count"], noun(
            "stock|number in stock|units in stock|number of units",
            "There are {v} [in stock|on the shelf|in the warehouse|left].", "We have {v} [units|pieces|of them][| left| in store].",
                "{v} [pieces|units] are [left|in the store|on the shelf].", "[Units|In stock|Pieces]: {v}.", "We keep {v} of them.",
                "The [shop|store|warehouse] has {v} [pieces|units].", "[Only|Exactly|Still] {v} [pieces|units] left.")),
        "rating": Fact(decimal(1, 4), ["rating", "stars", "score", "review_score"], noun(
            "rating|score|average rating|review score",
            "It [is rated with|has|gets|received] {v} [stars|stars out of 5].", "[Customers|Buyers|Reviewers|Users] give it {v}[| stars].",
                "It is rated {v}[| stars| out of five].", "The [reviews|customers] say {v} [stars|out of 5].", "[Stars|Rated|Reviews]: {v}.",
                "On average it got {v} [stars|points].")),
        "available": Fact(flag, ["available", "in_stock", "is_available", "on_sale"], {
            True: clause("It is [available|available now|on sale|in stock|ready to ship].", "You can [buy|order|get] it [today|now|at once].",
                "It can be [ordered|bought|delivered][| now| today].", "[Available|In stock]: yes.", "We [ship|deliver] it [today|at once].",
                "[Order|Buy] now.", "It is on the shelves [now|again]."),
            False: clause("It is [not available|sold out|out of stock|no longer sold|gone].", "It [cannot|can no longer] be [ordered|bought|delivered].",
                "[Available|In stock]: no.", "We [no longer sell it|cannot deliver it|have run out].", "[Sold out|Currently unavailable].",
                "It is [currently|at present] not available.", "You cannot [buy|order] it [now|any more].")}),
        "sku": Fact(code, ["sku", "id", "code", "article", "product_code"], noun(
            "code|SKU|article number|order code|product code|item number",
            "[Article|Item|Product|Order] no. {v}.", "Its [id|code|number] is {v}.", "Ask for [|article |item ]{v}.", "The [label|tag|box] says {v}.",
                "[Order|Find] it under {v}.", "You find it as {v} in our [catalogue|list].")),
        "tags": Fact(listing(one_of(words.COMMON)), ["tags", "keywords", "labels", "categories"], nouns(
            "tags|keywords|labels|search words",
            "Filed under {v}.", "It is tagged [|with |as ]{v}.", "Search for {v}.", "It belongs to {v}.", "[Tagged|Labelled|Marked]: {v}.",
                "You find it under {v}.", "[People look|Customers search] for {v}.")),
    },
    alternatives(
        "The {name} [costs|is|sells for|goes for] [${price}|{price} euros|€{price}].", "A {color} {name} for [${price}|{price} dollars|€{price}].",
            "{name} by {brand}[|, ${price}| for €{price}| in {color}].", "[New|Just in|Sale|Today]: the {brand} {name}[| at ${price}| in {color}].",
        "Our {color} {name} weighs {weight} kg.", "{brand} [presents|sells|offers|launches] a {color} {name}.",
            "[For sale|Offer]: {name}, {color}[|, ${price}|, {price} euros].", "The {brand} {name} has {rating} stars.",
            "{sku}: {name}[|, {color}|, ${price}|, {brand}].", "[Buy|Order|Try|Get] the {name} [now|today|by {brand}].",
        "We have {stock} units of the {name}.", "The {color} {name} is [made|built] by {brand}.", "{name}, ${price}, {rating} stars.",
            "[Product|Article|Item] {sku} is a {name}.", "Try this {name}[| by {brand}| in {color}].",
            "The {name} by {brand} [sells for ${price}|costs {price} euros|weighs {weight} kg|is rated {rating}].",
        "I bought a {name}[| by {brand}| in {color}].", "[Looking for|Do you need] a {name}?"),
    [(["price", "stock"], ("offer", "sale", "inventory")), (["color", "weight"], ("details", "specs", "features"))],
    alternatives("[Extract|Describe|Record] the product[| as JSON].", "Write the product as JSON.", "Read the [offer|ad|description].",
        "Fill in the catalogue entry.", "[Make|Write] a catalogue entry.", "Turn the [offer|ad] into JSON."),
)

# --- hotel bookings -------------------------------------------------------------------------------

BOOKING = Domain(
    "booking",
    {
        "guest": Fact(full_name, ["guest", "guest_name", "name", "customer", "booked_by"], noun(
            "guest|guest name|name of the guest|main guest",
            "[Booked|Reserved|Requested] by {v}.", "The [room|booking|reservation] is [for|in the name of] {v}.", "[Name|For|Guest]: {v}.",
                "{v} [will stay with us|is the guest|booked this room|made the booking].", "[My name is|Please book it for|It is for] {v}.",
                "We [expect|welcome] {v}.")),
        "hotel": Fact(hotel_name, ["hotel", "hotel_name", "property", "accommodation", "place"], noun(
            "hotel|name of the hotel|accommodation|property",
            "The [booking|reservation|room|stay] is at {v}.", "[We stay|They stay|I will stay|You stay] at {v}.",
                "[Where to stay|Hotel name|Accommodation]: {v}.", "{v} [confirms the booking|looks forward to the stay|is the hotel].",
                "[A room at|A stay at] {v} was booked.")),
        "city": Fact(city, ["city", "town", "destination", "location"], noun(
            "city|town|destination",
            "The hotel is [in|in the heart of|close to the centre of|on the edge of] {v}.", "[The trip goes|The journey goes|Off] to {v}.",
                "[It is a stay|A few days|Holidays] in {v}.", "[City|Town|Where]: {v}.", "{v} is the [destination|city].")),
        "check_in": Fact(date, ["check_in", "arrival", "arrival_date", "from", "start_date"], noun(
            "check-in|arrival|arrival date|day of arrival|check-in date",
            "[Arriving|Arrival|Check-in|Coming] on {v}.", "[We arrive|The guest arrives|I arrive|They check in|We check in] on {v}.",
                "The stay [begins|starts] on {v}.", "[First night|From]: {v}.", "The room is needed from {v} [on|onwards].")),
        "check_out": Fact(date, ["check_out", "departure", "departure_date", "until", "end_date"], noun(
            "check-out|departure|departure date|day of departure|check-out date",
            "[Leaving|Departure|Check-out|Going home] on {v}.", "[We leave|The guest leaves|I leave|They check out|We check out] on {v}.",
                "The stay [ends|is over] on {v}.", "[Until|To|Last day]: {v}.", "The room is [booked until|needed until] {v}.")),
        "nights": Fact(whole(2, 21), ["nights", "number_of_nights", "duration", "stay_length"], noun(
            "number of nights|length of stay in nights",
            "[For|The stay is|We stay|It is for|I need it for] {v} nights.", "{v} nights [are booked|in all|are planned].",
                "[Nights|Number of nights|Nights booked]: {v}.", "The [booking|stay|reservation] covers {v} nights.", "It [will be|is] {v} nights in all.")),
        "guests": Fact(whole(2, 9), ["guests", "people", "persons", "number_of_guests", "party_size"], noun(
            "number of guests|number of persons|party size",
            "[We are|There will be|We come as|It is for] {v} [people|persons|guests].", "[Guests|Persons|People]: {v}.",
                "{v} [guests|people|persons] will [come|stay].", "The [booking|room] is for {v} [people|persons].", "We need beds for {v}[| people].")),
        "room": Fact(label("single", "double", "suite", "dormitory"), ["room", "room_type", "type", "category"], {
            "single": clause("[A|One] single room[|, please| is enough].", "[Room|Room type]: single.", "It is a room [with one bed|for one person].",
                "A single room was [booked|reserved|chosen].", "The room is a single."),
            "double": clause("[A|One] double room[|, please| is needed].", "[Room|Room type]: double.", "It is a room with [a double bed|a bed for two].",
                "A double room was [booked|reserved|chosen].", "The room is a double.", "Two share [one room|a double bed]."),
            "suite": clause("[A|The] suite[|, please| is needed].", "[Room|Room type]: suite.", "It is a suite with a [living room|sea view|terrace].",
                "A suite was [booked|reserved|chosen].", "They [took|chose] the suite."),
            "dormitory": clause("[A bed|Beds] in the dormitory[|, please].", "[Room|Room type]: dormitory.",
                "A [bed|place] in the dormitory was [booked|reserved|chosen].", "The room is a dormitory[| with eight beds].",
                "Sleeping in the dormitory is [fine|cheapest].")}),
        "breakfast": Fact(flag, ["breakfast", "breakfast_included", "with_breakfast", "includes_breakfast"], {
            True: clause("Breakfast is [included|part of the price|included in the price].", "[With|Including] breakfast[|, please].",
                "[Breakfast|Breakfast included]: yes.", "We [would like|want|take] breakfast.", "[The price|The rate] [includes|covers] breakfast.",
                "A breakfast buffet [is included|comes with the room]."),
            False: clause("Breakfast is not included.", "[Without|No] breakfast[|, please].", "[Breakfast|Breakfast included]: no.",
                "We do not [want|need] breakfast.", "[The price|The rate] [does not include|is without] breakfast.", "Breakfast costs extra.")}),
        "price": Fact(amount(30, 3000), ["price", "total", "total_price", "cost", "amount"], noun(
            "total price|price|total|cost",
            "It [costs|comes to|will be] [${v}|{v} euros|€{v}|{v} dollars] in all.", "The [stay|room|booking] costs [${v}|€{v}|{v} euros].",
                "[Total|Sum|To pay]: [${v}|€{v}|{v} EUR].", "You pay [${v}|{v} euros] [on arrival|at the hotel].",
                "We charge [€{v}|{v} euros] for the whole stay.")),
        "code": Fact(code, ["booking_code", "code", "confirmation", "reservation_number", "booking_id", "reference"], noun(
            "booking code|reservation number|confirmation number|booking reference",
            "[Booking|Reservation|Confirmation] [|no. |number ]{v}.", "[Your|Our|My] booking [code|number|reference] is {v}.",
                "Please [quote|mention|show] {v}.", "It is [booked|filed] under {v}.")),
    },
    alternatives(
        "{guest} [booked|reserved] a room at {hotel}[| in {city}| from {check_in}| for {nights} nights].",
            "[Booking|Reservation|Confirmation] {code}[| for {guest}| at {hotel}].",
            "[Dear {guest}|Hello {guest}], your room at {hotel} is [booked|confirmed].", "{hotel}, {city}: [booking|reservation] for {guest}.",
        "[I would like|I want] to book a room [in {city}|at {hotel}] for {nights} nights.",
            "{guest} will stay at {hotel}[| in {city}] from {check_in} to {check_out}.",
            "[Thank you for booking|Thank you for choosing|Welcome to] {hotel}[!|, {guest}!| in {city}.]",
            "[New booking|New reservation|Booking request]: {guest}, {nights} nights.",
        "We booked {nights} nights [in {city}|at {hotel}].", "From {check_in} to {check_out} [we are|{guest} is] in {city}.",
            "{guest} arrives on {check_in}[| and leaves on {check_out}].",
            "[Hi|Hello|Good day], this is {guest}[, I need a room in {city}|, about my booking {code}|].", "[Stay|Trip|Holiday] in {city}: {hotel}.",
        "[Do you have|Is there] a room for {guests} people from {check_in}?", "[Check-in|Arrival] {check_in}, [check-out|departure] {check_out}, {hotel}."),
    [(["check_in", "check_out"], ("dates", "stay", "period")), (["hotel", "city"], ("hotel", "place", "accommodation")), (["price", "nights"], ("stay",
        "payment"))],
    alternatives("[Extract|Record|Find] the booking.", "Write the [booking|reservation] as JSON.", "Fill in the reservation[| form].",
        "Read the [mail|confirmation] and note the booking.", "[Enter|Log] the reservation."),
)

# --- flights --------------------------------------------------------------------------------------

FLIGHT = Domain(
    "flight",
    {
        "number": Fact(flight_number, ["flight", "flight_number", "number", "flight_no", "code"], noun(
            "flight number|flight no.|number of the flight",
            "[Flight|Flight no.|Flight number] {v}.", "[It is|We are on|I fly on|You are booked on] flight {v}.", "The flight is {v}.",
                "{v} is the [flight|flight number].", "[Look for|Watch for] {v} on the board.")),
        "airline": Fact(lambda w: w.mixed(words.AIRLINES, 0.25), ["airline", "carrier", "company", "operator"], noun(
            "airline|carrier|operator",
            "[We fly|I fly|You fly|They fly] with {v}.", "[Operated|Flown|Run] by {v}.",
                "{v} [operates the flight|is the airline|flies this route|takes you there].", "The plane belongs to {v}.",
                "[The ticket is|It was booked] with {v}.")),
        "origin": Fact(city, ["origin", "from", "departure_city", "departure_airport", "source"], noun(
            "origin|departure airport|departure city|starting point",
            "[We leave|It departs|The plane leaves|It takes off|The journey starts|Departing|Leaving] from {v}.", "[From|Start]: {v}.",
                "The [start|departure] is in {v}.", "You [board|get on] in {v}.")),
        "destination": Fact(city, ["destination", "to", "arrival_city", "arrival_airport", "target"], noun(
            "destination|arrival airport|arrival city",
            "[It flies|The flight goes|We fly|It goes|The plane is on its way] to {v}.", "[To|Goal]: {v}.", "It [lands|arrives|touches down] in {v}.",
                "The [end|arrival] is in {v}.", "[Bound|Heading] for {v}.", "You get off in {v}.")),
        "date": Fact(date, ["date", "departure_date", "day", "flight_date", "travel_date"], noun(
            "date|travel date|departure date|day of the flight",
            "[It leaves|We fly|The flight is|I travel|It departs|You fly] on {v}.", "[Day|When|Date]: {v}.", "[Travel|Flying] on {v}.",
                "The trip is [planned|booked] for {v}.")),
        "departure": Fact(clock, ["departure", "departure_time", "departs", "leaves_at", "takeoff"], noun(
            "departure|departure time|take-off",
            "[It departs|It leaves|It takes off|The plane leaves|Take-off is|Departure is] at {v}.", "[Departs|Leaves|Dep.]: {v}.",
                "[Departing|Leaving] at {v}.", "You take off at {v}.")),
        "arrival": Fact(clock, ["arrival", "arrival_time", "arrives", "lands_at", "landing"], noun(
            "arrival|arrival time|landing",
            "[It arrives|It lands|It touches down|The plane lands|Landing is|Arrival is] at {v}.", "[Arrives|Lands|Arr.]: {v}.", "[Arriving|Landing] at {v}.",
                "You [land|will be there] at {v}.")),
        "gate": Fact(gate, ["gate", "gate_number", "boarding_gate"], noun(
            "gate|boarding gate|departure gate",
            "[Boarding at|Departure from|It leaves from|The plane waits at|You board at|Please go to] gate {v}.", "[Go|Walk|Proceed|Come] to gate {v}.",
                "Gate {v}.", "Gate {v} is [open|now boarding].")),
        "seat": Fact(seat, ["seat", "seat_number", "place", "assigned_seat"], noun(
            "seat|seat number|place on board",
            "[You sit|I sit|We sit] in [seat|place] {v}.", "Seat {v}[| by the window| on the aisle].", "[Your|My] seat is {v}.", "[Seat no.|Place]: {v}.",
                "Seat {v} is [reserved|yours].")),
        "passenger": Fact(full_name, ["passenger", "passenger_name", "name", "traveller", "traveler"], noun(
            "passenger|passenger name|traveller|name of the passenger",
            "[Booked|Issued] for {v}.", "The ticket is [for|in the name of] {v}.", "{v} [is the passenger|travels on it|has a ticket|is on board].",
                "[Passenger|Name|Traveller|Ticket holder]: {v}.", "[Dear|Hello] {v}.")),
        "price": Fact(amount(30, 2000), ["price", "fare", "cost", "ticket_price"], noun(
            "fare|ticket price|price|cost",
            "The [ticket|flight] [costs|is] [${v}|{v} euros|€{v}|{v} dollars].", "[Fare|Ticket|Price]: [${v}|€{v}|{v} EUR].",
                "[It costs|You pay|I paid] [${v}|{v} euros|{v} dollars].", "Tickets [from|at] [${v}|€{v}].")),
        "direct": Fact(flag, ["direct", "nonstop", "is_direct", "direct_flight"], {
            True: clause("It is a [direct|non-stop] flight.", "[Direct|Non-stop|Direct flight]: yes.", "There is no [stop|stopover|change].",
                "[You do not|You need not] change planes.", "It flies [non-stop|straight there|without a stop]."),
            False: clause("It is not a [direct|non-stop] flight.", "[Direct|Non-stop|Direct flight]: no.",
                "There is [a stop|one stop|a stopover] on the way.", "You [must|have to] change planes[| once].", "It flies with [one stop|a stopover].")}),
    },
    alternatives(
        "Flight {number} from {origin} to {destination}[| on {date}| at {departure}|, {date}, {departure}].",
            "{airline} [flight |]{number}[| to {destination}| from {origin}| departs at {departure}].",
            "{passenger} flies from {origin} to {destination}[| on {date}| with {airline}].",
            "[I want|I would like|We want] to fly from {origin} to {destination}[| on {date}].",
        "[Boarding pass|Ticket|Itinerary]: {passenger}, {number}.", "{number} {origin} - {destination}[|, {date}|, {departure} - {arrival}].",
            "[Dear|Hello] {passenger}, your flight {number} [leaves at {departure}|is confirmed|leaves on {date}].",
            "[Your|My] flight to {destination} [leaves at {departure}|is on {date}].",
        "The plane from {origin} to {destination} [leaves|takes off] at {departure}[| and lands at {arrival}].",
            "{origin} to {destination}, {date}[|, {airline}].",
            "[Attention|Please note]: flight {number} to {destination} [is now boarding|leaves from gate {gate}|leaves at {departure}].",
            "On {date} {passenger} travels to {destination}.",
        "[Trip|Journey|Business trip] to {destination}[|: {airline} {number}|, {date}].",
            "[We booked|I booked] {airline} to {destination}[| for {price} dollars| for €{price}].",
            "{airline} flies from {origin} to {destination}[| for ${price}]."),
    [(["origin", "destination"], ("route", "trip", "leg")), (["departure", "arrival"], ("times", "schedule")), (["gate", "seat"], ("boarding",
        "boarding_pass"))],
    alternatives("[Extract|Record|Find] the flight.", "Write the [flight|ticket] as JSON.", "Read the [ticket|itinerary|boarding pass].",
        "Fill in the flight [data|details].", "[Turn|Convert] the ticket into JSON."),
)

# --- recipes --------------------------------------------------------------------------------------

RECIPE = Domain(
    "recipe",
    {
        "name": Fact(dish, ["name", "dish", "title", "recipe", "meal"], noun(
            "dish|recipe|name of the dish|meal",
            "[Today|Tonight|This time] [we make|I cook|we cook] {v}.", "[This is|Here is] [a|the|my] recipe for {v}.",
                "[Let us make|How to make|Everybody likes|I love] {v}.", "[Recipe|Dish|On the menu]: {v}.", "The recipe is for {v}.")),
        "ingredients": Fact(listing(one_of(words.INGREDIENTS), 1, 5), ["ingredients", "needs", "components", "shopping_list"], nouns(
            "ingredients|things to buy|main ingredients",
            "You [need|will need|want|take] {v}.", "[Take|Get|Buy|Prepare|Mix] {v}.", "It [needs|contains|is made with|calls for] {v}.",
                "[Shopping list|Needed|You need]: {v}.", "[All you need is|It only takes] {v}.", "Made [from|with] {v}.")),
        "minutes": Fact(whole(5, 180), ["minutes", "time", "duration", "total_minutes", "time_minutes"], noun(
            "time in minutes|total time in minutes|cooking time in minutes",
            "It [takes|needs|is ready in|is done in|will take] {v} minutes.", "[Ready|Done|On the table] in {v} minutes.",
                "[Time|Duration|Total time|Time needed]: {v} [minutes|min].", "[Allow|Plan] {v} minutes.", "After {v} minutes it is [ready|done].",
                "You need {v} minutes[| for it].")),
        "servings": Fact(whole(2, 12), ["servings", "portions", "serves", "people"], noun(
            "number of servings|number of portions",
            "It [serves|feeds|is enough for] {v}[| people| persons].", "[Serves|Portions|Servings|For how many]: {v}.",
                "[Makes|Gives|This makes] {v} [portions|servings].", "For {v} [people|persons|guests].", "It makes {v} [servings|portions].")),
        "temperature": Fact(whole(80, 250), ["temperature", "oven_temperature", "degrees", "oven"], noun(
            "oven temperature|temperature in the oven",
            "[Bake|Roast|Cook] [it |]at {v} degrees.", "[Heat|Preheat|Set] the oven to {v}[| degrees| °C].", "[Oven|Temperature]: {v}[| degrees| °C].",
                "The oven [should be|must be] at {v} degrees.", "The oven has {v} degrees.")),
        "calories": Fact(whole(60, 1200), ["calories", "kcal", "energy", "calories_per_serving"], noun(
            "number of calories|energy in kcal",
            "[A|One|Each] [portion|serving] has {v} [calories|kcal].", "It has [about |only |]{v} [calories|kcal].", "[Calories|Energy|Kcal]: {v}.",
                "{v} [calories|kcal] per [serving|portion].")),
        "difficulty": Fact(label("easy", "medium", "hard"), ["difficulty", "level", "skill"], {
            "easy": clause("It is [easy|very easy|simple|child's play].", "[Difficulty|Level]: easy.",
                "[Anyone|Everybody|Even a beginner|A child] can [make|cook] it.", "[No skill|No experience] is needed.",
                "The recipe is [simple|easy|quick and simple]."),
            "medium": clause("It is [of medium difficulty|not too hard].", "[Difficulty|Level]: medium.", "You need [some|a little] [practice|experience].",
                "The recipe is [of medium difficulty|neither easy nor hard]." , "It [takes|needs] some [practice|skill]."),
            "hard": clause("It is [hard|difficult|really hard|quite difficult].", "[Difficulty|Level]: hard.",
                "Only [experts|experienced cooks] [should try it|will succeed].", "The recipe is [difficult|a challenge|hard].",
                "You need [a lot of|much] [practice|experience].", "It is not for beginners.")}),
        "vegetarian": Fact(flag, ["vegetarian", "is_vegetarian", "meat_free", "veggie"], {
            True: clause("It is [vegetarian|meat-free|without meat].", "[Vegetarian|Veggie]: yes.", "There is no meat in it.", "It [contains|has] no meat.",
                "[Good|Suitable|Fine] for vegetarians.", "Vegetarians [like|love|can eat] it."),
            False: clause("It is [not vegetarian|not meat-free].", "[Vegetarian|Veggie]: no.", "There is meat in it.", "It [contains|has] meat.",
                "[Not suitable|Not meant|Nothing] for vegetarians.", "Vegetarians cannot eat it.")}),
        "author": Fact(full_name, ["author", "cook", "chef", "by", "source"], noun(
            "author|cook|chef",
            "[A recipe|Written|Cooked|Shared|Invented|Sent in] by {v}.", "[It comes from|I have it from|Thanks to|I got it from] {v}.",
                "{v} [invented it|sent us the recipe|cooks it every week|wrote it down].", "[By|From]: {v}.")),
    },
    alternatives(
        "{name}[| for {servings}| in {minutes} minutes| by {author}].", "[Recipe|Today|Tonight]: {name}[|, {minutes} minutes|, serves {servings}].",
            "[For|To make] {name} you need {ingredients}.", "{author} [makes|cooks|shows us how to make|recommends] {name}.",
            "[How to make|My favourite|Grandma's|Quick] {name}.", "{name} [takes|needs|is ready in] {minutes} minutes.",
        "[Take|Mix|Prepare] {ingredients} and bake at {temperature} degrees.", "[This|The] {name} [serves|feeds] {servings}[| people].",
            "Our [recipe of the day|cooking tip]: {name}[| with {ingredients}].", "{name} with {ingredients}.",
            "[We|I] made {name} [yesterday|for {servings} people|with {ingredients}].",
        "[Bake|Cook] the {name} for {minutes} minutes[| at {temperature} degrees].", "{name} ({calories} kcal)[|, {minutes} min].",
            "In {minutes} minutes [you have|there is] {name} for {servings}.", "[Hello cooks|Dear friends|Hi], here is [my|our] {name}.",
            "[You need|We need] {ingredients} for {name}."),
    [(["minutes", "temperature"], ("baking", "cooking", "preparation")), (["servings", "calories"], ("nutrition", "portion"))],
    alternatives("[Extract|Record] the recipe.", "Write the recipe as JSON.", "Fill in the recipe card.", "Read the recipe.",
        "[Turn|Convert] the recipe into JSON.", "[Make|Write] a recipe card."),
)

# --- matches --------------------------------------------------------------------------------------

MATCH = Domain(
    "match",
    {
        "home": Fact(team, ["home_team", "home", "hosts", "team_1", "team_a"], noun(
            "home team|host team|team playing at home",
            "[Playing|Playing today] at home: {v}.", "[At home|On home ground|In front of their fans] {v} [played|started] [well|badly|slowly].",
                "{v} [played at home|were the hosts|had home advantage].", "The [hosts|home side] [were|are] {v}.", "[Hosts|Home|Home side]: {v}.")),
        "away": Fact(team, ["away_team", "away", "visitors", "team_2", "team_b", "guests"], noun(
            "away team|visiting team|guest team",
            "{v} [came as guests|played away|were the visitors|travelled far].", "The [visitors|guests|away side] [were|are] {v}.",
                "[Visitors|Away|Guests|Away side]: {v}.", "[On the road|Playing away]: {v}.",
                "[As guests,|The visitors] {v} [had a long trip|played well].")),
        "home_goals": Fact(whole(2, 9), ["home_goals", "home_score", "goals_home", "score_home"], noun(
            "number of home goals|score of the home team|home score",
            "The [home team|hosts|home side] [scored|got|made] {v}[| goals].", "[Home goals|Goals of the hosts|Goals home]: {v}.",
                "{v} goals [for|by] the [home team|hosts].", "The hosts [ended|finished] with {v} goals.")),
        "away_goals": Fact(whole(2, 9), ["away_goals", "away_score", "goals_away", "score_away"], noun(
            "number of away goals|score of the away team|away score",
            "The [away team|visitors|guests|away side] [scored|got|made] {v}[| goals].", "[Away goals|Goals of the visitors|Goals away]: {v}.",
                "{v} goals [for|by] the [away team|visitors].", "The visitors [ended|finished] with {v} goals.")),
        "sport": Fact(one_of(words.SPORTS), ["sport", "discipline", "game", "type"], noun(
            "sport|discipline|kind of sport",
            "It was a [game|match|day|evening] of {v}.", "[They|The teams] played {v}.", "[Fans|Friends|Lovers] of {v} [were happy|had fun|came in crowds].",
                "[Sport|Discipline]: {v}.", "The [game|sport] is {v}.", "[It was|This is] {v}[| at its best].")),
        "stadium": Fact(lambda w: w.mixed(words.STADIUMS, 0.3), ["stadium", "venue", "arena", "place", "location"], noun(
            "stadium|venue|arena|ground",
            "[They played|The match was played|It took place|The teams met|We met] at {v}.", "[The match|The game] was at {v}.",
                "{v} was [full|sold out|half empty|the place].", "[Venue|Stadium|Where]: {v}.", "Fans came to {v}.")),
        "date": Fact(date, ["date", "day", "played_on", "match_date"], noun(
            "date|match day|day of the match",
            "[The match|The game|It] was [played|held] on {v}.", "[They|The teams] [played|met] on {v}.", "[Played|Held] on {v}.",
                "It [happened|took place] on {v}.", "[Day|Date|When]: {v}.")),
        "attendance": Fact(whole(120, 80000), ["attendance", "spectators", "crowd", "visitors_count", "fans"], noun(
            "attendance|number of spectators|crowd",
            "{v} [spectators|people|fans] [watched|came|were there|saw it].",
                "[There were|We counted|It was played in front of] {v} [spectators|fans|people].", "[Attendance|Spectators|Crowd]: {v}.",
                "The stadium held {v} [people|fans].")),
        "best_player": Fact(full_name, ["best_player", "mvp", "player_of_the_match", "star", "player"], noun(
            "best player|player of the match|star of the match",
            "{v} was [the best player|the star of the match|man of the match|the hero].", "[Everybody|The crowd|The coach] praised {v}.",
                "[The best was|The hero was|Best on the field:] {v}.", "{v} [shone|played best|stood out].", "[MVP|Star|Best player]: {v}.")),
        "referee": Fact(last_name, ["referee", "umpire", "official", "ref"], noun(
            "referee|umpire|match official",
            "[The game|The match|It] was [led|refereed|whistled] by {v}.", "{v} [was the referee|blew the whistle|showed a yellow card|led the game].",
                "Referee {v} [was strict|had little to do|gave a penalty].", "[Referee|Umpire|Ref]: {v}.")),
        "overtime": Fact(flag, ["overtime", "extra_time", "went_to_overtime", "prolonged"], {
            True: clause("It went into [overtime|extra time].", "[Overtime|Extra time]: yes.", "There was [overtime|extra time].",
                "Only [overtime|extra time] brought the decision.", "It was decided in [overtime|extra time].", "The match was prolonged."),
            False: clause("There was no [overtime|extra time].", "[Overtime|Extra time]: no.",
                "It was decided [in normal time|in regular time|without extra time].", "It did not go into [overtime|extra time].",
                "No [overtime|extra time] was needed.")}),
    },
    alternatives(
        "{home} [beat|lost to|met|played against|hosted|faced] {away}[| at {stadium}| on {date}].", "{home} - {away} {home_goals}:{away_goals}.",
            "{home} {home_goals}, {away} {away_goals}.", "{home} vs. {away}[|, {date}|, {stadium}|, {sport}].", "At {stadium}, {home} [met|played] {away}.",
        "[Yesterday|On {date}|Last night], {home} [played|met|faced] {away}.",
            "{home} [played|hosted] {away} [in front of|before] {attendance} [fans|people].",
            "[Final score|Result|Full time]: {home} {home_goals} - {away_goals} {away}.",
            "The {sport} match between {home} and {away} [is over|was exciting|was played at {stadium}].",
        "{best_player} [was the star of the match|shone in the match {home} - {away}].", "[Match report|Report|Sports]: {home} against {away}.",
            "{attendance} [fans|people] saw {home} play {away}[| at {stadium}].",
            "[What a game|What a match]! {home} and {away} [ended|finished] {home_goals}:{away_goals}.", "{sport}: {home} - {away}."),
    [(["home", "away"], ("teams", "sides", "match")), (["home_goals", "away_goals"], ("score", "result", "goals")), (["stadium", "attendance"], ("venue",
        "place"))],
    alternatives("[Extract|Record] the [match|result].", "Write the match as JSON.", "Read the [report|match report].", "Fill in the [result|match sheet].",
        "[Turn|Convert] the report into JSON."),
)

# --- vacancies ------------------------------------------------------------------------------------

VACANCY = Domain(
    "vacancy",
    {
        "title": Fact(job, ["title", "job", "position", "role", "job_title"], noun(
            "position|job|job title|role|vacancy",
            "We [are looking for|need|want to hire|search for|hire|seek] a {v}.", "[Wanted|Vacancy|Now hiring|Job offer|We are hiring]: {v}.",
                "[Become|Work as|Start as] a {v}[| with us| in our team].", "A {v} [is needed|is wanted|should join us].", "You will [work|start] as a {v}.",
                "[Are you|Would you like to be] a {v}?")),
        "company": Fact(company, ["company", "employer", "firm", "organization", "hiring_company"], noun(
            "company|employer|firm|name of the firm",
            "[Join|Apply at|Work at|Come to|Start at] {v}.", "{v} is [hiring|growing|looking for people|the employer|a great place to work].",
                "[We are|You will work for|The offer comes from] {v}.", "[Employer|Company|Firm]: {v}.",
                "The team of {v} [is waiting|looks forward to you].")),
        "location": Fact(city, ["location", "city", "place", "workplace", "office"], noun(
            "location|place of work|city|workplace",
            "[The job is|The office is|You work|Our office is|We are based|You will be based|The workplace is] in {v}.", "[Where|Office|Place]: {v}.",
                "[Our home|Our base] is {v}.", "Come to {v}.")),
        "salary": Fact(whole(1200, 9800), ["salary", "pay", "monthly_salary", "wage", "income"], noun(
            "salary|monthly salary|pay|wage",
            "[We pay|You earn|It pays|You get|We offer] [{v} euros|${v}|€{v}|{v} dollars] [a month|per month|monthly].",
                "[Salary|Pay|Wage]: [${v}|€{v}|{v} EUR].", "The [pay|salary|wage] is [{v} euros|${v}].", "[Starting|Monthly] salary [€{v}|{v} dollars].")),
        "hours": Fact(whole(12, 45), ["hours", "hours_per_week", "weekly_hours", "working_hours"], noun(
            "number of hours per week|weekly working time in hours",
            "[You work|It is|The job has|We need you|We expect] {v} hours [a week|per week|weekly].", "[Hours|Weekly hours|Hours per week]: {v}.",
                "{v} hours [a week|per week][| are expected].", "The [week|working week] has {v} hours.")),
        "contract": Fact(label("full-time", "part-time", "internship", "temporary"), ["contract", "type", "employment_type", "job_type"], {
            "full-time": clause("It is a full-time [job|position|post].", "[Contract|Type]: full-time.", "You [work|will work] full-time.",
                "We offer a full-time [job|contract|position].", "This is a full-time [role|post]."),
            "part-time": clause("It is a part-time [job|position|post].", "[Contract|Type]: part-time.", "You [work|will work] part-time.",
                "We offer a part-time [job|contract|position].", "[Mornings|Half days|Two or three days] only, part-time."),
            "internship": clause("It is an internship.", "[Contract|Type]: internship.", "We offer an internship.", "You [start|come] as an intern.",
                "This is an internship for [students|beginners].", "[Interns|Students] [are welcome|learn a lot here] - it is an internship."),
            "temporary": clause("It is a temporary [job|position|post].", "[Contract|Type]: temporary.",
                "The contract [is temporary|ends after a year|is limited to a year].", "We offer a temporary [job|contract|position].",
                "The [job|position] is [limited to six months|temporary].")}),
        "remote": Fact(flag, ["remote", "home_office", "is_remote", "work_from_home"], {
            True: clause("You [can|may] work [from home|from anywhere|remotely].", "[Remote|Remote work|Home office]: [yes|possible].",
                "The job is [remote|fully remote].", "[Remote work|Home office] is [possible|fine|welcome].", "No need to come to the office."),
            False: clause("You [work|must work] [on site|in the office].", "[Remote|Remote work|Home office]: [no|not possible].",
                "The job is [on site|not remote].", "[Remote work|Home office] is not possible.", "You have to be in the office every day.")}),
        "skills": Fact(listing(one_of(words.SKILLS), 1, 4), ["skills", "requirements", "required_skills", "qualifications"], nouns(
            "skills|requirements|required skills|qualifications",
            "You [know|are good at|have experience in|should know|are strong in] {v}.", "[Required|Needed|Must have|Your profile]: {v}.",
                "[We ask for|We expect|We need] [knowledge of|skills in] {v}.", "[Experience in|Knowledge of] {v} [is needed|is a must|is expected].")),
        "experience": Fact(whole(2, 12), ["experience", "years_of_experience", "experience_years", "years"], noun(
            "required experience in years|experience in years",
            "[You have|We expect|You need|You should have|We ask for] {v} years of experience.", "[At least|Minimum] {v} years of experience.",
                "[Experience|Years of experience]: {v}[| years].", "{v} years [in the job|of practice] are [needed|a must].")),
        "deadline": Fact(date, ["deadline", "apply_by", "closing_date", "application_deadline"], noun(
            "deadline|closing date|application deadline",
            "[Apply|Please apply|Send your papers|Send your CV|Write to us] [by|before|until] {v}.", "Applications [close on|are accepted until|end on] {v}.",
                "[Deadline|Closing date|Apply by]: {v}.", "The last day [to apply|for applications] is {v}.")),
        "contact": Fact(email, ["contact", "email", "apply_to", "contact_email"], noun(
            "contact|contact address|email for applications",
            "[Apply|Write|Send your CV|Send your papers|Questions] to {v}.", "[Contact|Questions|Applications|Mail]: {v}.",
                "[Write to us|Reach us|Contact us] at {v}.", "[Your application|Your CV] goes to {v}.")),
    },
    alternatives(
        "{company} [is looking for|needs|hires|seeks|wants] a {title}[| in {location}].",
            "[Job|Vacancy|Wanted|Now hiring]: {title}[|, {location}| at {company}|, {company}, {location}].",
            "{title} at {company}[| in {location}|, {salary} euros].",
            "[We are|I am] looking for a {title}[| in {location}| with {experience} years of experience].",
        "[Become|Work as|Start as] a {title} [at {company}|in {location}].", "[Join|Come to] {company} in {location}[!|.| as a {title}.]",
            "{company}, {location}: {title} [wanted|needed].", "A {title} [earns|gets] {salary} euros at {company}.",
            "In {location} a {title} is [needed|wanted].",
        "[Dear all|Hello], {company} has an opening for a {title}.", "[Apply|Send your application] as a {title} by {deadline}.",
            "Our [office|team|branch] in {location} needs a {title}.", "{title} ({hours} hours per week)[|, {location}|, {company}].",
            "[New in|Jobs in] {location}: {title}."),
    [(["salary", "hours"], ("conditions", "offer", "terms")), (["company", "location"], ("employer", "workplace")), (["skills", "experience"],
        ("requirements", "profile"))],
    alternatives("[Extract|Record] the [vacancy|job].", "Write the [job|vacancy] as JSON.", "Read the [job advertisement|job ad].",
        "Fill in the [vacancy|job form].", "[Turn|Convert] the ad into JSON."),
)

# --- flats for rent -------------------------------------------------------------------------------

FLAT = Domain(
    "flat",
    {
        "address": Fact(street_address, ["address", "street", "street_address", "location"], noun(
            "address|street address|street",
            "[You find it|It is|The flat is|The apartment is|It lies] at {v}.", "[Address|Where|Street]: {v}.", "[Come and see it|Viewing|Visit us] at {v}.",
                "The [house|building] stands at {v}.", "{v} is the address.")),
        "city": Fact(city, ["city", "town", "place"], noun(
            "city|town",
            "[The flat|The apartment|It|The house] is in [the city of |]{v}.", "[City|Town|Place]: {v}.", "[Living|Live|A home] in {v}.",
                "{v} is [a nice city|the city|worth living in].")),
        "district": Fact(district, ["district", "area_name", "neighbourhood", "quarter", "neighborhood"], noun(
            "district|neighbourhood|quarter|part of town",
            "The [district|quarter|area] of {v} is [quiet|lively|green].",
                "It is [in|in the middle of|close to] the [district|quarter|neighbourhood] of {v}.", "[District|Neighbourhood|Quarter]: {v}.",
                "The [quarter|neighbourhood] is called {v}.")),
        "rooms": Fact(whole(2, 8), ["rooms", "number_of_rooms", "room_count"], noun(
            "number of rooms",
            "It has {v} [rooms|bright rooms|large rooms].", "There are {v} rooms.", "[Rooms|No. of rooms|Number of rooms]: {v}.",
                "[The flat|The apartment] [has|comes with|offers] {v} rooms.", "{v} rooms[| and a kitchen].", "You get {v} rooms.")),
        "area": Fact(whole(18, 240), ["area", "size", "square_meters", "sqm", "living_space"], noun(
            "area in square metres|living space in m2|size in square metres",
            "It [has|is|measures|offers] {v} [square metres|square meters|m2|sqm].", "[Area|Size|Living space]: {v} [m2|sqm|square metres].",
                "{v} [square metres|sqm] of [space|living space].", "[The flat|The apartment] [is|has] {v} [square metres|m2].")),
        "rent": Fact(whole(250, 4800), ["rent", "monthly_rent", "price", "cost"], noun(
            "rent|monthly rent|price per month",
            "[It costs|The rent is|You pay|We ask|It rents for] [{v} euros|${v}|€{v}|{v} dollars] [a month|per month|monthly].",
                "[Rent|Monthly rent|Cold rent]: [${v}|€{v}|{v} EUR].", "[${v}|€{v}] [a month|per month].", "Rent is [{v} euros|${v}].")),
        "deposit": Fact(whole(300, 6000), ["deposit", "security_deposit", "bond"], noun(
            "deposit|security deposit",
            "[A|The] deposit of [{v} euros|${v}|€{v}] [is needed|is asked for|must be paid].", "[Deposit|Bond|Security]: [${v}|€{v}|{v} EUR].",
                "[You leave|We ask for|Please pay] a deposit of [{v} euros|${v}|€{v}].")),
        "floor": Fact(whole(2, 20), ["floor", "storey", "level"], noun(
            "floor|storey",
            "It is on floor {v}.", "[Floor|Storey|Floor no.]: {v}.", "[The flat|The apartment] is on [floor|level] {v}.",
                "[Take the lift|Walk up|Go up] to floor {v}.", "[It lies|You live] on [floor|level] {v}.")),
        "available_from": Fact(date, ["available_from", "available", "free_from", "move_in", "move_in_date"], noun(
            "move-in date|date of availability",
            "[It is free|It is available|You can move in|It can be rented|Available|Free] from {v}[| on].",
                "[Move in|Free from|Available from|Move-in]: {v}.", "You can [move in|have it] on {v}.", "[The keys|The key] will be handed over on {v}.")),
        "pets": Fact(flag, ["pets", "pets_allowed", "animals_allowed"], {
            True: clause("Pets are [allowed|welcome|no problem|fine].", "[Pets|Pets allowed|Animals]: [yes|allowed].",
                "You [may|can] bring [a dog|a cat|your pet].", "[Dogs|Cats] are [welcome|allowed].", "We like [animals|pets]."),
            False: clause("Pets are [not allowed|not welcome|forbidden].", "[Pets|Pets allowed|Animals]: [no|not allowed].",
                "You [may not|cannot] bring [a dog|a cat|your pet].", "No [dogs|cats|pets|animals], please.", "Animals must stay out.")}),
        "furnished": Fact(flag, ["furnished", "is_furnished", "with_furniture"], {
            True: clause("It is [furnished|fully furnished|let with furniture].", "[Furnished|Furniture]: yes.",
                "[Furniture|All furniture] is [included|there].", "It comes with [furniture|bed, table and chairs].",
                "[A bed, a table and a wardrobe are|The furniture is] there already."),
            False: clause("It is [unfurnished|not furnished|let without furniture|empty].", "[Furnished|Furniture]: no.", "There is no furniture[| in it].",
                "It comes without furniture.", "[Bring|You bring] your own furniture.")}),
        "contact": Fact(full_name, ["contact", "landlord", "agent", "owner", "contact_person"], noun(
            "landlord|owner|contact person|agent",
            "[Contact|Call|Ask for|Write to|Please ask] {v}.", "[It belongs to|The flat belongs to|You rent from] {v}.",
                "{v} [shows the flat|has the key|is the landlord|will answer your questions].", "[Landlord|Contact|Agent|Owner]: {v}.")),
    },
    alternatives(
        "[Flat|Apartment|Home|Place] for rent in {city}[|, {rooms} rooms|, {area} m2|: {address}].",
            "{rooms} rooms, {area} m2, [${rent}|€{rent}|{rent} euros].",
            "[To let|For rent|To rent]: {rooms} rooms in {city}[|, {district}|, €{rent} per month].",
            "[Bright|Quiet|Nice|Cosy|Modern] [flat|apartment] in {city}[|, {district}| for {rent} euros| with {rooms} rooms].",
        "[We rent out|I rent out|We offer] a [flat|apartment] at {address}[| in {city}].", "{address}, {city}[|: {rooms} rooms|, €{rent}].",
            "{contact} [rents out|offers|has] a flat in {city}[| with {rooms} rooms].", "[Looking for a home in|Moving to] {city}?",
            "In {district} there is a flat [to let|for rent].",
        "[Flat|Apartment] with {rooms} rooms[| and {area} square metres| on floor {floor}].",
            "A flat in {district}, {city}[|, is free from {available_from}].", "[Hello|Hi], I am {contact} and I rent out my flat[| in {city}]."),
    [(["rent", "deposit"], ("costs", "price", "payment")), (["address", "city"], ("address", "place", "location")), (["rooms", "area"], ("size", "details"))],
    alternatives("[Extract|Record] the [flat|offer|apartment].", "Write the [flat|advertisement] as JSON.", "Read the [ad|offer].",
        "Fill in the [listing|form].", "[Turn|Convert] the ad into JSON."),
)

# --- appointments ---------------------------------------------------------------------------------

APPOINTMENT = Domain(
    "appointment",
    {
        "client": Fact(full_name, ["client", "patient", "name", "customer", "who"], noun(
            "client|patient|name of the client",
            "[The appointment|It|The slot] is for {v}.", "[Name|Patient|Client|For]: {v}.", "[Booked|Requested|Made] by {v}.",
                "{v} [has an appointment|needs an appointment|called for an appointment|will come].", "[My name is|This is] {v}.",
                "[Dear|Hello] {v}, [we look forward to your visit|please be on time].")),
        "with": Fact(full_name, ["with", "provider", "doctor", "specialist", "practitioner"], noun(
            "doctor|specialist|person in charge",
            "[The appointment is|It is|You have it|You are] with {v}.", "{v} will [see you|take care of you|be there for you|treat you].",
                "[You will be seen|You will be served|It is done] by {v}.", "[With|Doctor|Specialist]: {v}.", "Ask for {v} at the desk.")),
        "service": Fact(one_of(words.DOCTORS), ["service", "specialty", "kind", "profession", "type"], noun(
            "kind of appointment|specialty",
            "It is an appointment [with|at] the {v}.", "[You go|I go|We go] to the {v}.", "A {v} will [help|look after you].",
                "[The visit|The appointment] is with a {v}.", "[Visit to|Appointment with] the {v}.", "The {v} [is waiting|expects you|has time].")),
        "reason": Fact(one_of(words.REASONS), ["reason", "purpose", "treatment", "subject", "what"], noun(
            "reason|purpose|reason for the visit",
            "[It is|I come|The visit is|It is needed|You come] [for|because of] {v}.", "[Reason|Purpose|What for]: {v}.", "It is about {v}.",
                "[The problem is|The matter is] {v}.", "[I need to see someone|Someone should have a look] because of {v}.")),
        "date": Fact(date, ["date", "day", "when", "appointment_date"], noun(
            "date|day|date of the appointment",
            "[It is|Please come|You come|See you|We expect you|The appointment is] on {v}.", "[Date|Day|When]: {v}.", "[Does|Would] {v} suit you?",
                "It is [booked|planned|fixed|set] for {v}.", "I [come|could come] on {v}.")),
        "time": Fact(clock, ["time", "hour", "at", "start_time"], noun(
            "time|starting time|hour",
            "[It is|Please come|You come|See you|We expect you|It starts] at {v}.", "[Time|Hour|At]: {v}.", "[Be here|Come] at {v}[| sharp| on time].",
                "Your turn is at {v}.", "We begin at {v}.")),
        "duration": Fact(whole(5, 120), ["duration", "minutes", "length", "duration_minutes"], noun(
            "duration in minutes|length in minutes",
            "It [takes|lasts|will take] [about |]{v} minutes.", "[Duration|Length|Time needed]: {v} [minutes|min].", "[Plan|Allow|Reserve] {v} minutes.",
                "After {v} minutes [it is over|you can go].", "[The visit|The appointment] [takes|lasts] {v} minutes.")),
        "place": Fact(street_address, ["place", "address", "location", "where", "office"], noun(
            "address|place|location",
            "[Please come|Come] to {v}.", "[The practice|The office|The shop|It] is at {v}.", "[Where|Address|Place]: {v}.", "You find us at {v}.",
                "[We are|Our rooms are] at {v}.")),
        "phone": Fact(phone, ["phone", "telephone", "phone_number", "callback"], noun(
            "phone number|phone|telephone number",
            "[Call|Ring|For questions call|To cancel call|Please call] {v}.", "[Phone|Tel.|Tel|Call back]: {v}.", "You reach [us|me] [at|under] {v}.",
                "[My|Our] number is {v}.")),
        "confirmed": Fact(flag, ["confirmed", "is_confirmed", "booked", "fixed"], {
            True: clause("It is [confirmed|fixed|booked|settled].", "[Confirmed|Status confirmed]: yes.",
                "[We confirm|I hereby confirm|We have confirmed] the appointment.", "The appointment [is confirmed|stands|has been confirmed].",
                "It was confirmed [yesterday|by phone|by mail]."),
            False: clause("It is not [confirmed|fixed|booked|settled] yet.", "[Confirmed|Status confirmed]: no.",
                "[We have not|I have not] confirmed the appointment[| yet].", "The appointment [is not confirmed|is still open|must still be confirmed].",
                "[Please confirm it|A confirmation is still missing].")}),
        "first_visit": Fact(flag, ["first_visit", "new_client", "is_new", "first_time"], {
            True: clause("It is the first visit.", "[First visit|New client|New patient]: yes.", "[I have|The client has] never been [here|there] before.",
                "It is [my first time|the first time] [here|there].", "[This is|We have] a new [client|patient]."),
            False: clause("It is not the first visit.", "[First visit|New client|New patient]: no.", "[I have|The client has] been [here|there] before.",
                "It is not [my first time|the first time] [here|there].", "[This is|It is] a regular [client|patient].")}),
    },
    alternatives(
        "[Appointment|Reminder|Booking]: {client}[|, {date}|, {date}, {time}|, {reason}].",
            "{client} has an appointment [with the {service}|on {date}|at {time}|on {date} at {time}|with {with}].",
            "[Dear|Hello|Hi] {client}, [your appointment is on {date}|see you on {date} at {time}|we expect you at {time}].",
            "[I need|I would like|Can I have] an appointment [with the {service}|for {reason}|on {date}].",
        "[Hello|Hi|Good morning], this is {client}[|, I need an appointment|, about {reason}].", "{client} sees the {service} on {date}.",
            "On {date} at {time} [{client} comes|you see the {service}|it is your turn].",
            "[Please|Kindly] note the appointment of {client} [on {date}|at {time}].", "{date}, {time}: {client}[|, {reason}].",
        "The {service} expects {client} [on {date}|at {time}].", "{client} [called|wrote] because of {reason}.",
            "[New appointment|Appointment] with {with}[| on {date}]."),
    [(["date", "time"], ("when", "slot", "schedule")), (["client", "phone"], ("client", "patient", "contact")), (["place", "with"], ("practice", "where"))],
    alternatives("[Extract|Record|Note] the appointment.", "Write the appointment as JSON.", "Read the [message|reminder].",
        "Fill in the appointment[| form].", "[Make|Write] a calendar entry for the appointment.", "[Turn|Convert] the message into JSON."),
)

# --- invoices -------------------------------------------------------------------------------------

INVOICE = Domain(
    "invoice",
    {
        "number": Fact(invoice_number, ["invoice_number", "number", "invoice", "invoice_id", "id"], noun(
            "invoice number|invoice no.|number of the invoice",
            "[Invoice|Invoice no.|Bill no.] {v}.", "[This is|It is|We send you|Please pay|Enclosed is] invoice {v}.",
                "[The invoice|The bill] has the number {v}.", "[Please quote|Use|Mention] {v} [with the payment|when you pay].")),
        "seller": Fact(company, ["seller", "vendor", "supplier", "from", "issuer", "company"], noun(
            "seller|supplier|vendor|issuer",
            "[Issued|Sent|Written|Billed] by {v}.", "The [invoice|bill] [comes from|is from|was sent by] {v}.", "[From|Seller|Supplier]: {v}.",
                "{v} [sends this invoice|did the work|delivered the goods|thanks for the order].", "[Pay|Please pay] {v}.")),
        "customer": Fact(full_name, ["customer", "buyer", "client", "billed_to", "recipient"], noun(
            "customer|buyer|recipient|client",
            "[Billed|Addressed|Sent] to {v}.", "The [invoice|bill] [goes to|is for|is made out to] {v}.", "[To|Customer|Bill to]: {v}.",
                "{v} [has to pay it|is the customer|placed the order|receives it].", "[Dear|Hello] {v}.")),
        "item": Fact(one_of(words.SERVICES), ["item", "service", "description", "for", "product"], noun(
            "item|service|subject of the invoice",
            "[It is|The invoice is|We charge you|The bill is|You pay] for {v}.", "[For|Item|Service|Description]: {v}.",
                "[The work done|What we did|You ordered]: {v}.", "The [job|work|order] was {v}.", "It concerns {v}.")),
        "total": Fact(amount(11, 5000), ["total", "amount", "total_amount", "sum", "amount_due"], noun(
            "total|amount|total amount|sum|amount due",
            "[The sum comes to|It comes to|You owe|Please pay|Please transfer] [${v}|€{v}|{v} euros|{v} dollars].",
                "[Total|To pay|Amount|Sum]: [${v}|€{v}|{v} EUR|{v} USD].", "[In all|Altogether] it is [${v}|€{v}|{v} euros].",
                "The [invoice|bill] is for [${v}|€{v}|{v} euros].")),
        "tax": Fact(whole(11, 27), ["tax_rate", "vat", "tax", "tax_percent", "vat_rate"], noun(
            "tax rate in percent|VAT in percent",
            "[It includes|This includes|Plus|There is] {v} percent [tax|VAT].", "[Tax|VAT|Tax rate]: {v}[%| percent].",
                "{v}% [tax|VAT] [is included|is added].", "The [tax|VAT] is {v} percent.")),
        "date": Fact(date, ["date", "invoice_date", "issued", "issued_on", "date_of_issue"], noun(
            "invoice date|date of issue|date of the invoice",
            "[Issued|Written|Sent] on {v}.", "The [invoice|bill] [is dated|was written on|was sent on|was issued on] {v}.",
                "[Issued|Invoice date|Dated]: {v}.", "It bears the date {v}.")),
        "due": Fact(date, ["due", "due_date", "pay_by", "payable_by", "deadline"], noun(
            "due date|payment deadline|last day to pay",
            "[Please pay|Pay|Payable|It must be paid|Kindly settle it] [by|before|no later than] {v}.", "It is due on {v}.",
                "[Due|Pay by|Payable until]: {v}.", "[The money|Payment] is due [on|by] {v}.", "You have until {v} to pay.")),
        "quantity": Fact(whole(2, 120), ["quantity", "units", "hours", "count", "qty"], noun(
            "quantity|number of units|number of hours",
            "[We charge|It was|You got|We delivered] {v} units.", "[Quantity|Units|Qty]: {v}.", "{v} units [were delivered|at the usual price].",
                "The [order|invoice] covers {v} units.")),
        "paid": Fact(flag, ["paid", "is_paid", "settled", "payment_received"], {
            True: clause("It [is|was|has been] [paid|settled].", "[Paid|Payment received]: yes.",
                "[We received|We got|Thank you for] [the money|your payment].", "The [invoice|bill] [is paid|was paid in full|has been settled].",
                "[Nothing|No money] is owed any more.", "[Status|State]: paid."),
            False: clause("It [is|was] not paid[| yet].", "[Paid|Payment received]: no.",
                "[We have not received|We still wait for] [the money|your payment].", "The [invoice|bill] is [unpaid|not paid|still open|not settled].",
                "[The money|Payment] is still [missing|owed].", "[Status|State]: [unpaid|open].")}),
        "payment": Fact(label("card", "cash", "transfer"), ["payment", "payment_method", "method", "paid_by"], {
            "card": clause("[Payment|Payment method]: card.", "[You pay|Payment is] by [card|credit card].", "[Card|Credit card] payment.",
                "[We charge|We will charge] your credit card.", "The method of payment is card."),
            "cash": clause("[Payment|Payment method]: cash.", "[You pay|Payment is] in cash.", "Cash payment.",
                "[Cash only|Only cash is accepted|Have the cash ready].", "The method of payment is cash."),
            "transfer": clause("[Payment|Payment method]: transfer.", "[You pay|Payment is] by [bank transfer|transfer].",
                "[Bank transfer|Transfer] payment.", "[Send|Transfer] the money to our [account|bank account].",
                "The method of payment is [bank transfer|transfer].")}),
    },
    alternatives(
        "[Invoice|Bill] {number}[| from {seller}| to {customer}| dated {date}|, {date}|: {item}].",
            "{seller} [sends|issues|wrote] invoice {number}[| to {customer}].",
            "[Dear|Hello] {customer}, [please find invoice {number}|thank you for ordering {item}|here is your bill for {item}].",
            "{customer} [owes|has to pay] {seller} [${total}|€{total}|{total} euros][| for {item}].",
        "{seller} charges {total} euros for {item}.", "[From|Seller]: {seller}. [To|Customer]: {customer}.", "{item}: [${total}|€{total}|{total} EUR].",
            "[Payment|Invoice] of [${total}|{total} euros] for {item}.", "[Reminder|Note]: invoice {number} [is due on {due}|from {date}].",
            "On {date}, {seller} [billed|sent a bill to] {customer}[| for {item}].",
        "For {item}, {seller} [asks for|charges] ${total}.", "No. {number}, {seller}[|, {date}].",
            "[We|They] received a bill from {seller}[| over {total} euros| for {item}]."),
    [(["date", "due"], ("dates", "deadlines")), (["total", "tax"], ("amounts", "payment", "sum")), (["seller", "customer"], ("parties", "addresses"))],
    alternatives("[Extract|Record|Book] the invoice.", "Write the [invoice|bill] as JSON.", "Read the [invoice|bill].", "Fill in the [invoice|form].",
        "[Turn|Convert] the bill into JSON."),
)

# --- films ----------------------------------------------------------------------------------------

FILM = Domain(
    "film",
    {
        "title": Fact(film_title, ["title", "film", "movie", "name", "film_title"], noun(
            "title|film|movie|name of the film",
            'The [film|movie|picture] is called "{v}".', '[We saw|I watched|They showed|Tonight\'s film is|Go and see] "{v}".',
                "[Film|Movie|Now showing|In the cinema]: {v}.", 'It has the title "{v}".', 'It is called "{v}".')),
        "director": Fact(full_name, ["director", "directed_by", "filmmaker", "made_by"], noun(
            "director|film-maker",
            "[Directed|Made|Filmed|Shot] by {v}.", "{v} [directed it|is the director|made the film|stood behind the camera].",
                "[A film|A new work|Another film] by [director |]{v}.", "[Director|Directed by]: {v}.", "It was [directed|made] by {v}.")),
        "actors": Fact(listing(full_name, 1, 3), ["actors", "cast", "starring", "stars"], nouns(
            "actors|main actors|cast members",
            "[Starring|Cast|With]: {v}.", "{v} [can be seen in it|could be seen on screen].", "[It stars|The film stars|The cast includes] {v}.",
                "[In the leading roles|On screen|In front of the camera]: {v}.", "You [see|will see] {v} on screen.")),
        "year": Fact(whole(1930, 2030), ["year", "release_year", "released", "year_of_release"], noun(
            "year|release year|year of release",
            "[It came out|It was made|It was shot|It opened|It was released] in {v}.", "[Released|Made|Shot] in {v}.", "The film is from {v}.",
                "[Year|Released]: {v}.", "It [dates from|is a film of] {v}.")),
        "genre": Fact(one_of(words.FILM_GENRES), ["genre", "kind", "category", "type"], noun(
            "genre|kind of film|category",
            "It is [classed as|listed as|best described as] {v}.", "[Genre|Kind]: {v}.", "[Fans|Friends|Lovers] of {v} will [like|love] it.",
                "It belongs to the genre {v}.", "[You find it|It is filed] under {v}.")),
        "minutes": Fact(whole(12, 210), ["minutes", "runtime", "length", "duration", "running_time"], noun(
            "running time in minutes|length in minutes",
            "It [runs for|lasts|takes|goes on for] {v} minutes.", "It is {v} minutes long.", "[Length|Running time|Runtime]: {v} [minutes|min].",
                "After {v} minutes it is [over|finished].", "You sit for {v} minutes.")),
        "rating": Fact(decimal(1, 9), ["rating", "score", "points", "critics_score"], noun(
            "rating|score|average score",
            "[Critics|Viewers|We|The press] give it {v}[| points| out of ten].", "It is rated {v}[| out of 10].", "[It has|It got|It reached] {v} points.",
                "[Rating|Score|Points]: {v}.", "[Viewers|Critics] rate it {v}.")),
        "language": Fact(one_of(words.LANGUAGES), ["language", "original_language", "spoken_language"], noun(
            "language|original language|spoken language",
            "[The actors|All|They] speak {v}.", "It is in {v}[| with subtitles].", "[Language|Original in|Spoken]: {v}.", "[Shown|Shot|Filmed] in {v}.",
                "The [dialogue|sound] is in {v}.")),
        "country": Fact(country, ["country", "made_in", "origin", "production_country"], noun(
            "country|country of production|country of origin",
            "[It was made|It was produced|It was shot|The film was made] in the country of {v}.", "[It comes|The film comes] from the country of {v}.",
                "[Country|Produced in]: {v}.", "It is a [production|film] from {v}.", "{v} is the country of origin.")),
        "subtitles": Fact(flag, ["subtitles", "has_subtitles", "subtitled"], {
            True: clause("It [has|is shown with|comes with] subtitles.", "[Subtitles|Subtitled]: yes.", "There are subtitles.",
                "[Subtitles|The subtitles] are [available|included].", "You can read along in the subtitles."),
            False: clause("It [has no|is shown without|comes without] subtitles.", "[Subtitles|Subtitled]: no.", "There are no subtitles.",
                "[Subtitles|The subtitles] are [not available|missing].", "It is not subtitled.")}),
        "audience": Fact(label("children", "teenagers", "adults"), ["audience", "for", "age_group", "target_group"], {
            "children": clause("It is [made for|meant for|suitable for|a film for] children.", "[Audience|For]: children.",
                "[Kids|Children|Small viewers] will [love|enjoy] it.", "A film for the little ones."),
            "teenagers": clause("It is [made for|meant for|a film for] teenagers.", "[Audience|For]: teenagers.",
                "[Teenagers|Young people] will [love|enjoy] it.", "[Teens|Teenagers] are the audience."),
            "adults": clause("It is [made for|meant for|only for|a film for] adults.", "[Audience|For]: adults.", "[Adults|Grown-ups] will [love|enjoy] it.",
                "[Nothing|It is nothing] for children, only for grown-ups.")}),
    },
    alternatives(
        '"{title}"[| by {director}| ({year})| by {director} ({year})| with {actors}| lasts {minutes} minutes| is from {year}].',
            "{title} ({year})[|, directed by {director}|, {minutes} min|, {genre}].",
            "[We saw|I watched|Yesterday I saw|Last night we watched] {title}[| by {director}| from {year}].",
            "{director} [made|shot|presents|directed] {title}[| in {year}| with {actors}].",
        "[Film|Movie] of the week: {title}[| by {director}].", "[Now in cinemas|Coming soon|On TV tonight]: {title}[|, {minutes} minutes|, {genre}].",
            "{actors} can be seen in {title}.", "[Review|Film review|Our review]: {title}[|, {director}|, {year}].", "In {year} {director} made {title}.",
            "The {genre} {title} [was made in {year}|runs for {minutes} minutes|is by {director}].",
        "[Do you know|Have you seen] {title}[| by {director}]?", "{title}, {country} {year}[|, {minutes} min]."),
    [(["director", "actors"], ("people", "crew", "credits")), (["year", "country"], ("release", "production")), (["minutes", "language"], ("details",
        "version"))],
    alternatives("[Extract|Record] the [film|movie].", "Write the film as JSON.", "Read the [review|programme].", "Fill in the film [card|database].",
        "[Turn|Convert] the review into JSON."),
)

# --- courses --------------------------------------------------------------------------------------

COURSE = Domain(
    "course",
    {
        "title": Fact(course_title, ["title", "course", "name", "course_name", "subject"], noun(
            "title|course|name of the course|course title",
            'The [course|class|seminar|workshop] is [called|named] "{v}".', "[Course|Class|New course|Our course]: {v}.",
                '[Sign up for|Take|Join|Book] "{v}".', '[We offer|We teach|You learn in] "{v}".', 'This is the course "{v}".')),
        "teacher": Fact(full_name, ["teacher", "instructor", "lecturer", "tutor", "taught_by"], noun(
            "teacher|instructor|lecturer|tutor",
            "[Taught|Given|Led|Held|Run] by {v}.", "{v} [teaches it|is the teacher|leads the course|gives the classes].",
                "[Your teacher is|Your tutor is|You learn with|You learn from] {v}.", "[Teacher|Instructor|With]: {v}.")),
        "start": Fact(date, ["start", "start_date", "begins", "starts_on", "first_class"], noun(
            "start|start date|first day|first class",
            "[It starts|It begins|The course starts|The first class is|Classes begin|We start] on {v}.", "[Starts|Begins|Start]: {v}.",
                "[Starting|Beginning] on {v}.", "The [first lesson|kick-off] is on {v}.")),
        "weeks": Fact(whole(2, 30), ["weeks", "duration", "duration_weeks", "number_of_weeks"], noun(
            "number of weeks|duration in weeks|length in weeks",
            "It [lasts|takes|runs for|goes on for] {v} weeks.", "[Weeks|Duration|Length]: {v}[| weeks].", "[Over|In] {v} weeks you learn it all.",
                "{v} weeks [in all|of fun and learning].", "After {v} weeks there is [an exam|a party].")),
        "day": Fact(lambda w: w.random.choice(words.DAYS), ["day", "weekday", "day_of_week", "meets_on"], noun(
            "day of the week|weekday",
            "[We meet|Classes are|It takes place|Lessons are] [every|on a|each] {v}.", "[Every|Each] {v}.", "[Day|Weekday]: {v}.",
                "[Come|Join us] every {v}.", "We always meet on {v}.")),
        "time": Fact(clock, ["time", "hour", "start_time", "at"], noun(
            "time of day|starting time|time",
            "[Classes start|Lessons start|It begins|We begin|We meet] at {v}.", "[Time|Hour|At]: {v}.", "[Be there|Come] at {v}.",
                "The [lesson|class] is at {v}.")),
        "place": Fact(one_of(words.PLACES), ["place", "room", "location", "venue", "where"], noun(
            "place|room|location|venue",
            "[We meet|Classes are|It takes place|It is held|You find us|Lessons are] in {v}.", "[Where|Room|Place]: {v}.", "[Come|Please come] to {v}.",
                "The course uses {v}.")),
        "price": Fact(amount(15, 900), ["price", "fee", "cost", "course_fee", "tuition"], noun(
            "price|fee|course fee|cost",
            "[It costs|You pay|The course costs|Taking part costs] [${v}|€{v}|{v} euros|{v} dollars].", "[Fee|Price|Cost]: [${v}|€{v}|{v} EUR].",
                "The [fee|price] is {v} [euros|dollars].", "Only [${v}|€{v}|{v} euros].")),
        "places": Fact(whole(5, 60), ["places", "max_students", "capacity", "group_size", "seats"], noun(
            "number of places|maximum number of students|group size",
            "[There are|We have|It has] {v} places.", "[Up to|At most|No more than] {v} [students|people|learners] [can take part|may join].",
                "[Places|Max. students|Group size]: {v}.", "{v} [places|seats] are [free|left].", "It is for {v} [students|people].")),
        "level": Fact(label("beginner", "intermediate", "advanced"), ["level", "difficulty", "for_level"], {
            "beginner": clause("It is [for beginners|a beginners' course|a first course].", "[Level|Difficulty]: beginner.",
                "No [knowledge|experience] is needed.", "We start from [zero|scratch].", "[Beginners|Newcomers] are welcome.",
                "You need not know anything [yet|before]."),
            "intermediate": clause("It is [for intermediate learners|an intermediate course].", "[Level|Difficulty]: intermediate.",
                "[Some|A little] [knowledge|experience] is needed.", "You should know the basics.", "The level is intermediate.",
                "It is for those who know the basics."),
            "advanced": clause("It is [for advanced learners|an advanced course|for experts].", "[Level|Difficulty]: advanced.",
                "[Much|A lot of] [knowledge|experience] is needed.", "The level is [advanced|high].", "[Only for experts|Only for the experienced].",
                "You should know a lot already.")}),
        "certificate": Fact(flag, ["certificate", "has_certificate", "with_certificate", "diploma"], {
            True: clause("You [get|receive|earn] a [certificate|diploma] [at the end|after the exam].", "[Certificate|Diploma]: yes.",
                "There is a [certificate|diploma].", "It ends with a [certificate|diploma].", "A [certificate|diploma] is [included|given to all]."),
            False: clause("You [get|receive] no [certificate|diploma].", "[Certificate|Diploma]: no.", "There is no [certificate|diploma].",
                "It ends without a [certificate|diploma].", "A [certificate|diploma] is not [included|given].")}),
    },
    alternatives(
        "[Course|Class|New|Workshop]: {title}[| with {teacher}|, {weeks} weeks|, every {day}|, starts {start}].",
            "{teacher} teaches {title}[| in {place}| every {day}| from {start}].",
            "[Learn|Study|Discover] {title} [with {teacher}|in {weeks} weeks|in {place}].",
            'The course "{title}" [starts on {start}|lasts {weeks} weeks|costs ${price}|is taught by {teacher}].',
        "{title}, {day}, {time}[|, {place}].", "[Every|Each] {day} at {time}: {title}.",
            "[Sign up|Register] now for {title}[| with {teacher}|, {price} euros].", "From {start} [we offer|{teacher} teaches] {title}.",
            "{title} ([${price}|€{price}|{weeks} weeks]).", "[Our|The] {weeks}-week course {title} [begins on {start}|is given by {teacher}].",
        "[Dear students|Hello], {title} [starts on {start}|meets in {place}|is on {day}].", "In {place} {teacher} [teaches|gives a course on] {title}."),
    [(["day", "time"], ("schedule", "when", "meets")), (["price", "places"], ("terms", "booking")), (["start", "weeks"], ("period", "dates"))],
    alternatives("[Extract|Record] the course.", "Write the course as JSON.", "Read the [announcement|programme].", "Fill in the course [card|catalogue].",
        "[Turn|Convert] the announcement into JSON."),
)

ENGLISH: list[Domain] = [PERSON, TICKET, EVENT, PRODUCT, BOOKING, FLIGHT, RECIPE, MATCH, VACANCY, FLAT, APPOINTMENT, INVOICE, FILM, COURSE]
RECORDS = ENGLISH[:4]
