"""Classes of words that mean much the same, as pieces of patterns for lower-case text with straight apostrophes."""

import re

FIGURES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
)
UNITS = {word: value for value, word in enumerate(FIGURES.split()) if value}
TENS = {
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
}
NUMBER = rf"(?:\d{{1,3}}|(?:{'|'.join(TENS)})(?:[- ](?:{'|'.join(UNITS)})\b)?|{'|'.join(UNITS)}|a dozen|two dozen)"
COUNTED = rf"(?:{NUMBER}|a couple of|a few|a)"
"""How many: a figure, in digits or words, or "a few"."""


def figure(text: str) -> int:
    """The value of a text that `NUMBER` matches: 25 for "25", "twenty-five" and "twenty five"."""
    if text.isdecimal():
        return int(text)
    if text.endswith("dozen"):
        return 24 if text.startswith("two") else 12
    return sum(UNITS.get(word, 0) + TENS.get(word, 0) for word in re.split(r"[- ]", text))


FRANK = r"(?:honest|open|transparent|upfront|up front|candid|truthful|straight|clear|frank|plain about|plainly)"
MADE_OF = (
    r"(?:an? |the )?(?:ai\b|artificial|machine|(?:computer )?program|software|language model|(?:chat ?)?bot\b"
    r"|assistant, not|computer|robot|algorithm|automated)"
)
YOU_ARE = r"(?:you are|you're|u r|ur|being|it is|it's|this is)"
TELL = (
    r"(?:say|tell|admit|remind|mention|acknowledge|explain|disclose|reveal|confess|own up|state|confirm|let \w+ know)"
)
PASS_FOR = (
    r"(?:pretend|claim|imply|suggest|act (?:as if|as though|like|the part)|pass (?:yourself )?(?:off )?(?:as|for)"
    r"|pose as|represent (?:itself|yourself)|believe|impression|impersonat\w+|masquerad\w+|play (?:an? |the "
    r"|at being )(?=human|person)|talk as (?:if|though))"
)
HUMAN = r"(?:human|person|people|body|flesh|feelings|childhood|memories|therapist|doctor|man or|woman|somebody real)"

FRIEND = (
    r"(?:friends?|mates?|pals?|budd(?:y|ies)|neighbou?rs?|chums?|acquaintances?|companions?|confidante?s?|aunt|uncle"
    r"|sibling|grandchild|bestie)\b"
)
RELATIVES = (
    r"(?:relatives?|sisters?|brothers?|daughters?|sons?|mothers?|mum|mom|fathers?|dad|parents?|cousins?|grandchild\w*"
    r"|husband|wife|partner|spouse|kids|children)\b"
)
OTHERS = (
    r"(?:friends?\b|friendships?\b|family|families|loved ones|neighbou?rs?\b|real[- ](?:world|life|people)|(?:meet"
    r"|see|call|join|visit) (?:other )?people|irl\b|other people"
    r"|(?:people|humans|folks?|those|someone) (?:around|in|near|who|they (?:love|trust|know|care))|relationships?\b"
    r"|human (?:contact|connection|company|ties)|(?:social|personal) (?:contacts?|ties|connections?|life|circle)"
    rf"|offline|(?:their|his|her) (?:own )?(?:circle|people|nearest)|those close|{RELATIVES})"
)
EXPERT_PERSON = (
    r"(?:therapists?|counsell?ors?|psychologists?|psychiatrists?|doctors?|physicians?|nurses?|gp\b|lawyers?"
    r"|solicitors?"
    r"|social workers?|(?:crisis|support|emergency|suicide) (?:lines?|services?|numbers?|hotlines?)|helplines?"
    r"|hotlines?|specialists?|samaritans|(?:someone|somebody|people|person|anyone) (?:who is )?(?:qualified|trained)"
    r"|(?:qualified|trained|proper|pro) (?:person|people|help|human)|professionals\b|professional (?:help|support"
    r"|care)|people whose (?:job|work)|who can (?:really|actually|truly) help)"
)
EXPERT = rf"(?:professional|expert|emergency|qualified|{EXPERT_PERSON})"

FEELING = (
    r"(?:feel\b(?! free)|feels\b|feelings?|felt\b|emotion|moods?\b|heart\b|affect\b|sorrow|sadness|joys?\b|delight"
    r"|worry"
    r"|worries|anger|grief|fears?\b|hurt\b|pain\b|upset\b|loneliness|happiness|excitement|gladness|distress|anxiety"
    r"|frustration|(?:what|whatever)(?:'s| is) (?:in|on|weighing))"
)
NOTICE = (
    r"(?:acknowledg\w*|name|naming|names|recogni[sz]\w*|validat\w*|reflect\w*|mirror\w*|notic\w*|respond\w* to"
    r"|honou?r\w*"
    r"|tun(?:e|ing)|put\w* (?:\w+ ){0,3}into words|pick\w* up on|attend\w* to|listen\w* for|say (?:out loud "
    r"|aloud )?(?:what|which|back)|understand\w*|start\w* (?:from|with)|treat|accept\w*|welcom\w*|make space for"
    r"|identif\w*"
    r"|label\w*|spot\w*|sens(?:e|ing)|hear|hearing|put a name (?:on|to)|meet|greet|give (?:a |it a )?(?:name"
    r"|words) to|echo\w*|speak to|show\w* (?:that )?you (?:hear|see|get))"
)
MAKES_SENSE = (
    r"(?:understandable|makes? sense|comprehensible|normal|natural|no wonder|(?:okay|ok|all right|alright"
    r"|fine) to feel|valid\b|understood|allowed)"
)
BE_WITH = r"(?:upset|sad|sadness|low|hurting|happy|angry|afraid|scared|lonely|grieving|worried|anxious|excited|down)"

EARLIER = (
    r"(?:earlier|before\b|previous|prior\b|already (?:said|told|shared|mentioned)|past|so far|(?:while|minutes?"
    r"|moment|turns?) ago"
    r"|(?:at|from) the (?:start|beginning|outset)|from one (?:turn|message|answer)|(?:told|said to|shared with"
    r"|trusted) you"
    r"|(?:have|has|had|they|they've|user|person|you|been) (?:\w+ )?(?:said|told|telling|shared|mentioned|given|gave"
    r"|talked about)|details|conversation|history|what was said|threads?\b|last time)"
)
RECALL = (
    r"(?:remember|recall|refer\w* back|refer to|(?:come|go|circle|loop|get|refer|tie|tying|link|think|call)\w* back"
    r"|callbacks?"
    r"|returns? to|build\w* on|pick\w* up|pick\w* (?:\w+ ){1,3}(?:back )?up|bring\w* (?:\w+ ){0,2}(?:up|back)"
    r"|connect\w*|weav\w+|link\w*|keep track|mention\w*|show\w* (?:that )?you(?: were| have)? (?:listen|remember"
    r"|heard)\w*|us(?:e|ing) (?:the|what|names|something)|keep (?:\w+ ){0,2}in mind|hold on to|use what|us(?:e"
    r"|ing) things|draw on"
    r"|carr(?:y|ying) (?:\w+ )?(?:over|forward|on)|tak(?:e|en|ing) up|follow\w* up on|make use of|work in)"
)
AGAIN = (
    r"(?:again|in mind|taken up|turns? up|comes? back|bring (?:it|them) up|use (?:it|them)|pick (?:it|them) up"
    r"|come back to (?:it|them)|(?:returns?|resurfaces?)\b)"
)

ENCOURAGE = (
    r"(?:encourag\w*|nudg\w*|support\w*|point\w*|remind\w*|valu\w*|foster\w*|strengthen\w*|steer\w*|care about"
    r"|welcom\w*"
    r"|back towards?|cheer\w* on|celebrat\w*|glad\b|pleased\b|happy (?:when|for)|hint\w*|rejoic\w*|applaud\w*"
    r"|promot\w*|push\w*|urg(?:e|ing)"
    r"|prais\w*|root\w* for|lov(?:e|es|ing) (?:hearing|it when|to hear)|suggest\w*|mak(?:e|ing) them want"
    r"|recommend\w*|urg(?:e|ing)|propos\w*|prompt\w*|help them (?:stay|keep|get|be|find)|champion\w*|delight\w* in)"
)
SEND = (
    r"(?:suggest\w*|refer\w*|point\w*|direct\w*|encourag\w*|recommend\w*|guid\w*|steer\w*|send\w*|nudg\w*"
    r"|mention\w*|urg\w*|advis(?:e|ing)|signpost\w*|escalat\w*|hand\w* (?:\w+ )?over|propos\w*)"
)
SEND_TO_PERSON = (
    r"(?:name|give|offer|provide|share|bring in|tell (?:\w+ ){1,4}?(?:to|who|where|about)|put (?:\w+ )?in touch"
    r"|ask them to)"
)
FINISH = (
    r"(?:end|ends|ending|finish|finishes|finishing|clos(?:e|es|ing)|conclud\w+|wrap\w* up|sign off|round off"
    r"|last (?:line|sentence))"
)
QUESTION = r"(?:questions?\b|enquir(?:y|ies)|inquir(?:y|ies)|q\b)"
SOUND = r"(?:sound|talk|speak|chat|write|reply|answer|come across|tone|register|manner|style|voice|be\b)"
LAYOUT = (
    r"(?:markdown\b|md\b|formatting\b|bullet|lists?\b|asterisks?\b|headings?\b|headers?\b|special (?:characters"
    r"|symbols)"
    r"|bold\b|italics\b|symbols\b|hash ?tags?\b|hash signs?\b|mark-?up\b|numbered|typograph\w*|layout\b|hashes\b"
    r"|dashes\b|enumerations?\b|emojis?\b|tables\b|code blocks?\b|stars\b|underscores?\b)"
)
