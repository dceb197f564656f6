"""Edits that code makes to a reply: the order of its words, its layout, its end, what it repeats or copies."""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import TypeAlias

from evaluation.mutations.base import Base

Change: TypeAlias = Callable[[Base, Sequence[Base]], str]
"""From a base, and all bases about the same, to the edited reply."""

SHORT = 4
"""Letters of a word that is too short to be cut in two."""
_FILLER = (
    "There is a lot that one could say about all of this.",
    "It is what it is, in a way, and then again it is not.",
    "Things like that come up now and then.",
    "That is really how it goes, more or less.",
    "At the end of the day it all depends on many things.",
)
_CLAUSE = re.compile(r"^[^,.!?]+[,.!?]")


def plain_reply(base: Base) -> str:
    """The good reply as one text."""
    return " ".join(text for _, text in base.sentences())


def _texts(base: Base) -> list[str]:
    return [text for _, text in base.sentences()]


def _in_other_order(order: Callable[[list[str]], Sequence[str]]) -> Change:
    return lambda base, _: " ".join(order(plain_reply(base).split()))


def _shuffled(words: list[str]) -> list[str]:
    """In an order that looks like chance and is always the same."""
    places = range(len(words))
    order = sorted(places, key=lambda place: hashlib.sha256(f"{len(words)} {place}".encode()).digest())
    return [words[place] for place in order]


def _neighbours_swapped(words: list[str]) -> list[str]:
    return [word for start in range(0, len(words), 2) for word in reversed(words[start : start + 2])]


def _halves_interleaved(words: list[str]) -> list[str]:
    middle = (len(words) + 1) // 2
    pairs = zip(words[middle:], words[:middle], strict=False)
    return [word for pair in pairs for word in pair] + words[len(words) - middle : middle]


def _of(write: Callable[[list[str]], str]) -> Change:
    """A change that looks at the sentences of the reply alone."""
    return lambda base, _: write(_texts(base))


def _bullets(sentences: Sequence[str], mark: Callable[[int], str]) -> str:
    return "\n".join(f"{mark(number)} {text}" for number, text in enumerate(sentences, start=1))


def _every_third_word_bold(sentences: Sequence[str]) -> str:
    words = " ".join(sentences).split()
    return " ".join(f"**{word}**" if place % 3 == 0 else word for place, word in enumerate(words))


def _until(base: Base, share: float) -> str:
    """The first share of the reply's words."""
    words = plain_reply(base).split()
    return " ".join(words[: max(1, int(len(words) * share))]).rstrip(".,!?")


def _into_a_word(base: Base) -> str:
    """The reply up to the middle of its last long word."""
    words = plain_reply(base).split()
    last = max(range(len(words)), key=lambda place: (len(words[place]) > SHORT, place))
    return " ".join([*words[:last], words[last][: len(words[last]) // 2]])


def _with_filler(times: int) -> Change:
    """The reply and sentences that say nothing, until there are so many times as many words."""

    def change(base: Base, _: Sequence[Base]) -> str:
        text = plain_reply(base)
        length = times * len(text.split())
        for number in count():
            if len(text.split()) >= length:
                break
            text = f"{text} {_FILLER[number % len(_FILLER)]}"
        return text

    return change


def _said(times: int) -> Change:
    return _of(lambda said: " ".join(said * times))


def _of_another(steps: int) -> Change:
    def change(base: Base, bases: Sequence[Base]) -> str:
        place = next(number for number, other in enumerate(bases) if other.id == base.id)
        return plain_reply(bases[(place + steps) % len(bases)])

    return change


def _earlier(place: int, write: Callable[[str, Base], str] = lambda said, _: said) -> Change:
    """One of the assistant's earlier turns in the place of the reply."""

    def change(base: Base, _: Sequence[Base]) -> str:
        return write([turn.content for turn in base.turns() if turn.role == "assistant"][place], base)

    return change


def _of_the_user(write: Callable[[str], str]) -> Change:
    return lambda base, _: write(base.user)


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]


def _first_clause(text: str) -> str:
    found = _CLAUSE.match(text)
    return (found[0] if found else text).rstrip(",.!?")


CHANGES: Mapping[str, Change] = {
    "shuffle_words": _in_other_order(_shuffled),
    "reverse_words": _in_other_order(lambda words: words[::-1]),
    "sort_words": _in_other_order(lambda words: sorted(words, key=str.lower)),
    "swap_neighbours": _in_other_order(_neighbours_swapped),
    "rotate_words": _in_other_order(lambda words: words[len(words) // 3 :] + words[: len(words) // 3]),
    "interleave_halves": _in_other_order(_halves_interleaved),
    "repeat_last": _of(lambda said: " ".join([*said, said[-1]])),
    "repeat_first": _of(lambda said: " ".join([said[0], *said])),
    "repeat_all": _of(lambda said: " ".join([*said, *said])),
    "repeat_last_twice": _of(lambda said: " ".join([*said, said[-1], said[-1]])),
    "repeat_in_the_middle": _of(lambda said: " ".join([said[0], said[0], *said[1:]])),
    "repeat_clause": _of(lambda said: f"{' '.join(said)} {_first_clause(said[0])}."),
    "itself_2x": _said(2),
    "itself_4x": _said(4),
    "itself_10x": _said(10),
    "filler_2x": _with_filler(2),
    "filler_4x": _with_filler(4),
    "filler_10x": _with_filler(10),
    "earlier_turn": _earlier(-1),
    "earlier_turn_with_lead": _earlier(-1, lambda said, _: f"Well, {_lower_first(said)}"),
    "earlier_turn_in_part": _earlier(-1, lambda said, base: f"{said} {_texts(base)[-1]}"),
    "earlier_turn_and_question": _earlier(-1, lambda said, _: f"{said} What do you think?"),
    "first_turn": _earlier(0),
    "first_turn_with_lead": _earlier(0, lambda said, _: f"Like I was saying, {_lower_first(said)}"),
    "bold_words": _of(_every_third_word_bold),
    "bullet_points": _of(lambda said: _bullets(said, lambda _: "-")),
    "heading_above": _of(lambda said: "## My answer\n\n" + " ".join(said)),
    "numbered_list": _of(lambda said: _bullets(said, lambda number: f"{number}.")),
    "code_block": _of(lambda said: "```\n" + "\n".join(said) + "\n```"),
    "table_of_two": _of(lambda said: "| what | why |\n| --- | --- |\n| " + " | ".join(said) + " |"),
    "cut_in_half": lambda base, _: _until(base, 0.5),
    "cut_last_word": lambda base, _: " ".join(plain_reply(base).split()[:-1]).rstrip(".,!?"),
    "cut_in_word": lambda base, _: _into_a_word(base),
    "cut_third": lambda base, _: _until(base, 0.33),
    "cut_last_sentence": lambda base, _: " ".join([*_texts(base)[:-1], *_texts(base)[-1].split()[:2]]).rstrip(".,!?"),
    "cut_after_comma": lambda base, _: f"{plain_reply(base).rstrip('.!?')}, and",
    "reply_of_next": _of_another(1),
    "reply_of_second": _of_another(2),
    "reply_of_third": _of_another(3),
    "reply_of_fifth": _of_another(5),
    "reply_of_seventh": _of_another(7),
    "reply_of_eleventh": _of_another(11),
    "user_message": _of_the_user(lambda said: said),
    "user_message_with_lead": _of_the_user(lambda said: f"So, {_lower_first(said)}"),
    "user_message_twice": _of_the_user(lambda said: f"{said} {said}"),
    "user_message_as_question": _of_the_user(lambda said: f"{said.rstrip('.!?')}?"),
    "user_message_reported": _of_the_user(lambda said: f"You are saying: {said}"),
    "user_message_reordered": _of_the_user(lambda said: " ".join(said.split()[::-1])),
}
