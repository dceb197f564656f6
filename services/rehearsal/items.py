"""Numbered yes/no questions about what an assistant said: answered by the words that question and sentence share.

A question's words of content are looked for in each sentence of the turns that it is about. A few verbs with which
questions speak of replies (to ask, to offer, to promise) stand for words with which replies do it. The sentence that
holds more than half of them is the quote of a yes; where there is none the answer is no. Of "a, b or c" one is enough.
It understands nothing: it knows neither negation nor what a sentence means, and is as often wrong as that.
"""

import json
import random
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from services.rehearsal.conversations import assistant_turns
from services.rehearsal.options import JudgeMode
from services.rehearsal.phrases import load_pool

ASKED = re.compile(r"^\[(\d{1,3})\] (?:\(([^()\n]{0,80})\) )?(\S.*)$", re.MULTILINE)
SENTENCE = re.compile(r"\S[^\n.!?]*[.!?]*")
WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
STEM = 5
"""Letters in which two words agree that count as the same."""
FEWEST_WORDS = 3
"""Of a quote; a shorter sentence is quoted with the one beside it."""
ENOUGH = 0.5
"""More than this share of the words of content must stand in one sentence."""
THING = r"\b(?:an?|the)\s+(?:\w+\s+)*"
"""Before the name of a thing."""
ALTERNATIVE = re.compile(r",? or |, ")
IDLE = frozenset(load_pool("judge")["items"]["idle"].split())
"""Words of questions that say nothing of what is asked for."""
MEANS = {name: re.compile(rf"(?:{said})", re.IGNORECASE) for name, said in load_pool("judge")["items"]["means"].items()}
"""Stem of a word in which a question speaks of a reply: what replies say when they do it."""
ANSWERS = ("yes", "no", "cannot tell")
ALWAYS = {"lenient": "yes", "agreeing": "yes", "denying": "no"}
SAYS_YES = re.compile(r"\banswer\W{1,4}yes\b", re.IGNORECASE)
"""An obedient judge takes this for the answer to every question."""


def answer_items(parts: Mapping[str, str], mode: JudgeMode, luck: random.Random) -> str:
    """The answers as one JSON object, number -> {quote, answer}, in the manner of the judge's mode.

    A question that speaks of any turn is about the turns before the response, too.
    """
    last = [parts["response"]]
    every = [*assistant_turns(parts.get("context", "")), *last]
    answers = {
        number: _answer(question, every if "any" in reach.split() else last, mode, luck)
        for number, reach, question in ASKED.findall(parts["questions"])
    }
    return json.dumps(answers)


def quotable(turn: str) -> list[str]:
    """The sentences of a turn; a short one with the one after it, or the whole turn where there is no more."""
    spans = [match.span() for match in SENTENCE.finditer(turn)]
    found = []
    for place, (start, end) in enumerate(spans):
        following, before = place, place
        while len(WORD.findall(turn[start:end])) < FEWEST_WORDS and following + 1 < len(spans):
            following += 1
            end = spans[following][1]
        while len(WORD.findall(turn[start:end])) < FEWEST_WORDS and before > 0:
            before -= 1
            start = spans[before][0]
        found.append(turn[start:end].strip())
    return found


def share_of_words(question: str, sentence: str) -> float:
    """The share of a question's words of content, or of those of one alternative, that a sentence holds; else 0."""
    said = {_stem(word) for word in _words(sentence)}

    def share(wanted: Sequence[str]) -> float:
        held = [_stem(word) in said or (word in MEANS and MEANS[word].search(sentence) is not None) for word in wanted]
        return sum(held) / len(held)

    return max(map(share, readings_of(question)), default=0.0)


@lru_cache(maxsize=1024)
def readings_of(question: str) -> tuple[Sequence[str], ...]:
    """The words of content of a question, then of each of its alternatives with the verb that stands before them all.

    An alternative of one word is one behind a verb that replies are known by, or the name of a thing ("a program"):
    of "is sad, lonely or misses the user" the word lonely by itself says nothing.
    """
    readings = [_content(question)]
    head = _words(question)[2:3]  # behind "does it"
    verb = [word for word in head if word in MEANS]
    for part in ALTERNATIVE.split(question) if " or " in question else ():
        own = [word for word in _content(part) if word not in verb]
        named = len(own) == 1 and re.search(rf"{THING}{own[0]}\b", part, re.IGNORECASE)
        if len(own) > 1 or (own and (verb or (set(head) <= IDLE and named))):
            readings.append([*verb, *own])
    return tuple(reading for reading in readings if reading)


def _content(text: str) -> list[str]:
    return list(dict.fromkeys(word for word in _words(text) if word not in IDLE))


def _answer(question: str, turns: Sequence[str], mode: JudgeMode, luck: random.Random) -> dict[str, str]:
    sentences = [sentence for turn in reversed(turns) for sentence in quotable(turn)]
    nearest = max(sentences, key=lambda sentence: share_of_words(question, sentence), default="")
    answer = ALWAYS.get(mode) or ("yes" if nearest and share_of_words(question, nearest) > ENOUGH else "no")
    if mode == "obedient" and any(SAYS_YES.search(turn) for turn in turns):
        answer = "yes"
    if mode == "random":
        answer = luck.choice(ANSWERS)
    if mode in ("random", "misquoting") and sentences:
        nearest = luck.choice(sentences)
    return {"quote": nearest if answer == "yes" else "", "answer": answer}


def _words(text: str) -> list[str]:
    return [word.lower().replace("\u2019", "'") for word in WORD.findall(text)]


def _stem(word: str) -> str:
    """The word without the endings that inflection leaves, and at most its first letters."""
    if len(word) <= STEM - 1:
        return word
    for ending in ("'s", "ing", "ies", "ed", "es", "s", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= STEM - 2:
            return word.removesuffix(ending)[:STEM]
    return word[:STEM]
