"""`python -m examples.recipe_assistant --port 0`: see options.py for its options."""

import asyncio
import sys

from examples.recipe_assistant.options import parse_options

if __name__ == "__main__":
    options = parse_options(sys.argv[1:])
    # The HTTP server is the slowest import; --help and --list-defects do without it.
    from examples.recipe_assistant.server import serve

    asyncio.run(serve(options))
