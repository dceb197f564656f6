"""The `facts:` of a scenario as items: two rules over all of them, and for a judge a question on each."""

import re
from collections.abc import Sequence

from evaluation.expectations.fact_checks import ADDS_NONE, AGREES, LONGEST_FACT, MOST_FACTS
from evaluation.expectations.form import ItemFault, read_items
from evaluation.records import Expectation, Json
from evaluation.runspec import digest

RULES = {AGREES: "agrees-with-facts", ADDS_NONE: "adds-no-facts"}
"""Check -> the id of its item."""
_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_LONGEST_SLUG = 40


def fact_items(value: Json, known: Sequence[str] = ()) -> tuple[Expectation, ...]:
    """The items of a list of facts, each a sentence or {id, text, critical?}; empty without one.

    `known` is what the assistant may say beside them. Raises ItemFault, with the place in the list.
    """
    if value is None:
        return ()
    if not isinstance(value, list) or not value:
        raise ItemFault((), "facts is no list with a fact in it: put each sentence on a '- ' line")
    if len(value) > MOST_FACTS:
        raise ItemFault((), f"facts has {len(value)} sentences: keep to {MOST_FACTS}")
    facts = [_fact(given, place) for place, given in enumerate(value)]
    ids = [name for name, _, _ in facts]
    for place, name in enumerate(ids):
        if name in ids[:place]:
            raise ItemFault((place,), f"fact {name!r} stands twice: remove one of the two, or give it an id of its own")
    settings = {"facts": [text for _, text, _ in facts], **({"known": list(known)} if known else {})}
    rules = [{"id": name, "check": check, **settings} for check, name in RULES.items()]
    asked = [
        {"id": f"fact-{name}", "never": f'Does it contradict this fact: "{text}"?', "critical": critical}
        for name, text, critical in facts
    ]
    return read_items([*rules, *asked], "facts")


def _fact(given: Json, place: int) -> tuple[str, str, bool]:
    """The id of a fact, its sentence, and whether it is critical."""
    value = {"text": given} if isinstance(given, str) else given
    if not isinstance(value, dict) or not value.keys() <= {"id", "text", "critical"}:
        raise ItemFault((place,), f"fact {place + 1} is no sentence: write one, or {{id, text, critical}}")
    text, critical = value.get("text"), value.get("critical", False)
    if not isinstance(text, str) or not re.search(r"\w", text) or len(text) > LONGEST_FACT or not text.isprintable():
        problem = f"has no text of one line and at most {LONGEST_FACT} characters: write what is true in one sentence"
        raise ItemFault((place,), f"fact {place + 1} {problem}")
    if not isinstance(critical, bool):
        raise ItemFault((place,), f"fact {place + 1} is critical: {str(critical)[:40]!r}: write true or false")
    name = value.get("id", _slug(text))
    if not isinstance(name, str) or not _ID.fullmatch(name):
        problem = f"has the id {str(name)[:60]!r}: use small letters, digits and hyphens, at most {_LONGEST_SLUG}"
        raise ItemFault((place,), f"fact {place + 1} {problem}")
    return name, " ".join(text.split()).replace('"', "'"), critical


def _slug(text: str) -> str:
    """An id from the words of a fact, with a mark of the rest where they are many."""
    slug = "-".join(re.findall(r"[a-z0-9]+", text.lower()))
    if slug and len(slug) <= _LONGEST_SLUG:
        return slug
    return f"{slug[:32].rstrip('-')}-{digest(text)[:6]}".lstrip("-")
