"""Tools and the requests that call them, in English."""

from __future__ import annotations

from texts import words
from texts.tool_tables import decimal, integer, option, switch, text, tool
from texts.world import World, city, clock, code, company, country, date, email, first_name, full_name, phone, phrase, price


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
