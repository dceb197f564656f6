"""Facts that `recalls` asks for: each must be said in the turn that its item names, or nothing could be remembered."""

from collections.abc import Sequence

from evaluation.expectations.checks import Recalls, list_phrases, prepare_check, quote_phrase
from evaluation.expectations.form import ItemFault
from evaluation.metrics.utterance import Utterance
from evaluation.records import Expectation


def check_facts(items: Sequence[Expectation], turns: Sequence[str], history: Sequence[str]) -> None:
    """Holds the items of a scenario to what its user and its history say; of several wordings one is enough.

    Raises ItemFault for the first fact that is not said where its item looks for it.
    """
    for place, item in enumerate(items):
        check = prepare_check(item.check, item.settings) if item.check else None
        if not isinstance(check, Recalls):
            continue
        said = history if check.from_turn == 0 else turns[check.from_turn - 1 : check.from_turn]
        if not any(quote_phrase(Utterance("", text), wording) for text in said for wording in check.wordings):
            where = f"turn {check.from_turn}" if check.from_turn else "the history"
            problem = f"recalls {list_phrases(check.wordings)}, which {where} does not say"
            step = "name the turn that does, or add its wording under any"
            raise ItemFault((place, "from_turn"), f"item {item.id!r} {problem}: {step}")
