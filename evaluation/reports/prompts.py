"""Prompts in reports: what was sent, and what a version says otherwise than another."""

from collections.abc import Iterable, Iterator

from evaluation.comparison.prompt_change import ChangedSetting, PromptChange, settings_of
from evaluation.comparison.runs import ABSENT
from evaluation.prompts import PromptVersion
from evaluation.records import Turn
from evaluation.reports.document import Block, Column, Fields, Heading, Listing, Name, Outside, Words, table
from evaluation.run import Run
from evaluation.text import numbers
from evaluation.text.safe_text import clip

CONVERSATION = "conversation"
"""The role under which a prompt is shown that stands for the turns of a scenario."""
MOST_NAMED = 3
"""Settings that one line names."""
VALUE = 24
"""Columns of a setting's value in it."""


def change_in_one_line(change: PromptChange) -> str:
    """Lines and settings that differ: "20 lines added, 8 removed; max_tokens 200 -> 160"; empty where none does."""
    added, removed = change.count("added"), change.count("removed")
    lines = [f"{numbers.times(added, 'line')} added"] if added else []
    lines += [f"{removed} removed" if added else f"{numbers.times(removed, 'line')} removed"] if removed else []
    named = [f"{clip(each.name, VALUE)} {_short(each.before)} -> {_short(each.after)}" for each in change.config]
    more = numbers.times(len(named) - MOST_NAMED, "more setting")
    settings = named if len(named) <= MOST_NAMED else [*named[:MOST_NAMED], more]
    return "; ".join([*([", ".join(lines)] if lines else []), *settings])


def _short(value: str | None) -> str:
    return ABSENT if value is None else clip(value, VALUE)


def describe_change(change: PromptChange | None, base: str, candidate: str) -> Iterator[Block]:
    """What the candidate's prompt says otherwise than the base's; nothing where they agree, or there are not two."""
    if change is None or change.is_empty:
        return
    yield Heading("What changed in the prompt")
    listing = tuple(change.listing())
    if listing:
        yield Listing(listing, "diff", rest="comparison.json")
    if change.config:
        fields: Fields[ChangedSetting] = [
            (Column("setting"), lambda each: Name(each.name)),
            (Column(Name(base), fluid=True), lambda each: _value(each.before)),
            (Column(Name(candidate), fluid=True), lambda each: _value(each.after)),
        ]
        yield table(fields, change.config, rest="comparison.json")


def _value(value: str | None) -> Words:
    return ABSENT if value is None else Outside(value)


def sent_messages(prompt: PromptVersion) -> tuple[Turn, ...]:
    """The messages as they are sent, the values of the config in their places.

    The turns of a scenario are one message without words, of the role `conversation`. A template that lacks a value
    stands as it was written: no call was ever made from it.
    """
    values = prompt.own_values
    return prompt.messages if prompt.unfilled(values) else prompt.fill(values, (Turn(CONVERSATION, ""),))


def sent_settings(run: Run) -> list[tuple[str, str]]:
    """(dotted name, value as JSON) of all that is sent beside the messages, wherever it was set."""
    return list(settings_of(run.spec.parameters))


def describe_prompt(run: Run) -> Iterator[Block]:
    """The prompt of a run as it was sent; nothing where it had none."""
    if run.prompt is None:
        return
    yield Heading("Prompt")
    for message in sent_messages(run.prompt):
        if message.role == CONVERSATION:
            yield Heading("the turns of the scenario", level=4)
        else:
            yield Heading(Name(message.role), level=4)
            yield Listing(message.content.split("\n"), rest="report.html")
    yield from _settings_table(sent_settings(run))


def _settings_table(settings: Iterable[tuple[str, str]]) -> Iterator[Block]:
    fields: Fields[tuple[str, str]] = [
        (Column("sent with each call"), lambda each: Name(each[0])),
        (Column("value", fluid=True), lambda each: Outside(each[1])),
    ]
    rows = list(settings)
    if rows:
        yield table(fields, rows, rest="manifest.json")
