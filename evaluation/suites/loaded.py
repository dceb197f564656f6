"""A suite built from texts: its rubric, and a prompt of the team's own for its judge."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from evaluation.errors import Problems, UsageError
from evaluation.expectations.criteria import FindSet
from evaluation.expectations.shared import check_shared_items
from evaluation.judging.asking import CRITERIA, JudgeRubric
from evaluation.judging.forms import FORMS
from evaluation.languages.packs import own_packs
from evaluation.metrics.cues.own import module_of, own_module
from evaluation.metrics.scoring import check_rules
from evaluation.prompts import VARIABLE, PromptVersion, check_template
from evaluation.records import Scenario, Turn
from evaluation.rubrics.loader import parse_rubric
from evaluation.rubrics.rubric import Rubric
from evaluation.scenarios.parser import merge_scenarios
from evaluation.suites.own import check_score_names
from evaluation.suites.suite import ANSWERED_BY, ParseScenarios, Suite, SuiteDefinition
from evaluation.text.forms import SourceText, did_you_mean


@dataclass(frozen=True, slots=True)
class LoadedSuite:
    """A suite, the rubric that it was built from, and the text of that rubric, which needs no other file."""

    suite: Suite = field(repr=False)
    rubric: Rubric = field(repr=False)
    text: str = field(repr=False)
    judge_prompt: PromptVersion | None = None
    """The team's own prompt for the judge; None where the rubric's words are used."""


def build_suite(definition: SuiteDefinition, source: SourceText) -> LoadedSuite:
    """A suite under the rubric in a text."""
    rubric = parse_rubric(source, check_rubric)
    suite = definition.of(rubric)
    _check_checks(suite, source)
    suite = replace(suite, scored_by=(*suite.scored_by, *_own_code(suite, rubric), *own_packs()))
    if definition.kept:
        check_score_names(suite)
    return LoadedSuite(suite, rubric, source.text)


def _check_checks(suite: Suite, source: SourceText) -> None:
    """Raises ParseError for a critical check that the suite does not have."""
    known = tuple(name for name in suite.checks if name != suite.overall)
    for number, name in enumerate(suite.checks_rule.critical if suite.checks_rule else ()):
        if name not in known:
            hint = did_you_mean(name, known) or f"; suite {suite.name} has no checks"
            raise source.error(("checks", "critical", number), f"unknown check {name!r}{hint}")


def _own_code(suite: Suite, rubric: Rubric) -> tuple[str, ...]:
    """The module of the team's own cues where the rubric names one, or scenarios' expectations may."""
    if set(ANSWERED_BY) <= set(suite.scored_by):
        return own_module()
    return module_of(use.when for metric in rubric.metrics.values() for each in metric.adjustments for use in each.uses)


def check_rubric(rubric: Rubric, source: SourceText) -> None:
    """Holds what a rubric says of cues, formulas and checks against those there are. Raises ParseError."""
    problems = Problems()
    with problems.caught():
        check_rules(rubric, source)
    with problems.caught():
        check_shared_items(rubric, source)
    with problems.caught():
        if rubric.judge is not None and rubric.judge.form not in FORMS:
            hint = did_you_mean(rubric.judge.form, tuple(FORMS))
            raise source.error(("judge", "form"), f"unknown form {rubric.judge.form[:80]!r}{hint}")
    problems.raise_found()


def parse_sets(
    files: Sequence[SourceText], rubric: Rubric, parse: ParseScenarios, find_set: FindSet
) -> tuple[Scenario, ...]:
    """The scenarios of all files; ids are unique across them. Raises ParseError."""
    return merge_scenarios([(file.place, parse(file.text, file.place, rubric, find_set)) for file in files])


def with_judge_prompt(loaded: LoadedSuite, prompt: PromptVersion | None) -> LoadedSuite:
    """The suite, judged by a prompt of the team's own where one is given. Raises UsageError for one that cannot be."""
    judge = loaded.suite.judge
    if prompt is None or judge is None:
        return loaded
    return replace(loaded, suite=replace(loaded.suite, judge=with_prompt(judge, prompt)), judge_prompt=prompt)


def with_prompt(rubric: JudgeRubric, prompt: PromptVersion) -> JudgeRubric:
    """The rubric with a prompt that a team keeps itself in the place of the rubric's words.

    It must hold each field of the rubric, and only in user messages: what people and models said is no instruction.
    A text prompt is one user message. Raises UsageError naming what is wrong.
    """
    messages = _messages(prompt)
    name = _name(prompt)
    for message in messages:
        if message.role == "placeholder":
            raise UsageError(
                f"{name} has a message placeholder {message.content[:80]!r}: a judge is given the conversation through "
                f"{_in_braces(rubric.fields)}"
            )
    check_template(name, messages)
    named = [(field, message.role) for message in messages for field in VARIABLE.findall(message.content)]
    known = (*rubric.fields, CRITERIA)
    if unknown := [field for field in dict.fromkeys(field for field, _ in named) if field not in known]:
        near = get_close_matches(unknown[0], known, 1) if len(unknown) == 1 else []
        hint = f"did you mean {_in_braces(near)}?" if near else f"known are {_in_braces(known)}"
        plural = "s" if unknown[1:] else ""
        raise UsageError(f"{name} has the unknown placeholder{plural} {_in_braces(unknown)}: {hint}")
    for placed, role in named:
        if placed != CRITERIA and role != "user":
            raise UsageError(
                f"{name} has {{{{{placed}}}}} in a message of role {role!r}: move it to a user message, "
                "for what is judged may never stand as an instruction"
            )
    if lacking := [field for field in rubric.fields if field not in [found for found, _ in named]]:
        raise UsageError(f"{name} lacks {_in_braces(lacking)}: a judge's prompt holds {_in_braces(rubric.fields)}")
    return rubric.model_copy(update={"prompt": messages})


def _messages(prompt: PromptVersion) -> tuple[Turn, ...]:
    if prompt.kind == "text":
        return tuple(Turn("user", message.content) for message in prompt.messages)
    return prompt.messages


def _name(prompt: PromptVersion) -> str:
    return f"judge prompt {prompt.pin.name!r} {prompt.pin.version_title}"


def _in_braces(fields: Sequence[str]) -> str:
    return ", ".join(f"{{{{{field[:80]}}}}}" for field in fields)
