"""`python -m services.rehearsal --port 0`: options.py lists its options."""

import asyncio
import sys

from services.rehearsal.options import parse_options
from services.rehearsal.server import serve

if __name__ == "__main__":
    asyncio.run(serve(parse_options(sys.argv[1:])))
