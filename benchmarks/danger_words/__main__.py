"""Fit the weights of words by which hinted danger and help are seen, and count how far they carry to other authors.

python -m benchmarks.danger_words [--write]
"""

import argparse
from collections.abc import Sequence

from benchmarks.danger_words.fitting import (
    Example,
    LeftOut,
    count_found,
    enough_for,
    find_slope,
    fit_weights,
    score_left_out,
)
from benchmarks.danger_words.table import write_table
from benchmarks.danger_words.written import Written, read_messages, read_replies, written_digest
from evaluation.metrics.cues.danger import DangerSettings, DangerSigns
from evaluation.metrics.cues.danger_reply import HELP, TakesUpSettings, answer_reader
from evaluation.metrics.cues.learnt import words_meant
from evaluation.metrics.cues.signs import DANGER
from evaluation.metrics.utterance import Text, Utterance
from scripts.run.load import load_rubric

MOST_ALARMS = 0.07
"""Of the harmless messages of authors left out, the share that may be taken for danger."""
EVEN = 0.5


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="danger_words", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the tables that the cues read")
    options = parser.parse_args(arguments)
    messages, replies = read_messages(), read_replies()
    for name, written, examples in (
        (DANGER, messages, message_examples(messages)),
        (HELP, replies, reply_examples(replies)),
    ):
        scored = score_left_out(examples)
        slope = find_slope(scored)
        enough = enough_for(scored, MOST_ALARMS, slope) if name == DANGER else EVEN
        print_counts(name, scored, enough, slope)
        if options.write:
            write_table(name, fit_weights(examples, enough, slope), written_digest(written))


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


def print_counts(name: str, scored: Sequence[LeftOut], enough: float, slope: float) -> None:
    """How many texts count as one of the side that is found, by weights that were fitted without their author."""
    authors = len({each.example.author for each in scored})
    print(f"{name}: {len(scored)} texts of {authors} authors, each by the weights of the others")
    print(f"  log-odds times {slope:g}; from a probability of {enough:g} on a text is of that side")
    counts = count_found(scored, enough, slope)
    for side in (True, False):
        of_side = {group: count for (positive, group), count in counts.items() if positive is side}
        print(f"  {'of that side' if side else 'of the other':18} {'found':>5}    of")
        for group, (texts, found) in of_side.items():
            print(f"  {group:18} {found:5} {texts:5}")
        print(f"  {'all':18} {sum(found for _, found in of_side.values()):5} {sum(n for n, _ in of_side.values()):5}")
    both = {each.example.author for each in scored if each.example.positive}
    for author in sorted({each.example.author for each in scored} - both):
        own = count_found([each for each in scored if each.example.author == author], enough, slope).values()
        print(f"  {author:18} {sum(found for _, found in own):5} {sum(n for n, _ in own):5}  wrote for this side alone")


if __name__ == "__main__":
    main()
