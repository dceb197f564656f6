"""From a rubric to the function that scores exchanges: the rules are prepared once for each language that is met."""

from dataclasses import dataclass, replace

from evaluation.languages.detect import LONGEST, NOTHING, Seen, detect_language
from evaluation.languages.packs import ENGLISH, generation, pack_of
from evaluation.languages.spoken import Languages
from evaluation.metrics.cues.phrases import find_phrase
from evaluation.metrics.profiles.chosen import rubrics_by_prompt
from evaluation.metrics.scoring import RubricRules, rubric_rules
from evaluation.metrics.utterance import Text, Utterance, fold_phrase, tokens_of
from evaluation.ports import ScoreExchange
from evaluation.records import Exchange, Json, Score
from evaluation.rubrics.rubric import Rubric


class RulesLookup:
    """The rules of a rubric by what an exchange is: its language, and the profile of its prompt."""

    def __init__(self, rubric: Rubric) -> None:
        self._rubric = rubric
        self._choose = rubrics_by_prompt(rubric)
        self._prepared: dict[tuple[str, int, tuple[str, ...]], RubricRules] = {}

    def of(self, utterance: Utterance, named: str = "") -> RubricRules:
        """The rules for an exchange; `named` is its language where the scenario says it."""
        language = languages_of(utterance, named).scored(self._rubric.language)
        chosen = self._choose(utterance.user_input.original)
        key = (language, generation(), chosen.key)
        found = self._prepared.get(key)
        if found is None:
            found = self._prepared[key] = rubric_rules(chosen.rubric, language)
        return replace(found, note=chosen.note) if chosen.note else found

    def scores(self, utterance: Utterance, named: str = "") -> tuple[Score, ...]:
        """The scores of an exchange by the rules for it. Nothing may have been counted of its response before."""
        rules = self.of(utterance, named)
        utterance.response.speech = rules.speech
        return rules.scores(utterance)

    def score(self, metric: str, utterance: Utterance) -> Score:
        """The score of one metric, for use outside a run. Raises UsageError where the rubric has no rule for it."""
        rules = self.of(utterance)
        utterance.response.speech = rules.speech
        return rules.score(metric, utterance)


def build_scorer(rubric: Rubric) -> ScoreExchange:
    """The rubric as the function that the runner calls: one heuristic score per metric with a rule, in rubric order."""
    lookup = RulesLookup(rubric)
    lookup.of(Utterance("", ""))  # what most exchanges need is prepared, and a fault in it is met, before the first

    def score(exchange: Exchange) -> tuple[Score, ...]:
        utterance = Utterance(
            *(exchange.user_input, exchange.response, exchange.context, exchange.moderation, exchange.meaning)
        )
        return lookup.scores(utterance, exchange.language)

    return score


def languages_of(utterance: Utterance, named: str = "") -> Languages:
    """The languages of an exchange: as named, of the user's message, and of the reply.

    A message in another language than the reply does not count as sure where the user said something in that of the
    reply before: who changes the language for a sentence is answered in that of the conversation.
    """
    message, reply = _seen_in(utterance.user_input), _seen_in(utterance.response)
    if message.sure and reply.sure and message.language != reply.language and utterance.context:
        before = [_seen_in(text) for role, text in utterance.earlier if role == "user"]
        if reply in before:
            message = message._replace(sure=False)
    return Languages(named, message, reply)


def _seen_in(text: Text) -> Seen:
    """What a text says of its language; looked at once for all exchanges that hold it."""
    if not text.folded:
        return NOTHING
    key = (_seen_in, generation())
    seen: Seen | None = text.remembered.get(key)
    if seen is None:
        short = len(text.folded) <= LONGEST
        tokens = text.tokens if short else frozenset(tokens_of(text.folded[:LONGEST]))
        seen = text.remembered[key] = detect_language(text.folded, tokens)
    return seen


@dataclass(frozen=True, slots=True)
class SpokenIn:
    """What is known of the language of an exchange."""

    named: str
    """By the scenario; empty where it names none."""
    message: str
    """Of the user's message; empty where it does not say so for sure."""
    reply: str
    """The same of the reply."""
    scored: str
    """The language by whose pack it is scored."""
    matches: bool | None
    """Whether the reply is in the language it is wanted in; None where nobody can tell, or another one is asked for."""

    def to_json(self) -> dict[str, Json]:
        """The entry of a line of results.jsonl."""
        found = {"named": self.named, "message": self.message, "reply": self.reply, "scored": self.scored}
        return {**{key: value or None for key, value in found.items()}, "matches": self.matches}


def spoken_in(exchange: Exchange, own: str = ENGLISH) -> SpokenIn:
    """The languages of an exchange that is scored by a rubric of the language `own`."""
    utterance = Utterance(exchange.user_input, exchange.response, exchange.context)
    found = languages_of(utterance, exchange.language)
    matches = found.match(exchange.language)
    if matches is False and _asks_for_another(utterance.user_input, found.message.language or own):
        matches = None
    message, reply = (each.language if each.sure else "" for each in (found.message, found.reply))
    return SpokenIn(exchange.language, message, reply, found.scored(own), matches)


def _asks_for_another(message: Text, language: str) -> bool:
    """Whether the user asks for words of another language: a translation, or practice."""
    pack = pack_of(language)
    return pack is not None and any(
        find_phrase(message.line, fold_phrase(phrase)) for phrase in pack.lists.translation_requests
    )
