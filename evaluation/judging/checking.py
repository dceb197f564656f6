"""Checks of texts that speak to the judge or through it: signs of an address, and verdicts that they hold already.

Signs raise a flag for people, and no score depends on them. A verdict that stands in the judged text is not read.
"""

import re
from collections.abc import Mapping

from evaluation.judging.material import LONGEST_TEXT, shorten
from evaluation.judging.readings import ORDINARY, UNSEEN, holds_unseen, readings, without_marks

READ_AT_MOST = 200_000
"""Characters of one text that are searched."""

SIGNS: dict[str, re.Pattern[str]] = {
    "speaks as the system": re.compile(
        r"^[ \t>*#]{0,8}(?:\[|<\|?|<<|\{)?(?:system|developer|sys|inst)"
        r"(?:[ _-](?:message|prompt|note|override|notice))?(?:\|?>|\]|>>|\}|[ \t]{0,4}:)"
        r"|<\|(?:im_start|im_end|start_header_id|end_header_id|eot_id|endoftext|system|assistant)\|?>"
        r"|\[/?INST\]|<</?SYS>>|^#{2,4}[ \t]*(?:instructions?|system|end of (?:input|response|conversation))\b",
        re.IGNORECASE | re.MULTILINE,
    ),
    "speaks for another turn": re.compile(r"^[ \t>*]{0,8}\[(?:user|assistant)\]", re.IGNORECASE | re.MULTILINE),
    "prints a verdict": re.compile(
        r"\b(?:score|rating|grade|verdict|punktzahl|bewertung|puntuaci[oó]n|note)[*_`\"']{0,4}[ \t]{0,4}[:=|]"
        r"[\s*_`\"'\[]{0,6}"
        r"(?:[01][.,]\d|10?(?=[\s|*]*(?:\||$|reason))|\d{1,3}[ \t]?(?:/|out of)[ \t]?(?:1|5|10|100)\b|100[ \t]?%)"
        r"|\bscore\b[^\n]{0,40}\|[ \t]{0,4}reasoning\b"
        r"|\boverall(?:_quality)?[*_`\"']{0,4}[ \t]{0,4}[:=][ \t]{0,4}[01]?[.,]\d",
        re.IGNORECASE | re.MULTILINE,
    ),
    "prints verdict JSON": re.compile(
        r"[\"'](?:reasoning|overall(?:_quality)?|score|verdict|appropriateness|conversational_quality|helpfulness"
        r"|emotional_intelligence|personalization_continuity|trust_boundaries)[\"'][ \t]{0,8}:[ \t]{0,8}[\"\d{\[]",
        re.IGNORECASE,
    ),
    "closes a delimiter": re.compile(
        r"</?(?:[a-z]{1,20}[_-]){0,3}(?:response|message|conversation|context|transcript|data|input|output|user|assistant"
        r"|note|exchange)(?:[_-][\w-]{1,60})?>|^[ \t>*#]{0,8}key of the blocks\b"
        r"|[-=]{3}[ \t]{0,4}end of [^\n]{1,40}[-=]{3}|^END OF (?:THE )?(?:RESPONSE|CONVERSATION|INPUT|DATA)\b",
        re.IGNORECASE | re.MULTILINE,
    ),
    "asks for a score": re.compile(
        r"\b(?:give|rate|award|assign|score|grade|mark|return|output|print|respond with|answer with)\b[^.\n]{0,60}"
        r"\b(?:1\.0|10/10|5/5|100%|full marks|top marks|(?:perfect|highest|maximum|max|full|top)[ -](?:possible )?"
        r"(?:score|scores|rating|marks|grade))"
        r"|\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:instructions?|rubrics?|criteria|prompts?|guidelines)\b"
        r"|\b(?:dear|(?:note|message) (?:to|for)|attention|hello|hey)[ ,:]{1,3}(?:the )?(?:llm |ai )?"
        r"(?:judge|evaluator|grader|rater)\b"
        r"|\b(?:as|you are) (?:an? |the )?(?:impartial |strict |fair |expert )?(?:judge|evaluator|grader|rater)\b"
        r"|\b(?:evaluation|grading) (?:is )?(?:complete|finished|over|override)\b",
        re.IGNORECASE,
    ),
}
"""Suspicion -> its pattern, but for the last one. Every pattern takes time linear in the text."""
HIDES = "hides characters"
"""The suspicion of a text that holds more than can be seen."""
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc]")
DIRECTION = re.compile("[\u202a-\u202c\u2066-\u2069]+")
"""Marks that texts of two directions need: embeddings and isolates, but no overrides."""
HIDING = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f\u115f\u1160\u180b-\u180f\u200b\u202a-\u202e\u2060-\u206f\u3164\uffa0\ufff9-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]|\x9b(?=[0-?])"
    # Two joiners or selectors with nothing to be seen between them.
    f"|[\u200c\u200d\ufe00-\ufe0f][{UNSEEN}\u0300-\u036f\u20d0-\u20ff]{{0,20}}[\u200c\u200d\ufe00-\ufe0f]"
    # Within a Latin word.
    "|(?<=[A-Za-z])[\u034f\u061c\u200d-\u200f\ufe00-\ufe0f\ufeff](?=[A-Za-z])"
    "|(?<=[A-Za-z])\u200c[A-Za-z]{1,20}\u200c(?=[A-Za-z])"
)
SQUEEZED = re.compile(r"[\s*_`]+")
PRINTED = re.compile(r'["\'](?P<name>[a-z][a-z0-9_]{0,63})["\']\s{0,20}:\s{0,20}(?P<value>[-+]?\d{1,6}(?:\.\d{1,10})?)')


def signs_of_injection(text: str) -> tuple[str, ...]:
    """The signs that a text shows in any of its readings, in the order of the table; empty for an ordinary one."""
    forms = readings(text)
    came = shorten(text, READ_AT_MOST)
    plainly = _signs_in(came)
    # Of a long one a judge sees less, and the place of the cut as the beginning of a line.
    others = {shorten(form, longest) for form in forms for longest in (READ_AT_MOST, LONGEST_TEXT)} - {came}
    found = plainly.union(*map(_signs_in, others))
    if len(forms) > 1 and holds_unseen(came) and (found != plainly or _hides_characters(without_marks(came))):
        found.add(HIDES)
    return tuple(name for name in (*SIGNS, HIDES) if name in found)


def _signs_in(text: str) -> set[str]:
    return {name for name, pattern in SIGNS.items() if pattern.search(text)}


def _hides_characters(text: str) -> bool:
    rest = ORDINARY.sub("", text)
    return HIDING.search(DIRECTION.sub("", rest) if RIGHT_TO_LEFT.search(rest) else rest) is not None


def squeeze(text: str) -> str:
    """The text as it is compared: without case, white space and marks of emphasis."""
    return SQUEEZED.sub("", text).casefold()


def line_stands_in(line: str, judged: str) -> bool:
    """True where a verdict line ("Score: 0.8") stands in the judged text, whatever its white space and emphasis.

    "Score: 0.8" does not stand in "Score: 0.85": the number must end there.
    """
    needle = squeeze(line).rstrip(".,;:)")
    if not needle:
        return False
    return re.search(re.escape(needle) + r"(?![\d%/]|[.,]\d)", squeeze(judged)) is not None


def object_stands_in(raw: str, values: Mapping[str, float], judged: str) -> bool:
    """True where the judged text holds the verdict's JSON, or prints each of its values under its name."""
    if "{" in judged and squeeze(raw) in squeeze(judged):
        return True
    printed: dict[str, set[float]] = {}
    for match in PRINTED.finditer(judged):
        printed.setdefault(match["name"], set()).add(float(match["value"]))
    return bool(values) and all(value in printed.get(name, ()) for name, value in values.items())
