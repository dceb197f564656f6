"""How rare an English word is: its rank in the list of frequencies that symspellpy brings along.

The file is read when ranks are first asked for. The package itself is not imported, for its code is not needed.
"""

from collections.abc import Mapping
from functools import lru_cache
from itertools import islice

from evaluation.errors import UsageError

KNOWN = 30_000
"""The most frequent words, which are kept; rarer ones are mostly names, foreign words and mistakes."""
_PACKAGE = "symspellpy"
_FILE = "frequency_dictionary_en_82_765.txt"


@lru_cache(maxsize=1)
def word_ranks() -> Mapping[str, int]:
    """Word in lower case -> its place among the most frequent ones, 1 for the first.

    Raises UsageError where the list is missing.
    """
    from importlib.util import find_spec

    spec = find_spec(_PACKAGE)
    reader = getattr(spec.loader, "get_resource_reader", None) if spec is not None else None
    if reader is None:
        raise _missing()
    try:
        with reader(_PACKAGE).open_resource(_FILE) as lines:
            words = [line.partition(b" ")[0] for line in islice(lines, KNOWN)]
    except OSError:
        raise _missing() from None
    words[:1] = [words[0].removeprefix(b"\xef\xbb\xbf")] if words else []
    return {word.decode("utf-8"): rank for rank, word in enumerate(words, start=1)}


def _missing() -> UsageError:
    return UsageError(f"the list of word frequencies is missing: {_PACKAGE} has no {_FILE}; install {_PACKAGE}")
