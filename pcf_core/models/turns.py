"""The pace at which an endpoint is asked: the operator's limit of completions a minute."""

from __future__ import annotations

import math
import threading
import time


class Turns:
    """At most ``per_minute`` completions a minute, evenly spaced, for all threads that share it; 0: no limit.

    Another process has turns of its own: with two workers the endpoint is asked twice as often.

    **Worked example.**  With 30 a minute three threads that come at once go at 0, 2 and 4 seconds; one that
    comes at 60 goes at once.
    """

    def __init__(self, per_minute: int) -> None:
        self._seconds = 60 / per_minute if per_minute else 0.0
        self._next = -math.inf
        self._lock = threading.Lock()

    def wait(self, given_up: threading.Event) -> bool:
        """Take the next turn and wait for it; True where it was given up meanwhile."""
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next)
            self._next = turn + self._seconds
        return turn > now and given_up.wait(turn - now)
