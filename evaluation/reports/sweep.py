"""A sweep as a document: which setting is best and how sure that is, before the tables. Nothing here computes."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from evaluation.comparison.differences import LEAST_CLUSTERS
from evaluation.decision.decide import too_few
from evaluation.decision.first_line import FirstLine, Standing, first_line
from evaluation.reports.comparison import banners
from evaluation.reports.differences import change
from evaluation.reports.document import (
    Banner,
    Block,
    Bullet,
    Bullets,
    Column,
    Command,
    Document,
    Fields,
    Heading,
    Name,
    Paragraph,
    Row,
    Table,
    Tone,
    document,
    in_detail,
    in_short,
    table,
)
from evaluation.reports.intervals import in_a_sentence
from evaluation.reports.verdict_sentence import title
from evaluation.sweep.effects import Effect, Setting, value_text
from evaluation.sweep.expected import RangeCheck
from evaluation.sweep.identical import no_effect
from evaluation.sweep.sweep import Best, Sweep
from evaluation.text import numbers
from evaluation.text.names import in_words

LONGEST_HEADER = 18
"""Columns of a setting's name above its figures."""
TONES: Mapping[str, Tone] = {"best": "good", "leaders": "good", "equivalent": "even", "no_effect": "warning"}
REST = "sweep.json"
MOVES = {"higher": "rises", "lower": "falls"}
CALL_TONES: Mapping[str | None, Tone] = {"higher": "good", "lower": "bad"}
TESTED = {"higher": "rises", "lower": "falls", "unclear": "no effect", None: "untested"}
"""The words for a test's result, in a table."""
MOST_LEADERS = 2
"""Settings that are named; of more only their number is given, and the tables show which."""
METHOD = (
    "means over scenarios of equal weight, 95% intervals clustered by situation; differences are paired by exchange, "
    "tested twice (t and sign flips) and corrected, the overall by itself and the other metrics as one family"
)


def describe_sweep(sweep: Sweep, *, notes: Sequence[str] = (), files: Sequence[str] = ()) -> Document:
    """`notes` are one line each (what is incomplete), `files` say where more can be read."""
    return document(
        _head(sweep, notes),
        _means(sweep),
        *(in_detail(_effects(list(rows.values()))) for rows in sweep.effects.values()),
        in_detail(_best(sweep)),
        *(in_detail(_expectations(sweep, statement, checks)) for statement, checks in statements(sweep).items()),
        in_detail(_spread(sweep)),
        (*in_detail(_places(sweep, files)), *in_short(_end(sweep, files))),
    )


def _head(sweep: Sweep, notes: Sequence[str]) -> Iterator[Block]:
    yield from map(Banner, banners([each.run for each in sweep.settings], forced=False))
    yield Heading("Sweep", level=2, printed=False)
    yield _opening(sweep)
    yield Paragraph(subject(sweep))
    yield Bullets(tuple(map(Bullet, (*details(sweep), *(f"note: {note}" for note in notes)))))


def _opening(sweep: Sweep) -> Paragraph:
    """The first line, and the last of the short report: a parameter without effect before any answer on the overall."""
    nothing = no_effect(sweep.identical)
    if not nothing:
        return Paragraph(headline(sweep), TONES.get(sweep.best[sweep.overall].outcome, "strong"))
    found = sweep.rankings[sweep.overall].standing
    standing = Standing(lacking=found.lacking, interrupted=found.interrupted)
    return Paragraph(first_line(standing, FirstLine("no_effect", nothing)).text, "bad")


def headline(sweep: Sweep) -> str:
    """The answer on the overall in one sentence, or why there is none."""
    best = sweep.best[sweep.overall]
    standing = replace(sweep.rankings[sweep.overall].standing, about="")
    return first_line(standing, FirstLine(best.outcome, f"{answer(best, sweep)}: {grounds(best, sweep)}")).text


def answer(best: Best, sweep: Sweep) -> str:
    """Names the best setting on a metric, as far as the data say so."""
    on = "overall" if best.metric == sweep.overall else f"on {title(best.metric, sweep.overall)}"
    if best.outcome == "best":
        return f"{best.leaders[0]} is best {on}"
    if best.outcome == "leaders" and len(best.leaders) > MOST_LEADERS:
        return f"{len(best.leaders)} of {len(sweep.settings)} settings lead {on} and cannot be distinguished"
    if best.outcome == "leaders":
        return f"{' and '.join(best.leaders)} lead {on} and cannot be distinguished"
    if best.outcome == "equivalent":
        return f"the settings are equivalent {on}"
    if best.outcome == "no_effect":
        moves = any(effects[best.metric].change.call in MOVES for effects in sweep.effects.values())
        return f"no best setting {on}" if moves else f"no detectable effect {on}"
    return f"no verdict {on}"


def grounds(best: Best, sweep: Sweep) -> str:
    """The grounds of an answer: the lead over the runner-up, or what could have been found."""
    if best.outcome == "untested":
        if best.lead is None:
            return "the settings have no exchange in common that was scored"
        clusters = best.lead.estimate.clusters
        return too_few(clusters) if clusters < LEAST_CLUSTERS else "too much is missing"
    if best.outcome == "equivalent":
        return f"all lie within {sweep.margin:g} of one another"
    found = "" if not best.detectable else f"; differences of {numbers.above(best.detectable)} could be detected"
    if best.outcome == "no_effect":
        return f"no two settings are shown to differ{found}"
    lead = best.lead
    if lead is None or lead.estimate.difference is None or best.outcome == "leaders":
        many = "" if len(best.leaders) <= MOST_LEADERS else f"{best.leaders[0]} has the highest mean; "
        return f"{many}the rest is shown to be worse{found}"
    ahead = numbers.with_sign(lead.estimate.difference)
    return f"{ahead} over {best.runner_up} (95% CI {numbers.span(lead.estimate.ci95)})"


def subject(sweep: Sweep) -> str:
    """Says what was swept: "temperature 0.3, 0.7, 1.2; 42 tasks, 3 repeats, model gpt-4o, no prompt"."""
    factors = "; ".join(f"{factor.name} {', '.join(map(value_text, factor.values))}" for factor in sweep.factors)
    run = sweep.settings[0].run
    models = ", ".join(dict.fromkeys(setting.run.spec.model for setting in sweep.settings))
    prompts = {setting.run.spec.prompt for setting in sweep.settings}
    pin = run.spec.prompt
    prompt = "" if len(prompts) > 1 else ", no prompt" if pin is None else f", prompt {pin.title}"
    return (
        f"{factors}; {numbers.times(len(run.scenarios), 'task')}, {numbers.times(run.spec.repeats, 'repeat')}, "
        f"model {models}{prompt}"
    )


def details(sweep: Sweep) -> Iterator[str]:
    """The grounds below the headline: what each factor moves, what it does not, and what limits the result."""
    without = [found.no_effect for found in sweep.identical]
    if any(without) and not all(without):
        yield headline(sweep)
    for effects in sweep.effects.values():
        yield from _factor_lines(effects.values(), sweep)
    flat = [metric for metric, found in sweep.distributions.items() if found.findings]
    if flat:
        names = ", ".join(title(metric, sweep.overall) for metric in flat)
        yield f"read with care, their values cluster: {names} (see below)"
    if any(best.overturnable for best in sweep.best.values()):
        yield "missing values could change which setting is best on some metric"
    for setting in sweep.settings:
        found = sweep.cell(sweep.overall, setting)
        if found is not None and found.estimate.n < found.planned:
            share = numbers.percent(found.coverage)
            yield f"{setting.name}: coverage {share}, overall possible {numbers.interval(found.bounds)}"


def _factor_lines(effects: Collection[Effect], sweep: Sweep) -> Iterator[str]:
    """One factor: the overall first, then which other metrics move, and which do not."""
    for effect in effects:
        if effect.metric == sweep.overall:
            yield f"{way(effect)}: overall {describe_move(effect)}"
    rest = [effect for effect in effects if effect.metric != sweep.overall]
    for call, verb in (("lower", "fall"), ("higher", "rise")):
        named = [effect for effect in rest if effect.change.call == call]
        if named:
            yield f"{way(named[0])}: {verb}: " + ", ".join(
                f"{title(effect.metric, sweep.overall)} {numbers.with_sign(effect.change.estimate.difference)}"
                for effect in named
            )
    unclear = [effect for effect in rest if effect.change.call == "unclear"]
    if unclear:
        reach = max((effect.change.detectable or 0.0) for effect in unclear)
        each = " in each" if len(unclear) > 1 else ""
        found = f"; differences of {numbers.above(reach)} could be detected{each}" if reach else ""
        names = ", ".join(title(effect.metric, sweep.overall) for effect in unclear)
        yield f"{way(unclear[0])}: no detectable effect on {names}{found}"


def way(effect: Effect) -> str:
    """The change that is spoken of: "temperature 0.3 to 1.2"."""
    return f"{effect.factor} {effect.low:g} to {effect.high:g}"


def describe_move(effect: Effect) -> str:
    """Says how a metric moves between a factor's ends."""
    found = effect.change.estimate
    if found.difference is None:
        return "has no pair to compare"
    interval = in_a_sentence(found.ci95)
    if effect.change.call in MOVES:
        p = numbers.p_value(effect.change.p_adjusted)
        return f"{MOVES[effect.change.call]} by {numbers.with_sign(found.difference).lstrip('+-')}{interval}, p {p}"
    if effect.change.call is None:
        return f"{numbers.with_sign(found.difference)}{interval}, not tested: too few situations"
    reach = "" if not effect.change.detectable else f"; {numbers.above(effect.change.detectable)} could be detected"
    return f"shows no detectable effect: {numbers.with_sign(found.difference)}{interval}{reach}"


def _means(sweep: Sweep) -> Iterator[Block]:
    marks = _marks(sweep)
    yield Heading("Means with 95% intervals", printed=False)
    yield Table(
        [Column("mean [95% interval]"), *(Column(Name(marks[setting.name])) for setting in sweep.settings)],
        [
            Row(
                [in_words(metric), *(cell(sweep, metric, setting) for setting in sweep.settings)],
                "strong" if metric == sweep.overall else "",
            )
            for metric in sweep.metrics
        ],
        rest=REST,
    )
    yield Bullets(tuple(Bullet((f"{mark} is ", Name(each))) for each, mark in marks.items() if mark != each))
    yield Paragraph(METHOD, "dim")


def _marks(sweep: Sweep) -> dict[str, str]:
    """Setting -> what stands above its column: its name, or a number where one of the names is too long."""
    names = [setting.name for setting in sweep.settings]
    if all(len(each) < LONGEST_HEADER for each in names):
        return {each: each for each in names}
    return {each: f"#{place}" for place, each in enumerate(names, 1)}


def cell(sweep: Sweep, metric: str, setting: Setting) -> str:
    """0.71 [0.69, 0.73] of one metric under one setting."""
    found = sweep.cell(metric, setting)
    if found is None or not found.estimate.n:
        return "not scored"
    return f"{numbers.score(found.estimate.mean)} {numbers.interval(found.estimate.ci95)}"


def _effects(effects: Sequence[Effect]) -> Iterator[Block]:
    span = way(effects[0])
    yield Heading(f"Changes from {span}", printed=False)
    fields: Fields[Effect] = [
        (Column(span), lambda effect: in_words(effect.metric)),
        (Column("Spearman [95%]"), rank_correlation),
        (Column("change [95%]"), lambda effect: change(effect.change)),
        (Column("tested"), lambda effect: TESTED[effect.change.call]),
        (Column("adjusted p", detail=True), lambda effect: numbers.p_value(effect.change.p_adjusted)),
    ]
    yield table(fields, effects, lambda effect: CALL_TONES.get(effect.change.call, ""), rest=REST)


def rank_correlation(effect: Effect) -> str:
    """-0.21 [-0.30, -0.12]; "constant" for a metric that never varies."""
    found = effect.correlation
    if found.value is None:
        return "constant"
    return f"{numbers.with_sign(found.value, 2)} {in_brackets(found.ci95)}".rstrip()


def in_brackets(ends: tuple[float, float] | None) -> str:
    """[-0.30, -0.12], with signs."""
    return "" if ends is None else f"[{numbers.with_sign(ends[0], 2)}, {numbers.with_sign(ends[1], 2)}]"


def _best(sweep: Sweep) -> Iterator[Block]:
    yield Heading("Best setting by metric")
    found = [sweep.best[metric] for metric in sweep.metrics]
    yield Bullets(
        [Bullet(f"{answer(each, sweep)}: {grounds(each, sweep)}", TONES.get(each.outcome, "")) for each in found]
    )


def _expectations(sweep: Sweep, statement: str, checks: Sequence[RangeCheck]) -> Iterator[Block]:
    marks, names = _marks(sweep), settings_of(checks)
    yield Heading(f"Expected {statement}", printed=False)
    yield Table(
        [Column(f"expected {statement}"), *(Column(Name(marks[each])) for each in names)],
        [
            Row([in_words(metric), *(_range_verdict(row.get(each)) for each in names)])
            for metric, row in by_metric(checks).items()
        ],
        rest=REST,
    )
    yield Paragraph(agreement(checks))
    yield Bullets(tuple(map(Bullet, remarks(sweep, statement))))


def _range_verdict(check: RangeCheck | None) -> str:
    return numbers.NONE if check is None else f"{expected_range(check)} {verdict_on(check)}"


def verdict_on(check: RangeCheck) -> str:
    """The place of a mean against what is expected; in brackets where its interval reaches across an end."""
    return check.where if check.sure else f"({check.where})"


def expected_range(check: RangeCheck) -> str:
    """0.70-0.85."""
    return f"{check.expected[0]:.2f}-{check.expected[1]:.2f}"


def agreement(checks: Sequence[RangeCheck]) -> str:
    """Says how many expectations were met."""
    inside = sum(1 for check in checks if check.where == "inside")
    unsure = sum(1 for check in checks if not check.sure)
    reach = "reaches" if unsure == 1 else "reach"
    doubt = f"; {numbers.times(unsure, 'interval')} {reach} across an end, in brackets" if unsure else ""
    return f"{inside} of {numbers.times(len(checks), 'mean')} lie where they are expected{doubt}"


def statements(sweep: Sweep) -> dict[str, list[RangeCheck]]:
    """Title of each statement -> its checks."""
    found: dict[str, list[RangeCheck]] = {}
    for check in sweep.checks:
        found.setdefault(check.statement, []).append(check)
    return found


def by_metric(checks: Sequence[RangeCheck]) -> dict[str, dict[str, RangeCheck]]:
    """Metric -> setting -> check."""
    found: dict[str, dict[str, RangeCheck]] = {}
    for check in checks:
        found.setdefault(check.metric, {})[check.setting] = check
    return found


def settings_of(checks: Sequence[RangeCheck]) -> list[str]:
    """The settings that something is expected of, in the order of the grid."""
    return list(dict.fromkeys(check.setting for check in checks))


def remarks(sweep: Sweep, statement: str) -> list[str]:
    """The remarks of a statement, in addition to its ranges."""
    known = sweep.expectations.statements.values() if sweep.expectations else ()
    return [
        f"{title(metric, sweep.overall)}: " + ", ".join(f"{column} {text}" for column, text in said.items())
        for each in known
        if each.title == statement
        for metric, said in each.remarks.items()
    ]


def _spread(sweep: Sweep) -> Iterator[Block]:
    yield Heading("Spread of the values")
    clustering = [
        f"{title(metric, sweep.overall)}: {'; '.join(found.findings)}"
        for metric, found in sweep.distributions.items()
        if found.findings
    ]
    yield Bullets(tuple(map(Bullet, clustering or ["every metric spreads over its scale"])))


def _end(sweep: Sweep, files: Sequence[str]) -> Iterator[Block]:
    """The end of the short report: the answer once more, and where all of it is."""
    yield _opening(sweep)
    yield from (Command("", file) for file in files[:1])


def _places(sweep: Sweep, files: Sequence[str]) -> Iterator[Block]:
    yield Bullets(tuple(Bullet((Name(setting.name), ": run ", Name(setting.run.run_id))) for setting in sweep.settings))
    yield from (Command("", file) for file in files)
