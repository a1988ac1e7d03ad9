"""Texts with a label: tables from a label to the sentences that show it, in English and in Chinese.

`draw_choices` draws texts with their right labels among options; `requests` words the instruction that asks for it.

Words that carry a meaning (a good or bad adjective, a topic's noun) are knowledge: a held-out world uses the same
words in sentences that training never saw. Names and things are held out as everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from texts import words
from texts.phrasing import articles, capital, chinese_phrase, cut, exact, framed, lines, sentences
from texts.world import World, alternatives, city, company, first_name, job


@dataclass
class Labelled:
    """One task: its labels, the names they go by, and how a text for a label is made.

    `names` are ways to spell the labels, each a list that is parallel to `labels`; `cased` says whether letter case
    may vary too.
    """

    name: str
    labels: list[str]
    names: list[list[str]]
    draw: Callable[[World, str], str]
    cased: bool = True
    snake: bool = False
    share: float = 1.0


# --- sentiment ------------------------------------------------------------------------------------

GOODS = cut("""
phone / book / camera / laptop / jacket / sofa / keyboard / blender / lamp / printer / kettle / toaster / vacuum cleaner / mattress / bicycle /
backpack / tablet / headset / speaker / monitor / desk / chair / coat / sweater / pair of shoes / watch / razor / drill / tent / sleeping bag /
frying pan / knife set / coffee machine / rice cooker / fan / heater / mirror / rug / pillow / blanket / toy / puzzle / board game / guitar /
umbrella / suitcase / wallet / helmet / stroller / lawn mower / charger / router / mouse / screen / fridge / washing machine / oven / candle / perfume / face cream
""")
EXPERIENCES = cut("""
film / hotel / meal / service / game / course / restaurant / app / song / show / trip / concert / museum / flight / play / novel / album / series /
podcast / lecture / workshop / tour / cruise / room / breakfast / dinner / pizza / soup / dessert / café / bar / gym / hairdresser / spa / beach /
campsite / festival / exhibition / website / hotline / delivery / update / lesson / party / zoo / theme park / taxi ride / train journey / guide /
ending / soundtrack / staff / view / location / menu / cocktail / interview / webinar / training / haircut / massage
""")
GOOD_WORDS = cut("""
good / great / excellent / wonderful / fantastic / amazing / superb / brilliant / perfect / lovely / delightful / outstanding / awesome / terrific /
marvelous / splendid / impressive / beautiful / charming / enjoyable / pleasant / magnificent / fabulous / incredible / exceptional / first-class /
first-rate / top-notch / remarkable / stunning / gorgeous / flawless / phenomenal / sensational / spectacular / satisfying / refreshing / inspiring /
likeable / convincing / admirable / exquisite / heavenly / sublime / thrilling / captivating / lovable / praiseworthy / pleasing / adorable /
commendable / dreamy / faultless / glorious / neat / nice / fun / tremendous / unbeatable / world-class / high-quality / well-made / thoughtful / gratifying / super / cool / stellar / fine and tasteful
""")
BAD_WORDS = cut("""
bad / terrible / awful / horrible / poor / dreadful / disappointing / useless / boring / annoying / ugly / worthless / pathetic / lousy / miserable /
disgusting / appalling / atrocious / mediocre / unacceptable / frustrating / unpleasant / overpriced / shoddy / nasty / dull / tedious /
horrendous / abysmal / inferior / unbearable / hopeless / laughable / flimsy / unreliable / defective / faulty / disastrous / ghastly / repulsive /
irritating / low-quality / badly made / second-rate / third-rate / clumsy / tasteless / depressing / painful / ridiculous / unsatisfactory / unusable /
messy / filthy / rotten / shameful / regrettable / unconvincing / lame / cheap and nasty / subpar / dismal / horrid / insulting / infuriating / careless / crappy
""")
ADJECTIVE_FRAMES = sentences("""
[The|This|My new|Our] {x} [is|was] [|really |truly |simply |just ]{a}.
I [find|found] [the|this] {x} [|really |quite ]{a}.
What a {a} {x}!
[It is|It's|It was|This is] a [|really |truly ]{a} {x}.
The {x} [turned out to be|proved|seems] {a}.
[We|My friends|My parents|All of us] thought the {x} was {a}.
[My verdict|In one word|Short and sweet|My opinion|Summary]: {a}.
{X}: {a}!
[A|Such a] {a} {x}, [I must say|if you ask me|that's all I can say|to be honest].
[Honestly|Frankly|To be honest], the {x} is {a}.
The {x} [looks|feels] {a}.
[Everything about|Every part of|Every minute of] the {x} was {a}.
[I have to say|I must admit] that this {x} is {a}.
[{A}|So {a}]! [That is what I think of the {x}.|That's the {x} for you.]
[|Wow, ][the|that] {x} is [so|pretty] {a}[!|...]
The {x} we [got|had|chose] was {a}[| from start to finish| in every way].
""")
NOT_FRAMES = sentences("""
The {x} [is|was] not {a} at all.
[I would not|Nobody would|You can't] call the {x} {a}.
The {x} [is|was] [anything but|far from] {a}.
This {x} is [by no means|in no way] {a}.
I did not find the {x} {a} [at all|in any way].
""")
NOT_GOOD = cut("good / pleasant / impressive / beautiful / charming / enjoyable / convincing / satisfying / inspiring / likeable / fun / nice / thoughtful / well-made / refreshing / pleasing")
NOT_BAD = cut("bad / terrible / boring / annoying / ugly / disappointing / useless / frustrating / unpleasant / overpriced / dull / tedious / unreliable / clumsy / messy / painful")
GOOD_DOINGS = framed(cut("""
love / adore / really enjoy / am happy with / am delighted with / am very pleased with / am in love with / highly recommend / can only praise /
would gladly recommend / cannot get enough of / am impressed by / am thrilled with / am a big fan of / am so glad about / am fully satisfied with /
would always come back to / have nothing but praise for / fell in love with / rave about / keep smiling about / am grateful for
"""), ["I {c} [this|the] {x}[.|!]", "I {c} the {x}, [really|and that is no joke|believe me].", "[Honestly|All in all], I {c} the {x}."]) + framed(cut("""
made my day / exceeded my expectations / is worth every cent / deserves five stars / put a smile on my face / was better than I hoped /
is a real treat / could not be better / is the best I ever had / wins me over again and again / is a joy / is a dream / beats all others /
works like a charm / is a great value / left us speechless with joy / is a success all round / gets ten out of ten from me / surprised me in the best way /
makes life so much easier / is a bargain / was a highlight / earned my full respect / is money well spent / has no weak points
"""), ["[The|This] {x} {c}[.|!]", "[All in all|For me], the {x} {c}.", "We [think|agree that] the {x} {c}."])
BAD_DOINGS = framed(cut("""
hate / dislike / can't stand / regret / am unhappy with / am disappointed with / am angry about / am fed up with / cannot recommend /
would never recommend / am tired of / am disgusted by / am annoyed by / would not wish on anyone / have nothing but trouble with / did not enjoy /
do not like / warn everyone about / complained about / want my money back for / feel cheated by / wasted my money on / lost patience with
"""), ["I {c} [this|the] {x}[.|!]", "I {c} the {x}, [really|and that is no joke|believe me].", "[Honestly|All in all], I {c} the {x}."]) + framed(cut("""
ruined my day / fell short of my expectations / is not worth a cent / deserves no stars / made me angry / was worse than I feared /
is a waste of money / could not be worse / is the worst I ever had / lets me down again and again / is a pain / is a nightmare / is a rip-off /
never worked / is a total letdown / left us with a headache / is a failure all round / gets zero points from me / went wrong in every way /
makes life harder / is a joke / was the low point / lost all my trust / is money thrown away / has nothing but faults
"""), ["[The|This] {x} {c}[.|!]", "[All in all|For me], the {x} {c}.", "We [think|agree that] the {x} {c}."])
NEUTRAL_GOODS = sentences("""
The {x} [arrived|was delivered|came] [on {d}|yesterday|last week|two days ago].
I [bought|ordered] the {x} [last week|in {m}|online|in the shop around the corner|for my {k}].
The {x} [has|comes with] a [{c}] [cover|box|label|handle].
The {x} comes in [two|three|four|five] [sizes|colors|versions].
The {x} weighs about [two|three|five] kilos.
[It is|This is] a {c} {x}[.| from {m}.]
My {k} [has|uses|owns] the same {x}.
The {x} [stands|lies|is] in the [hall|kitchen|bedroom|cellar].
The {x} is made [in another country|of several parts|for everyday use].
A manual in [two|four|six] languages is in the box with the {x}.
I have had the {x} since [{d}|{m}].
The {x} replaces [an older one|the one from last year].
The shop sells the {x} in {c}[.| and in other colors.]
The {x} can be ordered [by phone|online|in the shop].
""")
NEUTRAL_EXPERIENCES = sentences("""
The {x} was [on {d}|yesterday|last week|in {m}].
The {x} [starts|opens] at [nine|ten|eight] [in the morning|in the evening].
We [picked|chose] the {x} [on {d}|in {m}|for the weekend].
My {k} [told me about|asked about|mentioned] the {x}.
The {x} [took|lasted] [about two hours|most of the morning|until noon].
There were [twelve|thirty|about fifty] people [at|for] the {x}.
The {x} is on the list for [{d}|{m}|next week].
I read [something|an article] about the {x} [on {d}|yesterday].
The {x} is described on page [two|nine|twelve].
They changed the name of the {x} in {m}.
The {x} is the same as [last year|in {m}].
""")
NEUTRAL_ANY = sentences("""
The {x} is [okay|average|acceptable|so-so|all right|passable|ordinary|fair enough|nothing special|as expected], [no more, no less|neither good nor bad|that is all].
The {x} is [neither good nor bad|about what I expected|nothing special|like any other|middle of the road|standard].
[An|Just an|It is an] [average|ordinary|everyday] {x}[.|, nothing special.|, like many others.]
[I have|We have] no [strong opinion|particular feelings|special view] [about|on] the {x}.
The {x} does [what it says|what it should], [nothing more|no more and no less].
I [guess|suppose] the {x} is [okay|average|all right].
[Three stars|Half of the points] for [an average|a standard|an ordinary] {x}.
The {x} [has its good and its bad sides|has strong and weak points in equal measure].
""")
NEUTRAL_BESIDE = sentences("""
I [bought|got|chose] it [last week|on {d}|in {m}].
My {k} [was with me|told me about it|has one too].
[It was|That was] [on {d}|in {m}|two weeks ago].
I [paid|booked] [by card|online|in cash].
It was my [first|second|third] time.
We [went|were there] on {d}.
I am [from|writing from] {p}.
[There were four of us.|There were two of us.|We were a group of six.]
I [live|work] nearby.
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


def telling(world: World, label: str, thing: str) -> str:
    """One sentence of the wanted sentiment about a thing."""
    good = label == "positive"
    draw = world.random.random()
    if draw < 0.55:
        return fill(world, exact(world, ADJECTIVE_FRAMES), x=thing, a=world.random.choice(GOOD_WORDS if good else BAD_WORDS))
    if draw < 0.65:
        return fill(world, exact(world, NOT_FRAMES), x=thing, a=world.random.choice(NOT_BAD if good else NOT_GOOD))
    return fill(world, exact(world, GOOD_DOINGS if good else BAD_DOINGS), x=thing)


def neutral(world: World, thing: str, goods: bool) -> str:
    """A statement without a judgement, or one that is in the middle."""
    pool = world.random.choice([NEUTRAL_GOODS if goods else NEUTRAL_EXPERIENCES, NEUTRAL_ANY])
    return fill(world, exact(world, pool), x=thing)


def sentiment(world: World, label: str) -> str:
    """A review of one to three sentences; a neutral one may stand beside the telling one."""
    goods = world.chance(0.5)
    thing = world.pick(GOODS if goods else EXPERIENCES)
    if label == "neutral":
        return " ".join(dict.fromkeys(neutral(world, thing, goods) for _ in range(world.random.choice([1, 1, 2]))))
    parts = [telling(world, label, thing) for _ in range(world.random.choice([1, 1, 1, 2]))]
    if world.chance(0.35):
        pool = NEUTRAL_BESIDE if world.chance(0.6) else (NEUTRAL_GOODS if goods else NEUTRAL_EXPERIENCES)
        parts.insert(world.random.randint(0, len(parts)), fill(world, exact(world, pool), x=thing))
    return casual(world, " ".join(dict.fromkeys(parts)))


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


# --- emotion --------------------------------------------------------------------------------------

EMOTION_WORDS = {
    "joy": cut("happy / delighted / cheerful / overjoyed / thrilled / glad / joyful / in high spirits / elated / over the moon / ecstatic / merry / jubilant / blissful"),
    "anger": cut("angry / furious / mad / enraged / outraged / livid / irritated / fuming / annoyed / seething / cross / infuriated / bitter with rage / boiling"),
    "sadness": cut("sad / unhappy / heartbroken / miserable / down / depressed / gloomy / in tears / sorrowful / blue / lonely / devastated / grief-stricken / melancholy"),
    "fear": cut("afraid / scared / terrified / frightened / nervous / anxious / petrified / panicky / worried sick / fearful / in a panic / alarmed / full of dread / horrified"),
    "surprise": cut("surprised / astonished / amazed / stunned / taken aback / startled / speechless / dumbfounded / flabbergasted / caught off guard / baffled / thunderstruck"),
    "love": cut("in love / smitten / head over heels / full of love / deeply attached / enamored / devoted / full of tenderness / madly in love / infatuated / full of affection / besotted"),
}
EMOTION_FRAMES = sentences("""
I [am|feel] [|so |really ]{a}[.|!]
[{n}|My {k}|The whole family|Everybody] [was|looked] {a}[| yesterday| that evening| all day].
I was {a} when [I heard the news|I read the letter|the phone rang|{n} told me|I saw the photo|I opened the door].
[Today|Right now|Since {d}|At the moment] I feel {a}.
[She|He|{n}] left the room, [clearly|visibly] {a}.
When {n} spoke, {o} was {a}.
I have never been so {a} [before|in my life].
You can tell that {n} is {a}.
[The letter|The call|The news|That message] left {n} {a}.
[{A}|So {a}], that is how I felt [on {d}|last night|in {p}].
I don't know what to say, I am just {a}.
""")
EMOTION_SAYINGS = {
    "joy": sentences("""
[What a wonderful day|Best day of my life|This is the best news ever][!|, we won!|, I passed the exam!]
[I got the job|We won the cup|I passed the exam|The baby is healthy|We are going on holiday][! |, hooray! |, yay! ][I can't stop smiling.|Let's celebrate!|I could dance all night.|I want to hug the whole world.]
[I can't stop smiling|I could dance all night|I laughed all evening|I am singing in the shower], life is [beautiful|good].
[{n}|My {k}] [jumped for joy|beamed with happiness|laughed with delight|danced around the kitchen].
[Yay|Hooray|Hurray|Yippee]! [The holidays are here!|It worked!|Finally Friday!]
It is [such a pleasure|a joy|so much fun] to [be here|see everyone laugh|be with you all].
"""),
    "anger": sentences("""
[How dare you|How dare they|What a cheek|This is an outrage]! [Get out!|I will not put up with this.|I have had enough!]
[I have had enough of|I am sick of|I am fed up with] [this nonsense|these lies|your excuses|being ignored]!
[{n}|My {k}] [slammed the door|banged on the table|shouted with rage|threw the phone at the wall][.| and cursed.]
It makes my blood boil [when people lie|that nobody listens|how they treat us].
[They lied to me again|They charged me twice|Someone scratched my car|He broke his promise][. |! ][I could scream.|I am seeing red.|This makes my blood boil.]
[Stop it|Shut up|Leave me alone]! [I could scream.|I have had enough!|You drive me mad!]
"""),
    "sadness": sentences("""
[I miss {n} so much|My dog died|We had to say goodbye|Nobody came to my birthday][. |, ][I cried all night.|I can't stop crying.|my heart is broken.|everything feels empty.]
[I cried all night|I can't stop crying|My heart is broken|Everything feels empty] since [{n} left|the funeral|we said goodbye].
[{n}|My {k}] [wept quietly|burst into tears|cried for hours|stared out of the window with wet eyes].
[It hurts|It breaks my heart] that [{n} is gone|we will never meet again|the house is so empty now].
[What a loss|What a pity|Such a sorrowful day]. [I cried all night.|We are in mourning.|The tears just came.]
A tear ran down [her|his] [cheek|face].
"""),
    "fear": sentences("""
[There is someone in the house|I heard steps behind me|The lights went out|Something moved in the dark][. |! ][I am shaking.|My heart is racing.|I don't dare to move.|Please don't leave me alone.]
[I am shaking|My heart is racing|My hands are trembling|I can't sleep], [what if it happens again?|what if they find me?|I don't dare to look.]
[{n}|My {k}] [trembled|froze with terror|hid under the bed|screamed for help][.| in the dark.]
I [dread|am dreading] [the operation|tomorrow|the dark|the results].
[Help|Oh no]! [I don't dare to move.|Something is coming closer.|I am so scared.]
I don't dare to [go out|open the letter|look down|walk home alone].
"""),
    "surprise": sentences("""
[Wow|What|Oh|Really]! I [did not see that coming|never expected that|had no idea|can hardly believe my eyes][.|!]
[I did not see that coming|I never expected that|Who would have thought that|Out of the blue it happened]: {n} is [back|here|the winner][!|.]
[{n}|My {k}] [gasped|stared with an open mouth|could not believe it|raised both eyebrows][.| at the news.]
[Out of nowhere|Completely unexpectedly|Out of the blue], [{n} stood at the door|an old friend called|they gave me a prize][.|!]
[You must be kidding|No way|Unbelievable]! [I had no idea.|I never expected that.|Is that really you?]
[My jaw dropped|I nearly fell off my chair|I rubbed my eyes] when {n} [appeared|won|told me].
"""),
    "love": sentences("""
I love [you|{n}] [with all my heart|more than words can say|to the moon and back|forever].
[You are|{n} is] the [love of my life|one for me|apple of my eye|light of my life][.|!]
[My darling|Sweetheart|Dearest {n}|My love], [I think of you day and night|I can't live without you|you mean the world to me|I adore you].
[{n}|My {k}] [kissed {o} tenderly|gazed into the eyes of {o}|held the hand of {o}|wrote a love letter to {o}].
[I think of you day and night|You mean the world to me|My heart beats for you|I want to spend my life with you], [{n}|darling|sweetheart].
[I lost my heart to|I have a crush on|I want to marry|I adore] {n}[.|!]
"""),
}
EMOTION_SCENES = sentences("""
I was [at home|at work|on the train|in the garden|in {p}].
It was [{d}|a {d} in {m}|late|early in the morning].
[{n}|My {k}] [called|wrote|came by] [this morning|at noon|on {d}].
I [just|only] [got home|read the message|hung up the phone].
We had not [talked|met] since {m}.
""")


def emotion(world: World, label: str) -> str:
    """A sentence that names or shows a feeling, sometimes with a scene before it."""
    if world.chance(0.5):
        text = fill(world, exact(world, EMOTION_FRAMES), a=world.random.choice(EMOTION_WORDS[label]))
    else:
        text = fill(world, exact(world, EMOTION_SAYINGS[label]))
    if world.chance(0.25):
        text = f"{fill(world, exact(world, EMOTION_SCENES))} {text}"
    return casual(world, text)


# --- topic ----------------------------------------------------------------------------------------

TOPIC_WORDS = {
    "sports": cut("""match / team / goal / coach / league / tournament / championship / stadium / referee / marathon / medal / striker / trophy / goalkeeper / penalty / sprint /
        half-time / midfielder / tennis racket / basketball / football / volleyball / hockey stick / swimmer / athlete / olympics / boxing ring / semi-final / relay / overtime /
        batting average / quarterback / wrestler / gymnast / fans in the stands / hat-trick / world record / free kick / playoffs / cyclist"""),
    "technology": cut("""software / computer / microchip / robot / smartphone / app / internet / processor / database / laptop / algorithm / browser / server / programmer / gadget / keyboard /
        operating system / hard drive / router / website / source code / cyberattack / touchscreen / cloud storage / artificial intelligence / password / firewall / download / 3D printer / drone /
        sensor / bandwidth / webcam / chatbot / encryption / user interface / open-source project / graphics card / data center / wireless network"""),
    "politics": cut("""election / president / minister / parliament / vote / senator / government / party leader / campaign / coalition / treaty / mayor / ballot / congress / opposition / referendum /
        embassy / diplomat / cabinet / constitution / candidate / summit / sanctions / lawmaker / voter turnout / foreign policy / prime minister / majority / polling station / chancellor /
        speech in parliament / reform bill / ambassador / city council / governor / veto / democracy / border agreement / electorate / lobbyist"""),
    "business": cut("""stock market / shareholder / bank / profit / company / investor / merger / inflation / revenue / takeover / startup / interest rate / dividend / quarterly report / bankruptcy / bond /
        chief executive / sales figures / trade deficit / supply chain / balance sheet / layoffs / market share / accountant / auditor / export / loan / startup funding / turnover / hedge fund /
        board of directors / retailer / wholesale / payroll / invoice / budget deficit / consumer demand / share price / subsidiary / stock exchange"""),
    "health": cut("""doctor / hospital / vaccine / disease / patient / medicine / virus / surgery / nurse / clinic / therapy / vitamin / flu / symptom / diagnosis / blood pressure / infection / antibiotic /
        allergy / dentist / headache / pharmacy / pill / physician / heart attack / diabetes / cholesterol / fever / bandage / mental health / epidemic / prescription / X-ray / rehabilitation /
        immune system / back pain / cough / midwife / surgeon / tumor"""),
    "travel": cut("""hotel / beach / tourist / passport / cruise / luggage / resort / visa / suitcase / vacation / hostel / travel agency / guidebook / itinerary / sightseeing / backpacker / souvenir /
        tour guide / check-in counter / all-inclusive offer / campsite / tropical island / boarding pass / travel insurance / jet lag / safari / holiday home / city trip / honeymoon trip / stopover /
        hotel lobby / sunscreen / travel diary / lagoon / excursion / youth hostel / room service / seaside town / package tour / globetrotter"""),
    "food": cut("""recipe / soup / bread / cheese / sauce / restaurant menu / dessert / spice / chef / salad / cake / oven dish / dinner / butter / pasta / noodles / pancake / garlic / olive oil / chocolate /
        sandwich / stew / pastry / grilled fish / vegetables / breakfast / ice cream / flour / frying pan / marinade / pizza / kitchen / mushroom risotto / roast beef / cookie / ingredients / lunch /
        curry / dumplings / baking powder"""),
    "science": cut("""experiment / physics / atom / telescope / fossil / scientist / chemistry / laboratory / particle / hypothesis / molecule / microscope / black hole / galaxy / comet / quantum theory /
        space probe / genome / electron / evolution / gravity / researcher / biologist / petri dish / planetary orbit / DNA sample / neutron / asteroid / enzyme / scientific journal / big bang /
        chemical reaction / light-year / dinosaur bone / spectrum / particle collider / mathematician / cell membrane / supernova / archaeologist"""),
    "music": cut("""song / album / guitar / piano / orchestra / concert / melody / choir / drummer / violin / opera / singer / band / lyrics / rhythm / symphony / conductor / saxophone / chorus / jazz club /
        record label / trumpet / composer / chart hit / bass line / cello / rapper / playlist / music festival / soprano / harmonica / sheet music / string quartet / folk song / encore / tuning fork /
        microphone stand / vinyl record / ballad / flute"""),
    "film": cut("""movie / actor / director / screenplay / cinema / trailer / blockbuster / premiere / film festival / actress / camera crew / sequel / box office / film studio / red carpet / thriller /
        documentary / stuntman / special effects / movie theater / leading role / scriptwriter / western / close-up / comedy / film critic / horror film / animated film / popcorn / movie star /
        subtitles / casting / film editor / silver screen / plot twist / cameo / dubbing / remake / cinematographer / supporting actor"""),
    "education": cut("""school / teacher / student / classroom / homework / exam / university / professor / lecture / textbook / diploma / pupil / kindergarten / scholarship / curriculum / blackboard / semester /
        college / tuition fee / report card / school bus / campus / graduation / seminar / math lesson / principal / dormitory / essay / spelling test / degree / school library / lesson plan / tutor /
        grade / classmate / high school / freshman / reading list / schoolyard / learning goals"""),
    "weather": cut("""rain / storm / snowfall / sunshine / thunderstorm / cold front / hurricane / fog / heat wave / drizzle / forecast / temperature / wind speed / hail / frost / humidity / blizzard / tornado /
        low pressure / cloud cover / lightning / drought / barometer / breeze / monsoon / icy roads / rain shower / gust / flood warning / rainbow / sleet / thermometer / meteorologist / overcast sky /
        dew / cyclone / high-pressure area / snowstorm / downpour / freezing night"""),
    "fashion": cut("""dress / runway / designer / handbag / model / collection / fabric / jeans / high heels / skirt / sneaker / catwalk / fashion week / boutique / necklace / silk scarf / blouse / sunglasses /
        denim jacket / tailor / wardrobe / lipstick / outfit / trend colors / leather boots / haute couture / coat / evening gown / accessory / stylist / earrings / knitwear / polka dots / hat maker /
        vintage look / cashmere sweater / perfume / cocktail dress / hemline / pattern"""),
    "crime": cut("""police / thief / robbery / judge / prison / lawyer / murder / courtroom / witness / burglar / suspect / detective / trial / arrest / verdict / fingerprint / smuggler / jury / crime scene /
        fraud / handcuffs / prosecutor / kidnapping / pickpocket / investigation / gang / alibi / sentence of ten years / bank robber / sheriff / defendant / shoplifter / evidence / forensic report /
        blackmail / inspector / arson / hostage / stolen goods / manhunt"""),
    "transport": cut("""car / train / bus / traffic jam / highway / bicycle lane / truck / motorcycle / engine / subway / railway station / bridge toll / driver / airport runway / electric car / fuel / tram /
        road works / ferry / parking lot / speed limit / freight train / cargo ship / timetable / rush hour / roundabout / gearbox / commuter / locomotive / charging station / van / scooter /
        intersection / tire / seat belt / bus stop / container port / traffic light / conductor on the train / delay on the line"""),
    "animals": cut("""dog / cat / elephant / zoo / bird / whale / lion / horse / puppy / veterinarian / wildlife / wolf / rabbit / dolphin / bear cub / nest / penguin / giraffe / butterfly / snake / monkey /
        fur / beehive / aquarium / parrot / kitten / tiger / herd of cows / hamster / shark / owl / fox / squirrel / sheepdog / turtle / frog / animal shelter / goldfish / hedgehog / camel"""),
}
TOPIC_FRAMES = sentences("""
The {x} and the {y} [made headlines|were in the news|were on the front page] [today|on {d}|last week].
[Everybody talks about|People keep asking about|The whole town discusses] the {x} and the {y}.
[She|He|{n}] [told us|wrote|gave a talk] about the {x} [after|before|and] the {y}.
[Yesterday|On {d}|Last {m}] the {x} changed [everything|a lot] for the {y}.
[They are|We are|{n} is] waiting for the {x} and the {y}.
[Our reporter|This article|Today's column] [looks at|explains] the {x} [behind|and] the {y}.
What [did|will] the {x} mean for the {y}?
The {y} [must|will|may] depend on the {x}, [experts say|says {n}|we learned].
[More|New] questions about the {x} in {p}.
[{n}|My {k}] [knows a lot|reads everything] about the {x}[.| and the {y}.]
[News from {p}|Report|Headline|Breaking]: {x}, {y}
No {y} without the {x}, [says {n}|they say in {p}].
First came the {x}, then the {y}.
[Photos|A video|A story] of the {x} and the {y} [went around the world|can be seen online].
[In {p}|In {m}|This year], the {x} mattered more than the {y}.
[I have|We have] a question about the {x}[.| and the {y}.]
{X} and {y}: [what you need to know|the full story|five facts|a guide for beginners]
The {x} seemed [better|bigger|stranger] than [expected|last year][.|, and so did the {y}.]
[Ten years ago|Last year] nobody had heard of the {x}.
""")


def topic(world: World, label: str) -> str:
    """A sentence or two with nouns of the topic."""
    text = topic_sentence(world, label)
    if world.chance(0.25):
        text += " " + topic_sentence(world, label)
    return casual(world, text)


def topic_sentence(world: World, label: str) -> str:
    first, second = world.random.sample(TOPIC_WORDS[label], 2)
    return fill(world, exact(world, TOPIC_FRAMES), x=first, y=second)


# --- intents --------------------------------------------------------------------------------------

# A line is: label : what somebody wants to do / ... ; sentences stand after a bar.
WISHES = [
    "I want to {c}.", "I would like to {c}.", "I'd like to {c}[, please|].", "How [can|do] I {c}?", "[Can|Could] you help me [to |]{c}?", "I need to {c}[| today| as soon as possible].",
    "I am trying to {c}.", "Is it possible to {c}?", "What do I have to do to {c}?", "Please help me {c}.", "Where can I {c}?", "[My {k}|My friend] wants to {c}.",
    "I was hoping to {c}.", "{c}, please", "Tell me how to {c}.",
]
ORDERS = [
    "{c}[.|!| please.]", "Please {c}.", "[Can|Could|Would] you {c}[| please| for me]?", "I want you to {c}.", "I'd like you to {c}.", "Hey, {c}[| now].", "Be so kind and {c}.",
    "Do me a favor and {c}.", "It would be nice if you could {c}.", "Go ahead and {c}.", "Maybe you can {c}?",
]
INTENT_TABLE = """
card_lost : report a lost card / report my card as stolen / block my stolen card | My [bank card|credit card|debit card|card] is [gone|lost|missing]. | I [lost|can't find|have misplaced] my [bank card|credit card|wallet with the card]. | [Somebody|A thief] stole my [card|credit card|wallet with the card]. | My card [was stolen|disappeared] [on {d}|in {p}|yesterday].
card_arrival : track my new card / know when my card will come / find out where my new card is | My new card has not [arrived|come] yet. | [When|How soon] will my [new|replacement] card [arrive|come]? | I am [still|] waiting for my [new card|replacement card][.| since {d}.] | How long does [delivery of|it take to send] a new card [take|now]?
card_declined : find out why my card was declined / know why my card is refused | My card [was declined|was refused|was rejected|does not work] at the [shop|counter|restaurant|petrol station]. | Why was my card [declined|refused|rejected][|, there is money on it]? | The [machine|terminal] does not accept my card. | They would not take my card [yesterday|on {d}|in {p}].
change_pin : change my PIN / set a new PIN / reset my PIN / get a new PIN for my card | I [forgot|don't remember] my [PIN|PIN code]. | I need [a new|another] PIN. | I typed the wrong PIN [three times|too often]. | My PIN [does not work|is blocked].
check_balance : check my balance / see how much money I have / know my account balance / see my balance | What is my [balance|account balance|current balance]? | How much [money|] is [on|in] my [account|savings account]? | How much do I have [left|] [in|on] my account? | Balance of my account, please.
transfer_money : transfer money / send money to {n} / make a transfer to {n} / wire money to my {k} / pay money into another account | Send [fifty|a hundred|two hundred] [dollars|euros] to [{n}|my {k}]. | Transfer [fifty|a hundred|two hundred] [dollars|euros] to [{n}|my {k}|my savings account]. | Money transfer to {n}, please.
transfer_failed : find out why my transfer failed / know why the transfer did not go through | My transfer [failed|did not go through|was rejected|is stuck]. | Why [did|has] my transfer [fail|not gone through]? | The transfer to {n} [never arrived|came back|failed]. | I sent money [on {d}|to {n}] but it never arrived.
exchange_rate : know the exchange rate / see your exchange rates / find out the current rate for euros | What is the [exchange rate|rate] [for|of] [euros|dollars|yen|pounds] [today|]? | How many [dollars|pounds] do I get for [a hundred|fifty] euros? | Is the exchange rate good [now|today]?
open_account : open an account / open a savings account / become a customer / start a new account with you / open a bank account for my {k} | Which papers do I need for a new account? | I don't have an account yet, [how do I get one|can I get one]? | Can I open an account [online|as a student|in {p}]?
loan : take out a loan / apply for a loan / get a mortgage / borrow money / apply for credit | What are the [rates|conditions] for a [loan|mortgage]? | I need a loan [for a car|for a house|of ten thousand]. | Do you offer [loans|mortgages|student loans]? | How much can I borrow [from you|]?
fees : know what fees you charge / find out about your fees | [What|Which] fees do you charge[| for this| abroad]? | Why was I charged a fee? | There is an extra charge [on my statement|on my account]. | Is there a fee for [cash withdrawals|transfers|the card]? | What does the account cost [per month|a year]?
bank_statement : get a bank statement / download my statement / print my statement / see my last transactions / get a list of my transactions | I need a statement [for {m}|of last month]. | Please send me the statement for {m}. | Show [me|] my [last|latest|recent] transactions. | What did I spend in {m}?
order_status : track my order / know where my parcel is / check my order status / see when my order arrives | Where is my [order|parcel|package]? | [When|On which day] will my [order|parcel|package] [arrive|come]? | Has my [order|parcel|package] been [sent|shipped] [yet|]? | My [order|parcel|package] [has not arrived|is late]. | I ordered [on {d}|last week], where is it? | What is the status of my order?
cancel_order : cancel my order / cancel the order from {d} / take back my order / stop my order / withdraw my order | Please [cancel|stop] my order. | I changed my mind, [cancel|please cancel] the order. | I ordered by mistake, please cancel it. | Don't send [the order|it], I no longer need it.
return_item : return an item / send the {x} back / return the {x} / give back the {x} | What is your return policy? | The {x} does not [fit|suit me], I want to send it back. | How many days do I have to return [something|an item]? | I need a return label[| for the {x}].
refund_status : know when I get my refund / check my refund / ask about my refund | Where is my [refund|money]? I sent the {x} back. | [When|How soon] will I get my [money back|refund]? | I [am still waiting|have been waiting since {d}] for my refund. | My refund has not [arrived|come] yet. | You promised a refund [on {d}|weeks ago].
exchange_item : exchange the {x} / swap the {x} for a bigger one / exchange the {x} for another size / get another color instead / change the {x} for a smaller one | Can I have the {x} in another [size|color] instead? | The {x} is too [small|big], do you have it in another size? | I want a different size, not my money back.
damaged_item : report a damaged item / report a broken {x} | The {x} [is broken|is damaged|arrived broken|came with a crack|has a scratch]. | The {x} was [damaged|broken] when I opened the box. | My parcel [arrived damaged|was crushed]. | There is a [crack|hole|dent] in the {x}.
wrong_item : report a wrong delivery | You sent me [the wrong item|the wrong {x}|something I did not order]. | I [got|received] the wrong [item|{x}|color|size]. | This is not [what I ordered|the {x} I ordered]. | I ordered a {x} and got [something else|a different thing].
missing_item : report a missing item | [One item|The {x}|A part] is missing [from|in] [my order|the box|the parcel]. | There [was|is] no {x} in [my parcel|the box]. | The parcel was [incomplete|half empty]. | I ordered two [items|things] but only one came. | You forgot the {x}.
change_address : change my address / update my address / change the delivery address / give you my new address / have my order sent to another address | I have moved[.| to {p}.] | I moved, my new address is in {p}. | My address has changed. | The address on my [order|account] is wrong.
payment_methods : pay by card / pay with cash / pay on invoice / pay in installments / know how I can pay | [Which|What] [payment methods|cards] do you accept? | Do you [take|accept] [credit cards|cash|bank transfers|gift cards]? | How can I pay[| for my order]? | Can I pay [later|in two parts|when it arrives]?
discount_code : use a discount code / redeem my coupon / use a voucher / get a discount / enter a promo code | My [discount code|coupon|voucher|promo code] [does not work|is not accepted]. | Do you have a [discount|coupon|promo code] for [students|new customers]? | Where do I [enter|put] the [code|coupon]? | Is there a sale [on {d}|in {m}]?
delivery_cost : know the shipping cost / find out what delivery costs | How much is [delivery|shipping|postage][| to {p}]? | What does [delivery|shipping] [cost|to {p} cost]? | Is [delivery|shipping] free[| to {p}]? | From which amount is shipping free?
delivery_area : find out whether you deliver to {p} / have it sent abroad | Do you [deliver|ship|send] to {p}? | Do you [deliver|ship] [abroad|to other countries|to islands]? | To which [countries|places] do you [deliver|ship]? | Can you send it to {p}?
availability : know if the {x} is in stock / find out when the {x} is back / know whether you have the {x} | Is the {x} [in stock|available|sold out]? | Do you [have|still have|sell] the {x}[| in {c}]? | When will the {x} be [available|back in stock]? | Have you got the {x} in [size ten|{c}]?
product_info : know more about the {x} / get details about the {x} / read the description of the {x} | [How big|How heavy] is the {x}? | What is the {x} made of? | Tell me [more|something] about the {x}. | Does the {x} come with [a manual|batteries]? | Is the {x} waterproof?
invoice : get an invoice / get a receipt / download my invoice / have a copy of the bill / get an invoice for my company | I need [an invoice|a receipt][| for my order| for {m}]. | Where is my [invoice|receipt]? | Please send me the [invoice|receipt|bill]. | The invoice [is missing|did not come with the parcel].
gift_wrapping : have it gift-wrapped / add a gift card with a note / send it as a gift / order gift wrapping | It is a [gift|present], can you wrap it? | Do you offer gift [wrapping|paper|boxes]? | Can you [wrap|pack] the {x} as a [gift|present]? | Can I add a greeting card [for {n}|to the gift]?
opening_hours : know your opening hours / find out when you are open | [When|At what time] do you [open|close][| on {d}| today]? | Are you open [on {d}|today|on holidays|at noon]? | What are your [opening|business] hours? | Until [when|what time] are you open [on {d}|today]? | How long is the shop open [on {d}|today]?
store_location : find your shop / know where your shop is / find the nearest branch / get to your store | Where is your [shop|store|branch|office]? | Do you have a [shop|store|branch] in {p}? | [What is|Give me] the address of your [shop|store|branch]? | Where is the nearest [shop|branch|store]?
talk_to_human : talk to a human / speak with an agent / speak to a real person / talk to somebody from the team / be connected to an agent | Connect me [to|with] [a human|an agent|a person]. | [No more bots|I am tired of bots], [a human please|give me a person]. | Is there a [human|real person] I can talk to? | I do not want to talk to a [machine|robot|bot].
complaint : make a complaint / complain about the service / file a complaint / complain about your staff | I have a complaint. | Your [service|staff|driver] was [rude|terrible|unfriendly]. | I am [very unhappy|not satisfied] with your [service|staff]. | Whom do I complain to about the [staff|driver|service]? | This is the worst service ever.
praise : leave a compliment / praise your staff / say how good your service is | Your [service|team|staff] is [great|wonderful|excellent]. | You [did|are doing] a [great|wonderful] job. | A big compliment to [your team|your staff|{n}]. | Keep up the good work! | {n} from your team was [so kind|very helpful].
warranty : use my warranty / make a warranty claim / know how long the warranty lasts | Is the {x} still under warranty? | How long is the [warranty|guarantee][| on the {x}]? | Does the [warranty|guarantee] cover [this|water damage|the screen]? | What does the guarantee [cover|include]?
cancel_subscription : cancel my subscription / end my subscription / stop my membership / quit my plan / cancel my membership | [End|Stop|Cancel] my [subscription|membership]. | I no longer want the [subscription|membership|plan]. | Please do not renew my [subscription|plan|membership]. | When does my subscription end if I cancel [now|today]?
upgrade_plan : upgrade my plan / switch to the premium plan / get a bigger plan / move to the family plan | What is the difference between the [plans|basic plan and the premium plan]? | Which plan is [better|right] for [me|a family]? | I need more [storage|users], what plan do you have? | How much more is the premium plan?
unsubscribe : unsubscribe from the newsletter / stop getting your mails / get off your mailing list / leave your mailing list | [No more|Stop sending me] [newsletters|ads|mails]. | I [don't|no longer] want your [newsletter|ads|mails]. | Take me off [your list|the mailing list]. | Too many [mails|newsletters] from you, stop it.
reset_password : reset my password / change my password / get a new password / set a new password | I [forgot|don't remember|have forgotten] my password. | My password [does not work|is wrong|has expired]. | Send me a link for a new password. | I need a new password.
login_problem : find out why I can't log in / get into my account again | I [can't|cannot] [log in|sign in][| since {d}]. | The login [page|form] [does not work|shows an error]. | I am locked out of my account. | My account is [locked|blocked]. | It [won't|does not] let me sign in.
delete_account : delete my account / close my account / remove my account / have my data deleted / get rid of my account | [Delete|Close|Remove] my account. | I want all my data [deleted|removed|erased]. | I [don't|no longer] need my account, please [delete|close] it. | Erase my profile.
update_email : change my email address / update my email / use another email address / correct my email | I have a new email address. | My [email|email address] [has changed|is wrong]. | Please [write|send everything] to my new email address from now on.
update_phone : change my phone number / update my phone number / register a new phone number / correct my number | I have a new [phone number|mobile number]. | My [phone number|mobile number] [has changed|is wrong]. | Please remove my old phone number.
job_application : apply for a job / work for you / send you my application / join your team / become an intern | Do you have any [jobs|open positions|internships]? | Are you hiring[| in {p}]? | Where do I send my [application|resume|CV]? | Is the job as a {j} still free?
book_appointment : book an appointment / make an appointment / see somebody on {d} / arrange an appointment for {d} / get an appointment in {m} | Do you have [a free slot|an appointment] [on {d}|next week|in {m}]? | When can I come [in|by] for an appointment? | Is there [a free slot|an appointment] [on {d}|today]?
cancel_appointment : cancel my appointment / cancel the appointment on {d} / call off my appointment | I can't come to my appointment[| on {d}]. | I have to miss my appointment[| on {d}], please cancel it. | Please delete my appointment [on {d}|with {n}]. | I won't make it to the appointment [on {d}|tomorrow].
"""
ASSISTANT_TABLE = """
set_alarm : set an alarm for six / wake me at seven / wake me up early on {d} / ring the alarm at eight | I need an alarm [at six|for {d} morning|at half past five]. | Alarm at [six|seven|eight], please. | I have to get up at [five|six|seven].
set_timer : set a timer for ten minutes / start a timer / start the kitchen timer / count down five minutes / time twenty minutes | [Timer|Countdown] for [ten|five|twenty] minutes. | The eggs need [five|six|ten] minutes, start the timer.
play_music : play some music / put on a song / play a song by {n} / play jazz / turn on some music / play my favorite album | I want to hear [some music|a song|jazz]. | Let's listen to [some music|a song by {n}]. | Some [music|jazz|rock], please.
weather : tell me the weather / check the weather in {p} / show me the forecast / give me the forecast for {d} | [Will it|Is it going to] [rain|snow] [today|in {p}|on {d}]? | How [warm|cold] is it [in {p}|outside]? | Do I need an umbrella [today|on {d}|in {p}]? | What is the weather like [in {p}|on {d}|today]?
tell_joke : tell me a joke / make me laugh / say something funny / tell a funny story | Do you know [a joke|a funny story|any jokes]? | I need a good laugh. | Cheer me up with a joke. | Another joke, please.
make_call : call {n} / call my {k} / phone {n} / ring my {k} / dial the number of {n} | I want to talk to {n} on the phone. | Get {n} on the phone. | Start a call with [{n}|my {k}].
send_message : text {n} that I am late / send a message to {n} / write to {n} that dinner is ready / send {n} a text / message my {k} | Let {n} know that [I am late|dinner is ready]. | Tell {n} I will be there [soon|at six|on {d}].
translate : translate this into {l} / translate a sentence into {l} / translate good morning into {l} / say this in {l} | How do you say [thank you|good night|hello] in {l}? | What is [bread|house|water] in {l}? | What does this {l} word mean in English?
add_reminder : remind me to buy milk / remind me to call {n} / remind me on {d} / set a reminder for {d} / remember the meeting for me | Don't let me forget [to call {n}|the keys|the milk]. | I need a reminder [for {d}|about the meeting].
shopping_list : add milk to the shopping list / put bread on my list / add eggs to my groceries / write butter on the shopping list | We are out of [milk|eggs|bread], add it to the list. | What is on my shopping list? | Take [milk|eggs|bread] off the shopping list.
lights_on : turn on the lights / switch on the lamp / light up the kitchen / put the light on in the hall | It is [too|so] dark in [here|the kitchen]. | Lights on[| in the kitchen| in the hall]. | I can't see a thing, [light|lights] please.
lights_off : turn off the lights / switch off the lamp / turn the light off in the hall / put out the light | Lights [off|out][| in the kitchen| in the hall]. | It is too bright in [here|the bedroom], no light please. | No more light in the [hall|kitchen].
news : read me the news / tell me the headlines / show me the latest news / give me the news from {p} | What [happened|is new] in the world [today|]? | What are the headlines [today|on {d}]? | Any news [from {p}|today]?
directions : show me the way to {p} / navigate to {p} / take me to the station / find the fastest way to {p} / guide me to the museum | How do I get to [{p}|the station|the museum]? | Which way [is|to] [{p}|the station]? | What is the fastest way to {p}?
spelling : spell the word {w} / spell {w} for me / tell me how to write {w} | How do you [spell|write] [{w}|the word {w}]? | What is the spelling of {w}? | How is {w} spelled?
definition : define {w} / explain the word {w} / look up {w} in the dictionary / give me the meaning of {w} | What does {w} mean? | What is the [meaning|definition] of {w}? | What is a {w}?
calculate : calculate twelve times seven / add up nine and twelve / work out a sum / multiply six by nine / divide ninety by five | [What is|How much is] [twelve|six] [times|plus|minus] [four|two|five]? | What is the square root of [nine|sixteen]?
volume_up : turn up the volume / make it louder / turn it up / raise the volume | [It is|That is] too quiet[.|, I can't hear it.] | Louder[, please|!] | I can't hear [it|the song|the music].
volume_down : turn down the volume / make it quieter / turn it down / lower the volume | [It is|That is] too loud[.|, my ears hurt.] | Quieter[, please|!] | Not so loud[, please|!| in the evening!]
greeting : | [Hi|Hello|Hey|Good morning|Good evening|Good afternoon][| there| everybody| {n}| assistant][.|!] | Hello, how are you[| today]? | [Nice|Good] to see you[| again][.|!]
goodbye : | [Bye|Goodbye|See you|See you on {d}|Good night|Farewell|So long][| then| {n}| everybody][.|!] | [I have to|I must] go now[.|, bye.| , goodbye.] | That was all, bye.
thanks : | [Thanks|Thank you|Many thanks|Thanks a lot|Thank you very much|Much appreciated][| for your help| for everything| {n}][.|!] | [I am|We are] [very |]grateful[.| for your help.] | That [was|is] very kind of you[.|, thanks.]
"""


def intent_tables() -> dict[str, list[str]]:
    """Every label of the two tables with all its sentences."""
    found: dict[str, list[str]] = {}
    for table, frames in ((INTENT_TABLE, WISHES), (ASSISTANT_TABLE, ORDERS)):
        for row in lines(table):
            label, _, rest = row.partition(" : ")
            wishes, *more = rest.lstrip("| ").split(" | ")
            wishes, more = ("", [wishes, *more]) if rest.startswith("|") else (wishes, more)
            found[label.strip()] = framed(cut(wishes), frames, [entry.strip() for entry in more])
    return found


INTENTS = intent_tables()
HELLOS = cut("Hi, / Hello, / Good morning, / Hey, / Dear team, / Hello there, / Good evening, / Hi there, / Hello {n}, / One question: / Excuse me,")
CLOSINGS = cut("Thanks. / Thank you. / Thanks a lot! / Best, {n} / Regards, {n} / Please help. / Greetings from {p}. / Thanks in advance. / Cheers, {n} / I have been a customer for years. / It is rather important to me.")


def lower_first(text: str) -> str:
    """The first letter in lower case, unless the word is I or all capitals."""
    first = text.split(" ")[0]
    return text if first.rstrip(",") in ("I", "I'd", "I've", "PIN") or first[1:2].isupper() else text[:1].lower() + text[1:]


def intent(world: World, label: str) -> str:
    """What somebody writes to a bank, a shop or an assistant."""
    template = exact(world, INTENTS[label])
    text = fill(world, template, x=world.pick(GOODS), l=world.pick(words.LANGUAGES), w=world.pick(words.COMMON), j=job(world))
    if label not in ("greeting", "goodbye", "thanks"):
        if world.chance(0.2):
            text = after_hello(world, template, text)
        if world.chance(0.15):
            text += ("" if text[-1] in ".!?" else ".") + " " + fill(world, world.random.choice(CLOSINGS))
    return casual(world, text)


def after_hello(world: World, template: str, text: str) -> str:
    """A greeting before the text, with a full stop where the text must begin with a capital letter."""
    hello = fill(world, world.random.choice(HELLOS))
    if template.startswith(("{n}", "Hey", "Hi")) or world.chance(0.3):
        return f"{hello.rstrip(',:')}. {text}"
    return f"{hello} {lower_first(text)}"


# --- urgency --------------------------------------------------------------------------------------

TROUBLES = sentences("""
The {x} [is broken|does not work|makes strange noises|shows an error|needs a new part].
[I have|We have|{n} has] a [question about|problem with] the {x}.
[The door|The window|The printer|The heating|The website|The server|The elevator|The tap] [in {p}|on the second floor|at our office] [does not work|is broken|has a fault].
[{n}|My {k}|A customer] [asked for|needs|is waiting for] [the report|the {x}|the documents|an answer|a new password].
[Please|Could you] [look at|check|repair|replace] the {x}.
I am writing about [the invoice|the contract|the order|the {x}].
""")
URGENCY = {
    "high": sentences("""
[This is|It is] [|very |extremely |really ]urgent[.|!]
[Please|You must] [help|act|fix it|come|answer] [immediately|at once|right now|right away|without delay|within the hour].
[We|I] need [help|an answer|this|a solution] [immediately|at once|right now|right away|now|within the hour|in ten minutes].
[It is|This is] an emergency[.|!]
[Everything|The whole office|Production|The shop] [has stopped|is at a standstill|is down][.|, every minute counts.]
[It can't wait|This can't wait|Don't wait][.|, every minute counts.|, not even an hour.]
[Drop everything|Highest priority|Top priority|Critical|ASAP|SOS|Emergency][.|!]
We are losing [money|customers] every [minute|hour].
[Water is everywhere|There is smoke|People are stuck|Somebody is hurt][, come at once|, hurry|][.|!]
The deadline is [today|in one hour|in a few minutes].
[Hurry|Quick|Be quick], [every minute counts|there is no time|please].
"""),
    "medium": sentences("""
[Please|Could you] [look at it|answer|take care of it|fix it] [this week|by {d}|in the next few days|within a few days|soon].
[It is|This is] [of normal importance|of medium importance|moderately important|somewhat important].
[A reply|An answer|A solution|A fix] [this week|by {d}|in the next few days] would be [good|nice|fine].
It should be [done|fixed|solved|answered] [this week|by {d}|in the next few days].
[We can|I can] [manage|work] for [a day or two|a few days], but not [longer|for weeks].
[Not an emergency|It does not have to be today], but [please do it this week|it should not take too long|I need it by {d}].
[Normal|Medium|Usual] priority[.|, please.]
[We|I] need it [by {d}|by the end of the week|in a few days].
It [bothers|slows down] some of us, please do it [soon|this week].
"""),
    "low": sentences("""
[There is no|No] [hurry|rush][.|, take your time.|, any time is fine.]
[It|This] can wait[.|, take your time.|, even for months.|, any time is fine.]
[Take your time|Any time is fine|Whenever you have time|Whenever it suits you][.|, it is only a small thing.|, it can wait.]
[It is|This is] [not urgent|not important|of little importance|only a small thing|just a detail|a minor thing].
[Some day|One day|If you ever have time|When you are bored|Sometime next year] [you could|somebody could|please] [look at it|think about it].
[Low|Lowest] priority[.|, it can wait.]
[Just|Only] [out of curiosity|a thought|an idea|for your information], [there is no hurry|no need to answer soon|take your time].
It would be nice to have, [but it can wait|nothing more|but no rush].
[I don't mind waiting|We can live with it|It hardly bothers anyone][.|, take your time.|, so no rush.]
"""),
}


def urgency(world: World, label: str) -> str:
    """A request with a sentence that says how soon."""
    thing = world.pick(GOODS)
    parts = [fill(world, world.sentence(TROUBLES), x=thing), fill(world, exact(world, URGENCY[label]), x=thing)]
    if world.chance(0.1):
        parts.pop(0)
    elif world.chance(0.3):
        parts.reverse()
    if world.chance(0.2):
        parts.insert(0, fill(world, world.random.choice(HELLOS)).rstrip(",:") + ".")
    if world.chance(0.15):
        parts.append(fill(world, world.random.choice(["Thanks, {n}", "Best, {n}", "Regards, {n}", "{n}", "Thank you."])))
    return casual(world, " ".join(parts))


# --- spam -----------------------------------------------------------------------------------------

SPAM = {
    "spam": sentences("""
[Congratulations|WINNER|You won|Lucky you]! [You have won|You have been selected for|Claim now] [a free {x}|a prize of ${v}|a holiday in {p}|our lottery][.|!]
[Click here|Click the link|Reply YES|Call now|Act now|Sign up today] to [claim|get|win|receive] your [prize|free {x}|reward|bonus|gift card][.|!]
[Earn|Make] ${v} [a day|a week|every hour] [from home|without any work|with this simple trick][.|!]
[Hot|Amazing|Unbelievable|Exclusive] offer: [{x}|cheap {x}|pills|watches] [90% off|for free|at half price], [only today|limited time|while stocks last][.|!]
[Lose weight|Get rich|Double your money|Grow your hair] [fast|in ten days|overnight|without effort][.|!] [Click here|Order now|Act now|Visit our site][.|!]
Your account [will be closed|has been suspended|is at risk], [click here|verify your password here|confirm your card number now][.|!]
[URGENT|Attention|Last warning]: [you have an unpaid prize|your parcel is held, pay ${v} now|send your bank details|confirm your card number now][.|!]
[Dear friend|Dear winner|Dear beneficiary], I [have|inherited] ${v} million and need your [help|bank account] to [move|transfer] it.
[Free|100% free|Totally free] [{x}|trial|bonus|casino chips|entry], [no risk|no credit card needed|text WIN to 5{v}][.|!]
[No credit check|Cheap loans|Cash in minutes|Easy money], [apply now|up to ${v}000|guaranteed approval][.|!]
[Buy|Order] [one {x}, get two free|followers|cheap pills] [now|today only], [click here|limited offer|act fast][.|!]
[Singles in {p} are waiting|Meet lonely singles tonight|{n} wants to meet you], [click here|sign up free|reply YES][.|!]
[Crypto|Bitcoin|Investment] secret: [turn $10 into ${v}|guaranteed profit|double your coins] [overnight|today|in a week][.|!]
"""),
    "not spam": sentences("""
[Hi|Hello|Hey] {n}, [are you coming|can you come|shall we meet] [on {d}|tonight|for lunch|after work]?
[I will|I'll] be [late|home at six|there in ten minutes|back on {d}], [sorry|see you|don't wait for me].
[Can you|Could you] [pick up the kids|bring the {x}|call {n}|send me the notes|buy some milk] [on {d}|tomorrow|before dinner][?|, please?]
Please [pick up the kids|bring the {x}|call {n}|send me the notes|buy some milk] [on {d}|tomorrow|before dinner].
[The meeting|The lesson|Our appointment|Choir practice] [is moved to|is on|starts at nine on] {d}.
[Thanks for|Thank you for] [dinner|your help|the photos|the {x}|the lovely evening][.|, it was great to see you.|, say hello to {n}.]
[Attached are|Here are|I attach] [the minutes|the notes|my comments|the figures] [from {d}|for the meeting|you asked for].
[Mum|Dad|Grandma|My {k}] [says hello|is feeling better|asked about you][.|, call us on {d}.]
[Where are you|What time is it over there|How was {p}|How is the new job]?
[Your order|Your parcel|The {x} you ordered] [has been shipped|will arrive on {d}|is ready for pickup].
I [finished|read|checked] the [report|chapter|draft], [see my comments|let's talk on {d}|it looks fine].
[Happy birthday|Good luck with the exam|Get well soon], {n}[!|, see you on {d}!|, from all of us.]
The [train|bus|plane] [is late|leaves at nine|arrives at noon], [see you in {p}|I will call you|wait for me].
Did you [see|talk to|hear from] {n} [yesterday|on {d}]?
"""),
}


def spam(world: World, label: str) -> str:
    """One or two sentences of an advertiser, or of a friend or colleague."""
    text = spam_sentence(world, label)
    if world.chance(0.3):
        text += " " + spam_sentence(world, label)
    if label == "spam" and world.chance(0.12):
        return text.upper()
    return casual(world, text)


def spam_sentence(world: World, label: str) -> str:
    return fill(world, exact(world, SPAM[label]), x=world.pick(GOODS), v=str(world.random.choice([50, 100, 250, 500, 750, 900, 1000, 5000])))


# --- what a question asks for ---------------------------------------------------------------------

QUESTION_DEEDS = cut("""
painted the {x} / invented the {x} / wrote the letter / broke the {x} / opened the shop / won the race / sold the house / built the bridge / called {n} / found the key / fixed the {x} /
bought the {x} / designed the tower / told {n} the truth / ate the cake / stole the {x} / lost the {x} / moved to {p} / met {n} in {p} / visited {p} / cleaned the kitchen / sent the parcel /
planted the tree / sang the song / closed the door / brought the {x}
""")
QUESTION_ACTS = cut("""
paint the {x} / write the letter / break the {x} / open the shop / win the race / sell the house / build the bridge / call {o} / find the key / fix the {x} / buy the {x} / design the tower /
lose the {x} / meet {o} / move away / clean the kitchen / send the parcel / plant the tree / close the door / bring the {x} / leave / get married / learn to swim / start work / cook dinner / hide the {x}
""")
QUESTIONS = {
    "person": framed(QUESTION_DEEDS, ["Who {c}?", "Who was it that {c}?"], lines("""
        [Who is|Who was] the [mayor|owner|captain|founder|boss|winner|author|teacher|director] of [{p}|the school|the team|the shop]?
        [Whose|To whose] {x} is [this|that]?
        With whom did {n} [travel|work|live] in {p}?
        [What is the name of|Name] the [person|man|woman] who {v}[?|.]
        Whom did {n} [marry|meet|invite|call] [in {p}|on {d}]?
        Which [person|man|woman|player|singer] {v}?
    """)),
    "place": framed(QUESTION_ACTS, ["Where did {n} {c}?", "In [which|what] [city|country|town] did {n} {c}?"], lines("""
        Where [is|was] [the {x}|the station|the meeting|{n}|the key]?
        [In which city|In what country|Where] [was {n} born|does {n} live|is the head office]?
        Where [can I find|do they sell|did you see] the {x}?
        Where does {n} come from?
        [From where|To which town] did {n} [travel|walk|sail]?
        Which [city|country|town|village] [is the capital|is home to {n}|did {n} visit]?
    """)),
    "time": framed(QUESTION_ACTS, ["When did {n} {c}?", "In [which|what] [year|month] did {n} {c}?"], lines("""
        When [is|was] [the meeting|the party|the wedding|the exam][?| in {p}?]
        [At what time|When] [does|did] [the train|the shop|the lesson] [leave|open|close|start]?
        [On which day|On what date|In which year] was [{n} born|the {x} invented|the school founded]?
        What [day|date|time] is it [today|in {p}|now]?
        [Since when|Until when] [does|did] {n} [live|work] in {p}?
        What year did {n} [leave|marry|start work]?
    """)),
    "number": sentences("""
        How many [people|children|rooms|books|legs|days|students|windows|countries] [are there|did {n} see|did you count] [in {p}|in the house|in total]?
        How many [people|guests|students] [came|voted|live in {p}|work for {n}|were there]?
        How [old|tall|heavy] is [{n}|my {k}|the {x}|the tower]?
        How [long|wide|deep|high] is the [river|bridge|lake|wall] [in {p}|near {p}|in meters]?
        How much [does|did] the {x} [cost|weigh]?
        What is the [price|weight|height] of the [{x}|tower|statue]?
What is the population of {p}?
        [How far|How many miles] is it [to {p}|from here to {p}]?
        How often [does|did] {n} [call|win|visit {p}]?
        How many times did {n} [call|win|visit {p}|try]?
    """),
    "reason": framed(QUESTION_ACTS, ["Why did {n} {c}?", "For what reason did {n} {c}?", "What made {n} {c}?"], lines("""
        Why [is|was] [{n} angry|the {x} broken|the shop closed|the train late|the sky blue]?
        [How come|Why is it that] {n} [left|cried|lives in {p}|is late]?
        [What is|What was] the [reason|cause] [of the fire|for the delay|for the trip|of the noise]?
        [What caused|What was behind] the [fire|delay|noise|mistake|fight]?
        Why [don't you|doesn't {n}] [like the {x}|come along|answer]?
    """)),
}


def question_type(world: World, label: str) -> str:
    """A question."""
    thing = world.pick(GOODS)
    deed = world.random.choice(QUESTION_DEEDS)
    template = exact(world, QUESTIONS[label]).replace("{v}", deed)
    return casual(world, fill(world, template, x=thing))


# --- the language of a text -------------------------------------------------------------------------

LANGUAGE_PARTS = {  # subjects, verbs with an object, when or where; and phrases
    "English": ("{n} / the man / the woman / my brother / our neighbor / the teacher / the child / a friend",
                "reads the book / buys some bread / sees the house / opens the window / writes a letter / drinks the water / is looking for the key / sells the old car / lives in {p} / goes to school",
                "today / in the morning / with us / every day / now / in the garden / with a friend / because it is late",
                "Good morning, how are you? / Thank you very much. / Where is the station? / I do not understand. / What is your name? / It is very cold today. / See you tomorrow. / I would like a coffee, please."),
    "German": ("{n} / der Mann / die Frau / mein Bruder / unser Nachbar / die Lehrerin / das Kind / ein Freund",
               "liest das Buch / kauft ein Brot / sieht das Haus / öffnet das Fenster / schreibt einen Brief / trinkt das Wasser / sucht den Schlüssel / verkauft das alte Auto / wohnt in {p} / geht in die Schule",
               "heute / am Morgen / mit uns / jeden Tag / jetzt / im Garten / mit einem Freund / weil es spät ist",
               "Guten Morgen, wie geht es dir? / Vielen Dank. / Wo ist der Bahnhof? / Ich verstehe das nicht. / Wie heißt du? / Es ist heute sehr kalt. / Bis morgen. / Ich hätte gern einen Kaffee, bitte."),
    "French": ("{n} / l'homme / la femme / mon frère / notre voisin / le professeur / l'enfant / un ami",
               "lit le livre / achète du pain / voit la maison / ouvre la fenêtre / écrit une lettre / boit de l'eau / cherche la clé / vend la vieille voiture / habite à {p} / va à l'école",
               "aujourd'hui / le matin / avec nous / tous les jours / maintenant / dans le jardin / avec un ami / parce qu'il est tard",
               "Bonjour, comment allez-vous ? / Merci beaucoup. / Où est la gare ? / Je ne comprends pas. / Comment t'appelles-tu ? / Il fait très froid aujourd'hui. / À demain. / Je voudrais un café, s'il vous plaît."),
    "Spanish": ("{n} / el hombre / la mujer / mi hermano / nuestro vecino / la maestra / el niño / un amigo",
                "lee el libro / compra pan / ve la casa / abre la ventana / escribe una carta / bebe el agua / busca la llave / vende el coche viejo / vive en {p} / va a la escuela",
                "hoy / por la mañana / con nosotros / todos los días / ahora / en el jardín / con un amigo / porque es tarde",
                "Buenos días, ¿cómo estás? / Muchas gracias. / ¿Dónde está la estación? / No lo entiendo. / ¿Cómo te llamas? / Hoy hace mucho frío. / Hasta mañana. / Quisiera un café, por favor."),
    "Italian": ("{n} / l'uomo / la donna / mio fratello / il nostro vicino / la maestra / il bambino / un amico",
                "legge il libro / compra il pane / vede la casa / apre la finestra / scrive una lettera / beve l'acqua / cerca la chiave / vende la vecchia macchina / abita a {p} / va a scuola",
                "oggi / di mattina / con noi / ogni giorno / adesso / nel giardino / con un amico / perché è tardi",
                "Buongiorno, come stai? / Grazie mille. / Dov'è la stazione? / Non capisco. / Come ti chiami? / Oggi fa molto freddo. / A domani. / Vorrei un caffè, per favore."),
    "Portuguese": ("{n} / o homem / a mulher / o meu irmão / o nosso vizinho / a professora / a criança / um amigo",
                   "lê o livro / compra pão / vê a casa / abre a janela / escreve uma carta / bebe a água / procura a chave / vende o carro velho / mora em {p} / vai para a escola",
                   "hoje / de manhã / conosco / todos os dias / agora / no jardim / com um amigo / porque é tarde",
                   "Bom dia, como vai você? / Muito obrigado. / Onde fica a estação? / Não entendo. / Qual é o seu nome? / Hoje está muito frio. / Até amanhã. / Eu queria um café, por favor."),
    "Dutch": ("{n} / de man / de vrouw / mijn broer / onze buurman / de lerares / het kind / een vriend",
              "leest het boek / koopt een brood / ziet het huis / opent het raam / schrijft een brief / drinkt het water / zoekt de sleutel / verkoopt de oude auto / woont in {p} / gaat naar school",
              "vandaag / in de ochtend / met ons / elke dag / nu / in de tuin / met een vriend / omdat het laat is",
              "Goedemorgen, hoe gaat het met je? / Hartelijk bedankt. / Waar is het station? / Ik begrijp het niet. / Hoe heet je? / Het is vandaag heel koud. / Tot morgen. / Ik wil graag een koffie, alstublieft."),
    "Swedish": ("{n} / mannen / kvinnan / min bror / vår granne / läraren / barnet / en vän",
                "läser boken / köper bröd / ser huset / öppnar fönstret / skriver ett brev / dricker vattnet / letar efter nyckeln / säljer den gamla bilen / bor i {p} / går till skolan",
                "i dag / på morgonen / med oss / varje dag / nu / i trädgården / med en vän / eftersom det är sent",
                "God morgon, hur mår du? / Tack så mycket. / Var är stationen? / Jag förstår inte. / Vad heter du? / Det är mycket kallt i dag. / Vi ses i morgon. / Jag skulle vilja ha en kopp kaffe, tack."),
}


def language_of(world: World, label: str) -> str:
    """A sentence or two in the language."""
    made = []
    for _ in range(world.random.choice([1, 1, 2])):
        subject, action, when, saying = (world.random.choice(cut(part)) for part in LANGUAGE_PARTS[label])
        verb, _, rest = action.partition(" ")
        after_verb = label in ("German", "Dutch") and not when.startswith(("weil", "omdat"))
        text = f"{subject} {verb} {when} {rest}" if after_verb else f"{subject} {action} {when}"
        made.append(saying if world.chance(0.25) else capital(text.format(n=first_name(world), p=city(world))) + ".")
    return " ".join(dict.fromkeys(made))


# --- formal or not --------------------------------------------------------------------------------

FORMAL = {
    "formal": sentences("""
[Dear Sir or Madam|Dear Ms. {l}|Dear Mr. {l}|To whom it may concern], [I am writing to|I wish to|I would like to] [inquire about|draw your attention to|inform you about] the {x}.
[We|I] [hereby confirm|acknowledge receipt of|wish to inform you about|regret to announce the delay of] [the order|your application|the {x}].
[We would be grateful|I would be obliged|I should be grateful] if you [could|would] [send us the documents|reply by {d}|consider our proposal].
[Please find enclosed|Please find attached] [the requested documents|my application|the invoice for the {x}].
[Kindly|We kindly ask you to] [forward the documents|confirm your attendance|return the signed form] [at your earliest convenience|no later than {d}].
[Yours sincerely|Yours faithfully|Respectfully yours|With kind regards], [Dr. {l}|{n} {l}]
[Should you require|In case you require] [further information|any assistance], please do not hesitate to [contact us|contact our office in {p}].
[The committee|The management|The board] [requests|would appreciate] [your presence|your participation] on {d}.
[It is with pleasure that|It is with great regret that] we announce [the appointment of {n} {l}|our decision].
[Furthermore|Therefore|Consequently|In accordance with our agreement], [we request|the company requires] [the return of the {x}|a written statement|your signature].
"""),
    "informal": sentences("""
[Hey|Yo|Hiya|Hi there|What's up] [{n}|mate|buddy|guys|dude], [wanna|gonna] [grab a bite|hang out|watch a film|see the {x}] [tonight|on {d}|later]?
[Gotta|Gonna] [run|go|hit the road], [see ya|cya|talk later|catch you later][!|.| :)]
[lol|haha|omg|OMG], [that {x} is crazy|you won't believe this|that's so funny|{n} did it again][!|...| :D]
[Thx|Thanks a bunch|Cheers|Ta], [{n}|mate|you rock|you're a star][!|.| xx]
[Can't|Cannot] [come|make it] [tonight|on {d}], [sorry|so sorry|super tired], [catch you later|love ya|xoxo].
[Dunno|No clue|No idea], [ask {n}|whatever|who cares][.|!| lol]
[Yeah|Yep|Nope|Nah], [I'm in|I'm good|not my thing|sounds cool][!|.| :)]
[My {x} is kinda|This {x} is totally|That party was so] [cool|weird|dumb|awesome][!|, you know?|, right?]
[Come on|C'mon], [dude|mate|{n}], [don't be silly|it's gonna be fun|bring your {x}][!|.]
[Just chillin'|Hangin' out|Chilling] [with {n}|in {p}|at home], [wanna come over|what about you|you coming]?
"""),
}


def rank(sentence: str) -> int:
    """Greetings come first, closings last."""
    if re.match(r"Dear|To whom|Hey|Yo\b|Hiya|Hi there|What's up", sentence):
        return 0
    return 2 if re.match(r"Yours|Respectfully|With kind regards|Gotta|Gonna", sentence) else 1


def formality(world: World, label: str) -> str:
    """One to three sentences of a letter or of a chat."""
    chosen: list[str] = []
    for _ in range(world.random.choice([1, 1, 2, 3])):
        sentence = fill(world, exact(world, FORMAL[label]), x=world.pick(GOODS), l=world.pick(words.LAST_NAMES))
        if not any(rank(other) == rank(sentence) != 1 or other[:12] == sentence[:12] for other in chosen):
            chosen.append(sentence)
    return world.random.choice([" ", " ", "\n"]).join(sorted(chosen, key=rank))


# --- does the text say so -------------------------------------------------------------------------

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


# --- Chinese --------------------------------------------------------------------------------------

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
    """A Chinese name from the list, or characters in its place."""
    return world.pick(words.CHINESE_NAMES) if world.held_out or world.chance(0.6) else chinese_phrase(world, 2, 3)


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


# --- the tasks ------------------------------------------------------------------------------------


def named(labels: Sequence[str], *ways: str) -> list[list[str]]:
    """The labels themselves, and other ways to name them, each written `a / b / c` in the order of the labels."""
    found = [list(labels)] + [[entry.strip() for entry in way.split("/")] for way in ways]
    if any(len(way) != len(labels) or len(set(way)) != len(way) for way in found):
        raise ValueError(f"names of {list(labels)} do not fit")
    return found


THREE = ["positive", "negative", "neutral"]
FEELINGS = ["joy", "anger", "sadness", "fear", "surprise", "love"]
ASKED = ["person", "place", "time", "number", "reason"]
TONGUES = list(LANGUAGE_PARTS)
URGENT = ["low", "medium", "high"]
ZH_TOPICS = list(ZH_TOPIC_WORDS)
TASKS: dict[str, list[Labelled]] = {
    "en": [
        Labelled("sentiment", THREE, named(THREE, "good / bad / neutral", "happy / unhappy / indifferent", "favorable / unfavorable / mixed or neutral", "pos / neg / neu", "pleased / displeased / undecided", "positive sentiment / negative sentiment / neutral sentiment",
                                           "praise / criticism / neither", "like / dislike / no opinion"), sentiment, share=3),
        Labelled("emotion", FEELINGS, named(FEELINGS, "happiness / rage / sorrow / anxiety / astonishment / affection", "joyful / angry / sad / afraid / surprised / loving", "happy / mad / unhappy / scared / amazed / in love"), emotion, share=2),
        Labelled("topic", list(TOPIC_WORDS), named(list(TOPIC_WORDS), "sport / tech / government / economy / medicine / tourism / cooking / research / songs / cinema / school / climate / clothing / law / traffic / wildlife",
                                                   "Sports / Technology / Politics / Business / Health / Travel / Food / Science / Music / Movies / Education / Weather / Fashion / Crime / Transport / Animals",
                                                   "athletics / computing / policy / finance / medical / vacation / cuisine / natural science / concerts / movies / learning / meteorology / style / police report / vehicles / pets and animals"), topic, share=3),
        Labelled("intent", list(INTENTS), named(list(INTENTS)), intent, snake=True, share=5),
        Labelled("urgency", URGENT, named(URGENT, "not urgent / normal / urgent", "can wait / soon / immediately", "minor / moderate / critical", "P3 / P2 / P1", "later / this week / now"), urgency, share=1.5),
        Labelled("spam", ["spam", "not spam"], named(["spam", "not spam"], "spam / ham", "junk / legitimate", "unwanted / wanted", "advertising / personal", "yes / no", "suspicious / harmless", "spam / normal"), spam),
        Labelled("question_type", ASKED, named(ASKED, "who / where / when / how many / why", "human / location / date / quantity / cause", "name of a person / name of a place / point in time / numeric value / explanation"), question_type),
        Labelled("language", TONGUES, named(TONGUES, "en / de / fr / es / it / pt / nl / sv", "eng / deu / fra / spa / ita / por / nld / swe"), language_of),
        Labelled("formality", ["formal", "informal"], named(["formal", "informal"], "official / casual", "letter / chat", "polite / slangy", "business / private"), formality),
        Labelled("yes_no", ["yes", "no"], named(["yes", "no"], "true / false", "correct / incorrect", "right / wrong", "supported / contradicted", "Yes / No", "entailment / contradiction"), said, share=2.5),
    ],
    "zh": [
        Labelled("sentiment", THREE, named(THREE, "正面 / 负面 / 中性", "好评 / 差评 / 中评", "积极 / 消极 / 中立", "正面 / 负面 / 中性", "满意 / 不满意 / 一般", "喜欢 / 讨厌 / 无所谓"), zh_sentiment, share=3),
        Labelled("emotion", FEELINGS, named(FEELINGS, "快乐 / 愤怒 / 悲伤 / 恐惧 / 惊讶 / 爱", "高兴 / 生气 / 难过 / 害怕 / 意外 / 喜爱", "喜 / 怒 / 哀 / 惧 / 惊 / 爱"), zh_emotion, share=2),
        Labelled("topic", ZH_TOPICS, named(ZH_TOPICS, "sports / technology / business / health / travel / food / education / entertainment / weather / transport", "运动 / 技术 / 经济 / 医疗 / 旅行 / 饮食 / 学习 / 影视 / 气象 / 出行"), zh_topic, share=3),
        Labelled("intent", list(ZH_INTENTS), named(list(ZH_INTENTS), " / ".join(ZH_INTENT_NAMES[label] for label in ZH_INTENTS)), zh_intent, share=4),
        Labelled("urgency", URGENT, named(URGENT, "低 / 中 / 高", "不急 / 一般 / 紧急", "低优先级 / 中优先级 / 高优先级", "可以等 / 尽快 / 马上"), zh_urgency),
        Labelled("spam", ["spam", "not spam"], named(["spam", "not spam"], "垃圾短信 / 正常短信", "垃圾 / 正常", "广告 / 私人", "是 / 不是"), zh_spam),
        Labelled("question_type", ASKED, named(ASKED, "人物 / 地点 / 时间 / 数量 / 原因", "谁 / 哪里 / 什么时候 / 多少 / 为什么"), zh_question_type),
        Labelled("yes_no", ["yes", "no"], named(["yes", "no"], "是 / 否", "对 / 错", "正确 / 错误", "是 / 不是", "符合 / 不符合"), zh_said, share=2),
    ],
}
CASES: list[Callable[[str], str]] = [str, str, str, str.lower, str.upper, lambda text: capital(text), lambda text: text.lower().replace(" ", "_"), lambda text: text.upper().replace(" ", "_")]
SNAKE_CASES: list[Callable[[str], str]] = [
    str, str, str, str.upper, lambda text: text.replace("_", " "), lambda text: text.replace("_", " ").title(), lambda text: text.replace("_", "-"), lambda text: capital(text.replace("_", " ")),
    lambda text: re.sub(r"_(\w)", lambda match: match.group(1).upper(), text), lambda text: "".join(part.capitalize() for part in text.split("_")),
]
MOST_OPTIONS = 50


def offered_labels(world: World, task: Labelled, right: str) -> list[str]:
    """All labels of the task or some of them, the right one among them, shuffled."""
    count = len(task.labels)
    if count > 2 and not (task.name in ("sentiment", "urgency") and right in ("neutral", "medium")) and world.chance(0.5 if count > 3 else 0.3):
        count = world.random.randint(2, min(count, 12) if world.chance(0.7) else count)
    count = min(count, MOST_OPTIONS)
    others = world.random.sample([label for label in task.labels if label != right], count - 1)
    return world.random.sample([right, *others], count)


def draw_choices(world: World, language: str, count: int) -> tuple[list[str], list[str], list[str], str]:
    """Texts, their right labels, all the labels to choose from, and the name of the task."""
    tasks = TASKS[language]
    task = world.random.choices(tasks, [entry.share for entry in tasks])[0]
    label = world.random.choice(task.labels)
    offered = offered_labels(world, task, label)
    way = task.names[0] if world.chance(0.35) else world.random.choice(task.names)
    spelled = dict(zip(task.labels, way))
    latin = all(name.isascii() for name in way)
    case = world.random.choice(SNAKE_CASES if task.snake and latin else CASES) if latin and task.cased else str
    labels = [*(world.random.choice(offered) for _ in range(count - 1)), label]
    return [task.draw(world, each) for each in labels], [case(spelled[each]) for each in labels], [case(spelled[each]) for each in offered], task.name


# --- asking for the label -------------------------------------------------------------------------

GENERIC_REQUESTS = sentences("""
[What is|What's|Name|Give|Find|Determine|Tell me|Identify] the {t}[.| of this text.| of the text above.]
[Classify|Label|Tag|Categorize|Sort] [the text|this text|this message|the following text][.| by {t}.| according to its {t}.]
{T}:
{T}?
[Which|What] {t} [does|would] [the text|this message] [have|show]?
[Choose|Pick|Select] the [right|best|fitting|correct] {t}[.| for the text.| of this message.]
[Read the text|Read this] and [name|give|choose] the {t}.
[Your task|Task|Job]: [find|predict|name] the {t}.
[Assign|Give] [one|a] {t} [to|for] the text[.|, nothing else.]
[Predict|Recognize|Detect] the {t}[.| of the text.]
[Please|Kindly] [tell me|give|name] the {t}[.| only.]
[I need|We need|I want] the {t} [of this text|of the message|only].
[You are|Act as] a classifier[.|:] [Give|Return] the {t}.
[Answer|Reply] with the {t}[.| only.|, one label.]
""")
TASK_NOUNS = {
    "sentiment": cut("sentiment / polarity / opinion / tone / attitude"), "emotion": cut("emotion / feeling / mood"), "topic": cut("topic / category / subject / theme / section"),
    "intent": cut("intent / intention / purpose / request type / category"), "urgency": cut("urgency / priority / importance"), "spam": cut("class / category / label"),
    "question_type": cut("question type / kind of question / type of answer / expected answer"), "language": cut("language"), "formality": cut("style / register / formality"), "yes_no": cut("answer"),
}
OWN_REQUESTS = {
    "sentiment": sentences("""
How does the [writer|customer|author] feel[| about it]?
[Rate|Judge] [this|the] [review|comment].
Is this [review|comment|opinion] [good or bad|positive or negative], or neither?
[Does|Did] the [writer|customer] like it?
[What does the customer think|What is the verdict]?
"""),
    "emotion": sentences("""
How does the [writer|person|speaker] feel?
Which [emotion|feeling] [speaks from|is in|does one hear in] [the text|these words]?
[In what mood is|What moves] the [writer|speaker]?
"""),
    "topic": sentences("""
What is [this|the text|the article] about?
[Where|In which section] does this [article|text|headline] belong?
Which [field|area] is it about?
[File|Sort|Put] this [article|text] under the right heading.
"""),
    "intent": sentences("""
What does the [customer|user|person] want?
Why does [the customer|the user|somebody] write this?
[Which department|Where] should this [go|be sent]? Choose by intent.
[Route|Sort] this [request|message|question].
What is the [user|customer] asking for?
"""),
    "urgency": sentences("""
How urgent is [this|it|the message|the request]?
How soon [must|should] [we|one] [act|answer]?
[Set|Choose] the priority of [the ticket|this message].
How important is [this|the request]?
"""),
    "spam": sentences("""
Is this [|message |mail |text ]spam?
[Spam or not|Junk or not|Is it junk]?
[Check|Filter] [this message|this mail|the inbox entry].
Does this [message|mail] belong in the junk folder?
"""),
    "question_type": sentences("""
What does the question ask for?
What kind of [answer|thing] does [the question|this question] [ask for|expect|want]?
[Classify|Sort] the question[.| by what it asks for.]
What must the answer be?
"""),
    "language": sentences("""
[What|Which] language is [this|it|that|the text][| in]?
In [what|which] language is [this|the text] written?
[Detect|Name|Recognize|Identify] the language[.| of the text.]
[What|Which] language [does|did] the writer use?
"""),
    "formality": sentences("""
Is [this|the text|the message] formal[| or informal]?
How formal is [this|the text|the message]?
[Judge|Name|Classify] the style[.| of the text.]
"""),
    "yes_no": sentences("""
[Is it so|Is that right|Is that so]?
[Answer|Reply] [the question|with the right word|by the text][.| only.]
Does the text say [so|that|this]?
[Judge|Decide|Check] by the text.
[According to the text, what|What] is the [right|correct] answer?
[Decide|Check] [whether it is right|what the text says].
"""),
}
SPAM_ASKS = sentences("""
Is this [|message |mail |text ][spam|junk|an unwanted ad][?|, yes or no?]
[Spam|Junk]: yes or no?
[Say|Answer] yes if [it is|this is] [spam|junk], [else|otherwise] no.
[Yes or no|Tell me, yes or no]: is it [spam|junk]?
""")
ZH_SPAM_ASKS = sentences("[这是|这条是]垃圾短信吗？[回答是或不是。|]\n[是不是|判断是不是]垃圾[短信|信息]？\n是垃圾短信就[说|回答]是，否则[说|回答]不是。")
OPTION_REQUESTS = sentences("""
[Choose|Pick|Select][:| from:| one of:| one:] {o}.
[Options|Labels|Choices|Classes|Categories|Possible answers|Allowed values|Candidates]: {o}[.|]
[Answer|Reply|Respond] with [one of|exactly one of|one of these:] {o}.
[Is it|Which of these is it:] {o}?
One of {o}.
[It must be|The answer is|It is] one of {o}.
[Possible|Allowed|Valid] [labels|options|classes|answers] are {o}.
[Use|Take] one of [these labels|the labels]: {o}.
""")
OPTION_FIRST = sentences("""
[Classify|Label|Tag|Sort] [the text|this|the following text|this message] as {o}.
[Which of|Which one of] {o} [fits|fits best|is right|applies]?
[Decide|Say|Tell me] [which of|which one of] {o} [fits|it is|applies].
[Choose|Pick|Select] [the right one|the best label|one label] from {o}.
""")
OR_REQUESTS = sentences("""
[Is it|Is this|Would you call it] {o}?
{O}?
[Answer|Reply|Say] {o}.
[Say|Tell me] whether it is {o}.
""")
ZH_NOUNS = {
    "sentiment": cut("情感 / 情感倾向 / 态度 / 评价"), "emotion": cut("情绪 / 心情 / 感情"), "topic": cut("主题 / 话题 / 类别 / 分类"), "intent": cut("意图 / 目的 / 用户意图 / 请求类型"),
    "urgency": cut("紧急程度 / 优先级 / 重要程度"), "spam": cut("类别 / 标签"), "question_type": cut("问题类型 / 提问类型"), "yes_no": cut("答案"),
}
ZH_GENERIC = sentences("""
{t}[是什么|是哪个|是哪一个]？
[判断|请判断|找出|识别|请给出|说出|写出|预测][下面文字的|这段话的|文本的|]{t}。
{t}：
{t}？
[请|][选择|选出|给出][正确的|合适的|最合适的]{t}。
[按|根据]{t}[分类|给文本分类|归类]。
[这段话|这句话|文本|这条消息]的{t}[是什么|是哪个|是哪种]？
[只|请只]回答{t}。
[任务|你的任务]：[判断|找出|预测]{t}。
[阅读|看完|读完]文字，[回答|给出|选择]{t}。
""")
ZH_OWN = {
    "sentiment": sentences("[这条|这个]评论是好还是坏？\n[作者|顾客|客户][喜欢|满意]吗？\n这是[好评|正面评价]吗？"),
    "emotion": sentences("[说话人|作者]的[心情|感受]怎么样？\n[从文字看，|]这个人有什么[感受|情绪]？"),
    "topic": sentences("[这|这段话|这篇文章]是关于什么的？\n[这段话|这篇文章]属于哪个[栏目|领域]？"),
    "intent": sentences("[用户|顾客|客户]想[做什么|要什么]？\n[这条消息|这句话]是为了什么？\n[顾客|用户]的[需求|要求]是什么？"),
    "urgency": sentences("[这件事|这个请求]有多[急|重要]？\n[应该多快|多久之内要]处理？"),
    "spam": sentences("[这是|这条是]垃圾短信吗？\n[这条消息|这条短信]正常吗？"),
    "question_type": sentences("[这个问题|问题]问的是什么？\n[这个问题|提问的人]想知道[什么|哪方面]？"),
    "yes_no": sentences("[对吗|是这样吗|对不对]？\n[根据上文|根据文字|按照原文][回答|判断]。\n[文中|上文]是这么说的吗？"),
}
ZH_OPTIONS = sentences("""
[选项|可选|标签|类别|可选标签|候选]：{o}[。|]
[请选择|请从中选择|选一个|请选一个]：{o}。
从{o}中[选择|选一个|选出一个]。
[只能|请]回答{o}中的一个。
是{o}中的哪一个？
[请|]用{o}[之一|中的一个]回答。
""")
ZH_OPTION_FIRST = sentences("[请|][把|将][文本|这段话|下面的文字]分为{o}。\n{o}，[哪个|哪一个][对|合适|正确]？\n[判断|请判断|说说][这段话|它|文本]是{o}。")


def join_options(world: World, options: list[str], chinese: bool) -> str:
    """The options in a row, or below each other."""
    draw = world.random.random()
    if chinese:
        return world.random.choice(["、", "、", "，", "/", " / ", ", "]).join(options)
    if draw < 0.06:
        return "\n" + "\n".join(f"- {option}" for option in options)
    if draw < 0.35 and len(options) > 1:
        return ", ".join(options[:-1]) + (world.random.choice([" or ", " or ", ", or ", " and "]) if len(options) > 2 else " or ") + options[-1]
    if draw < 0.45:
        return ", ".join(f"{mark}{option}{mark}" for mark in [world.random.choice("\"'")] for option in options)
    return world.random.choice([", ", ", ", ", ", " / ", "/", " | ", "; "]).join(options)


def requests(world: World, language: str, task: str, options: Sequence[str]) -> str:
    """An instruction that asks for the label; it lists the options if there are any, mostly."""
    chinese = language == "zh"
    nouns = (ZH_NOUNS if chinese else TASK_NOUNS)[task]
    own = (ZH_OWN if chinese else OWN_REQUESTS)[task]
    noun = world.random.choice(nouns)
    if task == "spam" and {option.lower() for option in options} & {"yes", "no", "是", "不是"}:
        return exact(world, ZH_SPAM_ASKS if chinese else SPAM_ASKS)
    template = world.sentence(own if world.chance(0.45) else (ZH_GENERIC if chinese else GENERIC_REQUESTS))
    asked = template.format(t=noun, T=capital(noun))
    if not options or world.chance(0.3):
        return asked
    row = join_options(world, list(options), chinese)
    if len(options) <= 6 and not row.startswith("\n") and world.chance(0.25):
        return listed(world, list(options), chinese)
    listing = world.sentence(ZH_OPTIONS if chinese else OPTION_REQUESTS).format(o=row)
    if row.startswith("\n"):
        listing = world.random.choice(["Options:", "Labels:", "Choices:", "Choose one:"]) + row
    gap = world.random.choice(["", "", "\n"]) if chinese else world.random.choice([" ", " ", "\n"])
    if listing[-1] not in ".?!。？！":
        gap = "\n"
    return gap.join([asked, listing] if world.chance(0.8) and not row.startswith("\n") or row.startswith("\n") else [listing, asked])


def listed(world: World, options: list[str], chinese: bool) -> str:
    """One sentence that both asks and lists."""
    if chinese:
        return world.sentence(ZH_OPTION_FIRST).format(o="、".join(options[:-1]) + "还是" + options[-1])
    either = ", ".join(options[:-1]) + " or " + options[-1]
    if world.chance(0.5):
        return world.sentence(OR_REQUESTS).format(o=either, O=capital(either))
    return world.sentence(OPTION_FIRST).format(o=either)
