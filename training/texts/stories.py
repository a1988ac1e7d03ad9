"""Stories with sums, in English: beginnings, changes and questions."""

from __future__ import annotations

from dataclasses import dataclass

from texts.phrasing import cut, sentences


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
