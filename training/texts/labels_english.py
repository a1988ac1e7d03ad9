"""Texts in English by what they are about: topic, intent, urgency, spam, what is asked for, the language.

Words that carry a meaning (a topic's noun) are knowledge, as in `attitudes_english`.
"""

from __future__ import annotations

from texts import words
from texts.filling import GOODS, casual, fill
from texts.phrasing import capital, cut, exact, framed, lines, sentences
from texts.world import World, city, first_name, job

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
