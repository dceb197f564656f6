"""Personal data of a conversation replaced by neutral stand-ins, so that its words still read as somebody's words.

The same original gets the same stand-in in the whole conversation, and no stand-in is a word that somebody said there.
What is not found: names in small letters that stand in no list and behind no cue, employers, schools and places, ages
and illnesses, and what is personal by its meaning alone. A person reads the draft for that.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.harvest.fixed_forms import MARKED, Kind, Span, fixed_forms
from evaluation.harvest.people import People

GIVEN = (
    *("Robin", "Alex", "Sam", "Kim", "Jamie", "Charlie", "Morgan", "Riley", "Casey", "Taylor", "Jordan", "Avery"),
    *("Quinn", "Rowan", "Sasha", "Noel", "Jules", "Dana", "Lee", "Toni"),
)
FAMILY = ("Doe", "Roe", "Bloggs", "Sample", "Public", "Specimen", "Example", "Nobody")
_OTHERS: Mapping[Kind, str] = {
    "email": "person{0}@example.org",
    "phone": "555-01{0:02d}",
    "url": "https://example.org/{0}",
    "account": "account-{0}",
    "ip": "192.0.2.{0}",
    "address": "{0} Example Street",
    "number": "number-{0}",
    "handle": "@person{0}",
    "secret": "secret-{0}",
}
"""Addresses and numbers that are reserved for examples: RFC 2606, RFC 5737, and 555-01xx of North America."""
_DROPPED = re.compile(
    "[\u00ad\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ue000-\uf8ff\ud800-\udfff]"
)
_WIDE = {
    **{code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)},
    0x3000: 0x20,
    0xA0: 0x20,
    0x202F: 0x20,
    0x2011: 0x2D,
}
"""Letters and digits of full width, blanks and hyphens that look like the plain ones."""
LONGEST = 20_000
"""Characters of a text that a draft keeps."""
CUT = " […]"


@dataclass(frozen=True, slots=True)
class Masked:
    """A conversation without what was found to be personal."""

    texts: tuple[str, ...]
    replaced: Mapping[str, int]
    """Stand-in -> how often it stands in the texts."""
    kinds: Mapping[str, int]
    """Kind of personal data -> how many different ones were found."""
    look_at: tuple[str, ...]
    """Words that were left and may be somebody's name: capitalised ones, and those that are in no dictionary."""


def mask(texts: Sequence[str]) -> Masked:
    """Masks the texts of one conversation together: a name that one of them gives away is masked in all."""
    plain = [_plain(text) for text in texts]
    names = _Names(plain)
    people = People()
    marked = [names.mark(text) for text in plain]
    for text in marked:
        people.read(text)
    people.add_parts(names.parts)
    found = tuple(names.fill(text, people) for text in marked)
    look_at = [word for word in people.doubtful if word.lower() not in people.all]
    return Masked(found, dict(names.used), names.kinds(), tuple(look_at))


def _plain(text: str) -> str:
    """Without what nobody sees, which could part a name; full width made plain; no longer than allowed."""
    text = text if text.isascii() else unicodedata.normalize("NFC", _DROPPED.sub("", text.translate(_WIDE)))
    return text if len(text) <= LONGEST else text[:LONGEST] + CUT


@dataclass
class _Names:
    """The stand-ins of a conversation."""

    texts: Sequence[str]
    used: Counter[str] = field(default_factory=Counter)
    parts: dict[str, None] = field(default_factory=dict)
    """Words that the addresses of mails consist of."""
    _by_original: dict[tuple[Kind, str], str] = field(default_factory=dict)
    _marks: list[str] = field(default_factory=list)
    """Stand-ins in the order of their marks."""

    def mark(self, text: str) -> str:
        """The text with a mark in the place of each personal part that has a form of its own."""
        pieces, end = list[str](), 0
        for span in fixed_forms(text):
            original = text[span.start : span.end]
            pieces += [text[end : span.start], self._mark(span, original)]
            end = span.end
        return "".join([*pieces, text[end:]])

    def fill(self, text: str, people: People) -> str:
        """The text with names and marks replaced by stand-ins."""
        text = self._without_names(text, people)

        def stand_in(match: re.Match[str]) -> str:
            found = self._marks[int(match[0][1:-1])]
            self.used[found] += 1
            return found

        return MARKED.sub(stand_in, text)

    def kinds(self) -> dict[str, int]:
        """Kind -> how many different originals."""
        return dict(Counter(str(kind) for kind, _ in self._by_original))

    def _mark(self, span: Span, original: str) -> str:
        if span.kind == "email":
            local = re.split(r"@|\bat\b", original, maxsplit=1)[0]
            self.parts |= dict.fromkeys(part for part in re.split(r"[\W\d_]+|dot", local) if part)
        elif span.kind == "handle":
            self.parts |= dict.fromkeys(part for part in re.split(r"[\W\d_]+", original.rsplit(" ", 1)[-1]) if part)
        self._marks.append(self._stand_in(span.kind, re.sub(r"[\s().-]", "", original).lower(), self._free(span.kind)))
        return f"\ue000{len(self._marks) - 1}\ue001"

    def _stand_in(self, kind: Kind, original: str, free: Iterator[str]) -> str:
        key = (kind, original)
        if key not in self._by_original:
            taken = set(self._by_original.values())
            self._by_original[key] = next(each for each in free if each not in taken)
        return self._by_original[key]

    def _free(self, kind: Kind) -> Iterator[str]:
        for number in range(1, 10**9):
            found = _OTHERS[kind].format(number)
            if not self._is_said(found):
                yield found

    def _is_said(self, words: str) -> bool:
        return any(words.lower() in text.lower() for text in self.texts)

    def _names_of(self, chosen: Sequence[str]) -> Iterator[str]:
        """Names that nobody said, with a number where they do not suffice."""
        for round_ in range(10**6):
            for name in chosen:
                found = name if not round_ else f"{name}{chr(96 + (round_ - 1) % 26 + 1)}{'x' * ((round_ - 1) // 26)}"
                if not self._is_said(found):
                    yield found

    def _without_names(self, text: str, people: People) -> str:
        stand_ins = {
            original: self._stand_in("name", original, self._names_of(chosen))
            for chosen, originals in ((GIVEN, people.given), (FAMILY, people.family))
            for original in originals
            if not (original[-1] == "s" and original[:-1] in people.all)
        }
        if not stand_ins:
            return text
        longest_first = sorted(stand_ins, key=len, reverse=True)
        spelled = [r"[-. ]{1,2}".join(name) for name in longest_first if len(name) > 2 and name.isalpha()]
        names = [re.escape(name).replace("'", "['’]") for name in longest_first]
        asian = [name for name in longest_first if not name.isascii() and ord(name[0]) > 0x2E80]
        edges = (
            rf"(?<![^\W\d_])(?:({'|'.join(names)})(?P<genitive>s)?|"
            rf"({'|'.join(spelled) or chr(0xE000) * 3}))(?![^\W\d_])"
        )
        pattern = re.compile(f"{edges}|({'|'.join(asian)})" if asian else f"{edges}|(\ue002)", re.IGNORECASE)

        def replace(match: re.Match[str]) -> str:
            said = match[1] or match[3] or match[4]
            original = said.lower().replace("’", "'")
            if original in people.capital_only and said[0].islower():
                return match[0]
            if match[3]:
                original = re.sub(r"[-. ]", "", original)
            found = stand_ins.get(original)
            if found is None:
                return match[0]
            self.used[found] += 1
            letters = re.sub(r"\W", "", said)
            found = found.upper() if letters.isupper() and len(letters) > 1 else found
            return (found.lower() if letters.islower() and letters.isascii() else found) + (match["genitive"] or "")

        return pattern.sub(replace, text)
