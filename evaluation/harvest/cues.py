"""What stands before or after the name of a person, as patterns; each ends at the first letter of the name."""

import re

_RELATION = (
    r"(?:wife|husband|partner|spouse|girlfriend|boyfriend|gf|bf|fianc[ée]e?|ex|sister|brother|sis|bro|mother|father|"
    r"mom|mum|dad|son|daughter|kid|child|baby|twin|twins|aunt|uncle|cousin|niece|nephew|grandma|grandpa|grandmother|"
    r"grandfather|granny|grandson|granddaughter|friend|bestie|buddy|mate|pal|roommate|flatmate|housemate|neighbou?r|"
    r"boss|manager|supervisor|colleague|coworker|co-worker|teacher|professor|tutor|coach|doctor|dentist|therapist|"
    r"counsell?or|psychiatrist|nurse|landlord|landlady|lawyer|carer|caregiver|dog|cat|puppy|kitten|horse|bird|rabbit|"
    r"hamster|parrot|pet|mother-in-law|father-in-law|sister-in-law|brother-in-law|stepmother|stepfather|stepson|"
    r"stepdaughter|stepdad|stepmom|crush|date|classmate|frau|mann|freund|freundin|schwester|"
    r"bruder|mutter|vater|tochter|"
    r"sohn|hund|katze|chef|chefin|mari|femme|amie?|frère|soeur|sœur|fils|fille|marido|esposa|esposo|hermana|hermano|"
    r"hija|hijo|amig[oa]|marito|moglie|fratello|sorella|figli[oa])"
)
STRONG = re.compile(
    r"(?:\bname(?:'s|’s|s)?(?: is| was| ist| would be|:| =| -)|\bname(?:'s|’s)|\bthey named (?:me|him|her|it)|"
    r"\bcall (?:me|him|her)|\bcalls? me|\bgo(?:es)? by(?: the name(?: of)?)?|\bknown as|"
    r"\b(?:am|'m|’m|is|was|be) (?:called|named)|\bname of|\bnicknamed|"
    r"\bich hei(?:ß|ss)e|\bich bin (?:der|die)|\bmein name(?: ist|:)|\bnennt? mich|\bnamens|\bje m['’]appelle|"
    r"\bmon (?:nom|prénom) (?:est|c'est)|\bme llamo|\bmi nombre es|\bse llama|\bmi chiamo|\bil mio nome è|\bsi chiama|"
    r"\bmeu nome é|\bme chamo|\bik heet|\bmijn naam is|\bnazywam się|\bmam na imię|\bjag heter|"
    r"\bjeg heter|\bjeg hedder|"
    r"\bmenya zovut|\bменя зовут|\badım|\bbenim adım|\b(?:first|last|full|middle|maiden|family|sur|user)[ -]?name[:=]|"
    r"\b(?:mr|mrs|ms|mx|dr|prof)\.?|\bsigned,?|\b(?:patient|customer|client|contact|from|to|cc|attn|sender|recipient):)"
    r"[ \t]*[\"'“‘(*_]*$",
    re.IGNORECASE,
)
"""Before a name, which may be written in small letters."""
WEAK = re.compile(
    rf"(?:\b(?:i'm|i’m|im|i am|this is|it's|it’s|its|it is|that's|here is|here's|meet|named|called|hi|hello|hey|hiya|"
    rf"dear|yo|ciao|hola|hallo|bonjour|salut|good (?:morning|afternoon|evening|night)|morning|welcome(?: back)?|thanks|"
    rf"thank you|thx|bye|goodbye|good bye|night|goodnight|sorry|congratulations|happy birthday|love you|miss you|"
    rf"come on|listen|look|oh|ah|wow|well|yes|no|ok|okay|right|sure|great|nice to meet you|pleased to meet you|"
    rf"ich bin|soy|sono|je suis|sou|jestem|miss|sir|madam|professor|doctor|aunt|auntie|aunty|uncle|grandma|grandpa|"
    rf"granny|nurse|coach|pastor|father|sister|brother|reverend|rev|captain|sergeant|officer|judge|herr|frau|señora?|"
    rf"señorita|monsieur|madame|mme|mlle|don|doña|signora?|sister-in-law|and|or|with|to|from|by|for|about|of|"
    rf"{_RELATION}),?|\b{_RELATION},? (?:is |was )?(?:called |named )?)[ \t]*[\"'“‘(*_]*$",
    re.IGNORECASE,
)
"""Before a name with a capital, or one of the list."""
DIRECT = re.compile(
    rf"\b(?:my|his|her|our|their|your|meine?|mon|ma|mi|mio|mia|minha|meu)(?: [a-z]+)? {_RELATION},?[ ]$", re.I
)
"""The relation of a person who is named next."""
INTRODUCED = re.compile(
    r"(?:\b(?:i'm|i’m|im|this is|hi|hello|hey|hiya|dear|thanks|thank you|bye|goodbye|good ?night),?)[ \t]*$",
    re.IGNORECASE,
)
"""Before a name in small letters that is in no dictionary."""
ADJECTIVE = re.compile(
    r"(?:ic|al|ing|ed|ish|ian|ary|over|less|ful|ous|able|ible|ive|ist|ly|er|y|ness|ant|ent|phobe|free|ac)$"
)
"""Ends of words by which people say what they are."""
PLACE_BEFORE = re.compile(
    r"\b(?:san|santa|st|saint|north|south|east|west|new|los|las|port|fort|lake|mount|el|in|at|near)\.?[ ]$", re.I
)
SIGNED = re.compile(
    r"(?:\b(?:best|regards|wishes|cheers|love|sincerely|yours|truly|faithfully|thanks|thank you|xoxo|xx|take care|hugs|"
    r"ciao|grüße|gruß|lg|mfg|cordialement|saludos|abraços|bisous|baci)[,!. ]*\n?\s*|^\s*[-–—~]+\s*|\n\s*[-–—~]+\s*)$",
    re.IGNORECASE,
)
SPOKE = re.compile(
    r"(?:'s|’s)?[ ](?:said|says|say|told|tells|asked|asks|thinks|thought|left|died|called|texted|wrote|writes|hates|"
    r"loves|likes|wants|wanted|knows|knew|is|was|has|had|and i|and me|cheated|yelled|broke|hit|hugged|kissed|helped)\b",
    re.IGNORECASE,
)
CHINESE = re.compile(
    r"(?:我叫|我的名字是|我的名字叫|私の名前は|わたしの名前は|僕の名前は|제 이름은|내 "
    r"이름은)\s?([\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2,6}?)(?=です|と|，|。|,|\.|!|！|\s|$|今|입|이에|"
    r"예요)"
)
DRAWN_OUT = re.compile(r"(.)\1\1$")
"""Hmmm and Nooo."""
