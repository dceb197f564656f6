"""The arguments that commands share, as one request. Kept free of heavy imports: --help must be immediate."""

import argparse
from collections.abc import Sequence
from typing import Any

from evaluation.commands import write_command
from evaluation.errors import UsageError
from evaluation.metrics.profiles import CHOICES, PROFILES
from evaluation.request import GATES, OF_CHECKS, EvaluationRequest, request_of
from evaluation.suites import DEFAULT_SUITE
from scripts.argument_values import amount, concurrency, number, positive, shard, share, temperature
from scripts.judge_arguments import add_judge, add_moderation

LIMITS = ("min_overall", "max_failure_rate", "max_fallback_rate")
MAY_CHANGE = (
    "concurrency",
    "rpm",
    "tpm",
    "max_cost",
    "prices",
    "batch",
    "batch_hours",
    "quiet",
    "dry_run",
    "gate",
    "strict",
    "waivers",
    "mix",
    "langfuse",
    "resume",
    "retry_429",
    "expected",
    *LIMITS,
)
"""Arguments that a resume may change: how the run is carried out and decided, not what it measures."""


def add_run_arguments(
    parser: argparse.ArgumentParser, gates: Sequence[str] = GATES, *, several_models: bool = False
) -> None:
    """The flags of every command that evaluates; `gates` are those that it can hold its result against."""
    _add_prompts(_add_selection(parser, DEFAULT_SUITE))
    _add_model(parser, several=several_models)
    add_moderation(add_judge(parser, "else the model under test"))
    url = "its address: it holds the conversations, and no prompt is pulled"
    _add_application(parser, "an application in the model's place", url, "that says how it is asked and read")
    _add_run(parser)
    decision = parser.add_argument_group("decision")
    decision.add_argument("--strict", action="store_true", help="the lower end of each interval must clear the bounds")
    decision.add_argument(
        "--waivers",
        metavar="FILE",
        help="critical expectations out of account (default: waivers.yaml, if there is one)",
    )
    add_mix_argument(decision)
    decision.add_argument("--min-overall", type=number, metavar="X", help="of the gate: the least mean overall")
    decision.add_argument("--max-failure-rate", type=share, metavar="SHARE", help="of the gate: exchanges unanswered")
    decision.add_argument("--max-fallback-rate", type=share, metavar="SHARE", help="of the gate: verdicts unread")
    decision.add_argument(
        "--gate",
        choices=gates,
        help="exit 1 unless the result is at least this good (default: EVAL_GATE, else none)"
        if "none" in gates
        else "exit 1 unless the result is at least this good",
    )


def add_mix_argument(parser: "argparse._ActionsContainer") -> None:
    """The flag of every command that says what a run means for a team's users."""
    parser.add_argument(
        "--mix",
        metavar="FILE|none",
        help="what users say, beside the set (default: mix.yaml, if there is one, as the command mix writes it)",
    )


def _add_application(parser: argparse.ArgumentParser, title: str, url: str, mapping: str) -> "argparse._ArgumentGroup":
    """The flags that name an application; `url` and `mapping` say what those of that name do."""
    group = parser.add_argument_group(title)
    group.add_argument("--url", metavar="URL", help=url)
    group.add_argument("--mapping", metavar="FILE", help=f"YAML file {mapping} (default: CHAT_FLOW_MAPPING)")
    version = "what you call the version behind the address, for compare"
    group.add_argument("--app-version", metavar="TEXT", help=version)
    group.add_argument("--retry-429", action="store_true", help="ask again where it answers 429")
    return group


def add_output_arguments(parser: argparse.ArgumentParser, as_json: str) -> None:
    """The flags of every command that prints a result; `as_json` says what --json prints."""
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help=as_json)
    output.add_argument("--quiet", action="store_true", help="no progress and no notes")
    output.add_argument("--verbose", action="store_true", help="print all of the result, as summary.md has it")
    output.add_argument("--open", action="store_true", help="open its page in the browser")


def add_application_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of the command that evaluates an application: as the others', where they mean something there."""
    url = "its address (default: CHAT_FLOW_URL, else the embedded sample)"
    group = _add_application(parser, "the application", url, "with its names of paths and fields")
    group.add_argument(
        "--defect",
        action="append",
        default=[],
        dest="defects",
        metavar="NAME",
        help="start the embedded sample with this defect, to see the checks find it; repeatable",
    )
    _add_selection(parser)
    add_judge(parser, "else EVAL_MODEL; without an endpoint checks alone, for the embedded sample the rehearsal model")
    _add_run(parser)
    decision = parser.add_argument_group("decision")
    decision.add_argument("--base", metavar="RUN_ID|last", help="of the gate: the run that this one is held against")
    decision.add_argument(
        "--gate",
        choices=(OF_CHECKS, "no_regression"),
        help="exit 1 where a critical check fails or too few cases pass (checks), or unless no check or score is worse",
    )
    decision.add_argument(
        "--min-overall", type=share, metavar="SHARE", help="of the gate on checks: the least share of cases that pass"
    )


def add_night_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of the night watch: those of an evaluation that a schedule may set. Nothing is taken from a cache."""
    _add_selection(parser, DEFAULT_SUITE)
    _add_model(parser)
    add_moderation(add_judge(parser, "else the model under test"))
    _add_means(parser.add_argument_group("run"))
    parser.set_defaults(cache="none")


def add_sweep_arguments(parser: argparse.ArgumentParser, suite: str) -> None:
    """The flags of a sweep: of an evaluation without judge and decision, and what varies; `suite` is the usual one."""
    grid = parser.add_argument_group("what varies")
    grid.add_argument(
        "--vary",
        action="append",
        default=[],
        metavar="NAME=A,B",
        help="temperature, top_p, max_tokens, frequency_penalty, presence_penalty, reasoning_effort or model, with its "
        "values; repeat it for a grid; one value fixes a parameter (default: temperature=0.3,0.7,1.2)",
    )
    grid.add_argument(
        "--prompt",
        action="append",
        default=[],
        dest="prompts",
        metavar="REF",
        help="a prompt above the tasks; repeat it to compare several (default: none, the bare model)",
    )
    grid.add_argument("--large", action="store_true", help="run a grid of more than 24 settings")
    grid.add_argument(
        "--expected",
        metavar="NAME|FILE",
        help="expected ranges to show beside what is measured (default: those of the suite)",
    )
    _add_selection(parser, suite)
    _add_model(parser)
    _add_run(parser)


def _add_run(parser: argparse.ArgumentParser) -> None:
    run = parser.add_argument_group("run")
    _add_means(run)
    run.add_argument(
        "--cache",
        choices=("judge", "all", "none"),
        default="judge",
        help="what earlier runs may answer: judge verdicts and moderations (default), all calls, or none",
    )
    run.add_argument("--no-cache", dest="cache", action="store_const", const="none", help="same as --cache none")
    run.add_argument(
        "--shard", type=shard, metavar="K/N",
        help="play the K-th of N shares of the situations, for machines that share a run; runs merge joins them",
    )  # fmt: skip
    run.add_argument("--resume", metavar="RUN_ID|last", help="go on with a run; its arguments come from its manifest")
    run.add_argument("--dry-run", action="store_true", help="say what would be called and spent, and stop")


def _add_means(run: "argparse._ArgumentGroup") -> None:
    run.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help="seed of the run; every call derives its own (default: that of the prompt's config, else 0)",
    )
    add_limits(run, "your own price list, in the form of services/model/prices.yaml")
    run.add_argument("--no-langfuse", dest="langfuse", action="store_false", help="leave Langfuse out of it")
    run.add_argument(
        "--langfuse-scores", choices=("main", "all"), default="main", help="which scores go to Langfuse (default: main)"
    )
    run.add_argument(
        "--deliver-rehearsal", action="store_true", help="send runs of the rehearsal model to Langfuse too"
    )


def add_limits(run: "argparse._ActionsContainer", prices: str) -> None:
    """How fast calls are made, and what they may cost; `prices` says what a price list is."""
    run.add_argument("--concurrency", type=concurrency, metavar="N", help="calls in flight at most (default 16)")
    run.add_argument(
        "--rpm", type=positive, metavar="N", help="requests a minute at most (default: EVAL_RPM, else any)"
    )
    run.add_argument("--tpm", type=positive, metavar="N", help="tokens a minute at most (default: EVAL_TPM, else any)")
    run.add_argument("--max-cost", type=amount, metavar="USD", help="start no call once this much is spent")
    add_batch_arguments(run)
    run.add_argument("--prices", metavar="FILE", help=prices)


def add_batch_arguments(run: "argparse._ActionsContainer") -> None:
    """How calls are sent: live, or in batches."""
    run.add_argument(
        "--batch",
        nargs="?",
        const="always",
        choices=("always", "auto"),
        help="send calls in batches, at half the price, answered within a day; auto asks a small rest live",
    )
    run.add_argument(
        "--batch-hours", type=amount, metavar="H", help="with auto: how long batches may take, all together (default 6)"
    )


def _add_prompts(group: "argparse._ArgumentGroup") -> None:
    group.add_argument(
        "--prompt",
        action="append",
        default=[],
        dest="prompts",
        metavar="REF",
        help="v3, 3, a label, name@v3, name@label or a file; repeat it for several in one pass (default: production)",
    )


def _add_selection(parser: argparse.ArgumentParser, suite: str = "") -> "argparse._ArgumentGroup":
    """`suite` is the usual one; without it the command has one suite alone."""
    group = parser.add_argument_group("what is evaluated")
    if suite:
        default = None if suite == DEFAULT_SUITE else suite
        usual = f"EVAL_SUITE, else {suite}" if default is None else suite
        group.add_argument("--suite", default=default, metavar="NAME|DIR", help=f"whose metrics (default: {usual})")
    group.add_argument("--rubric", metavar="NAME|FILE", help="another rubric (default: EVAL_RUBRIC or the suite's)")
    if suite:
        add_profile_argument(group)
    group.add_argument(
        "--scenarios", action="append", default=[], metavar="NAME|FILE|DIR", help="scenario set; repeat it for several"
    )
    group.add_argument(
        "--category",
        action="append",
        default=[],
        dest="categories",
        metavar="NAME",
        help="of this category alone; repeatable",
    )
    group.add_argument(
        "--tag", action="append", default=[], dest="tags", metavar="TAG", help="with this tag alone; repeatable"
    )
    group.add_argument("--limit", type=positive, metavar="N", help="this many scenarios, spread over the categories")
    group.add_argument("--repeats", type=positive, default=1, metavar="K", help="play every scenario K times")
    return group


def add_suite(
    parser: "argparse._ActionsContainer",
    suite: str,
    *,
    rubric: str = "another rubric (default: EVAL_RUBRIC or the suite's)",
    default: str | None = None,
) -> None:
    """The flags of every command that reads a suite; `suite` and `rubric` say what they are for."""
    parser.add_argument("--suite", default=default, metavar="NAME|DIR", help=suite)
    parser.add_argument("--rubric", metavar="NAME|FILE", help=rubric)


NO_PROFILE = "none"
"""The formulas as they are, where a stored run has a profile."""


def add_profile_argument(parser: "argparse._ActionsContainer", *further: str) -> None:
    """The flag of every command that scores text quality; `further` are values beside the usual ones."""
    parser.add_argument(
        "--profile",
        choices=(*CHOICES, *further),
        metavar="NAME",
        help="the kind of text that text_quality is scored as: auto, for that of each prompt, or "
        f"{', '.join(PROFILES)} (default: the formulas as they are)",
    )


def _add_model(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    group = parser.add_argument_group("model (flag before prompt config before setting)")
    more = "; repeat it to compare several in one pass" if several else ""
    group.add_argument(
        "--model",
        action="append",
        default=[],
        dest="models",
        metavar="NAME",
        help=f"model under test (default: EVAL_MODEL){more}",
    )
    group.set_defaults(several_models=several)
    group.add_argument("--temperature", type=temperature, metavar="T", help="0 to 2")
    group.add_argument("--max-tokens", type=positive, metavar="N", help="longest answer (default: EVAL_MAX_TOKENS)")


def request_from(arguments: argparse.Namespace) -> EvaluationRequest:
    """The request in parsed arguments."""
    fields = {name for name in EvaluationRequest.__dataclass_fields__ if hasattr(arguments, name)}
    values = {name: getattr(arguments, name) for name in fields}
    values |= _models(arguments)
    if values.get("suite", "") is None:
        values["suite"] = DEFAULT_SUITE if values.get("resume") else usual_suite()
    if any(values.get(name) is not None for name in LIMITS) and values.get("gate") is None and not values.get("resume"):
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in LIMITS if values.get(name) is not None)
        raise UsageError(f"{flags}: a limit is a gate's: add --gate deploy or another")
    return request_of(values)


def _models(arguments: argparse.Namespace) -> dict[str, Any]:
    """The model under test, or the several that vary. Raises UsageError for one too many and for one named twice."""
    names = list(getattr(arguments, "models", ()))
    if len(names) < 2:
        return {"model": names[0]} if names else {}
    if not arguments.several_models:
        raise UsageError(
            f"--model is given {len(names)} times: name one, or play several in one pass with "
            f"{write_command('eval', *(word for name in names for word in ('--model', name)))}"
        )
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"--model {twice} is given twice: two runs alike say nothing, use --repeats")
    return {"vary": (("model", tuple(names)),)}


def usual_suite(named: str | None = None) -> str:
    """The suite that a flag names, or else the setting."""
    from services.settings import read_settings

    return named or read_settings().suite
