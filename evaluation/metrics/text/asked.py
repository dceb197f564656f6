"""Reads what a prompt asks for in plain words: a length, so many items, a form, a reader, a language of the answer.

Precision comes before recall: a number counts only where it stands with its unit behind something that asks for it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from evaluation.metrics.text.asked_patterns import BEFORE, Patterns, mentions_of, patterns_of, sentences_in
from evaluation.metrics.text.points import range_text
from evaluation.metrics.text.prompt_text import Sentence
from evaluation.metrics.text.wording_form import LANGUAGES, Reader, Unit

ABOUT = 0.1
"""By which share of it a number of words may be missed either way."""
INF = float("inf")
MOST_IDIOMS = 3
"""Words up to which "in two words:" at the beginning asks for nothing."""
LEAST_ALONE = 10
"""Words from which a size that stands by itself asks for something."""
OLDEST_CHILD = 12
"""Years."""
Range: TypeAlias = tuple[float, float]
"""Fewest and most; the most is infinite where there is none."""
AskedForm: TypeAlias = Literal["json", "table", "bullets", "numbered", "verse", "prose"]


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked for; None where the prompt says nothing of it."""

    words: Range | None = None
    sentences: Range | None = None
    paragraphs: Range | None = None
    lines: Range | None = None
    """Of verse."""
    items: Range | None = None
    form: AskedForm | None = None
    reader: Reader | None = None
    language: str | None = None
    """Of the answer, ISO 639-1."""


@lru_cache(maxsize=256)
def read_request(prompt: str) -> Asked:
    """Reads a prompt, of several numbers for one thing the last: asks come after what they are about.

    "in 50 words" allows a tenth either way; "at most 100 words", "at least 150" and "100 to 150" are taken as said.
    Quotations, code and attached texts are left out, and of a long prompt its middle. Linear in its length.
    """
    found: dict[str, object] = {}
    for language in LANGUAGES:
        for name, value in _read_in(language, prompt).items():
            found.setdefault(name, value)
    if found.get("form") != "verse":
        found.pop("lines", None)
    return Asked(**found)  # type: ignore[arg-type]


def _read_in(language: str, prompt: str) -> dict[str, object]:
    found: dict[str, object] = {}
    mentions = mentions_of(language)
    for sentence in sentences_in(language, prompt):
        if not mentions.any.search(sentence.text):
            continue
        patterns = patterns_of(language)
        if not asks(sentence, patterns):
            continue
        for unit, pattern in patterns.sizes.items():
            if patterns.unit_names[unit].search(sentence.text):
                sizes = list(_sizes(sentence, unit, pattern, patterns))
                if sizes:
                    found[unit] = _joined(sizes)
        if (items := _items(sentence, patterns)) is not None:
            found["items"] = items
        found |= _forms(sentence, patterns) | _readers(sentence, patterns)
        if "bullets" in found:
            found |= {"items": found.pop("bullets"), "form": "bullets"}
    return found


def asks(sentence: Sentence, patterns: Patterns) -> bool:
    """False for a sentence that tells something, and for a question that wants no text of a size or form."""
    if patterns.no_request.match(sentence.text):
        return False
    return not _narrates(sentence.text, patterns)


def _narrates(text: str, patterns: Patterns) -> bool:
    """True for words that tell something: "she broke my heart", and not "I would like a poem"."""
    return patterns.narrates.match(text) is not None and patterns.wishes.search(text) is None


def _sizes(sentence: Sentence, unit: Unit, pattern: re.Pattern[str], patterns: Patterns) -> Iterator[Range]:
    """The sizes that are asked for; none where one that nothing asks for stands behind them: they may be of parts."""
    found = list[Range]()
    for match in pattern.finditer(sentence.text):
        bound = _licence(sentence, match, unit, patterns)
        size = _range(match, bound, unit, patterns) if bound else None
        if size is not None:
            found.append(size)
        elif not bound:
            found.clear()
    yield from found
    if unit in patterns.one_of:
        for match in patterns.one_of[unit].finditer(sentence.text):
            if _frame_counts(sentence, match.start(), patterns) and _may_be_one(sentence, match.start(), patterns):
                yield (1.0, 1.0)


def _may_be_one(sentence: Sentence, start: int, patterns: Patterns) -> bool:
    """True where an article stands for the size of an answer: "explain it in a sentence", not "count words in"."""
    return start == 0 or not patterns.asks_text.match(sentence.text)


def _licence(sentence: Sentence, match: re.Match[str], unit: Unit, patterns: Patterns) -> str:
    """What asks for the size that was found, as the bound that it has by itself; empty where nothing asks for it."""
    before, behind = sentence.text[max(0, match.start() - BEFORE) : match.start()], sentence.text[match.end() :]
    bounded = bool(match["bound"] or match["behind"] or match["inner"] or match["plus"])
    if label := patterns.label.search(before):
        return patterns.wordings.labels[label["label"]]
    if patterns.doubts.search(before):
        return ""
    if patterns.keep_to.search(before) or (bounded and patterns.keep.search(before)):
        return "at_most"
    if any(each.search(before) for each in patterns.licences):
        return "about"
    if _is_compound(match, unit, behind, patterns) and patterns.free_article.search(before):
        return "about"
    if _is_described(sentence, match, before, patterns):
        return "about"
    if unit == "bullets" and patterns.form_frame.search(before):
        return "about"
    if frame := patterns.frame.search(before):
        start = match.start() - len(before) + frame.start()
        idiom = unit == "words" and start == 0 and _is_idiom(match, behind, patterns)
        apiece = patterns.apiece.search(before[: frame.start()])
        narrated = start == 0 and behind[:1] == " " and _narrates(behind.lstrip(), patterns)
        return "about" if _frame_counts(sentence, start, patterns) and not (idiom or apiece or narrated) else ""
    return "about" if _stands_alone(sentence, match, unit, before, behind, patterns) else ""


def _is_compound(match: re.Match[str], unit: Unit, behind: str, patterns: Patterns) -> bool:
    """A size that is part of a name: a 150 word ad."""
    singular = patterns.wordings.units[unit][0]
    return match[0].endswith(singular) and behind[:1] == " " and behind[1:2].isalpha()


def _is_described(sentence: Sentence, match: re.Match[str], before: str, patterns: Patterns) -> bool:
    """A size with a bound or a range in a sentence that asks for the text: "a poem that has at least four lines"."""
    exact = match["bound"] or match["exact"] or match["behind"] or match["inner"] or match["plus"] or match["high"]
    if not exact or not patterns.begins_request.match(sentence.text):
        return False
    if patterns.described.search(before) or patterns.joined.search(before):
        return True
    ends = patterns.segment_behind.match(sentence.text, match.end())
    return bool(ends and patterns.at_the_end.match(before))


def _is_idiom(match: re.Match[str], behind: str, patterns: Patterns) -> bool:
    """ "In two words: no way." """
    value = number_of(match["low"], patterns)
    following = behind.lstrip(" ,:–—-")
    return (
        value is not None
        and value <= MOST_IDIOMS
        and behind[:1] in (",", ":", " ", "–")
        and not patterns.asks_or_explains.match(following)
    )


def _frame_counts(sentence: Sentence, start: int, patterns: Patterns) -> bool:
    """False within a question, unless somebody is asked to do something or the size stands apart from it."""
    text = sentence.text
    if not patterns.questions.match(text) or patterns.opener.match(text):
        return True
    return text[:start].rstrip()[-1:] in ("", ",", ":", "–", "—", "(")


def _stands_alone(
    sentence: Sentence, match: re.Match[str], unit: Unit, before: str, behind: str, patterns: Patterns
) -> bool:
    """A size between commas or in brackets, or that is a sentence: with a bound, or large, and not the first words."""
    if not patterns.segment_before.search(before) or not patterns.segment_behind.match(behind):
        return False
    if match["bound"] or match["behind"] or match["inner"] or match["plus"]:
        return True
    value = number_of(match["low"], patterns) or 0
    return not (sentence.first and match.start() == 0) and (unit != "words" or value >= LEAST_ALONE)


def _range(match: re.Match[str], licence: str, unit: Unit, patterns: Patterns) -> Range | None:
    said = patterns.wordings
    vague = said.vague.get(match["low"])
    if vague is not None:
        return float(vague[0]), float(vague[1])
    low = number_of(match["low"], patterns)
    high = number_of(match["high"], patterns) if match["high"] else None
    if not low:
        return None
    if high is not None:
        return (float(low), float(high)) if low <= high else None
    bound = (match["bound"] or "").strip()
    groups = match.groupdict()
    behind = groups.get("behind") or groups.get("inner") or ""
    if bound in said.at_most or behind in said.most_behind:
        return 1.0, float(low)
    if bound in said.at_least or behind in said.least_behind or match["plus"]:
        return float(low), INF
    if licence == "at_most":
        return 1.0, float(low)
    if unit == "words":
        return round(low * (1 - ABOUT), 6), round(low * (1 + ABOUT), 6)
    return float(low), float(low)


def _joined(sizes: list[Range]) -> Range:
    """The last size; one that has only a most goes together with one that has only a fewest."""
    least = next((low for low, high in reversed(sizes) if high == INF), None)
    most = next((high for low, high in reversed(sizes) if low == 1 < high < INF), None)
    return (least, most) if least is not None and most is not None and least <= most else sizes[-1]


def number_of(text: str, patterns: Patterns) -> int | None:
    """The number in figures or words; None for none and for 0."""
    if text[:1].isdigit():
        return int(re.sub(r"[.,]", "", text)) or None
    names = patterns.wordings.numbers
    if text in names:
        return names[text]
    total = part = 0
    for word in re.split(r"[ -]", text):
        value = names.get(word)
        if value is None:
            continue  # what joins them
        if value >= 100:
            total, part = (total + max(part, 1) * value, 0) if value >= 1000 else (total, max(part, 1) * value)
        else:
            part += value
    return total + part or None


def _items(sentence: Sentence, patterns: Patterns) -> Range | None:
    for pattern in patterns.items:
        for match in pattern.finditer(sentence.text):
            following = match.groupdict().get("next")
            if following in patterns.no_items:
                continue
            size = _range_of_items(match, patterns)
            if size is not None:
                return size
    return None


def _range_of_items(match: re.Match[str], patterns: Patterns) -> Range | None:
    size = _range(match, "about", "sentences", patterns)
    return size if size is not None and size[1] > 1 else None


def _forms(sentence: Sentence, patterns: Patterns) -> dict[str, object]:
    text = sentence.text
    for name, pattern in patterns.forms:
        if pattern.search(text):
            return {"form": name}
    found = patterns.verse.search(text)
    if found is None:
        return {}
    lines = patterns.wordings.verses[found["verse"]]
    stated = next(iter(_sizes(sentence, "lines", patterns.sizes["lines"], patterns)), None)
    wanted = stated or (None if lines is None else (float(lines), float(lines)))
    return {"form": "verse", **({} if wanted is None else {"lines": wanted})}


def _readers(sentence: Sentence, patterns: Patterns) -> dict[str, object]:
    found: dict[str, object] = {}
    text = sentence.text
    for reader, phrases in patterns.reader_phrases.items():
        if phrases.search(text):
            found["reader"] = reader
    if patterns.explained.search(text):
        for reader, pattern in patterns.readers.items():
            if pattern.search(text):
                found.setdefault("reader", reader)
        age = patterns.age.search(text)
        if age and (number_of(age["age"], patterns) or OLDEST_CHILD + 1) <= OLDEST_CHILD:
            found["reader"] = "child"
    asked = patterns.language_asked.search(text) or patterns.language_licence.search(text)
    if asked and (named := patterns.language.search(text)):
        found["language"] = patterns.wordings.languages[named["language"]]
    return found


FORM_NAMES = {
    "json": "JSON",
    "table": "a table",
    "bullets": "bullet points",
    "numbered": "a numbered list",
    "verse": "verse",
    "prose": "prose without lists",
}
READER_NAMES = {"child": "a child", "layperson": "a layperson", "expert": "an expert"}


def describe_request(asked: Asked) -> str:
    """What was read, for people: "5 items, as bullet points"; empty where nothing was."""
    sizes = {
        "word": asked.words,
        "sentence": asked.sentences,
        "paragraph": asked.paragraphs,
        "line": asked.lines,
        "item": asked.items,
    }
    parts = [
        f"{range_text(size)} {unit if range_text(size) == '1' else unit + 's'}"
        for unit, size in sizes.items()
        if size is not None
    ]
    if asked.form is not None:
        parts.append(FORM_NAMES[asked.form])
    if asked.reader is not None:
        parts.append(f"a text for {READER_NAMES[asked.reader]}")
    if asked.language is not None:
        parts.append(f"an answer in the language {asked.language}")
    return ", ".join(parts)
