"""All rows of an index as one automaton, which is made as texts are read: a state is what may come next in any row.

From each word of a text it is followed until no row can go on. A state that was met before costs one look-up a word,
whatever the number of rows; a new one is worked out from the steps of its rows. The end of a row is seen at the
character behind it.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from evaluation.metrics.cues.coding import CLAUSE_ENDS
from evaluation.metrics.cues.cue import Span
from evaluation.metrics.cues.steps import END, Steps, advance, opened

KEPT = 50_000
"""Ways from a state to another that are remembered."""
_ENDS = frozenset(CLAUSE_ENDS)


class Row:
    """One row of a list."""

    __slots__ = ("_code", "_steps", "number", "rows")

    def __init__(self, number: int, rows: object, code: Callable[[], Steps]) -> None:
        self.number = number
        """Its place among all rows."""
        self.rows = rows
        """The list in which it stands."""
        self._code = code
        self._steps: Steps = ()

    def steps(self) -> Steps:
        """All of it in its steps, into which it is coded when a text first holds a word with which it can begin."""
        self._steps = self._steps or self._code()
        return self._steps


class Under(NamedTuple):
    """A row under way, and what may come next in it."""

    row: Row
    steps: Steps
    heads: str
    """The characters for which it looks."""
    asked: bool
    """True where it is asked at any character: it may go on over any, or end before it."""


class State(dict[str, "State | None"]):
    """What may come next in the rows under way: character -> the state behind it; None where no row goes on or ends."""

    __slots__ = ("_states", "ended", "plain", "plain_is_known", "under")

    def __init__(self, states: "States", under: tuple[Under, ...], ended: tuple[Row, ...]) -> None:
        super().__init__()
        self._states = states
        self.under = under
        self.ended = ended
        """The rows that end before the character just read."""
        self.plain: State | None = None
        """The state behind each word that no row under way looks for, once there was one."""
        self.plain_is_known = False

    def __missing__(self, code: str) -> "State | None":
        found = self[code] = self._states.follow(self, code)
        return found


class States:
    """The states of an index, each made once and forgotten where there are too many."""

    def __init__(self, filed: Mapping[str, Sequence[Row]]) -> None:
        self._special = ""
        """Characters that no state takes for a plain word."""
        self._made: dict[tuple[tuple[Under, ...], tuple[Row, ...]], State] = {}
        self._ways = 0
        self.opening = _Firsts(self, filed, at_clause=True)
        """First character -> the state behind it, at the start of a clause."""
        self.inner = _Firsts(self, filed, at_clause=False)
        """The same elsewhere."""

    def clear(self, special: str) -> None:
        """Forgets all states, for rows were added. A gap does not go on over the `special` characters."""
        self._special = special
        self._made.clear()
        self._ways = 0
        self.opening.clear()
        self.inner.clear()

    def _forget(self) -> None:
        """Forgets the states behind the first ones."""
        for state in chain(self.opening.values(), self.inner.values()):
            if state is not None:
                state.clear()
                state.plain_is_known = False
        self._made.clear()
        self._ways = 0

    def spans(self, codes: Sequence[str]) -> dict[object, list[Span]]:
        """The rows that a text says: list of rows -> the start and end of each, in the order in which they begin."""
        if self._ways > KEPT:
            self._forget()
        found: dict[object, list[Span]] = {}
        # The end of a row is seen behind the text's last character, and that none goes on, behind that.
        padded, opening, inner = [*codes, END, END], self.opening, self.inner
        states = opening
        for start, code in enumerate(codes):
            state = states[code]
            states = opening if code in _ENDS else inner
            if state is None:
                continue
            at = start + 1  # no row ends before its first word
            ends: dict[Row, int] | None = None
            while (state := state[padded[at]]) is not None:
                if state.ended:
                    ends = ends or {}
                    for row in state.ended:
                        ends[row] = at
                at += 1
            if ends:
                for row in sorted(ends, key=_number) if len(ends) > 1 else ends:
                    found.setdefault(row.rows, []).append((start, ends[row]))
        return found

    def follow(self, state: State, code: str) -> State | None:
        """The state behind another one and a character."""
        self._ways += 1
        plain = code not in self._special and not any(code in each.heads for each in state.under)
        if plain and state.plain_is_known:
            return state.plain
        under, ended = [], []
        for row, steps, heads, asked in state.under:
            if not asked and code not in heads:
                continue
            behind, over = advance(steps, code)
            if behind:
                under.append(_under(row, behind))
            if over:
                ended.append(row)
        found = self.made(tuple(under), tuple(ended))
        if plain:
            state.plain, state.plain_is_known = found, True
        return found

    def made(self, under: tuple[Under, ...], ended: tuple[Row, ...]) -> State | None:
        """The one state of these rows; None where there is none."""
        if not under and not ended:
            return None
        key = under, ended
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = State(self, under, ended)
        return found


def _under(row: Row, steps: Steps) -> Under:
    heads = [step.heads for step in steps]
    return Under(row, steps, "".join([head for head in heads if head]), None in heads)


_number = attrgetter("number")


class _Firsts(dict[str, State | None]):
    """First character of a row -> the state behind it; None where no row begins so."""

    def __init__(self, states: States, filed: Mapping[str, Sequence[Row]], at_clause: bool) -> None:
        super().__init__()
        self._states = states
        self._filed = filed
        self._at_clause = at_clause

    def __missing__(self, code: str) -> State | None:
        under = []
        for row in self._filed.get(code, ()):
            behind, _ = advance(opened(row.steps(), self._at_clause), code)
            if behind:
                under.append(_under(row, behind))
        found = self[code] = self._states.made(tuple(under), ())
        return found
