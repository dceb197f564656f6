"""What a report says of languages: how many responses are in which, which are in a wrong one, and means."""

from collections.abc import Iterable, Iterator
from itertools import chain

from evaluation.reports.document import Block, Column, Fields, Heading, Name, table
from evaluation.reports.groups import difference_text, mean_of
from evaluation.summary.groups import PairedGroups
from evaluation.summary.languages import LanguageSummary, Mismatch, language_title, not_reviewed
from evaluation.summary.metric import MetricTable
from evaluation.summary.summary import Summary
from evaluation.text import numbers

REST = "summary.json"
MOST = 3
"""Responses in another language that one sentence names."""


def unreviewed(*summaries: Summary) -> str:
    """The line that stands on every output of runs whose packs no native speaker reviewed; empty without any."""
    return unreviewed_in(chain.from_iterable(each.languages.responses for each in summaries if each.languages))


def unreviewed_in(languages: Iterable[str]) -> str:
    """That line where exchanges were scored by the packs of these languages."""
    names = not_reviewed(languages)
    if not names:
        return ""
    one = len(names) == 1
    packs = f"the language pack of {names[0]} was" if one else f"the packs of {', '.join(names)} were"
    where = "that language" if one else "these languages"
    return f"NOT REVIEWED: {packs} reviewed by no native speaker: scores by rule in {where} are provisional"


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
    fields: Fields[tuple[str, MetricTable]] = [
        (Column("language"), lambda row: Name(language_title(row[0]))),
        (Column("responses", right=True), lambda row: f"{languages.responses.get(row[0], 0)}"),
        (
            Column(f"overall ({summary.source})"),
            lambda row: mean_of(row[1].get(summary.source, {}).get(summary.overall)),
        ),
    ]
    yield table(fields, languages.by_language.items(), rest=REST)
    if languages.paired:
        yield Heading("The same situation in another language")
        yield table(PAIRED, languages.paired, rest=REST)


PAIRED: Fields[PairedGroups] = [
    (Column("languages"), lambda pair: f"{language_title(pair.second)} against {language_title(pair.first)}"),
    (Column("situations", right=True), lambda pair: f"{pair.situations}"),
    (Column("difference [95% interval]"), lambda pair: difference_text(pair)),
]
