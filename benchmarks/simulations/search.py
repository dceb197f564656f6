"""A search for the process with the most false passes: falls within L, any ties, gains, sizes and gaps."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.simulations.gates import Rows, passes
from benchmarks.simulations.tables import Draws, Table, error, percent, spread

PROCESSES = 400
WORST = 10
AGAIN = 20_000


@dataclass(frozen=True)
class Part:
    """The differences of one class of situations: values with their chances, a change of 0 otherwise."""

    values: tuple[float, ...]
    chances: tuple[float, ...]

    def draw(self, luck: np.random.Generator, shape: tuple[int, int]) -> Rows:
        values = np.array([*self.values, 0.0])
        return values[luck.choice(len(values), size=shape, p=[*self.chances, max(0.0, 1 - sum(self.chances))])]

    def __str__(self) -> str:
        pairs = zip(self.values, self.chances, strict=True)
        return ", ".join(f"{value:+.2f} in {100 * chance:.1f}%" for value, chance in pairs)


@dataclass(frozen=True)
class Searched:
    """A process whose true mean difference is minus the margin."""

    sizes: tuple[int, ...]
    largest: float
    margin: float
    small: Part
    large: Part
    """Of the situations of the largest size, where falls may depend on it."""
    blur: float
    """Half of the width of a uniform noise on every difference."""
    lost: float
    """Share of the situations without a value in both runs."""
    by_fall: bool
    """True where those that fell most are lost, else at random."""

    def draw(self, luck: np.random.Generator, trials: int, shift: float = 0.0) -> Rows:
        """Differences of trials x situations, moved by `shift`; lost ones at the worst end, as the gate takes them."""
        shape = (trials, len(self.sizes))
        rows = np.where(
            np.array(self.sizes) == max(self.sizes), self.large.draw(luck, shape), self.small.draw(luck, shape)
        )
        rows = rows + luck.uniform(-self.blur, self.blur, shape) + shift
        if lost := int(self.lost * len(self.sizes)):
            order = rows if self.by_fall else luck.random(shape)
            np.put_along_axis(rows, np.argsort(order, axis=1)[:, :lost], -self.largest, axis=1)
        return np.maximum(rows, -self.largest)

    def passed(self, trials: int, seed: int, *, unchanged: bool = False) -> float:
        """The share that the gate passes: falsely, or where the mean difference is moved up to 0."""
        rows = self.draw(np.random.default_rng(seed), trials, self.margin if unchanged else 0.0)
        return float(passes(rows, self.sizes, self.largest, self.margin).mean())

    def __str__(self) -> str:
        sizes = f"{len(self.sizes)} situations" + (f", largest {max(self.sizes)}" if max(self.sizes) > 1 else "")
        large = "" if self.large == self.small else f"; large: {self.large}"
        lost = f"; {100 * self.lost:g}% lost{' by fall' if self.by_fall else ''}" if self.lost else ""
        given = f"{sizes}; L {self.largest:g}, margin {self.margin:g}"
        return f"{given}; {self.small}{large}; blur {self.blur:.2f}{lost}"


def random_process(luck: np.random.Generator) -> Searched:
    """One of the stated class."""
    while True:
        sizes = random_sizes(luck)
        largest, margin = float(luck.choice([0.2, 0.3, 0.5, 1.0])), float(luck.choice([0.02, 0.05, 0.1]))
        if margin > 0.6 * largest:
            continue
        weights = np.array(sizes)
        share = float(weights[weights == weights.max()].sum() / weights.sum())
        borne = float(luck.random()) if share < 1 and luck.random() < 0.5 else share
        large = random_part(luck, largest, margin * borne / share)
        small = large if borne == share else random_part(luck, largest, margin * (1 - borne) / (1 - share))
        if large is None or small is None:
            continue
        deepest = max(-min(part.values) for part in (large, small))
        blur = float(luck.uniform(0, largest - deepest)) if luck.random() < 0.5 else 0.0
        lost = float(luck.choice([0.005, 0.01, 0.02])) if luck.random() < 0.3 else 0.0
        return Searched(sizes, largest, margin, small, large, blur, lost, bool(luck.random() < 0.5))


def random_sizes(luck: np.random.Generator) -> tuple[int, ...]:
    count = int(np.exp(luck.uniform(np.log(10), np.log(300))))
    kind = luck.random()
    if kind < 0.45:
        return (1,) * count
    if kind < 0.65:
        return tuple(sorted(luck.integers(1, 3, endpoint=True, size=count).tolist()))
    if kind < 0.85:
        large = int(luck.integers(1, 5, endpoint=True))
        return (1,) * (count - large) + (int(luck.integers(2, 10, endpoint=True)),) * large
    if kind < 0.95:
        large = max(1, count // 10)
        return (1,) * (count - large) + (9,) * large
    return (1,) * (count - 1) + (count - 1,)


def random_part(luck: np.random.Generator, largest: float, margin: float) -> Part | None:
    """Falls and gains whose mean is minus the margin; None where their chances do not add up."""
    depths = [largest] if luck.random() < 0.5 else luck.uniform(0.1 * largest, largest, luck.integers(1, 4)).tolist()
    weights = luck.dirichlet(np.ones(len(depths)))
    heights = luck.uniform(0.02, 1.0, luck.integers(0, 3)).tolist()
    chances = luck.dirichlet(np.ones(len(heights))) * luck.choice([0.02, 0.1, 0.3]) if heights else np.zeros(0)
    total = (margin + float(np.dot(chances, heights))) / float(np.dot(weights, depths))
    if total + chances.sum() > 1:
        return None
    return Part((*(-depth for depth in depths), *heights), (*(weights * total).tolist(), *chances.tolist()))


def search_false_passes(draws: Draws, processes: int = PROCESSES, again: int = AGAIN) -> Table:
    trials = draws.count(2_000)
    luck = np.random.default_rng(draws.cell("search"))
    found = [random_process(luck) for _ in range(processes)]
    first = _rates(found, trials, draws, "first")
    order = sorted(range(len(found)), key=lambda place: -first[place])[:WORST]
    second = _rates([found[place] for place in order], again, draws, "again")
    rows = []
    for rate, place in sorted(zip(second, order, strict=True), reverse=True):
        unchanged = found[place].passed(trials, draws.cell("search", "unchanged", place), unchanged=True)
        rows.append([str(found[place]), percent(first[place]), percent(rate), percent(unchanged)])
    opened = sum(rate > 0.001 for rate in first)
    return Table(
        f"The worst of {processes} random processes",
        ["process", f"{trials:,} trials, %", f"{again:,} fresh trials, %", "unchanged, %"],
        rows,
        f"Seed {draws.seed}, standard error at 5% {error(trials, 0.05)} and {error(again, 0.05)} points. The "
        f"regression equals the margin in each; {opened} of {processes} pass in more than 0.1% of trials. The cost is "
        "in the last column: the same process moved up to a mean of 0.",
    )


def _rates(found: Sequence[Searched], trials: int, draws: Draws, name: str) -> list[float]:
    jobs = [(process, trials, draws.cell("search", name, place)) for place, process in enumerate(found)]
    return list(spread(Searched.passed, jobs))
