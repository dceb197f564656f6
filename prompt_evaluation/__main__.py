"""`python -m prompt_evaluation`: the same as `prompt-eval`."""

import sys

from prompt_evaluation.command import main

if __name__ == "__main__":
    sys.exit(main())
