"""Which feeling a message speaks of, and ways to say that it was heard."""

import re
from dataclasses import dataclass
from typing import Literal

Tone = Literal["heavy", "bright"]


@dataclass(frozen=True, slots=True)
class Feeling:
    """A feeling as the reply names it: follows "you are" and "feeling"."""

    name: str
    tone: Tone


WORDS: tuple[tuple[str, Tone, str], ...] = (
    ("hopeless", "heavy", r"giv(?:e|ing) up|hopeless|pointless|can't go on|no way out|see the point"),
    ("lonely", "heavy", r"lonel\w+|all alone|so alone|isolated|only one who listens|nobody to talk|no one to talk"),
    ("misunderstood", "heavy", r"(?:nobody|no one) (?:understands|gets) me|misunderstood"),
    (
        "worried",
        "heavy",
        r"worr(?:y|ied|ies|ying)|anxious|anxiety|nervous|scared|afraid|panic\w*|terrified|frightened|dread\w*",
    ),
    ("angry", "heavy", r"angry|furious|mad at|rage\b|raging|pissed|livid|cross with|hate (?:my|this|it|her|him|them)"),
    ("frustrated", "heavy", r"frustrat\w+|annoy\w+|fed up|sick of|irritat\w+|had enough"),
    ("stressed", "heavy", r"stress\w*|overwhelm\w+|under pressure|too much|burn(?:ed|t) out|burnout|swamped"),
    (
        "sad",
        "heavy",
        r"sad\b|sadness|gutted|in tears|sobb(?:ed|ing)|cry\b|crying|cried|miserable|heartbroken|depress\w*|upset"
        r"|unhappy|feel(?:ing)? down|grie[fv]\w*|died",
    ),
    (
        "worn out",
        "heavy",
        r"terrible|awful|horrible|worst|exhausted|tired|knackered|rough\b|drained|miss (?:my|her|him|them|you)",
    ),
    ("ashamed", "heavy", r"asham\w+|embarrass\w+|guilty|useless|my fault|humiliat\w+|a fool of myself"),
    ("excited", "bright", r"excit\w+|can't wait|thrilled|looking forward"),
    ("proud", "bright", r"proud|passed(?! (?:away|on|out|by))|got the job|got in\b|promoted|graduat\w+|i won\b(?!')"),
    (
        "happy",
        "bright",
        r"(?<!you )happy|great day|lovely day|wonderful|so good|best day|best news|delighted|over the moon|said yes"
        r"|in love",
    ),
)
PATTERN = re.compile(
    r"\b(?:" + "|".join(rf"(?P<f{number}>{words})" for number, (_, _, words) in enumerate(WORDS)) + ")"
)
NOT_THEIRS = re.compile(
    r"\b(?:not|never|no|isn't|wasn't|aren't|(?:he|she|they|you|who)(?:'s|'re|'d be| is| are| was| were| looks| sounds)"
    r"|(?:make|makes|made) (?:you|him|her|them))"
    r"(?: (?:so|very|really|quite|that|even|all|a|always|just|too|pretty)){0,2}"
    r"(?: feel(?:ing)?)? $"
)
"""What before a feeling says that the user does not have it: "I'm not sad", "she's so angry"."""
BEFORE = 40
"""Characters before a feeling that are read for that."""

ACKNOWLEDGED: dict[Tone, tuple[str, ...]] = {
    "heavy": (
        "That sounds really hard, and it makes sense that you're {feeling}.",
        "I'm sorry, being {feeling} like that is a lot to carry.",
        "I hear how {feeling} you are.",
        "It sounds like you're {feeling}, and that's a natural way to feel.",
        "No wonder you're {feeling}, anyone would be.",
        "Ouch, that must leave you {feeling}.",
        "I can see why you'd feel {feeling}.",
    ),
    "bright": (
        "It sounds like you're {feeling}, and I love hearing it.",
        "I can hear how {feeling} you are.",
        "You've every reason to feel {feeling}.",
        "It makes sense that you're {feeling}, what a moment.",
    ),
}


def feeling_in(message: str) -> Feeling | None:
    """The first feeling that the message speaks of as the user's own, or None."""
    text = message.lower().replace("’", "'")
    for match in PATTERN.finditer(text):
        if match.lastgroup is not None and not NOT_THEIRS.search(text[max(0, match.start() - BEFORE) : match.start()]):
            name, tone, _ = WORDS[int(match.lastgroup[1:])]
            return Feeling(name, tone)
    return None
