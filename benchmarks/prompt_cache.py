"""How much of what a run sends a provider's prompt cache could serve: prefixes counted on a loopback endpoint.

OpenAI caches prompts from 1,024 tokens on, in steps of 128 (platform.openai.com/docs/guides/prompt-caching). A token
counts as four characters. Calls are counted in the order in which they were sent, live, 16 at a time.

python -m benchmarks.prompt_cache
"""

import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

from services.rehearsal.options import RehearsalOptions
from services.rehearsal.server import Rehearsal
from services.rehearsal.wire import HttpRequest, HttpResponse
from tests.loopback import in_thread, listening
from tests.scripts.commands import run

CHARACTERS_PER_TOKEN, LEAST_TOKENS, STEP = 4, 1024, 128
KINDS = {
    "You judge replies": "judge",
    "You judge how": "whole conversations",
    "You answer yes-or-no": "expectations",
}
"""Beginning of the first message -> what the call is for; anything else is a generation."""


class Cache:
    """Counts the tokens of prompts, and those that began as one before."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self.tokens: Counter[str] = Counter()
        self.shared: Counter[str] = Counter()
        """In a prefix of any length that was sent before."""
        self.cached: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()

    def see(self, messages: list[dict[str, str]]) -> None:
        text = json.dumps(messages)
        kind = next((name for start, name in KINDS.items() if messages[0]["content"].startswith(start)), "generation")
        step = STEP * CHARACTERS_PER_TOKEN
        prefixes = [text[:end] for end in range(step, len(text) + 1, step)]
        known = sum(prefix in self._known for prefix in prefixes)
        self._known.update(prefixes)
        self.calls[kind] += 1
        self.tokens[kind] += len(text) // CHARACTERS_PER_TOKEN
        self.shared[kind] += known * STEP
        self.cached[kind] += known * STEP if known * STEP >= LEAST_TOKENS else 0


def main() -> int:
    cache, rehearse = Cache(), Rehearsal(RehearsalOptions()).respond

    def respond(request: HttpRequest) -> HttpResponse:
        if request.path == "/v1/chat/completions":
            cache.see(json.loads(request.body)["messages"])
        return rehearse(request)

    with tempfile.TemporaryDirectory() as folder, in_thread(lambda: listening(respond)) as port:
        settings = {
            "OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1",
            "EVAL_MODEL": "rehearsal",
            "EVAL_JUDGE_MODEL": "rehearsal-judge",
        }
        done = run("--prompt", "v3", "--quiet", runs=Path(folder), **settings)
    if done.code:
        print(done.err, file=sys.stderr)
        return done.code
    print("calls of              number  tokens a call  begin as one before  from a cache")
    for kind in ("generation", "judge", "expectations", "whole conversations"):
        calls, tokens = cache.calls[kind], cache.tokens[kind]
        shared, cached = cache.shared[kind] / tokens, cache.cached[kind] / tokens
        print(f"{kind:20}  {calls:6,}  {tokens // calls:13,}  {shared:19.0%}  {cached:12.0%}")
    whole = cache.tokens.total()
    print(
        f"{'all':20}  {cache.calls.total():6,}  {whole // cache.calls.total():13,}  "
        f"{cache.shared.total() / whole:19.0%}  {cache.cached.total() / whole:12.0%}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
