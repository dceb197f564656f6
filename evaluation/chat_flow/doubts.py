"""What a judge is asked where the check of diets and allergies cannot tell: about exactly the words that are in doubt.

A judge can show that something may not be eaten, by words of the application; it can never make the check pass.
"""

from collections.abc import Sequence

from evaluation.chat_flow.case import FlowCase
from evaluation.chat_flow.checks.dietary import doubtful_words
from evaluation.chat_flow.checks.outcome import subject
from evaluation.chat_flow.checks.table import sum_up
from evaluation.chat_flow.flow_run import flow_of
from evaluation.food.lexicon import Lexicon
from evaluation.records import Exchange, Expectation, ItemAnswer, Score

DIETARY = "dietary"
DOUBT = "dietary-in-doubt"
"""Id of the question."""
MOST_WORDS = 12
"""Words that a question names; a recipe of others is for people."""


def ask_about_doubts(lexicon: Lexicon, exchange: Exchange, scores: Sequence[Score]) -> tuple[Expectation, ...]:
    """The question about a flow of which the check cannot tell; none where it can."""
    run = flow_of(exchange)
    if run is None or not any(_is_open(score) for score in scores):
        return ()
    words, rules = doubtful_words(subject(run, FlowCase.read(run.case), lexicon))
    if not words:
        return ()
    named = ", ".join(f'"{word}"' for word in words[:MOST_WORDS])
    question = (
        f"Does it offer something that this user may not eat ({', '.join(rules)}), in ingredients of which these words "
        f"are not certain: {named}?"
    )
    return (Expectation(DOUBT, "never", question, critical=True, scope="response"),)


def settle_doubts(scores: Sequence[Score], answers: Sequence[ItemAnswer]) -> tuple[Score, ...]:
    """The scores with what the judge said: a yes with its quote fails the check, all else leaves it not known."""
    found = next((answer for answer in answers if answer.id == DOUBT), None)
    if found is None:
        return tuple(scores)
    settled = [_settled(score, found) if _is_open(score) else score for score in scores]
    overall = sum_up([score for score in settled if score.source == "check" and score.metric != "overall"])
    return tuple(overall if score.source == "check" and score.metric == overall.metric else score for score in settled)


def _is_open(score: Score) -> bool:
    return score.metric == DIETARY and score.source == "check" and score.value is None and score.applicable


def _settled(score: Score, answer: ItemAnswer) -> Score:
    if answer.outcome == "fails":
        said = f'{score.reason}; the judge shows that it may not be eaten: "{answer.quote}"'
        return score._replace(value=0.0, explanation=said, reason="")
    said = "the judge sees nothing that may not be eaten" if answer.outcome == "holds" else "the judge cannot tell"
    return score._replace(reason=f"{score.reason}; {said}")
