"""Give a piece of work a total time, whatever it waits for."""

import queue
import threading
from collections.abc import Callable


def within(seconds: float, work: Callable[[], None]) -> None:
    """Do `work` and raise what it raises; raise TimeoutError when it has not ended after `seconds`.

    The work runs in a daemon thread, since a read time-out never ends a host that sends a byte now and then. A thread
    cannot be killed: work that is late must find out by itself and is otherwise left behind until the process ends.
    """
    ended: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()

    def run() -> None:
        try:
            work()
        except BaseException as error:
            ended.put(error)
        else:
            ended.put(None)

    threading.Thread(target=run, daemon=True).start()
    try:
        failure = ended.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError(f"not done after {seconds:g} s") from None
    if failure is not None:
        raise failure
