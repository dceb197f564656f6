"""The Python file of a team's own cues, executed once: what it declares is judged by whoever knows cues."""

import hashlib
import sys
import traceback
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from evaluation.errors import ParseError
from services.text_files import read_text

_SHOWN = 200
_known: dict[tuple[Path, str], "CodeFile"] = {}


@dataclass(frozen=True, slots=True)
class CodeFile:
    """A file that was executed."""

    path: Path
    place: str
    """The path as people know it."""
    module: str
    """The private name under which it was loaded."""
    declared: object
    """Its `CUES`; None where it has none."""

    def place_of(self, error: BaseException) -> str:
        """The last line of the file that an error passed: "file:line"."""
        return _place_of(error, self.path, self.place)


def execute(path: Path) -> CodeFile:
    """The file after its code ran. Raises UsageError, with file and line, where it cannot be read or ends early."""
    file, whole = read_text(path), path.resolve()
    key = (whole, file.text)
    if key not in _known:
        # Named after its text: the digest of what scores changes with the text alone, wherever the file lies.
        name = f"_own_cues_{hashlib.sha256(file.text.encode()).hexdigest()[:16]}"
        spec = spec_from_file_location(name, whole)
        if spec is None:
            raise ParseError(file.place, "is no Python file: name one that ends with .py")
        module = module_from_spec(spec)
        sys.modules[name] = module
        try:
            # What the file prints is no part of a command's result.
            with redirect_stdout(sys.stderr):
                exec(compile(file.text, str(whole), "exec"), module.__dict__)
        except SyntaxError as error:
            raise ParseError(f"{file.place}:{error.lineno or 1}", f"is no Python ({error.msg}): correct it") from None
        except (Exception, SystemExit) as error:
            said = " ".join(str(error).split())[:_SHOWN]
            place = _place_of(error, whole, file.place)
            raise ParseError(place, f"ends with {type(error).__name__} ({said}): correct the file") from None
        _known[key] = CodeFile(whole, file.place, name, getattr(module, "CUES", None))
    return _known[key]


def _place_of(error: BaseException, path: Path, place: str) -> str:
    lines = [each.lineno for each in traceback.extract_tb(error.__traceback__) if each.filename == str(path)]
    return f"{place}:{lines[-1]}" if lines else place
