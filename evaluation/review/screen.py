"""A response and its questions as lines for a terminal. Every text passes through `safe_text`: all of it is hostile."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from evaluation.chat_flow.flow_run import FlowRun, Recipe
from evaluation.chat_flow.judged import compact, recipe_text
from evaluation.eval_records.held import HeldItem
from evaluation.eval_records.record import Item
from evaluation.records import Json
from evaluation.review.form import Question, ReviewForm
from evaluation.review.review import Review
from evaluation.text.names import in_words
from evaluation.text.page import Line
from evaluation.text.safe_text import clip, pad, width, wrap

MOST_LINES = 60
"""Of one paragraph."""
MOST_PARAGRAPHS = 200
MOST_OPTIONS = 20
ROLE = 13
"""Columns of the name before what was said."""
HELP = (
    ("1-5, y, n", "the answer; a remark may follow a score: 2 no allergy asked for"),
    ("u", "unclear: the criteria do not say how to score this"),
    ("n", "does not apply here (at a score)"),
    ("b", "back to the question before; at the first one, to the response before"),
    ("s", "skip this response for now; it comes again at the end"),
    ("v", "view the response again"),
    ("?", "the criteria, and these keys"),
    ("q", "stop; everything saved so far is kept, and the next session goes on here"),
)


ITEM_HELP = (
    ("y, n, ?", "at an item: yes, no, not shown; a remark may follow: n it changes the subject"),
    ("h", "at an item: these keys"),
)


def item_lines(item: Item, columns: int, place: str) -> list[Line]:
    """Everything that a blind reviewer may see of an item."""
    found = [rule(columns, place, in_words(item.category))]
    if item.audience:
        found.extend(_block(f"About the user: {item.audience}", columns, "", "dim"))
    if item.flow is None:
        if item.context:
            found.append(Line("Said before", "bold"))
            for turn in item.context:
                found.extend(_spoken(turn.role, turn.content, columns, "dim"))
        found.append(Line("Conversation", "bold"))
        found.extend(_spoken(item.asked.role, item.asked.content, columns))
        found.append(Line(""))
        found.append(Line("The response", "bold"))
        found.extend(_block(item.shown_text or "(empty)", columns, "  ", "cyan"))
    else:
        found.extend(_flow_lines(item.flow, columns))
    if item.expected:
        found.append(Line(""))
        found.extend(_block(f"What a good answer does: {item.expected}", columns, "", "dim"))
    if item.flow is not None:
        found.append(Line(""))  # checks follow; a score brings its own
    return found


def judged_lines(item: Item, columns: int) -> list[Line]:
    """The scores of other sources: for a review that is not blind."""
    found = [Line("What others gave", "bold")]
    for source, values in item.scores.items():
        shown = ", ".join(f"{metric} {value:.2f}" for metric, value in values.items())
        found.extend(_block(f"{source}: {shown}", columns, "  ", "yellow"))
    if item.record.get("notes"):
        found.extend(_block(f"judge: {item.record['notes']}", columns, "  ", "yellow"))
    for held in item.expectations:
        if held.said is not None:
            shown = f"{held.source}: {held.question} {in_words(held.said)}"
            found.extend(_block(f'{shown}, "{held.quote}"' if held.quote else shown, columns, "  ", "yellow"))
    return found if len(found) > 1 else []


def question_lines(question: Question, columns: int) -> list[Line]:
    """An item, or the criteria of a score; nothing for the other questions, which say it all themselves."""
    if question.item is not None:
        return _item_question(question.item, columns)
    dimension = question.dimension
    if dimension is None:
        return []
    found = [Line(""), Line(clip(dimension.title, columns), "bold")]
    found.extend(_block(dimension.definition, columns, "  ", "dim"))
    for grade in dimension.grades:
        lead = f"  {grade.key}  "
        if grade.text:
            found.extend(_behind(lead, wrap(f"{grade.label}: {grade.text}", columns - len(lead), MOST_LINES)))
        elif not grade.label:
            found.append(Line(f"{lead}between", "dim"))
    return found


def _item_question(held: HeldItem, columns: int) -> list[Line]:
    """The words of the question, and which responses it is about where these are several."""
    found = [Line(""), *(Line(part, "bold") for part in wrap(held.question, columns, MOST_LINES))]
    if held.reach == "conversation":
        found.append(Line('  "it" is the assistant, in any of its responses since the conversation began', "dim"))
    return found


def prompt_of(question: Question) -> str:
    """The text before the cursor."""
    if question.kind == "item":
        return f"{question.title} [y/n/?] "
    if question.kind == "check":
        return f"{question.title} [y/n] "
    if question.kind == "score" and question.dimension is not None:
        return f"{question.dimension.title} [{question.dimension.range}] "
    if question.kind == "mark":
        return f"{question.title} [e exemplary, u unclear, Enter neither] "
    return f"{question.title}\n> "


def help_lines(columns: int, *, items: bool = False) -> list[Line]:
    """The keys; with `items`, those at an expectation first."""
    shown = (*ITEM_HELP, *HELP) if items else HELP
    return key_lines(shown, 10, columns)


def key_lines(keys: Sequence[tuple[str, str]], widest: int, columns: int) -> list[Line]:
    """Keys of at most so many columns, each with what it does behind it."""
    return [
        line
        for key, text in keys
        for line in _behind(f"  {pad(key, widest)}  ", wrap(text, columns - widest - 4, 4), "dim")
    ]


def saved_lines(review: Review, form: ReviewForm, columns: int) -> list[Line]:
    """The saved scores."""
    given = [f"{each.title} {_figure(review.scores.get(each.metric))}" for each in form.dimensions]
    items = " ".join("?" if each.said == "not_shown" else each.said for each in review.items)
    said = ", ".join([*([f"items {items}"] if items else []), *given, *([review.mark] if review.mark else [])])
    return list(_block(f"Saved: {said}", columns, "", "green"))


def _flow_lines(flow: FlowRun, columns: int) -> Iterator[Line]:
    yield Line("Conversation", "bold")
    for turn in flow.messages:
        yield from _spoken(turn.role, turn.content, columns)
    if flow.fridge_input is not None:
        yield from _spoken("fridge", compact(flow.fridge_input), columns)
    if flow.fault is not None:
        yield Line("")
        text = f"The run broke off: {flow.fault.kind} at {flow.fault.where}: {flow.fault.message}"
        yield from _block(text, columns, "", "red")
    options = flow.options or ()
    for number, raw in enumerate(options[:MOST_OPTIONS], start=1):
        yield Line("")
        yield from _recipe(f"Option {number}", raw, columns)
    if len(options) > MOST_OPTIONS:
        yield Line(f"... and {len(options) - MOST_OPTIONS} more options", "dim")
    if not options:
        yield Line("")
        yield Line("It never came to options." if flow.options is None else "The list of options is empty.", "red")
    yield Line("")
    yield from _selection(flow, columns)


def _selection(flow: FlowRun, columns: int) -> Iterator[Line]:
    if flow.selected is None:
        yield Line("Selected: nothing", "bold")
        return
    same = [number for number, raw in enumerate(flow.options or (), start=1) if raw == flow.selected]
    if same:
        title = Recipe.read(flow.selected).title or "(no title)"
        yield Line(clip(f"Selected: option {same[0]}, unchanged: {title}", columns), "bold")
        return
    yield from _recipe("Selected, and not one of the options as they were offered:", flow.selected, columns)


def _recipe(lead: str, raw: Json, columns: int) -> Iterator[Line]:
    recipe = Recipe.read(raw)
    if not isinstance(raw, Mapping):
        yield Line(lead, "bold")
        yield from _block(compact(raw), columns, "  ")
        return
    facts = [f"{recipe.time_minutes:g} min"] if recipe.time_minutes is not None else []
    facts += [f"serves {recipe.servings:g}"] if recipe.servings is not None else []
    head = " · ".join([f"{lead}  {recipe.title or '(no title)'}", *facts])
    yield from (Line(part, "bold") for part in wrap(head, columns, 3))
    if recipe.violations:
        yield from _block(f"As sent: {'; '.join(recipe.violations)}", columns, "  ", "red")
    if recipe.ingredients is None and recipe.steps is None:
        yield from _block(recipe_text(raw), columns, "  ")
        return
    yield from _block("; ".join(recipe.ingredients or ()) or "(no ingredients)", columns, "  ", "cyan")
    if recipe.diet:
        yield from _behind("  ", wrap(f"said to be {', '.join(recipe.diet)}", columns - 2, 2), "dim")
    for number, step in enumerate(recipe.steps or (), start=1):
        yield from _behind(f"  {f'{number}.':3}", wrap(step, columns - 5, MOST_LINES))
    if not recipe.steps:
        yield Line("  (no steps)", "red")


def _spoken(role: str, text: str, columns: int, style: str = "") -> Iterator[Line]:
    return _behind(pad(f"  {role}", ROLE), _paragraphs(text or "(empty)", columns - ROLE), style)


def _behind(lead: str, parts: Iterable[str], style: str = "") -> Iterator[Line]:
    """Lines behind a lead, which the further ones are indented by."""
    for number, part in enumerate(parts):
        yield Line((" " * width(lead) if number else lead) + part, style)


def _block(text: str, columns: int, lead: str, style: str = "") -> Iterator[Line]:
    yield from (Line(lead + part, style) for part in _paragraphs(text, columns - len(lead)))


def _paragraphs(text: str, columns: int) -> Iterator[str]:
    lines = text.splitlines() or [""]
    for line in lines[:MOST_PARAGRAPHS]:
        yield from wrap(line, columns, MOST_LINES)
    if len(lines) > MOST_PARAGRAPHS:
        yield f"... and {len(lines) - MOST_PARAGRAPHS} more lines"


def rule(columns: int, *parts: str) -> Line:
    """A line above what is shown, with its place and kind at the right."""
    text = clip(" · ".join(part for part in parts if part), columns - 4)
    return Line(f"{'─' * (columns - len(text) - 1)} {text}", "blue")


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"
