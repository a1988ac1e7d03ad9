"""Tools with their arguments, and the requests that call them, in English and in Chinese."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from texts import words
from texts.choices import zh_city, zh_name
from texts.examples import Choice, Number
from texts.phrasing import chinese_phrase, exact, flag, one_of, sentences, whole
from texts.world import World, city, clock, code, company, country, date, email, first_name, full_name, phone, phrase, price

NUMBER_WORDS = "zero one two three four five six seven eight nine ten".split()


@dataclass
class Argument:
    """One argument: its possible names, its kind (string, integer, number, boolean or enum) and how a value is made.

    `said` words a truth value or an option in a request; otherwise the value stands there itself.
    """

    names: list[str]
    kind: str
    make: Callable[[World], object]
    description: str
    said: dict[object, list[str]] | None = None


@dataclass
class Tool:
    """One tool: its possible names, what it does, its arguments and the requests that call it (by argument name)."""

    names: list[str]
    description: str
    arguments: dict[str, Argument]
    requests: list[str]


def text(names: str, make: Callable[[World], str], description: str) -> Argument:
    """A string argument."""
    return Argument(names.split(), "string", make, description)


def integer(names: str, low: int, high: int, description: str) -> Argument:
    """A whole number."""
    return Argument(names.split(), "integer", whole(low, high), description)


def decimal(names: str, make: Callable[[World], str], description: str) -> Argument:
    """A number that may have decimals."""
    return Argument(names.split(), "number", lambda world: Number(make(world)), description)


def option(names: str, options: str, description: str, said: dict[object, list[str]] | None = None) -> Argument:
    """One of several words."""
    return Argument(names.split(), "enum", one_of(options), description, said)


def switch(names: str, yes: list[str], no: list[str], description: str) -> Argument:
    """A truth value; `yes` and `no` are how a request says it."""
    return Argument(names.split(), "boolean", flag, description, {True: yes, False: no})


def tool(names: str, description: str, requests: str, **arguments: Argument) -> Tool:
    """A tool; its requests stand one a line, with alternatives."""
    made = Tool(names.split(), description, arguments, sentences(requests))
    for request in made.requests:
        if set(re.findall(r"{(\w+)}", request)) != set(arguments):
            raise ValueError(f"{names}: {request}")
    return made


def title(world: World) -> str:
    return phrase(world, 1, 3)


def remark(world: World) -> str:
    return phrase(world, 2, 4)


def day(world: World) -> str:
    return world.random.choice(words.DAYS) if world.chance(0.5) else date(world)


def measure(world: World) -> str:
    return world.random.choice([str(world.integer(2, 500)), f"{world.random.randint(1, 90)}.{world.random.randint(1, 9)}"])


def file_name(world: World) -> str:
    return f"{phrase(world, 1, 2).lower().replace(' ', '_')}.{world.random.choice('txt pdf csv md json png doc log xlsx'.split())}"


ROOM_NAMES = ["kitchen", "bedroom", "office", "bathroom", "hall", "garage", "cellar", "attic", "library", "nursery", "dining room", "living room", "laundry", "porch", "studio", "guest room"]
CURRENCIES = "USD EUR GBP JPY CHF CNY INR SEK NOK CAD AUD DKK PLN CZK HUF MXN".split()
UNITS = "meters feet miles kilometers pounds kilograms ounces grams liters gallons inches centimeters yards cups tons minutes".split()
DISHES = "pancakes,lentil soup,apple pie,fried rice,potato salad,chicken curry,tomato soup,banana bread,vegetable lasagna,fish stew,onion tart,carrot cake,bean chili,mushroom risotto,cheese omelette,plum dumplings".split(",")


def room(world: World) -> str:
    return world.pick(ROOM_NAMES)


def currency(world: World) -> str:
    return world.random.choice(CURRENCIES)


def unit(world: World) -> str:
    return world.random.choice(UNITS)


def product(world: World) -> str:
    return world.pick(words.PRODUCTS)


ENGLISH = [
    tool("get_weather weather weather_forecast current_weather", "Tell the weather in a city.", """
        [What is|What's|How is] the weather [like |]in {city}[| today| now]?
        [Will it|Is it going to] [rain|snow|be sunny] in {city}[| today]?
        How [warm|cold|windy] is it in {city}?
        [Tell me|Give me|Show me|I need] the [weather|forecast] [for|in] {city}[| please].
        Weather in {city}[, please|?|.]
        Do I need [an umbrella|a coat] in {city}?
        """, city=text("city location place town", city, "name of the city")),
    tool("get_forecast forecast daily_forecast", "Tell the weather forecast for a city on a day, in the wanted unit.", """
        [Weather|Forecast] for {city} on {day} in {unit}[, please|.]
        [What will|How will] the weather in {city} be on {day}? [Use|Give it in|Degrees in] {unit}.
        [Show|Give] me the forecast for {city} on {day}, in {unit}.
        On {day} I am in {city}, what weather [will it be|can I expect]? In {unit}, please.
        How many degrees {unit} will it be in {city} on {day}?
        """, city=text("city location place", city, "the city"), day=text("day date on", day, "day of the forecast"),
         unit=option("unit units scale", "celsius fahrenheit", "unit of the temperature")),
    tool("set_alarm alarm create_alarm wake_up", "Set an alarm at a time of day.", """
        [Wake|Please wake] me [up |]at {time}.
        [Set|Create|Make] [an|the] alarm [for|at] {time}[| please].
        [Alarm|Wake-up call] at {time}[, please|.]
        I [must|have to|need to] [get up|wake up] at {time}.
        [I need|I'd like|Give me] an alarm at {time}.
        [Ring|Let it ring] at {time}.
        """, time=text("time at when clock", clock, "time of day")),
    tool("set_timer timer start_timer countdown", "Start a timer that runs for some minutes.", """
        [Set|Start|Run] a timer [for|of] {minutes} minutes[| please].
        [Timer|Countdown][:| for] {minutes} minutes[, please|.]
        [Count|Time] {minutes} minutes[| for me].
        [I need|Give me|I want] a {minutes} minute timer.
        [Tell me|Beep|Ring] when {minutes} minutes [are over|have passed].
        """, minutes=integer("minutes duration duration_minutes length", 2, 120, "how long, in minutes")),
    tool("send_message message send_text text_message", "Send a text message to a person.", """
        [Tell|Text|Message] {recipient} "{text}"[.|| please.]
        [Send|Write] [a message|a text] to {recipient}: {text}
        [Let {recipient} know|Tell {recipient}]: "{text}"
        [Send|Text] "{text}" to {recipient}[.| please.]
        [Could you|Please] [send|write] {recipient} the [message|text] "{text}"[.|]
        """, recipient=text("recipient to person contact", first_name, "who gets the message"), text=text("text message body content", remark, "what to send")),
    tool("send_email email mail compose_email", "Send an e-mail with a subject and a body.", """
        [Send|Write] [an email|a mail] to {to} with [the subject|subject] "{subject}" and [the text|the body|text] "{body}".
        [Mail|Email] {to}: subject "{subject}", text "{body}".
        [Email|Mail] to {to}. Subject: {subject}. [Body|Text]: {body}
        [Please mail|I want to mail|Could you mail] "{body}" to {to}, subject "{subject}".
        The subject is "{subject}", the text is "{body}", [send it|mail it] to {to}.
        """, to=text("to recipient address email", email, "address of the receiver"), subject=text("subject title", title, "subject line"), body=text("body text message content", remark, "text of the mail")),
    tool("make_call call phone_call dial", "Call a person by phone.", """
        [Call|Phone|Ring|Dial] {contact}[| now| please| for me].
        [I want|I need|I'd like] to [talk to|speak with] {contact} on the phone.
        [Start|Make] a call [to|with] {contact}.
        [Get|Put] {contact} on the line.
        [Can|Could] you [call|phone|ring] {contact}[| for me]?
        """, contact=text("contact person name who", full_name, "who is called")),
    tool("play_music play_song music start_playback", "Play a song of an artist.", """
        Play ["{song}"|{song}|the song "{song}"] by {artist}[| please].
        [I want|I'd like|I would love] to hear "{song}" by {artist}.
        [Put on|Start] ["{song}"|the track "{song}"] [by|from] {artist}.
        Let me [listen to|hear] "{song}" by {artist}[.|!]
Can I [hear|listen to] "{song}" by {artist}?
        Music: "{song}", {artist}
        """, song=text("song title track", title, "title of the song"), artist=text("artist singer by band", full_name, "who plays it")),
    tool("set_volume volume change_volume", "Set the volume of the speaker in percent.", """
        [Set|Turn|Change|Put] the volume to {level}[| percent].
        [Volume|Loudness][:| to| at] {level} percent[, please|.]
        [Make it|Play at] {level} percent [volume|loud|loudness].
        [I want|I'd like] the [volume|sound] at {level} percent.
        """, level=integer("level volume percent value", 2, 100, "volume in percent")),
    tool("convert_currency currency exchange money_converter", "Convert an amount of money into another currency.", """
        [Convert|Change|Turn] {amount} {source} [to|into] {target}[| please].
        [How much|What] [is|are] {amount} {source} in {target}?
        [Exchange|Swap] {amount} {source} for {target}.
        {amount} {source} [in|to] {target}[?|, please]
        [I have|I've got] {amount} {source}, how much {target} is that?
        [I want|I need] to [change|convert] {amount} {source} into {target}.
        """, amount=decimal("amount value sum", price, "how much money"), source=text("source from from_currency base", currency, "currency it is in"), target=text("target to to_currency into", currency, "wanted currency")),
    tool("convert_units unit_converter convert_measure", "Convert a measure from one unit into another.", """
        [Convert|Change|Turn] {value} {source} [to|into] {target}.
        How many {target} are {value} {source}?
        [What is|What are] {value} {source} in {target}?
        [Express|Give|Write] {value} {source} in {target}[.| please.]
        [I need|I want] {value} {source} in {target}.
        {value} {source} [in|to] {target}[?|, please]
        """, value=decimal("value amount quantity number", measure, "the number"), source=text("from_unit source from unit", unit, "unit it is in"), target=text("to_unit target to", unit, "wanted unit")),
    tool("book_table reserve_table restaurant_booking table_reservation", "Book a table at a restaurant.", """
        [Book|Reserve|Get us] a table [at|in] {restaurant} for {people} [people|guests|persons] at {time}.
        [Table|A table] for {people} at {restaurant}, {time}[, please|.]
        We are {people} [people|guests] and want to eat at {restaurant} at {time}.
        [I want|I'd like|I need] a table at {restaurant} at {time} for {people} [people|guests].
        [Dinner|Lunch] at {restaurant} at {time} for {people} people, [please book|book it].
        """, restaurant=text("restaurant place name venue", company, "name of the restaurant"), people=integer("people guests party_size persons", 2, 14, "number of guests"), time=text("time at when", clock, "time of day")),
    tool("create_event add_event calendar schedule_event", "Add an event to the calendar.", """
        [Add|Put] "{title}" [to|into] my calendar [on|for] {date} at {time}.
        [Create|Make|Add] [the event|an event called] "{title}" on {date} at {time}.
        [Schedule|Plan] "{title}" for {date}, {time}.
        [New event|Calendar entry]: {title}, {date}, {time}
        On {date} at {time} [I have|there is] "{title}", [put it in my calendar|add it to the calendar].
        """, title=text("title name event subject", title, "title of the event"), date=text("date day on", day, "day"), time=text("time start at start_time", clock, "when it starts")),
    tool("delete_event cancel_event remove_event", "Delete an event from the calendar.", """
        [Delete|Remove|Cancel|Drop] [the event |]"{title}" [on|of|from] {date}.
        [Take|Strike] "{title}" on {date} [off|out of] my calendar.
        ["{title}"|The event "{title}"] on {date} [is off|is cancelled|does not take place], [delete it|remove it].
        [Clear|Erase] "{title}" [on|from] {date} in my calendar.
        """, title=text("title name event", title, "title of the event"), date=text("date day on", day, "day of the event")),
    tool("add_reminder reminder create_reminder remind", "Remind the user of something at a time.", """
        Remind me [of|about] "{task}" at {time}[| please].
        [Set|Create|Add] a reminder [for|at] {time}: {task}
        [At {time}, remind me|Remind me at {time}]: {task}
        [Don't let me|I must not] forget "{task}" at {time}.
        [Reminder|To remember] at {time}: "{task}".
        """, task=text("task text what note", remark, "what to remember"), time=text("time at when", clock, "when")),
    tool("translate translate_text translation translator", "Translate a text into a language.", """
        Translate "{text}" [to|into] {language}[| please].
        [How do you|How does one|How do I] say "{text}" in {language}?
        [What is|What's] "{text}" in {language}?
        [Say|Write|Give me|I need] "{text}" in {language}.
        [Put|Turn] "{text}" into {language}.
        """, text=text("text phrase input source_text", title, "what to translate"), language=text("language to target_language target", lambda w: w.pick(words.LANGUAGES), "wanted language")),
    tool("search_web search web_search internet_search", "Search the web.", """
        [Search|Look] for "{query}" [online|on the web|on the internet].
        [Look up|Search the web for|Search online for] [{query}|"{query}"].
        [Find|Show me] [pages|websites|something] about "{query}".
        What does the internet say [about|on] "{query}"?
        Web search: {query}
        """, query=text("query q text search_term", remark, "what to look for")),
    tool("find_flight search_flights flights flight_search", "Find flights between two cities on a day.", """
        [Find|Look for|Show me] [a flight|flights] from {origin} to {destination} on {date}.
        I [want|need|have] to fly from {origin} to {destination} on {date}.
        [Flights|A flight|Plane tickets] from {origin} to {destination}, {date}[, please|.]
        [Is there|Do you have] a [flight|plane] [to {destination} from {origin}|from {origin} to {destination}] on {date}?
        On {date} [I fly|we fly] from {origin} to {destination}, [find a flight|look for flights].
        """, origin=text("origin from departure from_city", city, "where it starts"), destination=text("destination to arrival to_city", city, "where it lands"), date=text("date day on departure_date", day, "day of the flight")),
    tool("find_train train_connection search_trains trains", "Find a train between two stations.", """
        [Find|Look for|Show me] [a train|trains|a train connection] from {origin} to {destination} at {time}.
        I [want|need|have] to take the train from {origin} to {destination} at {time}.
        [Trains|A train|Train tickets] from {origin} to {destination} at {time}[, please|.]
        Is there a train [to {destination} from {origin}|from {origin} to {destination}] [at|around] {time}?
        By [rail|train] from {origin} to {destination}, leaving at {time}.
        """, origin=text("origin from departure start", city, "first station"), destination=text("destination to arrival end", city, "last station"), time=text("time at departure_time when", clock, "when it leaves")),
    tool("book_hotel hotel reserve_room hotel_booking", "Book a hotel room in a city for some nights.", """
        [Book|Reserve|Find] a [hotel|hotel room] in {city} for {nights} nights from {date}.
        [I need|I want|We need] a hotel in {city} from {date}, {nights} nights.
        [Hotel|A room] in {city}, {nights} nights, [arriving|starting] {date}[.|, please.]
        We [stay|will stay] {nights} nights in {city} from {date}, [book a hotel|find us a room].
        """, city=text("city place location destination", city, "where"), nights=integer("nights length duration night_count", 2, 21, "number of nights"), date=text("check_in date from arrival", date, "day of arrival")),
    tool("order_taxi taxi call_taxi ride", "Order a taxi from one place to another.", """
        [Order|Call|Get me] a [taxi|cab] from {pickup} to {dropoff}.
        [I need|We need|I want] a [taxi|cab|ride] from {pickup} to {dropoff}[| please].
        [Taxi|Cab] [to {dropoff} from {pickup}|from {pickup} to {dropoff}][, please|.]
        [Take|Drive] me from {pickup} to {dropoff} [by taxi|in a cab].
        """, pickup=text("pickup from start origin", lambda w: w.pick(words.PLACES).replace("_", " "), "where it picks up"), dropoff=text("dropoff to destination end", city, "where it goes")),
    tool("get_directions directions navigate route", "Find the way from one place to another.", """
        [How do I|How can I] get from {start} to {end} {mode}?
        [Show|Tell|Give] me the [way|route] from {start} to {end} {mode}.
        [Navigate|Guide me] from {start} to {end} {mode}.
        [What is|Find] the [best|fastest|shortest] [way|route] from {start} to {end} {mode}[.|]
        [I want|I have] to [get|go] from {start} to {end} {mode}, [which way|what is the route]?
        """, start=text("start from origin", city, "where it begins"), end=text("end to destination goal", city, "where it ends"),
         mode=option("mode transport travel_mode by", "car bicycle foot bus", "means of transport", {"car": ["by car", "in the car"], "bicycle": ["by bicycle", "by bike", "on my bike"], "foot": ["on foot", "walking"], "bus": ["by bus", "on the bus"]})),
    tool("set_temperature thermostat heating set_thermostat", "Set the temperature of a room.", """
        [Set|Heat|Bring|Warm] the {room} to {degrees} degrees.
        [I want|I'd like] {degrees} degrees in the {room}.
        [Turn|Set|Put] the heating in the {room} to {degrees}[| degrees].
        [Temperature|Thermostat] in the {room}: {degrees} degrees.
        [Make it|It should be] {degrees} degrees in the {room}.
        """, room=text("room where zone place", room, "which room"), degrees=integer("degrees temperature value target", 10, 30, "wanted temperature")),
    tool("switch_light light set_light lights", "Turn the light of a room on or off.", """
        [Turn|Switch] the [light|lights|lamp] in the {room} {state}[| please].
        [Turn|Switch] {state} the [light|lights|lamp] in the {room}.
        [Light|Lights] {state} in the {room}[.|, please.]
        [I want|I'd like] the [light|lamp] in the {room} {state}.
        """, room=text("room where zone place", room, "which room"), state=option("state status value position", "on off", "on or off")),
    tool("lock_door door set_lock", "Lock or unlock a door.", """
        [Please |]{locked} the door of the {room}.
        [Can|Could|Would] you {locked} the door of the {room}[?| for me?| please?]
        [I want|I'd like|I need] you to {locked} the {room} door.
        [Go and|Quickly] {locked} the {room} door.
        [Home|Hey home], {locked} the [door of the {room}|{room} door].
        """, room=text("door room which place", room, "whose door"), locked=switch("locked lock closed", ["lock"], ["unlock"], "whether it is to be locked")),
    tool("create_note note add_note save_note", "Save a note with a title.", """
        [Write|Take|Save|Make] a note called "{title}": {content}
        [Note|New note|Memo] "{title}": {content}
        [Write down|Note] "{content}" [under the title|with the title] "{title}".
        [Save|Keep] "{content}" as a note named "{title}".
        """, title=text("title name heading", title, "title"), content=text("content text body note", remark, "what it says")),
    tool("add_to_list shopping_list add_item list_add", "Add an amount of something to the shopping list.", """
        [Add|Put] {quantity} {item} [to|on] [the|my] shopping list.
        [We need|I need|Buy] {quantity} {item}, [put it on the list|add it to the shopping list].
        Shopping list: {quantity} {item}
        [Write|Note] {quantity} {item} on the shopping list.
        [The shopping list needs|Let the shopping list have] {quantity} {item}.
        """, quantity=integer("quantity count amount number", 2, 40, "how many"), item=text("item product thing name", lambda w: f"{w.pick(words.COMMON)} {w.pick(['boxes', 'bottles', 'bags', 'jars', 'cans', 'packs', 'cartons', 'bars'])}", "what to buy")),
    tool("get_stock_price stock_price share_price quote", "Tell the price of a share.", """
        [What is|What's|Tell me|Show me] the [stock|share] price of {company}[.|]
        [How much|What] is a share of {company} worth[| now]?
        How is the stock of {company} doing[| today]?
        [Price|Quote] of {company} [shares|stock][, please|?]
        How are {company} shares doing[| today]?
        """, company=text("company symbol stock name", company, "whose share")),
    tool("transfer_money pay send_money bank_transfer", "Transfer money to a person.", """
        [Send|Transfer|Pay|Wire] {amount} {currency} to {recipient}[| please].
        [Send|Pay|Give] {recipient} {amount} {currency}.
        [I want|I have|I need] to [pay|send] {recipient} {amount} {currency}.
        [Transfer|Payment] of {amount} {currency} to {recipient}[, please|.]
        [I owe|We owe] {recipient} {amount} {currency}, [pay it|send it].
        """, amount=decimal("amount sum value", price, "how much"), currency=text("currency unit money", currency, "which currency"), recipient=text("recipient to receiver name", full_name, "who gets it")),
    tool("track_order order_status get_order order_lookup", "Tell where an order is.", """
        Where is [my |the |]order {order}?
        [Track|Check|Look up|Follow] [my |the |]order {order}[.| please.]
        [What is|What's] the status of order {order}?
        Has order {order} been [sent|shipped]?
When will order {order} [arrive|come]?
        [My order number is|The order number is|Order] {order}, where is it?
        """, order=text("order order_id number id", code, "number of the order")),
    tool("cancel_order stop_order order_cancel", "Cancel an order for a reason.", """
        [Cancel|Stop|Call off] order {order}, the reason is "{reason}".
        [Please cancel|I want to cancel] order {order} because of "{reason}".
        [I no longer want|We no longer need] order {order}. Reason: {reason}
        Cancel {order}[:|, reason:] {reason}
        """, order=text("order order_id number id", code, "number of the order"), reason=text("reason why cause", title, "why")),
    tool("create_ticket open_ticket report_issue new_ticket", "Open a support ticket.", """
        [Open|Create|File] a [ticket|support ticket] "{title}" with {priority} priority.
        [Report|Ticket]: "{title}", priority {priority}.
        [I need|We need] a {priority} priority ticket about "{title}".
        [There is a problem|Problem]: "{title}". [Open|Make|Create] a ticket, {priority} priority.
        """, title=text("title subject summary issue", title, "what it is about"), priority=option("priority urgency severity level", "low medium high", "how urgent it is")),
    tool("assign_task assign delegate give_task", "Give a task to a person with a deadline.", """
        [Assign|Give] [the task |]"{task}" to {person}, due {date}.
        {person} [should|must|has to] do "{task}" by {date}[.|, assign it.]
        [Let|Have] {person} do "{task}" [by|before] {date}.
        [Task|New task] for {person}: "{task}", [due|deadline] {date}.
        [Delegate|Hand] "{task}" to {person}, [to be done by|deadline] {date}.
        """, task=text("task title name", title, "what to do"), person=text("person assignee user to", first_name, "who does it"), date=text("date due deadline due_date", day, "until when")),
    tool("read_file open_file load_file show_file", "Read a file.", """
        [Read|Open|Load|Print] [the file |]{path}[| please].
        [Show|Give] me [the file|the content of] {path}.
        What [is in|does it say in] [the file |]{path}?
        [I want|I'd like|I need] to [see|read] {path}.
        """, path=text("path file filename name", file_name, "path of the file")),
    tool("delete_file remove_file erase_file", "Delete a file, with or without a backup.", """
        [Delete|Remove|Erase] [the file |]{path} {backup}[| please].
        [I no longer need {path}, delete it|I am done with {path}, remove it|{path} can go, delete it] {backup}.
        [Please delete|I want to delete] {path} {backup}.
        """, path=text("path file filename name", file_name, "path of the file"), backup=switch("backup keep_backup make_backup save_copy", ["but keep a backup", "with a backup", "after making a backup"], ["without a backup", "with no backup", "and keep no backup"], "whether a copy is kept")),
    tool("rename_file move_file rename", "Give a file another name.", """
        [Rename|Move] [the file |]{old} to {new}[| please].
        [Change|Switch] the name of {old} to {new}.
        {old} [should be|must be|shall be] [called|named] {new}[| from now on].
        [Call|Name] the file {old} {new} [instead|from now on].
        """, old=text("old source from old_name", file_name, "present name"), new=text("new target to new_name", file_name, "new name")),
    tool("write_file save_file create_file", "Write a text into a file.", """
        [Write|Save|Put|Store] "{text}" [to|into|in] [the file |]{path}.
        [Create|Make] [the|a] file {path} with the [text|content] "{text}".
        [Let|Make] [the file |]{path} [contain|say] "{text}".
        """, path=text("path file filename name", file_name, "path of the file"), text=text("text content data body", remark, "what to write")),
    tool("run_command execute shell run", "Run a program with an argument.", """
        [Run|Start|Execute|Launch] [the program |the command |]{command} with [the argument |]{argument}.
        [Please|Could you please] [run|execute] {command} on {argument}.
        Use [the command |]{command} [on|with] {argument}.
        """, command=text("command program cmd", lambda w: w.pick("ls cat grep sort tar find sed awk make diff head tail wc chmod cp zip".split()) if w.chance(0.5) else w.invented(), "what to run"), argument=text("argument arg input file", file_name, "its argument")),
    tool("query_database query select find_rows", "Find rows of a table where a column has a value.", """
        [Find|Show|List|Get] [all |]rows [of|in] [the table |]{table} where {column} is {value}.
        [Which|What] rows [of|in] [the table |]{table} have {column} {value}?
        [Query|Search|Select from] [the table |]{table}: {column} is {value}
        [I need|Give me] [everything|all rows] from table {table} with {column} {value}.
        """, table=text("table source collection", lambda w: w.pick(words.COMMON) + "s" if w.chance(0.6) else w.invented(), "name of the table"), column=text("column field key", lambda w: w.pick(words.COMMON), "name of the column"), value=text("value equals match", lambda w: w.random.choice([code(w), city(w), first_name(w), str(w.integer(1, 900))]), "wanted value")),
    tool("get_recipe recipe find_recipe cook", "Find a recipe for a dish and a number of people.", """
        [Find|Show me|Give me|I need] a recipe for {dish} for {people} [people|persons|guests].
        [How do I|How can I|How does one] [cook|make] {dish} for {people} people?
        [I want|We want|I have] to [cook|make] {dish} for {people} [people|guests].
        Recipe: {dish}, {people} [people|portions]
        """, dish=text("dish meal recipe name", lambda w: w.pick(DISHES) if w.chance(0.6) else f"{w.mixed(words.COMMON, 0.5).lower()} {w.pick(['soup', 'cake', 'pie', 'stew', 'salad', 'curry', 'bread', 'sauce'])}", "what to cook"), people=integer("people servings portions persons", 2, 12, "for how many")),
    tool("calculate_tip tip tip_calculator", "Calculate the tip of a bill.", """
        [How much|What] is the tip [on|for] {bill} at {percent} percent?
        [Calculate|Work out|Compute] [a|the] {percent} percent tip [on|for] {bill}[| please].
        The bill is {bill}, [add|give] a tip of {percent} percent.
        [Tip|Tip calculator]: {bill}, {percent} percent
        """, bill=decimal("bill amount total", price, "sum of the bill"), percent=integer("percent rate tip_percent", 5, 30, "tip in percent")),
    tool("calculate calculator compute math", "Calculate with two numbers.", """
        [Calculate|Compute|Work out] {a} {operation} {b}[| please].
        [What is|What's|How much is] {a} {operation} {b}?
        {a} {operation} {b}[?|, please]
        [I need|Give me|Tell me] the result of {a} {operation} {b}.
        """, a=integer("a first x left", 2, 900, "first number"), b=integer("b second y right", 2, 900, "second number"),
         operation=option("operation operator op", "add subtract multiply divide", "what to do", {"add": ["plus", "+"], "subtract": ["minus", "-"], "multiply": ["times", "multiplied by", "*"], "divide": ["divided by", "over"]})),
    tool("define_word define dictionary lookup_word", "Explain the meaning of a word.", """
        What does [the word |]"{word}" mean?
        [Define|Explain] [the word |]"{word}"[| please].
        [What is|Give me|Tell me] the [meaning|definition] of "{word}"[.|]
        [Look up|Find] "{word}" in the dictionary.
        """, word=text("word term entry", lambda w: w.pick(words.COMMON) if w.chance(0.5) else w.invented(), "the word")),
    tool("get_news news headlines latest_news", "Read the news about a topic.", """
        [Show|Read|Tell|Give] me the [news|latest news|headlines] [about|on] {topic}.
        [Any|Is there any|What is the] news [about|on] {topic}?
        [What's new|What do the papers say|What is the latest] about {topic}?
        [News|Headlines] on {topic}[, please|.]
        """, topic=text("topic subject about query", title, "what it is about")),
    tool("find_restaurant restaurants search_restaurants where_to_eat", "Find restaurants with a cuisine in a city.", """
        [Find|Search for|Show me|Look for] [a {cuisine} restaurant|some {cuisine} restaurants|{cuisine} restaurants] in {city}.
        [Where can I|Where can we] eat {cuisine} food in {city}?
        [I want|We want|I'd like] {cuisine} food in {city}.
        [Is there|Where is] a [good |]{cuisine} restaurant in {city}?
        """, cuisine=option("cuisine food kitchen type", "Italian Chinese Indian Mexican Thai Greek Japanese", "kind of kitchen"), city=text("city place location where", city, "where")),
    tool("find_event concerts search_events tickets", "Find concerts of an artist in a city.", """
        [Find|Show me|Search for] concerts of {artist} in {city}.
        [When|On which day] does {artist} [play|perform|sing] in {city}?
        [I want|We want] to see {artist} live in {city}[.|, are there tickets?]
        [Tickets|Concert tickets] for {artist} in {city}[, please|.]
        Will {artist} [be on stage|give a concert|perform] in {city}?
        """, artist=text("artist band performer name", full_name, "who plays"), city=text("city place location where", city, "where")),
    tool("buy_product order_product purchase shop_order", "Order a product in some quantity.", """
        [Order|Buy|Purchase] {quantity} units of the {product} in {color}.
        [I want|I'd like|We need] to [order|buy] {quantity} of the {color} {product}.
        [I take|We take|Send me] the {product} in {color}, {quantity} pieces.
        [Order|Purchase]: {product}, {color}, {quantity} pieces
        """, product=text("product item article name", product, "what to order"), color=text("color colour variant", lambda w: w.random.choice(words.COLORS), "which color"), quantity=integer("quantity count amount qty", 2, 60, "how many")),
    tool("check_stock stock availability inventory", "Tell how many pieces of a product are in a store.", """
        [How many|What number of] pieces of the {product} [are|are left] in the {store} store?
        Is the {product} [in stock|available|sold out] in the {store} store?
        [Check|Look up] the stock of the {product} in the {store} [store|branch].
        Does the {store} [store|branch] [have|still have] the {product}?
        """, product=text("product item article sku", product, "which product"), store=text("store branch location city", city, "which store")),
    tool("return_product refund create_return", "Send a product back and get the money or another one.", """
        [I want|I'd like|We want] to return the {product} from order {order} {refund}.
        [Return|Take back] the {product} from order {order} {refund}[| please].
        The {product} of order {order} goes back {refund}.
        [Send back|Give back] the {product}, order {order}, {refund}.
        """, product=text("product item article", product, "what goes back"), order=text("order order_id number", code, "number of the order"), refund=switch("refund money_back refund_money", ["and get my money back", "for a refund"], ["and get another one", "in exchange for another one", "for a replacement"], "money back, or a replacement")),
    tool("create_user add_user register sign_up", "Create a user account.", """
        [Create|Add|Register|Make] the user {name} with [the email |]{email} as {role}.
        [New user|Sign up]: {name}, {email}, role {role}
        [We need|I need] an account for {name} ({email}) as {role}.
        {name} [needs|should get|must have] an account as {role}, [mail|email] {email}.
        """, name=text("name full_name user username", full_name, "name"), email=text("email mail address", email, "e-mail address"), role=option("role level rights", "admin editor viewer", "what the user may do")),
    tool("change_phone update_phone set_phone update_contact", "Change the phone number of a customer.", """
        [Change|Update|Set] the [phone number|phone] of {customer} to {phone}.
        {customer} has a new [phone number|number][:|, it is] {phone}.
        The new [phone number|number] of {customer} is {phone}[.|, save it.]
        [Save|Store|Note] {phone} as the phone number of {customer}.
        """, customer=text("customer name person client", full_name, "whose number"), phone=text("phone number phone_number tel", phone, "new number")),
    tool("update_address change_address set_address move", "Change the address of a customer.", """
        {customer} [moved|has moved|is moving] to {street} in {city}[.|, change the address.]
        [Change|Update|Set] the address of {customer} to {street}, {city}.
        The new address of {customer} is {street}, {city}.
        [Save|Store|Note] {street}, {city} as the address of {customer}.
        """, customer=text("customer name person client", full_name, "who moved"), street=text("street address line", lambda w: w.random.choice([f"{w.integer(1, 200)} {w.mixed(words.COMMON).title()} {w.random.choice(['Street', 'Road', 'Lane', 'Avenue'])}", f"{w.mixed(words.LAST_NAMES)} {w.random.choice(['Street', 'Road', 'Square'])} {w.integer(1, 99)}"]), "street and number"), city=text("city town place", city, "city")),
    tool("log_workout workout add_workout fitness", "Save a workout.", """
        [Log|Save|Note|Add] {minutes} minutes of {sport}[| please].
        [I did|I have done|Today I did] {minutes} minutes of {sport}[.|, note it.|, log it.]
        [Workout|Training]: {sport}, {minutes} minutes
        {minutes} minutes of {sport} [are done|today|behind me][.|, save it.]
        """, sport=option("sport activity kind type", "running swimming cycling yoga rowing walking", "kind of sport"), minutes=integer("minutes duration length time", 5, 120, "how long")),
    tool("take_photo photo camera snapshot", "Take photos with the camera, with or without flash.", """
        [Take|Shoot|Make] {count} [photos|pictures] {flash}[| please].
        [I want|I'd like|We need] {count} [photos|pictures] {flash}.
        [Camera|Photo]: {count} pictures {flash}
        """, count=integer("count number photos", 2, 30, "how many"), flash=switch("flash use_flash light", ["with flash", "using the flash"], ["without flash", "with no flash"], "whether the flash is used")),
    tool("book_appointment appointment make_appointment", "Make an appointment with somebody.", """
        [Make|Book|Get|Arrange] an appointment with {person} on {date} at {time}.
        I [want|need|have] to see {person} on {date} at {time}[.|, make an appointment.]
        [Appointment|Meeting time] with {person}: {date}, {time}
        Can I [see|meet] {person} on {date} at {time}?
        """, person=text("person with doctor name", lambda w: f"{w.random.choice(['Dr.', 'Ms.', 'Mr.', 'Professor'])} {w.mixed(words.LAST_NAMES)}", "with whom"), date=text("date day on", day, "which day"), time=text("time at hour", clock, "what time")),
    tool("get_time world_clock local_time time_in", "Tell the local time of a city.", """
        [What time is it|What's the time|How late is it] in {city}[| now| right now]?
        [Tell|Give|Show] me the [time|local time] in {city}.
        [Local time|Time|Clock] in {city}[?|, please]
        I want to know the time in {city}.
        """, city=text("city place location timezone", city, "where")),
    tool("get_capital capital country_capital", "Tell the capital of a country.", """
        [What is|What's|Tell me|Name] the capital of {country}[.|]
        [What|Which city] is the capital of {country}?
        [Capital|Capital city] of {country}[?|, please]
        [I need|I want to know] the capital of {country}.
        """, country=text("country nation state", country, "which country")),
    tool("summarize summary shorten sum_up", "Summarize a text in some sentences.", """
        [Summarize|Sum up|Shorten] "{text}" in {sentences} sentences.
        [Give me|Write|I need] a summary of "{text}" with {sentences} sentences.
        [Say|Tell me] in {sentences} sentences what "{text}" is about.
        Summary in {sentences} sentences[:| of] "{text}"
        """, text=text("text document input", lambda w: phrase(w, 3, 5), "what to shorten"), sentences=integer("sentences length count", 2, 9, "how long")),
    tool("random_number dice random roll", "Draw a random number between two ends.", """
        [Give me|Draw|Pick|Choose] a random number [between {low} and {high}|from {low} to {high}].
        [Random number|Any number] [between {low} and {high}|from {low} to {high}][, please|.]
        [I need|Tell me] some number between {low} and {high}, [by chance|at random].
        """, low=integer("low min from minimum", 2, 50, "smallest number"), high=integer("high max to maximum", 60, 900, "largest number")),
    tool("rent_car car_rental hire_car", "Rent a car in a city for some days.", """
        [Rent|Hire|Book] a {kind} car in {city} for {days} days.
        [I need|We need|I want] a {kind} rental car in {city} for {days} days.
        [Car rental|Rental car] in {city}: {kind}, {days} days
        For {days} days [I need|we want] a {kind} car in {city}.
        """, kind=option("kind size type class", "small large electric family luxury", "kind of car"), city=text("city place location pickup", city, "where"), days=integer("days duration length", 2, 21, "how many days")),
]


# --- Chinese tools: English names, Chinese descriptions -------------------------------------------

ZH_ROOMS = "厨房 卧室 书房 浴室 客厅 车库 地下室 阁楼 餐厅 儿童房 阳台 走廊 会议室 办公室 储藏室 客房".split()
ZH_DISHES = "红烧肉 番茄炒蛋 麻婆豆腐 宫保鸡丁 清蒸鱼 炒饭 饺子 牛肉面 酸辣汤 蛋糕 包子 糖醋排骨 土豆丝 烤鸭 火锅 南瓜粥".split()
ZH_PRODUCTS = "手机 耳机 书包 台灯 水杯 雨伞 键盘 毛衣 外套 手表 桌子 椅子 相机 电饭煲 吸尘器 自行车 枕头 帐篷 音箱 钱包".split()
ZH_LANGUAGES = "英语 法语 德语 日语 韩语 西班牙语 意大利语 俄语 葡萄牙语 阿拉伯语 泰语 荷兰语 瑞典语 波兰语 希腊语 越南语".split()
ZH_CURRENCIES = "美元 欧元 日元 英镑 人民币 港币 韩元 瑞士法郎 加元 澳元 卢比 泰铢".split()
ZH_UNITS = "米 英尺 英里 公里 磅 公斤 盎司 克 升 加仑 英寸 厘米 码 吨".split()


def zh_clock(world: World) -> str:
    """A time as Chinese texts write it."""
    hour, minute = world.random.randint(1, 23), world.random.choice(["00", "15", "30", "45", "10", "20", "05", "50"])
    part, low, high = world.random.choice([("早上", 5, 9), ("上午", 8, 11), ("下午", 1, 6), ("晚上", 7, 11)])
    spoken = world.random.randint(low, high)
    return world.random.choice([f"{hour:02d}:{minute}", f"{hour}:{minute}", f"{part}{spoken}点", f"{part}{spoken}点半"])


def zh_day(world: World) -> str:
    """A day as Chinese texts write it."""
    return world.random.choice([f"{world.random.randint(1, 12)}月{world.random.randint(1, 28)}日", "明天", "后天", "星期" + world.random.choice("一二三四五六"), f"2026-{world.random.randint(1, 12):02d}-{world.random.randint(1, 28):02d}", "下周" + world.random.choice("一二三四五")])


def zh_title(world: World) -> str:
    return chinese_phrase(world, 2, 5)


def zh_remark(world: World) -> str:
    return chinese_phrase(world, 4, 8)


def zh_restaurant(world: World) -> str:
    return chinese_phrase(world, 2, 3) + world.random.choice("楼 饭店 餐厅 酒家 食堂 小馆".split())


def zh_from(entries: list[str]) -> Callable[[World], str]:
    """A maker that picks an entry of the list."""
    return lambda world: world.pick(entries)


def closed(entries: list[str]) -> Callable[[World], str]:
    """A maker for words that are always the same few, such as currencies: none of them is held out."""
    return lambda world: world.random.choice(entries)


CHINESE = [
    tool("get_weather weather weather_forecast", "查询城市的天气", """
        {city}[今天|现在|]天气[怎么样|如何|好吗]？
        [查|查一下|帮我查|看看|告诉我]{city}的天气[。|，谢谢。]
        {city}[今天会下雨吗|冷不冷|热吗|要带伞吗|现在多少度]？
        我[要去|在]{city}，[天气怎么样|会下雨吗]？
        """, city=text("city location place", zh_city, "城市")),
    tool("get_forecast forecast daily_forecast", "查询某天的天气预报", """
        {city}{day}[天气怎么样|会下雨吗|冷吗|要带伞吗]？
        [查|查一下|帮我查|看看|告诉我]{day}{city}的[天气|天气预报]。
        {day}我去{city}，[天气怎么样|会下雨吗|要带伞吗]？
        {day}{city}[多少度|热不热]？
        """, city=text("city location place", zh_city, "城市"), day=text("day date on", zh_day, "日期")),
    tool("set_alarm alarm create_alarm", "设置闹钟", """
        [请|]{time}[叫我起床|叫醒我|叫我]。
        [设|定|设置|帮我设|帮我定]一个{time}的闹钟[。|，谢谢。]
        [我要|我得|我必须]{time}起床[。|，帮我设闹钟。]
        闹钟[设在|定在|调到]{time}。
        """, time=text("time at when", zh_clock, "时间")),
    tool("set_timer timer start_timer", "设置倒计时", """
        [设|开始|来|帮我设]一个{minutes}分钟的[计时器|倒计时]。
        [倒计时|计时]{minutes}分钟[。|，谢谢。]
        {minutes}分钟[后|以后][提醒我|叫我|响铃]。
        [帮我|请]计时{minutes}分钟。
        """, minutes=integer("minutes duration length", 2, 120, "分钟数")),
    tool("send_message message send_text", "给某人发消息", """
        [给|帮我给|请给]{recipient}[发消息|发短信|发信息]：{text}
        [告诉|通知]{recipient}：“{text}”。
        [发消息|发短信]给{recipient}，[内容是|就说]“{text}”。
        [跟|对]{recipient}说“{text}”。
        """, recipient=text("recipient to contact", zh_name, "收信人"), text=text("text message content", zh_remark, "内容")),
    tool("send_email email mail", "发送邮件", """
        [给|往]{to}[发邮件|发一封邮件]，[主题是|标题是|主题]“{subject}”，[内容是|正文是]“{body}”。
        [发邮件|写邮件]给{to}，[主题|标题]：{subject}，[内容|正文]：{body}
        [把|请把]“{body}”发到{to}，[主题|标题]“{subject}”。
        """, to=text("to recipient address", email, "邮箱"), subject=text("subject title", zh_title, "主题"), body=text("body text content", zh_remark, "正文")),
    tool("make_call call phone_call", "打电话", """
        [给|帮我给|请给]{contact}打[电话|个电话]。
        [打电话|拨电话]给{contact}[。|，谢谢。]
        [我要|我想]跟{contact}通[电话|话]。
        [呼叫|拨打]{contact}[。|的电话。|的号码。]
        """, contact=text("contact person name", zh_name, "联系人")),
    tool("play_music play_song music", "播放歌曲", """
        [播放|放|来一首|放一首]{artist}的《{song}》。
        [我想听|我要听|想听]{artist}的《{song}》。
        [放|播放]《{song}》，[歌手|演唱者]是{artist}。
        [来点音乐|听歌]：{artist}，《{song}》
        """, song=text("song title track", zh_title, "歌名"), artist=text("artist singer", zh_name, "歌手")),
    tool("set_volume volume change_volume", "设置音量", """
        [把|请把|]音量[调到|设为|设成]{level}。
        [声音|音量][调到|改成|开到]百分之{level}。
        [我要把|帮我把]音量[调到|设为]{level}。
        """, level=integer("level volume value", 2, 100, "音量，百分比")),
    tool("convert_currency currency exchange", "货币换算", """
        {amount}{source}[等于|是|能换|可以换]多少{target}？
        [把|请把|帮我把]{amount}{source}[换成|换算成]{target}。
        [我要|我想]用{amount}{source}换{target}。
        """, amount=decimal("amount value", price, "金额"), source=text("source from from_currency", closed(ZH_CURRENCIES), "原货币"), target=text("target to to_currency", closed(ZH_CURRENCIES), "目标货币")),
    tool("convert_units unit_converter convert", "单位换算", """
        {value}{source}[等于|是|合]多少{target}？
        [把|请把|帮我把]{value}{source}[换成|换算成]{target}。
        [用|以]{target}表示{value}{source}。
[我想知道|请问|告诉我]{value}{source}是多少{target}。
        """, value=decimal("value amount quantity", measure, "数值"), source=text("from_unit source unit", closed(ZH_UNITS), "原单位"), target=text("to_unit target", closed(ZH_UNITS), "目标单位")),
    tool("book_table reserve_table restaurant_booking", "预订餐厅", """
        [在|帮我在|请在]{restaurant}[订|预订]{time}，{people}[个人|人|位]的[位子|桌子]。
        [我们{people}个人|我们一共{people}位]{time}去{restaurant}[吃饭|，请订位]。
        [订位|预订]：{restaurant}，{people}人，{time}
        {time}{restaurant}，{people}[位|个人]，[帮我订位|请预订]。
        """, restaurant=text("restaurant place name", zh_restaurant, "餐厅"), people=integer("people guests party_size", 2, 14, "人数"), time=text("time at when", zh_clock, "时间")),
    tool("create_event add_event calendar", "添加日程", """
        [在日历上添加|添加日程|新建日程]“{title}”，[时间|日期]是{date}。
        [把|请把]“{title}”[放进|加到|写进]{date}的日程。
        {date}[有|要参加|安排了]“{title}”，[记到日历|加到日程]里。
        [安排|计划]{date}的“{title}”。
        """, title=text("title name event", zh_title, "标题"), date=text("date day on", zh_day, "日期")),
    tool("add_reminder reminder create_reminder", "设置提醒", """
        [请|]{time}提醒我“{task}”。
        [设|设置|帮我设]一个{time}的提醒：{task}
        别让我忘了{time}[要|去]“{task}”。
        [提醒|提醒事项]：{task}，[时间|在]{time}
        """, task=text("task text what", zh_remark, "内容"), time=text("time at when", zh_clock, "时间")),
    tool("translate translate_text translation", "翻译文字", """
        [把|请把|帮我把]“{text}”[翻译成|译成]{language}。
        “{text}”用{language}怎么[说|写]？
        [用|拿]{language}[说|写]“{text}”。
        {language}的“{text}”[怎么说|是什么|怎么写]？
        """, text=text("text phrase input", zh_title, "原文"), language=text("language to target_language", zh_from(ZH_LANGUAGES), "目标语言")),
    tool("search_web search web_search", "上网搜索", """
        [搜索|搜一下|查找|上网查|上网搜]“{query}”[。|，谢谢。]
        [帮我|请]在网上[找|搜|查]“{query}”。
        网上有没有关于“{query}”的[内容|信息|网页]？
        """, query=text("query q text", zh_remark, "搜索词")),
    tool("find_flight search_flights flights", "查询航班", """
        [查|找|帮我查|帮我找]{date}从{origin}到{destination}的[航班|机票|飞机]。
        [我要|我想]{date}从{origin}飞[到|往]{destination}。
        {date}[有没有|还有没有]从{origin}到{destination}的[航班|飞机]？
        从{origin}飞{destination}，{date}[，谢谢。|。]
        """, origin=text("origin from departure", zh_city, "出发地"), destination=text("destination to arrival", zh_city, "目的地"), date=text("date day on", zh_day, "日期")),
    tool("find_train train_connection search_trains", "查询火车", """
        [查|找|帮我查|帮我找]{time}从{origin}到{destination}的[火车|高铁|列车]。
        [我要|我想]{time}坐[火车|高铁]从{origin}去{destination}。
        {time}[有没有|还有没有]从{origin}到{destination}的[火车|高铁]？
        """, origin=text("origin from departure", zh_city, "出发站"), destination=text("destination to arrival", zh_city, "到达站"), time=text("time at departure_time", zh_clock, "时间")),
    tool("book_hotel hotel reserve_room", "预订酒店", """
        [在|帮我在|请在]{city}[订|预订|找]一家酒店，{date}入住，住{nights}晚。
        {date}[我们|我]去{city}住{nights}[晚|个晚上]，[订酒店|订个房间]。
        [订酒店|酒店]：{city}，{date}，{nights}晚
        """, city=text("city place location", zh_city, "城市"), nights=integer("nights length duration", 2, 21, "晚数"), date=text("check_in date from", zh_day, "入住日期")),
    tool("order_taxi taxi call_taxi", "叫出租车", """
        [叫|打|帮我叫|帮我打]一辆从{pickup}到{dropoff}的[车|出租车]。
        [我要|我想]打车从{pickup}[去|到]{dropoff}。
        从{pickup}到{dropoff}，[叫一辆车|叫出租车|打车]。
        """, pickup=text("pickup from start", zh_title, "上车地点"), dropoff=text("dropoff to destination", zh_city, "下车地点")),
    tool("get_directions directions navigate route", "查询路线", """
        从{start}[怎么{mode}去|怎么{mode}到]{end}？
        [导航|带我]{mode}从{start}[去|到]{end}。
        [我要|我想]{mode}从{start}[去|到]{end}，[怎么走|走哪条路]？
        [查|告诉我]{mode}从{start}到{end}的路线。
        """, start=text("start from origin", zh_city, "起点"), end=text("end to destination", zh_city, "终点"), mode=option("mode transport by", "car bicycle foot bus", "交通方式", {"car": ["开车"], "bicycle": ["骑车", "骑自行车"], "foot": ["走路", "步行"], "bus": ["坐公交车", "坐公交"]})),
    tool("set_temperature thermostat heating", "设置房间温度", """
        [把|请把|帮我把]{room}[的温度|]调到{degrees}度。
        {room}[要|设为|设成]{degrees}度[。|，谢谢。]
        [我想让|请让]{room}[变成|保持]{degrees}度。
        """, room=text("room where zone", zh_from(ZH_ROOMS), "房间"), degrees=integer("degrees temperature value", 10, 30, "温度")),
    tool("switch_light light lights", "开灯或关灯", """
        [请|帮我|]{state}{room}的灯。
        [把|请把|帮我把]{room}的灯{state}。
        {room}的灯[请|给我|]{state}[一下|]。
        """, room=text("room where zone", zh_from(ZH_ROOMS), "房间"), state=option("state status value", "on off", "开或关", {"on": ["打开"], "off": ["关掉", "关上"]})),
    tool("create_note note add_note", "保存笔记", """
        [写|记|新建]一条笔记，[标题|题目]“{title}”，[内容|正文]“{content}”。
        [笔记|备忘]：{title}，[内容|正文]：{content}
        [把|请把]“{content}”[记下来|存成笔记]，[标题是|标题]“{title}”。
        """, title=text("title name heading", zh_title, "标题"), content=text("content text body", zh_remark, "内容")),
    tool("add_to_list shopping_list add_item", "加入购物清单", """
        [把|请把|帮我把]{quantity}个{item}[加到|写进|放进]购物清单。
        [我们要|我要|要]买{quantity}个{item}[，写进购物清单。|，加到清单里。]
        购物清单：{item}，{quantity}个
        [购物清单|清单][加上|添加]{quantity}个{item}。
        """, quantity=integer("quantity count amount", 2, 40, "数量"), item=text("item product thing", lambda w: w.pick(ZH_PRODUCTS) if w.chance(0.5) else chinese_phrase(w, 2, 3), "物品")),
    tool("transfer_money pay send_money", "转账", """
        [给|帮我给|请给]{recipient}[转|汇]{amount}{currency}。
        [转|汇]{amount}{currency}给{recipient}[。|，谢谢。]
        [我要|我想]付给{recipient}{amount}{currency}。
        [我欠|还欠]{recipient}{amount}{currency}，[帮我转|请转账]。
        """, amount=decimal("amount sum value", price, "金额"), currency=text("currency unit", closed(ZH_CURRENCIES), "货币"), recipient=text("recipient to receiver", zh_name, "收款人")),
    tool("track_order order_status get_order", "查询订单", """
        [查|查一下|帮我查]订单{order}[。|，谢谢。|到哪了。]
        订单{order}[到哪了|发货了吗|什么时候到|是什么状态]？
        [我的订单号是|订单号]{order}，[到哪了|帮我查一下|还没到吗]？
        """, order=text("order order_id number", code, "订单号")),
    tool("create_ticket open_ticket report_issue", "创建工单", """
        [创建|新建|开]一个{priority}优先级的工单：{title}
        [报告|提交]问题“{title}”，优先级{priority}。
        [工单|问题]：“{title}”，[优先级|优先级是]{priority}
        """, title=text("title subject summary", zh_title, "标题"), priority=option("priority urgency level", "low medium high", "优先级", {"low": ["低"], "medium": ["中", "中等"], "high": ["高"]})),
    tool("assign_task assign delegate", "分配任务", """
        [把|请把]“{task}”[交给|分给|派给]{person}，{date}之前[完成|做完]。
        {person}[要|必须|应该]在{date}之前完成“{task}”。
        [任务|新任务]：{task}，负责人{person}，[截止|期限]{date}
        """, task=text("task title name", zh_remark, "任务"), person=text("person assignee to", zh_name, "负责人"), date=text("date due deadline", zh_day, "期限")),
    tool("delete_file remove_file erase_file", "删除文件", """
        [删除|删掉]文件{path}，{backup}。
        [把|请把|帮我把]{path}[删掉|删除|删了]，{backup}。
        [不需要|不要]{path}了，[删掉|删除]，{backup}。
        """, path=text("path file filename", file_name, "文件"), backup=switch("backup keep_backup save_copy", ["留一个备份", "先备份", "要备份"], ["不留备份", "不用备份", "不要备份"], "是否备份")),
    tool("get_recipe recipe find_recipe", "查找菜谱", """
        [找|查|给我|我要]{people}[人份|个人吃]的{dish}[菜谱|做法]。
        {dish}怎么做？[我们有|一共]{people}个人[。|吃。]
        [我想|我要]给{people}个人做{dish}[，怎么做？|，找菜谱。]
        """, dish=text("dish meal recipe", lambda w: w.pick(ZH_DISHES) if w.chance(0.6) else chinese_phrase(w, 1, 2) + w.random.choice("汤饭面饼粥"), "菜名"), people=integer("people servings portions", 2, 12, "人数")),
    tool("calculate calculator compute", "计算两个数", """
        {a}{operation}{b}[等于多少|是多少|等于几|得多少]？
        [算|计算|算一下|帮我算]{a}{operation}{b}。
        [请问|告诉我]{a}{operation}{b}[是多少|等于多少]。
        """, a=integer("a first x", 2, 900, "第一个数"), b=integer("b second y", 2, 900, "第二个数"), operation=option("operation operator op", "add subtract multiply divide", "运算", {"add": ["加", "加上"], "subtract": ["减", "减去"], "multiply": ["乘", "乘以"], "divide": ["除以"]})),
    tool("get_news news headlines", "查询新闻", """
        [看看|告诉我|读一下]关于{topic}的新闻。
        [查|找|搜]{topic}的[最新消息|新闻|头条]。
        {topic}[最近怎么样|有什么新消息|最近有新闻吗]？
        """, topic=text("topic subject about", zh_title, "话题")),
    tool("buy_product order_product purchase", "购买商品", """
        [买|订|订购|帮我买]{quantity}个{color}的{product}。
        [我要|我想买|给我来]{quantity}个{product}，{color}的。
        {product}，{color}，[要|买|来]{quantity}个。
        """, product=text("product item article", zh_from(ZH_PRODUCTS), "商品"), color=text("color variant colour", zh_from("红色 蓝色 绿色 黄色 黑色 白色 紫色 橙色 棕色 粉色 灰色 银色 金色".split()), "颜色"), quantity=integer("quantity count amount", 2, 60, "数量")),
    tool("get_time world_clock local_time", "查询当地时间", """
        {city}[现在几点|几点了|现在是什么时间]？
        [告诉我|查一下|看看]{city}的[时间|当地时间|钟点]。
        [我想知道|请问]{city}[现在几点|是几点]。
        """, city=text("city place timezone", zh_city, "城市")),
    tool("book_appointment appointment make_appointment", "预约", """
        [约|预约|帮我约|帮我预约]{date}，{time}[跟|和]{person}见面。
        [我要|我想]{date}，{time}见{person}[。|，请预约。]
        [预约|约见]：{person}，{date}，{time}
        """, person=text("person with name", lambda w: zh_name(w)[:1] + w.random.choice(["医生", "老师", "经理", "律师", "先生", "女士"]), "跟谁"), date=text("date day on", zh_day, "日期"), time=text("time at hour", zh_clock, "时间")),
]
TOOLS = {"en": ENGLISH, "zh": CHINESE}


# --- drawing --------------------------------------------------------------------------------------

IMPERATIVES = set("""Set Create Make Show Tell Give Find Search Send Write Add Put Book Reserve Order Call Play Start Turn Switch Convert Change Translate Look Read Open Delete Remove Rename Save Run
Execute Calculate Compute Define Explain Transfer Pay Track Check Cancel Stop Assign Get Buy Register Update Log Take Draw Pick Summarize Rent Hire Schedule Plan Heat Navigate Exchange Wake Text Mail Email
Phone Return Note Arrange Hand Delegate Print List Purchase Shorten Count Time Erase Store Wire Follow Launch Query""".split())
POLITE = ["Please {r}", "Please {r}", "Could you {r}?", "Can you {r}?", "Can you please {r}?", "I want you to {r}.", "I'd like you to {r}.", "Would you {r}?", "Hey, {r}", "Be so kind and {r}", "You should {r}.", "Would you please {r}?", "Now {r}", "Kindly {r}", "Go ahead and {r}", "Quick, {r}"]
ZH_VERBS = "查找订放播打发写记设定转算把给用叫买约开关删翻搜计打来汇拨跟呼创新安"
ZH_POLITE = [("请", ""), ("麻烦", ""), ("麻烦你", ""), ("我想让你", ""), ("你能", "吗？"), ("可以", "吗？"), ("能不能", "？"), ("我希望你", ""), ("快", ""), ("劳驾，", ""), ("拜托，", ""), ("请你", ""), ("你可以", "吗？"), ("能", "吗？"), ("现在", ""), ("我要你", "")]
BEFORE = ["Hi. ", "Hello! ", "Hey there. ", "One more thing. ", "Good morning. ", "Okay. ", "I am in a hurry. ", "Hello, assistant. ", "So. ", "Listen. ", "I need your help. ", "Good evening. ", "Are you there? ", "Just a short request. ", "Hi, it is me again. ", "Excuse me. "]
AFTER = [" Thanks!", " Thank you.", " Thanks a lot.", " That's all.", " Can you do that?", " It is important.", " No hurry.", " Thank you very much!", " I'll wait.", " Thank you so much.", " That would be great.", " As soon as possible.", " Many thanks!", " You are a great help.", " I rely on you.", " That is it for now."]
ZH_BEFORE = ["你好，", "您好，", "嗨，", "对了，", "麻烦一下，", "早上好，", "助手，", "那个，", "下午好，", "你在吗？", "有件事。", "帮个忙，", "我有个请求。", "晚上好，", "听我说，", "喂，"]
ZH_AFTER = ["谢谢！", "多谢。", "麻烦你了。", "辛苦了。", "就这些。", "拜托了。", "非常感谢！", "不急。", "尽快吧。", "好吗？", "谢谢你！", "太感谢了。", "这很重要。", "我等着。", "可以吗？", "就这样。"]


def said_value(world: World, argument: Argument, value: object, language: str) -> str:
    """The value as a request says it."""
    if argument.said is not None:
        return world.random.choice(argument.said[value.value if isinstance(value, Choice) else value])
    if isinstance(value, Choice):
        return value.value
    if isinstance(value, Number):
        small = argument.kind == "integer" and value.text.isdigit() and 2 <= int(value.text) <= 10
        return NUMBER_WORDS[int(value.text)] if language == "en" and small and world.chance(0.2) else value.text
    return str(value)


def polite(world: World, template: str) -> str:
    """An order put as a wish or a question, as long as nothing but a full stop ends it."""
    first, _, rest = template.partition(" ")
    plain = template.rstrip(".")
    if first not in IMPERATIVES or ":" in template or "?" in template or ". " in template or "please" in template.lower() or not world.chance(0.35):
        return template
    frame = world.from_side(POLITE, world.held_sentences)
    asked = frame.format(r="{r}").replace("{r}", first.lower() + plain[len(first):])
    return asked if asked[-1] in ".?" else asked + world.random.choice([".", "", "!"])


def zh_polite(world: World, template: str) -> str:
    """A Chinese order with a polite beginning."""
    if template[0] not in ZH_VERBS or template.startswith(("给我", "新任务", "来点", "计时")) or "？" in template or not world.chance(0.4):
        return template
    beginning, end = world.from_side(ZH_POLITE, world.held_sentences)
    return beginning + (template.rstrip("。") + end if end else template)


def different_values(world: World, chosen: Tool) -> dict[str, object]:
    """A value for every argument; no two strings of a call are equal."""
    values: dict[str, object] = {}
    for key, argument in chosen.arguments.items():
        value = argument.make(world)
        while value in values.values() and not isinstance(value, bool):
            value = argument.make(world)
        values[key] = value
    return values


def request_for(world: World, chosen: Tool, language: str) -> tuple[str, dict[str, object]]:
    """A request that calls the tool, and the values it names."""
    values = different_values(world, chosen)
    template = exact(world, chosen.requests)
    template = polite(world, template) if language == "en" else zh_polite(world, template)
    words_of = {key: said_value(world, chosen.arguments[key], value, language) for key, value in values.items()}
    for key, said in words_of.items():  # `a {kind} car` becomes `an electric car`
        if said[:1] in "aeioAEIOU":
            template = re.sub(rf"\b([Aa]) {{{key}}}", rf"\1n {{{key}}}", template)
    return template.format(**words_of), values


def offered_tools(world: World, language: str, called: list[Tool], most: int) -> list[Tool]:
    """The called tools among others, shuffled."""
    others = [entry for entry in TOOLS[language] if entry not in called]
    extra = world.random.sample(others, world.random.randint(0, max(0, most - len(called))))
    return world.random.sample([*called, *extra], len(called) + len(extra))


Call = tuple[str, Tool, dict[str, object]]
"""A request, the right tool, and the values of its arguments."""


def draw_call(world: World, chosen: Tool, language: str) -> Call:
    """A request for a tool."""
    asked, values = request_for(world, chosen, language)
    if world.chance(0.12):
        asked = world.pick(BEFORE if language == "en" else ZH_BEFORE) + asked
    if world.chance(0.1) and asked[-1] in ".!?。！？":
        asked += world.pick(AFTER if language == "en" else ZH_AFTER)
    return asked, chosen, values


def draw_calls(world: World, language: str, count: int) -> tuple[list[Call], list[Tool]]:
    """Requests one after the other, and one to eight tools on offer for all of them."""
    chosen = world.random.choice(TOOLS[language])
    offered = offered_tools(world, language, [chosen], 8)
    return [draw_call(world, each, language) for each in [*(world.random.choice(offered) for _ in range(count - 1)), chosen]], offered


PLANS = {
    "en": [
        ["First: {0}", "Then: {1}", "Finally: {2}"], ["First of all: {0}", "After that: {1}", "And then: {2}"], ["1. {0}", "2. {1}", "3. {2}"], ["{0}", "Then: {1}", "Last of all: {2}"],
        ["Step one: {0}", "Step two: {1}", "Step three: {2}"], ["{0}", "After that: {1}", "In the end: {2}"], ["To begin with: {0}", "Next: {1}", "Lastly: {2}"], ["{0}", "And afterwards: {1}", "Then this: {2}"],
        ["- {0}", "- {1}", "- {2}"], ["a) {0}", "b) {1}", "c) {2}"], ["I have several wishes. {0}", "When that is done: {1}", "At last: {2}"], ["Begin with this: {0}", "Go on with this: {1}", "End with this: {2}"],
        ["{0}", "{1}", "{2}"], ["Do these in order. {0}", "{1}", "{2}"], ["Start: {0}", "Second: {1}", "Third: {2}"], ["{0}", "Afterwards: {1}", "And one last thing: {2}"],
    ],
    "zh": [
        ["先：{0}", "然后：{1}", "最后：{2}"], ["第一，{0}", "第二，{1}", "第三，{2}"], ["1. {0}", "2. {1}", "3. {2}"], ["首先，{0}", "接着，{1}", "最后，{2}"], ["{0}", "然后{1}", "再然后{2}"],
        ["第一步：{0}", "第二步：{1}", "第三步：{2}"], ["{0}", "之后：{1}", "还有：{2}"], ["请按顺序做。{0}", "{1}", "{2}"], ["开始：{0}", "接下来：{1}", "结束前：{2}"],
    ],
}
REVERSED = {
    "en": ["{1} But before that: {0}", "{1} But first: {0}", "Before you do the second: {0} The second: {1}", "{1} Do this one first, though: {0}", "{1} Prior to that: {0}", "{1} However, begin with this: {0}", "Last: {1} First: {0}", "Second: {1} First: {0}"],
    "zh": ["{1}但在那之前：{0}", "{1}不过先做这个：{0}", "后做：{1}先做：{0}", "{1}在这之前，{0}"],
}


def ended(text: str, language: str) -> str:
    """The request with an end mark, so that another may follow."""
    if text[-1] in ".!?。！？" or language == "en" and text.endswith('."'):
        return text
    return text + ("." if language == "en" else "。")


def draw_plan(world: World, language: str) -> tuple[str, list[tuple[Tool, dict[str, object]]], list[Tool]]:
    """A request that needs two or three tools in order, the calls, and the tools on offer."""
    chosen = world.random.sample(TOOLS[language], world.random.choice([2, 2, 2, 3]))
    made = [request_for(world, entry, language) for entry in chosen]
    asked = [ended(text, language) for text, _ in made]
    if len(asked) == 2 and world.chance(0.15):
        whole_text = exact(world, REVERSED[language]).format(*asked)
    else:
        frames = exact(world, PLANS[language])
        apart = world.random.choice(["\n", "\n"]) if frames[0][0] in "1-a" else world.random.choice([" ", " ", "\n"] if language == "en" else ["", "", "\n"])
        whole_text = apart.join(frame.format(part, part, part) for frame, part in zip(frames, asked))
    return whole_text, [(entry, values) for entry, (_, values) in zip(chosen, made)], offered_tools(world, language, chosen, 8)
