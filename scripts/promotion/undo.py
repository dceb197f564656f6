"""A promotion taken back: the label goes to the version that it had, if it is still where the certificate put it."""

from argparse import Namespace
from pathlib import Path

from evaluation.commands import write_command
from evaluation.decision.certificate import Certificate
from evaluation.errors import LabelUnconfirmed, UsageError
from evaluation.records import Json
from scripts.promotion.kept import (
    Kept,
    check_label,
    comment_on,
    kept_certificates,
    open_rest,
    read_kept,
    say,
)
from scripts.shell import DONE
from services.langfuse.labels import move_label, project_id, read_label, read_version
from services.langfuse.rest import LangfuseRest
from services.prompt_service import parse_reference
from services.settings import DEFAULT_LABEL, Settings
from services.text_files import show_path

NEWEST = ""
"""Of --undo: the newest certificate of the prompt and label."""


async def undo(options: Namespace, settings: Settings) -> int:
    """Moves the label back. Raises UsageError where it is elsewhere by now, so that nothing is changed."""
    langfuse = open_rest(settings)
    kept = _newest(options, settings) if options.undo == NEWEST else read_kept(Path(options.undo))
    certificate = kept.certificate
    if certificate.id != certificate.content_id():
        raise UsageError(f"{show_path(kept.path)}: was changed since it was written (its id does not fit its content)")
    if certificate.moved_from is None:
        raise UsageError(
            f"label {certificate.label!r} was on no version before: Langfuse's API moves labels and takes none away; "
            "take it away in Langfuse"
        )
    try:
        async with langfuse as rest:
            await _check_place(rest, certificate)
            stand = await read_label(rest, certificate.prompt.name, certificate.label)
            back, moved = certificate.moved_from, False
            if stand is None or stand.version not in (certificate.prompt.version, back):
                now = "no version" if stand is None else f"version {stand.version}"
                raise UsageError(
                    f"label {certificate.label!r} is on {now}, and no longer on {certificate.prompt.version}, where "
                    f"{show_path(kept.path)} put it: nothing was changed"
                )
            if stand.version != back:
                await move_label(rest, certificate.prompt.name, certificate.label, back)
                moved = True
            commented = await _comment(rest, certificate, back)
    except LabelUnconfirmed as failure:
        again = write_command("promote", "--undo", show_path(kept.path))
        raise LabelUnconfirmed(f"{failure}: go on with {again}") from None
    done = "moved back" if moved else "was moved back before; nothing was done twice"
    line = f"{certificate.label}: {certificate.prompt.name} version {certificate.prompt.version} -> {back}: {done}"
    answer: Json = {
        "undone": True,
        "moved": moved,
        "label": certificate.label,
        "from": certificate.prompt.version,
        "to": back,
        "certificate": str(kept.path),
        "id": certificate.id,
        "commented": commented,
    }
    say([line], answer, as_json=options.json)
    return DONE


def _newest(options: Namespace, settings: Settings) -> Kept:
    """The certificate that was issued last for the prompt and label."""
    label = check_label(options.to or DEFAULT_LABEL)
    named = parse_reference(options.prompt, settings.prompt_name) if options.prompt else (settings.prompt_name, "")
    if isinstance(named, Path):
        raise UsageError(f"{options.prompt!r} is a file, and a label stands on a version in Langfuse: name that")
    own = [
        kept
        for kept in kept_certificates(settings.certificates_dir)
        if (kept.certificate.prompt.name, kept.certificate.label) == (named[0], label)
    ]
    if not own:
        raise UsageError(
            f"{show_path(settings.certificates_dir)}/ holds no certificate of {named[0]!r} and label {label!r}: name "
            "one with --undo FILE"
        )
    return max(own, key=lambda kept: kept.certificate.issued_at)


async def _check_place(rest: LangfuseRest, certificate: Certificate) -> None:
    """Raises UsageError for the certificate of another project, whose versions are other prompts."""
    project = await project_id(rest)
    if project != certificate.project:
        raise UsageError(
            f"the certificate is of project {certificate.project} at {certificate.host}, and the keys are of project "
            f"{project}: set the keys of that project"
        )


async def _comment(rest: LangfuseRest, certificate: Certificate, back: int) -> bool:
    """Says on the version that the label came back to why it did; False where the server does not say its id."""
    stand = await read_version(rest, certificate.prompt.name, back)
    mark = f"undoes certificate `{certificate.id}`"
    text = f"`{certificate.label}` moved back here from version {certificate.prompt.version}: {mark}."
    return await comment_on(rest, stand, certificate.project, text, mark)
