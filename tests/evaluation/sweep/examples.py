"""Settings of a sweep, read from plain numbers; what was said names the setting unless it is given."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from evaluation.comparison.runs import read_run
from evaluation.records import Cell, Exchange, Json, Reply, Result, Scenario, Score, Usage
from evaluation.suites.suite import Suite
from evaluation.summary.columns import Columns
from evaluation.sweep.effects import Setting, setting_name
from tests.evaluation.comparison.examples import example_suite, spec

METRICS = ("warmth", "clarity", "overall")
REPLY = Reply("An answer.", "stop", "model-a", {}, Usage(10, 5), 0.0, 1.0, cost_usd=0.001)


def suite() -> Suite:
    made = example_suite()
    return Suite(name="example", metrics=METRICS, overall="overall", low=0, high=1, play=made.play, score=made.score)


def setting(
    values: Mapping[str, Json],
    scores: Mapping[str, Sequence[float | None]],
    *,
    number: int,
    situations: Sequence[str] = (),
    repeats: int = 1,
    said: Sequence[str] = (),
) -> Setting:
    """`scores` are metric -> one value for each scenario and repeat, scenario by scenario; None was not scored."""
    count = len(next(iter(scores.values()))) // repeats
    scenarios = [
        Scenario(f"s{place:03d}", "talk", ("turn",), situations[place] if situations else "") for place in range(count)
    ]

    def results() -> Iterator[Result]:
        for place in range(count):
            for repeat in range(repeats):
                given = {metric: column[place * repeats + repeat] for metric, column in scores.items()}
                if None in given.values():
                    continue
                slot = place * repeats + repeat
                reply = replace(REPLY, text=said[slot] if said else f"Answer {number}.")
                exchange = Exchange(Cell(f"s{place:03d}", repeat + 1), 1, (), "turn", reply)
                found = tuple(Score(metric, "heuristic", value) for metric, value in given.items())
                yield Result(exchange, "scored", found)

    parameters = {"temperature": 0.7, **{name: value for name, value in values.items() if name != "model"}}
    model = str(values.get("model", "model-a"))
    run = read_run(
        results(),
        Columns(suite(), scenarios, repeats, ("heuristic",)),
        spec=spec(1, judge=None, parameters=parameters, model=model, repeats=repeats),
        run_id=f"run-{number}",
        name=setting_name(values),
    )
    return Setting(values, run)
