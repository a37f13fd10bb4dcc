"""How long to wait before a server is asked again."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx2

PAUSES = (1.0, 2.0, 4.0, 8.0)  # seconds before the second attempt, the third …
LONGEST_PAUSE = 60.0  # a server may ask for more patience, up to this
LIMIT_PAUSE = 20.0  # after a 429 that asks for none: with ``PAUSES`` more than the minute most limits count


def retry_after(answer: httpx2.Response) -> float:
    """Seconds that the server asks for, 0 to ``LONGEST_PAUSE``; 0 where it writes what is none.

    Where it asks for none, :func:`pause_after` its status.

    A date counts from the answer's own ``Date``, where it has one: our clock may be another (RFC 9110,
    10.2.3).
    """
    said = answer.headers.get("Retry-After")
    if said is None:
        return pause_after(answer.status_code)
    try:
        seconds = float(said)
    except ValueError:
        until = _time_of(said)
        now = _time_of(answer.headers.get("Date", "")) or datetime.now(UTC)
        seconds = (until - now).total_seconds() if until else 0.0
    return min(max(seconds, 0.0), LONGEST_PAUSE) if math.isfinite(seconds) else 0.0


def pause_after(status: int) -> float:
    """Seconds to wait where the server asks for none: ``LIMIT_PAUSE`` after 429, its limit, else 0."""
    return LIMIT_PAUSE if status == 429 else 0.0


def _time_of(date: str) -> datetime | None:
    """A date as HTTP writes it, ``Fri, 20 Nov 2026 07:28:00 GMT``; without a zone it is meant so too."""
    try:
        found = parsedate_to_datetime(date)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
