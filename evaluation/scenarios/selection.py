"""The choice of scenarios from a set, and the pin of the set."""

from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from itertools import chain, zip_longest

from evaluation.errors import UsageError
from evaluation.records import Scenario
from evaluation.runspec import TextPin, canonical_json, digest
from evaluation.scenarios.tool_results import tools_to_json

MOST_LISTED = 20
"""So many values are shown where none of them is the one that was asked for."""


def select_scenarios(
    scenarios: Sequence[Scenario],
    *,
    categories: Collection[str] = (),
    tags: Collection[str] = (),
    limit: int | None = None,
    only: Collection[str] = (),
) -> tuple[Scenario, ...]:
    """The scenarios of any of the categories and with any of the tags, in their own order; empty means all.

    `limit` takes that many in turn from each category, so that few still cover all. The choice is the same every time.
    `only` names the ids that may remain of these. Raises UsageError for an unknown category, tag or id, a limit below
    1, and when nothing is left.
    """
    _check_known("id", only, [scenario.id for scenario in scenarios])
    _check_known("category", categories, [scenario.category for scenario in scenarios])
    _check_known("tag", tags, chain.from_iterable(scenario.tags for scenario in scenarios))
    chosen = tuple(
        scenario
        for scenario in scenarios
        if (not categories or scenario.category in categories) and (not tags or set(tags) & set(scenario.tags))
    )
    if limit is not None and limit < 1:
        raise UsageError(f"limit is {limit}: give 1 or more, or leave it out")
    kept = {scenario.id for scenario in _in_turn(chosen)[:limit]}
    kept &= set(only) or kept
    if not kept:
        wanted = ", ".join([*categories, *tags, *only]) or "the set"
        raise UsageError(f"no scenario is left of {wanted}: ask for fewer restrictions or add scenarios")
    return tuple(scenario for scenario in chosen if scenario.id in kept)


def scenarios_digest(scenarios: Iterable[Scenario]) -> str:
    """SHA-256 of what is asked, what tools answer and what the judge reads.

    The order and the tags do not change what is measured.
    """
    parts = (
        canonical_json(
            [
                scenario.id,
                scenario.category,
                list(scenario.turns),
                scenario.cluster,
                scenario.audience,
                scenario.note,
                [[turn.role, turn.content] for turn in scenario.history],
                dict(scenario.data),
                *([tools_to_json(scenario.tools)] if scenario.tools else []),
                *([[scenario.lang, scenario.reply_lang]] if scenario.answer_language else []),
            ]
        )
        for scenario in sorted(scenarios, key=lambda scenario: scenario.id)
    )
    return digest(f"[{','.join(parts)}]")


def scenarios_pin(name: str, scenarios: Sequence[Scenario]) -> TextPin:
    """The pin of a run's scenario set: name, size and digest."""
    return TextPin(name=name, version=str(len(scenarios)), sha256=scenarios_digest(scenarios))


def _check_known(kind: str, wanted: Collection[str], existing: Iterable[str]) -> None:
    known = sorted(set(existing))
    for name in wanted:
        if name in known:
            continue
        if len(known) <= MOST_LISTED:
            raise UsageError(f"no scenario has the {kind} {name!r}; there are {', '.join(known) or 'none'}: choose one")
        near = get_close_matches(name, known, 3, 0.5) or [other for other in known if name and name in other][:3]
        hint = f"did you mean {' or '.join(near)}? " if near else ""
        raise UsageError(
            f"no scenario has the {kind} {name!r}: {hint}there are {len(known)}, listed in the scenarios' files "
            "(those of the shipped ones in docs/scenarios.md too)"
        )


def _in_turn(scenarios: Sequence[Scenario]) -> list[Scenario]:
    """The first of each category, then the second of each, and so on."""
    by_category: dict[str, list[Scenario]] = {}
    for scenario in scenarios:
        by_category.setdefault(scenario.category, []).append(scenario)
    rounds = zip_longest(*by_category.values())
    return [scenario for scenario in chain.from_iterable(rounds) if scenario is not None]
