"""The rate of false alarms in unchanged nights: simulated months, each with a baseline and a system of its own.

The process is that of tests/evaluation/nightly/test_alarm_rate.py. The seeds are none of those under which the level of
the alarm was chosen.
"""

import argparse
import sys
from collections import Counter
from statistics import fmean, stdev

from evaluation.comparison.gate import RegressionRules
from tests.evaluation.nightly.test_alarm_rate import NIGHTS, RULES, TINY, Months, alarms

SEED = 70_000
MONTHS = 100
SITUATIONS = (12, 20, 40, 150)


def counted(situations: int, months: int, seed: int, rules: RegressionRules) -> list[int]:
    """Alarms of each month; months are independent of one another, the nights of one share its baseline."""
    drawn = (Months(situations, seed + 1_000 * situations + number) for number in range(months))
    return [alarms(month, month.run(), NIGHTS, rules) for month in drawn]


def described(name: str, counts: list[int]) -> str:
    error = 1.96 * stdev(counts) / len(counts) ** 0.5
    shape = ", ".join(f"{months} with {number}" for number, months in sorted(Counter(counts).items()))
    return f"{name:<24} {fmean(counts):.3f} +- {error:.3f} alarms in {NIGHTS} nights; months: {shape}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="night_alarms", description=__doc__)
    parser.add_argument("--seed", type=int, default=SEED, help=f"of the first month (default {SEED})")
    parser.add_argument("--months", type=int, default=MONTHS, help=f"for each number of situations (default {MONTHS})")
    options = parser.parse_args()
    for title, rules in (("the whole rule", RULES), ("the tests and the noise floor alone", TINY)):
        print(title)
        together: list[int] = []
        for situations in SITUATIONS:
            counts = counted(situations, options.months, options.seed, rules)
            together += counts
            print(described(f"  {situations} situations", counts))
            sys.stdout.flush()
        print(described("  together", together))


if __name__ == "__main__":
    main()
