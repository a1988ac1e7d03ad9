"""Records in English: the facts of each kind, and the sentences that say them."""

from __future__ import annotations

from texts import words
from texts.records import Domain, Fact, flag, label, listing, whole
from texts.world import alternatives, city, clock, code, company, country, date, email, first_name, full_name, job, phone, phrase, price, version
from texts.examples import Number

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
