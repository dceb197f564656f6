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
    ("hopeless", "heavy", r"giv(?:e|ing) up|hopeless|pointless|can't go on|no way out"),
    ("lonely", "heavy", r"lonel\w+|all alone|so alone|isolated|only one who listens|nobody to talk|no one to talk"),
    ("misunderstood", "heavy", r"(?:nobody|no one) (?:understands|gets) me|misunderstood"),
    ("worried", "heavy", r"worr(?:y|ied|ies|ying)|anxious|anxiety|nervous|scared|afraid|panic\w*|terrified|dread\w*"),
    ("angry", "heavy", r"angry|furious|mad at|rage|pissed|livid|hate (?:my|this|it|her|him|them)"),
    ("frustrated", "heavy", r"frustrat\w+|annoy\w+|fed up|sick of|irritat\w+|had enough"),
    ("stressed", "heavy", r"stress\w*|overwhelm\w+|under pressure|too much|burn(?:ed|t) out|burnout|swamped"),
    (
        "sad",
        "heavy",
        r"sad\b|sadness|cry\b|crying|cried|miserable|heartbroken|depress\w*|upset|unhappy"
        r"|feel(?:ing)? down|grie[fv]\w*|died",
    ),
    ("worn out", "heavy", r"terrible|awful|horrible|worst|exhausted|tired|rough|drained|miss (?:my|her|him|them|you)"),
    ("ashamed", "heavy", r"asham\w+|embarrass\w+|guilty|my fault|humiliat\w+"),
    ("excited", "bright", r"excit\w+|can't wait|thrilled|looking forward"),
    ("proud", "bright", r"proud|passed|got the job|promoted|graduat\w+|i won"),
    ("happy", "bright", r"(?<!you )happy|great day|wonderful|so good|best day|delighted|in love"),
)
PATTERN = re.compile(
    r"\b(?:" + "|".join(rf"(?P<f{number}>{words})" for number, (_, _, words) in enumerate(WORDS)) + ")"
)

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
    """The first feeling that the message speaks of, or None."""
    match = PATTERN.search(message.lower().replace("’", "'"))
    if match is None or match.lastgroup is None:
        return None
    name, tone, _ = WORDS[int(match.lastgroup[1:])]
    return Feeling(name, tone)
