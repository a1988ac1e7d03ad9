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
Abigail Adele Adrian Agnes Aidan Alan Albert Alfred Alina Alma Alvin Amanda Amber Amos Amy Anders Andrea Andrew Angela Anja Annika Anselm Antonia
April Archie Ariana Arjun Arlo Arthur Asha Astrid Audrey Aurora Ava Axel Barbara Bart Basil Belinda Benedict Bernard Beth Betty Birgit Bjorn Blake
Brandon Brian Bridget Bruce Bryce Caleb Calvin Camilla Camille Carina Carmen Caroline Casper Cassie Catherine Cedric Charles Charlotte Chiara Chris
Christa Claire Claudia Clive Cody Colin Connor Cora Craig Crystal Curtis Cynthia Dagmar Daisy Dale Damian Dana Daria Darren Dean Deborah Delia Dennis
Dexter Dieter Dominic Donald Doris Dorothy Douglas Duncan Dylan Edith Edmund Eduardo Edwin Eileen Eleanor Eli Elise Eliza Ella Ellen Elsa Elvira
Emanuel Emily Enrique Enzo Erin Ernest Eugene Evelyn Ezra Fabian Faye Ferdinand Fernando Filip Finn Florian Frances Francis Franz Freddie Gabriel
Gareth Gemma Georgia Gerald Gerda Gideon Gilbert Giles Giulia Giorgio Graham Greg Gwen Hamid Hanna Harriet Harry Harvey Hazel Hector Heather Henrik
Herbert Herman Holly Horst Howard Hubert Ian Ida Imogen India Inga Ingrid Irma Isla Ivy Jacob Jade Jamal Jan Janet Janine Jared Jasmine Jason Javier
Jeffrey Jennifer Jenny Jeremy Jerome Jesse Jill Joan Joanna Joaquin Johan Jonathan Jorge Joseph Joshua Joy Joyce Juan Judith Judy Jules June Justin
Kai Karim Karl Karla Katja Keith Kelly Kenneth Kerry Kevin Khalid Kirsten Klaus Kristina Kurt Kyle Lana Larissa Larry Laurence Lea Leah Leila Leon
Leonie Lewis Lila Lilian Lily Logan Lorenzo Lorna Lorraine Louis Louise Luca Lucia Lucy Luna Lydia Lynn Magda Magnus Malcolm Malik Manfred Manuel
Marcel Marcus Margaret Margot Marian Mariana Marina Mario Marion Marius Mark Marlene Marta Martha Mathilda Matthew Maurice Max Maxine Megan Melanie
Melissa Mercedes Michelle Miguel Mikhail Milan Miles Milo Minna Miranda Mirko Mitchell Molly Monica Morgan Moritz Moses Muriel Myra Nadine Naomi
Natasha Nelson Nicole Nigel Nikita Nils Noel Norma Norman Nuria Octavia Odette Olaf Olivier Orla Oskar Pablo Pamela Pascal Patrick Pauline Pedro
Penelope Peggy Philip Phoebe Phyllis Pilar Polly Rafael Ralph Ramona Randall Raymond Rebecca Regina Renata Rhoda Ricardo Richard Robin Rodrigo Roger
Roland Rolf Ronald Rory Rosemary Rowan Roxanne Roy Rudolf Rupert Russell Ryan Sabine Sally Salma Sami Sandra Saul Scarlett Sebastian Selma Serena
Sergei Shane Sharon Sheila Shirley Sibyl Sidney Sigrid Silvia Simone Sonja Stacey Stella Stephen Stuart Sunita Sylvia Tamara Tara Tatiana Ted Tess
Theodore Theresa Tilly Timothy Tobias Todd Tony Tracy Travis Tristan Trudy Tyler Vadim Valentin Vera-Lynn Verena Veronica Vicky Viola Virginia
Vladimir Walid Wilma Winston Wolfgang Yasmin Yolanda Yosef Yuri Zelda Zita Zuri
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
Abel Ackerman Aguilar Albrecht Alvarez Amari Andersen Armstrong Ashton Atkins Austin Avery Bailey Baldwin Ballard Banks Barber Barker Barnes Barrett
Barton Bates Baxter Beck Bell Benitez Bennett Benson Berg Bernard Berry Black Blair Blanco Bloom Bolton Bond Booth Borg Bosch Bowman Boyd Bradley
Brady Braun Brennan Briggs Brooks Bruce Bryant Buck Burke Burns Burton Busch Butler Byrne Cabrera Cain Caldwell Cameron Campbell Campos Cannon Carlson
Caron Carr Carroll Castillo Castro Chan Chapman Chavez Cheng Christensen Chung Clark Coleman Collins Conti Cook Cooper Corbett Cox Craig Crawford
Cross Curtis Dahl Dalton Daniels Davies Davis Dean Dekker Dietrich Donovan Douglas Drake Duffy Duncan Dunn Durand Dyer Eaton Ebert Edwards Elliott
Erdmann Escobar Esposito Evers Farmer Faulkner Ferguson Fernandez Fields Fink Fleming Fletcher Flynn Ford Forsberg Fowler Fox Franklin Fraser Freeman
French Friedman Frost Fuller Gallagher Garner Garrett Gates Gauthier Geiger George Gerber Gilbert Giordano Glover Goldberg Gonzalez Goodwin Graf
Graham Gray Greco Griffin Gutierrez Haas Hahn Hale Hamilton Hammond Hancock Hardy Harper Harris Hart Hartmann Harvey Hassan Hawkins Heath Henderson
Herman Hernandez Herrera Hess Hicks Hobbs Hoffmann Holland Holmes Holt Hooper Hopkins Howard Howe Huber Hudson Hunt Hunter Hutchinson Ingram Ishikawa
Jackson Jain James Janssen Jenkins Jimenez Joseph Joshi Kane Kapoor Kato Kelley Kelly Kennedy Kent Kessler King Kirk Klein Koch Kovac Kramer Krause
Kumar Lane Larson Laurent Lawrence Lawson Leblanc Lehmann Leon Leroy Lewis Lin Lindberg Little Lloyd Logan Lombardi Long Lowe Lucas Lynch Maier Malone
Mancini Mann Manning Marin Marino Marsh Marshall Martinez Matthews Maxwell May McCarthy McDonald McKenna Medina Mehta Mejia Mercer Meier Mills
Mitchell Molina Monroe Montgomery Morales Moretti Morgan Morris Morrison Moser Mueller Murphy Murray Myers Navarro Neal Nelson Newman Newton Nichols
Nielsen Nieminen Norris Norton Nunez Ochoa Oconnor Ogawa Oliver Olsson Orlov Osborne Owen Page Palmer Parker Parsons Paulsen Pavlov Payne Pearson
Perez Perkins Perry Persson Phillips Pierce Pohl Pope Popov Potter Powell Powers Prince Pritchard Quintero Ramirez Randall Ray Reeves Reid Reynolds
Rhodes Rice Richards Richter Riley Ritter Robbins Roberts Robinson Rodriguez Rogers Rojas Romero Rose Ross Roth Rowe Ruiz Russell Ryan Salazar
Salvador Sanchez Sanders Sandoval Saunders Schneider Schroeder Schultz Schwarz Serrano Shaw Shepherd Sherman Shimizu Short Simmons Simon Simpson
Sinclair Skinner Sloan Snyder Soto Spencer Stanley Steele Stein Stephens Stevens Stewart Strand Suarez Sullivan Sutton Suzuki Swanson Sweeney Tate
Terry Thomas Torres Townsend Tremblay Trujillo Tully Vega Vincent Virtanen Vogt Wade Wallace Walters Ward Warner Warren Watkins Watson Watts Weaver
Webb Weiss Welch Wells Wheeler Whitaker Wilde Wilkins Williams Willis Winter Wong Wood Woods Wyatt York Zapata Zimmerman
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
Aberdeen Adelaide Albany Algiers Almaty Amman Antwerp Arequipa Asuncion Augsburg Avignon Baku Bath Bari Beirut Belfast Belgrade Bilbao Birmingham
Bologna Bordeaux Bratislava Brasov Brighton Brno Bucharest Buffalo Calgary Cambridge Canberra Cardiff Casablanca Catania Charlotte Chester Cincinnati
Cleveland Cluj Coimbra Columbus Cordoba Coventry Curitiba Cusco Da_Nang Darwin Davos Debrecen Derby Dijon Dortmund Dover Durban Durham Dusseldorf
Edinburgh Edmonton El_Paso Erfurt Essen Exeter Faro Fez Florence Frankfurt Freiburg Fukuoka Galway Gdansk Genoa Gothenburg Granada Grenoble Groningen
Guadalajara Guayaquil Haifa Halifax Hanover Hiroshima Hobart Honolulu Hull Hyderabad Iasi Innsbruck Inverness Jaipur Jerusalem Kampala Kansas_City
Kathmandu Kiel Kingston Kobe Kolkata Kosice Krakow Kuala_Lumpur Kuopio Kuwait_City La_Paz Lancaster Las_Vegas Lausanne Leicester Leiden Lille Limerick
Linz Liverpool Ljubljana Lodz Lucerne Lublin Luxembourg Maastricht Madison Malaga Manchester Mannheim Maribor Marrakesh Medellin Melbourne Memphis
Mendoza Minneapolis Mombasa Montevideo Montpellier Muscat Nantes Nashville Nassau Newcastle New_Orleans Nicosia Norwich Nottingham Nuremberg Oakland
Odense Odessa Omaha Orlando Ottawa Oulu Oxford Padua Palermo Palma Panama_City Parma Patras Pecs Pisa Pittsburgh Plovdiv Plymouth Port_Louis Potsdam
Poznan Pune Quebec Rabat Reading Regina Reims Reykjavik Richmond Rijeka Rotterdam Rouen Sacramento Salamanca Salvador Salzburg Samara San_Antonio
San_Jose San_Juan Santa_Fe Sarajevo Savannah Sendai Sheffield Siena Skopje Southampton St_Gallen Stavanger Strasbourg Suva Szeged Taichung Tampa
Tangier Tartu Thessaloniki Tirana Toledo Toulouse Trieste Trondheim Tucson Turku Ulm Uppsala Valencia Valletta Varna Venice Verona Vigo Wiesbaden
Winnipeg Wroclaw Wurzburg Yokohama York Zaragoza
""")

COUNTRIES = words("""
France Germany Spain Italy Austria Norway Portugal Ireland Greece Poland Hungary Finland Sweden Denmark
Belgium Switzerland Japan Korea China Thailand Vietnam Indonesia India Pakistan Iran Iraq Egypt Tunisia
Nigeria Ghana Kenya Senegal Canada Mexico Brazil Peru Chile Cuba Australia New_Zealand Argentina Turkey
Ukraine Georgia Iceland Croatia Bolivia Morocco Ethiopia Nepal
Albania Algeria Angola Armenia Azerbaijan Bangladesh Barbados Belarus Bosnia Botswana Bulgaria Cambodia Cameroon Colombia Costa_Rica Cyprus Czechia
Ecuador El_Salvador Estonia Fiji Gabon Gambia Guatemala Haiti Honduras Israel Jamaica Jordan Kazakhstan Kuwait Laos Latvia Lebanon Liberia Libya
Lithuania Luxembourg Madagascar Malawi Malaysia Malta Mauritius Moldova Mongolia Montenegro Mozambique Myanmar Namibia Netherlands Nicaragua Oman
Panama Paraguay Philippines Qatar Romania Rwanda Samoa Serbia Singapore Slovakia Slovenia South_Africa Sri_Lanka Sudan Suriname Syria Tanzania Tonga
Uganda Uruguay Uzbekistan Venezuela Yemen Zambia Zimbabwe
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
actuary animator anthropologist archaeologist auctioneer auditor beekeeper blacksmith bookbinder bookkeeper botanist bricklayer broker builder butler
caretaker cartographer choreographer coach cobbler composer conductor cook courier curator decorator detective diplomat diver economist estate_agent
farrier ferryman fitter forester gamekeeper glazier goldsmith hairdresser housekeeper illustrator inspector instructor interpreter investigator
janitor joiner lecturer lifeguard locksmith machinist magician manager marine_biologist mason masseur mathematician midwife model neurologist novelist
nutritionist paramedic pastry_chef personal_trainer philosopher physiotherapist playwright poet porter postman psychologist publisher radiologist
ranger receptionist reporter restorer roofer sculptor security_guard shepherd shoemaker social_worker sociologist soldier sound_engineer statistician
stonemason surveyor technician telephonist therapist toolmaker train_driver trader travel_agent umpire undertaker upholsterer urban_planner usher
warehouse_worker watchmaker weaver window_cleaner winemaker zoologist zookeeper account_manager air_traffic_controller art_teacher bike_courier
call_center_agent chief_accountant construction_worker crane_operator dental_assistant dog_trainer event_planner fashion_designer flight_attendant
game_designer head_nurse insurance_agent kindergarten_teacher lab_technician landscape_gardener marketing_director music_teacher network_administrator
office_clerk park_ranger personal_assistant piano_tuner production_planner quality_inspector restaurant_manager safety_officer school_nurse
ship_captain stage_manager store_detective swimming_instructor system_administrator tax_adviser tour_guide tram_driver video_editor voice_actor
wedding_planner yoga_teacher
""")

HOBBIES = words("""
chess painting running swimming cooking hiking cycling reading gardening dancing fishing knitting sailing
skiing surfing climbing singing pottery photography yoga tennis football golf baking drawing writing poetry
astronomy birdwatching rowing boxing judo karate fencing archery origami sewing woodworking juggling camping
travelling cinema theatre opera jazz piano guitar violin drums
badminton ballet basketball bowling bridge calligraphy canoeing carving ceramics choir collecting_stamps cricket croquet crosswords darts diving
embroidery film_making flute genealogy gymnastics handball hockey horse_riding kayaking kite_flying magic_tricks meditation model_trains music parkour
pilates poker puzzles quilting reading_comics rugby salsa scuba_diving skating sketching snooker snowboarding squash surf_fishing tango trail_running
travel triathlon ukulele video_games volleyball walking water_polo weaving weightlifting wine_tasting wrestling writing_letters beekeeping board_games
stargazing cello clarinet harmonica
""")

LANGUAGES = words("""
English French German Spanish Italian Portuguese Dutch Swedish Norwegian Danish Finnish Polish Czech Greek
Turkish Arabic Hebrew Persian Hindi Urdu Bengali Tamil Chinese Japanese Korean Thai Vietnamese Russian
Ukrainian Swahili
Afrikaans Albanian Amharic Armenian Basque Bulgarian Burmese Catalan Croatian Estonian Filipino Georgian Gujarati Hausa Hungarian Icelandic Igbo
Indonesian Irish Kazakh Khmer Lao Latin Latvian Lithuanian Malay Maltese Mongolian Nepali Punjabi Quechua Romanian Serbian Slovak Slovene Somali
Telugu Welsh Yoruba Zulu
""")

PRODUCTS = words("""
lamp mug chair table keyboard mouse monitor notebook pencil backpack jacket shirt hat scarf umbrella bottle
kettle toaster blender pillow blanket carpet mirror clock camera tripod speaker headset charger cable printer
phone tablet laptop router desk shelf sofa vase candle basket bucket hammer drill saw wrench ladder tent
bicycle helmet skateboard racket glove boot sandal sock watch ring necklace bracelet wallet belt coat sweater
towel curtain plate bowl fork spoon knife pan pot teapot grill stove fan heater lantern coffee_maker
desk_lamp phone_case water_bottle yoga_mat office_chair gaming_mouse running_shoe winter_coat paper_towel
rice_cooker memory_card picture_frame wall_clock tea_set
apron armchair ashtray axe backpack_cover ball barbecue bathrobe beach_towel bed bench bike_lock binder blouse board_game bookcase bookshelf bow
bowtie box bracelet_box bread_knife briefcase broom brush bunk_bed cabinet calculator calendar can_opener cap cardigan car_seat cello chain chess_set
chisel chopping_board coaster cocktail_dress coffee_grinder coffee_table colander comb compass computer_case cooler cradle crib cushion cutting_board
desk_organizer dishwasher doorbell doormat doll dress dresser drone dumbbell dustpan duvet ear_plug easel egg_timer electric_shaver extension_cord
eyeglass_case fan_belt fishing_rod flashlight flute flower_pot folding_chair footstool freezer frying_pan games_console garden_hose garlic_press
gloves_box guitar hair_dryer hairbrush hammock handbag hand_mixer hard_disk hiking_boot hoodie hot_plate hourglass ironing_board jewellery_box jigsaw
juicer jump_rope kayak kitchen_scale kite label_maker lawn_mower leather_belt letter_opener life_jacket light_bulb lunch_box luggage_scale magnifier
mattress measuring_cup microphone microscope microwave milk_frother mixing_bowl money_clip mop mousepad music_box nail_clipper night_light oil_heater
oven paint_brush paper_shredder parasol pedometer pencil_case pepper_mill piano_stool pillowcase plant_stand pocket_knife polo_shirt poster power_bank
pressure_cooker projector punch_bag purse puzzle radio rain_jacket raincoat record_player refrigerator rocking_chair rucksack rug saddle
sandwich_maker sauna_towel saucepan school_bag screwdriver sewing_machine shaver shoe_rack shower_curtain sideboard sled sleeping_bag slipper
smoke_alarm snow_shovel soap_dish sofa_bed soup_bowl spade spice_rack sports_bag stapler step_stool suitcase sun_hat swimsuit table_lamp tape_measure
teddy_bear telescope tennis_racket thermometer tie toolbox toothbrush torch toy_car train_set trash_can treadmill trolley trumpet vacuum_cleaner
violin waffle_iron waistcoat walking_stick wardrobe washing_machine watering_can webcam wheelbarrow whistle wine_glass wok yoga_block
""")

SOFTWARE = words("""
MailBox PhotoPad CloudDrive TaskList NoteBook ChatRoom SafePass MapView FileSync WebShop BankApp HomeHub
PlayBox ReadMe SoundLab VideoCut DataGrid CodePad FormDesk RouteOne WorkDay QuickPay PhoneLink PrintPro
TeamTalk LearnIt FitTrack SmartLock CalPlan DocSign
AgendaOne ArtDesk AuditPad BeatBox BillMate BookShelf BoxShare BudgetBee CamView CargoTrack CellSheet ChartFox ClassHub ClipJar CookBook CropTool
DayBook DeskTop DialUp DiskClean DrawTime DropNote EasyForm EchoCall FarmLog FaxOnline FieldMap FlatFinder FontLab FrameShop GameDock GiftCard
GridBoard GuestList HeatMap HelpLine IdeaBank ImageLab InkPad JobBoard KeyRing KidZone LabBook LedgerPlus LensCraft LinkPark LogReader MapMaker
MealPlan MediaPort MindSpace MoneyBox MoveIt MuseTone NetWatch NewsFeed NightSky NoteStack OpenDraw OrderBoy PageTurn PaintRoom ParkFind PetCare
PixelBox PlanWise PostBird QueueUp QuizTime RadioOne RainCast RentDesk RoomScan SalesBoard ScanPro ShelfLife ShipDesk SignBook SkyNotes SleepLog
SlideShow SmartBin SplitBill StepCount StockRoom StoryPad TableTurn TaxHelper TextCheck TimeSheet ToneUp TrailMap TravelKit TripBook TypeFast VaultKey
VoiceNote WalkBuddy WeatherEye WikiDesk WineList WordMill ZipTool ZoneClock
""")

SYSTEMS = words("Windows Linux macOS Android iOS Ubuntu Debian Fedora ChromeOS FreeBSD")

COMPANY_TAILS = words("""
Labs Group Motors Foods Press Bank Systems Software Media Air Energy Partners Steel Books Studio Works
Industries Logistics Consulting Solutions Holdings Brothers Trading Pharma Technologies Networks Dynamics Robotics Insurance Textiles Bakery Brewery
Design Construction Interiors Travel Games Analytics Security Optics Plastics Shipping Furniture Ventures Capital Ltd Inc GmbH and_Sons &_Co
""")

COLORS = words("""
red blue green yellow black white purple orange brown pink grey silver gold
beige turquoise cream maroon navy lilac olive crimson violet teal bronze dark_blue light_green pale_yellow dark_red sky_blue mint_green anthracite
""")

MONTHS = words("January February March April May June July August September October November December")

DAYS = words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")

PLACES = words("""
room_12 the_library the_town_hall the_main_office the_city_park the_museum the_old_station the_harbour
the_school_gym the_blue_cafe hall_B the_community_center the_garden the_market_square the_rooftop room_7
the_concert_hall the_sports_club the_theatre the_conference_room the_lake_house the_book_shop
the_aula the_art_gallery the_back_room the_ballroom the_basement the_beach_bar the_boardroom the_botanical_garden the_bowling_alley the_canteen
the_castle the_cathedral the_chapel the_church_hall the_cinema the_clubhouse the_courtyard the_dining_hall the_exhibition_hall the_fire_station
the_foyer the_gallery the_golf_club the_grand_hotel the_great_hall the_green_room the_gymnasium the_ice_rink the_ice_cream_parlour the_japanese_garden
the_kitchen_studio the_lecture_hall the_lighthouse the_lobby the_lounge the_main_hall the_music_school the_observatory the_old_brewery the_old_mill
the_opera_house the_orchard the_parish_hall the_pavilion the_planetarium the_press_room the_red_lion the_reading_room the_riverside_hotel
the_sailing_club the_seminar_room the_ship the_small_hall the_south_terrace the_sports_field the_stadium the_studio the_swimming_pool the_tea_house
the_tennis_club the_training_center the_university the_village_hall the_vineyard the_warehouse the_white_horse the_winter_garden the_workshop
the_yacht_club the_youth_center the_zoo hall_A hall_3 room_21 room_104 room_B12 room_305 meeting_room_2 lab_4 studio_6 gate_14
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
seller center twig office school hospital library station airport hotel kitchen bedroom garage roof floor
door wall gate fence road path trail map plan idea dream plane train truck boat wheel
acorn anchor angle ankle answering apricot arrow attic autumn avenue bakery balcony balloon bamboo banner beacon beetle berry bishop blanket blossom
border boulder breeze brick brother bubble bucket bundle cabin cactus camera campus canvas carbon carpet carrot cellar chain chalk channel chapel
chapter cherry chimney cinema circus citizen clay cliff clock coast coffee column concert contract cookie coral cottage council counter courage cousin
cradle craft cricket crown cup curtain customer dance data daughter dawn deal debate degree deposit detail dialog diary dinner discount dish document
dolphin double dough drawer drum dust eager echo effort elbow elder election empty engineer entry envelope error evidence exam exhibit export fabric
factory fair farm feather fever fiber field figure film finger fire fish flame flood flute focus folder foot form fortune fountain fox frame freedom
frost fruit fuel future gallery game garlic gathering ghost gift ginger glass globe glove goal goose grain grape grass gravel guide guitar habit hall
hand heart heavy hedge height hill history hobby holiday home honor horizon humble hunter ice image import income index industry ink insect invoice
ivory jam jar jewel joint journal joy judge juice jungle keeper kernel key kite knee label labor lake lamp language lantern laser laugh lawn layer
lead leaf lecture legend lens lesson lever limit linen lion list loan lock logic lunch machine magic magnet mail manual maple margin mask match meal
measure medal media memory menu message metal middle mill mind minor mint mission mist mixture mobile moment money monkey moon moral motion motor
mouse movie museum nail narrow nation nature nest network news night noble noise noon notice novel nut oak object odd offer olive onion opera orbit
orchard order organ outline oven owl oxygen package paint palace palm panel panther park parcel parent parrot party passage password past patch
patient pattern peace peach pear pearl pen pencil penguin people period phone photo piano picnic picture pigeon pillow pine pipe pitch pizza place
plant plastic play poem poet police pool portrait position pot potato powder power practice prize process product profit program promise proof protein
pulse pump purple quality quarter quest race radio rail rain rare rate raven reality receipt recipe region relief rent repair request rescue rest
reward rhythm rice ride ring ritual robot rock role room root rope rose round royal rubber ruler safety sailing salad salt sand sauce scale scene
science screen sea seat seed senior sense series service shade share sheep shelf shell shelter shield shift ship shoe shop shore short shoulder sister
sketch skill skin sky slope smart smile smoke snow soap soccer sock soil solar song soup source spark speech speed sphere spice spirit sport spring
staff stage stair stamp standard star statement status steam steel step storm stove straw stream strike studio study style subject success suit sunset
supply support surface surprise swan swim switch symbol table tail talent tape target task taste tax tea team temple tennis tent term test text
theater theme theory thick thin thirsty tide tin title toast tone tool tooth topic torch total tour town toy trade tradition traffic training transfer
treasure treat tree trend trial tribe trip trophy tube tulip tune turn twin type umbrella union unit urban user value van vase vault vehicle verse
vessel view vine violin virtue vision visit vitamin volcano volume vote voyage walk wallet walnut warehouse warning wave wax web wedding weight whale
wheat whisper wide willow wind wing wire wisdom wolf wonder wood wool word workshop world yard yellow yogurt youth zebra zone
""")

CHINESE_NAMES = words("""
小明 小红 李伟 王芳 张强 刘洋 陈静 杨光 赵敏 周杰 吴磊 孙丽 马超 朱婷 胡军 林峰 何洁 高翔 罗文 郑爽 梁宇 宋佳 唐晶 韩雪
王建国 李秀英 张伟 刘洋洋 陈思雨 杨帆 赵天宇 吴欣怡 周子轩 朱文博 胡雪梅 郭子涵 林雨桐 高飞 罗佳琪 郑浩然
唐诗语 韩梅梅 邓超然 冯宝宝 曹阳 潘磊 蒋雯 杜鹃 叶子 程功 苏杭 吕洋
丁一 卢娜 沈默 钟灵 姜山 谭谈 汪洋 石磊 夏天 方圆 白雪 秦岚 江河 雷鸣 龙飞 陶然
欧阳雪 司马青 诸葛明
""")
CHINESE_CITIES = words("""
北京 上海 广州 深圳 杭州 成都 武汉 南京 西安 重庆 天津 苏州 青岛 大连 厦门 昆明
长沙 郑州 济南 沈阳 哈尔滨 长春 石家庄 太原 合肥 南昌 福州 贵阳 南宁 海口 三亚 兰州 西宁 银川 乌鲁木齐 拉萨 呼和浩特 宁波 温州
无锡 常州 扬州 徐州 嘉兴 绍兴 金华 泉州 珠海 佛山 东莞 中山 惠州 桂林 柳州 洛阳 开封 烟台 威海 潍坊 唐山 保定 大同 包头 丽江
大理 遵义 绵阳 宜昌 襄阳 株洲 湘潭 九江 赣州 芜湖 香港 澳门 台北 高雄 东京 大阪 首尔 曼谷 新加坡 河内 伦敦 巴黎 柏林 马德里
罗马 维也纳 莫斯科 纽约 芝加哥 波士顿 多伦多 悉尼 墨尔本 开罗 伊斯坦布尔 里斯本 雅典 阿姆斯特丹 布鲁塞尔 苏黎世 日内瓦 米兰
""")
CHINESE_JOBS = words("""
老师 医生 工程师 律师 厨师 司机 护士 记者 画家 歌手 农民 学生 会计 警察 作家 设计师
程序员 建筑师 摄影师 翻译 编辑 导游 农艺师 理发师 电工 木工 水管工 快递员 售货员 教授 研究员 药剂师 牙医 兽医 飞行员 船长 空姐
消防员 军人 法官 检察官 秘书 经理 销售员 保安 清洁工 花匠 裁缝 面包师 服务员 演员 导演 舞蹈家 音乐家 诗人 雕塑家 运动员 教练 裁判
图书管理员 地质学家 化学家 物理学家 生物学家 天文学家 历史学家 统计员 分析师 产品经理 软件工程师 数据分析师 公务员 社工 心理咨询师
营养师 健身教练 钢琴老师 数学老师 语文老师 小学校长 出租车司机 公交司机 火车司机 修理工 焊工 矿工 渔民 养蜂人 茶艺师 动画师 配音演员
主持人 播音员 室内设计师 服装设计师 园林设计师 土木工程师 机械工程师 电气工程师 采购员 仓库管理员 会议翻译 银行职员 保险顾问 房产中介
厨师长 店长 实习生 护士长 外科医生
""")

# Characters from which Chinese words are put together, so that any of them can be copied.
CHINESE_CHARACTERS = sorted(set("".join(CHINESE_NAMES + CHINESE_CITIES + CHINESE_JOBS)) | set(
    "的一是了我不在人有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能好都然没日于起还发成"
    "事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向"
    "情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市眼体"
))

# The 6,763 characters of the old national standard, common ones (3,755) first.
CHINESE_ALL = "".join(
    bytes([row, cell]).decode("gb2312", "ignore") for row in range(0xB0, 0xF8) for cell in range(0xA1, 0xFF)
)
CHINESE_USUAL, CHINESE_RARE = CHINESE_ALL[:3755], CHINESE_ALL[3755:]

CONSONANTS = "b c d f g h j k l m n p r s t v w z br ch cl dr fl gr kr pl pr sh st th tr".split()
VOWELS = "a e i o u a e i o u ai ea ia io ou".split()
ENDINGS = "n r s l t m k d x th ck ng nd rt".split() + [""] * 14

# Letters about as often as English has them.
LETTERS = "eeeeeetttttaaaaaoooooiiiiinnnnnsssshhhrrrrddlllcuumwfgypbvkjxqz"

# --- More words for the English records -----------------------------------------------------------

HOTEL_WORDS = words("""
Lakeview Seaside Panorama Central Park Royal Garden Station Harbour Alpine Sunrise Sunset Riverside Majestic Continental Belvedere Excelsior
Bellevue Meridian Miramar Imperial Regent Windsor Metropol Astoria Bristol Europa Savoy Esplanade Palace Palm Coral Pine Cedar Linden
Rose Golden_Lion White_Swan Black_Bear Red_Fox Silver_Moon Old_Mill Blue_Bay Green_Hill Stone_House Three_Oaks Forest_View Skyline Northstar
Villa_Nova Terrace Plaza Crown Orchard Cliffside Dune Lagoon Monastery Vineyard Lighthouse
""")
HOTEL_KINDS = words("Hotel Inn Lodge Resort Hostel Guesthouse Suites Motel House Palace Residence Apartments")

DISHES = words("""
tomato_soup apple_pie pancakes lasagna carrot_cake potato_salad chicken_curry fried_rice onion_soup cheesecake banana_bread beef_stew vegetable_soup
mushroom_risotto fish_pie lentil_soup chocolate_cake lemon_tart omelette paella moussaka goulash dumplings noodle_soup pizza meatballs shepherd's_pie
pumpkin_soup spinach_quiche waffles scones muffins rice_pudding fruit_salad bean_chili ratatouille pea_soup garlic_bread plum_cake cherry_pie
roast_chicken baked_potatoes stuffed_peppers cabbage_rolls spring_rolls miso_soup tofu_curry shrimp_pasta pesto_pasta potato_gratin tiramisu
apple_crumble cinnamon_rolls corn_bread egg_salad falafel hummus couscous_salad tabbouleh nut_cake poppy_seed_cake ginger_cookies oat_biscuits
salmon_rolls crab_cakes tuna_salad chickpea_stew eggplant_bake zucchini_fritters beet_soup cucumber_salad pear_tart almond_cake walnut_bread
""")
INGREDIENTS = words("""
flour sugar butter eggs milk salt pepper rice onions garlic tomatoes potatoes carrots cheese cream olive_oil basil thyme parsley lemon
chicken beef fish tofu beans lentils chickpeas mushrooms spinach cabbage peppers zucchini eggplant pumpkin corn peas celery ginger
cinnamon nutmeg paprika cumin turmeric chili soy_sauce vinegar honey yeast baking_powder vanilla cocoa almonds walnuts raisins apples pears
cherries plums bananas oranges coconut_milk yogurt mustard breadcrumbs noodles pasta couscous oats shrimps salmon tuna bacon ham leeks
""")

SPORTS = words("football basketball handball volleyball ice_hockey rugby cricket tennis water_polo baseball field_hockey badminton futsal lacrosse table_tennis softball")
TEAM_TAILS = words("""
Tigers Lions Eagles Wolves Bears Hawks Sharks Bulls Rovers United City Rangers Wanderers Athletic Dragons Falcons Panthers Knights Giants
Stars Rockets Comets Foxes Ravens Stags Bulldogs Pirates Warriors Titans Dynamo Olympic Sporting Albion Harriers
""")
STADIUMS = words("""
Lakeside_Arena Victory_Park North_Stadium Harbour_Field Riverside_Ground Central_Arena Olympic_Park Meadow_Lane Castle_Road Union_Stadium Forest_Arena
Hilltop_Ground Sunset_Park Memorial_Stadium City_Dome Garden_Road Ocean_Arena Mill_Lane Station_Park King's_Field Eastside_Hall Westgate_Arena
""")

SKILLS = words("""
Python Java Excel SQL JavaScript accounting negotiation bookkeeping public_speaking project_planning data_analysis photo_editing typing
customer_service first_aid machine_learning copywriting teamwork time_management video_editing technical_drawing quality_control
budgeting sales statistics web_design networking cooking gardening welding carpentry driving translation proofreading presentation
leadership warehouse_work Linux cloud_computing user_research electronics soldering forklift_driving payroll event_planning
""")

STREETS = words("""
Main_Street Oak_Street Park_Avenue Mill_Lane Church_Road High_Street Station_Road Elm_Street Maple_Avenue King_Street Queen_Street Garden_Street
Lake_Road River_Street Hill_Road Market_Street School_Lane Castle_Street Bridge_Road Green_Lane Victoria_Road Linden_Street Rose_Street Bay_Street
Harbour_Road Forest_Drive Sunset_Boulevard Canal_Street Chapel_Lane Windmill_Road Abbey_Road Cedar_Avenue Birch_Street Willow_Lane Orchard_Road
""")
DISTRICTS = words("""
Old_Town Riverside Westend Northside Southgate Eastfield Harbour_Quarter University_District Green_Park Hillcrest Lakeside Mill_Hill
Station_Quarter Castle_Hill Garden_City Market_Square Kingsbridge Fairview Oakwood Brookfield Ashley Newport Summerfield Stonebridge
""")

SUBJECTS = words("""
watercolour_painting creative_writing beginners'_Spanish basic_accounting digital_photography web_programming pottery yoga first_aid bookkeeping
public_speaking garden_design bread_baking chess_for_beginners business_English modern_history astronomy statistics machine_learning
guitar_for_beginners sign_language wine_tasting interior_design film_studies art_history organic_chemistry linear_algebra philosophy_of_mind
food_hygiene project_management sewing bicycle_repair beekeeping calligraphy video_editing game_design marketing microbiology economics robotics
music_theory folk_dance first_steps_in_Python advanced_Excel data_analysis family_law human_anatomy marine_biology swimming
""")

FILM_GENRES = words("comedy drama thriller western documentary romance horror fantasy mystery musical adventure animation crime biography satire war science_fiction history")
FILM_NOUNS = words("""
River Night Garden House Winter Road Island Letter Stranger Mirror Shadow Summer Bridge Train Secret Daughter Captain Storm Silence Dream
Kingdom Forest Clock Lantern Promise Door Voyage Orchard Mountain Lighthouse Painter Thief Widow Dancer Harbour Snow Moon Ocean Desert Machine
""")
FILM_ADJECTIVES = words("Last Silent Golden Broken Hidden Long Dark Lost Red Blue Secret Distant Empty Burning Frozen Quiet Lonely Strange White Second Final Crooked")

DOCTORS = words("dentist optician dermatologist cardiologist physiotherapist hairdresser barber vet masseur pediatrician surgeon radiologist tax_adviser lawyer nutritionist tattoo_artist piercer nail_stylist therapist orthodontist")
REASONS = words("""
a_check-up a_haircut toothache back_pain a_vaccination a_blood_test an_eye_test a_skin_rash a_follow-up a_cleaning a_consultation a_sore_throat a_knee_injury
a_beard_trim new_glasses a_filling a_massage a_tax_question a_headache an_X-ray a_cough a_contract an_allergy_test a_diet_plan hair_colouring a_wisdom_tooth
a_broken_finger a_flu_shot a_hearing_test a_second_opinion
""")
SERVICES = words("""
web_design window_cleaning roof_repair translation garden_work consulting printing car_repair catering piano_tuning photo_session
carpet_cleaning painting_of_the_hall moving_help software_licence hosting training_day tree_cutting tiling heating_service
office_cleaning delivery_of_wood legal_advice bookkeeping plumbing event_photography proofreading lawn_mowing data_recovery elevator_maintenance
""")
AIRLINES = words("Air_Nova Skyways Blue_Wing Polar_Air Sunjet Northern_Air Alpina Oceanic Meridian_Air Swiftair Condora Eastwind Silverline Air_Corvo Globaljet Stratos Aeroluna Transfly Highland_Air Cirrus")

# --- Chinese: what names, titles and places are put together from ---------------------------------

CHINESE_SURNAMES = words("""
王 李 张 刘 陈 杨 黄 赵 吴 周 徐 孙 马 朱 胡 郭 何 林 高 罗 郑 梁 谢 宋 唐 许 韩 邓 冯 曹 彭 曾 肖 田 董 潘 袁 蔡 蒋 余 于 杜 叶 程 魏 苏 吕 丁 任 卢
姚 沈 钟 姜 崔 谭 陆 范 汪 廖 石 金 韦 贾 夏 付 方 邹 熊 白 孟 秦 邱 侯 江 尹 薛 闫 段 雷 龙 黎 史 陶 贺 毛 郝 顾 龚 邵 万 覃 武 钱 戴 严 莫 孔 向 常
汤 康 易 乔 赖 文 施 洪 辛 柯 庄 温 鲁 葛 章 俞 柳 齐 聂 欧阳 司马 上官 诸葛 东方 司徒 慕容 皇甫
""")
CHINESE_GIVEN = words("""
伟 芳 娜 敏 静 丽 强 磊 军 洋 勇 艳 杰 娟 涛 明 超 秀 霞 平 刚 桂 英 华 玉 兰 红 梅 建 国 文 斌 辉 鑫 宇 浩 然 子 轩 梓 涵 欣 怡 雨 桐 佳 琪 思 雪 晨
晓 东 海 波 峰 鹏 飞 龙 凤 婷 颖 慧 琳 莹 倩 薇 瑶 璐 瑞 博 睿 哲 俊 豪 凯 翔 志 远 家 豪 天 佑 亦 凡 若 云 诗 语 梦 洁 冰 清 秋 月 春 夏 冬 阳 光 星 辰
可 心 乐 安 宁 康 健 福 贵 荣 富 祥 庆 祖 德 仁 义 礼 智 信 忠 孝 诚 毅 坚 正 中 立 新 民 生 学 军 兵 胜 利 成 功 永 长 久 泽 润 沐 霖 楠 森 林 松 柏 竹
菊 莲 蓉 萍 莉 茜 珍 珠 宝 玲 珊 琴 瑟 画 书 墨 砚 砺 铭 钰 锦 绣 彤 彩 虹 霜 露 岚 岩 川 江 河 湖 溪 泉 舟 帆 航 昊 昕 晟 曦 煜 炜 烨 熙 嘉 懿 淑 贤
""")
CHINESE_GIVEN = list(dict.fromkeys(CHINESE_GIVEN))
CHINESE_SKILLS = words("英语 日语 法语 德语 驾驶 会计 编程 写作 翻译 设计 摄影 剪辑 绘图 销售 谈判 统计 数据分析 项目管理 客户服务 办公软件 市场调研 文案策划 电工 焊接 机器学习 网页设计 财务报表 公文写作")
CHINESE_COMPANY_CORES = words("""
华星 远大 天成 宏图 金桥 绿源 蓝海 新锐 安达 博雅 长青 东方 飞鹰 光明 恒通 佳美 康泰 联创 美达 南山 鹏程 启明 瑞丰 盛世 泰和 万通 祥云 兴业 阳光 正大
中远 紫金 海纳 百川 智远 云峰 青禾 晨曦 明德 汇丰源 众合 天翼 星辰 玉泉 松竹 金鼎 银河 雅致 乐居 优品 鼎盛 巨龙 凌云 卓越 双木 四季 三江 五岳 大地 春雨
""")
CHINESE_COMPANY_TAILS = words("公司 集团 科技 有限公司 贸易公司 科技公司 食品厂 工作室 银行 书店 医院 学校 传媒 设计院 物流 机械厂 软件公司 服装厂 出版社 研究所 建筑公司 汽车公司 旅行社 电子厂 农场")
CHINESE_HOBBIES = words("""
下棋 画画 跑步 游泳 做饭 爬山 骑车 看书 种花 跳舞 钓鱼 唱歌 摄影 瑜伽 网球 足球 篮球 写作 书法 滑雪 旅行 看电影 听音乐 弹钢琴 拉小提琴 打太极 喝茶 集邮
乒乓球 羽毛球 露营 养鱼 养猫 剪纸 围棋 象棋 拼图 烘焙 织毛衣 打鼓 弹吉他 武术 划船 攀岩 观鸟 看星星 写诗 说相声 做木工 修表 打排球 滑冰 冲浪 潜水 品酒
逛博物馆 学外语 玩桌游 放风筝 做手工 听京剧 收藏古董 刺绣 陶艺 马拉松
""")
CHINESE_PRODUCTS = words("""
台灯 杯子 椅子 桌子 键盘 鼠标 显示器 笔记本 铅笔 背包 外套 衬衫 帽子 围巾 雨伞 水壶 电饭锅 烤箱 枕头 毛毯 地毯 镜子 闹钟 相机 三脚架 音箱 耳机 充电器
数据线 打印机 手机 平板 书架 沙发 花瓶 蜡烛 篮子 锤子 电钻 梯子 帐篷 自行车 头盔 滑板 球拍 手套 靴子 凉鞋 手表 戒指 项链 钱包 皮带 毛衣 毛巾 窗帘 盘子
碗 筷子 勺子 菜刀 平底锅 茶壶 风扇 暖气片 加湿器 吹风机 洗衣机 冰箱 空调 电视机 微波炉 扫地机器人 吸尘器 热水器 豆浆机 咖啡机 体重秤 血压计 电动牙刷
剃须刀 保温杯 行李箱 书包 跑步鞋 羽绒服 连衣裙 牛仔裤 运动裤 睡袋 望远镜 吉他 小提琴 钢琴 拼图 积木 遥控车 婴儿车 床垫 衣柜 书桌 茶几 鞋架 垃圾桶
""")
CHINESE_COLORS = words("红色 蓝色 绿色 黄色 黑色 白色 紫色 橙色 棕色 粉色 灰色 银色 金色 米色 浅蓝色 深绿色 酒红色 天蓝色 咖啡色 青色")
CHINESE_PLACES = words("""
图书馆 会议室 市政厅 中心公园 博物馆 火车站 学校体育馆 咖啡馆 社区中心 花园 广场 屋顶花园 音乐厅 体育馆 剧院 湖边别墅 书店 电影院 美术馆 大礼堂 食堂 教室
实验室 多功能厅 一号厅 报告厅 201室 302会议室 茶馆 游泳池 植物园 动物园 篮球场 少年宫 文化馆 展览馆 码头 酒店大堂 二楼餐厅 地下车库 老街 天文馆 科技馆
健身房 工人俱乐部 大学城 体育场 音乐学院 露天剧场 东门 西门 三号楼 培训中心 创业园 会展中心 市民广场 南湖公园 画室 舞蹈室
""")
CHINESE_CLINICS = words("牙科 眼科 内科 外科 皮肤科 骨科 儿科 妇科 耳鼻喉科 中医科 康复科 心内科 神经科 口腔科 体检中心 理发店 美容院 宠物医院 按摩馆 心理咨询室 律师事务所 摄影棚 美甲店 汽车修理厂")
CHINESE_REASONS = words("体检 洗牙 补牙 拔牙 剪头发 染发 打疫苗 验血 配眼镜 复查 咳嗽 头疼 腰疼 皮肤过敏 发烧 胃疼 膝盖受伤 拍片子 法律咨询 按摩 换药 失眠 牙疼 量血压 修车 拍证件照 做美甲 宠物打针 听力检查 签合同")
CHINESE_SERVICES = words("网站设计 窗户清洗 屋顶维修 翻译 园林养护 咨询 印刷 汽车维修 餐饮 钢琴调音 摄影 地毯清洗 搬家 软件授权 服务器租用 培训 铺地砖 暖气维修 办公室保洁 法律顾问 记账 水管维修 校对 数据恢复 电梯保养 广告投放 办公用品 设备租赁")
CHINESE_HOTELS = words("""
湖景 海滨 中央 皇家 花园 车站 港湾 日出 江畔 君悦来 金狮 白天鹅 银月 蓝湾 青山 石屋 三棵树 森林 云顶 北极星 新天地 广场 皇冠 果园 灯塔 竹海 桃源 古城
西湖 半岛 紫荆 雅居 悦来 东篱 听雨 望江 明月 四合 山水 梧桐
""")
CHINESE_HOTEL_TAILS = words("酒店 宾馆 饭店 客栈 民宿 大酒店 度假村 旅馆 公寓酒店 青年旅社")
CHINESE_GENRES = words("喜剧 剧情 惊悚 纪录 爱情 恐怖 奇幻 悬疑 歌舞 冒险 动画 犯罪 传记 战争 科幻 历史 武侠 家庭 青春 古装")
CHINESE_AIRLINES = words("云翼航空 蓝天航空 北极航空 长风航空 海鸥航空 金鹰航空 飞燕航空 南星航空 东岭航空 西域航空 银河航空 翠鸟航空 远山航空 晨光航空 白鹭航空 山河航空")
CHINESE_SYSTEMS = words("视窗系统 苹果系统 安卓系统 鸿雁系统 麒麟系统 统信系统 Linux Windows macOS Android iOS Ubuntu")
CHINESE_SOFTWARE = words("""
邮箱助手 照片编辑器 云盘 待办清单 记事本 聊天室 密码管家 地图通 文件同步 网上商城 手机银行 智能家居 游戏盒子 阅读器 录音棚 视频剪辑 表格大师 代码编辑器
路线规划 快付 打印宝 团队会议 学习通道 健身记录 智能门锁 日历 合同签 天气眼 旅行本 记账本 菜谱大全 背单词 问卷星河 画板 收银台 考勤机 点餐宝 快递查询
""")
# Everyday words for titles, remarks and messages.
CHINESE_COMMON = words("""
苹果 河流 石头 云 窗户 花园 桥 纸 银 森林 山 岛 夏天 冬天 早晨 晚上 音乐 故事 信 数字 街道 市场 城堡 村庄 海洋 港口 发动机 信号 口袋 车票 黄油 奶酪 面包
蜂蜜 柠檬 胡椒 糖 花 树枝 草地 山谷 沙漠 雷声 影子 镜子 蜡烛 梯子 锤子 针 线 丝带 纽扣 皮革 棉花 铜 铁 木材 篮子 瓶子 盘子 角落 塔 隧道 渡船 马 兔子 老虎
鹰 蜘蛛 乌龟 鲑鱼 水晶 行星 彗星 火箭 水手 艺术家 歌手 舞者 作者 读者 学生 船长 骑士 女王 王子 巨人 龙 秘密 谜语 拼图 答案 问题 理由 方法 系统 模型 样本 结果
报告 记录 项目 预算 会议 议程 设计 评审 更新 发布 旅行 旅程 季节 天气 能源 水 光 声音 颜色 形状 圆 广场 曲线 点 空间 时间 小时 分钟 周末 春天 秋天 小 大 快 慢
明亮 黑暗 寒冷 温暖 安静 热闹 早 晚 简单 复杂 打开 关闭 丢失 新 旧 年轻 新鲜 破碎 金色 隐藏 温柔 勇敢 聪明 诚实 快乐 幸运 骄傲 认真 沉默 奇怪 突然 甜蜜 微小
广阔 野生 北方 南方 东方 西方 内部 外部 最终 第一 下一个 每日 年度 公共 私人 本地 全球 现代 古老 家庭 朋友 客人 主人 工人 会员 领导 伙伴 客户 中心 分店 办公室
学校 医院 图书馆 车站 机场 酒店 厨房 卧室 车库 屋顶 地板 门 墙 栅栏 道路 小径 地图 计划 想法 梦 飞机 火车 卡车 船 轮子 登录 密码 支付 退款 订单 页面 按钮
错误 网络 连接 屏幕 打印 保存 下载 上传 搜索 列表 通知 文件 图片 视频 评论 地址 账户 优惠 发票 合同 培训 讲座 比赛 展览 音乐会 读书会 年会 晚会 生日 婚礼
茶 咖啡 月亮 太阳 星星 雨 雪 风 海浪 灯塔 邻居 老师 孩子 爷爷 奶奶 故乡 远方 青春 记忆 礼物 电话 钥匙 钢琴 诗 画 书 报纸 日记 历史 科学 数学 健康 运动
""")
CHINESE_COURSES = words("水彩画入门 创意写作 初级西班牙语 基础会计 数码摄影 网页编程 陶艺 瑜伽 急救 演讲与口才 园林设计 面包烘焙 围棋入门 商务英语 现代史 天文学 统计学 机器学习 吉他入门 手语 室内设计 电影欣赏 艺术史 有机化学 线性代数 项目管理 裁缝 书法 视频剪辑 游戏设计 市场营销 经济学 机器人 乐理 民族舞 高级表格 家庭法 人体解剖 游泳 中医基础 茶艺 太极拳")
