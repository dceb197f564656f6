"""The prompt evaluation as a program that is installed: `prompt-eval`, or `python -m prompt_evaluation`.

This package is the only name that an installation adds to a Python environment. The program itself lies below it, in
`_app`, and is imported by the processes of `prompt-eval` alone, never by a program that imports this package.
"""

__version__ = "0.2.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from prompt_evaluation.evaluating import EvaluatedRun, PromptEvalError, evaluate

__all__ = ["EvaluatedRun", "PromptEvalError", "evaluate"]


def __getattr__(name: str) -> object:
    """Loads what a Python program uses when it is asked for: the command is started without it."""
    if name in __all__:
        from prompt_evaluation import evaluating

        return getattr(evaluating, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
