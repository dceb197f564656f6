"""Fit the weights of words by which cues see danger, help, harmful wishes, understanding, expertise and contempt.

How far they carry to other authors is counted by leaving authors out.

python -m benchmarks.fitted_words [--write]
"""

import argparse
from collections.abc import Sequence

from benchmarks.fitted_words.examples import TABLES
from benchmarks.fitted_words.fitting import (
    LeftOut,
    count_found,
    enough_for,
    find_slope,
    fit_weights,
    longer_for,
    score_left_out,
)
from benchmarks.fitted_words.table import write_table
from benchmarks.fitted_words.written import written_digest
from evaluation.metrics.cues.learnt import FEW

EVEN = 0.5


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="fitted_words", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the tables that the cues read")
    parser.add_argument("--table", choices=[table.name for table in TABLES], help="fit this one alone")
    options = parser.parse_args(arguments)
    for table in TABLES:
        if options.table not in (None, table.name):
            continue
        written = table.read()
        examples = table.as_examples(written)
        scored = score_left_out(examples)
        slope = find_slope(scored)
        enough, longer = EVEN, 0.0
        if table.most_alarms is not None:
            if table.evens_length:
                longer = longer_for(scored, enough_for(scored, table.most_alarms, slope), slope)
            enough = enough_for(scored, table.most_alarms, slope, longer)
        print_counts(table.name, scored, enough, slope, longer)
        if options.write:
            write_table(table.name, fit_weights(examples, enough, slope, longer), written_digest(written))


def print_counts(name: str, scored: Sequence[LeftOut], enough: float, slope: float, longer: float) -> None:
    """How many texts count as one of the side that is found, by weights that were fitted without their author."""
    authors = len({each.example.author for each in scored})
    print(f"{name}: {len(scored)} texts of {authors} authors, each by the weights of the others")
    print(f"  log-odds times {slope:g}; from a probability of {enough:g} on a text is of that side")
    if longer:
        print(f"  {longer:g} for each {FEW} words, pairs of words and signs beyond {FEW}")
    counts = count_found(scored, enough, slope, longer)
    for side in (True, False):
        of_side = {group: count for (positive, group), count in counts.items() if positive is side}
        print(f"  {'of that side' if side else 'of the other':18} {'found':>5}    of")
        for group, (texts, found) in of_side.items():
            print(f"  {group:18} {found:5} {texts:5}")
        print(f"  {'all':18} {sum(found for _, found in of_side.values()):5} {sum(n for n, _ in of_side.values()):5}")
    both = {each.example.author for each in scored if each.example.positive}
    alone = {each.example.author for each in scored} - both
    if alone:
        own = count_found([each for each in scored if each.example.author in alone], enough, slope, longer).values()
        print(f"  {'of them by':18} {sum(found for _, found in own):5} {sum(n for n, _ in own):5}", end="")
        print(f"  {len(alone)} who wrote for this side alone")


if __name__ == "__main__":
    main()
