"""The format in which a judge answers: found by asking it, and kept in mind for later runs."""

import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from evaluation.errors import UsageError
from evaluation.judging.asking import FORMATS, JudgeFormat, JudgeRubric
from evaluation.judging.forms import REASONED, Form, form_called
from evaluation.judging.judge import Judge
from evaluation.judging.reading import ReadVerdict
from evaluation.records import CallFailure, Cell, Exchange, Json, Reply, Request, Usage
from evaluation.runspec import JudgePin, digest
from scripts.shell import note
from services.journal import Journal
from services.model.call_forms import FORMATS as REFUSED_FORMATS
from services.model.endpoint import Endpoint
from services.model.errors import one_line

REFUSED = {"schema": REFUSED_FORMATS["json_schema"], "json": REFUSED_FORMATS["json_object"]}
"""Format -> the trait of models that refuse it."""
WORKS, UNREADABLE = "verdicts", "unreadable"
"""Begin the traits of models whose answers in a format could be read, and could not."""
SERVED = "served_as@"
"""Begins the traits that say who answered when a format was found out, by model and build."""
REMEMBERED_FOR_S = 86_400.0
"""Seconds for which nothing is asked of a format again, whether it worked, was refused or could not be read: a server
that was upgraded or mended is found out a day later."""
PERHAPS_FOR_ITS_FORM = frozenset({"rejected", "server_error", "malformed"})
"""Kinds of failure behind which a refused form may hide: servers say it in many ways, or answer with a tool call."""
TRIES = 2
"""An answer that cannot be read may be bad luck once."""
QUOTED = 60
"""Characters of an answer that a message quotes."""
PROBE = Exchange(
    Cell("judge-format", 1),
    1,
    (),
    "Hi, I had a long day at work.",
    Reply("That sounds tiring. What made it so long?", "stop", "", {}, Usage(), 0.0, 0.0),
)
Keep: TypeAlias = Callable[[Request, Reply], Awaitable[Reply]]
"""Commits a question to the judge and its answer, and gives the answer as it was stored: without secrets."""
Say: TypeAlias = Callable[[str, str], object]
"""Hears the judge's model, and why it answers in a lesser form."""


async def find_judge_format(
    asked: str,
    model: str,
    rubric: JudgeRubric,
    endpoint: Endpoint,
    *,
    form: str = REASONED.name,
    keep: Keep | None = None,
    say: Say = lambda _model, why: note(why),
    dry: bool = False,
    most_calls: int | None = None,
) -> JudgeFormat:
    """The format in which the judge will answer the whole run. Each answer that was paid for it is kept at once.

    `asked` is schema, json, text, which are taken without a question, or auto: the best one that the endpoint accepts
    and that the model answers readably; `say` hears why a better one was not readable. What is known of the model is
    not asked again; with `dry` nothing is asked, and the best that may work is named. With `most_calls` each format is
    asked once at most, and so many in all.
    Raises UsageError when the endpoint gives no answer at all, or none that can be read in any form; CallsSpent when no
    format was found within `most_calls`.
    """
    if asked in FORMATS:
        return next(each for each in FORMATS if each == asked)
    if asked != "auto":
        raise UsageError(f"--judge-format {asked!r} is unknown: there are auto, {', '.join(FORMATS)}")
    search = _Search(model, rubric, form_called(form), endpoint, keep, most_calls)
    found = await search.best_format(dry=dry)
    if search.unread and not dry:
        say(model, search.why_not_better(found))
    return found


class CallsSpent(UsageError):
    """A judge's format was not found within the calls that were allowed; formats are left that may work."""


def _passes(trait: str) -> bool:
    """True for a trait of a format, which an upgrade of the server may change."""
    return trait.startswith((WORKS, UNREADABLE, SERVED)) or trait in REFUSED.values()


def trait_value(trait: str) -> Json:
    """What is stored of a trait: the time, in seconds since the epoch, of one that passes; true for any other."""
    return time.time() if _passes(trait) else True


def still_holds(trait: str, value: Json) -> bool:
    """True for a stored trait that is kept for good, or whose time is known and not over."""
    return not _passes(trait) or (isinstance(value, float) and 0 <= time.time() - value < REMEMBERED_FOR_S)


def forget_formats(models: Iterable[str], given_up: str | None, journal: Journal, endpoint: Endpoint) -> None:
    """Forgets what is remembered of a judge's formats where its answers say that this is of the past.

    That is where another model or build answered than when they were found out, and where the judge was given up
    (`given_up`). The next run then asks for them again.
    """
    for model in set(models):
        known, served = endpoint.traits.get(model, set()), _served(model, endpoint)
        before = {trait for trait in known if trait.startswith(SERVED)}
        if model == given_up or (before and served - before):
            for trait in {trait for trait in known if _passes(trait)} - before:
                known.discard(trait)
                journal.learn_trait(endpoint.identity, model, trait, 0.0)
            for server in served:
                endpoint.learn(model, server)


def _served(model: str, endpoint: Endpoint) -> set[str]:
    return {f"{SERVED}{digest(name)[:8]}" for name in endpoint.served.get(model, ())}


@dataclass(slots=True)
class _Search:
    """Asks one judge in one format after another, the best first."""

    model: str
    rubric: JudgeRubric
    form: Form
    endpoint: Endpoint
    keep: Keep | None
    most_calls: int | None
    calls: int = 0
    refused: dict[JudgeFormat, str] = field(default_factory=dict)
    """Format -> what the endpoint said in the place of an answer."""
    unread: dict[JudgeFormat, str] = field(default_factory=dict)
    """Format -> why the answers in it could not be read."""
    quotes: dict[JudgeFormat, str] = field(default_factory=dict)
    """Format -> the beginning of an answer that could not be read."""

    async def best_format(self, *, dry: bool) -> JudgeFormat:
        asked: list[JudgeFormat] = []
        for kind in FORMATS:
            if self._is_known_to_fail(kind):
                continue
            if dry or self.endpoint.knows(self.model, self._trait(WORKS, kind)):
                return kind
            if self.calls == self.most_calls:
                raise CallsSpent(self._why_not_yet(asked))
            asked.append(kind)
            if await self._is_readable(kind):
                self._learn(kind, asked)
                return kind
        prompt = f"let its prompt ask for numbers from {self.rubric.low:g} to {self.rubric.high:g}, "
        raise self._refusal(
            f"no answer of judge {self.model!r} could be read in any format: {prompt * bool(self.rubric.prompt)}name "
            "another with --judge-model or EVAL_JUDGE_MODEL, leave it out with --no-judge, or take a format as it is "
            "with --judge-format"
        )

    def why_not_better(self, kind: JudgeFormat) -> str:
        """One line on the formats that are not taken because nobody could read them."""
        formats: dict[str, list[str]] = {}
        for better, problem in self.unread.items():
            formats.setdefault(problem, []).append(better)
        unread = [f"answers in {' and '.join(names)} could not be read: {why}" for why, names in formats.items()]
        less = "" if kind != "text" or not self.form.in_template else " and gives no scores per dimension"
        return f"judge {self.model!r}: {'; '.join(unread)}; the judge answers in {kind}{less}"

    def _why_not_yet(self, asked: Sequence[JudgeFormat]) -> str:
        problems = {kind: f"refused: {said}" for kind, said in self.refused.items()} | self.unread
        said = "; ".join(f"{kind}: {problems[kind]}{self.quotes.get(kind, '')}" for kind in asked if kind in problems)
        return f"judge {self.model!r} gave no readable verdict yet ({said})"

    def _refusal(self, why: str) -> UsageError:
        """What ends the command; where an answer could not be read, a note on each format stands before it."""
        problems = {kind: f"refused: {said}" for kind, said in self.refused.items()} | self.unread
        for kind in FORMATS if self.unread else ():
            if kind in problems:
                note(f"judge {self.model!r} in {kind}: {problems[kind]}{self.quotes.get(kind, '')}")
        return UsageError(why)

    def _is_known_to_fail(self, kind: JudgeFormat) -> bool:
        if kind in REFUSED and self.endpoint.knows(self.model, REFUSED[kind]):
            self.refused[kind] = "the endpoint does not take this format"
        elif self.endpoint.knows(self.model, self._trait(UNREADABLE, kind)):
            self.unread[kind] = "this was found less than a day ago"
        else:
            return False
        return True

    async def _is_readable(self, kind: JudgeFormat) -> bool:
        """Raises UsageError where it is not the format that keeps the endpoint from answering."""
        outcome = await self._ask(kind)
        if isinstance(outcome, CallFailure):
            self.refused[kind] = outcome.message
            by_name = kind in REFUSED and self.endpoint.knows(self.model, REFUSED[kind])
            if not by_name and (kind == "text" or outcome.kind not in PERHAPS_FOR_ITS_FORM):
                raise self._refusal(_no_answer(self.model, outcome))
            return False
        read, said = outcome
        if read.problem:
            self.unread[kind] = one_line(read.problem, limit=2 * QUOTED)
            self.quotes[kind] = f"; it said {one_line(said, limit=QUOTED) or 'nothing'!r}"
        return not read.problem

    async def _ask(self, kind: JudgeFormat) -> tuple[ReadVerdict, str] | CallFailure:
        """The first answer to the first question that can be read, of two at most; or the last one, or why none came.

        An answer comes as it was read and as it was written.
        """
        found: tuple[ReadVerdict, str] | None = None
        for number in range(TRIES if self.most_calls is None else 1):
            self.calls += 1
            pin = JudgePin(self.model, self.endpoint.identity, kind, parameters={"temperature": 0}, form=self.form.name)
            judge = Judge(pin, self.rubric, seed=number)
            request = judge.requests(PROBE, purpose="canary")[0]
            outcome = await self.endpoint.complete(request)
            if isinstance(outcome, CallFailure):
                # An answer, though none that can be read, shows that the format is taken.
                return found or outcome
            if self.keep is not None:
                outcome = await self.keep(request, outcome)
            found = judge.questions[0].read(outcome, judge.put(PROBE)), outcome.text
            if not found[0].problem:
                break
        assert found is not None
        return found

    def _learn(self, works: JudgeFormat, asked: Sequence[JudgeFormat]) -> None:
        """Keeps what was found: where another format was answered, a refusal in whatever words was of the format."""
        self.endpoint.learn(self.model, self._trait(WORKS, works))
        for server in _served(self.model, self.endpoint):
            self.endpoint.learn(self.model, server)
        for kind in asked:
            if kind in self.refused:
                self.endpoint.learn(self.model, REFUSED[kind])
            elif kind in self.unread:
                self.endpoint.learn(self.model, self._trait(UNREADABLE, kind))

    def _trait(self, begins: str, kind: JudgeFormat) -> str:
        """Of a format under this question: on another scale or under another prompt, the same model may be readable."""
        rubric = self.rubric
        own = [[turn.role, turn.content] for turn in rubric.prompt]
        asked = [rubric.low, rubric.high, rubric.rationales, [*rubric.dimensions, rubric.overall], own]
        question = digest(asked if self.form == REASONED else [*asked, self.form.name])
        return f"{begins}_by_{kind}@{question[:8]}"


def _no_answer(model: str, failure: CallFailure) -> str:
    return (
        f"judge {model!r} gave no answer to the question in which format it can answer ({failure.kind}: "
        f"{failure.message}): try again, or name the format with --judge-format text"
    )
