"""report.html of one night: does production hold, why, and the nights before it."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from evaluation.decision.gate import StoredMean
from evaluation.nightly.night import Night, NightReport
from evaluation.reports import nightly as wording
from evaluation.reports.html.figures import Axis, around_means
from evaluation.reports.html.over_time import Spot, dates, place
from evaluation.reports.html.page import Assets, render
from evaluation.text import numbers

MOST_SAID = 15
"""Nights that the words in the place of the picture name."""


def night_page(report: NightReport, assets: Assets, paged: Collection[str] = ()) -> str:
    """The whole page; `paged` are the earlier nights, by id, that have a page beside it."""
    night = report.night
    nights = [each for each in (*report.earlier, night)[-wording.MOST_NIGHTS :] if each.overall is not None]
    means = [StoredMean(mean=each.overall) for each in nights]
    time = Axis(nights[0].started_at, nights[-1].started_at) if nights else Axis(0, 0)
    values = {
        "title": f"night of {night.date}",
        "report": report,
        "night": night,
        "answer": wording.heading(report).capitalize(),
        "reasons": wording.reasons(report),
        "details": wording.details(report),
        "sections": list(wording.findings(report).shown(short=False)),
        "nights": list((*report.earlier, night)[-wording.MOST_NIGHTS :])[::-1],
        "paged": paged,
        "states": wording.TITLES,
        "spots": _spots(nights, time),
        "axis": around_means(means, (0.0, 1.0)),
        "dates": list(dates(time)) if nights else [],
        "words": _words(nights),
        "banners": wording.banners(report),
    }
    return render(replace(assets, js=""), "night.html.j2", values, None)


def _spots(nights: Sequence[Night], time: Axis) -> list[Spot]:
    return [
        Spot(
            place(time, each.started_at),
            f"{each.date} {each.version or ''}: {numbers.score(each.overall)}, {wording.TITLES[each.state].lower()}",
            StoredMean(mean=each.overall),
            each.state not in ("ok", "alarm"),
        )
        for each in nights
    ]


def _words(nights: Sequence[Night]) -> str:
    """What the picture shows, for whoever does not see it."""
    said = ", ".join(f"{each.date} {numbers.score(each.overall)}" for each in nights[-MOST_SAID:])
    return f"Overall of production, the newest {numbers.times(len(nights[-MOST_SAID:]), 'night')}: {said}"
