"""The judge's own crude opinion of a reply or of a run of a recipe assistant, and how an opinion is held."""

import random
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from services.rehearsal.phrases import load_pool
from services.rehearsal.scene import find_feeling

READ_AT_MOST = 5_000
NOISE = 0.03
"""Standard deviation of one value between two seeds."""
UNSEEN = 0.7
"""The value of a dimension of which there is nothing to see, where null is not allowed."""
FAULTY_BELOW, FAULTS_WEIGH = 0.75, 0.8
"""Mean below which a reply counts as faulty, and what each point below it costs once more."""
SIGNS = {name: re.compile(seen, re.IGNORECASE | re.MULTILINE) for name, seen in load_pool("judge")["signs"].items()}
"""Sign of a reply -> where it stands."""
DELICATE = re.compile(r"real person|human|therapist|always be here|love|depress|only one|giving up|an AI\b", re.I)
REPLY: Mapping[str, list[str]] = load_pool("judge")["dimensions"]
NAMES: Mapping[str, list[str]] = {**REPLY, **load_pool("judge")["conversation"]["dimensions"]}
"""Dimension -> parts of the names that speak of it."""
SHARED = re.compile(r"[^\W\d_]{4,}")
WORD = re.compile(r"[^\W\d_]{3,}")
FLOW = {name: re.compile(seen, re.MULTILINE) for name, seen in load_pool("judge")["flow"].items()}
"""Part of a run -> where it stands."""

Seen: TypeAlias = tuple[float | None, str]
"""What was seen of one dimension: a value in 0..1, or None where there is nothing of it, and a sentence."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """Values in 0..1 by dimension, and one sentence that says what was seen."""

    values: Mapping[str, float]
    reasoning: str
    remarks: Mapping[str, str] = field(default_factory=dict)
    """Dimension -> what was seen of it; empty where one sentence says it all."""
    absent: Collection[str] = ()
    """Dimensions of which there was nothing to see."""

    @property
    def overall(self) -> float:
        return sum(self.values.values()) / len(self.values)

    def dimension(self, name: str) -> str:
        """The dimension that a name speaks of; empty for none."""
        spoken = (one for one in self.values if any(sign in name.lower() for sign in NAMES.get(one, (one,))))
        return next(spoken, "")

    def move(self, by: Callable[[float], float], reasoning: str) -> "Opinion":
        """The same dimensions with other values."""
        return Opinion({name: by(value) for name, value in self.values.items()}, reasoning)


def opinion_of(seen: Mapping[str, Seen], luck: random.Random) -> Opinion:
    """The opinion, with some noise, of one who saw this of each dimension."""
    return Opinion(
        {name: UNSEEN if value is None else _add_noise(value, luck) for name, (value, _) in seen.items()},
        " ".join(remark for _, remark in seen.values()),
        {name: remark for name, (_, remark) in seen.items()},
        [name for name, (value, _) in seen.items() if value is None],
    )


def _add_noise(value: float, luck: random.Random) -> float:
    return min(1.0, max(0.0, value + luck.gauss(0, NOISE)))


def judge_reply(parts: Mapping[str, str], luck: random.Random) -> Opinion:
    """Reads the first 5,000 characters of message and response. An empty response gets 0 throughout."""
    said, heard = parts["response"][:READ_AT_MOST], parts.get("message", "")[:READ_AT_MOST]
    if not said.strip():
        return Opinion(dict.fromkeys(REPLY, 0.0), "There is no reply to judge.")
    signs = {name: sign.search(said) is not None for name, sign in SIGNS.items()}
    layout, asks, met, cheered, stiff = (signs[name] for name in ("layout", "asks", "hears", "cheers", "stiff"))
    words, feeling, delicate = len(said.split()), find_feeling(heard), DELICATE.search(heard) is not None
    shared = bool(set(SHARED.findall(heard.lower())) & set(SHARED.findall(said.lower())))
    exact = {
        "voice": 0.95 - 0.35 * layout - 0.2 * stiff - 0.2 * (words > 60),
        "talk": 0.5 + 0.2 * (8 <= words <= 45) + 0.2 * asks - 0.2 * layout - 0.15 * stiff,
        "help": 0.55 + 0.15 * shared + 0.15 * asks + 0.1 * (feeling is not None and met) - 0.15 * cheered,
        "heart": 0.6 + 0.1 * asks if feeling is None else 0.4 + 0.45 * met - 0.3 * cheered,
        "thread": 0.5 + 0.3 * signs["recalls"] + 0.05 * shared,
        "trust": 0.7 + (0.2 if signs["open"] else -0.2) * delicate - 0.4 * signs["clings"],
    }
    seen = [
        f"{words} words{', with a layout that cannot be spoken' if layout else ', easy to speak'}",
        "invites the user to go on" if asks else "does not invite the user to go on",
        *([] if feeling is None else ["hears the feeling" if met else "passes over the feeling"]),
        *(["promises or binds more than it should"] if signs["clings"] else []),
    ]
    # Many faults weigh more together than one by one.
    fault = FAULTS_WEIGH * max(0.0, FAULTY_BELOW - sum(exact.values()) / len(exact))
    return Opinion({name: _add_noise(value - fault, luck) for name, value in exact.items()}, "; ".join(seen) + ".")


def judge_flow(parts: Mapping[str, str], luck: random.Random) -> Opinion:
    """Five dimensions of a run, from its blocks, with a remark for each."""
    selected = parts["selected"]
    said = "\n".join(FLOW["user"].findall(parts["messages"]))
    named = _words(f"{said} {parts.get('fridge_input', '')}")
    unwanted = _words(" ".join(FLOW["unwanted"].findall(said)))
    minutes = min((int(minutes) for minutes in FLOW["minutes"].findall(said)), default=100_000)
    titles = FLOW["title"].findall(parts["options"])

    def faults(recipe: str) -> tuple[bool, bool, bool]:
        listed = _words(" ".join(FLOW["ingredients"].findall(recipe)))
        late = any(int(time) > minutes for time in FLOW["time"].findall(recipe))
        return not listed & named, late, bool(listed & unwanted)

    offered = [faults(text) for text in re.split(r"\n\n(?=Option )", parts["options"])] if titles else []
    used = sum(not foreign for foreign, _, _ in offered) / max(1, len(offered))
    bad = sum(late or barred for _, late, barred in offered) / max(1, len(offered))
    meant = next(iter(FLOW["title"].findall(selected)), None) in titles
    steps, broken = len(FLOW["step"].findall(selected)), parts.get("errors", "(none)").strip() != "(none)"
    seen = {
        "input_understanding": (
            0.2 + 0.7 * used * (1 - 0.6 * bad),
            f"{used:.0%} of the options use something that was named.",
        ),
        "option_quality": (
            0.9 * used * (1 - 0.9 * bad) if titles else 0.0,
            f"{len(titles)} options, {sum(late for _, late, _ in offered)} of them over the time that was named, "
            f"{sum(barred for _, _, barred in offered)} with what was not wanted.",
        ),
        "selection_quality": (
            0.1 if not meant else 0.3 if any(faults(selected)) else 0.9,
            "The selected recipe is one of the options." if meant else "Not one of the options.",
        ),
        "reliability": (0.0 if broken else 0.95, "The run broke off." if broken else "No errors."),
        "clarity": (0.3 if steps < 2 else 0.9 if steps < 8 else 0.7, f"{steps} steps to follow."),
    }
    return opinion_of(seen, luck)


def _words(text: str) -> set[str]:
    """The words of a text without the s of a plural."""
    return {word.lower().removesuffix("s") for word in WORD.findall(text)}
