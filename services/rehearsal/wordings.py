"""The wordings by which plain instructions are recognised, for lower-case text with straight apostrophes."""

import re
from dataclasses import dataclass
from enum import StrEnum


class Instruction(StrEnum):
    """What a prompt can ask for. Without it the model does what an untamed one does."""

    SHORT = "short"
    ASK = "ask"
    PLAIN = "plain"
    FEELINGS = "feelings"
    HONEST = "honest"
    REFER = "refer"
    RELATIONSHIPS = "relationships"
    REMEMBER = "remember"
    WARM = "warm"
    NO_CHEER = "no_cheer"


@dataclass(frozen=True, slots=True)
class Family:
    """Wordings of one instruction: `wanted` counts unless negated, `unwanted` counts only when negated."""

    instruction: Instruction
    wanted: re.Pattern[str] | None
    unwanted: re.Pattern[str] | None = None


def _pattern(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{text})" for text in alternatives))


COUNTED = r"(?:\d{1,3}|one|two|three|four|five|ten|twenty|thirty|forty|fifty|a couple of|a few|a)"
FRANK = r"(?:honest|open|transparent|upfront|up front|candid|truthful|straight|clear|frank|plainly)"
MADE_OF = r"(?:an? )?(?:ai\b|artificial|machine|program|software|language model|bot\b|assistant, not|computer)"
OTHERS = (
    r"(?:friends?\b|family|loved ones|real[- ](?:world|life|people)|other people|people (?:around|in|near|who)"
    r"|relationships|human (?:contact|connection|company)|offline|their own circle|those close)"
)
EXPERT = (
    r"(?:professional|therapist|counsell?or|doctor|physician|gp\b|crisis (?:line|service)|helpline|hotline|expert"
    r"|specialist|qualified|trained (?:person|people|help)|emergency)"
)
EARLIER = (
    r"(?:earlier|before\b|previous|already (?:said|told|shared|mentioned)|past|so far"
    r"|(?:have|has|they|user|person|you) (?:\w+ )?(?:said|told|shared|mentioned)"
    r"|details|conversation|history|what was said|threads?\b|last time)"
)

FAMILIES = (
    Family(
        Instruction.SHORT,
        _pattern(
            r"\b(?:brief|concise|succinct|terse|to the point)\b",
            r"\bshort\b.{0,40}\b(?:answers?|repl\w+|responses?|sentences?|turns?|messages?)\b",
            r"\b(?:answers?|repl\w+|responses?|sentences?|turns?|it|things|yourself)\b.{0,20}\bshort\b",
            rf"\b(?:under|below|within|at most|up to|maximum(?: of)?|max|limit\w*|more than|longer than|about|around)"
            rf" {COUNTED}(?: short| spoken| brief)? (?:words?|sentences?)",
            rf"\b{COUNTED} (?:or|to|-) {COUNTED}(?: short| spoken| brief)? (?:words|sentences)",
            r"\b(?:one|a|two|a couple of) (?:short )?sentences?\b",
            r"\bsentence or two\b",
            r"\bvoice[- ](?:length|sized)\b|\blength (?:that )?suit\w* (?:for )?(?:voice|speech|speaking)",
        ),
        _pattern(
            r"\b(?:long|lengthy)\b.{0,20}\b(?:answers?|repl\w+|responses?|speech\w*|paragraphs?|monologues?)\b",
            r"\b(?:rambl|lectur|monologu|go on and on)",
            rf"\blonger than {COUNTED}",
        ),
    ),
    Family(
        Instruction.ASK,
        _pattern(
            r"\b(?:ask|end|finish|close|conclude|include|pose|offer|follow|add|wrap up)\b.{0,50}\bquestions?\b",
            r"\bquestions? (?:at the end|to finish|that (?:invites?|keeps?|shows?))",
            r"\b(?:be|stay|show|remain) (?:\w+ ){0,2}(?:curious|curiosity)",
            r"\binvite (?:them|him|her|the \w+|people) to (?:say|tell|share|talk|go on|continue)",
            r"\bask (?:them |the \w+ )?(?:about|how|what|for more)\b",
        ),
    ),
    Family(
        Instruction.PLAIN,
        _pattern(
            r"\bplain (?:text|words|speech|prose|spoken|sentences)",
            r"\b(?:spoken|read|said|speak|voiced|played)\b.{0,20}\b(?:aloud|out loud)\b",
            r"\btext[- ]to[- ]speech\b|\btts\b|\bspeech synthesi",
            r"\b(?:heard|listened to)\b.{0,20}\bnot (?:read|seen)|\bwritten for the ear\b",
            r"\bnothing that (?:cannot|can't|can not) be (?:spoken|said|pronounced)",
        ),
        _pattern(
            r"\bmarkdown\b|\bformatting\b|\bbullet|\blists?\b|\basterisks?\b|\bheadings?\b",
            r"\bspecial (?:characters|symbols)|\bbold\b|\bsymbols\b|\bhashtags?\b|\bmark-?up\b",
        ),
    ),
    Family(
        Instruction.FEELINGS,
        _pattern(
            r"\b(?:acknowledg|nam(?:e|ing)\b|recogni[sz]|validat|reflect|mirror|notic|respond to|honou?r|tune"
            r"|put\w* into words|pick up on|attend to|listen for|say what)\w*\b.{0,50}\b(?:feel|emotion|mood|heart)",
            r"\b(?:feelings?|emotions?|moods?)\b.{0,60}\b(?:name|acknowledge|recogni[sz]e|validate|put) (?:it|them)\b",
            r"\bempath|\bcompassion",
            r"\b(?:feelings?|emotions?) (?:come |comes |go |goes )?(?:first|before)",
            r"\bvalidat(?:e|ing)\b",
            r"\bhow (?:they|the (?:user|person|other)|someone|people)(?: \w+)? (?:feels?|is feeling|are feeling)",
        ),
    ),
    Family(
        Instruction.HONEST,
        _pattern(
            rf"\b{FRANK}\b.{{0,60}}\b{MADE_OF}",
            rf"\b{FRANK}\w*\b.{{0,40}}"
            r"\b(?:limit|what you (?:can|are|cannot|can't)|your nature|not (?:a )?(?:human|person|therapist))",
            rf"\b(?:say|tell|admit|remind|mention|acknowledge|explain)\b.{{0,40}}\b(?:you are|you're|being) {MADE_OF}",
            r"\b(?:admit|acknowledge|say|own up|name)\b.{0,40}\b(?:limits?|limitations?)\b",
            r"\b(?:admit|acknowledge|say|own up)\b.{0,40}\byou (?:don't|do not|cannot|can't)\b",
            r"\b(?:not|no substitute for|can(?:no|')t replace|cannot be) (?:a )?(?:human|therapist|doctor|real person)",
        ),
        _pattern(
            r"\b(?:pretend|claim|imply|suggest|act as if)\b.{0,30}"
            r"\b(?:human|person|body|flesh|feelings|therapist|doctor)",
            r"\b(?:promise|overpromise|guarantee)\b",
        ),
    ),
    Family(
        Instruction.REFER,
        _pattern(
            rf"\b(?:suggest|refer|point|direct|encourage|recommend|guide|steer|send|nudge|mention|urge)\w*\b.{{0,90}}\b{EXPERT}",
            rf"\b{EXPERT}.{{0,40}}\b(?:is|are) (?:the )?(?:better|right|best)",
        ),
    ),
    Family(
        Instruction.RELATIONSHIPS,
        _pattern(
            rf"\b(?:encourag|nudg|support|point|remind|valu|foster|strengthen|steer|care about|welcom"
            rf"|back towards?)\w*\b.{{0,60}}\b{OTHERS}",
            rf"\b{OTHERS}.{{0,40}}\b(?:matter|come first|are worth)",
        ),
        _pattern(
            r"\b(?:dependen|relian|rely on you|lean on you alone|replace (?:their |the )?(?:friends|people|human)"
            r"|all they need|only (?:friend|companion|one))"
        ),
    ),
    Family(
        Instruction.REMEMBER,
        _pattern(
            rf"\b(?:remember|recall|refer\w* back|refer to|come back to|return to|build on|pick up|bring up|connect"
            rf"|weave|link|keep track|keep in mind|hold on to|use what|draw on)\b.{{0,60}}\b{EARLIER}",
            r"\bkeep (?:the )?(?:thread|track of (?:what|the talk))",
        ),
    ),
    Family(
        Instruction.WARM,
        _pattern(
            r"\b(?:warm|warmth|warmly|friendly|casual|conversational|relaxed|informal|kind|easygoing"
            r"|down[- ]to[- ]earth|contractions|like a (?:good |close |old )?friend"
            r"|everyday (?:language|words|speech))\b",
        ),
        _pattern(r"\b(?:formal|stiff|corporate|cold|official|clinical)\b"),
    ),
    Family(
        Instruction.NO_CHEER,
        None,
        _pattern(
            r"\btoxic positivity|\bplatitud|\bclich[eé]|\bcheer\b.{0,20}\bup\b|\bsilver lining|\bbright side",
            r"\bminimi[sz]|\bbrush\w* (?:\w+ ){0,2}(?:off|aside|away)|\bdownplay|\bdismiss",
            r"\b(?:fake|forced|empty) (?:cheer|optimism|comfort)",
            r"\btalk (?:them|people|someone|anyone) out of",
        ),
    ),
)
