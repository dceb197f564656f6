"""Two runs compared, as a document: the verdict and how sure it is before the tables. Nothing here computes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from evaluation.comparison.compare import Comparison
from evaluation.comparison.gate import RegressionResult
from evaluation.comparison.judges import note_judges
from evaluation.comparison.runs import RunScores
from evaluation.decision.gate import GateResult
from evaluation.reports.differences import (
    describe_categories,
    describe_conversations,
    describe_metrics,
    ordered_sources,
    worst_blocks,
)
from evaluation.reports.document import (
    NAME,
    Banner,
    Bullet,
    Bullets,
    Command,
    Document,
    Fold,
    Heading,
    Name,
    Only,
    Paragraph,
    Part,
    Status,
    Tone,
    Words,
    document,
    folded,
    in_detail,
    in_short,
)
from evaluation.reports.head_to_head import describe_head_to_head
from evaluation.reports.how_sure import (
    difference_line,
    equivalence,
    overall_moved,
    size_line,
    standing_out,
    statistics,
)
from evaluation.reports.item_changes import describe_changes
from evaluation.reports.languages import unreviewed
from evaluation.reports.mix import describe_mix_differences
from evaluation.reports.prompts import change_in_one_line, describe_change
from evaluation.reports.replies import reply_sentence
from evaluation.reports.run import gate_blocks
from evaluation.reports.verdict_sentence import name_verdict, verdict_sentence
from evaluation.reports.wording import REHEARSAL, beyond, gate_line, show_command
from evaluation.text import numbers
from evaluation.text.names import in_words
from evaluation.text.safe_text import clip

TONES: Mapping[str, Tone] = {
    "better": "good",
    "worse": "bad",
    "equivalent": "even",
    "inconclusive": "warning",
    "held back": "bad",
}


def describe_comparison(
    comparison: Comparison,
    *,
    gate: RegressionResult | GateResult | None = None,
    notes: Sequence[str] = (),
    files: Sequence[str] = (),
) -> Document:
    """Two runs. `notes` are one line each (a run that was reused and its date), `files` say where more can be read."""
    return document(
        head_blocks(
            in_words(sense(comparison)) or "no verdict",
            headline(comparison),
            banners((comparison.base, comparison.candidate), comparison.forced),
            (*details(comparison), *(f"note: {note}" for note in notes)),
            status=tuple(status_parts(comparison, gate)),
            figures=difference_line(comparison),
            statistics=statistics(comparison),
        ),
        gate_blocks(gate),
        folded(describe_change(comparison.prompt_change, comparison.base.name, comparison.candidate.name)),
        describe_head_to_head(
            comparison.head_to_head, comparison.verdict, comparison.base.name, comparison.candidate.name
        ),
        describe_changes(comparison.items, comparison.base.name, comparison.candidate.name),
        describe_metrics(comparison, comparison.source) if comparison.source in comparison.metrics else (),
        *(
            folded(describe_metrics(comparison, source))
            for source in ordered_sources(comparison)
            if source != comparison.source
        ),
        describe_mix_differences(comparison),
        describe_conversations(comparison),
        worst_blocks(comparison.worst),
        folded(describe_categories(comparison)),
        end_blocks((comparison.base, comparison.candidate), files, conclusion(comparison), in_words(sense(comparison))),
    )


def head_blocks(
    verdict: str,
    sentence: str,
    warnings: Sequence[str],
    grounds: Sequence[str],
    *,
    status: Sequence[Words] = (),
    figures: str = "",
    statistics: Sequence[str] = (),
) -> Iterator[Part]:
    """Everything above the tables of a comparison or a ranking.

    `status` has its main figures, `figures` those that stand for all `statistics` where it has to be short.
    """
    yield from map(Banner, warnings)
    yield Heading(verdict.capitalize(), level=2, printed=False)
    yield Status(status)
    yield Paragraph(sentence, TONES.get(verdict, "strong"))
    said = beyond(sentence, grounds)
    yield Only(Bullets([Bullet(text) for text in (figures, *said) if text]), short=True)
    yield Only(Bullets(tuple(map(Bullet, said))), short=False)
    if statistics:
        yield Only(Fold("Statistics", (Bullets(tuple(map(Bullet, statistics))),)), short=False)


def headline(comparison: Comparison) -> str:
    """The first line: the verdict in one sentence, or why there is none."""
    said = "" if comparison.verdict is None else verdict_sentence(comparison)
    return comparison.line(said).text


def conclusion(comparison: Comparison) -> str:
    """The first line, shorter: the difference and its interval in the place of what it comes from."""
    said = "" if comparison.verdict is None else _verdict_on_overall(comparison)
    return comparison.line(said).text


def _verdict_on_overall(comparison: Comparison) -> str:
    """The verdict with the difference and its interval."""
    primary = comparison.primary
    assert primary is not None, "without a primary metric there is no verdict"
    found = equivalence(primary) if comparison.verdict == "equivalent" else overall_moved(primary.estimate)
    return f"{name_verdict(comparison)}: {found}"


def sense(comparison: Comparison) -> str:
    """What colours the answer: the verdict of the means, unless critical expectations hold the candidate back."""
    held = comparison.decision is not None and comparison.decision.verdict == "held_back"
    return "held_back" if held else comparison.verdict or ""


def banners(runs: Sequence[RunScores], forced: bool) -> list[str]:
    """The lines that must stand above everything else."""
    said = {
        REHEARSAL: any(run.spec.rehearsed for run in runs),
        "forced: the runs differ in more than what is compared": forced,
        unreviewed(*(run.summary for run in runs)): True,
    }
    return [line for line, holds in said.items() if line and holds]


def details(comparison: Comparison) -> Iterable[str]:
    """The lines below the headline: grounds, limits, and what differs."""
    if comparison.decision is not None and comparison.decision.aside:
        yield f"{comparison.candidate.name} by itself: {comparison.decision.aside}"
    yield from standing_out(comparison)
    yield from comparison.reasons
    if comparison.prompt_change is not None and not comparison.prompt_change.is_empty:
        yield f"prompt: {change_in_one_line(comparison.prompt_change)}"
    found = None if comparison.primary is None else comparison.primary.estimate
    if comparison.verdict is None and found is not None and found.difference is not None:
        yield f"so far: {overall_moved(found)}"
    if "model" in comparison.terms.by:
        yield from (reply_sentence(run.name, run.summary) for run in (comparison.base, comparison.candidate))
    for part, before, after in comparison.others:
        yield f"also differs: {part} {before} / {after}"
    yield from note_judges((comparison.base, comparison.candidate), comparison.source)
    yield from comparison.terms.notes
    if any(comparison.unpaired):
        (base, candidate), sides = comparison.unpaired, (comparison.base, comparison.candidate)
        yield f"scenarios without a counterpart: {base} of {sides[0].name}, {candidate} of {sides[1].name}"
    primary = comparison.primary
    if primary is None or primary.estimate.difference is None:
        return
    yield size_line(comparison, primary)


def status_parts(comparison: Comparison, gate: RegressionResult | GateResult | None) -> Iterator[Words]:
    """The main figures, one after the other."""
    primary = comparison.primary
    if primary is not None and primary.estimate.difference is not None:
        yield overall_moved(primary.estimate)
        yield numbers.times(primary.estimate.scenarios, "scenario")
    if comparison.items is not None and comparison.items.critical:
        gained, lost = comparison.items.those("gained", critical=True), comparison.items.lost_critical
        yield f"critical expectations: {len(gained)} gained, {len(lost)} lost"
    if gate is not None:
        yield gate_line(gate)


def end_blocks(runs: Sequence[RunScores], files: Sequence[str], answer: str, verdict: str) -> Iterator[Part]:
    """The runs, and where more can be read; in short the answer once more, its page, and how to see the last run."""
    for run in runs:
        yield Only(Paragraph((Name(run.name), ": run ", Name(run.run_id))), short=False)
    yield from in_detail(Command("", file) for file in files)
    yield Only(Paragraph(answer, TONES.get(verdict, "strong")), short=True)
    yield from in_short(Command("", file) for file in files[:1])
    yield Only(Command(f"all of {clip(runs[-1].name, NAME)}", show_command(runs[-1].run_id)), short=True)
