"""The prompt evaluation as a program that is installed: `prompt-eval`, or `python -m prompt_evaluation`.

This package is the only name that an installation adds to a Python environment. The program itself lies below it, in
`_app`, and is imported by the processes of `prompt-eval` alone, never by a program that imports this package.
"""

__version__ = "0.2.0"
