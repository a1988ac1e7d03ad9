"""Problems that are solved in steps: sums told as stories, letters, things that change hands, numbers in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from texts import words
from texts.choices import zh_name
from texts.examples import Number
from texts.phrasing import articles, capital, cut, exact, sentences
from texts.world import World, first_name


@dataclass
class Problem:
    """A question with the steps to its answer."""

    kind: str
    question: str
    steps: list[str]
    answer: str | Number
    language: str


# --- stories with sums ----------------------------------------------------------------------------


@dataclass
class Story:
    """A kind of story: its beginning, what may change, and the question.

    `{n}` and `{m}` are people, `{a}` is the first number, `{b}` the number of a change, `{o}` the things.
    """

    things: list[str]
    starts: list[str]
    changes: dict[str, list[str]]
    questions: list[str]
    first: tuple[int, int] = (2, 99)
    factor: tuple[int, int] = (2, 9)


MARKS = {"+": "add", "-": "take", "*": "times", "/": "share"}
THINGS = cut("""
apples / books / coins / stamps / marbles / cards / eggs / pens / cups / shells / stones / toys / keys / flowers / candles / buttons / tickets / balls / oranges / plums /
stickers / pencils / beads / ribbons / postcards / magnets / crayons / acorns / feathers / pins / badges / photos / puzzles / bottles / hats / spoons / lemons / nuts / pears /
peaches / seeds / bulbs / ropes / nails / screws / blocks / dice / figurines / comics / records / cookies / muffins / donuts / balloons / leaves / masks / kites / bells
""")


def story(things: str, starts: str, questions: str, first: tuple[int, int] = (2, 99), factor: tuple[int, int] = (2, 9), **changes: str) -> Story:
    """A story whose sentences stand one a line; changes are named add, take, times and share."""
    names = {name: mark for mark, name in MARKS.items()}
    return Story(cut(things), sentences(starts), {names[name]: sentences(table) for name, table in changes.items()}, sentences(questions), first, factor)


STORIES = {
    "owned": Story(THINGS, sentences("""
        {n} [has|owns|starts with|keeps|possesses] {a} {o}[.| at first.| in the beginning.]
        [There are|We count|We see] {a} {o} in the [box|bag|drawer|basket] of {n}.
        {n} [counts|finds|keeps] {a} {o} in a [box|bag|drawer|basket].
        [At first|In the beginning|To start with|This morning], {n} [has|had] {a} {o}.
        {n} [collected|bought|received|got|was given] {a} {o}.
        {a} {o} [belong to|are owned by|lie in the room of] {n}.
        """), {
        "+": sentences("""
        {n} [buys|gets|finds|receives|collects|picks up] {b} more[ {o}|].
        {n} [buys|gets|finds|receives|collects] another {b}[.| {o}.]
        {m} [gives|hands|brings|sends|lends] {n} {b} more.
        [Then|Later|After that|The next day], {m} gives {b} [{o} |]to {n}.
        [Then|Later|On {d}], {b} [more {o}|more|new ones] are added.
        {n} gets {b} [{o}|more] [from {m}|as a gift|for free].
        """), "-": sentences("""
        {n} [gives|hands|sells|sends|passes] {b} [{o} |]to {m}.
        {n} [loses|sells|breaks|gives away|throws away|donates] {b}[ {o}|][.| of them.]
        {m} [takes|steals|borrows|buys] {b} [{o}|of them] from {n}.
        [Then|Later|After that|The next day], {b} [{o}|of them] [are lost|disappear|get broken|are given away].
        {n} [parts with|has to return|leaves behind] {b}[ {o}|].
        """), "*": sentences("""
        [Then|Later|A year later|Soon], {n} has {b} times as many[ {o}|].
        The number of {o} [grows|becomes] {b} times as [big|large|high].
        {n} [manages to get|ends up with|now owns] {b} times as many[ {o}|].
        """), "/": sentences("""
        {n} [shares|divides|splits] them [equally|evenly] into {b} [boxes|bags|piles] and keeps one[ of these|].
        [Then|Later], {n} puts them [equally|evenly] into {b} [boxes|bags|baskets] and [keeps just one of these|gives all but one of these away].
        """)},
        sentences("""
        How many {o} [does {n} have|are there|does {n} own] [now|at the end|in the end]?
        How many {o} [remain|are with {n}] [in the end|now]?
        [What is the number of {o}|What number of {o} does {n} have] [now|at the end]?
        [Find|Tell me|Calculate] the number of {o} [now|at the end].
        How many {o} [now|in total|at last]?
        """)),
    "money": story("dollars / euros / pounds / francs / crowns / coins", """
        {n} [has|owns|starts with|carries] {a} {o}[.| in a purse.| in the pocket.]
        There are {a} {o} in the [purse|wallet|account|piggy bank] of {n}.
        {n} [saved|earned|won|got|received] {a} {o}.
        [At first|On {d}|This week|In {mo}], {n} [has|had] {a} {o}.
        """, """
        How [much money|many {o}] does {n} have [now|left|in the end]?
        How many {o} [are left|remain|are there now]?
        [What is|Find|Tell me] the [amount|sum] [now|in the end][.|]
        What does {n} have [now|in the end]?
        """,
        add="""
        {n} [earns|gets|receives|wins|finds] {b} [{o}|more {o}|{o} more].
        {m} [gives|pays|sends|lends] {n} {b} {o}.
        [Then|Later|On {d}], {b} {o} [come in|are paid in|are added].
        For [washing the car|mowing the lawn|a birthday|some work], {n} gets {b} {o}.
        """, take="""
        {n} [spends|pays|loses|gives away] {b} {o}[.| on a {x}.]
        {n} [buys|gets] a {x} for {b} {o}.
        [A|The] {x} costs {n} {b} {o}.
        {n} [pays|gives|lends|sends] {m} {b} {o}.
        [Then|Later|On {d}], {b} {o} [are spent|are stolen|are lost].
        """, times="""
        {n} [invests it and|puts it in a bank and] [gets back|ends up with] {b} times as much.
        [Then|Later], the [amount|sum] becomes {b} times as [big|large|high].
        """, share="""
        {n} [shares|splits|divides] the money [equally|evenly] among {b} [people|friends|players] and is one of them.
{n} [spreads|divides|splits] the money evenly over {b} [days|weeks] and takes the part for one.
        """),
    "price": story("""{x}""", """
        [One|A single] {x} costs {a} [dollars|euros].
        The price of [one|a single] {x} is {a} [dollars|euros].
        [In this shop|Today], [one|a] {x} [costs|sells for|is] {a} [dollars|euros].
        A {x} is [sold|offered] for {a} [dollars|euros].
        """, """
        How much [does|must] {n} pay[| in the end| in total]?
        What is the [total|total price|final price|whole bill]?
        [What|How much] does {n} have to pay[| in the end]?
        [Find|Calculate|Tell me] the [total|final price].
        """, first=(2, 60),
        times="""
        {n} [buys|takes|orders|needs|gets] {b} of them.
        {n} wants {b} [of them|such things|pieces].
        {n} [puts|has] {b} of them in the [cart|basket].
        """, add="""
        [Delivery|Shipping|Wrapping|The postage|A box for it] [costs|adds|is] {b} more.
        {n} also [buys|takes|wants] a {y} for {b}.
        There is [a fee|a tax|an extra charge] of {b}.
        {n} [gives|leaves] a tip of {b}.
        """, take="""
        [A coupon|A discount|A voucher|A gift card] takes {b} off[ the price|].
        {n} [has|uses] a [coupon|voucher|gift card] worth {b}.
        The shop [takes|knocks] {b} off[.| the price.]
        The price [falls|drops|goes down] by {b}.
        """, share="""
        {n} and friends, {b} people [together|in all], share the [cost|bill] evenly.
        The [cost|bill] is [split|shared] evenly [among|between] {b} people, {n} is one of them.
        """),
    "distance": story("kilometers / miles", """
        {n} [walks|drives|rides|travels|runs] {a} {o} [on {d}|in the morning|first].
        The [trip|tour|hike|journey] of {n} begins with {a} {o}.
        [On the first day|In the morning|At first], {n} [covers|travels|rides] {a} {o}.
        [The first stage|The first leg] [is|measures] {a} {o}.
        """, """
        How [far|many {o}] [is it|is that|does {n} travel] [in total|altogether|in the end]?
        How many {o} does {n} cover [in total|in all|now]?
        [What is|Find|Calculate] the [distance|whole way] [in the end|now][.|]
        How long is the [way|tour] [in the end|now] in {o}?
        """, add="""
        [Then|After lunch|In the afternoon], {n} [goes on for|does|adds|covers] another {b} {o}.
        [After a rest|After a break|Then], {b} more {o} [follow|are added|come on top].
        {n} [goes|drives|continues] {b} {o} further.
        The [detour|next leg|second stage] adds {b} {o}.
        """, take="""
        [A shortcut|A bridge|A ferry|A tunnel] saves {b} {o}.
        The [way|tour] [is made|becomes] {b} {o} shorter.
        [Thanks to a shortcut|On the better road], it is {b} {o} less.
        """, times="""
        {n} [does|covers|repeats] [the same|this] {b} times [in all|altogether].
        {n} goes [that far|this way] on {b} days [in all|altogether].
        {n} [has to go|goes] the [whole way|tour] {b} times[.| in all.]
        """, share="""
        {n} [divides|splits] the [whole way|tour] into {b} equal [parts|stages] and does only one[ of them|].
The [whole way|tour] is [split|divided] into {b} equal [parts|stages], {n} [does|takes] just one.
        """),
    "time": story("minutes / hours", """
        {n} [works|reads|practices|trains|paints|studies] for {a} {o} [on {d}|first|in the morning].
        [The film|The lesson|The show|The game|The work] [takes|lasts] {a} {o}.
        [At first|In {mo}|To begin with], the [job|task] [takes|needs] {a} {o}.
        {n} plans {a} {o} for the [job|trip|task|meeting].
        """, """
        How [long|many {o}] [does it take|is it|is that] [in total|in the end|now|altogether]?
        How many {o} is it [in total|in all|in the end]?
        [What is|Find|Tell me] the [whole time|total time][.| in {o}.]
        How many {o} [does {n} need|does it last] [in the end|in total]?
        """, add="""
        [Then|After that|After a break], [it goes on for|{n} needs] another {b} {o}.
        It [takes|lasts] {b} {o} longer[ than planned| this time|].
        [Cleaning up|Packing|A break|A speech|The way home] takes {b} more {o}.
        {n} adds another {b} {o}.
        """, take="""
        [Thanks to help|With a new tool|With some luck], {n} saves {b} {o}.
        It is [over|finished|done] {b} {o} [earlier|sooner].
        {n} [cuts|shortens] it by {b} {o}.
        [The break|The second part] is left out, that is {b} {o} less.
        """, times="""
        {n} does [this|the same] on {b} days.
        {n} has to do it {b} times[.| in all.]
        [It happens|This is done|It is repeated] {b} times in [all|total].
        """, share="""
        {n} [divides|splits] the time evenly over {b} [days|parts|people] and [counts|looks at] just one.
        """),
    "sharing": story("""
        sweets / cookies / candies / cherries / grapes / chocolates / crackers / strawberries / pancakes / biscuits / sandwiches / pretzels / muffins / dates / figs / almonds / walnuts / marbles / stickers / balloons / cards / coins / pencils / beads
        """, """
        {n} [has|brings|bakes|buys|finds] {a} {o}[.| for the party.| for the children.]
        [There are|We have|They find] {a} {o} on the [table|plate|tray|counter].
        {a} {o} are [in the bag|in the bowl|on the plate|in the jar].
        {m} [gives|sends|hands] {n} {a} {o}.
        """, """
        How many {o} are there [now|in the end|at last]?
        How many {o} [remain|are left] [in the end|now|at last]?
        [Find|Tell me|Calculate] the number of {o} [in the end|now].
        """, share="""
        They are [shared|divided|split] [equally|evenly] among {b} [children|friends|people], and {n} [gets|takes|keeps] one share.
        {n} [shares|divides|splits] them [equally|evenly] among {b} [children|friends|people], and we [look at|follow] one share.
        {b} [plates|bags|boxes] get the same number, and {n} takes one of these.
        """, add="""
        {m} [adds|brings|bakes|puts down] {b} more.
        [Then|Later], {b} more {o} [come|are added|arrive].
        {n} [buys|gets|finds] {b} more {o}.
        """, take="""
        {m} [eats|takes|drops|removes] {b}[.| of them.]
        [Then|Later], {b} of the {o} [fall down|are gone|are taken away|disappear].
        {n} [gives away|loses|puts aside] {b}[.| of them.]
        """, times="""
        [Then|Soon|A little later|By magic], there are {b} times as many[ {o}|].
        {n} [makes|gets] so many that there are {b} times as many[ {o}|].
        """),
    "boxes": story("""
        bottles / apples / eggs / pencils / tiles / bricks / cans / jars / books / candles / balls / lamps / cups / plates / oranges / chairs / batteries / light bulbs / toys / bars of soap / T-shirts / magazines / screws / tins / pots / glasses
        """, """
        [Each|One|A|Every] [box|crate|carton|case] [holds|contains|has] {a} {o}.
        There are {a} {o} in [each|every|one] [box|crate|carton|case].
        {a} {o} [fit|go] into [each|every|one] [box|crate|carton|case].
        [They pack|{n} packs] {a} {o} into [each|every] [box|crate|carton].
        """, """
        How many {o} [are there|does {n} have] [in total|in all|in the end|now]?
        [What is|Find|Tell me|Calculate] the number of {o} [in the end|now][.|]
        How many {o} [remain|are in stock] [now|in the end]?
        """, first=(2, 40), times="""
        {n} [has|buys|orders|carries|fills|unloads] {b} of these.
        [There are|A truck brings|The shop has|The shelf holds] {b} of these.
        [The store|The school|A customer] [gets|orders|receives] {b} of them.
        """, add="""
        {b} [loose|single|extra] {o} [are added|lie beside them|come on top].
        {n} [finds|brings|adds] {b} [more|loose|single] {o}.
        [Besides|On top of that], there are {b} [loose|single] {o}.
        """, take="""
        {b} [{o}|of the {o}] [are broken|are sold|get lost|are taken out|are missing].
        {n} [sells|takes out|uses|throws away] {b}[ {o}| of them|].
        {m} [buys|takes|borrows] {b} {o}.
        """, share="""
        [Now|Then], all the {o} are [divided|split|spread] evenly over {b} shelves, and {n} [counts|looks at] one shelf.
        """),
    "ages": story("years", """
        {n} is {a} years old[.| now.| today.]
        {n} [has turned|turned|has just become] {a}[.| this year.| today.]
        [Today|Now|This year], {n} is {a}[.| years old.]
        The age of {n} is {a}[.| years.]
        """, """
        How old is the [last|last named] person?
        [What is|Find|Tell me] the age [in question|we look for][.|]
        How old is the person named last?
        [What|Which] age [is that|do we get]?
        """, first=(4, 60), factor=(2, 4), add="""
        [Somebody else|A friend|A cousin|A neighbor|A colleague] is {b} years older than [that|this person].
        [Somebody else|A cousin|A friend] was born {b} years [before|earlier than] [that|this] person.
        [We ask|Think] about somebody who is {b} years older than [that|this person].
        """, take="""
        [Somebody else|A friend|A cousin|A neighbor|A colleague] is {b} years younger than [that|this person].
        [Somebody else|A cousin|A friend] was born {b} years [after|later than] [that|this] person.
        [We ask|Think] about somebody who is {b} years younger than [that|this person].
        """, times="""
        [Somebody else|A grandparent|An old friend|A neighbor] is {b} times as old as [that|this person].
        [We ask|Think] about somebody who is {b} times as old as [that|this person].
        """, share="""
        [A small child|A little cousin|Somebody else] is as old as [that|this person] divided by {b}.
        Divide [that|this] age by {b} to get the age of [a small child|a little cousin|somebody else].
        """),
    "game": story("points", """
        {n} [has|scores|gets|makes|starts with] {a} points[.| in the first round.| at first.]
        [In the first round|At first|On the first level], {n} [gets|scores|has] {a} points.
        Our player {n} [begins with|has] {a} points.
        {a} points [go to|are given to] {n} in the first round.
        """, """
        How many points does {n} have [now|in the end|at the end]?
        What is the [score|final score|total] of {n}?
        [Tell me|Find|Calculate] the score of {n} [in the end|now].
        With how many points does {n} [end|finish]?
        """, add="""
        {n} [scores|wins|gets|makes|adds] {b} more[ points|].
        [In the next round|Then|Later], {n} [scores|wins|gets] {b} points.
        {n} gets a bonus of {b}[ points|].
        {m} [loses|gives] {b} points to {n}.
        """, take="""
        {n} [loses|drops|gives up] {b}[ points|].
        [In the next round|Then|Later], {n} loses {b} points.
        There is a penalty of {b} points for {n}.
        The referee [takes|removes] {b} points from {n}.
        {m} [wins|takes] {b} points from {n}.
        """, times="""
        A [joker|bonus card|magic star] multiplies the [score|points] by {b}.
        [In the last round|Then|By luck], the score of {n} becomes {b} times as high.
        """, share="""
        A [trap|curse|bad card] divides the [score|points] by {b}.
        [Then|In a bad round], the score of {n} is divided by {b}.
        """),
    "pages": story("pages", """
        {n} [reads|read|has read] {a} pages [on {d}|of a book|in the morning|of a novel].
        [On {d}|In the morning|At first], {n} [reads|read] {a} pages.
        [The book|The novel|The first chapter|A magazine|The comic] has {a} pages.
        {n} [writes|wrote|prints] {a} pages [on {d}|of a story|first].
        """, """
        How many pages [are there|is it] [in total|in the end|now]?
        [What is|Find|Tell me] the number of pages [in the end|now][.|]
        How many pages [do we count|do we get] [in total|in the end]?
        """, add="""
        [Then|After that|Later|On {d}], {n} [adds|takes on|does] {b} more pages.
        [The next part|The next chapter|An appendix] [adds|brings] {b} pages.
        {b} [more|further|new] pages [follow|come on top|are added].
        """, take="""
        {n} [skips|tears out|loses|deletes] {b} pages[ of these|].
        {b} of the pages [are lost|are taken out|are deleted].
        [Then|Later], {b} pages [are removed|are cut|fall out].
        """, times="""
        {n} does [the same|as much] on {b} days[.| in all.]
        {n} [prints|copies] all of them {b} times.
        [In the end|By {d}], there are {b} times as many pages.
        """, share="""
        {n} [spreads|divides|splits] them evenly over {b} [days|evenings|weeks] and counts just one[ of these|].
        The pages are [divided|split] evenly among {b} [readers|students], and {n} is one of them.
        """),
    "bus": story("people / passengers", """
        There are {a} {o} on the [bus|train|tram|ferry|boat|plane].
        {a} {o} [sit|are|ride] on the [bus|train|tram|ferry|boat|plane].
        A [bus|train|tram|ferry|boat] [starts|leaves {p}|sets off] with {a} {o}.
        [At the first stop|In {p}|At the station|At the start], {a} {o} [get on an empty bus|board an empty train|are on board].
        """, """
        How many {o} are [on board|there] [now|in the end|at last|then]?
        How many {o} [remain|are left|arrive|ride on] [in the end|at last]?
        [Find|Tell me|Calculate] the number of {o} [in the end|on board|now].
        """, add="""
        [Then|At the next stop|In {p}|At the station], {b} [{o}|more|more {o}] [get on|board|come on board].
        {b} [more|new|further] {o} [get on|board|step in|join].
        {b} [students|tourists|children|workers] [get on|come aboard|join].
        """, take="""
        [Then|At the next stop|In {p}|At the station], {b} [{o}|of them] [get off|leave|step out].
        {b} {o} [get off|leave|step out|walk away].
        {b} of the {o} [get off|leave] [at the next stop|in {p}|at the market|to walk].
        """, times="""
        [In {p}|At the big station|At the stadium], so many get on that there are {b} times as many.
        [At the airport|After the concert|Then], the number of {o} becomes {b} times as [high|large].
        """, share="""
        [At the border|In {p}|At the station], all {o} [change|move] evenly into {b} [buses|boats|cars], and we follow one of these.
        """),
    "cooking": story("""grams of flour / spoons of sugar / cups of rice / grams of butter / eggs / potatoes / carrots / grams of cheese / tomatoes / cups of milk / onions / spoons of oil / mushrooms / grams of sugar / slices of bread / apples""", """
        [The recipe|The soup|The cake|The dish|The stew] [needs|calls for|takes|begins with] {a} {o}.
        {n} [puts|throws|pours|mixes] {a} {o} into the [bowl|pot|pan].
        [For the cake|For the soup|For dinner|To start with], {n} [takes|needs|prepares] {a} {o}.
        There are {a} {o} [in the bowl|on the scale|in the pot|on the table].
        """, """
        How many {o} [are needed|are there|does it take] [in the end|now|in total]?
        [What is|Find|Tell me] the number of {o} [in the end|now][.|]
        How many {o} [does {n} need|does {n} use|are used] [in the end|in total|now]?
        """, add="""
        {n} [adds|puts in|mixes in|needs|takes] {b} more.
        [Then|After tasting|Later], {b} more [are added|go in|follow].
        {m} [wants|adds|brings] {b} more[ {o}|].
        """, take="""
        {n} [takes out|removes|leaves out] {b}[ of them|].
        [Then|After tasting|Later], {b} [are taken out|are left out|go back into the cupboard].
        {m} wants it with {b} less.
        """, times="""
        {n} cooks for [a party|many guests] and takes {b} times as much.
        [For a big party|For the whole street|For the neighbors], [everything|the amount] is multiplied by {b}.
        {n} makes the dish {b} times in all.
        """, share="""
        {n} makes a smaller [dish|meal|portion] and divides [everything|the amount] by {b}.
        [For a small child|For a taste], {n} divides the amount by {b}.
        """),
    "farm": story("sheep / cows / goats / hens / ducks / horses / pigs / geese / rabbits / trees / bushes / beehives / ponies / calves / lambs / chicks / fish / swans / doves / turkeys / plants / roses / tulips / vines", """
        {n} [has|keeps|owns|looks after] {a} {o} on the [farm|land|hill|island].
        [There are|We count|{n} sees] {a} {o} [in the field|on the farm|by the river|in {p}].
        [In spring|At first|Last year], {n} [had|owned] {a} {o}.
        The [farm|field|garden] of {n} has {a} {o}.
        """, """
        How many {o} [are there|does {n} have|are on the farm] [now|in the end|then]?
        [Find|Tell me|Calculate] the number of {o} [now|in the end].
        How many {o} [remain|are left|do we count] [in the end|at last]?
        """, add="""
        [Then|In {mo}|Later], {b} more [arrive|come|are added].
        {n} [buys|gets|raises|brings] {b} more[ {o}|].
        {m} [gives|sells|brings] {n} {b} more.
        """, take="""
        [Then|In {mo}|Later], {b} of them [are sold|are gone|are lost|go to {m}].
        {n} [sells|loses|gives away] {b}[ of them|].
        {m} [buys|takes|gets] {b} [of them|{o}] from {n}.
        """, times="""
        [In a good year|After some years|By {mo}], there are {b} times as many[ {o}|].
        The number of {o} is multiplied by {b}.
        """, share="""
        {n} [divides|splits] them evenly over {b} [fields|gardens|farms] and [looks at|keeps] [one|just one] of these.
        """),
}
MOST = 150  # of a sum; products stay in the multiplication table
TABLE = 12


def amount_for(world: World, kind: Story, operator: str, value: int) -> tuple[int, int] | None:
    """A number for the change, and the result; None if there is none that fits."""
    low, high = kind.factor
    if operator == "+":
        amount = world.integer(2, 99)
        return (amount, value + amount) if value + amount <= MOST else None
    if operator == "-":
        if value < 4:
            return None
        amount = world.integer(2, min(99, value - 1))
        return amount, value - amount
    if operator == "*":
        amount = world.random.randint(low, high)
        return (amount, value * amount) if value <= TABLE or amount == 10 and value <= TABLE**2 // 10 else None
    divisors = [number for number in range(2, TABLE + 1) if value % number == 0 and 2 <= value // number <= TABLE]
    if not divisors:
        return None
    amount = world.random.choice(divisors)
    return amount, value // amount


OPERATORS = {"owned": "++++---*/", "price": "**++-/", "boxes": "***+-/", "sharing": "//+-*"}


def draw_changes(world: World, name: str, kind: Story, count: int) -> tuple[int, list[tuple[str, int, int]]]:
    """A first number, and changes as operator, number and result."""
    pool = OPERATORS.get(name, "+++---*/")
    while True:
        value = start = world.integer(*kind.first)
        changes: list[tuple[str, int, int]] = []
        for position in range(count):
            first_times = position == 0 and name in ("price", "boxes")
            operator = "*" if first_times else world.random.choice([mark for mark in pool if mark in kind.changes and not (name in ("price", "boxes") and mark == "*")])
            fitting = amount_for(world, kind, operator, value)
            if fitting is None or name == "ages" and not 2 <= fitting[1] <= 120:
                break
            changes.append((operator, *fitting))
            value = fitting[1]
        if len(changes) == count:
            return start, changes


def two_names(world: World, make: Callable[[World], str], count: int = 2) -> list[str]:
    """Different names."""
    names: list[str] = []
    while len(names) < count:
        name = make(world)
        if name not in names:
            names.append(name)
    return names


def steps_of(start: int, changes: list[tuple[str, int, int]]) -> list[str]:
    """The sums, one after the other."""
    steps, value = [], start
    for operator, amount, result in changes:
        steps.append(f"{value} {operator} {amount} = {result}")
        value = result
    return steps


def arithmetic(world: World, language: str, steps: int | None = None) -> Problem:
    """A story of one to three sums."""
    stories = STORIES if language == "en" else ZH_STORIES
    name = world.random.choice(list(stories))
    kind = stories[name]
    start, changes = draw_changes(world, name, kind, steps or world.random.choice([1, 1, 2, 2, 2, 3]))
    chinese = language == "zh"
    people = two_names(world, zh_name if chinese else first_name)
    goods = world.several([entry for entry in words.PRODUCTS if "_" not in entry], 2) if not chinese else world.random.sample(ZH_GOODS, 2)
    given = {
        "n": people[0], "m": people[1], "o": world.random.choice(kind.things), "x": goods[0].replace("_", " "), "y": goods[1].replace("_", " "),
        "d": world.random.choice(words.DAYS if not chinese else ZH_DAYS), "mo": world.random.choice(words.MONTHS if not chinese else ZH_MONTHS), "p": place(world, chinese),
    }
    given["o"] = given["o"].format(**given)
    parts = [exact(world, kind.starts).format(a=start, **given)]
    parts += [exact(world, kind.changes[operator]).format(b=amount, **given) for operator, amount, _ in changes]
    parts.append(world.sentence(kind.questions).format(**given))
    if not chinese and world.chance(0.1):
        parts.insert(world.random.randint(1, len(parts) - 1), world.sentence(ASIDES).format(**given))
    text = "".join(parts) if chinese else articles(" ".join(capital(part) for part in parts))
    return Problem("arithmetic", text, steps_of(start, changes), Number(str(changes[-1][2])), language)


ASIDES = sentences("""
It is a [sunny|rainy|cold|warm|long] [day|morning|evening] in [{p}|{mo}].
{m} [watches|is nearby|smiles|waits|is asleep].
{n} [lives in {p}|is in a good mood|has a friend named {m}|loves numbers].
[The weather is fine|It is {d}|Nobody is in a hurry|The radio is on].
""")


def place(world: World, chinese: bool) -> str:
    """A city."""
    return world.random.choice(words.CHINESE_CITIES) if chinese else world.mixed(words.CITIES, 0.3)


# --- stories in Chinese ---------------------------------------------------------------------------

ZH_DAYS = cut("星期一 / 星期二 / 星期三 / 星期四 / 星期五 / 星期六 / 星期天")
ZH_MONTHS = cut("一月 / 二月 / 三月 / 四月 / 五月 / 六月 / 七月 / 八月 / 九月 / 十月")
ZH_GOODS = cut("杯子 / 书包 / 台灯 / 雨伞 / 毛巾 / 帽子 / 球拍 / 水壶 / 键盘 / 枕头 / 闹钟 / 玩具 / 花瓶 / 盘子 / 椅子 / 手套")
ZH_THINGS = cut("苹果 / 鸡蛋 / 橘子 / 贝壳 / 球 / 杯子 / 玩具 / 气球 / 纽扣 / 梨 / 桃子 / 石子 / 风筝 / 硬币 / 徽章 / 面包 / 柠檬 / 核桃 / 铃铛 / 灯笼 / 积木 / 包子 / 西瓜 / 土豆")
ZH_STORIES = {
    "owned": Story(ZH_THINGS, sentences("""
        {n}[有|原来有|一开始有|手里有|一共有]{a}个{o}。
        {n}的[盒子|袋子|篮子|抽屉]里有{a}个{o}。
        [开始时|起初|早上|{d}]，{n}[有|得到了]{a}个{o}。
        {n}[买了|收集了|捡到了]{a}个{o}。
        """), {"+": sentences("""
        {n}[又|后来又|接着又][买了|得到|捡到|找到]{b}个[{o}|]。
        {m}[给了|送给|又给]{n}{b}个[{o}|]。
        [后来|然后|第二天]，[又多了|又来了|增加了]{b}个[{o}|]。
        """), "-": sentences("""
        {n}[又|后来|接着][卖掉|丢了|弄坏|送出]{b}个[{o}|]。
        {n}[给了|送给|卖给]{m}{b}个[{o}|]。
        {m}[拿走了|借走了|买走了]{b}个[{o}|]。
        [后来|然后|第二天]，[少了|不见了|坏了]{b}个[{o}|]。
        """), "*": sentences("""
        [后来|然后|一年后]，{n}的{o}[变成|增加到]原来的{b}倍。
        [接着|后来]，{o}的数量[变为|变成了|增加到]原来的{b}倍。
        """), "/": sentences("""
        {n}把{o}平均分成{b}份，[只留下一份|自己留一份]。
        [后来|然后]，{o}平均分给{b}个人，{n}[得到|拿到]其中一份。
        """)}, sentences("""
        {n}[现在|最后][有|还有]多少个{o}？
        [现在|最后|一共][有|还剩]多少个{o}？
        [请问|问]：{n}最后有[几个|多少个]{o}？
        {o}[最后|现在]有多少个？
        """)),
    "money": story("元 / 块钱", """
        {n}[有|带了|存了|挣了]{a}{o}。
        {n}的[钱包|口袋|账户|存钱罐]里有{a}{o}。
        [开始时|{d}|这个月]，{n}[有|得到]{a}{o}。
        """, """
        {n}[现在|最后][有|还有]多少{o}？
        [现在|最后|一共]有多少{o}？
        {n}的钱[最后|现在]是多少？
        """, add="""
        {n}[又|后来又][挣了|得到|捡到|存了]{b}{o}。
        {m}[给了|借给|还给]{n}{b}{o}。
        [后来|{d}]，{n}[收到|得到|赚了]{b}{o}。
        """, take="""
        {n}[花了|用掉|丢了]{b}{o}。
        {n}花{b}{o}买了一个{x}。
        {n}[给了|借给|付给]{m}{b}{o}。
        [后来|{d}]，{n}[花掉|用了]{b}{o}。
        """, times="""
        [后来|然后|一年后]，{n}的钱[变成|增加到]原来的{b}倍。
        投资以后，钱[变成|增加到]原来的{b}倍。
        """, share="""
        {n}把钱平均分给{b}个[人|朋友|孩子]，[看其中一份|只算其中一份]。
        """),
    "price": story("元", """
        [一个|每个]{x}[卖|要|是|的价格是]{a}元。
        {x}的[单价|价格]是{a}元一个。
        [商店里|今天]，[一个|每个]{x}{a}元。
        """, """
        [一共|总共|最后]要付多少[元|钱]？
        {n}[最后|一共]要[付|花]多少钱？
        总价是多少？
        """, first=(2, 60), times="""
        {n}[买了|要|订了|拿了]{b}个。
        {n}的[篮子|购物车]里有{b}个。
        """, add="""
        [运费|包装费|手续费|盒子][是|要]{b}元。
        {n}[还|又]买了{b}元的{y}。
        另外还要[加|付]{b}元。
        """, take="""
        [优惠券|会员卡|打折]减{b}元。
        {n}[有|用了]一张{b}元的[优惠券|代金券]。
        店里[便宜了|减了]{b}元。
        """, share="""
        [大家|最后]{b}个人平均分摊，{n}是其中一个。
        总价由{b}个人平均[分担|付]，{n}[是其中一个|付其中一份]。
        """),
    "distance": story("公里 / 千米", """
        {n}[走了|骑了|跑了|开了]{a}{o}。
        [上午|第一天|开始时]，{n}[走了|骑了|开了]{a}{o}。
        第一段路[长|是]{a}{o}。
        """, """
        [一共|最后|现在]是多少{o}？
        {n}[一共|总共]走了多少{o}？
        [总路程|全程]是多少{o}？
        """, add="""
        [后来|下午|然后]，{n}又[走了|前进了|加了]{b}{o}。
        [休息以后|吃完饭]，{n}[再走|又走]了{b}{o}。
        [后面|接下来]还有{b}{o}。
        """, take="""
        走[近路|小路]少了{b}{o}。
        [新修的桥|隧道]让路[短了|少了]{b}{o}。
        """, times="""
        这段路{n}[走了|一共走]{b}遍。
        {n}[一共|总共]{b}天，每天都走这么远。
        """, share="""
        {n}把[路|全程]平均分成{b}段，[只走一段|今天走一段|走其中一段]。
        """),
    "bus": story("人 / 乘客", """
        [公交车|火车|船|地铁]上有{a}个{o}。
        [一辆公交车|一列火车|一条船]载着{a}个{o}[出发|离开{p}]。
        [在{p}|起点站]，车上有{a}个{o}。
        """, """
        [现在|最后]车上[有|还有]多少个{o}？
        车上[一共|还]有多少{o}？
        最后[有|剩下]多少个{o}？
        """, add="""
        [到了{p}|下一站|然后]，上来{b}个[{o}|]。
        [又|后来]上了{b}个[{o}|]。
        [又|后来]有{b}个[学生|游客|孩子]上车。
        """, take="""
        [到了{p}|下一站|然后]，下去{b}个[{o}|]。
        [又|后来]下了{b}个[{o}|]。
        [又|后来]有{b}个[{o}|]下车。
        """, times="""
        [到了{p}|在大站|后来|然后]，[人数|车上的人数]变成原来的{b}倍。
        """, share="""
        [到了{p}|在终点站|后来]，大家平均[换到|坐到]{b}辆小车上，[看|数]其中一辆。
        """),
    "boxes": story("瓶子 / 苹果 / 鸡蛋 / 铅笔 / 杯子 / 罐头 / 书 / 球 / 灯泡 / 玩具 / 橘子 / 面包", """
        [每箱|一箱][有|装]{a}个{o}。
        [每个|一个]箱子里[有|装]{a}个{o}。
        {n}在每箱里[放|装]{a}个{o}。
        """, """
        [一共|现在|最后]有多少个{o}？
        {o}[一共|最后]有多少个？
        {n}[一共|最后]有多少个{o}？
        """, first=(2, 40), times="""
        {n}[有|买了|搬来|装了]这样的{b}箱。
        [一共|这里|店里]有{b}箱。
        """, add="""
        [另外|旁边]还有{b}个[散的|单独的]{o}。
        {n}[又|另外]加了{b}个{o}。
        """, take="""
        [其中|后来]{b}个[坏了|碎了|卖了|不见了]。
        {n}[拿走|卖掉|用了]{b}个{o}。
        """, share="""
        [后来|然后]，全部平均放在{b}个[架子上|柜子里]，{n}[看|数]其中一个。
        """),
    "game": story("分", """
        {n}[第一轮得了|开始有|先得了]{a}分。
        [第一局|第一轮|开始时]，{n}[得|有|拿到]{a}分。
        {n}的[分数|得分]是{a}分。
        """, """
        {n}[现在|最后][有|得]多少分？
        {n}的[总分|最后得分|分数]是多少？
        [最后|一共]是多少分？
        """, add="""
        {n}[又|接着又][得了|赢了|加了]{b}分。
        [第二轮|后来|下一局]，{n}[得了|赢了|增加]{b}分。
        [奖励|加分]{b}分。
        """, take="""
        {n}[又|后来][丢了|输了|扣了]{b}分。
        [第二轮|后来|下一局]，{n}[丢了|输了|扣掉]{b}分。
        [犯规|失误]扣{b}分。
        """, times="""
        [好运卡|奖励卡]让分数变成原来的{b}倍。
        [最后一轮|后来]，分数变成原来的{b}倍。
        """, share="""
        [坏运卡|陷阱|失误][让|使]分数除以{b}。
        """),
    "pages": story("页", """
        {n}[读了|看了|写了|复习了]{a}页。
        [星期一|上午|第一天]，{n}[读了|看了|写了]{a}页书。
        [这本书|这本小说|这本杂志]有{a}页。
        """, """
        [一共|最后|现在]是多少页？
        请问[一共|最后]是多少页？
        页数[最后|现在]是多少？
        """, add="""
        {n}[又|后来又][加了|添了|做了]{b}页。
        [第二天|晚上|然后]，{n}又[加了|增加]{b}页。
        [附录|下一章][还有|又有]{b}页。
        """, take="""
        [后来|然后]，[去掉|撕掉|删掉]{b}页。
        其中{b}页[不算|丢了|作废]。
        """, times="""
        {n}[一共|总共]{b}天，每天都是这么多页。
        这样的[书|册子]一共{b}本。
        """, share="""
        {n}[平均分成|分成同样多的]{b}份，[只看一份|今天看一份]。
        """),
    "ages": story("岁", """
        {n}[今年|现在|已经]{a}岁。
        {n}的年龄是{a}岁。
        [今年|今天]{n}[满|是]{a}岁。
        """, """
        最后[这个人|那个人|提到的人]多少岁？
        最后[这个人|那个人|提到的人][今年|现在]多大？
        求最后[这个人|那个人|提到的人]的年龄。
        """, first=(4, 60), factor=(2, 4), add="""
        [另一个人|一位朋友|一位亲戚]比[这个人|前面的人]大{b}岁。
        [另一个人|一位朋友|一位同事]比[这个人|前面的人]早{b}年出生。
        """, take="""
        [另一个人|一位朋友|一位亲戚]比[这个人|前面的人]小{b}岁。
        [另一个人|一位朋友|一位同事]比[这个人|前面的人]晚{b}年出生。
        """, times="""
        [另一个人|一位老人|一位长辈]的年龄是[这个人|前面的人]的{b}倍。
        """, share="""
        [一个孩子|一个小朋友|另一个人]的年龄是[这个人|前面的人]的{b}分之一。
        """),
    "farm": story("羊 / 牛 / 鸡 / 鸭 / 鹅 / 兔子 / 鸽子 / 狗 / 猫 / 山羊 / 乌龟 / 小鸟", """
        {n}[养了|有|照看]{a}只{o}。
        [农场里|山上|河边|院子里]有{a}只{o}。
        [春天|开始时|去年]，{n}[有|养着]{a}只{o}。
        """, """
        [现在|最后|一共]有多少只{o}？
        {n}[现在|最后]有多少只{o}？
        [最后|现在]，{o}有多少只？
        """, add="""
        {n}[又|后来又][买了|养了|带来]{b}只。
        {m}[给了|送给|卖给]{n}{b}只。
        [{mo}|后来]，[又来了|多了|又生了]{b}只。
        """, take="""
        {n}[卖掉|送走|丢了]{b}只。
        {m}[买走|带走|借走]{b}只。
        [{mo}|后来]，[少了|跑了|不见了]{b}只。
        """, times="""
        [几年后|后来|然后|到了{mo}]，[数量|{o}的数量][变成|增加到]原来的{b}倍。
        """, share="""
        {n}把它们平均[放在|分到]{b}个[院子|园子]里，[看|数]其中一个。
        """),
}


# --- letters --------------------------------------------------------------------------------------

LAST_REQUESTS = sentences("""
[Take|Get|Write down|Find] the last letter of [each word in|every word in|each of the words] [{q}|{w}] and [join them|put them together|concatenate them].
[Concatenate|Join|Combine|Put together] the last [letters of the words|letter of each word|letter of every word][:| in:| of:] [{w}|{q}].
[What do you get|What word comes out] if you [join|combine|put together] the last letters of {q}?
Last letters of {q}[?|, please.| joined:]
What do the last letters of {q} [spell|form|make]?
Tell me what the last letters of {q} [spell|form].
[Join|Concatenate] the [final|last] [letters|letter of each word] of {w}.
[Words|Names]: {w}. [Take|Join] the last letter of each[ one|].
[I need|Give me] the last letters of {w} [as one word|in a row|together].
""")
FIRST_REQUESTS = sorted(entry.replace("last", "first").replace("Last", "First").replace("final", "initial") for entry in LAST_REQUESTS)
ZH_LAST_REQUESTS = sentences("""
[取|写出|找出]“{w}”中每个[词|单词]的最后一个字母[，连在一起|，拼起来|，合成一个词]。
把{w}每个[词|名字|单词]的[最后一个字母|尾字母][连起来|拼在一起|接起来]。
“{w}”[各个词|每个单词]的最后一个字母[连起来是什么|拼成什么]？
[连接|拼接|合并]{w}的[最后一个字母|尾字母]。
[单词|名字]：{w}。[取|连接]每个的最后一个字母。
{w}的尾字母[依次|按顺序]是什么？[连在一起写|拼起来]。
""")
ZH_FIRST_REQUESTS = sorted(entry.replace("最后一个字母", "第一个字母").replace("尾字母", "首字母") for entry in ZH_LAST_REQUESTS)


def letter_words(world: World) -> list[str]:
    """Two to four words: names, common words or invented ones."""
    pools = world.random.choice([[words.FIRST_NAMES], [words.COMMON], [words.FIRST_NAMES, words.LAST_NAMES], [words.COMMON, words.FIRST_NAMES], [words.LAST_NAMES], []])
    chosen: list[str] = []
    count = world.random.choice([2, 2, 3, 3, 4])
    while len(chosen) < count:
        word = world.invented(1, 2) if not pools or world.chance(0.15) else world.pick(world.pick(pools))
        word = word.capitalize() if pools and pools[0] is not words.COMMON else word
        if word.isalpha() and word not in chosen:
            chosen.append(word)
    return chosen


def letters(world: World, language: str, kind: str, index: int, tables: tuple[list[str], list[str]]) -> Problem:
    """Letters of some words, joined."""
    chosen = letter_words(world)
    requests = tables[1] if language == "zh" else tables[0]
    joint = world.random.choice([" ", " ", ", "])
    row = joint.join(chosen)
    if language == "zh" and joint == ", ":
        row = "、".join(chosen)
    question = exact(world, requests).format(w=row, q=f'"{row}"')
    found = [word[index].lower() for word in chosen]
    return Problem(kind, question, [f"{word}: {letter}" for word, letter in zip(chosen, found)], "".join(found), language)


def last_letters(world: World, language: str) -> Problem:
    """The last letters of some words, joined."""
    return letters(world, language, "last_letters", -1, (LAST_REQUESTS, ZH_LAST_REQUESTS))


def first_letters(world: World, language: str) -> Problem:
    """The first letters of some words, joined."""
    return letters(world, language, "first_letters", 0, (FIRST_REQUESTS, ZH_FIRST_REQUESTS))


# --- things that change hands ---------------------------------------------------------------------


@dataclass
class Swap:
    """A kind of thing that people hold: the things, how a text says who has which, and the swaps and questions."""

    things: list[str]
    openings: list[str]
    holds: list[str]
    swaps: list[str]
    questions: list[str]


HAND_SWAPS = sentences("""
{a} and {b} [swap|trade|switch|exchange] [what they have|their things].
[Then|Next|Now|After that|Later|A little later], {a} and {b} [swap|trade|switch].
{a} [swaps|trades|switches] with {b}.
[Then|Next|Now|After that|Later], {a} [swaps|trades|switches] with {b}.
{a} gives {b} what {a} has and gets what {b} has.
[Then|Next|Now|After that], {a} and {b} [exchange|swap] [what they hold|their things].
""")
HAND_QUESTIONS = sentences("""
What does {n} have [at the end|now|in the end|after that|afterwards]?
[At the end|In the end|Now|After all that], what [does {n} have|does {n} hold|is with {n}]?
Which one [does {n} have|is with {n}|does {n} hold] [at the end|now|in the end]?
What is {n} left with[| at the end]?
[Tell me|Find out|Say] what {n} has [at the end|now|in the end].
What ends up with {n}[| at the end| after all that]?
""")
PLACE_SWAPS = sentences("""
{a} and {b} [swap|trade|switch|change] places.
[Then|Next|Now|After that|Later], {a} and {b} [swap|trade|switch] places.
{a} [swaps|trades|switches] places with {b}.
[Then|Next|Now|After that], {a} [swaps|changes] places with {b}.
{a} takes the place of {b}, and {b} that of {a}.
""")
PLACE_QUESTIONS = sentences("""
Where is {n} [at the end|now|in the end|afterwards]?
[At the end|In the end|Now|After all that], where is {n}?
[Which|What] [place|position] does {n} have [at the end|now|in the end]?
[Tell me|Find out|Say] where {n} is [at the end|now|in the end].
At [which|what] place is {n} [at the end|now|in the end]?
Where does {n} end up[| after all that]?
""")
TOY_OPENINGS = cut("""
{h}. / At first, {h}. / In the beginning, {h}. / {abc} are playing a game. {h}. / {abc} are friends. {h}. / There is a party. {h}. / {abc} sit at a table. {h}. / {abc} meet at school. At the start, {h}. /
{abc} play a game. At the start, {h}. / To begin with, {h}. / Today {h}. / {abc} are in the park. {h}. / It is a game for three. {h}. / {abc} stand in a circle. {h}. / Before the game, {h}. / This is how it starts: {h}.
""")


def colored(thing: str) -> list[str]:
    """One thing in every color."""
    return [f"{color} {thing}" for color in words.COLORS]


HOLD = ["{n} has {t}", "{n} holds {t}", "{n} gets {t}", "{n} carries {t}", "{n} takes {t}", "{n} is given {t}", "{n} starts with {t}", "{n} owns {t}", "{n} has {t} in hand"]
SHORT_THINGS = [entry for entry in words.PRODUCTS if "_" not in entry]
SWAP_KINDS = [
    Swap(colored("ball"), TOY_OPENINGS, HOLD, HAND_SWAPS, HAND_QUESTIONS),
    Swap(colored("book"), TOY_OPENINGS, HOLD, HAND_SWAPS, HAND_QUESTIONS),
    Swap(colored("hat"), TOY_OPENINGS, [*HOLD, "{n} wears {t}", "{n} puts on {t}"], HAND_SWAPS, HAND_QUESTIONS),
    Swap(colored("present"), TOY_OPENINGS, [*HOLD, "{n} brings {t}", "{n} receives {t}"], HAND_SWAPS, HAND_QUESTIONS),
    Swap(colored("card"), TOY_OPENINGS, HOLD, HAND_SWAPS, HAND_QUESTIONS),
    Swap(SHORT_THINGS, TOY_OPENINGS, HOLD, HAND_SWAPS, HAND_QUESTIONS),
    Swap(cut("apple / pear / cake / cookie / sandwich / orange / lemon / pie / carrot / potato / egg / plum / peach / melon / muffin / donut"), TOY_OPENINGS, HOLD, HAND_SWAPS, HAND_QUESTIONS),
    Swap(cut("goalkeeper / striker / captain / defender / referee / drummer / singer / dancer / guard / cook / driver / pilot / clown / judge / guide / clerk"), cut(
        "{h}. / In this play, {h}. / At first, {h}. / {abc} play together. {h}. / In the first scene, {h}. / To begin with, {h}. / {abc} share the jobs. {h}. / The roles: {h}."),
         ["{n} is {t}", "{n} plays {t}", "{n} starts as {t}", "{n} works as {t}", "{n} begins as {t}", "{n} acts as {t}", "{n} is made {t}", "{n} has the role of {t}"], sentences("""
        {a} and {b} [swap|trade|switch|exchange] [roles|jobs|parts].
        [Then|Next|Now|After that|Later], {a} and {b} [swap|trade|switch|exchange] [roles|jobs|parts].
        {a} [swaps|trades|switches] [roles|jobs|parts] with {b}.
        """), sentences("""
        What is the [role|job|part] of {n} [at the end|now|in the end]?
        [At the end|In the end|Now], what is {n}?
        [Which|What] [role|job|part] does {n} have [at the end|now|in the end]?
        [Tell me|Say] which [role|job|part] {n} has [at the end|now|in the end].
        """)),
]
POSITIONS = Swap(cut("left / middle / right"), cut("""
{h}. / {abc} stand in a row. {h}. / {abc} sit on a bench. {h}. / At first, {h}. / In the photo, {h}. / In the beginning, {h}. / {abc} sit in the back of a car. {h}. / On the stage, {h}. / Seen from here, {h}.
"""), cut("{n} is {t} / {n} stands {t} / {n} sits {t} / {n} takes the place {t} / {n} waits {t} / {n} starts {t} / {n} has the place {t} / {n} is placed {t}"), PLACE_SWAPS, PLACE_QUESTIONS)
SIDES = {"left": "on the left", "middle": "in the middle", "right": "on the right"}
ZH_SWAPS = sentences("""
[然后|接着|后来|现在|之后|随后]，{a}[和|跟|与]{b}[交换|互换|对换]了[|一下|手里的东西]。
{a}[和|跟|与]{b}[交换|互换|对换]。
[然后|接着|后来]{a}把自己的给了{b}，{b}也把自己的给了{a}。
""")
ZH_SWAP_QUESTIONS = sentences("""
[最后|现在|结束时|到最后]，{n}[有|拿着]什么？
{n}[最后|现在|手里][有|拿着|得到]什么？
[请问|问]：{n}[最后|现在][有|拿着]什么？
[说出|告诉我]{n}[最后|现在]有什么。
""")
ZH_COLORS = cut("红 / 蓝 / 绿 / 黄 / 黑 / 白 / 紫 / 橙 / 灰 / 粉 / 金 / 银")
ZH_OPENINGS = cut("{h}。 / 开始时，{h}。 / 起初{h}。 / {abc}在玩游戏。{h}。 / {abc}是朋友。{h}。 / 游戏开始了，{h}。 / {abc}在公园里。{h}。 / 一开始{h}。 / 三个人在一起，{h}。")
ZH_HOLD = cut("{n}有{t} / {n}拿着{t} / {n}得到{t} / {n}手里是{t} / {n}带着{t} / {n}拿到{t} / {n}的是{t} / {n}分到{t}")
ZH_SWAP_KINDS = [
    Swap([color + "球" for color in ZH_COLORS], ZH_OPENINGS, ZH_HOLD, ZH_SWAPS, ZH_SWAP_QUESTIONS), Swap([color + "帽子" for color in ZH_COLORS], ZH_OPENINGS, ZH_HOLD, ZH_SWAPS, ZH_SWAP_QUESTIONS),
    Swap([color + "书" for color in ZH_COLORS], ZH_OPENINGS, ZH_HOLD, ZH_SWAPS, ZH_SWAP_QUESTIONS), Swap([color + "卡片" for color in ZH_COLORS], ZH_OPENINGS, ZH_HOLD, ZH_SWAPS, ZH_SWAP_QUESTIONS),
    Swap(ZH_THINGS, ZH_OPENINGS, ZH_HOLD, ZH_SWAPS, ZH_SWAP_QUESTIONS), Swap(ZH_GOODS, ZH_OPENINGS, ZH_HOLD, ZH_SWAPS, ZH_SWAP_QUESTIONS),
]


def state_text(state: dict[str, str]) -> str:
    """Who has what, as a step writes it."""
    return ", ".join(f"{name} {thing}" for name, thing in state.items())


def joined(items: list[str], chinese: bool, world: World) -> str:
    """Items in a row: with `and` before the last."""
    if chinese:
        return "、".join(items[:-1]) + world.random.choice(["和", "和", "跟"]) + items[-1]
    return ", ".join(items[:-1]) + world.random.choice([" and ", ", and "]) + items[-1]


def holding(world: World, kind: Swap, state: dict[str, str], chinese: bool) -> str:
    """The clauses that say who has what."""
    hold = world.pick(kind.holds)
    article = "the " if world.chance(0.5) else "a "
    clauses = []
    for name, thing in state.items():
        told = thing if chinese else SIDES[thing] if kind is POSITIONS else f"{article}{thing}"
        clauses.append(articles(hold.format(n=name, t=told)))
    if chinese:
        return "，".join(clauses)
    return joined(clauses, False, world) if world.chance(0.7) else "; ".join(clauses)


def shuffled_objects(world: World, language: str) -> Problem:
    """Three people hold things and swap them; who has what at the end?"""
    chinese = language == "zh"
    names = two_names(world, zh_name if chinese else first_name, 3)
    kind = world.random.choice(ZH_SWAP_KINDS if chinese else [*SWAP_KINDS, POSITIONS])
    things = world.random.sample(kind.things, 3)
    state = dict(zip(names, things))
    opening = world.pick(kind.openings).format(h=holding(world, kind, state, chinese), abc=joined(names, chinese, world))
    parts, steps = [capital(opening) if not chinese else opening], [state_text(state)]
    for _ in range(world.random.choice([1, 2, 2, 3, 3])):
        first, second = world.random.sample(names, 2)
        state[first], state[second] = state[second], state[first]
        parts.append(exact(world, kind.swaps).format(a=first, b=second))
        steps.append(f"{first} and {second}: {state_text(state)}" if not chinese else f"{first}和{second}：{state_text(state)}")
    asked = world.random.choice(names)
    parts.append(world.sentence(kind.questions).format(n=asked))
    return Problem("shuffled_objects", ("" if chinese else " ").join(parts), steps, state[asked], language)


# --- small tasks with numbers and lists -----------------------------------------------------------

COUNT_REQUESTS = sentences("""
How [many times|often] does [the word |]{q} [occur|appear|stand|come] in [this list|the list|this row]: {l}?
[Count|Tell me how often we see|Find how many times we read] {q} in [the list|this list|this row|the following]: {l}
[List|Row|Words]: {l}. How [often|many times] do you see {q}?
In {l}, how [often|many times] is {q} [there|named|written]?
""")
ITEM_REQUESTS = sentences("""
How many [words|things|entries|items] are in [this list|the list|this row]: {l}?
[Count the|Tell me the number of] [words|things|entries|items][:| in this list:| here:] {l}
[List|Row]: {l}. How many [entries|items|words] [are there|do you count|does it have]?
[How long is|What is the length of] [this list|the list]: {l}?
""")
LARGEST_REQUESTS = sentences("""
[Which|What] is the {k} [number|of these numbers|one]: {l}?
Which is the {k} [of|among] {l}?
[Find|Give me|Name|Tell me|Pick] the {k} [number|of these|one]: {l}
{l}: which [number |one |]is the {k}?
[Numbers|List|Values]: {l}. [Tell me|Find] the {k}.
[Among|Of] {l}, which is the {k}?
""")
SORT_REQUESTS = sentences("""
[Sort|Order|Arrange] [these numbers|the numbers|the list|this list] {k}: {l}
[Put|Bring] [these numbers|the numbers] [in order|into order] {k}: {l}
[Numbers|List|Values]: {l}. [Sort|Order] them {k}.
Please [sort|order|arrange] {l} {k}.
[Write|Give me] [these numbers|the numbers] {k}: {l}
Given {l}, [sort|order] them {k}.
""")
SORT_WAYS = {"up": cut("from small to large / in ascending order / from the smallest to the largest / ascending / upwards"), "down": cut("from large to small / in descending order / from the largest to the smallest / descending / downwards")}
LARGEST_WAYS = {"largest": cut("largest / biggest / greatest / highest"), "smallest": cut("smallest / lowest / least / littlest")}
OPPOSITES = {
    "older": ("younger", "oldest", "youngest"), "taller": ("shorter", "tallest", "shortest"), "faster": ("slower", "fastest", "slowest"), "stronger": ("weaker", "strongest", "weakest"),
    "richer": ("poorer", "richest", "poorest"), "heavier": ("lighter", "heaviest", "lightest"), "louder": ("quieter", "loudest", "quietest"), "happier": ("sadder", "happiest", "saddest"),
    "bigger": ("smaller", "biggest", "smallest"), "braver": ("more timid", "bravest", "most timid"), "earlier": ("later", "earliest", "latest"), "wilder": ("calmer", "wildest", "calmest"),
}
COMPARE_SENTENCES = sentences("""
{a} is [|clearly |much |a bit |even ]{r} than {b}.
[We know that|It is true that|Everybody says that] {a} is {r} than {b}.
Compared with {b}, {a} is {r}.
[{a}, not {b},|Of {a} and {b}, {a}] is the {r} one.
""")
COMPARE_QUESTIONS = sentences("""
Who is the {s}[| of all| of the three| of them]?
Which of them is the {s}?
[Tell me|Find out|Say] who is the {s}.
[Name|Give me the name of] the {s}[.| one.| person.]
[So who|Then who|And who] is the {s}?
""")
ZH_COUNT_REQUESTS = sentences("下面[的列表|这一行]里“{q}”出现了[几次|多少次]：{l}\n[数一数|请数出]“{q}”出现的次数：{l}\n[列表|单词]：{l}。“{q}”[出现几次|有多少个]？\n在{l}中，“{q}”[出现了几次|有几个]？")
ZH_ITEM_REQUESTS = sentences("[下面的列表|这一行]有[几个|多少个][词|东西]：{l}\n[数一数|请数出]有多少个：{l}\n[列表|名单]：{l}。[一共|总共]有几个？\n{l}，[一共|总共]是多少个？")
ZH_LARGEST_REQUESTS = sentences("[哪个数|下面哪个数|哪一个]{k}：{l}？\n[找出|说出|给出]{k}的数：{l}\n{l}中[哪个|哪个数]{k}？\n[数字|列表]：{l}。{k}的是[哪个|多少]？")
ZH_SORT_REQUESTS = sentences("[把|请把][这些数|下面的数]{k}[排列|排序|排好]：{l}\n[数字|列表]：{l}。[请|]{k}[排列|排序]。\n{k}[排列|排序|写出]：{l}\n[请|]将{l}{k}[排列|排序]。")
ZH_WAYS = {"largest": cut("最大"), "smallest": cut("最小"), "up": cut("从小到大 / 按升序"), "down": cut("从大到小 / 按降序")}
ZH_OPPOSITES = {"大": "小", "高": "矮", "快": "慢", "强": "弱", "重": "轻", "富": "穷"}


def some_numbers(world: World, count: int) -> list[int]:
    """Different whole numbers, often close together."""
    low = world.random.choice([0, 0, 10, 50, 100])
    return world.random.sample(range(low, low + world.random.choice([30, 99, 99, 400])), count)


def row_of(world: World, entries: list[str], chinese: bool) -> str:
    """Entries in a row."""
    if any(" " in entry for entry in entries):
        return ", ".join(entries)
    return (world.random.choice(["、", "，", ", "]) if chinese else world.random.choice([", ", ", ", " "])).join(entries)


def counting(world: World, language: str) -> Problem:
    """How many entries a list has, or how often a word stands in it; the steps count them."""
    chinese = language == "zh"
    pool = world.random.choice([ZH_THINGS, ZH_GOODS]) if chinese else world.random.choice([words.COMMON, words.FIRST_NAMES, SHORT_THINGS])
    entries = [world.random.choice(pool) if chinese else world.invented() if world.chance(0.1) else world.pick(pool) for _ in range(world.random.randint(2, 6))]
    if world.chance(0.5):
        question = world.sentence(ZH_ITEM_REQUESTS if chinese else ITEM_REQUESTS).format(l=row_of(world, entries, chinese))
        return Problem("counting", question, [f"{entry}: {number}" for number, entry in enumerate(entries, 1)], Number(str(len(entries))), language)
    wanted = entries[0]
    entries += [wanted] * world.random.randint(0, 3)
    world.random.shuffle(entries)
    quoted = wanted if chinese else world.random.choice([f'"{wanted}"', wanted])
    question = exact(world, ZH_COUNT_REQUESTS if chinese else COUNT_REQUESTS).format(l=row_of(world, entries, chinese), q=quoted)
    found = [entry for entry in entries if entry == wanted]
    return Problem("counting", question, [f"{entry}: {number}" for number, entry in enumerate(found, 1)], Number(str(len(found))), language)


def largest(world: World, language: str) -> Problem:
    """The largest or the smallest of some numbers; the steps keep the best so far."""
    chinese = language == "zh"
    numbers = some_numbers(world, world.random.randint(2, 5))
    way = world.random.choice(["largest", "smallest"])
    better = max if way == "largest" else min
    steps, best = [], numbers[0]
    for number in numbers[1:]:
        new = better(best, number)
        steps.append(f"{best}, {number}: {new}")
        best = new
    word = world.random.choice((ZH_WAYS if chinese else LARGEST_WAYS)[way])
    question = exact(world, ZH_LARGEST_REQUESTS if chinese else LARGEST_REQUESTS).format(k=word, l=row_of(world, [str(number) for number in numbers], chinese))
    return Problem("largest", question, steps, Number(str(best)), language)


def sorting(world: World, language: str) -> Problem:
    """Three to five numbers in order; every step takes the next one."""
    chinese = language == "zh"
    numbers = some_numbers(world, world.random.randint(3, 5))
    way = world.random.choice(["up", "down"])
    order = sorted(numbers, reverse=way == "down")
    word = world.random.choice((ZH_WAYS if chinese else SORT_WAYS)[way])
    question = exact(world, ZH_SORT_REQUESTS if chinese else SORT_REQUESTS).format(k=word, l=row_of(world, [str(number) for number in numbers], chinese))
    left, steps = list(numbers), []
    for number in order[:-1]:
        steps.append(f"{', '.join(map(str, left))}: {number}")
        left.remove(number)
    return Problem("sorting", question, steps, ", ".join(map(str, order)), language)


def comparison(world: World, language: str) -> Problem:
    """Three people compared two by two; who is first or last? The steps write the order."""
    chinese = language == "zh"
    names = two_names(world, zh_name if chinese else first_name, 3)  # from the most to the least
    pairs = [(names[0], names[1]), (names[1], names[2])]
    if world.chance(0.5):
        pairs.reverse()
    if chinese:
        more = world.random.choice(list(ZH_OPPOSITES))
        less = ZH_OPPOSITES[more]
        told = [f"{high}比{low}{more}。" if world.chance(0.6) else f"{low}比{high}{less}。" for high, low in pairs]
        top = world.chance(0.5)
        question = "".join(told) + world.random.choice(["谁最{s}？", "请问谁最{s}？", "三个人中谁最{s}？", "最{s}的是谁？"]).format(s=more if top else less)
        return Problem("comparison", question, [f"{high} > {low}" for high, low in [(names[0], names[1]), (names[1], names[2])]], names[0] if top else names[2], language)
    more = world.random.choice(list(OPPOSITES))
    less, most, least = OPPOSITES[more]
    told = []
    for high, low in pairs:
        template = exact(world, COMPARE_SENTENCES)
        told.append(template.format(a=high, b=low, r=more) if world.chance(0.6) else template.format(a=low, b=high, r=less))
    top = world.chance(0.5)
    told.append(world.sentence(COMPARE_QUESTIONS).format(s=most if top else least))
    return Problem("comparison", " ".join(told), [f"{names[0]} > {names[1]}", f"{names[1]} > {names[2]}"], names[0] if top else names[2], language)


MAKERS: dict[str, Callable[[World, str], Problem]] = {
    "arithmetic": arithmetic, "last_letters": last_letters, "first_letters": first_letters, "shuffled_objects": shuffled_objects, "counting": counting, "largest": largest, "sorting": sorting, "comparison": comparison,
}
