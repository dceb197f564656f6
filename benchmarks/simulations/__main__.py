"""Prints the simulated tables of the documents in Markdown, each with its seed and standard error."""

import argparse
from collections.abc import Callable, Mapping

from benchmarks.simulations.ab import read_ab_tests
from benchmarks.simulations.bridges import carried_baselines
from benchmarks.simulations.checks import detectable_falls
from benchmarks.simulations.compared_bridges import compared_through_bridges
from benchmarks.simulations.comparisons import whole_comparisons
from benchmarks.simulations.formulas import detectable_differences, situations_for, situations_of_gate
from benchmarks.simulations.gates import false_passes, gaps, opening, uneven
from benchmarks.simulations.judges import checked_judges
from benchmarks.simulations.labels import corrected_means
from benchmarks.simulations.means import covered_means
from benchmarks.simulations.pairs import checked_pair_judges, covered_pairs
from benchmarks.simulations.search import search_false_passes
from benchmarks.simulations.tables import Draws, Table

TABLES: Mapping[str, Callable[[Draws], Table]] = {
    "means": covered_means,
    "comparisons": whole_comparisons,
    "detectable": detectable_differences,
    "situations": situations_for,
    "checks": detectable_falls,
    "falls": false_passes,
    "needed": situations_of_gate,
    "opening": opening,
    "uneven": uneven,
    "gaps": gaps,
    "judges": checked_judges,
    "labels": corrected_means,
    "bridges": carried_baselines,
    "compared-bridges": compared_through_bridges,
    "pairs": covered_pairs,
    "pair-judges": checked_pair_judges,
    "ab": read_ab_tests,
    "search": search_false_passes,
}
SEED = 1


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="simulate", description=__doc__)
    parser.add_argument("--seed", type=int, default=SEED, help=f"of all draws (default {SEED})")
    parser.add_argument("--trials", type=_positive, help="for each cell (default: each table's own)")
    parser.add_argument("--only", choices=tuple(TABLES), help="one table alone")
    parser.add_argument("--search", action="store_true", help="the search for the worst process alone: --only search")
    options = parser.parse_args(arguments)
    draws = Draws(options.seed, options.trials)
    chosen = ["search"] if options.search else [options.only] if options.only else list(TABLES)
    for name in chosen:
        print(TABLES[name](draws).markdown(), end="\n\n", flush=True)


def _positive(text: str) -> int:
    number = int(text)
    if number < 2:
        raise argparse.ArgumentTypeError(f"{text}: at least 2 trials")
    return number


if __name__ == "__main__":
    main()
