"""The exchanges as the page's script reads them: compact, each text once, values in the order of their columns.

    data    {"sides": [...], "scenarios": [...], "columns": {source: [metric, ...]}, "texts": [...], "rows": [row, ...],
             "items": [[id, kind, text, critical], ...]}
    row     [scenario, repeat, turn, [entry or null for each side]]
    entry   {"s": state, "c": [[role, text], ...], "i": text, "r": text, "d": deciding value,
             "g": gap of rules and judge, "v": {source: [value, ...]},
             "w": {source: [text or -1, ...]}, "n": [metric, ...] not applicable,
             "u": {source: {metric: value or null}} what the means count where it is not the value shown,
             "j": verdict, "e": error, "m": how it was answered, "o": [category, ...] moderated, "x": trace,
             "p": [[label, text], ...] parts of the response, "k": [answer, ...] to expectations,
             "h": digest of its content, which a person's judgement is bound to; of one run or two}
    answer  [item, "h" holds, "f" fails or "n" not shown, source, quote or -1, turn of the quote, reason or -1,
             one letter for each answer of the judge]

Texts are numbers into `texts`, scenarios and items numbers into `scenarios` and `items`; what is empty is left out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from evaluation.expectations.human import content_digest
from evaluation.records import Expectation, Json, Outcome, Reply, Result, Scenario, Source, ToolCall, Verdict
from evaluation.result_line import failed_stage
from evaluation.suites.suite import Suite
from evaluation.summary.columns import Key, is_value
from evaluation.summary.disagreement import disagreement

LONGEST = 10_000
"""Characters of one text."""
ROOM = 12_000_000
"""Characters of all texts together; from there on each is cut to `SHORT`."""
SHORT = 300
RULES: tuple[Source, ...] = ("heuristic", "check", "human")
"""Sources whose explanation belongs to the single value; a verdict is stated once."""
DECIMALS = 10
LETTERS: Mapping[Outcome, str] = {"holds": "h", "fails": "f", "not_shown": "n"}

MOST_JUDGED = 2
"""Runs of a page in which people judge: one response, or one against another."""

Position = tuple[str, int, int]
"""Scenario id, repeat, turn."""


@dataclass(slots=True)
class Texts:
    """Texts by number, each once; long ones cut, with a word on what is missing."""

    texts: list[str] = field(default_factory=list)
    _places: dict[str, int] = field(default_factory=dict)
    _size: int = 0

    def add(self, text: str) -> int:
        limit = LONGEST if self._size < ROOM else SHORT
        if len(text) > limit:
            text = f"{text[:limit]}… [{len(text) - limit:,} more characters]"
        place = self._places.get(text)
        if place is None:
            place = self._places[text] = len(self.texts)
            self.texts.append(text)
            self._size += len(text)
        return place


@dataclass(slots=True)
class Book:
    """Collects the rows of one page, side by side."""

    suite: Suite
    source: Source
    columns: Mapping[Source, Sequence[str]]
    """Source -> its metrics: the order of the values."""
    plans: Sequence[Sequence[Scenario]]
    """The scenarios of each side, in their order."""
    texts: Texts = field(default_factory=Texts)
    _rows: dict[Position, list[Json]] = field(default_factory=dict)
    _items: dict[tuple[str, str, str, bool], int] = field(default_factory=dict)
    """Id, kind, question and critical of each expectation that was answered -> its number."""

    _expected: list[dict[str, dict[tuple[str, int], Expectation]]] = field(default_factory=list)
    """Of each side, by scenario id, and by id and turn."""
    _audiences: list[dict[str, str]] = field(default_factory=list)
    """Of each side, by scenario id."""

    def __post_init__(self) -> None:
        self._expected = [
            {each.id: {(item.id, item.turn): item for item in each.expect} for each in plan} for plan in self.plans
        ]
        self._audiences = [{each.id: each.audience for each in plan} for plan in self.plans]

    def add(self, side: int, result: Result, deciding: float, counted: Mapping[Key, float], trace: str = "") -> None:
        """Takes in one result. `deciding` is the value that decides, `counted` what all means count; or marks."""
        exchange = result.exchange
        position = (exchange.cell.scenario_id, exchange.cell.repeat, exchange.turn)
        entries = self._rows.setdefault(position, [None] * len(self.plans))
        held = self._held(result, self._expected[side][position[0]] if result.expectations else {})
        entry = self._entry(result, deciding, counted, trace, held)
        if isinstance(exchange.outcome, Reply) and len(self.plans) <= MOST_JUDGED:
            entry["h"] = content_digest(self.suite.describe(exchange), self._audiences[side][position[0]])
        entries[side] = entry

    def to_json(self) -> dict[str, Json]:
        """The data: rows in plan order, and of the scenarios those that have one."""
        played = {place[0] for place in self._rows}
        used: dict[str, Scenario] = {}
        for scenario in chain.from_iterable(self.plans):
            if scenario.id in played:
                used.setdefault(scenario.id, scenario)
        number = {name: place for place, name in enumerate(used)}
        ordered = sorted(self._rows.items(), key=lambda item: (number[item[0][0]], *item[0][1:]))
        return {
            "suite": self.suite.name,
            "overall": self.suite.overall,
            "source": self.source,
            "columns": {source: list(metrics) for source, metrics in self.columns.items()},
            "scenarios": list(map(self._scenario, used.values())),
            "items": [[name, kind, self.texts.add(asked), critical] for name, kind, asked, critical in self._items],
            "texts": self.texts.texts,
            "rows": [[number[place[0]], place[1], place[2], entries] for place, entries in ordered],
        }

    def _scenario(self, scenario: Scenario) -> Json:
        return {
            "id": scenario.id,
            "situation": scenario.cluster,
            "category": scenario.category,
            "audience": scenario.audience,
            "tags": list(scenario.tags),
            "note": self.texts.add(scenario.note),
            "turns": len(scenario.turns),
        }

    def _entry(
        self, result: Result, deciding: float, counted: Mapping[Key, float], trace: str, held: Json
    ) -> dict[str, Json]:
        exchange = result.exchange
        differing = disagreement(result, self.suite)
        idle = sorted({score.metric for score in result.scores if not score.applicable})
        entry: dict[str, Json] = {
            "s": result.state,
            "c": [
                [turn.role, self.texts.add(turn.content), *self._calls(turn.tool_calls)] for turn in exchange.context
            ],
            "i": self.texts.add(exchange.user_input),
            "d": round(deciding, DECIMALS) if is_value(deciding) else None,
            "g": None if differing is None else round(differing.gap, DECIMALS),
            "v": self._values(result),
            "w": self._words(result),
            "n": idle,
            "u": self._otherwise_counted(result, idle, counted),
            "j": None if result.verdict is None else self._verdict(result.verdict),
            "e": self._error(result),
            "o": list(exchange.moderation),
            "k": held,
            "x": trace,
        }
        if isinstance(exchange.outcome, Reply):
            entry["r"] = self.texts.add(exchange.response)
            entry["a"] = None if exchange.words is None else self.texts.add(exchange.outcome.text)
            entry["t"] = self._calls(exchange.tool_calls)
            entry["m"] = self._reply_figures(exchange.outcome)
            parts = self.suite.show(exchange) if self.suite.show is not None else ()
            entry["p"] = [[label, self.texts.add(text)] for label, text in parts]
        return {name: value for name, value in entry.items() if value not in (None, [], {}, "")}

    def _calls(self, calls: Sequence[ToolCall]) -> list[Json]:
        """Calls of tools: name, arguments, and what came back where anything did."""
        return [
            [call.name, self.texts.add(call.arguments), -1 if call.result is None else self.texts.add(call.result)]
            for call in calls
        ]

    def _values(self, result: Result) -> Json:
        found = {(score.source, score.metric): score.value for score in result.scores}
        return {
            source: [_round(found.get((source, metric))) for metric in metrics]
            for source, metrics in self.columns.items()
            if any(key[0] == source for key in found)
        }

    def _otherwise_counted(self, result: Result, idle: Sequence[str], counted: Mapping[Key, float]) -> Json:
        """What the means count where it is not the value shown: the stand-in of an unread verdict, or nothing."""
        shown = {(each.source, each.metric): each.value for each in result.scores if each.metric not in idle}
        found: dict[str, dict[str, Json]] = {}
        for (source, metric), value in counted.items():
            means = value if is_value(value) else None
            if shown.get((source, metric)) != means:
                found.setdefault(source, {})[metric] = _round(means)
        return {**found}

    def _words(self, result: Result) -> Json:
        """The arithmetic of the rules, and the reasons of whatever has no value."""
        said: dict[tuple[Source, str], str] = {}
        for score in result.scores:
            text = score.reason if score.value is None else score.explanation if score.source in RULES else ""
            if text:
                said[score.source, score.metric] = text
        return {
            source: [self.texts.add(said[source, metric]) if (source, metric) in said else -1 for metric in metrics]
            for source, metrics in self.columns.items()
            if any(key[0] == source for key in said)
        }

    def _held(self, result: Result, expected: Mapping[tuple[str, int], Expectation]) -> Json:
        """The answers to expectations, in their order."""
        turn = result.exchange.turn
        return [
            [
                self._item(expected.get((answer.id, turn)) or expected[answer.id, 0]),
                LETTERS[answer.outcome],
                answer.source,
                self.texts.add(answer.quote) if answer.quote else -1,
                answer.turn,
                self.texts.add(answer.reason) if answer.reason else -1,
                "".join(LETTERS[each] for each in answer.answers),
            ]
            for answer in result.expectations
        ]

    def _item(self, item: Expectation) -> int:
        return self._items.setdefault((item.id, item.kind, item.question, item.critical), len(self._items))

    def _verdict(self, verdict: Verdict) -> Json:
        about: dict[str, Json] = {
            "model": verdict.model,
            "words": self.texts.add(verdict.reasoning),
            "parsed": verdict.parsed,
            "injection": verdict.injection_suspected,
            "review": list(verdict.review),
        }
        if len(verdict.samples) > 1:
            about |= {"samples": list(map(_round, verdict.samples)), "spread": dict(verdict.spread)}
        if verdict.given_overall is not None:
            about["given"] = _round(verdict.given_overall)
        if not verdict.parsed:
            about |= {"problem": verdict.problem, "raw": self.texts.add(verdict.raw), "fallback": verdict.fallback}
        return about

    def _reply_figures(self, reply: Reply) -> Json:
        about: dict[str, Json] = {
            "model": reply.model,
            "finish": reply.finish_reason,
            "ms": round(reply.latency_ms),
            "in": reply.usage.input_tokens,
            "out": reply.usage.output_tokens,
            "usd": None if reply.cost_usd is None else round(reply.cost_usd, 6),
        }
        # Most replies came at once and were paid for by their own run: to say so of each would make pages longer.
        if reply.attempts != 1:
            about["attempts"] = reply.attempts
        if reply.cached:
            about["cached"] = True
        return about

    def _error(self, result: Result) -> Json:
        error = result.error
        if error is None:
            return None
        return {
            "stage": failed_stage(result, error),
            "kind": error.kind,
            "message": self.texts.add(error.message),
            "attempts": error.attempts,
        }


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, DECIMALS)
