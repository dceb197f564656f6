"""What the checks say of the probes: a table, and with --misses each line of which they are wrong."""

import argparse

from evaluation.food.reading_tables import shipped_lexicon
from tests.food_probes.probes import HALVES, inspect, read_probes, said_of
from tests.food_probes.table import table_text, write_table


def main() -> None:
    parser = argparse.ArgumentParser(prog="make food-table", description=__doc__)
    parser.add_argument(
        "--misses", action="store_true", help="name each probe of the open half that is answered wrongly"
    )
    parser.add_argument("--write", action="store_true", help="write the table into docs/checks.md")
    given = parser.parse_args()
    lexicon = shipped_lexicon()
    if given.misses:
        for probe in read_probes(HALVES[0]):
            said = said_of(probe, lexicon)
            if said != probe.truth:
                found = inspect(probe, lexicon)
                print(f"{probe.group:10} {probe.language:8} {probe.truth:9} -> {said:9} {probe.text}")
                print(f"{'':30} {'; '.join((*found.violated, *found.not_known))[:200]}")
    print(table_text())
    if given.write:
        write_table()


if __name__ == "__main__":
    main()
