"""A label moved by proof: the certificate is written first, then the label moves, then a comment says so.

Whatever is cut off between two of these, the same command goes on where it stopped and does nothing twice.
"""

import asyncio
import time
from argparse import Namespace
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from evaluation.commands import write_command, write_flags
from evaluation.decision.certificate import Certificate, PromotedPrompt
from evaluation.errors import LabelUnconfirmed, ParseError, UsageError
from evaluation.moments import iso_seconds
from evaluation.prompts import PromptVersion
from evaluation.records import Json
from evaluation.request import EvaluationRequest
from evaluation.suites import SUITES
from prompt_evaluation import __version__
from scripts.arguments import usual_suite
from scripts.promotion.kept import (
    Kept,
    check_label,
    comment_on,
    kept_certificates,
    open_rest,
    read_kept,
    say,
)
from scripts.promotion.proof import Proof, Search, find_proof, waivers_of
from scripts.promotion.today import Lack, read_today
from scripts.run.stored import open_stored
from scripts.run.waivers import read_waivers
from scripts.shell import DONE, GATE_FAILED
from services.certificates import certificate_path, write_certificate
from services.journal import journal_file
from services.langfuse.labels import LabelStand, move_label, project_id, read_label, read_version
from services.langfuse.prompts import LangfusePrompts
from services.langfuse.rest import LangfuseRest
from services.prompt_service import open_prompts, parse_reference
from services.settings import Settings
from services.text_files import show_path


def promote(options: Namespace, settings: Settings) -> int:
    """Moves the label where the proof is there, and says what is missing where it is not."""
    if options.undo is not None:
        from scripts.promotion.undo import undo

        return asyncio.run(undo(options, settings))
    return asyncio.run(_promote(options, settings))


async def _promote(options: Namespace, settings: Settings) -> int:
    langfuse = open_rest(settings)
    if options.prompt is None or options.to is None:
        missing = "the prompt" if options.prompt is None else "the label (--to)"
        raise UsageError(f"{missing} is missing: {write_command('promote', PROMPT='v3', TO='production')}")
    label = check_label(options.to)
    if isinstance(parse_reference(options.prompt, settings.prompt_name), Path):
        raise UsageError(f"{options.prompt!r} is a file, and a label stands on a version in Langfuse: name that")
    prompt = (await open_prompts(settings).load(options.prompt)).prompt
    version = prompt.pin.version
    assert version is not None, "Langfuse numbers its versions"
    async with langfuse as rest:
        stand = await read_label(rest, prompt.pin.name, label)
        project = await project_id(rest)
        promotion = Promotion(rest, settings, prompt, version, label, stand, project, options)
        if stand is not None and stand.version == version and (kept := promotion.earlier()) is not None:
            return await promotion.complete(kept, moved=False)
        proof = await promotion.prove()
        if not isinstance(proof, Proof):
            return promotion.refuse(proof)
        if stand is not None and stand.version == version:
            return promotion.already()
        kept, new = promotion.certify(proof)
        try:
            await promotion.move()
        except LabelUnconfirmed as failure:
            raise promotion.unfinished(str(failure), kept) from None
        except UsageError:
            # Nothing moved, and no certificate says that something did; that of an earlier try stays.
            if new:
                kept.path.unlink(missing_ok=True)
            raise
        return await promotion.complete(kept, moved=True)


@dataclass(frozen=True, slots=True)
class Promotion:
    """One promotion under way."""

    rest: LangfuseRest
    settings: Settings
    prompt: PromptVersion
    version: int
    label: str
    stand: LabelStand | None
    """Where the label stood when it was read."""
    project: str
    options: Namespace

    @property
    def name(self) -> str:
        """Of the prompt."""
        return self.prompt.pin.name

    @property
    def command(self) -> str:
        """The command that promotes, as it was typed but for how it prints."""
        given = self.options
        gate = None if given.gate == "deploy" else given.gate
        named = {name: getattr(given, name) for name in ("against", "rules", "run", "suite", "rubric", "scenarios")}
        return write_command("promote", *write_flags(gate=gate, **named), PROMPT=given.prompt, TO=self.label)

    async def prove(self) -> Proof | list[Lack]:
        """The proof among the stored runs, or what is missing of it."""
        given = self.options
        request = EvaluationRequest(
            suite=usual_suite(given.suite), rubric=given.rubric, scenarios=tuple(given.scenarios or ()), quiet=True
        )
        today = await read_today(request, self.prompt, given.prompt, self.settings, SUITES)
        base, reference = await self._base()
        if not journal_file(self.settings.runs_dir).exists():
            return [Lack(f"no run is stored in {show_path(self.settings.runs_dir)}/", today.eval_command())]
        with open_stored(self.settings, None) as journal:
            return find_proof(
                Search(
                    prompt=self.prompt,
                    today=today,
                    gate=given.gate,
                    label=self.label,
                    base=base,
                    base_reference=reference,
                    only_comparison=given.against is not None,
                    rules=given.rules,
                    run_id=given.run,
                    journal=journal,
                    settings=self.settings,
                    suites=SUITES,
                )
            )

    async def _base(self) -> tuple[PromptVersion | None, str]:
        """What the candidate may be held against, and how a command names it."""
        if self.options.against is not None:
            found = await open_prompts(self.settings).load(self.options.against)
            return found.prompt, self.options.against
        if self.stand is None or self.stand.version == self.version or self.settings.langfuse is None:
            return None, ""
        found = await LangfusePrompts(self.settings.langfuse).find(self.name, str(self.stand.version))
        return found.prompt, f"{self.name}@v{self.stand.version}"

    def earlier(self) -> Kept | None:
        """The newest certificate of just this move, whose rest may be missing; None without one."""
        own = [
            kept
            for kept in kept_certificates(self.settings.certificates_dir)
            if kept.certificate.prompt == self._promoted()
            and (kept.certificate.label, kept.certificate.project) == (self.label, self.project)
        ]
        return max(own, key=lambda kept: kept.certificate.issued_at, default=None)

    def _promoted(self) -> PromotedPrompt:
        return PromotedPrompt(name=self.name, version=self.version, sha256=self.prompt.pin.sha256)

    def certify(self, proof: Proof) -> tuple[Kept, bool]:
        """The certificate of a proof, written unless it lies there, and whether it is new."""
        certificate = Certificate(
            issued_at=iso_seconds(time.time()),
            host=self.rest.base_url,
            project=self.project,
            label=self.label,
            moved_from=None if self.stand is None else self.stand.version,
            prompt=self._promoted(),
            proof=proof.kind,
            gate=proof.gate,
            verdict=proof.verdict,
            said=proof.said,
            tool=__version__,
            terms=proof.terms,
            waivers=waivers_of(read_waivers(None)[0]),
            runs=list(proof.runs),
            figures=proof.figures,
        ).with_id()
        path = certificate_path(
            self.settings.certificates_dir, self.name, self.version, self.label, certificate.content_id()
        )
        with suppress(ParseError, UsageError):
            if path.exists() and read_kept(path).certificate.content_id() == certificate.id:
                return read_kept(path), False
        write_certificate(path, certificate.model_dump_json(indent=2) + "\n")
        return Kept(certificate, path), True

    async def move(self) -> None:
        """Moves the label, unless somebody else did since it was read."""
        now = await read_label(self.rest, self.name, self.label)
        if now != self.stand:
            raise UsageError(
                f"label {self.label!r} was {_where(self.stand)} and is {_where(now)} now: somebody moved it meanwhile; "
                f"nothing was changed: look at it, then run {self.command}"
            )
        await move_label(self.rest, self.name, self.label, self.version)

    async def complete(self, kept: Kept, *, moved: bool) -> int:
        """Leaves the comment where it is missing, and says what was done."""
        certificate = kept.certificate
        stand = await read_version(self.rest, self.name, self.version)
        try:
            text = comment_text(certificate)
            commented = await comment_on(self.rest, stand, self.project, text, f"`{certificate.id}`")
        except LabelUnconfirmed as failure:
            raise self.unfinished(str(failure), kept) from None
        done = "moved" if moved else "was moved before; nothing was done twice"
        lines = [
            f"{certificate.title}: {done}",
            f"proof: {certificate.proof}, gate {certificate.gate}, run {certificate.runs[0].run_id}",
            f"it says: {certificate.said}",
            f"certificate: {show_path(kept.path)} (commit it)",
            f"verify: {write_command('verify', CERTIFICATE=show_path(kept.path))}",
            f"undo: {write_command('promote', '--undo', show_path(kept.path))}",
        ]
        answer: Json = {
            "promoted": True,
            "moved": moved,
            "label": self.label,
            "from": certificate.moved_from,
            "to": self.version,
            "certificate": str(kept.path),
            "id": certificate.id,
            "commented": commented,
        }
        say(lines, answer, as_json=self.options.json)
        return DONE

    def already(self) -> int:
        """Says that the label is where it is to go, with the proof and without a certificate of the move."""
        line = (
            f"{self.label}: {self.name} is on version {self.version} already, and the proof for it is there; nothing "
            "was moved, so that no certificate was written"
        )
        answer: Json = {"promoted": True, "moved": False, "label": self.label, "to": self.version, "certificate": None}
        say([line], answer, as_json=self.options.json)
        return DONE

    def refuse(self, lacks: list[Lack]) -> int:
        """Says what is missing, a line for each."""
        head = f"{self.label} stays {_where(self.stand)}: version {self.version} of {self.name} is not proved"
        lines = [head, *(f"- {each.line()}" for each in lacks)]
        answer: Json = {
            "promoted": False,
            "label": self.label,
            "from": None if self.stand is None else self.stand.version,
            "to": self.version,
            "missing": [asdict(each) for each in lacks],
        }
        say(lines, answer, as_json=self.options.json)
        return GATE_FAILED

    def unfinished(self, why: str, kept: Kept) -> LabelUnconfirmed:
        """The error of a promotion of which a part is not confirmed: the certificate stays, and the command goes on."""
        return LabelUnconfirmed(f"{why}; {show_path(kept.path)} is written: go on with {self.command}")


def _where(stand: LabelStand | None) -> str:
    return "on no version" if stand is None else f"on version {stand.version}"


def comment_text(certificate: Certificate) -> str:
    """The comment on a promoted version: no text of a prompt or response stands in it."""
    before = "no version" if certificate.moved_from is None else f"version {certificate.moved_from}"
    run = certificate.runs[0]
    return (
        f"`{certificate.label}` moved here from {before} by proof ({certificate.proof}, gate `{certificate.gate}`): "
        f"{certificate.said}\n\nRun `{run.run_id}`, rubric `{run.rubric.name} {run.rubric.version}`, "
        f"{run.scenarios.version} scenarios, judge `{run.judge or 'none'}`. Certificate `{certificate.id}`."
    )
