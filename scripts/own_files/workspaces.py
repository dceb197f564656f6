"""Workspace files: every key that is unknown, secret, or of a value that cannot be used."""

from evaluation.errors import ParseError, Problems, UsageError
from scripts.run.load import find_suite
from services.setting_sources import Sources, check_workspace_file
from services.settings import Settings, declared_settings, settings_of
from services.settings_in_use import settings_classes
from services.text_files import TextFile
from services.workspace import Workspace
from services.workspace_file import WorkspaceFile, read_workspace_file


def check_workspace(file: TextFile) -> None:
    """Raises ParseError for all that is wrong. A Python project's file without the table is none of ours."""
    workspace = read_workspace_file(file.path)
    if workspace is None:
        return
    settings = _checked(workspace)
    if "suite" in workspace.values:
        try:
            find_suite(settings.suite, settings=settings)
        except ParseError:
            raise
        except UsageError as error:
            raise workspace.error("suite", str(error)) from None


def _checked(file: WorkspaceFile) -> Settings:
    """The settings of the file alone, whatever the environment says."""
    problems = Problems()
    with problems.caught():
        check_workspace_file(file, list(declared_settings()))
    sources = Sources({}, workspace=Workspace(file.path.resolve().parent, file))
    for kind, declared in settings_classes(sources):
        for name, variable in declared.items():
            with problems.caught():
                sources.read(kind, {name: variable})
    problems.raise_found()
    try:
        return settings_of(sources)
    except ParseError:
        raise
    except UsageError as error:
        raise ParseError(file.place, str(error)) from None
