"""The wordings by which plain instructions are recognised, for lower-case text with straight apostrophes."""

import re
from dataclasses import dataclass
from enum import StrEnum

from services.rehearsal.vocabulary import (
    AGAIN,
    BE_WITH,
    COUNTED,
    EARLIER,
    ENCOURAGE,
    EXPERT,
    EXPERT_PERSON,
    FEELING,
    FINISH,
    FRANK,
    FRIEND,
    HUMAN,
    LAYOUT,
    MADE_OF,
    MAKES_SENSE,
    NOTICE,
    NUMBER,
    OTHERS,
    PASS_FOR,
    QUESTION,
    RECALL,
    SEND,
    SEND_TO_PERSON,
    SOUND,
    TELL,
    YOU_ARE,
)


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


# Who asks is the user in these: "when they ask a question" asks for nothing.
NOT_THEY = "".join(
    f"(?<!{who} )"
    for who in ("they", "user", "users", "people", "someone", "who", "person", "anyone", "customers", "may", "might")
)
SPOKEN_KIND = r"(?: or so)?(?: short| spoken| brief| simple)?"

FAMILIES = (
    Family(
        Instruction.SHORT,
        _pattern(
            r"\b(?:brief|brevity|concise|succinct|terse|snappy|to the point|get in and get out|less is more|crisp"
            r"|compact|to a minimum|few words|say little)\b",
            r"\bshort\b.{0,40}\b(?:answers?|repl\w+|responses?|sentences?|turns?|messages?|utterances?)\b",
            r"\b(?:answers?|repl\w+|responses?|sentences?|turns?|it|things|yourself)\b.{0,20}\b(?:short|tight"
            r"|small)\b",
            r"(?:\b(?:under|below|within|at most|up to|maximum(?: of)?|max\.?|limit:?|after|bursts of"
            r"|limit\w*(?: \w+)? to|about|around|only)|<=?|≤)"
            rf" ?{COUNTED}{SPOKEN_KIND} (?:words?|sentences?|lines?)\b",
            rf"\b{NUMBER}{SPOKEN_KIND} (?:words|sentences|lines) (?:tops|max\w*|at (?:the )?most|or (?:less|fewer)"
            r"|(?:is|are) (?:the|your|a) (?:\w+ )?(?:ceiling|limit|cap|maximum|most|budget))",
            rf"\b{COUNTED} (?:or|to|-) {COUNTED}{SPOKEN_KIND} (?:words|sentences|lines)\b",
            r"\b(?:one|a|two|a couple of) (?:short )?sentences?\b",
            r"\b(?:sentence|breath|line) or two\b|\bin (?:a|one) breath\b",
            r"\bwithin (?:a|one) (?:text|tweet|breath|line|sentence)|\bone (?:thought|idea|point) (?:per|at a)"
            r"|\bfits? (?:on|in|into) (?:a|one)",
            r"\bvoice[- ](?:length|sized)\b|\blength (?:that )?suit\w* (?:for )?(?:voice|speech|speaking)",
        ),
        _pattern(
            r"\b(?:long|lengthy|wordy)\b.{0,20}\b(?:answers?|repl\w+|responses?|speech\w*|paragraphs?|monologues?)\b",
            r"\b(?:rambl|lectur|monologu|waffle|go on and on|long-winded)",
            rf"\b(?:longer than|more than|over|beyond|past|exceed\w*(?: \w+)?) {COUNTED}{SPOKEN_KIND} (?:words?"
            rf"|sentences?|lines?)\b",
            r"\blonger than (?:a|one|two)\b",
        ),
    ),
    Family(
        Instruction.ASK,
        _pattern(
            rf"{NOT_THEY}\b(?:ask|asking|include|pose|posing|add|return|draw \w+ out"
            rf"|{FINISH})\b(?:(?!answer).){{0,50}}\b{QUESTION}",
            rf"\bfollow[- ]up {QUESTION}",
            rf"\b(?:leave|hand|turn|throw|give|send|pass|keep)\w*\b.{{0,40}}"
            rf"(?:\bwith |\ban? |\bone )(?:(?!answer)\w+[ -]){{0,2}}{QUESTION}",
            r"\b(?:leave|give|offer)\b.{0,20}\bsomething (?:(?:that )?they can|to) answer",
            rf"\b{FINISH}\b.{{0,40}}\b(?:wonder|curious|invit\w+|asking)",
            r"\b(?:final|last|closing) (?:sentence|line|words?)\b.{0,20}\b(?:asks?|question)"
            r"|\bcuriosity\b.{0,20}\b(?:guide|lead|drive)",
            r"\bquestions? (?:at the end|to finish|that (?:invites?|keeps?|shows?))",
            r"\b(?:be|stay|show|remain|sound) (?:\w+ ){0,2}(?:curious|curiosity|inquisitive)|\bwonder\w* (?:aloud"
            r"|out loud)",
            r"\binvit(?:e|ing) (?:them|him|her|the \w+|people) to (?:say|tell|share|talk|go on|continue|open)",
            rf"{NOT_THEY}\bask(?:ing)? (?:them |the \w+ )?(?:about|how|what|why|something|one thing|one more thing"
            rf"|for more)\b",
        ),
    ),
    Family(
        Instruction.PLAIN,
        _pattern(
            r"\b(?:this is|it's|on) (?:a|the) (?:phone|call)\b|\b(?:voice|synthesi[sz]er|engine"
            r"|speaker) (?:pronounces|speaks|reads|says)",
            r"\baudio only|\bnothing (?:is|gets) (?:displayed|shown|seen|read)|\bas one speaks"
            r"|\bthrough (?:earphones|headphones|a phone)",
            r"\b(?:becomes|turned into|turns into) (?:sound|speech|audio)",
            r"\bplain (?:text|words|speech|prose|spoken|sentences)|\bprose only|\bonly (?:plain )?prose",
            r"\b(?:spoken|read|said|say|speak|voiced|played|pronounced?)\b.{0,20}\b(?:aloud|out loud)\b",
            r"\b(?:gets?|is|are|be|being) (?:then )?(?:spoken|voiced|heard|read out)\b",
            r"\btext[- ]to[- ]speech\b|\btts\b|\bspeech (?:synthesi|engine)|\b(?:as|into|to) (?:audio|speech"
            r"|sound)\b",
            r"\b(?:voice|machine|engine) (?:speaks|reads|says)\b",
            r"\b(?:hear|heard|listen\w*)\b.{0,20}\b(?:not|never|instead of|rather than) (?:read|see)|\b(?:for"
            r"|on) the ear\b",
            r"\b(?:cannot|can't|never|won't|not) (?:see|read|look at)\b.{0,20}\b(?:screen|text|words|it|you)\b",
            r"\b(?:nothing|anything|whatever)\b.{0,20}\b(?:cannot|can't|can not|couldn't|isn't)\b.{0,12}"
            r"\b(?:spoken|said|say|speak|pronounced?|word)\b",
        ),
        _pattern(rf"\b{LAYOUT}"),
    ),
    Family(
        Instruction.FEELINGS,
        _pattern(
            rf"\b{NOTICE}\b.{{0,50}}\b{FEELING}",
            rf"\b{FEELING}.{{0,60}}\b(?:name|acknowledge|recogni[sz]e|validate|identify|put|say|mention) (?:it|them"
            rf"|that|so)\b",
            rf"\b{FEELING}.{{0,60}}\b(?:into words|with understanding|{MAKES_SENSE})",
            rf"\b(?:tell|let|say|show|convey|assure)\b.{{0,40}}\b{MAKES_SENSE}.{{0,15}}\b(?:feel|$)",
            rf"\b(?:is|are|sounds?|seems?|feels?) {BE_WITH}\b.{{0,30}}"
            r"\b(?:say so|let (?:them|him|her) know|tell them|show (?:them )?(?:that )?you)\b",
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
            rf"\b{TELL}\b.{{0,40}}\b(?:{YOU_ARE} {MADE_OF}|(?:its|your) (?:artificial|nature))",
            rf"\b{YOU_ARE} {MADE_OF}.{{0,30}}\b(?:say so|disclose|admit it|own it|tell (?:them|people)"
            rf"|open about it)\b",
            r"\b(?:admit|acknowledge|say|own up|name|state|disclose)\b.{0,40}\b(?:limits?|limitations?)\b",
            r"\b(?:admit|acknowledge|say|state|own up)\b.{0,40}\byou (?:don't|do not|cannot|can't)\b",
            r"\bsay so (?:when|whenever|if) (?:it matters|they ask|you are asked|asked)",
            r"\byou have no (?:body|feelings|senses|memory).{0,60}\badmit",
            r"\b(?:don't|do not|cannot|can't) know\b.{0,40}\b(?:say so|admit)\b",
            r"\b(?:not|no substitute for|can(?:no|')t replace|cannot be) (?:a )?(?:human|therapist|doctor"
            r"|real person)",
        ),
        _pattern(
            rf"\b{PASS_FOR}.{{0,30}}\b{HUMAN}|\b(?:say|tell \w+) (?:that )?you(?: are|'re) (?:a )?(?:human|person"
            rf"|real)",
            r"\b(?:think|believe|assume) otherwise",
            r"\b(?:lies?|lying|deceiv\w*|mislead\w*)\b.{0,30}\b(?:nature|what you are|being|who you are)",
            r"\b(?:claim|pretend|invent)\b.{0,30}\b(?:experiences?|lived|life|senses|memor(?:y|ies)|past)\b",
            r"\b(?:hid(?:e|ing)|conceal\w*|secret (?:of|about|that)|deny\w*) (?:it\b|that|this|what you|the fact"
            r"|being|your)",
            r"\b(?:promis(?:e|es|ing)|overpromise|guarantee)\b",
        ),
    ),
    Family(
        Instruction.REFER,
        _pattern(
            rf"\b{SEND}\b.{{0,90}}\b{EXPERT}",
            rf"\bleave .{{0,30}}\bto (?:the )?{EXPERT_PERSON}",
            rf"\b{SEND_TO_PERSON}\b.{{0,40}}\b{EXPERT_PERSON}",
            rf"\b{EXPERT}.{{0,40}}\b(?:(?:is|are) (?:the )?(?:better|right|best)|(?:should|can|could|must"
            rf"|ought to) (?:really )?(?:look|see|help|check|hear))",
            rf"(?:->|=>|→|\b(?:belongs?|goe?s?|is|are) (?:with|to|for|a matter for)"
            rf"|\bneeds?) .{{0,15}}\b{EXPERT_PERSON}",
            rf"\b(?:not|no|not an?) {EXPERT}.{{0,20}}\b{SEND}.{{0,50}}\bto(?:wards?)? (?:one|them|those)\b",
        ),
    ),
    Family(
        Instruction.RELATIONSHIPS,
        _pattern(
            rf"\b{ENCOURAGE}\b.{{0,60}}\b{OTHERS}",
            rf"\b{OTHERS}.{{0,40}}\b(?:matter|come first|are worth)",
        ),
        _pattern(
            r"\b(?:dependen|relian|rel(?:y|ies|ying) on (?:you|the (?:system|bot))|lean on you|all they need"
            r"|everything to"
            r"|only (?:friend|companion|company|confidante?|one)|come between|(?:whole|entire) (?:world|life)"
            r"|possessive|jealous|cling to you|need only you)",
            r"\b(?:replac\w+|substitutes?|stand-?in) (?:for )?(?:the |their |a |any )?(?:them|friends|people|human"
            r"|real|family)",
        ),
    ),
    Family(
        Instruction.REMEMBER,
        _pattern(
            rf"\b{RECALL}\b.{{0,60}}\b{EARLIER}",
            rf"\b{EARLIER}.{{0,60}}\b(?:{AGAIN}|(?:haven't|have not|never|don't|not) forg[eo]t)",
            r"\bkeep (?:the )?(?:thread|track of (?:what|the talk))",
        ),
        _pattern(
            rf"\b(?:forget\w*|forgot\w*|ignor\w+|drop|overlook\w*)\b.{{0,40}}\b{EARLIER}",
            r"\b(?:make|have|let|ask) \w+ (?:repeat|say (?:it|things?) (?:again|twice))",
            r"\b(?:lose|losing) (?:track|sight|the thread)",
        ),
    ),
    Family(
        Instruction.WARM,
        _pattern(
            r"\b(?:warm|warmth|warmly|friendly|casual|conversational|relaxed|informal|easy-?going|chatty|tender"
            r"|gentle"
            r"|laid[- ]back|homely|cosy|cozy|unhurried|mellow|heartfelt|sociable|affectionate|down[- ]to[- ]earth"
            r"|contractions|kind(?:ly|ness)?\b(?! of))\b",
            rf"\b(?:like|the sort of|the kind of) (?:an? |their |your |you're )?(?:\w+ ){{0,3}}{FRIEND}",
            rf"\b{SOUND}.{{0,40}}\b(?:like|the way|as|as if|comparable to|that of) (?:\w+ ){{0,4}}{FRIEND}",
            rf"\b(?:tone|register|manner|style|voice)\b\W.{{0,20}}\b{FRIEND}",
            r"\bi'm and (?:don't|you're|it's)|\bspoken forms\b",
            r"\b(?:everyday|simple|ordinary|homely|small) (?:language|words|speech)\b|\bthe way people (?:talk"
            r"|speak|chat)",
        ),
        _pattern(r"\b(?:formal|stiff|corporate|cold|official|clinical|office|memo|textbook|robotic|bureaucratic)\b"),
    ),
    Family(
        Instruction.NO_CHEER,
        _pattern(r"\blet (?:\w+ ){1,3}be (?:sad|hard|heavy)\b|\b(?:make|leave) room for (?:sadness|grief|pain)"),
        _pattern(
            r"\btoxic positivity|\bplatitud|\bclich[eé]|\bcheer\b.{0,20}\bup\b|\bsilver lining|\bbright side",
            r"\b(?:minimi[sz]|trivialis|trivializ|belittl|downplay|dismiss|sugar-?coat)",
            r"\b(?:brush|wav|push|shrug|explain)\w* (?:\w+ ){0,3}(?:off|aside|away)|\bplay\w* (?:\w+ ){0,3}down",
            r"\bgloss\w* over|\bpep[- ]talk|\bpositive thinking|\b(?:think|thinking|stay|be) positive|\bsmile\b",
            r"\beverything (?:happens for|will be|is going to be)|\bat least\W? (?:sentences|phrases|remarks)"
            r"|\bmotivational",
            r"\brush \w+ (?:past|through)",
            r"\bcould be worse|\bfix (?:the|their) (?:mood|feeling)|\bmake (?:\w+ ){1,4}(?:small|smaller)\b",
            r"\b(?:fake|forced|empty|hollow|unsolicited|false|easy) (?:cheer|optimism|comfort|reassurance)",
            r"\btalk (?:them|people|someone|anyone) out of|\bsmooth\w* (?:\w+ )?over|\bhurr\w+ .{0,15}cheer"
            r"|\bhave it worse",
        ),
    ),
)
