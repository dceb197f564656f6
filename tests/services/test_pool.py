"""Work shared between processes of this machine."""

import threading

from services.pool import map_in_processes


def test_a_pool_whose_work_is_done_is_closed_to_the_end() -> None:
    """Else the interpreter may speak of it when it ends."""
    before = set(threading.enumerate())
    assert list(map_in_processes(str, range(5), 2)) == ["0", "1", "2", "3", "4"]
    assert set(threading.enumerate()) <= before
