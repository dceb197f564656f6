"""The mapping file (YAML) of an application that holds conversations: how it is asked, and where its answers stand.

Without a file an application is asked as an OpenAI-compatible server is, and any answer is read that is plain text or
has its words at a usual place. docs/applications.md shows the file.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, Field, model_validator

from evaluation.applications.places import Place, parse_place, take
from evaluation.records import Json, Turn, Usage
from evaluation.text.forms import Form, SourceText, did_you_mean
from evaluation.text.yaml_text import ValuePath

APPLICATION = "application"
"""Name of its text among the inputs of a run."""
NAMES = ("messages", "last", "session", "turn", "scenario", "repeat", "run")
"""What a template may hold in braces."""
BEFORE_WORDS = ("scenario", "repeat", "run")
"""The same of the call that opens a conversation."""
_NAME = re.compile(r"(?<!\$)\{([A-Za-z_][A-Za-z0-9_]*)\}")
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_NO_VARIABLE = re.compile(r"\$\{[^}]*\}?|\$[A-Z_][A-Z0-9_]+")
"""What was meant as a variable of the environment, and is none."""


SET_BY_CLIENT = ("content-length", "transfer-encoding", "connection")
"""Headers that would contradict what is sent."""


def _place(value: str) -> str:
    parse_place(value)
    return value


def _path(value: str) -> str:
    if re.fullmatch(r"(/[!-~]*)?", value) is None or "#" in value:
        raise ValueError("a path begins with / and holds ASCII characters, no blank and no #")
    return value


def _header(value: str) -> str:
    if re.fullmatch(r"[A-Za-z0-9_-]+", value) is None:
        raise ValueError("a name of a header holds letters, digits, - and _")
    if value.lower() in SET_BY_CLIENT:
        raise ValueError("this header follows from the request: leave it out")
    return value


PlaceText: TypeAlias = Annotated[str, Field(min_length=1, max_length=300), AfterValidator(_place)]
UrlPath: TypeAlias = Annotated[str, Field(max_length=500), AfterValidator(_path)]
HeaderName: TypeAlias = Annotated[str, Field(max_length=64), AfterValidator(_header)]
Method: TypeAlias = Literal["POST", "PUT", "GET"]
Seconds: TypeAlias = Annotated[float, Field(gt=0, le=600)]


class CallForm(Form):
    """One request: its parts may hold the names in braces."""

    method: Method = "POST"
    path: UrlPath = ""
    headers: dict[HeaderName, str] = Field(default_factory=dict)
    """Values may hold ${NAME} of the environment: secrets stand nowhere else."""
    query: dict[str, str] = Field(default_factory=dict)
    body: Json = None
    """JSON as it is sent; a text that is one name alone becomes its value, so that "{messages}" is the list. None: no
    body."""

    @property
    def names_in_path(self) -> tuple[str, ...]:
        """The names in braces that its path holds."""
        return tuple(_names_in(self.path))


class MessageForm(Form):
    """A message as the application wants it."""

    role: str = "role"
    content: str = "content"
    roles: dict[Literal["user", "assistant"], str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _keeps_both(self) -> "MessageForm":
        if self.role == self.content:
            raise ValueError(f"role and content stand at one key, {self.role!r}: name two")
        return self


class SessionForm(Form):
    """Where an answer gives the id of its conversation, and the call that opens one."""

    body: PlaceText | None = None
    header: HeaderName | None = None
    start: CallForm | None = None
    """Before the first message; cookies are kept per conversation whether or not there is such a call."""


class UsageForm(Form):
    """Where an answer counts its tokens."""

    input_tokens: PlaceText = "usage.prompt_tokens"
    output_tokens: PlaceText = "usage.completion_tokens"


class ToolCallsForm(Form):
    """Where an answer names the tools that it called: the list, and within an entry name, arguments, id and result."""

    at: PlaceText
    name: PlaceText = "function.name"
    arguments: PlaceText = "function.arguments"
    id: PlaceText = "id"
    result: PlaceText = "result"


class PollForm(Form):
    """How the answer is asked for until it is there."""

    path: UrlPath | None = None
    """May hold {id}, which the first answer gives; None where the address stands in its header Location."""
    id: PlaceText = "id"
    status: PlaceText = "status"
    until: tuple[str, ...] = Field(("done", "completed", "succeeded", "finished"), strict=False, min_length=1)
    """A value that is no text is written as JSON writes it: "true"."""
    failed: tuple[str, ...] = Field(("failed", "error", "cancelled"), strict=False)
    every_seconds: Seconds = 0.5


class TraceForm(Form):
    """Where an answer names its trace."""

    header: HeaderName | None = None
    body: PlaceText | None = None


class ConversationMapping(CallForm):
    """How an application is asked for the next turn, and how its answer is read."""

    path: UrlPath = "/chat/completions"
    body: Json = Field(default_factory=lambda: {"messages": "{messages}"})
    first: CallForm | None = None
    """What is otherwise in the request for the first turn."""
    message: MessageForm = MessageForm()
    reply: PlaceText | None = None
    """None: a plain text, or the first usual place that holds one."""
    session: SessionForm = SessionForm()
    stream: PlaceText | None = None
    """Where an event of a stream has its piece of the reply; None: the usual places."""
    poll: PollForm | None = None
    error: PlaceText | None = "error"
    """Where an answer with status 200, or an event of a stream, says that it is an error."""
    usage: UsageForm = UsageForm()
    tool_calls: ToolCallsForm | None = None
    trace_id: TraceForm = TraceForm()

    def call(self, *, first: bool) -> CallForm:
        """The request for a turn."""
        if not first or self.first is None:
            return self
        own = self.first.model_fields_set
        return CallForm(**{name: getattr(self.first if name in own else self, name) for name in CallForm.model_fields})

    def calls(self) -> Iterator[tuple[tuple[str, ...], CallForm]]:
        """Each request with its place in the file."""
        yield (), self
        if self.first is not None:
            yield ("first",), self.first
        if self.session.start is not None:
            yield ("session", "start"), self.session.start

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables of the environment that its headers name."""
        values = [value for _, call in self.calls() for value in call.headers.values()]
        return tuple(dict.fromkeys(name for value in values for name in _VARIABLE.findall(value)))

    @property
    def sends_history(self) -> bool:
        """True where each request holds the conversation so far."""
        return "messages" in (*_names_in(self.body), *_names_in(dict(self.query)))

    def said(self, turns: tuple[Turn, ...]) -> list[Json]:
        """Messages as the application wants them."""
        roles: Mapping[str, str] = dict(self.message.roles.items())
        return [
            {self.message.role: roles.get(turn.role, turn.role), self.message.content: turn.content} for turn in turns
        ]


def parse_conversation_mapping(text: str, place: str) -> ConversationMapping:
    """Reads a mapping file. Raises ParseError, one line with its line, for what it may not hold."""
    source = SourceText(text, place)
    mapping = source.read(ConversationMapping, "'path:', 'body:' or 'reply:'", may_be_empty=True)
    refuse_unknown_names(mapping, source)
    return mapping


def refuse_unknown_names(mapping: ConversationMapping, source: SourceText, below: ValuePath = ()) -> None:
    """Raises ParseError for a name in braces that cannot be filled; `below` is where the mapping stands in the file."""
    gives_session = mapping.session.body is not None or mapping.session.header is not None
    for where, call in mapping.calls():
        for part, wrong in _problems_with(call):
            raise source.error((*below, *where, part), wrong)
        known = NAMES if where[:1] != ("session",) else BEFORE_WORDS
        for part in ("path", "headers", "query", "body"):
            for name in _names_in(getattr(call, part)):
                if name not in known:
                    hint = did_you_mean(name, known)
                    problem = f"{{{name}}} is no name that can be filled{hint}"
                    raise source.error((*below, *where, part), problem)
                if name == "session" and not gives_session:
                    problem = "{session} comes from an answer: say under session, as body or header, where it stands"
                    raise source.error((*below, *where, part), problem)
    if mapping.poll is not None and mapping.poll.path is not None:
        for name in _names_in(mapping.poll.path):
            if name not in ("id", "session"):
                problem = f"{{{name}}} is no name that can be filled; known are id, session"
                raise source.error((*below, "poll", "path"), problem)


def _problems_with(call: CallForm) -> Iterator[tuple[str, str]]:
    """(key, what is wrong there) of a request that would be sent otherwise than it is written."""
    if call.method == "GET" and "body" in call.model_fields_set and call.body is not None:
        yield "body", "a GET is sent without a body: write it under query, or choose method POST"
    for name, value in call.headers.items():
        if found := _NO_VARIABLE.search(_VARIABLE.sub("", value)):
            yield "headers", f"{name}: {found[0]} names no variable of the environment: write ${{NAME}}"
        if not (value.isascii() and value.isprintable()):
            yield "headers", f"{name}: a header holds ASCII characters in one line: {value!r} has others"
    for part in ("path", "query", "body"):
        if found := _VARIABLE.search(json.dumps(getattr(call, part))):
            yield part, f"{found[0]} is filled in headers alone: what is secret stands in none of the other parts"


def _names_in(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield from _NAME.findall(_VARIABLE.sub("", value))
    elif isinstance(value, list):
        for each in value:
            yield from _names_in(each)
    elif isinstance(value, dict):
        for each in value.values():
            yield from _names_in(each)


MISSING = object()
"""In the place of a value that is not known yet."""


def fill(value: Json, values: Mapping[str, Json]) -> Any:
    """A template with its names filled. A text that is one name alone becomes its value, whatever its kind.

    What is not known yet, such as the session before the first answer, is left out of mappings and lists.
    """
    if isinstance(value, str):
        alone = _NAME.fullmatch(value)
        if alone is not None:
            return values.get(alone[1], MISSING)
        return fill_text(value, values)
    if isinstance(value, list):
        return [each for each in (fill(each, values) for each in value) if each is not MISSING]
    if isinstance(value, dict):
        filled = {key: fill(each, values) for key, each in value.items()}
        return {key: each for key, each in filled.items() if each is not MISSING}
    return value


def fill_text(text: str, values: Mapping[str, Json], quote: Callable[[str], str] = str) -> str:
    """A path or a header with its names filled, each through `quote`."""
    return _NAME.sub(lambda match: quote(text_of(values.get(match[1], ""))), text)


def text_of(value: Json) -> str:
    """A text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value)


def expand(text: str, variables: Mapping[str, str]) -> str:
    """A header's value with its variables of the environment put in."""
    return _VARIABLE.sub(lambda match: variables.get(match[1], ""), text)


USUAL: tuple[Place, ...] = (
    ("choices", 0, "message", "content"),
    ("message", "content"),
    *((name,) for name in ("reply", "response", "answer", "output", "output_text", "text", "message", "content")),
)
"""Where the words of an answer stand, unless a mapping says so."""
USUAL_PIECES: tuple[Place, ...] = (
    ("choices", 0, "delta", "content"),
    ("delta", "content"),
    ("delta", "text"),
    ("message", "content"),
    *((name,) for name in ("delta", "token", "text", "content", "response")),
)
"""The same of an event of a stream."""


def take_at(value: Json, places: tuple[Place, ...]) -> tuple[int, str | None]:
    """The first place that holds a text, by its number, and the text; None where none does."""
    found = ((number, take(value, place)) for number, place in enumerate(places))
    return next(((number, each) for number, each in found if isinstance(each, str)), (-1, None))


def words_at(value: Json, place: str | None) -> str | None:
    """The text of an answer at a place, or at the first usual one that holds any; None where there is none."""
    return take_at(value, USUAL if place is None else (parse_place(place),))[1]


def usage_in(at: Callable[[str], Json], form: UsageForm) -> Usage:
    """The tokens that an answer counts; `at` gives what stands at a place of it. None for what it does not say."""
    counts = map(at, (form.input_tokens, form.output_tokens))
    found = [each if isinstance(each, int) and not isinstance(each, bool) and each >= 0 else None for each in counts]
    return Usage(found[0], found[1])
