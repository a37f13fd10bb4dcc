"""How long a server is waited for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx2
import pytest

from pcf_core.models.connection import LONGEST_PAUSE, retry_after

AT = "Fri, 20 Nov 2026 07:28:00 GMT"


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("7", 7.0),
        ("Fri, 20 Nov 2026 07:28:09 GMT", 9.0),
        ("Friday, 20-Nov-26 07:28:09 GMT", 9.0),
        ("Fri Nov 20 07:28:09 2026", 9.0),
        ("Fri, 20 Nov 2026 09:28:00 GMT", LONGEST_PAUSE),
        ("Fri, 20 Nov 2026 07:27:00 GMT", 0.0),
        ("Fri, 99 Nov 2026 07:27:00 GMT", 0.0),
        ("-3", 0.0),
        ("nan", 0.0),
        ("inf", 0.0),
        ("soon", 0.0),
    ],
)
def test_the_wait_that_a_server_asks_for(said: str, seconds: float) -> None:
    """A date, in any of HTTP's three forms, counts from the server's own clock."""
    answer = httpx2.Response(429, headers={"Retry-After": said, "Date": AT})
    assert retry_after(answer) == seconds


def test_without_the_servers_clock_a_date_counts_from_ours() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    assert 28 < retry_after(httpx2.Response(429, headers={"Retry-After": later})) <= 30
