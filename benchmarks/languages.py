"""The rate at which texts in eight languages are scored beside that for English, and what detection costs.

The same exchange is said in each language; a number in it makes every text another one. `scripts.score_responses`
scores as many texts of English as of all eight together, as a process of its own and within this one, in turn. What a
command takes to start is part of the first figure and not of the second.

python -m benchmarks.languages
"""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.heuristics import EXCHANGES
from evaluation.metrics.lookup import languages_of
from evaluation.metrics.utterance import Utterance
from scripts.score_responses import main

TEXTS = 1_000
ROUNDS = 5
LONG = 5
"""Times that the reply of a long text says the same, with another number."""
SAID = {
    "en": (
        "I am sad, my boss shouted at me {0} times today.",
        "That sounds hard, and I understand that it hurts. It happened {0} times, which nobody deserves. However, you "
        "do not have to answer at once. Would you like to tell me what happened?",
    ),
    "de": (
        "Ich bin traurig, mein Chef hat mich heute {0} Mal angeschrien.",
        "Das klingt schwer, und ich verstehe, dass es weh tut. Es ist {0} Mal passiert, das hat niemand verdient. "
        "Allerdings musst du nicht gleich antworten. Magst du mir erzählen, was passiert ist?",
    ),
    "es": (
        "Estoy triste, mi jefe me gritó {0} veces hoy.",
        "Suena muy duro, y entiendo que te duela. Pasó {0} veces, y nadie lo merece. Sin embargo, no tienes que "
        "responder enseguida. ¿Quieres contarme qué pasó?",
    ),
    "fr": (
        "Je suis triste, mon chef m'a crié dessus {0} fois aujourd'hui.",
        "Cela semble dur, et je comprends que ça fasse mal. C'est arrivé {0} fois, et personne ne le mérite. Mais "
        "tu n'as pas à répondre tout de suite. Tu veux me raconter ce qui s'est passé ?",
    ),
    "pt": (
        "Estou triste, meu chefe gritou comigo {0} vezes hoje.",
        "Parece difícil, e entendo que isso doa. Aconteceu {0} vezes, e ninguém merece isso. No entanto, você não "
        "precisa responder logo. Quer me contar o que aconteceu?",
    ),
    "it": (
        "Sono triste, il mio capo mi ha urlato contro {0} volte oggi.",
        "Sembra dura, e capisco che faccia male. È successo {0} volte, e nessuno lo merita. Tuttavia non devi "
        "rispondere subito. Vuoi raccontarmi cosa è successo?",
    ),
    "ja": (
        "悲しいです。今日は上司に{0}回も怒鳴られました。",
        "それは辛かったですね。傷つくお気持ちはわかります。{0}回もそんなことがあったなんて、誰もそんな扱いを受けるべきではありません。しかし、"
        "すぐに答えなくても大丈夫です。よかったら何があったか話してくれますか。",
    ),
    "zh": (
        "我很难过，今天老板对我吼了{0}次。",
        "听起来很不容易，我理解这让你很难受。发生了{0}次，谁都不该被这样对待。不过，你不必马上回答。想跟我说说发生了什么吗？",
    ),
}


def lines_of(languages: tuple[str, ...], times: int) -> str:
    """As many lines as `TEXTS`, the languages in turn."""
    lines = []
    for number in range(TEXTS):
        message, reply = SAID[languages[number % len(languages)]]
        said = " ".join(reply.format(number * LONG + part) for part in range(times))
        lines.append(json.dumps({"id": number, "user_input": message.format(number), "response": said}))
    return "\n".join(lines) + "\n"


def seconds_within(source: Path, suite: str) -> float:
    """Of the command in this process."""
    started = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        code = main([str(source), "--suite", suite, "--output", str(source.with_suffix(".out")), "--jobs", "1"])
    return _checked(source, code, time.process_time() - started)


def seconds_of_command(source: Path, suite: str) -> float:
    """Of the command as a process of its own, start and end included."""
    words = ("--suite", suite, "--output", str(source.with_suffix(".out")), "--jobs", "1")
    before = os.times()
    code = subprocess.run(
        [sys.executable, "-m", "scripts.score_responses", str(source), *words], check=False
    ).returncode
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return _checked(source, code, used)


def _checked(source: Path, code: int, seconds: float) -> float:
    if code or len(source.with_suffix(".out").read_text("utf-8").splitlines()) != TEXTS:
        raise SystemExit(f"the command ended with {code}")
    return seconds


def detection() -> float:
    """Microseconds for both texts of an exchange of plain English, beside what cues read of them anyway."""
    best = float("inf")
    for _ in range(ROUNDS * 10):
        read = [Utterance(f"{said} {number}", reply) for number in range(50) for said, reply in EXCHANGES]
        for each in read:
            _ = each.user_input.tokens, each.response.tokens
        started = time.process_time()
        for each in read:
            languages_of(each)
        best = min(best, (time.process_time() - started) / len(read))
    return best * 1e6


def measure() -> int:
    """Prints the rates."""
    print(f"to tell the language of an exchange of plain English: {detection():.1f} us\n")
    print(f"{TEXTS:,} texts{'':26}{'English':>12}{'eight languages':>18}{'share':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for suite in ("companion", "text_quality"):
            for times, length in ((1, "short"), (LONG, "long")):
                files = [Path(folder) / f"{name}.jsonl" for name in ("english", "eight")]
                for file, languages in zip(files, (("en",), tuple(SAID)), strict=True):
                    file.write_text(lines_of(languages, times), "utf-8")
                for what, seconds in (("command", seconds_of_command), ("scoring", seconds_within)):
                    rounds = [[seconds(file, suite) for file in files] for _ in range(ROUNDS)]
                    rates = [TEXTS / min(taken) for taken in zip(*rounds, strict=True)]
                    name = f"{suite}, {length}, {what}"
                    print(f"{name:36}{rates[0]:>12,.0f}/s{rates[1]:>16,.0f}/s{rates[1] / rates[0]:>8.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(measure())
