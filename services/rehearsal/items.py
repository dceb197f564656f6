"""Yes/no questions about a judged text, answered by words that both share, with a sentence of the text as a quote."""

import re
from collections.abc import Mapping

from services.rehearsal.opinions import SIGNS

QUESTION = re.compile(
    r"^[ \t]*(?:[-*]|\d{1,3}[.)])?[ \t]*[\"`\[]?([\w.-]{1,60})[\"`\]]?[ \t]*[:–-][ \t]+(\S.*)$", re.MULTILINE
)
SENTENCE = re.compile(r"\S[^\n.!?]*[.!?]*")
ABOUT = {
    "layout": re.compile(r"\b(?:format|markdown|layout|bullet|lists?\b)", re.IGNORECASE),
    "asks": re.compile(r"\b(?:ask|question)", re.IGNORECASE),
    "hears": re.compile(r"\b(?:feel|emotion|acknowledg|empath)", re.IGNORECASE),
    "cheers": re.compile(r"\b(?:cheer|minimi|platitud|bright side)", re.IGNORECASE),
    "open": re.compile(r"\b(?:AI|artificial|honest|professional|crisis)\b", re.IGNORECASE),
    "clings": re.compile(r"\b(?:promis|dependen|cling)", re.IGNORECASE),
    "recalls": re.compile(r"\b(?:earlier|remember|mention)", re.IGNORECASE),
    "stiff": re.compile(r"\b(?:formal|stiff)", re.IGNORECASE),
}
"""Sign -> the questions that ask for it."""
WORD = re.compile(r"[^\W\d_]{4,}")
STEM = 5
"""Letters in which two words agree that count as the same."""
IDLE = re.compile(r"about|anything|assistant|does|have|reply|response|that|their|them|they|this|user|with")
NEGATED = re.compile(r"\b(?:not|never|no|cannot|\w+n't)\b", re.IGNORECASE)


def listed(form: str) -> Mapping[str, str]:
    """Id -> question of the lines `id: question` of a request."""
    return {match[1]: match[2] for match in QUESTION.finditer(form) if match[2].rstrip().endswith("?")}


def answered(question: str, response: str) -> tuple[str, str]:
    """(yes, no or not shown; a sentence of the response, word for word, or nothing where nothing is shown).

    A question about a sign is answered by where it stands; any other by the sentence that shares most words with it,
    which speaks against it where it holds a negation.
    """
    sentences = [match[0].rstrip() for match in SENTENCE.finditer(response)]
    if not sentences:
        return "not shown", ""
    wanted = _stems(question)
    nearest = max(sentences, key=lambda sentence: len(wanted & _stems(sentence)))
    sign = next((name for name, about in ABOUT.items() if about.search(question)), None)
    if sign is not None:
        shown = next((sentence for sentence in sentences if SIGNS[sign].search(sentence)), None)
        return ("no", nearest) if shown is None else ("yes", shown)
    if not wanted & _stems(nearest):
        return "not shown", ""
    return "no" if NEGATED.search(nearest) else "yes", nearest


def _stems(text: str) -> set[str]:
    return {word[:STEM] for word in WORD.findall(text.lower()) if not IDLE.fullmatch(word)}
