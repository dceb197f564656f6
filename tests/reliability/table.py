"""All cases, in the order of the document, and how one is played."""

from tests.reliability.application_faults import APPLICATION_CASES
from tests.reliability.bench import Seen, bench
from tests.reliability.case import Case
from tests.reliability.endpoint_faults import ENDPOINT_CASES
from tests.reliability.file_faults import FILE_CASES
from tests.reliability.process_faults import PROCESS_CASES

GROUPS: dict[str, tuple[Case, ...]] = {
    "The process and its clock": PROCESS_CASES,
    "Disk, journal and neighbours": FILE_CASES,
    "The endpoint and the way to it": ENDPOINT_CASES,
    "The application under test": APPLICATION_CASES,
}
CASES = tuple(case for cases in GROUPS.values() for case in cases)


def play(case: Case, *, quick: bool = False) -> Seen:
    """Injects the fault into real commands; raises AssertionError where something else comes of it than the table says.

    `quick` takes one point where the case has many.
    """
    with bench(case.latency_s, quick=quick) as place:
        seen = case.story(place)
    assert seen.code == case.code, f"{case.name}: exit code {seen.code}, expected {case.code}"
    assert case.says in seen.line, f"{case.name}: {case.says!r} is not in {seen.line!r}"
    return seen
