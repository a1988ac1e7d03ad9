"""The words the training texts are made of.

Every list is cut in two by position: the entries whose index modulo eight is
seven are *held out* and appear only in evaluation (see `data.World.pick`).
All of it is written for this project; people, firms and orders are invented.
"""


def words(text: str) -> list[str]:
    """Split a block of words on white space; `_` stands for a space inside one entry."""
    return [word.replace("_", " ") for word in text.split()]


FIRST_NAMES = words("""
Anna Ben Clara David Emma Felix Grace Henry Irene Jack Karen Leo Maria Nathan Olivia Paul Quinn Rosa
Samuel Tina Umar Vera Walter Xenia Yusuf Zoe Alice Bob Carol Daniel Eva Frank Gina Hugo Ines James Kate
Liam Mona Noah Otto Petra Ralf Sarah Tom Ursula Victor Wendy Xavier Yara Zane Aisha Boris Chen Dina Elias
Fatima George Hannah Ivan Julia Kofi Lena Marco Nina Oscar Priya Rahul Sofia Tariq Una Viktor Wanda Ximena
Yuki Zara Amir Bella Carlos Diana Erik Flora Gustav Helen Igor Jana Kenji Laura Mateo Nora Omar Paula Robert
Simon Teresa Uwe Valerie William Ali Bianca Chloe Derek Elena Fiona Gavin Heidi Isaac Jonas Kim Linda Martin
Natalie Owen Patricia Rachel Stefan Thomas Vanessa Wei Amelia Bruno Cecilia Dmitri Esther Fred Gloria Harold
Isabel Julian Klara Lucas Miriam Nicolas Ophelia Peter Ruth Sven Tanya Ulrich Vincent Willa Adam Beatrice
Conrad Dora Edgar Freya Gordon Hilda Iris Jasper Kira Lloyd Mabel Neil Olga Percy Rita Silas Thea Vivian
Wesley Anton Brenda Cyrus Daphne Emil Farah Glenn Hana Ira Joel Keiko Lars Mei Nadia Oliver Pia Rosalind
Sanjay Tilda Ugo Violet Warren Yvonne Zach Maya Ethan Mila Mary John Michael Susan Jose Ana Luis Ravi Anita
Jean Pierre Marie Hans Greta Akira Sakura Ming Li Jun Hiro Ahmed Layla Hassan Amina Chidi Ngozi Kwame
""")

LAST_NAMES = words("""
Adams Baker Carter Dixon Evans Fisher Garcia Hansen Ivanov Jones Keller Lopez Miller Nakamura Olsen Peters
Quist Rossi Schmidt Turner Ueda Vargas Weber Xu Young Zimmer Allen Brown Costa Diaz Engel Ferrari Green
Hoffman Ibrahim Jensen Khan Larsen Meyer Novak Ortiz Patel Quinn Rivera Singh Tanaka Urban Vogel Wagner Yang
Ziegler Anders Becker Cohen Duarte Eriksen Fuchs Gomez Hughes Iqbal Johnson Kowalski Lee Martin Nguyen Okafor
Park Ramos Silva Taylor Usman Vance Wilson Yilmaz Zhang Arnold Bishop Cruz Dawson Ellis Foster Grant Hayes
Irwin Jordan Kaur Lambert Mendes Nilsson Owens Porter Reyes Santos Thorpe Underwood Varga Walsh Yates Zeller
Abbott Brandt Cortez Delgado Emerson Fontaine Gibson Holm Jansen Knight Lindgren Moreau Nash Obrien Pereira
Romano Sato Tran Vaughn West Yamada Bauer Clarke Dubois Ekman Flores Gruber Hill Ito Kim Lang Moore Nolan
Osman Price Reed Stone Tucker Vidal White Archer Bergman Chandra Doyle Farrell Gupta Horvath Jacobs Kruger
Lund Mason Neumann Petrov Rao Sharma Tobin Volkov Wolfe Zamora Smith Anderson Scott Thompson Wright Walker
""")

CITIES = words("""
Paris London Berlin Madrid Rome Vienna Prague Oslo Lisbon Dublin Athens Warsaw Budapest Helsinki Stockholm
Copenhagen Brussels Amsterdam Zurich Geneva Munich Hamburg Milan Naples Turin Barcelona Seville Porto Lyon
Nice Marseille Glasgow Leeds Bristol Cork Tokyo Osaka Kyoto Seoul Busan Beijing Shanghai Taipei Bangkok Hanoi
Jakarta Manila Delhi Mumbai Chennai Karachi Lahore Dhaka Tehran Baghdad Cairo Tunis Lagos Accra Nairobi Dakar
Toronto Montreal Vancouver Boston Chicago Denver Dallas Houston Austin Seattle Portland Miami Atlanta Detroit
Phoenix Lima Bogota Quito Santiago Havana Sydney Perth Brisbane Auckland Wellington New_York Los_Angeles
San_Diego Mexico_City Cape_Town Hong_Kong Tel_Aviv Buenos_Aires Salt_Lake_City Bergen Malmo Tampere Riga
Tallinn Vilnius Sofia Zagreb Split Graz Bern Basel Ghent Utrecht Bremen Leipzig Dresden Cologne Stuttgart
Istanbul Ankara Izmir Kiev Minsk Tbilisi Singapore Penang Cebu Nagoya Sapporo Wuhan Chengdu Xian
""")

COUNTRIES = words("""
France Germany Spain Italy Austria Norway Portugal Ireland Greece Poland Hungary Finland Sweden Denmark
Belgium Switzerland Japan Korea China Thailand Vietnam Indonesia India Pakistan Iran Iraq Egypt Tunisia
Nigeria Ghana Kenya Senegal Canada Mexico Brazil Peru Chile Cuba Australia New_Zealand Argentina Turkey
Ukraine Georgia Iceland Croatia Bolivia Morocco Ethiopia Nepal
""")

JOBS = words("""
teacher nurse engineer baker painter lawyer doctor plumber farmer writer pilot chef carpenter librarian
journalist architect electrician gardener singer dentist chemist biologist accountant translator designer
photographer mechanic tailor waiter cashier firefighter judge professor programmer musician actor dancer
potter fisher guide editor banker florist butcher surgeon sailor barber miner geologist physicist tutor
driver clerk secretary consultant analyst pharmacist optician welder jeweller historian astronomer vet
data_scientist software_engineer bus_driver police_officer product_manager graphic_designer civil_engineer
school_principal sales_manager nurse_assistant shop_owner film_director web_developer research_assistant
project_manager math_teacher taxi_driver bank_manager
""")

HOBBIES = words("""
chess painting running swimming cooking hiking cycling reading gardening dancing fishing knitting sailing
skiing surfing climbing singing pottery photography yoga tennis football golf baking drawing writing poetry
astronomy birdwatching rowing boxing judo karate fencing archery origami sewing woodworking juggling camping
travelling cinema theatre opera jazz piano guitar violin drums
""")

LANGUAGES = words("""
English French German Spanish Italian Portuguese Dutch Swedish Norwegian Danish Finnish Polish Czech Greek
Turkish Arabic Hebrew Persian Hindi Urdu Bengali Tamil Chinese Japanese Korean Thai Vietnamese Russian
Ukrainian Swahili
""")

PRODUCTS = words("""
lamp mug chair table keyboard mouse monitor notebook pencil backpack jacket shirt hat scarf umbrella bottle
kettle toaster blender pillow blanket carpet mirror clock camera tripod speaker headset charger cable printer
phone tablet laptop router desk shelf sofa vase candle basket bucket hammer drill saw wrench ladder tent
bicycle helmet skateboard racket glove boot sandal sock watch ring necklace bracelet wallet belt coat sweater
towel curtain plate bowl fork spoon knife pan pot teapot grill stove fan heater lantern coffee_maker
desk_lamp phone_case water_bottle yoga_mat office_chair gaming_mouse running_shoe winter_coat paper_towel
rice_cooker memory_card picture_frame wall_clock tea_set
""")

SOFTWARE = words("""
MailBox PhotoPad CloudDrive TaskList NoteBook ChatRoom SafePass MapView FileSync WebShop BankApp HomeHub
PlayBox ReadMe SoundLab VideoCut DataGrid CodePad FormDesk RouteOne WorkDay QuickPay PhoneLink PrintPro
TeamTalk LearnIt FitTrack SmartLock CalPlan DocSign
""")

SYSTEMS = words("Windows Linux macOS Android iOS Ubuntu Debian Fedora ChromeOS FreeBSD")

COMPANY_TAILS = words("Labs Group Motors Foods Press Bank Systems Software Media Air Energy Partners Steel Books Studio Works")

COLORS = words("red blue green yellow black white purple orange brown pink grey silver gold")

MONTHS = words("January February March April May June July August September October November December")

DAYS = words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")

PLACES = words("""
room_12 the_library the_town_hall the_main_office the_city_park the_museum the_old_station the_harbour
the_school_gym the_blue_cafe hall_B the_community_center the_garden the_market_square the_rooftop room_7
the_concert_hall the_sports_club the_theatre the_conference_room the_lake_house the_book_shop
""")

# Everyday words for titles, messages, made-up keys and last-letter puzzles.
COMMON = words("""
apple river stone cloud window garden bridge paper silver forest mountain island summer winter morning evening
music story letter number street market castle village ocean harbor engine signal pocket ticket butter cheese
bread honey lemon pepper sugar flower branch meadow valley desert thunder shadow mirror candle ladder hammer
needle thread ribbon button collar jacket leather cotton velvet marble copper iron timber basket barrel bottle
kettle saucer spoon plate corner tower tunnel canal ferry wagon saddle horse rabbit tiger eagle falcon spider
turtle salmon lobster oyster pebble crystal planet comet galaxy rocket pilot sailor doctor lawyer artist singer
dancer painter author editor reader teacher student master captain soldier knight queen prince jester giant
dragon wizard secret riddle puzzle answer question reason method system model sample result report record
project budget meeting agenda design review update launch travel journey season weather climate energy water
light sound voice color shape circle square line point level space time hour minute second week month year
small large quick slow bright dark cold warm quiet loud early late simple complex open closed lost found new
old young fresh broken golden hidden gentle brave clever honest happy lucky proud serious silent strange sudden
sweet tiny vast wild north south east west inner outer upper lower final first next last daily annual public
private local global modern ancient family friend guest host owner worker member leader partner client buyer
seller center branch office school hospital library station airport hotel kitchen bedroom garage roof floor
door wall gate fence road path trail map plan idea dream plane train truck boat wheel
""")

CHINESE_NAMES = words("小明 小红 李伟 王芳 张强 刘洋 陈静 杨光 赵敏 周杰 吴磊 孙丽 马超 朱婷 胡军 林峰 何洁 高翔 罗文 郑爽 梁宇 宋佳 唐晶 韩雪")
CHINESE_CITIES = words("北京 上海 广州 深圳 杭州 成都 武汉 南京 西安 重庆 天津 苏州 青岛 大连 厦门 昆明")
CHINESE_JOBS = words("老师 医生 工程师 律师 厨师 司机 护士 记者 画家 歌手 农民 学生 会计 警察 作家 设计师")

# Characters from which Chinese words are put together, so that any of them can be copied.
CHINESE_CHARACTERS = sorted(set("".join(CHINESE_NAMES + CHINESE_CITIES + CHINESE_JOBS)) | set(
    "的一是了我不在人有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能好都然没日于起还发成"
    "事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向"
    "情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市眼体"
))

CONSONANTS = "b c d f g h j k l m n p r s t v w z br ch cl dr fl gr kr pl pr sh st th tr".split()
VOWELS = "a e i o u a e i o u ai ea ia io ou".split()
ENDINGS = "n r s l t m k d x th ck ng nd rt".split() + [""] * 14

# Letters about as often as English has them.
LETTERS = "eeeeeetttttaaaaaoooooiiiiinnnnnsssshhhrrrrddlllcuumwfgypbvkjxqz"
