"""The packages that some subcommands need on top of an installation, and the extras that bring them."""

from importlib.util import find_spec

EXTRAS = {
    "pandas": "tables",
    "scipy": "stats",
    "matplotlib": "plots",
    "dask": "scale",
    "distributed": "scale",
    "pyarrow": "scale",
    "fsspec": "scale",
}
"""Package -> the extra that brings it."""


def missing(packages: tuple[str, ...]) -> list[str]:
    """Those that are not installed."""
    return [package for package in packages if find_spec(package) is None]


def installed_extras() -> list[str]:
    """The extras whose packages are here."""
    absent = missing(tuple(EXTRAS))
    return [extra for package, extra in EXTRAS.items() if package not in absent]
