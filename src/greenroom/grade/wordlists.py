"""Small word lists for telling what a sentence claims: words that carry nothing, courtesies, numbers, days, months.

English, German, French, Spanish, Portuguese, Italian, Dutch, Hindi and Chinese. Latin words stand without accents,
as `grade.claims` compares them. A language that is not here still works: its small words merely count as content.
"""

from __future__ import annotations


def _set(*lists: str) -> frozenset[str]:
    return frozenset(word for line in lists for word in line.split())


def _numbered(start: int, *lists: str) -> dict[str, int]:
    return {word: value for line in lists for value, word in enumerate(line.split(), start) if word != "-"}


def _tens(words: str) -> dict[str, int]:
    return {word: 10 * place for place, word in enumerate(words.split(), 2)}


STOP_WORDS = _set(
    # English
    "a an the this that these those it its is are was were be been being am im ive id ill do does did done have",
    "has had will would shall should can could may might must of in on at to for from by with about into over as",
    "than then so if or and but also too very just only we us our ours you your yours i me my mine he she they",
    "them their his her there here what which who whom whose when where how why yes yeah yep no not never nor",
    "none any some all each every both most more much many one ones up out off down again still yet well let lets",
    "s t re ve ll d m don doesn didn isn aren wasn won wouldn couldn shouldn haven hasn cannot ok okay because",
    "while through till until between around during per via get got offer offers provide provides available",
    "currently usually always",
    # German
    "der die das den dem des ein eine einen einem einer eines ist sind war waren wird werden wurde sein haben hat",
    "habe hatte kann konnen konnte konnten soll sollen muss mussen darf durfen will wollen und oder aber auch nur",
    "noch schon sehr mit von zu zum zur fur auf an am im in ins bei nach aus vor uber um bis ab als wie wenn dann",
    "da dort hier es er sie wir ihr ich mir mich uns ihnen ihre ihren ihrem ihrer unser unsere unseren man was",
    "wer wo wann warum ja nein nicht kein keine keinen alle jede jeder jeden dass so doch mal bieten haben gibt",
    # French
    "le la les l un une des du de d au aux et ou mais est sont etait etre a ont avez avons ai as avoir que qui",
    "quoi ce cet cette ces c s il elle ils elles nous vous votre vos notre nos je j me m mon ma mes tu te ton ta",
    "tes on y en dans sur sous avec sans pour par pas ne n plus tres aussi si oui non comme quand ou chez vers",
    "entre chaque tout tous toute toutes peut pouvez pouvons puis peux sera ferons proposons",
    # Spanish
    "el la los las lo un una unos unas y o pero es son era ser esta estan estamos hay he ha han hemos haber tener",
    "tiene tenemos tengo que quien de del al a en con sin por para no si muy mas tambien ya su sus nuestro",
    "nuestra nuestros nuestras usted ustedes yo tu te me mi mis nos se le les como cuando donde puede puedo",
    "podemos desde hasta cada todo todos toda todas ofrecemos",
    # Portuguese
    "o os as um uma uns umas e ou mas sao era ser esta estao estamos ha ter tem temos tenho que quem do da dos",
    "das de ao aos no na nos nas em com sem por para pelo pela nao sim muito mais tambem ja seu sua seus suas",
    "nosso nossa nossos nossas voce voces eu me meu minha se lhe como quando onde pode posso podemos desde ate",
    "cada todo todos toda todas oferecemos",
    # Italian
    "il lo gli i uno una e ed o ma e sono era essere sta stiamo ha abbiamo ho hanno avere che chi cosa di del",
    "della dei delle dello dal dalla al alla alle allo agli nel nella nei nelle sul sulla con senza per non si",
    "molto piu anche gia suo sua suoi sue nostro nostra nostri nostre lei voi noi io mi ti ci vi tu come quando",
    "dove puo posso possiamo fino ogni tutti tutto tutte offriamo c dalle",
    # Dutch
    "de het een is zijn was waren wordt worden heeft hebben heb had kan kunnen kon zal zullen moet moeten mag en",
    "of maar ook nog al zeer erg met van te tot voor op aan in bij naar uit over om als dan daar hier er ze hij",
    "wij we u uw ik mij me mijn ons onze jullie je jij wat wie waar wanneer hoe ja nee niet geen elke alle bieden",
    "vanaf",
    # Hindi
    "है हैं था थे थी हो होता होती होते हूँ हूं होगा होगी में को के का की से तक पर और या लेकिन हम हमारा हमारे",
    "हमारी हमें आप आपका आपके आपकी आपको मैं मेरा मेरी मेरे मुझे यह वह ये वे इस उस कि जो क्या कब कहाँ कहां कैसे",
    "क्यों हाँ हां जी नहीं ना भी ही तो ने लिए साथ कर करके रहता रहती रहते रहा रही रहे गया गई गए सकता सकती सकते एक",
    "कुछ सभी हर",
)

COURTESIES = _set(
    "anruf anrufen appel appeler llamada llamar llame ligar ligacao chiamata chiamare chiama bellen telefoontje",
    "hello hi hey good morning afternoon evening night day welcome thanks thank please sorry apologies apologize",
    "apologise apology pardon excuse bye goodbye cheers sure certainly absolutely course problem worries glad",
    "happy pleased pleasure great perfect wonderful lovely excellent fine alright right nice moment second minute",
    "bear hold wait check checking look looking see help helping assist assistance speaking speak talk calling",
    "call called anything something else know wish understand understood hear see soon later take care today let",
    "me inconvenience patience sir madam maam unfortunately question questions information info detail details",
    "kindly feel got it noted indeed hallo guten tag morgen abend danke dank vielen bitte entschuldigung leid",
    "verzeihung tschuss wiedersehen gern gerne naturlich selbstverstandlich problem moment augenblick schaue",
    "nachschauen schauen helfen hilfe gut schon prima alles klar super freut freue verstehe leider information",
    "informationen weiterhelfen wunschen schonen bonjour bonsoir salut merci beaucoup plait desole desolee",
    "excusez pardon revoir bientot bien sur probleme instant moment verifie verifier regarde regarder aider aide",
    "accord parfait journee bonne soiree malheureusement informations plaisir avec entendu comprends hola buenos",
    "buenas dias tardes noches gracias muchas favor lo siento disculpe perdon adios luego claro supuesto problema",
    "momento compruebo comprobar reviso revisar ayudar ayudarle ayudo ayuda perfecto encantado encantada gusto",
    "lamentablemente informacion entiendo dia hasta ola bom boa dia tarde noite obrigado obrigada desculpe",
    "desculpa perdao tchau logo claro problema momento verificar verifico ajudar ajuda perfeito prazer",
    "infelizmente informacao entendo favor ciao buongiorno buonasera salve grazie prego scusi scusa dispiace",
    "arrivederci presto certo certamente problema attimo momento controllo controllare aiutarla aiutare aiuto",
    "perfetto piacere purtroppo informazione informazioni favore capisco buona giornata mille goedemorgen",
    "goedemiddag goedenavond dag bedankt dank alstublieft graag sorry excuses doei natuurlijk probleem moment",
    "even kijk kijken helpen hulp prima fijne helaas informatie begrijp नमस्ते नमस्कार धन्यवाद शुक्रिया कृपया",
    "माफ़ माफ कीजिए कीजिएगा क्षमा अलविदा मदद मिनट रुकिए देखता देखती ठीक अच्छा ज़रूर जरूर बिल्कुल स्वागत खुशी दिन",
    "शुभ जानकारी करूँ करूं",
)

UNITS = _set(
    "euro euros eur dollar dollars usd cent cents pound pounds gbp pence rupee rupees inr rs yen yuan rmb francs",
    "percent prozent pourcent porciento porcento percento procent am pm oclock uhr h hrs hour hours minute",
    "minutes min mins hora horas heure heures stunde stunden ore ora uur uren minuten minutos minuti rupay रुपये",
    "रुपए यूरो डॉलर बजे day days week weeks month months year years tag tage tagen woche wochen jour jours",
    "semaine semaines semana semanas feira घंटे मिनट morning afternoon evening noon night morgens abends",
    "vormittags nachmittags matin soir manana tarde noite manha mattina sera pomeriggio ochtend middag avond सुबह",
    "शाम दोपहर रात",
)

FREE = _set("免费 free gratis kostenlos kostenfrei gratuit gratuite gratuitement gratuito gratuita मुफ़्त मुफ्त निःशुल्क")

# `one` and its like are left out: they count far less often than they point.
NUMBER_WORDS: dict[str, int] = {
    **_numbered(0, "zero - two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"),
    **_numbered(16, "sixteen seventeen eighteen nineteen twenty"),
    "noon": 12,
    "midday": 12,
    "midnight": 12,
    **_numbered(0, "null - zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn"),
    **_numbered(2, "deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize"),
    **_numbered(2, "dos tres cuatro cinco seis siete ocho nueve diez - doce trece catorce quince"),
    **_numbered(2, "dois tres quatro cinco seis sete oito nove dez onze doze treze quatorze quinze"),
    **_numbered(3, "tre quattro cinque - sette otto nove dieci undici dodici tredici quattordici quindici"),
    **_numbered(2, "twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien"),
    **_numbered(2, "दो तीन चार पाँच छह सात आठ नौ दस ग्यारह बारह तेरह चौदह पंद्रह सोलह सत्रह अठारह उन्नीस बीस"),
    **_numbered(
        3, "third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth"
    ),
    **_numbered(16, "sixteenth seventeenth eighteenth nineteenth twentieth"),
    **_numbered(16, "sechzehn siebzehn achtzehn neunzehn"),
    **_numbered(16, "dieciseis diecisiete dieciocho diecinueve"),
    **_numbered(16, "dezesseis dezessete dezoito dezenove"),
    **_numbered(16, "sedici diciassette diciotto diciannove"),
    **_numbered(16, "zestien zeventien achttien negentien"),
    "duas": 2,
    "zwo": 2,
    "पांच": 5,
}
TENS: dict[str, int] = {
    **_tens("twenty thirty forty fifty sixty seventy eighty ninety"),
    **_tens("zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig"),
    **_tens("vingt trente quarante cinquante soixante"),
    **_tens("veinte treinta cuarenta cincuenta sesenta setenta ochenta"),
    **_tens("vinte trinta quarenta cinquenta sessenta setenta oitenta"),
    **_tens("venti trenta quaranta cinquanta sessanta settanta ottanta"),
    **_tens("twintig dertig veertig vijftig zestig zeventig tachtig"),
    "noventa": 90,
    "novanta": 90,
    "negentig": 90,
    "तीस": 30,
    "चालीस": 40,
    "पचास": 50,
    "साठ": 60,
    "अस्सी": 80,
}
ONES: dict[str, int] = {"one": 1, **_numbered(2, "two three four five six seven eight nine")}
SCALES: dict[str, int] = {"hundred": 100, "hundert": 100, "honderd": 100, "सौ": 100, "thousand": 1000, "tausend": 1000}

DAYS: dict[str, int] = {
    **_numbered(0, "monday tuesday wednesday thursday friday saturday sunday"),
    **_numbered(0, "montag dienstag mittwoch donnerstag freitag samstag sonntag"),
    "sonnabend": 5,
    **_numbered(0, "lundi mardi mercredi jeudi vendredi samedi dimanche"),
    **_numbered(0, "lunes martes miercoles jueves viernes sabado domingo"),
    **_numbered(0, "segunda terca quarta quinta sexta sabado domingo"),
    **_numbered(0, "lunedi martedi mercoledi giovedi venerdi sabato domenica"),
    **_numbered(0, "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag"),
    **_numbered(0, "सोमवार मंगलवार बुधवार गुरुवार शुक्रवार शनिवार रविवार"),
    "इतवार": 6,
}
# `may` is left out, since it is far more often a verb.
MONTHS: dict[str, int] = {
    **_numbered(1, "january february march april - june july august september october november december"),
    **_numbered(1, "januar februar marz april - juni juli august september oktober november dezember"),
    **_numbered(1, "janvier fevrier mars avril - juin juillet aout septembre octobre novembre decembre"),
    **_numbered(1, "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"),
    **_numbered(1, "janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro"),
    **_numbered(1, "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre"),
    **_numbered(1, "januari februari maart april mei juni juli augustus september oktober november december"),
    **_numbered(1, "जनवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर"),
}
DAILY = _set("daily everyday taglich quotidiennement diariamente quotidianamente dagelijks रोज़ रोज")
WEEKDAYS = _set("weekday weekdays werktags wochentags werkdagen weekdagen feriali laborables")
WEEKENDS = _set("weekend weekends wochenende wochenendes")

# Only with a capital, as in `Mon–Fri`; the French `mon` and the English `sat` are something else.
DAY_ABBREVIATIONS: dict[str, str] = {
    "Tue": "Tuesday",
    "Tues": "Tuesday",
    "Wed": "Wednesday",
    "Thu": "Thursday",
    "Thur": "Thursday",
    "Thurs": "Thursday",
    "Fri": "Friday",
    "Sat": "Saturday",
    "Sun": "Sunday",
}

CHINESE_DIGITS: dict[str, int] = {
    "零": 0,
    "〇": 0,
    "一": 1,
    "二": 2,
    "两": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
    "日": 7,
    "天": 7,
}
CHINESE_COURTESIES = _set(
    "anruf anrufen appel appeler llamada llamar llame ligar ligacao chiamata chiamare chiama bellen telefoontje",
    "您好 你好 早上好 下午好 晚上好 谢谢 感谢 多谢 请问 请稍等 稍等 请等 一下 对不起 抱歉 不好意思 再见 没问题",
    "没关系 好的 当然 可以 帮您 帮你 为您 我来 查一 查询 看看 什么 有什么 很高兴 服务 不客气 知道 明白 了解",
    "欢迎 致电 来电 祝您 愉快",
)
CHINESE_STOPS = "的是我们您你他她它在了吗呢吧啊和与或有到从至都也就很会能要被把给请点时分元块钱上午下早晚这那不没号"
