"""One self-contained page: templates, styles, script and data in a single text that asks nothing of the network.

Whatever comes from outside is escaped twice over: Jinja2 escapes markup, and every text is made printable first, so
that controls and direction marks are seen and not obeyed. The policy in the page's head forbids any request, and any
script or style but the two that the page was built with.
"""

import base64
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from evaluation.records import Json
from evaluation.reports import (
    conversations,
    coverage,
    differences,
    groups,
    human_units,
    languages,
    means,
    memory,
    mix,
    ranking,
    replies,
    weakest,
    wording,
)
from evaluation.reports.html import expectations
from evaluation.reports.html.document import kind_of, pieces
from evaluation.reports.html.figures import center, ends_of, heat, is_small
from evaluation.reports.intervals import mean_text
from evaluation.text import numbers
from evaluation.text.names import in_words
from evaluation.text.safe_text import clip, printable

if TYPE_CHECKING:
    from jinja2 import Environment

LONGEST_BLOCK = 4000
"""Characters of a text that stands in the page itself; the data hold more of it."""
PICTURED = 18
"""Columns of a name in a picture."""
PIECE = 100
"""Items of a list that are written at once."""
ADDRESS = re.compile(r"https?://[^\s\"'<>\\^`{|}\x00-\x20]+", re.IGNORECASE)
FOLDER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
_IN_SCRIPT = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Assets:
    """The texts that a page is built from."""

    templates: Mapping[str, str]
    """File name -> Jinja2 template."""
    css: str
    js: str


def render(assets: Assets, template: str, values: Mapping[str, object], data: Json) -> str:
    """The page, ending with a line break. `values` are what the template names, `data` is what the script reads."""
    from markupsafe import Markup

    environment = _environment(tuple(assets.templates.items()))
    parts = environment.get_template(template).generate(
        css=Markup(assets.css),
        js=Markup(assets.js),
        policy=policy(assets),
        data=map(Markup, script_pieces(data)),
        **values,
    )
    return "".join(chain(parts, "\n"))


@lru_cache(maxsize=1)
def _environment(templates: tuple[tuple[str, str], ...]) -> "Environment":
    """The templates of one installation; compiled once for all pages of a command, a tenth of a second each time."""
    from jinja2 import DictLoader, Environment, StrictUndefined

    environment = Environment(
        loader=DictLoader(dict(templates)),
        # Few pages come of one command: to fold constants first would take longer than it saves.
        optimized=False,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_printable,
    )
    environment.globals.update(
        numbers=numbers, wording=wording, differences=differences, ranking=ranking, weakest=weakest, replies=replies
    )
    environment.globals.update(memory=memory, held=expectations, groups=groups, talks=conversations, coverage=coverage)
    environment.globals.update(languages=languages, units=human_units)
    environment.globals.update(means=means, mixed=mix, kind_of=kind_of, pieces=pieces)
    environment.globals.update(mean_text=mean_text, small=is_small, center=center, ends_of=ends_of, heat=heat)
    environment.filters.update(block=block, words=in_words, address=address, folder=folder, in_picture=in_picture)
    return environment


def policy(assets: Assets) -> str:
    """The content security policy: nothing is loaded, and only these two texts take effect."""
    return (
        f"default-src 'none'; script-src '{_hash(assets.js)}'; style-src '{_hash(assets.css)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def script_json(value: Json) -> str:
    """JSON that no text in it can end: fit to stand in a script element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _IN_SCRIPT.sub(lambda found: _UNSAFE.get(found[0]) or f"\\u{ord(found[0]):04x}", text)


def script_pieces(value: Json) -> Iterator[str]:
    """`script_json`, an object's lists bit by bit: as one text, each step to the page would hold it once more."""
    if not isinstance(value, dict):
        yield script_json(value)
        return
    before = "{"
    for name, part in value.items():
        yield f"{before}{script_json(name)}:"
        before = ","
        if isinstance(part, list):
            yield from _list_pieces(part)
        else:
            yield script_json(part)
    yield "}" if value else "{}"


def _list_pieces(items: Sequence[Json]) -> Iterator[str]:
    before = "["
    for start in range(0, len(items), PIECE):
        yield before + script_json(items[start : start + PIECE])[1:-1]
        before = ","
    yield "]" if items else "[]"


def block(text: str, longest: int = LONGEST_BLOCK) -> Any:
    """A longer text with its line breaks, cut to `longest` characters."""
    from markupsafe import Markup, escape

    lines = [escape(printable(line)) for line in text[:longest].splitlines()]
    rest = len(text) - longest
    if rest > 0:
        lines.append(Markup("<i>… {} more characters</i>").format(numbers.count(rest)))
    return Markup("<br>").join(lines)


def in_picture(name: str) -> str:
    """A name cut to the room that a picture has for two of them on a phone: its texts do not wrap."""
    return clip(name, PICTURED)


def address(text: str) -> str:
    """The text if it may be a link: http or https; else nothing."""
    return text if ADDRESS.fullmatch(text) else ""


def folder(run_id: str) -> str:
    """A run id that is a folder's name, as part of a relative link; else nothing."""
    return run_id if FOLDER.fullmatch(run_id) else ""


def _printable(value: object) -> object:
    """A value as a template prints it: plain texts made printable, everything else as it is."""
    return printable(value) if type(value) is str else value


def _hash(text: str) -> str:
    """As a policy names a script or style: of the text exactly as it stands between the tags."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
