"""What a report says of languages: how many responses are in which, which are in a wrong one, and means."""

from collections.abc import Iterator

from evaluation.reports.document import Block, Column, Fields, Heading, Name, Row, Table, table
from evaluation.reports.groups import difference_text, mean_of
from evaluation.summary.groups import PairedGroups
from evaluation.summary.languages import LanguageSummary, Mismatch, language_title
from evaluation.summary.summary import Summary
from evaluation.text import numbers

REST = "summary.json"
MOST = 3
"""Responses in another language that one sentence names."""


def unreviewed(summary: Summary) -> str:
    """The line that stands on every output of a run whose packs no native speaker reviewed; empty without any."""
    names = summary.languages.not_reviewed if summary.languages is not None else ()
    if not names:
        return ""
    packs = f"the language pack of {names[0]} was" if len(names) == 1 else f"the packs of {', '.join(names)} were"
    return f"NOT REVIEWED: {packs} reviewed by no native speaker: scores by rule in that language are provisional"


def incidents_of(languages: LanguageSummary) -> Iterator[str]:
    """What a reader must know: answers in another language, and responses that no pack is there for."""
    if languages.mismatches:
        shown = ", ".join(map(_named, languages.named[:MOST]))
        more = ", ..." if languages.mismatches > MOST else ""
        of = numbers.times(languages.compared, "response")
        yield f"in another language than was asked: {languages.mismatches} of {of} ({shown}{more})"
    for language, count in languages.without_pack.items():
        name = language_title(language)
        yield (
            f"no language pack for {name}: {numbers.times(count, 'response')} scored by form alone, and metrics that "
            "need a pack are left out"
        )


def _named(found: Mismatch) -> str:
    place = found.scenario_id + (f", repeat {found.repeat}" if found.repeat > 1 else "")
    return f"{place}: {language_title(found.reply)} for {language_title(found.wanted)}"


def describe_languages(summary: Summary) -> Iterator[Block]:
    """The overall by language, and languages over the same situations; nothing where there is one."""
    languages = summary.languages
    if languages is None or len(languages.by_language) < 2:
        return
    yield Heading("By language")
    columns = [Column("language"), Column("responses", right=True), Column(f"overall ({summary.source})")]
    rows = [
        Row(
            [
                Name(language_title(language)),
                f"{languages.responses.get(language, 0)}",
                mean_of(means.get(summary.source, {}).get(summary.overall)),
            ]
        )
        for language, means in languages.by_language.items()
    ]
    yield Table(columns, rows, rest=REST)
    if languages.paired:
        yield Heading("The same situation in another language")
        yield table(PAIRED, languages.paired, rest=REST)


PAIRED: Fields[PairedGroups] = [
    (Column("languages"), lambda pair: f"{language_title(pair.second)} against {language_title(pair.first)}"),
    (Column("situations", right=True), lambda pair: f"{pair.situations}"),
    (Column("difference [95% interval]"), lambda pair: difference_text(pair)),
]
