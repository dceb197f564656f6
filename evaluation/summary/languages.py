"""A run by language: how many responses are in which, which are in another than was asked, and means side by side.

The language of a scenario is the one that it names, or else that of most of its responses. Two languages are compared
over the situations that stand in both.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from evaluation.languages.known_by import UNKNOWN, name_of
from evaluation.languages.packs import pack_of
from evaluation.records import CallFailure, Json, Result, Scenario
from evaluation.suites.suite import Suite
from evaluation.summary.groups import PairedGroups
from evaluation.summary.metric import MetricTable, table_json

MOST_NAMED = 20
"""Responses in another language than was asked that are named, the first in the order of the plan."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A response in another language than it is wanted in."""

    scenario_id: str
    repeat: int
    turn: int
    wanted: str
    reply: str


@dataclass(frozen=True, slots=True)
class LanguageSummary:
    """The languages of a run's responses."""

    responses: Mapping[str, int]
    """Language by whose pack they were scored -> how many, most first."""
    compared: int
    """Responses whose language and that of their message are both known, no translation being asked for."""
    mismatches: int
    """Of these, in another language."""
    named: tuple[Mismatch, ...]
    """The first of them."""
    by_language: Mapping[str, MetricTable] = field(default_factory=dict)
    """Means of the scenarios of each; empty with one language."""
    paired: tuple[PairedGroups, ...] = ()

    @property
    def not_reviewed(self) -> tuple[str, ...]:
        """Names of the languages whose packs were used and no native speaker reviewed."""
        packs = (pack_of(language) for language in self.responses)
        return tuple(pack.name for pack in packs if pack is not None and not pack.is_reviewed)

    @property
    def without_pack(self) -> Mapping[str, int]:
        """Languages without a pack -> how many responses."""
        return {each: count for each, count in self.responses.items() if pack_of(each) is None}

    def to_json(self) -> dict[str, Json]:
        """The entries of summary.json."""
        return {
            "languages": {
                "responses": dict(self.responses),
                "compared": self.compared,
                "mismatches": self.mismatches,
                "named": [asdict(each) for each in self.named],
                "not_reviewed": list(self.not_reviewed),
                "without_pack": dict(self.without_pack),
            },
            "by_language": {language: table_json(table) for language, table in self.by_language.items()},
            "languages_paired": [asdict(pair) for pair in self.paired],
        }


def language_title(language: str) -> str:
    """A language as a report names it."""
    return "unknown" if language == UNKNOWN else name_of(language)


class LanguageTally:
    """Counts the languages of responses; what it says does not depend on the order in which they came."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._of_scenario: dict[str, Counter[str]] = {}
        self._mismatches: list[tuple[int, Mismatch]] = []
        self._responses: Counter[str] = Counter()
        self._compared = 0

    def add(self, result: Result, slot: int) -> None:
        """Takes in a result, which stands at a place in the plan."""
        exchange = result.exchange
        if result.scope != "response" or isinstance(exchange.outcome, CallFailure):
            return
        found = self._suite.spoken_in(exchange)
        if found is None:
            return
        cell = exchange.cell
        self._responses[found.scored] += 1
        self._of_scenario.setdefault(cell.scenario_id, Counter())[found.scored] += 1
        self._compared += found.matches is not None
        if found.matches is False:
            wanted = found.named or found.message
            mismatch = Mismatch(cell.scenario_id, cell.repeat, exchange.turn, wanted, found.reply)
            self._mismatches.append((slot, mismatch))

    def places(self, scenarios: Sequence[Scenario]) -> dict[str, list[int]]:
        """Language -> places of its scenarios in the plan, the language of most scenarios first."""
        found: dict[str, list[int]] = {}
        for place, scenario in enumerate(scenarios):
            met = self._of_scenario.get(scenario.id, Counter())
            likely = sorted(met, key=lambda each: (-met[each], each))
            if language := scenario.answer_language or (likely[0] if likely else ""):
                found.setdefault(language, []).append(place)
        return dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0])))

    def measure(
        self, by_language: Mapping[str, MetricTable], paired: tuple[PairedGroups, ...]
    ) -> LanguageSummary | None:
        """The figures; None where all is in the rubric's own language, and no answer in another."""
        if not self._mismatches and set(self._responses) <= {self._suite.language}:
            return None
        ordered = sorted(self._responses.items(), key=lambda item: (-item[1], item[0]))
        named = [each for _, each in sorted(self._mismatches, key=lambda item: item[0])]
        return LanguageSummary(
            responses=dict(ordered),
            compared=self._compared,
            mismatches=len(named),
            named=tuple(named[:MOST_NAMED]),
            by_language=by_language,
            paired=paired,
        )
