"""Where a fall of production's responses comes from: what production and the invented scenarios say together.

The scenarios are the same every night, so that a fall on them is the prompt's or the model's, and the night
distinguishes these by playing. What users write is not the same. So a fall of production alone is one of the messages,
of the users, or of the application around the prompt, and a fall of both is one of prompt or model.
"""

from collections.abc import Iterable

from evaluation.nightly.alarm import NightGate
from evaluation.nightly.production import ProductionWatch, Sample
from evaluation.text import numbers


def explain(watch: ProductionWatch, gate: NightGate | None) -> tuple[str, ...]:
    """Sentences about the cause; `gate` is the answer on the invented scenarios, None where there is none."""
    if watch.tonight is None or watch.before is None or not watch.checks:
        return ()
    return tuple(_sentences(watch, watch.before, watch.tonight, gate))


def _sentences(watch: ProductionWatch, before: Sample, tonight: Sample, gate: NightGate | None) -> Iterable[str]:
    if before.version != tonight.version:
        yield f"users heard {tonight.title}; the approved sample is of {before.title}"
    measured = gate is not None and gate.measured
    fell = gate is not None and gate.alarmed
    if watch.state == "lower" and fell:
        yield (
            "production's responses and the invented scenarios both fell: the cause is what they share, the prompt or "
            "the model"
        )
    elif watch.state == "lower" and measured:
        yield (
            "production's responses fell and the invented scenarios hold: prompt and model answer these as before, so "
            "that the cause lies in who writes and what (the mix of messages and users), in situations that no "
            "scenario has, or in the application around the prompt"
        )
    elif watch.state == "lower":
        yield "the invented scenarios were not measured, so that nothing can be said of the cause of production's fall"
    elif watch.state == "holds" and fell:
        yield (
            f"production's responses hold where the invented scenarios fell: they are of {tonight.since[:10]} to "
            f"{tonight.until[:10]}, so that a change of the last days shows in few of them, or they meet other "
            "situations"
        )
    if watch.state == "lower" and watch.mix is not None:
        parts = watch.mix
        yield (
            f"of production's difference {numbers.with_sign(parts.mix)} goes with other shares of kinds of messages "
            f"(first or later, short or longer), {numbers.with_sign(parts.within)} is within the kinds"
        )
