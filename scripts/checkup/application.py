"""The application that is set: its mapping, the environment that this names, and whether anybody listens there.

Nothing is sent to it: a call may cost something, or do something.
"""

from urllib.request import getproxies

from evaluation.chat_flow.mapping import is_of_recipes
from evaluation.errors import EvaluationError
from evaluation.request import EvaluationRequest
from evaluation.suites import SUITES
from evaluation.suites.suite import SuiteDefinition
from evaluation.text.yaml_text import load_yaml
from scripts.checkup.check import Check, ok, unchecked, wrong
from scripts.run.choices import ApplicationChoice, choose_application
from scripts.run.suites import find_suite
from services.application import unreachable
from services.settings import Settings
from services.text_files import read_text

MAPPING, APPLICATION = "mapping", "application"


async def check_application(request: EvaluationRequest, settings: Settings, timeout_s: float) -> list[Check]:
    """No line where no suite that is set is played on one and no address is set."""
    try:
        definition = find_suite(request.suite, SUITES, settings)
    except EvaluationError:
        return []  # the line of the rubric says so
    if definition.target != "application" and not _is_set(settings):
        return []
    try:
        suite = _suite(definition, settings)
        choice = choose_application(request, settings, suite, None)
    except EvaluationError as error:
        named = MAPPING if settings.chat_flow_mapping is not None else APPLICATION
        return [wrong(named, str(error))]
    return [_mapping(choice, settings), await _reach(choice, timeout_s)]


def _is_set(settings: Settings) -> bool:
    return settings.chat_flow_url is not None or settings.application_call is not None


def _suite(definition: SuiteDefinition, settings: Settings) -> SuiteDefinition:
    """The suite in whose form the mapping is written: the recipe assistant's has one of its own."""
    if settings.chat_flow_mapping is not None:
        file = read_text(settings.chat_flow_mapping)
        if is_of_recipes(load_yaml(file.text, file.place)):
            return SUITES["chat_flow"]
    return definition if definition.target == "application" else definition.at_application()


def _mapping(choice: ApplicationChoice, settings: Settings) -> Check:
    if settings.chat_flow_mapping is None or choice.function is not None:
        return unchecked(MAPPING, "none is set: it is asked as an OpenAI-compatible server is, or is a function")
    names = ", ".join(f"${{{name}}}" for name in choice.variables)
    return ok(MAPPING, f"{settings.chat_flow_mapping}{f'; {names} set' if names else ''}")


async def _reach(choice: ApplicationChoice, timeout_s: float) -> Check:
    if choice.where is None:
        return _load(choice)
    proxies = {} if choice.where.loopback else getproxies()
    scheme = choice.where.url.partition(":")[0]
    if scheme in proxies or "all" in proxies:
        return unchecked(APPLICATION, f"{choice.identity} is reached over a proxy, which a run asks")
    reason = await unreachable(choice.where, timeout_s)
    if reason:
        remedy = "start it, or set CHAT_FLOW_URL to its address"
        return wrong(APPLICATION, f"nobody listens at {choice.identity} ({reason})", remedy)
    return ok(APPLICATION, f"{choice.identity} listens; nothing was sent")


def _load(choice: ApplicationChoice) -> Check:
    """A function is loaded, and not called."""
    try:
        with choice.served():
            return ok(APPLICATION, f"{choice.identity} is loaded; it was not called")
    except EvaluationError as error:
        return wrong(APPLICATION, str(error))
