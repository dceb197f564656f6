"""A team's own cues, beside those that are shipped. Whoever reads the team's file hands them over."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, get_args

from evaluation.errors import ParseError, UsageError
from evaluation.metrics.cues import CUES, SHIPPED
from evaluation.metrics.cues.cue import Cue, Detect, Entry, Findings
from evaluation.metrics.utterance import Utterance
from evaluation.records import Finding, Where
from evaluation.text.forms import did_you_mean

PlaceOf: TypeAlias = Callable[[BaseException], str]
"""From an error to the line of the team's file that it passed."""


@dataclass(frozen=True, slots=True)
class OwnCues:
    """The cues of one file."""

    cues: tuple[Cue, ...] = ()
    place: str = ""
    """The file as people know it."""
    module: str = ""
    """The name under which its code was loaded, for the digest of what scores."""


NONE = OwnCues()
_in_use = NONE


def use_own_cues(own: OwnCues) -> None:
    """Has rubrics and expectations name these cues, and no longer those of an earlier call.

    Raises UsageError for a name that a shipped cue or another of them has.
    """
    global _in_use
    seen: set[str] = set()
    for cue in own.cues:
        if cue.name in SHIPPED or cue.name in seen:
            whose = "a shipped cue" if cue.name in SHIPPED else "another cue of the file"
            raise UsageError(f"{own.place}: cue {cue.name!r}: {whose} has this name: choose another")
        seen.add(cue.name)
    for cue in _in_use.cues:
        CUES.pop(cue.name, None)
    CUES.update({cue.name: cue for cue in own.cues})
    _in_use = own


def unknown_cue(name: str) -> str:
    """Says that there is no such cue, and how there may be one."""
    own = "" if _in_use.cues else "; one of your own comes from the file that `cues` names in the workspace file"
    return f"unknown cue {name[:80]!r}{did_you_mean(name, tuple(CUES))}{own}"


def module_of(names: Iterable[str]) -> tuple[str, ...]:
    """The module of the team's cues where one of these names is among them; none else."""
    own = {cue.name for cue in _in_use.cues}
    return (_in_use.module,) if own.intersection(names) else ()


def own_module() -> tuple[str, ...]:
    """The module of the team's cues where there are any."""
    return (_in_use.module,) if _in_use.cues else ()


def read_declared(declared: object, place: str, module: str, place_of: PlaceOf) -> OwnCues:
    """The cues that a file declares as `CUES`, a list or a mapping. Raises UsageError where it declares none."""
    cues: Any = tuple(declared.values()) if isinstance(declared, Mapping) else declared
    if not isinstance(cues, list | tuple) or not cues:
        raise ParseError(place, "has no CUES: write CUES = [Cue(name, meaning, settings, function), ...]")
    for each in cues:
        if not isinstance(each, Entry):
            raise ParseError(place, f"CUES holds {repr(each)[:80]}: write Cue(name, meaning, settings, function)")
    return OwnCues(tuple(_guarded(each, place, place_of) for each in cues), place, module)


def _problem(found: object) -> str:
    """What is wrong with something that a cue found; empty where nothing is."""
    if not isinstance(found, Finding):
        return "return a tuple of Finding values"
    if found.where not in get_args(Where):
        return f"its place is one of {', '.join(get_args(Where))}"
    if not (isinstance(found.start, int) and isinstance(found.end, int) and 0 <= found.start <= found.end):
        return "its start and end are offsets into the text, from 0 up"
    return (
        ""
        if isinstance(found.quote, str) and 0 <= found.strength <= 1
        else "its quote is a text, its strength from 0 to 1"
    )


def _guarded(cue: Cue, place: str, place_of: PlaceOf) -> Cue:
    """The cue, whose errors name it and the line of the file."""

    def failed(error: Exception) -> ParseError:
        said = f"{type(error).__name__} ({' '.join(str(error).split())[:200]})"
        return ParseError(place_of(error), f"cue {cue.name!r} ends with {said}: correct the cue")

    def build(settings: Any) -> Detect:
        try:
            detect = cue.build(settings)
        except ValueError:
            raise  # what a rubric gives is wrong, and the rubric's line is named
        except Exception as error:
            raise failed(error) from None

        def guarded(utterance: Utterance) -> Findings:
            try:
                found: tuple[Any, ...] = tuple(detect(utterance))
            except Exception as error:
                raise failed(error) from None
            for each in found:
                if problem := _problem(each):
                    raise ParseError(place, f"cue {cue.name!r} returns {repr(each)[:80]}: {problem}")
            return found

        return guarded

    return replace(cue, build=build)
