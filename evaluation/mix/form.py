"""The file of a mix: YAML that people read and edit, with the counts that each share rests on."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Annotated

from pydantic import Field

from evaluation.mix.mix import CategoryShare, Interval, Mix, Origin, SituationShare
from evaluation.text.forms import Form, SourceText

DECIMALS = 4
HEAD = """\
# Your users' mix: how often they say what each category and situation of the scenarios holds, as shares of responses.
# Shares may be edited: they count relative to one another. A share of 0, or a category without a line, stands for
# nothing. What `uncovered` says is like no scenario: no run says how good the responses to it are.
"""

_WORDS = frozenset(("null", "true", "false", "yes", "no", "on", "off", "y", "n"))
"""Plain words that a reader of YAML may take for something else."""
_Share = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_Count = Annotated[int, Field(ge=0)]
_Ends = Annotated[tuple[_Share, _Share], Field(strict=False)]


class _Situation(Form):
    share: _Share
    responses: _Count | None = None


class _Category(Form):
    share: _Share
    ci95: _Ends | None = None
    responses: _Count | None = None
    situations: Mapping[str, _Situation] = {}


class _Uncovered(Form):
    share: Annotated[float, Field(ge=0, le=1)]
    ci95: _Ends | None = None
    responses: _Count | None = None


class _Origin(Form):
    sample: str = ""
    what: str = ""
    since: str = ""
    until: str = ""
    written: str = ""


class _File(Form):
    mix_of: str
    """The suite whose scenarios are meant."""
    uncovered: _Uncovered = _Uncovered(share=0.0)
    categories: Annotated[Mapping[str, _Category], Field(min_length=1)]
    responses: _Count | None = None
    users: _Count | None = None
    independent: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """As many responses of users who never return say as much; without it the shares count as exact."""
    origin: _Origin = _Origin()


def parse_mix(source: SourceText) -> Mix:
    """The mix of a file. Raises ParseError for a file of another form, and where no category has a share above 0."""
    form = source.read(_File, "'mix_of:', the suite whose scenarios it is about")
    if not any(category.share > 0 for category in form.categories.values()):
        raise source.error(("categories",), "no category has a share above 0: say how often each is met")
    for name, category in form.categories.items():
        met = category.situations
        if category.share > 0 and met and not any(each.share > 0 for each in met.values()):
            path = ("categories", name, "situations")
            raise source.error(path, "no situation has a share above 0: leave out the key, and they count alike")
    return Mix(
        suite=form.mix_of,
        categories={
            name: CategoryShare(
                share=each.share,
                ci95=each.ci95,
                responses=each.responses,
                situations={
                    situation: SituationShare(of.share, of.responses) for situation, of in each.situations.items()
                },
            )
            for name, each in form.categories.items()
        },
        uncovered=form.uncovered.share,
        uncovered_ci95=form.uncovered.ci95,
        responses=form.responses,
        users=form.users,
        independent=form.independent,
        origin=Origin(**form.origin.model_dump()),
    )


def mix_text(mix: Mix) -> str:
    """The file, a line for each situation; `parse_mix` reads it back but for digits of shares."""
    return HEAD + "".join(f"{line}\n" for line in _lines(mix))


def _lines(mix: Mix) -> Iterator[str]:
    yield f"mix_of: {_text(mix.suite)}"
    if known := {name: value for name, value in asdict(mix.origin).items() if value}:
        yield "origin:"
        yield from (f"  {name}: {_text(value)}" for name, value in known.items())
    for name in ("responses", "users"):
        if (count := getattr(mix, name)) is not None:
            yield f"{name}: {count}"
    if mix.independent is not None:
        yield "# as many responses of users who never return, all drawn alike, would say as much:"
        yield f"independent: {mix.independent:.1f}"
    yield "# like no scenario:"
    yield f"uncovered: {{{', '.join(_figures(mix.uncovered, mix.uncovered_ci95, None))}}}"
    yield "categories:"
    for name, category in mix.categories.items():
        yield f"  {_text(name)}:"
        yield from (f"    {each}" for each in _figures(category.share, category.ci95, category.responses))
        if category.situations:
            yield "    situations:"
        for situation, met in category.situations.items():
            yield f"      {_text(situation)}: {{{', '.join(_figures(met.share, None, met.responses))}}}"


def _figures(share: float, ci95: Interval | None, responses: int | None) -> Iterator[str]:
    yield f"share: {_number(share)}"
    if ci95 is not None:
        yield f"ci95: [{_number(ci95[0])}, {_number(ci95[1])}]"
    if responses is not None:
        yield f"responses: {responses}"


def _number(value: float) -> str:
    return f"{round(value, DECIMALS):.{DECIMALS}f}".rstrip("0").rstrip(".") or "0"


def _text(value: str) -> str:
    """As JSON, which YAML reads as the same text; plain where nothing in it means something else."""
    plain = value.replace("-", "").replace("_", "").isalnum() and value.isascii() and value[0].isalpha()
    return value if plain and value.lower() not in _WORDS else json.dumps(value)
