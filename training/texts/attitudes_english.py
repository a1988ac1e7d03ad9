"""Texts in English that show an attitude: sentiment, emotion, formality.

Words that carry it (a good or bad adjective) are knowledge: a held-out world uses the same words in sentences that training
never saw. Names and things are held out as everywhere.
"""

from __future__ import annotations

import re

from texts import words
from texts.filling import GOODS, casual, fill
from texts.phrasing import cut, exact, framed, sentences
from texts.world import World

# --- sentiment ------------------------------------------------------------------------------------

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
