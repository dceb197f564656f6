"""Play evaluations on the rehearsal model and photograph the parts of their pages that the documents show."""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.browser import Browser, browser_path
from tests.images.playing import play
from tests.images.shots import IMAGES, photograph


def main() -> int:
    parser = argparse.ArgumentParser(prog="make images", description=__doc__)
    parser.add_argument(
        "--runs", type=Path, metavar="DIR", help="photograph what an earlier call left here; play nothing"
    )
    parser.add_argument("--to", type=Path, metavar="DIR", default=IMAGES, help="write the pictures here")
    given = parser.parse_args()
    program = browser_path()
    if program is None:
        parser.error("no Chromium is installed (Debian: apt-get install chromium)")
    with tempfile.TemporaryDirectory(prefix="images-") as folder:
        runs = given.runs or Path(folder) / "runs"
        if given.runs is None:
            play(runs)
        browser = Browser(program)
        try:
            photograph(browser, runs, given.to)
        finally:
            browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
