"""An event loop whose clock jumps to the next timer instead of waiting for it: exact waits that take no time."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _JumpingSelector(selectors.DefaultSelector):
    """Never blocks; counts the seconds that it would have blocked."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        if timeout is None:
            raise RuntimeError("nothing will ever happen: every task waits for another one")
        self.now += max(0.0, timeout)
        return super().select(0)


class _VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


def run_virtually(main: Coroutine[Any, Any, T]) -> T:
    """Run to the end on virtual time, which starts at 0. For code without sockets or threads; a deadlock raises."""
    with asyncio.Runner(loop_factory=_VirtualLoop) as runner:
        return runner.run(main)
