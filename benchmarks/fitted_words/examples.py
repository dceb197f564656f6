"""The tables of weights: the texts that each is fitted to, as the cue that uses it reads them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from benchmarks.fitted_words.fitting import Example
from benchmarks.fitted_words.written import (
    Written,
    read_contempt,
    read_contempt_replies,
    read_expertise,
    read_messages,
    read_replies,
    read_understanding,
    read_wish_replies,
    read_wishes,
)
from evaluation.metrics.cues.bounds import EXPERTISE
from evaluation.metrics.cues.danger import DangerSettings, DangerSigns
from evaluation.metrics.cues.danger_answer import HELP, TakesUpSettings, answer_reader
from evaluation.metrics.cues.feelings import UNDERSTANDING
from evaluation.metrics.cues.harmful_wish import WISH, wish_reader
from evaluation.metrics.cues.learnt import Said, words_meant
from evaluation.metrics.cues.letters import in_plain_letters
from evaluation.metrics.cues.refusal import DECLINE, RefusalSettings, refusals_of
from evaluation.metrics.cues.signs import DANGER
from evaluation.metrics.cues.tone import CONTEMPT, GOES_ALONG
from evaluation.metrics.utterance import Text, Utterance
from scripts.run.load import load_rubric


@dataclass(frozen=True)
class Table:
    """One table of weights."""

    name: str
    read: Callable[[], list[Written]]
    as_examples: Callable[[Sequence[Written]], list[Example]]
    most_alarms: float | None = None
    """Of the other side's texts, by authors left out, the share that may count; None where both sides weigh alike."""
    evens_length: bool = False
    """True where long texts of the other side may count no more often than short ones."""


def message_examples(written: Sequence[Written]) -> list[Example]:
    """Each message as the cue `in_danger` reads it."""
    settings = load_rubric("companion-v3").cues["in_danger"].settings
    signs = DangerSigns(DangerSettings.model_validate(settings))
    examples = []
    for each in written:
        stretches = signs.said(signs.respell(Text(each.text, "user_input")).text)
        words = frozenset(word for said in stretches for word in said.words)
        groups = frozenset(sign for said in stretches for sign in said.signs)
        examples.append(Example(each.author, each.group, each.positive, words, groups))
    return examples


def reply_examples(written: Sequence[Written]) -> list[Example]:
    """Each reply as the cue `meets_danger` reads it."""
    settings = load_rubric("companion-v3").cues["meets_danger"].settings
    reader = answer_reader(TakesUpSettings.model_validate(settings))
    examples = []
    for each in written:
        exchange = Utterance("", each.text)
        words = frozenset(word for word, _, _ in words_meant(exchange.response.pieces))
        ways = frozenset(way.name for way, _ in reader.read(exchange.response).said)
        examples.append(Example(each.author, each.group, each.positive, words, ways))
    return examples


def wish_examples(written: Sequence[Written]) -> list[Example]:
    """Each message as the cue `refuses` reads it."""
    reader = wish_reader(refusal_settings())
    examples = []
    for each in written:
        words, signs = reader.said(in_plain_letters(Text(each.text, "user_input")).text)
        examples.append(as_example(each, words, [name for name, _, _ in signs]))
    return examples


def wish_reply_examples(written: Sequence[Written]) -> list[Example]:
    """Each reply as the cues `meets_danger` and `feeds_danger` read it beside a harmful wish."""
    reader = refusals_of(refusal_settings())
    texts = [(each, Text(each.text, "response")) for each in written]
    return [as_example(each, words_meant(text.pieces), reader.signs(text)) for each, text in texts]


def plain_examples(written: Sequence[Written]) -> list[Example]:
    """Each text by its words alone, as a cue reads it that has no rows among the signs."""
    return [as_example(each, words_meant(Text(each.text, "response").pieces), ()) for each in written]


def refusal_settings() -> RefusalSettings:
    return RefusalSettings.model_validate(load_rubric("companion-v3").cues["refuses"].settings)


def as_example(written: Written, words: Iterable[Said], signs: Iterable[str]) -> Example:
    names = frozenset(word for word, _, _ in words)
    return Example(written.author, written.group, written.positive, names, frozenset(signs))


def wishes_and_talk() -> list[Written]:
    """The wishes, and of the messages those that show no danger: what people say is mostly no wish for harm.

    Contempt of people is none either.
    """
    contempt = [replace(each, positive=False) for each in read_contempt()]
    return read_wishes() + [each for each in read_messages() if not each.positive] + contempt


def contempt_and_talk() -> list[Written]:
    """Contempt and strong words without it, and of the messages the everyday ones, which are neither."""
    return read_contempt() + [each for each in read_messages() if each.group == "everyday"]


def expertise_and_help() -> list[Written]:
    """What oversteps, and beside it the replies that help in danger, do as was asked, or understand."""
    right = [each for each in (*read_replies(), *read_understanding()) if each.positive]
    right += [each for each in read_wish_replies() if each.group.startswith("helps")]
    return read_expertise() + [replace(each, positive=False) for each in right]


TABLES = (
    Table(DANGER, read_messages, message_examples, 0.06, evens_length=True),
    Table(HELP, read_replies, reply_examples),
    Table(WISH, wishes_and_talk, wish_examples, 0.07, evens_length=True),
    Table(DECLINE, read_wish_replies, wish_reply_examples),
    Table(UNDERSTANDING, read_understanding, plain_examples),
    Table(EXPERTISE, expertise_and_help, plain_examples, 0.05),
    Table(CONTEMPT, contempt_and_talk, plain_examples, 0.07),
    Table(GOES_ALONG, read_contempt_replies, plain_examples),
)
