"""Personal data that has a form of its own: addresses of mail, the web and houses, numbers of phones, cards and people.

Found by pattern, the surest first; what one has found, no later one looks at. Every pattern is bounded, so that the
time goes with the length of the text.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["name", "email", "phone", "url", "account", "ip", "address", "number", "handle", "secret"]


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a text that is personal."""

    start: int
    end: int
    kind: Kind


@dataclass(frozen=True, slots=True)
class _Form:
    kind: Kind
    pattern: re.Pattern[str]
    """What is personal is its group "what", or else the whole match."""
    holds: Callable[[str], bool] = lambda _: True


MARKED = re.compile("\ue000[0-9]+\ue001")
"""What stands in a text in the place of a part that was found; no text from outside holds such characters."""


def passes_luhn(text: str) -> bool:
    """True where the digits of a text satisfy the checksum of payment cards (ISO/IEC 7812-1, annex B)."""
    digits = [int(sign) for sign in text if sign.isdecimal()]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[-2::-2])
    return len(digits) >= 12 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def is_iban(text: str) -> bool:
    """True where a text satisfies the checksum of bank accounts (ISO 13616: 97-10 of ISO 7064)."""
    compact = re.sub(r"[\s-]", "", text).upper()
    if not 15 <= len(compact) <= 34:
        return False
    return int("".join(str(int(sign, 36)) for sign in compact[4:] + compact[:4])) % 97 == 1


def _form(kind: Kind, pattern: str, holds: Callable[[str], bool] = lambda _: True, *, cased: bool = False) -> _Form:
    return _Form(kind, re.compile(pattern, 0 if cased else re.IGNORECASE), holds)


def _digits(text: str) -> int:
    return sum(sign.isdecimal() for sign in text)


def _is_phone(text: str) -> bool:
    """7 to 15 digits (ITU-T E.164) that are no date, no range of years and no number in groups of three."""
    if re.fullmatch(r"(?:19|20)\d\d([-./ ])\d{1,2}\1\d{1,2}|\d{1,2}([-./ ])\d{1,2}\2(?:19|20)?\d\d", text):
        return False
    if re.fullmatch(r"(?:1[5-9]|20)\d\d ?[-/] ?(?:1[5-9]|20)\d\d|\d{1,3}(?: \d{3})+|\d{1,3}(?:\.\d{3})+", text):
        return text[:1] == "0"
    return 7 <= _digits(text) <= 15


def _is_token(text: str) -> bool:
    """Letters and digits mixed as only machines mix them."""
    changes = len(re.findall(r"[a-z][0-9]|[0-9][a-z]", text, re.IGNORECASE))
    return changes >= 3 or (_digits(text) >= 4 and changes >= 1 and len(text) >= 20)


_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,62})"
_TLD = (
    r"(?:com|org|net|edu|gov|info|biz|io|ai|app|dev|me|tv|co|de|at|ch|fr|it|es|pt|nl|be|pl|cz|sk|hu|ro|bg|gr|tr|se|no|"
    r"dk|fi|ie|uk|us|ca|au|nz|in|jp|cn|kr|br|mx|ar|cl|za|ng|ke|ru|ua|eu|xyz|online|site|blog)"
)
_L = r"[^\W\d_]"
_NUMBER_WORD = r"(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)"
_ID_NOUN = (
    r"(?:passport|licen[cs]e|driver'?s licen[cs]e|account|acct|member(?:ship)?|customer|client|patient|policy|order|"
    r"booking|reservation|reference|ref|tracking|invoice|case|ticket|insurance|tax|social security|ssn|nhs|national id|"
    r"id|employee|student|iban|sort code|routing|pin|registration|plate|kundennummer|ausweis|steuer)"
)
_STREET = (
    r"(?:street|st|road|rd|avenue|ave|lane|ln|drive|dr|boulevard|blvd|court|ct|place|pl|square|sq|terrace|crescent|"
    r"close|way|highway|hwy|parkway|pkwy|row|gardens|grove|mews|hill|walk|circle|cir|alley|quay)"
)
_STREET_LONG = (
    r"(?:straße|strasse|str\.|gasse|weg|platz|allee|damm|ufer|ring|straat|laan|gracht|plein|gade|vej|gatan|vägen)"
)
_STREET_FIRST = (
    r"(?:rue|avenue|boulevard|place|chemin|impasse|quai|via|viale|piazza|corso|calle|avenida|plaza|paseo|carrer|rua|"
    r"travessa|praça|ulica|ul\.)"
)
_TOWN = (
    rf"(?:,? ?(?:(?:apt|apartment|flat|unit|suite|room|#) ?\.?[0-9]{{1,4}}[a-z]?))?(?:,? "
    rf"(?:[0-9]{{4,5}} )?(?-i:[A-ZÀ-Þ]){_L}{{1,30}}(?:,? (?-i:[A-Z]{{2}})\b(?: "
    rf"[0-9]{{5}}(?:-[0-9]{{4}})?)?)?)?"
)
_NEXT = r"(?: (?:is|was|are|number|no\.?|nr\.?|id|code|will be|=)){0,3} ?[:#=]{0,2} ?(?:is )?[\"'(]?"

_FORMS = (
    # URLs first: they hold names, tokens and numbers of every kind.
    _form("url", r"\b[a-z][a-z0-9+.-]{1,15}://[^\s<>\"'\ue000]{1,2000}"),
    _form("email", r"(?<![\w.%+-])[\w.%+'-]{1,64}@(?:[\w-]{1,63}\.){1,8}[a-z]{2,24}"),
    _form(
        "email",
        rf"(?<![\w.])[\w+-]{{1,40}}(?:(?: ?(?:[\[({{]? ?(?:dot|punkt|underscore|dash|"
        rf"minus)[\])}}]? ?|\.))[\w+-]{{1,40}}){{0,4}}"
        rf" ?[\[({{]? ?(?:@|\bat\b|\(at\)) ?[\])}}]? ?{_LABEL}(?:(?: ?[\[({{] ?(?:dot|\.) ?[\])}}] "
        rf"?| (?:dot|punkt) ){_LABEL}){{1,3}}\b",
    ),
    _form("email", rf"(?<![\w.])[\w.+-]{{1,64}} ?[\[({{] ?(?:at|@) ?[\])}}] ?(?:{_LABEL}\.){{1,4}}{_TLD}\b"),
    _form(
        "email",
        rf"(?<![\w.])[\w.+-]{{1,64}} (?:at|@) (?:gmail|googlemail|hotmail|outlook|yahoo|icloud|"
        rf"proton|protonmail|gmx|web|live|aol)\.{_TLD}\b",
    ),
    _form("url", r"\bwww\.[^\s<>\"'\ue000]{1,2000}"),
    _form("url", rf"(?<![\w@.-])(?:{_LABEL}\.){{1,4}}{_TLD}(?:/[^\s<>\"'\ue000]{{0,2000}})?(?![\w-])(?!\.\w)"),
    _form("account", r"\b[a-z]{2}[0-9]{2}(?:[ -]?[a-z0-9]{4}){2,7}(?:[ -]?[a-z0-9]{1,4})?\b", is_iban),
    _form("account", r"(?<![\w.])[0-9](?:[ -]?[0-9]){11,18}(?!\w)", passes_luhn),
    _form(
        "secret",
        r"\b(?:password|passwort|passcode|passphrase|pwd|api[ _-]?key|secret|token)(?: is| was| "
        r"for [\w ]{1,30} is)? ?[:=]? ?(?P<what>[^\s,;\"'\ue000]*[0-9!$%&*#_][^\s,;\"'\ue000]*)",
    ),
    _form(
        "secret",
        r"\b(?:password|passwort|passcode|passphrase|pwd)(?: is| was|:| =) ?[\"'(]?(?P<what>[^\s,;\"'\ue000]{3,64})",
    ),
    _form("secret", r"\b(?:sk|pk|ghp|gho|xox[abp]|eyJ)[-_a-z0-9]{12,400}(?:\.[-_a-z0-9]{1,2000}){0,2}"),
    _form(
        "ip",
        r"(?<![\w.])(?:(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])\.){3}(?:25[0-5]|2[0-4][0-9]|"
        r"1?[0-9]?[0-9])(?![\w]|\.[0-9])",
    ),
    _form("ip", r"(?<![\w:])(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}(?![\w:])"),
    _form("ip", r"(?<![\w:])(?:[0-9a-f]{1,4}:){1,6}(?::[0-9a-f]{1,4}){1,6}(?![\w:])", lambda text: _digits(text) > 0),
    _form("number", r"(?<![\w:])(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}(?![\w:])"),
    _form("number", r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"),
    _form("address", r"(?<![\w.])[-+]?[0-9]{1,2}\.[0-9]{3,12}° ?[ns]?,? [-+]?[0-9]{1,3}\.[0-9]{3,12}°? ?[ew]?(?!\w)"),
    _form("address", r"(?<![\w.])[-+]?[0-9]{1,2}\.[0-9]{3,12}, ?[-+]?[0-9]{1,3}\.[0-9]{3,12}(?!\w)"),
    # Houses: number and street in English, street and number elsewhere.
    _form(
        "address",
        rf"(?<![\w.,])[0-9]{{1,5}}[a-z]?(?:-[0-9]{{1,4}})?,? (?:(?:north|south|east|west|[nsew]\.?) )?"
        rf"(?:(?-i:[A-Z0-9À-Þ])[\w'’.-]{{0,30}} ){{1,4}}{_STREET}\b\.?{_TOWN}",
    ),
    _form(
        "address",
        r"\b(?:live[sd]?|living|stay|staying|address|home|house|move[ds]?|at|to|from|on|is) (?:at "
        rf"|on |to |is |now at )?(?P<what>[0-9]{{1,5}}[a-z]? (?:{_L}{{2,20}} ){{1,2}}(?:street|"
        rf"road|avenue|boulevard|lane|drive|crescent|terrace)\b{_TOWN})",
    ),
    _form(
        "address",
        rf"(?<!\w)(?:(?-i:[A-ZÀ-Þ]){_L}{{1,30}}[ -]){{0,3}}{_L}{{0,30}}{_STREET_LONG} ?[0-9]{{1,4}} ?[a-z]?\b{_TOWN}",
    ),
    _form(
        "address",
        rf"\b[0-9]{{1,4}}(?: ?(?:bis|ter))?,? {_STREET_FIRST} (?:(?:de|du|des|la|le|les|l'|d'|"
        rf"della|dei) ?){{0,3}}(?:{_L}[\w'’-]{{1,30}} ?){{1,3}}(?:,? [0-9]{{5}} {_L}{{2,30}})?",
    ),
    _form(
        "address",
        rf"\b{_STREET_FIRST} (?:(?:de|del|du|la|las|los|della|dei|dos|da|do) "
        rf"){{0,3}}(?:{_L}[\w'’.-]{{1,30}},? ){{1,3}}(?:n[º°o.]{{1,2}} "
        rf"?)?[0-9]{{1,4}}[a-z]?\b(?:,? [0-9]{{4,5}} {_L}{{2,30}})?",
    ),
    _form("address", r"\b(?:p\.? ?o\.? ?box|postfach|apartado) ?[0-9]{1,7}\b"),
    _form("address", r"\b(?:apt|apartment|flat|unit|suite)\.? ?#?[0-9]{1,4}[a-z]?\b"),
    _form(
        "address",
        r"\b(?:gir ?0aa|[a-z]{1,2}[0-9][a-z0-9]? ?[0-9][abd-hjlnp-uw-z]{2})\b",
        lambda text: _digits(text) >= 2,
    ),
    _form("address", r"\b[abceghj-nprstvxy][0-9][a-z] ?[0-9][a-z][0-9]\b"),
    _form("address", r"\b(?-i:[A-Z][a-z]{2,20}),? (?-i:[A-Z]{2}),? [0-9]{5}(?:-[0-9]{4})?\b"),
    _form("address", r"\b(?:[a-z]-)?[0-9]{5} (?-i:[A-ZÀ-Þ])[^\W\d_]{2,30}(?=[,.;!?]|$|\s*\n)"),
    _form("address", r"\b[0-9]{4} ?(?-i:[A-Z]{2}),? (?-i:[A-Z])[a-z]{2,20}\b"),
    _form(
        "address",
        r"\b(?:zip|postal|post)[ -]?code(?: is|:)? (?P<what>[a-z0-9]{3,5}[ -]?[a-z0-9]{0,4})\b",
        lambda text: _digits(text) > 0,
    ),
    _form(
        "handle",
        r"\b(?:instagram|insta|ig|twitter|tiktok|snap(?:chat)?|telegram|discord|skype|wechat|"
        r"facebook|fb|reddit|linkedin|github|twitch|steam|username|user name|handle|nickname|"
        r"gamertag)(?: (?:id|name|user|account|handle|username))?(?: is|:| =| as) "
        r"?(?P<what>@?[\w.-]{0,40}[._0-9#][\w.#-]{0,40}|@[\w.-]{2,40})",
    ),
    _form("handle", r"(?<![\w@./])@[a-z_][\w.-]{1,39}(?<![.-])"),
    _form("handle", r"\b[\w.]{2,32}#[0-9]{4}\b"),
    _form("handle", r"(?<![\w/])u/[\w-]{3,20}\b"),
    # Dates of birth, which differ from other dates by the words before them.
    _form(
        "number",
        r"\b(?:born(?: on| in)?|birthday(?: is| on|:)?|birthdate(?: is|:)?|date of birth(?: is|"
        r":)?|dob(?: is|:)?|geboren(?: am)?|née? le|nací el)(?: the| on)? "
        r"(?P<what>(?:[0-9]{1,4}[-./ ][0-9]{1,2}[-./ ][0-9]{1,4}|(?:the )?[0-9]{1,2}(?:st|nd|rd|"
        r"th|\.)?(?: of)? [a-zäéû]{3,9}\.?,?(?: [0-9]{4})?|[a-z]{3,9}\.? [0-9]{1,2}(?:st|nd|rd|"
        r"th)?(?:,? [0-9]{4})?|(?:19|20)[0-9]{2}))",
    ),
    _form(
        "number",
        rf"\b{_ID_NOUN}{_NEXT}(?P<what>(?=[\w./-]{{0,30}}[0-9]{{3}}|"
        rf"[\w./-]{{0,8}}[0-9][\w./-]{{0,8}}[0-9])[a-z0-9][\w./-]{{3,30}}[\w])",
    ),
    _form("number", rf"\b{_ID_NOUN}{_NEXT}(?P<what>[0-9](?:[ -]?[0-9]){{3,20}})\b"),
    _form("number", r"(?<![\w-])[0-9]{3}[- ][0-9]{2}[- ][0-9]{4}(?![\w-])"),
    _form("number", r"\b[a-z]{2} ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[a-d]\b"),
    _form("phone", r"(?<![\w+.])(?:\+|00) ?[0-9](?:[ ()./-]{0,3}[0-9]){6,16}(?: ?(?:x|ext\.?) ?[0-9]{1,5})?(?!\w)"),
    _form(
        "phone",
        r"(?<![\w+.,])\(?[0-9](?:[ ()./-]{0,3}[0-9]){6,14}(?: ?(?:x|ext\.?) ?[0-9]{1,5})?(?![\w%])(?!,[0-9])",
        _is_phone,
    ),
    _form(
        "phone",
        rf"\b(?:(?:double |triple )?{_NUMBER_WORD}(?:,? |-|\.{{1,3}} )){{5,20}}(?:double |triple )?{_NUMBER_WORD}\b",
    ),
    _form(
        "phone",
        r"\b(?:phone|cell|mobile|tel|telephone|whatsapp|number|call me (?:at|on)|text me (?:at|"
        r"on)|reach me (?:at|on)|handy|telefon)(?: number| no\.?)?(?: is|:| =)? "
        r"?(?P<what>\(?[0-9](?:[ ()./-]{0,2}[0-9]){4,15})(?!\w)",
    ),
    _form("number", r"(?<![\w.,])[0-9]{6,30}(?![\w%])(?!,[0-9])"),
    _form("secret", r"(?<![\w/])(?=[\w-]{0,60}[0-9])[a-z0-9][a-z0-9_-]{15,200}(?!\w)", _is_token),
)
_TRAILING = ".,;:!?)]}'\""


def fixed_forms(text: str) -> tuple[Span, ...]:
    """What is personal by its form, in the order of the text; no two overlap."""
    found: list[Span] = []
    for form in _FORMS:
        hidden = _hide(text, found)
        found += _found(form, hidden)
    return tuple(_joined(text, sorted(found, key=lambda span: span.start)))


def _joined(text: str, spans: list[Span]) -> Iterator[Span]:
    """Parts of one address, with a comma or a blank between them, are one."""
    last: Span | None = None
    for span in spans:
        if last is not None and last.kind == span.kind == "address" and not text[last.end : span.start].strip(", \n"):
            last = Span(last.start, span.end, "address")
            continue
        if last is not None:
            yield last
        last = span
    if last is not None:
        yield last


def _found(form: _Form, text: str) -> Iterator[Span]:
    for match in form.pattern.finditer(text):
        group = "what" if "what" in form.pattern.groupindex else 0
        said = match[group]
        kept = said.rstrip(_TRAILING) if form.kind in ("url", "secret", "handle", "number", "address") else said
        kept = kept.rstrip()
        start = match.start(group)
        if kept and "\ue000" not in kept and form.holds(kept):
            yield Span(start, start + len(kept), form.kind)


def _hide(text: str, found: list[Span]) -> str:
    """The text, of the same length, with what was found covered by a character that no pattern takes."""
    if not found:
        return text
    letters = list(text)
    for span in found:
        letters[span.start : span.end] = "\ue000" * (span.end - span.start)
    return "".join(letters)
