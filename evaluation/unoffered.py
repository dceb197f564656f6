"""Tools that scenarios script or check and that the prompt does not offer: a name may be wrong, or the tool gone."""

from evaluation.prompt_config import TOOLS
from evaluation.run import Run
from evaluation.text import numbers

MOST_NAMED = 5


def note_on_tools(run: Run) -> tuple[str, ...]:
    """One line, where a model plays the run and a tool is not offered: it is never called, so no result is used.

    An application's tools are its own. Nothing is refused: a version may have given a tool up, and is held to it.
    """
    if not run.spec.model:
        return ()
    offered = [tool["function"]["name"] for tool in run.spec.parameters.get(TOOLS) or ()]
    found: dict[str, list[str]] = {}
    for scenario in run.scenarios:
        checked = {name for item in scenario.expect for name in _tools_of(item.settings)}
        for name in sorted({*scenario.tools, *checked} - set(offered)):
            found.setdefault(name, []).append(scenario.id)
    if not found:
        return ()
    named = ", ".join(
        f"{name!r} ({numbers.times(len(ids), 'scenario')}, first {ids[0]!r})"
        for name, ids in list(found.items())[:MOST_NAMED]
    )
    more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    asked = run.spec.model if run.spec.prompt is None else run.spec.prompt.title
    return (f"{asked} offers {', '.join(offered) or 'no tool'}; scenarios script or check {named}{more}",)


def _tools_of(settings: object) -> set[str]:
    """The tools that a check names."""
    if not isinstance(settings, dict):
        return set()
    listed = settings.get("tools") or ()
    return {str(name) for name in (settings.get("tool"), *listed) if name}
